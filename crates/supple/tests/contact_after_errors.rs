//! A step that fails leaves an ordinary world: it can be asked again, mended, and goes on.

use glam::DVec3;
use supple::contact::{Collider, Shape};
use supple::world::{ArticulationId, BodyRef, Failure, World, WorldError};
use supple::{Body, BodyId, Joint, ModelBuilder, RigidInertia, Simulation};

const DT: f64 = 0.005;

/// A ball that carries a light arm, a millimetre deep in the ground.
fn arm_on_ground() -> (World, ArticulationId) {
    let light = RigidInertia::solid_sphere(1e-3, 0.05, DVec3::ZERO);
    let model = ModelBuilder::new()
        .body(Body::new("upper", Joint::free()).inertia(RigidInertia::solid_sphere(1.0, 0.5, DVec3::ZERO)))
        .body(Body::new("lower", Joint::revolute(DVec3::Y)).inertia(light).on("upper"))
        .finish()
        .unwrap();
    let mut arm = Simulation::new(model);
    arm.state.q[2] = 0.199;
    let mut world = World::new();
    let id = world.add_articulation(arm);
    let ball = Collider::new(Shape::sphere(0.2).unwrap());
    world.add_collider(BodyRef::Of(id, BodyId::new(0)), ball).unwrap();
    world.add_collider(BodyRef::World, Collider::new(Shape::half_space())).unwrap();
    (world, id)
}

fn load(world: &mut World, id: ArticulationId, moment: f64) {
    if let Some(last) = world.articulation_mut(id).unwrap().tau.last_mut() {
        *last = moment;
    }
}

#[test]
fn what_touches_fails_again_and_goes_on_once_its_load_is_gone() {
    let (mut world, id) = arm_on_ground();
    load(&mut world, id, 1.7e308);
    for step in 1..=3 {
        let error = world.step(DT).expect_err("a load that nothing bears");
        let WorldError::Failed { failures } = &error else { panic!("{error}") };
        assert!(
            matches!(failures[..], [Failure::Articulation { articulation, time: 0.0, .. }] if articulation == id)
        );
        // time goes on for all others
        assert_eq!(world.steps(), step);
        assert_eq!(world.articulation(id).unwrap().state.time, 0.0);
    }
    load(&mut world, id, 0.0);
    for _ in 0..100 {
        world.step(DT).unwrap();
    }
    let height = world.frame(BodyRef::Of(id, BodyId::new(0))).unwrap().position.z;
    assert!((height - 0.2).abs() < 2e-3, "at {height} m");
}

/// What was at rest before the error goes on from there with the same bits.
#[test]
fn an_error_leaves_nothing_behind() {
    let (mut world, id) = arm_on_ground();
    for _ in 0..10 {
        world.step(DT).unwrap();
    }
    let mut other = world.clone();
    load(&mut world, id, 1.7e308);
    assert!(world.step(DT).is_err());
    load(&mut world, id, 0.0);
    for _ in 0..20 {
        world.step(DT).unwrap();
        other.step(DT).unwrap();
    }
    let [a, b] = [&world, &other].map(|w| w.articulation(id).unwrap().state.clone());
    assert_eq!((a.q, a.v), (b.q, b.v));
}
