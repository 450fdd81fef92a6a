//! How what turns fast tumbles: a stick that rolled off something spins about its axis hundreds of times a second.
//!
//! The angular velocity at mid-step ([`Moving::predict_turn`]) is not found then, nor where a stick turns by a few hundredths of a radian and
//! spins as well, since an axis that is a little off has a thousand times the spin. What is taken for it puts the body anywhere: it
//! goes where contacts did not see it go, with any energy between that of a turn about its stiffest and its easiest axis. A body with
//! an axis of symmetry has a closed form: it spins about that axis while the axis goes round the momentum. What makes others different from
//! such a body turns them about their other two axes, before and after. Each of these turns is exact, and keeps the momentum.

use glam::{DQuat, DVec3};

use crate::bodies::Moving;
use crate::spatial::{Force, Frame, Sym3, rotation};

/// Turns for which a body is symmetric \[rad]: what is not turns it by less in a step.
const SYMMETRIC: f64 = 1e-4;
/// Others turn by no more than this in each part \[rad], since what is not symmetric adds up over turns that are multiples of a half;
const PART: f64 = 0.5;
/// in so many parts at most. What would need more is a brick that spins as fast as a drill.
const MOST_PARTS: f64 = 64.0;

/// An inverse inertia, `odd` along `axis` and `mean ± off` along two others.
struct Top {
    axis: DVec3,
    others: [DVec3; 2],
    odd: f64,
    mean: f64,
    off: f64,
}

impl Moving {
    /// Where the body is after `dt` \[s] if nothing acts, however fast it turns. Slow ones turn as [`Moving::predict_turn`] says.
    pub(crate) fn glide(&self, dt: f64) -> Frame {
        let (at, _, sure) = self.try_to_predict(Force::ZERO, dt, None);
        if sure {
            return at;
        }
        let turn = self.motion().angular.length() * dt;
        let momentum = self.angular_momentum;
        let top = Top::of(self.inverse_inertia);
        let symmetric = top.off * momentum.length() * dt <= SYMMETRIC;
        let parts = if symmetric { 1.0 } else { (turn / PART).ceil().min(MOST_PARTS) };
        let mut rotation = self.at.rotation;
        for _ in 0..parts as usize {
            rotation = top.turn(rotation, momentum, dt / parts);
        }
        Frame { rotation, ..at }
    }
}

impl Top {
    fn of(inverse_inertia: Sym3) -> Self {
        let [low, middle, high] = inverse_inertia.eigenvalues();
        let (odd, [a, b]) =
            if high - middle > middle - low { (high, [low, middle]) } else { (low, [middle, high]) };
        let m = inverse_inertia.to_mat3();
        // of `(m - x)(m - y)` all columns are along the third axis
        let along = |x: f64, y: f64| {
            let less = |value: f64| m - glam::DMat3::from_diagonal(DVec3::splat(value));
            let product = less(x) * less(y);
            let columns = [product.x_axis, product.y_axis, product.z_axis];
            columns.into_iter().fold(DVec3::ZERO, |most, column| {
                if column.length_squared() > most.length_squared() { column } else { most }
            })
        };
        let axis = along(a, b).try_normalize().unwrap_or(DVec3::X);
        // of two that are alike any will do
        let first = along(odd, b).reject_from_normalized(axis);
        let first = first.try_normalize().unwrap_or_else(|| axis.any_orthonormal_vector());
        Self { axis, others: [first, axis.cross(first)], odd, mean: 0.5 * (a + b), off: 0.5 * (a - b).abs() }
    }

    /// A body with this momentum, `dt` \[s] later.
    fn turn(&self, mut rotation: DQuat, momentum: DVec3, dt: f64) -> DQuat {
        let about = |rotation: DQuat, axis: DVec3, rate: f64, dt: f64| {
            let own = (rotation.conjugate() * momentum).dot(axis);
            (rotation * rotation::exp(axis * (rate * own * dt))).normalize()
        };
        let sides = [(self.others[0], -self.off), (self.others[1], self.off)];
        for (axis, rate) in sides {
            rotation = about(rotation, axis, rate, 0.5 * dt);
        }
        rotation = about(rotation, self.axis, self.odd - self.mean, dt);
        rotation = (rotation::exp(momentum * (self.mean * dt)) * rotation).normalize();
        for (axis, rate) in sides.into_iter().rev() {
            rotation = about(rotation, axis, rate, 0.5 * dt);
        }
        rotation
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RigidInertia;
    use crate::world::SingleBody;

    /// So fast about its own x and another axis \[rad/s].
    fn thrown(size: DVec3, spin: f64, other: f64) -> SingleBody {
        let inertia = RigidInertia::solid_box(1.0, size, DVec3::ZERO);
        SingleBody::new("stick", inertia).moving(DVec3::ZERO, DVec3::new(spin, other, 0.3 * other))
    }

    fn cases() -> impl Iterator<Item = SingleBody> {
        let sizes =
            [[1.0, 0.02, 0.02], [1.0, 0.03, 0.02], [0.3, 0.2, 0.1], [0.3, 0.3, 0.01], [1.0, 0.3, 0.02]];
        let speeds = [
            (1.0, 3.0),
            (0.1, 15.0),
            (10.0, 10.0),
            (35.0, 20.0),
            (500.0, 20.0),
            (5000.0, 30.0),
            (300.0, 100.0),
        ];
        sizes.into_iter().flat_map(move |size| speeds.map(|(spin, other)| thrown(size.into(), spin, other)))
    }

    /// In steps in which it turns by up to 80 rad; the stick of 3 by 2 cm had 19 times its energy at 50 rad/s after ten seconds.
    #[test]
    fn what_spins_fast_keeps_its_energy() {
        for mut body in cases() {
            let (before, spin) = (body.kinetic_energy(), body.omega());
            for _ in 0..600 {
                body.moving.at = body.moving.glide(1.0 / 60.0);
                let now = body.kinetic_energy() / before;
                assert!((now - 1.0).abs() < 1e-2, "{spin} rad/s, {:?}: {now}", body.moving.inverse_inertia);
            }
        }
    }

    #[test]
    fn what_spins_fast_goes_where_short_steps_take_it() {
        for body in cases() {
            let (mut long, mut short) = (body.moving, body.moving);
            for _ in 0..4 {
                long.at = long.glide(1.0 / 60.0);
                for _ in 0..2000 {
                    short.at = short.glide(1.0 / 120_000.0);
                }
                let off = (long.at.rotation * DVec3::X - short.at.rotation * DVec3::X).length();
                assert!(off < 0.02, "{} rad/s, {:?}: {off}", body.omega(), body.moving.inverse_inertia);
            }
        }
    }
}
