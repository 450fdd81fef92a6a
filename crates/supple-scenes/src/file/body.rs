use glam::{DQuat, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use supple::Force;
use supple::constraint::Frame;
use supple::spatial::Sym3;
use supple::world::{SingleBody, WorldError};

use super::fault::{At, Fault};
use crate::place::{Place, no_turn, unit};

/// How far from the plain numbers exact ones may be, as a share of their size.
const NEAR: f64 = 1e-6;

/// A single body.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// What messages, and the rest of the file, call it.
    #[serde(default)]
    pub name: String,
    /// Of its frame \[m].
    #[serde(default)]
    pub position: [f64; 3],
    /// Quaternion x, y, z, w.
    #[serde(default = "no_turn")]
    pub rotation: [f64; 4],
    /// Of the origin of its frame, world axes \[m/s].
    #[serde(default)]
    pub velocity: [f64; 3],
    /// Angular velocity, world axes \[rad/s].
    #[serde(default)]
    pub omega: [f64; 3],
    /// \[kg]; of a fixed body it does not matter.
    #[serde(default = "one")]
    pub mass: f64,
    /// Centre of mass in the body's frame \[m].
    #[serde(default)]
    pub com: [f64; 3],
    /// xx, xy, xz, yy, yz, zz about the centre of mass, body axes \[kg·m²]; of a fixed body it does not matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inertia: Option<[f64; 6]>,
    /// Whether nothing pushes it: it stays, or goes as the script has it.
    #[serde(default)]
    pub fixed: bool,
    /// Moment about the centre of mass \[N·m] and force \[N], world axes; they stay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wrench: Option<[f64; 6]>,
    /// Where it is after every step, if it is moved about: for programs that have no scripts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<Place>,
    /// The state to the last digit, where the numbers above lose it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exact: Option<Exact>,
}

/// The state of a single body as it is kept.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Exact {
    /// Centre of mass in the world \[m].
    pub centre: [f64; 3],
    /// Velocity of the centre \[m/s].
    pub velocity: [f64; 3],
    /// Angular momentum about the centre, world axes \[N·m·s]; of a fixed body its angular velocity \[rad/s].
    pub spin: [f64; 3],
}

const fn one() -> f64 {
    1.0
}

impl Body {
    /// A single body as it is now.
    pub(crate) fn of(body: &SingleBody) -> Self {
        let Frame { position, rotation } = body.frame();
        let omega = body.omega();
        let mut file = Self {
            name: body.name.clone(),
            position: position.to_array(),
            rotation: rotation.to_array(),
            velocity: (body.velocity() + omega.cross(position - body.centre())).to_array(),
            omega: omega.to_array(),
            // what is fixed has no mass that matters
            mass: if body.is_kinematic() { 1.0 } else { body.mass() },
            com: body.com().to_array(),
            inertia: Some(body.inertia().to_array()),
            fixed: body.is_kinematic(),
            wrench: (body.wrench != Force::ZERO).then(|| body.wrench.to_array()),
            moves: Vec::new(),
            exact: None,
        };
        let exact = Exact::of(body);
        if Exact::of(&file.made()).bits() != exact.bits() {
            file.exact = Some(exact);
        }
        file
    }

    /// The body that the plain numbers make.
    fn made(&self) -> SingleBody {
        let (com, omega) = (DVec3::from(self.com), DVec3::from(self.omega));
        let mut body = match self.inertia {
            _ if self.fixed => SingleBody::kinematic(self.name.clone()),
            inertia => {
                let inertia = inertia.unwrap_or([f64::NAN; 6]);
                SingleBody::with_central(self.name.clone(), self.mass, com, Sym3::new(inertia))
            }
        };
        let rotation = unit(self.rotation);
        let centre = DVec3::from(self.position) + rotation * body.com();
        body.put_back(centre, rotation, DVec3::ZERO, DVec3::ZERO);
        let arm = centre - DVec3::from(self.position);
        body.set_motion(DVec3::from(self.velocity) + omega.cross(arm), omega);
        body.wrench = self.wrench.map_or(Force::ZERO, Force::from_array);
        body
    }

    /// Which field a world means that refuses the body.
    pub(crate) fn place_of(error: &WorldError, at: &At) -> At {
        match error {
            WorldError::InertiaTriangle { .. } => at.key("inertia"),
            WorldError::BadNumber { what, .. } if what.contains("inertia") => at.key("inertia"),
            _ => at.clone(),
        }
    }

    /// The body, to the bit the one that was written.
    pub(crate) fn body(&self, at: &At) -> Result<SingleBody, Fault> {
        if !self.fixed && self.inertia.is_none() {
            return Err(at.wrong("lacks \"inertia\": [xx, xy, xz, yy, yz, zz], or \"fixed\": true"));
        }
        let weighs = self.mass > 0.0 && self.mass.is_finite();
        if !self.fixed && !weighs {
            return Err(at.key("mass").wrong(format!("must be positive and finite, got {} kg", self.mass)));
        }
        check_quaternion(&at.key("rotation"), self.rotation)?;
        let mut body = self.made();
        if let Some(exact) = &self.exact {
            exact.check(&Exact::of(&body), &at.key("exact"))?;
            let rotation: DQuat = unit(self.rotation);
            let [centre, velocity, spin] = [exact.centre, exact.velocity, exact.spin].map(DVec3::from);
            body.put_back(centre, rotation, velocity, spin);
        }
        Ok(body)
    }
}

impl Exact {
    fn of(body: &SingleBody) -> Self {
        let spin = if body.is_kinematic() { body.omega() } else { body.angular_momentum() };
        Self { centre: body.centre().to_array(), velocity: body.velocity().to_array(), spin: spin.to_array() }
    }

    /// To tell even a zero from its negative.
    fn bits(&self) -> [[u64; 3]; 3] {
        [self.centre, self.velocity, self.spin].map(|v| v.map(f64::to_bits))
    }

    /// Whether it is the state that the plain numbers tell, but for rounding.
    fn check(&self, plain: &Self, at: &At) -> Result<(), Fault> {
        for (field, exact, plain) in [
            ("centre", self.centre, plain.centre),
            ("velocity", self.velocity, plain.velocity),
            ("spin", self.spin, plain.spin),
        ] {
            let (exact, plain) = (DVec3::from(exact), DVec3::from(plain));
            // a NaN is not near either
            if !(exact.distance(plain) <= NEAR * (1.0 + plain.length())) {
                let expected =
                    format!("is {exact}, but the body's other fields tell {plain}: leave \"exact\" out");
                return Err(at.key(field).wrong(expected));
            }
        }
        Ok(())
    }
}

/// A quaternion must be of unit length to six digits.
pub(crate) fn check_quaternion(at: &At, quaternion: [f64; 4]) -> Result<(), Fault> {
    let length = DQuat::from_array(quaternion).length();
    if (length - 1.0).abs() <= 1e-6 {
        return Ok(());
    }
    let message = format!("{quaternion:?} has length {length}: give a quaternion [x, y, z, w] of length 1");
    Err(at.wrong(message))
}

/// A frame must have a quaternion.
pub(crate) fn check_place(at: &At, place: &Place) -> Result<(), Fault> {
    check_quaternion(&at.key("rotation"), place.rotation)
}
