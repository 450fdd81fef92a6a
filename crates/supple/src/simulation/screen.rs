//! Bodies that somebody looks at: they are drawn, and told how many of their pixels are seen.

use super::Simulation;
use crate::view::{Camera, CameraError, Figure, RasterError, Screen, Viewer, ViewerError};

impl Screen {
    /// Draws bodies: pixels by link, of all bodies one after the other, are in [`Screen::counts`] then, the image in [`Screen::ids`].
    /// Bodies without looks are not drawn.
    pub fn draw<'a>(
        &mut self,
        bodies: impl IntoIterator<Item = &'a Simulation>,
        camera: &Camera,
    ) -> Result<(), RasterError> {
        self.clear_others();
        let figures: Vec<Figure<'_>> = bodies.into_iter().map(Simulation::figure).collect();
        self.draw_figures(&figures, camera)
    }

    /// Counts the pixels of bodies in the images of all cameras, and tells them.
    pub fn count(&mut self, bodies: &mut [Simulation], cameras: &[Camera]) -> Result<(), RasterError> {
        self.clear_sums(bodies.iter().map(|b| b.model.tree().links.len()).sum());
        for camera in cameras {
            self.draw(&*bodies, camera)?;
            self.add_counts();
        }
        self.tell(bodies.iter_mut());
        Ok(())
    }

    /// Tells bodies the sums of their counts.
    pub(crate) fn tell<'a>(&self, bodies: impl Iterator<Item = &'a mut Simulation>) {
        let mut first = 0;
        for body in bodies {
            let links = body.model.tree().links.len();
            if let Some(pixels) = self.sums().get(first..first + links) {
                // as many as it has links, so that it takes them
                let _ = body.set_pixels(pixels);
            }
            first += links;
        }
    }
}

impl Viewer {
    /// Whether no camera is inside a body of a simulation.
    pub fn check_outside(&self, simulation: &Simulation) -> Result<(), ViewerError> {
        let Some(looks) = simulation.looks() else { return Ok(()) };
        let links = simulation.kinematics();
        for (camera, c) in self.cameras().iter().enumerate() {
            if let Some(body) = looks.body_at(&links, c.position) {
                let body = simulation.model.bodies()[body.index()].name.clone();
                return Err(ViewerError::Camera { camera, error: CameraError::Inside { body } });
            }
        }
        Ok(())
    }
}

impl Simulation {
    /// The body as a screen draws it.
    pub(crate) fn figure(&self) -> Figure<'_> {
        let looks = self.looks().map(|looks| &**looks);
        Figure { tree: self.model.tree(), q: &self.state.q, looks }
    }
}
