//! A camera that sees all actors from near by.

use glam::{DMat3, DVec3};
use supple::view::Camera;

/// Angle between the upper and the lower edge of the image \[rad].
const FIELD: f64 = 0.6;
/// Room at the edges.
const MARGIN: f64 = 1.06;

/// From the left in front and a little above, as near as these balls allow in an image of this size.
pub(super) fn close_up(balls: &[(DVec3, f64)], up: DVec3, size: [u32; 2]) -> Camera {
    // the side that x points to the right of
    let front = DVec3::X.cross(up).try_normalize().unwrap_or(-DVec3::Y);
    let side = up.cross(front);
    let back = (front - 0.45 * side + 0.32 * up).normalize();
    let right = up.cross(back).normalize_or(side);
    let axes = DMat3::from_cols(right, back.cross(right), -back).transpose();
    let seen: Vec<(DVec3, f64)> = balls.iter().map(|(at, radius)| (axes * *at, *radius)).collect();
    let low = seen.iter().map(|(at, r)| *at - *r).reduce(DVec3::min).unwrap_or(-DVec3::ONE);
    let high = seen.iter().map(|(at, r)| *at + *r).reduce(DVec3::max).unwrap_or(DVec3::ONE);
    let middle = 0.5 * (low + high);
    let tangent = (0.5 * FIELD).tan();
    let wide = tangent * f64::from(size[0]) / f64::from(size[1].max(1));
    let needed = |(at, radius): &(DVec3, f64)| {
        let from = *at - middle;
        let across = |x: f64, tangent: f64| (x.abs() + radius) * MARGIN / tangent - from.z;
        across(from.x, wide).max(across(from.y, tangent)).max(radius - from.z)
    };
    let distance = seen.iter().map(needed).fold(0.1, f64::max);
    let target = axes.transpose() * middle;
    Camera::look_at(target + distance * back, target, up).field(FIELD).pixels(size[0], size[1])
}
