//! Choosing among the joints of a hybrid body by what each of them has, its velocity, as the rule says (theory, section 9).

use crate::model::LinkId;
use crate::util::SparseSet;

use super::hybrid::{Child, Hybrid};
use super::select::NOISE;
use super::{Allowance, AssemblyTree, NodeId, Rule, Selector, Verdict, Worths};

/// Share of the budget that rule *split* gives to the fastest joints, while the budget is below twice the depth of the tree; above it has none,
/// since the tree alone is as good. Measured in theory, section 13, from which section 9 suggests it.
const FREE_SHARE: f64 = 0.3;

/// A choice among the active joints of a hybrid body. It visits open nodes only.
#[derive(Clone, Copy, Debug)]
pub struct Choice<'a, C> {
    /// The assembly tree of the body.
    pub assembly: &'a AssemblyTree,
    /// Which of its joints are active.
    pub hybrid: &'a Hybrid,
    /// Which of those may be chosen.
    pub candidate: C,
    /// By the tree, or joint by joint.
    pub rule: Rule,
    /// How many, or how much may be left out.
    pub allowed: Allowance,
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

impl<C: Fn(LinkId) -> bool> Choice<'_, C> {
    /// Chooses by the metric `of` each joint. `weigh` says what a node is worth that has so much of it, by itself unless somebody looks.
    /// `chosen` gets the joints (cleared first), `worths` the prices at which the rule would take each: its own worth, or that of its node.
    pub fn make(
        &self,
        selector: &mut Selector,
        of: impl Fn(LinkId) -> f64,
        mut weigh: impl FnMut(NodeId, f64) -> f64,
        chosen: &mut SparseSet,
        worths: &mut Worths,
    ) -> LeftOut {
        let Self { assembly, rule, allowed, .. } = *self;
        let of = |link: LinkId| if self.may_take(link) { of(link) } else { 0.0 };
        chosen.clear();
        let mut sums = std::mem::take(&mut selector.sums);
        self.sum_up(of, &mut weigh, &mut sums, worths);
        let whole = sums.last().copied().unwrap_or(0.0);

        // --- from the root down ---
        let first = by_tree(rule, allowed.joints, assembly.depth());
        let mut left =
            if first > 0 { self.take_by_tree(first, &sums, whole, selector, chosen) } else { whole };
        selector.sums = sums;

        // --- the best of the rest, one by one ---
        let mut of = |link: LinkId| weigh(assembly.joint_node(link), of(link));
        if left > allowed.error && left > NOISE * whole && chosen.len() < allowed.joints {
            selector.rank(self.rest(chosen), allowed.price, &mut of);
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
            selector.rank(self.rest(chosen), allowed.rest_threshold.max(NOISE * whole), &mut of);
            for &(metric, link) in selector.ranked.iter().take(least - chosen.len()) {
                chosen.insert(link.0);
                left = (left - metric).max(0.0);
            }
        }

        let mut out = LeftOut { metric: left, ..LeftOut::default() };
        for link in self.rest(chosen) {
            let metric = of(link);
            out.largest = out.largest.max(metric);
            out.wanted += usize::from(metric > allowed.price);
        }
        out
    }

    fn may_take(&self, link: LinkId) -> bool {
        self.hybrid.active().contains(link.0) && (self.candidate)(link)
    }

    /// Active joints that are not chosen.
    fn rest<'s>(&'s self, chosen: &'s SparseSet) -> impl Iterator<Item = LinkId> + 's {
        self.hybrid.active().members().iter().filter(|i| !chosen.contains(**i)).map(|i| LinkId(*i))
    }

    /// What open nodes are worth, by the sums of the metric over the joints inside them.
    fn sum_up(
        &self,
        of: impl Fn(LinkId) -> f64,
        weigh: &mut impl FnMut(NodeId, f64) -> f64,
        sums: &mut Vec<f64>,
        worths: &mut Worths,
    ) {
        worths.clear();
        sums.clear();
        for open in self.hybrid.nodes() {
            let below = |child: &Child| if let Child::Open(i) = child { sums[*i as usize] } else { 0.0 };
            let below: f64 = open.children.iter().flatten().map(below).sum();
            let joint = self.assembly.node(open.node).joint();
            let own = joint.map_or(0.0, &of);
            sums.push(below + own);
            if joint.is_some_and(|link| self.may_take(link)) {
                worths.count(weigh(open.node, if self.rule == Rule::Free { own } else { below + own }));
            }
        }
        let rounding = NOISE * sums.last().copied().unwrap_or(0.0);
        for (sum, open) in sums.iter_mut().zip(self.hybrid.nodes()) {
            *sum = if *sum > rounding { weigh(open.node, *sum) } else { 0.0 };
        }
    }

    /// Takes so many joints from the root down, the node with the largest of `sums` first. What is left out.
    fn take_by_tree(
        &self,
        joints: usize,
        sums: &[f64],
        whole: f64,
        selector: &mut Selector,
        chosen: &mut SparseSet,
    ) -> f64 {
        let hybrid = self.hybrid;
        let judge = |link: LinkId, room: bool| {
            if !self.may_take(link) {
                Verdict::Free
            } else if room {
                chosen.insert(link.0);
                Verdict::Counts
            } else {
                Verdict::NoRoom
            }
        };
        let expand = |node: NodeId| match hybrid.open_number(node) {
            None => [None; 2],
            Some(i) => hybrid.nodes()[i].children.map(|child| match child {
                Some(Child::Open(i)) => Some((hybrid.nodes()[i as usize].node, sums[i as usize])),
                _ => None,
            }),
        };
        let allowed = Allowance { joints, ..self.allowed };
        selector.greedy(self.assembly, whole, allowed, judge, expand)
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
