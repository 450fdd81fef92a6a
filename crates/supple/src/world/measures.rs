use glam::DVec3;

use crate::Energy;
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
        for (_, articulated) in self.articulations.iter() {
            let own = articulated.simulation.energy();
            energy.kinetic += own.kinetic;
            energy.potential += own.potential;
            // its own gravity becomes the world's with the next step
            if articulated.simulation.gravity != self.gravity {
                let momentum = articulated.simulation.momentum();
                let weight = (articulated.simulation.gravity - self.gravity) * momentum.mass;
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
        for (_, articulated) in self.articulations.iter() {
            let own = articulated.simulation.momentum();
            sum.linear += own.linear;
            sum.angular += own.angular_about_origin;
        }
        sum
    }
}
