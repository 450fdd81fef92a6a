//! Numbers about a scene that runs.

use supple::dynamics::kinematics::Kinematics;
use supple::world::WorldReport;
use supple::{Energy, Simulation};

use super::Playing;
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
    /// What the last step of a world did.
    pub world: Option<WorldReport>,
}

impl Tally {
    pub(super) fn of(playing: &Playing, world: Option<WorldReport>) -> Self {
        let mut tally = Self { world, ..Self::default() };
        match playing {
            Playing::Bodies(show) => {
                show.crowd.members.iter().for_each(|member| tally.add(member));
                tally.energy = energy(&show.crowd.members);
            }
            Playing::World(stage) => {
                stage.world.articulations().for_each(|(_, simulation)| tally.add(simulation));
                tally.energy = stage.world.energy();
            }
        }
        tally
    }

    fn add(&mut self, simulation: &Simulation) {
        self.active += active(simulation);
        if let Some(region) = simulation.region().filter(|_| !simulation.detail().is_full()) {
            self.error += region.report().velocity_left_out.metric;
        }
    }
}

fn energy(members: &[Simulation]) -> Energy {
    let links: usize = members.iter().map(|m| m.model.tree().links.len()).sum();
    if links > MOST {
        return Energy { kinetic: f64::NAN, potential: f64::NAN };
    }
    let mut kinematics = Kinematics::default();
    members.iter().fold(Energy::default(), |sum, member| {
        kinematics.update(member.model.tree(), &member.state.q, &member.state.v);
        let energy = member.energy_at(&kinematics);
        Energy { kinetic: sum.kinetic + energy.kinetic, potential: sum.potential + energy.potential }
    })
}
