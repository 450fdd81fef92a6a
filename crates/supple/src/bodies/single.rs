use glam::{DMat3, DQuat, DVec3};

use crate::spatial::{Force, Frame, Motion, RigidInertia, Sym3, rotation};

use super::Sleep;

/// No further pass when the turn of a step changed by less than this \[rad]. Passes gain a factor of the turn or more, so that
/// what is left after the last is below 1e-10 rad for turns below a tenth.
const CLOSE_ENOUGH: f64 = 1e-9;
/// A body turns steadily, about a principal axis, if the first pass changes its turn by less than this \[rad]; passes converge then however
/// fast it is.
const STEADY: f64 = 1e-6;
/// Above this turn \[rad] passes may converge to a wrong turn.
const FAST: f64 = 0.5;
/// Passes at most: of turns of more than a radian per step they converge slowly or not at all, of thin sticks that spin about their axis,
/// too, of much less ([`super::tumble`]).
const PASSES: usize = 8;

/// A rigid body that is no part of an articulation. It has no tree and no workspace; its angular momentum is integrated, not its
/// angular velocity, so that momenta are kept to rounding.
#[derive(Clone, Debug, PartialEq)]
pub struct SingleBody {
    /// For messages and reports.
    pub name: String,
    /// Wrench on the body, world axes, moment about the centre of mass; stays until changed \[N·m, N].
    pub wrench: Force,
    pub(crate) moving: Moving,
    /// Centre of mass in the body's frame \[m].
    com: DVec3,
    mass: f64,
    /// Inertia about the centre of mass, body axes.
    inertia: Sym3,
    /// Goal of a kinematic body: its frame at the end of the next step.
    pub(crate) goal: Option<Frame>,
    /// Whether it had a goal in the last step.
    pub(crate) had_goal: bool,
    pub(crate) sleep: Sleep,
}

/// The part of a single body that steps read and write.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Moving {
    /// Centre of mass in the world \[m], and orientation.
    pub(crate) at: Frame,
    /// Velocity of the centre of mass \[m/s].
    pub(crate) velocity: DVec3,
    /// Angular momentum about the centre of mass, world axes \[N·m·s]. A kinematic body has none: here is the angular velocity that it is given
    /// \[rad/s] ([`Moving::prescribed_omega`]), since islands copy this struct in every step.
    pub(crate) angular_momentum: DVec3,
    /// 0 for a kinematic body.
    pub(crate) inverse_mass: f64,
    /// Inverse inertia, body axes; zero for a kinematic body.
    pub(super) inverse_inertia: Sym3,
    /// Whether the inertia is the same about all axes.
    round: bool,
}

/// Inverse inertia and mass of a body under tension, for the position update.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Tension {
    /// Body axes.
    pub(super) inverse_inertia: Sym3,
    /// World axes at the start of the step, as all that follows.
    pub(crate) inverse_inertia_world: Sym3,
    pub(crate) inverse_mass: Sym3,
}

impl SingleBody {
    /// A body at rest with its frame at the world's. Its inertia must be positive; a world refuses it else.
    pub fn new(name: impl Into<String>, inertia: RigidInertia) -> Self {
        Self::with_central(name, inertia.mass, inertia.com(), inertia.inertia_com())
    }

    /// A body at rest from its mass \[kg], centre of mass in the body's frame \[m] and inertia about that, body axes \[kg·m²], taken as they are: what
    /// [`SingleBody::com`] and [`SingleBody::inertia`] tell makes the same body, to the bit.
    pub fn with_central(name: impl Into<String>, mass: f64, com: DVec3, central: Sym3) -> Self {
        let round = central.xx == central.yy
            && central.yy == central.zz
            && (central.xy, central.xz, central.yz) == (0.0, 0.0, 0.0);
        let moving = Moving {
            at: Frame::at(com),
            velocity: DVec3::ZERO,
            angular_momentum: DVec3::ZERO,
            inverse_mass: 1.0 / mass,
            inverse_inertia: central.inverse_positive().unwrap_or(Sym3::new([f64::NAN; 6])),
            round,
        };
        Self {
            name: name.into(),
            wrench: Force::ZERO,
            moving,
            com,
            mass,
            inertia: central,
            goal: None,
            had_goal: false,
            sleep: Sleep::default(),
        }
    }

    /// A body that is moved by the user: nothing pushes it.
    pub fn kinematic(name: impl Into<String>) -> Self {
        let mut body = Self::new(name, RigidInertia::solid_sphere(1.0, 1.0, DVec3::ZERO));
        body.moving.inverse_mass = 0.0;
        body.moving.inverse_inertia = Sym3::ZERO;
        body
    }

    /// The body with its frame at `frame`.
    pub fn at(mut self, frame: Frame) -> Self {
        self.place(frame);
        self
    }

    /// The body with the velocity of its centre of mass \[m/s] and its angular velocity \[rad/s], world axes.
    pub fn moving(mut self, velocity: DVec3, omega: DVec3) -> Self {
        self.set_motion(velocity, omega);
        self
    }

    /// Sets the body's frame. The body keeps its angular velocity.
    pub fn place(&mut self, frame: Frame) {
        let omega = self.omega();
        let rotation = frame.rotation.normalize();
        self.moving.at = Frame { position: frame.position + rotation * self.com, rotation };
        self.set_motion(self.moving.velocity, omega);
    }

    /// Sets the velocity of the centre of mass \[m/s] and the angular velocity \[rad/s], world axes.
    pub fn set_motion(&mut self, velocity: DVec3, omega: DVec3) {
        self.moving.velocity = velocity;
        self.moving.angular_momentum =
            if self.is_kinematic() { omega } else { turned(self.inertia, self.moving.at.rotation, omega) };
    }

    /// Puts the body where it was, to the bit: its centre of mass \[m] and orientation (a unit quaternion, taken as it is), the velocity of its
    /// centre \[m/s], and its angular momentum \[N·m·s] as [`SingleBody::angular_momentum`] tells it; of a kinematic body its angular
    /// velocity \[rad/s].
    pub fn put_back(&mut self, centre: DVec3, rotation: DQuat, velocity: DVec3, angular: DVec3) {
        self.moving.at = Frame { position: centre, rotation };
        (self.moving.velocity, self.moving.angular_momentum) = (velocity, angular);
    }

    /// Where the body's frame is.
    pub fn frame(&self) -> Frame {
        let Frame { position, rotation } = self.moving.at;
        Frame { position: position - rotation * self.com, rotation }
    }

    /// Centre of mass in the world \[m].
    pub fn centre(&self) -> DVec3 {
        self.moving.at.position
    }

    /// Centre of mass in the body's frame \[m].
    pub fn com(&self) -> DVec3 {
        self.com
    }

    /// Mass \[kg]; infinite for a kinematic body.
    pub fn mass(&self) -> f64 {
        if self.is_kinematic() { f64::INFINITY } else { self.mass }
    }

    /// Inertia about the centre of mass, body axes \[kg·m²].
    pub fn inertia(&self) -> Sym3 {
        self.inertia
    }

    /// Whether it is moved by the user.
    pub fn is_kinematic(&self) -> bool {
        self.moving.inverse_mass == 0.0
    }

    /// Velocity of the centre of mass \[m/s].
    pub fn velocity(&self) -> DVec3 {
        self.moving.velocity
    }

    /// Angular velocity, world axes \[rad/s].
    pub fn omega(&self) -> DVec3 {
        self.moving.motion().angular
    }

    /// Angular momentum about the centre of mass, world axes \[N·m·s]; zero for a kinematic body.
    pub fn angular_momentum(&self) -> DVec3 {
        if self.is_kinematic() { DVec3::ZERO } else { self.moving.angular_momentum }
    }

    /// Kinetic energy \[J]; that of a kinematic body is not counted.
    pub fn kinetic_energy(&self) -> f64 {
        if self.is_kinematic() {
            return 0.0;
        }
        0.5 * (self.mass * self.velocity().length_squared() + self.omega().dot(self.moving.angular_momentum))
    }

    /// Velocity of the origin of its frame \[m/s].
    pub(crate) fn velocity_of_frame(&self) -> DVec3 {
        self.velocity() - self.omega().cross(self.moving.at.rotation * self.com)
    }

    /// Whether it is kinematic and does not move.
    pub(crate) fn is_at_rest(&self) -> bool {
        self.is_kinematic()
            && self.moving.velocity == DVec3::ZERO
            && self.moving.prescribed_omega() == DVec3::ZERO
    }

    /// Whether it sleeps: nothing moves it until something wakes it.
    pub fn is_asleep(&self) -> bool {
        self.sleep.is_asleep()
    }

    /// Properties on which islands depend.
    pub(crate) fn signature(&self) -> (bool, DVec3) {
        (self.is_kinematic(), self.com)
    }

    /// Applies an impulse, world axes about the centre of mass \[N·m·s, N·s].
    pub fn push(&mut self, impulse: Force) {
        self.moving.push(impulse);
    }
}

impl Moving {
    /// A body that stands still and that nothing moves.
    pub(crate) const FIXED: Self = Self {
        at: Frame::IDENTITY,
        velocity: DVec3::ZERO,
        angular_momentum: DVec3::ZERO,
        inverse_mass: 0.0,
        inverse_inertia: Sym3::ZERO,
        round: true,
    };

    fn is_kinematic(&self) -> bool {
        self.inverse_mass == 0.0
    }

    /// Angular velocity that a kinematic body is given, world axes \[rad/s].
    #[inline]
    fn prescribed_omega(&self) -> DVec3 {
        self.angular_momentum
    }

    /// Velocity at the centre of mass, world axes.
    #[inline]
    pub(crate) fn motion(&self) -> Motion {
        if self.is_kinematic() {
            return Motion::new(self.prescribed_omega(), self.velocity);
        }
        Motion::new(turned(self.inverse_inertia, self.at.rotation, self.angular_momentum), self.velocity)
    }

    /// Inverse inertia, world axes, at the present orientation.
    pub(crate) fn inverse_inertia_world(&self) -> Sym3 {
        self.inverse_inertia_at(self.at.rotation)
    }

    /// Inverse inertia, world axes, at an orientation.
    pub(crate) fn inverse_inertia_at(&self, rotation: DQuat) -> Sym3 {
        self.inverse_inertia.rotated(DMat3::from_quat(rotation))
    }

    /// Inertia at an orientation, world axes.
    pub(crate) fn inertia_at(&self, rotation: DQuat) -> Sym3 {
        self.inverse_inertia.inverse_positive().unwrap_or(Sym3::ZERO).rotated(DMat3::from_quat(rotation))
    }

    /// Inverse inertia and mass with `turn` and `slide` added to them by tension, world axes at the present orientation.
    pub(crate) fn tightened(&self, turn: Sym3, slide: Sym3) -> Option<Tension> {
        let r = DMat3::from_quat(self.at.rotation);
        let mass = Sym3::diagonal(DVec3::splat(1.0 / self.inverse_mass)) + slide;
        let inertia = self.inverse_inertia.inverse_positive()? + turn.rotated(r.transpose());
        let inverse_inertia = inertia.inverse_positive()?;
        let inverse_mass = mass.inverse_positive()?;
        Some(Tension { inverse_inertia, inverse_mass, inverse_inertia_world: inverse_inertia.rotated(r) })
    }

    /// Applies an impulse, world axes about the centre of mass.
    #[inline]
    pub(crate) fn push(&mut self, impulse: Force) {
        if !self.is_kinematic() {
            self.velocity += impulse.linear * self.inverse_mass;
            self.angular_momentum += impulse.angular;
        }
    }

    /// Moves it as `motion` would in `dt` \[s]. Momenta are unchanged, but for an angular momentum that would have more energy in the new
    /// orientation: it is scaled.
    pub(crate) fn displace(&mut self, motion: Motion, dt: f64) {
        if self.is_kinematic() {
            return;
        }
        let twice_energy = |moving: &Self| {
            moving.angular_momentum.dot(turned(
                moving.inverse_inertia,
                moving.at.rotation,
                moving.angular_momentum,
            ))
        };
        let before = twice_energy(self);
        self.at.position += motion.linear * dt;
        self.at.rotation = (rotation::exp(motion.angular * dt) * self.at.rotation).normalize();
        let after = twice_energy(self);
        if after > before {
            self.angular_momentum *= (before / after).sqrt();
        }
    }

    /// Whether all that a step needs is finite.
    pub(crate) fn is_finite(&self) -> bool {
        self.at.is_finite()
            && self.velocity.is_finite()
            && self.angular_momentum.is_finite()
            && (self.is_kinematic()
                || (self.inverse_inertia.trace() * self.angular_momentum.abs().max_element()).is_finite()
                || self.motion().angular.is_finite())
    }

    /// Whether it surely turns slower than this \[rad/s]: by its angular momentum and a bound on its inverse inertia.
    pub(crate) fn is_slower(&self, omega: f64) -> bool {
        if self.is_kinematic() {
            return self.prescribed_omega().length_squared() < omega * omega;
        }
        let most = self.inverse_inertia.trace();
        most * most * self.angular_momentum.length_squared() < omega * omega
    }

    /// Where the body is after `dt` \[s] without forces, if `impulse` (world axes about the centre of mass) acts first, and the rotation vector
    /// of its way there \[rad], which may be more than a turn; `tension` as of `constraint::tension`.
    ///
    /// `x⁺ = x + dt v`, `q⁺ = exp(dt ω̄) q` with `ω̄ = I(exp(dt ω̄ / 2) q)⁻¹ L`: the paper's equation 1 with the angular velocity at
    /// mid-step. The angular momentum stays, and the rule is its own mirror image in time, so that a free body keeps its energy.
    #[inline]
    pub(crate) fn predict_turn(&self, impulse: Force, dt: f64, tension: Option<&Tension>) -> (Frame, DVec3) {
        let (at, turn, _) = self.try_to_predict(impulse, dt, tension);
        (at, turn)
    }

    /// Where the body is after `dt` \[s], its rotation vector, and whether that is surely how it turns: the angular velocity at mid-step was found.
    #[inline(always)]
    pub(super) fn try_to_predict(
        &self,
        impulse: Force,
        dt: f64,
        tension: Option<&Tension>,
    ) -> (Frame, DVec3, bool) {
        let Frame { position, rotation } = self.at;
        if self.is_kinematic() {
            let turn = self.prescribed_omega() * dt;
            let rotation = (rotation::exp(turn) * rotation).normalize();
            return (Frame { position: position + self.velocity * dt, rotation }, turn, true);
        }
        let mut velocity = self.velocity + impulse.linear * self.inverse_mass;
        let momentum = self.angular_momentum + impulse.angular;
        let (mut inverse_inertia, mut round) = (self.inverse_inertia, self.round);
        if let Some(tension) = tension {
            (inverse_inertia, round) = (tension.inverse_inertia, false);
            velocity = tension.inverse_mass * (velocity / self.inverse_mass);
        }
        let mut omega = turned(inverse_inertia, rotation, momentum);
        let (mut sure, is_fast) = (round, omega.length_squared() * (dt * dt) > FAST * FAST);
        if !round {
            for pass in 0..PASSES {
                let middle = rotation::exp(omega * (0.5 * dt)) * rotation;
                let next = turned(inverse_inertia, middle, momentum);
                let change = (next - omega).length_squared() * (dt * dt);
                omega = next;
                sure |= pass == 0 && change < STEADY * STEADY;
                if !(change > CLOSE_ENOUGH * CLOSE_ENOUGH) {
                    sure |= !is_fast;
                    break;
                }
            }
        }
        let turn = omega * dt;
        let rotation = (rotation::exp(turn) * rotation).normalize();
        (Frame { position: position + velocity * dt, rotation }, turn, sure)
    }
}

/// `R m Rᵀ x` for a tensor `m` in body axes.
#[inline(always)]
fn turned(m: Sym3, q: DQuat, x: DVec3) -> DVec3 {
    let r = DMat3::from_quat(q);
    r * (m * (r.transpose() * x))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A free body keeps its momentum to the bit and its energy to second order, with no drift.
    #[test]
    fn a_free_body_keeps_its_energy() {
        let brick = RigidInertia::solid_box(1.0, DVec3::new(0.1, 0.4, 1.0), DVec3::new(0.2, 0.0, 0.1));
        let mut body = SingleBody::new("brick", brick).moving(DVec3::X, DVec3::new(0.1, 8.0, 0.3));
        let (energy, momentum) = (body.kinetic_energy(), body.angular_momentum());
        let mut worst = 0.0f64;
        for _ in 0..24_000 {
            body.moving.at = body.moving.glide(1.0 / 240.0);
            worst = worst.max((body.kinetic_energy() / energy - 1.0).abs());
        }
        assert_eq!(body.angular_momentum(), momentum);
        // the energy oscillates with (dt ω)² of the tumbling, and does not run away over 100 s
        assert!(worst < 2e-3, "{worst}");
        assert!((body.kinetic_energy() / energy - 1.0).abs() < 2e-3);
    }
}
