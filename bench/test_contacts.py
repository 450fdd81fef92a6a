"""Public models touch: they load with colliders, fall on a ground for a second, stay finite and do not fall through."""

from __future__ import annotations

import csv
import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest

import common
import models

# iCub's collision geometry is Collada, which is not read.
WITHOUT = {"icub"}
GROUND = -2.0  # [m]: the models fall for 0.3 s at least, and in a second would be at -4.9 m without it
FREE = ["talos_reduced", "simple_humanoid", "tiago_dual", "anymal_b", "anymal_c", "humanoid_CMU"]


def run(model: str, seconds: float, ground: float) -> tuple[dict[str, Any], list[dict[str, str]], str]:
    """Summary, trajectory and warnings of supple."""
    path = models.robots() / models.URDF[model] if model in models.URDF else models.walkers() / models.MJCF[model]
    options = {"contacts": "true", "ground": ground, "floating_base": "true", "ignore_forces": "true"}
    sets = [word for name, value in options.items() for word in ("--set", f"{name}={value}")]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "motion.csv"
        arguments = ["run", path, *sets, "--dt", "1/500", "--seconds", str(seconds), "--out", out, "--json"]
        done = subprocess.run([common.binary(), *map(str, arguments)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        with out.open() as file:
            return json.loads(done.stdout), list(csv.DictReader(file)), done.stderr


@pytest.mark.parametrize("model", sorted(models.URDF | models.MJCF))
def test_loads_with_colliders(model: str) -> None:
    summary, _, warnings = run(model, 0.01, -100.0)
    assert summary["finite"], summary
    left_out = [line for line in warnings.splitlines() if "touches nothing" in line]
    assert bool(left_out) == (model in WITHOUT or model == "tiago_dual"), left_out


@pytest.mark.parametrize("model", FREE)
def test_falls_on_the_ground_and_not_through_it(model: str) -> None:
    summary, rows, _ = run(model, 1.0, GROUND)
    assert summary["finite"], summary
    (height,) = [name for name in rows[0] if name.endswith(".z")]
    # humanoid_CMU has a floor of its own, at zero
    floor = 0.0 if model == "humanoid_CMU" else GROUND
    assert floor < float(rows[-1][height]) < float(rows[0][height]), (rows[0][height], rows[-1][height])
