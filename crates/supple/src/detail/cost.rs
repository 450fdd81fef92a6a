//! Which way to know the metric costs less: a model of both ways' costs, with figures that were measured on chains of 300 to
//! 1,000,000 links with 1 to 100 active joints, AMD Zen 4 (`supple bench table1` and `scale`, `--metric direct|assembly`).
//!
//! Absolute figures differ from machine to machine, their ratios hardly: the direct way is one sweep over all joints and a
//! sum over all nodes; the way of the assembly tree is one join for every open node, which also freezes again some time,
//! and less for every node tried.

use super::Target;

/// Direct way, per joint of the body \[ns].
const SWEEP: f64 = 90.0;
/// Way of the assembly tree: per open node, per joint tried, per node of the force update region, and in any case \[ns].
const OPEN_NODE: f64 = 1300.0;
const TRIED: f64 = 1000.0;
const ON_PATH: f64 = 350.0;
const BASE: f64 = 1500.0;

/// What an update has to look at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Work {
    /// Joints of the body.
    pub(super) joints: usize,
    /// Depth of its assembly tree.
    pub(super) depth: usize,
    /// Nodes that are open.
    pub(super) open: usize,
    /// Joints that may be tried.
    pub(super) tries: usize,
    /// Links with forces, and driven joints.
    pub(super) forced: usize,
}

/// Whether the assembly tree tells the metric at lower cost than a sweep over all joints.
pub(super) fn assembly_pays(work: &Work) -> bool {
    let tries = work.tries.min(work.joints) as f64;
    let on_paths = (work.forced * (work.depth + 1)).min(2 * work.joints) as f64;
    let assembly = BASE + OPEN_NODE * work.open as f64 + TRIED * tries + ON_PATH * on_paths;
    assembly < SWEEP * work.joints as f64
}

/// Whether it ever may, so that it is worth while to keep what it needs (some two kilobytes per joint).
pub(super) fn assembly_may_pay(joints: usize, target: &Target) -> bool {
    let pays = |open, tries| assembly_pays(&Work { joints, depth: 0, open, tries, forced: 0 });
    match *target {
        Target::Full => false,
        Target::Joints(n) => pays(n, n / 4),
        Target::Price { .. } | Target::Error { .. } | Target::Pixels { .. } | Target::Guaranteed { .. } => {
            pays(20, 20)
        }
    }
}
