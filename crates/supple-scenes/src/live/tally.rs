//! Numbers about a scene that runs.

use supple::world::WorldReport;
use supple::{Energy, Simulation, World};

use crate::active;

/// Bodies up to which energies are worked out: beyond, that would take longer than a step at little detail.
const MOST: usize = 50_000;

/// Numbers about a scene as it is now; what is not known is not a number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// Joints that are active.
    pub active: usize,
    /// What less detail leaves out of the motion, in squared joint velocities; in pixels per step where somebody looks.
    pub error: f64,
    /// Energies; not numbers in large scenes.
    pub energy: Energy,
    /// What the last step did.
    pub world: Option<WorldReport>,
}

impl Tally {
    pub(super) fn of(world: &World, report: Option<WorldReport>) -> Self {
        let mut tally = Self { world: report, ..Self::default() };
        let mut links = 0;
        for (_, simulation) in world.articulations() {
            tally.add(simulation);
            links += simulation.model.tree().links.len();
        }
        let unknown = Energy { kinetic: f64::NAN, potential: f64::NAN };
        tally.energy = if links <= MOST { world.energy() } else { unknown };
        tally
    }

    fn add(&mut self, simulation: &Simulation) {
        self.active += active(simulation);
        if let Some(region) = simulation.region().filter(|_| !simulation.detail().is_full()) {
            self.error += region.report().velocity_left_out.metric;
        }
    }
}
