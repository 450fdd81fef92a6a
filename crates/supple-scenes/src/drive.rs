use std::fmt;
use std::sync::Arc;

use supple::Simulation;

use crate::forces::{ForceOverTime, Forces};

/// What a scene does to a body before every step: forces that come and go, gusts. It knows the body's number and looks at
/// its time, so that the same time gives the same forces.
#[derive(Clone)]
pub struct Drive(How);

#[derive(Clone)]
enum How {
    /// As data, which files can have.
    Told(Arc<Forces>),
    /// As a program.
    Custom { act: Arc<Act>, next: Option<Arc<Next>> },
}

type Act = dyn Fn(usize, &mut Simulation) + Send + Sync;
type Next = dyn Fn(usize, f64) -> f64 + Send + Sync;

impl Drive {
    /// A drive that does this. It cannot be printed as a file: [`Drive::told`] can.
    pub fn new(act: impl Fn(usize, &mut Simulation) + Send + Sync + 'static) -> Self {
        Self(How::Custom { act: Arc::new(act), next: None })
    }

    /// Forces as a file has them, bodies by their numbers. Those that push set the wrenches of a body anew before every step.
    pub fn told(forces: Vec<ForceOverTime>) -> Self {
        Self(How::Told(Arc::new(Forces::new(forces))))
    }

    /// The same, with pauses: `next` tells from the number of a body and a time \[s] when forces on it begin; that time if they
    /// are there already, infinite if there are none to come. Forces as a file has them know their pauses themselves.
    #[must_use]
    pub fn pausing(self, next: impl Fn(usize, f64) -> f64 + Send + Sync + 'static) -> Self {
        match self.0 {
            How::Custom { act, .. } => Self(How::Custom { act, next: Some(Arc::new(next)) }),
            told @ How::Told(_) => Self(told),
        }
    }

    /// Does it to the body of this number, for the step that comes next.
    pub fn act(&self, body: usize, simulation: &mut Simulation) {
        match &self.0 {
            How::Told(forces) => forces.act(body, simulation),
            How::Custom { act, .. } => act(body, simulation),
        }
    }

    /// When it does something to a body next, from a time on \[s]: who rests until then need not be asked. The time itself where
    /// nothing is known of pauses.
    pub fn next(&self, body: usize, time: f64) -> f64 {
        match &self.0 {
            How::Told(forces) => forces.next(body, time),
            How::Custom { next, .. } => next.as_ref().map_or(time, |next| next(body, time)),
        }
    }

    /// The forces, if a file can have them.
    pub fn forces(&self) -> Option<&[ForceOverTime]> {
        match &self.0 {
            How::Told(forces) => Some(forces.list()),
            How::Custom { .. } => None,
        }
    }

    /// Whether it sets wrenches, as far as that is known.
    pub(crate) fn pushes(&self) -> bool {
        match &self.0 {
            How::Told(forces) => forces.pushes(),
            How::Custom { .. } => true,
        }
    }
}

impl fmt::Debug for Drive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Drive")
    }
}
