//! What robots are controlled by, at the present state of a simulation: one call each, by the model's order of v.
//!
//! ```text
//! M(q) a + bias(q, v) = τ        mass_matrix: M      inverse_dynamics(a): τ, so that inverse_dynamics(0) is the bias
//! V = J(q) v                     jacobian: J         gravity_forces: the part of the bias that is weight
//! ```
//!
//! At less than full detail all of them are of the whole body, as if no joint were frozen.

use glam::DVec3;

use crate::dynamics::actuator::Drives;
use crate::dynamics::crba::{self, MassMatrix};
use crate::dynamics::integrate::Loads;
use crate::dynamics::jacobian::{Jacobian, point_jacobian};
use crate::dynamics::kinematics::Kinematics;
use crate::dynamics::passive;
use crate::dynamics::rnea::{self, Rnea};
use crate::dynamics::wrench::Wrenches;
use crate::dynamics::{BodyState, EquationOfMotion};
use crate::model::BodyId;

use super::{Simulation, StepError};

impl Simulation {
    /// Jacobian, 6 × nv, of a point of a body at the present positions: `point` \[m] in the frame of the body, angular rows first, world axes.
    ///
    /// ```
    /// # use supple::prelude::*;
    /// # let rod = RigidInertia::solid_capsule(1.0, DVec3::ZERO, DVec3::X, 0.02);
    /// # let model = ModelBuilder::new().body(Body::new("arm", Joint::revolute(DVec3::Y)).inertia(rod)).finish()?;
    /// # let simulation = Simulation::new(model);
    /// let arm = simulation.model.body("arm").unwrap();
    /// let jacobian = simulation.jacobian(arm, DVec3::X)?;
    /// // by 1 rad/s about y its tip goes down
    /// assert!(jacobian.mul(&[1.0]).linear.distance(-DVec3::Z) < 1e-12);
    /// // 9.81 N upwards at the tip are this moment of the joint \[N·m]
    /// let moment = jacobian.transpose_mul(Force::new(DVec3::ZERO, DVec3::Z * 9.81))[0];
    /// assert!((moment + 9.81).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// The columns of joints that do not move the body are zero. At less than full detail frozen joints have columns, too: they tell what
    /// their motion would do.
    pub fn jacobian(&self, body: BodyId, point: DVec3) -> Result<Jacobian, StepError> {
        let kinematics = self.kinematics_at_rest()?;
        let Some(info) = self.model.bodies().get(body.index()) else {
            return Err(StepError::NoBody {
                what: "a Jacobian",
                body: body.index(),
                bodies: self.model.bodies().len(),
            });
        };
        let body_name = || format!("body {:?}", info.name);
        self.finite(&point.to_array(), "a point [m]", |_| body_name())?;
        Ok(Jacobian::new(self.model.nv(), &point_jacobian(&self.model, &kinematics, body, point)))
    }

    /// Inverse dynamics: the joint forces, dual to v \[N·m or N], that motors would have to give so that the body has these
    /// `accelerations`, the derivative of v \[rad/s² or m/s²], at the present state. With them as [`Simulation::tau`],
    /// [`Simulation::accelerations`] are these.
    ///
    /// Counted as they are now: gravity, [`wrenches`](Simulation::wrenches), [`springs`](Simulation::springs) to the world, springs, dampers, dry
    /// friction and stops of joints, armature, and [`actuators`](Simulation::actuators), so that it is what motors have to give beside them.
    /// Not counted: what `tau` is now, and effort limits: what exceeds one cannot be had. A floating base has no motor: its six numbers
    /// are what is missing. What constraints and contacts of a world do is not in it. At less than full detail it is of the whole body, with an
    /// acceleration for every joint, frozen ones too.
    pub fn inverse_dynamics(&self, accelerations: &[f64]) -> Result<Vec<f64>, StepError> {
        let Self { model, state, .. } = self;
        let (tree, nv) = (model.tree(), model.nv());
        if accelerations.len() != nv {
            let (what, got) = ("the list of accelerations", accelerations.len());
            return Err(StepError::WrongLength { what, got, need: nv });
        }
        self.check_lengths()?;
        self.check_state()?;
        self.check_loads()?;
        self.finite(accelerations, "the acceleration asked for", |dof| {
            let joint = model.joint_of_dof(dof).map(|joint| model.joints()[joint.index()].name.as_str());
            format!("joint {:?}", joint.unwrap_or_default())
        })?;
        let kinematics = self.kinematics();
        let mut wrenches = Wrenches::new();
        wrenches.set(model, tree, &kinematics, &self.wrenches);
        wrenches.add_springs(model, tree, &kinematics, &self.springs, 0.0);
        let mut tau = vec![0.0; nv];
        let equation = EquationOfMotion {
            tree,
            kinematics: &kinematics,
            gravity: self.gravity,
            diagonal: model.armature(),
            wrenches: &wrenches,
        };
        rnea::joint_forces(&equation, accelerations, &mut Rnea::default(), &mut tau);
        let (mut given, mut implicit) = (vec![0.0; nv], vec![0.0; nv]);
        let body = BodyState { model, tree, q: &state.q, v: &state.v };
        passive::add(&body, 0.0, &mut given, &mut implicit);
        let mut drives = Drives::default();
        let loads = Loads { actuators: &self.actuators, ..Loads::default() };
        drives.set(&body, &loads);
        drives.for_each_uncut(&state.v, |dof, force| given[dof] += force);
        for (tau, given) in tau.iter_mut().zip(given) {
            *tau -= given;
        }
        Ok(tau)
    }

    /// Mass matrix M, nv × nv, at the present positions, armature included \[kg·m², kg·m, kg]: `½ vᵀ M v` is the kinetic energy. Springs and
    /// dampers, which steps take implicitly, add nothing to it. At less than full detail it is of the whole body.
    pub fn mass_matrix(&self) -> Result<MassMatrix, StepError> {
        let (model, kinematics) = (&self.model, self.kinematics_at_rest()?);
        Ok(crba::mass_matrix(model.tree(), &kinematics, model.armature(), model.nv()))
    }

    /// Joint forces, dual to v \[N·m or N], that hold the body against gravity at the present positions: what a controller adds to
    /// [`Simulation::tau`] to compensate it. Weight alone: no springs, no wrenches, no velocities; [`Simulation::inverse_dynamics`] has all of
    /// them. At less than full detail they are of the whole body.
    pub fn gravity_forces(&self) -> Result<Vec<f64>, StepError> {
        let (tree, nv) = (self.model.tree(), self.model.nv());
        let kinematics = self.kinematics_at_rest()?;
        let (mut tau, still, nothing) = (vec![0.0; nv], vec![0.0; nv], Wrenches::new());
        let equation = EquationOfMotion {
            tree,
            kinematics: &kinematics,
            gravity: self.gravity,
            diagonal: &still,
            wrenches: &nothing,
        };
        rnea::joint_forces(&equation, &still, &mut Rnea::default(), &mut tau);
        Ok(tau)
    }

    /// Kinematics at the present positions without velocities; an error where the state is none.
    fn kinematics_at_rest(&self) -> Result<Kinematics, StepError> {
        self.check_lengths()?;
        self.check_state()?;
        let mut kinematics = Kinematics::default();
        kinematics.update(self.model.tree(), &self.state.q, &vec![0.0; self.model.nv()]);
        Ok(kinematics)
    }

    fn finite(
        &self,
        values: &[f64],
        what: &'static str,
        place: impl Fn(usize) -> String,
    ) -> Result<(), StepError> {
        let Some(at) = values.iter().position(|x| !x.is_finite()) else { return Ok(()) };
        let (joint, step, time) = (place(at), self.state.step, self.state.time);
        Err(StepError::BadInput { what, joint, value: values[at], step, time })
    }
}
