"""Figure 1 of Redon et al. 2005: 200 characters with one budget of active joints, beside Pinocchio's `aba` on all of them.

    python bench/crowd_budget.py [--rounds N] [--json]

In turns: `supple bench crowd` (one second of 19,000 degrees of freedom, whole steps) and 200 calls of Pinocchio's `aba`
on one thread, by the faster of its two conventions, the fastest time of which counts; they do not integrate.
"""

from __future__ import annotations

import statistics
from typing import Any

import pinocchio as pin

import case as cases
import common
import crowd
from reference_pinocchio import Pinocchio
from timing import Times

TIMES = ("ns", "worst_ns", "full_ns")
CONVENTIONS = {"local": pin.Convention.LOCAL, "world": pin.Convention.WORLD}


def run(rounds: int = 3) -> dict[str, Any]:
    """All figures; kept as results/crowd_budget.json."""
    case = cases.export("humanoid-detailed", gravity=9.81)
    difference = crowd.check(case)
    all_of_them = crowd.pinocchio_calls(Pinocchio(cases.pinocchio_model(case)))
    pinocchio = {name: Times() for name in CONVENTIONS}
    tables: list[list[dict[str, Any]]] = []
    for _ in range(rounds):
        tables.append(common.supple("bench", "crowd")["rows"])
        for name, convention in CONVENTIONS.items():
            pinocchio[name].measure(lambda c=convention: all_of_them(c), seconds=1.0, batch=0.0)
    best = {name: times.best * 1e9 for name, times in pinocchio.items()}
    faster = min(best, key=best.__getitem__)
    rows = [with_ratios(list(of_row), best[faster]) for of_row in zip(*tables)]
    return common.save(
        "crowd_budget",
        rows,
        rounds=rounds,
        convention=faster,
        pinocchio_ns=best[faster],
        acceleration_difference=difference,
    )


def with_ratios(rounds: list[dict[str, Any]], pinocchio_ns: float) -> dict[str, Any]:
    """One row: middle times of the rounds, over which the others are told."""
    row = rounds[0] | {key: statistics.median(r[key] for r in rounds) for key in TIMES}
    return row | {
        "pinocchio_ns": pinocchio_ns,
        "ratio_full": row["full_ns"] / row["ns"],
        "ratio": pinocchio_ns / row["ns"],
        "worst_of_mean": row["worst_ns"] / row["ns"],
    }


def report(result: dict[str, Any]) -> str:
    columns = {
        "budget": "budget",
        "threads": "threads",
        "step [ns]": "ns",
        "error after 1 s [m]": "error",
        "full / step": "ratio_full",
        "Pinocchio / step": "ratio",
        "worst / mean": "worst_of_mean",
        "active": "active_mean",
        "full [ns]": "full_ns",
    }
    rows = [
        [common.whole(row[key]) if key.endswith("ns") else row[key] for key in columns.values()]
        for row in result["rows"]
    ]
    return (
        common.table(list(columns), rows)
        + f"\n\nPinocchio's aba ({result['convention']}) on all 200, one thread: {result['pinocchio_ns']:,.0f} ns."
    )


if __name__ == "__main__":
    common.command(__doc__, run, report, rounds=3)
