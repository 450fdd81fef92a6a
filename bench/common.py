"""What all comparisons share: the supple binary, the machine's name, results and tables."""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"


def binary() -> Path:
    """The supple command that `SUPPLE` names, or that of this checkout, in the target directory that cargo uses."""
    if named := os.environ.get("SUPPLE"):
        return Path(named)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    path = target / "release" / "supple"
    if not path.exists():
        raise FileNotFoundError("no release build of supple: run `cargo build --release` first")
    return path


def supple(*arguments: str | Path, ok: bool = True) -> dict[str, Any]:
    """Runs supple with `--json` and returns what it prints; `ok=False` lets it fail and still answer."""
    command = [str(binary()), *map(str, arguments), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if ok and done.returncode != 0:
        raise RuntimeError(f"supple {arguments[0]}: {done.stderr.strip()}")
    return json.loads(done.stdout) if done.stdout.strip() else {"error": done.stderr.strip()}


def machine() -> str:
    """The processor's name and how many of its cores are ours."""
    name = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        name = names[0].split(":", 1)[1].strip() if names else name
    return f"{name}, {len(os.sched_getaffinity(0))} cores"


def save(name: str, rows: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """Keeps a comparison as `results/NAME.json`, with the machine it was made on."""
    result = {"bench": name, "machine": machine(), **more, "rows": rows}
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(result, indent=1) + "\n")
    return result


def whole(value: float) -> str:
    """A number without decimals, thousands apart."""
    return f"{value:,.0f}"


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A markdown table; numbers to three digits."""

    def cell(value: Any) -> str:
        return f"{value:.3g}" if isinstance(value, float) else str(value)

    lines = [list(columns), ["---"] * len(columns), *([cell(v) for v in row] for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(columns))]
    lines[1] = ["-" * w for w in widths]
    return "\n".join("| " + " | ".join(c.ljust(w) for c, w in zip(line, widths)) + " |" for line in lines)


def command(
    doc: str, run: Callable[..., dict[str, Any]], report: Callable[[dict[str, Any]], str], **options: Any
) -> None:
    """A comparison as a command: its options with defaults, and `--json`."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in options.items():
        parser.add_argument(f"--{name}", type=type(default), default=default, help=f"default: {default}")
    parser.add_argument("--json", action="store_true", help="print JSON only")
    given = vars(parser.parse_args())
    as_json = given.pop("json")
    result = run(**given)
    print(json.dumps(result) if as_json else f"{result['machine']}\n\n{report(result)}")
