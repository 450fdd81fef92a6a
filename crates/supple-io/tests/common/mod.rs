//! What several test files need.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::path::{Path, PathBuf};

use supple::dynamics::articulated::Sweep;
use supple::dynamics::kinematics::Kinematics;
use supple::dynamics::wrench::Wrenches;
use supple::dynamics::{EquationOfMotion, aba};
use supple_io::{Loaded, ModelState};

/// The folder with the MJCF and URDF models of these tests.
pub(crate) fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models")
}

/// A case with every kind of joint, and all that joints may have.
pub(crate) fn every_joint() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/every_joint.json")
}

/// The golden cases of the library.
pub(crate) fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../supple/tests/fixtures");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "json"));
    files.sort();
    assert!(files.len() >= 8);
    files
}

/// Joint accelerations without passive forces.
pub(crate) fn accelerations(loaded: &Loaded, state: &ModelState) -> Vec<f64> {
    let model = &loaded.model;
    let mut kinematics = Kinematics::new(model.tree());
    kinematics.update(model.tree(), &state.q, &state.v);
    let mut wrenches = Wrenches::new();
    wrenches.set(model, model.tree(), &kinematics, &state.wrenches);
    let mut qdd = vec![0.0; model.nv()];
    let equation = EquationOfMotion {
        tree: model.tree(),
        kinematics: &kinematics,
        gravity: state.gravity,
        diagonal: model.armature(),
        wrenches: &wrenches,
    };
    aba::accelerations(&equation, &state.tau, &mut Sweep::new(model.tree()), &mut qdd);
    qdd
}

/// Largest difference, relative to the largest number expected.
pub(crate) fn relative_error(got: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(got.len(), expected.len());
    let scale = expected.iter().fold(f64::MIN_POSITIVE, |m, x| m.max(x.abs()));
    got.iter().zip(expected).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs())) / scale
}
