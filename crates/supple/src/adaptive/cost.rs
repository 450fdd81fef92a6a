//! Which way to know the metric costs less: a model of both ways' costs, with figures that were measured (`supple bench
//! metric`; theory, design choice 5).
//!
//! Absolute figures differ from machine to machine, their ratios hardly: the direct way is one sweep over all joints and a
//! sum over all nodes; the way of the assembly tree is one join for every open node, and less for every node tried.

use super::Target;

/// Direct way, per joint of the body \[ns].
const SWEEP: f64 = 90.0;
/// Way of the assembly tree: per open node, per joint tried, and in any case \[ns].
const OPEN_NODE: f64 = 1500.0;
const TRIED: f64 = 1200.0;
const BASE: f64 = 1500.0;

/// Whether the assembly tree tells the metric at lower cost than a sweep over all `joints`.
pub(super) fn assembly_pays(joints: usize, open_nodes: usize, tries: usize) -> bool {
    let tries = tries.min(joints) as f64;
    BASE + OPEN_NODE * open_nodes as f64 + TRIED * tries < SWEEP * joints as f64
}

/// Whether it ever may, so that it is worth while to keep what it needs (some three kilobytes per joint).
pub(super) fn assembly_may_pay(joints: usize, target: &Target) -> bool {
    match *target {
        Target::Full => false,
        Target::Joints(n) => assembly_pays(joints, n, n / 4),
        Target::Price { .. } | Target::Error { .. } | Target::Guaranteed { .. } => assembly_pays(joints, 20, 20),
    }
}
