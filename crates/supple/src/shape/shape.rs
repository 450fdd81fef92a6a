use std::sync::Arc;

use glam::DVec3;
use parry3d_f64::math::Pose3;
use parry3d_f64::shape::{HeightField, ShapeType, SharedShape};
use parry3d_f64::transformation::vhacd::VHACDParameters;
use parry3d_f64::utils::Array2;

use super::ShapeError;
use crate::spatial::{Frame, RigidInertia, Sym3, rotation};

/// Longest length of a shape \[m]: beyond, squares of distances leave little of a millimetre.
const LONGEST: f64 = 1e9;

/// Shortest axis of a capsule, as a share of its radius.
const SHORT: f64 = 1e-9;

/// The shape of a body or of a part of it. Cheap to clone: copies share what it is made of. Axes of revolution are along z, height fields
/// rise along z.
#[derive(Clone)]
pub struct Shape {
    parry: SharedShape,
    /// Where the axes of parry's shape are.
    frame: Frame,
    name: &'static str,
    made_of: Option<Arc<MadeOf>>,
}

/// What a shape was made of, where the collision library's shape does not tell: made of that again, it is the same to the bit.
#[derive(Clone, Debug)]
pub enum MadeOf {
    /// [`Shape::hull`] of these points.
    Hull(Vec<DVec3>),
    /// [`Shape::compound`] of these parts.
    Compound(Vec<(Frame, Shape)>),
    /// [`Shape::decompose`] of this mesh.
    Pieces {
        /// Its corners \[m].
        corners: Vec<DVec3>,
        /// Its triangles.
        triangles: Vec<[u32; 3]>,
        /// How finely it was cut.
        fineness: u32,
    },
}

impl std::fmt::Debug for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shape").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Shape {
    fn new(name: &'static str, parry: SharedShape) -> Self {
        Self { parry, frame: Frame::IDENTITY, name, made_of: None }
    }

    /// Parry's y becomes z.
    fn standing(name: &'static str, parry: SharedShape) -> Self {
        let rotation = rotation::about_x(std::f64::consts::FRAC_PI_2);
        Self { parry, frame: Frame { position: DVec3::ZERO, rotation }, name, made_of: None }
    }

    fn made_of_these(self, made_of: MadeOf) -> Self {
        Self { made_of: Some(Arc::new(made_of)), ..self }
    }

    /// A ball about the origin.
    pub fn sphere(radius: f64) -> Result<Self, ShapeError> {
        let radius = length("sphere", "radius", radius)?;
        Ok(Self::new("sphere", SharedShape::ball(radius)))
    }

    /// A box about the origin, by its edges \[m].
    pub fn cuboid(size: DVec3) -> Result<Self, ShapeError> {
        for (what, x) in [("edge along x", size.x), ("edge along y", size.y), ("edge along z", size.z)] {
            length("box", what, x)?;
        }
        Ok(Self::new("box", SharedShape::cuboid(0.5 * size.x, 0.5 * size.y, 0.5 * size.z)))
    }

    /// All points within `radius` of a segment.
    pub fn capsule(from: DVec3, to: DVec3, radius: f64) -> Result<Self, ShapeError> {
        let radius = length("capsule", "radius", radius)?;
        points("capsule", &[from, to])?;
        if (to - from).length() <= SHORT * radius {
            // too short to have a direction
            let mut sphere = Self::sphere(radius)?;
            sphere.frame.position = 0.5 * (from + to);
            return Ok(sphere);
        }
        Ok(Self::new("capsule", SharedShape::capsule(from, to, radius)))
    }

    /// A cylinder along z, from −height/2 to height/2.
    pub fn cylinder(height: f64, radius: f64) -> Result<Self, ShapeError> {
        let height = length("cylinder", "height", height)?;
        let radius = length("cylinder", "radius", radius)?;
        Ok(Self::standing("cylinder", SharedShape::cylinder(0.5 * height, radius)))
    }

    /// A cone along z with its base at −height/2 and its tip at height/2.
    pub fn cone(height: f64, radius: f64) -> Result<Self, ShapeError> {
        let height = length("cone", "height", height)?;
        let radius = length("cone", "radius", radius)?;
        Ok(Self::standing("cone", SharedShape::cone(0.5 * height, radius)))
    }

    /// The convex hull of points.
    pub fn hull(of: &[DVec3]) -> Result<Self, ShapeError> {
        points("convex hull", of)?;
        solid("convex hull", of)?;
        let hull = SharedShape::convex_hull(of);
        let flat = ShapeError::Flat { shape: "convex hull", count: of.len() };
        Ok(Self::new("convex hull", hull.ok_or(flat)?).made_of_these(MadeOf::Hull(of.to_vec())))
    }

    /// Shapes that are one.
    pub fn compound(parts: impl IntoIterator<Item = (Frame, Self)>) -> Result<Self, ShapeError> {
        let (mut all, mut given) = (Vec::new(), Vec::new());
        for (index, (frame, part)) in parts.into_iter().enumerate() {
            if points("compound", &[frame.position]).is_err() {
                return Err(ShapeError::NotFinite { shape: "compound", index });
            }
            let length = frame.rotation.length();
            if !((length - 1.0).abs() < 1e-5) {
                return Err(ShapeError::NotUnit { index, length });
            }
            let whole = part.parry.is_convex() && part.parry.shape_type() != ShapeType::HalfSpace;
            if !whole && part.parry.shape_type() != ShapeType::Compound {
                return Err(ShapeError::NoPart { index, part: part.name });
            }
            given.push((frame, part.clone()));
            let frame = frame * part.frame;
            match part.parry.as_compound() {
                Some(compound) => {
                    all.extend(
                        compound.shapes().iter().map(|(pose, s)| (to_parry(frame) * *pose, s.clone())),
                    );
                }
                None => all.push((to_parry(frame), part.parry)),
            }
        }
        if all.is_empty() {
            return Err(ShapeError::Empty { shape: "compound" });
        }
        Ok(Self::new("compound", SharedShape::compound(all)).made_of_these(MadeOf::Compound(given)))
    }

    /// A surface of triangles, their corners counter-clockwise seen from outside. It has no inside: for bodies that move,
    /// [`Shape::decompose`] is faster and safer.
    pub fn mesh(corners: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Result<Self, ShapeError> {
        mesh("triangle mesh", &corners, &triangles)?;
        let mesh = SharedShape::trimesh(corners, triangles);
        let why = |e: parry3d_f64::shape::TriMeshBuilderError| ShapeError::Refused {
            shape: "triangle mesh",
            why: e.to_string(),
        };
        Ok(Self::new("triangle mesh", mesh.map_err(why)?))
    }

    /// A closed mesh, not convex, as convex pieces. `fineness` is how many cells the longest edge is cut into to find them; 64 is
    /// usual.
    pub fn decompose(corners: &[DVec3], triangles: &[[u32; 3]], fineness: u32) -> Result<Self, ShapeError> {
        mesh("convex decomposition", corners, triangles)?;
        solid("convex decomposition", corners)?;
        // all planes and all points: with some left out, pieces of an L are a tenth too large
        let parameters = VHACDParameters {
            resolution: fineness.clamp(8, 512),
            plane_downsampling: 1,
            convex_hull_downsampling: 1,
            ..VHACDParameters::default()
        };
        let parts = SharedShape::convex_decomposition_with_params(corners, triangles, &parameters);
        if parts.as_compound().is_none_or(|c| c.shapes().is_empty()) {
            return Err(ShapeError::Empty { shape: "convex decomposition" });
        }
        let (corners, triangles) = (corners.to_vec(), triangles.to_vec());
        Ok(Self::new("convex decomposition", parts).made_of_these(MadeOf::Pieces {
            corners,
            triangles,
            fineness,
        }))
    }

    /// Ground over a rectangle of `size` \[m] about the origin: heights along z \[m], `columns` along x for each of the `rows` along y.
    pub fn height_field(
        heights: &[f64],
        rows: usize,
        columns: usize,
        size: [f64; 2],
    ) -> Result<Self, ShapeError> {
        if rows < 2 || columns < 2 || rows.checked_mul(columns) != Some(heights.len()) {
            return Err(ShapeError::BadGrid { rows, columns, count: heights.len() });
        }
        if let Some(index) = heights.iter().position(|h| !(h.abs() <= LONGEST)) {
            return Err(ShapeError::NotFinite { shape: "height field", index });
        }
        let size = [
            length("height field", "size along x", size[0])?,
            length("height field", "size along y", size[1])?,
        ];
        // parry's rows are along its z, which is −y here
        let mut turned = Vec::with_capacity(heights.len());
        for column in 0..columns {
            turned.extend((0..rows).rev().map(|row| heights[row * columns + column]));
        }
        let field = HeightField::new(Array2::new(rows, columns, turned), DVec3::new(size[0], 1.0, size[1]));
        Ok(Self::standing("height field", SharedShape::new(field)))
    }

    /// All below z = 0.
    pub fn half_space() -> Self {
        Self::new("half-space", SharedShape::halfspace(DVec3::Z))
    }

    /// Whether it is a copy of the other.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        std::ptr::addr_eq(&raw const *self.parry.0, &raw const *other.parry.0) && self.frame == other.frame
    }

    /// What it is called.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Mass, centre of mass and inertia, if it is filled with so much \[kg/m³]. A mesh must be closed.
    pub fn inertia(&self, density: f64) -> Result<RigidInertia, ShapeError> {
        if !(density > 0.0 && density.is_finite()) {
            return Err(ShapeError::BadLength { shape: self.name, what: "density (kg/m³)", value: density });
        }
        let properties = self.parry.mass_properties(density);
        let mass = properties.mass();
        let inertia = properties.reconstruct_inertia_matrix();
        let of_body = RigidInertia::new(mass, properties.local_com, Sym3::symmetric_part(inertia));
        let no_mass = ShapeError::NoMass { shape: self.name };
        let closed = self.parry.as_trimesh().is_none_or(|mesh| is_closed(mesh.vertices(), mesh.indices()));
        let sound =
            closed && mass > 0.0 && of_body.is_finite() && of_body.inertia_com().inverse_positive().is_some();
        if !sound {
            return Err(no_mass);
        }
        Ok(of_body.transformed(&self.frame.pose()))
    }

    /// The collision library's shape, for queries of one's own, in the axes of [`Shape::axes`].
    pub fn parry(&self) -> &SharedShape {
        &self.parry
    }

    /// What it was made of, where the collision library's shape does not tell.
    pub fn made_of(&self) -> Option<&MadeOf> {
        self.made_of.as_deref()
    }

    /// Where the axes of the collision library's shape are in this one's.
    pub fn axes(&self) -> Frame {
        self.frame
    }
}

/// A frame as the collision library has it.
#[inline]
pub(crate) fn to_parry(frame: Frame) -> Pose3 {
    Pose3::from_parts(frame.position, frame.rotation)
}

fn length(shape: &'static str, what: &'static str, value: f64) -> Result<f64, ShapeError> {
    if value > 0.0 && value <= LONGEST {
        return Ok(value);
    }
    Err(ShapeError::BadLength { shape, what, value })
}

fn points(shape: &'static str, points: &[DVec3]) -> Result<(), ShapeError> {
    // the greatest of numbers would leave out a NaN
    let bad = |p: &DVec3| !p.to_array().iter().all(|x| x.abs() <= LONGEST);
    match points.iter().position(bad) {
        Some(index) => Err(ShapeError::NotFinite { shape, index }),
        None => Ok(()),
    }
}

/// Whether points are spread in all three directions.
fn solid(shape: &'static str, points: &[DVec3]) -> Result<(), ShapeError> {
    let flat = ShapeError::Flat { shape, count: points.len() };
    let Some(first) = points.first() else { return Err(flat) };
    let farthest = |f: &dyn Fn(DVec3) -> f64| {
        points.iter().map(|p| *p - *first).max_by(|a, b| f(*a).total_cmp(&f(*b))).unwrap_or_default()
    };
    let edge = farthest(&|p| p.length_squared());
    let side = farthest(&|p| edge.cross(p).length_squared());
    let normal = edge.cross(side);
    let depth = farthest(&|p| normal.dot(p).abs());
    let size = edge.length();
    // thinner than a ten-thousandth of its width is flat to the hull's arithmetic
    if normal.dot(depth).abs() > 1e-4 * normal.length() * size && normal.length() > 1e-4 * size * size {
        return Ok(());
    }
    Err(flat)
}

/// Whether every edge of a mesh has a triangle on either side. Corners are the same if their coordinates are.
pub(crate) fn is_closed(corners: &[DVec3], triangles: &[[u32; 3]]) -> bool {
    let bits = |c: u32| corners[c as usize].to_array().map(|x| (x + 0.0).to_bits());
    let mut edges: Vec<([[u64; 3]; 2], i32)> = Vec::with_capacity(3 * triangles.len());
    for t in triangles {
        for k in 0..3 {
            let (a, b) = (bits(t[k]), bits(t[(k + 1) % 3]));
            edges.push(if a < b { ([a, b], 1) } else { ([b, a], -1) });
        }
    }
    edges.sort_unstable();
    edges.chunk_by(|e, f| e.0 == f.0).all(|same| same.iter().map(|e| e.1).sum::<i32>() == 0)
}

fn mesh(shape: &'static str, corners: &[DVec3], triangles: &[[u32; 3]]) -> Result<(), ShapeError> {
    points(shape, corners)?;
    if triangles.is_empty() {
        return Err(ShapeError::Empty { shape });
    }
    for (triangle, t) in triangles.iter().enumerate() {
        if let Some(corner) = t.iter().find(|c| **c as usize >= corners.len()) {
            return Err(ShapeError::NoCorner { triangle, corner: *corner, count: corners.len() });
        }
    }
    Ok(())
}
