//! Linear coefficients of rigid parts: b, p and η of a part that moves as one rigid body, as fixed functions of its
//! angular velocity.
//!
//! Redon, Galoppo & Lin 2005, theorems 3 and 4, whose tensors have 6³ and 6⁴ numbers. With accelerations of the body's
//! own points no linear velocity enters, and only the six products of the angular velocity remain; a seventh
//! feature, the constant 1, carries loads that are constant in the frames of the part: springs and motors at frozen
//! joints, thrusters. Theory, section 6 (its offset −w × v belongs to spatial accelerations and is gone here):
//!
//! ```text
//! z = (xx, yy, zz, xy, xz, yz, 1) of the angular velocity w, frame of the top
//! b = TB z        p = TP z        η = zᵀ TE z
//! ```
//!
//! So tensors are loads of seven columns, and join like any others ([`super::linear`]), once those of B are turned to
//! the frame of the top of the whole, and the joint's own acceleration is the centripetal w × (w × r).

use glam::{DMat3, DVec3};

use crate::model::{LinkId, Tree};
use crate::spatial::mat6::{add_scaled, column, combine, product};
use crate::spatial::{Force, Pose, Sym3};

use super::join::Joined;
use super::leaf::InverseInertia;
use super::linear::Linear;
use super::metric::MetricFactor;

/// Number of features.
pub const FEATURES: usize = 7;
/// Columns of tensors: one more, always zero, so that rows fill vector registers.
const COLUMNS: usize = 8;
/// TB, TP and TE of a part: b, p and η for the seven features.
pub type Tensors = Linear<COLUMNS>;
/// How the features in one frame follow from those in another.
pub(super) type Turn = [[f64; COLUMNS]; COLUMNS];

/// The axes of the six products of two coordinates.
const PRODUCTS: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];

/// The features of an angular velocity \[rad/s].
#[inline]
pub fn features(w: DVec3) -> [f64; COLUMNS] {
    let p = PRODUCTS.map(|(a, b)| w[a] * w[b]);
    [p[0], p[1], p[2], p[3], p[4], p[5], 1.0, 0.0]
}

/// `w × (w × r)` as a 3×6 matrix over the products of w: `w (w·r) − r (w·w)`.
fn centripetal(r: DVec3) -> [[f64; 6]; 3] {
    [[0.0, -r.x, -r.x, r.y, r.z, 0.0], [-r.y, 0.0, -r.y, r.x, 0.0, r.z], [-r.z, -r.z, 0.0, 0.0, r.x, r.y]]
}

/// The acceleration of β relative to α, β's frame, in a part that turns with `w` (β's frame) as one rigid body.
pub(crate) fn centripetal_acceleration(alpha_from_beta: &Pose, w: DVec3) -> [f64; 6] {
    let arm = alpha_from_beta.rotation.transpose() * alpha_from_beta.translation;
    let a = w.cross(w.cross(arm));
    [0.0, 0.0, 0.0, a.x, a.y, a.z]
}

/// `w × (J w)` as a 3×6 matrix over the products of w.
fn gyroscopic(j: Sym3) -> [[f64; 6]; 3] {
    [
        [0.0, j.yz, -j.yz, j.xz, -j.xy, j.zz - j.yy],
        [-j.xz, 0.0, j.xz, -j.yz, j.xx - j.zz, j.xy],
        [j.xy, -j.xy, 0.0, j.yy - j.xx, j.yz, -j.xz],
    ]
}

/// Z: the features of `R w` from those of w.
pub(super) fn turn(r: &DMat3) -> Turn {
    let entry = |i: usize, j: usize| r.col(j)[i];
    let mut z = [[0.0; COLUMNS]; COLUMNS];
    for (row, (a, b)) in z.iter_mut().zip(PRODUCTS) {
        for (x, (c, d)) in row.iter_mut().zip(PRODUCTS) {
            let once = entry(a, c) * entry(b, d);
            *x = if c == d { once } else { once + entry(a, d) * entry(b, c) };
        }
    }
    z[6][6] = 1.0;
    z
}

impl Tensors {
    /// Tensors of one of `pieces` equal shares of a link on which `constant` acts, fixed in its frame.
    pub fn of_leaf(tree: &Tree, leaf: &InverseInertia, link: LinkId, pieces: u32, constant: Force) -> Self {
        let body = &tree.links[link.index()].inertia;
        let (moment, force) = (gyroscopic(body.inertia), centripetal(body.moment));
        let mut b = [[0.0; COLUMNS]; 6];
        for k in 0..FEATURES {
            let load = if k < 6 {
                let column = |m: &[[f64; 6]; 3]| DVec3::new(m[0][k], m[1][k], m[2][k]);
                -Force::new(column(&moment), column(&force))
            } else {
                constant * f64::from(pieces)
            };
            for (row, a) in b.iter_mut().zip(leaf.acceleration(load).to_array()) {
                row[k] = a;
            }
        }
        Self::leaf(&b)
    }

    /// Joins B to A by a joint that stands still under the constant joint force `q0`. `self`, of A, becomes that of the whole. `b`, of B, are
    /// functions of the angular velocity in the frame of the whole's top already, by [`Tensors::turned`] with `beta_from_top`.
    pub(super) fn join_rigid(
        &mut self,
        of: Joined<'_>,
        metric: &MetricFactor,
        beta_from_top: &Turn,
        q0: &[f64],
        b: &Self,
    ) {
        let z = beta_from_top;
        let pose = of.alpha_from_beta;
        let arm = pose.rotation.transpose() * pose.translation;
        let mut c = [[0.0; COLUMNS]; 6];
        for (row, d) in c[3..].iter_mut().zip(centripetal(arm)) {
            combine(&[d[0], d[1], d[2], d[3], d[4], d[5], 0.0, 0.0], z, row);
        }
        let mut q = [[0.0; COLUMNS]; 6];
        for (row, q0) in q.iter_mut().zip(q0) {
            row[6] = *q0;
        }
        self.join(of, metric, &c, &q[..q0.len()], b);
    }

    /// These functions of the angular velocity, of a part with so many handles, written in another frame.
    pub(super) fn turned(&self, z: &Turn, handles: usize) -> Self {
        let mut out = Self::ZERO;
        for i in 0..6 * handles {
            combine(&self.b[i], z, &mut out.b[i]);
            combine(&self.p[i], z, &mut out.p[i]);
        }
        // Zᵀ TE Z; the lower triangle serves for both
        let half = product(&self.eta, z);
        for i in 0..FEATURES {
            combine(&column(z, i), &half, &mut out.eta[i]);
        }
        for i in 1..FEATURES {
            for j in 0..i {
                out.eta[j][i] = out.eta[i][j];
            }
        }
        out
    }

    /// b, p and η of the part turning with `w`, frame of its top.
    #[inline]
    pub fn evaluate(&self, w: DVec3) -> Linear<1> {
        let z = features(w);
        let dot = |row: &[f64; COLUMNS]| [row.iter().zip(&z).map(|(x, z)| x * z).sum::<f64>()];
        let eta_z = self.eta.map(|row| dot(&row)[0]);
        Linear { b: self.b.map(|row| dot(&row)), p: self.p.map(|row| dot(&row)), eta: [dot(&eta_z)] }
    }

    /// η alone: 𝒜 of the part when no force acts on its handles.
    #[inline]
    pub fn evaluate_eta(&self, w: DVec3) -> f64 {
        let z = features(w);
        let mut eta_z = [0.0; COLUMNS];
        for (row, z) in self.eta.iter().zip(&z) {
            add_scaled(&mut eta_z, *z, row);
        }
        eta_z.iter().zip(&z).map(|(x, z)| x * z).sum()
    }
}
