"""View-dependent detail: joints, times and pixels that differ. Draws docs/view-threshold.svg and docs/view-distance.svg.

    python bench/view.py [--seconds S] [--rounds N] [--json]

supple alone: `supple bench view` on the scenes of Kim, Redon & Kim 2008 (Table 1, Figs. 2 and 6 to 9) and on `crowd-50000`. The
image of every step is compared with that of full detail from the same state. Times are the smallest of some rounds; joints and images are
the same in each.
"""

from __future__ import annotations

from typing import Any

import common
import view_plot

Row = dict[str, Any]

# Pixels that may be wrong in the whole image, and distances of the camera [m].
THRESHOLDS = (0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10)
DISTANCES = (40, 50, 60, 70, 85, 100, 120, 140, 170, 200, 240)
SCENES = {"pendulum-20": (10, 30), "dogs-100": (100, 300), "dog-puppet": (10, 30), "falling-character": (10, 30)}
VOLUMES = "spheres,obb"
DOCS = common.ROOT / "docs"


TIMES = ("ns", "visibility_ns", "full_ns", "aba_ns", "dca_ns")


def bench(scene: str, rounds: int, *arguments: str | float) -> list[Row]:
    """Rows of one comparison, with the smallest times of all rounds."""
    command = ("bench", "view", "--scene", scene, *map(str, arguments))
    rows = common.supple(*command)["rows"]
    again = [common.supple(*command, *uncompared(arguments))["rows"] for _ in range(rounds - 1)]

    def least(i: int, row: Row) -> Row:
        of_round = [row, *(table[i] for table in again)]
        return row | {key: min(r[key] for r in of_round) for key in TIMES if row[key] is not None}

    return [least(i, row) for i, row in enumerate(rows)]


def uncompared(arguments: tuple[str | float, ...]) -> tuple[str, ...]:
    return () if "--uncompared" in arguments else ("--uncompared",)


def listed(numbers: tuple[float, ...]) -> str:
    return ",".join(map(str, numbers))


def crowd(rounds: int, seconds: float) -> list[Row]:
    """The whole crowd with its budget, and a part of it compared with full detail."""
    time, few = ("--seconds", seconds), ("--set", "characters=500")
    whole = bench("crowd-50000", min(rounds, 2), "--budget", "--uncompared", "--visibility", "spheres", *time)
    part = bench("crowd-50000", rounds, *few, "--pixels", "10,100", "--visibility", "spheres,item-buffer", *time)
    return whole + [row | {"scene": "500 of them"} for row in part]


def run(seconds: float = 4.0, rounds: int = 5) -> dict[str, Any]:
    """All figures; kept as results/view.json, and the pictures in docs/."""
    rows = [
        row
        for scene, errors in SCENES.items()
        for row in bench(scene, rounds, "--pixels", listed(errors), *scene_time(scene, seconds))
    ]
    swing = ("--visibility", VOLUMES, "--seconds", seconds)
    threshold = bench("pendulum-300-threshold", rounds, "--pixels", listed(THRESHOLDS), *swing)
    distance = bench("pendulum-300-distance", rounds, "--distance", listed(DISTANCES), "--pixels", "1", *swing)
    view_plot.threshold(threshold, DOCS / "view-threshold.svg")
    view_plot.distance(distance, DOCS / "view-distance.svg")
    people = crowd(rounds, min(seconds, 2.0))
    return common.save("view", rows, rounds=rounds, threshold=threshold, distance=distance, crowd=people)


def scene_time(scene: str, seconds: float) -> tuple[str, float]:
    """The puppet takes twelve seconds to go behind the wall and out again, the fall two."""
    return "--seconds", {"dog-puppet": 3 * seconds, "falling-character": 0.5 * seconds}.get(scene, seconds)


def report(result: dict[str, Any]) -> str:
    def cells(row: Row) -> list[Any]:
        times = [row["ns"], row["visibility_ns"], row["full_ns"], row["aba_ns"], row["dca_ns"]]
        number = lambda x: "-" if x is None else x  # noqa: E731
        error = "budget" if row["epsilon"] is None else f"{row['epsilon']:.4g}"
        active = f"{row['active_mean']:,.1f} of {row['joints']:,}"
        micro = ["-" if t is None else common.whole(t / 1e3) if t > 1e5 else t / 1e3 for t in times]
        return [row["scene"], row["visibility"], error, active, *micro, number(row["pixels_p95"]), number(row["ratio"])]

    def table(rows: list[Row]) -> str:
        columns = ["scene", "visibility", "ε", "active", "step [µs]", "seeing [µs]", "full [µs]", "ABA [µs]", "DCA [µs]", "p95", "p95 / ε"]
        return common.table(columns, map(cells, rows))

    def curve(rows: list[Row], key: str, name: str) -> str:
        own = [row for row in rows if row["visibility"] == "obb"]
        columns = [name, "active", "step [µs]", "full [µs]", "p95"]
        values = [[row[key], row["active_mean"], row["ns"] / 1e3, row["full_ns"] / 1e3, row["pixels_p95"]] for row in own]
        return common.table(columns, values)

    return (
        f"{table(result['rows'])}\n\n"
        f"A crowd of people of 29 bodies:\n\n{table(result['crowd'])}\n\n"
        f"Figure 8, oriented boxes, from 60 m:\n\n{curve(result['threshold'], 'epsilon', 'ε')}\n\n"
        f"Figure 9, oriented boxes, ε = 1:\n\n{curve(result['distance'], 'distance', 'distance [m]')}\n\n"
        "640 × 480 pixels, dt = 1/60 s (falling-character: its own), ε is of the whole image. Of an active floating base one joint is counted. "
        "p95 is the 95th percentile of pixels that differ from full detail in a step."
    )


if __name__ == "__main__":
    common.command(__doc__, run, report, seconds=4.0, rounds=5)
