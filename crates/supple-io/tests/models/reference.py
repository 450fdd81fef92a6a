"""Writes NAME.json beside each NAME.xml: what MuJoCo makes of it. `python reference.py`, with mujoco installed.

Joint numbers are in supple's conventions: quaternions (x, y, z, w), free joints' velocity (angular; linear) in body axes.
"""
import json
from pathlib import Path

import mujoco
import numpy as np


def rotation(quat):
    matrix = np.zeros(9)
    mujoco.mju_quat2Mat(matrix, quat)
    return matrix.reshape(3, 3)


def reference(path):
    model = mujoco.MjModel.from_xml_path(str(path))
    rng = np.random.default_rng(7)
    body_name = lambda b: model.body(b).name or f"body{b}"

    # body inertias, body axes about the centre of mass
    bodies = {}
    for b in range(1, model.nbody):
        r = rotation(model.body_iquat[b])
        i = r @ np.diag(model.body_inertia[b]) @ r.T
        bodies[body_name(b)] = {
            "mass": model.body_mass[b], "com": list(model.body_ipos[b]),
            "inertia": [i[0, 0], i[0, 1], i[0, 2], i[1, 1], i[1, 2], i[2, 2]],
        }

    # passive parameters before they are switched off
    joints = {}
    for j in range(model.njnt):
        b = model.jnt_bodyid[j]
        name = model.joint(j).name
        if not name:
            name = body_name(b) if model.body_jntnum[b] == 1 else f"{body_name(b)}/{j - model.body_jntadr[b]}"
        dof = model.jnt_dofadr[j]
        joints[name] = {
            "stiffness": model.jnt_stiffness[j], "damping": model.dof_damping[dof], "armature": model.dof_armature[dof],
            "friction": model.dof_frictionloss[dof],
            "range": list(model.jnt_range[j]) if model.jnt_limited[j] else None,
        }

    # bare forward dynamics at a random state
    for flag in ("CONSTRAINT", "SPRING", "DAMPER", "CONTACT", "ACTUATION"):
        model.opt.disableflags |= getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}").value
    data = mujoco.MjData(model)
    q, v, tau = model.qpos0.copy(), rng.normal(size=model.nv), rng.normal(size=model.nv)
    for j in range(model.njnt):
        a, kind = model.jnt_qposadr[j], model.jnt_type[j]
        if kind <= 1:
            q[a:a + 3] += rng.normal(size=3) if kind == 0 else 0
            a += 3 if kind == 0 else 0
            q[a:a + 4] = rng.normal(size=4)
            q[a:a + 4] /= np.linalg.norm(q[a:a + 4])
        else:
            q[a] += 0.5 * rng.normal()
    data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q, v, tau
    mujoco.mj_forward(model, data)
    for j, joint in enumerate(joints.values()):
        a, d, kind = model.jnt_qposadr[j], model.jnt_dofadr[j], model.jnt_type[j]
        xyzw = lambda a: [*q[a + 1:a + 4], q[a]]
        if kind == 0:
            r = rotation(q[a + 3:a + 7])
            w, vel = v[d + 3:d + 6], r.T @ v[d:d + 3]
            turned = lambda x: [*x[d + 3:d + 6], *(r.T @ x[d:d + 3])]
            qdd = turned(data.qacc)
            qdd[3:] = np.array(qdd[3:]) - np.cross(w, vel)
            joint |= {"q": [*q[a:a + 3], *xyzw(a + 3)], "qd": turned(v), "tau": turned(tau), "qdd": qdd}
        else:
            n = 3 if kind == 1 else 1
            position = xyzw(a) if kind == 1 else [q[a]]
            joint |= {"q": position, "qd": v[d:d + n], "tau": tau[d:d + n], "qdd": data.qacc[d:d + n].copy()}
    result = {"mujoco": mujoco.__version__, "gravity": list(model.opt.gravity), "bodies": bodies, "joints": joints}

    # forces of actuators in that state, each told something at random
    if model.nu:
        model.opt.disableflags &= ~mujoco.mjtDisableBit.mjDSBL_ACTUATION.value
        data.ctrl[:] = rng.normal(size=model.nu)
        mujoco.mj_forward(model, data)
        result["actuators"] = {
            "control": {model.actuator(i).name: data.ctrl[i] for i in range(model.nu)},
            "force": {model.actuator(i).name: data.actuator_force[i] for i in range(model.nu)},
            "tau": list(data.qfrc_actuator),
        }
    return result


class Encoder(json.JSONEncoder):
    def default(self, value):
        return value.tolist()


if __name__ == "__main__":
    for path in sorted(Path(__file__).parent.glob("*.xml")):
        path.with_suffix(".json").write_text(json.dumps(reference(path), cls=Encoder, indent=1) + "\n")
        print(path.name)
