use std::ops::AddAssign;

use glam::{DMat3, DVec3};

use super::{Force, Motion, RigidInertia, Sym3};

/// Articulated inertia `[A H; Hᵀ M]` (symmetric, 21 numbers): the force that accelerates a body whose
/// descendants' joints are free to give way. Featherstone 2008, section 7.2.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ArticulatedInertia {
    /// A: moment per angular acceleration \[kg·m²].
    pub angular: Sym3,
    /// H: moment per linear acceleration \[kg·m].
    pub coupling: DMat3,
    /// M: force per linear acceleration \[kg].
    pub linear: Sym3,
}

impl ArticulatedInertia {
    /// No inertia.
    pub const ZERO: Self = Self { angular: Sym3::ZERO, coupling: DMat3::ZERO, linear: Sym3::ZERO };

    /// A rigid body: `H = [m c]×`, `M = m 1`.
    #[inline(always)]
    pub fn from_rigid(body: &RigidInertia) -> Self {
        let h = body.moment;
        Self {
            angular: body.inertia,
            coupling: DMat3::from_cols(
                DVec3::new(0.0, h.z, -h.y),
                DVec3::new(-h.z, 0.0, h.x),
                DVec3::new(h.y, -h.x, 0.0),
            ),
            linear: Sym3::diagonal(DVec3::splat(body.mass)),
        }
    }

    /// Force for an acceleration.
    #[inline(always)]
    pub fn force(&self, a: Motion) -> Force {
        Force {
            angular: self.angular * a.angular + self.coupling * a.linear,
            linear: transpose_mul(&self.coupling, a.angular) + self.linear * a.linear,
        }
    }

    /// Force for an angular acceleration `axis` alone.
    #[inline(always)]
    pub fn angular_column(&self, axis: DVec3) -> Force {
        Force { angular: self.angular * axis, linear: transpose_mul(&self.coupling, axis) }
    }

    /// Force for a linear acceleration `axis` alone.
    #[inline(always)]
    pub fn linear_column(&self, axis: DVec3) -> Force {
        Force { angular: self.coupling * axis, linear: self.linear * axis }
    }

    /// `self − u uᵀ / d`: what is left once a joint with `U = u`, `D = d` gives way. Featherstone (7.27).
    #[inline(always)]
    pub fn eliminate(&mut self, u: Force, d_inv: f64) {
        let (n, f) = (u.angular, u.linear);
        let (nd, fd) = (n * d_inv, f * d_inv);
        self.angular.xx -= nd.x * n.x;
        self.angular.xy -= nd.x * n.y;
        self.angular.xz -= nd.x * n.z;
        self.angular.yy -= nd.y * n.y;
        self.angular.yz -= nd.y * n.z;
        self.angular.zz -= nd.z * n.z;
        self.coupling.x_axis -= n * fd.x;
        self.coupling.y_axis -= n * fd.y;
        self.coupling.z_axis -= n * fd.z;
        self.linear.xx -= fd.x * f.x;
        self.linear.xy -= fd.x * f.y;
        self.linear.xz -= fd.x * f.z;
        self.linear.yy -= fd.y * f.y;
        self.linear.yz -= fd.y * f.z;
        self.linear.zz -= fd.z * f.z;
    }

    /// The inertia about a point from which the present origin is `r` away \[m], axes unchanged:
    /// `H' = H + r̂ M`, `A' = A − H r̂ − (H' r̂)ᵀ`.
    #[inline(always)]
    pub fn about(&self, r: DVec3) -> Self {
        let (h, m) = (&self.coupling, self.linear);
        let k = DMat3::from_cols(
            h.x_axis + r.cross(DVec3::new(m.xx, m.xy, m.xz)),
            h.y_axis + r.cross(DVec3::new(m.xy, m.yy, m.yz)),
            h.z_axis + r.cross(DVec3::new(m.xz, m.yz, m.zz)),
        );
        // (H r̂) has the columns H·(row of r̂): x: h_y r_z − h_z r_y, y: h_z r_x − h_x r_z, z: h_x r_y − h_y r_x
        let a = self.angular;
        let angular = Sym3 {
            xx: a.xx - (h.y_axis.x + k.y_axis.x) * r.z + (h.z_axis.x + k.z_axis.x) * r.y,
            xy: a.xy - (h.z_axis.x * r.x - h.x_axis.x * r.z) - (k.y_axis.y * r.z - k.z_axis.y * r.y),
            xz: a.xz - (h.x_axis.x * r.y - h.y_axis.x * r.x) - (k.y_axis.z * r.z - k.z_axis.z * r.y),
            yy: a.yy - (h.z_axis.y + k.z_axis.y) * r.x + (h.x_axis.y + k.x_axis.y) * r.z,
            yz: a.yz - (h.x_axis.y * r.y - h.y_axis.y * r.x) - (k.z_axis.z * r.x - k.x_axis.z * r.z),
            zz: a.zz - (h.x_axis.z + k.x_axis.z) * r.y + (h.y_axis.z + k.y_axis.z) * r.x,
        };
        Self { angular, coupling: k, linear: m }
    }
}

/// `mᵀ v` without forming the transpose.
#[inline(always)]
pub(crate) fn transpose_mul(m: &DMat3, v: DVec3) -> DVec3 {
    DVec3::new(m.x_axis.dot(v), m.y_axis.dot(v), m.z_axis.dot(v))
}

impl AddAssign for ArticulatedInertia {
    #[inline(always)]
    fn add_assign(&mut self, b: Self) {
        self.angular += b.angular;
        self.coupling += b.coupling;
        self.linear += b.linear;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `about` is the congruence `Xᵀ I X`: forces agree for the same rigid motion seen from both points.
    #[test]
    fn about_is_a_congruence_even_for_a_general_inertia() {
        let i = ArticulatedInertia {
            angular: Sym3::new([4.0, 0.5, -0.25, 3.0, 0.75, 2.0]),
            coupling: DMat3::from_cols_array(&[0.1, 0.2, -0.3, 0.4, 0.5, 0.6, -0.7, 0.8, 0.9]),
            linear: Sym3::new([2.0, 0.1, 0.2, 2.5, -0.3, 1.5]),
        };
        let r = DVec3::new(0.3, -1.2, 0.7);
        let at_parent = Motion::new(DVec3::new(1.0, 2.0, -3.0), DVec3::new(0.5, -0.25, 0.125));
        let expected = i.force(at_parent.at(r)).about(r);
        let got = i.about(r).force(at_parent);
        for (a, b) in expected.to_array().iter().zip(got.to_array()) {
            assert!((a - b).abs() < 1e-13, "{expected:?} {got:?}");
        }
    }
}
