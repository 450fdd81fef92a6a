"""Every kind of joint in MuJoCo: it holds, and it lets go what it should."""

from __future__ import annotations

from typing import Any

import numpy as np

import constraints_mujoco

Q_Z_TO_Y = [-np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)]  # a hinge about y

GAP = 1e-4  # [m]: centripetal acceleration, up to 20 m/s², times the square of `solref`'s two steps of 1 ms


def body(position: list[float]) -> dict[str, Any]:
    still = {"rotation": [0, 0, 0, 1], "velocity": [0, 0, 0], "omega": [0, 0, 0], "com": [0, 0, 0]}
    return {"name": "", "position": position, "mass": 1.0, "inertia": [0.02, 0, 0, 0.03, 0, 0.04], **still}


def world(kind: str, **more: Any) -> dict[str, Any]:
    """A body at (1, 0, 0) on a joint with the world at the origin."""
    at = {"rotation": Q_Z_TO_Y}
    near = [0.0, 0, 0] if kind in ("rope", "distance") else [-1.0, 0, 0]
    joint = {"name": kind, "kind": kind, "parent": -1, "child": 0, **more}
    joint |= {"parent_frame": at | {"position": [0.0, 0, 0]}, "child_frame": at | {"position": near}}
    return {
        "name": kind, "dt": 1 / 1000, "gravity": [0, 0, -9.81], "seconds": 0.3,
        "bodies": [body([1.0, 0, 0])], "joints": [joint],
    }  # fmt: skip


def fallen(kind: str, **more: Any) -> float:
    """How far the body falls in 0.3 s [m]."""
    row = constraints_mujoco.measure(world(kind, **more), "mujoco-stiff")
    assert row["gap_max"] < GAP
    return -row["height"]


def test_rigid_holds() -> None:
    assert fallen("rigid") < 1e-5


def test_pendulums_fall_as_they_should() -> None:
    # θ'' = g cos θ / l (with the body's own inertia: · m l² / (m l² + I)), by small steps.
    def expected(inertia: float) -> float:
        angle, speed, dt = 0.0, 0.0, 1e-5
        for _ in range(30_000):
            speed += dt * 9.81 * np.cos(angle) / (1.0 + inertia)
            angle += dt * speed
        return float(np.sin(angle))

    assert abs(fallen("hinge") - expected(0.03)) < 5e-3
    assert abs(fallen("ball") - expected(0.03)) < 5e-3
    assert abs(fallen("distance", length=1.0) - expected(0.0)) < 5e-3
    assert abs(fallen("rope", length=1.0) - expected(0.0)) < 5e-3


def test_slack_rope_lets_fall() -> None:
    assert abs(fallen("rope", length=2.0) - 9.81 * 0.3**2 / 2) < 5e-3


def test_distance_starts_at_its_own_length() -> None:
    """A distance that is not the one at the start is corrected."""
    run = constraints_mujoco.Run(world("distance", length=0.99), 1 / 1000, constraints_mujoco.ENGINES["mujoco-stiff"])
    assert abs(run.gap() - 0.01) < 1e-12
    for _ in range(100):
        run.step()
    assert run.gap() < 1e-4
