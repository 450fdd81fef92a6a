//! Surfaces of shapes with normals: smooth where they are round, with edges where there are edges.

use std::collections::HashMap;

use glam::{DVec3, Vec3};
use supple::view::Level;

/// Faces that meet at less than this are one smooth surface: cosine of 50°.
const SMOOTH: f64 = 0.643;

/// Triangles with a normal at each corner.
#[derive(Clone, Debug, Default)]
pub(crate) struct Surface {
    /// Corners, in the shape's frame \[m].
    pub(crate) positions: Vec<Vec3>,
    /// Their unit normals.
    pub(crate) normals: Vec<Vec3>,
    /// Three corners each, counter-clockwise seen from outside.
    pub(crate) triangles: Vec<[u32; 3]>,
}

impl Surface {
    /// The surface of a level of a mesh. Triangles without area are left out.
    pub(crate) fn of(level: &Level) -> Self {
        let corners = level.corners();
        let normal = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|i| corners[i as usize]);
            (b - a).cross(c - a)
        };
        // twice the area along the normal: large faces count more where several meet
        let faces: Vec<([u32; 3], DVec3)> = level.triangles().iter().map(|t| (*t, normal(t))).collect();
        let faces: Vec<_> = faces.into_iter().filter(|(_, n)| n.length() > 0.0 && n.is_finite()).collect();
        let mut around: Vec<Vec<u32>> = vec![Vec::new(); corners.len()];
        for (f, (triangle, _)) in faces.iter().enumerate() {
            triangle.iter().for_each(|c| around[*c as usize].push(f as u32));
        }
        let mut surface = Self::default();
        let mut known: HashMap<(u32, [u32; 3]), u32> = HashMap::new();
        for (triangle, face) in &faces {
            let own = face.normalize();
            surface.triangles.push(triangle.map(|corner| {
                let near = around[corner as usize].iter().map(|f| faces[*f as usize].1);
                let near = near.filter(|n| n.normalize().dot(own) > SMOOTH);
                let normal = near.sum::<DVec3>().normalize_or(own).as_vec3();
                *known.entry((corner, normal.to_array().map(f32::to_bits))).or_insert_with(|| {
                    surface.positions.push(corners[corner as usize].as_vec3());
                    surface.normals.push(normal);
                    surface.positions.len() as u32 - 1
                })
            }));
        }
        surface
    }

    /// A square in the plane z = 0 of so many metres.
    pub(crate) fn square(edge: f32) -> Self {
        let half = 0.5 * edge;
        let corner = |x: f32, y: f32| Vec3::new(half * x, half * y, 0.0);
        Self {
            positions: vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)],
            normals: vec![Vec3::Z; 4],
            triangles: vec![[0, 1, 2], [0, 2, 3]],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use supple::contact::Shape;
    use supple::view::Mesh;

    #[test]
    fn balls_are_smooth_and_boxes_have_edges() {
        let ball = Shape::sphere(1.0).unwrap_or_else(|e| panic!("{e}"));
        let ball = Surface::of(Mesh::of(&ball, 16).finest());
        for (p, n) in ball.positions.iter().zip(&ball.normals) {
            assert!(p.normalize().dot(*n) > 0.99, "{p} {n}");
        }
        let cube = Shape::cuboid(DVec3::ONE).unwrap_or_else(|e| panic!("{e}"));
        let cube = Surface::of(Mesh::of(&cube, 16).finest());
        assert_eq!((cube.positions.len(), cube.triangles.len()), (24, 12));
        assert!(cube.normals.iter().all(|n| n.abs().max_element() > 0.999));
    }
}
