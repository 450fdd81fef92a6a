"""Pinocchio and MuJoCo as references: the same state in, the same quantities out, in supple's conventions.

supple: quaternions (x, y, z, w); a free joint has q = (position, quaternion) and qd = (angular, linear) in body
axes; qdd is the component-wise derivative of qd. Every library's velocity is an orthogonal image of it,
v = J qd, so that dv/dt = J qdd + c, and forces, which are dual, turn by J too.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin
from lxml import etree

Vector = np.ndarray
Matrix = np.ndarray

EARTH = (0.0, 0.0, -9.81)


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


class Mujoco(Reference):
    """MuJoCo's `mj_forward`, bodies alone; LAPACK's solution of MuJoCo's own equations is the second opinion.

    MuJoCo's compiler leaves the inertias of meshes turned by up to 1e-7 rad. So the second opinion on a model with
    meshes is that of a `twin`: the same model, every mesh turned in its file and turned back on its body.
    """

    KINDS = {
        mujoco.mjtJoint.mjJNT_FREE: "free",
        mujoco.mjtJoint.mjJNT_BALL: "spherical",
        mujoco.mjtJoint.mjJNT_SLIDE: "distance",
        mujoco.mjtJoint.mjJNT_HINGE: "angle",
    }
    OFF = (
        mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
        | mujoco.mjtDisableBit.mjDSBL_CONTACT
        | mujoco.mjtDisableBit.mjDSBL_ACTUATION
        | mujoco.mjtDisableBit.mjDSBL_SPRING
        | mujoco.mjtDisableBit.mjDSBL_DAMPER
        | mujoco.mjtDisableBit.mjDSBL_EULERDAMP
        | mujoco.mjtDisableBit.mjDSBL_SENSOR
        | mujoco.mjtDisableBit.mjDSBL_AUTORESET
    )

    def __init__(self, model: mujoco.MjModel, twin: Mujoco | None = None) -> None:
        self.model, self.data = model, mujoco.MjData(model)
        self.twin = twin or self
        model.opt.disableflags |= int(self.OFF)
        model.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_ENERGY)
        model.opt.density = model.opt.viscosity = 0.0
        self.gravity = model.opt.gravity.copy()
        self.joints = [
            Joint(model.joint(i).name, self.KINDS[mujoco.mjtJoint(model.jnt_type[i])], int(q_at), int(v_at))
            for i, (q_at, v_at) in enumerate(zip(model.jnt_qposadr, model.jnt_dofadr))
        ]

    @classmethod
    def mjcf(cls, path: Path) -> Mujoco:
        """An MJCF file as it is."""
        spec = mujoco.MjSpec.from_file(str(path))
        turn = pin.Quaternion(pin.exp3(np.array([0.3, -0.5, 0.7])))
        for mesh in spec.meshes:
            mesh.refquat = w_first(turn)
        for geom in spec.geoms:
            if geom.meshname:
                geom.quat = w_first(pin.Quaternion(np.roll(geom.quat, -1)) * turn)
        return cls(mujoco.MjModel.from_xml_path(str(path)), twin=cls(spec.compile()))

    @classmethod
    def urdf(cls, path: Path, floating: bool) -> Mujoco:
        """A URDF without its shapes. Inertias that the compiler refuses are put in after it has run."""
        robot = etree.parse(str(path)).getroot()
        etree.strip_elements(robot, "visual", "collision", with_tail=False)
        options = etree.SubElement(robot, "mujoco")
        etree.SubElement(options, "compiler", fusestatic="false", inertiafromgeom="false")
        spec = mujoco.MjSpec.from_string(etree.tostring(robot, encoding="unicode"))
        if floating:
            root = spec.worldbody.first_body()
            root.add_freejoint(name=root.name)
        try:
            return cls(spec.copy().compile())
        except ValueError:
            withheld = {b.name: withhold_inertia(b) for b in spec.bodies if not acceptable(b)}
        model = spec.compile()
        for name, (mass, moments) in withheld.items():
            model.body(name).mass[:], model.body(name).inertia[:] = mass, moments
        mujoco.mj_setConst(model, mujoco.MjData(model))
        reference = cls(model)
        reference.remark = "MuJoCo's compiler refuses some inertias: put in behind it"
        return reference

    def positions(self, state: State) -> Vector:
        q = self.model.qpos0.copy()
        for j in self.joints:
            value = state.q[j.name]
            if j.kind in ("free", "spherical"):  # w first
                value = np.concatenate([value[:-4], value[-1:], value[-4:-1]])
            q[j.q_at : j.q_at + len(value)] = value
        return q

    def velocity_map(self, state: State) -> tuple[Matrix, Vector]:
        j_all, c = np.eye(self.nv), np.zeros(self.nv)
        for j in self.joints:
            if j.kind == "free":  # linear in world axes before angular in body axes
                rotation = pin.Quaternion(state.q[j.name][3:]).matrix()
                block = np.zeros((6, 6))
                block[:3, 3:], block[3:, :3] = rotation, np.eye(3)
                j_all[j.dofs, j.dofs] = block
                angular, linear = np.split(state.qd[j.name], 2)
                c[j.v_at : j.v_at + 3] = rotation @ np.cross(angular, linear)
        return j_all, c

    def solve(self, q: Vector, v: Vector, tau: Vector) -> tuple[Vector, Vector, Matrix, float]:
        mass, bias = self.equations(q, v, tau)
        twin_mass, twin_bias = self.twin.equations(q, v, tau)
        second = np.linalg.solve(twin_mass, tau - twin_bias)
        return self.data.qacc.copy(), second, mass, float(self.data.energy[1])

    def equations(self, q: Vector, v: Vector, tau: Vector) -> tuple[Matrix, Vector]:
        """Mass matrix and bias forces; leaves all else in `data`."""
        m, d = self.model, self.data
        d.qpos[:], d.qvel[:], d.qfrc_applied[:] = q, v, tau
        mujoco.mj_forward(m, d)
        mass = np.zeros((m.nv, m.nv))
        mujoco.mj_fullM(m, d, mass)
        return mass, d.qfrc_bias.copy()


def w_first(quat: pin.Quaternion) -> Vector:
    return np.roll(quat.coeffs(), 1)


def root_link(path: Path) -> str:
    """The link of a URDF that no joint carries."""
    robot = etree.parse(str(path)).getroot()
    children = {j.find("child").get("link") for j in robot.iter("joint") if j.find("child") is not None}
    return next(link.get("name") for link in robot.findall("link") if link.get("name") not in children)


def inertia(body: mujoco.MjsBody) -> Matrix:
    xx, yy, zz, xy, xz, yz = np.nan_to_num(body.fullinertia)
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def acceptable(body: mujoco.MjsBody) -> bool:
    """Whether MuJoCo's compiler takes the inertia: positive moments that obey the triangle inequality."""
    if body.mass == 0.0:
        return not body.joints
    moments = np.linalg.eigvalsh(inertia(body))
    return moments[0] > 1e-15 and moments[0] + moments[1] >= moments[2]


def withhold_inertia(body: mujoco.MjsBody) -> tuple[float, Vector]:
    """Puts a harmless inertia, about the same axes, in a body's place; returns its mass and moments."""
    mass = body.mass
    moments, axes = np.linalg.eigh(inertia(body))
    axes[:, 2] *= np.sign(np.linalg.det(axes))
    quat = pin.Quaternion(np.roll(body.iquat, -1)) * pin.Quaternion(axes)
    body.mass, body.explicitinertial = 1.0, True
    body.fullinertia = [np.nan] * 6
    body.inertia = [1.0, 1.0, 1.0]
    body.iquat = w_first(quat)
    return mass, moments
