"""Pinocchio as a reference."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio as pin
from lxml import etree

from references import Joint, Matrix, Reference, State, Vector


class Pinocchio(Reference):
    """Pinocchio's `aba`; its two conventions are each other's second opinion."""

    KINDS = {"FreeFlyer": "free", "Spherical": "spherical", "P": "distance", "R": "angle"}

    def __init__(self, model: pin.Model, names: dict[str, str] | None = None) -> None:
        self.model, self.data = model, model.createData()
        self.gravity = model.gravity.linear.copy()
        self.joints, self.circles = [], set()
        for name, joint in list(zip(model.names, model.joints))[1:]:
            name, short = (names or {}).get(name, name), joint.shortname().removeprefix("JointModel")
            if short == "Universal":  # two angles
                self.joints += [Joint(f"{name}.{k}", "angle", joint.idx_q + k, joint.idx_v + k) for k in (0, 1)]
                continue
            kind = next(kind for start, kind in self.KINDS.items() if short.startswith(start))
            self.joints.append(Joint(name, kind, joint.idx_q, joint.idx_v))
            if joint.nq == 2:
                self.circles.add(name)

    @classmethod
    def urdf(cls, path: Path, floating: bool) -> Pinocchio:
        """A URDF; the joint of a floating base has the root link's name."""
        if floating:
            model = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
            return cls(model, {"root_joint": root_link(path)})
        return cls(pin.buildModelFromUrdf(str(path)))

    def positions(self, state: State) -> Vector:
        q = pin.neutral(self.model)
        for j in self.joints:
            value = state.q[j.name]
            if j.name in self.circles:  # an angle without bounds is a point on the circle
                value = np.array([np.cos(value[0]), np.sin(value[0])])
            q[j.q_at : j.q_at + len(value)] = value
        return q

    def velocity_map(self, state: State) -> tuple[Matrix, Vector]:
        j_all = np.eye(self.nv)
        for j in self.joints:
            if j.kind == "free":  # linear before angular, both in body axes
                j_all[j.dofs, j.dofs] = np.roll(np.eye(6), 3, axis=0)
        return j_all, np.zeros(self.nv)

    def solve(self, q: Vector, v: Vector, tau: Vector) -> tuple[Vector, Vector, Matrix, float]:
        m, d = self.model, self.data
        first = pin.aba(m, d, q, v, tau, pin.Convention.LOCAL).copy()
        second = pin.aba(m, d, q, v, tau, pin.Convention.WORLD).copy()
        upper = np.triu(pin.crba(m, d, q))
        return first, second, upper + np.triu(upper, 1).T, pin.computeKineticEnergy(m, d, q, v)


def root_link(path: Path) -> str:
    """The link of a URDF that no joint carries."""
    robot = etree.parse(str(path)).getroot()
    children = {j.find("child").get("link") for j in robot.iter("joint") if j.find("child") is not None}
    return next(link.get("name") for link in robot.findall("link") if link.get("name") not in children)
