"""A crowd: 200 × humanoid-detailed, one time step, supple against MuJoCo and Pinocchio, in turns.

    python bench/crowd.py [--rounds N] [--json]

MuJoCo steps all of them on a pool of two threads (its `Batch` and its `rollout`, whichever is faster), contacts and
limits off; Pinocchio makes 200 calls of `aba` on one thread and does not integrate. Before the race all three must
agree on the accelerations of one state. Single steps are timed, the best counts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
import pinocchio as pin
from mujoco.batch import Batch
from mujoco.rollout import Rollout

import case as cases
import common
from reference_mujoco import Mujoco
from reference_pinocchio import Pinocchio
from timing import Times

CROWD, THREADS = 200, 2
DT = 1 / 240


def random_qpos(model: mujoco.MjModel, seed: int) -> np.ndarray:
    """The standing pose, every joint a little turned, every base somewhere else."""
    rng = np.random.default_rng(seed)
    q = model.qpos0.copy()
    mujoco.mj_integratePos(model, q, 0.2 * rng.normal(size=model.nv), 1.0)
    return q


def mujoco_steppers(model: mujoco.MjModel) -> dict[str, Callable[[], object]]:
    """Ways to step the whole crowd once on two threads."""
    start = np.array([random_qpos(model, i) for i in range(CROWD)])
    batches = {keep: Batch(model, CROWD, THREADS, persistent=keep) for keep in (False, True)}
    for batch in batches.values():
        batch.bind("qpos")[:] = start

    spec = mujoco.mjtState.mjSTATE_FULLPHYSICS.value
    data = [mujoco.MjData(model) for _ in range(THREADS)]
    initial = np.empty((CROWD, mujoco.mj_stateSize(model, spec)))
    for row, q in zip(initial, start):
        data[0].qpos[:] = q
        mujoco.mj_getState(model, data[0], row, spec)
    result = np.empty((CROWD, 1, initial.shape[1]))
    pool, crowd = Rollout(nthread=THREADS), [model] * CROWD
    options = {"nstep": 1, "state": result, "sensordata": np.empty((CROWD, 1, 0)), "skip_checks": True}
    return {
        "mujoco Batch": batches[False].step,
        "mujoco Batch, persistent": batches[True].step,
        "mujoco rollout": lambda: pool.rollout(crowd, data, initial, **options),
    }


def pinocchio_calls(reference: Pinocchio) -> Callable[[], object]:
    """The crowd's accelerations one after the other."""
    model, data, aba = reference.model, reference.data, pin.aba
    rng = np.random.default_rng(0)
    still = pin.neutral(model)
    poses = [pin.integrate(model, still, 0.2 * rng.normal(size=model.nv)) for _ in range(CROWD)]
    v, tau = np.zeros(model.nv), np.zeros(model.nv)

    def all_of_them(convention: pin.Convention) -> None:
        for q in poses:
            aba(model, data, q, v, tau, convention)

    return all_of_them


def check(case: cases.Case) -> float:
    """Largest relative difference of accelerations from supple's: the same bodies, or the race means nothing."""
    state, expected = cases.state(case), cases.by_name(case, case["expected"]["qdd"])
    worst = 0.0
    for library in (Pinocchio(cases.pinocchio_model(case)), Mujoco(cases.mujoco_model(case))):
        ours, theirs = library.gather(expected), library.answer(state).qdd
        worst = max(worst, float(np.abs(ours - theirs).max() / np.abs(theirs).max()))
    if worst > 1e-9:
        raise AssertionError(f"not the same model: accelerations differ by {worst:.1e}")
    return worst


def run(rounds: int = 10) -> dict[str, Any]:
    """All figures; kept as results/crowd.json."""
    case = cases.export("humanoid-detailed", gravity=9.81)
    difference = check(case)
    model = cases.mujoco_model(case, DT)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    reference = Pinocchio(cases.pinocchio_model(case))
    all_of_them = pinocchio_calls(reference)
    calls = mujoco_steppers(model)
    calls["pinocchio aba local"] = lambda: all_of_them(pin.Convention.LOCAL)
    calls["pinocchio aba world"] = lambda: all_of_them(pin.Convention.WORLD)
    times = {name: Times() for name in calls}
    supple: dict[str, Times] = {}
    for _ in range(rounds):
        for name, seconds in supple_steps():
            supple.setdefault(name, Times()).batches.append(seconds)
        for name, call in calls.items():
            times[name].measure(call, seconds=0.4, batch=0.0)
    rows = [
        {"what": name, "ms": t.best * 1e3, "ms_median": t.median * 1e3} for name, t in (supple | times).items()
    ]
    ms = {row["what"]: row["ms"] for row in rows}
    fastest = {who: min(v for k, v in ms.items() if k.startswith(who)) for who in ("mujoco", "pinocchio")}
    ratios = {f"{who} / {name}": other / ms[name] for name in supple for who, other in fastest.items()}
    size = {"bodies": CROWD * len(case["bodies"]), "dofs": CROWD * len(case["qd"])}
    return common.save("crowd", rows, **size, acceleration_difference=difference, ratios=ratios)


def supple_steps() -> list[tuple[str, float]]:
    """What `supple bench characters` measured: name and seconds of a step of the whole crowd."""
    rows = common.supple("bench", "characters")["rows"]
    return [(f"supple {row['integrator']}, threads: {row['threads']}", row["ns"] * 1e-9) for row in rows]


def report(result: dict[str, Any]) -> str:
    columns = ["what", "ms", "ms_median"]
    ratios = [[name, ratio] for name, ratio in result["ratios"].items()]
    return (
        f"{result['bodies']} bodies, {result['dofs']} degrees of freedom, one step\n\n"
        + common.table(columns, [[row[c] for c in columns] for row in result["rows"]])
        + "\n\n"
        + common.table(["the fastest of", "ratio"], ratios)
    )


if __name__ == "__main__":
    common.command(__doc__, run, report, rounds=10)
