//! Joining two parts by a joint: the one formula of the divide-and-conquer algorithm for every case.
//!
//! Redon, Galoppo & Lin 2005, equation (2), in the form of theory, section 3. A part answers forces f on its handles
//! with accelerations `a_h = Σ_k Φ_hk f_k + b_h`, each handle in its own link's frame; C is A and B joined at the
//! joint between α in A and β, the top of B. All below is in β's frame, X takes motions from α to β:
//!
//! ```text
//! M  = X Φᴬ_αα Xᵀ + Φᴮ_ββ         x = [X Φᴬ_α,rA , −Φᴮ_β,rB]      rA, rB: handles of A, B that stay handles
//! β  = X bᴬ_α − bᴮ_β + c           M f_J = x f + β + S q̈           Sᵀ f_J = Q − m q̈
//! ```
//!
//! The theory eliminates f_J by `V = M⁻¹`, then q̈ by `D = Sᵀ V S + m` (m: armature and implicit terms), so that W is
//! a difference of large terms. Here the order is turned round, which needs no inverse and leaves `W S = 0` exact where
//! m = 0. In axes in which S is the last d unit vectors (`E S = [0; 1]`), rows of `[M | x | β]` are eliminated by those
//! without freedom, c; with T for all row operations so far and s for the last d rows there remains
//!
//! ```text
//! Σ (Q − m q̈) = (T x f + T β)_s + q̈           Σ = (Sᵀ V S)⁻¹, the Schur complement
//! q̈   = r − U x f           r = (1 + Σ m)⁻¹ (Σ Q − T β)_s         U x = (1 + Σ m)⁻¹ (T x)_s
//! f_J = Tᵀ (w ∘ x̂ f + g)    x̂ = [(T x)_c; U x]    w = [1/pivots; m]    g = [w (T β)_c; Q − m r]
//! Φᶜ  = diag(Φᴬ, Φᴮ) − (w ∘ x̂)ᵀ T x           bᶜ = [bᴬ; bᴮ] − (w ∘ x̂)ᵀ T β − (U x)ᵀ Q
//! ```
//!
//! So `W = Tᵀ diag(1/pivots, N) T`, N = m (1 + Σ m)⁻¹, and the theory's `γ = Tᵀ g`. The same letters serve
//! what is linear in the loads ([`super::linear`]) and the metric ([`super::metric`]).

use crate::spatial::{Motion, Pose};

use super::assembly_tree::{Bottom, Handle, Join};
use super::joint_motion::{JointMotion, Subspace};
use super::mat6::{self, Mat6, Vec6, add_scaled, congruence, force_to_parent, mirror, product, to_child};

/// A symmetric matrix over the handles of a part, Φ or Ψ; what belongs to a bottom it lacks is of no meaning.
#[derive(Clone, Copy, Debug)]
pub struct HandleMatrix {
    /// Rows of the top, columns of the top.
    pub top: Mat6,
    /// Rows of the bottom, columns of the top, then of the bottom.
    pub bottom: [[f64; 12]; 6],
}

impl HandleMatrix {
    /// Zero.
    pub const ZERO: Self = Self { top: mat6::ZERO, bottom: [[0.0; 12]; 6] };

    /// Of a part with one handle.
    #[inline(always)]
    pub const fn single(top: Mat6) -> Self {
        Self { top, bottom: [[0.0; 12]; 6] }
    }

    /// `fᵀ self f`.
    pub fn quadratic(&self, has_bottom: bool, f: &HandleVector) -> f64 {
        let (top, bottom) = f.split_at(6);
        let mut sum = 0.0;
        for i in 0..6 {
            for j in 0..6 {
                sum += top[i] * self.top[i][j] * top[j];
            }
        }
        if has_bottom {
            for i in 0..6 {
                for j in 0..6 {
                    sum += bottom[i] * (2.0 * self.bottom[i][j] * top[j] + self.bottom[i][6 + j] * bottom[j]);
                }
            }
        }
        sum
    }
}

/// A vector over the handles of a part: six numbers of the top, then six of the bottom, each in its link's frame.
pub type HandleVector = [f64; 12];

/// Which handles meet at a join and which stay.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Which handle of A is α.
    pub alpha: Handle,
    /// Where the bottom of the whole comes from.
    pub bottom: Bottom,
}

impl Shape {
    /// Of a join of the assembly tree.
    #[inline(always)]
    pub fn of(join: &Join) -> Self {
        Self { alpha: join.alpha, bottom: join.bottom }
    }

    /// Whether the whole has a bottom.
    #[inline(always)]
    pub fn has_bottom(self) -> bool {
        self.bottom != Bottom::None
    }
}

/// What the elimination at one join leaves: all that loads and substitution need of it.
#[derive(Clone, Copy, Debug)]
pub struct Factor {
    /// `x̂ = [(T x)_c; U x]`, columns of the top, then of the bottom of C.
    pub x: [[f64; 12]; 6],
    /// T, axes of β.
    pub t: Mat6,
    /// w: inverse pivots, then m.
    pub w: Vec6,
    /// Σ, the first d rows and columns; not kept up for welds.
    pub sigma: Mat6,
    /// d.
    pub dofs: usize,
}

impl Factor {
    /// Nothing yet.
    pub const EMPTY: Self =
        Self { x: [[0.0; 12]; 6], t: mat6::ZERO, w: [0.0; 6], sigma: mat6::ZERO, dofs: 0 };
}

/// Joins B to A: `a` becomes Φ of the whole. `m` is added to the joint's inertia, one entry per degree of freedom.
#[inline(always)]
pub fn join(
    shape: Shape,
    joint: &JointMotion<'_>,
    m: &[f64],
    a: &mut HandleMatrix,
    b: &HandleMatrix,
    factor: &mut Factor,
) {
    match shape.bottom {
        Bottom::None => join_columns::<6>(shape, joint, m, a, b, factor),
        _ => join_columns::<12>(shape, joint, m, a, b, factor),
    }
}

/// Joins a whole body with the world, which no force moves: theory, section 3, root.
#[inline(always)]
pub fn join_base(joint: &JointMotion<'_>, m: &[f64], b: &HandleMatrix, factor: &mut Factor) {
    let mut sum = b.top;
    eliminate::<0>(joint, m, &mut sum, factor);
    free_rows(m, &sum, factor);
}

/// N columns: six for each handle of C.
#[inline(always)]
fn join_columns<const N: usize>(
    shape: Shape,
    joint: &JointMotion<'_>,
    m: &[f64],
    a: &mut HandleMatrix,
    b: &HandleMatrix,
    factor: &mut Factor,
) {
    let x_aa = columns::<N>(shape, &joint.alpha_from_beta, a, b, &mut factor.x);
    let mut sum = congruence(&joint.alpha_from_beta, &x_aa);
    for (row, b) in sum.iter_mut().zip(&b.top) {
        add_scaled(row, 1.0, b);
    }
    eliminate::<N>(joint, m, &mut sum, factor);

    // Φᶜ = diag(Φᴬ, Φᴮ) − (w ∘ x̂)ᵀ T x
    keep_handles(shape, a, b);
    let mut w_x = [[0.0; N]; 6];
    for k in 0..6 {
        for j in 0..N {
            w_x[k][j] = factor.w[k] * factor.x[k][j];
        }
    }
    if factor.dofs == 1 && m[0] == 0.0 {
        // a row with freedom counts only where there is armature, and then x̂ is T x
        subtract_products::<N, 5>(a, &w_x, &factor.x);
        factor.sigma[0][0] = sum[5][5];
    } else {
        let t_x = factor.x;
        free_rows(m, &sum, factor);
        for k in 6 - factor.dofs..6 {
            for j in 0..N {
                w_x[k][j] = factor.w[k] * factor.x[k][j];
            }
        }
        subtract_products::<N, 6>(a, &w_x, &t_x);
    }
}

/// Writes `[X Φᴬ_α,rA , −Φᴮ_β,rB]`, gives `X Φᴬ_αα`; the same with Ψ.
#[inline(always)]
pub(super) fn columns<const N: usize>(
    shape: Shape,
    alpha_from_beta: &Pose,
    a: &HandleMatrix,
    b: &HandleMatrix,
    x: &mut [[f64; 12]; 6],
) -> Mat6 {
    let mut x_aa = mat6::ZERO;
    match shape.alpha {
        Handle::Top => {
            x_aa = a.top;
            to_child(alpha_from_beta, &mut x_aa);
            for i in 0..6 {
                x[i][..6].copy_from_slice(&x_aa[i]);
            }
        }
        Handle::Bottom => {
            let mut both = a.bottom;
            to_child(alpha_from_beta, &mut both);
            for i in 0..6 {
                x[i][..6].copy_from_slice(&both[i][..6]);
                x_aa[i].copy_from_slice(&both[i][6..]);
            }
        }
    }
    if N > 6 {
        match (shape.bottom, shape.alpha) {
            (Bottom::None, _) => {}
            (Bottom::OfA, Handle::Bottom) => {
                for i in 0..6 {
                    x[i][6..].copy_from_slice(&x_aa[i]);
                }
            }
            (Bottom::OfA, Handle::Top) => {
                let mut x_tb = mat6::ZERO;
                for i in 0..6 {
                    for j in 0..6 {
                        x_tb[i][j] = a.bottom[j][i];
                    }
                }
                to_child(alpha_from_beta, &mut x_tb);
                for i in 0..6 {
                    x[i][6..].copy_from_slice(&x_tb[i]);
                }
            }
            (Bottom::TopOfB, _) => {
                for i in 0..6 {
                    for j in 0..6 {
                        x[i][6 + j] = -b.top[i][j];
                    }
                }
            }
            (Bottom::OfB, _) => {
                for i in 0..6 {
                    for j in 0..6 {
                        x[i][6 + j] = -b.bottom[j][i];
                    }
                }
            }
        }
    }
    x_aa
}

/// `diag(Φᴬ_rA,rA, Φᴮ_rB,rB)`, in place of Φᴬ.
#[inline(always)]
pub(super) fn keep_handles(shape: Shape, a: &mut HandleMatrix, b: &HandleMatrix) {
    match shape.bottom {
        Bottom::None | Bottom::OfA => {}
        Bottom::TopOfB => {
            for (row, b) in a.bottom.iter_mut().zip(&b.top) {
                row[..6].fill(0.0);
                row[6..].copy_from_slice(b);
            }
        }
        Bottom::OfB => {
            for (row, b) in a.bottom.iter_mut().zip(&b.bottom) {
                row[..6].fill(0.0);
                row[6..].copy_from_slice(&b[6..]);
            }
        }
    }
}

/// Eliminates the rows without freedom from `[M | x | E]`: leaves Σ in the last d rows of M, `T x` and T.
#[inline(always)]
fn eliminate<const N: usize>(joint: &JointMotion<'_>, m: &[f64], sum: &mut Mat6, factor: &mut Factor) {
    let Factor { x, t, w, dofs, .. } = factor;
    *t = mat6::IDENTITY;
    *dofs = joint.subspace.dofs();
    w[6 - *dofs..].copy_from_slice(m);
    match joint.subspace {
        Subspace::Turn => {
            // rows and columns 2 and 5 change places
            for row in sum.iter_mut() {
                row.swap(2, 5);
            }
            sum.swap(2, 5);
            x.swap(2, 5);
            t.swap(2, 5);
            eliminate_rows::<N, 5>(sum, x, t, w);
        }
        Subspace::Slide => eliminate_rows::<N, 5>(sum, x, t, w),
        _ => align_and_eliminate::<N>(&joint.subspace, sum, x, t, w),
    }
}

/// All joints but hinges and slides.
#[inline(never)]
fn align_and_eliminate<const N: usize>(
    subspace: &Subspace<'_>,
    sum: &mut Mat6,
    x: &mut [[f64; 12]; 6],
    t: &mut Mat6,
    w: &mut Vec6,
) {
    if !matches!(subspace, Subspace::Weld | Subspace::Free) {
        let e = alignment(subspace);
        *t = e;
        *x = product(&e, x);
        *sum = product(&e, &mat6::transposed(&product(&e, sum)));
    }
    match subspace.dofs() {
        0 => eliminate_rows::<N, 6>(sum, x, t, w),
        1 => eliminate_rows::<N, 5>(sum, x, t, w),
        2 => eliminate_rows::<N, 4>(sum, x, t, w),
        3 => eliminate_rows::<N, 3>(sum, x, t, w),
        4 => eliminate_rows::<N, 2>(sum, x, t, w),
        5 => eliminate_rows::<N, 1>(sum, x, t, w),
        _ => {}
    }
}

/// Keeps Σ, and turns the last d rows of `T x` into `U x`.
fn free_rows(m: &[f64], sum: &Mat6, factor: &mut Factor) {
    let (d, c) = (factor.dofs, 6 - factor.dofs);
    for i in 0..d {
        for j in 0..d {
            // of M the upper triangle is kept up
            factor.sigma[i][j] = sum[c + i.min(j)][c + i.max(j)];
        }
    }
    let Factor { x, sigma, .. } = factor;
    solve_free(sigma, m, x);
}

/// E with `E S = [0; 1]`.
fn alignment(subspace: &Subspace<'_>) -> Mat6 {
    let mut e = mat6::IDENTITY;
    match *subspace {
        Subspace::Weld | Subspace::Slide | Subspace::Free => {}
        Subspace::Turn => e.swap(2, 5),
        Subspace::Screw(pitch) => {
            e[5][2] = -pitch;
            e.swap(2, 5);
        }
        Subspace::Ball => e.rotate_left(3),
        Subspace::General { axes, rotation } => {
            let to_beta = rotation.transpose();
            let mut s = [Motion::ZERO; 6];
            for (s, axis) in s.iter_mut().zip(axes) {
                *s = Motion::new(to_beta * axis.angular, to_beta * axis.linear);
            }
            e = general_alignment(&s[..axes.len()]);
        }
    }
    e
}

/// Rows of `[S | 1]` are reduced with the largest pivot left each time; rows without pivot come first.
fn general_alignment(axes: &[Motion]) -> Mat6 {
    let dofs = axes.len();
    let mut e = mat6::IDENTITY;
    // s[k] is column k
    let mut s = [[0.0; 6]; 6];
    for (column, axis) in s.iter_mut().zip(axes) {
        *column = axis.to_array();
    }
    // by column the row of its pivot
    let mut pivot_row = [usize::MAX; 6];
    for _ in 0..dofs {
        let (mut best, mut row, mut column) = (-1.0, 0, 0);
        for k in (0..dofs).filter(|&k| pivot_row[k] == usize::MAX) {
            for i in (0..6).filter(|i| !pivot_row[..dofs].contains(i)) {
                if s[k][i].abs() > best {
                    (best, row, column) = (s[k][i].abs(), i, k);
                }
            }
        }
        pivot_row[column] = row;
        let scale = 1.0 / s[column][row];
        for k in 0..dofs {
            s[k][row] *= scale;
        }
        e[row] = e[row].map(|x| x * scale);
        let pivot = e[row];
        for i in (0..6).filter(|&i| i != row) {
            let factor = s[column][i];
            for k in 0..dofs {
                s[k][i] -= factor * s[k][row];
            }
            add_scaled(&mut e[i], -factor, &pivot);
        }
    }
    let mut aligned = mat6::ZERO;
    let constrained = (0..6).filter(|i| !pivot_row[..dofs].contains(i));
    for (to, from) in constrained.chain(pivot_row[..dofs].iter().copied()).enumerate() {
        aligned[to] = e[from];
    }
    aligned
}

/// Gaussian elimination of the first C rows of `[M | x | T]` from the rows below them. M is symmetric: its upper
/// triangle is all that is used and kept up.
#[inline(always)]
fn eliminate_rows<const N: usize, const C: usize>(
    m: &mut Mat6,
    x: &mut [[f64; 12]; 6],
    t: &mut Mat6,
    w: &mut Vec6,
) {
    for k in 0..C {
        let inverse = 1.0 / m[k][k];
        w[k] = inverse;
        for i in k + 1..6 {
            let l = -m[k][i] * inverse;
            for j in i..6 {
                m[i][j] += l * m[k][j];
            }
            for j in 0..N {
                x[i][j] += l * x[k][j];
            }
            for j in 0..6 {
                t[i][j] += l * t[k][j];
            }
        }
    }
}

/// `(1 + Σ m)⁻¹` applied to the last d rows. Leading minors of `1 + Σ m` are at least 1, so it needs no pivoting.
pub(super) fn solve_free<const N: usize>(sigma: &Mat6, m: &[f64], rows: &mut [[f64; N]; 6]) {
    let (d, c) = (m.len(), 6 - m.len());
    if m.iter().all(|m| *m == 0.0) {
        return;
    }
    let mut lhs = mat6::ZERO;
    for i in 0..d {
        for j in 0..d {
            lhs[i][j] = sigma[i][j] * m[j];
        }
        lhs[i][i] += 1.0;
    }
    for k in 0..d {
        for i in k + 1..d {
            let l = -lhs[i][k] / lhs[k][k];
            let (row, pivot) = (rows[c + k], lhs[k]);
            add_scaled(&mut lhs[i], l, &pivot);
            add_scaled(&mut rows[c + i], l, &row);
        }
    }
    for k in (0..d).rev() {
        for j in k + 1..d {
            let row = rows[c + j];
            add_scaled(&mut rows[c + k], -lhs[k][j], &row);
        }
        let inverse = 1.0 / lhs[k][k];
        for x in &mut rows[c + k] {
            *x *= inverse;
        }
    }
}

/// `Φ −= (w ∘ x̂)ᵀ T x`, over the first K rows. The lower triangle is mirrored: rounding leaves the two a little apart.
#[inline(always)]
fn subtract_products<const N: usize, const K: usize>(
    phi: &mut HandleMatrix,
    w_x: &[[f64; N]; 6],
    x: &[[f64; 12]; 6],
) {
    for i in 0..6 {
        let mut row = phi.top[i];
        for k in 0..K {
            for j in 0..6 {
                row[j] -= w_x[k][i] * x[k][j];
            }
        }
        phi.top[i] = row;
    }
    mirror(&mut phi.top);
    if N > 6 {
        for i in 0..6 {
            let mut row = phi.bottom[i];
            for k in 0..K {
                for j in 0..12 {
                    row[j] -= w_x[k][6 + i] * x[k][j];
                }
            }
            phi.bottom[i] = row;
        }
        mirror_bottom(phi);
    }
}

#[inline(always)]
fn mirror_bottom(m: &mut HandleMatrix) {
    for i in 1..6 {
        for j in 0..i {
            m.bottom[j][6 + i] = m.bottom[i][6 + j];
        }
    }
}

/// The handle of a part as six rows of a vector over its handles.
#[inline(always)]
pub(super) fn of_handle<T: Copy>(handle: Handle, v: &[T; 12]) -> [T; 6] {
    let at = if handle == Handle::Top { 0 } else { 6 };
    std::array::from_fn(|i| v[at + i])
}

/// `[vᴬ_rA; vᴮ_rB]`.
#[inline(always)]
pub(super) fn kept<T: Copy>(shape: Shape, a: &[T; 12], b: &[T; 12]) -> [T; 12] {
    let mut out = *a;
    match shape.bottom {
        Bottom::None | Bottom::OfA => {}
        Bottom::TopOfB => out[6..].copy_from_slice(&b[..6]),
        Bottom::OfB => out[6..].copy_from_slice(&b[6..]),
    }
    out
}

/// Substitution at a join: joint acceleration (the first d numbers) and the forces on the handles of A and B, from
/// the forces f on the handles of C. Theory, section 3, back-substitution.
#[inline(always)]
pub fn substitute(
    shape: Shape,
    joint_pose: &Pose,
    factor: &Factor,
    g: &Vec6,
    r: &Vec6,
    f: &HandleVector,
) -> (Vec6, HandleVector, HandleVector) {
    let (qdd, force) = joint_solution(factor, g, r, Some((f, shape.has_bottom())));
    let back = force_to_parent(joint_pose, &force);
    let (mut f_a, mut f_b) = ([0.0; 12], [0.0; 12]);
    f_a[..6].copy_from_slice(&f[..6]);
    match shape.bottom {
        Bottom::None => {}
        Bottom::OfA => f_a[6..].copy_from_slice(&f[6..]),
        Bottom::TopOfB => f_b[..6].copy_from_slice(&f[6..]),
        Bottom::OfB => f_b[6..].copy_from_slice(&f[6..]),
    }
    let alpha = if shape.alpha == Handle::Top { 0 } else { 6 };
    for i in 0..6 {
        f_a[alpha + i] -= back[i];
        f_b[i] += force[i];
    }
    (qdd, f_a, f_b)
}

/// Substitution at the base: joint acceleration, and the force on the whole body.
#[inline(always)]
pub fn substitute_base(factor: &Factor, g: &Vec6, r: &Vec6) -> (Vec6, HandleVector) {
    let (qdd, force) = joint_solution(factor, g, r, None);
    let mut f_b = [0.0; 12];
    f_b[..6].copy_from_slice(&force);
    (qdd, f_b)
}

/// `q̈ = r − U x f` and `f_J = Tᵀ (w ∘ x̂ f + g)`.
#[inline(always)]
fn joint_solution(factor: &Factor, g: &Vec6, r: &Vec6, f: Option<(&HandleVector, bool)>) -> (Vec6, Vec6) {
    let c = 6 - factor.dofs;
    let (mut qdd, mut force) = ([0.0; 6], [0.0; 6]);
    for k in 0..6 {
        let mut x_f = 0.0;
        if let Some((f, has_bottom)) = f {
            let n = if has_bottom { 12 } else { 6 };
            for i in 0..n {
                x_f += factor.x[k][i] * f[i];
            }
        }
        if k >= c {
            qdd[k - c] = r[k] - x_f;
        }
        add_scaled(&mut force, factor.w[k] * x_f + g[k], &factor.t[k]);
    }
    (qdd, force)
}
