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
use super::island::Island;
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
struct Pace {
    /// How often it was made slower.
    slower: u32,
    /// Steps in which no slower one is tried.
    idle: u32,
}

impl Pace {
    /// Share of the speed of approach.
    fn share(self) -> f64 {
        (0..self.slower).fold(1.0, |share, _| share * SLOWER)
    }

    /// The next step: a faster one if the last was done early.
    fn go_on(&mut self, iterations: u32) {
        self.idle = self.idle.saturating_sub(1);
        if iterations <= EARLY {
            self.slower = self.slower.saturating_sub(1);
        }
    }

    /// A slower one, while there is one; then once more the first.
    fn slow_down(&mut self) -> bool {
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

/// How the joints of an island come together in this step.
#[derive(Clone, Debug, Default)]
pub(super) struct Closing {
    pace: Pace,
    phase: Phase,
    /// Impulses that leave joints as far apart as they are.
    staying: Vec<f64>,
}

/// What Newton seeks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    /// Nobody has looked yet.
    #[default]
    Begin,
    /// Joints are as good as closed: what is left of the last step closes with the motion of this one.
    Closed,
    /// Impulses that leave joints as far apart as they are.
    Stay,
    /// Impulses that close them. The last prediction was still with those that leave them: velocities are to be these.
    Stayed,
    /// Impulses that close them.
    Close,
}

impl Closing {
    /// A step begins, and the last one took so many iterations.
    pub(super) fn begin_step(&mut self, iterations: u32) {
        self.pace.go_on(iterations);
        self.phase = Phase::Begin;
    }

    /// Says once per step whether joints are apart.
    pub(super) fn see(&mut self, is_apart: bool) {
        if self.phase == Phase::Begin {
            self.phase = if is_apart { Phase::Stay } else { Phase::Closed };
        }
    }

    /// How far joints that are apart come together in a step of `dt` \[s], with what is sought now \[m or rad].
    pub(super) fn way(&self, settings: &Settings, dt: f64) -> f64 {
        match self.phase {
            Phase::Stay => 0.0,
            Phase::Stayed | Phase::Close => settings.approach * self.pace.share() * dt,
            Phase::Begin | Phase::Closed => settings.approach * dt,
        }
    }

    /// Whether impulses are sought that leave joints as far apart as they are.
    pub(super) fn is_staying(&self) -> bool {
        self.phase == Phase::Stay
    }

    /// Whether impulses are sought, or were found, that close joints.
    pub(super) fn is_closing(&self) -> bool {
        matches!(self.phase, Phase::Stayed | Phase::Close)
    }

    /// Whether joints are to close at a slower pace than they could not follow; none is slower than the slowest.
    pub(super) fn slow_down(&mut self) -> bool {
        self.is_closing() && self.pace.slow_down()
    }
}

impl Island {
    /// Goes on from impulses that leave joints as far apart as they are to those that close them.
    pub(super) fn begin_closing(&mut self) {
        let Self { newton, rows, .. } = self;
        newton.closing.staying.clone_from(&rows.lambda);
        newton.closing.phase = Phase::Stayed;
        newton.spend(0);
        newton.resume(&rows.lambda);
    }

    /// Starts once more from the impulses that leave joints as far apart as they are, to close them at another pace.
    pub(super) fn close_again(&mut self) {
        let Self { newton, rows, .. } = self;
        rows.lambda.clone_from(&newton.closing.staying);
        newton.spend(0);
        newton.resume(&rows.lambda);
    }

    /// Whether the last prediction was with impulses that leave joints as far apart as they are, and those that close them are still to
    /// come; says so once.
    pub(crate) fn take_stayed(&mut self) -> bool {
        let phase = &mut self.newton.closing.phase;
        let stayed = *phase == Phase::Stayed;
        if stayed {
            *phase = Phase::Close;
        }
        stayed
    }

    /// Newton is done, and positions are predicted: velocities are to be those without closing.
    pub(crate) fn finish(&mut self) {
        self.newton.count_spent();
        if self.newton.closing.is_closing() {
            self.take_out_closing();
        }
    }

    /// Whether joints are so far apart that closing them would give bodies a push that can be seen.
    pub(super) fn is_apart(&self, settings: &Settings) -> bool {
        self.gaps.farthest() > settings.failed()
    }

    /// Whether joints close so fast in this step that bodies are not to keep that speed.
    pub(super) fn closes_fast(&self, settings: &Settings, dt: f64) -> bool {
        let far = FAST * settings.approach * dt;
        self.rows.lines.iter().any(|line| match line.ask {
            Ask::Hold => !(line.value.abs() <= far),
            Ask::Limit { .. } => line.value > far,
            _ => false,
        })
    }

    /// Sweeps cannot tell what closes joints from what else acts on them: velocities are to be without either, and what joints and limits hold,
    /// post-stabilization finds again.
    pub(super) fn let_go(&mut self) {
        self.rows.lambda.fill(0.0);
        self.states.closing.clear();
        self.states.closing.resize(self.topology.nodes.len(), Force::ZERO);
        for (i, node) in self.topology.nodes.iter().enumerate() {
            match node {
                Node::Single { .. } => self.states.impulses[i] = Force::ZERO,
                // articulations move with them, and take them back once they have
                Node::Port { .. } => self.states.closing[i] = self.states.impulses[i],
            }
        }
    }

    /// The impulses of rows become those without closing, and those of single bodies; articulations move with them, and take them
    /// back once they have.
    fn take_out_closing(&mut self) {
        let Self { topology, states, rows, newton, .. } = self;
        let without = &newton.closing.staying;
        states.closing.resize(topology.nodes.len(), Force::ZERO);
        for joint in &topology.joints {
            for (side, node) in joint.pushed() {
                for k in joint.range() {
                    states.closing[node] += rows.lines[k].push[side] * (rows.lambda[k] - without[k]);
                }
            }
        }
        rows.lambda.copy_from_slice(without);
        for ((node, impulse), closing) in
            topology.nodes.iter().zip(&mut states.impulses).zip(&mut states.closing)
        {
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
