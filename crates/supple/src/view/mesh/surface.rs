//! Triangles of a shape.

use std::collections::HashMap;

use glam::DVec3;
use parry3d_f64::shape::{Shape as Parry, TypedShape};

use crate::contact::Shape;
use crate::contact::shape::is_closed;

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

/// The same in the collision library's axes.
fn typed(shape: &dyn Parry, sides: u32) -> Surface {
    // halves meet at the equator
    let rings = (sides / 2).next_multiple_of(2).max(4);
    match shape.as_typed_shape() {
        TypedShape::Ball(s) => s.to_trimesh(sides, rings),
        TypedShape::Cuboid(s) => s.to_trimesh(),
        TypedShape::Capsule(s) => s.to_trimesh(sides, rings),
        TypedShape::Cylinder(s) => s.to_trimesh(sides),
        TypedShape::Cone(s) => s.to_trimesh(sides),
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
