use std::sync::Arc;

use crate::view::{Camera, CameraError, Looks, Viewer, ViewerError};
use crate::world::{BodyRef, World};

impl World {
    /// Somebody looks at the world: joints of its articulations are worth what is seen of them. Bodies look like their colliders, unless
    /// [`Simulation::set_looks`](crate::Simulation::set_looks) says otherwise. Articulations that nothing can push and that nobody sees take
    /// [`Attention::every`](crate::view::Attention::every) steps at once, in turns, and catch up when they come into view; those that
    /// are few pixels large some at once. Cheap enough for every frame: only those that step hear of it. In the first step all do.
    /// Without a viewer nobody has an error in pixels.
    pub fn set_viewer(&mut self, viewer: Option<Arc<Viewer>>) -> Result<(), ViewerError> {
        if let Some(viewer) = &viewer {
            viewer.check()?;
            self.check_outside(viewer)?;
        }
        if viewer.is_some() != self.schedule.viewer.is_some() {
            if viewer.is_none() {
                // details that were had before can be had again
                let given = self.set_pixels(None);
                debug_assert!(given.is_ok(), "{given:?}");
            } else {
                self.attach_looks();
            }
            for (_, simulation) in self.articulations.simulations_mut() {
                simulation.set_viewer(viewer.clone())?;
            }
            // who had no looks has some now
            self.schedule.forget();
        }
        self.schedule.viewer = viewer;
        Ok(())
    }

    /// Who looks at it.
    pub fn viewer(&self) -> Option<&Arc<Viewer>> {
        self.schedule.viewer.as_ref()
    }

    /// The viewer looks at articulations that came after it.
    pub(super) fn look_at_new(&mut self) {
        let Some(viewer) = self.schedule.viewer.clone() else { return };
        self.attach_looks();
        let new =
            self.articulations.simulations_mut().filter(|(_, simulation)| simulation.viewer().is_none());
        new.for_each(|(_, simulation)| simulation.begin_to_look(viewer.clone()));
    }

    /// Whether no camera is in a body. (Under the ground there is nothing to be hidden in.)
    fn check_outside(&self, viewer: &Viewer) -> Result<(), ViewerError> {
        for (member, (_, simulation)) in self.schedule.present().zip(self.articulations.simulations()) {
            let near = |c: &Camera| (c.position - member.center).length() < member.reach;
            if viewer.cameras().iter().any(near) {
                viewer.check_outside(simulation)?;
            }
        }
        self.check_outside_singles(viewer)
    }

    /// Articulations without looks get those of their colliders.
    fn attach_looks(&mut self) {
        if self.contacts.registry.colliders.len() == 0 {
            return;
        }
        let ids: Vec<_> =
            self.articulations().filter(|(_, s)| s.looks().is_none()).map(|(id, _)| id).collect();
        for id in ids {
            let shapes: Vec<_> = (self.colliders())
                .filter_map(|(_, collider, body)| match body {
                    BodyRef::Of(of, body) if of == id && !collider.is_sensor => {
                        Some((body, collider.frame, collider.shape.clone()))
                    }
                    _ => None,
                })
                .collect();
            if let Some(simulation) = self.articulations.simulation_mut(id).filter(|_| !shapes.is_empty()) {
                let set = simulation.set_looks(Looks::new(&simulation.model, shapes));
                debug_assert!(set.is_ok(), "they were made for this model: {set:?}");
            }
        }
    }

    /// Whether no camera is in a single body.
    fn check_outside_singles(&self, viewer: &Viewer) -> Result<(), ViewerError> {
        for (camera, c) in viewer.cameras().iter().enumerate() {
            for (_, collider, body) in self.colliders() {
                let (BodyRef::Single(id), Ok(frame)) = (body, self.frame(body)) else { continue };
                let at = (frame * collider.frame * collider.shape.axes()).inverse().point(c.position);
                if !collider.is_sensor && collider.shape.parry().contains_local_point(at) {
                    let body = self.body(id).map(|b| b.name.clone()).unwrap_or_default();
                    return Err(ViewerError::Camera { camera, error: CameraError::Inside { body } });
                }
            }
        }
        Ok(())
    }
}
