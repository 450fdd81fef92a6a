//! Shapes by their numbers. Axes of revolution are along z, as in supple; parry's are along y.

use std::collections::BTreeMap;
use std::f64::consts::FRAC_PI_2;

use anyhow::{Result, bail};
use glam::{DQuat, DVec3};
use serde::{Serialize, Serializer};
use supple::constraint::Frame;
use supple::contact::parry::math::Pose3;
use supple::contact::parry::shape::{HeightField, SharedShape, TypedShape};

use super::Place;

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
enum Shape {
    Sphere { radius: f64 },
    Box { size: [f64; 3] },
    Capsule { from: [f64; 3], to: [f64; 3], radius: f64 },
    Cylinder { height: f64, radius: f64 },
    Cone { height: f64, radius: f64 },
    Hull { points: Vec<[f64; 3]> },
    Compound { parts: Vec<Part> },
    Mesh { corners: Vec<[f64; 3]>, triangles: Vec<[u32; 3]> },
    HeightField { heights: Vec<f64>, rows: usize, columns: usize, size: [f64; 2] },
    HalfSpace,
}

#[derive(Serialize)]
struct Part {
    frame: Place,
    /// Number of its shape.
    shape: usize,
}

/// All shapes of a file; those that colliders share are there once.
#[derive(Default)]
pub(crate) struct Shapes {
    list: Vec<Shape>,
    /// By where parry has them.
    known: BTreeMap<usize, usize>,
}

impl Serialize for Shapes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.list.serialize(serializer)
    }
}

/// Where a shape of parry is as a shape of the file, and the number of that.
pub(super) fn placed(at: Frame, shape: &SharedShape, shapes: &mut Shapes) -> Result<(Frame, usize)> {
    let frame = match shape.as_typed_shape() {
        // y becomes z
        TypedShape::Cylinder(_) | TypedShape::Cone(_) | TypedShape::HeightField(_) => {
            at * turned(DQuat::from_rotation_x(-FRAC_PI_2))
        }
        TypedShape::HalfSpace(half) => at * turned(DQuat::from_rotation_arc(DVec3::Z, half.normal)),
        _ => at,
    };
    let key = std::ptr::from_ref(shape.0.as_ref()).cast::<()>() as usize;
    if let Some(number) = shapes.known.get(&key) {
        return Ok((frame, *number));
    }
    let written = write(shape, shapes)?;
    shapes.list.push(written);
    let number = shapes.list.len() - 1;
    shapes.known.insert(key, number);
    Ok((frame, number))
}

fn turned(rotation: DQuat) -> Frame {
    Frame { position: DVec3::ZERO, rotation }
}

fn write(shape: &SharedShape, shapes: &mut Shapes) -> Result<Shape> {
    Ok(match shape.as_typed_shape() {
        TypedShape::Ball(ball) => Shape::Sphere { radius: ball.radius },
        TypedShape::Cuboid(cuboid) => Shape::Box { size: (2.0 * cuboid.half_extents).to_array() },
        TypedShape::Capsule(capsule) => Shape::Capsule {
            from: capsule.segment.a.to_array(),
            to: capsule.segment.b.to_array(),
            radius: capsule.radius,
        },
        TypedShape::Cylinder(it) => Shape::Cylinder { height: 2.0 * it.half_height, radius: it.radius },
        TypedShape::Cone(it) => Shape::Cone { height: 2.0 * it.half_height, radius: it.radius },
        TypedShape::ConvexPolyhedron(hull) => Shape::Hull { points: arrays(hull.points()) },
        TypedShape::TriMesh(mesh) => {
            Shape::Mesh { corners: arrays(mesh.vertices()), triangles: mesh.indices().to_vec() }
        }
        TypedShape::HeightField(field) => height_field(field),
        TypedShape::HalfSpace(_) => Shape::HalfSpace,
        TypedShape::Compound(compound) => {
            let mut parts = Vec::new();
            for (pose, part) in compound.shapes() {
                let (frame, shape) = placed(of_parry(pose), part, shapes)?;
                parts.push(Part { frame: frame.into(), shape });
            }
            Shape::Compound { parts }
        }
        _ => bail!("a {:?} cannot be written: a file has no such shape", shape.shape_type()),
    })
}

fn of_parry(pose: &Pose3) -> Frame {
    Frame { position: pose.translation, rotation: pose.rotation }
}

fn arrays(points: &[DVec3]) -> Vec<[f64; 3]> {
    points.iter().map(|p| p.to_array()).collect()
}

/// Parry's rows are along its z, which is −y here.
fn height_field(field: &HeightField) -> Shape {
    let grid = field.heights();
    let (rows, columns, scale) = (grid.nrows(), grid.ncols(), field.scale());
    let height = |row: usize, column: usize| scale.y * grid[(rows - 1 - row, column)];
    let heights = (0..rows).flat_map(|row| (0..columns).map(move |column| height(row, column)));
    Shape::HeightField { heights: heights.collect(), rows, columns, size: [scale.x, scale.z] }
}
