//! A step allocates nothing once warm, whatever the integrator.
#![allow(unsafe_code, reason = "counting allocations takes a global allocator, which is unsafe by its trait")]

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use common::{Rng, every_kind};
use glam::DVec3;
use supple::constraint::{Ball, Constraint, Frame, Hinge, Rope};
use supple::contact::Shape;
use supple::detail::{
    AssemblyTree, BodyMetric, Dca, Detail, Freezer, FrozenParts, Metric, NodeId, RigidParts, Weights,
};
use supple::dynamics::EquationOfMotion;
use supple::dynamics::deferred::Deferred;
use supple::dynamics::port::Port;
use supple::dynamics::response::Response;
use supple::dynamics::response_blocks::ResponseBlocks;
use supple::view::{Camera, Item, ItemBuffer, Mesh, Raster};
use supple::world::{BodyRef, SingleBody, World};
use supple::{
    Actuator, Axes, Body, BodyId, Force, Integrator, Joint, JointId, Load, ModelBuilder, Motion, Pose,
    RigidInertia, Simulation, Spring,
};

struct Counting;

thread_local! {
    /// Allocations of this thread: the test harness may allocate in others meanwhile.
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|c| c.set(c.get() + 1));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.with(|c| c.set(c.get() + 1));
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations while `work` runs.
fn allocations(work: impl FnOnce()) -> u64 {
    let before = COUNT.with(Cell::get);
    work();
    COUNT.with(Cell::get) - before
}

/// A branched body with every kind of joint, springs, dampers, friction, stops, drives, wrenches, springs to the world and
/// servos.
fn everything() -> Simulation {
    let mut rng = Rng::new(11, 0);
    let mut builder = ModelBuilder::new();
    builder.add(Body::new("base", Joint::free()).inertia(common::inertia(&mut rng, 5.0)));
    let kinds = every_kind().into_iter().filter(|k| k.word() != "free");
    for (i, kind) in kinds.enumerate() {
        let limited = matches!(kind.word(), "revolute" | "prismatic" | "spherical");
        let mut joint = Joint::new(kind).damping(0.1).stiffness(2.0).armature(0.01);
        joint.dofs[0].friction = 0.05;
        joint.dofs[0].effort_limit = Some(1.0);
        if limited {
            joint.dofs[0].limit =
                Some(supple::model::Limit { lower: -0.1, upper: 0.1, stiffness: None, damping: None });
        }
        let parent = if i % 3 == 0 { "base".to_owned() } else { format!("body{}", i - 1) };
        let body = Body::new(format!("body{i}"), joint).on(parent.clone()).at(rng.pose(0.3));
        builder.add(body.inertia(common::inertia(&mut rng, 1.0)));
        let welded =
            Body::new(format!("welded{i}"), Joint::fixed()).on(parent).at(Pose::from_xyz(0.1, 0.0, 0.0));
        builder.add(welded.inertia(RigidInertia::solid_sphere(0.1, 0.05, DVec3::ZERO)));
    }
    let mut simulation = Simulation::new(builder.finish().expect("valid"));
    simulation.tau.iter_mut().skip(6).for_each(|t| *t = rng.range(-2.0, 2.0));
    simulation.state.v.iter_mut().for_each(|v| *v = rng.range(-1.0, 1.0));
    for body in [7, 2, 12, 2] {
        let axes = if body == 2 { Axes::World } else { Axes::Body };
        simulation.wrenches.push(Load { body: BodyId::new(body), wrench: rng.force(1.0), axes });
    }
    for body in [9, 3] {
        let spring = Spring::new(BodyId::new(body), rng.vector(0.1), rng.vector(0.5), 5.0).damping(0.1);
        simulation.springs.extend([spring, spring.rest(0.2)]);
    }
    // body numbers 1, 3, … are those that move, and the joint of a body has its number
    for (joint, axis) in [(9, 1), (1, 0), (3, 0), (9, 1)] {
        let servo = Actuator::position(JointId::new(joint), 2.0, 0.1).axis(axis).force_range(-5.0, 5.0);
        simulation.actuators.push(servo.control(0.3));
    }
    simulation
}

#[test]
fn a_warm_step_allocates_nothing() {
    for (name, integrator) in Integrator::ALL {
        let mut simulation = everything();
        simulation.integrator = integrator;
        for _ in 0..10 {
            simulation.step(1e-3).expect("a step");
        }
        let count = allocations(|| {
            for _ in 0..100 {
                simulation.step(1e-3).expect("a step");
            }
        });
        assert_eq!(count, 0, "{name}: allocations in 100 steps");
    }
}

#[test]
fn changing_loads_and_asking_for_accelerations_allocates_nothing() {
    let mut simulation = everything();
    for _ in 0..10 {
        simulation.step(1e-3).expect("a step");
        simulation.accelerations();
    }
    let count = allocations(|| {
        for k in 0..100 {
            simulation.wrenches[0].wrench = Force::new(DVec3::X * f64::from(k), DVec3::Y);
            simulation.tau[7] = f64::from(k) * 0.01;
            simulation.step(1e-3).expect("a step");
            simulation.accelerations();
        }
    });
    assert_eq!(count, 0);
}

#[test]
fn a_warm_response_allocates_nothing() {
    let simulation = everything();
    let (model, kinematics) = (&simulation.model, simulation.kinematics());
    let mut response = Response::default();
    let mut dv = vec![0.0; model.nv()];
    let impulses = [(3, Force::new(DVec3::X, DVec3::Y))];
    response.factor(model.tree(), &kinematics, model.armature());
    response.apply(model.tree(), &kinematics, &impulses, &[], &mut dv);
    let count = allocations(|| {
        for _ in 0..10 {
            response.factor(model.tree(), &kinematics, model.armature());
            response.apply(model.tree(), &kinematics, &impulses, &[], &mut dv);
        }
    });
    assert_eq!(count, 0);
}

#[test]
fn warm_ports_allocate_nothing() {
    let simulation = everything();
    let (model, kinematics) = (&simulation.model, simulation.kinematics());
    let tree = model.tree();
    let links = (0..tree.links.len() as u32).map(Port::Link);
    let ports: Vec<Port> = links.chain((0..model.nv() as u32).map(Port::Dof)).collect();
    let mut response = Response::default();
    response.factor(tree, &kinematics, model.armature());
    let (mut blocks, mut deferred) = (ResponseBlocks::default(), Deferred::default());
    let (mut dv, mut velocities) = (vec![0.0; model.nv()], vec![Motion::ZERO; ports.len()]);
    let mut solve = |ports: &[Port]| {
        blocks.update(&response, tree, &kinematics, ports);
        deferred.begin(&response, tree, &kinematics, ports);
        for i in 0..ports.len() {
            blocks.push(i, Force::new(DVec3::X, DVec3::Y), &mut velocities);
            deferred.push(i, Force::new(DVec3::X, DVec3::Y));
        }
        deferred.finish(&mut response, tree, &kinematics, &mut dv);
    };
    solve(&ports);
    // any fewer of them fit in the same memory
    let count = allocations(|| (0..ports.len()).for_each(|k| solve(&ports[k..])));
    assert_eq!(count, 0);
}

#[test]
fn warm_divide_and_conquer_metric_and_freezing_allocate_nothing() {
    let simulation = everything();
    let (model, kinematics) = (&simulation.model, simulation.kinematics());
    let (tree, q) = (model.tree(), &simulation.state.q[..]);
    let assembly = AssemblyTree::build(tree);
    let mut dca = Dca::new(tree, &assembly).expect("all links have inertia");
    let mut metric = BodyMetric::new(tree, &assembly).expect("all links have inertia");
    let mut parts = FrozenParts::new(tree, &assembly).expect("all links have inertia");
    let leaves = parts.leaves().to_vec();
    let (armature, tau) = (model.armature(), &*simulation.tau);
    let weights = Weights::identity();
    let (mut qdd, mut of_node) = (vec![0.0; model.nv()], vec![0.0; assembly.nodes().len()]);
    let wrenches = common::wrenches_of(model, &kinematics, &simulation.wrenches);
    let gravity = simulation.gravity;
    let rigid = RigidParts::new(tree, &assembly, q);
    let freezer = Freezer {
        tree,
        assembly: &assembly,
        leaves: &leaves,
        rigid: &rigid,
        weights: &weights,
        diagonal: armature,
        q,
        tau,
        wrenches: &[],
    };
    let mut work = || {
        let equation = EquationOfMotion {
            tree,
            kinematics: &kinematics,
            gravity,
            diagonal: armature,
            wrenches: &wrenches,
        };
        dca.accelerations(&equation, &assembly, tau, &mut qdd);
        metric.accelerations(&equation, &assembly, tau, &weights, q);
        metric.predict(tree, &assembly, &mut qdd, &mut of_node);
        for i in 0..assembly.nodes().len() {
            parts.freeze(&freezer, NodeId::new(i));
        }
    };
    work();
    assert_eq!(allocations(work), 0);
}

/// Updates, too, whatever they change: joints wake and stop, parts freeze, loads come and go.
#[test]
fn a_warm_step_allocates_nothing_when_the_active_joints_change() {
    for metric in [Metric::Direct, Metric::Assembly] {
        for (name, integrator) in Integrator::ALL {
            let chain = common::chain(120, |_| Joint::revolute(DVec3::Z).damping(1e-4));
            let mut simulation = common::simulation(chain);
            simulation.gravity = DVec3::new(0.0, -9.81, 0.0);
            simulation.integrator = integrator;
            simulation.set_detail(Detail { metric, update_every: 5, ..Detail::joints(12) }).expect("valid");
            let updates = |simulation: &mut Simulation, steps: u32| {
                let mut changes = 0;
                for step in 0..steps {
                    let force = Force::new(DVec3::ZERO, DVec3::Y * 0.01 * f64::from(step % 7));
                    simulation.wrenches.clear();
                    if step % 40 < 20 {
                        let body = BodyId::new(60);
                        simulation.wrenches.push(Load { body, wrench: force, axes: Axes::World });
                    }
                    simulation.tau[30] = 0.001 * f64::from(step % 3);
                    simulation.step(1e-3).expect("a step");
                    changes += simulation.region().map_or(0, |r| r.report().stopped);
                }
                changes
            };
            updates(&mut simulation, 1200);
            let mut changes = 0;
            let count = allocations(|| changes = updates(&mut simulation, 200));
            assert!(changes > 5, "{name}, {metric:?}: the region hardly changes");
            assert_eq!(count, 0, "{name}, {metric:?}: allocations in 200 steps");
        }
    }
}

/// The counter itself works.
#[test]
fn the_counter_counts() {
    assert_eq!(allocations(|| drop(std::hint::black_box(vec![1u8; 10]))), 1);
}

/// Single bodies, an articulation, a loop, a limit, a motor, a rope, a spring and a kinematic hand.
#[test]
fn a_warm_step_of_a_world_allocates_nothing() {
    let brick = RigidInertia::solid_box(1.0, DVec3::new(0.1, 0.2, 0.4), DVec3::ZERO);
    let mut world = World::new();
    let hand = world.add_body(SingleBody::kinematic("hand")).unwrap();
    let mut last = BodyRef::from(hand);
    for i in 0..10 {
        let x = 0.5 * f64::from(i);
        let body = SingleBody::new("brick", brick).at(Frame::at(DVec3::X * (x + 0.25)));
        let body = world.add_body(body).unwrap();
        let joint = Frame::with_z(DVec3::X * x, DVec3::Y);
        let sides = [last, body.into()].map(|b| world.frame(b).unwrap().inverse() * joint);
        let hinge = Constraint::new(Hinge, last, body).parent_frame(sides[0]).child_frame(sides[1]);
        world.add(hinge.limit(0, -1.0, 1.0).friction(0, 0.01)).unwrap();
        last = body.into();
    }
    let mut simulation = everything();
    simulation.integrator = Integrator::SemiImplicit;
    let arm = world.add_articulation(simulation);
    world.add(Constraint::new(Rope { longest: 0.5 }, last, (arm, BodyId::new(3)))).unwrap();
    world.add(Constraint::new(Ball, BodyRef::World, (arm, BodyId::new(2))).soft(100.0, 10.0)).unwrap();
    let step = |world: &mut World, i: u32| {
        world.move_to(hand, Frame::at(DVec3::Z * 0.001 * f64::from(i))).unwrap();
        world.step(1e-3).unwrap();
    };
    for i in 0..200 {
        step(&mut world, i);
    }
    let count = allocations(|| (200..300).for_each(|i| step(&mut world, i)));
    assert_eq!(count, 0);
}

/// With a camera that moves, and with things that move under one that does not.
#[test]
fn a_warm_item_buffer_allocates_nothing() {
    let mesh = Mesh::of(&Shape::capsule(DVec3::ZERO, DVec3::X, 0.2).unwrap(), 16);
    let mut rng = Rng::new(1, 0);
    let mut items: Vec<_> = (0..50).map(|id| Item { mesh: &mesh, pose: rng.pose(2.0), id }).collect();
    let camera = Camera::look_at(DVec3::new(0.0, -5.0, 0.0), DVec3::ZERO, DVec3::Z);
    let (mut buffer, mut counts) = (ItemBuffer::new(), Vec::new());
    let mut image = |round: u32| {
        // back and forth, so that the second time is like the first
        let t = 0.1 * f64::from(round % 10);
        items[7].pose.translation.x = t;
        items[8].pose.translation.y = -2.0 * t;
        let position = camera.position + f64::from(round % 10 / 5) * DVec3::X;
        buffer.count(&Camera { position, ..camera }, &items, 50, &mut counts).unwrap();
    };
    (0..20).for_each(&mut image);
    assert_eq!(allocations(|| (0..20).for_each(&mut image)), 0);
}
