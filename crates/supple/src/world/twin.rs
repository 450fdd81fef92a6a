use std::sync::Arc;

use crate::detail::Detail;
use crate::view::{Camera, RasterError, Screen, differing};

use crate::{Simulation, StepError, World};

/// A copy of the bodies at full detail, from the same states: what less detail changes in an image.
#[derive(Clone, Debug, Default)]
pub struct Twin {
    bodies: Vec<Simulation>,
}

impl Twin {
    /// A twin of bodies as they are.
    pub fn of<'a>(bodies: impl IntoIterator<Item = &'a Simulation>) -> Self {
        let mut twin = Self { bodies: bodies.into_iter().cloned().collect() };
        for body in &mut twin.bodies {
            let full = body.set_detail(Detail::default());
            debug_assert!(full.is_ok(), "full detail can always be had: {full:?}");
        }
        twin
    }

    /// Takes the states of the bodies, and what acts on them.
    pub fn follow<'a>(&mut self, bodies: impl IntoIterator<Item = &'a Simulation, IntoIter: Clone>) {
        let bodies = bodies.into_iter();
        let same = |a: &Simulation, b: &Simulation| Arc::ptr_eq(&a.model, &b.model);
        let alike = self.bodies.len() == bodies.clone().count()
            && self.bodies.iter().zip(bodies.clone()).all(|(a, b)| same(a, b));
        if !alike {
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

    /// Takes the states of the articulations of a world, and what acts on them; gravity as it will be in the next step.
    pub fn follow_world(&mut self, world: &World) {
        self.follow(world.articulations().map(|(_, simulation)| simulation));
        for (twin, (id, _)) in self.bodies.iter_mut().zip(world.articulations()) {
            twin.gravity = world.gravity_of(id).unwrap_or(world.gravity);
        }
    }

    /// One step of all bodies.
    pub fn step(&mut self, dt: f64) -> Result<(), StepError> {
        self.bodies.iter_mut().try_for_each(|body| body.step(dt).map(drop))
    }

    /// The bodies.
    pub fn bodies(&self) -> &[Simulation] {
        &self.bodies
    }

    /// Pixels in which the bodies look other than their twins, in the images of all cameras: the paper's static error, if the twin has
    /// followed them in the step before. `scratch` is an image of the twins.
    pub fn differing<'a>(
        &self,
        bodies: impl IntoIterator<Item = &'a Simulation, IntoIter: Clone>,
        cameras: &[Camera],
        screen: &mut Screen,
        scratch: &mut Vec<u32>,
    ) -> Result<usize, RasterError> {
        let (bodies, mut pixels) = (bodies.into_iter(), 0);
        for camera in cameras {
            screen.draw(&self.bodies, camera)?;
            scratch.clear();
            scratch.extend_from_slice(screen.ids()?);
            screen.draw(bodies.clone(), camera)?;
            pixels += differing(scratch, screen.ids()?);
        }
        Ok(pixels)
    }
}
