"""A model in supple's JSON format, as `supple export` writes it, built anew in Pinocchio and in MuJoCo.

Both get the joint types they are fastest with: axis-aligned revolute joints and universal joints in Pinocchio,
two hinges on one body in MuJoCo. The format has no damping, springs or limits, so neither gets any.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pinocchio as pin

import common
from references import State, Vector

Case = dict[str, Any]


def export(scene: str, **parameters: Any) -> Case:
    """A built-in scene of supple."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "case.json"
        common.supple("export", scene, *settings(parameters), "--out", path)
        return json.loads(path.read_text())


def settings(parameters: dict[str, Any]) -> list[str]:
    """Parameters of a scene on the command line."""
    return [part for key, value in parameters.items() for part in ("--set", f"{key}={value}")]


def name(body: Case) -> str:
    return f"body{body['id']}"


def inertia(body: Case) -> np.ndarray:
    xx, xy, xz, yy, yz, zz = body["inertia_com"]
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def axes(joint: Case) -> list[Vector]:
    """Directions of a joint's one or two axes."""
    given = joint.get("axes") or [joint["axis"]]
    return [np.array(a) / np.linalg.norm(a) for a in given]


def joint_names(body: Case) -> list[str]:
    """What the joint of a body is called in the other libraries: a universal joint is two angles."""
    match body["joint"]["type"]:
        case "universal":
            return [f"{name(body)}.0", f"{name(body)}.1"]
        case "fixed":
            return []
        case _:
            return [name(body)]


def by_name(case: Case, values: list[float], first: str = "v_index", count: str = "nv") -> dict[str, Vector]:
    """Velocities, forces or accelerations of a case by joint name (or, told where they are, positions)."""
    result = {}
    for body in case["bodies"]:
        joint, names = body["joint"], joint_names(body)
        own = np.array(values[joint[first] :][: joint[count]], dtype=float)
        result |= zip(names, np.split(own, max(len(names), 1)))
    return result


def state(case: Case) -> State:
    """The case's state by joint name."""
    return State(by_name(case, case["q"], "q_index", "nq"), by_name(case, case["qd"]), by_name(case, case["tau"]))


def pinocchio_model(case: Case) -> pin.Model:
    """The model in Pinocchio."""
    model, ids = pin.Model(), {-1: 0}
    for body in case["bodies"]:
        place = body["placement"]
        placement = pin.SE3(pin.Quaternion(np.array(place["quat_xyzw"])), np.array(place["pos"]))
        joint = model.addJoint(ids[body["parent"]], pinocchio_joint(body["joint"]), placement, name(body))
        own = pin.Inertia(body["mass"], np.array(body["com"]), inertia(body))
        model.appendBodyToJoint(joint, own, pin.SE3.Identity())
        ids[body["id"]] = joint
    model.gravity.linear = np.array(case["gravity"])
    return model


def pinocchio_joint(joint: Case) -> Any:
    match joint["type"]:
        case "free":
            return pin.JointModelFreeFlyer()
        case "spherical":
            return pin.JointModelSpherical()
        case "universal":
            return pin.JointModelUniversal(*axes(joint))
        case "revolute" | "prismatic" as kind:
            (axis,) = axes(joint)
            aligned = {(1.0, 0.0, 0.0): "X", (0.0, 1.0, 0.0): "Y", (0.0, 0.0, 1.0): "Z"}.get(tuple(axis))
            if aligned:
                return getattr(pin, f"JointModel{kind[0].upper()}{aligned}")()
            return getattr(pin, f"JointModel{kind.capitalize()}Unaligned")(axis)
        case other:
            raise ValueError(f"no {other} joint in Pinocchio")


MUJOCO_JOINTS = {
    "revolute": mujoco.mjtJoint.mjJNT_HINGE,
    "universal": mujoco.mjtJoint.mjJNT_HINGE,
    "prismatic": mujoco.mjtJoint.mjJNT_SLIDE,
    "spherical": mujoco.mjtJoint.mjJNT_BALL,
    "free": mujoco.mjtJoint.mjJNT_FREE,
}


def mujoco_model(case: Case, dt: float = 1 / 60) -> mujoco.MjModel:
    """The model in MuJoCo, without shapes."""
    spec = mujoco.MjSpec()
    spec.option.gravity, spec.option.timestep = case["gravity"], dt
    made = {-1: spec.worldbody}
    for body in case["bodies"]:
        joint, place = body["joint"], body["placement"]
        own = made[body["parent"]].add_body(
            name=name(body),
            pos=place["pos"],
            quat=np.roll(place["quat_xyzw"], 1),
            mass=body["mass"],
            ipos=body["com"],
            fullinertia=np.array(body["inertia_com"])[[0, 3, 5, 1, 2, 4]],
            explicitinertial=True,
        )
        made[body["id"]] = own
        kind = MUJOCO_JOINTS[joint["type"]]
        if kind in (mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_BALL):
            directions = [np.array([0.0, 0.0, 1.0])]
        else:
            directions = axes(joint)
        for key, axis in zip(joint_names(body), directions):
            own.add_joint(name=key, type=kind, axis=axis)
    return spec.compile()
