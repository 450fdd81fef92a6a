use crate::model::Tree;

use super::Hybrid;
use super::assembly::{AssemblyTree, NodeId, RigidParts};

/// A body as the assembly tree puts it together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Assembled<'a> {
    /// Its links.
    pub(crate) tree: &'a Tree,
    /// The order in which their joints join them to parts.
    pub(crate) assembly: &'a AssemblyTree,
    /// Parts that are rigid.
    pub(crate) rigid: &'a RigidParts,
}

/// A measure of what nodes are worth other than their metric: the pixels of a viewer, for one. The choice of joints asks it, and does not
/// know what it is.
pub(crate) trait Worth {
    /// Whether nodes are worth their metric all the same.
    fn is_idle(&self) -> bool;

    /// Whether what the update is to reach has nothing to do with it: an error in joint accelerations is asked for.
    fn set_idle(&mut self, idle: bool);

    /// Joints that the body may have active at least, while it would move at all.
    fn least_joints(&self) -> usize;

    /// A body that is worth less than this rests.
    fn rest_threshold(&self) -> f64;

    /// Sets the length of a step \[s].
    fn set_dt(&mut self, dt: f64);

    /// Takes the body as it is now, for what nodes are worth in this update.
    fn begin_update(&mut self, body: &Assembled<'_>, now: &Hybrid, q: &[f64]);

    /// Whether the body is worth much more than at the last update.
    fn has_come_into_view(&mut self, body: &Assembled<'_>, now: &Hybrid, q: &[f64]) -> bool;

    /// A node becomes rigid.
    fn freeze(&mut self, body: &Assembled<'_>, node: NodeId);

    /// What a node is worth whose joints move with this metric \[rad²/s²]. `is_open` if it is open already.
    fn worth(&mut self, body: &Assembled<'_>, node: NodeId, metric: f64, is_open: bool) -> f64;
}
