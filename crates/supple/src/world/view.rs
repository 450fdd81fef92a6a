//! A world that somebody looks at.

use std::sync::Arc;

use crate::Simulation;
use crate::view::{CameraError, Looks, Viewer, ViewerError};
use crate::world::{BodyRef, World};

impl World {
    /// Somebody looks at the world: joints of its articulations are worth what is seen of them. Bodies look like their colliders,
    /// unless [`Simulation::set_looks`] says otherwise; what comes later is seen from the next call on.
    pub fn set_viewer(&mut self, viewer: Option<Arc<Viewer>>) -> Result<(), ViewerError> {
        if let Some(viewer) = &viewer {
            viewer.check()?;
            self.check_outside(viewer)?;
            self.attach_looks();
        }
        for articulation in self.watched() {
            articulation.set_viewer(viewer.clone())?;
        }
        Ok(())
    }

    /// Articulations without looks get those of their colliders.
    fn attach_looks(&mut self) {
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
            if let Some(articulation) = self.articulations.get_mut(id).filter(|_| !shapes.is_empty()) {
                let simulation = &mut articulation.simulation;
                let set = simulation.set_looks(Looks::new(&simulation.model, shapes));
                debug_assert!(set.is_ok(), "they were made for this model: {set:?}");
            }
        }
    }

    /// Whether no camera is in a single body. (Under the ground there is nothing to be hidden in.)
    fn check_outside(&self, viewer: &Viewer) -> Result<(), ViewerError> {
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

    /// Its articulations.
    pub(crate) fn watched(&mut self) -> impl Iterator<Item = &mut Simulation> {
        self.articulations.iter_mut().map(|(_, articulation)| &mut articulation.simulation)
    }
}
