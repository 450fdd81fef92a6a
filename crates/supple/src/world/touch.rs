//! Contacts, together with the joints of the bodies that they push: sweeps over the contacts, and after each the joints.
//!
//! Bodies in contact move by the velocities that contacts left, then get all the forces of the step, then contacts act at the new pose:
//! along the directions in which the next step will move them. What does not close by these velocities does not penetrate then.

use std::time::Instant;

use glam::DVec3;
use rayon::prelude::*;

use crate::constraint::island::{Island, Node};
use crate::contact::solver::{ContactSolver, Point};
use crate::contact::{levels, vec8};
use crate::spatial::Motion;
use crate::world::contacts::{NONE, mover_at, pushed_islands};
use crate::world::step::for_each_indexed;
use crate::world::{
    Articulations, ContactMethod, ContactSettings, Contacts, Settings, SingleBody, Slots, World,
};

/// Sweeps in which what collides is thrown back.
const COLLISIONS: u32 = 20;
/// What is nearer than so many slops is closed.
const CLOSED: f64 = 5.0;

impl World {
    /// Moves apart what penetrates, a part of the way in each step. It is moved, not pushed: velocities know nothing of it.
    pub(super) fn part_penetrating(&mut self, dt: f64) {
        let started = Instant::now();
        let Self { contacts, articulations, singles, islands, settings, .. } = self;
        let ContactSettings { slop, recover, fastest, sweeps_apart, .. } = settings.contact;
        if !contacts.solver.points.iter().any(|p| p.separation < -slop) {
            return;
        }
        for point in &mut contacts.solver.points {
            point.start(DVec3::ZERO);
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
            hold(contacts, islands, articulations, settings, dt);
            if change * dt < settings.contact.tolerance {
                break;
            }
        }
        for mover in contacts.solver.movers.iter().filter(|m| m.velocity != vec8::ZERO) {
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
            if island.has_ports {
                for (node, impulse) in island.nodes.iter().zip(island.virtual_impulses()) {
                    if let Node::Port { articulation, port } = *node {
                        articulations.at_mut(articulation as usize).pushes.push((port as usize, impulse));
                    }
                }
            }
        }
        articulations.par_iter_mut().filter(|a| !a.pushes.is_empty()).for_each(|a| a.move_apart(dt));
        contacts.times.solve += started.elapsed().as_secs_f64();
    }

    /// Collisions with restitution, then impulses such that velocities do not close what touches, nor what would touch within a step
    /// of `dt` \[s].
    pub(super) fn bear(&mut self, dt: f64) {
        if self.contacts.solver.touches.is_empty() {
            return;
        }
        let started = Instant::now();
        let Self { contacts, articulations, singles, islands, settings, last_dt, .. } = self;
        for island in pushed_islands(islands, &contacts.pushed) {
            island.begin_velocities();
        }
        set_velocities(contacts, singles, articulations);
        for point in &mut contacts.solver.points {
            point.start(DVec3::ZERO);
        }
        if contacts.solver.touches.iter().any(|t| t.restitution > 0.0) {
            for _ in 0..COLLISIONS {
                if !contacts.solver.collide(articulations, settings.contact.bounce, dt) {
                    break;
                }
                hold(contacts, islands, articulations, settings, dt);
            }
        }
        let cold = settings.contact.method.is_cold();
        let scale = if *last_dt > 0.0 && !cold { dt / *last_dt } else { 0.0 };
        for point in &mut contacts.solver.points {
            let closed = point.separation <= CLOSED * settings.contact.slop;
            point.start(if closed { point.kept.impulse * scale } else { DVec3::ZERO });
            point.target = if closed { 0.0 } else { -point.separation / dt };
        }
        solve(contacts, islands, articulations, settings, dt);
        keep(contacts);
        hand_out(contacts, singles, articulations);
        contacts.times.solve += started.elapsed().as_secs_f64();
    }
}

impl Contacts {
    /// Whether contacts push a single body.
    pub(super) fn pushes_single(&self, place: usize) -> bool {
        self.mover_of.get(place).is_some_and(|m| *m != NONE)
    }
}

fn set_velocities(contacts: &mut Contacts, singles: &Slots<SingleBody>, articulations: &Articulations) {
    for mover in &mut contacts.solver.movers {
        mover.impulse = vec8::ZERO;
        mover.set_motion(match mover.node {
            None => Motion::ZERO,
            Some(Node::Single { place }) => singles.at(place as usize).moving.motion(),
            Some(Node::Port { articulation, port }) => {
                articulations.at(articulation as usize).port_velocity(port as usize)
            }
        });
    }
}

/// Sweeps until little changes.
fn solve(
    contacts: &mut Contacts,
    islands: &mut [Island],
    articulations: &Articulations,
    settings: &Settings,
    dt: f64,
) {
    contacts.solver.start(articulations);
    match settings.contact.method {
        ContactMethod::Warm { sweeps } => {
            for sweep in 0..sweeps {
                hold(contacts, islands, articulations, settings, dt);
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
                hold(contacts, islands, articulations, settings, dt);
            }
            if shock {
                levels::propagate(&mut contacts.solver, articulations);
                hold(contacts, islands, articulations, settings, dt);
            }
        }
    }
}

/// Joints of the islands that contacts push, with the velocities that contacts have left so far.
fn hold(
    contacts: &mut Contacts,
    islands: &mut [Island],
    articulations: &Articulations,
    settings: &Settings,
    dt: f64,
) {
    if !contacts.pushed.contains(&true) {
        return;
    }
    {
        let contacts = &*contacts;
        for_each_indexed(islands, |i, island| {
            if contacts.pushed[i] {
                for n in 0..island.nodes.len() {
                    let mover = mover_at(contacts, island.nodes[n]);
                    island.velocities[n] = contacts.solver.movers[mover].motion();
                }
                island.hold_velocities(articulations, settings, dt);
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

/// Notes the impulses of the points where the next step finds them.
fn keep(contacts: &mut Contacts) {
    let Contacts { solver, broad, .. } = contacts;
    let ContactSolver { touches, points, .. } = solver;
    for touch in touches.iter() {
        let manifold = &mut broad.pairs[touch.pair as usize].manifolds[touch.manifold as usize];
        for point in &points[touch.range()] {
            let kept = &mut manifold.points[point.place as usize].data;
            kept.impulse = point.given();
            kept.normal = point.impulse[0] + point.bounce;
        }
    }
}

/// Gives bodies what contacts gave their movers.
fn hand_out(contacts: &Contacts, singles: &mut Slots<SingleBody>, articulations: &mut Articulations) {
    for mover in &contacts.solver.movers {
        match mover.node {
            Some(Node::Single { place }) => singles.at_mut(place as usize).moving.push(mover.force()),
            Some(Node::Port { articulation, port }) if mover.impulse != vec8::ZERO => {
                articulations.at_mut(articulation as usize).pushes.push((port as usize, mover.force()));
            }
            _ => {}
        }
    }
}

impl Point {
    /// Starts with an impulse.
    fn start(&mut self, impulse: DVec3) {
        self.impulse = self.axes.map(|axis| axis.dot(impulse));
        self.impulse[0] = self.impulse[0].max(0.0);
    }
}
