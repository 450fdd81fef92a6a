"""Pinocchio and MuJoCo as references: the same state in, the same quantities out, in supple's conventions.

supple: quaternions (x, y, z, w); a free joint has q = (position, quaternion) and qd = (angular, linear) in body
axes; qdd is the component-wise derivative of qd. Every library's velocity is an orthogonal image of it,
v = J qd, so that dv/dt = J qdd + c, and forces, which are dual, turn by J too.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

Vector = np.ndarray
Matrix = np.ndarray


@dataclass(frozen=True)
class Joint:
    """A moving joint by name: what it does, and where the library has its numbers."""

    name: str
    kind: str  # "angle", "distance", "spherical" or "free"
    q_at: int
    v_at: int

    @property
    def nq(self) -> int:
        """Numbers of q in supple."""
        return {"spherical": 4, "free": 7}.get(self.kind, 1)

    @property
    def nv(self) -> int:
        return {"spherical": 3, "free": 6}.get(self.kind, 1)

    @property
    def dofs(self) -> slice:
        return slice(self.v_at, self.v_at + self.nv)


@dataclass(frozen=True)
class State:
    """Position, velocity and force of every moving joint by name, in supple's conventions."""

    q: dict[str, Vector]
    qd: dict[str, Vector]
    tau: dict[str, Vector]


@dataclass(frozen=True)
class Answer:
    """What a library says about a state, in supple's conventions and the library's order of joints.

    `second` is the library's own second opinion on `qdd`.
    """

    qdd: Vector
    second: Vector
    mass_matrix: Matrix
    kinetic_energy: float


class Reference(ABC):
    """A model as another library has it."""

    joints: list[Joint]
    gravity: Vector
    remark = ""

    @property
    def nv(self) -> int:
        return sum(j.nv for j in self.joints)

    def gather(self, by_name: dict[str, Vector]) -> Vector:
        """Velocities, forces or accelerations in the order of the library's joints."""
        return np.concatenate([by_name[j.name] for j in self.joints])

    def by_name(self, values: Vector) -> dict[str, Vector]:
        return {j.name: values[j.dofs] for j in self.joints}

    @abstractmethod
    def positions(self, state: State) -> Vector:
        """q in the library's conventions."""

    @abstractmethod
    def velocity_map(self, state: State) -> tuple[Matrix, Vector]:
        """J and c of v = J qd, dv/dt = J qdd + c."""

    @abstractmethod
    def solve(self, q: Vector, v: Vector, tau: Vector) -> tuple[Vector, Vector, Matrix, float]:
        """Accelerations, the second opinion on them, mass matrix, kinetic energy: all in the library's conventions."""

    def answer(self, state: State) -> Answer:
        """Forward dynamics and mass matrix at a state."""
        j, c = self.velocity_map(state)
        v, tau = j @ self.gather(state.qd), j @ self.gather(state.tau)
        first, second, mass, energy = self.solve(self.positions(state), v, tau)
        return Answer(j.T @ (first - c), j.T @ (second - c), j.T @ mass @ j, energy)

    def random_state(self, seed: int) -> State:
        """Any pose, velocities of 1 rad/s and 1 m/s, and forces that would speed each joint up by about 10 per s²."""
        rng = np.random.default_rng(seed)
        q = {j.name: random_position(j.kind, rng) for j in self.joints}
        none = self.by_name(np.zeros(self.nv))
        inertia = np.diag(self.answer(State(q, none, none)).mass_matrix)
        qd, tau = rng.normal(size=self.nv), 10.0 * inertia * rng.normal(size=self.nv)
        return State(q, self.by_name(qd), self.by_name(tau))


def random_position(kind: str, rng: np.random.Generator) -> Vector:
    quat = rng.normal(size=4)
    quat /= np.linalg.norm(quat)
    match kind:
        case "angle":
            return rng.uniform(-np.pi, np.pi, 1)
        case "distance":
            return rng.uniform(-0.5, 0.5, 1)
        case "spherical":
            return quat
        case _:
            return np.concatenate([rng.normal(size=3), quat])
