/// Why a shape cannot be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// A length that is not positive and finite.
    #[error("{what} of a {shape} is {value} m: it must be positive and finite")]
    BadLength {
        /// Which shape.
        shape: &'static str,
        /// Which of its lengths.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// A coordinate that is not a finite number.
    #[error("point {index} of a {shape} is not finite: check what it was read from")]
    NotFinite {
        /// Which shape.
        shape: &'static str,
        /// Number of the point.
        index: usize,
    },
    /// Too few points, or all of them in a plane.
    #[error("a {shape} of {count} points has no volume: give at least four that are not in one plane")]
    Flat {
        /// Which shape.
        shape: &'static str,
        /// How many there are.
        count: usize,
    },
    /// A triangle with a corner that is not there.
    #[error("triangle {triangle} has corner {corner}, there are {count} points: number them from 0")]
    NoCorner {
        /// Number of the triangle.
        triangle: usize,
        /// The corner.
        corner: u32,
        /// How many points there are.
        count: usize,
    },
    /// A shape without parts.
    #[error("a {shape} has no parts: give at least one")]
    Empty {
        /// Which shape.
        shape: &'static str,
    },
    /// A part that cannot be inside another shape.
    #[error("part {index} of a compound is a {part}, which cannot be a part: give it a collider of its own")]
    NoPart {
        /// Number of the part.
        index: usize,
        /// What it is.
        part: &'static str,
    },
    /// A part whose orientation is no rotation.
    #[error("the quaternion of part {index} of a compound has length {length}: it must be 1")]
    NotUnit {
        /// Number of the part.
        index: usize,
        /// Its length.
        length: f64,
    },
    /// Heights that do not fill the grid.
    #[error("a height field of {rows} × {columns} needs as many heights, at least 2 × 2, and has {count}")]
    BadGrid {
        /// Rows, along y.
        rows: usize,
        /// Columns, along x.
        columns: usize,
        /// How many heights were given.
        count: usize,
    },
    /// A shape that encloses no volume has no mass.
    #[error("a {shape} has no mass properties: give the body its inertia by hand")]
    NoMass {
        /// Which shape.
        shape: &'static str,
    },
    /// What the collision library says.
    #[error("a {shape} could not be made: {why}")]
    Refused {
        /// Which shape.
        shape: &'static str,
        /// In its words.
        why: String,
    },
}
