/// Why a model cannot be made. Every message names the thing, the value, its unit and what to do.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// There is nothing to simulate.
    #[error("the model has no bodies: add at least one")]
    Empty,
    /// More bodies than 32-bit ids can name.
    #[error("the model has {count} bodies, more than the {limit} that ids can name")]
    TooMany {
        /// Bodies given.
        count: usize,
        /// Bodies possible.
        limit: usize,
    },
    /// Two bodies or two joints share a name.
    #[error("{what} {name:?} is defined twice: names must be unique, rename one")]
    DuplicateName {
        /// "body" or "joint".
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A name is the empty string.
    #[error("{what} number {index} has an empty name: give it a unique one")]
    EmptyName {
        /// "body" or "joint".
        what: &'static str,
        /// Its position in the list given.
        index: usize,
    },
    /// A parent that does not exist.
    #[error("body {body:?} is on body {parent:?}, which does not exist{hint}")]
    UnknownParent {
        /// The body.
        body: String,
        /// The parent it names.
        parent: String,
        /// A near name, if there is one.
        hint: String,
    },
    /// Bodies that carry each other in a circle.
    #[error(
        "bodies carry each other in a circle: {path}; cut one joint (closed loops are constraints, not joints)"
    )]
    Cycle {
        /// The circle, names joined by arrows.
        path: String,
    },
    /// More than one body hangs on the world.
    #[error(
        "bodies {first:?} and {second:?} are both roots: an articulated body has one; join them or build two models"
    )]
    SeveralRoots {
        /// One of them.
        first: String,
        /// Another.
        second: String,
    },
    /// A NaN or an infinity.
    #[error("{what}: {field} must be finite, got {value}")]
    NotFinite {
        /// The body or joint.
        what: String,
        /// Which number.
        field: &'static str,
        /// Its value.
        value: f64,
    },
    /// A number that must not be negative.
    #[error("{what}: {field} must not be negative, got {value} {unit}")]
    Negative {
        /// The body or joint.
        what: String,
        /// Which number.
        field: &'static str,
        /// Its value.
        value: f64,
        /// Its unit.
        unit: &'static str,
    },
    /// A placement or frame whose matrix is no rotation.
    #[error(
        "{what}: the {field} is not a rotation (off by {error:.1e}): use an orthonormal right-handed matrix"
    )]
    NotARotation {
        /// The body.
        what: String,
        /// Which pose.
        field: &'static str,
        /// Largest entry of RᵀR − 1.
        error: f64,
    },
    /// A mass or a first moment without the other.
    #[error(
        "body {body:?}: mass is 0 kg but the {field} is not zero ({value}): a massless body has no inertia"
    )]
    InertiaWithoutMass {
        /// The body.
        body: String,
        /// What is not zero.
        field: &'static str,
        /// Its value.
        value: f64,
    },
    /// Principal moments below zero.
    #[error(
        "body {body:?}: inertia about the centre of mass is not positive semidefinite: smallest principal moment {moment:.3e} kg·m²"
    )]
    InertiaNotPositive {
        /// The body.
        body: String,
        /// The offending principal moment.
        moment: f64,
    },
    /// Principal moments that no mass distribution has.
    #[error(
        "body {body:?}: principal moments {moments:?} kg·m² violate the triangle inequality (no mass distribution has them): each must be at most the sum of the other two"
    )]
    InertiaTriangle {
        /// The body.
        body: String,
        /// The principal moments, ascending.
        moments: [f64; 3],
    },
    /// An axis without direction.
    #[error("joint {joint:?}: the axis is zero: give it a direction")]
    ZeroAxis {
        /// The joint.
        joint: String,
    },
    /// Universal axes along one line.
    #[error("joint {joint:?}: the two axes are parallel: a universal joint needs two directions")]
    ParallelAxes {
        /// The joint.
        joint: String,
    },
    /// Lower limit above the upper.
    #[error("joint {joint:?}: limits are crossed: lower {lower} is above upper {upper} (rad or m)")]
    CrossedLimits {
        /// The joint.
        joint: String,
        /// Lower limit.
        lower: f64,
        /// Upper limit.
        upper: f64,
    },
    /// A limit where none can be.
    #[error("joint {joint:?}: {kind} joints take no limits here: {advice}")]
    LimitRefused {
        /// The joint.
        joint: String,
        /// Its kind.
        kind: &'static str,
        /// What to do.
        advice: &'static str,
    },
    /// Lists of the wrong length.
    #[error("joint {joint:?}: {field} has {got} entries where a {kind} joint needs {need}")]
    WrongLength {
        /// The joint.
        joint: String,
        /// Which list.
        field: &'static str,
        /// Its length.
        got: usize,
        /// The joint's kind.
        kind: &'static str,
        /// The length needed.
        need: usize,
    },
    /// A compound joint with none or too many degrees of freedom.
    #[error("joint {joint:?}: a compound joint has 1 to 6 degrees of freedom, got {dofs}")]
    CompoundSize {
        /// The joint.
        joint: String,
        /// Degrees of freedom given.
        dofs: usize,
    },
    /// A quaternion that is not near unit length.
    #[error("joint {joint:?}: rest quaternion has length {length}: give one of length 1")]
    RestNotUnit {
        /// The joint.
        joint: String,
        /// Its length.
        length: f64,
    },
    /// A joint that moves no inertia.
    #[error(
        "joint {joint:?} moves body {body:?}, but nothing beyond it resists that motion (articulated inertia {inertia:.1e} kg·m² or kg): give the last bodies mass and inertia, give the joint armature, or make it fixed"
    )]
    MasslessMotion {
        /// The joint.
        joint: String,
        /// Its body.
        body: String,
        /// Articulated inertia about the joint.
        inertia: f64,
    },
}
