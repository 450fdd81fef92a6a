//! Energies after every step, without a new allocation for each.

use supple::dynamics::kinematics::Kinematics;
use supple::{Energy, Simulation};

/// The state seen from outside: where all links are, and the energy.
pub(crate) struct Meter {
    /// Links at the state measured last.
    pub(crate) kinematics: Kinematics,
    /// Energy of the state measured last.
    pub(crate) energy: Energy,
}

impl Meter {
    pub(crate) fn new() -> Self {
        Self { kinematics: Kinematics::default(), energy: Energy::default() }
    }

    /// Measures the present state.
    pub(crate) fn measure(&mut self, simulation: &Simulation) -> Energy {
        let state = &simulation.state;
        self.kinematics.update(simulation.model.tree(), &state.q, &state.v);
        self.energy = simulation.energy_at(&self.kinematics);
        self.energy
    }
}
