"""Energy and momenta of jointed bodies in space, by solver and step. Draws docs/drift.svg.

    python bench/drift.py [--json]

supple alone: `supple bench drift`, eight rods that tumble for ten seconds.
"""

from __future__ import annotations

from typing import Any

import common
import detail_plot

COLORS = {"together": "#0b6e4f", "sweeps-9": "#c1440e", "displacement-3x50": "#3b5b92"}
DOCS = common.ROOT / "docs"


def run() -> dict[str, Any]:
    """All figures; kept as results/drift.json."""
    rows = common.supple("bench", "drift")["rows"]
    figure, (left, right) = detail_plot.panels(2, 9.5)
    for solver, color in COLORS.items():
        own = [row for row in rows if row["solver"] == solver]
        steps = [row["dt"] for row in own]
        left.loglog(steps, [row["energy_worst"] for row in own], "o-", color=color, label=solver)
        right.loglog(steps, [max(row["linear"], row["angular"]) for row in own], "o-", color=color, label=solver)
    left.set(xlabel="dt [s]", ylabel="relative", title="greatest change of energy in 10 s")
    right.set(xlabel="dt [s]", ylabel="relative", title="change of momenta in 10 s", ylim=(1e-17, 1e-10))
    left.legend(frameon=False)
    for axes in (left, right):
        axes.grid(alpha=0.3)
    detail_plot.save(figure, DOCS / "drift.svg")
    return common.save("drift", rows)


def report(result: dict[str, Any]) -> str:
    columns = ["solver", "dt [s]", "energy", "at worst", "linear", "angular", "gap [m]"]
    keys = ("solver", "dt", "energy", "energy_worst", "linear", "angular", "gap_max")
    return common.table(columns, [[row[key] for key in keys] for row in result["rows"]])


if __name__ == "__main__":
    common.command(__doc__, run, report)
