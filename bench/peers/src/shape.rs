//! Shapes and colliders in Rapier.

use std::f64::consts::FRAC_PI_2;

use anyhow::{Context, Result};
use rapier3d_f64::parry::utils::Array2;
use rapier3d_f64::prelude::*;

use crate::world::{self, Frame, Shape};

/// All shapes of a world, and where Rapier's axes are in ours.
pub fn shapes(list: &[Shape]) -> Result<Vec<(Pose, SharedShape)>> {
    let mut made: Vec<(Pose, SharedShape)> = Vec::new();
    for (number, shape) in list.iter().enumerate() {
        let it = make(shape, &made).with_context(|| format!("shape {number}"))?;
        made.push(it);
    }
    Ok(made)
}

/// A collider as Rapier has it; mass is the body's own.
pub fn collider(collider: &world::Collider, shapes: &[(Pose, SharedShape)]) -> ColliderBuilder {
    let (axes, shape) = &shapes[collider.shape];
    let groups = InteractionGroups::new(
        Group::from_bits_retain(collider.member),
        Group::from_bits_retain(collider.touches),
        InteractionTestMode::And,
    );
    ColliderBuilder::new(shape.clone())
        .position(pose(&collider.frame) * *axes)
        .density(0.0)
        .friction(collider.friction)
        .friction_combine_rule(CoefficientCombineRule::GeometricMean)
        .restitution(collider.restitution)
        .restitution_combine_rule(CoefficientCombineRule::Max)
        .collision_groups(groups)
        .sensor(collider.sensor)
}

pub fn pose(frame: &Frame) -> Pose {
    Pose::from_parts(Vector::from(frame.position), Rotation::from_array(frame.rotation).normalize())
}

/// Parts of a compound come before it.
fn make(shape: &Shape, made: &[(Pose, SharedShape)]) -> Result<(Pose, SharedShape)> {
    // Rapier's y becomes z
    let standing = Pose::from_rotation(Rotation::from_rotation_x(FRAC_PI_2));
    let lying = Pose::IDENTITY;
    let points = |list: &[[f64; 3]]| list.iter().map(|p| Vector::from(*p)).collect::<Vec<_>>();
    Ok(match shape {
        Shape::Sphere { radius } => (lying, SharedShape::ball(*radius)),
        Shape::Box { size: [x, y, z] } => (lying, SharedShape::cuboid(0.5 * x, 0.5 * y, 0.5 * z)),
        Shape::Capsule { from, to, radius } => {
            (lying, SharedShape::capsule(Vector::from(*from), Vector::from(*to), *radius))
        }
        Shape::Cylinder { height, radius } => (standing, SharedShape::cylinder(0.5 * height, *radius)),
        Shape::Cone { height, radius } => (standing, SharedShape::cone(0.5 * height, *radius)),
        Shape::Hull { points: list } => {
            (lying, SharedShape::convex_hull(&points(list)).context("points without a convex hull")?)
        }
        Shape::Compound { parts } => {
            let part = |part: &world::Part| {
                let (axes, shape) = made.get(part.shape).context("a part that comes later")?;
                Ok((pose(&part.frame) * *axes, shape.clone()))
            };
            (lying, SharedShape::compound(parts.iter().map(part).collect::<Result<Vec<_>>>()?))
        }
        Shape::Mesh { corners, triangles } => {
            (lying, SharedShape::trimesh(points(corners), triangles.clone()).context("a bad mesh")?)
        }
        Shape::HeightField { heights, rows, columns, size } => {
            // Rapier's rows are along its z, which is −y here, and its arrays go column by column
            let of = |row: usize, column: usize| heights[(rows - 1 - row) * columns + column];
            let grid = (0..*columns).flat_map(|c| (0..*rows).map(move |r| of(r, c))).collect();
            let grid = Array2::new(*rows, *columns, grid);
            (standing, SharedShape::heightfield(grid, Vector::new(size[0], 1.0, size[1])))
        }
        Shape::HalfSpace => (lying, SharedShape::halfspace(Vector::Z)),
    })
}
