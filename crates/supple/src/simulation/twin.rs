use std::sync::Arc;

use crate::detail::Detail;
use crate::view::{Camera, RasterError, Screen, differing};

use super::{CrowdError, Simulation};

/// A copy of the bodies at full detail, from the same states: what less detail changes in an image.
#[derive(Clone, Debug, Default)]
pub struct Twin {
    bodies: Vec<Simulation>,
}

impl Twin {
    /// A twin of bodies as they are.
    pub fn of(bodies: &[Simulation]) -> Self {
        let mut twin = Self { bodies: bodies.to_vec() };
        for body in &mut twin.bodies {
            let full = body.set_detail(Detail::default());
            debug_assert!(full.is_ok(), "full detail can always be had: {full:?}");
        }
        twin
    }

    /// Takes the states of the bodies, and what acts on them.
    pub fn follow(&mut self, bodies: &[Simulation]) {
        let same = |(a, b): (&Simulation, &Simulation)| Arc::ptr_eq(&a.model, &b.model);
        if self.bodies.len() != bodies.len() || !self.bodies.iter().zip(bodies).all(same) {
            *self = Self::of(bodies);
            return;
        }
        for (twin, body) in self.bodies.iter_mut().zip(bodies) {
            twin.restore(&body.state);
            // at full detail nothing is chosen
            twin.regroup();
            twin.integrator = body.integrator;
            if let Some(looks) = body.looks().filter(|l| !twin.looks().is_some_and(|own| Arc::ptr_eq(own, l)))
            {
                let set = twin.set_looks(looks.clone());
                debug_assert!(set.is_ok(), "the twin has the model of its body: {set:?}");
            }
            twin.gravity = body.gravity;
            twin.tau.clone_from(&body.tau);
            twin.wrenches.clone_from(&body.wrenches);
            twin.springs.clone_from(&body.springs);
            twin.actuators.clone_from(&body.actuators);
        }
    }

    /// One step of all bodies.
    pub fn step(&mut self, dt: f64) -> Result<(), CrowdError> {
        for (i, body) in self.bodies.iter_mut().enumerate() {
            body.step(dt).map_err(|source| CrowdError { member: i, source })?;
        }
        Ok(())
    }

    /// The bodies.
    pub fn bodies(&self) -> &[Simulation] {
        &self.bodies
    }

    /// Pixels in which the bodies look other than their twins, in the images of all cameras: the paper's static error, if the twin has
    /// followed them in the step before. `scratch` is an image of the twins.
    pub fn differing(
        &self,
        bodies: &[Simulation],
        cameras: &[Camera],
        screen: &mut Screen,
        scratch: &mut Vec<u32>,
    ) -> Result<usize, RasterError> {
        let mut pixels = 0;
        for camera in cameras {
            screen.draw(&self.bodies, camera)?;
            scratch.clear();
            scratch.extend_from_slice(screen.ids()?);
            screen.draw(bodies, camera)?;
            pixels += differing(scratch, screen.ids()?);
        }
        Ok(pixels)
    }
}
