use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use supple::Simulation;
use supple::constraint::Frame;

use super::body;
use crate::{Path, Ref};

/// Strings from points of bodies to something that moves: they pull where they are taut, and do not push where they are slack. Each is
/// one of the articulation's springs, of which it sets anchor, stiffness and damping.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Strings {
    /// Of which articulation; all if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub articulation: Option<usize>,
    /// The way of what holds them.
    pub path: Path,
    /// The strings.
    pub strings: Vec<Tied>,
}

/// A string, from a point of what moves to a point of a body.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Tied {
    /// Number among the springs of the articulation.
    pub spring: usize,
    /// The body.
    pub body: Ref,
    /// In the frame of the body \[m].
    pub point: [f64; 3],
    /// In the frame of what moves \[m].
    pub stick: [f64; 3],
    /// At which it just does not pull \[m].
    pub length: f64,
    /// \[N/m]
    pub stiffness: f64,
    /// \[N·s/m]
    pub damping: f64,
}

impl Strings {
    /// Moves what holds the strings.
    pub(crate) fn pull(&self, simulation: &mut Simulation, stick: Frame) {
        let kinematics = simulation.kinematics();
        for string in &self.strings {
            let body = body(&string.body);
            if body.index() >= simulation.model.bodies().len() {
                continue;
            }
            let at = simulation.body_pose(&kinematics, body).point(DVec3::from(string.point));
            let anchor = stick.point(DVec3::from(string.stick));
            let taut = if at.distance(anchor) > string.length { 1.0 } else { 0.0 };
            if let Some(spring) = simulation.springs.get_mut(string.spring) {
                spring.anchor = anchor;
                (spring.stiffness, spring.damping) = (taut * string.stiffness, taut * string.damping);
            }
        }
    }

    /// How long each string is now, of its length.
    pub(crate) fn stretch(&self, simulation: &Simulation) -> Vec<f64> {
        let of = |string: &Tied| {
            let anchor = simulation.springs.get(string.spring).map_or(DVec3::NAN, |spring| spring.anchor);
            simulation.pose_of(body(&string.body)).point(DVec3::from(string.point)).distance(anchor)
                / string.length
        };
        self.strings.iter().map(of).collect()
    }
}
