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
//! m = 0. In axes in which S is the last d unit vectors (`E S = [0; 1]`), rows of `[M | E | x | β]` are eliminated by
//! those without freedom, c, each divided by the root of its pivot; with T for all row operations so far and s for
//! the last d rows there remains
//!
//! ```text
//! Σ (Q − m q̈) = (T x f + T β)_s + q̈           Σ = (Sᵀ V S)⁻¹, the Schur complement
//! q̈   = r − U x f           r = (1 + Σ m)⁻¹ (Σ Q − T β)_s         U x = (1 + Σ m)⁻¹ (T x)_s
//! f_J = Tᵀ (w ∘ x̂ f + g)    x̂ = [(T x)_c; U x]     w = [1; m]      g = [(T β)_c; Q − m r]
//! Φᶜ  = diag(Φᴬ, Φᴮ) − (w ∘ x̂)ᵀ T x           bᶜ = [bᴬ; bᴮ] − (w ∘ x̂)ᵀ T β − (U x)ᵀ Q
//! ```
//!
//! So `W = Tᵀ diag(1, N) T`, N = m (1 + Σ m)⁻¹, and the theory's `γ = Tᵀ g`. The same letters serve
//! what is linear in the loads ([`super::linear`]) and the metric ([`super::metric`]).
//!
//! Loops over rows call small functions that are not inlined: left to itself the compiler unrolls the columns and
//! vectorises over rows, with scattered stores that cost twice the time.

use crate::spatial::mat6::{self, Mat6, Vec6, add_scaled, congruence, force_to_parent, product, to_child};
use crate::spatial::{Motion, Pose};

use super::joint_motion::{JointMotion, Subspace};
use super::tree::{Bottom, Handle, Join};

/// A symmetric matrix over the handles of a part, Φ or Ψ: rows and columns of the top, then of the bottom, each in
/// its link's frame. What belongs to a bottom that the part lacks is of no meaning.
#[derive(Clone, Copy, Debug)]
pub struct HandleMatrix(pub [[f64; 12]; 12]);

impl HandleMatrix {
    /// Zero.
    pub const ZERO: Self = Self([[0.0; 12]; 12]);

    /// Of a part with one handle.
    #[inline(always)]
    pub fn single(top: &Mat6) -> Self {
        let mut m = Self::ZERO;
        m.set_top(top);
        m
    }

    /// Sets the block of the top.
    #[inline(always)]
    pub fn set_top(&mut self, top: &Mat6) {
        for (row, top) in self.0.iter_mut().zip(top) {
            row[..6].copy_from_slice(top);
        }
    }

    /// The block of the top.
    #[inline(always)]
    pub fn top(&self) -> Mat6 {
        std::array::from_fn(|i| std::array::from_fn(|j| self.0[i][j]))
    }

    /// `fᵀ self f` for a part with so many handles.
    #[inline]
    pub fn quadratic(&self, handles: usize, f: &HandleVector) -> f64 {
        if handles > 1 { self.quadratic_of::<12>(f) } else { self.quadratic_of::<6>(f) }
    }

    /// The matrix is symmetric, so its rows serve as columns.
    #[inline(always)]
    fn quadratic_of<const N: usize>(&self, f: &HandleVector) -> f64 {
        let mut sum = [0.0; N];
        for i in 0..N {
            for j in 0..N {
                sum[j] += f[i] * self.0[i][j];
            }
        }
        (0..N).map(|j| sum[j] * f[j]).sum()
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
    /// w: ones, then m.
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

/// Two parts that a joint has joined.
#[derive(Clone, Copy, Debug)]
pub struct Joined<'a> {
    /// Which handles meet and which stay.
    pub shape: Shape,
    /// Pose of β in α.
    pub alpha_from_beta: &'a Pose,
    /// What the elimination has left.
    pub factor: &'a Factor,
}

/// Six rows `[M | T | x]`.
type Rows = [[f64; 24]; 6];
/// Where T and x begin in [`Rows`].
const T: usize = 6;
const X: usize = 12;

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
        Bottom::None => join_columns::<6, 18>(shape, joint, m, a, b, factor),
        _ => join_columns::<12, 24>(shape, joint, m, a, b, factor),
    }
}

/// Joins a whole body with the world, which no force moves: theory, section 3, root.
pub fn join_base(joint: &JointMotion<'_>, m: &[f64], b: &HandleMatrix, factor: &mut Factor) {
    let mut rows: Rows = [[0.0; 24]; 6];
    for i in 0..6 {
        rows[i][..6].copy_from_slice(&b.0[i][..6]);
    }
    let order = eliminate::<12>(joint, &mut rows, factor);
    factor.keep::<0>(m, &rows, order);
}

/// N columns of x, six for each handle of C, and W = 12 + N in all.
#[inline(always)]
fn join_columns<const N: usize, const W: usize>(
    shape: Shape,
    joint: &JointMotion<'_>,
    m: &[f64],
    a: &mut HandleMatrix,
    b: &HandleMatrix,
    factor: &mut Factor,
) {
    let mut rows: Rows = [[0.0; 24]; 6];
    columns::<N>(shape, &joint.alpha_from_beta, a, b, &mut rows);
    let order = eliminate::<W>(joint, &mut rows, factor);
    keep_handles(shape, a, b);
    factor.keep::<N>(m, &rows, order);
    if factor.dofs == 1 && m[0] == 0.0 {
        // a row with freedom counts only where there is armature
        subtract_squares::<N, 5>(a, &factor.x);
    } else {
        subtract_squares::<N, 6>(a, &force_rows(factor, &rows, order));
    }
}

/// Writes `M = X Φᴬ_αα Xᵀ + Φᴮ_ββ` and `x = [X Φᴬ_α,rA , −Φᴮ_β,rB]`; the same with Ψ.
#[inline(always)]
pub(super) fn columns<const N: usize>(
    shape: Shape,
    alpha_from_beta: &Pose,
    a: &HandleMatrix,
    b: &HandleMatrix,
    rows: &mut Rows,
) {
    let x_aa = match (shape.alpha, shape.bottom) {
        (Handle::Top, Bottom::None | Bottom::TopOfB | Bottom::OfB) => {
            let x_aa: Mat6 = to_child(alpha_from_beta, &a.0[..6]);
            for i in 0..6 {
                rows[i][X..X + 6].copy_from_slice(&x_aa[i]);
            }
            x_aa
        }
        (alpha, bottom) => {
            let at = if alpha == Handle::Top { 0 } else { 6 };
            let x: [[f64; 12]; 6] = to_child(alpha_from_beta, &a.0[at..at + 6]);
            for i in 0..6 {
                rows[i][X..X + 6].copy_from_slice(&x[i][..6]);
                if bottom == Bottom::OfA {
                    rows[i][X + 6..].copy_from_slice(&x[i][6..]);
                }
            }
            std::array::from_fn(|i| std::array::from_fn(|j| x[i][at + j]))
        }
    };
    if N > 6 {
        let from = match shape.bottom {
            Bottom::TopOfB => 0,
            Bottom::OfB => 6,
            Bottom::None | Bottom::OfA => usize::MAX,
        };
        if from <= 6 {
            for i in 0..6 {
                for j in 0..6 {
                    rows[i][X + 6 + j] = -b.0[i][from + j];
                }
            }
        }
    }
    let sum = congruence(alpha_from_beta, &x_aa);
    for i in 0..6 {
        for j in 0..6 {
            rows[i][j] = sum[i][j] + b.0[i][j];
        }
    }
}

/// `diag(Φᴬ_rA,rA, Φᴮ_rB,rB)`, in place of Φᴬ.
#[inline(always)]
pub(super) fn keep_handles(shape: Shape, a: &mut HandleMatrix, b: &HandleMatrix) {
    let from = match shape.bottom {
        Bottom::None | Bottom::OfA => return,
        Bottom::TopOfB => 0,
        Bottom::OfB => 6,
    };
    for i in 0..6 {
        a.0[i][6..].fill(0.0);
        a.0[6 + i][..6].fill(0.0);
        a.0[6 + i][6..].copy_from_slice(&b.0[from + i][from..from + 6]);
    }
}

/// Eliminates the rows without freedom: Σ, T and `T x` are left in the rows, W columns of them. The last d rows of the
/// order that it gives are those with freedom.
#[inline(always)]
fn eliminate<const W: usize>(joint: &JointMotion<'_>, rows: &mut Rows, factor: &mut Factor) -> [usize; 6] {
    factor.dofs = joint.subspace.dofs();
    match joint.subspace {
        Subspace::Turn | Subspace::Slide => {
            for (i, row) in rows.iter_mut().enumerate() {
                row[T + i] = 1.0;
            }
            if matches!(joint.subspace, Subspace::Turn) {
                eliminate_rows::<W, 5>(rows, TURN_LAST)
            } else {
                eliminate_rows::<W, 5>(rows, IN_ORDER)
            }
        }
        _ => align_and_eliminate::<W>(&joint.subspace, rows),
    }
}

const IN_ORDER: [usize; 6] = [0, 1, 2, 3, 4, 5];
/// The turn about z comes last.
const TURN_LAST: [usize; 6] = [0, 1, 3, 4, 5, 2];

/// All joints but hinges and slides.
#[inline(never)]
fn align_and_eliminate<const W: usize>(subspace: &Subspace<'_>, rows: &mut Rows) -> [usize; 6] {
    let e = alignment(subspace);
    if !matches!(subspace, Subspace::Weld | Subspace::Free) {
        *rows = product(&e, rows);
        let m: Mat6 = std::array::from_fn(|i| std::array::from_fn(|j| rows[j][i]));
        for (row, m) in rows.iter_mut().zip(product(&e, &m)) {
            row[..6].copy_from_slice(&m);
        }
    }
    for (row, e) in rows.iter_mut().zip(&e) {
        row[T..X].copy_from_slice(e);
    }
    match subspace.dofs() {
        0 => eliminate_rows::<W, 6>(rows, IN_ORDER),
        1 => eliminate_rows::<W, 5>(rows, IN_ORDER),
        2 => eliminate_rows::<W, 4>(rows, IN_ORDER),
        3 => eliminate_rows::<W, 3>(rows, IN_ORDER),
        4 => eliminate_rows::<W, 2>(rows, IN_ORDER),
        5 => eliminate_rows::<W, 1>(rows, IN_ORDER),
        _ => IN_ORDER,
    }
}

/// Gaussian elimination by the first C rows in an order, and division by the roots of the pivots. M is symmetric:
/// entry (k, i) of a row k that is done serves for (i, k).
#[inline(always)]
fn eliminate_rows<const W: usize, const C: usize>(rows: &mut Rows, order: [usize; 6]) -> [usize; 6] {
    let mut inverse = [0.0; 6];
    for n in 0..6 {
        let i = order[n];
        if n > 0 {
            eliminate_row::<W>(i, &order[..n.min(C)], rows, &inverse);
        }
        if n < C {
            inverse[n] = 1.0 / rows[i][i];
        }
    }
    for n in 0..C {
        let root = inverse[n].sqrt();
        for x in &mut rows[order[n]][T..W] {
            *x *= root;
        }
    }
    order
}

/// Row i less multiples of the rows that are done. (See the end of the module's page for why it is not inlined.)
#[inline(never)]
fn eliminate_row<const W: usize>(i: usize, done: &[usize], rows: &mut Rows, inverse: &Vec6) {
    let mut row: [f64; W] = std::array::from_fn(|j| rows[i][j]);
    for (&k, inverse) in done.iter().zip(inverse) {
        let l = rows[k][i] * inverse;
        for j in 0..W {
            row[j] -= l * rows[k][j];
        }
    }
    rows[i][..W].copy_from_slice(&row);
}

impl Factor {
    /// Keeps what the elimination has left, N columns of x: Σ, T, x̂.
    #[inline(always)]
    fn keep<const N: usize>(&mut self, m: &[f64], rows: &Rows, order: [usize; 6]) {
        let (d, c) = (self.dofs, 6 - self.dofs);
        for (to, from) in order.into_iter().enumerate() {
            self.t[to].copy_from_slice(&rows[from][T..X]);
            self.x[to][..N].copy_from_slice(&rows[from][X..X + N]);
        }
        self.w = [1.0; 6];
        self.w[c..].copy_from_slice(m);
        if d == 1 {
            let sigma = rows[order[5]][order[5]];
            self.sigma[0][0] = sigma;
            if m[0] != 0.0 {
                let k = 1.0 / (1.0 + sigma * m[0]);
                self.x[5] = self.x[5].map(|x| x * k);
            }
        } else {
            for i in 0..d {
                for j in 0..d {
                    // rows are in order here; of M the upper triangle is kept up
                    self.sigma[i][j] = rows[c + i.min(j)][c + i.max(j)];
                }
            }
            solve_free(&self.sigma, m, &mut self.x);
        }
    }
}

/// Rows whose squares are `xᵀ W x`: those of `T x` without freedom, and of the others the roots of N.
#[inline(never)]
fn force_rows(factor: &Factor, rows: &Rows, order: [usize; 6]) -> [[f64; 12]; 6] {
    let (d, c) = (factor.dofs, 6 - factor.dofs);
    let mut x: [[f64; 12]; 6] = std::array::from_fn(|i| std::array::from_fn(|j| rows[order[i]][X + j]));
    // N = (Σ + 1/m)⁻¹ by elimination, each inverse pivot 1/(σ + 1/m) written so that m may vanish
    let (m, mut sigma) = (&factor.w[c..], factor.sigma);
    for k in 0..d {
        let inverse = m[k] / (1.0 + m[k] * sigma[k][k]);
        let (sigma_k, x_k) = (sigma[k], x[c + k]);
        for i in k + 1..d {
            let l = -sigma_k[i] * inverse;
            add_scaled(&mut sigma[i], l, &sigma_k);
            add_scaled(&mut x[c + i], l, &x_k);
        }
        x[c + k] = x_k.map(|x| x * inverse.sqrt());
    }
    x
}

/// `Φ −= xᵀ x` over the first K rows of x: symmetric to the last bit.
#[inline(always)]
fn subtract_squares<const N: usize, const K: usize>(phi: &mut HandleMatrix, x: &[[f64; 12]; 6]) {
    for i in 0..6 {
        if N > 6 {
            let (top, bottom) = phi.0.split_at_mut(6);
            subtract_two_rows::<K>(x, i, &mut top[i], &mut bottom[i]);
        } else {
            subtract_row::<K>(x, i, &mut phi.0[i]);
        }
    }
}

#[inline(never)]
fn subtract_two_rows<const K: usize>(
    x: &[[f64; 12]; 6],
    i: usize,
    top: &mut [f64; 12],
    bottom: &mut [f64; 12],
) {
    let (mut a, mut b) = (*top, *bottom);
    for x in &x[..K] {
        let (s, t) = (x[i], x[6 + i]);
        for j in 0..12 {
            a[j] -= s * x[j];
            b[j] -= t * x[j];
        }
    }
    (*top, *bottom) = (a, b);
}

#[inline(never)]
fn subtract_row<const K: usize>(x: &[[f64; 12]; 6], i: usize, top: &mut [f64; 12]) {
    let mut a: [f64; 6] = std::array::from_fn(|j| top[j]);
    for x in &x[..K] {
        let s = x[i];
        for j in 0..6 {
            a[j] -= s * x[j];
        }
    }
    top[..6].copy_from_slice(&a);
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

/// The handle of a part as six rows of a vector over its handles.
#[inline(always)]
pub(super) fn of_handle<T: Copy>(handle: Handle, v: &[T; 12]) -> [T; 6] {
    let at = if handle == Handle::Top { 0 } else { 6 };
    std::array::from_fn(|i| v[at + i])
}

/// `[vᴬ_rA; vᴮ_rB]`.
#[inline(always)]
pub(crate) fn kept<T: Copy>(shape: Shape, a: &[T; 12], b: &[T; 12]) -> [T; 12] {
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
    of: Joined<'_>,
    g: &Vec6,
    r: &Vec6,
    f: &HandleVector,
) -> (Vec6, HandleVector, HandleVector) {
    let Joined { shape, alpha_from_beta, factor } = of;
    let (qdd, force) = joint_solution(factor, g, r, Some((f, shape.has_bottom())));
    let back = force_to_parent(alpha_from_beta, &force);
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
        let x_f = match f {
            None => 0.0,
            Some((f, true)) => dot::<12>(&factor.x[k], f),
            Some((f, false)) => dot::<6>(&factor.x[k], f),
        };
        if k >= c {
            qdd[k - c] = r[k] - x_f;
        }
        add_scaled(&mut force, factor.w[k] * x_f + g[k], &factor.t[k]);
    }
    (qdd, force)
}

/// Product of the first N numbers, in six sums at once.
#[inline(always)]
fn dot<const N: usize>(a: &[f64; 12], b: &[f64; 12]) -> f64 {
    let mut sums = [0.0; 6];
    for k in 0..N / 6 {
        for l in 0..6 {
            sums[l] += a[6 * k + l] * b[6 * k + l];
        }
    }
    ((sums[0] + sums[1]) + (sums[2] + sums[3])) + (sums[4] + sums[5])
}
