"""Models with closed loops and coupled joints from public packages: they load, run, and hold.

`four_bar_linkage.xml`, `four_bar_linkage_weld.xml` and the Panda of genesis-world (PyPI, fetched once into bench/.venv), the Panda of
example-robot-data (URDF, `<mimic>`). The four-bar linkage, with gravity, is also compared with MuJoCo.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import common
import models

GENESIS = "genesis-world==1.4.5"
FOLDER = common.ROOT / "bench" / ".venv" / "genesis"
# Weightless in the file: nothing would move.
WEIGHTLESS, WEIGHT = 'gravity="0 0 0"', 'gravity="0 0 -9.81"'


@dataclass(frozen=True)
class Case:
    """A model, and pairs of joints that must stay equal but for a factor."""

    name: str
    path: str
    package: str = "genesis"
    equal: tuple[tuple[str, str, float], ...] = ()

    def __str__(self) -> str:
        return self.name


CASES = [
    Case("four_bar", "four_bar_linkage.xml"),
    Case("four_bar_weld", "four_bar_linkage_weld.xml"),
    Case("panda", "franka_emika_panda/panda.xml", equal=(("finger_joint1", "finger_joint2", 1.0),)),
    Case(
        "panda_mimic",
        models.URDF["panda"],
        "example-robot-data",
        equal=(("panda_finger_joint2", "panda_finger_joint1", 1.0),),
    ),
]


def genesis() -> Path:
    """The models of genesis-world."""
    assets = FOLDER / "genesis" / "assets" / "xml"
    if not assets.exists():
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", GENESIS, "--dest", folder]
            subprocess.run(command, check=True)
            (wheel,) = Path(folder).glob("*.whl")
            with zipfile.ZipFile(wheel) as archive:
                wanted = [n for n in archive.namelist() if "xml/four_bar" in n or "xml/franka_emika_panda/" in n]
                archive.extractall(FOLDER, wanted)
    return assets


def text(case: Case) -> Path:
    """The file, with gravity."""
    if case.package != "genesis":
        return models.robots() / case.path
    path = genesis() / case.path
    heavy = path.read_text().replace(WEIGHTLESS, WEIGHT)
    weighty = path.with_name(f"weighty_{path.name}")
    weighty.write_text(heavy)
    return weighty


def run(case: Case, dt: str = "1/240", seconds: float = 2.0) -> dict[str, Any]:
    """Summary and trajectory of supple."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "motion.csv"
        arguments = ["run", text(case), "--dt", dt, "--seconds", str(seconds), "--out", out, "--json"]
        done = subprocess.run([common.binary(), *arguments], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{case}: {done.stderr.strip()}")
        with out.open() as file:
            rows = list(csv.DictReader(file))
    summary = json.loads(done.stdout)
    columns = {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}
    return {"summary": summary, "columns": columns, "warnings": done.stderr}


def mujoco_motion(case: Case, every: float, seconds: float, dt: float) -> np.ndarray:
    """Joint positions by MuJoCo, its constraints as stiff as its step allows."""
    model = mujoco.MjModel.from_xml_path(str(text(case)))
    model.opt.timestep = dt
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    model.eq_solref[:] = (2 * dt, 1.0)
    model.eq_solimp[:, :3] = (0.9999, 0.9999, 1e-3)
    data = mujoco.MjData(model)
    motion = [data.qpos.copy()]
    for _ in range(round(seconds / every)):
        for _ in range(round(every / dt)):
            mujoco.mj_step(model, data)
        motion.append(data.qpos.copy())
    return np.array(motion)
