//! Choosing joints by a motion metric: a priority queue over the assembly tree (theory, section 9).

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::model::LinkId;

use super::{AssemblyTree, NodeId, Rule};

/// Metrics below this share of the whole are rounding, not motion.
const NOISE: f64 = 1e-12;
/// Share of the budget that rule *split* gives to the fastest joints.
const FREE_SHARE: f64 = 0.3;

/// A node in the queue: the largest metric first, ties to the lower id, never to chance.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Candidate {
    metric: f64,
    node: NodeId,
}

impl Eq for Candidate {}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.metric.total_cmp(&other.metric).then_with(|| other.node.cmp(&self.node))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Scratch of the selection.
#[derive(Clone, Debug, Default)]
pub struct Selector {
    queue: BinaryHeap<Candidate>,
    /// Metric of every node: the sum over the joints inside it.
    sums: Vec<f64>,
    /// Joints by their own metric.
    ranked: Vec<(f64, LinkId)>,
}

impl Selector {
    /// Sums the joints' metrics over the nodes; `of(link)` is that of a link's joint. Returns the whole.
    pub fn sum(&mut self, assembly: &AssemblyTree, of: impl Fn(LinkId) -> f64) -> f64 {
        self.sums.clear();
        for node in assembly.nodes() {
            let below: f64 = node.children().into_iter().flatten().map(|c| self.sums[c.index()]).sum();
            self.sums.push(below + node.joint().map_or(0.0, &of));
        }
        self.sums.last().copied().unwrap_or(0.0)
    }

    /// Opens nodes from the root down, largest metric first, until no more than `error` is left in the nodes that are
    /// closed, or `budget` joints have been counted. `open(link)` takes a joint and says whether it counts. Returns
    /// the metric left out. [`Selector::sum`] comes first.
    pub fn greedy(
        &mut self,
        assembly: &AssemblyTree,
        error: f64,
        budget: usize,
        mut open: impl FnMut(LinkId) -> bool,
    ) -> f64 {
        let Self { queue, sums, .. } = self;
        let Some(root) = assembly.root() else { return 0.0 };
        let whole = sums[root.index()];
        let (mut left, mut count) = (whole, 0);
        queue.clear();
        queue.push(Candidate { metric: whole, node: root });
        while left > error && left > NOISE * whole {
            let Some(Candidate { metric, node }) = queue.pop() else { break };
            let node = assembly.node(node);
            if let Some(link) = node.joint() {
                if count >= budget {
                    break;
                }
                count += usize::from(open(link));
            }
            // what is left is what the children hold: the joint's own share is gone
            left -= metric;
            for child in node.children().into_iter().flatten() {
                let metric = sums[child.index()];
                left += metric;
                if metric > 0.0 {
                    queue.push(Candidate { metric, node: child });
                }
            }
            if queue.is_empty() {
                left = 0.0;
            }
        }
        queue.iter().map(|c| c.metric).sum::<f64>().min(left.max(0.0))
    }

    /// The joints of `links` with a metric of their own above zero, largest first, ties to the lower id.
    pub fn rank(
        &mut self,
        links: impl Iterator<Item = LinkId>,
        of: impl Fn(LinkId) -> f64,
    ) -> &[(f64, LinkId)] {
        self.ranked.clear();
        self.ranked.extend(links.map(|link| (of(link), link)).filter(|(metric, _)| *metric > 0.0));
        self.ranked.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        &self.ranked
    }
}

/// How many joints a rule takes by the tree; the others of the budget are the fastest ones.
fn by_tree(rule: Rule, budget: usize, depth: usize) -> usize {
    match rule {
        Rule::Tree => budget,
        Rule::Free => 0,
        Rule::Split if budget < 2 * depth => budget - (FREE_SHARE * budget as f64).round() as usize,
        Rule::Split => budget,
    }
}

/// Chooses at most `budget` joints among those marked in `candidates`, leaving out no more than `error` if the budget
/// allows, by a metric per joint. Marks them in `chosen` (cleared first); returns the metric left out.
pub fn choose(
    selector: &mut Selector,
    assembly: &AssemblyTree,
    rule: Rule,
    error: f64,
    budget: usize,
    candidates: &[bool],
    of: impl Fn(LinkId) -> f64,
    chosen: &mut Vec<bool>,
) -> f64 {
    chosen.clear();
    chosen.resize(candidates.len(), false);
    let of = |link: LinkId| if candidates[link.index()] { of(link) } else { 0.0 };
    let whole = selector.sum(assembly, of);
    let first = by_tree(rule, budget, assembly.depth());
    let mut taken = 0;
    if first > 0 {
        selector.greedy(assembly, error, first, |link| {
            let takes = candidates[link.index()];
            if takes {
                chosen[link.index()] = true;
                taken += 1;
            }
            takes
        });
    }
    let held: f64 = (0..chosen.len()).filter(|&i| chosen[i]).map(|i| of(LinkId::new(i))).sum();
    let mut left = (whole - held).max(0.0);
    if left > error && left > NOISE * whole && taken < budget {
        let rest = (0..chosen.len()).filter(|&i| !chosen[i]).map(LinkId::new);
        selector.rank(rest, of);
        for &(metric, link) in selector.ranked.iter().take(budget - taken) {
            if left <= error {
                break;
            }
            chosen[link.index()] = true;
            left = (left - metric).max(0.0);
        }
    }
    left
}
