//! How many steps, and how: checked before anything is built.

use std::path::Path;

use anyhow::{Result, bail};
use supple::Integrator;

use crate::number::short;

/// Steps that no run should have by accident.
const MOST_STEPS: f64 = 1e9;

/// The steps of a run.
#[derive(Debug, PartialEq)]
pub(crate) struct Plan {
    /// Length of a step \[s].
    pub(crate) dt: f64,
    /// How many.
    pub(crate) steps: u64,
}

impl Plan {
    /// The whole number of steps nearest to `seconds`.
    pub(crate) fn new(seconds: f64, dt: f64) -> Result<Self> {
        if !(dt > 0.0) {
            bail!("--dt must be positive, got {} s", short(dt));
        }
        if !(seconds >= 0.0) {
            bail!("--seconds must not be negative, got {} s", short(seconds));
        }
        if seconds > 0.0 && dt > seconds * (1.0 + 1e-9) {
            let (dt, seconds) = (short(dt), short(seconds));
            bail!("--dt ({dt} s) is longer than --seconds ({seconds} s): there would be no step to take");
        }
        let steps = seconds / dt;
        if !(steps <= MOST_STEPS) {
            bail!(
                "--seconds {} by --dt {} are {steps:.1e} steps, more than {MOST_STEPS:.0e}: take longer steps or less time",
                short(seconds),
                short(dt)
            );
        }
        Ok(Self { dt, steps: steps.round() as u64 })
    }
}

/// Refuses options that name one file: each would be written over the other.
pub(crate) fn refuse_same_files(files: &[(&str, Option<&Path>)]) -> Result<()> {
    let place = |path: &Path| {
        // what is not there yet has a folder that is
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let beside = || Some(folder.canonicalize().ok()?.join(path.file_name()?));
        path.canonicalize().ok().or_else(beside).unwrap_or_else(|| path.to_owned())
    };
    let named: Vec<(&str, &Path)> =
        files.iter().filter_map(|(option, path)| Some((*option, (*path)?))).collect();
    for (i, (first, path)) in named.iter().enumerate() {
        if let Some((second, other)) = named[i + 1..].iter().find(|(_, other)| place(other) == place(path)) {
            bail!("{first} and {second} name the same file, {}: give them one each", other.display());
        }
    }
    Ok(())
}

/// The integrator with its tolerance.
pub(crate) fn integrator(name: &str, tolerance: Option<f64>) -> Result<Integrator> {
    let Some(integrator) = Integrator::by_name(name) else { bail!("no integrator is called {name:?}") };
    match (integrator, tolerance) {
        (integrator, None) => Ok(integrator),
        (Integrator::Adaptive { .. }, Some(tolerance)) if tolerance > 0.0 => {
            Ok(Integrator::Adaptive { tolerance })
        }
        (Integrator::Adaptive { .. }, Some(tolerance)) => {
            bail!("--integrator-tolerance must be positive, got {tolerance}")
        }
        (_, Some(_)) => bail!("--integrator-tolerance is for --integrator adaptive, not for {name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_is_written_by_one_option() {
        let files = |paths: [&'static str; 2]| {
            refuse_same_files(&[
                ("--out", Some(Path::new(paths[0]))),
                ("--report", Some(Path::new(paths[1]))),
            ])
        };
        assert!(files(["x.csv", "y.csv"]).is_ok() && files(["-", "x.csv"]).is_ok());
        let error = files(["x.csv", "./x.csv"]).unwrap_err().to_string();
        assert_eq!(error, "--out and --report name the same file, ./x.csv: give them one each");
    }

    #[test]
    fn the_nearest_number_of_steps() {
        let steps = |seconds, dt| Plan::new(seconds, dt).unwrap().steps;
        assert_eq!(steps(1.0, 1.0 / 60.0), 60);
        assert_eq!(steps(10.0, 0.016_666_667), 600);
        assert_eq!(steps(0.3, 0.1), 3);
        assert_eq!(steps(0.0, 0.1), 0);
    }

    #[test]
    fn plans_that_cannot_be() {
        for (seconds, dt) in
            [(1.0, 0.0), (1.0, -1.0), (-1.0, 0.1), (1.0, 2.0), (1e9, 1e-9), (1e300, 1e-300), (1.0, f64::NAN)]
        {
            assert!(Plan::new(seconds, dt).is_err(), "{seconds} {dt}");
        }
    }
}
