"""Undamped chains released level: which integrators hold, and how well.

    python bench/stability.py [--seconds S] [--only planar,tip-mass] [--json]

Every integrator of supple, MuJoCo's (damping, limits and contacts off) and Pinocchio's `aba` with semi-implicit
Euler, at 1/60, 1/240 and 1/1000 s. Energies and tips of all of them are computed by one and the same code from their
trajectories. Energy gained is relative to the potential energy that the chain has above hanging straight; a motion
that gains more than all of it has exploded, finite or not. Tip error is the RMS distance from a reference,
Runge-Kutta of fourth order at 1/6000 s, over the first 1 s and 2 s; later the motion is chaotic.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pinocchio as pin

import case as cases
import common
import stability_plot
from reference_mujoco import Mujoco

STEPS = (60, 240, 1000)  # per second
REFERENCE = 6000  # steps per second; a multiple of all of the above
WINDOWS = (1.0, 2.0)  # of the tip error [s]
LARGEST = 1e10  # what is more counts as not finite, as in MuJoCo

SUPPLE = ["default", "accurate", "projection", "semi-implicit", "explicit", "rk4", "adaptive"]
MUJOCO = ["Euler", "implicit", "implicitfast", "RK4", "discrete"]

CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "planar": ("pendulum", {"links": 100}),
    "alternating": ("chain3d", {"links": 100}),
    "spherical": ("chain3d", {"links": 50, "joints": "spherical"}),
    "tip-mass": ("pendulum", {"links": 100, "tip_mass": 1000}),
}


@dataclass(frozen=True)
class Trajectory:
    """States at equal steps from time zero, in supple's coordinates; shorter than asked for if it broke down."""

    dt: float
    q: np.ndarray
    qd: np.ndarray
    sweeps: float | None = None  # articulated-body sweeps per step, where they are counted


Run = Callable[[cases.Case, int, float], Trajectory]


def whole(dt: float, rows: list[tuple[np.ndarray, np.ndarray]]) -> Trajectory:
    return Trajectory(dt, np.array([q for q, _ in rows]), np.array([qd for _, qd in rows]))


def finite(*parts: np.ndarray) -> bool:
    return all(bool(np.all(np.abs(x) < LARGEST)) for x in parts)


def with_supple(integrator: str) -> Run:
    def run(case: cases.Case, per_second: int, seconds: float) -> Trajectory:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "run.npz"
            options = ["--integrator", integrator, "--dt", f"1/{per_second}", "--seconds", str(seconds)]
            scene = [case["scene"], *cases.settings(case["parameters"])]
            report = common.supple("run", *scene, *options, "--out", path, ok=False)
            file = np.load(path)
            return Trajectory(1 / per_second, file["q"], file["v"], report.get("sweeps_per_step"))

    return run


def with_mujoco(integrator: str) -> Run:
    kind = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator.upper()}")

    def run(case: cases.Case, per_second: int, seconds: float) -> Trajectory:
        library = Mujoco(cases.mujoco_model(case, 1 / per_second))
        model, data = library.model, library.data
        model.opt.integrator = kind
        start = cases.state(case)
        data.qpos[:], data.qvel[:] = library.positions(start), library.gather(start.qd)
        q_order, v_order = order(case, library)
        rows = [(data.qpos[q_order], data.qvel[v_order])]
        for _ in range(round(seconds * per_second)):
            mujoco.mj_step(model, data)
            if not finite(data.qpos, data.qvel):
                break
            rows.append((data.qpos[q_order], data.qvel[v_order]))
        return whole(1 / per_second, rows)

    return run


def order(case: cases.Case, library: Mujoco) -> tuple[np.ndarray, np.ndarray]:
    """Where MuJoCo has the numbers of supple's q and qd (bodies in another order, quaternions w first)."""
    joints = {j.name: j for j in library.joints}
    inner = {"spherical": [1, 2, 3, 0], "angle": [0], "distance": [0]}
    mine = [joints[name] for body in case["bodies"] for name in cases.joint_names(body)]
    q = np.concatenate([j.q_at + np.array(inner[j.kind]) for j in mine])
    return q, np.concatenate([np.arange(j.v_at, j.v_at + j.nv) for j in mine])


def with_pinocchio(case: cases.Case, per_second: int, seconds: float) -> Trajectory:
    """Semi-implicit Euler: velocities by `aba`, then positions by the new velocities."""
    model, dt = cases.pinocchio_model(case), 1 / per_second
    data, tau = model.createData(), np.zeros(model.nv)
    q, v = np.array(case["q"], dtype=float), np.array(case["qd"], dtype=float)
    rows = [(q, v)]
    for _ in range(round(seconds * per_second)):
        v = v + dt * pin.aba(model, data, q, v, tau)
        if not finite(v):
            break
        q = pin.integrate(model, q, dt * v)
        if not finite(q):
            break
        rows.append((q, v))
    return whole(dt, rows)


RUNS: dict[str, Run] = {
    **{f"supple {i}": with_supple(i) for i in SUPPLE},
    **{f"MuJoCo {i}": with_mujoco(i) for i in MUJOCO},
    "Pinocchio + semi-implicit Euler": with_pinocchio,
}


class Gauge:
    """Measures trajectories of one case: energy and tip, by Pinocchio's kinematics."""

    def __init__(self, case: cases.Case) -> None:
        self.model = cases.pinocchio_model(case)
        self.data = self.model.createData()
        last = case["bodies"][-1]
        self.tip_in_body = 2.0 * np.array(last["com"])
        start = np.array(case["q"], dtype=float), np.array(case["qd"], dtype=float)
        self.start = self.energy(*start)
        self.scale = self.hanging_depth(start[0])

    def hanging_depth(self, q: np.ndarray) -> float:
        """Energy that the chain would lose from level to hanging straight [J]."""
        pin.forwardKinematics(self.model, self.data, q)
        arms = [
            inertia.mass * np.linalg.norm(place.act(inertia.lever))
            for inertia, place in zip(self.model.inertias, self.data.oMi)
        ]
        return float(np.linalg.norm(self.model.gravity.linear) * sum(arms))

    def energy(self, q: np.ndarray, qd: np.ndarray) -> float:
        return pin.computeMechanicalEnergy(self.model, self.data, q, qd)

    def energies(self, run: Trajectory) -> np.ndarray:
        """Energy gained at every state, relative to the depth."""
        return np.array([self.energy(q, qd) - self.start for q, qd in zip(run.q, run.qd)]) / self.scale

    def tips(self, run: Trajectory, count: int) -> np.ndarray:
        """Where the end of the last link is at the first `count` states [m]."""
        places = np.empty((min(count, len(run.q)), 3))
        for place, q in zip(places, run.q):
            pin.forwardKinematics(self.model, self.data, q)
            place[:] = self.data.oMi[self.model.njoints - 1].act(self.tip_in_body)
        return places


def load(name: str) -> cases.Case:
    scene, parameters = CASES[name]
    return cases.export(scene, **parameters) | {"scene": scene, "parameters": parameters}


def study(name: str, seconds: float) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """All integrators on one case: figures, and the curves for the picture."""
    case = load(name)
    gauge = Gauge(case)
    longest = max(WINDOWS)
    reference = gauge.tips(with_supple("rk4")(case, REFERENCE, longest), round(longest * REFERENCE) + 1)
    rows, curves = [], {}
    for who, run in RUNS.items():
        for per_second in STEPS:
            motion = run(case, per_second, seconds)
            energy = gauge.energies(motion)
            truth = reference[:: REFERENCE // per_second]
            tips = gauge.tips(motion, len(truth))
            error = np.linalg.norm(tips - truth[: len(tips)], axis=1)
            rows.append(figures(name, who, motion, energy, error, seconds))
            curves[who, per_second] = (motion.dt, energy, error)
    return rows, curves


def figures(
    name: str, who: str, motion: Trajectory, energy: np.ndarray, error: np.ndarray, seconds: float
) -> dict[str, Any]:
    """One row of the table; what breaks down has no figures afterwards."""
    whole_run = len(motion.q) > round(seconds / motion.dt)
    row: dict[str, Any] = {"case": name, "integrator": who, "dt": motion.dt, "sweeps": motion.sweeps}
    row["not_finite_s"] = None if whole_run else len(motion.q) * motion.dt
    broken = np.flatnonzero(energy > 1.0)
    row["exploded_s"] = float(broken[0] * motion.dt) if len(broken) else row["not_finite_s"]
    row["energy_end"] = float(energy[-1]) if whole_run else None
    row["energy_max"] = float(energy.max())
    for window in WINDOWS:
        count = round(window / motion.dt) + 1
        reached = len(error) >= count
        row[f"tip_{window:g}s"] = float(np.sqrt(np.mean(error[1:count] ** 2))) if reached else None
    return row


def summary(rows: list[dict[str, Any]]) -> str:
    """Per case and integrator, one column per step length: energy gained at the end (or breakdown), and tip errors."""

    def cell(row: dict[str, Any]) -> str:
        tips = " / ".join("-" if row[k] is None else f"{row[k]:.2g}" for k in row if k.startswith("tip_"))
        if row["exploded_s"] is None:
            return f"{row['energy_end']:+.2g}; {tips}"
        end = "finite" if row["not_finite_s"] is None else f"not finite {row['not_finite_s']:.2f} s"
        return f"**explodes {row['exploded_s']:.2f} s**, {end}; {tips}"

    keys = list(dict.fromkeys((row["case"], row["integrator"]) for row in rows))
    lines = [[*key, *(cell(r) for r in rows if (r["case"], r["integrator"]) == key)] for key in keys]
    return common.table(["case", "integrator", *(f"1/{n} s" for n in STEPS)], lines)


def endurance(seconds: float = 60.0, per_second: int = 60) -> list[dict[str, Any]]:
    """The default integrator alone, long: the cases above, and random trees with masses over three decades."""
    trees = {f"tree {seed}": ("tree", {"bodies": 40, "decades": 3, "seed": seed}) for seed in range(1, 6)}
    rows = []
    for name, (scene, parameters) in (CASES | trees).items():
        options = ["--dt", f"1/{per_second}", "--seconds", str(seconds)]
        report = common.supple("run", scene, *cases.settings(parameters), *options, ok=False)
        gained = report["energy_max"] - report["energy_start"]
        lost = report["energy_start"] - report["energy_end"]
        row = {"case": name, "finite": report["finite"], "gained_J": gained, "lost_J": lost}
        rows.append(row | {"sweeps": report["sweeps_per_step"]})
    return rows


def run(seconds: float = 10.0, only: str = ",".join(CASES)) -> dict[str, Any]:
    """All figures, kept as results/stability.json, and the picture docs/stability.svg."""
    mujoco.set_mju_user_warning(lambda _: None)
    rows: list[dict[str, Any]] = []
    for name in only.split(","):
        more, curves = study(name, seconds)
        rows += more
        if name == "planar":
            stability_plot.draw(curves, common.ROOT / "docs" / "stability.svg")
    return common.save("stability", rows, seconds=seconds, endurance=endurance())


def report(result: dict[str, Any]) -> str:
    long = result["endurance"]
    return (
        f"Energy gained after {result['seconds']:g} s; tip error over the first {WINDOWS[0]:g} s / {WINDOWS[1]:g} s "
        "[m].\n\n"
        + summary(result["rows"])
        + "\n\nThe default integrator, 60 s at 1/60 s:\n\n"
        + common.table(list(long[0]), [list(row.values()) for row in long])
    )


if __name__ == "__main__":
    common.command(__doc__, run, report, seconds=10.0, only=",".join(CASES))
