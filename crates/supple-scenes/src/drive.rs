use std::fmt;
use std::sync::Arc;

use supple::Simulation;

/// What a scene does to a body before every step: forces that come and go, gusts. It knows the body's number and looks at
/// its time, so that the same time gives the same forces.
#[derive(Clone)]
pub struct Drive(Arc<Act>);

type Act = dyn Fn(usize, &mut Simulation) + Send + Sync;

impl Drive {
    /// A drive that does this.
    pub fn new(act: impl Fn(usize, &mut Simulation) + Send + Sync + 'static) -> Self {
        Self(Arc::new(act))
    }

    /// Does it to the body of this number, for the step that comes next.
    pub fn act(&self, body: usize, simulation: &mut Simulation) {
        (self.0)(body, simulation);
    }
}

impl fmt::Debug for Drive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Drive")
    }
}
