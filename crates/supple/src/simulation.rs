use std::sync::Arc;

use glam::DVec3;

use crate::State;
use crate::adaptive::{AssemblyTree, Detail, DetailError, Region, Target};
use crate::dynamics::actuator::Actuator;
use crate::dynamics::integrate::{self, Integrator, Load, Loads, StepReport, Workspace};
use crate::dynamics::kinematics::Kinematics;
use crate::dynamics::momentum::{Momentum, momentum};
use crate::dynamics::spring::{self, Spring};
use crate::dynamics::{LoadError, check_actuators, check_springs, energy};
use crate::model::{BodyId, Model};
use crate::spatial::{Motion, Pose};

/// Why a step could not be taken.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// The step length is not a positive number.
    #[error("dt must be positive and finite, got {dt} s")]
    BadStep {
        /// The value given.
        dt: f64,
    },
    /// A position, velocity or load is NaN or infinite, or of the wrong length, before the step.
    #[error("{what} at {joint} is {value} before step {step} (t = {time} s): set it to a finite value")]
    BadInput {
        /// Which quantity.
        what: &'static str,
        /// Where.
        joint: String,
        /// Its value.
        value: f64,
        /// Number of the step.
        step: u64,
        /// Time at its start \[s].
        time: f64,
    },
    /// A quaternion that is no rotation.
    #[error(
        "the quaternion of joint {joint:?} has length {length} before step {step} (t = {time} s): give one of length 1"
    )]
    NotUnit {
        /// The joint.
        joint: String,
        /// Its length.
        length: f64,
        /// Number of the step.
        step: u64,
        /// Time at its start \[s].
        time: f64,
    },
    /// A spring or an actuator that cannot be.
    #[error(transparent)]
    BadLoad(#[from] LoadError),
    /// The adaptive integrator's tolerance is not a number that steps can meet.
    #[error(
        "the tolerance of the adaptive integrator must be positive, at least 1e-14 rad or m (rounding is not smaller), and finite, got {tolerance}"
    )]
    BadTolerance {
        /// The value given.
        tolerance: f64,
    },
    /// A list has the wrong length.
    #[error("{what} has {got} numbers, the model needs {need}")]
    WrongLength {
        /// Which list.
        what: &'static str,
        /// Its length.
        got: usize,
        /// The length needed.
        need: usize,
    },
    /// The motion left the finite numbers in this step. The state is that before the step.
    #[error(
        "joint {joint:?} became non-finite in step {step} (t = {time} s): take smaller steps, add damping, or use the default integrator"
    )]
    NotFinite {
        /// The first joint concerned.
        joint: String,
        /// Number of the step.
        step: u64,
        /// Time at its start \[s].
        time: f64,
    },
    /// Nothing resists a joint in the present pose.
    #[error(
        "joint {joint:?} moves no inertia in the present pose (step {step}, t = {time} s): give the massless bodies beyond it some mass, or the joint armature"
    )]
    Singular {
        /// The joint.
        joint: String,
        /// Number of the step.
        step: u64,
        /// Time at its start \[s].
        time: f64,
    },
}

/// One articulated body in motion: a model, its state, what acts on it, and how it is stepped.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// What moves.
    pub model: Arc<Model>,
    /// Where it is and how fast it moves.
    pub state: State,
    /// Acceleration of gravity \[m/s²].
    pub gravity: DVec3,
    /// How steps are taken.
    pub integrator: Integrator,
    /// Joint forces of drives, dual to v \[N·m or N].
    pub tau: Vec<f64>,
    /// Wrenches on bodies; they stay until changed.
    pub wrenches: Vec<Load>,
    /// Springs between bodies and the world.
    pub springs: Vec<Spring>,
    /// Drives of joints, each with its control.
    pub actuators: Vec<Actuator>,
    detail: Detail,
    pub(crate) region: Option<Region>,
    work: Workspace,
}

/// Energies of a simulation \[J].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// Of motion.
    pub kinetic: f64,
    /// Of height, joint springs, soft stops and springs to the world.
    pub potential: f64,
}

impl Energy {
    /// Kinetic plus potential \[J].
    pub fn total(&self) -> f64 {
        self.kinetic + self.potential
    }
}

impl Simulation {
    /// The model at rest in its neutral position, under gravity along −z.
    pub fn new(model: impl Into<Arc<Model>>) -> Self {
        let model = model.into();
        let state = State::new(&model);
        Self {
            tau: vec![0.0; model.nv()],
            state,
            model,
            gravity: DVec3::new(0.0, 0.0, -9.81),
            integrator: Integrator::default(),
            wrenches: Vec::new(),
            springs: Vec::new(),
            actuators: Vec::new(),
            detail: Detail::default(),
            region: None,
            work: Workspace::default(),
        }
    }

    /// Sets how much of the body is simulated. Joints at rest are frozen until the next step, which chooses the active
    /// ones.
    pub fn set_detail(&mut self, detail: Detail) -> Result<(), DetailError> {
        detail.check(&self.model)?;
        self.detail = detail;
        self.regroup();
        Ok(())
    }

    /// How much of the body is simulated.
    pub fn detail(&self) -> &Detail {
        &self.detail
    }

    /// The joints that are active; `None` at full detail.
    pub fn region(&self) -> Option<&Region> {
        self.region.as_ref()
    }

    /// Forms the rigid groups anew: necessary after q or v have been changed by hand at less than full detail, since
    /// groups keep the shape in which their joints froze.
    pub fn regroup(&mut self) {
        let whole = self.detail.target == Target::Full && self.detail.keep.is_empty();
        self.region = (!whole).then(|| {
            let assembly = match self.region.take() {
                Some(region) => region.assembly().clone(),
                None => Arc::new(AssemblyTree::build(self.model.tree())),
            };
            Region::new(&self.model, assembly, &self.detail, &self.state)
        });
        self.state.memory.restart();
    }

    /// Takes one step of `dt` \[s]. On an error the state is that before the step.
    pub fn step(&mut self, dt: f64) -> Result<StepReport, StepError> {
        let mut work = std::mem::take(&mut self.work);
        let result = self.step_in(&mut work, dt);
        self.work = work;
        result
    }

    /// Takes one step with a workspace from outside: many simulations that take turns with one stay in the cache.
    /// The result is the same to the bit.
    pub fn step_in(&mut self, work: &mut Workspace, dt: f64) -> Result<StepReport, StepError> {
        self.check(dt)?;
        work.before.copy_from(&self.state);
        let Self { model, state, integrator, detail, region, .. } = self;
        let loads = Loads {
            gravity: self.gravity,
            tau: &self.tau,
            wrenches: &self.wrenches,
            springs: &self.springs,
            actuators: &self.actuators,
        };
        let report = match region {
            None => integrate::step(*integrator, model, model.tree(), state, &loads, dt, work),
            Some(region) if state.step.is_multiple_of(u64::from(detail.update_every)) => {
                region.update(detail, *integrator, model, state, &loads, dt, work)
            }
            Some(region) => region.step(*integrator, model, state, &loads, dt, work),
        };
        if let Err(error) = self.outcome(work) {
            self.state.copy_from(&work.before);
            *work = Workspace::default();
            if self.region.is_some() {
                self.regroup();
            }
            return Err(error);
        }
        self.state.time += dt;
        self.state.step += 1;
        Ok(report)
    }

    /// Joint accelerations at the present state, passive forces explicit.
    pub fn accelerations(&mut self) -> &[f64] {
        let loads = Loads {
            gravity: self.gravity,
            tau: &self.tau,
            wrenches: &self.wrenches,
            springs: &self.springs,
            actuators: &self.actuators,
        };
        self.work.accelerate(&self.model, self.model.tree(), &self.state.q, &self.state.v, &loads, 0.0);
        &self.work.qdd
    }

    /// Pose and motion of all links at the present state.
    pub fn kinematics(&self) -> Kinematics {
        let mut kinematics = Kinematics::default();
        kinematics.update(self.model.tree(), &self.state.q, &self.state.v);
        kinematics
    }

    /// Pose of a body in the world.
    pub fn body_pose(&self, kinematics: &Kinematics, body: BodyId) -> Pose {
        let info = &self.model.bodies()[body.index()];
        match info.link {
            Some(link) => kinematics.links[link.index()].pose() * info.link_from_body,
            None => info.link_from_body,
        }
    }

    /// Velocity of a body at its own origin, in its own axes.
    pub fn body_velocity(&self, kinematics: &Kinematics, body: BodyId) -> Motion {
        let info = &self.model.bodies()[body.index()];
        let Some(link) = info.link else { return Motion::ZERO };
        let motion = &kinematics.links[link.index()];
        let at_body = motion.velocity.at(motion.rotation * info.link_from_body.translation);
        let body_from_world = (motion.rotation * info.link_from_body.rotation).transpose();
        Motion::new(body_from_world * at_body.angular, body_from_world * at_body.linear)
    }

    /// Energies at the present state.
    pub fn energy(&self) -> Energy {
        self.energy_at(&self.kinematics())
    }

    /// Energies at the present state, whose `kinematics` are known: without an allocation.
    pub fn energy_at(&self, kinematics: &Kinematics) -> Energy {
        let tree = self.model.tree();
        Energy {
            kinetic: energy::kinetic(tree, kinematics, self.model.armature(), &self.state.v),
            potential: energy::gravitational(tree, kinematics, self.gravity)
                + energy::elastic(&self.model, tree, &self.state.q)
                + spring::energy(&self.model, tree, kinematics, &self.springs),
        }
    }

    /// Momenta at the present state.
    pub fn momentum(&self) -> Momentum {
        momentum(self.model.tree(), &self.kinematics())
    }

    fn check(&self, dt: f64) -> Result<(), StepError> {
        if !(dt > 0.0 && dt.is_finite()) {
            return Err(StepError::BadStep { dt });
        }
        if let Integrator::Adaptive { tolerance } = self.integrator
            && !(tolerance >= 1e-14 && tolerance.is_finite())
        {
            return Err(StepError::BadTolerance { tolerance });
        }
        let (nq, nv) = (self.model.nq(), self.model.nv());
        for (what, got, need) in
            [("q", self.state.q.len(), nq), ("v", self.state.v.len(), nv), ("tau", self.tau.len(), nv)]
        {
            if got != need {
                return Err(StepError::WrongLength { what, got, need });
            }
        }
        let (step, time) = (self.state.step, self.state.time);
        for (what, values, per_dof) in
            [("q", &self.state.q, false), ("v", &self.state.v, true), ("tau", &self.tau, true)]
        {
            if let Some(at) = first_not_finite(values) {
                let (joint, value) = (format!("joint {:?}", self.joint_name(at, per_dof)), values[at]);
                return Err(StepError::BadInput { what, joint, value, step, time });
            }
        }
        self.check_quaternions()?;
        if let Some(&value) = self.gravity.to_array().iter().find(|x| !x.is_finite()) {
            let (what, joint) = ("gravity", "the world".into());
            return Err(StepError::BadInput { what, joint, value, step, time });
        }
        check_springs(&self.model, &self.springs)?;
        check_actuators(&self.model, &self.actuators)?;
        for load in &self.wrenches {
            let name = match self.model.bodies().get(load.body.index()) {
                Some(body) => &body.name,
                None => {
                    let (got, need) = (load.body.index(), self.model.bodies().len());
                    return Err(StepError::WrongLength { what: "the body number of a wrench", got, need });
                }
            };
            if let Some(&value) = load.wrench.to_array().iter().find(|x| !x.is_finite()) {
                let joint = format!("body {name:?}");
                return Err(StepError::BadInput { what: "a wrench", joint, value, step, time });
            }
        }
        Ok(())
    }

    /// Quaternions must be of unit length, to the six digits that files print: others would scale bodies.
    fn check_quaternions(&self) -> Result<(), StepError> {
        const TOLERANCE: f64 = 1e-5;
        let tree = self.model.tree();
        let mut worst = None;
        for link in &tree.links {
            integrate::position::for_each_quaternion(tree, link, |at| {
                let length2: f64 = self.state.q[at..at + 4].iter().map(|x| x * x).sum();
                if (length2 - 1.0).abs() > 2.0 * TOLERANCE && worst.is_none() {
                    worst = Some((at, length2.sqrt()));
                }
            });
        }
        let Some((at, length)) = worst else { return Ok(()) };
        let (step, time) = (self.state.step, self.state.time);
        Err(StepError::NotUnit { joint: self.joint_name(at, false), length, step, time })
    }

    fn outcome(&self, work: &Workspace) -> Result<(), StepError> {
        let (step, time) = (self.state.step, self.state.time);
        if self.model.has_massless_links() {
            let tree = self.region.as_ref().map_or(self.model.tree(), Region::tree);
            let singular = |l: &&crate::model::Link| {
                let rows = &work.sweep.rows[l.row as usize..l.row as usize + l.joint.dofs()];
                rows.iter().any(|r| !(r.d_inv > 0.0 && r.d_inv.is_finite()))
            };
            // the rows of an update's last sweep are those of its transient tree
            let known = work.sweep.tree == tree.id;
            if let Some(link) = tree.links.iter().filter(|_| known).find(singular) {
                let joint = self.model.joints()[link.id.index()].name.clone();
                return Err(StepError::Singular { joint, step, time });
            }
        }
        let (at, per_dof) = match (first_not_finite(&self.state.v), first_not_finite(&self.state.q)) {
            (Some(v), _) => (v, true),
            (None, Some(q)) => (q, false),
            (None, None) => return Ok(()),
        };
        Err(StepError::NotFinite { joint: self.joint_name(at, per_dof), step, time })
    }

    fn joint_name(&self, at: usize, per_dof: bool) -> String {
        let holds = |j: &crate::model::JointInfo| {
            if per_dof { (j.v..j.v + j.nv).contains(&at) } else { (j.q..j.q + j.nq).contains(&at) }
        };
        self.model.joints().iter().find(|j| holds(j)).map_or_else(String::new, |j| j.name.clone())
    }
}

/// The first entry that is NaN or infinite. One pass without branches tells quickly that there is none.
fn first_not_finite(values: &[f64]) -> Option<usize> {
    if values.iter().fold(true, |fine, x| fine & x.is_finite()) {
        return None;
    }
    values.iter().position(|x| !x.is_finite())
}
