"""Reads animations that supple writes, by pygltflib: where nodes are at each sample."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from pygltflib import GLTF2

COMPONENTS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}


class Animation:
    """The nodes of a .glb over time."""

    def __init__(self, path: Path) -> None:
        self.gltf = GLTF2().load(str(path))
        self.blob = np.frombuffer(self.gltf.binary_blob(), dtype=np.uint8)
        nodes = self.gltf.nodes
        self.number = {node.name: i for i, node in enumerate(nodes)}
        self.parent = {child: i for i, node in enumerate(nodes) for child in node.children or []}
        self.times = np.zeros(1)
        self.moved: dict[tuple[int, str], np.ndarray] = {}
        for animation in self.gltf.animations:
            for channel in animation.channels:
                sampler = animation.samplers[channel.sampler]
                assert sampler.interpolation == "LINEAR"
                self.times = self.read(sampler.input)[:, 0]
                self.moved[channel.target.node, channel.target.path] = self.read(sampler.output)

    def read(self, accessor: int) -> np.ndarray:
        """The numbers of an accessor of floats."""
        a = self.gltf.accessors[accessor]
        view = self.gltf.bufferViews[a.bufferView]
        first, width = (view.byteOffset or 0) + (a.byteOffset or 0), COMPONENTS[a.type]
        values = self.blob[first : first + 4 * width * a.count].view("<f4")
        return values.reshape(a.count, width).astype(float)

    def local(self, node: int, sample: int) -> tuple[np.ndarray, np.ndarray]:
        """Rotation and translation of a node in its parent."""
        n = self.gltf.nodes[node]
        translation = n.translation if n.translation is not None else [0, 0, 0]
        rotation = n.rotation if n.rotation is not None else [0, 0, 0, 1]
        if (node, "translation") in self.moved:
            translation = self.moved[node, "translation"][sample]
        if (node, "rotation") in self.moved:
            rotation = self.moved[node, "rotation"][sample]
        return matrix(np.asarray(rotation, float)), np.asarray(translation, float)

    def position(self, name: str, sample: int) -> np.ndarray:
        """Where a node is in supple's world, with z up."""
        node, point = self.number[name], np.zeros(3)
        while True:
            rotation, translation = self.local(node, sample)
            point = rotation @ point + translation
            if node not in self.parent:
                break
            node = self.parent[node]
        # the root turned z up to y up
        return np.array([point[0], -point[2], point[1]])


def matrix(q: np.ndarray) -> np.ndarray:
    """The rotation of a quaternion x, y, z, w."""
    x, y, z, w = q / np.linalg.norm(q)
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip
