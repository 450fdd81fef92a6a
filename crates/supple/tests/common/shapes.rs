//! Random shapes.

use glam::DVec3;
use supple::constraint::Frame;
use supple::contact::Shape;

use super::Rng;

/// How many kinds of shapes there are; the solid ones come first, the last is without end.
pub const KINDS: usize = 11;
/// Kinds that have an inside, and mass.
pub const SOLID: usize = 8;

/// A shape of a kind, its lengths given by `length`.
pub fn shape(rng: &mut Rng, kind: usize, length: &mut dyn FnMut(&mut Rng) -> f64) -> Shape {
    let made = match kind {
        0 => Shape::sphere(length(rng)),
        1 => Shape::cuboid(DVec3::new(length(rng), length(rng), length(rng))),
        2 => {
            let along = rng.vector(1.0).normalize_or_zero() * length(rng);
            Shape::capsule(-along, if rng.chance(0.1) { -along } else { along }, length(rng))
        }
        3 => Shape::cylinder(length(rng), length(rng)),
        4 => Shape::cone(length(rng), length(rng)),
        5 => {
            let size = length(rng);
            let points: Vec<DVec3> = (0..4 + rng.below(20)).map(|_| rng.vector(size)).collect();
            // points that are nearly in a plane are refused
            Shape::hull(&points).or_else(|_| Shape::sphere(size))
        }
        6 => {
            let parts: Vec<(Frame, Shape)> = (0..1 + rng.below(3))
                .map(|_| {
                    let kind = rng.below(6);
                    let part = shape(rng, kind, length);
                    let size = length(rng);
                    (Frame::from(rng.pose(size)), part)
                })
                .collect();
            Shape::compound(parts)
        }
        7 => {
            let (corners, triangles) = l_shape(length(rng));
            Shape::decompose(&corners, &triangles, 8)
        }
        8 => {
            let (corners, triangles) = l_shape(length(rng));
            Shape::mesh(corners, triangles)
        }
        9 => {
            let (rows, columns) = (2 + rng.below(5), 2 + rng.below(5));
            let heights: Vec<f64> = (0..rows * columns).map(|_| 0.3 * length(rng)).collect();
            Shape::height_field(&heights, rows, columns, [length(rng), length(rng)])
        }
        _ => Ok(Shape::half_space()),
    };
    made.expect("lengths are good ones")
}

/// A closed mesh in the shape of an L: the box from 0 to `size` without its far quarter in x and y.
pub fn l_shape(size: f64) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let outline = [(0.0, 0.0), (1.0, 0.0), (1.0, 0.5), (0.5, 0.5), (0.5, 1.0), (0.0, 1.0)];
    let level = |z: f64| outline.iter().map(move |(x, y)| size * DVec3::new(*x, *y, z));
    let corners: Vec<DVec3> = level(0.0).chain(level(1.0)).collect();
    let lid = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]];
    let bottom = lid.iter().map(|t| [t[0], t[2], t[1]]);
    let top = lid.iter().map(|t| t.map(|c| c + 6));
    let sides = (0..6).flat_map(|i| {
        let j = (i + 1) % 6;
        [[i, j, j + 6], [i, j + 6, i + 6]]
    });
    let triangles = bottom.chain(top).chain(sides).collect();
    (corners, triangles)
}
