"""Animations are valid glTF, and bodies are in them where they are in the trajectory. A missing package is a failure."""

import csv
import json
import subprocess
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import common
from recording import Animation

HERE = Path(__file__).resolve().parent
NEAR = 1e-5

ARM = """<robot name="arm">
  <link name="base"><inertial><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.2" rpy="0.3 0 0.1"/>
    <axis xyz="0 1 0"/><limit effort="100" velocity="100" lower="-9" upper="9"/></joint>
  <link name="upper"><inertial><origin xyz="0.2 0 0"/><mass value="1"/><inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><origin xyz="0.2 0 0" rpy="0 1.5708 0"/><geometry><cylinder length="0.4" radius="0.04"/></geometry></visual></link>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/><origin xyz="0.4 0 0" rpy="0 0.5 0"/><axis xyz="0 0.6 0.8"/></joint>
  <link name="lower"><inertial><origin xyz="0.15 0 0"/><mass value="0.5"/><inertia ixx="0.004" iyy="0.005" izz="0.006" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><origin xyz="0.15 0 0"/><geometry><box size="0.3 0.06 0.06"/></geometry></visual></link>
</robot>
"""


def validated(path: Path) -> dict:
    """What the official validator finds."""
    command = ["node", str(HERE / "gltf" / "validate.js"), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def columns(path: Path) -> dict[str, np.ndarray]:
    with path.open() as file:
        rows = list(csv.reader(file))
    return dict(zip(rows[0], np.array(rows[1:], float).T, strict=True))


@pytest.mark.parametrize(
    "arguments",
    [
        ("crowd-200", "--set", "characters=4", "--dt", "1/240", "--seconds", "0.5", "--budget", "100"),
        ("bridge-blocks", "--seconds", "0.5"),
        ("bridge", "--seconds", "0.5"),
        ("pendulum-300", "--seconds", "0.2", "--active", "20"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_is_valid(arguments: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "motion.glb"
    common.supple("run", *arguments, "--out", path)
    found = validated(path)
    assert found["errors"] == 0 and found["warnings"] == 0, found


@pytest.mark.parametrize("scene", ["bridge-blocks", "bridge"])
def test_single_bodies_are_where_they_were(scene: str, tmp_path: Path) -> None:
    for name in ("motion.glb", "motion.npz"):
        common.supple("run", scene, "--seconds", "0.4", "--every", "4", "--out", tmp_path / name)
    animation, rows = Animation(tmp_path / "motion.glb"), np.load(tmp_path / "motion.npz")
    assert np.abs(animation.times - rows["time"]).max() < 1e-6
    for i, name in enumerate(rows["body_names"]):
        read = [animation.position(str(name), k) for k in range(len(animation.times))]
        assert np.abs(np.array(read) - rows["bodies"][:, i, :3]).max() < NEAR, name


def test_a_robot_is_where_pinocchio_has_it(tmp_path: Path) -> None:
    urdf = tmp_path / "arm.urdf"
    urdf.write_text(ARM)
    for name in ("motion.glb", "motion.csv"):
        common.supple("run", urdf, "--dt", "1e-3", "--seconds", "0.5", "--every", "20", "--out", tmp_path / name)
    found = validated(tmp_path / "motion.glb")
    assert found["errors"] == 0 and found["warnings"] == 0, found
    animation, rows = Animation(tmp_path / "motion.glb"), columns(tmp_path / "motion.csv")
    model = pin.buildModelFromUrdf(str(urdf))
    data = model.createData()
    assert len(animation.times) == len(rows["time"]) > 20
    for sample in range(len(animation.times)):
        angle, turned = rows["q.shoulder"][sample], rows["q.elbow"][sample]
        # a continuous joint is a point on the circle there
        q = np.array([angle, np.cos(turned), np.sin(turned)])
        pin.framesForwardKinematics(model, data, q)
        for body in ("base", "upper", "lower"):
            exact = data.oMf[model.getFrameId(body)].translation
            assert np.abs(animation.position(body, sample) - exact).max() < NEAR, (body, sample)
