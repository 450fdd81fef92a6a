//! Shapes: mass properties against closed forms, which way they point, and what is refused.

mod common;

use std::f64::consts::PI;

use common::{Rng, shapes};
use glam::{DQuat, DVec3};
use supple::RigidInertia;
use supple::constraint::Frame;
use supple::contact::{Collider, Groups, Material, Shape, ShapeError};
use supple::spatial::Sym3;
use supple::world::{BodyRef, QueryFilter, SingleBody, World, WorldError};

/// Of water \[kg/m³].
const DENSITY: f64 = 1000.0;

#[track_caller]
fn has(shape: &Shape, mass: f64, com: DVec3, moments: DVec3) {
    let got = shape.inertia(DENSITY).unwrap();
    let close = |a: f64, b: f64, scale: f64| (a - b).abs() < 1e-9 * scale;
    assert!(close(got.mass, mass, mass), "{}: mass {} is not {mass}", shape.name(), got.mass);
    assert!((got.com() - com).length() < 1e-9, "{}: centre {} is not {com}", shape.name(), got.com());
    let wanted = Sym3::diagonal(moments).to_mat3();
    let inertia = got.inertia_com().to_mat3();
    let worst = (inertia - wanted).to_cols_array().iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    assert!(worst < 1e-9 * moments.max_element(), "{}: {inertia} is not {wanted}", shape.name());
}

fn box_moments(mass: f64, s: DVec3) -> DVec3 {
    mass / 12.0 * DVec3::new(s.y * s.y + s.z * s.z, s.x * s.x + s.z * s.z, s.x * s.x + s.y * s.y)
}

fn box_corners(size: DVec3) -> Vec<DVec3> {
    (0..8).map(|i| (DVec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64) - 0.5) * size).collect()
}

/// Corners as in [`box_corners`], counter-clockwise from outside.
const BOX: [[u32; 3]; 12] = [
    [0, 2, 1],
    [1, 2, 3],
    [4, 5, 6],
    [5, 7, 6],
    [0, 1, 4],
    [1, 5, 4],
    [2, 6, 3],
    [3, 6, 7],
    [0, 4, 2],
    [2, 4, 6],
    [1, 3, 5],
    [3, 7, 5],
];

#[test]
fn solids_have_the_mass_that_geometry_gives_them() {
    let r = 0.3;
    let mass = DENSITY * 4.0 / 3.0 * PI * r * r * r;
    has(&Shape::sphere(r).unwrap(), mass, DVec3::ZERO, DVec3::splat(0.4 * mass * r * r));

    let size = DVec3::new(0.2, 0.5, 1.1);
    let mass = DENSITY * size.x * size.y * size.z;
    has(&Shape::cuboid(size).unwrap(), mass, DVec3::ZERO, box_moments(mass, size));
    has(&Shape::hull(&box_corners(size)).unwrap(), mass, DVec3::ZERO, box_moments(mass, size));
    let mesh = Shape::mesh(box_corners(size), BOX.to_vec()).unwrap();
    has(&mesh, mass, DVec3::ZERO, box_moments(mass, size));

    // cylinder and two half balls
    let (h, from) = (0.8, DVec3::new(0.1, 0.2, -0.3));
    let (tube, ball) = (DENSITY * PI * r * r * h, DENSITY * 4.0 / 3.0 * PI * r * r * r);
    let along = 0.5 * tube * r * r + 0.4 * ball * r * r;
    let across = tube * (h * h / 12.0 + r * r / 4.0)
        + ball * (0.4 * r * r + 0.25 * h * h + 2.0 * (3.0 / 16.0) * h * r);
    let capsule = Shape::capsule(from, from + h * DVec3::X, r).unwrap();
    has(&capsule, tube + ball, from + 0.5 * h * DVec3::X, DVec3::new(along, across, across));

    let across = tube * (h * h / 12.0 + r * r / 4.0);
    let moments = DVec3::new(across, across, 0.5 * tube * r * r);
    has(&Shape::cylinder(h, r).unwrap(), tube, DVec3::ZERO, moments);

    // the centre of a cone is a quarter of its height above its base
    let mass = tube / 3.0;
    let across = 3.0 / 20.0 * mass * r * r + 3.0 / 80.0 * mass * h * h;
    let moments = DVec3::new(across, across, 0.3 * mass * r * r);
    has(&Shape::cone(h, r).unwrap(), mass, DVec3::Z * (-0.25 * h), moments);
}

#[test]
fn a_capsule_without_length_is_a_ball_where_it_is() {
    let at = DVec3::new(1.0, -2.0, 0.5);
    let ball = DENSITY * 4.0 / 3.0 * PI * 0.008;
    for off in [0.0, 1e-300, 1e-160, 1e-30, 1e-12] {
        let capsule = Shape::capsule(at, at + off * DVec3::X, 0.2).unwrap();
        has(&capsule, ball, at, DVec3::splat(0.4 * ball * 0.04));
        let short = Shape::capsule(DVec3::ZERO, off * DVec3::ONE, 0.2).unwrap();
        has(&short, ball, DVec3::ZERO, DVec3::splat(0.4 * ball * 0.04));
        let mut world = World::new();
        world.add_collider(BodyRef::World, Collider::new(capsule)).unwrap();
        let hit = world.cast_ray(at + DVec3::Z, -DVec3::Z, 5.0, &QueryFilter::new()).unwrap().unwrap();
        assert!((hit.distance - 0.8).abs() < 1e-9, "{hit:?}");
    }
}

#[test]
fn compounds_weigh_what_their_parts_do() {
    let (cube, ball) = (Shape::cuboid(DVec3::ONE).unwrap(), Shape::sphere(0.5).unwrap());
    let turned = Frame::new(DVec3::X * 3.0, DQuat::from_rotation_z(0.3));
    let inner = Shape::compound([(turned, cube.clone()), (Frame::at(-DVec3::X), ball.clone())]).unwrap();
    // a compound in a compound, and shapes with axes of their own
    let cone = Shape::cone(1.0, 0.4).unwrap();
    let tilted = Frame::new(DVec3::Y * 2.0, DQuat::from_rotation_x(1.0));
    let whole = Shape::compound([(Frame::at(DVec3::Z), inner), (tilted, cone.clone())]).unwrap();
    let part = |shape: &Shape, frame: Frame| shape.inertia(DENSITY).unwrap().transformed(&frame.pose());
    let up = Frame::at(DVec3::Z);
    let sum = part(&cube, up * turned) + part(&ball, up * Frame::at(-DVec3::X)) + part(&cone, tilted);
    let got = whole.inertia(DENSITY).unwrap();
    assert!((got.mass - sum.mass).abs() < 1e-9 * sum.mass);
    assert!((got.com() - sum.com()).length() < 1e-9);
    let off = (got.inertia_com().to_mat3() - sum.inertia_com().to_mat3()).to_cols_array();
    assert!(off.iter().all(|x| x.abs() < 1e-8 * sum.inertia_com().trace()), "{off:?}");
    // and a collider's frame moves it all
    let moved = Collider::new(whole).at(Frame::at(DVec3::Y)).inertia(DENSITY).unwrap();
    assert!((moved.com() - sum.com() - DVec3::Y).length() < 1e-9);
}

#[test]
fn axes_of_revolution_are_along_z_and_cones_have_their_tip_up() {
    let world = |shape: Shape| {
        let mut world = World::new();
        world.add_collider(BodyRef::World, Collider::new(shape)).unwrap();
        world
    };
    let inside = |world: &World, at: DVec3| {
        world.closest_point(at, 10.0, &QueryFilter::new()).unwrap().unwrap().is_inside
    };
    let cylinder = world(Shape::cylinder(2.0, 0.3).unwrap());
    assert!(
        inside(&cylinder, DVec3::new(0.0, 0.25, 0.95)) && inside(&cylinder, DVec3::new(0.25, 0.0, -0.95))
    );
    assert!(!inside(&cylinder, DVec3::new(0.0, 0.95, 0.0)) && !inside(&cylinder, DVec3::new(0.0, 0.0, 1.05)));
    let cone = world(Shape::cone(2.0, 0.4).unwrap());
    assert!(inside(&cone, DVec3::new(0.3, 0.2, -0.95)) && inside(&cone, DVec3::new(0.0, 0.0, 0.95)));
    assert!(!inside(&cone, DVec3::new(0.3, 0.2, 0.95)));
    let half = world(Shape::half_space());
    assert!(inside(&half, DVec3::new(7.0, 8.0, -0.01)) && !inside(&half, DVec3::new(7.0, 8.0, 0.01)));
}

/// Rows are along y, columns along x, both from the lowest coordinate up: rays from above find the heights that were given, and those
/// of a slope between them.
#[test]
fn height_fields_lie_as_they_were_given() {
    let (rows, columns, size) = (3, 4, [6.0, 4.0]);
    let heights: Vec<f64> = (0..rows * columns).map(|i| 0.1 * i as f64 * i as f64).collect();
    let mut world = World::new();
    let field = Shape::height_field(&heights, rows, columns, size).unwrap();
    world.add_collider(BodyRef::World, Collider::new(field)).unwrap();
    let height = |world: &World, x: f64, y: f64| {
        let hit = world.cast_ray(DVec3::new(x, y, 100.0), -DVec3::Z, 200.0, &QueryFilter::new()).unwrap();
        hit.map(|hit| hit.point.z)
    };
    for row in 0..rows {
        for column in 0..columns {
            // a hair inside the rim
            let x = (-3.0 + 2.0 * column as f64) * 0.999_999_9;
            let y = (-2.0 + 2.0 * row as f64) * 0.999_999_9;
            let got = height(&world, x, y).unwrap();
            assert!((got - heights[row * columns + column]).abs() < 1e-5, "{row}, {column}: {got}");
        }
    }
    assert_eq!(height(&world, 3.1, 0.0), None);
    assert_eq!(height(&world, 0.0, 2.1), None);

    // 0.3 up per metre of x, 0.1 down per metre of y
    let slope: Vec<f64> = (0..25).map(|i| 0.3 * f64::from(i % 5) - 0.1 * f64::from(i / 5)).collect();
    let field = Shape::height_field(&slope, 5, 5, [4.0, 4.0]).unwrap();
    let mut world = World::new();
    world.add_collider(BodyRef::World, Collider::new(field)).unwrap();
    let mut rng = Rng::new(1, 1);
    for _ in 0..50 {
        let (x, y) = (rng.range(-1.9, 1.9), rng.range(-1.9, 1.9));
        let got = height(&world, x, y).unwrap();
        assert!((got - (0.3 * (x + 2.0) - 0.1 * (y + 2.0))).abs() < 1e-9, "{x}, {y}: {got}");
    }
}

/// A ball on a slope rolls down it: the surface is where the field says, and pushes upwards.
#[test]
fn a_ball_dropped_on_a_height_field_lands_on_it() {
    let slope: Vec<f64> = (0..25).map(|i| 0.5 + 0.25 * f64::from(i % 5)).collect();
    let field = Shape::height_field(&slope, 5, 5, [4.0, 4.0]).unwrap();
    let mut world = World::new();
    world.add_collider(BodyRef::World, Collider::new(field)).unwrap();
    let ball = Collider::new(Shape::sphere(0.1).unwrap());
    let body =
        SingleBody::new("ball", ball.inertia(DENSITY).unwrap()).at(Frame::at(DVec3::new(1.0, 0.3, 2.0)));
    let body = world.add_body(body).unwrap();
    world.add_collider(body, ball).unwrap();
    for step in 0..120 {
        world.step(1.0 / 120.0).unwrap();
        let at = world.frame(body).unwrap().position;
        // distance from the plane z = 1 + x / 4
        let above = (at.z - 1.0 - 0.25 * at.x) / (1.0 + 0.0625f64).sqrt();
        assert!(above > 0.098, "step {step}: {above} m above the slope");
        assert!((at.y - 0.3).abs() < 1e-3, "step {step}: {at}");
    }
    assert!(world.frame(body).unwrap().position.x < 0.9);
}

#[test]
fn what_is_not_convex_is_cut_into_pieces_of_the_same_volume() {
    let (corners, triangles) = shapes::l_shape(2.0);
    // 3/4 of 2 m × 2 m × 2 m
    let solid = Shape::mesh(corners.clone(), triangles.clone()).unwrap();
    assert!((solid.inertia(1.0).unwrap().mass - 6.0).abs() < 1e-9);
    let pieces = Shape::decompose(&corners, &triangles, 64).unwrap();
    let got = pieces.inertia(1.0).unwrap();
    println!("volume {} of 6, centre {}", got.mass, got.com());
    assert!((got.mass - 6.0).abs() < 0.03 * 6.0, "volume {}", got.mass);
    assert!((got.com() - solid.inertia(1.0).unwrap().com()).length() < 0.03);
    // the notch is empty, the legs are not
    let mut world = World::new();
    world.add_collider(BodyRef::World, Collider::new(pieces)).unwrap();
    let ball = Shape::sphere(0.3).unwrap();
    let touches = |x: f64, y: f64| {
        let at = Frame::at(DVec3::new(x, y, 1.0));
        !world.overlapping(&ball, at, &QueryFilter::new()).unwrap().is_empty()
    };
    assert!(!touches(1.5, 1.5) && touches(0.5, 1.5) && touches(1.5, 0.5));
}

#[test]
fn shapes_that_cannot_be_are_refused() {
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e10] {
        for shape in [
            Shape::sphere(bad),
            Shape::cuboid(DVec3::new(1.0, bad, 1.0)),
            Shape::capsule(DVec3::ZERO, DVec3::X, bad),
            Shape::cylinder(bad, 1.0),
            Shape::cylinder(1.0, bad),
            Shape::cone(bad, 1.0),
            Shape::cone(1.0, bad),
            Shape::height_field(&[0.0; 4], 2, 2, [1.0, bad]),
        ] {
            match shape {
                Err(ShapeError::BadLength { value, .. }) => assert!(value == bad || bad.is_nan()),
                other => panic!("{bad}: {other:?}"),
            }
        }
    }
    let error = |shape: Result<Shape, ShapeError>| shape.unwrap_err();
    let nowhere = DVec3::new(0.0, f64::NAN, 0.0);
    for far in [nowhere, DVec3::INFINITY, DVec3::splat(-1e10)] {
        assert!(matches!(
            error(Shape::capsule(DVec3::ZERO, far, 1.0)),
            ShapeError::NotFinite { index: 1, .. }
        ));
        let points = [DVec3::ZERO, DVec3::X, far, DVec3::Z];
        assert!(matches!(error(Shape::hull(&points)), ShapeError::NotFinite { index: 2, .. }));
        let mesh = Shape::mesh(points.to_vec(), vec![[0, 1, 3]]);
        assert!(matches!(error(mesh), ShapeError::NotFinite { index: 2, .. }));
        let ball = Shape::sphere(1.0).unwrap();
        let compound = Shape::compound([(Frame::at(far), ball)]);
        assert!(matches!(error(compound), ShapeError::NotFinite { index: 0, .. }));
    }
    let unit = Frame { position: DVec3::ZERO, rotation: DQuat::from_xyzw(0.0, 0.0, 0.0, f64::NAN) };
    let ball = Shape::sphere(1.0).unwrap();
    assert!(matches!(error(Shape::compound([(unit, ball.clone())])), ShapeError::NotUnit { .. }));
    let long = Frame { position: DVec3::ZERO, rotation: DQuat::from_xyzw(0.0, 0.0, 0.0, 2.0) };
    assert_eq!(error(Shape::compound([(long, ball.clone())])), ShapeError::NotUnit { index: 0, length: 2.0 });

    let flat = |points: &[DVec3]| assert!(matches!(error(Shape::hull(points)), ShapeError::Flat { .. }));
    flat(&[]);
    flat(&[DVec3::ONE; 9]);
    flat(&[DVec3::ZERO, DVec3::X, DVec3::Y]);
    flat(&[DVec3::ZERO, DVec3::X, 2.0 * DVec3::X, 3.0 * DVec3::X]);
    flat(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(0.3, 0.3, 1e-9)]);
    flat(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(1.0, 1.0, 0.0), DVec3::new(0.5, 0.5, 0.0)]);

    assert!(matches!(error(Shape::compound([])), ShapeError::Empty { .. }));
    let mesh = Shape::mesh(box_corners(DVec3::ONE), BOX.to_vec()).unwrap();
    let with =
        |part: Shape| error(Shape::compound([(Frame::IDENTITY, ball.clone()), (Frame::IDENTITY, part)]));
    assert!(matches!(with(Shape::half_space()), ShapeError::NoPart { index: 1, part: "half-space" }));
    assert!(matches!(with(mesh.clone()), ShapeError::NoPart { index: 1, .. }));
    let field = Shape::height_field(&[0.0; 4], 2, 2, [1.0; 2]).unwrap();
    assert!(matches!(with(field.clone()), ShapeError::NoPart { index: 1, .. }));

    assert!(matches!(error(Shape::mesh(vec![DVec3::ZERO; 3], vec![])), ShapeError::Empty { .. }));
    let outside = Shape::mesh(box_corners(DVec3::ONE), vec![[0, 1, 2], [0, 1, 8]]);
    assert_eq!(error(outside), ShapeError::NoCorner { triangle: 1, corner: 8, count: 8 });
    assert!(matches!(error(Shape::decompose(&[], &[], 64)), ShapeError::Empty { .. }));
    let sheet = Shape::decompose(&[DVec3::ZERO, DVec3::X, DVec3::Y], &[[0, 1, 2]], 64);
    assert!(matches!(error(sheet), ShapeError::Flat { .. }));

    for (rows, columns, count) in [(1, 4, 4), (4, 1, 4), (2, 2, 5), (0, 0, 0), (usize::MAX, 2, 4)] {
        let grid = Shape::height_field(&vec![0.0; count], rows, columns, [1.0; 2]);
        assert_eq!(error(grid), ShapeError::BadGrid { rows, columns, count });
    }
    let holes = Shape::height_field(&[0.0, 0.0, f64::NAN, 0.0], 2, 2, [1.0; 2]);
    assert!(matches!(error(holes), ShapeError::NotFinite { index: 2, .. }));

    for density in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(ball.inertia(density), Err(ShapeError::BadLength { .. })));
    }
    let open = Shape::mesh(box_corners(DVec3::ONE), BOX[..2].to_vec()).unwrap();
    for shape in [Shape::half_space(), field, open] {
        assert!(matches!(shape.inertia(1.0), Err(ShapeError::NoMass { .. })), "{shape:?}");
    }
    // a closed mesh weighs the same inside out
    let inside_out = BOX.iter().map(|t| [t[0], t[2], t[1]]).collect();
    let inside_out = Shape::mesh(box_corners(DVec3::ONE), inside_out).unwrap();
    assert!((inside_out.inertia(1.0).unwrap().mass - 1.0).abs() < 1e-12);
}

#[test]
fn colliders_that_cannot_be_are_refused() {
    let mut world = World::new();
    let ball = || Collider::new(Shape::sphere(1.0).unwrap());
    let nan = f64::NAN;
    let bad = [
        ball().at(Frame::at(DVec3::splat(nan))),
        ball().at(Frame { position: DVec3::ZERO, rotation: DQuat::from_xyzw(nan, 0.0, 0.0, 1.0) }),
        ball().at(Frame { position: DVec3::ZERO, rotation: DQuat::from_xyzw(0.0, 0.0, 0.0, 0.5) }),
        ball().friction(-0.1),
        ball().friction(nan),
        ball().friction(f64::INFINITY),
        ball().restitution(1.5),
        ball().restitution(nan),
        ball().rolling(-1.0),
    ];
    let id = world.add_collider(BodyRef::World, ball()).unwrap();
    for collider in bad {
        let refused = world.add_collider(BodyRef::World, collider.clone());
        assert!(matches!(refused, Err(WorldError::BadNumber { .. })), "{collider:?}: {refused:?}");
        assert!(matches!(world.set_collider(id, collider), Err(WorldError::BadNumber { .. })));
    }
    let inertia = RigidInertia::solid_sphere(1.0, 0.1, DVec3::ZERO);
    let nowhere = SingleBody::new("nowhere", inertia).at(Frame::at(DVec3::splat(nan)));
    assert!(matches!(world.add_body(nowhere), Err(WorldError::BadNumber { .. })));
    // a body that is put nowhere later is found at the next step
    let body = world.add_body(SingleBody::new("lost", inertia)).unwrap();
    world.add_collider(body, ball()).unwrap();
    world.body_mut(body).unwrap().place(Frame::at(DVec3::splat(nan)));
    assert!(matches!(world.step(0.01), Err(WorldError::BadNumber { .. })));
    world.body_mut(body).unwrap().place(Frame::at(DVec3::Z * 5.0));
    world.step(0.01).unwrap();
    let gone = world.remove_collider(id).map(|_| id).unwrap();
    assert!(matches!(world.remove_collider(gone), Err(WorldError::Gone { .. })));
    assert!(matches!(world.collider(gone), Err(WorldError::Gone { .. })));
}

#[test]
fn two_surfaces_are_one_material_and_groups_are_mutual() {
    let a = Material { friction: 0.4, restitution: 0.1, rolling: 0.01 };
    let b = Material { friction: 0.9, restitution: 0.6, rolling: 0.0 };
    assert!((a.with(&b).friction - 0.6).abs() < 1e-12);
    assert_eq!((a.with(&b).restitution, a.with(&b).rolling), (0.6, 0.01));
    assert_eq!(a.with(&b), b.with(&a));
    let (ghost, wall) = (Groups { member: 1, touches: 2 }, Groups { member: 2, touches: u32::MAX });
    assert!(ghost.allow(&wall) && wall.allow(&ghost) && !ghost.allow(&ghost));
}
