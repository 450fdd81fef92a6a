//! The end of a step: velocities at the new pose, forces of constraints, breaking, and the report.

use glam::DVec3;
use rayon::prelude::*;

use crate::bodies::Node;
use crate::constraint::Arms;
use crate::constraint::island::{Impulses, Island};
use crate::constraint::measure::Ask;
use crate::constraint::topology::NodeIx;
use crate::spatial::Force;
use crate::util::clock::Stopwatch;
use crate::world::contacts::{ColliderRegistry, Detection};
use crate::world::solve_contacts::Start;
use crate::world::step::{for_each_indexed, impulses_on};
use crate::world::{
    AnyConstraint, Articulations, BodyRef, ConstraintId, Contacts, Event, Known, Solver, World, WorldReport,
};

/// Colliders that are nearer than this touch \[m].
const TOUCHES: f64 = 1e-3;

impl World {
    /// Detects contacts at the new pose, solves contacts and velocity post-stabilization, and fills in the report.
    pub(super) fn settle(&mut self, dt: f64) -> WorldReport {
        self.forget_closing(dt);
        self.articulations.iter_mut().for_each(|(_, a)| a.alone = false);
        self.detect_and_linearize(Arms::Middle, dt);
        self.wake_hit(dt);
        self.open_hit(dt);
        self.solve_contacts(dt, Start::Before);
        let Self { singles, articulations, islands, settings, contacts, .. } = self;
        let pushed = &contacts.problem.pushed;
        let started = Stopwatch::start();
        for_each_indexed(islands, |i, island| {
            if pushed.get(i) == Some(&true) {
                island.gather(|place| singles.at(place).moving);
            }
            match settings.solver {
                Solver::Together => {
                    island.post_stabilize(articulations, &settings.of_constraints(), dt);
                    island.recall_velocities(pushed.get(i) == Some(&true));
                    island.start_from(Impulses::Mu);
                }
                Solver::Sweeps { sweeps } => {
                    island.sweep_velocities(articulations, &settings.of_constraints(), sweeps, dt);
                }
                // the velocity is the displacement over the step
                Solver::Displacement { .. } => {
                    island.skip_velocities();
                    island.start_from(Impulses::Lambda);
                }
            }
        });
        contacts.times.joints += started.seconds();
        for island in islands.iter().filter(|island| !island.is_asleep()) {
            for (i, node) in island.nodes().iter().enumerate() {
                if let Node::Single { place } = *node {
                    singles.at_mut(place as usize).moving.push(island.impulses()[i]);
                }
            }
        }
        let islands = &*islands;
        articulations.par_enumerate_mut().filter(|(_, a)| a.has_constraints && a.is_constrained()).for_each(
            |(place, a)| {
                a.push(impulses_on(islands, place));
            },
        );
        self.time += dt;
        self.steps += 1;
        self.last_dt = dt;
        self.known = Known::Rows;
        self.note_forces(dt);
        self.note_contact_pulls(dt);
        self.make_report()
    }

    /// Stores the force of each constraint in the step, and what it pulls at articulations.
    fn note_forces(&mut self, dt: f64) {
        let Self { articulations, constraints, islands, .. } = self;
        for (_, articulated) in articulations.iter_mut() {
            articulated.ports.pulls.clear();
        }
        for island in islands.iter() {
            for joint in island.joints() {
                let holder = constraints.at_mut(joint.constraint());
                let (mut sides, mut pulls) = ([Force::ZERO; 2], [Force::ZERO; 2]);
                for k in joint.range() {
                    let line = &island.lines()[k];
                    let size = island.impulse_of_row(k) / dt;
                    // no active joint answers: the force that would move a kilogram there stands in
                    let deaf = !line.answers() && line.ask == Ask::Hold;
                    let pull = if deaf { -line.value / (dt * dt) } else { size };
                    for side in 0..2 {
                        sides[side] += line.push[side] * size;
                        pulls[side] += line.push[side] * pull;
                    }
                }
                holder.force = match &holder.constraint {
                    AnyConstraint::Joint(_) => sides[1].about(island.arm(joint)),
                    AnyConstraint::Coupling(_) => sides[1],
                };
                if let AnyConstraint::Joint(c) = &holder.constraint {
                    for (i, body) in [c.parent, c.child].into_iter().enumerate() {
                        let point = island.side(joint, i).position;
                        note_pull(articulations, body, island, joint.ends()[i], point, pulls[i]);
                    }
                }
            }
        }
    }

    /// Makes the report of a step.
    fn make_report(&mut self) -> WorldReport {
        let (constraints, islands) = (self.constraints.len(), self.islands.len());
        let mut report = WorldReport { constraints, islands, substeps: 1, ..WorldReport::default() };
        let (mut gaps, mut count) = (0.0, 0);
        for island in &mut self.islands {
            report.gap_max = report.gap_max.max(island.gaps.distance());
            report.angle_max = report.angle_max.max(island.gaps.angle());
            (gaps, count) = (gaps + island.gaps.sum(), count + island.joints().len());
            report.iterations = report.iterations.max(island.newton.iterations());
            report.factorizations = report.factorizations.max(island.factorizations());
            island.judge_start(self.settings.failed());
            if !island.newton.is_solved() {
                report.unsolved += 1;
                report.error = report.error.max(island.newton.error());
                if let Some((place, error)) = island.worst() {
                    let constraint = self.constraints.id_at(place);
                    self.events.push(Event::Unsolved { constraint, error });
                }
            }
        }
        report.contact_sweeps = self.contacts.sweeps;
        for point in &self.contacts.problem.solver.points {
            report.contacts += usize::from(point.separation <= TOUCHES);
            report.penetration_max = report.penetration_max.max(-point.separation);
        }
        report.gap_mean = if count > 0 { gaps / count as f64 } else { 0.0 };
        report
    }

    /// Tells which colliders began to touch in the step, and which ceased to.
    pub(super) fn report_touches(&mut self) {
        let Self { contacts, events, .. } = self;
        let Contacts {
            registry: ColliderRegistry { collider_sets, colliders, .. },
            detection: Detection { broad, .. },
            ..
        } = contacts;
        for gone in broad.parted.drain(..) {
            if gone.iter().all(|place| colliders.is_taken(*place as usize)) {
                let ids = gone.map(|place| colliders.id_at(place as usize));
                events.push(Event::Parted { colliders: ids });
            }
        }
        for pair in broad.pairs.iter_mut().filter(|pair| pair.has_points() || !pair.is_idle()) {
            let both = pair.collider_sets.map(|s| &collider_sets[s as usize]);
            let entry = std::mem::take(&mut pair.entry);
            if both[0].still && both[1].still && pair.touched == pair.touches {
                continue;
            }
            let points = || pair.manifolds.iter().flat_map(|m| &m.points);
            let deepest = points().map(|p| p.dist).fold(f64::INFINITY, f64::min);
            pair.impulse = points().map(|p| p.data.impulse).sum();
            pair.touches = if pair.sensor { deepest <= 0.0 } else { deepest <= TOUCHES };
            if pair.touches != pair.touched {
                let ids =
                    [0, 1].map(|i| colliders.id_at(both[i].parts[pair.parts[i] as usize].collider as usize));
                events.push(match pair.touches {
                    true => {
                        let normal: f64 = points().map(|p| p.data.normal).sum();
                        Event::Touched { colliders: ids, impulse: entry + normal }
                    }
                    false => Event::Parted { colliders: ids },
                });
            }
            pair.touched = pair.touches;
        }
    }

    /// Removes the constraints whose force was more than their strength.
    pub(super) fn break_weak(&mut self) {
        let broken = |(id, holder): (ConstraintId, &super::Holder)| {
            let AnyConstraint::Joint(c) = &holder.constraint else { return None };
            let (force, moment) = (holder.force.linear.length(), holder.force.angular.length());
            let weak = force > c.strength.force || moment > c.strength.moment;
            weak.then_some(Event::Broke { constraint: id, force, moment })
        };
        let first = self.events.len();
        let Self { constraints, events, .. } = self;
        events.extend(constraints.iter().filter_map(broken));
        for i in first..self.events.len() {
            if let Event::Broke { constraint, .. } = self.events[i] {
                self.constraints.remove(constraint);
                self.schedule.note_freed();
                self.known = Known::Nothing;
            }
        }
    }
}

impl World {
    /// Takes back velocities that only moved bodies to where constraints want them: where constraints could not be met, and where joints
    /// that were apart close (Weinstein et al., section VI, save and restore velocities for the same reason). Post-stabilization then finds
    /// what joints hold.
    fn forget_closing(&mut self, dt: f64) {
        let Self { singles, articulations, islands, settings, contacts, .. } = self;
        let failed = settings.failed();
        // the other solvers have a fixed number of iterations
        let exact = settings.solver == Solver::Together;
        let restores = exact && settings.contact.method.restores();
        let forgets = |(i, island): &(usize, &Island)| {
            let restored = restores && contacts.problem.pushed.get(*i) == Some(&true);
            let failed = exact && island.closing().is_empty() && island.newton.error() > failed;
            !island.is_asleep() && (failed || restored)
        };
        if !islands.iter().enumerate().any(|island| forgets(&island) || !island.1.closing().is_empty()) {
            return;
        }
        for (_, island) in islands.iter().enumerate().filter(forgets) {
            for (node, impulse) in island.nodes().iter().zip(island.impulses()) {
                if let Node::Single { place } = *node {
                    singles.at_mut(place as usize).push(-*impulse);
                }
            }
        }
        let islands = &*islands;
        articulations.par_enumerate_mut().filter(|(_, a)| a.has_constraints && a.is_constrained()).for_each(
            |(place, a)| {
                let Some(island) = islands.iter().enumerate().find(|(_, island)| island.holds(place)) else {
                    return;
                };
                if forgets(&island) {
                    a.update_kinematics();
                    a.answer(dt);
                    a.push(impulses_on(islands, place).map(|(port, impulse)| (port, -impulse)));
                } else if !island.1.is_asleep() && !island.1.closing().is_empty() {
                    a.forget_closing(closing_on(island.1, place));
                }
            },
        );
    }
}

/// Impulses that closed joints, on the ports of an articulation.
fn closing_on(island: &Island, place: usize) -> impl Iterator<Item = (usize, Force)> {
    island.nodes().iter().zip(island.closing()).filter_map(move |(node, impulse)| match *node {
        Node::Port { articulation, port } if articulation as usize == place => {
            Some((port as usize, *impulse))
        }
        _ => None,
    })
}

/// Notes what a constraint does to a body of an articulation, for the choice of its joints.
fn note_pull(
    articulations: &mut Articulations,
    body: BodyRef,
    island: &Island,
    end: Option<NodeIx>,
    point: DVec3,
    force: Force,
) {
    let BodyRef::Of(id, body) = body else { return };
    let articulated = articulations.at_mut(id.index());
    if articulated.simulation.detail().is_full() {
        return;
    }
    let at = articulated.port_of(body).1.position;
    let from = match end {
        Some(node) => -(island.frames()[node].rotation * at),
        // frozen to the world: the force is about the joint's point
        None => point - at,
    };
    articulated.ports.pulls.push((body, force.about(from)));
}
