use std::sync::Arc;

use super::sight::{Seen, Sight};
use super::{Looks, Viewer};
use crate::detail::{Assembled, Hybrid, NodeId, Worth};

/// A body that somebody looks at: what its parts are worth to the viewer.
///
/// The paper's 𝒜_M = dt² N √𝒜 and 𝒱_M = dt N √𝒱. Accelerations count here for the time until the next update (τ, in which they
/// become velocities): dt τ N √𝒜, so that both are pixels per step at the end of that time.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    pub(crate) viewer: Arc<Viewer>,
    pub(crate) looks: Arc<Looks>,
    /// Pixels by link, where somebody counts them.
    pub(crate) pixels: Vec<u32>,
    sight: Sight,
    /// Length of a step \[s].
    dt: f64,
    /// Whether any of the body is in view, for all that is known.
    pub(crate) in_view: bool,
    /// Whether the body's detail has nothing to do with what is seen: an error in joint accelerations is asked for.
    pub(crate) idle: bool,
    /// Whether the viewer, or what it counted, is another than at the last look.
    pub(crate) moved: bool,
}

impl Watch {
    /// What moves fewer pixels per step than this rests: a hundredth of one. Chosen: at 60 steps a second it takes more than a second to move a pixel.
    pub(crate) const REST_THRESHOLD: f64 = 0.01;

    pub(crate) fn new(viewer: Arc<Viewer>, looks: Arc<Looks>) -> Self {
        Self {
            viewer,
            looks,
            pixels: Vec::new(),
            sight: Sight::default(),
            dt: 1.0 / 60.0,
            in_view: true,
            idle: false,
            moved: false,
        }
    }

    /// Whether the body may be worth more to the viewer than at the last look.
    pub(crate) fn is_news(&self) -> bool {
        self.moved && !self.idle
    }

    /// The groups are others.
    pub(crate) fn forget(&mut self) {
        self.sight.forget();
    }

    fn split<'a>(&'a mut self, body: &Assembled<'a>) -> (&'a mut Sight, Seen<'a>) {
        let Self { viewer, looks, pixels, sight, .. } = self;
        let Assembled { tree, assembly, rigid } = *body;
        (sight, Seen { viewer, looks, pixels, tree, assembly, rigid })
    }
}

impl Worth for Watch {
    fn is_idle(&self) -> bool {
        self.idle
    }

    fn set_idle(&mut self, idle: bool) {
        self.idle = idle;
    }

    fn least_joints(&self) -> usize {
        self.viewer.attention.joints
    }

    fn rest_threshold(&self) -> f64 {
        Self::REST_THRESHOLD
    }

    fn set_dt(&mut self, dt: f64) {
        self.dt = dt;
    }

    fn begin_update(&mut self, body: &Assembled<'_>, now: &Hybrid, q: &[f64]) {
        self.moved = false;
        let (sight, seen) = self.split(body);
        sight.estimate_areas(&seen, now, q);
    }

    fn freeze(&mut self, body: &Assembled<'_>, node: NodeId) {
        let (sight, seen) = self.split(body);
        sight.freeze(&seen, node);
    }

    fn has_come_into_view(&mut self, body: &Assembled<'_>, now: &Hybrid, q: &[f64]) -> bool {
        let (sight, seen) = self.split(body);
        sight.has_come_into_view(&seen, now, q)
    }

    /// In pixels per step.
    fn worth(&mut self, body: &Assembled<'_>, node: NodeId, metric: f64, is_open: bool) -> f64 {
        if metric <= 0.0 {
            return 0.0;
        }
        let more = if is_open { 1.0 + self.viewer.hysteresis } else { 1.0 };
        let dt = self.dt;
        let (sight, seen) = self.split(body);
        dt * sight.area(&seen, node) * metric.sqrt() * more
    }
}
