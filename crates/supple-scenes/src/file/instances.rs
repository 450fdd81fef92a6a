//! Many articulations of one model, in rows.

use glam::{DQuat, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use supple::spatial::rotation;
use supple::{JointKind, Simulation};
use supple_io::case::Springs;

use super::articulation::Articulation;
use super::detail::{DetailFile, WeightsFile};
use super::fault::{At, Fault};
use crate::SplitMix64;

/// Most that a file may have.
const MOST: usize = 1_000_000;

/// Articulations of one model in rows: along y, one row behind the other along x. The root of the model must move freely or in a level plane.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Instances {
    /// One of the file's models.
    pub model: String,
    /// How many.
    pub count: usize,
    /// How many in a row; as many as there are rows if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub columns: Option<usize>,
    /// From row to row and from column to column \[m].
    #[serde(default = "spacing")]
    pub spacing: [f64; 2],
    /// The middle of the first row \[m].
    #[serde(default)]
    pub at: [f64; 3],
    /// How far they may be off their places, along x and y \[m].
    #[serde(default)]
    pub jitter: f64,
    /// Which way they look, from x to y \[rad].
    #[serde(default)]
    pub heading: f64,
    /// How far they may be off that \[rad].
    #[serde(default)]
    pub turn: f64,
    /// Which chances.
    #[serde(default)]
    pub seed: u64,
    /// Positions of the joints of each, before it is put in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q: Option<Vec<f64>>,
    /// Velocities of the joints of each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub v: Option<Vec<f64>>,
    /// Springs of each; anchors are seen from its place, which is level with the world's origin.
    #[serde(default, skip_serializing_if = "Springs::is_empty")]
    pub springs: Springs,
    /// How much of each is simulated. Updates take turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<DetailFile>,
    /// What joints are worth where not all are simulated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<WeightsFile>,
}

const fn spacing() -> [f64; 2] {
    [1.0, 1.0]
}

impl Instances {
    /// What each of them is, but for its place.
    pub(crate) fn each(&self, at: &At) -> Result<Articulation, Fault> {
        if self.count > MOST {
            return Err(at.key("count").wrong(format!("must be {MOST} at most, got {}", self.count)));
        }
        if self.columns == Some(0) {
            return Err(at.key("columns").wrong("must be 1 or more, got 0"));
        }
        Ok(Articulation {
            model: Some(self.model.clone()),
            q: self.q.clone(),
            v: self.v.clone(),
            springs: self.springs.clone(),
            detail: self.detail.clone(),
            weights: self.weights.clone(),
            ..Articulation::default()
        })
    }

    /// Puts a simulation in the place of this number.
    pub(crate) fn place(&self, i: usize, simulation: &mut Simulation, at: &At) -> Result<(), Fault> {
        let (place, heading) = self.at(i);
        let turn = rotation::about_z(heading);
        let model = simulation.model.clone();
        let Some(root) = model.joints().first() else { return Ok(()) };
        let q = &mut simulation.state.q;
        match &root.kind {
            JointKind::Free => {
                let position = turn * DVec3::new(q[0], q[1], q[2]) + place;
                let rotation = turn * DQuat::from_xyzw(q[3], q[4], q[5], q[6]);
                q[..3].copy_from_slice(&position.to_array());
                q[3..7].copy_from_slice(&rotation.normalize().to_array());
            }
            JointKind::Planar { normal } if normal.cross(DVec3::Z) == DVec3::ZERO && normal.z > 0.0 => {
                let position = turn * DVec3::new(q[0], q[1], 0.0) + place;
                let turned = q[2] + heading;
                q[..3].copy_from_slice(&[position.x, position.y, turned]);
            }
            other => {
                let message = format!(
                    "the root of the model has a {} joint: instances need one that is free, or planar about z",
                    other.word()
                );
                return Err(at.key("model").wrong(message));
            }
        }
        for spring in &mut simulation.springs {
            spring.anchor = turn * spring.anchor + place;
        }
        Ok(())
    }

    /// Where one stands \[m], and which way it looks \[rad].
    fn at(&self, i: usize) -> (DVec3, f64) {
        let side = || (1..).find(|n: &usize| n * n >= self.count).unwrap_or(1);
        let columns = self.columns.unwrap_or_else(side).max(1);
        let (row, column) = (i / columns, i % columns);
        let middle = 0.5 * (columns - 1) as f64;
        let mut random = SplitMix64::of(self.seed, i, 0);
        let mut off = |most: f64| random.between(-most, most);
        let [behind, beside] = self.spacing;
        let aside = DVec3::new(off(self.jitter), off(self.jitter), 0.0);
        let place = DVec3::new(behind * row as f64, beside * (column as f64 - middle), 0.0);
        (DVec3::from(self.at) + place + aside, self.heading + off(self.turn))
    }
}
