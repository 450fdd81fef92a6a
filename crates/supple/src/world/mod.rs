//! One world: articulations, single bodies, and constraints that push on them with impulses.
//!
//! ```
//! use glam::DVec3;
//! use supple::constraint::{Ball, Constraint, Frame};
//! use supple::world::{BodyRef, SingleBody, World};
//! use supple::RigidInertia;
//!
//! let mut world = World::new();
//! let bob = RigidInertia::solid_sphere(1.0, 0.1, DVec3::ZERO);
//! let bob = world.add_body(SingleBody::new("bob", bob).at(Frame::at(DVec3::X)))?;
//! world.add(Constraint::new(Ball, BodyRef::World, bob).child_frame(Frame::at(-DVec3::X)))?;
//! for _ in 0..60 {
//!     world.step(1.0 / 60.0)?;
//! }
//! assert!((world.frame(bob)?.position.length() - 1.0).abs() < 1e-7);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A scene in maximal coordinates is one in which every body is single and every joint a constraint; a scene in reduced coordinates
//! has no constraints; most are something of both.

mod a_posteriori;
mod assemble;
mod balance;
mod checks;
mod colliders;
mod connect;
mod contacts;
mod contents;
mod continuous;
mod entry;
mod error;
mod event;
mod fall_asleep;
mod fast_after_impact;
mod hits;
mod hold;
mod impact;
mod kin;
mod measures;
mod overlaps;
mod push;
mod queries;
mod query_filter;
mod report;
mod rows;
mod schedule;
mod screen;
mod settings;
mod settle;
mod sleep;
mod solve_contacts;
mod step;
mod times;
mod twin;

use std::collections::BTreeMap;

use glam::DVec3;

use crate::bodies::{Articulated, Articulations, Moving, Slots};
use crate::constraint::Frame;
use crate::constraint::holder::{AnyConstraint, Holder, Holders};
use crate::constraint::island::Island;
use crate::model::{BodyId, Model};

pub use crate::bodies::{ArticulationId, ArticulationMark, BodyRef, Id, SingleBody, SingleId};
pub use crate::constraint::{ConstraintId, ConstraintMark, GREATEST_TURN, Solver};
pub use crate::contact::{ColliderId, ColliderMark, ContactMethod, ContactSettings};
pub use a_posteriori::{APosteriori, CheckError, Checked};
pub use assemble::{Assembly, AssemblyReport};
pub use contacts::Contact;
pub(crate) use contacts::Contacts;
pub use error::{Failure, WorldError};
pub use event::Event;
pub use hits::{PointHit, RayHit, ShapeHit};
use hold::Holding;
pub use measures::Momenta;
pub use overlaps::Overlap;
pub use query_filter::{Predicate, QueryFilter};
pub use report::WorldReport;
pub use schedule::Cue;
use schedule::Schedule;
pub use settings::Settings;
pub use times::Times;
pub use twin::Twin;

/// How much of what the solver knows is of the present world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Known {
    /// Nothing: bodies or constraints came or went.
    Nothing,
    /// Who hangs together with whom.
    Islands,
    /// Rows and matrices too.
    Rows,
}

/// Articulations, single bodies and constraints in motion. A clone is a snapshot: it goes on with the same bits.
#[derive(Clone, Debug)]
pub struct World {
    /// Acceleration of gravity \[m/s²], for all.
    pub gravity: DVec3,
    /// Share of their momenta that single bodies lose to the air per second \[1/s]; articulations have dampers of their own.
    pub drag: f64,
    /// How constraints are held.
    pub settings: Settings,
    singles: Slots<SingleBody>,
    articulations: Articulations,
    constraints: Holders,
    time: f64,
    steps: u64,
    last_dt: f64,
    islands: Vec<Island>,
    /// Islands by single body, and by articulation, where they are in one.
    island_of: [Vec<Option<u32>>; 2],
    /// Single bodies that no constraint holds.
    loose: Vec<u32>,
    known: Known,
    events: Vec<Event>,
    /// Single bodies before the step, to go back to.
    saved: Vec<(Moving, Option<Frame>, bool)>,
    /// Time, number and length of the step before.
    before: (f64, u64, f64),
    /// What is left of the present step \[s].
    left: f64,
    /// Single bodies as the islands know them.
    signatures: Vec<(bool, DVec3)>,
    /// Colliders and where they touch.
    contacts: Contacts,
    /// Who steps, and with how many joints.
    schedule: Schedule,
    /// What cannot take the present step.
    holding: Holding,
    /// Gravity of articulations that have one of their own \[m/s²].
    gravity_of: BTreeMap<ArticulationId, DVec3>,
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

impl World {
    /// Nothing but gravity along −z.
    pub fn new() -> Self {
        Self {
            gravity: DVec3::new(0.0, 0.0, -9.81),
            drag: 0.0,
            settings: Settings::default(),
            singles: Slots::default(),
            articulations: Articulations::default(),
            constraints: Slots::default(),
            time: 0.0,
            steps: 0,
            last_dt: 0.0,
            islands: Vec::new(),
            island_of: Default::default(),
            loose: Vec::new(),
            known: Known::Nothing,
            events: Vec::new(),
            saved: Vec::new(),
            before: (0.0, 0, 0.0),
            left: 0.0,
            signatures: Vec::new(),
            contacts: Contacts::default(),
            schedule: Schedule::default(),
            holding: Holding::default(),
            gravity_of: BTreeMap::new(),
        }
    }

    /// Time \[s].
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Steps taken.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// What happened in the last step.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// All of it, to go back to: the motion from there has the same bits.
    pub fn snapshot(&self) -> Self {
        self.clone()
    }

    /// Goes back to a snapshot.
    pub fn restore(&mut self, snapshot: &Self) {
        self.clone_from(snapshot);
    }

    /// The frame of any body.
    pub fn frame(&self, body: impl Into<BodyRef>) -> Result<Frame, WorldError> {
        match body.into() {
            BodyRef::World => Ok(Frame::IDENTITY),
            BodyRef::Single(id) => Ok(self.body(id)?.frame()),
            BodyRef::Of(id, body) => {
                let simulation = self.articulation(id)?;
                check_body(&simulation.model, body)?;
                Ok(simulation.pose_of(body).into())
            }
        }
    }

    /// The joint frame J of a constraint: its child's side as seen from its parent's.
    pub fn joint_frame(&self, id: ConstraintId) -> Result<Frame, WorldError> {
        match &self.holder(id)?.constraint {
            AnyConstraint::Joint(c) => {
                let parent = self.frame(c.parent)? * c.parent_frame;
                Ok(parent.inverse() * (self.frame(c.child)? * c.child_frame))
            }
            AnyConstraint::Coupling(_) => Ok(Frame::IDENTITY),
        }
    }

    /// Value of a free coordinate of a constraint \[rad or m].
    pub fn coordinate(&self, id: ConstraintId, coordinate: usize) -> Result<f64, WorldError> {
        let frame = self.joint_frame(id)?;
        let mut coordinates = crate::constraint::Coordinates::default();
        let Some(constraint) = self.constraint(id)? else { return Ok(0.0) };
        constraint.model.coordinates(frame, &mut coordinates);
        coordinates.get(coordinate).map(|c| c.value).ok_or_else(|| WorldError::NoCoordinate {
            name: self.called(constraint, id.index()),
            coordinate,
            count: coordinates.len(),
        })
    }
}

fn check_body(model: &Model, body: BodyId) -> Result<(), WorldError> {
    if body.index() < model.bodies().len() {
        return Ok(());
    }
    Err(WorldError::Gone { what: "body of an articulation", index: body.index() })
}
