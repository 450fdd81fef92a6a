"""A world whose bodies touch in MuJoCo: time of a step, gaps, penetration, and when all of it sleeps; one row per setting.

    supple export ragdolls-100 --out pile.json
    python bench/contact_mujoco.py pile.json [--seconds S] [--engines NAMES] [--most S] [--set KEY=VALUE …]

The world comes from the file alone (docs/scene-format.md). Single bodies are free, with the constraints of
constraints_mujoco.py between them; articulations are trees of MuJoCo's own joints. What differs, since MuJoCo has no such
thing: meshes are their convex hulls, of two coefficients of friction the greater counts, there is no restitution, limits of
joints are MuJoCo's own soft ones, and single bodies have no drag.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import constraints_mujoco

World = dict[str, Any]
Row = dict[str, Any]

MOST = 120.0  # what a run may take [s]; longer ones are cut short
MEMORY = 2 << 30  # for contacts and constraints [bytes]
BITS = 0x7FFFFFFF  # groups are signed in MuJoCo
LOST = {kind: int(getattr(mujoco.mjtWarning, f"mjWARN_{kind}")) for kind in ("BADQPOS", "BADQVEL", "BADQACC")}
FULL = {kind: int(getattr(mujoco.mjtWarning, f"mjWARN_{kind}")) for kind in ("CONTACTFULL", "CNSTRFULL", "INERTIA")}

# What differs from MuJoCo's defaults; a positive `solref` is a time in steps. Sleep is on in all, as in the other engines,
# but for worlds with distances, whose tendons MuJoCo does not let sleep, and with bodies that are moved, which do not wake
# what sleeps: a net that was asleep stayed on the floor while its handles rose.
ENGINES: dict[str, dict[str, Any]] = {
    "mujoco": {},
    "mujoco-implicitfast": {"integrator": "implicitfast"},
    "mujoco-elliptic": {"integrator": "implicitfast", "cone": "elliptic", "impratio": 10.0},
    "mujoco-stiff": {"integrator": "implicitfast", "solref": (2.0, 1.0), "solimp": (0.99, 0.99, 0.001, 0.5, 2.0)},
    "mujoco-substeps": {"integrator": "implicitfast", "substeps": 4},
    "mujoco-discrete": {"integrator": "discrete", "solref": (2.0, 1.0), "solimp": (0.99, 0.99, 0.001, 0.5, 2.0)},
}


def build(world: World, dt: float, settings: dict[str, Any]) -> mujoco.MjModel:
    """The world with free bodies, trees and constraints between sites."""
    spec = mujoco.MjSpec()
    spec.option.gravity, spec.option.timestep = world["gravity"], dt
    spec.memory = MEMORY
    options = constraints_mujoco.constraint_options(settings, dt)
    bodies = {-1: spec.worldbody}
    for number, body in enumerate(world["bodies"]):
        bodies[number] = constraints_mujoco.add_body(spec, number, body)
        bodies[number].mocap = bool(body.get("moves"))
        # free bodies turn about their centres of mass, which is steadier
        for joint in bodies[number].joints:
            joint.align = int(settings.get("align", True))
    for articulation in world.get("articulations", []):
        add_tree(spec, bodies, articulation, options)
    all_bodies = world | {"bodies": numbered(world)}
    for number, joint in enumerate(world["joints"]):
        for end in ("parent", "child"):
            frame = joint[f"{end}_frame"]
            place, turn = np.array(frame["position"]), np.roll(frame["rotation"], 1)
            own = bodies[joint[end]]
            own.add_site(name=f"{end} {number}", pos=place, quat=turn)
            if joint["kind"] == "hinge":
                along = constraints_mujoco.arm(all_bodies, joint) * constraints_mujoco.z_axis(turn)
                own.add_site(name=f"{end} {number} axis", pos=place + along)
        constraints_mujoco.add_constraint(spec, number, joint, options)
    for number, shape in enumerate(world.get("shapes", [])):
        add_asset(spec, number, shape)
    for collider in world.get("colliders", []):
        add_collider(world["shapes"], bodies[collider["body"]], collider, options)
    for a, b in apart(world):
        spec.add_exclude(bodyname1=f"body {a}", bodyname2=f"body {b}")
    awake = any(joint["kind"] == "distance" for joint in world["joints"])
    awake |= any(body.get("moves") for body in world["bodies"])
    return set_options(spec, {"sleep": not awake} | settings)


def set_options(spec: mujoco.MjSpec, settings: dict[str, Any]) -> mujoco.MjModel:
    model = spec.compile()
    for key in ("iterations", "ls_iterations", "tolerance", "ls_tolerance", "impratio", "noslip_iterations"):
        if key in settings:
            setattr(model.opt, key, settings[key])
    for key, of in (("integrator", "mjtIntegrator.mjINT"), ("solver", "mjtSolver.mjSOL"), ("cone", "mjtCone.mjCONE")):
        if key in settings:
            kind, prefix = of.split(".")
            setattr(model.opt, key, getattr(getattr(mujoco, kind), f"{prefix}_{settings[key].upper()}"))
    if settings.get("sleep", True):
        model.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_SLEEP)
    return model


def numbered(world: World) -> list[World]:
    """All bodies by their numbers in the file, with mass and inertia."""
    bodies = list(world["bodies"])
    for articulation in world.get("articulations", []):
        bodies += [body | {"inertia": body["inertia_com"]} for body in articulation["case"]["bodies"]]
    return bodies


def apart(world: World) -> set[tuple[int, int]]:
    """Pairs of bodies that do not touch; MuJoCo leaves out neighbours in a tree by itself."""
    pairs = [tuple(pair) for pair in world.get("ignored", [])]
    pairs += [(joint["parent"], joint["child"]) for joint in world["joints"] if not joint.get("collide", False)]
    return {(min(pair), max(pair)) for pair in pairs if min(pair) >= 0}


Pose = tuple[np.ndarray, np.ndarray]  # place and quaternion as MuJoCo has it


def pose(given: World | None) -> Pose:
    """A pose of a case; none is the identity."""
    if given is None:
        return np.zeros(3), np.array([1.0, 0, 0, 0])
    return np.array(given["pos"], dtype=float), np.roll(given["quat_xyzw"], 1)


def times(a: Pose, b: Pose) -> Pose:
    place, turn = np.empty(3), np.empty(4)
    mujoco.mju_mulPose(place, turn, a[0], a[1], b[0], b[1])
    return place, turn


def inverse(a: Pose) -> Pose:
    place, turn = np.empty(3), np.empty(4)
    mujoco.mju_negPose(place, turn, a[0], a[1])
    return place, turn


def turned(quat: np.ndarray, vector: Any) -> np.ndarray:
    result = np.empty(3)
    mujoco.mju_rotVecQuat(result, np.array(vector, dtype=float), np.array(quat, dtype=float))
    return result


KINDS = {
    "revolute": mujoco.mjtJoint.mjJNT_HINGE,
    "continuous": mujoco.mjtJoint.mjJNT_HINGE,
    "universal": mujoco.mjtJoint.mjJNT_HINGE,
    "prismatic": mujoco.mjtJoint.mjJNT_SLIDE,
    "spherical": mujoco.mjtJoint.mjJNT_BALL,
    "free": mujoco.mjtJoint.mjJNT_FREE,
}


def add_tree(spec: mujoco.MjSpec, bodies: dict[int, Any], articulation: World, options: dict[str, Any]) -> None:
    """The bodies of an articulation, each in its parent, with the joints between them."""
    first, case = articulation["first"], articulation["case"]
    for body in case["bodies"]:
        number, frame = first + body["id"], pose(body.get("frame"))
        joint, free = body["joint"], body["joint"]["type"] == "free"
        place, turn = times(pose(body["placement"]), frame)
        parent = bodies[first + body["parent"]] if body["parent"] >= 0 else spec.worldbody
        own = parent.add_body(name=f"body {number}", pos=place, quat=turn)
        if body["mass"] > 0:
            own.mass, own.ipos, own.explicitinertial = body["mass"], body["com"], True
            own.fullinertia = np.array(body["inertia_com"])[[0, 3, 5, 1, 2, 4]]
        bodies[number] = own
        if free:
            own.add_freejoint(name=f"body {number}")
        elif joint["type"] != "fixed":
            add_joints(own, number, joint, inverse(frame), options)


def add_joints(own: Any, number: int, joint: World, frame: Pose, options: dict[str, Any]) -> None:
    """A universal joint is two hinges; `frame` is the joint's in the body."""
    ball = joint["type"] == "spherical"
    axes = [[0.0, 0, 1]] if ball else joint.get("axes") or [joint["axis"]]
    for i, axis in enumerate(axes):
        made = own.add_joint(
            name=f"body {number}.{i}", type=KINDS[joint["type"]], pos=frame[0], axis=turned(frame[1], axis)
        )
        made.damping[0] = each(joint, "damping")[i] or 0.0
        made.stiffness[0] = each(joint, "stiffness")[i] or 0.0
        made.armature = each(joint, "armature")[i] or 0.0
        made.frictionloss = each(joint, "friction")[i] or 0.0
        if not ball:
            made.springref = float((joint.get("rest") or [0.0] * joint["nq"])[i])
        limit = each(joint, "limits")[i]
        if limit:
            low, high = (limit.get(key) for key in ("lower", "upper"))
            made.limited = mujoco.mjtLimited.mjLIMITED_TRUE
            made.range = [0.0, high] if ball else [-1e3 if low is None else low, 1e3 if high is None else high]
            made.solref_limit = options.get("solref", made.solref_limit)
            made.solimp_limit = options.get("solimp", made.solimp_limit)


def each(joint: World, key: str) -> list[Any]:
    """One value (or none) per degree of freedom."""
    given = joint.get(key)
    return given if isinstance(given, list) else [given] * joint["nv"]


def add_asset(spec: mujoco.MjSpec, number: int, shape: World) -> None:
    """What a shape needs beside its geom."""
    match shape["type"]:
        case "hull":
            spec.add_mesh(name=f"shape {number}", uservert=np.ravel(shape["points"]))
        case "mesh":
            spec.add_mesh(
                name=f"shape {number}", uservert=np.ravel(shape["corners"]), userface=np.ravel(shape["triangles"])
            )
        case "cone":
            angles = np.linspace(0.0, 2 * np.pi, 32, endpoint=False)
            rim = np.column_stack([np.cos(angles), np.sin(angles)]) * shape["radius"]
            half = shape["height"] / 2
            points = [[x, y, -half] for x, y in rim] + [[0.0, 0.0, half]]
            spec.add_mesh(name=f"shape {number}", uservert=np.ravel(points))
        case "height-field":
            heights = np.array(shape["heights"], dtype=float)
            low, high = heights.min(), max(np.ptp(heights), 1e-6)
            spec.add_hfield(
                name=f"shape {number}", nrow=shape["rows"], ncol=shape["columns"],
                size=[shape["size"][0] / 2, shape["size"][1] / 2, high, 1.0], userdata=(heights - low) / high,
            )  # fmt: skip


def add_collider(shapes: list[World], own: Any, collider: World, options: dict[str, Any]) -> None:
    """A collider as geoms, one for each part of a compound."""
    if collider["sensor"]:
        return
    for number, frame in parts(shapes, collider["shape"], of(collider["frame"])):
        geom = own.add_geom(pos=frame[0], quat=frame[1], condim=3, **options)
        geom.friction[0] = collider["friction"]
        geom.contype, geom.conaffinity = collider["member"] & BITS, collider["touches"] & BITS
        set_shape(geom, number, shapes[number], frame)


def of(frame: World) -> Pose:
    """A frame of the file."""
    return np.array(frame["position"], dtype=float), np.roll(frame["rotation"], 1)


def parts(shapes: list[World], number: int, frame: Pose) -> Iterable[tuple[int, Pose]]:
    """Numbers and poses of the shapes that a shape is made of."""
    if shapes[number]["type"] != "compound":
        return [(number, frame)]
    inner = ((part["shape"], times(frame, of(part["frame"]))) for part in shapes[number]["parts"])
    return [leaf for part, at in inner for leaf in parts(shapes, part, at)]


def set_shape(geom: Any, number: int, shape: World, frame: Pose) -> None:
    kinds = mujoco.mjtGeom
    match shape["type"]:
        case "sphere":
            geom.type, geom.size[0] = kinds.mjGEOM_SPHERE, shape["radius"]
        case "box":
            geom.type, geom.size = kinds.mjGEOM_BOX, np.array(shape["size"]) / 2
        case "capsule":
            a, b = (times(frame, (np.array(shape[end], dtype=float), np.array([1.0, 0, 0, 0])))[0] for end in ("from", "to"))
            geom.type, geom.size[0], geom.fromto = kinds.mjGEOM_CAPSULE, shape["radius"], [*a, *b]
        case "cylinder":
            geom.type, geom.size = kinds.mjGEOM_CYLINDER, [shape["radius"], shape["height"] / 2, 0.0]
        case "cone" | "hull" | "mesh":
            geom.type, geom.meshname = kinds.mjGEOM_MESH, f"shape {number}"
        case "height-field":
            geom.type, geom.hfieldname = kinds.mjGEOM_HFIELD, f"shape {number}"
            geom.pos = frame[0] + turned(frame[1], [0.0, 0.0, min(shape["heights"])])
        case "half-space":
            geom.type, geom.size = kinds.mjGEOM_PLANE, [0.0, 0.0, 1.0]
        case other:
            raise ValueError(f"shape {number}: no {other} is known")


class Run:
    """A world in motion."""

    def __init__(self, world: World, dt: float, settings: dict[str, Any]) -> None:
        self.substeps = settings.get("substeps", 1)
        self.model = build(world, dt / self.substeps, settings)
        self.data = mujoco.MjData(self.model)
        self.joints = constraints_mujoco.Joints(self.model, world)
        self.steps = 0
        self.moves = [
            (self.model.body(f"body {i}").mocapid[0], body["moves"])
            for i, body in enumerate(world["bodies"])
            if body.get("moves")
        ]
        self.place(world)
        mujoco.mj_forward(self.model, self.data)
        self.joints.set_lengths(self.model, self.data)

    def place(self, world: World) -> None:
        """Positions and velocities of the file."""
        data = self.data
        mujoco.mj_kinematics(self.model, data)
        for number, body in enumerate(world["bodies"]):
            if not body.get("fixed", False):
                own, omega = data.body(f"body {number}"), np.array(body["omega"], dtype=float)
                linear = body["velocity"] + np.cross(omega, own.xpos - body["position"])
                angular = own.xmat.reshape(3, 3).T @ omega
                data.joint(f"body {number}").qvel[:] = [*linear, *angular]
        for articulation in world.get("articulations", []):
            case = articulation["case"]
            for body, (place, quat), twist in zip(
                case["bodies"], case["expected"]["body_pos_quat"], case["expected"]["body_velocity"], strict=True
            ):
                number, joint = articulation["first"] + body["id"], body["joint"]
                q = case["q"][joint["q_index"] :][: joint["nq"]]
                v = case["qd"][joint["v_index"] :][: joint["nv"]]
                frame = pose(body.get("frame"))
                match joint["type"]:
                    case "free":
                        own = data.joint(f"body {number}")
                        own.qpos[:] = [*place, *np.roll(quat, 1)]
                        own.qvel[:] = [*turned(np.roll(quat, 1), twist[3:]), *twist[:3]]
                    case "spherical":
                        own, turn = data.joint(f"body {number}.0"), (np.zeros(3), np.roll(q, 1))
                        own.qpos[:] = times(times(inverse(frame), turn), frame)[1]
                        own.qvel[:] = turned(inverse(frame)[1], v)
                    case "fixed":
                        pass
                    case _:
                        for i in range(joint["nv"]):
                            own = data.joint(f"body {number}.{i}")
                            own.qpos[0], own.qvel[0] = q[i], v[i]

    def step(self) -> tuple[float, float]:
        """One step; what it took by the clock, and of the processor [s]."""
        for mocap, path in self.moves:
            frame = path[min(self.steps, len(path) - 1)]
            self.data.mocap_pos[mocap], self.data.mocap_quat[mocap] = of(frame)
        start, cpu_start = time.perf_counter(), time.thread_time()
        for _ in range(self.substeps):
            mujoco.mj_step(self.model, self.data)
        took = time.perf_counter() - start, time.thread_time() - cpu_start
        self.steps += 1
        return took

    def depth(self) -> float:
        """Depth of the deepest contact, as MuJoCo found it at the start of the last step [m]."""
        contact = self.data.contact
        return max(0.0, float(-contact.dist[contact.exclude == 0].min(initial=0.0)))

    def asleep(self) -> int:
        return int(self.model.ntree - self.data.ntree_awake)

    def warnings(self, kinds: dict[str, int]) -> dict[str, int]:
        """How often MuJoCo warned of each of these kinds."""
        counts = {name: int(self.data.warning[kind].number) for name, kind in kinds.items()}
        return {name: count for name, count in counts.items() if count}


def measure(
    world: World,
    engine: str,
    dt: float | None = None,
    seconds: float | None = None,
    change: dict[str, Any] | None = None,
    most: float = MOST,
) -> Row:
    """The whole run of one engine, or as much of it as `most` seconds of stepping allow; its first step is not timed."""
    dt, seconds = dt or world["dt"], seconds or world["seconds"]
    settings = ENGINES[engine] | (change or {})
    mujoco.set_mju_user_warning(lambda _: None)
    run = Run(world, dt, settings)
    steps, took = round(seconds / dt), []
    gap = depth = depth_at = 0.0
    contacts, rest, finite = 0, None, True
    while len(took) < steps and sum(wall for wall, _ in took) < most:
        took.append(run.step())
        # MuJoCo starts a world anew that is no longer finite, and says so.
        if run.warnings(LOST):
            finite = False
            break
        gap = max(gap, run.joints.gap(run.model, run.data))
        if run.depth() > depth:
            depth, depth_at = run.depth(), len(took) * dt
        contacts = max(contacts, run.data.ncon)
        rest = (rest or len(took)) if run.asleep() == run.model.ntree else None
    timed, cpu_timed = np.array(took[1:]).reshape(-1, 2).T * 1e9
    finite = finite and bool(np.isfinite([gap, depth]).all())
    mean = lambda values: float(values.mean()) if len(values) else 0.0  # noqa: E731
    return {
        "scene": world["name"],
        "engine": engine,
        "dt": dt,
        "mean_ns": mean(timed),
        "mean_moving_ns": mean(timed[: rest or len(timed)]),
        "worst_ns": float(timed.max(initial=0.0)),
        "cpu_ns": mean(cpu_timed),
        "cpu_moving_ns": mean(cpu_timed[: rest or len(timed)]),
        "cpu_worst_ns": float(cpu_timed.max(initial=0.0)),
        "gap": gap if finite else None,
        "penetration": depth if finite else None,
        "penetration_at_s": depth_at,
        "penetration_end": run.depth() if finite else None,
        "rest_s": rest * dt if rest and finite else None,
        "asleep": run.asleep() / max(run.model.ntree, 1),
        "contacts": contacts,
        "bodies": sum(not body.get("fixed", False) for body in numbered(world)),
        "seconds": len(took) * dt,
        "finite": finite,
        "warnings": run.warnings(LOST | FULL),
        "settings": " ".join(f"{key}={value}" for key, value in settings.items()),
    }


def main(arguments: Iterable[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    number = lambda text: float(Fraction(text))  # noqa: E731
    parser.add_argument("world", type=Path)
    parser.add_argument("--dt", type=number, help="time step [s], also as 1/60; default: the world's")
    parser.add_argument("--seconds", type=number, help="simulated time [s]; default: the world's")
    parser.add_argument("--most", type=number, default=MOST, help="what a run may take [s]; default: %(default)s")
    parser.add_argument("--engines", default=",".join(ENGINES), help="default: %(default)s")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="changes a setting, for trying")
    given = parser.parse_args(arguments)
    world = json.loads(given.world.read_text())
    change = {key: constraints_mujoco.value(text) for key, text in (item.split("=", 1) for item in given.set)}
    for engine in given.engines.split(","):
        print(json.dumps(measure(world, engine, given.dt, given.seconds, change, given.most)), flush=True)


if __name__ == "__main__":
    main()
