use crate::{Parameter, Parameters, SceneError, Stage, gallery};

/// A scene of the gallery: a name, where it comes from, what can be chosen, and how it is built.
#[derive(Clone, Copy, Debug)]
pub struct Scene {
    /// Its name on the command line.
    pub name: &'static str,
    /// The figure or table of a paper that it comes from; empty if none.
    pub figure: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// What can be chosen.
    pub parameters: &'static [Parameter],
    pub(crate) build: fn(&Parameters) -> Result<Stage, SceneError>,
}

/// The first scene of the gallery in which bodies are tied or touch.
const FIRST_WORLD: &str = "pendulum-constraints";

impl Scene {
    /// Whether its bodies are tied or touch: such scenes come after those of articulations each for itself.
    pub fn is_world(&self) -> bool {
        let names = || gallery().iter().map(|scene| scene.name);
        names().position(|name| name == self.name) >= names().position(|name| name == FIRST_WORLD)
    }

    /// The default parameters.
    pub fn parameters(&self) -> Parameters {
        Parameters::new(self.name, self.parameters)
    }

    /// The default parameters with no more than 200 characters, for tests that go through all scenes.
    pub fn small(&self) -> Parameters {
        let mut parameters = self.parameters();
        parameters.lower("characters", 200);
        parameters
    }

    /// Builds the scene. The same parameters give the same scene, bit for bit.
    pub fn build(&self, parameters: &Parameters) -> Result<Stage, SceneError> {
        (self.build)(parameters)?.dress()
    }
}
