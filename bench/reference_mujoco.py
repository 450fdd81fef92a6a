"""MuJoCo as a reference."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin
from lxml import etree

from references import Joint, Matrix, Reference, State, Vector


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
