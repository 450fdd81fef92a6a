"""Forward dynamics, one call on one thread: supple's ABA against Pinocchio's, in turns.

    python bench/aba.py [--rounds N] [--json]

The 300-link chain and talos with a floating base, the same state on both sides, and accelerations compared.
Pinocchio is called from Python; the call alone is timed with a one-link model and taken off in the "net" ratio.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

import common
import models
from reference_pinocchio import Pinocchio
from references import State
from timing import Times

CONVENTIONS = {"local": pin.Convention.LOCAL, "world": pin.Convention.WORLD}
LINKS = 300
SMALL, LARGE = 300, 100_000


def chain(links: int) -> tuple[pin.Model, np.ndarray, np.ndarray]:
    """Links of 0.1 m and 0.1 kg on z axes, and the state that `supple bench aba` uses."""
    model, mass, length, parent = pin.Model(), 0.1, 0.1, 0
    moments = mass * length**2 * np.diag([1 / 100, 1 / 12, 1 / 12])
    for i in range(links):
        place = pin.SE3(np.eye(3), np.array([length if i else 0.0, 0.0, 0.0]))
        parent = model.addJoint(parent, pin.JointModelRZ(), place, f"link{i}")
        inertia = pin.Inertia(mass, np.array([length / 2, 0.0, 0.0]), moments)
        model.appendBodyToJoint(parent, inertia, pin.SE3.Identity())
    model.gravity.linear = np.array([0.0, -9.81, 0.0])
    i = np.arange(links)
    return model, np.sin(1.3 * i), np.cos(0.7 * i)


def pinocchio_calls(model: pin.Model, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> dict[str, Callable]:
    data = model.createData()
    return {name: partial(pin.aba, model, data, q, v, tau, c) for name, c in CONVENTIONS.items()}


def state_file(reference: Pinocchio, state: State, folder: str) -> Path:
    path = Path(folder) / "state.json"
    path.write_text(json.dumps(models.question(reference, state, floating=True)))
    return path


def race(name: str, links: int, calls: dict[str, Callable], ask: list[str | Path], rounds: int) -> dict[str, Any]:
    """Runs supple and Pinocchio in turns; supple's bench times itself, best of its own repeats."""
    times = {who: Times() for who in ["supple", *calls]}
    checksum = float("nan")
    for _ in range(rounds):
        row = common.supple("bench", "aba", *ask)["rows"][0]
        times["supple"].batches.append(row["ns"] * 1e-9)
        checksum = row["checksum"]
        for who, call in calls.items():
            times[who].measure(call)
    truth = calls["local"]()
    result: dict[str, Any] = {"model": name, "bodies": links}
    result["checksum_error"] = float(abs(checksum - truth.sum()) / np.abs(truth).sum())
    for who, t in times.items():
        result[f"{who}_ns"], result[f"{who}_median_ns"] = t.best * 1e9, t.median * 1e9
    return result


def with_ratios(row: dict[str, Any], call_ns: float) -> dict[str, Any]:
    """The faster convention over supple: as measured, medians, and net of the Python call."""
    best = min(row[f"{c}_ns"] for c in CONVENTIONS)
    median = min(row[f"{c}_median_ns"] for c in CONVENTIONS)
    return row | {
        "ratio": best / row["supple_ns"],
        "ratio_median": median / row["supple_median_ns"],
        "ratio_net": (best - call_ns) / row["supple_ns"],
    }


def call_overhead() -> float:
    """What a call from Python costs [ns]: a model of one link."""
    model, q, v = chain(1)
    times = Times()
    times.measure(pinocchio_calls(model, q, v, np.zeros(1))["local"])
    return times.best * 1e9


def linearity(rounds: int) -> dict[str, float]:
    """Time per link of very long chains over that of short ones."""
    best = {SMALL: np.inf, LARGE: np.inf}
    for _ in range(rounds):
        for row in common.supple("bench", "aba", "--links", f"{SMALL},{LARGE}")["rows"]:
            best[row["links"]] = min(best[row["links"]], row["ns"] / row["links"])
    return {"ns_per_link_300": best[SMALL], "ns_per_link_100000": best[LARGE], "ratio": best[LARGE] / best[SMALL]}


def run(rounds: int = 7) -> dict[str, Any]:
    """All figures; kept as results/aba.json."""
    call_ns = call_overhead()
    model, q, v = chain(LINKS)
    calls = pinocchio_calls(model, q, v, np.zeros(LINKS))
    rows = [race("chain", LINKS, calls, ["--links", str(LINKS)], rounds)]
    talos = models.Case("talos_reduced", "pinocchio", floating=True)
    reference = talos.reference()
    state = reference.random_state(0)
    j, _ = reference.velocity_map(state)
    v, tau = j @ reference.gather(state.qd), j @ reference.gather(state.tau)
    calls = pinocchio_calls(reference.model, reference.positions(state), v, tau)
    with tempfile.TemporaryDirectory() as folder:
        ask = ["--model", talos.path, "--state", state_file(reference, state, folder)]
        rows.append(race("talos", reference.model.njoints - 1, calls, ask, rounds))
    rows = [with_ratios(row, call_ns) for row in rows]
    return common.save("aba", rows, rounds=rounds, python_call_ns=call_ns, linear=linearity(rounds))


def report(result: dict[str, Any]) -> str:
    columns = {
        "model": "model",
        "bodies": "bodies",
        "supple [ns]": "supple_ns",
        "Pinocchio local": "local_ns",
        "Pinocchio world": "world_ns",
        "ratio": "ratio",
        "of medians": "ratio_median",
        "net of Python": "ratio_net",
        "difference": "checksum_error",
    }
    rows = [[common.whole(row[c]) if c.endswith("_ns") else row[c] for c in columns.values()] for row in result["rows"]]
    linear = result["linear"]
    return (
        common.table(list(columns), rows)
        + f"\n\nA Pinocchio call from Python costs {result['python_call_ns']:.0f} ns by itself. supple, per link: "
        f"{linear['ns_per_link_300']:.1f} ns at 300 links, {linear['ns_per_link_100000']:.1f} ns at 100,000: "
        f"ratio {linear['ratio']:.2f}."
    )


if __name__ == "__main__":
    common.command(__doc__, run, report, rounds=7)
