"""Worlds of single bodies with joints and closed loops: supple beside Rapier and MuJoCo, time and gaps.

    python bench/constraints.py [--rounds N] [--scenes bridge,net] [--json]

Figures 2 and 3 of Weinstein, Teran & Fedkiw 2006. supple writes each world once (`supple export`); bench/peers (Rapier)
and constraints_mujoco.py read it, so that all of them have the same bodies and joints. Engines take turns; times are
the middle ones of the rounds, one thread each. All step at the world's dt; the first step is not timed.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import common
import constraints_mujoco

Row = dict[str, Any]

SCENES = "bridge,net"
# What a file cannot have: the load that drives over the bridge.
SETTINGS = {"bridge": ["--set", "load=0"]}
BASE = "rapier-20"
TIMES = ("mean_ns", "worst_ns", "ns_per_240th")
PEERS = common.ROOT / "bench" / "peers"


def run(rounds: int = 3, scenes: str = SCENES) -> dict[str, Any]:
    """All figures; kept as results/constraints.json."""
    names = scenes.split(",")
    with tempfile.TemporaryDirectory() as folder:
        files = {name: export(name, Path(folder)) for name in names}
        peers = build_peers()
        tables = [one_round(peers, files) for _ in range(rounds)]
    rows = [middle(list(of_row)) for of_row in zip(*tables, strict=True)]
    return common.save("constraints", with_ratios(rows), rounds=rounds)


def one_round(peers: Path, files: dict[str, Path]) -> list[Row]:
    """Every engine once on every scene, scene by scene."""
    rows = []
    for name in files:
        rows += known("bench", "constraints", "--scene", name, *SETTINGS.get(name, []))["rows"]
    for path in files.values():
        rows += rapier(peers, path)
        world = json.loads(path.read_text())
        rows += [constraints_mujoco.measure(world, engine) for engine in constraints_mujoco.ENGINES]
    order = list(files)
    return sorted(rows, key=lambda row: order.index(row["scene"]))


def export(scene: str, folder: Path) -> Path:
    """The world of a scene as a file."""
    path = folder / f"{scene}.json"
    known("export", scene, *SETTINGS.get(scene, []), "--out", path)
    world = json.loads(path.read_text())
    if "joints" not in world:
        raise SystemExit(f"supple export {scene}: this is no world of single bodies with joints")
    return path


def known(*arguments: str | Path) -> dict[str, Any]:
    """supple, or a clear word that this build of it has no such command or scene."""
    try:
        return common.supple(*arguments)
    except RuntimeError as error:
        words = " ".join(str(a) for a in arguments[:2])
        raise SystemExit(f"this build of supple cannot `supple {words}` (yet?): {error}") from error


def build_peers() -> Path:
    """Builds bench/peers with the flags of supple; from its folder, where cargo finds them."""
    target = PEERS / "target"
    command = ["cargo", "build", "--release", "--locked", "--quiet", "--target-dir", str(target)]
    environment = {key: value for key, value in os.environ.items() if key != "CARGO_TARGET_DIR"}
    subprocess.run(command, cwd=PEERS, env=environment, check=True)
    return target / "release" / "peers"


def rapier(peers: Path, world: Path) -> list[Row]:
    done = subprocess.run([str(peers), str(world)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"bench/peers: {done.stderr.strip()}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def middle(rounds: list[Row]) -> Row:
    """One row of the middle times; gaps do not differ from round to round."""
    first = rounds[0]
    if any((row["scene"], row["engine"]) != (first["scene"], first["engine"]) for row in rounds):
        raise AssertionError("rounds are in different orders")
    return first | {key: statistics.median(row[key] for row in rounds) for key in TIMES if key in first}


def with_ratios(rows: list[Row]) -> list[Row]:
    """Times for the same simulated time and gaps at rest, over those of Rapier with 20 iterations."""
    base = {row["scene"]: row for row in rows if row["engine"] == BASE}

    def ratios(row: Row) -> Row:
        of = base[row["scene"]]
        time = (row["mean_ns"] / row["dt"]) / (of["mean_ns"] / of["dt"])
        held = row["gap_rest"] is not None and of["gap_rest"]
        return {"time_ratio": time, "gap_ratio": row["gap_rest"] / of["gap_rest"] if held else None}

    return [row | ratios(row) for row in rows]


def report(result: dict[str, Any]) -> str:
    columns = ["scene", "engine", "mean [ns]", "worst [ns]", "gap_max [mm]", "gap_rest [mm]", "time", "gap"]

    def cells(row: Row) -> list[Any]:
        gaps = ["lost" if row[key] is None else row[key] * 1e3 for key in ("gap_max", "gap_rest")]
        cut = "" if row.get("seconds") is None else f" ({row['seconds']:.2g} s)"
        times = [common.whole(row["mean_ns"]), common.whole(row["worst_ns"])]
        gap = "-" if row["gap_ratio"] is None else row["gap_ratio"]
        return [row["scene"], row["engine"] + cut, *times, *gaps, row["time_ratio"], gap]

    steps = sorted({round(1 / row["dt"]) for row in result["rows"]})
    return (
        common.table(columns, map(cells, result["rows"]))
        + f"\n\ndt = {', '.join(f'1/{n}' for n in steps)} s. Time (for equal simulated time) and gap at rest are relative "
        f"to {BASE}. A scene is lost when a body's state is no longer finite; its times then mean little."
    )


if __name__ == "__main__":
    common.command(__doc__, run, report, rounds=3, scenes=SCENES)
