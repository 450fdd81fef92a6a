//! The end of making a model: what can only be said of it by asking how it moves.

use crate::model::{JointKind, Model, ModelBuilder, ModelError};

use super::crba::carried_inertias;
use super::kinematics::Kinematics;
use super::massless;

impl ModelBuilder {
    /// Validates everything once and makes the model.
    pub fn finish(self) -> Result<Model, ModelError> {
        let mut model = self.assemble()?;
        massless::resisted(&model)?;
        if model.dofs().iter().any(|d| d.limit.is_some()) {
            let carried = carried_by_stops(&model);
            model.choose_stops(&carried);
        }
        model.note_passive();
        Ok(model)
    }
}

/// Inertia of all that each degree of freedom carries, at the neutral pose, as its soft stops feel it.
fn carried_by_stops(model: &Model) -> Vec<f64> {
    let mut kinematics = Kinematics::default();
    kinematics.update(model.tree(), model.neutral(), &vec![0.0; model.nv()]);
    let mut carried = carried_inertias(model.tree(), &kinematics, model.armature());
    for joint in model.joints().iter().filter(|j| j.kind == JointKind::Spherical) {
        // its first limit stops turns about any axis
        let largest = carried[joint.v..joint.v + joint.nv].iter().fold(0.0, |m: f64, x| m.max(*x));
        carried[joint.v] = largest;
    }
    carried
}
