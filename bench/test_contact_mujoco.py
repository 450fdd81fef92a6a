"""Worlds with shapes and articulations in MuJoCo: they are built as the file says."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

import contact_mujoco

SETTINGS = {"integrator": "implicitfast"}


def frame(*position: float) -> dict[str, Any]:
    return {"position": list(position), "rotation": [0.0, 0, 0, 1]}


def collider(body: int, shape: int) -> dict[str, Any]:
    every = 2**32 - 1
    surface = {"friction": 0.5, "restitution": 0.0, "rolling": 0.0, "member": every, "touches": every}
    return {"body": body, "frame": frame(0, 0, 0), "shape": shape, "sensor": False, "continuous": False, **surface}


def body(position: list[float]) -> dict[str, Any]:
    still = {"rotation": [0.0, 0, 0, 1], "velocity": [0, 0, 0], "omega": [0, 0, 0], "com": [0.0, 0, 0]}
    return {"name": "", "position": position, "mass": 1.0, "inertia": [0.01, 0, 0, 0.01, 0, 0.01], **still}


def world(shapes: list[dict[str, Any]], bodies: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """The ground is the first shape, the others are on the bodies in turn."""
    colliders = [collider(-1, 0)] + [collider(i, i + 1) for i in range(len(bodies))]
    return {
        "name": "test", "dt": 1 / 240, "gravity": [0, 0, -9.81], "seconds": 4.0, "bodies": bodies, "joints": [],
        "shapes": shapes, "colliders": colliders, "ignored": [], **more,
    }  # fmt: skip


def test_every_shape_comes_to_rest_on_the_ground_at_its_own_height() -> None:
    corners = [[x, y, z] for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.2, 0.2)]
    faces = [
        [0, 1, 3], [0, 3, 2], [4, 7, 5], [4, 6, 7], [0, 5, 1], [0, 4, 5], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4],
        [1, 5, 7], [1, 7, 3],
    ]  # fmt: skip
    shapes = [
        {"type": "half-space"},
        {"type": "sphere", "radius": 0.1},
        {"type": "box", "size": [0.4, 0.4, 0.2]},
        {"type": "capsule", "from": [0, -0.2, 0], "to": [0, 0.2, 0], "radius": 0.1},
        {"type": "cylinder", "height": 0.2, "radius": 0.2},
        {"type": "cone", "height": 0.2, "radius": 0.2},
        {"type": "hull", "points": corners},
        {"type": "mesh", "corners": corners, "triangles": faces},
        {"type": "compound", "parts": [{"frame": frame(0, 0, 0.1), "shape": 2}, {"frame": frame(0, 0, -0.1), "shape": 2}]},
    ]
    heights = [0.1, 0.1, 0.1, 0.1, 0.1, 0.2, 0.2, 0.2]
    run = contact_mujoco.Run(world(shapes, [body([2.0 * i, 0, 0.25]) for i in range(8)]), 1 / 240, SETTINGS)
    for _ in range(480):
        run.step()
    ends = [run.data.body(f"body {i}").xpos[2] for i in range(8)]
    assert np.allclose(ends, heights, atol=5e-3), ends


def test_ground_of_heights_is_where_it_should_be() -> None:
    heights = [0.5, 0.5, 0.5, 1.5, 1.5, 1.5]  # rises along y, from 0.5 to 1.5
    shapes = [
        {"type": "height-field", "heights": heights, "rows": 2, "columns": 3, "size": [4.0, 2.0]},
        {"type": "sphere", "radius": 0.1},
    ]
    run = contact_mujoco.Run(world(shapes, [body([0.0, 0.5, 1.4])]), 1 / 240, SETTINGS)
    # straight above the middle of the upper half, at 1.25
    while run.data.ncon == 0:
        run.step()
    assert abs(run.data.body("body 0").xpos[2] - 1.25 - 0.1 * np.sqrt(1.25)) < 0.02


def link(number: int, kind: str, q: list[float], nv: int, **more: Any) -> dict[str, Any]:
    joint = {"type": kind, "nq": len(q), "nv": nv, **more}
    here = {"pos": [0.0, 0, -0.5 if number else 0.0], "quat_xyzw": [0.0, 0, 0, 1]}
    return {
        "id": number, "parent": number - 1, "joint": joint, "placement": here, "mass": 1.0, "com": [0.0, 0, 0],
        "inertia_com": [0.01, 0, 0, 0.01, 0, 0.01], "q": q,
        "frame": {"pos": [0.0, 0, -0.1], "quat_xyzw": [0.0, 0, np.sin(0.5), np.cos(0.5)]},
    }  # fmt: skip


def test_a_tree_is_where_the_file_says() -> None:
    links = [
        link(0, "free", [0.0, 0, 5, 0, 0, 0, 1], 6),
        link(1, "spherical", [np.sin(0.3), 0.0, 0.0, np.cos(0.3)], 3),
        link(2, "revolute", [0.4], 1, axis=[0, 1, 0]),
        link(3, "universal", [0.5, -0.2], 2, axes=[[1, 0, 0], [0, 1, 0]]),
    ]
    q, v, poses = [], 0, []
    at = contact_mujoco.pose(None)
    about = lambda axis, angle: (np.zeros(3), np.array([np.cos(angle / 2), *(np.sin(angle / 2) * np.array(axis))]))  # noqa: E731
    for each in links:
        joint, own = each["joint"], each.pop("q")
        joint |= {"q_index": len(q), "v_index": v}
        q, v = q + own, v + joint["nv"]
        match joint["type"]:
            case "free":
                turn = (np.array(own[:3]), np.roll(own[3:], 1))
            case "spherical":
                turn = (np.zeros(3), np.roll(own, 1))
            case "revolute":
                turn = about([0, 1, 0], own[0])
            case _:
                turn = contact_mujoco.times(about([1, 0, 0], own[0]), about([0, 1, 0], own[1]))
        for part in (contact_mujoco.pose(each["placement"]), turn, contact_mujoco.pose(each["frame"])):
            at = contact_mujoco.times(at, part)
        poses.append([list(at[0]), list(np.roll(at[1], -1))])
    expected = {"body_pos_quat": poses, "body_velocity": [[0.0] * 6] * 4}
    case = {"bodies": links, "q": q, "qd": [0.0] * v, "expected": expected}
    empty = world([{"type": "half-space"}], [], articulations=[{"first": 0, "case": case}])
    run = contact_mujoco.Run(empty, 1 / 240, SETTINGS)
    for i, (place, quat) in enumerate(poses):
        own = run.data.body(f"body {i}")
        assert np.allclose(own.xpos, place, atol=1e-12), i
        assert abs(abs(np.dot(own.xquat, np.roll(quat, 1))) - 1) < 1e-12, i


def test_ignored_pairs_pass_through_each_other() -> None:
    shapes = [{"type": "half-space"}, {"type": "sphere", "radius": 0.1}, {"type": "sphere", "radius": 0.1}]
    bodies = [body([0.0, 0, 0.1]), body([0.0, 0, 0.5])]
    run = contact_mujoco.Run(world(shapes, bodies, ignored=[[0, 1]]), 1 / 240, SETTINGS)
    for _ in range(240):
        run.step()
    assert abs(run.data.body("body 1").xpos[2] - 0.1) < 5e-3


def test_rows_tell_when_all_sleeps() -> None:
    shapes = [{"type": "half-space"}, {"type": "box", "size": [0.2, 0.2, 0.2]}]
    row = contact_mujoco.measure(world(shapes, [body([0.0, 0, 0.2])]), "mujoco-implicitfast")
    assert row["finite"] and not row["warnings"] and row["asleep"] == 1.0
    assert 0.1 < row["rest_s"] < 4.0 and 0 < row["penetration"] < 0.05 and row["contacts"] == 4
    assert mujoco.mjtWarning.mjWARN_BADQACC in contact_mujoco.LOST.values()
