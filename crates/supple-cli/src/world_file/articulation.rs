use anyhow::Result;
use serde::Serialize;
use serde_json::Value;
use supple::Simulation;
use supple::model::BodyId;
use supple_io::case::Expected;
use supple_io::case_to_string;

use crate::export::expected;

/// A tree of bodies as a case, with the poses and velocities that its bodies have.
#[derive(Serialize)]
pub(crate) struct Articulation {
    /// Number of its first body in the file.
    first: i64,
    case: Value,
}

impl Articulation {
    pub(super) fn new(name: &str, first: i64, simulation: &Simulation) -> Result<Self> {
        let kinematics = simulation.kinematics();
        let bodies = || (0..simulation.model.bodies().len()).map(BodyId::new);
        let pose = |body| {
            let pose = simulation.body_pose(&kinematics, body);
            (pose.translation.to_array(), pose.quat().to_array())
        };
        let velocity = |body| simulation.body_velocity(&kinematics, body).to_array();
        let expected = Expected {
            body_pos_quat: Some(bodies().map(pose).collect()),
            body_velocity: Some(bodies().map(velocity).collect()),
            ..expected(simulation)
        };
        let case = serde_json::from_str(&case_to_string(name, simulation, Some(expected))?)?;
        Ok(Self { first, case })
    }
}
