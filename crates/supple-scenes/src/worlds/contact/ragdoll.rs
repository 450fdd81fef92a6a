//! A person in reduced coordinates with a capsule on every limb.

use glam::{DQuat, DVec3};
use supple::constraint::Frame;
use supple::contact::{Material, Shape};
use supple::world::{ArticulationId, BodyRef};
use supple::{BodyId, Simulation};

use crate::drawn::Drawn;

use super::props::{near_pairs, wear};
use crate::{Capsule, SceneError, Stage, humanoid};

/// Limbs that are nearer than this in the upright pose never touch: flesh is softer than capsules \[m].
const NEAR: f64 = 0.005;

/// A person to make copies of.
pub(crate) struct Ragdoll {
    /// Upright, the pelvis above the origin.
    pub(crate) simulation: Simulation,
    /// By limb: ends of its capsule in its frame, and the radius \[m].
    capsules: Vec<(DVec3, DVec3, f64)>,
    shapes: Vec<Shape>,
    /// Limbs that overlap in the upright pose.
    overlaps: Vec<[BodyId; 2]>,
}

impl Ragdoll {
    /// A person with joints that are damped a little.
    pub(crate) fn new() -> Result<Self, SceneError> {
        let Drawn { simulation, shapes: rods } = humanoid::person(true)?;
        let capsules: Vec<_> = rods.iter().map(|c| (c.from, c.to, c.radius)).collect();
        let shapes = capsules
            .iter()
            .map(|(from, to, radius)| Shape::capsule(*from, *to, *radius))
            .collect::<Result<Vec<_>, _>>()?;
        let placed: Vec<_> = rods
            .iter()
            .zip(&shapes)
            .map(|(c, shape)| (simulation.pose_of(c.body).into(), shape.clone()))
            .collect();
        let overlaps = near_pairs(&placed, NEAR).into_iter().map(|pair| pair.map(BodyId::new)).collect();
        Ok(Self { simulation, capsules, shapes, overlaps })
    }

    /// Adds a copy at rest with its pelvis at a frame.
    pub(crate) fn add(
        &self,
        stage: &mut Stage,
        simulation: Simulation,
        pelvis: Frame,
        surface: Material,
    ) -> Result<ArticulationId, SceneError> {
        let mut simulation = simulation;
        place(&mut simulation, pelvis);
        let id = stage.world.add_articulation(simulation);
        for (i, ((from, to, radius), shape)) in self.capsules.iter().zip(&self.shapes).enumerate() {
            let body = BodyRef::Of(id, BodyId::new(i));
            wear(stage, body, shape.clone(), Frame::IDENTITY, surface)?;
            stage.shapes.push(Capsule { body, from: *from, to: *to, radius: *radius });
        }
        for [a, b] in &self.overlaps {
            stage.world.ignore((id, *a), (id, *b))?;
        }
        Ok(id)
    }
}

/// Puts the root somewhere. Its joint is free: position and quaternion.
fn place(simulation: &mut Simulation, pelvis: Frame) {
    let DQuat { x, y, z, w } = pelvis.rotation;
    let state = &mut simulation.state;
    state.q[..3].copy_from_slice(&pelvis.position.to_array());
    state.q[3..7].copy_from_slice(&[x, y, z, w]);
}
