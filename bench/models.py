"""Real models: supple's forward dynamics, mass matrix and kinetic energy against Pinocchio's and MuJoCo's.

    python bench/models.py [--seeds N] [--json]

Errors are relative, in the worse of two norms: the largest entry, and the length in the metric of the mass matrix
(which also sees heavy joints beside light ones). The bar for accelerations is 1e-9, or ten times the difference
between two ways to the same answer, if that is more: for URDF Pinocchio's two conventions, for MJCF MuJoCo's answer
for the model and for its twin with turned meshes (see `reference_mujoco.py`). Mass matrix and kinetic energy must
agree to 1e-9.
"""

from __future__ import annotations

import importlib.util
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

import common
from reference_mujoco import Mujoco
from reference_pinocchio import Pinocchio
from references import Reference, State

TOLERANCE = 1e-9
SEEDS = 5


def robots() -> Path:
    return Path(pin.__file__).parents[4] / "share" / "example-robot-data" / "robots"


def walkers() -> Path:
    spec = importlib.util.find_spec("dm_control")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("dm_control is not installed: run bench/setup.sh")
    return Path(spec.origin).parent


URDF = {
    "talos_reduced": "talos_data/robots/talos_reduced.urdf",
    "icub": "icub_description/robots/icub.urdf",
    "simple_humanoid": "simple_humanoid_description/urdf/simple_humanoid.urdf",
    "tiago_dual": "tiago_description/robots/tiago_dual.urdf",
    "anymal_b": "anymal_b_simple_description/robots/anymal.urdf",
    "anymal_c": "anymal_c_simple_description/urdf/anymal.urdf",
    "panda": "panda_description/urdf/panda.urdf",
}

MJCF = {
    "humanoid_CMU": "suite/humanoid_CMU.xml",
    "humanoid_CMU_V2020": "locomotion/walkers/assets/humanoid_CMU_V2020.xml",
    "rodent": "locomotion/walkers/assets/rodent.xml",
    "fruitfly": "locomotion/walkers/assets/fruitfly_v2/fruitfly.xml",
    "dog": "suite/dog.xml",
    "dog_v2": "locomotion/walkers/assets/dog_v2/dog.xml",
}


@dataclass(frozen=True)
class Case:
    """One model file, loaded one way, against one library."""

    model: str
    library: str
    floating: bool = False

    def __str__(self) -> str:
        base = ("floating" if self.floating else "fixed") if self.model in URDF else "mjcf"
        return f"{self.model}-{base}-{self.library}"

    @property
    def path(self) -> Path:
        return robots() / URDF[self.model] if self.model in URDF else walkers() / MJCF[self.model]

    def reference(self) -> Reference:
        if self.model in MJCF:
            return Mujoco.mjcf(self.path)
        library = Pinocchio if self.library == "pinocchio" else Mujoco
        return library.urdf(self.path, self.floating)

    def judge(self) -> Reference:
        """Whose two ways to the same answer set the bar."""
        return Mujoco.mjcf(self.path) if self.model in MJCF else Pinocchio.urdf(self.path, self.floating)


CASES = [
    *(Case(m, lib, base) for m in URDF for base in (False, True) for lib in ("pinocchio", "mujoco")),
    *(Case(m, "mujoco") for m in MJCF),
]


def question(reference: Reference, state: State, floating: bool) -> dict[str, Any]:
    """A state as `supple dynamics --state` reads it, for bodies alone: no damping, friction or springs."""
    parts = {"q": state.q, "qd": state.qd, "tau": state.tau}
    joints = {j.name: {k: list(part[j.name]) for k, part in parts.items()} for j in reference.joints}
    return {"joints": joints, "gravity": list(reference.gravity), "floating_base": floating, "passive": False}


def ask_supple(case: Case, reference: Reference, state: State) -> dict[str, Any]:
    """supple's answer, with `qdd` and `mass_matrix` in the reference's order of joints."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(question(reference, state, case.floating), file)
        file.flush()
        answer = common.supple("dynamics", case.path, "--state", file.name)
    moving, names = answer["joints"], {j.name for j in reference.joints}
    if set(moving) != names:
        raise AssertionError(f"{case}: joints differ: {sorted(set(moving) ^ names)}")
    qdd = reference.gather({name: np.array(joint["qdd"]) for name, joint in moving.items()})
    order = reference.gather(dofs_in_supple(moving))
    mass = np.array(answer["mass_matrix"])[np.ix_(order, order)]
    return {"qdd": qdd, "mass_matrix": mass, "kinetic_energy": answer["kinetic_energy"]}


def dofs_in_supple(moving: dict[str, Any]) -> dict[str, np.ndarray]:
    """Rows of each joint in supple's mass matrix: the answer lists joints in the order of its coordinates."""
    ends = np.cumsum([len(j["qdd"]) for j in moving.values()])
    return {name: np.arange(end - len(j["qdd"]), end) for (name, j), end in zip(moving.items(), ends)}


def distance(a: np.ndarray, b: np.ndarray, metric: np.ndarray) -> float:
    """Relative difference of a from b: largest entry, or length in the metric, whichever is worse."""
    e = a - b
    largest = np.abs(e).max() / np.abs(b).max()
    length = np.sqrt(abs(e @ metric @ e) / abs(b @ metric @ b))
    return float(max(largest, length))


def compare(case: Case, seeds: int = SEEDS) -> dict[str, Any]:
    """The worst of several random states."""
    reference, judge = case.reference(), case.judge()
    row: dict[str, Any] = {"case": str(case), "dofs": reference.nv, "remark": reference.remark}
    worst = {"qdd_error": 0.0, "qdd_of_bar": 0.0, "mass_error": 0.0, "energy_error": 0.0}
    for seed in range(seeds):
        state = reference.random_state(seed)
        truth = reference.answer(state)
        ours = ask_supple(case, reference, state)
        mass = truth.mass_matrix
        error = distance(ours["qdd"], truth.qdd, mass)
        verdict = judge.answer(state)
        bar = max(TOLERANCE, 10.0 * distance(verdict.second, verdict.qdd, verdict.mass_matrix))
        worst["qdd_error"] = max(worst["qdd_error"], error)
        worst["qdd_of_bar"] = max(worst["qdd_of_bar"], error / bar)
        error = np.abs(ours["mass_matrix"] - mass).max() / np.abs(mass).max()
        worst["mass_error"] = max(worst["mass_error"], float(error))
        error = abs(ours["kinetic_energy"] - truth.kinetic_energy) / truth.kinetic_energy
        worst["energy_error"] = max(worst["energy_error"], float(error))
    return row | worst | {"pass": passes(worst)}


def passes(row: dict[str, Any]) -> bool:
    return row["qdd_of_bar"] <= 1.0 and max(row["mass_error"], row["energy_error"]) <= TOLERANCE


def run(seeds: int = 20) -> dict[str, Any]:
    """All models; kept as results/models.json."""
    rows = []
    for case in CASES:
        try:
            rows.append(compare(case, seeds))
        except (RuntimeError, AssertionError) as error:
            reason = str(error).replace(str(case.path), case.path.name)
            rows.append({"case": str(case), "pass": False, "remark": reason})
    return common.save("models", rows, seeds=seeds)


def report(result: dict[str, Any]) -> str:
    columns = ["case", "dofs", "qdd_error", "qdd_of_bar", "mass_error", "energy_error", "pass", "remark"]
    return common.table(columns, [[row.get(c, "") for c in columns] for row in result["rows"]])


if __name__ == "__main__":
    common.command(__doc__, run, report, seeds=20)
