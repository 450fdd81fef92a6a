//! Steps a world with contact, a closed loop and a body at less than full detail, and a world of many bodies. On wasm32-unknown-unknown, where
//! std has no clock and no threads, a panic is a trap: `make wasm-test` runs this in Node.

use std::sync::Arc;

use glam::DVec3;
use supple::constraint::{Ball, Frame};
use supple::contact::{Collider, Shape};
use supple::detail::Detail;
use supple::world::{BodyRef, SingleBody, World};
use supple::{Actuator, Body, Joint, JointId, Model, ModelBuilder, Pose, RigidInertia, Simulation};

/// A chain of ten links.
fn chain() -> Model {
    let rod = RigidInertia::solid_capsule(0.1, DVec3::ZERO, DVec3::X * 0.1, 0.01);
    let mut builder = ModelBuilder::new();
    for i in 0..10 {
        let body = Body::new(format!("link {i}"), Joint::revolute(DVec3::Y)).inertia(rod);
        let at = Pose::from_xyz(0.1, 0.0, 0.0);
        builder.add(if i == 0 { body } else { body.on(format!("link {}", i - 1)).at(at) });
    }
    builder.finish().expect("valid")
}

fn main() {
    let model = Arc::new(chain());
    let few = || {
        let mut simulation = Simulation::new(Arc::clone(&model));
        simulation.set_detail(Detail::joints(3)).expect("valid");
        simulation.actuators.push(Actuator::position(JointId::new(9), 1.0, 0.1).control(0.3));
        simulation
    };

    // alone
    let mut alone = few();
    for _ in 0..60 {
        alone.step(1.0 / 60.0).expect("a step");
    }
    assert!(alone.state.q[0] > 0.1, "it falls");

    // many
    let mut world = World::new();
    for _ in 0..4 {
        world.add_articulation(few());
    }
    for _ in 0..10 {
        world.step(1.0 / 60.0).expect("a step");
    }

    // a ball falls on the floor; another hangs on the chain by a constraint
    let mut world = World::new();
    let arm = world.add_articulation(few());
    let inertia = RigidInertia::solid_sphere(1.0, 0.1, DVec3::ZERO);
    let mut balls = [DVec3::new(3.0, 0.0, 0.15), DVec3::new(1.0, 0.0, 0.0)].map(|at| {
        let ball = SingleBody::new("", inertia).at(Frame::at(at));
        world.add_body(ball).expect("valid")
    });
    balls.reverse();
    let [hanging, falling] = balls;
    world.add_collider(falling, Collider::new(Shape::sphere(0.1).expect("valid"))).expect("valid");
    world.add_collider(BodyRef::World, Collider::new(Shape::half_space())).expect("valid");
    let end = BodyRef::Of(arm, supple::BodyId::new(9));
    world.join(Ball, end, hanging, Frame::at(DVec3::X)).expect("valid");
    let mut touched = false;
    for _ in 0..60 {
        touched |= world.step(1.0 / 60.0).expect("a step").contacts > 0;
    }
    assert!(touched, "the ball touches the floor");
}
