"""Two builds of the command, in turns: how much processor time a scene takes, and how deep bodies go into each other.

    python bench/two_binaries.py OLD NEW --scenes ragdolls-100 rings --pairs 15 --seconds 3

Runs alternate, and so does who begins, so that what else the machine does hits both alike. The median of the ratios of pairs counts."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import tempfile

SCENES = ("ragdolls-100", "rings", "bridge-blocks", "net-boxes")


def run(binary: str, scene: list[str], seconds: float, threads: int) -> tuple[float, dict]:
    """User time of one run [s], and its summary."""
    with tempfile.TemporaryFile() as out:
        environment = os.environ | {"RAYON_NUM_THREADS": str(threads)}
        arguments = [binary, "run", *scene, "--seconds", str(seconds), "--json"]
        child = subprocess.Popen(arguments, stdout=out, stderr=subprocess.DEVNULL, env=environment)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        if child.returncode != 0:
            raise SystemExit(f"{' '.join(arguments)} ended with {child.returncode}")
        return usage.ru_utime, json.load(out)


def compare(binaries: list[str], scene: list[str], seconds: float, pairs: int, threads: int) -> None:
    times, ratios, summaries = ([], []), [], [{}, {}]
    for i in range(pairs):
        pair = [0.0, 0.0]
        for k in (0, 1) if i % 2 == 0 else (1, 0):
            pair[k], summaries[k] = run(binaries[k], scene, seconds, threads)
            times[k].append(pair[k])
        ratios.append(pair[1] / pair[0])
    old, new = map(statistics.median, times)
    low, _, high = statistics.quantiles(ratios, n=4) if pairs > 1 else (ratios[0],) * 3
    deep = [1e3 * s.get("penetration_max", 0.0) for s in summaries]
    print(
        f"{' '.join(scene):<28} {old:7.3f} s  {new:7.3f} s   ratio {statistics.median(ratios):.3f} "
        f"(quartiles {low:.3f} to {high:.3f}, of the least {min(times[1]) / min(times[0]):.3f})   "
        f"deepest {deep[0]:.2f} and {deep[1]:.2f} mm",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--scenes", nargs="+", default=SCENES, help="names, with settings as net:cells=9")
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=2.0, help="simulated [s]")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    for scene in options.scenes:
        name, *settings = scene.split(":")
        words = [name] + [word for setting in settings for word in ("--set", setting)]
        compare([options.old, options.new], words, options.seconds, options.pairs, options.threads)


if __name__ == "__main__":
    main()
