//! Inertia about single degrees of freedom, which MuJoCo derives springs and dampers from.

use glam::DVec3;
use supple::Model;
use supple::dynamics::{EquationOfMotion, aba, articulated::Sweep, kinematics::Kinematics, wrench::Wrenches};

/// A model at rest at one position, pushed at single joints.
pub(super) struct Probe<'a> {
    model: &'a Model,
    kinematics: Kinematics,
    sweep: Sweep,
    tau: Vec<f64>,
    qdd: Vec<f64>,
}

impl<'a> Probe<'a> {
    pub(super) fn new(model: &'a Model, q: &[f64]) -> Self {
        let mut kinematics = Kinematics::new(model.tree());
        let zero = vec![0.0; model.nv()];
        kinematics.update(model.tree(), q, &zero);
        Self { model, kinematics, sweep: Sweep::new(model.tree()), tau: zero.clone(), qdd: zero }
    }

    /// Acceleration of a degree of freedom per force on it, all others free \[1/(kg·m²) or 1/kg].
    pub(super) fn inverse_inertia(&mut self, dof: usize) -> f64 {
        let Self { model, kinematics, sweep, tau, qdd } = self;
        tau[dof] = 1.0;
        let none = Wrenches::new();
        let equation = EquationOfMotion {
            tree: model.tree(),
            kinematics,
            gravity: DVec3::ZERO,
            diagonal: model.armature(),
            wrenches: &none,
        };
        aba::accelerations(&equation, tau, sweep, qdd);
        tau[dof] = 0.0;
        qdd[dof]
    }
}
