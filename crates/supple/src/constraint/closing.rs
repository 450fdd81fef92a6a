//! How joints that are apart come together: at a bounded speed, and that is no velocity of the bodies.
//!
//! Each row closes by [`Settings::approach`] in a step at most. Where joints are far apart that may still be more than impulses along
//! the directions of the start of the step can bring about: a limb of 0.2 m does not go 0.17 m sideways at once. Then the island takes a
//! quarter of that pace, and again, and a faster one as soon as Newton is done early. So what is far apart comes together by steps.
//!
//! What closes a joint moves bodies and does not push them, as contacts do with what penetrates. First impulses are sought that leave joints
//! as far apart as they are; then, from there, those that close them. Positions are predicted with the second, velocities and forces are
//! those of the first.

use crate::bodies::Node;
use crate::spatial::{Force, rotation};

use super::Settings;
use super::island::{FIXED, Island};
use super::measure::Ask;
use super::{Constraint, Frame};

/// A pace that Newton cannot follow is taken by this factor.
const SLOWER: f64 = 0.25;
/// So often at most: to 4096 times slower than asked for, which is a few millimetres per second. What does not come together then contradicts.
const SLOWEST: u32 = 6;
/// Steps in which constraints that did not come together at any pace are not tried at slower ones again: they contradict.
const IDLE: u32 = 100;
/// Newton was done early when it took so many iterations at most: a quarter of what it may take by default, and more than a step takes
/// whose joints are closed.
const EARLY: u32 = 5;

/// What sweeps leave open, they close in the next step. Above this share of the speed of approach that is no accuracy of sweeps any more:
/// their gaps are a tenth of a millimetre to ten, which at steps of 1/240 to 1/60 s are speeds below 1 m/s.
const FAST: f64 = 0.1;

/// The pace of an island.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pace {
    /// How often it was made slower.
    slower: u32,
    /// Steps in which no slower one is tried.
    idle: u32,
}

impl Pace {
    /// Share of the speed of approach.
    pub(super) fn share(self) -> f64 {
        (0..self.slower).fold(1.0, |share, _| share * SLOWER)
    }

    /// The next step: a faster one if the last was done early.
    pub(super) fn go_on(&mut self, iterations: u32) {
        self.idle = self.idle.saturating_sub(1);
        if iterations <= EARLY {
            self.slower = self.slower.saturating_sub(1);
        }
    }

    /// A slower one, while there is one; then once more the first.
    pub(super) fn slow_down(&mut self) -> bool {
        if self.idle > 0 {
            return false;
        }
        if self.slower == SLOWEST {
            (self.slower, self.idle) = (0, IDLE);
        } else {
            self.slower += 1;
        }
        true
    }
}

/// What Newton seeks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Phase {
    /// Nobody has looked yet.
    #[default]
    Begin,
    /// Joints are as good as closed: what is left of the last step closes with the motion of this one.
    Closed,
    /// Impulses that leave joints as far apart as they are.
    Stay,
    /// Impulses that close them.
    Close,
}

impl Island {
    /// Goes on from impulses that leave joints as far apart as they are to those that close them.
    pub(super) fn begin_closing(&mut self) {
        self.newton.staying.clone_from(&self.lambda);
        self.newton.stays = true;
        self.newton.phase = Phase::Close;
        self.newton.spent += self.newton.iterations;
        self.resume();
    }

    /// Starts once more from the impulses that leave joints as far apart as they are, to close them at another pace.
    pub(super) fn close_again(&mut self) {
        self.lambda.clone_from(&self.newton.staying);
        self.newton.spent += self.newton.iterations;
        self.resume();
    }

    /// Newton is done, and positions are predicted: velocities are to be those without closing.
    pub(crate) fn finish(&mut self) {
        self.newton.iterations += std::mem::take(&mut self.newton.spent);
        if self.newton.phase == Phase::Close {
            let without = std::mem::take(&mut self.newton.staying);
            self.take_out_closing(&without);
            self.newton.staying = without;
        }
    }

    /// Whether joints are so far apart that closing them would give bodies a push that can be seen.
    pub(super) fn is_apart(&self, settings: &Settings) -> bool {
        self.farthest > settings.failed()
    }

    /// Whether joints close so fast in this step that bodies are not to keep that speed.
    pub(super) fn closes_fast(&self, settings: &Settings, dt: f64) -> bool {
        let far = FAST * settings.approach * dt;
        self.lines.iter().any(|line| match line.ask {
            Ask::Hold => !(line.value.abs() <= far),
            Ask::Limit { .. } => line.value > far,
            _ => false,
        })
    }

    /// Sweeps cannot tell what closes joints from what else acts on them: velocities are to be without either, and what joints and limits hold,
    /// post-stabilization finds again.
    pub(super) fn let_go(&mut self) {
        self.lambda.fill(0.0);
        self.closing.clear();
        self.closing.resize(self.nodes.len(), Force::ZERO);
        for (i, node) in self.nodes.iter().enumerate() {
            match node {
                Node::Single { .. } => self.impulses[i] = Force::ZERO,
                // articulations move with them, and take them back once they have
                Node::Port { .. } => self.closing[i] = self.impulses[i],
            }
        }
    }

    /// The impulses of rows become those `without` closing, and those of single bodies; articulations move with them, and take them
    /// back once they have.
    fn take_out_closing(&mut self, without: &[f64]) {
        let Self { nodes, joints, lines, lambda, impulses, closing, .. } = self;
        closing.resize(nodes.len(), Force::ZERO);
        for joint in joints.iter() {
            for (side, end) in joint.ends.into_iter().enumerate().filter(|(_, end)| *end != FIXED) {
                for k in joint.range() {
                    closing[end as usize] += lines[k].push[side] * (lambda[k] - without[k]);
                }
            }
        }
        lambda.copy_from_slice(without);
        for ((node, impulse), closing) in nodes.iter().zip(impulses).zip(closing) {
            if let Node::Single { .. } = node {
                *impulse -= std::mem::replace(closing, Force::ZERO);
            }
        }
    }
}

/// The frame at the end of the step of a joint that is at `joint` now and closes by `most` \[m and rad] at most; `target` is the nearest
/// allowed one.
pub(super) fn left_open(constraint: &Constraint, joint: Frame, most: f64, target: Frame) -> Frame {
    let allowed = constraint.model.nearest(joint);
    let apart = joint.position - allowed.position;
    let turned = rotation::log(joint.rotation * allowed.rotation.conjugate());
    let [apart, turned] = [apart, turned].map(|v| v - v.clamp_length_max(most));
    Frame {
        position: target.position + apart,
        rotation: (rotation::exp(turned) * target.rotation).normalize(),
    }
}
