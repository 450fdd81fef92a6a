mod apart;
mod ledger;
mod meet;

use std::ops::Range;

use glam::DVec3;

use crate::dynamics::afloat::Afloat;
use crate::dynamics::energy;
use crate::dynamics::integrate::{Axes, Integrator, Load, StepReport, Workspace, position};
use crate::dynamics::kinematics::Kinematics;
use crate::dynamics::port::Port;
use crate::dynamics::response::Response;
use crate::dynamics::square_root::SquareRoot;
use crate::dynamics::{Backup, State};
use crate::model::{BodyId, Central, Element, LinkJoint, Tree};
use crate::simulation::{SeenLoads, Simulation, StepError};
use crate::spatial::vec8::Vec8;
use crate::spatial::{Force, Frame, Motion};

use super::answers::Answers;
use super::{Node, Sleep};
use ledger::Ledger;
use meet::Implicit;

/// A coupled articulation: its simulation, and its state as constraints and contacts need it.
#[derive(Clone, Debug)]
pub(crate) struct Articulated {
    pub(crate) simulation: Simulation,
    /// Its place in the world's list.
    place: u32,
    pub(crate) sleep: Sleep,
    /// What acted on it when it fell asleep.
    asleep_loads: SeenLoads,
    /// Whether there are any constraints, also on bodies that do not move now.
    pub(crate) has_constraints: bool,
    /// Whether contacts push it.
    pub(crate) touched: bool,
    /// Whether it has taken this step alone: contacts that begin now wait for the end of the step.
    pub(crate) alone: bool,
    /// Velocities before the user could change it, since the last step; empty if the user did not.
    given: Vec<f64>,
    pub(crate) ports: Ports,
    pub(crate) contact: InContact,
    prediction: Prediction,
    apart: ApartScratch,
    /// Velocity jumps, by v.
    jump: Vec<f64>,
    pub(crate) report: StepReport,
    pub(crate) outcome: Result<(), StepError>,
}

/// Where constraints push an articulation, and how it answers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ports {
    /// In no particular order and each once.
    pub(crate) list: Vec<Port>,
    /// The tree that they are of.
    pub(crate) tree: u64,
    response: Response,
    answers: Answers,
    impulses: Vec<(u32, Force)>,
    joint_impulses: Vec<f64>,
    /// Velocities before contacts, of articulations with constraints.
    pub(crate) unpushed: Vec<f64>,
    /// Velocities at the end of the step without the impulses that close joints; empty if they are those of the state.
    staying: Vec<f64>,
    /// Constraint and contact forces of the last step, by body, as loads for the choice of joints.
    pub(crate) pulls: Vec<(BodyId, Force)>,
}

/// What contacts know of an articulation.
#[derive(Clone, Debug)]
pub(crate) struct InContact {
    /// Coordinates in which contacts are solved.
    pub(crate) root: SquareRoot,
    /// Diagonal terms of its mass matrix for contacts, by v: armatures, springs, impact armatures.
    diagonal: Vec<f64>,
    /// What its velocities and contacts know of the springs of the step to come ([`meet`]), and that before the last step.
    implicit: [Implicit; 2],
    /// Root mean square of its speed, as contacts left it \[m/s]; unknown where there are none.
    speed: f64,
    /// See [`Articulated::rms_speed`], if it was asked for.
    pub(crate) rms_speed: Option<f64>,
    /// Whether something hits it, and the share of inertia that its joints take then ([`add_impact_armature`]).
    pub(crate) hit: bool,
    pub(crate) impact_armature: f64,
    /// Estimated impulses of an impact that is about to be solved.
    pub(crate) hits: Vec<Load>,
    /// Velocities of its links by the impulses that contacts have found so far.
    pushed: Vec<Motion>,
    /// Greatest speed at which correction of penetration would move a collider of it \[m/s].
    pub(crate) speed_apart: f64,
    /// Energy that it may store in contact ([`Ledger`]), and that before the last step.
    ledger: Ledger,
    ledger_before: Ledger,
}

impl Default for InContact {
    fn default() -> Self {
        Self {
            root: SquareRoot::default(),
            diagonal: Vec::new(),
            implicit: Default::default(),
            speed: f64::INFINITY,
            rms_speed: None,
            hit: false,
            impact_armature: 0.0,
            hits: Vec::new(),
            pushed: Vec::new(),
            speed_apart: 0.0,
            ledger: Ledger::default(),
            ledger_before: Ledger::default(),
        }
    }
}

/// A step of an articulation that is pushed: from where, and to where it leads so far.
#[derive(Clone, Debug, Default)]
struct Prediction {
    /// Poses and velocities at the start of a step, and the predicted ones.
    kinematics: Kinematics,
    predicted: Kinematics,
    /// Whether the state is a predicted one.
    moved: bool,
    /// The state of the start of a step.
    start: Backup,
    /// Time and number of its step, if it has begun one; a sleeping articulation has not.
    before: Option<(f64, u64)>,
    work: Workspace,
}

/// Scratch of moving an articulation out of what it penetrates.
#[derive(Clone, Debug, Default)]
struct ApartScratch {
    /// Momenta of its links, and z for them.
    momenta: Vec<Force>,
    numbers: Vec<f64>,
    /// Its floating trees, as they are and with penetration corrected.
    afloat: Afloat,
    moving: Afloat,
    /// State before penetration is corrected, and links whose joints store energy then.
    start_q: Vec<f64>,
    start_v: Vec<f64>,
    gains: Vec<(u32, f64)>,
}

impl Articulated {
    pub(crate) fn new(simulation: Simulation, place: u32) -> Self {
        let mut new = Self {
            simulation,
            place,
            sleep: Sleep::default(),
            asleep_loads: SeenLoads::default(),
            has_constraints: false,
            touched: false,
            alone: false,
            given: Vec::new(),
            ports: Ports::default(),
            contact: InContact::default(),
            prediction: Prediction::default(),
            apart: ApartScratch::default(),
            jump: Vec::new(),
            report: StepReport::default(),
            outcome: Ok(()),
        };
        new.make_room();
        new
    }

    /// Its place in the world's list.
    pub(crate) fn place(&self) -> usize {
        self.place as usize
    }

    /// Resizes buffers to its present model.
    pub(crate) fn make_room(&mut self) {
        let nv = self.simulation.model.nv();
        self.jump.resize(nv, 0.0);
        self.ports.joint_impulses.resize(nv, 0.0);
    }

    /// Notes its velocities before the user may change them.
    pub(crate) fn give(&mut self) {
        if self.given.is_empty() {
            self.given.extend_from_slice(&self.simulation.state.v);
        }
    }

    /// Whether the user has changed its velocities since this was last asked.
    pub(crate) fn was_handled(&mut self) -> bool {
        let was = !self.given.is_empty() && self.given != self.simulation.state.v;
        self.given.clear();
        was
    }

    /// Whether constraints or contacts push it, and it is awake.
    pub(crate) fn is_constrained(&self) -> bool {
        (self.has_constraints || self.touched) && !self.sleep.is_asleep()
    }

    /// The node of a port; a new port is added.
    pub(crate) fn node(&mut self, articulation: usize, port: Port) -> Node {
        let at = self.ports.list.iter().position(|p| *p == port).unwrap_or_else(|| {
            self.ports.list.push(port);
            self.ports.list.len() - 1
        });
        Node::Port { articulation: articulation as u32, port: at as u32 }
    }

    /// The port of a body, and where the body's frame is in it; `None` is the world, where the body's frame then is.
    pub(crate) fn port_of(&self, body: BodyId) -> (Option<Port>, Frame) {
        let Simulation { model, region, .. } = &self.simulation;
        let info = &model.bodies()[body.index()];
        let Some(link) = info.link else { return (None, info.link_from_body.into()) };
        let tree = self.simulation.stepped_tree();
        let member = match region {
            Some(region) if tree.members.is_some() => region.member(link),
            _ => tree.member(link),
        };
        let port = member.group.map(|group| Port::Link(group.0));
        (port, (member.group_from_link * info.link_from_body).into())
    }

    /// Whether it moves slower than this \[m/s] as a whole: by its kinetic energy, so that an extremity that trembles keeps it awake only as
    /// far as it weighs.
    pub(crate) fn is_slow(&self, slow: f64) -> bool {
        self.contact.speed < slow
    }

    /// Root mean square of its speed, as contacts left it \[m/s].
    pub(crate) fn speed(&self) -> f64 {
        self.contact.speed
    }

    /// Mass of all its bodies \[kg].
    pub(crate) fn mass(&self) -> f64 {
        self.simulation.model.tree().links.iter().map(|l| l.inertia.mass).sum()
    }

    /// Sets its velocities to zero: it falls asleep.
    pub(crate) fn stop(&mut self) {
        self.simulation.state.v.fill(0.0);
        self.simulation.state.memory.restart();
    }

    /// Has a state that it had before.
    pub(crate) fn go_back_to(&mut self, state: &State) {
        if self.simulation.detail().is_full() {
            self.simulation.state.copy_from(state);
        } else {
            self.simulation.restore(state);
        }
    }

    /// Notes what acts on it as it falls asleep.
    pub(crate) fn note_sleep(&mut self) {
        self.simulation.note_loads(&mut self.asleep_loads);
    }

    /// Whether something else acts on it than when it fell asleep, or it was pushed.
    pub(crate) fn is_disturbed(&self) -> bool {
        !self.simulation.has_loads(&self.asleep_loads) || self.simulation.state.v.iter().any(|v| *v != 0.0)
    }

    /// Wakes the joints that its hits would move.
    pub(crate) fn wake_hit(&mut self) {
        self.simulation.wake_by(&self.contact.hits, &mut self.prediction.work);
    }

    /// Whether its rigid groups have changed since ports and collider sets were assigned to them.
    pub(crate) fn has_other_groups(&self) -> bool {
        self.simulation.stepped_tree().id != self.ports.tree
    }

    /// Takes a whole step without constraints and contacts.
    pub(crate) fn step_alone(&mut self, dt: f64) {
        self.alone = true;
        self.note_before();
        self.contact.implicit[0].forget();
        self.contact.ledger.kinetic = None;
        (self.prediction.work.cap, self.prediction.work.tied) = (false, false);
        self.outcome =
            self.simulation.step_in(&mut self.prediction.work, dt).map(|report| self.report = report);
    }

    /// Starts a step with constraints or contacts: chooses joints if it is time for that, with the forces of the last step as loads.
    pub(crate) fn adapt(&mut self, dt: f64) {
        self.note_before();
        self.outcome = self.simulation.check(dt);
        if self.outcome.is_err() {
            return;
        }
        let own = self.simulation.wrenches.len();
        let loads = self.ports.pulls.iter().map(|(body, wrench)| Load {
            body: *body,
            wrench: *wrench,
            axes: Axes::World,
        });
        self.simulation.wrenches.extend(loads.filter(|load| load.wrench.is_finite()));
        self.simulation.adapt(&mut self.prediction.work, dt, true);
        self.simulation.wrenches.truncate(own);
    }

    /// Computes poses and velocities at the present state, from which [`Articulated::predict`] starts.
    pub(crate) fn update_kinematics(&mut self) {
        self.prediction.moved = false;
        let tree = self.simulation.stepped_tree();
        let state = &self.simulation.state;
        self.prediction.kinematics.update_without_bias(tree, &state.q, &state.v);
    }

    /// Computes the responses of the ports at the last computed pose, for a step of `dt` \[s].
    pub(crate) fn answer(&mut self, dt: f64) {
        if self.touched {
            self.foresee(dt);
            self.factor_root();
        }
        if !self.has_constraints {
            return;
        }
        let tree = self.simulation.stepped_tree();
        let armature = self.simulation.model.armature();
        self.ports.response.factor(tree, &self.prediction.kinematics, armature);
        self.ports.answers.update(&self.ports.response, tree, &self.prediction.kinematics, &self.ports.list);
    }

    /// Kinetic energy at the last computed state \[J].
    fn kinetic_energy(&self) -> f64 {
        let Simulation { model, state, .. } = &self.simulation;
        energy::kinetic(
            self.simulation.stepped_tree(),
            &self.prediction.kinematics,
            model.armature(),
            &state.v,
        )
    }

    /// Root mean square of its speed at the last computed state \[m/s].
    pub(crate) fn rms_speed(&mut self) -> f64 {
        if let Some(known) = self.contact.rms_speed {
            return known;
        }
        let mass: f64 = self.simulation.stepped_tree().links.iter().map(|l| l.inertia.mass).sum();
        *self.contact.rms_speed.insert((2.0 * self.kinetic_energy() / mass).sqrt())
    }

    /// Factors the mass matrix at the last computed pose, for contacts.
    pub(crate) fn factor_root(&mut self) {
        let tree = self.simulation.stepped_tree();
        // springs, dampers and stops answer with the joints, as they did in the step: else they would fight with contacts
        let (armature, [implicit, _]) = (self.simulation.model.armature(), &self.contact.implicit);
        let known = implicit.diagonal.len() == armature.len();
        self.contact.diagonal.clear();
        self.contact.diagonal.extend_from_slice(if known { &implicit.diagonal } else { armature });
        if self.contact.hit && self.contact.impact_armature > 0.0 {
            add_impact_armature(
                self.simulation.model.tree(),
                tree,
                self.contact.impact_armature,
                &mut self.contact.diagonal,
            );
        }
        self.contact.root.factor(tree, &self.prediction.kinematics, &self.contact.diagonal);
    }

    /// Frame and motion of a link of the reduced tree at the last computed pose.
    pub(crate) fn link(&self, link: u32) -> (Frame, Motion) {
        let link = &self.prediction.kinematics.links[link as usize];
        (link.pose().into(), link.velocity)
    }

    /// Computes the motion of its links at the last computed pose, for the velocities that z stands for.
    pub(crate) fn update_pushed_motions(&mut self, z: &[f64]) {
        self.contact.root.back(z, &mut self.jump);
        self.prediction.kinematics.velocities_at(
            self.simulation.stepped_tree(),
            &self.jump,
            &mut self.contact.pushed,
        );
    }

    /// Velocity \[m/s] of a point \[m] of a link then, and its angular velocity \[rad/s].
    pub(crate) fn pushed_at(&self, link: u32, point: DVec3) -> Motion {
        let from = self.prediction.kinematics.links[link as usize].position;
        self.contact.pushed[link as usize].at(point - from)
    }

    /// Where a port is: the link's frame, or the position of a degree of freedom as x.
    pub(crate) fn port_frame(&self, port: usize) -> Frame {
        match self.ports.list[port] {
            Port::Link(link) => {
                let kinematics = if self.prediction.moved {
                    &self.prediction.predicted
                } else {
                    &self.prediction.kinematics
                };
                kinematics.links[link as usize].pose().into()
            }
            Port::Dof(dof) => Frame::at(DVec3::new(self.position_of(dof as usize), 0.0, 0.0)),
        }
    }

    /// Velocity of a port.
    pub(crate) fn port_velocity(&self, port: usize) -> Motion {
        match self.ports.list[port] {
            Port::Link(link) => self.prediction.kinematics.links[link as usize].velocity,
            Port::Dof(dof) => {
                Motion::new(DVec3::new(self.simulation.state.v[dof as usize], 0.0, 0.0), DVec3::ZERO)
            }
        }
    }

    /// Position of a degree of freedom whose joint has as many positions as velocities.
    fn position_of(&self, dof: usize) -> f64 {
        let Simulation { model, state, .. } = &self.simulation;
        let joint = model.joint_of_dof(dof).map(|j| &model.joints()[j.index()]);
        joint.map_or(0.0, |j| state.q[j.q + dof - j.v])
    }

    /// Velocity jump of port `to` by an impulse at port `from`.
    #[inline]
    pub(crate) fn respond(&self, to: usize, from: usize, impulse: Force) -> Motion {
        self.ports.answers.respond(to, from, impulse)
    }

    /// Velocity jumps of all ports by impulses on all of them.
    pub(crate) fn respond_at_all(&self, impulses: &[Force], motions: &mut [Motion]) {
        self.ports.answers.respond_at_all(impulses, motions);
    }

    /// The velocity jump of `impulses` on the ports, into `jump`.
    fn respond_to(&mut self, impulses: impl Iterator<Item = (usize, Force)>) {
        self.ports.impulses.clear();
        self.ports.joint_impulses.fill(0.0);
        for (port, impulse) in impulses {
            match self.ports.list[port] {
                Port::Link(link) => self.ports.impulses.push((link, impulse)),
                Port::Dof(dof) => self.ports.joint_impulses[dof as usize] += impulse.angular.x,
            }
        }
        let tree = self.simulation.stepped_tree();
        self.ports.response.apply(
            tree,
            &self.prediction.kinematics,
            &self.ports.impulses,
            &self.ports.joint_impulses,
            &mut self.jump,
        );
    }

    /// The velocity jump of `impulses` on the ports, by v.
    pub(crate) fn response_to(&mut self, impulses: impl Iterator<Item = (usize, Force)>) -> &[f64] {
        self.respond_to(impulses);
        &self.jump
    }

    /// Sets its velocities to those that z stands for.
    pub(crate) fn set_numbers(&mut self, z: &[f64]) {
        let Simulation { model, region, state, .. } = &mut self.simulation;
        let tree = region.as_ref().map_or(model.tree(), |r| r.tree(model));
        self.contact.root.back(z, &mut state.v);
        state.memory.restart_joints(tree.links.iter().map(|l| l.id));
        let mass: f64 = tree.links.iter().map(|l| l.inertia.mass).sum();
        self.contact.speed = (2.0 * self.energy_of(z) / mass).sqrt();
    }

    /// Kinetic energy \[J] of the velocities that it has, which z stands for.
    fn energy_of(&self, z: &[f64]) -> f64 {
        let Simulation { model, state, .. } = &self.simulation;
        // z counts what springs, stops and impact armatures add to the inertia of joints, and those do not move
        let (v, armature) = (&state.v, model.armature());
        let lent = |dof: usize| (self.contact.diagonal[dof] - armature[dof]) * v[dof] * v[dof];
        let lent: f64 = self.simulation.stepped_tree().links.iter().flat_map(|l| l.dofs()).map(lent).sum();
        (0.5 * (z.iter().map(|z| z * z).sum::<f64>() - lent)).clamp(0.0, f64::INFINITY)
    }

    /// Sets its velocities to those that z stands for at the end of the contact solve; `before` is z at its beginning.
    pub(crate) fn take_numbers(&mut self, before: &[f64], z: &[f64]) {
        let work = |before: &[f64]| before.iter().zip(z).map(|(before, z)| (z - before) * z).sum::<f64>();
        let work = if self.has_constraints {
            // joints changed them since
            self.apart.numbers.clear();
            self.apart.numbers.resize(z.len(), 0.0);
            self.contact.root.forth(&self.simulation.state.v, &mut self.apart.numbers);
            work(&self.apart.numbers)
        } else {
            work(before)
        };
        self.contact.ledger.work = work.max(0.0);
        self.set_numbers(z);
    }

    /// Adds an impulse on a port to z.
    pub(crate) fn push_numbers(&mut self, port: usize, impulse: Force, z: &mut [f64]) {
        let Self {
            simulation,
            prediction: Prediction { kinematics, .. },
            contact: InContact { root, .. },
            ..
        } = self;
        match self.ports.list[port] {
            Port::Link(link) => {
                let tree = simulation.stepped_tree();
                root.pushed(tree, kinematics, link as usize, impulse);
                root.each_pushed(link as usize, |dof, x| z[dof as usize] += x);
            }
            Port::Dof(dof) => root.push_dof(dof as usize, impulse.angular.x, z),
        }
    }

    /// The row of a force on a link, about the world's origin: how z answers, on the way to it.
    pub(crate) fn fill_row(&mut self, link: usize, force: Force, row: &mut [Vec8]) {
        let Self {
            simulation,
            prediction: Prediction { kinematics, .. },
            contact: InContact { root, .. },
            ..
        } = self;
        let at = kinematics.links[link].position;
        let force = Force::new(force.angular - at.cross(force.linear), force.linear);
        let x = root.pushed(simulation.stepped_tree(), kinematics, link, force);
        row.as_flattened_mut()[..x.len()].copy_from_slice(x);
    }

    /// The row of a force on a link, number by number, with the degrees of freedom that they are of.
    pub(crate) fn add_row(&mut self, link: usize, force: Force, mut each: impl FnMut(u32, f64)) {
        let Self {
            simulation,
            prediction: Prediction { kinematics, .. },
            contact: InContact { root, .. },
            ..
        } = self;
        let at = kinematics.links[link].position;
        let force = Force::new(force.angular - at.cross(force.linear), force.linear);
        root.pushed(simulation.stepped_tree(), kinematics, link, force);
        root.each_pushed(link, &mut each);
    }

    /// Moves by the last response, times `scale` \[s].
    pub(crate) fn move_by(&mut self, scale: f64) {
        let Simulation { model, region, state, .. } = &mut self.simulation;
        let tree = region.as_ref().map_or(model.tree(), |r| r.tree(model));
        position::advance_in_place(tree, &mut state.q, &self.jump, scale);
    }

    /// Velocities after `impulses` on the ports at the pose of the last [`Articulated::update_kinematics`].
    pub(crate) fn push(&mut self, impulses: impl Iterator<Item = (usize, Force)>) {
        if !self.has_constraints {
            // nothing but contacts, which set velocities themselves
            return;
        }
        self.respond_to(impulses);
        let Simulation { model, region, state, .. } = &mut self.simulation;
        let tree = region.as_ref().map_or(model.tree(), |r| r.tree(model));
        for dof in tree.links.iter().flat_map(crate::model::Link::dofs) {
            state.v[dof] += self.jump[dof];
        }
        state.memory.restart_joints(tree.links.iter().map(|l| l.id));
    }

    /// Stores the predicted velocities as those at the end of the step.
    pub(crate) fn note_velocities(&mut self) {
        self.ports.staying.clone_from(&self.simulation.state.v);
    }

    /// Velocities without the impulses that closed joints: those that were noted, or by the responses at the start of the step. What floats
    /// keeps the momenta that it has without them: joint speeds of before mean others at the pose of now.
    pub(crate) fn forget_closing(&mut self, closing: impl Iterator<Item = (usize, Force)>) {
        if self.ports.staying.is_empty() {
            self.push(closing.map(|(port, impulse)| (port, -impulse)));
            return;
        }
        let Self {
            simulation,
            prediction: Prediction { predicted, kinematics, .. },
            apart: ApartScratch { afloat, .. },
            ports: Ports { staying, list: ports, .. },
            ..
        } = self;
        let Simulation { model, region, state, .. } = simulation;
        let tree = region.as_ref().map_or(model.tree(), |r| r.tree(model));
        predicted.update_without_bias(tree, &state.q, &state.v);
        afloat.note(model, tree, predicted);
        for (port, impulse) in closing {
            if let Port::Link(link) = ports[port] {
                // where it acted: at the start of the step
                afloat.push(link as usize, kinematics.links[link as usize].position, -impulse);
            }
        }
        for dof in tree.links.iter().flat_map(crate::model::Link::dofs) {
            state.v[dof] = staying[dof];
        }
        predicted.update_without_bias(tree, &state.q, &state.v);
        afloat.restore(tree, predicted, |i| predicted.links[i].velocity, &mut state.v);
        state.memory.restart_joints(tree.links.iter().map(|l| l.id));
    }

    /// Saves the state from which predictions start.
    pub(crate) fn save(&mut self) {
        if self.simulation.detail().is_full() {
            self.prediction.start.save_whole(&self.simulation.state);
        } else {
            self.prediction.start.save(self.simulation.stepped_tree(), &self.simulation.state);
        }
    }

    /// The state after `dt` \[s] from the one saved, if `impulses` on the ports act first: the articulation's own predicted motion.
    /// Ports are where they are predicted then.
    pub(crate) fn predict(&mut self, impulses: impl Iterator<Item = (usize, Force)>, dt: f64) {
        if self.prediction.moved {
            let lost = self.first_not_finite().is_some();
            self.prediction.start.restore(&mut self.simulation.state);
            if lost {
                self.forget();
            }
        }
        self.prediction.moved = true;
        self.push(impulses);
        let integrator = match self.simulation.integrator {
            // positions by the velocities that contacts left
            Integrator::Default | Integrator::Accurate if self.touched => Integrator::Projection,
            other => other,
        };
        (self.prediction.work.cap, self.prediction.work.tied) = (self.touched, self.has_constraints);
        if self.touched && integrator == Integrator::Projection {
            self.spare_ahead(dt);
        } else {
            self.contact.ledger.kinetic = None;
        }
        self.report = self.simulation.advance_by(integrator, &mut self.prediction.work, dt);
        self.prediction.work.seen = false;
        let [implicit, _] = &mut self.contact.implicit;
        if integrator == Integrator::Projection {
            implicit.note(self.simulation.stepped_tree(), &self.prediction.work.diagonal, dt);
        } else {
            implicit.forget();
        }
        if self.has_constraints {
            // contacts alone do not ask where ports are
            let tree = self.simulation.stepped_tree();
            self.prediction.predicted.update_poses(tree, &self.simulation.state.q);
        }
    }

    /// An error if the velocity of an active joint is not finite in a step, which begins at a time \[s].
    pub(crate) fn not_finite(&self, step: u64, time: f64) -> Option<StepError> {
        let (joint, integrator) = (self.first_not_finite()?, self.simulation.integrator);
        // how fast it was is known once the step is taken back
        Some(StepError::NotFinite { joint, integrator, speed: 0.0, step, time })
    }

    /// The first active joint whose velocity is not finite.
    fn first_not_finite(&self) -> Option<String> {
        let Simulation { model, state, .. } = &self.simulation;
        let bad = |link: &&crate::model::Link| link.dofs().any(|dof| !state.v[dof].is_finite());
        let link = self.simulation.stepped_tree().links.iter().find(bad)?;
        Some(model.joints()[link.id.index()].name.clone())
    }

    /// Clears scratch memory after a prediction that was not finite.
    fn forget(&mut self) {
        let backup = std::mem::take(&mut self.prediction.work.backup);
        self.prediction.work = Workspace { backup, ..Workspace::default() };
    }

    /// Ends a step: the predicted state becomes the state.
    pub(crate) fn commit(&mut self, dt: f64) {
        self.outcome = self.simulation.commit(&mut self.prediction.work, dt);
    }

    /// Begins a step of the world.
    pub(crate) fn begin(&mut self) {
        self.prediction.before = None;
        self.ports.staying.clear();
    }

    /// Stores what [`Articulated::undo`] restores beside the state.
    fn note_before(&mut self) {
        self.prediction.before = Some((self.simulation.state.time, self.simulation.state.step));
        let [now, before] = &mut self.contact.implicit;
        before.copy_from(now);
        self.contact.ledger_before = self.contact.ledger;
    }

    /// Takes back a step that was begun or taken. One that failed has done so itself.
    pub(crate) fn undo(&mut self) {
        if let Some(before) = self.prediction.before {
            let [now, earlier] = &mut self.contact.implicit;
            now.copy_from(earlier);
            self.contact.ledger = self.contact.ledger_before;
            if self.outcome.is_ok() {
                self.prediction.work.backup.restore(&mut self.simulation.state);
                (self.simulation.state.time, self.simulation.state.step) = before;
                if !self.simulation.detail().is_full() {
                    self.simulation.regroup();
                }
            }
        }
        self.outcome = Ok(());
        self.alone = false;
    }
}

/// Adds the impact armature to `diagonal`: every link that turns gets at least `share` of the inertia of the greatest one. It acts inside the
/// body, so that the momentum that an impact gives is unchanged.
fn add_impact_armature(model: &Tree, tree: &Tree, share: f64, diagonal: &mut [f64]) {
    let own = |central: &Central| {
        let turning = (central.inertia.xx + central.inertia.yy + central.inertia.zz) / 3.0;
        turning + central.mass * central.com.length_squared()
    };
    // on what an articulation stands, or is built, says nothing of its limbs
    let limbs = model.links.iter().zip(&model.central).filter(|(link, _)| link.joint != LinkJoint::Free);
    let floor = share * limbs.map(|(_, central)| own(central)).fold(0.0, f64::max);
    for (link, central) in tree.links.iter().zip(&tree.central) {
        let missing = (floor - own(central)).max(0.0);
        let mut add = |dofs: Range<usize>| diagonal[dofs].iter_mut().for_each(|x| *x += missing);
        match link.joint {
            LinkJoint::Free | LinkJoint::Prismatic => {}
            LinkJoint::Revolute | LinkJoint::Helical { .. } | LinkJoint::Spherical => add(link.dofs()),
            LinkJoint::Compound { first, count, .. } => {
                let mut dof = link.dofs().start;
                for element in &tree.elements[first as usize..(first + count) as usize] {
                    let dofs = dof..dof + element.sizes().1;
                    dof = dofs.end;
                    if !matches!(element, Element::Slide { .. }) {
                        add(dofs);
                    }
                }
            }
        }
    }
}
