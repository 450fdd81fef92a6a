//! Two joints of your own, ten lines each: a screw, whose travel follows its turn, and a ball joint within a cone.
//!
//! `cargo run -p supple --example own_joints`

use std::f64::consts::{PI, TAU};

use glam::DVec3;
use supple::constraint::{Ball, Coordinates, Frame, Hinge, JointModel, Rows};
use supple::spatial::{rotation, swing_twist};

/// A nut on a bolt along z: travel = pitch · angle, whole turns included.
#[derive(Debug)]
pub(crate) struct Screw {
    /// Travel per radian [m/rad].
    pub(crate) pitch: f64,
}

impl JointModel for Screw {
    /// Keeps the angle and moves the nut to the nearest of the travels that go with it, one per turn.
    fn nearest(&self, joint: Frame) -> Frame {
        let angle = swing_twist::twist_angle(joint.rotation);
        let turns =
            if self.pitch == 0.0 { 0.0 } else { ((joint.position.z / self.pitch - angle) / TAU).round() };
        Frame { position: DVec3::Z * self.pitch * (angle + TAU * turns), ..Hinge.nearest(joint) }
    }

    /// The last row couples the two: u_z − pitch ω_z = 0.
    fn held(&self, _: Frame, rows: &mut Rows) {
        for axis in [DVec3::X, DVec3::Y] {
            rows.hold(DVec3::ZERO, axis);
            rows.hold(axis, DVec3::ZERO);
        }
        rows.hold(-self.pitch * DVec3::Z, DVec3::Z);
    }

    fn coordinates(&self, joint: Frame, coordinates: &mut Coordinates) {
        Hinge.coordinates(joint, coordinates);
    }
}

/// A ball joint whose z axis stays within a cone: a shoulder, roughly.
#[derive(Debug)]
pub(crate) struct ReachCone {
    /// Angle between the axis of the cone and its side [rad].
    pub(crate) half_angle: f64,
}

impl JointModel for ReachCone {
    fn nearest(&self, joint: Frame) -> Frame {
        let swing = swing_twist::swing(joint.rotation).clamp_length_max(self.half_angle);
        Frame { position: DVec3::ZERO, rotation: rotation::exp(swing) * swing_twist::twist(joint.rotation) }
    }

    fn held(&self, joint: Frame, rows: &mut Rows) {
        rows.hold_point();
        let swing = swing_twist::swing(joint.rotation);
        rows.limit(rotation::direction_or(swing, DVec3::X), DVec3::ZERO, swing.length() - self.half_angle);
    }

    fn coordinates(&self, joint: Frame, coordinates: &mut Coordinates) {
        Ball.coordinates(joint, coordinates);
    }
}

#[allow(dead_code, reason = "the tests of the models take the two joints from here")]
fn main() {
    let screw = Screw { pitch: 0.01 };
    let joint = Frame::new(DVec3::new(0.02, 0.0, 0.07), rotation::exp(DVec3::new(0.1, 0.0, 0.5)));
    let nut = screw.nearest(joint);
    let angle = swing_twist::twist_angle(nut.rotation);
    println!(
        "screw: at {} m, turned by {angle:.3} rad and {:.0} turns",
        nut.position,
        nut.position.z / 0.01 / TAU
    );
    assert!((nut.position.z - 0.01 * (angle + TAU)).abs() < 1e-15);

    let cone = ReachCone { half_angle: PI / 4.0 };
    for tilt in [0.3, 0.9] {
        let joint = Frame::new(DVec3::ZERO, rotation::exp(DVec3::Y * tilt));
        let mut rows = Rows::default();
        cone.held(joint, &mut rows);
        let excess = rows[3].excess.expect("the fourth row is the cone");
        let back = swing_twist::swing(cone.nearest(joint).rotation).length();
        println!(
            "cone: a tilt of {tilt} rad is {excess:+.3} rad from the side, nearest allowed {back:.3} rad"
        );
        assert!((back - tilt.min(PI / 4.0)).abs() < 1e-15);
    }
}
