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

pub(crate) mod answers;
mod articulated;
mod assemble;
mod body_ref;
mod checks;
mod connect;
mod error;
mod event;
mod measures;
mod report;
mod settings;
mod single;
mod slots;
mod step;

use glam::DVec3;

use crate::Simulation;
use crate::constraint::island::Island;
use crate::constraint::{Action, Constraint, Coupling, Frame, JointModel, MAX_ROWS};
use crate::model::{BodyId, Model};
use crate::spatial::Force;

pub(crate) use articulated::Articulated;
pub use assemble::{Assembly, AssemblyReport, GREATEST_TURN};
pub use body_ref::BodyRef;
pub use error::WorldError;
pub use event::Event;
pub use measures::Momenta;
pub use report::WorldReport;
pub use settings::{Settings, Solver};
pub use single::SingleBody;
pub(crate) use single::{Moving, Tension};
pub use slots::Id;
pub(crate) use slots::Slots;

/// A single body of a world.
pub type SingleId = Id<SingleBody>;
/// An articulation of a world.
pub type ArticulationId = Id<ArticulationMark>;
/// A constraint of a world.
pub type ConstraintId = Id<ConstraintMark>;

/// What [`ArticulationId`] is an id of.
#[derive(Clone, Debug)]
pub enum ArticulationMark {}
/// What [`ConstraintId`] is an id of.
#[derive(Clone, Debug)]
pub enum ConstraintMark {}

/// The articulations of a world.
pub(crate) type Articulations = Slots<Articulated, ArticulationMark>;
/// The constraints of a world.
pub(crate) type Holders = Slots<Holder, ConstraintMark>;

/// A constraint and what it did in the last step.
#[derive(Clone, Debug)]
pub(crate) struct Holder {
    pub(crate) held: Held,
    /// How many rows it has.
    pub(crate) rows: usize,
    /// Whether it came, or was changed, since the islands were made.
    pub(crate) is_new: bool,
    /// Impulses of its rows with which the next step starts.
    pub(crate) start: [f64; MAX_ROWS],
    /// Whether they were those of a step that could be solved.
    pub(crate) solved: bool,
    /// Mean force and moment on the child in the last step, world axes, about the joint's point.
    pub(crate) force: Force,
}

/// What is held together.
#[derive(Clone, Debug)]
pub(crate) enum Held {
    Joint(Constraint),
    Coupling(Coupling),
}

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
    /// Single bodies that no constraint holds.
    loose: Vec<u32>,
    known: Known,
    events: Vec<Event>,
    /// Single bodies before the step, to go back to.
    saved: Vec<(Moving, Option<Frame>, bool)>,
    /// Time, number and length of the step before.
    before: (f64, u64, f64),
    /// Steps for which none is cut into halves.
    hopeless: u32,
    /// What is left of the present step \[s].
    left: f64,
    /// Single bodies as the islands know them.
    signatures: Vec<(bool, DVec3)>,
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
            articulations: Slots::default(),
            constraints: Slots::default(),
            time: 0.0,
            steps: 0,
            last_dt: 0.0,
            islands: Vec::new(),
            loose: Vec::new(),
            known: Known::Nothing,
            events: Vec::new(),
            saved: Vec::new(),
            before: (0.0, 0, 0.0),
            hopeless: 0,
            left: 0.0,
            signatures: Vec::new(),
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

    // --- single bodies ---

    /// Adds a single body.
    pub fn add_body(&mut self, body: SingleBody) -> Result<SingleId, WorldError> {
        checks::body(&body)?;
        self.known = Known::Nothing;
        Ok(self.singles.insert(body))
    }

    /// A single body.
    pub fn body(&self, id: SingleId) -> Result<&SingleBody, WorldError> {
        self.singles.get(id).ok_or(WorldError::Gone { what: "single body", index: id.index() })
    }

    /// A single body, to be changed: its place, its motion, its wrench.
    pub fn body_mut(&mut self, id: SingleId) -> Result<&mut SingleBody, WorldError> {
        self.known = self.known.min(Known::Islands);
        self.singles.get_mut(id).ok_or(WorldError::Gone { what: "single body", index: id.index() })
    }

    /// Sets the wrench on a single body (see [`SingleBody::wrench`]). Cheaper than through [`World::body_mut`], after which the rows of
    /// all constraints are worked out anew.
    pub fn set_wrench(&mut self, id: SingleId, wrench: Force) -> Result<(), WorldError> {
        let body =
            self.singles.get_mut(id).ok_or(WorldError::Gone { what: "single body", index: id.index() })?;
        body.wrench = wrench;
        Ok(())
    }

    /// All single bodies.
    pub fn bodies(&self) -> impl Iterator<Item = (SingleId, &SingleBody)> {
        self.singles.iter()
    }

    /// The first single body with this name.
    pub fn find_body(&self, name: &str) -> Option<SingleId> {
        self.singles.iter().find(|(_, body)| body.name == name).map(|(id, _)| id)
    }

    /// Takes a single body out, with the constraints on it.
    pub fn remove_body(&mut self, id: SingleId) -> Result<SingleBody, WorldError> {
        let body =
            self.singles.remove(id).ok_or(WorldError::Gone { what: "single body", index: id.index() })?;
        self.cut_all(|at| at == BodyRef::Single(id));
        Ok(body)
    }

    /// Where a kinematic body is to be at the end of the next step.
    pub fn move_to(&mut self, id: SingleId, frame: Frame) -> Result<(), WorldError> {
        let body =
            self.singles.get_mut(id).ok_or(WorldError::Gone { what: "single body", index: id.index() })?;
        body.goal = Some(frame);
        Ok(())
    }

    // --- articulations ---

    /// Adds an articulation. It takes the world's gravity.
    pub fn add_articulation(&mut self, simulation: Simulation) -> ArticulationId {
        self.known = Known::Nothing;
        self.articulations.insert(Articulated::new(simulation))
    }

    /// An articulation.
    pub fn articulation(&self, id: ArticulationId) -> Result<&Simulation, WorldError> {
        let found = self.articulations.get(id).map(|a| &a.simulation);
        found.ok_or(WorldError::Gone { what: "articulation", index: id.index() })
    }

    /// An articulation, to be changed.
    pub fn articulation_mut(&mut self, id: ArticulationId) -> Result<&mut Simulation, WorldError> {
        self.known = Known::Nothing;
        let found = self.articulations.get_mut(id).map(|a| &mut a.simulation);
        found.ok_or(WorldError::Gone { what: "articulation", index: id.index() })
    }

    /// All articulations.
    pub fn articulations(&self) -> impl Iterator<Item = (ArticulationId, &Simulation)> {
        self.articulations.iter().map(|(id, a)| (id, &a.simulation))
    }

    /// Takes an articulation out, with the constraints on it.
    pub fn remove_articulation(&mut self, id: ArticulationId) -> Result<Simulation, WorldError> {
        let gone = self.articulations.remove(id);
        let gone = gone.ok_or(WorldError::Gone { what: "articulation", index: id.index() })?;
        self.cut_all(|at| matches!(at, BodyRef::Of(of, _) if of == id));
        Ok(gone.simulation)
    }

    // --- constraints ---

    /// Adds a constraint between any two bodies.
    pub fn add(&mut self, constraint: Constraint) -> Result<ConstraintId, WorldError> {
        self.check_constraint(&constraint)?;
        Ok(self.hold(Held::Joint(constraint)))
    }

    /// Adds a constraint at a frame of the world, in which both bodies are as they are to be: the sides of the joint are set by that.
    pub fn join(
        &mut self,
        model: impl JointModel + 'static,
        parent: impl Into<BodyRef>,
        child: impl Into<BodyRef>,
        at: Frame,
    ) -> Result<ConstraintId, WorldError> {
        let (parent, child) = (parent.into(), child.into());
        let sides = [self.frame(parent)?, self.frame(child)?].map(|body| body.inverse() * at);
        self.add(Constraint::new(model, parent, child).parent_frame(sides[0]).child_frame(sides[1]))
    }

    /// Adds a coupling of joints.
    pub fn couple(&mut self, coupling: Coupling) -> Result<ConstraintId, WorldError> {
        self.check_coupling(&coupling)?;
        Ok(self.hold(Held::Coupling(coupling)))
    }

    fn hold(&mut self, held: Held) -> ConstraintId {
        self.known = Known::Nothing;
        let rows = match &held {
            Held::Joint(constraint) => connect::rows_of(constraint),
            Held::Coupling(_) => 1,
        };
        self.constraints.insert(Holder {
            held,
            rows,
            is_new: true,
            start: [0.0; MAX_ROWS],
            solved: false,
            force: Force::ZERO,
        })
    }

    /// A constraint; `None` for a coupling.
    pub fn constraint(&self, id: ConstraintId) -> Result<Option<&Constraint>, WorldError> {
        match &self.holder(id)?.held {
            Held::Joint(constraint) => Ok(Some(constraint)),
            Held::Coupling(_) => Ok(None),
        }
    }

    /// All constraints that are joints.
    pub fn constraints(&self) -> impl Iterator<Item = (ConstraintId, &Constraint)> {
        self.constraints.iter().filter_map(|(id, holder)| match &holder.held {
            Held::Joint(constraint) => Some((id, constraint)),
            Held::Coupling(_) => None,
        })
    }

    /// Changes a constraint: its actions, frames, bodies.
    pub fn change(&mut self, id: ConstraintId, constraint: Constraint) -> Result<(), WorldError> {
        self.holder(id)?;
        self.check_constraint(&constraint)?;
        let same = |a: &Constraint, b: &Constraint| {
            (a.parent, a.child, a.actions.len()) == (b.parent, b.child, b.actions.len())
                && (a.parent_frame, a.child_frame) == (b.parent_frame, b.child_frame)
                && std::sync::Arc::ptr_eq(&a.model, &b.model)
        };
        let holder =
            self.constraints.get_mut(id).ok_or(WorldError::Gone { what: "constraint", index: id.index() })?;
        let alike = matches!(&holder.held, Held::Joint(old) if same(old, &constraint));
        let rows = connect::rows_of(&constraint);
        if rows != holder.rows {
            (holder.is_new, holder.solved, holder.start) = (true, false, [0.0; MAX_ROWS]);
        }
        holder.rows = rows;
        holder.held = Held::Joint(constraint);
        self.known = self.known.min(if alike { Known::Islands } else { Known::Nothing });
        Ok(())
    }

    /// Changes one of the actions of a constraint, by its place in the list: the speed of a motor, a limit.
    pub fn set_action(&mut self, id: ConstraintId, place: usize, action: Action) -> Result<(), WorldError> {
        let gone = WorldError::Gone { what: "constraint", index: id.index() };
        let Some(mut constraint) = self.constraint(id)?.cloned() else { return Err(gone) };
        let count = constraint.actions.len();
        let Some(old) = constraint.actions.get_mut(place) else {
            return Err(WorldError::NoCoordinate { name: constraint.name, coordinate: place, count });
        };
        *old = action;
        self.change(id, constraint)
    }

    /// The first constraint that is a joint with this name.
    pub fn find(&self, name: &str) -> Option<ConstraintId> {
        self.constraints().find(|(_, constraint)| constraint.name == name).map(|(id, _)| id)
    }

    /// All couplings.
    pub fn couplings(&self) -> impl Iterator<Item = (ConstraintId, &Coupling)> {
        self.constraints.iter().filter_map(|(id, holder)| match &holder.held {
            Held::Coupling(coupling) => Some((id, coupling)),
            Held::Joint(_) => None,
        })
    }

    /// Cuts a constraint.
    pub fn cut(&mut self, id: ConstraintId) -> Result<(), WorldError> {
        self.known = Known::Nothing;
        self.constraints
            .remove(id)
            .map(|_| ())
            .ok_or(WorldError::Gone { what: "constraint", index: id.index() })
    }

    /// Mean force \[N] and moment \[N·m] of a constraint on its child in the last step, world axes, about the joint's point. For a
    /// coupling x of the moment is the joint force.
    pub fn force_of(&self, id: ConstraintId) -> Result<Force, WorldError> {
        Ok(self.holder(id)?.force)
    }

    fn holder(&self, id: ConstraintId) -> Result<&Holder, WorldError> {
        self.constraints.get(id).ok_or(WorldError::Gone { what: "constraint", index: id.index() })
    }

    /// Cuts the constraints on bodies that are gone.
    fn cut_all(&mut self, gone: impl Fn(BodyRef) -> bool) {
        self.known = Known::Nothing;
        let of = |dof: &crate::constraint::DofRef| BodyRef::Of(dof.articulation, BodyId::new(0));
        let cut: Vec<ConstraintId> = self
            .constraints
            .iter()
            .filter(|(_, holder)| match &holder.held {
                Held::Joint(c) => gone(c.parent) || gone(c.child),
                Held::Coupling(c) => gone(of(&c.follower)) || c.leader.iter().any(|l| gone(of(l))),
            })
            .map(|(id, _)| id)
            .collect();
        for id in cut {
            self.constraints.remove(id);
        }
    }

    // --- where things are ---

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
        match &self.holder(id)?.held {
            Held::Joint(c) => {
                let parent = self.frame(c.parent)? * c.parent_frame;
                Ok(parent.inverse() * (self.frame(c.child)? * c.child_frame))
            }
            Held::Coupling(_) => Ok(Frame::IDENTITY),
        }
    }

    /// Value of a free coordinate of a constraint \[rad or m].
    pub fn coordinate(&self, id: ConstraintId, coordinate: usize) -> Result<f64, WorldError> {
        let frame = self.joint_frame(id)?;
        let mut coordinates = crate::constraint::Coordinates::default();
        let Some(constraint) = self.constraint(id)? else { return Ok(0.0) };
        constraint.model.coordinates(frame, &mut coordinates);
        coordinates.get(coordinate).map(|c| c.value).ok_or_else(|| WorldError::NoCoordinate {
            name: constraint.name.clone(),
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
