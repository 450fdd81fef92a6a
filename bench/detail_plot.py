"""Pictures of detail: error over time with the cost beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

COLORS = ("#222222", "#0b6e4f", "#3b5b92", "#c1440e", "#7b3f61")
RULES = {"breadth-first": "#c1440e", "tree": "#e08e45", "free": "#3b5b92", "split": "#0b6e4f"}
DT6 = 0.08  # between points of a history of figure 6 [s]
STEP = 1 / 240  # of the crowd [s]
TURN = 20  # steps between errors of the crowd


def panels(count: int, width: float, height: float = 3.6, rows: int = 1, **ratios: Any) -> tuple[Any, Any]:
    plt.rcParams.update({"font.size": 9, "svg.fonttype": "none", "svg.hashsalt": "supple"})
    plt.rcParams.update({"axes.spines.top": False, "axes.spines.right": False})
    return plt.subplots(rows, count, figsize=(width, height), layout="constrained", gridspec_kw=ratios or None)


def save(figure: Any, path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def figure5(rows: list[dict[str, Any]], curves: list[tuple[np.ndarray, np.ndarray]], path: Path) -> None:
    """The swinging pendulum: distance of the tip from the true motion, and what a step costs."""
    figure, (left, right) = panels(2, 9.5, width_ratios=[2, 1])
    names = ["all 300" if row["active"] == 300 else f"{row['active']}" for row in rows]
    for name, color, (time, error) in zip(names, COLORS, curves):
        left.semilogy(time[1:], np.maximum(error[1:], 1e-8), color=color, label=f"{name} active", linewidth=1.6)
    left.set(xlabel="time [s]", ylabel="tip error [m]", title="distance of the tip from the true motion (chain of 30 m)")
    left.grid(alpha=0.3)
    left.legend(frameon=False, loc="lower right")
    micro = [row["ns"] / 1000 for row in rows]
    bars = right.bar(names, micro, color=COLORS)
    right.bar_label(bars, [f"{m:.1f}" for m in micro], fontsize=8)
    right.set(xlabel="active joints", ylabel="step [µs]", title="cost of a step")
    figure.suptitle("Figure 5: a pendulum of 300 links, released level, with ever fewer joints", fontsize=10)
    save(figure, path)


def figure6(rows: list[dict[str, Any]], path: Path) -> None:
    """The chain on a spring: where it settles with five joints, and how the distance from equilibrium falls."""
    ties = sorted({row["attach"] for row in rows})
    figure, axes = panels(len(ties), 3.6 * len(ties), 6.6, rows=2, height_ratios=[1.2, 1])
    for tie, shapes, times in zip(ties, axes[0], axes[1]):
        own = [row for row in rows if row["attach"] == tie]
        end = np.array([(0.0, 0.0), *own[0]["equilibrium"]])
        shapes.plot(*end.T, color="0.8", linewidth=6, solid_capstyle="round")
        for row in own:
            look = {"color": RULES[row["rule"]], "linewidth": 2.0 if row["default"] else 1.2}
            shape = np.array([(0.0, 0.0), *row["shape"]])
            name = f"{row['rule']}{' (default)' if row['default'] else ''}: {row['rms']:.3g} m, {row['ns'] / 1000:.1f} µs"
            shapes.plot(*shape.T, **look)
            times.semilogy(DT6 * np.arange(len(row["history"])), row["history"], label=name, **look)
        shapes.plot(2.25, -1.25, "k+", markersize=9)
        shapes.set(aspect="equal", xlabel="x [m]", ylabel="y [m]", xlim=(-0.3, 3.2), ylim=(-5.2, 0.3))
        shapes.set(title=f"link {tie} tied to +, after 24 s")
        times.set(xlabel="time [s]", ylabel="RMS distance from equilibrium [m]", ylim=(1e-3, 200))
        title = "RMS distance after 24 s, cost of a step"
        times.legend(frameon=False, fontsize=7, loc="upper right", title=title, title_fontsize=7)
        times.grid(alpha=0.3)
    figure.suptitle("Figure 6: a chain of 50 links on a spring, five joints active (grey: equilibrium)", fontsize=10)
    save(figure, path)


def ramp(run: dict[str, np.ndarray], path: Path) -> None:
    """The budget falls to one joint and rises again: error, and cost of steps."""
    figure, (left, middle, right) = panels(3, 11)
    left.plot(run["step_time"], run["active"], color=COLORS[1])
    left.set(xlabel="time [s]", ylabel="active joints", title="what is simulated")
    middle.semilogy(run["time"][1:], np.maximum(run["error"][1:], 1e-8), color=COLORS[3])
    middle.set(xlabel="time [s]", ylabel="tip error [m]", title="distance from full detail (chain of 10 m)")
    # middle cost of runs of 100 steps: single ones jitter
    count = len(run["ns"]) // 100
    cost = np.median(run["ns"][: 100 * count].reshape(count, 100), axis=1) / 1000
    right.plot(run["step_time"][: 100 * count : 100], cost, color=COLORS[2])
    right.set(xlabel="time [s]", ylabel="step [µs]", title="cost of a step", ylim=(0, None))
    for axis in (left, middle, right):
        axis.grid(alpha=0.3)
    figure.suptitle("Ramp: a swinging chain whose active joints fall from all to one and rise again", fontsize=10)
    save(figure, path)


def crowd(rows: list[dict[str, Any]], path: Path) -> None:
    """A budget for 200 characters: error over time, and cost of every step."""
    figure, (left, right) = panels(2, 9.5)
    full = np.array(rows[0]["series"]["full_ns"]) / 1000
    time = STEP * (1 + np.arange(len(full)))
    right.plot(time, full, color=COLORS[0], linewidth=1, label=f"all 17,800 joints: {full.mean():.0f} µs")
    for color, row in zip(COLORS[1:], rows):
        series = row["series"]
        error = np.array([0.0, *series["error"]])
        left.plot(STEP * TURN * np.arange(len(error)), error, color=color, label=f"{row['budget']} joints")
        label = f"{row['budget']} joints: {row['ns'] / 1000:.0f} µs"
        right.plot(time, np.array(series["ns"]) / 1000, color=color, linewidth=1, label=label)
    left.set(xlabel="time [s]", ylabel="RMS distance of link ends [m]", title="distance from full detail")
    # steps that the machine was busy in are off the scale
    top = 1.6 * np.median(full)
    right.set(xlabel="time [s]", ylabel="step [µs]", title="cost of a step, one thread", ylim=(0, top))
    for axis in (left, right):
        axis.grid(alpha=0.3)
    left.legend(frameon=False)
    right.legend(frameon=False, ncols=2, fontsize=7, loc="upper center")
    figure.suptitle("Crowd: 200 characters, 19,000 degrees of freedom, one budget of joints for all", fontsize=10)
    save(figure, path)
