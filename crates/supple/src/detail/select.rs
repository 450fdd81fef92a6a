//! Choosing joints by a motion metric: a priority queue over the assembly tree (theory, section 9).

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::model::LinkId;
use crate::util::SparseSet;

use super::hybrid::{Child, Hybrid};
use super::{AssemblyTree, NodeId, Rule, Worths};

/// Metrics below this share of the whole are rounding, not motion.
pub(super) const NOISE: f64 = 1e-12;
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
    /// Bits of the fraction that count: eight digits.
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
    sums: Vec<f64>,
    /// Joints by their own metric.
    ranked: Vec<(f64, LinkId)>,
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
    fn rank(&mut self, links: impl Iterator<Item = LinkId>, price: f64, mut of: impl FnMut(LinkId) -> f64) {
        self.ranked.clear();
        self.ranked.extend(links.map(|link| (of(link), link)).filter(|(metric, _)| *metric > price));
        self.ranked
            .sort_unstable_by(|a, b| rounded(b.0).total_cmp(&rounded(a.0)).then_with(|| a.1.cmp(&b.1)));
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

/// What a choice left out.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LeftOut {
    /// Sum of the metric.
    pub metric: f64,
    /// The largest metric of a single joint.
    pub largest: f64,
    /// Joints worth more than the price, for which there was no room.
    pub wanted: usize,
}

/// Chooses among the active joints of a hybrid body those that `candidate` lets, no more than allowed, by a metric per joint.
/// `weigh` says what a node is worth that has so much of it, by itself unless somebody looks. `chosen` gets them (cleared first),
/// `worths` the prices at which the rule would take each: its own worth, or that of its node. Visits open nodes only.
pub fn choose(
    selector: &mut Selector,
    assembly: &AssemblyTree,
    hybrid: &Hybrid,
    rule: Rule,
    allowed: Allowance,
    candidate: impl Fn(LinkId) -> bool,
    of: impl Fn(LinkId) -> f64,
    mut weigh: impl FnMut(NodeId, f64) -> f64,
    chosen: &mut SparseSet,
    worths: &mut Worths,
) -> LeftOut {
    chosen.clear();
    worths.clear();
    let is_active = |link: LinkId| hybrid.active().contains(link.0) && candidate(link);
    let of = |link: LinkId| if is_active(link) { of(link) } else { 0.0 };
    let mut sums = std::mem::take(&mut selector.sums);
    sums.clear();
    for open in hybrid.nodes() {
        let below = |child: &Child| if let Child::Open(i) = child { sums[*i as usize] } else { 0.0 };
        let below: f64 = open.children.iter().flatten().map(below).sum();
        let joint = assembly.node(open.node).joint();
        let own = joint.map_or(0.0, of);
        sums.push(below + own);
        if joint.is_some_and(is_active) {
            worths.count(weigh(open.node, if rule == Rule::Free { own } else { below + own }));
        }
    }
    let rounding = NOISE * sums.last().copied().unwrap_or(0.0);
    for (sum, open) in sums.iter_mut().zip(hybrid.nodes()) {
        *sum = if *sum > rounding { weigh(open.node, *sum) } else { 0.0 };
    }
    let whole = sums.last().copied().unwrap_or(0.0);
    let first = by_tree(rule, allowed.joints, assembly.depth());
    let mut left = whole;
    if first > 0 {
        let expand = |node: NodeId| match hybrid.open_number(node) {
            None => [None; 2],
            Some(i) => hybrid.nodes()[i].children.map(|child| match child {
                Some(Child::Open(i)) => Some((hybrid.nodes()[i as usize].node, sums[i as usize])),
                _ => None,
            }),
        };
        left = selector.greedy(
            assembly,
            whole,
            Allowance { joints: first, ..allowed },
            |link, room| {
                if !is_active(link) {
                    Verdict::Free
                } else if room {
                    chosen.insert(link.0);
                    Verdict::Counts
                } else {
                    Verdict::NoRoom
                }
            },
            expand,
        );
    }
    selector.sums = sums;
    let mut of = |link: LinkId| weigh(assembly.joint_node(link), of(link));
    if left > allowed.error && left > NOISE * whole && chosen.len() < allowed.joints {
        let rest = hybrid.active().members().iter().filter(|i| !chosen.contains(**i)).map(|i| LinkId(*i));
        selector.rank(rest, allowed.price, &mut of);
        for &(metric, link) in selector.ranked.iter().take(allowed.joints - chosen.len()) {
            if allowed.error > 0.0 && left <= allowed.error {
                break;
            }
            chosen.insert(link.0);
            left = (left - metric).max(0.0);
        }
    }
    let least = allowed.least.min(allowed.joints);
    if chosen.len() < least {
        // the best joints have no price: what rests is worth less than what moves elsewhere, and would never begin
        let rest = hybrid.active().members().iter().filter(|i| !chosen.contains(**i)).map(|i| LinkId(*i));
        selector.rank(rest, allowed.rest_threshold.max(NOISE * whole), &mut of);
        for &(metric, link) in selector.ranked.iter().take(least - chosen.len()) {
            chosen.insert(link.0);
            left = (left - metric).max(0.0);
        }
    }
    let mut out = LeftOut { metric: left, ..LeftOut::default() };
    for &link in hybrid.active().members().iter().filter(|i| !chosen.contains(**i)) {
        let metric = of(LinkId(link));
        out.largest = out.largest.max(metric);
        out.wanted += usize::from(metric > allowed.price);
    }
    out
}
