//! One queue over all roots: which joints of many bodies are worth most, all at once. Theory, section 9, "many bodies".
//!
//! The reference for the price of a [world's budget](crate::World::set_budget), which comes to nearly the same joints while bodies update in
//! turns: every body must be looked at, in full, at the same moment.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::model::LinkId;

use super::assembly::body_metric::sum_up;
use super::assembly::{AssemblyTree, NodeId};

/// A body and the metric of its joints, by link.
#[derive(Clone, Copy, Debug)]
pub struct Bidder<'a> {
    /// Its assembly tree.
    pub assembly: &'a AssemblyTree,
    /// What each joint is worth.
    pub worth: &'a [f64],
}

/// A metric as a key that sorts: metrics are never negative.
fn key(metric: f64) -> u64 {
    metric.max(0.0).to_bits()
}

/// At most `joints` joints of all bodies, from the roots down, the node with the largest metric first: (body, link).
pub fn choose_together(bodies: &[Bidder<'_>], joints: usize) -> Vec<(usize, LinkId)> {
    let sums: Vec<Vec<f64>> = bodies
        .iter()
        .map(|body| {
            let mut of_node = vec![0.0; body.assembly.nodes().len()];
            sum_up(body.assembly, body.worth, &mut of_node);
            of_node
        })
        .collect();
    // ties to the lower body, then to the lower node
    let entry = |body: usize, node: NodeId| (key(sums[body][node.index()]), Reverse(body), Reverse(node));
    let roots = bodies.iter().enumerate().filter_map(|(i, body)| Some(entry(i, body.assembly.root()?)));
    let mut queue: BinaryHeap<_> = roots.collect();
    let mut chosen = Vec::new();
    while let Some((metric, Reverse(body), Reverse(node))) = queue.pop() {
        if metric == 0 || chosen.len() >= joints {
            break;
        }
        let node = bodies[body].assembly.node(node);
        chosen.extend(node.joint().map(|link| (body, link)));
        queue.extend(node.children().into_iter().flatten().map(|child| entry(body, child)));
    }
    chosen
}
