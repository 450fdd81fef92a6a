//! Choosing joints by a motion metric: a priority queue over the assembly tree (theory, section 9).

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::model::LinkId;

use super::{AssemblyTree, NodeId};

/// Metrics below this share of the whole are rounding, not motion: that of a node is a difference of large terms, with an error of 1e-15 to
/// 1e-12 of the whole as measured (theory, section 10).
pub(super) const NOISE: f64 = 1e-12;

/// A node in the queue: the largest metric first, ties to the lower id, never to chance.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Candidate {
    metric: f64,
    node: NodeId,
}

impl Eq for Candidate {}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        rounded(self.metric).total_cmp(&rounded(other.metric)).then_with(|| other.node.cmp(&self.node))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A metric without its last digits: equal limbs of a symmetric body have equal metrics, but for rounding, and are then told
/// apart by their ids.
fn rounded(metric: f64) -> f64 {
    /// Bits of the fraction that count: eight digits. Chosen between the twelve that rounding may leave of a metric and the few that tell limbs
    /// apart which are not equal; which of two nearly equal limbs is first does not matter, but it must be the same one on every machine.
    const BITS: u32 = 27;
    f64::from_bits((metric.to_bits() + (1 << (51 - BITS))) & !((1 << (52 - BITS)) - 1))
}

/// How much may be chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Allowance {
    /// Metric that may be left out.
    pub error: f64,
    /// What is worth no more than this is not chosen, however much room there is.
    pub price: f64,
    /// Joints that may be counted.
    pub joints: usize,
    /// Joints to be chosen at least, at any price and whatever error may be left out, while anything would move.
    pub least: usize,
    /// What is worth no more than this rests.
    pub rest_threshold: f64,
}

/// What the queue is to do with a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Go on below it, it is free: open already, or held rigid.
    Free,
    /// Go on below it, and count it.
    Counts,
    /// Leave it closed.
    NoRoom,
}

/// The metric of the nodes below a node: its parts, with theirs.
pub type Parts = [Option<(NodeId, f64)>; 2];

/// Scratch of the selection.
#[derive(Clone, Debug, Default)]
pub struct Selector {
    queue: BinaryHeap<Candidate>,
    /// Metric of open nodes: sums over the joints inside them.
    pub(super) sums: Vec<f64>,
    /// Joints by their own metric.
    pub(super) ranked: Vec<(f64, LinkId)>,
}

impl Selector {
    /// Opens nodes from the root, which has the metric `whole`, down, largest metric first, until no more than allowed is
    /// left in the nodes that are closed. `judge(link, room)` takes a joint; `expand(node)` gives the parts of a node that was
    /// opened, and their metric. Returns the metric left out.
    pub fn greedy(
        &mut self,
        assembly: &AssemblyTree,
        whole: f64,
        allowed: Allowance,
        mut judge: impl FnMut(LinkId, bool) -> Verdict,
        mut expand: impl FnMut(NodeId) -> Parts,
    ) -> f64 {
        let queue = &mut self.queue;
        let Some(root) = assembly.root() else { return 0.0 };
        let noise = allowed.rest_threshold.max(NOISE * whole);
        let enough = allowed.error.max(noise);
        // `closed` is what stays out for want of room
        let (mut left, mut closed, mut count) = (whole, 0.0, 0);
        queue.clear();
        queue.push(Candidate { metric: whole, node: root });
        while left + closed > if count < allowed.least { noise } else { enough } {
            let Some(Candidate { metric, node }) = queue.pop() else { break };
            if metric <= allowed.price && count >= allowed.least {
                queue.push(Candidate { metric, node });
                break;
            }
            left -= metric;
            let verdict = match assembly.node(node).joint() {
                None => Verdict::Free,
                Some(link) => judge(link, count < allowed.joints),
            };
            count += usize::from(verdict == Verdict::Counts);
            if verdict == Verdict::NoRoom {
                closed += metric;
                continue;
            }
            // what is left is what the parts hold: the joint's own share is gone
            for (child, metric) in expand(node).into_iter().flatten() {
                if metric > 0.0 {
                    left += metric;
                    queue.push(Candidate { metric, node: child });
                }
            }
        }
        closed + queue.iter().map(|c| c.metric).sum::<f64>()
    }

    /// The joints of `links` with a metric of their own above `price`, largest first, ties to the lower id.
    pub(super) fn rank(
        &mut self,
        links: impl Iterator<Item = LinkId>,
        price: f64,
        mut of: impl FnMut(LinkId) -> f64,
    ) {
        self.ranked.clear();
        self.ranked.extend(links.map(|link| (of(link), link)).filter(|(metric, _)| *metric > price));
        self.ranked
            .sort_unstable_by(|a, b| rounded(b.0).total_cmp(&rounded(a.0)).then_with(|| a.1.cmp(&b.1)));
    }
}
