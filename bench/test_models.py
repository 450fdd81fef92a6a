"""supple on real models agrees with Pinocchio and MuJoCo. A missing package or model is a failure."""

import pytest

import models


@pytest.mark.parametrize("case", models.CASES, ids=str)
def test_agrees(case: models.Case) -> None:
    row = models.compare(case)
    assert row["pass"], row
