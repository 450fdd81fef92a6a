use std::fmt;
use std::sync::Arc;

use supple::Simulation;

/// What a scene does to a body before every step: forces that come and go, gusts. It knows the body's number and looks at
/// its time, so that the same time gives the same forces.
#[derive(Clone)]
pub struct Drive {
    act: Arc<Act>,
    next: Option<Arc<Next>>,
}

type Act = dyn Fn(usize, &mut Simulation) + Send + Sync;
type Next = dyn Fn(usize, f64) -> f64 + Send + Sync;

impl Drive {
    /// A drive that does this.
    pub fn new(act: impl Fn(usize, &mut Simulation) + Send + Sync + 'static) -> Self {
        Self { act: Arc::new(act), next: None }
    }

    /// The same, with pauses: `next` tells from the number of a body and a time \[s] when forces on it begin; that time if they
    /// are there already, infinite if there are none to come.
    #[must_use]
    pub fn pausing(mut self, next: impl Fn(usize, f64) -> f64 + Send + Sync + 'static) -> Self {
        self.next = Some(Arc::new(next));
        self
    }

    /// Does it to the body of this number, for the step that comes next.
    pub fn act(&self, body: usize, simulation: &mut Simulation) {
        (self.act)(body, simulation);
    }

    /// When it does something to a body next, from a time on \[s]: who rests until then need not be asked. The time itself where
    /// nothing is known of pauses.
    pub fn next(&self, body: usize, time: f64) -> f64 {
        self.next.as_ref().map_or(time, |next| next(body, time))
    }
}

impl fmt::Debug for Drive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Drive")
    }
}
