"""Worlds whose bodies touch: supple beside Rapier and MuJoCo, time, gaps, penetration, rest.

    python bench/contact.py [--rounds N] [--scenes bridge-blocks,rings] [--seconds S] [--most S] [--json]

supple writes each world once (`supple export`); bench/peers (Rapier) and contact_mujoco.py read it, so that all of them have
the same bodies, joints and shapes, and step at the world's dt. Engines take turns, one thread each; the first step is not
timed. Of the rounds the middle mean and the smallest worst step count. A run that takes longer than `--most` seconds is cut;
ratios are told only of runs that simulated the same time, since a fall, an impact and a pile at rest cost differently.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import common
import constraints
import contact_mujoco

Row = dict[str, Any]

SCENES = "bridge-blocks,net-boxes,rings,ragdolls-100"
# What supple is told besides: scenes with articulations also run with few joints.
BUDGETS = {"ragdolls-100": "300"}
BASES = ("rapier-4", "rapier-20")
MEANS = ("mean_ns", "mean_moving_ns", "mean_resting_ns", "cpu_ns", "cpu_moving_ns", "cpu_resting_ns")
MEANS += ("broad_ns", "narrow_ns", "solve_ns", "joints_ns", "dynamics_ns")


def run(rounds: int = 3, scenes: str = SCENES, most: float = 120.0, seconds: float = 0.0) -> dict[str, Any]:
    """All figures, over the scenes' own time or `seconds`; kept as results/contact.json."""
    with tempfile.TemporaryDirectory() as folder:
        files = {name: export(name, Path(folder)) for name in scenes.split(",")}
        peers = constraints.build_peers()
        tables = [one_round(peers, files, most, seconds or None, first=i == 0) for i in range(rounds)]
    rows = [best(of_row) for of_row in by_engine(tables)]
    return common.save("contact", with_ratios(rows), rounds=rounds)


def export(scene: str, folder: Path) -> Path:
    """The world of a scene as a file."""
    path = folder / f"{scene}.json"
    constraints.known("export", scene, "--out", path)
    return path


def one_round(
    peers: Path, files: dict[str, Path], most: float, seconds: float | None, first: bool
) -> list[Row]:
    """Every engine once on every scene; what was cut short or lost is not run again."""
    rows = []
    bounds = ["--most", str(most), *(["--seconds", str(seconds)] if seconds else [])]
    for name, path in files.items():
        supple = ("bench", "contact", "--scene", name, *bounds)
        rows += constraints.known(*supple)["rows"]
        if name in BUDGETS:
            rows += constraints.known(*supple, "--budget", BUDGETS[name])["rows"]
        rows += rapier(peers, path, [*bounds, *([] if first else ["--engines", ",".join(BASES)])])
        if first:
            world = json.loads(path.read_text())
            rows += [contact_mujoco.measure(world, engine, seconds=seconds, most=most) for engine in contact_mujoco.ENGINES]
    return rows


def rapier(peers: Path, world: Path, more: list[str]) -> list[Row]:
    command = [str(peers), str(world), "--contact", *more]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"bench/peers: {done.stderr.strip()}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def by_engine(tables: list[list[Row]]) -> Iterable[list[Row]]:
    """Rows of the same scene and engine, in the order of the first round."""
    key = lambda row: (row["scene"], row["engine"])  # noqa: E731
    for first in tables[0]:
        yield [row for table in tables for row in table if key(row) == key(first)]


def best(rounds: list[Row]) -> Row:
    """One row of the middle means and the smallest worst step; the motion is the same in every round."""
    first = rounds[0]
    means = {k: statistics.median(r[k] for r in rounds) for k in MEANS if first.get(k) is not None}
    return first | means | {key: min(row[key] for row in rounds) for key in ("worst_ns", "cpu_worst_ns")}


def with_ratios(rows: list[Row]) -> list[Row]:
    """Processor times over those of Rapier, where both simulated the same time."""
    bases = {(row["scene"], row["engine"]): row for row in rows if row["engine"] in BASES}

    def ratio(row: Row, base: str) -> float | None:
        of = bases.get((row["scene"], base))
        same = of is not None and abs(of["seconds"] - row["seconds"]) < 0.5 * row["dt"]
        return row["cpu_ns"] / of["cpu_ns"] if same else None

    return [row | {f"to_{base}": ratio(row, base) for base in BASES} for row in rows]


def report(result: dict[str, Any]) -> str:
    columns = [
        "scene", "engine", "mean [ms]", "moving [ms]", "worst [ms]", "worst / mean", "to rapier-4", "to rapier-20",
        "gap [mm]", "penetration [mm]", "rest [s]",
    ]  # fmt: skip

    def cells(row: Row) -> list[Any]:
        length = lambda key: "lost" if row[key] is None else row[key] * 1e3  # noqa: E731
        ratios = ["-" if row[f"to_{base}"] is None else row[f"to_{base}"] for base in BASES]
        times = [row[key] / 1e6 for key in ("cpu_ns", "cpu_moving_ns", "cpu_worst_ns")]
        rest = "lost" if not row["finite"] else "never" if row["rest_s"] is None else row["rest_s"]
        cut = "" if row["finite"] else f" (lost at {row['seconds']:.2g} s)"
        return [
            row["scene"], row["engine"] + cut, *times, times[2] / max(times[0], 1e-9), *ratios,
            length("gap"), length("penetration"), rest,
        ]  # fmt: skip

    dts = sorted({round(1 / row["dt"]) for row in result["rows"]})
    seconds = {row["scene"]: max(r["seconds"] for r in result["rows"] if r["scene"] == row["scene"]) for row in result["rows"]}
    runs = ", ".join(f"{scene} {time:.3g} s" for scene, time in seconds.items())
    short = [
        f"{row['scene']} in {row['engine']} after {row['seconds']:.2g} s"
        for row in result["rows"]
        if row["finite"] and row["seconds"] < seconds[row["scene"]] - 1e-6
    ]
    return (
        common.table(columns, map(cells, result["rows"]))
        + f"\n\ndt = {', '.join(f'1/{n}' for n in dts)} s; runs: {runs}. Times are of the processor (results/contact.json also has those "
        "of the clock): mean over the whole run, moving over the steps until all sleeps; ratios are of the means. Gap and penetration are the greatest after any step. A scene is lost when "
        "a state is no longer finite."
        + (f" Cut short because it took too long: {'; '.join(short)}." if short else "")
    )


if __name__ == "__main__":
    common.command(__doc__, run, report, rounds=3, scenes=SCENES, most=120.0, seconds=0.0)
