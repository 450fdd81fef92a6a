"""Loops and coupled joints of public models hold, and move as in MuJoCo. A missing package or model is a failure."""

import numpy as np
import pytest

import loops


@pytest.mark.parametrize("case", loops.CASES, ids=str)
def test_holds(case: loops.Case) -> None:
    done = loops.run(case)
    summary = done["summary"]
    assert summary["constraints"] >= 1 and summary["finite"], summary
    assert summary["gap_max"] <= 1e-4 and summary["angle_max"] <= 1e-4, summary
    told = [line for line in done["warnings"].splitlines() if "equality" in line or "mimic" in line]
    assert not told, told
    for one, other, factor in case.equal:
        q = done["columns"]
        assert np.abs(q[f"q.{one}"] - factor * q[f"q.{other}"]).max() <= 1e-5


def test_moves_as_in_mujoco() -> None:
    """MuJoCo's step is of first order and its constraints are soft: shorter steps come nearer, ten times for a tenth."""
    case = loops.CASES[0]
    columns = loops.run(case, "1/1000", 1.0)["columns"]
    ours = np.stack([columns[f"q.hinge_{i}"] for i in (1, 2, 3)], axis=1)
    errors = [np.abs(loops.mujoco_motion(case, 1e-3, 1.0, dt) - ours).max() for dt in (1e-3, 1e-4)]
    assert errors[0] < 5e-3 and errors[1] < 3e-4 and errors[1] < 0.2 * errors[0], errors
