//! Small dense systems: the block of one joint with itself.

use super::MAX_ROWS;

/// A pivot is none when it is so small, relative to its own diagonal: a row that repeats others.
const NONE: f64 = 1e-12;

/// `b ← a⁻¹ b` over the first `n` rows that are `on`, for a symmetric, positive semi-definite `a`; the others, and what repeats
/// others, become zero.
pub(super) fn solve(
    a: &mut [[f64; MAX_ROWS]; MAX_ROWS],
    b: &mut [f64; MAX_ROWS],
    on: &[bool; MAX_ROWS],
    n: usize,
) {
    let mut d = [0.0; MAX_ROWS];
    for j in 0..n {
        let own = a[j][j];
        let pivot = (0..j).fold(own, |sum, k| sum - a[j][k] * a[j][k] * d[k]);
        let good = on[j] && pivot > NONE * own;
        d[j] = if good { pivot } else { 0.0 };
        for i in j + 1..n {
            let sum = (0..j).fold(a[i][j], |sum, k| sum - a[i][k] * a[j][k] * d[k]);
            a[i][j] = if good { sum / pivot } else { 0.0 };
        }
    }
    for i in 0..n {
        for k in 0..i {
            b[i] -= a[i][k] * b[k];
        }
    }
    for i in (0..n).rev() {
        b[i] = if d[i] > 0.0 { b[i] / d[i] } else { 0.0 };
        for k in i + 1..n {
            b[i] -= a[k][i] * b[k];
        }
        if d[i] == 0.0 {
            b[i] = 0.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_what_is_on_and_leaves_out_what_repeats() {
        let rows = [[1.0, 0.2, 0.0], [0.3, 1.5, -0.2], [1.0, 0.2, 0.0], [0.1, -0.4, 0.9]];
        let product = |i: usize, j: usize| -> f64 { (0..3).map(|k| rows[i][k] * rows[j][k]).sum() };
        let mut a = [[0.0; MAX_ROWS]; MAX_ROWS];
        for i in 0..4 {
            for j in 0..4 {
                a[i][j] = product(i, j);
            }
        }
        let mut on = [false; MAX_ROWS];
        on[..4].fill(true);
        let mut b = [0.0; MAX_ROWS];
        b[..4].copy_from_slice(&[0.5, -1.0, 0.5, 2.0]);
        solve(&mut a, &mut b, &on, 4);
        assert_eq!(b[2], 0.0, "the third repeats the first");
        for (i, right) in [0.5, -1.0, 0.5, 2.0].into_iter().enumerate() {
            let left: f64 = (0..4).map(|j| product(i, j) * b[j]).sum();
            assert!((left - right).abs() < 1e-12, "{i}: {left} {right}");
        }
    }
}
