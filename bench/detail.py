"""Detail: how much error fewer joints cost, and what they save. Draws docs/figure5.svg, figure6.svg, ramp.svg, crowd.svg.

    python bench/detail.py [--rounds N] [--json]

supple alone: `supple bench figure5`, `figure6`, `scale` and `crowd`, and runs of the scenes `pendulum-300` and `ramp`.
"""

from __future__ import annotations

import csv
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import common
import detail_plot

ACTIVE = (300, 100, 50, 20, 1)
ATTACH = (15, 30, 41)
LENGTH = 0.1  # of a link [m]
RAMP = 8.0  # seconds
DOCS = common.ROOT / "docs"


def tips(q: np.ndarray) -> np.ndarray:
    """Ends of planar chains: joint angles are relative to the link before."""
    angles = np.cumsum(q, axis=1)
    return LENGTH * np.stack([np.cos(angles).sum(axis=1), np.sin(angles).sum(axis=1)], axis=1)


def motion(*arguments: str | float) -> tuple[np.ndarray, np.ndarray]:
    """Times and tips of `supple run`."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "motion.npz"
        common.supple("run", *map(str, arguments), "--out", path)
        with np.load(path) as file:
            return file["time"], tips(file["q"])


def figure5(rounds: int) -> tuple[list[dict[str, Any]], list[tuple[np.ndarray, np.ndarray]]]:
    """Rows of the bench, and the tip's error over time for each."""
    rows = common.supple("bench", "figure5", "--rounds", str(rounds))["rows"]
    exact = motion("pendulum-300", "--integrator", "rk4", "--dt", 5e-4, "--every", 40, "--seconds", 3)
    curves = []
    for row in rows:
        detail = ["--full"] if row["active"] == ACTIVE[0] else ["--active", row["active"]]
        time, tip = motion("pendulum-300", *detail, "--dt", 1e-3, "--every", 20, "--seconds", 3)
        curves.append((time, np.linalg.norm(tip - exact[1], axis=1)))
    return rows, curves


def ramp() -> dict[str, np.ndarray]:
    """Active joints, cost of steps and error over time, as the budget falls and rises."""
    with tempfile.TemporaryDirectory() as folder:
        report, path = Path(folder) / "steps.csv", Path(folder) / "motion.npz"
        options = ["--dt", "1e-3", "--seconds", str(RAMP), "--every", "20"]
        common.supple("run", "ramp", *options, "--report", report, "--out", path)
        with report.open() as file:
            steps = list(csv.DictReader(file))
        with np.load(path) as file:
            time, tip = file["time"], tips(file["q"])
    _, exact = motion("ramp", "--full", "--dt", 1e-3, "--seconds", RAMP, "--every", 20)
    column = {name: np.array([float(step[name]) for step in steps]) for name in ("time", "active", "wall_s")}
    return {
        "step_time": column["time"],
        "active": column["active"],
        "ns": column["wall_s"] * 1e9,
        "time": time,
        "error": np.linalg.norm(tip - exact, axis=1),
    }


def run(rounds: int = 5) -> dict[str, Any]:
    """All figures; kept as results/detail.json, and the pictures in docs/."""
    rows5, curves = figure5(rounds)
    attach = ",".join(map(str, ATTACH))
    rows6 = common.supple("bench", "figure6", "--attach", attach, "--shapes")["rows"]
    crowd = common.supple("bench", "crowd", "--threads", "1", "--series", "--rounds", str(rounds))["rows"]
    scale = common.supple("bench", "scale")["rows"]
    detail_plot.figure5(rows5, curves, DOCS / "figure5.svg")
    detail_plot.figure6(rows6, DOCS / "figure6.svg")
    detail_plot.ramp(ramp(), DOCS / "ramp.svg")
    detail_plot.crowd(crowd, DOCS / "crowd.svg")
    series = ("shape", "equilibrium", "history", "series")

    def short(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{key: value for key, value in row.items() if key not in series} for row in rows]

    return common.save("detail", short(rows5), figure6=short(rows6), crowd=short(crowd), scale=scale)


def report(result: dict[str, Any]) -> str:
    def table(rows: list[dict[str, Any]], columns: dict[str, str]) -> str:
        def cell(row: dict[str, Any], key: str) -> Any:
            value = row.get(key)
            return "-" if value is None else common.whole(value) if key.endswith("ns") else value

        return common.table(list(columns), [[cell(row, key) for key in columns.values()] for row in rows])

    five = {"active": "active", "step [ns]": "ns", "error 1 s [m]": "error_1s", "error 2 s [m]": "error_2s"}
    five |= {"energy gained in 3 s [J]": "energy"}
    six = {"tied link": "attach", "rule": "rule", "RMS [m]": "rms", "max [m]": "max", "energy too much [J]": "energy"}
    six |= {"default": "default"}
    scale = {"links": "links", "active": "active", "step [ns]": "ns", "bytes per joint": "bytes_per_joint"}
    first, last = result["scale"][0], result["scale"][-1]
    return (
        f"Figure 5, {result['rows'][0]['integrator']} integrator:\n\n{table(result['rows'], five)}\n\n"
        f"Figure 6, five joints, after 24 s:\n\n{table(result['figure6'], six)}\n\n"
        f"Chains in space with one force:\n\n{table(result['scale'], scale)}\n\n"
        f"A step of {last['links']:,} links takes {last['ns'] / first['ns']:.2f} times one of {first['links']:,}."
    )


if __name__ == "__main__":
    common.command(__doc__, run, report, rounds=5)
