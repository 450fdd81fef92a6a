//! What an island knows of its nodes: where they are, what they answer, what pushes them.

use glam::DVec3;

use crate::bodies::{Articulations, Moving, Node, Tension};
use crate::spatial::{Force, Motion, Sym3};

use super::topology::{Joint, NodeIx};
use super::{Arms, Frame};

/// Points are far apart that are so many times the size of a body, seen from the joint. At a tenth, arms at the midpoint are a twentieth off,
/// and Newton gains a factor of twenty per step.
const FAR: f64 = 0.1;
/// Points nearer than this are near even for a body of ten micrometres \[m]: sizes are not computed then.
const NEAR: f64 = 1e-6;

/// What there is for each node of an island.
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeStates {
    /// The bodies, for single ones.
    pub(super) bodies: Vec<Moving>,
    /// Inverse inertias of single bodies, world axes.
    pub(super) inverse_inertias: Vec<Sym3>,
    /// Inverse inertias and masses of bodies under tension, for the position update.
    pub(super) tension: Vec<Option<Tension>>,
    /// Terms that tension adds to the inertias and masses of single bodies.
    pub(super) tension_terms: Vec<[Sym3; 2]>,
    /// Frames of the nodes, present or predicted.
    pub(super) frames: Vec<Frame>,
    pub(super) velocities: Vec<Motion>,
    pub(super) impulses: Vec<Force>,
    /// Impulses that close joints that are apart: they move bodies, and their speeds are taken back. Empty if there are none.
    pub(super) closing: Vec<Force>,
}

impl NodeStates {
    /// For so many nodes.
    pub(super) fn new(nodes: usize) -> Self {
        Self {
            bodies: vec![Moving::FIXED; nodes],
            inverse_inertias: vec![Sym3::ZERO; nodes],
            tension: vec![None; nodes],
            tension_terms: Vec::new(),
            frames: vec![Frame::IDENTITY; nodes],
            velocities: vec![Motion::ZERO; nodes],
            impulses: vec![Force::ZERO; nodes],
            closing: Vec::new(),
        }
    }

    /// Copies the single bodies among the `nodes`.
    pub(super) fn gather(&mut self, nodes: &[Node], single: impl Fn(usize) -> Moving) {
        for (node, body) in nodes.iter().zip(&mut self.bodies) {
            if let Node::Single { place } = node {
                *body = single(*place as usize);
            }
        }
    }

    /// Computes the frames of the `nodes` at the present pose; bodies answer as they are.
    pub(super) fn gather_frames(&mut self, nodes: &[Node], articulations: &Articulations) {
        self.slacken();
        for (i, node) in nodes.iter().enumerate() {
            match *node {
                Node::Single { .. } => {
                    self.frames[i] = self.bodies[i].at;
                    self.inverse_inertias[i] = self.bodies[i].inverse_inertia_world();
                }
                Node::Port { articulation, port } => {
                    self.frames[i] = articulations.at(articulation as usize).port_frame(port as usize);
                }
            }
        }
    }

    /// Predicted frames of the ports among the `nodes`.
    pub(super) fn gather_ports(&mut self, nodes: &[Node], articulations: &Articulations) {
        for (node, frame) in nodes.iter().zip(&mut self.frames) {
            if let Node::Port { articulation, port } = node {
                *frame = articulations.at(*articulation as usize).port_frame(*port as usize);
            }
        }
    }

    /// Bodies answer as they are, without tension.
    pub(super) fn slacken(&mut self) {
        self.tension.fill(None);
    }

    /// What the single body at `i` answers to an impulse.
    #[inline(always)]
    pub(super) fn respond(&self, i: usize, impulse: Force) -> Motion {
        match &self.tension[i] {
            None => Motion::new(
                self.inverse_inertias[i] * impulse.angular,
                impulse.linear * self.bodies[i].inverse_mass,
            ),
            Some(t) => {
                Motion::new(t.inverse_inertia_world * impulse.angular, t.inverse_mass * impulse.linear)
            }
        }
    }

    /// The frame of one side of a joint, in the world.
    #[inline(always)]
    pub(super) fn side(&self, joint: &Joint, side: usize) -> Frame {
        match joint.ends[side] {
            None => joint.frames[side],
            Some(node) => self.frames[node] * joint.frames[side],
        }
    }

    /// Where one side of a joint is, in the world.
    #[inline(always)]
    pub(super) fn side_point(&self, joint: &Joint, side: usize) -> DVec3 {
        match joint.ends[side] {
            None => joint.frames[side].position,
            Some(node) => self.frames[node].point(joint.frames[side].position),
        }
    }

    /// From the nodes of a joint to where impulses act on them, if its sides are at the points `own`.
    #[inline(always)]
    pub(super) fn arms(&self, joint: &Joint, arms: Arms, own: [DVec3; 2]) -> [DVec3; 2] {
        let points = self.points(joint, arms, own);
        [0, 1].map(|side| match joint.ends[side] {
            None => DVec3::ZERO,
            Some(node) => points[side] - self.frames[node].position,
        })
    }

    /// Where impulses act on both sides of a joint. Where the points are far apart, at the child's: errors are seen from the parent, and turn
    /// with it, so that these are their true derivatives; and momenta stay.
    #[inline]
    fn points(&self, joint: &Joint, arms: Arms, own: [DVec3; 2]) -> [DVec3; 2] {
        let square = own[0].distance_squared(own[1]);
        match arms {
            Arms::Own => own,
            Arms::Middle if square > NEAR * NEAR && self.is_far(joint, own, square.sqrt()) => [own[1]; 2],
            Arms::Middle => [0.5 * (own[0] + own[1]); 2],
        }
    }

    /// Whether two points that a joint is to bring together are so far apart (`gap` \[m]) that what acts at the midpoint moves them in another
    /// way than if it acted on them: as seen from the centres of mass, and by how far from there bodies have their mass.
    #[cold]
    fn is_far(&self, joint: &Joint, points: [DVec3; 2], gap: f64) -> bool {
        let is_far = |(side, node): (usize, NodeIx)| {
            let (body, trace) = (&self.bodies[node], self.inverse_inertias[node].trace());
            let wide = if trace > 0.0 { (body.inverse_mass / trace).sqrt() } else { 0.0 };
            let size = points[side].distance(self.frames[node].position) + wide;
            size > 0.0 && gap > FAR * size
        };
        joint.pushed().any(is_far)
    }
}
