"""A world of single bodies with joints in MuJoCo: time of a step and gaps of the joints, one row per setting.

    supple export net --out net.json
    python bench/constraints_mujoco.py net.json [--dt DT] [--seconds S] [--engines NAMES] [--set KEY=VALUE …]

The world comes from the file alone. Every body is free; ball joints are `connect`, rigid ones `weld`, hinges two
`connect` on the axis, ropes limited tendons and distances held tendons. Gaps are measured as for the other engines,
from where the two anchors of a joint are after a step: their distance, less the length of a rope or distance.
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

World = dict[str, Any]
Row = dict[str, Any]

REST = 0.5  # the last seconds of a run, in which the world has come to rest
SLOW = 0.2  # a step that takes longer [s] cuts the run short
BUDGET = 60.0  # what such a run may take [s]
LOST = [int(getattr(mujoco.mjtWarning, f"mjWARN_BADQ{what}")) for what in ("POS", "VEL", "ACC")]

# What differs from MuJoCo's defaults; a positive `solref` is a time in steps. The stiff one left the smallest
# gaps at rest of those tried (README.md); `Euler`, `implicit` and `implicitfast` did not hold it.
ENGINES: dict[str, dict[str, Any]] = {
    "mujoco": {},
    "mujoco-stiff": {"integrator": "discrete", "solref": (2.0, 1.0), "solimp": (0.9999, 0.9999, 0.001, 0.5, 2.0)},
}


def build(world: World, dt: float, settings: dict[str, Any]) -> mujoco.MjModel:
    """The world with free bodies and constraints between sites."""
    spec = mujoco.MjSpec()
    spec.option.gravity, spec.option.timestep = world["gravity"], dt
    bodies = {-1: spec.worldbody} | {i: add_body(spec, i, body) for i, body in enumerate(world["bodies"])}
    for number, joint in enumerate(world["joints"]):
        for end in ("parent", "child"):
            frame = joint[f"{end}_frame"]
            place, turn = np.array(frame["position"]), np.roll(frame["rotation"], 1)
            own = bodies[joint[end]]
            own.add_site(name=f"{end} {number}", pos=place, quat=turn)
            if joint["kind"] == "hinge":
                own.add_site(name=f"{end} {number} axis", pos=place + arm(world, joint) * z_axis(turn))
        add_constraint(spec, number, joint, constraint_options(settings, dt))
    model = spec.compile()
    for key in ("iterations", "ls_iterations", "tolerance", "ls_tolerance"):
        if key in settings:
            setattr(model.opt, key, settings[key])
    if "integrator" in settings:
        model.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{settings['integrator'].upper()}")
    if "solver" in settings:
        model.opt.solver = getattr(mujoco.mjtSolver, f"mjSOL_{settings['solver'].upper()}")
    if not settings.get("refsafe", True):
        model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_REFSAFE)
    return model


def add_body(spec: mujoco.MjSpec, number: int, body: World) -> Any:
    xx, xy, xz, yy, yz, zz = body["inertia"]
    own = spec.worldbody.add_body(
        name=f"body {number}", pos=body["position"], quat=np.roll(body["rotation"], 1)
    )
    if not body.get("fixed", False):
        own.mass, own.ipos = body["mass"], body["com"]
        own.fullinertia, own.explicitinertial = [xx, yy, zz, xy, xz, yz], True
        own.add_freejoint(name=f"body {number}")
    return own


def z_axis(quat: np.ndarray) -> np.ndarray:
    matrix = np.empty(9)
    mujoco.mju_quat2Mat(matrix, quat)
    return matrix.reshape(3, 3)[:, 2]


def arm(world: World, joint: World) -> float:
    """How far apart the two points are that make a hinge: the child's greatest radius of gyration [m]."""
    body = world["bodies"][joint["child"] if joint["child"] >= 0 else joint["parent"]]
    xx, _, _, yy, _, zz = body["inertia"]
    return float(np.sqrt(max(xx, yy, zz) / body["mass"]))


def constraint_options(settings: dict[str, Any], dt: float) -> dict[str, Any]:
    """`solref` and `solimp` as MuJoCo wants them; none: its defaults."""
    options = {}
    if "solref" in settings:
        first, second = settings["solref"]
        options["solref"] = [first * dt, second] if first > 0 else [first / dt**2, second / dt]
    if "solimp" in settings:
        options["solimp"] = list(settings["solimp"])
    return options


def add_constraint(spec: mujoco.MjSpec, number: int, joint: World, options: dict[str, Any]) -> None:
    ends = (f"parent {number}", f"child {number}")
    equality, between = mujoco.mjtEq, {"objtype": mujoco.mjtObj.mjOBJ_SITE}
    match joint["kind"]:
        case "ball":
            spec.add_equality(type=equality.mjEQ_CONNECT, name1=ends[0], name2=ends[1], **between, **options)
        case "hinge":
            for a, b in (ends, (f"{ends[0]} axis", f"{ends[1]} axis")):
                spec.add_equality(type=equality.mjEQ_CONNECT, name1=a, name2=b, **between, **options)
        case "rigid":
            weld = spec.add_equality(type=equality.mjEQ_WELD, name1=ends[0], name2=ends[1], **between, **options)
            weld.data[10] = 1.0  # as stiff against turning as against moving
        case "rope" | "distance" as kind:
            tendon = spec.add_tendon(name=f"tendon {number}")
            for end in ends:
                tendon.wrap_site(end)
            if kind == "rope":
                tendon.limited, tendon.range = True, [0.0, joint["length"]]
                tendon.solref_limit = options.get("solref", tendon.solref_limit)
                tendon.solimp_limit = options.get("solimp", tendon.solimp_limit)
            else:
                # Held at its length at the start, until `Run` sets the right one.
                spec.add_equality(
                    name=f"tendon {number}",
                    type=equality.mjEQ_TENDON,
                    objtype=mujoco.mjtObj.mjOBJ_TENDON,
                    name1=f"tendon {number}",
                    data=[0.0] * 12,
                    **options,
                )
        case other:
            raise ValueError(f"joint {joint['name']!r}: no {other} joint is known")


class Joints:
    """The two sides of every constraint of a world."""

    def __init__(self, model: mujoco.MjModel, world: World) -> None:
        joints = world["joints"]
        self.parents = np.array([model.site(f"parent {i}").id for i in range(len(joints))], dtype=int)
        self.children = np.array([model.site(f"child {i}").id for i in range(len(joints))], dtype=int)
        self.lengths = np.array([j.get("length") or 0.0 for j in joints])
        self.kinds = np.array([j["kind"] for j in joints])

    def set_lengths(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        """Distances that are not those at the start."""
        excess = self.lengths - self.distances(data)
        for i in np.flatnonzero(self.kinds == "distance"):
            model.equality(f"tendon {i}").data[0] = excess[i]

    def distances(self, data: mujoco.MjData) -> np.ndarray:
        places = data.site_xpos
        return np.linalg.norm(places[self.parents] - places[self.children], axis=1)

    def gap(self, model: mujoco.MjModel, data: mujoco.MjData) -> float:
        """The greatest gap of all joints in the state as it is now [m]."""
        mujoco.mj_kinematics(model, data)
        excess = self.distances(data) - self.lengths
        gaps = np.where(self.kinds == "rope", np.maximum(excess, 0.0), np.abs(excess))
        return float(gaps.max(initial=0.0)) if np.all(np.isfinite(gaps)) else np.inf


class Run:
    """One setting of MuJoCo on one world."""

    def __init__(self, world: World, dt: float, settings: dict[str, Any]) -> None:
        self.world, self.dt = world, dt
        self.model = model = build(world, dt, settings)
        self.data = mujoco.MjData(model)
        for number, body in enumerate(world["bodies"]):
            if not body.get("fixed", False):
                self.data.joint(f"body {number}").qvel[:] = velocity(body)
        self.joints = Joints(model, world)
        mujoco.mj_kinematics(model, self.data)
        self.joints.set_lengths(model, self.data)

    def step(self) -> float:
        """One step; what it took [s]."""
        start = time.perf_counter()
        mujoco.mj_step(self.model, self.data)
        return time.perf_counter() - start

    def gap(self) -> float:
        return self.joints.gap(self.model, self.data)

    def energy(self) -> float:
        """Kinetic and potential energy now [J]."""
        mujoco.mj_fwdPosition(self.model, self.data)
        mujoco.mj_energyPos(self.model, self.data)
        mujoco.mj_energyVel(self.model, self.data)
        return float(self.data.energy.sum())


def velocity(body: World) -> np.ndarray:
    """Of a free joint: that of the frame's origin in world axes, then the angular one in the body's own."""
    x, y, z, w = body["rotation"]
    omega = np.empty(3)
    mujoco.mju_rotVecQuat(omega, np.array(body["omega"], dtype=float), np.array([w, -x, -y, -z]))
    return np.concatenate([body["velocity"], omega])


def measure(
    world: World,
    engine: str,
    dt: float | None = None,
    seconds: float | None = None,
    change: dict[str, Any] | None = None,
) -> Row:
    """The whole run of one engine; its first step is not timed."""
    dt, seconds = dt or world["dt"], seconds or world["seconds"]
    settings = ENGINES[engine] | (change or {})
    mujoco.set_mju_user_warning(lambda _: None)
    run = Run(world, dt, settings)
    energy = run.energy()
    first = run.step()
    times, gaps = [], [run.gap()]
    steps, cut = round(seconds / dt), False
    while len(gaps) < steps:
        times.append(run.step())
        gaps.append(run.gap())
        if len(times) == 3 and min(times) > SLOW:
            cut, steps = True, min(steps, max(4, int(BUDGET / min(times))))
    rest = gaps[-round(REST / dt) :]
    mean = float(np.mean(times))
    # MuJoCo starts a world anew that is no longer finite, and says so.
    lost = any(run.data.warning[kind].number for kind in LOST) or not np.isfinite(gaps).all()
    return {
        "scene": world["name"],
        "engine": engine,
        "dt": dt,
        "mean_ns": mean * 1e9,
        "worst_ns": max(times) * 1e9,
        "ns_per_240th": mean * 1e9 / (240 * dt),
        "gap_max": None if lost else max(gaps),
        "gap_rest": None if lost else max(rest),
        "height": height(world, run),
        "energy_change": run.energy() - energy,
        "seconds": len(gaps) * dt if cut else None,
        "first_ns": first * 1e9,
        "solver_iterations": int(run.data.solver_niter[0]),
        "settings": " ".join(f"{key}={value}" for key, value in settings.items()),
    }


def height(world: World, run: Run) -> float:
    """Mean height of all mass that may move, against gravity [m]."""
    gravity = np.array(world["gravity"])
    up = -gravity / max(np.linalg.norm(gravity), 1e-300)
    free = [i for i, body in enumerate(world["bodies"]) if not body.get("fixed", False)]
    ids = [run.model.body(f"body {i}").id for i in free]
    return float(np.average(run.data.xipos[ids] @ up, weights=run.model.body_mass[ids]))


def value(text: str) -> Any:
    """A setting from the command line: JSON where it is."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def main(arguments: Iterable[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    number = lambda text: float(Fraction(text))  # noqa: E731
    parser.add_argument("world", type=Path)
    parser.add_argument("--dt", type=number, help="time step [s], also as 1/240; default: the world's")
    parser.add_argument("--seconds", type=number, help="simulated time [s]; default: the world's")
    parser.add_argument("--engines", default=",".join(ENGINES), help="default: %(default)s")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="changes a setting, for trying")
    given = parser.parse_args(arguments)
    world = json.loads(given.world.read_text())
    change = {key: value(text) for key, text in (item.split("=", 1) for item in given.set)}
    for engine in given.engines.split(","):
        print(json.dumps(measure(world, engine, given.dt, given.seconds, change)), flush=True)


if __name__ == "__main__":
    main()
