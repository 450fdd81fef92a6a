"""What iterations leave open of a structure that is dragged (Faure 1998, figure 5). Draws docs/structure-drag.svg.

    python bench/structure_drag.py [--json]

supple alone: `supple run structure-drag`, 56 solids and 261 rows that follow a tracker by assembly.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import common
import detail_plot

OUTER = (1, 2, 3)
INNER = (2, 3, 5, 8, 12, 20, 30, 50, 80)
FRAMES = 60  # while the tracker moves
COLORS = {1: "#c1440e", 2: "#3b5b92", 3: "#0b6e4f"}


def gap(outer: int, inner: int) -> float:
    """Greatest gap of a joint after a frame, mean over the frames [m]."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "frames.jsonl"
        settings = ["--set", f"outer={outer}", "--set", f"inner={inner}", "--seconds", f"{FRAMES}/30"]
        common.supple("run", "structure-drag", *settings, "--report", report)
        frames = [json.loads(line) for line in report.read_text().splitlines()]
    return sum(frame["gap_max"] for frame in frames) / len(frames)


def run() -> dict[str, Any]:
    """All figures; kept as results/structure_drag.json."""
    rows = [{"outer": outer, "inner": inner, "gap": gap(outer, inner)} for outer in OUTER for inner in INNER]
    figure, axes = detail_plot.panels(1, 6.5)
    for outer in OUTER:
        own = [row for row in rows if row["outer"] == outer]
        products = [row["outer"] * row["inner"] for row in own]
        look = {"color": COLORS[outer], "label": f"{outer} × inner"}
        axes.loglog(products, [row["gap"] for row in own], "o-", markersize=3, **look)
    axes.set(xlabel="products of conjugate gradients per frame", ylabel="greatest gap, mean over frames [m]")
    axes.set(title="56 solids, 261 rows, dragged: what is left open")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    detail_plot.save(figure, common.ROOT / "docs" / "structure-drag.svg")
    return common.save("structure_drag", rows)


def report(result: dict[str, Any]) -> str:
    lines = []
    for inner in INNER:
        own = {row["outer"]: row["gap"] for row in result["rows"] if row["inner"] == inner}
        lines.append([inner, *(own[outer] for outer in OUTER)])
    return common.table(["inner", *(f"{outer} × inner, gap [m]" for outer in OUTER)], lines)


if __name__ == "__main__":
    common.command(__doc__, run, report)
