"""Table 1 of Redon et al. 2005: a step of the 300-link pendulum by active joints and forces, beside Pinocchio's `aba`.

    python bench/table1.py [--rounds N] [--json]

In turns: `supple bench table1` (whole steps, updates of the active joints and integration included, mean over a run of
two seconds) and Pinocchio's accelerations of the same chain, by the faster of its two conventions, its fastest batch.
Pinocchio gets no forces, which would only slow it down, and does not integrate. The call from Python is taken off in
the "net" ratio.
"""

from __future__ import annotations

import statistics
from typing import Any

import numpy as np

import aba
import common
from timing import Times

LINKS = aba.LINKS
TIMES = ("ns", "default_ns", "dca_ns", "aba_ns", "first_ns", "dca_ns_per_link")
# over Pinocchio, with one force
BARS = {1: 100.0, 50: 7.0, 100: 4.0, 250: 1.8, 300: 3.0}


def run(rounds: int = 3) -> dict[str, Any]:
    """All figures; kept as results/table1.json."""
    model, q, v = aba.chain(LINKS)
    calls = aba.pinocchio_calls(model, q, v, np.zeros(LINKS))
    pinocchio = {name: Times() for name in calls}
    tables: list[list[dict[str, Any]]] = []
    for _ in range(rounds):
        tables.append(common.supple("bench", "table1", "--rounds", "3")["rows"])
        for name, call in calls.items():
            pinocchio[name].measure(call, seconds=1.0)
    best = {name: times.best * 1e9 for name, times in pinocchio.items()}
    faster = min(best, key=best.__getitem__)
    call_ns = aba.call_overhead()
    rows = [with_ratios(list(of_row), best[faster], call_ns) for of_row in zip(*tables)]
    return common.save(
        "table1", rows, rounds=rounds, convention=faster, pinocchio_ns=best[faster], python_call_ns=call_ns
    )


def with_ratios(rounds: list[dict[str, Any]], pinocchio_ns: float, call_ns: float) -> dict[str, Any]:
    """One row of the table: middle times of the rounds, and what the others take over what a step takes."""
    row = rounds[0] | {key: statistics.median(r[key] for r in rounds) for key in TIMES}
    row |= {
        "pinocchio_ns": pinocchio_ns,
        "ratio": pinocchio_ns / row["ns"],
        "ratio_net": (pinocchio_ns - call_ns) / row["ns"],
        "ratio_default": pinocchio_ns / row["default_ns"],
        "ratio_dca": row["dca_ns"] / row["ns"],
        "ratio_aba": row["aba_ns"] / row["ns"],
    }
    if row["forces"] == 1 and row["active"] in BARS:
        row["bar"] = BARS[row["active"]]
    return row


def report(result: dict[str, Any]) -> str:
    columns = {
        "forces": "forces",
        "active": "active",
        "step [ns]": "ns",
        "tip error [m]": "tip_error",
        "Pinocchio / step": "ratio",
        "net of Python": "ratio_net",
        "bar": "bar",
        "own DCA / step": "ratio_dca",
        "the paper's": "paper_ratio",
        "own ABA / step": "ratio_aba",
        "default [ns]": "default_ns",
        "its tip error [m]": "default_tip_error",
        "first step [ns]": "first_ns",
    }

    def cell(row: dict[str, Any], key: str) -> Any:
        value = row.get(key)
        return "" if value is None else common.whole(value) if key.endswith("ns") else value

    rows = [[cell(row, key) for key in columns.values()] for row in result["rows"]]
    per_link = statistics.median(row["dca_ns_per_link"] for row in result["rows"])
    return (
        common.table(list(columns), rows)
        + f"\n\nPinocchio's aba ({result['convention']}): {result['pinocchio_ns']:,.0f} ns, of which the call from Python "
        f"{result['python_call_ns']:,.0f} ns. supple's own DCA: {per_link:.0f} ns per link. Tip errors are RMS over the two "
        "seconds, against Runge-Kutta at half the step with all joints and the same forces. The first step, in which the "
        "whole body is frozen once, is not in the mean."
    )


if __name__ == "__main__":
    common.command(__doc__, run, report, rounds=3)
