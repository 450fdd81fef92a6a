//! What acts inside a joint: drives, springs, dampers, friction and stops, as the metric sees them.

use crate::dynamics::passive;
use crate::model::LinkId;

use super::scene::Scene;

impl Scene<'_> {
    /// Sets the joint force and what is added to the joint inertia (both by v) of one link's joint, passive forces and actuators implicit
    /// over the time that is looked ahead: the same terms as in a step. Of a joint that stands still they stay as they are.
    pub(super) fn joint_terms(&self, link: LinkId, tau: &mut [f64], diagonal: &mut [f64]) {
        let (model, v, h) = (self.model, self.v, self.ahead);
        let link = &model.tree().links[link.index()];
        let first = link.v as usize;
        for (k, dof) in link.dofs().enumerate() {
            tau[k] = self.loads.drive(model, dof);
            diagonal[k] = model.armature()[dof];
            if let Some(drive) = self.drives.at(dof) {
                tau[k] += drive.joint_force(v[dof], h);
                diagonal[k] += drive.diagonal(h);
            }
        }
        if link.passive {
            passive::couples(&self.body(), link, (v, h), |dof, c| {
                let k = c.k + c.stop_k;
                tau[dof - first] += c.spring_force + c.stop_force - (c.d + h * k) * v[dof];
                diagonal[dof - first] += h * c.d + h * h * k;
            });
        }
    }
}
