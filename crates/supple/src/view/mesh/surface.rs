//! Triangles of a shape.

use std::collections::HashMap;
use std::f64::consts::{PI, TAU};

use glam::DVec3;
use parry3d_f64::shape::{Ball, Capsule, Cone, Cylinder, Shape as Parry, TypedShape};

use crate::shape::Shape;
use crate::shape::is_closed;
use crate::spatial::math;

/// Corners and triangles.
type Surface = (Vec<DVec3>, Vec<[u32; 3]>);

/// Where the square of a half-space is cut \[m]. Triangles near the origin are small: single precision, on a graphics processor,
/// places a corner 10 km away to a millimetre only.
const CUTS: [f64; 9] = [-1e4, -1e3, -1e2, -1e1, 0.0, 1e1, 1e2, 1e3, 1e4];

/// The surface of a shape, in its own axes.
pub(super) fn of(shape: &Shape, sides: u32) -> Surface {
    let (corners, triangles) = typed(&**shape.parry(), sides);
    let frame = shape.axes();
    welded((corners.into_iter().map(|c| frame.point(c)).collect(), triangles))
}

/// Greatest radius of what is round in a shape \[m].
pub(super) fn round(shape: &Shape) -> f64 {
    fn of(shape: &dyn Parry) -> f64 {
        match shape.as_typed_shape() {
            TypedShape::Ball(s) => s.radius,
            TypedShape::Capsule(s) => s.radius,
            TypedShape::Cylinder(s) => s.radius,
            TypedShape::Cone(s) => s.radius,
            TypedShape::Compound(s) => s.shapes().iter().map(|(_, part)| of(&**part)).fold(0.0, f64::max),
            _ => 0.0,
        }
    }
    of(&**shape.parry())
}

/// How far the mesh of a ball of radius 1 is from it.
pub(super) fn deviation(sides: u32) -> f64 {
    let corner = wide_enough(2.0 * TAU, |r| Ball::new(r).to_trimesh(sides, rings(sides))).0[0].length();
    // the middle of the largest face
    let half = |n: u32| math::cos(PI / f64::from(n));
    (corner - 1.0).max(1.0 - corner * half(sides) * half(2 * rings(sides)))
}

/// Faces from pole to pole; halves meet at the equator.
fn rings(sides: u32) -> u32 {
    (sides / 2).next_multiple_of(2).max(4)
}

/// The mesh of something round and convex with a factor on its radius, so that it has the surface of what is round. Then its image has
/// the area of the round one's, on average over all directions: a quarter of the surface (Cauchy).
fn wide_enough(surface: f64, mesh: impl Fn(f64) -> Surface) -> Surface {
    let mut factor = 1.0;
    for _ in 0..8 {
        let (corners, triangles) = mesh(factor);
        let area = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|c| corners[c as usize]);
            0.5 * (b - a).cross(c - a).length()
        };
        // between a disc, whose surface grows with its square, and a rod
        factor *= math::pow(surface / triangles.iter().map(area).sum::<f64>(), 0.7);
    }
    mesh(factor)
}

/// The mesh of a shape in the collision library's axes.
fn typed(shape: &dyn Parry, sides: u32) -> Surface {
    let rings = rings(sides);
    match shape.as_typed_shape() {
        TypedShape::Cuboid(s) => s.to_trimesh(),
        TypedShape::Ball(s) => {
            wide_enough(2.0 * TAU * s.radius * s.radius, |f| Ball::new(f * s.radius).to_trimesh(sides, rings))
        }
        TypedShape::Capsule(s) => {
            let (r, [a, b]) = (s.radius, [s.segment.a, s.segment.b]);
            wide_enough(TAU * r * (2.0 * r + a.distance(b)), |f| {
                Capsule::new(a, b, f * r).to_trimesh(sides, rings)
            })
        }
        TypedShape::Cylinder(s) => {
            let (r, h) = (s.radius, s.half_height);
            wide_enough(TAU * r * (r + 2.0 * h), |f| Cylinder::new(h, f * r).to_trimesh(sides))
        }
        TypedShape::Cone(s) => {
            let (r, h) = (s.radius, s.half_height);
            wide_enough(PI * r * (r + math::hypot(r, 2.0 * h)), |f| Cone::new(h, f * r).to_trimesh(sides))
        }
        TypedShape::ConvexPolyhedron(s) => s.to_trimesh(),
        TypedShape::HeightField(s) => s.to_trimesh(),
        TypedShape::TriMesh(s) => outward((s.vertices().to_vec(), s.indices().to_vec())),
        TypedShape::HalfSpace(s) => square(s.normal),
        TypedShape::Compound(s) => {
            let mut all: Surface = (Vec::new(), Vec::new());
            for (pose, part) in s.shapes() {
                let (corners, triangles) = typed(&**part, sides);
                let first = all.0.len() as u32;
                all.0.extend(corners.into_iter().map(|c| pose.transform_point(c)));
                all.1.extend(triangles.into_iter().map(|t| t.map(|c| c + first)));
            }
            all
        }
        // none of the shapes that can be made here
        _ => {
            let aabb = shape.compute_local_aabb();
            aabb.to_trimesh()
        }
    }
}

/// A square across `normal`.
fn square(normal: DVec3) -> Surface {
    let (u, v) = normal.any_orthonormal_pair();
    let n = CUTS.len() as u32;
    let corners = CUTS.iter().flat_map(|y| CUTS.iter().map(move |x| *x * u + *y * v)).collect();
    let mut triangles = Vec::new();
    for row in 0..n - 1 {
        for column in 0..n - 1 {
            let a = row * n + column;
            triangles.extend([[a, a + 1, a + n + 1], [a, a + n + 1, a + n]]);
        }
    }
    (corners, triangles)
}

/// A closed surface turned inside out is turned back.
fn outward((corners, mut triangles): Surface) -> Surface {
    let volume = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|c| corners[c as usize] - corners[0]);
        a.dot(b.cross(c))
    };
    if is_closed(&corners, &triangles) && triangles.iter().map(volume).sum::<f64>() < 0.0 {
        triangles.iter_mut().for_each(|t| t.swap(1, 2));
    }
    (corners, triangles)
}

/// Corners at the same place become one, triangles without area go.
fn welded((corners, triangles): Surface) -> Surface {
    let mut numbers = HashMap::new();
    let mut kept = Vec::new();
    let renumbered: Vec<u32> = corners
        .iter()
        .map(|c| {
            *numbers.entry(c.to_array().map(|x| (x + 0.0).to_bits())).or_insert_with(|| {
                kept.push(*c);
                kept.len() as u32 - 1
            })
        })
        .collect();
    let mut triangles: Vec<_> = triangles.iter().map(|t| t.map(|c| renumbered[c as usize])).collect();
    triangles.retain(|[a, b, c]| a != b && b != c && c != a);
    (kept, triangles)
}
