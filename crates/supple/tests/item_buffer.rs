//! The item buffer against closed forms and against itself.

mod common;

use common::Rng;
use glam::{DVec2, DVec3};
use supple::Pose;
use supple::constraint::Frame;
use supple::contact::Shape;
use supple::view::{Camera, Item, ItemBuffer, Mesh, NOTHING, Projection, Raster, RasterError};

fn camera() -> Camera {
    Camera::look_at(DVec3::new(0.0, -5.0, 0.0), DVec3::ZERO, DVec3::Z)
}

/// Pixels of each id, drawn from nothing.
fn counts(camera: &Camera, items: &[Item<'_>], ids: usize) -> Vec<u32> {
    let mut counts = Vec::new();
    ItemBuffer::new().count(camera, items, ids, &mut counts).unwrap();
    counts
}

/// Area and perimeter of the convex hull of points.
fn hull(mut points: Vec<DVec2>) -> (f64, f64) {
    points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    let half = |points: &mut dyn Iterator<Item = DVec2>| {
        let mut chain: Vec<DVec2> = Vec::new();
        for p in points {
            while chain.len() > 1 && {
                let n = chain.len();
                (chain[n - 1] - chain[n - 2]).perp_dot(p - chain[n - 1]) <= 0.0
            } {
                chain.pop();
            }
            chain.push(p);
        }
        chain.pop();
        chain
    };
    let mut around = half(&mut points.iter().copied());
    around.extend(half(&mut points.iter().rev().copied()));
    let next = |k: usize| around[(k + 1) % around.len()];
    let area: f64 = (0..around.len()).map(|k| 0.5 * around[k].perp_dot(next(k))).sum();
    (area, (0..around.len()).map(|k| around[k].distance(next(k))).sum())
}

#[test]
fn surfaces_are_closed_and_hold_what_the_shape_holds() {
    let hull = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let cuboid = Shape::cuboid(DVec3::new(1.0, 2.0, 3.0)).unwrap();
    let parts = [(Frame::IDENTITY, cuboid.clone()), (Frame::at(9.0 * DVec3::X), Shape::sphere(1.0).unwrap())];
    let box_mesh = Mesh::of(&cuboid, 3).finest().clone();
    let inside_out = box_mesh.triangles().iter().map(|t| [t[0], t[2], t[1]]).collect();
    for shape in [
        Shape::sphere(0.5).unwrap(),
        Shape::capsule(DVec3::X, DVec3::new(1.0, 2.0, 0.5), 0.3).unwrap(),
        Shape::cylinder(2.0, 0.4).unwrap(),
        Shape::cone(2.0, 0.4).unwrap(),
        Shape::hull(&hull).unwrap(),
        Shape::mesh(box_mesh.corners().to_vec(), inside_out).unwrap(),
        Shape::compound(parts).unwrap(),
        cuboid,
    ] {
        for sides in [0, 5, 16, 200, 1000] {
            let mesh = Mesh::of(&shape, sides);
            let finest = mesh.finest();
            assert!(mesh.is_closed(), "{shape:?} with {sides} sides");
            for c in finest.corners() {
                assert!(c.distance(mesh.centre()) <= mesh.radius());
                assert!(c.cmpge(finest.bounds()[0]).all() && c.cmple(finest.bounds()[1]).all());
            }
            if sides >= 200 {
                let corner = |c: u32| finest.corners()[c as usize];
                let six = |t: &[u32; 3]| corner(t[0]).dot(corner(t[1]).cross(corner(t[2])));
                let volume = finest.triangles().iter().map(six).sum::<f64>() / 6.0;
                // that of a mesh turned inside out would be negative
                let expected = shape.inertia(1.0).map_or(6.0, |i| i.mass).abs();
                assert!((volume / expected - 1.0).abs() < 1e-3, "{shape:?}: {volume}, not {expected}");
            }
        }
    }
    for open in [Shape::half_space(), Shape::height_field(&[0.0, 1.0, 0.5, 0.0], 2, 2, [2.0, 3.0]).unwrap()] {
        let mesh = Mesh::of(&open, 16);
        assert!(!mesh.is_closed());
        for t in mesh.finest().triangles() {
            let [a, b, c] = t.map(|c| mesh.finest().corners()[c as usize]);
            assert!((b - a).cross(c - a).z > 0.0, "{open:?} faces up");
        }
    }
}

/// A ball's image is an ellipse: its area is π f² r² √(d² − r²) / (z² − r²)^{3/2}, d and z being its distance and its depth.
#[test]
fn balls_have_the_area_of_their_ellipse() {
    let mut rng = Rng::new(1, 0);
    let camera = camera().pixels(1200, 1000);
    let f = camera.scale();
    let mut worst: f64 = 0.0;
    for _ in 0..30 {
        let r = rng.range(0.05, 0.8);
        let mesh = Mesh::of(&Shape::sphere(r).unwrap(), 128);
        let at = rng.vector(0.8);
        let item = Item { mesh: &mesh, pose: Pose::new(at, rng.quat()), id: 0 };
        let view = camera.to_view(at);
        let (d, z) = (view.length_squared(), view.z * view.z);
        let area = std::f64::consts::PI * (f * r).powi(2) * (d - r * r).sqrt() / (z - r * r).powf(1.5);
        let edge = 2.0 * (std::f64::consts::PI * area).sqrt();
        let found = f64::from(counts(&camera, &[item], 1)[0]);
        worst = worst.max((found - area).abs() / edge);
        // without perspective it is a circle
        let flat = Camera { projection: Projection::Orthographic { height: 4.0 }, ..camera };
        let area = std::f64::consts::PI * (flat.scale() * r).powi(2);
        let edge = 2.0 * (std::f64::consts::PI * area).sqrt();
        worst = worst.max((f64::from(counts(&flat, &[item], 1)[0]) - area).abs() / edge);
    }
    println!("{worst} pixels per pixel of edge");
    // the smallest are some ten pixels wide
    assert!(worst < 0.2, "{worst} pixels per pixel of edge");
}

#[test]
fn boxes_have_the_area_of_their_polygon() {
    let mut rng = Rng::new(2, 0);
    let mut worst: f64 = 0.0;
    for k in 0..60 {
        let camera = if k % 2 == 0 { camera() } else { camera().orthographic(5.0) };
        let size = DVec3::new(rng.range(0.1, 1.5), rng.range(0.1, 1.5), rng.range(0.1, 1.5));
        let mesh = Mesh::of(&Shape::cuboid(size).unwrap(), 3);
        let pose = Pose::new(rng.vector(0.7), rng.quat());
        let corners =
            mesh.finest().corners().iter().map(|c| camera.to_pixels(camera.to_view(pose.point(*c))));
        let (area, edge) = hull(corners.collect());
        let found = f64::from(counts(&camera, &[Item { mesh: &mesh, pose, id: 0 }], 1)[0]);
        worst = worst.max((found - area).abs() / edge);
    }
    println!("{worst} pixels per pixel of edge");
    assert!(worst < 0.1, "{worst} pixels per pixel of edge");
}

/// Triangles around a point: a pixel belongs to one of them, also where its centre is on an edge.
#[test]
fn neighbours_neither_overlap_nor_leave_cracks() {
    let mut rng = Rng::new(3, 0);
    for round in 0..200 {
        let camera = camera().orthographic(4.8).pixels(64, 48);
        // ten pixels per metre; every other round the corners are on centres of pixels
        let place = |rng: &mut Rng, size: f64| {
            let p = rng.vector(size).with_y(0.0);
            if round % 2 == 0 { p } else { ((10.0 * p).round() + 0.5 * DVec3::ONE).with_y(0.0) / 10.0 }
        };
        let n = 3 + round % 9;
        let mut around: Vec<DVec3> = (0..n).map(|_| place(&mut rng, 2.0)).collect();
        let centre = place(&mut rng, 0.2);
        around.sort_by(|a, b| {
            let angle = |p: &DVec3| (p.z - centre.z).atan2(p.x - centre.x);
            angle(a).total_cmp(&angle(b))
        });
        let mut triangles = Vec::new();
        for k in 0..n {
            let (a, b) = (around[k], around[(k + 1) % n]);
            // where the fan is a fan
            if (a - centre).cross(b - centre).y < -1e-9 {
                triangles.push(Mesh::of(&Shape::mesh(vec![centre, a, b], vec![[0, 1, 2]]).unwrap(), 3));
            }
        }
        let items: Vec<_> = triangles.iter().map(|mesh| Item { mesh, pose: Pose::IDENTITY, id: 0 }).collect();
        let together = counts(&camera, &items, 1)[0];
        let alone: u32 = items.iter().map(|i| counts(&camera, &[*i], 1)[0]).sum();
        assert_eq!(together, alone, "round {round}: an overlap");
        // pixels whose centre is in a triangle or on an edge within the fan
        let mut expected = 0;
        for y in 0..48 {
            for x in 0..64 {
                let p = DVec3::new(0.1 * (f64::from(x) + 0.5) - 3.2, 0.0, 2.4 - 0.1 * (f64::from(y) + 0.5));
                let side = |a: DVec3, b: DVec3| -(b - a).cross(p - a).y;
                let holds = |m: &Mesh| {
                    let [a, b, c]: [DVec3; 3] = m.finest().corners().try_into().unwrap();
                    // edges to the centre are inner ones, the outer one is left out
                    side(a, b) > -1e-9 && side(c, a) > -1e-9 && side(b, c) > 1e-9
                };
                expected += u32::from(triangles.iter().filter(|m| holds(m)).count() > 0);
            }
        }
        if triangles.len() == n {
            assert!(together >= expected, "round {round}: a crack, {together} of {expected}");
        }
    }
}

#[test]
fn what_is_nearer_hides() {
    let ball = Mesh::of(&Shape::sphere(0.5).unwrap(), 32);
    let wall = Mesh::of(&Shape::cuboid(DVec3::new(4.0, 0.1, 4.0)).unwrap(), 3);
    for camera in [camera(), camera().orthographic(6.0)] {
        let ball = |x: f64, id| Item { mesh: &ball, pose: Pose::from_xyz(x, 0.0, 0.0), id };
        let wall = |x: f64, y: f64, id| Item { mesh: &wall, pose: Pose::from_xyz(x, y, 0.0), id };
        let free = counts(&camera, &[ball(0.0, 0)], 1)[0];
        assert!(free > 500);
        // its own size in front of a wall, nothing behind it, half of it behind a wall that ends there
        assert_eq!(counts(&camera, &[wall(0.0, 1.0, 1), ball(0.0, 0)], 2)[0], free);
        assert_eq!(counts(&camera, &[ball(0.0, 0), wall(0.0, -1.0, 1)], 2)[0], 0);
        let half = counts(&camera, &[ball(0.0, 0), wall(2.0, -1.0, 7)], 1);
        assert_eq!(half.len(), 1, "ids from {} on hide but are not counted", half.len());
        assert!(f64::from(half[0] * 2).max(1.0) / f64::from(free) - 1.0 < 0.05, "{half:?} of {free}");
        // the order of things does not matter
        let scene = [ball(-0.3, 0), ball(0.3, 1), wall(0.0, 0.2, 2)];
        let backward: Vec<_> = scene.iter().rev().copied().collect();
        assert_eq!(counts(&camera, &scene, 3), counts(&camera, &backward, 3));
        assert_eq!(counts(&camera, &[ball(-0.3, 0), ball(0.3, 0)], 1)[0], {
            let both = counts(&camera, &[ball(-0.3, 0), ball(0.3, 1)], 2);
            both[0] + both[1]
        });
    }
}

/// A floor from under one's feet to the horizon: a pixel shows it if its ray goes down. Seen from above and from below.
#[test]
fn the_near_plane_cuts_a_floor() {
    let floor = Mesh::of(&Shape::half_space(), 3);
    let item = Item { mesh: &floor, pose: Pose::IDENTITY, id: 0 };
    for (height, tilt, near) in [(1.5, -0.3, 0.01), (1.5, -1.2, 0.5), (0.3, 0.1, 1e-9), (-2.0, 0.2, 0.01)] {
        let eye = DVec3::new(3.0, -2.0, height);
        let camera = Camera { near, ..Camera::look_at(eye, eye + DVec3::new(0.1, 1.0, tilt), DVec3::Z) };
        let mut buffer = ItemBuffer::new();
        buffer.count(&camera, &[item], 1, &mut Vec::new()).unwrap();
        let (axes, scale) = (camera.axes(), camera.scale());
        let mut shown = 0;
        for (k, id) in buffer.image().iter().enumerate() {
            let (x, y) = ((k % 640) as f64 + 0.5, (k / 640) as f64 + 0.5);
            let ray = axes.transpose() * DVec3::new((x - 320.0) / scale, (240.0 - y) / scale, 1.0);
            // where it is hit, in depths
            let depth = -height / ray.z;
            if depth.abs() < 3000.0 && (depth - near).abs() > 1e-6 {
                let expected = if depth > near { 0 } else { NOTHING };
                assert_eq!(*id, expected, "pixel {x}, {y}, depth {depth}, height {height}");
                shown += u32::from(expected == 0);
            }
        }
        assert!(shown > 10_000);
    }
}

#[test]
fn what_is_not_in_the_image_is_not_there() {
    let ball = Mesh::of(&Shape::sphere(0.5).unwrap(), 16);
    for camera in [camera(), camera().orthographic(3.0)] {
        for at in [
            DVec3::new(0.0, -9.0, 0.0),
            DVec3::new(0.0, -5.6, 0.0),
            50.0 * DVec3::X,
            -50.0 * DVec3::X,
            50.0 * DVec3::Z,
            -50.0 * DVec3::Z,
            DVec3::new(1e9, 1e9, 0.0),
        ] {
            let item = Item { mesh: &ball, pose: Pose::from_translation(at), id: 0 };
            assert_eq!(counts(&camera, &[item], 1)[0], 0, "{at}");
        }
        // partly in it
        let whole = counts(&camera, &[Item { mesh: &ball, pose: Pose::IDENTITY, id: 0 }], 1)[0];
        let edge = camera.to_view(DVec3::ZERO).z * 320.0 / camera.scale();
        let edge = if matches!(camera.projection, Projection::Orthographic { .. }) { 2.0 } else { edge };
        let item = Item { mesh: &ball, pose: Pose::from_xyz(edge, 0.0, 0.0), id: 0 };
        let part = counts(&camera, &[item], 1)[0];
        assert!(part > whole / 3 && part < 2 * whole / 3, "{part} of {whole}");
    }
    let mut counts = vec![7; 9];
    ItemBuffer::new().count(&camera(), &[], 3, &mut counts).unwrap();
    assert_eq!(counts, [0; 3]);
}

fn meshes() -> Vec<Mesh> {
    [
        Shape::sphere(0.4).unwrap(),
        Shape::capsule(-0.5 * DVec3::X, 0.5 * DVec3::X, 0.15).unwrap(),
        Shape::cuboid(DVec3::new(0.3, 0.6, 0.9)).unwrap(),
        Shape::cone(0.8, 0.4).unwrap(),
        Shape::mesh(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]).unwrap(),
    ]
    .iter()
    .map(|s| Mesh::of(s, 12))
    .collect()
}

fn scene<'a>(rng: &mut Rng, meshes: &'a [Mesh], n: usize, size: f64) -> Vec<Item<'a>> {
    let item = |k: usize, rng: &mut Rng| Item {
        mesh: &meshes[k % meshes.len()],
        pose: Pose::new(rng.vector(size), rng.quat()),
        id: k as u32,
    };
    (0..n).map(|k| item(k, rng)).collect()
}

/// The image of many is made of the images of each, wherever the near plane cuts them and however often they fill the image.
#[test]
fn an_image_is_made_of_those_of_its_items() {
    let (mut rng, meshes) = (Rng::new(4, 0), meshes());
    for (n, size, pixels) in [(60, 2.5, 200), (60, 5.5, 200), (400, 0.5, 16)] {
        for flat in [false, true] {
            let mut camera = camera().pixels(pixels, pixels);
            if size < 1.0 {
                // amid them: they need more memory than is kept
                camera.position = DVec3::new(0.0, -0.8, 0.0);
            }
            if flat {
                camera = camera.orthographic(3.0);
            }
            let items = scene(&mut rng, &meshes, n, size);
            let mut all = ItemBuffer::new();
            all.count(&camera, &items, n, &mut Vec::new()).unwrap();
            let mut ids = vec![NOTHING; (pixels * pixels) as usize];
            let mut depths = vec![f32::NEG_INFINITY; ids.len()];
            for item in &items {
                let mut one = ItemBuffer::new();
                one.count(&camera, &[*item], 0, &mut Vec::new()).unwrap();
                for (k, d) in one.depths().iter().enumerate() {
                    if *d > depths[k] {
                        (ids[k], depths[k]) = (item.id, *d);
                    }
                }
            }
            assert!(ids.iter().filter(|id| **id != NOTHING).count() > 30);
            assert!(all.image() == ids && all.depths() == depths, "{n} items within {size} m");
        }
    }
}

/// Things move, come, go and change places; the camera moves; the image is that of a buffer that never saw the ones before. With all
/// threads, too.
#[test]
fn what_is_drawn_again_is_what_is_drawn_anew() {
    let meshes = meshes();
    for seed in 0..12 {
        let mut rng = Rng::new(seed, 0);
        let coarse = 1 + seed as u32 % 3;
        let mut camera = camera().pixels(301, 203);
        let mut items = scene(&mut rng, &meshes, 80, 2.5);
        let mut buffers = [false, true].map(|p| ItemBuffer::new().coarser(coarse).parallel(p));
        for round in 0..40 {
            let mut anew = ItemBuffer::new().coarser(coarse);
            let mut expected = Vec::new();
            let ids = 40 + 5 * (round / 10);
            anew.count(&camera, &items, ids, &mut expected).unwrap();
            for buffer in &mut buffers {
                let mut counts = Vec::new();
                buffer.count(&camera, &items, ids, &mut counts).unwrap();
                assert_eq!(counts, expected, "seed {seed}, round {round}");
                let same = buffer.image() == anew.image() && buffer.depths() == anew.depths();
                assert!(same, "seed {seed}, round {round}: another image");
            }
            match rng.below(8) {
                0 => camera.position += 0.2 * rng.vector(1.0),
                1 => items.truncate(60),
                2 => items.extend(scene(&mut rng, &meshes, 10, 2.0)),
                3 => items.swap(3, 17),
                4 => items[5].id = rng.below(40) as u32,
                5 => {}
                _ => {
                    // toward the camera, too: sprites grow
                    let n = items.len();
                    for _ in 0..1 + rng.below(6) {
                        let k = rng.below(n);
                        items[k].pose = Pose::new(rng.vector(4.8), rng.quat());
                    }
                }
            }
        }
    }
}

#[test]
fn a_coarser_image_counts_the_same_pixels() {
    let meshes = meshes();
    let items = scene(&mut Rng::new(5, 0), &meshes, 20, 1.5);
    let camera = camera().pixels(1283, 727);
    let fine = counts(&camera, &items, 20);
    let mut coarse = Vec::new();
    let mut buffer = ItemBuffer::new().coarser(4);
    buffer.count(&camera, &items, 20, &mut coarse).unwrap();
    assert_eq!(buffer.size(), [321, 182]);
    assert_eq!(buffer.ids().unwrap().len(), 321 * 182);
    for (a, b) in fine.iter().zip(&coarse) {
        // an error of half a coarse pixel per edge at most
        let edge = 2.0 * (std::f64::consts::PI * f64::from(*a)).sqrt();
        assert!((f64::from(*a) - f64::from(*b)).abs() <= 2.0 * edge + 16.0, "{a} {b}");
    }
}

#[test]
fn what_cannot_be_drawn_says_so_and_spoils_nothing() {
    let ball = Mesh::of(&Shape::sphere(0.5).unwrap(), 16);
    let good = Item { mesh: &ball, pose: Pose::IDENTITY, id: 0 };
    let mut buffer = ItemBuffer::new();
    let mut counts = Vec::new();
    buffer.count(&camera(), &[good], 1, &mut counts).unwrap();
    let before = counts.clone();
    let lost = Item { pose: Pose::from_xyz(f64::NAN, 0.0, 0.0), id: 3, ..good };
    let e = buffer.count(&camera(), &[good, lost], 1, &mut counts);
    assert_eq!(e, Err(RasterError::Pose { item: 1, id: 3 }));
    let e = buffer.count(&camera(), &[Item { id: NOTHING, ..good }], 1, &mut counts);
    assert_eq!(e, Err(RasterError::Id { item: 0 }));
    let e = buffer.count(&camera().pixels(0, 9), &[good], 1, &mut counts);
    assert!(matches!(e, Err(RasterError::Camera(_))));
    buffer.count(&camera(), &[good], 1, &mut counts).unwrap();
    assert_eq!(counts, before);
}
