use supple::Force;
use supple::world::{SingleId, World, WorldError};

use crate::world_stage::Director;

/// Air that slows all bodies of a scene down: each loses the same share of its momenta per second, so that every kind of swinging
/// dies out at the same pace.
#[derive(Clone, Debug)]
pub(crate) struct Air {
    bodies: Vec<SingleId>,
    rate: f64,
}

impl Air {
    /// Air for the bodies that are in the world now; `rate` is the share lost \[1/s].
    pub(crate) fn new(world: &World, rate: f64) -> Self {
        let bodies = world.bodies().filter(|(_, body)| !body.is_kinematic()).map(|(id, _)| id).collect();
        Self { bodies, rate }
    }
}

impl Director for Air {
    fn cue(&mut self, world: &mut World) -> Result<(), WorldError> {
        for id in &self.bodies {
            let body = world.body(*id)?;
            let momentum = Force::new(body.angular_momentum(), body.velocity() * body.mass());
            world.set_wrench(*id, momentum * -self.rate)?;
        }
        Ok(())
    }
}
