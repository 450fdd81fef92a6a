//! What comes and goes in a world: single bodies, articulations, constraints.

use glam::DVec3;

use crate::Simulation;
use crate::constraint::{Action, Constraint, Coupling, DofRef, Frame, JointModel};
use crate::model::BodyId;
use crate::spatial::Force;
use crate::world::{
    AnyConstraint, ArticulationId, BodyRef, ConstraintId, Holder, Known, SingleBody, SingleId, World,
    WorldError, checks, connect,
};

impl World {
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
        self.note_entry();
        if let Some(body) = self.singles.get(id).filter(|_| self.has_colliders()) {
            self.contacts.user.handled.push((id, body.moving.motion()));
        }
        self.wake(id);
        self.singles.get_mut(id).ok_or(WorldError::Gone { what: "single body", index: id.index() })
    }

    /// Sets the wrench on a single body (see [`SingleBody::wrench`]). Cheaper than through [`World::body_mut`], after which the rows of
    /// all constraints are worked out anew.
    pub fn set_wrench(&mut self, id: SingleId, wrench: Force) -> Result<(), WorldError> {
        let body =
            self.singles.get_mut(id).ok_or(WorldError::Gone { what: "single body", index: id.index() })?;
        let changed = body.wrench != wrench;
        body.wrench = wrench;
        if changed {
            self.wake(id);
            if self.is_surging(id) {
                self.contacts.detection.detected = false;
            }
        }
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
        self.detach(|at| at == BodyRef::Single(id));
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

    /// Adds an articulation. It takes the world's gravity, unless [`World::set_gravity_of`] gives it one of its own.
    pub fn add_articulation(&mut self, mut simulation: Simulation) -> ArticulationId {
        simulation.gravity = self.gravity;
        self.schedule.forget();
        self.articulations.insert(simulation)
    }

    /// An articulation.
    pub fn articulation(&self, id: ArticulationId) -> Result<&Simulation, WorldError> {
        self.articulations.simulation(id).ok_or(WorldError::Gone { what: "articulation", index: id.index() })
    }

    /// An articulation, to be changed.
    pub fn articulation_mut(&mut self, id: ArticulationId) -> Result<&mut Simulation, WorldError> {
        if !self.articulations.contains(id) {
            return Err(WorldError::Gone { what: "articulation", index: id.index() });
        }
        if let Some(coupled) = self.articulations.get_mut(id) {
            coupled.forget_ledger();
            coupled.give();
            self.known = Known::Nothing;
            self.note_entry();
            self.wake(BodyRef::Of(id, BodyId::new(0)));
        }
        self.schedule.note_changed(id);
        self.articulations
            .simulation_mut(id)
            .ok_or(WorldError::Gone { what: "articulation", index: id.index() })
    }

    /// All articulations, to be changed.
    pub fn articulations_mut(&mut self) -> impl Iterator<Item = (ArticulationId, &mut Simulation)> {
        if self.articulations.count_coupled() > 0 {
            for (_, coupled) in self.articulations.iter_mut() {
                coupled.forget_ledger();
                coupled.give();
            }
            self.known = Known::Nothing;
            self.note_entry();
            self.wake_all();
        }
        self.schedule.forget();
        self.articulations.simulations_mut()
    }

    /// Gives an articulation a gravity of its own \[m/s²]; `None`: that of the world.
    pub fn set_gravity_of(&mut self, id: ArticulationId, gravity: Option<DVec3>) -> Result<(), WorldError> {
        let name =
            &self.articulation(id)?.model.bodies().first().map_or(String::new(), |body| body.name.clone());
        match gravity {
            Some(gravity) => {
                checks::finite_vector("gravity [m/s²]", name, gravity)?;
                self.gravity_of.insert(id, gravity);
            }
            None => drop(self.gravity_of.remove(&id)),
        }
        self.articulation_mut(id)?.gravity = gravity.unwrap_or(self.gravity);
        Ok(())
    }

    /// The gravity that an articulation has of its own \[m/s²].
    pub fn gravity_of(&self, id: ArticulationId) -> Option<DVec3> {
        self.gravity_of.get(&id).copied()
    }

    /// All articulations.
    pub fn articulations(&self) -> impl Iterator<Item = (ArticulationId, &Simulation)> + Clone {
        self.articulations.simulations()
    }

    /// Takes an articulation out, with the constraints on it.
    pub fn remove_articulation(&mut self, id: ArticulationId) -> Result<Simulation, WorldError> {
        let gone = self.articulations.remove(id);
        let gone = gone.ok_or(WorldError::Gone { what: "articulation", index: id.index() })?;
        self.gravity_of.remove(&id);
        self.schedule.remove(id);
        self.cut_all(|at| matches!(at, BodyRef::Of(of, _) if of == id));
        self.detach(|at| matches!(at, BodyRef::Of(of, _) if of == id));
        Ok(gone)
    }

    // --- constraints ---

    /// Adds a constraint between any two bodies.
    pub fn add(&mut self, constraint: Constraint) -> Result<ConstraintId, WorldError> {
        self.check_constraint(&constraint, self.constraints.len())?;
        self.insert_constraint(AnyConstraint::Joint(constraint))
    }

    /// Adds a constraint at a frame of the world, in which both bodies are as they are to be: the sides of the joint are set by that.
    pub fn join(
        &mut self,
        model: impl JointModel + 'static,
        parent: impl Into<BodyRef>,
        child: impl Into<BodyRef>,
        at: Frame,
    ) -> Result<ConstraintId, WorldError> {
        self.join_at(Constraint::new(model, parent, child), at)
    }

    /// The same with all that the joint has: [motors](Constraint::motor), [limits](Constraint::limit), a name, strength. Sides that the
    /// constraint has are replaced.
    ///
    /// ```
    /// # use supple::prelude::*;
    /// # let mut world = World::new();
    /// # let door = RigidInertia::solid_box(20.0, DVec3::new(0.9, 0.04, 2.0), DVec3::new(0.45, 0.0, 0.0));
    /// # let door = world.add_body(SingleBody::new("door", door))?;
    /// let hinge = Constraint::new(Hinge, BodyRef::World, door).limit(0, 0.0, 1.6).servo(0, 1.0, 80.0, 40.0, 200.0);
    /// let hinge = world.join_at(hinge, Frame::with_z(DVec3::ZERO, DVec3::Z))?;
    /// # for _ in 0..600 { world.step(1.0 / 60.0)?; }
    /// # assert!((world.coordinate(hinge, 0)? - 1.0).abs() < 1e-3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn join_at(&mut self, constraint: Constraint, at: Frame) -> Result<ConstraintId, WorldError> {
        let ends = [self.frame(constraint.parent)?, self.frame(constraint.child)?];
        let [parent, child] = ends.map(|body| body.inverse() * at);
        self.add(constraint.parent_frame(parent).child_frame(child))
    }

    /// Adds a coupling of joints.
    pub fn couple(&mut self, coupling: Coupling) -> Result<ConstraintId, WorldError> {
        self.check_coupling(&coupling)?;
        self.insert_constraint(AnyConstraint::Coupling(coupling))
    }

    fn insert_constraint(&mut self, constraint: AnyConstraint) -> Result<ConstraintId, WorldError> {
        self.couple_ends(&constraint)?;
        self.wake_ends(&constraint);
        self.known = Known::Nothing;
        let rows = match &constraint {
            AnyConstraint::Joint(constraint) => connect::rows_of(constraint),
            AnyConstraint::Coupling(_) => 1,
        };
        Ok(self.constraints.insert(Holder::new(constraint, rows)))
    }

    /// Couples the articulations that a constraint joins.
    fn couple_ends(&mut self, constraint: &AnyConstraint) -> Result<(), WorldError> {
        match constraint {
            AnyConstraint::Joint(c) => {
                [c.parent, c.child].into_iter().try_for_each(|end| self.couple_body(end))
            }
            AnyConstraint::Coupling(c) => {
                let mut both = c.leader.iter().chain([&c.follower]);
                both.try_for_each(|dof| self.couple_articulation(dof.articulation))
            }
        }
    }

    /// Something may push a body from now on.
    pub(super) fn couple_body(&mut self, body: BodyRef) -> Result<(), WorldError> {
        match body {
            BodyRef::Of(id, _) => self.couple_articulation(id),
            BodyRef::World | BodyRef::Single(_) => Ok(()),
        }
    }

    /// Time that it owes it takes now: what pushes it does so at the present time.
    fn couple_articulation(&mut self, id: ArticulationId) -> Result<(), WorldError> {
        if self.articulations.get(id).is_some() {
            return Ok(());
        }
        if let Some(simulation) = self.articulations.simulation_mut(id) {
            let paid = self.schedule.pay(id, simulation);
            paid.map_err(|error| WorldError::Articulation { index: id.index(), error })?;
        }
        self.schedule.forget();
        self.known = Known::Nothing;
        self.articulations.couple(id);
        Ok(())
    }

    /// Wakes the bodies that a constraint joins.
    fn wake_ends(&mut self, constraint: &AnyConstraint) {
        match constraint {
            AnyConstraint::Joint(c) => {
                self.wake(c.parent);
                self.wake(c.child);
            }
            AnyConstraint::Coupling(c) => {
                for dof in c.leader.iter().chain([&c.follower]) {
                    self.wake(BodyRef::Of(dof.articulation, BodyId::new(0)));
                }
            }
        }
    }

    /// A constraint; `None` for a coupling.
    pub fn constraint(&self, id: ConstraintId) -> Result<Option<&Constraint>, WorldError> {
        match &self.holder(id)?.constraint {
            AnyConstraint::Joint(constraint) => Ok(Some(constraint)),
            AnyConstraint::Coupling(_) => Ok(None),
        }
    }

    /// All constraints that are joints.
    pub fn constraints(&self) -> impl Iterator<Item = (ConstraintId, &Constraint)> {
        self.constraints.iter().filter_map(|(id, holder)| match &holder.constraint {
            AnyConstraint::Joint(constraint) => Some((id, constraint)),
            AnyConstraint::Coupling(_) => None,
        })
    }

    /// Changes a constraint: its actions, frames, bodies.
    pub fn change(&mut self, id: ConstraintId, constraint: Constraint) -> Result<(), WorldError> {
        let old = self.holder(id)?.constraint.clone();
        self.check_constraint(&constraint, id.index())?;
        self.wake_ends(&old);
        self.schedule.note_freed();
        for end in [constraint.parent, constraint.child] {
            self.couple_body(end)?;
            self.wake(end);
        }
        let same = |a: &Constraint, b: &Constraint| {
            (a.parent, a.child, a.actions.len()) == (b.parent, b.child, b.actions.len())
                && (a.parent_frame, a.child_frame) == (b.parent_frame, b.child_frame)
                && std::sync::Arc::ptr_eq(&a.model, &b.model)
        };
        let holder =
            self.constraints.get_mut(id).ok_or(WorldError::Gone { what: "constraint", index: id.index() })?;
        let alike = matches!(&holder.constraint, AnyConstraint::Joint(old) if same(old, &constraint));
        let rows = connect::rows_of(&constraint);
        holder.change(AnyConstraint::Joint(constraint), rows);
        self.known = self.known.min(if alike { Known::Islands } else { Known::Nothing });
        Ok(())
    }

    /// Changes one of the actions of a constraint, by its place in the list: the speed of a motor, a limit.
    pub fn set_action(&mut self, id: ConstraintId, place: usize, action: Action) -> Result<(), WorldError> {
        let gone = WorldError::Gone { what: "constraint", index: id.index() };
        let Some(mut constraint) = self.constraint(id)?.cloned() else { return Err(gone) };
        let count = constraint.actions.len();
        let Some(old) = constraint.actions.get_mut(place) else {
            let name = self.called(&constraint, id.index());
            return Err(WorldError::NoCoordinate { name, coordinate: place, count });
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
        self.constraints.iter().filter_map(|(id, holder)| match &holder.constraint {
            AnyConstraint::Coupling(coupling) => Some((id, coupling)),
            AnyConstraint::Joint(_) => None,
        })
    }

    /// Cuts a constraint.
    pub fn cut(&mut self, id: ConstraintId) -> Result<(), WorldError> {
        let old = self.holder(id)?.constraint.clone();
        self.wake_ends(&old);
        self.known = Known::Nothing;
        self.schedule.note_freed();
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

    pub(super) fn holder(&self, id: ConstraintId) -> Result<&Holder, WorldError> {
        self.constraints.get(id).ok_or(WorldError::Gone { what: "constraint", index: id.index() })
    }

    /// Cuts the constraints on bodies that are gone.
    fn cut_all(&mut self, gone: impl Fn(BodyRef) -> bool) {
        self.known = Known::Nothing;
        let of = |dof: &DofRef| BodyRef::Of(dof.articulation, BodyId::new(0));
        let cut: Vec<ConstraintId> = self
            .constraints
            .iter()
            .filter(|(_, holder)| match &holder.constraint {
                AnyConstraint::Joint(c) => gone(c.parent) || gone(c.child),
                AnyConstraint::Coupling(c) => gone(of(&c.follower)) || c.leader.iter().any(|l| gone(of(l))),
            })
            .map(|(id, _)| id)
            .collect();
        self.schedule.note_freed();
        for id in cut {
            self.constraints.remove(id);
        }
    }
}
