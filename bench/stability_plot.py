"""The picture of the stability study: energy and tip error over time at 1/60 s."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

PER_SECOND = 60
TOP = 1.25  # of the energy panel; what is more is drawn here
LINES = {
    "supple default": ("#0b6e4f", 2.4, "-"),
    "supple accurate": ("#3a9d7c", 1.6, "-"),
    "supple adaptive": ("#8cc9b3", 1.6, "-"),
    "MuJoCo Euler": ("#c1440e", 1.4, "-"),
    "MuJoCo implicit": ("#e08e45", 1.4, "-"),
    "MuJoCo RK4": ("#7b3f61", 1.4, "-"),
    "Pinocchio + semi-implicit Euler": ("#3b5b92", 1.4, "--"),
}


def draw(curves: dict[tuple[str, int], Any], path: Path) -> None:
    """Two panels; a cross marks where a motion stops being finite."""
    plt.rcParams.update({"font.size": 9, "svg.fonttype": "none", "svg.hashsalt": "supple"})
    plt.rcParams.update({"axes.spines.top": False, "axes.spines.right": False})
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
    longest = max(len(curves[who, PER_SECOND][1]) for who in LINES)
    for who, (color, width, style) in LINES.items():
        dt, energy, error = curves[who, PER_SECOND]
        look = {"color": color, "linewidth": width, "linestyle": style}
        times = dt * np.arange(len(energy))
        left.plot(times, np.minimum(energy, TOP), label=who, **look)
        right.semilogy(times[1 : len(error)], np.maximum(error[1:], 1e-9), **look)
        if len(energy) < longest:
            left.plot(times[-1], min(energy[-1], TOP), "x", color=color, markersize=8, markeredgewidth=2)
    left.text(longest / PER_SECOND, TOP + 0.03, "off the scale", ha="right", fontsize=8, color="0.4")
    left.axhline(0.0, color="0.6", linewidth=0.8, zorder=0)
    left.set(title="energy (exact: 0)", xlabel="time [s]", ylabel="energy gained / energy above hanging")
    left.set(ylim=(-0.75, 1.4))
    right.set(title="distance of the tip from the true motion", xlabel="time [s]", ylabel="tip error [m]")
    right.set(ylim=(1e-8, 30), xlim=(0, 2))
    right.grid(alpha=0.3, which="major")
    left.grid(alpha=0.3)
    title = "An undamped chain of 100 links (10 m) released level, steps of 1/60 s   (x: not finite from here)"
    figure.suptitle(title, fontsize=10)
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False)
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)
