//! Queries against closed forms, and against a look at every collider.

mod common;

use common::{Rng, shapes};
use glam::{DQuat, DVec3};
use supple::constraint::Frame;
use supple::contact::parry::math::Pose3;
use supple::contact::parry::query::{self, Ray, ShapeCastOptions};
use supple::contact::{Collider, Shape, parry};
use supple::world::{BodyRef, ColliderId, QueryFilter, SingleBody, World, WorldError};
use supple::{Body, Joint, ModelBuilder, RigidInertia, Simulation};

fn all() -> QueryFilter<'static> {
    QueryFilter::new()
}

fn alone(shape: Shape, at: Frame) -> World {
    let mut world = World::new();
    world.add_collider(BodyRef::World, Collider::new(shape).at(at)).unwrap();
    world
}

fn near(a: DVec3, b: DVec3) -> bool {
    (a - b).length() < 1e-9
}

#[test]
fn rays_meet_spheres_boxes_planes_and_capsules_where_geometry_says() {
    let at = Frame::at(DVec3::new(1.0, 2.0, 3.0));
    let world = alone(Shape::sphere(0.5).unwrap(), at);
    // a chord at 0.3 from the centre: half of it is 0.4
    let hit = world.cast_ray(DVec3::new(-4.0, 2.3, 3.0), DVec3::X * 7.0, 10.0, &all()).unwrap().unwrap();
    assert!((hit.distance - 4.6).abs() < 1e-12 && near(hit.normal, DVec3::new(-0.8, 0.6, 0.0)), "{hit:?}");
    assert!(world.cast_ray(DVec3::new(-4.0, 2.3, 3.0), DVec3::X, 4.5, &all()).unwrap().is_none());
    assert!(world.cast_ray(DVec3::new(-4.0, 2.6, 3.0), DVec3::X, 10.0, &all()).unwrap().is_none());
    // from inside
    let hit = world.cast_ray(at.position, DVec3::Y, 10.0, &all()).unwrap().unwrap();
    assert_eq!((hit.distance, hit.point, hit.normal), (0.0, at.position, -DVec3::Y));

    let turned = Frame::new(DVec3::ZERO, DQuat::from_rotation_z(std::f64::consts::FRAC_PI_4));
    let world = alone(Shape::cuboid(DVec3::new(2.0, 2.0, 1.0)).unwrap(), turned);
    let hit = world.cast_ray(DVec3::new(5.0, 0.1, 0.0), -DVec3::X, f64::INFINITY, &all()).unwrap().unwrap();
    assert!((hit.point.x - (2f64.sqrt() - 0.1)).abs() < 1e-12, "{hit:?}");
    let diagonal = DVec3::new(1.0, 1.0, 0.0).normalize();
    assert!(near(hit.normal, diagonal), "{hit:?}");

    let world = alone(Shape::half_space(), Frame::with_z(DVec3::Z, DVec3::new(0.0, 1.0, 1.0)));
    let hit = world.cast_ray(DVec3::new(3.0, 0.0, 4.0), -DVec3::Z, 10.0, &all()).unwrap().unwrap();
    assert!((hit.distance - 3.0).abs() < 1e-12 && near(hit.normal, DVec3::new(0.0, 1.0, 1.0).normalize()));

    let world = alone(Shape::capsule(DVec3::ZERO, DVec3::Z, 0.25).unwrap(), Frame::IDENTITY);
    for (height, x) in [(0.5, 0.25), (1.15, 0.2), (-0.15, 0.2)] {
        let hit = world.cast_ray(DVec3::new(3.0, 0.0, height), -DVec3::X, 10.0, &all()).unwrap().unwrap();
        assert!((hit.point.x - x).abs() < 1e-6, "{hit:?}");
    }
}

#[test]
fn the_nearest_points_are_those_of_geometry() {
    let world = alone(Shape::sphere(0.5).unwrap(), Frame::at(DVec3::X));
    let hit = world.closest_point(DVec3::new(1.0, 3.0, 0.0), 10.0, &all()).unwrap().unwrap();
    assert!(near(hit.point, DVec3::new(1.0, 0.5, 0.0)) && (hit.distance - 2.5).abs() < 1e-12);
    assert!(!hit.is_inside);
    assert!(world.closest_point(DVec3::new(1.0, 3.0, 0.0), 2.4, &all()).unwrap().is_none());
    let hit = world.closest_point(DVec3::new(1.1, 0.0, 0.0), 0.0, &all()).unwrap().unwrap();
    assert!(hit.is_inside && near(hit.point, DVec3::X * 1.5) && (hit.distance - 0.4).abs() < 1e-12);

    let world = alone(Shape::cuboid(DVec3::new(2.0, 4.0, 6.0)).unwrap(), Frame::IDENTITY);
    let hit = world.closest_point(DVec3::new(2.0, 3.0, 4.0), 10.0, &all()).unwrap().unwrap();
    assert!(near(hit.point, DVec3::new(1.0, 2.0, 3.0)) && (hit.distance - 3f64.sqrt()).abs() < 1e-12);
    let world = alone(Shape::capsule(-DVec3::X, DVec3::X, 0.5).unwrap(), Frame::IDENTITY);
    let hit = world.closest_point(DVec3::new(4.0, 4.0, 0.0), 10.0, &all()).unwrap().unwrap();
    assert!((hit.distance - 4.5).abs() < 1e-12 && near(hit.point, DVec3::new(1.3, 0.4, 0.0)), "{hit:?}");
}

#[test]
fn shapes_that_move_stop_where_they_touch() {
    let ball = Shape::sphere(0.5).unwrap();
    let world = alone(Shape::sphere(1.0).unwrap(), Frame::IDENTITY);
    // centres 1.5 apart where they touch, 0.9 aside: 1.2 ahead
    let hit = world.cast_shape(&ball, Frame::at(DVec3::new(-5.0, 0.9, 0.0)), DVec3::X * 10.0, &all());
    let hit = hit.unwrap().unwrap();
    assert!((hit.fraction - 0.38).abs() < 1e-6, "{hit:?}");
    assert!(near(hit.normal, DVec3::new(-0.8, 0.6, 0.0)) && near(hit.point, DVec3::new(-0.8, 0.6, 0.0)));
    let world = alone(Shape::cuboid(DVec3::splat(2.0)).unwrap(), Frame::IDENTITY);
    let tile = Shape::cuboid(DVec3::new(1.0, 1.0, 0.2)).unwrap();
    let hit = world.cast_shape(&tile, Frame::at(DVec3::Z * 3.1), DVec3::Z * -4.0, &all()).unwrap().unwrap();
    assert!((hit.fraction - 0.5).abs() < 1e-5 && near(hit.normal, DVec3::Z), "{hit:?}");
    // what overlaps from the start has not moved
    let hit = world.cast_shape(&tile, Frame::at(DVec3::Z * 0.9), DVec3::Z, &all()).unwrap().unwrap();
    assert_eq!(hit.fraction, 0.0);
    assert!(world.cast_shape(&tile, Frame::at(DVec3::Z * 3.1), DVec3::Z, &all()).unwrap().is_none());
}

#[test]
fn questions_without_meaning_are_refused() {
    let world = alone(Shape::sphere(0.5).unwrap(), Frame::IDENTITY);
    let bad = |result: Result<(), WorldError>, says: &str| {
        let error = result.unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    };
    let ray = |from, to, most| world.cast_ray(from, to, most, &all()).map(|_| ());
    bad(ray(DVec3::ZERO, DVec3::ZERO, 1.0), "direction of \"the ray\" is 0");
    bad(ray(DVec3::ZERO, DVec3::NAN, 1.0), "NaN");
    bad(ray(DVec3::INFINITY, DVec3::X, 1.0), "origin [m]");
    bad(ray(DVec3::ZERO, DVec3::X, f64::NAN), "greatest distance [m]");
    bad(ray(DVec3::ZERO, DVec3::X, -1.0), "greatest distance [m]");
    bad(world.closest_point(DVec3::NAN, 1.0, &all()).map(|_| ()), "coordinates");
    let ball = Shape::sphere(1.0).unwrap();
    let nowhere = Frame::at(DVec3::NAN);
    bad(world.overlapping(&ball, nowhere, &all()).map(|_| ()), "position or orientation");
    bad(world.cast_shape(&ball, nowhere, DVec3::X, &all()).map(|_| ()), "position or orientation");
    bad(world.cast_shape(&ball, Frame::IDENTITY, DVec3::ZERO, &all()).map(|_| ()), "motion");
    bad(world.overlapping(&Shape::half_space(), Frame::IDENTITY, &all()).map(|_| ()), "half-space");
}

#[test]
fn filters_choose_by_groups_body_sensor_and_predicate() {
    let mut world = World::new();
    let ball = |x: f64| Collider::new(Shape::sphere(0.5).unwrap()).at(Frame::at(DVec3::X * x));
    let body = world.add_body(SingleBody::kinematic("hand")).unwrap();
    let ids = [
        world.add_collider(body, ball(1.0)).unwrap(),
        world.add_collider(BodyRef::World, ball(2.0).sensor()).unwrap(),
        world.add_collider(BodyRef::World, ball(3.0).groups(2, u32::MAX)).unwrap(),
        world.add_collider(BodyRef::World, ball(4.0)).unwrap(),
    ];
    let last = ids[3];
    let is_last = move |id: ColliderId, _: &Collider, _: BodyRef| id == last;
    for stepped in [false, true] {
        let first = |filter: QueryFilter<'_>| {
            let hit = world.cast_ray(-DVec3::X, DVec3::X, 100.0, &filter).unwrap().unwrap();
            ids.iter().position(|id| *id == hit.collider).unwrap()
        };
        assert_eq!(first(all()), 0, "stepped {stepped}");
        assert_eq!(first(all().without(body)), 2);
        assert_eq!(first(all().without(body).with_sensors()), 1);
        assert_eq!(first(all().without(body).groups(u32::MAX, 1)), 3);
        assert_eq!(first(all().only(&is_last)), 3);
        world.step(0.01).unwrap();
    }
}

#[test]
fn answers_are_about_the_world_as_it_is_now() {
    let mut world = World::new();
    let arm = ModelBuilder::new()
        .body(Body::new("base", Joint::fixed()))
        .body(Body::new("arm", Joint::revolute(DVec3::Y)).on("base").inertia(RigidInertia::solid_sphere(
            1.0,
            0.1,
            DVec3::X,
        )))
        .finish()
        .unwrap();
    let tip = arm.body("arm").unwrap();
    let arm = world.add_articulation(Simulation::new(arm));
    let ball = || Collider::new(Shape::sphere(0.1).unwrap());
    world.add_collider((arm, tip), ball().at(Frame::at(DVec3::X))).unwrap();
    let hand = world.add_body(SingleBody::kinematic("hand").at(Frame::at(DVec3::Y * 5.0))).unwrap();
    world.add_collider(hand, ball()).unwrap();
    let seen = |world: &World, at: DVec3| {
        world.closest_point(at, 10.0, &all()).unwrap().is_some_and(|hit| hit.is_inside)
    };
    world.gravity = DVec3::ZERO;
    for step in 0..4 {
        assert!(seen(&world, DVec3::X) && seen(&world, DVec3::Y * 5.0), "{step}");
        world.articulation_mut(arm).unwrap().state.q[0] = std::f64::consts::FRAC_PI_2;
        world.body_mut(hand).unwrap().place(Frame::at(DVec3::Y * 6.0));
        if step == 1 {
            world.refresh();
        }
        if step == 2 {
            world.step(0.01).unwrap();
        }
        assert!(!seen(&world, DVec3::X) && !seen(&world, DVec3::Y * 5.0), "{step}");
        assert!(seen(&world, -DVec3::Z) && seen(&world, DVec3::Y * 6.0), "{step}");
        world.articulation_mut(arm).unwrap().state.q[0] = 0.0;
        world.body_mut(hand).unwrap().place(Frame::at(DVec3::Y * 5.0));
        world.step(0.01).unwrap();
    }
}

/// The pose of a collider, as the collision library has it.
fn pose(world: &World, id: ColliderId) -> Pose3 {
    let (collider, body) = world.collider(id).unwrap();
    let at = world.frame(body).unwrap() * collider.frame * collider.shape.axes();
    Pose3::from_parts(at.position, at.rotation)
}

fn random_world(rng: &mut Rng) -> World {
    let mut world = World::new();
    let length = &mut |rng: &mut Rng| rng.range(0.1, 1.0);
    for i in 0..1 + rng.below(60) {
        let kind = rng.below(shapes::KINDS - usize::from(i > 0));
        let mut collider = Collider::new(shapes::shape(rng, kind, length)).at(Frame::from(rng.pose(0.5)));
        collider.is_sensor = rng.chance(0.1);
        let at = Frame::from(rng.pose(5.0));
        let body = if rng.chance(0.5) && kind < shapes::SOLID {
            let inertia = RigidInertia::solid_sphere(1.0, 0.5, DVec3::ZERO);
            let body = SingleBody::new("body", inertia).at(at).moving(rng.vector(10.0), rng.vector(10.0));
            world.add_body(body).unwrap().into()
        } else {
            collider.frame = at;
            BodyRef::World
        };
        world.add_collider(body, collider).unwrap();
    }
    world
}

/// 200 rays, points, shapes and motions in random worlds, moving ones too: as if every collider had been asked.
#[test]
fn the_hierarchy_finds_what_a_look_at_every_collider_does() {
    let (mut hits, mut overlaps, mut casts) = (0, 0, 0);
    for seed in 0..40 {
        let mut rng = Rng::new(seed, 5);
        let mut world = random_world(&mut rng);
        for _ in 0..rng.below(4) {
            world.step(0.01).unwrap();
        }
        let colliders: Vec<_> = world
            .colliders()
            .filter(|(_, c, _)| !c.is_sensor)
            .map(|(id, c, _)| (id, c.shape.clone()))
            .collect();
        for _ in 0..5 {
            let from = rng.vector(8.0);
            let to = rng.vector(4.0) - from;
            let ray = Ray::new(from, to.normalize());
            let one_by_one =
                |id: ColliderId, shape: &Shape| shape.parry().cast_ray(&pose(&world, id), &ray, 20.0, true);
            let expected = colliders.iter().filter_map(|(id, s)| one_by_one(*id, s)).min_by(f64::total_cmp);
            let found = world.cast_ray(from, to, 20.0, &all()).unwrap();
            same("ray", seed, found.map(|hit| hit.distance), expected, 1e-9);
            if let Some(hit) = found {
                hits += 1;
                assert!((hit.normal.length() - 1.0).abs() < 1e-9 && hit.normal.dot(to) <= 0.0);
                let (id, shape) = colliders.iter().find(|(id, _)| *id == hit.collider).unwrap();
                same("the collider", seed, one_by_one(*id, shape), Some(hit.distance), 1e-9);
            }

            let signed = |id: ColliderId, shape: &Shape| {
                let nearest = shape.parry().project_point(&pose(&world, id), from, false);
                nearest.point.distance(from) * if nearest.is_inside { -1.0 } else { 1.0 }
            };
            let expected = colliders.iter().map(|(id, s)| signed(*id, s)).min_by(f64::total_cmp);
            let found = world.closest_point(from, 100.0, &all()).unwrap();
            let distance = found.map(|hit| if hit.is_inside { -hit.distance } else { hit.distance });
            same("point", seed, distance, expected, 1e-9);

            let kind = rng.below(shapes::KINDS - 2);
            let shape = shapes::shape(&mut rng, kind, &mut |rng| rng.range(0.1, 2.0));
            let at = Frame::from(rng.pose(5.0));
            let there = at * shape.axes();
            let there = Pose3::from_parts(there.position, there.rotation);
            let touches = |id: ColliderId, other: &Shape| {
                let both = (&**other.parry(), &**shape.parry());
                match query::intersection_test(&pose(&world, id), both.0, &there, both.1) {
                    Ok(touch) => touch.intersecting,
                    // height fields
                    Err(_) => {
                        query::contact(&pose(&world, id), both.0, &there, both.1, 0.0).unwrap().is_some()
                    }
                }
            };
            let expected: Vec<_> =
                colliders.iter().filter(|(id, s)| touches(*id, s)).map(|(id, _)| *id).collect();
            let found = world.overlapping(&shape, at, &all()).unwrap();
            assert_eq!(found, expected, "world {seed}: {shape:?}");
            overlaps += found.len();

            let motion = rng.vector(10.0) - at.position;
            let stops = |id: ColliderId, other: &Shape| {
                let options = ShapeCastOptions::with_max_time_of_impact(1.0);
                let cast = |other: &dyn parry::shape::Shape| {
                    let asked = &**shape.parry();
                    let hit = query::cast_shapes(
                        &pose(&world, id),
                        DVec3::ZERO,
                        other,
                        &there,
                        motion,
                        asked,
                        options,
                    );
                    hit.unwrap().map(|hit| hit.time_of_impact)
                };
                match other.parry().as_heightfield() {
                    Some(field) => field.triangles().filter_map(|t| cast(&t)).min_by(f64::total_cmp),
                    None => cast(&**other.parry()),
                }
            };
            let expected = colliders.iter().filter_map(|(id, s)| stops(*id, s)).min_by(f64::total_cmp);
            let found = world.cast_shape(&shape, at, motion, &all()).unwrap();
            same("motion", seed, found.map(|hit| hit.fraction), expected, 1e-6);
            casts += usize::from(found.is_some());
        }
    }
    println!("{hits} rays hit, {overlaps} overlaps, {casts} motions ended");
    assert!(hits > 40 && overlaps > 40 && casts > 40);
}

fn same(what: &str, seed: u64, found: Option<f64>, expected: Option<f64>, tolerance: f64) {
    let near = match (found, expected) {
        (Some(a), Some(b)) => (a - b).abs() <= tolerance * (1.0 + b.abs()),
        (a, b) => a == b,
    };
    assert!(near, "world {seed}, {what}: {found:?}, one by one {expected:?}");
}
