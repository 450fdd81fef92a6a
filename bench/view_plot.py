"""Pictures of view-dependent detail: joints and time over what is asked for, and over the distance."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from detail_plot import panels, save

LOOKS = {"obb": ("#0b6e4f", "oriented boxes"), "spheres": ("#3b5b92", "spheres"), "item-buffer": ("#c1440e", "item buffer")}


def curves(rows: list[dict[str, Any]], key: str, label: str, title: str, path: Path) -> None:
    """Active joints, time of a step beside that of full detail, and pixels that differ."""
    figure, (joints, times, pixels) = panels(3, 11.0)
    for name in dict.fromkeys(row["visibility"] for row in rows):
        own = [row for row in rows if row["visibility"] == name]
        color, words = LOOKS[name]
        look = {"color": color, "marker": "o", "markersize": 3, "label": words}
        x = [row[key] for row in own]
        joints.plot(x, [row["active_mean"] for row in own], **look)
        times.plot(x, [row["ns"] / 1e3 for row in own], **look)
        pixels.plot(x, [row["pixels_p95"] for row in own], **look)
    first = [row for row in rows if row["visibility"] == rows[0]["visibility"]]
    full = {"color": "0.4", "linestyle": "--"}
    times.plot([row[key] for row in first], [row["full_ns"] / 1e3 for row in first], label="all joints", **full)
    pixels.plot([row[key] for row in first], [row["epsilon"] for row in first], label="asked for", **full)
    joints.set(ylabel="active joints of 300, mean", title="joints")
    times.set(ylabel="step [µs]", title="cost of a step, seeing included")
    pixels.set(ylabel="pixels per step, 95th percentile", title="pixels that differ from full detail")
    for axes in (joints, times, pixels):
        axes.set(xlabel=label, ylim=(0, None))
        axes.grid(alpha=0.3)
        axes.legend(frameon=False)
        if key == "epsilon":
            axes.set_xscale("log")
    figure.suptitle(title, fontsize=10)
    save(figure, path)


def threshold(rows: list[dict[str, Any]], path: Path) -> None:
    curves(rows, "epsilon", "ε, pixels per step that may be wrong", "Figure 8: a pendulum of 300 links, the more pixels may be wrong", path)


def distance(rows: list[dict[str, Any]], path: Path) -> None:
    curves(rows, "distance", "distance of the camera [m]", "Figure 9: the same from ever farther away, ε = 1 pixel", path)
