//! What a world refuses, and why.

use glam::DVec3;

use crate::constraint::{Action, Constraint, Coordinates, Coupling, DofRef, Frame, MAX_ROWS, Rows};
use crate::contact::{Collider, Material};
use crate::detail::Target;
use crate::model::validate::{Unphysical, unphysical};
use crate::world::{
    AnyConstraint, Articulated, BodyRef, Settings, SingleBody, World, WorldError, check_body,
};

/// Whether a number is what it must be.
fn must(
    good: bool,
    what: &'static str,
    name: &str,
    value: f64,
    must: &'static str,
) -> Result<(), WorldError> {
    if good { Ok(()) } else { Err(WorldError::BadNumber { what, name: name.to_owned(), value, must }) }
}

/// A single body that can move.
pub(super) fn body(body: &SingleBody) -> Result<(), WorldError> {
    let mass = body.mass();
    must(
        mass > 0.0 && (mass.is_finite() || body.is_kinematic()),
        "mass [kg]",
        &body.name,
        mass,
        "positive and finite",
    )?;
    let inertia = body.inertia();
    for x in inertia.to_array() {
        must(x.is_finite(), "rotational inertia [kg·m²]", &body.name, x, "finite")?;
    }
    // the mass of a kinematic body does not matter
    let about_origin = if body.is_kinematic() { 0.0 } else { 2.0 * mass * body.com().length_squared() };
    if let Some(Unphysical::Triangle(moments)) = unphysical(inertia, inertia.trace() + about_origin) {
        return Err(WorldError::InertiaTriangle { name: body.name.clone(), moments });
    }
    must(
        inertia.inverse_positive().is_some(),
        "smallest rotational inertia [kg·m²]",
        &body.name,
        inertia.eigenvalues()[0],
        "positive",
    )?;
    finite_frame("position or orientation", &body.name, body.frame())?;
    for (what, v) in [("velocity [m/s]", body.velocity()), ("angular velocity [rad/s]", body.omega())] {
        for x in v.to_array() {
            must(x.is_finite(), what, &body.name, x, "finite")?;
        }
    }
    Ok(())
}

/// A collider whose place and material can be.
pub(super) fn collider(collider: &Collider) -> Result<(), WorldError> {
    let name = collider.shape.name();
    finite_frame("position or orientation of a collider", name, collider.frame)?;
    let Material { friction, restitution, rolling } = collider.material;
    for (what, value) in [("friction", friction), ("rolling friction [m]", rolling)] {
        must(value >= 0.0 && value.is_finite(), what, name, value, "zero or positive, and finite")?;
    }
    must((0.0..=1.0).contains(&restitution), "restitution", name, restitution, "between 0 and 1")
}

pub(super) fn finite_frame(what: &'static str, name: &str, frame: Frame) -> Result<(), WorldError> {
    for x in frame.position.to_array().into_iter().chain(frame.rotation.to_array()) {
        must(x.is_finite(), what, name, x, "finite")?;
    }
    let length = frame.rotation.length();
    must((length - 1.0).abs() < 1e-5, "length of the quaternion", name, length, "1")
}

/// A vector of finite numbers.
pub(super) fn finite_vector(what: &'static str, name: &str, v: DVec3) -> Result<(), WorldError> {
    v.to_array().into_iter().try_for_each(|x| must(x.is_finite(), what, name, x, "finite"))
}

/// The unit vector along one that has a direction.
pub(super) fn unit(what: &'static str, name: &str, v: DVec3) -> Result<DVec3, WorldError> {
    finite_vector(what, name, v)?;
    let unit = v.try_normalize();
    unit.ok_or_else(|| WorldError::BadNumber { what, name: name.into(), value: v.length(), must: "not zero" })
}

/// How far a query looks.
pub(super) fn reach(name: &str, most: f64) -> Result<f64, WorldError> {
    must(most >= 0.0, "greatest distance [m]", name, most, "zero or positive")?;
    Ok(most)
}

impl Settings {
    /// Whether a world takes them: what a step with them would refuse.
    pub fn check(&self) -> Result<(), WorldError> {
        let s = self;
        must(s.tolerance > 0.0, "tolerance [m or rad]", "the settings", s.tolerance, "positive")?;
        must(s.approach > 0.0, "speed of approach [m/s]", "the settings", s.approach, "positive")?;
        must(s.substeps > 0, "number of substeps", "the settings", f64::from(s.substeps), "1 or more")?;
        let c = &s.contact;
        must(
            c.slop >= 0.0 && c.slop.is_finite(),
            "slop of contacts [m]",
            "the settings",
            c.slop,
            "0 or more",
        )?;
        must(
            (0.0..=1.0).contains(&c.recover),
            "share of penetration that a step takes back",
            "the settings",
            c.recover,
            "between 0 and 1",
        )?;
        must(c.longest > 0.0, "longest step in contact [s]", "the settings", c.longest, "positive")?;
        for (what, x) in [
            ("fastest speed of moving apart [m/s]", c.fastest),
            ("least speed of an impact that bounces [m/s]", c.bounce),
            ("tolerance of contacts [m]", c.tolerance),
            ("impact armature", c.impact_armature),
            ("speed of what rests [m/s]", c.slow),
            ("time until what rests sleeps [s]", c.calm),
        ] {
            must(x >= 0.0, what, "the settings", x, "0 or more")?;
        }
        Ok(())
    }
}

impl World {
    /// Whether all bodies are somewhere: the collision library takes what is not finite, and never comes back.
    pub(super) fn check_poses(&self) -> Result<(), WorldError> {
        for (_, it) in self.singles.iter() {
            finite_frame("position or orientation", &it.name, it.frame())?;
        }
        for (id, a) in self.articulations.iter() {
            let checked = a.simulation.check_lengths().and_then(|()| a.simulation.check_state());
            checked.map_err(|error| WorldError::Articulation { index: id.index(), error })?;
        }
        Ok(())
    }

    pub(super) fn check(&self, dt: f64) -> Result<(), WorldError> {
        if !(dt > 0.0 && dt.is_finite()) {
            return Err(WorldError::BadStep { dt });
        }
        for x in self.gravity.to_array() {
            must(x.is_finite(), "gravity [m/s²]", "the world", x, "finite")?;
        }
        must(self.drag >= 0.0 && self.drag.is_finite(), "drag [1/s]", "the world", self.drag, "0 or more")?;
        self.settings.check()?;
        for (_, single) in self.singles.iter() {
            let w = single.wrench;
            for x in w.to_array() {
                must(x.is_finite(), "wrench [N, N·m]", &single.name, x, "finite")?;
            }
            if !single.moving.is_finite() {
                body(single)?;
            }
            if let Some(goal) = single.goal {
                finite_frame("goal", &single.name, goal)?;
            }
        }
        Ok(())
    }

    /// What messages call a constraint, which is or will be of this number: by its name, or else by the number and its bodies.
    pub(super) fn called(&self, c: &Constraint, number: usize) -> String {
        if !c.name.is_empty() {
            return c.name.clone();
        }
        let body = |body: BodyRef| match body {
            BodyRef::World => "the world".to_owned(),
            BodyRef::Single(id) => self.body(id).map_or(String::new(), |body| body.name.clone()),
            BodyRef::Of(id, body) => {
                let name = |s: &crate::Simulation| s.model.bodies().get(body.index()).map(|b| b.name.clone());
                let name = self.articulation(id).ok().and_then(name).unwrap_or_default();
                format!("{name} of articulation {}", id.index())
            }
        };
        format!("number {number}, between {} and {}", body(c.parent), body(c.child))
    }

    /// Whether a constraint can be, which is or will be of this number.
    pub(super) fn check_constraint(&self, c: &Constraint, number: usize) -> Result<(), WorldError> {
        self.check_joint(c).map_err(|error| error.named(|| self.called(c, number)))
    }

    fn check_joint(&self, c: &Constraint) -> Result<(), WorldError> {
        for end in [c.parent, c.child] {
            match end {
                BodyRef::World => {}
                BodyRef::Single(id) => self.body(id).map(|_| ())?,
                BodyRef::Of(id, body) => check_body(&self.articulation(id)?.model, body)?,
            }
        }
        if c.parent == c.child {
            return Err(WorldError::SameBody { name: c.name.clone() });
        }
        finite_frame("frame on the parent", &c.name, c.parent_frame)?;
        finite_frame("frame on the child", &c.name, c.child_frame)?;
        let (mut rows, mut coordinates) = (Rows::default(), Coordinates::default());
        c.model.held(Frame::IDENTITY, &mut rows);
        c.model.coordinates(Frame::IDENTITY, &mut coordinates);
        let count = rows.len() + c.actions.len();
        if count > MAX_ROWS {
            return Err(WorldError::TooManyRows { name: c.name.clone(), rows: count, most: MAX_ROWS });
        }
        for action in &c.actions {
            let (coordinate, count) = (action.coordinate(), coordinates.len());
            if coordinate >= count {
                return Err(WorldError::NoCoordinate { name: c.name.clone(), coordinate, count });
            }
            self.check_action(&c.name, action)?;
        }
        if let Some(s) = c.softness {
            if rows.iter().any(|row| row.excess.is_some()) {
                return Err(WorldError::SoftLimit { name: c.name.clone() });
            }
            must(
                s.stiffness >= 0.0 && s.stiffness.is_finite(),
                "stiffness [N/m]",
                &c.name,
                s.stiffness,
                "0 or more",
            )?;
            must(
                s.damping >= 0.0 && s.damping.is_finite(),
                "damping [N·s/m]",
                &c.name,
                s.damping,
                "0 or more",
            )?;
            must(s.stiffness + s.damping > 0.0, "stiffness and damping", &c.name, 0.0, "not both zero")?;
        }
        must(c.strength.force >= 0.0, "breaking force [N]", &c.name, c.strength.force, "0 or more")?;
        must(c.strength.moment >= 0.0, "breaking moment [N·m]", &c.name, c.strength.moment, "0 or more")
    }

    /// Whether all bodies and degrees of freedom of constraints, and the bodies of colliders, are still there: articulations may have been exchanged.
    pub(super) fn check_ends(&self) -> Result<(), WorldError> {
        for (_, holder) in self.constraints.iter() {
            match &holder.constraint {
                AnyConstraint::Joint(c) => {
                    for end in [c.parent, c.child] {
                        if let BodyRef::Of(id, body) = end {
                            check_body(&self.articulation(id)?.model, body)?;
                        }
                    }
                }
                AnyConstraint::Coupling(c) => self.check_coupling(c)?,
            }
        }
        for (_, _, body) in self.colliders() {
            if let BodyRef::Of(id, body) = body {
                check_body(&self.articulation(id)?.model, body)?;
            }
        }
        Ok(())
    }

    /// A guaranteed error is for articulations that nothing holds: it chooses joints in the middle of the step.
    pub(super) fn check_guaranteed(&self) -> Result<(), WorldError> {
        let guaranteed = |(_, a): &(_, &Articulated)| {
            a.is_constrained() && matches!(a.simulation.detail().target, Target::Guaranteed { .. })
        };
        match self.articulations.iter().find(guaranteed) {
            Some((id, _)) => Err(WorldError::Guaranteed { index: id.index() }),
            None => Ok(()),
        }
    }

    fn check_action(&self, name: &str, action: &Action) -> Result<(), WorldError> {
        let drive = |force: f64| must(force >= 0.0, "greatest force [N or N·m]", name, force, "0 or more");
        match *action {
            Action::Limit { low, high, .. } => {
                must(low <= high, "lower limit [rad or m]", name, low, "at most the upper limit")
            }
            Action::Motor { speed, force, .. } => {
                must(speed.is_finite(), "speed [rad/s or m/s]", name, speed, "finite")?;
                drive(force)
            }
            Action::Friction { force, .. } => drive(force),
            Action::Servo { target, stiffness, damping, force, .. } => {
                must(target.is_finite(), "target [rad or m]", name, target, "finite")?;
                must(stiffness >= 0.0 && stiffness.is_finite(), "stiffness", name, stiffness, "0 or more")?;
                must(damping >= 0.0 && damping.is_finite(), "damping", name, damping, "0 or more")?;
                must(stiffness + damping > 0.0, "stiffness and damping", name, 0.0, "not both zero")?;
                drive(force)
            }
        }
    }

    pub(super) fn check_coupling(&self, c: &Coupling) -> Result<(), WorldError> {
        for x in c.coefficients.iter().chain([&c.offset]) {
            must(x.is_finite(), "coefficient", &c.name, *x, "finite")?;
        }
        self.check_dof(c, c.follower)?;
        match c.leader {
            Some(leader) if leader == c.follower => Err(WorldError::SameBody { name: c.name.clone() }),
            Some(leader) => self.check_dof(c, leader),
            None => Ok(()),
        }
    }

    fn check_dof(&self, c: &Coupling, dof: DofRef) -> Result<(), WorldError> {
        let model = &self.articulation(dof.articulation)?.model;
        let joint = model.joint_of_dof(dof.dof).map(|j| &model.joints()[j.index()]);
        match joint {
            Some(joint) if joint.nq == joint.nv => Ok(()),
            _ => Err(WorldError::NotScalar { name: c.name.clone(), dof: dof.dof }),
        }
    }
}
