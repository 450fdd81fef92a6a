//! Principal moments and axes of an inertia.

use glam::{DMat3, DVec3};
use supple::spatial::Sym3;
use supple::spatial::math;

/// Sweeps after which a symmetric 3×3 matrix is diagonal to rounding; three or four do.
const SWEEPS: usize = 12;

/// Moments and axes (as columns) with `axes · diag(moments) · axesᵀ = inertia`, by Jacobi rotations.
pub(super) fn principal(inertia: Sym3) -> (DVec3, DMat3) {
    let mut a = inertia.to_mat3();
    let mut axes = DMat3::IDENTITY;
    for _ in 0..SWEEPS {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let off = a.col(q)[p];
            if off == 0.0 {
                continue;
            }
            // the smaller of the two angles that make the entry zero (Golub & Van Loan, section 8.5)
            let theta = (a.col(q)[q] - a.col(p)[p]) / (2.0 * off);
            let t = theta.signum() / (theta.abs() + math::hypot(theta, 1.0));
            let long = math::hypot(t, 1.0);
            let (c, s) = (1.0 / long, t / long);
            let mut turn = DMat3::IDENTITY;
            turn.col_mut(p)[p] = c;
            turn.col_mut(q)[q] = c;
            turn.col_mut(q)[p] = s;
            turn.col_mut(p)[q] = -s;
            a = turn.transpose() * a * turn;
            axes *= turn;
        }
    }
    (DVec3::new(a.x_axis.x, a.y_axis.y, a.z_axis.z), axes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn principal_axes_make_it_diagonal() {
        let s = Sym3::new([4.0, 0.5, -0.25, 3.0, 0.75, 2.0]);
        let (moments, axes) = principal(s);
        assert!((axes.transpose() * axes - DMat3::IDENTITY).to_cols_array().iter().all(|x| x.abs() < 1e-15));
        let again = Sym3::diagonal(moments).rotated(axes);
        assert!((again - s).to_array().iter().all(|x| x.abs() < 1e-14), "{again:?}");
        assert!((axes.determinant() - 1.0).abs() < 1e-14);
    }
}
