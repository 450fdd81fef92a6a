use glam::DVec3;

use crate::Energy;
use crate::dynamics::kinematics::Kinematics;
use crate::world::World;

/// Momenta of a world: kinematic bodies and the world itself have none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Momenta {
    /// Linear momentum \[N·s].
    pub linear: DVec3,
    /// Angular momentum about the world's origin \[N·m·s].
    pub angular: DVec3,
}

impl World {
    /// Energies of all bodies \[J]; springs between them are not counted.
    pub fn energy(&self) -> Energy {
        let mut energy = Energy::default();
        for (_, body) in self.singles.iter().filter(|(_, body)| !body.is_kinematic()) {
            energy.kinetic += body.kinetic_energy();
            energy.potential -= body.mass() * self.gravity.dot(body.centre());
        }
        let mut kinematics = Kinematics::default();
        for (id, simulation) in self.articulations.simulations() {
            kinematics.update(simulation.model.tree(), &simulation.state.q, &simulation.state.v);
            let own = simulation.energy_at(&kinematics);
            energy.kinetic += own.kinetic;
            energy.potential += own.potential;
            // the gravity that it has becomes this with the next step
            let gravity = self.gravity_of(id).unwrap_or(self.gravity);
            if simulation.gravity != gravity {
                let momentum = simulation.momentum();
                let weight = (simulation.gravity - gravity) * momentum.mass;
                energy.potential += weight.dot(momentum.com);
            }
        }
        energy
    }

    /// Momenta of all bodies.
    pub fn momenta(&self) -> Momenta {
        let mut sum = Momenta::default();
        for (_, body) in self.singles.iter().filter(|(_, body)| !body.is_kinematic()) {
            let linear = body.velocity() * body.mass();
            sum.linear += linear;
            sum.angular += body.angular_momentum() + body.centre().cross(linear);
        }
        for (_, simulation) in self.articulations.simulations() {
            let own = simulation.momentum();
            sum.linear += own.linear;
            sum.angular += own.angular_about_origin;
        }
        sum
    }
}
