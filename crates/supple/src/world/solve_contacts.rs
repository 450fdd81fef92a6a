//! The contact solver of a world: sweeps over the contacts, and after each sweep the joints of the bodies that they push.
//!
//! Bodies in contact move by the velocities that contacts left, then get all the forces of the step, then contacts act at the new pose:
//! along the directions in which the next step will move them. Points that do not close by these velocities do not penetrate then.

use glam::DVec3;
use rayon::prelude::*;

use crate::bodies::Node;
use crate::constraint::island::{Impulses, Island};
use crate::contact::body_colliders::Group;
use crate::contact::levels;
use crate::contact::pair::WarmStart;
use crate::contact::solver::{ContactSolver, Pushed};
use crate::spatial::Force;
use crate::util::clock::Stopwatch;
use crate::world::contacts::{ColliderRegistry, ContactProblem, Detection};
use crate::world::contacts::{NONE, mover_at, pushed_islands};
use crate::world::step::for_each_indexed;
use crate::world::{
    Articulated, Articulations, ContactMethod, ContactSettings, Contacts, Settings, SingleBody, Slots, World,
};

/// Sweeps for collisions with restitution.
const COLLISIONS: u32 = 20;
/// After an impact the solver iterates until positions would change by less than this \[m], up to so many times the usual sweeps.
const ROUGH: f64 = 1e-3;
const MORE_HIT: u32 = 8;
/// Without a warm start the solver takes up to so many times the usual sweeps, to the usual tolerance.
const MORE_FRESH: u32 = 4;
/// Points that are nearer than so many slops are closed.
const CLOSED: f64 = 5.0;
/// Manifolds are activated for the last time so many sweeps before the last one.
const LAST: u32 = 4;

/// How the contact solver is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// Cold: velocities are those of new bodies, or set by the user.
    Nothing,
    /// Warm, with the impulses of the step before.
    Before,
    /// Warm, with the impulses of a solve of nearly the same contacts.
    Nearly,
}

impl World {
    /// Corrects penetration by a share in each step. Bodies are moved, not pushed: momenta do not change, and no energy comes
    /// of it ([`Articulated::move_apart`]).
    pub(super) fn correct_penetration(&mut self, dt: f64) {
        let (started, others) = (Stopwatch::start(), self.contacts.times.total());
        let Self { contacts, articulations, singles, islands, settings, .. } = self;
        let ContactSettings { slop, recover, fastest, sweeps_apart, .. } = settings.contact;
        let deepest = contacts.problem.solver.points.iter().map(|p| -p.separation).fold(0.0, f64::max);
        if deepest <= slop {
            return;
        }
        // bodies must not be moved into others
        contacts.activate_near(articulations, singles, 2.0 * (recover * deepest).min(fastest * dt));
        contacts.problem.solver.stop();
        for point in &mut contacts.problem.solver.points {
            point.start(DVec3::ZERO);
            let room = point.separation + slop;
            point.target = if room < 0.0 { (-recover * room / dt).min(fastest) } else { -room / dt };
        }
        for island in pushed_islands(islands, &contacts.problem.pushed) {
            island.begin_velocities();
        }
        for sweep in 0..sweeps_apart {
            let change = contacts.problem.solver.sweep_apart(sweep % 2 == 1);
            contacts.sweeps += 1;
            // pre-stabilization corrects joints to articulations
            solve_some_joints(contacts, islands, articulations, settings, dt, Which::Single);
            if change * dt < settings.contact.tolerance {
                break;
            }
        }
        let solver = &contacts.problem.solver;
        for (m, mover) in solver.movers.iter().enumerate() {
            if let Pushed::Single(place) = mover.body {
                singles.at_mut(place as usize).moving.displace(solver.motion(m), dt);
            }
        }
        note_speeds_apart(contacts, articulations);
        let first_of = &contacts.problem.first_of;
        articulations.par_enumerate_mut().filter(|(place, _)| first_of[*place] != NONE).for_each(
            |(place, a)| {
                let z = solver.numbers(first_of[place] as usize);
                if z.iter().any(|x| *x != 0.0) {
                    // else a light finger would turn by radians to get its tip out of the ground
                    let share =
                        if a.contact.speed_apart > fastest { fastest / a.contact.speed_apart } else { 1.0 };
                    a.move_apart(z, share, dt);
                }
            },
        );
        contacts.times.solve += started.seconds() - (contacts.times.total() - others);
    }

    /// Solves collisions with restitution, then contacts: impulses such that no point closes that touches, or would touch within a step of
    /// `dt` \[s].
    pub(super) fn solve_contacts(&mut self, dt: f64, start: Start) {
        if !self.contacts.are_any() {
            return;
        }
        let (started, others) = (Stopwatch::start(), self.contacts.times.total());
        let recover = self.settings.contact.recover;
        self.articulations.iter_mut().for_each(|(_, a)| {
            a.forget_taken(recover);
            a.meet();
        });
        // joints of islands change these while contacts are solved
        for (_, a) in self.articulations.iter_mut().filter(|(_, a)| a.has_constraints && !a.sleep.is_asleep())
        {
            a.ports.unpushed.clone_from(&a.simulation.state.v);
        }
        self.find_impulses(start, dt);
        if self.find_unforeseen(dt) {
            for (_, a) in
                self.articulations.iter_mut().filter(|(_, a)| a.has_constraints && !a.sleep.is_asleep())
            {
                a.simulation.state.v.clone_from(&a.ports.unpushed);
                a.update_kinematics();
            }
            self.find_impulses(if start == Start::Before { Start::Nearly } else { start }, dt);
        }
        let Self { contacts, articulations, singles, islands, .. } = self;
        apply_impulses(contacts, islands, singles, articulations);
        contacts.times.solve += started.seconds() - (contacts.times.total() - others);
    }

    /// Finds the impulses of collisions and contacts; contacts are warm started with the impulses that are known.
    fn find_impulses(&mut self, start: Start, dt: f64) {
        let scale = match start {
            Start::Nothing => 0.0,
            Start::Before if self.last_dt > 0.0 && !self.settings.contact.method.is_cold() => {
                dt / self.last_dt
            }
            Start::Before => 0.0,
            Start::Nearly => 1.0,
        };
        let Self { contacts, articulations, singles, islands, settings, .. } = self;
        for island in pushed_islands(islands, &contacts.problem.pushed) {
            island.begin_velocities();
        }
        set_velocities(contacts, singles, articulations);
        if contacts.bounces() {
            for _ in 0..COLLISIONS {
                // a body that bounces may run into the next one
                contacts.activate(articulations, singles, dt);
                if !contacts.problem.solver.collide(settings.contact.bounce, dt) {
                    break;
                }
                solve_joints(contacts, islands, articulations, settings, dt);
            }
        }
        for point in &mut contacts.problem.solver.points {
            let closed = point.separation <= CLOSED * settings.contact.slop;
            point.start(if closed { point.warm_start.impulse * scale } else { DVec3::ZERO });
            point.target = if closed { 0.0 } else { -point.separation / dt };
        }
        contacts.problem.solver.note_before();
        contacts.problem.solver.start();
        self.sweep_contacts(start, dt);
        if scale > 0.0 && self.contacts.take_back_gains(&self.islands) {
            self.sweep_contacts(start, dt);
        }
        match start {
            Start::Nothing => note_entry(&mut self.contacts),
            Start::Before | Start::Nearly => store_impulses(&mut self.contacts),
        }
    }

    /// Solves contacts: the solver sweeps over movers that change until the change of positions is below the tolerance.
    fn sweep_contacts(&mut self, start: Start, dt: f64) {
        let Self { contacts, islands, articulations, singles, settings, .. } = self;
        match settings.contact.method {
            ContactMethod::Warm { sweeps } => {
                // impacts on articulations take longer, and so do contacts without a warm start
                let tolerance = settings.contact.tolerance;
                let again = start == Start::Nearly;
                let (rough, more) = if again || articulations.iter().any(|(_, a)| a.contact.hit) {
                    (ROUGH, MORE_HIT)
                } else if start == Start::Nothing || is_fresh(&contacts.problem.solver) {
                    (tolerance, MORE_FRESH)
                } else {
                    (tolerance, 1)
                };
                contacts.problem.solver.begin_sweeps();
                contacts.activate(articulations, singles, dt);
                for sweep in 0..more * sweeps {
                    solve_some_joints(contacts, islands, articulations, settings, dt, Which::Changed);
                    let enough = again || sweep >= sweeps;
                    let least = if enough { rough } else { tolerance };
                    let change = contacts.problem.solver.sweep_changed(least / dt);
                    contacts.sweeps += 1;
                    let small = change * dt < least;
                    // manifolds are activated often at first, then less and less, and before the end
                    let ask = small || (sweep + 1).is_power_of_two() || sweep + LAST == more * sweeps;
                    if ask && contacts.activate(articulations, singles, dt) == 0 && small {
                        break;
                    }
                }
            }
            ContactMethod::Levels { sweeps, shock, .. } => {
                contacts.activate(articulations, singles, dt);
                levels::order(&mut contacts.problem.solver);
                for _ in 0..sweeps {
                    contacts.problem.solver.sweep(false);
                    contacts.sweeps += 1;
                    solve_joints(contacts, islands, articulations, settings, dt);
                    if contacts.activate(articulations, singles, dt) > 0 {
                        levels::order(&mut contacts.problem.solver);
                    }
                }
                if shock {
                    levels::propagate(&mut contacts.problem.solver);
                    solve_joints(contacts, islands, articulations, settings, dt);
                }
            }
        }
    }
}

impl World {
    /// Sets the velocities of all movers to those of their bodies, and activates manifolds that would penetrate within `dt` \[s].
    pub(super) fn set_contact_velocities(&mut self, dt: f64) {
        let Self { contacts, articulations, singles, .. } = self;
        set_velocities(contacts, singles, articulations);
        contacts.activate(articulations, singles, dt);
    }
}

impl Contacts {
    /// Takes back impulses of contacts where they added energy; whether they did anywhere. Joints may add energy.
    fn take_back_gains(&mut self, islands: &[Island]) -> bool {
        let mut solver = std::mem::take(&mut self.problem.solver);
        let nodes = islands
            .iter()
            .zip(&self.problem.pushed)
            .filter(|(_, pushed)| **pushed)
            .flat_map(|(i, _)| i.nodes());
        let any = solver.take_back_gains(nodes.map(|node| mover_at(self, *node)));
        self.problem.solver = solver;
        any
    }

    /// Whether contacts push a single body.
    pub(super) fn pushes_single(&self, place: usize) -> bool {
        self.problem.mover_of.get(place).is_some_and(|m| *m != NONE)
    }
}

/// Notes the greatest speed at which the solver would move a collider of each articulation \[m/s].
fn note_speeds_apart(contacts: &Contacts, articulations: &mut Articulations) {
    let Contacts {
        problem: ContactProblem { first_of, solver, .. },
        registry: ColliderRegistry { collider_sets, .. },
        ..
    } = contacts;
    articulations.par_enumerate_mut().filter(|(place, _)| first_of[*place] != NONE).for_each(|(place, a)| {
        a.update_pushed_motions(solver.numbers(first_of[place] as usize));
        a.contact.speed_apart = 0.0;
    });
    for collider_set in collider_sets.iter().filter(|collider_set| !collider_set.parts.is_empty()) {
        if let Group::Link(place, link) = collider_set.group
            && first_of[place as usize] != NONE
        {
            let a = articulations.at_mut(place as usize);
            let motion = a.pushed_at(link, collider_set.at.position);
            a.contact.speed_apart =
                a.contact.speed_apart.max(motion.linear.length() + collider_set.turning_by(motion.angular));
        }
    }
}

fn set_velocities(contacts: &mut Contacts, singles: &Slots<SingleBody>, articulations: &Articulations) {
    let solver = &mut contacts.problem.solver;
    solver.stop();
    solver.set_drifts(0, |place| singles.at(place as usize).moving.motion());
    for m in 0..solver.movers.len() {
        match solver.movers[m].body {
            Pushed::Nothing => {}
            Pushed::Single(place) => solver.set_motion(m, singles.at(place as usize).moving.motion()),
            Pushed::Articulation(place) => {
                let owner = articulations.at(place as usize);
                owner.contact.root.forth(&owner.simulation.state.v, solver.numbers_mut(m));
            }
        }
    }
}

/// Whether most of the contacts that touch have no warm start.
fn is_fresh(solver: &ContactSolver) -> bool {
    let closed = solver.points.iter().filter(|p| p.separation <= 0.0);
    let (all, fresh) = closed
        .fold((0, 0), |(all, fresh), p| (all + 1, fresh + i32::from(p.warm_start == WarmStart::default())));
    2 * fresh > all
}

/// Solves the joints of all islands that contacts push, from the velocities that contacts have found so far.
fn solve_joints(
    contacts: &mut Contacts,
    islands: &mut [Island],
    articulations: &mut Articulations,
    settings: &Settings,
    dt: f64,
) {
    solve_some_joints(contacts, islands, articulations, settings, dt, Which::All);
}

/// Which islands are solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    All,
    /// Those that the last sweep over contacts changed, and those with articulations, which others may have.
    Changed,
    /// Those of single bodies alone.
    Single,
}

/// Solves the joints of some of the islands that contacts push, from the velocities that contacts have found so far.
fn solve_some_joints(
    contacts: &mut Contacts,
    islands: &mut [Island],
    articulations: &mut Articulations,
    settings: &Settings,
    dt: f64,
    which: Which,
) {
    if !contacts.problem.pushed.contains(&true) {
        return;
    }
    let started = Stopwatch::start();
    let takes_part =
        |(island, pushed): &(&Island, &bool)| **pushed && (which != Which::Single || !island.has_ports());
    if which != Which::Single {
        // articulations of islands take the velocities of the solver
        let (first_of, solver) = (&contacts.problem.first_of, &contacts.problem.solver);
        let moves = |(place, a): &(usize, &mut Articulated)| a.has_constraints && first_of[*place] != NONE;
        articulations.par_enumerate_mut().filter(moves).for_each(|(place, a)| {
            a.set_numbers(solver.numbers(first_of[place] as usize));
            a.update_kinematics();
        });
    }
    {
        let (contacts, articulations) = (&*contacts, &*articulations);
        for_each_indexed(islands, |i, island| {
            if takes_part(&(&*island, &contacts.problem.pushed[i])) {
                let has_changed =
                    |node: &Node| contacts.problem.solver.has_just_changed(mover_at(contacts, *node));
                if which == Which::Changed && !island.has_ports() && !island.nodes().iter().any(has_changed) {
                    island.clear_impulses();
                    return;
                }
                for n in 0..island.nodes().len() {
                    let node = island.nodes()[n];
                    island.velocities_mut()[n] = match node {
                        Node::Single { .. } => contacts.problem.solver.motion(mover_at(contacts, node)),
                        Node::Port { articulation, port } => {
                            articulations.at(articulation as usize).port_velocity(port as usize)
                        }
                    };
                }
                island.hold_velocities(articulations, &settings.of_constraints(), dt);
            }
        });
    }
    for (island, _) in islands.iter().zip(&contacts.problem.pushed).filter(takes_part) {
        for (node, impulse) in island.nodes().iter().zip(island.impulses()) {
            if *impulse == Force::ZERO {
                continue;
            }
            let mover = mover_at(contacts, *node);
            contacts.problem.solver.mark_changed(mover);
            match *node {
                Node::Single { .. } => contacts.problem.solver.push_single(mover, *impulse),
                Node::Port { articulation, port } => {
                    let numbers = contacts.problem.solver.numbers_mut(mover);
                    articulations.at_mut(articulation as usize).push_numbers(
                        port as usize,
                        *impulse,
                        numbers,
                    );
                }
            }
        }
    }
    contacts.times.joints += started.seconds();
}

/// Notes the impulses that contacts gave before anything moved, for events.
fn note_entry(contacts: &mut Contacts) {
    let Contacts { problem: ContactProblem { solver, .. }, detection: Detection { broad, .. }, .. } =
        contacts;
    for pair in &mut broad.pairs {
        pair.entry = 0.0;
    }
    for touch in &solver.touches {
        let points = &solver.points[touch.range()];
        broad.pairs[touch.pair as usize].entry +=
            points.iter().map(|p| p.impulse[0] + p.bounce[0]).sum::<f64>();
    }
}

/// Stores the impulses of the points for the warm start of the next step.
fn store_impulses(contacts: &mut Contacts) {
    let Contacts { problem: ContactProblem { solver, .. }, detection: Detection { broad, .. }, .. } =
        contacts;
    let ContactSolver { touches, points, .. } = solver;
    for touch in touches.iter() {
        let manifold = &mut broad.pairs[touch.pair as usize].manifolds[touch.manifold as usize];
        // points that were left out hold nothing
        for point in &mut manifold.points {
            point.data = WarmStart::default();
        }
        for point in &points[touch.range()] {
            let warm_start = &mut manifold.points[point.place as usize].data;
            warm_start.impulse = (0..3).map(|k| point.axes[k] * point.impulse[k]).sum();
            warm_start.normal = point.impulse[0] + point.bounce[0];
        }
    }
}

/// Gives bodies the impulses of their movers, and those of joints in between: post-stabilization goes on from there.
fn apply_impulses(
    contacts: &mut Contacts,
    islands: &mut [Island],
    singles: &mut Slots<SingleBody>,
    articulations: &mut Articulations,
) {
    contacts.problem.solver.forces(|place, force| singles.at_mut(place as usize).moving.push(force));
    for island in pushed_islands(islands, &contacts.problem.pushed) {
        island.collect(Impulses::Mu);
        for (node, impulse) in island.nodes().iter().zip(island.impulses()) {
            if let Node::Single { place } = *node {
                singles.at_mut(place as usize).moving.push(*impulse);
            }
        }
        island.keep_velocities();
    }
    let (first_of, solver) = (&contacts.problem.first_of, &contacts.problem.solver);
    articulations.par_enumerate_mut().filter(|(place, _)| first_of[*place] != NONE).for_each(|(place, a)| {
        let mover = first_of[place] as usize;
        a.take_numbers(solver.numbers_before(mover), solver.numbers(mover));
        if a.has_constraints {
            a.update_kinematics();
        }
    });
}
