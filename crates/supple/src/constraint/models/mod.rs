//! Joint models: what each one allows, in the axes of the parent's joint frame. Those with an axis have it along z.

mod ball;
mod cylindrical;
mod distance;
mod hinge;
mod on_circle;
mod plane_to_plane;
mod point_on_line;
mod point_on_plane;
mod prismatic;
mod rigid;
mod universal;

pub use ball::Ball;
pub use cylindrical::Cylindrical;
pub use distance::{Distance, Rope};
pub use hinge::Hinge;
/// The twist joint of Weinstein et al. (figure 9): a hinge whose axis passes through the faces that meet. A matter of
/// where the joint frames are, not another joint.
pub use hinge::Hinge as Twist;
pub use on_circle::OnCircle;
pub use plane_to_plane::PlaneToPlane;
/// The joint of the magnets on a refrigerator (Weinstein et al., figure 1): slides and twists in the plane.
pub use plane_to_plane::PlaneToPlane as PlanarTwist;
pub use point_on_line::PointOnLine;
pub use point_on_plane::PointOnPlane;
pub use prismatic::Prismatic;
pub use rigid::Rigid;
pub use universal::Universal;
