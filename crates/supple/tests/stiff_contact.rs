//! Links of one tree that meet and part again while stiff springs or stops hold their joints: with periods of much less than a step, so that
//! velocities that an unpushed step leaves would take joints far into their springs.

use glam::DVec3;
use supple::contact::{Collider, Shape};
use supple::model::Limit;
use supple::world::World;
use supple::{Body, BodyId, Joint, ModelBuilder, Pose, RigidInertia, Simulation};

/// Of the energy of the start, at most: a joint that is stretched with half of its energy, and moves with the other half, goes on for one step
/// when contacts begin to push. With `k dt²` like its inertia that leads to `½ (1 + ½)² + ½ (½)²` of it.
const MOST: f64 = 1.25;

fn energy(world: &World) -> f64 {
    world.energy().total()
}

fn arm(root: Joint, hinge: impl Fn() -> Joint) -> Simulation {
    let rod = RigidInertia::solid_capsule(0.3, DVec3::ZERO, 0.1 * DVec3::X, 0.02);
    let model = ModelBuilder::new()
        .body(Body::new("a", root).inertia(rod))
        .body(Body::new("b", hinge()).on("a").at(Pose::from_xyz(0.1, 0.0, 0.0)).inertia(rod))
        .body(Body::new("c", hinge()).on("b").at(Pose::from_xyz(0.1, 0.0, 0.0)).inertia(rod))
        .finish()
        .unwrap();
    Simulation::new(model)
}

fn world_of(mut simulation: Simulation, bend: f64, rate: f64) -> World {
    let nq = simulation.state.q.len();
    simulation.state.q[nq - 2..].copy_from_slice(&[bend, bend]);
    let nv = simulation.state.v.len();
    simulation.state.v[nv - 2..].copy_from_slice(&[rate, 0.7 * rate]);
    simulation.state.v[0] = 0.3 * rate;
    let mut world = World::new();
    world.gravity = DVec3::ZERO;
    world.settings.contact.sleep = false;
    let id = world.add_articulation(simulation);
    for body in [0, 2] {
        let shape = Shape::capsule(DVec3::ZERO, 0.1 * DVec3::X, 0.02).unwrap();
        world.add_collider((id, BodyId::new(body)), Collider::new(shape)).unwrap();
    }
    world
}

/// The greatest energy over `steps`, relative to that of the start.
fn greatest_share(root: Joint, hinge: impl Fn() -> Joint, bend: f64, rate: f64, hz: f64, steps: u32) -> f64 {
    let mut world = world_of(arm(root, hinge), bend, rate);
    let start = energy(&world);
    (0..steps).fold(0.0, |most: f64, _| {
        world.step(1.0 / hz).unwrap();
        most.max(energy(&world) / start)
    })
}

#[test]
fn links_that_meet_and_part_gain_no_energy_from_stiff_joints() {
    let starts = [(2.2, 10.0), (1.5, 30.0), (2.4, 100.0), (0.5, 300.0), (2.2, 1000.0), (1.0, 3000.0)];
    let mut worst = (0.0, String::new());
    for hz in [60.0, 240.0, 1000.0] {
        for stiffness in [0.0, 1.0, 10.0, 100.0, 1e3, 1e4, 1e5] {
            for damping in [0.0, 1e-3] {
                for stop in [None, Some(1e3), Some(1e6)] {
                    for (bend, rate) in starts {
                        let hinge = || {
                            let mut joint = Joint::revolute(DVec3::Y).damping(damping).stiffness(stiffness);
                            joint.dofs[0].limit = stop.map(|stiffness| Limit {
                                lower: -2.5,
                                upper: 2.5,
                                stiffness: Some(stiffness),
                                damping: Some(0.0),
                            });
                            joint
                        };
                        let share = greatest_share(Joint::revolute(DVec3::Z), hinge, bend, rate, hz, 120);
                        if share > worst.0 {
                            let joint = format!("spring {stiffness}, damper {damping}, stop {stop:?}");
                            worst = (share, format!("{hz} Hz, {joint}, {bend} rad, {rate} rad/s"));
                        }
                    }
                }
            }
        }
    }
    let (share, which) = worst;
    println!("{share:.3} of the energy of the start: {which}");
    assert!(share <= MOST, "{share} of the energy of the start: {which}");
}

/// What floats and tumbles by up to half a radian in a step while its links touch: as one body it was turned by its angular velocity at the start
/// of the step, to where the same angular momentum is another spin about its axis, and its energy grew to eleven times that of the start.
#[test]
fn what_tumbles_while_it_touches_itself_gains_no_energy() {
    let mut worst = (0.0, String::new());
    for hz in [60.0, 240.0, 1000.0] {
        for stiffness in [0.0, 1.0, 100.0] {
            for (bend, turn) in [(2.2, 0.01), (1.5, 0.05), (2.4, 0.2), (0.5, 0.3), (1.5, 0.5)] {
                let hinge = || Joint::revolute(DVec3::Y).stiffness(stiffness);
                let share = greatest_share(Joint::free(), hinge, bend, turn * hz, hz, 300);
                if share > worst.0 {
                    worst = (share, format!("{hz} Hz, spring {stiffness}, {bend} rad, {turn} rad per step"));
                }
            }
        }
    }
    let (share, which) = worst;
    println!("{share:.3} of the energy of the start: {which}");
    assert!(share <= MOST, "{share} of the energy of the start: {which}");
}
