//! A world as screens draw it.

use super::{BodyRef, World};
use crate::view::{Camera, Figure, RasterError, Screen};

impl Screen {
    /// Draws a world, with its colliders: pixels of the links of its articulations are in [`Screen::counts`] then, the image in
    /// [`Screen::ids`].
    pub fn draw_world(&mut self, world: &World, camera: &Camera) -> Result<(), RasterError> {
        let figures: Vec<Figure<'_>> =
            world.articulations().map(|(_, simulation)| simulation.figure()).collect();
        self.clear_others();
        let mut next: u32 = figures.iter().map(|figure| figure.tree.links.len() as u32).sum();
        for (id, collider, body) in world.colliders() {
            let of_articulation = matches!(body, BodyRef::Of(..));
            let Ok(frame) = world.frame(body) else { continue };
            if collider.is_sensor || of_articulation {
                continue;
            }
            next += 1;
            self.add_other(id.number(), &collider.shape, (frame * collider.frame).pose(), next);
        }
        self.draw_figures(&figures, camera)
    }

    /// Counts the pixels of the articulations of a world in the images of all cameras, and tells them.
    pub fn count_world(&mut self, world: &mut World, cameras: &[Camera]) -> Result<(), RasterError> {
        self.clear_sums(world.articulations().map(|(_, s)| s.model.tree().links.len()).sum());
        for camera in cameras {
            self.draw_world(world, camera)?;
            self.add_counts();
        }
        self.tell(world.articulations.simulations_mut().map(|(_, simulation)| simulation));
        Ok(())
    }
}
