//! Impulses and velocities by one handle, for single bodies and bodies of articulations: momenta, against differences of frames, errors.

mod common;

use common::Rng;
use glam::{DQuat, DVec3};
use supple::prelude::*;
use supple::world::Momenta;

/// A world without gravity, with an odd single body, a floating tree of seven that is bent and tumbles, and an arm on the world.
struct Scene {
    world: World,
    stone: SingleId,
    tree: ArticulationId,
    arm: ArticulationId,
}

const TREE: usize = 7;

impl Scene {
    fn new(seed: u64) -> Self {
        let mut rng = Rng::new(seed, 0);
        let mut world = World::new();
        world.gravity = DVec3::ZERO;
        let stone = RigidInertia::solid_box(2.0, DVec3::new(0.3, 0.5, 0.8), DVec3::new(0.2, -0.1, 0.4));
        let stone = SingleBody::new("stone", stone)
            .at(Frame::new(rng.vector(2.0), rng.quat()))
            .moving(rng.vector(1.0), rng.vector(2.0));
        let stone = world.add_body(stone).unwrap();

        let rod = RigidInertia::solid_capsule(1.0, DVec3::ZERO, DVec3::X, 0.05);
        let mut builder = ModelBuilder::new();
        // fixed to the root: the same link, another frame
        builder.add(Body::new("root", Joint::free()).inertia(rod));
        builder.add(Body::new("badge", Joint::fixed()).on("root").at(rng.pose(0.5)).inertia(rod));
        for i in 2..TREE {
            let on = if i == 2 { "root".to_owned() } else { format!("limb {}", i - 1 - usize::from(i == 5)) };
            let joint =
                if i == 4 { Joint::spherical() } else { Joint::revolute(rng.vector(1.0)).damping(0.1) };
            builder.add(Body::new(format!("limb {i}"), joint).on(on).at(rng.pose(0.5)).inertia(rod));
        }
        let mut tree = Simulation::new(builder.finish().unwrap());
        let q = tree.state.q.len();
        tree.state.q[..3].copy_from_slice(&rng.vector(1.0).to_array());
        tree.state.q[3..7].copy_from_slice(&rng.quat().to_array());
        let ball = tree.model.joints()[4].q;
        for at in (7..q).filter(|at| !(ball..ball + 4).contains(at)) {
            tree.state.q[at] = rng.range(-1.0, 1.0);
        }
        tree.state.q[ball..ball + 4].copy_from_slice(&rng.quat().to_array());
        tree.state.v.iter_mut().for_each(|v| *v = rng.range(-1.0, 1.0));
        let tree = world.add_articulation(tree);

        let arm = ModelBuilder::new()
            .body(Body::new("table", Joint::fixed()).inertia(rod))
            .body(Body::new("upper", Joint::revolute(DVec3::Y)).on("table").inertia(rod));
        let arm = world.add_articulation(Simulation::new(arm.finish().unwrap()));
        Self { world, stone, tree, arm }
    }

    fn limbs(&self) -> impl Iterator<Item = (ArticulationId, BodyId)> + use<> {
        let tree = self.tree;
        (0..TREE).map(move |i| (tree, BodyId::new(i)))
    }
}

fn changed(before: Momenta, after: Momenta) -> [DVec3; 2] {
    [after.linear - before.linear, after.angular - before.angular]
}

fn assert_is(got: DVec3, expected: DVec3, tolerance: f64) {
    assert!(
        (got - expected).length() <= tolerance * (1.0 + expected.length()),
        "{got} instead of {expected}"
    );
}

#[test]
fn momenta_change_by_the_impulse() {
    for seed in 0..10 {
        let scene = Scene::new(seed);
        let mut rng = Rng::new(seed, 1);
        let all = std::iter::once(BodyRef::from(scene.stone)).chain(scene.limbs().map(BodyRef::from));
        for body in all {
            let mut world = scene.world.clone();
            let (point, impulse) = (rng.vector(2.0), rng.vector(3.0));
            let before = world.momenta();
            world.push_at(body, point, impulse).unwrap();
            let [linear, angular] = changed(before, world.momenta());
            assert_is(linear, impulse, 1e-12);
            assert_is(angular, point.cross(impulse), 1e-12);
        }
    }
}

/// At a part of the joints, too; what was frozen moves then if it is pushed.
#[test]
fn momenta_change_by_the_impulse_at_less_detail() {
    for seed in 0..10 {
        let mut scene = Scene::new(seed);
        let simulation = scene.world.articulation_mut(scene.tree).unwrap();
        simulation.state.v.fill(0.0);
        simulation.set_detail(Detail::joints(3)).unwrap();
        scene.world.step(1e-3).unwrap();
        let mut rng = Rng::new(seed, 1);
        let (mut before, last) = (scene.world.momenta(), BodyId::new(TREE - 1));
        for _ in 0..5 {
            let (point, impulse) = (rng.vector(2.0), rng.vector(3.0));
            scene.world.push_at((scene.tree, last), point, impulse).unwrap();
            let after = scene.world.momenta();
            let [linear, angular] = changed(before, after);
            assert_is(linear, impulse, 1e-11);
            assert_is(angular, point.cross(impulse), 1e-11);
            before = after;
        }
        let simulation = scene.world.articulation(scene.tree).unwrap();
        let active = simulation.region().unwrap().report().active;
        assert!((2..=3).contains(&active), "{active} joints move, the floating base among them");
        scene.world.step(1e-3).unwrap();
    }
}

/// The same as what simulations and bodies take themselves.
#[test]
fn it_is_the_push_of_bodies_and_of_simulations() {
    let mut scene = Scene::new(3);
    let mut rng = Rng::new(3, 1);
    let (point, impulse) = (rng.vector(2.0), rng.vector(3.0));
    for (id, limb) in scene.limbs() {
        let mut alone = scene.world.articulation(id).unwrap().clone();
        let at = alone.pose_of(limb).translation;
        let wrench = Force::new((point - at).cross(impulse), impulse);
        alone.push(Load { body: limb, wrench, axes: Axes::World }).unwrap();
        let mut world = scene.world.clone();
        world.push_at((id, limb), point, impulse).unwrap();
        assert_eq!(world.articulation(id).unwrap().state.v, alone.state.v);
    }
    let mut alone = scene.world.body(scene.stone).unwrap().clone();
    alone.push(Force::new((point - alone.centre()).cross(impulse), impulse));
    scene.world.push_at(scene.stone, point, impulse).unwrap();
    assert_eq!(scene.world.body(scene.stone).unwrap().velocity(), alone.velocity());
    assert_eq!(scene.world.body(scene.stone).unwrap().omega(), alone.omega());
}

#[test]
fn what_is_fixed_takes_any_impulse() {
    let mut scene = Scene::new(1);
    let lift = scene.world.add_body(SingleBody::kinematic("lift")).unwrap();
    let table = BodyRef::Of(scene.arm, BodyId::new(0));
    let before = scene.world.momenta();
    for body in [BodyRef::World, lift.into(), table] {
        scene.world.push_at(body, DVec3::X, DVec3::Z).unwrap();
        assert_eq!(scene.world.velocity(body).unwrap(), Motion::ZERO);
    }
    assert_eq!(scene.world.momenta(), before);
}

/// Velocities are what frames do in a short time.
#[test]
fn velocities_are_differences_of_frames() {
    for seed in 0..5 {
        for joints in [None, Some(3)] {
            let mut scene = Scene::new(seed);
            if let Some(joints) = joints {
                let tree = scene.world.articulation_mut(scene.tree).unwrap();
                tree.set_detail(Detail::joints(joints)).unwrap();
                scene.world.step(1e-3).unwrap();
            }
            let all = std::iter::once(BodyRef::from(scene.stone)).chain(scene.limbs().map(BodyRef::from));
            for body in all {
                const DT: f64 = 1e-5;
                let velocity = scene.world.velocity(body).unwrap();
                let before = scene.world.frame(body).unwrap();
                let mut world = scene.world.clone();
                world.step(DT).unwrap();
                let after = world.frame(body).unwrap();
                let turn = supple::spatial::rotation::log(after.rotation * before.rotation.conjugate());
                assert_is(velocity.linear, (after.position - before.position) / DT, 2e-3);
                assert_is(velocity.angular, turn / DT, 2e-3);
            }
        }
    }
}

#[test]
fn velocities_that_are_set_are_there() {
    for seed in 0..5 {
        let mut rng = Rng::new(seed, 1);
        let scene = Scene::new(seed);
        let velocity = Motion::new(rng.vector(2.0), rng.vector(2.0));
        let near = |got: Motion| {
            assert_is(got.angular, velocity.angular, 1e-12);
            assert_is(got.linear, velocity.linear, 1e-12);
        };
        for joints in [None, Some(3)] {
            // the root, and what is fixed to it
            for body in [0, 1] {
                let mut world = scene.world.clone();
                if let Some(joints) = joints {
                    let tree = world.articulation_mut(scene.tree).unwrap();
                    tree.set_detail(Detail::joints(joints)).unwrap();
                    world.step(1e-3).unwrap();
                }
                let body = (scene.tree, BodyId::new(body));
                let rates = world.articulation(scene.tree).unwrap().state.v[6..].to_vec();
                world.set_velocity(body, velocity).unwrap();
                near(world.velocity(body).unwrap());
                // joints keep theirs
                assert_eq!(world.articulation(scene.tree).unwrap().state.v[6..], rates);
                let before = world.momenta();
                world.step(1e-3).unwrap();
                let [linear, angular] = changed(before, world.momenta());
                assert_is(linear, DVec3::ZERO, 1e-11);
                assert_is(angular, DVec3::ZERO, 1e-11);
            }
        }
        let mut world = scene.world.clone();
        world.set_velocity(scene.stone, velocity).unwrap();
        near(world.velocity(scene.stone).unwrap());
        let lift = SingleBody::kinematic("lift").at(Frame::new(rng.vector(1.0), DQuat::IDENTITY));
        let lift = world.add_body(lift).unwrap();
        world.set_velocity(lift, velocity).unwrap();
        let from = world.frame(lift).unwrap().position;
        world.step(0.01).unwrap();
        near(world.velocity(lift).unwrap());
        assert_is(world.frame(lift).unwrap().position, from + 0.01 * velocity.linear, 1e-12);
    }
}

#[test]
fn sleepers_wake() {
    let mut world = World::new();
    world.add_collider(BodyRef::World, Collider::new(Shape::half_space())).unwrap();
    let cube = Collider::new(Shape::cuboid(DVec3::splat(0.2)).unwrap());
    let inertia = cube.inertia(1000.0).unwrap();
    let at = DVec3::new(0.0, 0.0, 0.1);
    let single = world.add_body(SingleBody::new("cube", inertia).at(Frame::at(at))).unwrap();
    world.add_collider(single, cube.clone()).unwrap();
    let model = ModelBuilder::new().body(Body::new("cube", Joint::free()).inertia(inertia)).finish().unwrap();
    let mut tree = Simulation::new(model);
    tree.state.q[..3].copy_from_slice(&(at + DVec3::Y).to_array());
    let tree = (world.add_articulation(tree), BodyId::new(0));
    world.add_collider(tree, cube).unwrap();
    for body in [BodyRef::from(single), tree.into()] {
        for set in [false, true] {
            for _ in 0..240 {
                world.step(1.0 / 120.0).unwrap();
            }
            assert!(world.is_asleep(body));
            let place = world.frame(body).unwrap().position;
            if set {
                world.set_velocity(body, Motion::new(DVec3::ZERO, 2.0 * DVec3::Z)).unwrap();
            } else {
                world.push_at(body, place, 16.0 * DVec3::Z).unwrap();
            }
            assert!(!world.is_asleep(body));
            assert_is(world.velocity(body).unwrap().linear, 2.0 * DVec3::Z, 1e-12);
            world.step(1.0 / 120.0).unwrap();
            assert!(world.frame(body).unwrap().position.z > place.z + 0.01);
        }
    }
}

#[test]
fn what_cannot_be_is_said() {
    let mut scene = Scene::new(0);
    let motion = Motion::new(DVec3::X, DVec3::Y);
    let error = scene.world.set_velocity((scene.tree, BodyId::new(5)), motion).unwrap_err();
    assert!(
        matches!(&error, WorldError::NotFloating { name, joint, .. } if name == "limb 5" && joint == "limb 5")
    );
    assert!(error.to_string().contains("articulation_mut(..)?.state.v"), "{error}");
    let error = scene.world.set_velocity((scene.arm, BodyId::new(1)), motion).unwrap_err().to_string();
    assert!(error.contains("\"upper\""), "{error}");
    let error = scene.world.set_velocity((scene.arm, BodyId::new(0)), motion).unwrap_err().to_string();
    assert!(error.contains("\"table\" stands still"), "{error}");
    let error = scene.world.set_velocity(BodyRef::World, motion).unwrap_err().to_string();
    assert!(error.contains("the world"), "{error}");
    let error = scene.world.push_at(scene.stone, DVec3::ZERO, DVec3::NAN).unwrap_err().to_string();
    assert!(error.contains("impulse [N·s]") && error.contains("\"stone\""), "{error}");
    let (limb, far) = ((scene.tree, BodyId::new(4)), DVec3::INFINITY);
    let error = scene.world.push_at(limb, far, DVec3::X).unwrap_err().to_string();
    assert!(error.contains("point of an impulse [m]") && error.contains("limb 4"), "{error}");
    let error = scene.world.push_at((scene.tree, BodyId::new(99)), DVec3::ZERO, DVec3::X).unwrap_err();
    assert!(matches!(error, WorldError::Gone { .. }), "{error}");
    scene.world.remove_body(scene.stone).unwrap();
    assert!(matches!(scene.world.push_at(scene.stone, DVec3::ZERO, DVec3::X), Err(WorldError::Gone { .. })));
    assert!(matches!(scene.world.velocity(scene.stone), Err(WorldError::Gone { .. })));
    scene.world.articulation_mut(scene.tree).unwrap().state.q.pop();
    for outcome in [scene.world.push_at(limb, DVec3::ZERO, DVec3::X), scene.world.velocity(limb).map(|_| ())]
    {
        assert!(matches!(outcome, Err(WorldError::Articulation { .. })), "{outcome:?}");
    }
}
