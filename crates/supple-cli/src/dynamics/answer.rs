//! The computation: bare articulated-body algorithm, with passive forces if they are wanted.

use anyhow::{Result, bail};
use glam::DQuat;
use supple::dynamics::articulated::Sweep;
use supple::dynamics::crba::{MassMatrix, mass_matrix};
use supple::dynamics::wrench::Wrenches;
use supple::dynamics::{BodyState, EquationOfMotion, aba, energy, passive};
use supple::{BodyId, Simulation};
use supple_io::{Loaded, ModelState};

/// Degrees of freedom up to which the mass matrix, a square, is given.
const LARGEST_MATRIX: usize = 2000;

/// Everything that is told about a state, in the model's order.
pub(crate) struct Answer {
    /// Joint accelerations.
    pub(crate) qdd: Vec<f64>,
    /// \[J]
    pub(crate) kinetic_energy: f64,
    /// Position \[m] and quaternion (x, y, z, w) of every body in the world.
    pub(crate) body_pos_quat: Vec<([f64; 3], [f64; 4])>,
    /// Velocity (w; v) of every body in its own axes.
    pub(crate) body_velocity: Vec<[f64; 6]>,
    /// With armature; `None` for models too large to print it.
    pub(crate) mass_matrix: Option<MassMatrix>,
}

impl Answer {
    pub(crate) fn new(loaded: &Loaded, state: &ModelState) -> Result<Self> {
        let mut simulation = Simulation::new(loaded.model.clone());
        simulation.state.q.clone_from(&state.q);
        simulation.state.v.clone_from(&state.v);
        let model = &simulation.model;
        let tree = model.tree();
        let kinematics = simulation.kinematics();

        let mut wrenches = Wrenches::new();
        wrenches.set(model, model.tree(), &kinematics, &state.wrenches);
        let (mut tau, mut diagonal) = (state.tau.clone(), model.armature().to_vec());
        if state.passive {
            let body = BodyState { model, tree, q: &state.q, v: &state.v };
            passive::add(&body, 0.0, &mut tau, &mut diagonal);
        }
        let mut qdd = vec![0.0; model.nv()];
        let mut sweep = Sweep::new(tree);
        let equation = EquationOfMotion {
            tree,
            kinematics: &kinematics,
            gravity: state.gravity,
            diagonal: &diagonal,
            wrenches: &wrenches,
        };
        aba::accelerations(&equation, &tau, &mut sweep, &mut qdd);
        if let Some(dof) = qdd.iter().position(|x| !x.is_finite()) {
            let joint = model.joint_of_dof(dof).map_or("", |j| &model.joints()[j.index()].name);
            bail!(
                "joint {joint:?} has no finite acceleration in this state: give the bodies beyond it mass and inertia, or the joint armature"
            );
        }

        let bodies = || (0..model.bodies().len()).map(BodyId::new);
        let pos_quat = |body| {
            let pose = simulation.body_pose(&kinematics, body);
            (pose.translation.to_array(), signed(pose.quat()).to_array())
        };
        let velocity = |body| simulation.body_velocity(&kinematics, body).to_array();
        Ok(Self {
            kinetic_energy: energy::kinetic(tree, &kinematics, model.armature(), &state.v),
            body_pos_quat: bodies().map(pos_quat).collect(),
            body_velocity: bodies().map(velocity).collect(),
            mass_matrix: (model.nv() <= LARGEST_MATRIX)
                .then(|| mass_matrix(tree, &kinematics, model.armature(), model.nv())),
            qdd,
        })
    }

    /// Rows of the mass matrix.
    pub(crate) fn mass_rows(&self) -> Option<Vec<&[f64]>> {
        self.mass_matrix.as_ref().map(|m| m.entries.chunks(m.n.max(1)).collect())
    }
}

/// Of the two quaternions of a rotation the one that most libraries give: w positive if the trace of the matrix
/// is, else the greatest of x, y, z.
fn signed(q: DQuat) -> DQuat {
    let trace = 4.0 * q.w * q.w - 1.0;
    let leading = if trace > 0.0 {
        q.w
    } else {
        let greater = |a: f64, b: f64| if b.abs() > a.abs() { b } else { a };
        greater(greater(q.x, q.y), q.z)
    };
    if leading < 0.0 { -q } else { q }
}
