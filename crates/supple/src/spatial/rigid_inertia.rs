use std::ops::{Add, AddAssign};

use glam::{DMat3, DVec3};

use super::{ArticulatedInertia, Force, Motion, Pose, Sym3};

/// Inertia of a rigid body about its frame origin: ten numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RigidInertia {
    /// Mass \[kg].
    pub mass: f64,
    /// First moment, mass times centre of mass \[kg·m].
    pub moment: DVec3,
    /// Second moment: rotational inertia about the origin \[kg·m²].
    pub inertia: Sym3,
}

impl RigidInertia {
    /// No mass at all.
    pub const ZERO: Self = Self { mass: 0.0, moment: DVec3::ZERO, inertia: Sym3::ZERO };

    /// From mass \[kg], centre of mass \[m] and rotational inertia about the centre of mass \[kg·m²].
    pub fn new(mass: f64, com: DVec3, inertia_com: Sym3) -> Self {
        Self { mass, moment: com * mass, inertia: inertia_com + Sym3::point_mass(com) * mass }
    }

    /// A solid box with edges `size` \[m], centred at `com` \[m].
    pub fn solid_box(mass: f64, size: DVec3, com: DVec3) -> Self {
        let s = size * size;
        let i = DVec3::new(s.y + s.z, s.x + s.z, s.x + s.y) * (mass / 12.0);
        Self::new(mass, com, Sym3::diagonal(i))
    }

    /// A solid sphere of `radius` \[m], centred at `com` \[m].
    pub fn solid_sphere(mass: f64, radius: f64, com: DVec3) -> Self {
        Self::new(mass, com, Sym3::diagonal(DVec3::splat(0.4 * mass * radius * radius)))
    }

    /// A solid capsule between two points \[m] of `radius` \[m].
    pub fn solid_capsule(mass: f64, from: DVec3, to: DVec3, radius: f64) -> Self {
        let (axis, length) = ((to - from).normalize_or(DVec3::Z), (to - from).length());
        // a cylinder and two half balls share the mass by volume
        let (cylinder, balls) = (length, 4.0 / 3.0 * radius);
        let (mc, mb) = (mass * cylinder / (cylinder + balls), mass * balls / (cylinder + balls));
        let r2 = radius * radius;
        let along = 0.5 * mc * r2 + 0.4 * mb * r2;
        let across = mc * (length * length / 12.0 + 0.25 * r2)
            + mb * (0.4 * r2 + 0.25 * length * length + 0.375 * length * radius);
        let aa = Sym3::outer(axis);
        let inertia = Sym3::diagonal(DVec3::splat(across)) + aa * (along - across);
        Self::new(mass, 0.5 * (from + to), inertia)
    }

    /// Centre of mass \[m]; the origin for a massless body.
    #[inline]
    pub fn com(&self) -> DVec3 {
        if self.mass > 0.0 { self.moment / self.mass } else { DVec3::ZERO }
    }

    /// Rotational inertia about the centre of mass \[kg·m²].
    #[inline]
    pub fn inertia_com(&self) -> Sym3 {
        self.inertia + Sym3::point_mass(self.com()) * -self.mass
    }

    /// Momentum of the body about its origin, for a velocity in the same axes.
    #[inline(always)]
    pub fn momentum(&self, v: Motion) -> Force {
        Force {
            angular: self.inertia * v.angular + self.moment.cross(v.linear),
            linear: v.linear * self.mass + v.angular.cross(self.moment),
        }
    }

    /// The force that a body turning with `w` \[rad/s] needs at zero acceleration of its origin and of `w`:
    /// `(w × I w; w × (w × m c))`. It has no linear velocity in it.
    #[inline(always)]
    pub fn velocity_force(&self, w: DVec3) -> Force {
        Force { angular: w.cross(self.inertia * w), linear: w.cross(w.cross(self.moment)) }
    }

    /// Twice the kinetic energy \[J].
    #[inline]
    pub fn twice_kinetic_energy(&self, v: Motion) -> f64 {
        self.momentum(v).dot(v)
    }

    /// The body with its axes turned: `rotation` takes the old axes to the new ones.
    #[inline(always)]
    pub fn rotated(&self, rotation: DMat3) -> Self {
        Self { mass: self.mass, moment: rotation * self.moment, inertia: self.inertia.rotated(rotation) }
    }

    /// The inertia about a point from which the present origin is `offset` away \[m].
    pub fn about(&self, offset: DVec3) -> Self {
        // I' = I + m (|d|² 1 − d dᵀ) + 2 (mc·d) 1 − (mc dᵀ + d mcᵀ)
        let (d, h) = (offset, self.moment);
        let p = d * h;
        // product by product: with light bodies |h| ≪ |d|, and squares of sums would lose all digits
        let both = Sym3 {
            xx: 2.0 * (p.y + p.z),
            yy: 2.0 * (p.x + p.z),
            zz: 2.0 * (p.x + p.y),
            xy: -(h.x * d.y + h.y * d.x),
            xz: -(h.x * d.z + h.z * d.x),
            yz: -(h.y * d.z + h.z * d.y),
        };
        Self {
            mass: self.mass,
            moment: h + d * self.mass,
            inertia: self.inertia + Sym3::point_mass(d) * self.mass + both,
        }
    }

    /// The body seen from a parent frame in which its own frame stands at `parent_from_body`.
    pub fn transformed(&self, parent_from_body: &Pose) -> Self {
        self.rotated(parent_from_body.rotation).about(parent_from_body.translation)
    }

    /// As an articulated inertia of a body without joints.
    #[inline(always)]
    pub fn articulated(&self) -> ArticulatedInertia {
        ArticulatedInertia::from_rigid(self)
    }

    /// Whether all ten numbers are finite.
    pub fn is_finite(&self) -> bool {
        self.mass.is_finite() && self.moment.is_finite() && self.inertia.is_finite()
    }
}

impl Add for RigidInertia {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self { mass: self.mass + b.mass, moment: self.moment + b.moment, inertia: self.inertia + b.inertia }
    }
}

impl AddAssign for RigidInertia {
    #[inline(always)]
    fn add_assign(&mut self, b: Self) {
        *self = *self + b;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    /// Steiner's theorem, and the momentum seen from either frame is the same spatial vector.
    #[test]
    fn transformed_inertia_gives_the_same_momentum() {
        let body =
            RigidInertia::new(2.0, DVec3::new(0.1, -0.2, 0.3), Sym3::new([0.4, 0.02, -0.03, 0.5, 0.01, 0.3]));
        let pose = Pose::new(DVec3::new(-0.3, 0.7, 0.2), DQuat::from_xyzw(0.3, 0.1, -0.5, 0.8).normalize());
        let v_parent = Motion::new(DVec3::new(0.3, -0.6, 1.1), DVec3::new(-0.4, 0.9, 0.2));
        let v_body = pose.inverse().motion(v_parent);
        let expected = pose.force(body.momentum(v_body));
        let got = body.transformed(&pose).momentum(v_parent);
        for (a, b) in expected.to_array().iter().zip(got.to_array()) {
            assert!((a - b).abs() < 1e-14, "{expected:?} {got:?}");
        }
    }

    #[test]
    fn a_short_capsule_is_a_sphere_and_a_thin_one_a_rod() {
        let ball = RigidInertia::solid_capsule(3.0, DVec3::ZERO, DVec3::ZERO, 0.2).inertia_com();
        assert!((ball.xx - 0.4 * 3.0 * 0.04).abs() < 1e-15 && (ball.zz - ball.xx).abs() < 1e-15);
        let rod = RigidInertia::solid_capsule(3.0, DVec3::ZERO, DVec3::X, 1e-6).inertia_com();
        assert!((rod.yy - 3.0 / 12.0).abs() < 1e-5 && rod.xx < 1e-9);
    }
}
