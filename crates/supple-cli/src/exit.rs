//! What the command tells by its exit code. `docs/command.md` has the table.

use std::error::Error;
use std::io;

use supple::StepError;
use supple::world::{Failure, WorldError};
use supple_io::IoError;
use supple_record::RecordError;
use supple_scenes::SceneError;
use supple_scenes::file::FileError;
use supple_scenes::live::LiveError;
use supple_viewer::{OpenError, ServerError};

use crate::run::end::Trouble;
use crate::signals::Signal;

/// The codes, for `supple --help`.
pub(crate) const CODES: &str = "\
Exit codes:
    0  done
    1  a fault of supple itself
    2  wrong use: an option, a name, a setting
    3  a file that cannot be read, or is not right
    4  the motion became non-finite
    5  the energy diverged, or constraints were not met
    6  a file cannot be written, or no port is free
  130  interrupted (SIGINT)
  143  told to end (SIGTERM)";

/// A panic: nobody else is to blame.
pub(crate) const FAULT: u8 = 1;
const USE: u8 = 2;
const INPUT: u8 = 3;
const NOT_FINITE: u8 = 4;
const DIVERGED: u8 = 5;
const OUTPUT: u8 = 6;

/// The code of an error, by the first of its causes that has one.
pub(crate) fn code(error: &anyhow::Error) -> u8 {
    if let Some(signal) = error.downcast_ref::<Signal>() {
        return signal.code();
    }
    error.chain().find_map(of).unwrap_or(USE)
}

fn of(cause: &(dyn Error + 'static)) -> Option<u8> {
    // files that are read come first: what the system says of them is no matter of writing; and errors that only pass on another are not
    // in the chain, but their causes are
    if cause.is::<FileError>() || cause.is::<IoError>() {
        Some(INPUT)
    } else if let Some(error) = cause.downcast_ref::<SceneError>() {
        of_scene(error)
    } else if let Some(error) = cause.downcast_ref::<LiveError>() {
        of_live(error)
    } else if let Some(error) = cause.downcast_ref::<ServerError>() {
        match error {
            ServerError::Open(OpenError::Scene(error)) => of_scene(error),
            ServerError::Open(OpenError::Live(error)) => of_live(error),
            ServerError::Open(_) => None,
            ServerError::NoPage { .. } => Some(INPUT),
            _ => Some(OUTPUT),
        }
    } else if cause.is::<Trouble>() {
        Some(DIVERGED)
    } else if let Some(StepError::NotFinite { .. } | StepError::BadInput { .. }) = cause.downcast_ref() {
        Some(NOT_FINITE)
    } else if let Some(error) = cause.downcast_ref::<WorldError>() {
        is_not_finite(error).then_some(NOT_FINITE)
    } else if let Some(error) = cause.downcast_ref::<RecordError>() {
        let written = matches!(
            error,
            RecordError::Write { .. } | RecordError::Encode { .. } | RecordError::TooLarge { .. }
        );
        written.then_some(OUTPUT)
    } else {
        cause.is::<io::Error>().then_some(OUTPUT)
    }
}

fn of_scene(error: &SceneError) -> Option<u8> {
    matches!(error, SceneError::File(_) | SceneError::SceneFile(_)).then_some(INPUT)
}

fn of_live(error: &LiveError) -> Option<u8> {
    let lost = match error {
        LiveError::World(error) => is_not_finite(error),
        _ => false,
    };
    lost.then_some(NOT_FINITE)
}

fn is_lost(error: &StepError) -> bool {
    matches!(error, StepError::NotFinite { .. } | StepError::BadInput { .. })
}

/// Whether a world left the finite numbers.
pub(crate) fn is_not_finite(error: &WorldError) -> bool {
    match error {
        WorldError::Articulation { error, .. } => is_lost(error),
        WorldError::Failed { failures } => failures.iter().all(Failure::is_not_finite),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;

    fn wrapped(error: impl Error + Send + Sync + 'static) -> u8 {
        let outcome: Result<(), _> = Err(error);
        outcome.context("run stopped").map_or_else(|error| code(&error), |()| 0)
    }

    #[test]
    fn causes_are_found_behind_what_was_said_of_them() {
        let gone = || io::Error::from(io::ErrorKind::NotFound);
        assert_eq!(code(&anyhow::anyhow!("--dt must be positive")), USE);
        assert_eq!(wrapped(gone()), OUTPUT);
        assert_eq!(wrapped(IoError::Read { source: gone() }), INPUT);
        let file = FileError::Read { file: "a.toml".into(), source: gone() };
        let gone_too = FileError::Read { file: "a.toml".into(), source: gone() };
        assert_eq!(wrapped(SceneError::from(file)), INPUT);
        assert_eq!(wrapped(ServerError::Open(OpenError::Scene(gone_too.into()))), INPUT);
        let (integrator, speed) = (supple::Integrator::Default, 1.0);
        let lost = StepError::NotFinite { joint: "a".into(), integrator, speed, step: 1, time: 0.0 };
        assert_eq!(wrapped(lost.clone()), NOT_FINITE);
        assert_eq!(wrapped(WorldError::Articulation { index: 0, error: lost }), NOT_FINITE);
        assert_eq!(wrapped(WorldError::BadStep { dt: 0.0 }), USE);
        assert_eq!(wrapped(Trouble::Unsolved { steps: 3, of: 4 }), DIVERGED);
        assert_eq!(wrapped(Signal::Interrupt), 130);
    }
}
