//! Work of what drives and brakes: what is left of a change of the energy without it is the error of the steps.
//!
//! Work is force times way: where bodies and joints went in a step is known, whatever their velocities at its two ends are. (Held by a stiff servo
//! against its weight, a body stands still and has at the ends of steps what gravity gives it in half a step.) How well the work is known is told
//! by how much the power would be another by the velocities at either end, or by the forces there. `docs/command.md` says what is counted.

use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::TAU;

use glam::DVec3;
use supple::Simulation;
use supple::constraint::{Action, Constraint, Coordinates, Frame};
use supple::dynamics::kinematics::Kinematics;
use supple::dynamics::spring;
use supple::spatial::{Force, Motion, Sym3, math, rotation};
use supple::world::{BodyRef, ConstraintId, SingleBody, Solver, World, WorldReport};

use super::gap;

/// Joints start open where they are so many tolerances apart: from there on a step counts as failed, too.
const OPEN: f64 = 100.0;

/// Work so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Balance {
    /// Of all that is counted \[J]: what was given less what was taken.
    pub(crate) work: f64,
    /// The same without regard to sign \[J].
    pub(crate) amount: f64,
    /// How well it is known \[J]: what it would differ by at most if the forces or velocities of one end of a step, or those on the way, were those of all
    /// of it. Far more than it is off where power changes gently, and about that where it jumps: at stops, and with servos and dampers that are
    /// stiff beside a step.
    pub(crate) error: f64,
    /// What did work that is not counted.
    pub(crate) not_counted: BTreeSet<&'static str>,
    /// Whether something of that may have given energy, not only taken.
    pub(crate) may_give: bool,
}

impl Balance {
    fn add(&mut self, work: f64) {
        self.work += work;
        self.amount += work.abs();
    }

    /// What a mean power \[W] comes to in a step; `others` are what it would be by the one or the other end.
    fn add_power(&mut self, dt: f64, mean: f64, others: &[f64]) {
        self.add(dt * mean);
        self.error += dt * others.iter().fold(0.0, |most: f64, other| most.max((other - mean).abs()));
    }
}

/// An articulated body as it was at the end of the step before.
#[derive(Clone, Debug)]
struct Past {
    time: f64,
    q: Vec<f64>,
    v: Vec<f64>,
    /// Energy of its springs, which somebody may have moved since \[J].
    springs: f64,
}

impl Past {
    fn of(simulation: &Simulation, kinematics: &mut Kinematics) -> Self {
        let state = &simulation.state;
        see(simulation, kinematics, &state.q, &state.v);
        let springs = springs(simulation, kinematics);
        Self { time: state.time, q: state.q.clone(), v: state.v.clone(), springs }
    }

    /// By where joints went since then; balls, whose position is no sum of small turns, by the velocities at both ends.
    fn mean_velocities(&self, simulation: &Simulation, dt: f64) -> Vec<f64> {
        let state = &simulation.state;
        let mut mean: Vec<f64> = self.v.iter().zip(&state.v).map(|(a, b)| 0.5 * (a + b)).collect();
        for joint in simulation.model.joints().iter().filter(|joint| joint.nq == joint.nv) {
            for i in 0..joint.nv {
                mean[joint.v + i] = (state.q[joint.q + i] - self.q[joint.q + i]) / dt;
            }
        }
        mean
    }

    /// Counts the work since then.
    fn advance(&mut self, simulation: &Simulation, kinematics: &mut Kinematics, balance: &mut Balance) {
        let state = &simulation.state;
        let (dt, acted) = (state.time - self.time, acts(simulation) || self.springs != 0.0);
        if dt == 0.0 {
            return;
        }
        if acted {
            // with what acted in the step, from where it began
            let mean = self.mean_velocities(simulation, dt);
            let mut power = |q: &[f64], v: &[f64]| {
                see(simulation, kinematics, q, v);
                (springs(simulation, kinematics), simulation.power_at(kinematics, (q, v)))
            };
            let (pulled_from, first) = power(&self.q, &self.v);
            let (_, leaving) = power(&self.q, &mean);
            let (_, coming) = power(&state.q, &mean);
            let (now, last) = power(&state.q, &state.v);
            balance.add(pulled_from - self.springs);
            self.springs = now;
            // the mean of the forces at both ends along the way: exact for springs, however stiff
            balance.add_power(dt, 0.5 * (leaving + coming), &[first, leaving, coming, last]);
        }
        self.time = state.time;
        self.q.clone_from(&state.q);
        self.v.clone_from(&state.v);
    }
}

/// Whether anything acts on a body that the energy does not hold.
fn acts(simulation: &Simulation) -> bool {
    simulation.model.has_passive()
        || !simulation.wrenches.is_empty()
        || !simulation.springs.is_empty()
        || !simulation.actuators.is_empty()
        || !simulation.tau.driven().is_empty()
}

/// Kinematics at (q, v), where anything that acts asks for them: what acts in the joints does not.
fn see(simulation: &Simulation, kinematics: &mut Kinematics, q: &[f64], v: &[f64]) {
    if !simulation.wrenches.is_empty() || !simulation.springs.is_empty() {
        kinematics.update(simulation.model.tree(), q, v);
    }
}

/// Energy of springs \[J].
fn springs(simulation: &Simulation, kinematics: &Kinematics) -> f64 {
    if simulation.springs.is_empty() {
        return 0.0;
    }
    spring::energy(&simulation.model, simulation.model.tree(), kinematics, &simulation.springs)
}

/// Work on the bodies of a world.
pub(crate) struct Work {
    pub(crate) balance: Balance,
    articulations: BTreeMap<usize, Past>,
    /// Single bodies as they were, by number.
    bodies: Vec<Option<PastBody>>,
    /// Joints that do work, as they were.
    joints: BTreeMap<usize, PastJoint>,
    kinematics: Kinematics,
}

/// A single body as it was at the end of the step before.
#[derive(Clone, Copy, Debug)]
struct PastBody {
    /// Of its centre of mass.
    at: Frame,
    /// Of its centre of mass \[m/s], and its angular momentum about that, world axes \[N·m·s].
    velocity: DVec3,
    angular_momentum: DVec3,
    /// Its kinetic energy \[J], where there was drag, which asks for it.
    kinetic: Option<f64>,
}

impl PastBody {
    fn of(body: &SingleBody, drag: f64) -> Self {
        Self {
            at: Frame { position: body.centre(), rotation: body.frame().rotation },
            velocity: body.velocity(),
            angular_momentum: body.angular_momentum(),
            kinetic: (drag != 0.0).then(|| body.kinetic_energy()),
        }
    }

    /// How it moved then; of the few that something pushes this is asked.
    fn motion(&self, body: &SingleBody) -> Motion {
        let turned_back = self.at.rotation.conjugate() * self.angular_momentum;
        let inverse = body.inertia().inverse_positive().unwrap_or(Sym3::ZERO);
        Motion::new(self.at.rotation * (inverse * turned_back), self.velocity)
    }

    /// Its kinetic energy then \[J].
    fn kinetic(&self, body: &SingleBody) -> f64 {
        self.kinetic.unwrap_or_else(|| {
            let turning = self.angular_momentum.dot(self.motion(body).angular);
            0.5 * (body.mass() * self.velocity.length_squared() + turning)
        })
    }
}

/// A joint that does work, as it was at the end of the step before.
#[derive(Clone, Copy, Debug)]
struct PastJoint {
    /// Its parent and its child.
    ends: [Frame; 2],
    /// Velocity of the child beside the parent, where the child's side is.
    velocity: Motion,
    /// On the child, world axes.
    force: Force,
}

impl Work {
    pub(crate) fn new(world: &World) -> Self {
        let mut work = Self {
            balance: Balance::default(),
            articulations: BTreeMap::new(),
            bodies: Vec::new(),
            joints: BTreeMap::new(),
            kinematics: Kinematics::default(),
        };
        work.look(world, 0.0);
        if gap::greatest(world) > OPEN * world.settings.tolerance {
            work.balance.not_counted.insert("joints that start open and are closed");
            work.balance.may_give = true;
        }
        work
    }

    /// After a step of `dt` \[s].
    pub(crate) fn note(&mut self, world: &World, report: &WorldReport, dt: f64) {
        self.look(world, dt);
        let Balance { not_counted, may_give, .. } = &mut self.balance;
        if report.contacts > 0 {
            not_counted.insert("contacts");
            // what does not move, or is pushed itself, only takes
            *may_give |= world.bodies().any(|(_, body)| body.is_kinematic());
        }
        let settings = &world.settings;
        if !self.joints.is_empty() && settings.solver != Solver::Together {
            // its impulses are not forces
            not_counted.insert("joints that drive or brake, with a solver other than \"together\"");
            *may_give = true;
        }
        if !self.joints.is_empty() && report.substeps > 1 {
            not_counted.insert("joints that drive or brake, in steps that were cut");
            *may_give = true;
        }
    }

    fn look(&mut self, world: &World, dt: f64) {
        let Self { balance, articulations, bodies, joints, kinematics } = self;
        for (id, simulation) in world.articulations() {
            match articulations.get_mut(&id.index()) {
                Some(past) => past.advance(simulation, kinematics, balance),
                None => drop(articulations.insert(id.index(), Past::of(simulation, kinematics))),
            }
        }
        for (id, body) in world.bodies().filter(|(_, body)| !body.is_kinematic()) {
            let now = PastBody::of(body, world.drag);
            if bodies.len() <= id.index() {
                bodies.resize(id.index() + 1, None);
            }
            let before = bodies[id.index()].as_ref().unwrap_or(&now);
            if dt != 0.0 && body.wrench != Force::ZERO {
                let middle = 0.5 * (before.at.position + now.at.position);
                let mean = mean_velocity([before.at, now.at], middle, dt);
                let power = |v: Motion| body.wrench.angular.dot(v.angular) + body.wrench.linear.dot(v.linear);
                balance.add_power(dt, power(mean), &[power(before.motion(body)), power(now.motion(body))]);
            }
            if dt != 0.0 && world.drag != 0.0 {
                let drag = [before, &now].map(|past| -2.0 * world.drag * past.kinetic(body));
                balance.add_power(dt, 0.5 * (drag[0] + drag[1]), &drag);
            }
            bodies[id.index()] = Some(now);
        }
        let before = std::mem::take(joints);
        for (id, joint) in world.constraints().filter(|(_, joint)| works(world, joint)) {
            let (Some(velocity), Ok(force)) = (across(world, joint), world.force_of(id)) else { continue };
            let (Ok(parent), Ok(child)) = (world.frame(joint.parent), world.frame(joint.child)) else {
                continue;
            };
            let Some(before) = before.get(&id.index()).filter(|_| dt > 0.0) else {
                // of the step to come nothing is known but what yields
                let force = if dt == 0.0 { asked(world, id, joint) } else { force };
                joints.insert(id.index(), PastJoint { ends: [parent, child], velocity, force });
                continue;
            };
            let now = PastJoint { ends: [parent, child], velocity, force };
            joints.insert(id.index(), now);
            let power = |force: Force, v: Motion| force.angular.dot(v.angular) + force.linear.dot(v.linear);
            let mean = before.mean_across(world, joint, now.ends, dt);
            // what yields gives its impulse before positions are stepped, and lets velocities be what they become: at both ends of a step they lack, or
            // have too much, what gravity and the like give in half of one
            let way = mean + (before.velocity - velocity) * 0.5;
            let yields = if joint.softness.is_some() { force } else { servos(world, id, joint, mean) };
            let holds = force - yields;
            let ends = (before.velocity + velocity) * 0.5;
            let others = [
                power(force, before.velocity),
                power(force, velocity),
                power(force, mean),
                power(before.force, mean),
            ];
            balance.add_power(dt, power(yields, way) + power(holds, ends), &others);
        }
    }
}

impl PastJoint {
    /// Mean velocity of the child beside the parent since then, where the child's side was on the way.
    fn mean_across(&self, world: &World, joint: &Constraint, now: [Frame; 2], dt: f64) -> Motion {
        let side = |child: Frame| (child * joint.child_frame).position;
        let point = 0.5 * (side(self.ends[1]) + side(now[1]));
        let of = |body: BodyRef, i: usize| {
            if is_led(world, body) { Motion::ZERO } else { mean_velocity([self.ends[i], now[i]], point, dt) }
        };
        let (parent, child) = (of(joint.parent, 0), of(joint.child, 1));
        Motion::new(child.angular - parent.angular, child.linear - parent.linear)
    }
}

/// Mean velocity of a body that went from one frame to another, at the point that is `point` on average.
fn mean_velocity([from, to]: [Frame; 2], point: DVec3, dt: f64) -> Motion {
    let turn = rotation::log(to.rotation * from.rotation.conjugate());
    let angle = turn.length();
    // points go along chords of their circles
    let chord = if (1e-6..2.0).contains(&angle) { math::tan(0.5 * angle) / (0.5 * angle) } else { 1.0 };
    let arm = point - 0.5 * (from.position + to.position);
    Motion::new(turn / dt, (to.position - from.position + (turn * chord).cross(arm)) / dt)
}

/// What a joint asks for that yields, before its first step: on its child, world axes.
fn asked(world: &World, id: ConstraintId, joint: &Constraint) -> Force {
    let sum = servos(world, id, joint, Motion::ZERO);
    let Some(soft) = joint.softness else { return sum };
    let (Ok(frame), Ok(parent)) = (world.joint_frame(id), world.frame(joint.parent)) else { return sum };
    let axes = (parent * joint.parent_frame).rotation;
    let nearest = joint.model.nearest(frame);
    let turned = rotation::log(frame.rotation * nearest.rotation.conjugate());
    let [angular, linear] =
        [turned, frame.position - nearest.position].map(|off| axes * off * -soft.stiffness);
    sum + Force::new(angular, linear)
}

/// What a joint's servos give where it is now, by their law: on its child, which moves like this beside its parent, world axes.
fn servos(world: &World, id: ConstraintId, joint: &Constraint, velocity: Motion) -> Force {
    let mut sum = Force::ZERO;
    let (Ok(frame), Ok(parent)) = (world.joint_frame(id), world.frame(joint.parent)) else { return sum };
    let axes = (parent * joint.parent_frame).rotation;
    let mut coordinates = Coordinates::default();
    joint.model.coordinates(frame, &mut coordinates);
    for action in &joint.actions {
        let Action::Servo { coordinate, target, stiffness, damping, force } = *action else { continue };
        let Some(coordinate) = coordinates.get(coordinate) else { continue };
        let Motion { angular, linear } = coordinate.direction;
        let [angular, linear] = [angular, linear].map(|direction| axes * direction);
        let mut off = coordinate.value - target;
        if linear == DVec3::ZERO {
            off -= TAU * (off / TAU).round();
        }
        let speed = angular.dot(velocity.angular) + linear.dot(velocity.linear);
        let given = (-stiffness * off - damping * speed).clamp(-force, force);
        sum += Force::new(angular, linear) * given;
    }
    sum
}

/// Whether somebody leads a body.
fn is_led(world: &World, body: BodyRef) -> bool {
    matches!(body, BodyRef::Single(id) if world.body(id).is_ok_and(SingleBody::is_kinematic))
}

/// Whether a joint may do work: something acts along its free coordinates, it gives, or somebody leads one of its bodies.
fn works(world: &World, joint: &Constraint) -> bool {
    let led = is_led(world, joint.parent) || is_led(world, joint.child);
    !joint.actions.is_empty() || joint.softness.is_some() || led
}

/// Velocity of a joint's child beside its parent at the child's side of the joint, world axes; what is led does not count, as its energy does not.
fn across(world: &World, joint: &Constraint) -> Option<Motion> {
    let point = (world.frame(joint.child).ok()? * joint.child_frame).position;
    let (child, parent) = (velocity(world, joint.child, point)?, velocity(world, joint.parent, point)?);
    Some(Motion::new(child.angular - parent.angular, child.linear - parent.linear))
}

/// Velocity of a body at a point of the world.
fn velocity(world: &World, body: BodyRef, point: DVec3) -> Option<Motion> {
    match body {
        BodyRef::World => Some(Motion::ZERO),
        BodyRef::Single(id) => {
            let body = world.body(id).ok()?;
            let motion = Motion::new(body.omega(), body.velocity());
            Some(if body.is_kinematic() { Motion::ZERO } else { motion.at(point - body.centre()) })
        }
        BodyRef::Of(id, body) => {
            let simulation = world.articulation(id).ok()?;
            let kinematics = simulation.kinematics();
            let (pose, own) =
                (simulation.body_pose(&kinematics, body), simulation.body_velocity(&kinematics, body));
            let motion = Motion::new(pose.rotation * own.angular, pose.rotation * own.linear);
            Some(motion.at(point - pose.translation))
        }
    }
}
