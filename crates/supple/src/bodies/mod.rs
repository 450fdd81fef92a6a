//! What moves, as constraints and contacts see it: impulses go in, velocities come out. Nothing here knows who pushes.
//!
//! ```text
//!  body_ref, slots   who it is: ids that never name what took another's place;   node: what an impulse acts on
//!  single            a rigid body that is no part of an articulation
//!  articulations     those that are coupled to other things by colliders or constraints, and those that are alone
//!  articulated       a coupled one: a simulation, its ports, and its answer to impulses
//!    answers         what its ports answer;   apart: it is moved out of what it penetrates;   ledger: what it may store on contact
//!  sleep, motion_history   whether something sleeps, and how it has moved lately
//! ```

pub(crate) mod answers;
mod articulated;
mod articulations;
mod body_ref;
mod motion_history;
mod node;
mod single;
mod sleep;
mod slots;
mod tumble;

pub(crate) use articulated::Articulated;
pub(crate) use articulations::Articulations;
pub use body_ref::BodyRef;
pub(crate) use motion_history::Seen;
pub(crate) use node::Node;
pub use single::SingleBody;
pub(crate) use single::{Moving, Tension};
pub(crate) use sleep::Sleep;
pub use slots::Id;
pub(crate) use slots::Slots;

/// A single body of a world.
pub type SingleId = Id<SingleBody>;
/// An articulation of a world.
pub type ArticulationId = Id<ArticulationMark>;

/// What [`ArticulationId`] is an id of.
#[derive(Clone, Debug)]
pub enum ArticulationMark {}
