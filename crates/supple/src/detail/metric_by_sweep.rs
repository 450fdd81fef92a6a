//! The acceleration metric the direct way: one articulated-body sweep over the whole body, then sums over the nodes of the
//! assembly tree. Cheaper than the way of the assembly tree for bodies of some hundred joints.

use crate::dynamics::integrate::Workspace;
use crate::model::LinkId;

use super::assembly::body_metric::{of_joints, sum_up};
use super::assembly::{AssemblyTree, NodeId};
use super::scene::Scene;
use super::select::Parts;

/// The metric of all nodes.
#[derive(Clone, Debug, Default)]
pub(super) struct MetricBySweep {
    of_link: Vec<f64>,
    of_node: Vec<f64>,
    diagonal: Vec<f64>,
}

impl MetricBySweep {
    /// The impulse metric of the whole body, for impulses that `scene` has as loads; velocity jumps are left in `work.rates`.
    pub(super) fn begin_impulses(&mut self, scene: &Scene<'_>, work: &mut Workspace) -> f64 {
        // what dampers, springs and stops leave of the jumps over the time looked ahead, as the assembly tree has it
        let Scene { model, loads, q, .. } = *scene;
        self.diagonal.resize(model.nv(), 0.0);
        for (i, link) in model.tree().links.iter().enumerate() {
            let diagonal = &mut self.diagonal[link.dofs()];
            scene.joint_terms(LinkId::new(i), &mut [0.0; 6], diagonal);
        }
        work.jump(model, model.tree(), q, loads, Some(&self.diagonal));
        self.sum(scene, &work.rates)
    }

    /// 𝒜 of the whole body; joint accelerations are left in `work.rates`.
    pub(super) fn begin(&mut self, scene: &Scene<'_>, work: &mut Workspace) -> f64 {
        // springs to the world are explicit here, as the assembly tree has them: their inertia is not constant in parts
        work.accelerate_as_parts(&scene.body(), scene.loads, scene.ahead);
        self.sum(scene, &work.rates)
    }

    fn sum(&mut self, scene: &Scene<'_>, rates: &[f64]) -> f64 {
        let Scene { model, assembly, weights, q, .. } = *scene;
        let tree = model.tree();
        self.of_link.resize(tree.links.len(), 0.0);
        self.of_node.resize(assembly.nodes().len(), 0.0);
        of_joints(tree, weights, q, rates, &mut self.of_link);
        sum_up(assembly, &self.of_link, &mut self.of_node);
        self.of_node.last().copied().unwrap_or(0.0)
    }

    /// The parts of a node.
    #[inline]
    pub(super) fn expand(&self, assembly: &AssemblyTree, node: NodeId) -> Parts {
        assembly.node(node).children().map(|child| child.map(|c| (c, self.of_node[c.index()])))
    }
}
