use super::Schedule;
use crate::detail::DetailError;
use crate::world::World;

impl World {
    /// No more than so many pixels per step wrong in all that is seen of the articulations, by estimate: those in view have equal shares.
    /// `None`: every articulation has the detail that it was given.
    pub fn set_pixels(&mut self, error: Option<f64>) -> Result<(), DetailError> {
        let Some(error) = error else {
            if self.schedule.pixels.take().is_some() {
                self.give_back()?;
            }
            return Ok(());
        };
        if !(error >= 0.0) {
            return Err(DetailError::BadError { what: "pixel", value: error, unit: "pixels" });
        }
        if self.schedule.viewer.is_none() {
            return Err(DetailError::NoViewer { error });
        }
        self.look_at_new();
        self.set_budget(None)?;
        let Self { articulations, schedule, .. } = self;
        schedule.pixels = Some(error);
        for (id, simulation) in articulations.simulations_mut() {
            schedule.charge(id.index(), simulation)?;
        }
        // who rested may have to move
        schedule.forget();
        Ok(())
    }

    /// Pixels that may be wrong in all images together, if that was set.
    pub fn pixels(&self) -> Option<f64> {
        self.schedule.pixels
    }

    /// Articulations get their share of the pixels that may be wrong.
    pub(super) fn share_pixels(&mut self) {
        let Self { articulations, schedule: Schedule { pixels: Some(error), in_view, stepping, .. }, .. } =
            self
        else {
            return;
        };
        let error = *error / (*in_view).max(1) as f64;
        for place in stepping.iter() {
            articulations.simulation_at_mut(*place as usize).allow_pixels(error);
        }
    }
}
