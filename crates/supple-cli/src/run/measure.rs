//! Energies after every step, without a new allocation for each.

use supple::dynamics::kinematics::Kinematics;
use supple::{Energy, Simulation};
use supple_scenes::Show;

/// The state seen from outside: where all links are, and the energy.
pub(crate) struct Meter {
    /// Links of the first body at the state measured last.
    pub(crate) kinematics: Kinematics,
    /// Energy of all bodies at the state measured last.
    pub(crate) energy: Energy,
}

impl Meter {
    pub(crate) fn new() -> Self {
        Self { kinematics: Kinematics::default(), energy: Energy::default() }
    }

    /// Measures the present state.
    pub(crate) fn measure(&mut self, show: &Show) -> Energy {
        self.energy = Energy::default();
        // the first body last, since its links are kept
        for simulation in show.bodies().skip(1).chain([show.first()]) {
            let energy = self.energy_of(simulation);
            self.energy.kinetic += energy.kinetic;
            self.energy.potential += energy.potential;
        }
        self.energy
    }

    fn energy_of(&mut self, simulation: &Simulation) -> Energy {
        let state = &simulation.state;
        self.kinematics.update(simulation.model.tree(), &state.q, &state.v);
        simulation.energy_at(&self.kinematics)
    }
}
