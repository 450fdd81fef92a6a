"""A crowd: 200 × humanoid-detailed, one time step, supple against MuJoCo and Pinocchio, in turns.

    python bench/crowd.py [--rounds N] [--json]

MuJoCo steps all of them on a pool of two threads (its `Batch` and its `rollout`, whichever is faster), contacts and
limits off; Pinocchio makes 200 calls of `aba` on one thread and does not integrate. Before the race all three give
the accelerations of one state.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
import pinocchio as pin
from mujoco.batch import Batch
from mujoco.rollout import Rollout

import case as cases
import common
from references import Mujoco, Pinocchio
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
    """Largest relative difference of accelerations: MuJoCo from Pinocchio, both models made from supple's own."""
    moving = case | {"qd": np.random.default_rng(1).normal(size=len(case["qd"]))}
    state = cases.state(moving)
    first, second = Pinocchio(cases.pinocchio_model(case)), Mujoco(cases.mujoco_model(case))
    a, b = first.answer(state).qdd, first.gather(second.by_name(second.answer(state).qdd))
    return float(np.abs(a - b).max() / np.abs(a).max())


def run(rounds: int) -> dict[str, Any]:
    """All figures; kept as results/crowd.json."""
    case = cases.export("humanoid-detailed")
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
            times[name].measure(call, seconds=0.3, batch=0.02)
    rows = [
        {"what": name, "ms": t.best * 1e3, "ms_median": t.median * 1e3} for name, t in (supple | times).items()
    ]
    ms = {row["what"]: row["ms"] for row in rows}
    fastest = {who: min(v for k, v in ms.items() if k.startswith(who)) for who in ("mujoco", "pinocchio")}
    ratios = {f"{who} / {name}": other / ms[name] for name in supple for who, other in fastest.items()}
    size = {"bodies": CROWD * len(case["bodies"]), "dofs": CROWD * len(case["qd"])}
    return common.save("crowd", rows, **size, acceleration_difference=check(case), ratios=ratios)


def supple_steps() -> list[tuple[str, float]]:
    """What `supple bench crowd` measured: name and seconds of a step of the whole crowd."""
    rows = common.supple("bench", "crowd")["rows"]
    return [(f"supple {row['integrator']}, {row['threads']} threads", row["ns"] * 1e-9) for row in rows]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="print JSON only")
    arguments = parser.parse_args()
    result = run(arguments.rounds)
    if arguments.json:
        print(json.dumps(result))
        return
    print(f"{result['machine']}: {result['bodies']} bodies, {result['dofs']} degrees of freedom")
    columns = ["what", "ms", "ms_median"]
    print(common.table(columns, [[row[c] for c in columns] for row in result["rows"]]))
    print()
    for name, ratio in result["ratios"].items():
        print(f"{name}: {ratio:.2f}")


if __name__ == "__main__":
    main()
