//! Contacts of one phase, together with the joints of the bodies that they push: sweeps over the contacts, and after each the joints.

use std::time::Instant;

use crate::constraint::island::{Impulses, Island, Node};
use crate::contact::levels;
use crate::contact::solver::{ContactSolver, Point};
use crate::contact::vec8;
use crate::spatial::{Motion, rotation};
use crate::world::contacts::{mover_at, pushed_islands};
use crate::world::step::{for_each_indexed, impulses_of};
use crate::world::{Articulations, ContactMethod, ContactSettings, Contacts, Settings, World};
use rayon::prelude::*;

/// Sweeps in which what collides is thrown back.
const COLLISIONS: u32 = 20;

/// What is nearer than so many slops after the position update is closed.
const CLOSED: f64 = 5.0;

/// The two phases of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Before the position update: separations after it.
    Before,
    /// After it: velocities.
    After,
}

impl World {
    /// Before the position update: impulses such that what is predicted does not penetrate. Bodies get them at once, articulations
    /// with their next prediction.
    pub(super) fn press(&mut self, dt: f64) {
        if self.contacts.solver.touches.is_empty() {
            return;
        }
        let started = Instant::now();
        self.part_penetrating(dt);
        let Self { contacts, articulations, singles, islands, settings, last_dt, .. } = self;
        let scale = if *last_dt > 0.0 { dt / *last_dt } else { 0.0 };
        let cold = settings.contact.method.is_cold();
        for point in &mut contacts.solver.points {
            let warm = if cold { glam::DVec3::ZERO } else { point.kept.after * scale };
            point.start(warm);
            // what penetrates was moved, and need not be thrown apart
            point.target = -(point.separation + settings.contact.slop).max(0.0) / dt;
        }
        for island in pushed_islands(islands, &contacts.pushed) {
            island.gather(|place| singles.at(place).moving);
            island.begin(dt, *last_dt);
            island.tighten(articulations, dt);
            island.collect(Impulses::Lambda);
        }
        // where articulations would go
        let predicted = islands.iter().zip(&contacts.pushed).filter(|(_, pushed)| **pushed);
        let joints: Vec<&Island> = predicted.map(|(island, _)| island).collect();
        articulations.par_enumerate_mut().filter(|(_, a)| a.touched && a.is_held()).for_each(|(place, a)| {
            a.predict(impulses_of(joints.iter().copied(), place), dt);
        });
        set_velocities(contacts, singles, |a, port| displacement(a, port, articulations, dt));
        for island in islands.iter().zip(&contacts.pushed).filter(|(_, p)| **p).map(|(island, _)| island) {
            for (node, impulse) in island.nodes.iter().zip(&island.impulses) {
                if let Node::Single { .. } = node {
                    let mover = mover_at(contacts, *node);
                    contacts.solver.push(articulations, mover, &vec8::of(impulse.angular, impulse.linear));
                }
            }
        }
        solve(contacts, islands, articulations, settings, Phase::Before, dt);
        keep(contacts, Phase::Before);
        hand_out(contacts, singles, articulations);
        contacts.times.solve += started.elapsed().as_secs_f64();
    }

    /// Moves apart what penetrates, a part of the way in each step. It is moved, not pushed: velocities know nothing of it.
    fn part_penetrating(&mut self, dt: f64) {
        let Self { contacts, articulations, singles, islands, settings, .. } = self;
        let ContactSettings { slop, recover, fastest, sweeps_apart, .. } = settings.contact;
        if !contacts.solver.points.iter().any(|p| p.separation < -slop) {
            return;
        }
        for point in &mut contacts.solver.points {
            point.start(glam::DVec3::ZERO);
            let room = point.separation + slop;
            point.target = if room < 0.0 { (-recover * room / dt).min(fastest) } else { -room / dt };
        }
        for mover in &mut contacts.solver.movers {
            (mover.velocity, mover.impulse) = (vec8::ZERO, vec8::ZERO);
        }
        for island in pushed_islands(islands, &contacts.pushed) {
            island.begin_velocities();
        }
        for sweep in 0..sweeps_apart {
            let change = contacts.solver.sweep_apart(articulations, sweep % 2 == 1);
            contacts.sweeps += 1;
            hold_velocities(contacts, islands, articulations, settings, dt);
            if change * dt < settings.contact.tolerance {
                break;
            }
        }
        // where they are now
        let ContactSolver { movers, touches, points, .. } = &mut contacts.solver;
        for touch in touches.iter() {
            for point in &mut points[touch.range()] {
                point.separation += dt * point.speed(touch.movers.map(|m| &movers[m as usize]));
            }
        }
        for (_, articulated) in articulations.iter_mut() {
            articulated.pushes.clear();
        }
        for mover in movers.iter().filter(|m| m.velocity != vec8::ZERO) {
            match mover.node {
                Some(Node::Single { place }) => {
                    singles.at_mut(place as usize).moving.displace(mover.motion(), dt);
                }
                Some(Node::Port { articulation, port }) => {
                    articulations.at_mut(articulation as usize).pushes.push((port as usize, mover.force()));
                }
                None => {}
            }
        }
        for island in islands.iter().zip(&contacts.pushed).filter(|(_, p)| **p).map(|(island, _)| island) {
            for (node, impulse) in island.nodes.iter().zip(island.virtual_impulses()) {
                if let Node::Port { articulation, port } = *node {
                    articulations.at_mut(articulation as usize).pushes.push((port as usize, impulse));
                }
            }
        }
        articulations.par_iter_mut().filter(|a| !a.pushes.is_empty()).for_each(|a| a.move_apart(dt));
    }

    /// After the position update: collisions with restitution, then impulses such that velocities do not close what touches.
    pub(super) fn bear(&mut self, dt: f64) {
        if self.contacts.solver.touches.is_empty() {
            return;
        }
        let started = Instant::now();
        let Self { contacts, articulations, singles, islands, settings, .. } = self;
        for island in pushed_islands(islands, &contacts.pushed) {
            island.begin_velocities();
        }
        set_velocities(contacts, singles, |a, port| articulations.at(a).port_velocity(port));
        for mover in &mut contacts.solver.movers {
            mover.impulse = [0.0; 8];
        }
        let bounces = contacts.solver.touches.iter().any(|t| t.restitution > 0.0);
        for point in &mut contacts.solver.points {
            point.start(glam::DVec3::ZERO);
        }
        if bounces {
            for _ in 0..COLLISIONS {
                if !contacts.solver.collide(articulations, settings.contact.bounce, dt) {
                    break;
                }
                hold_velocities(contacts, islands, articulations, settings, dt);
            }
        }
        let cold = settings.contact.method.is_cold();
        for point in &mut contacts.solver.points {
            let closed = point.separation <= CLOSED * settings.contact.slop;
            point.start(if cold || !closed { glam::DVec3::ZERO } else { point.kept.before });
            point.target = if closed { 0.0 } else { -point.separation / dt };
        }
        solve(contacts, islands, articulations, settings, Phase::After, dt);
        keep(contacts, Phase::After);
        hand_out(contacts, singles, articulations);
        contacts.times.solve += started.elapsed().as_secs_f64();
    }
}

/// Mean velocity of a port over the predicted step.
fn displacement(articulation: usize, port: usize, articulations: &Articulations, dt: f64) -> Motion {
    let owner = articulations.at(articulation);
    let (from, to) = (owner.start_frame(port), owner.port_frame(port));
    let turn = rotation::log(to.rotation * from.rotation.conjugate());
    Motion::new(turn / dt, (to.position - from.position) / dt)
}

fn set_velocities(
    contacts: &mut Contacts,
    singles: &crate::world::Slots<crate::world::SingleBody>,
    port_velocity: impl Fn(usize, usize) -> Motion,
) {
    for mover in &mut contacts.solver.movers {
        let motion = match mover.node {
            None => Motion::ZERO,
            Some(Node::Single { place }) => singles.at(place as usize).moving.motion(),
            Some(Node::Port { articulation, port }) => port_velocity(articulation as usize, port as usize),
        };
        mover.set_motion(motion);
    }
}

/// Sweeps until little changes.
fn solve(
    contacts: &mut Contacts,
    islands: &mut [Island],
    articulations: &Articulations,
    settings: &Settings,
    phase: Phase,
    dt: f64,
) {
    let before: Vec<_> = contacts.solver.movers.iter().map(|m| m.impulse).collect();
    contacts.solver.start(articulations);
    // what collisions gave is theirs too
    for (mover, given) in contacts.solver.movers.iter_mut().zip(&before) {
        vec8::add(&mut mover.impulse, given, if phase == Phase::After { 1.0 } else { 0.0 });
    }
    let mut joints = |contacts: &mut Contacts| match phase {
        Phase::Before => hold_positions(contacts, islands, articulations, settings, dt),
        Phase::After => hold_velocities(contacts, islands, articulations, settings, dt),
    };
    match settings.contact.method {
        ContactMethod::Warm { before, after } => {
            let sweeps = if phase == Phase::Before { before } else { after };
            for sweep in 0..sweeps {
                joints(contacts);
                let change = contacts.solver.sweep(articulations, sweep % 2 == 1);
                contacts.sweeps += 1;
                if change * dt < settings.contact.tolerance {
                    break;
                }
            }
        }
        ContactMethod::Levels { sweeps, shock, .. } => {
            levels::order(&mut contacts.solver);
            for _ in 0..sweeps {
                contacts.solver.sweep(articulations, false);
                contacts.sweeps += 1;
                joints(contacts);
            }
            if shock && phase == Phase::Before {
                levels::propagate(&mut contacts.solver, articulations);
                joints(contacts);
            }
        }
    }
}

/// Joints of the islands that contacts push, linear in the impulses, before the position update.
fn hold_positions(
    contacts: &mut Contacts,
    islands: &mut [Island],
    articulations: &Articulations,
    settings: &Settings,
    dt: f64,
) {
    hold(contacts, islands, articulations, |island| island.hold_positions(articulations, settings, dt));
}

/// The same for velocities.
fn hold_velocities(
    contacts: &mut Contacts,
    islands: &mut [Island],
    articulations: &Articulations,
    settings: &Settings,
    dt: f64,
) {
    hold(contacts, islands, articulations, |island| island.hold_velocities(articulations, settings, dt));
}

fn hold(
    contacts: &mut Contacts,
    islands: &mut [Island],
    articulations: &Articulations,
    joints: impl Fn(&mut Island) + Send + Sync,
) {
    if !contacts.pushed.contains(&true) {
        return;
    }
    {
        let contacts = &*contacts;
        let pushed = &contacts.pushed;
        for_each_indexed(islands, |i, island| {
            if pushed[i] {
                for n in 0..island.nodes.len() {
                    let mover = mover_at(contacts, island.nodes[n]);
                    island.velocities[n] = contacts.solver.movers[mover].motion();
                }
                joints(island);
            }
        });
    }
    for island in islands.iter().zip(&contacts.pushed).filter(|(_, p)| **p).map(|(island, _)| island) {
        for (node, impulse) in island.nodes.iter().zip(&island.impulses) {
            let mover = mover_at(contacts, *node);
            contacts.solver.push(articulations, mover, &vec8::of(impulse.angular, impulse.linear));
        }
    }
}

/// Notes the impulses of the points where the next phase and the next step find them.
fn keep(contacts: &mut Contacts, phase: Phase) {
    let Contacts { solver, broad, .. } = contacts;
    let ContactSolver { touches, points, .. } = solver;
    for touch in touches.iter() {
        let pair = &mut broad.pairs[touch.pair as usize];
        let manifold = &mut pair.manifolds[touch.manifold as usize];
        for point in &mut points[touch.range()] {
            let given = point.given();
            let kept = &mut point.kept;
            match phase {
                Phase::Before => {
                    (kept.before, kept.after) = (given, glam::DVec3::ZERO);
                    kept.total = point.impulse[0];
                }
                Phase::After => {
                    kept.after = given;
                    kept.total = point.impulse[0] + kept.before.dot(point.axes[0]) + point.bounce;
                }
            }
            manifold.points[point.place as usize].data = point.kept;
        }
    }
}

/// Gives bodies what contacts gave their movers.
fn hand_out(
    contacts: &Contacts,
    singles: &mut crate::world::Slots<crate::world::SingleBody>,
    articulations: &mut Articulations,
) {
    for (_, articulated) in articulations.iter_mut() {
        articulated.pushes.clear();
    }
    for mover in &contacts.solver.movers {
        match mover.node {
            Some(Node::Single { place }) => singles.at_mut(place as usize).moving.push(mover.force()),
            Some(Node::Port { articulation, port }) if mover.impulse != [0.0; 8] => {
                articulations.at_mut(articulation as usize).pushes.push((port as usize, mover.force()));
            }
            _ => {}
        }
    }
}

impl Point {
    /// Starts a phase with an impulse.
    fn start(&mut self, impulse: glam::DVec3) {
        self.impulse = self.axes.map(|axis| axis.dot(impulse));
        self.impulse[0] = self.impulse[0].max(0.0);
    }
}
