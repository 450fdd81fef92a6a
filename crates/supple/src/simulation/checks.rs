//! What is checked of a simulation before a step, and after it.

use crate::detail::Target;
use crate::dynamics::integrate::{self, Integrator, Load, Workspace};
use crate::dynamics::{State, check_actuators, check_springs};
use crate::model::Tree;

use super::{Simulation, StepError};

impl Simulation {
    pub(crate) fn check(&self, dt: f64) -> Result<(), StepError> {
        if !(dt > 0.0 && dt.is_finite()) {
            return Err(StepError::BadStep { dt });
        }
        if let Integrator::Adaptive { tolerance } = self.integrator
            && !(tolerance >= 1e-14 && tolerance.is_finite())
        {
            return Err(StepError::BadTolerance { tolerance });
        }
        self.check_lengths()?;
        self.check_state()?;
        self.check_loads()
    }

    pub(crate) fn check_lengths(&self) -> Result<(), StepError> {
        let (nq, nv) = (self.model.nq(), self.model.nv());
        for (what, got, need) in
            [("q", self.state.q.len(), nq), ("v", self.state.v.len(), nv), ("tau", self.tau.len(), nv)]
        {
            if got != need {
                return Err(StepError::WrongLength { what, got, need });
            }
        }
        Ok(())
    }

    /// The tree that steps are taken on: one link per rigid group.
    pub fn stepped_tree(&self) -> &Tree {
        self.region.as_ref().map_or(self.model.tree(), |region| region.tree(&self.model))
    }

    /// At less than full detail the whole state was looked at when the groups were formed, and active joints after every
    /// step since.
    pub(crate) fn check_state(&self) -> Result<(), StepError> {
        if self.region.is_some() {
            return Ok(());
        }
        let (step, time) = (self.state.step, self.state.time);
        let bad = first_not_finite(&self.state.q)
            .map(|at| ("q", at))
            .or_else(|| first_not_finite(&self.state.v).map(|at| ("v", at)));
        if let Some((what, at)) = bad {
            let values = if what == "q" { &self.state.q } else { &self.state.v };
            let joint = format!("joint {:?}", self.joint_name(at, what == "v"));
            return Err(StepError::BadInput { what, joint, value: values[at], step, time });
        }
        self.check_quaternions()
    }

    pub(super) fn check_loads(&self) -> Result<(), StepError> {
        let (step, time) = (self.state.step, self.state.time);
        let driven = self.tau.driven().iter().map(|dof| *dof as usize);
        if let Some(dof) = driven.into_iter().find(|dof| !self.tau[*dof].is_finite()) {
            let (joint, value) = (format!("joint {:?}", self.joint_name(dof, true)), self.tau[dof]);
            return Err(StepError::BadInput { what: "tau", joint, value, step, time });
        }
        if let Some(&value) = self.gravity.to_array().iter().find(|x| !x.is_finite()) {
            let (what, joint) = ("gravity", "the world".into());
            return Err(StepError::BadInput { what, joint, value, step, time });
        }
        check_springs(&self.model, &self.springs)?;
        check_actuators(&self.model, &self.actuators)?;
        self.wrenches.iter().try_for_each(|load| self.check_wrench("a wrench", load))
    }

    pub(crate) fn check_wrench(&self, what: &'static str, load: &Load) -> Result<(), StepError> {
        let Some(body) = self.model.bodies().get(load.body.index()) else {
            return Err(StepError::NoBody {
                what,
                body: load.body.index(),
                bodies: self.model.bodies().len(),
            });
        };
        if let Some(&value) = load.wrench.to_array().iter().find(|x| !x.is_finite()) {
            let (joint, step, time) = (format!("body {:?}", body.name), self.state.step, self.state.time);
            return Err(StepError::BadInput { what, joint, value, step, time });
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

    pub(crate) fn outcome(&self, work: &Workspace) -> Result<(), StepError> {
        let (step, time) = (self.state.step, self.state.time);
        if self.model.has_massless_links() {
            let tree = self.stepped_tree();
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
        let bad = match &self.region {
            None => first_not_finite(&self.state.v)
                .map(|at| ("v", at))
                .or_else(|| first_not_finite(&self.state.q).map(|at| ("q", at))),
            Some(_) => first_not_finite_of(self.stepped_tree(), &self.state),
        };
        let Some((what, at)) = bad.or_else(|| self.overflown()) else { return Ok(()) };
        let per_dof = what == "v";
        let integrator = match self.detail().target {
            Target::Guaranteed { .. } => Integrator::SemiImplicit,
            _ => self.integrator,
        };
        let joint = self.joint_name(at, per_dof);
        Err(StepError::NotFinite { joint, integrator, speed: f64::NAN, step, time })
    }

    /// The fastest joint, if the metric of the last update left the finite numbers: its squares do so before velocities do, and
    /// then it chooses nothing.
    fn overflown(&self) -> Option<(&'static str, usize)> {
        self.region.as_ref().filter(|region| !region.report().acceleration.is_finite())?;
        let v = &self.state.v;
        let fastest = (0..v.len()).max_by(|a, b| v[*a].abs().total_cmp(&v[*b].abs()))?;
        Some(("v", fastest))
    }

    fn joint_name(&self, at: usize, per_dof: bool) -> String {
        let holds = |j: &crate::model::JointInfo| {
            if per_dof { (j.v..j.v + j.nv).contains(&at) } else { (j.q..j.q + j.nq).contains(&at) }
        };
        self.model.joints().iter().find(|j| holds(j)).map_or_else(String::new, |j| j.name.clone())
    }
}

/// The first velocity or position of the joints of a tree that is NaN or infinite: which list, and where.
fn first_not_finite_of(tree: &Tree, state: &State) -> Option<(&'static str, usize)> {
    for link in &tree.links {
        if let Some(at) = link.dofs().find(|dof| !state.v[*dof].is_finite()) {
            return Some(("v", at));
        }
        let first = link.q as usize;
        let mut q = first..first + integrate::position::positions(tree, link);
        if let Some(at) = q.find(|at| !state.q[*at].is_finite()) {
            return Some(("q", at));
        }
    }
    None
}

/// The first entry that is NaN or infinite. One pass without branches tells quickly that there is none.
fn first_not_finite(values: &[f64]) -> Option<usize> {
    if values.iter().fold(true, |fine, x| fine & x.is_finite()) {
        return None;
    }
    values.iter().position(|x| !x.is_finite())
}
