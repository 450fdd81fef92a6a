//! Shapes by their numbers. Axes of revolution are along z.

use std::collections::BTreeMap;

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use supple::constraint::Frame;
use supple::contact::parry::shape::{HeightField, TypedShape};
use supple::contact::{MadeOf, Shape};

use super::PrintError;
use super::body::check_place;
use super::fault::{At, Fault};
use crate::place::Place;

/// A shape.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ShapeFile {
    /// A ball about the origin.
    Sphere {
        /// \[m]
        radius: f64,
    },
    /// A box about the origin.
    Box {
        /// Three edges \[m].
        size: [f64; 3],
    },
    /// All points within `radius` of a segment.
    Capsule {
        /// \[m]
        from: [f64; 3],
        /// \[m]
        to: [f64; 3],
        /// \[m]
        radius: f64,
    },
    /// From −height/2 to height/2 along z.
    Cylinder {
        /// \[m]
        height: f64,
        /// \[m]
        radius: f64,
    },
    /// From −height/2 to its tip at height/2 along z.
    Cone {
        /// \[m]
        height: f64,
        /// \[m]
        radius: f64,
    },
    /// The convex hull of points.
    Hull {
        /// \[m]
        points: Vec<[f64; 3]>,
    },
    /// Shapes that are one.
    Compound {
        /// Convex ones that come before it in the list.
        parts: Vec<Part>,
    },
    /// A surface of triangles.
    Mesh {
        /// \[m]
        corners: Vec<[f64; 3]>,
        /// Counter-clockwise from outside.
        triangles: Vec<[u32; 3]>,
    },
    /// A closed mesh, not convex, as convex pieces.
    Pieces {
        /// \[m]
        corners: Vec<[f64; 3]>,
        /// Counter-clockwise from outside.
        triangles: Vec<[u32; 3]>,
        /// How many cells its longest edge is cut into to find them.
        #[serde(default = "fineness")]
        fineness: u32,
    },
    /// Ground over a rectangle about the origin, along z.
    HeightField {
        /// Row by row \[m].
        heights: Vec<f64>,
        /// Along y.
        rows: usize,
        /// Along x.
        columns: usize,
        /// \[m]
        size: [f64; 2],
    },
    /// All below z = 0.
    HalfSpace,
}

/// A part of a compound.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Where it is.
    #[serde(default)]
    pub frame: Place,
    /// Number of its shape.
    pub shape: usize,
}

const fn fineness() -> u32 {
    64
}

/// All shapes of a file that is being written; those that are shared are there once.
#[derive(Debug, Default)]
pub(crate) struct Shapes {
    pub(crate) list: Vec<ShapeFile>,
    /// By where parry has them, and where they are in their own axes.
    known: BTreeMap<(usize, [u64; 3]), usize>,
}

impl Shapes {
    /// The number of a shape, which is written if it is new.
    pub(crate) fn number(&mut self, shape: &Shape) -> Result<usize, PrintError> {
        let place = shape.axes().position.to_array().map(f64::to_bits);
        let key = (std::ptr::from_ref(shape.parry().0.as_ref()).cast::<()>() as usize, place);
        if let Some(number) = self.known.get(&key) {
            return Ok(*number);
        }
        let written = self.write(shape)?;
        self.list.push(written);
        self.known.insert(key, self.list.len() - 1);
        Ok(self.list.len() - 1)
    }

    fn write(&mut self, shape: &Shape) -> Result<ShapeFile, PrintError> {
        match shape.made_of() {
            Some(MadeOf::Hull(points)) => return Ok(ShapeFile::Hull { points: arrays(points) }),
            Some(MadeOf::Compound(parts)) => {
                let part = |(frame, shape): &(Frame, Shape)| {
                    Ok(Part { frame: (*frame).into(), shape: self.number(shape)? })
                };
                return Ok(ShapeFile::Compound { parts: parts.iter().map(part).collect::<Result<_, _>>()? });
            }
            Some(MadeOf::Pieces { corners, triangles, fineness }) => {
                let (corners, triangles) = (arrays(corners), triangles.clone());
                return Ok(ShapeFile::Pieces { corners, triangles, fineness: *fineness });
            }
            None => {}
        }
        let at = shape.axes().position;
        Ok(match shape.parry().as_typed_shape() {
            // a capsule without length
            TypedShape::Ball(ball) if at != DVec3::ZERO => {
                ShapeFile::Capsule { from: at.to_array(), to: at.to_array(), radius: ball.radius }
            }
            TypedShape::Ball(ball) => ShapeFile::Sphere { radius: ball.radius },
            TypedShape::Cuboid(cuboid) => ShapeFile::Box { size: (2.0 * cuboid.half_extents).to_array() },
            TypedShape::Capsule(capsule) => ShapeFile::Capsule {
                from: capsule.segment.a.to_array(),
                to: capsule.segment.b.to_array(),
                radius: capsule.radius,
            },
            TypedShape::Cylinder(it) => {
                ShapeFile::Cylinder { height: 2.0 * it.half_height, radius: it.radius }
            }
            TypedShape::Cone(it) => ShapeFile::Cone { height: 2.0 * it.half_height, radius: it.radius },
            TypedShape::TriMesh(mesh) => {
                ShapeFile::Mesh { corners: arrays(mesh.vertices()), triangles: mesh.indices().to_vec() }
            }
            TypedShape::HeightField(field) => height_field(field),
            TypedShape::HalfSpace(_) => ShapeFile::HalfSpace,
            _ => return Err(PrintError::Shape { kind: shape.name().to_owned() }),
        })
    }
}

fn arrays(points: &[DVec3]) -> Vec<[f64; 3]> {
    points.iter().map(|p| p.to_array()).collect()
}

fn vectors(points: &[[f64; 3]]) -> Vec<DVec3> {
    points.iter().map(|p| DVec3::from(*p)).collect()
}

/// Parry's rows are along its z, which is −y here.
fn height_field(field: &HeightField) -> ShapeFile {
    let grid = field.heights();
    let (rows, columns, scale) = (grid.nrows(), grid.ncols(), field.scale());
    let height = |row: usize, column: usize| scale.y * grid[(rows - 1 - row, column)];
    let heights = (0..rows).flat_map(|row| (0..columns).map(move |column| height(row, column)));
    ShapeFile::HeightField { heights: heights.collect(), rows, columns, size: [scale.x, scale.z] }
}

/// The shapes of a file, each of which may have those before it as parts.
pub(crate) fn read(list: &[ShapeFile], at: &At) -> Result<Vec<Shape>, Fault> {
    let mut shapes: Vec<Shape> = Vec::with_capacity(list.len());
    for (i, file) in list.iter().enumerate() {
        let at = at.item(i);
        let shape = one(file, &shapes, &at)?;
        shapes.push(shape);
    }
    Ok(shapes)
}

fn one(file: &ShapeFile, before: &[Shape], at: &At) -> Result<Shape, Fault> {
    let made = match file {
        ShapeFile::Sphere { radius } => Shape::sphere(*radius),
        ShapeFile::Box { size } => Shape::cuboid(DVec3::from(*size)),
        ShapeFile::Capsule { from, to, radius } => {
            Shape::capsule(DVec3::from(*from), DVec3::from(*to), *radius)
        }
        ShapeFile::Cylinder { height, radius } => Shape::cylinder(*height, *radius),
        ShapeFile::Cone { height, radius } => Shape::cone(*height, *radius),
        ShapeFile::Hull { points } => Shape::hull(&vectors(points)),
        ShapeFile::Compound { parts } => {
            let mut all = Vec::with_capacity(parts.len());
            for (k, part) in parts.iter().enumerate() {
                let at = at.key("parts").item(k);
                check_place(&at.key("frame"), &part.frame)?;
                all.push((Frame::from(part.frame), find(part.shape, before, &at.key("shape"))?));
            }
            Shape::compound(all)
        }
        ShapeFile::Mesh { corners, triangles } => Shape::mesh(vectors(corners), triangles.clone()),
        ShapeFile::Pieces { corners, triangles, fineness } => {
            Shape::decompose(&vectors(corners), triangles, *fineness)
        }
        ShapeFile::HeightField { heights, rows, columns, size } => {
            Shape::height_field(heights, *rows, *columns, *size)
        }
        ShapeFile::HalfSpace => Ok(Shape::half_space()),
    };
    made.map_err(|error| at.wrong(error))
}

/// The shape of this number.
pub(crate) fn find(number: usize, shapes: &[Shape], at: &At) -> Result<Shape, Fault> {
    shapes.get(number).cloned().ok_or_else(|| match shapes.len() {
        0 => at.wrong(format!("there is no shape {number}: no shape comes before")),
        count => at.wrong(format!("there is no shape {number} so far: numbers go up to {}", count - 1)),
    })
}
