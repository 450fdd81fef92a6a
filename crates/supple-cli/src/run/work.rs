//! Work of what drives and brakes: what is left of a change of the energy without it is the error of the steps.
//!
//! Forces of a step stay the same in it, so their work is the mean of their powers at its two ends times its length, which is right to second
//! order in the step. `docs/command.md` says what is counted.

use std::collections::{BTreeMap, BTreeSet};

use glam::DVec3;
use supple::Simulation;
use supple::constraint::Constraint;
use supple::dynamics::kinematics::Kinematics;
use supple::dynamics::spring;
use supple::spatial::{Force, Motion};
use supple::world::{BodyRef, SingleBody, Solver, World, WorldReport};
use supple_scenes::Show;

use super::world::gap;

/// Joints start open where they are so many tolerances apart: from there on a step counts as failed, too.
const OPEN: f64 = 100.0;

/// Work so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Balance {
    /// Of all that is counted \[J]: what was given less what was taken.
    pub(crate) work: f64,
    /// The same without regard to sign \[J].
    pub(crate) amount: f64,
    /// How well it is known \[J]: what it would differ by if the power at one end of a step were that of all of it. Far more than the mean is off
    /// where power changes gently, and about that where it jumps: at stops, and with dampers that are stiff beside a step.
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

    /// What powers \[W] at both ends of a step come to.
    fn add_powers(&mut self, dt: f64, [first, last]: [f64; 2]) {
        self.add(0.5 * dt * (first + last));
        self.error += 0.5 * dt * (last - first).abs();
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

    /// Counts the work since then.
    fn advance(&mut self, simulation: &Simulation, kinematics: &mut Kinematics, balance: &mut Balance) {
        let state = &simulation.state;
        let (dt, acted) = (state.time - self.time, acts(simulation) || self.springs != 0.0);
        if dt == 0.0 {
            return;
        }
        if acted {
            // with what acted in the step, from where it began
            see(simulation, kinematics, &self.q, &self.v);
            let pulled = springs(simulation, kinematics) - self.springs;
            let first = simulation.power_at(kinematics, (&self.q, &self.v));
            see(simulation, kinematics, &state.q, &state.v);
            self.springs = springs(simulation, kinematics);
            let last = simulation.power_at(kinematics, (&state.q, &state.v));
            balance.add(pulled);
            balance.add_powers(dt, [first, last]);
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

/// Work on the bodies of a show.
pub(crate) struct ShowWork {
    pub(crate) balance: Balance,
    members: Vec<Past>,
    kinematics: Kinematics,
}

impl ShowWork {
    pub(crate) fn new(show: &Show) -> Self {
        let mut kinematics = Kinematics::default();
        let members = show.crowd.members.iter().map(|member| Past::of(member, &mut kinematics)).collect();
        Self { balance: Balance::default(), members, kinematics }
    }

    /// After a step.
    pub(crate) fn note(&mut self, show: &Show) {
        let Self { balance, members, kinematics } = self;
        for (past, member) in members.iter_mut().zip(&show.crowd.members) {
            past.advance(member, kinematics, balance);
        }
    }
}

/// Work on the bodies of a world.
pub(crate) struct WorldWork {
    pub(crate) balance: Balance,
    articulations: BTreeMap<usize, Past>,
    /// Velocities of the centres of mass of bodies, by number.
    bodies: Vec<Option<Motion>>,
    /// Of joints that do work: velocity of the child beside the parent, where the child's side is.
    joints: BTreeMap<usize, Motion>,
    kinematics: Kinematics,
}

impl WorldWork {
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
            let now = Motion::new(body.omega(), body.velocity());
            if bodies.len() <= id.index() {
                bodies.resize(id.index() + 1, None);
            }
            let before = bodies[id.index()].replace(now).unwrap_or(now);
            if body.wrench == Force::ZERO && world.drag == 0.0 {
                continue;
            }
            let wrench = |v: Motion| body.wrench.angular.dot(v.angular) + body.wrench.linear.dot(v.linear);
            balance.add_powers(dt, [wrench(before), wrench(now)]);
            let twice_kinetic =
                body.mass() * now.linear.length_squared() + body.angular_momentum().dot(now.angular);
            balance.add(-dt * world.drag * twice_kinetic);
        }
        let before = std::mem::take(joints);
        for (id, joint) in world.constraints().filter(|(_, joint)| works(world, joint)) {
            let (Some(now), Ok(force)) = (across(world, joint), world.force_of(id)) else { continue };
            let before = before.get(&id.index()).copied().unwrap_or(now);
            let power = |v: Motion| force.angular.dot(v.angular) + force.linear.dot(v.linear);
            balance.add_powers(dt, [power(before), power(now)]);
            joints.insert(id.index(), now);
        }
    }
}

/// Whether a joint may do work: something acts along its free coordinates, it gives, or somebody leads one of its bodies.
fn works(world: &World, joint: &Constraint) -> bool {
    let led = |body: BodyRef| matches!(body, BodyRef::Single(id) if world.body(id).is_ok_and(SingleBody::is_kinematic));
    !joint.actions.is_empty() || joint.softness.is_some() || led(joint.parent) || led(joint.child)
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
