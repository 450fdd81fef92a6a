//! Two joints of your own, ten lines each: a screw, whose travel follows its turn, and a ball joint within a cone.
//!
//! `cargo run -p supple --example own_joints`

use std::f64::consts::{PI, TAU};

use glam::DVec3;
use supple::RigidInertia;
use supple::constraint::{Ball, Constraint, Coordinates, Frame, Hinge, JointModel, Rows};
use supple::spatial::{rotation, swing_twist};
use supple::world::{BodyRef, SingleBody, World, WorldError};

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
pub(crate) fn main() -> Result<(), WorldError> {
    // a nut on a bolt runs down by its weight, and an arm swings against the side of its cone
    let mut world = World::new();
    let box_of = |mass| RigidInertia::solid_box(mass, DVec3::new(0.1, 0.1, 0.05), DVec3::ZERO);
    let nut = world.add_body(SingleBody::new("nut", box_of(1.0)))?;
    world.add(Constraint::new(Screw { pitch: 0.01 }, BodyRef::World, nut))?;
    let arm = RigidInertia::solid_capsule(1.0, DVec3::ZERO, DVec3::Z, 0.02);
    let arm = world.add_body(SingleBody::new("arm", arm).moving(DVec3::X * 0.1, DVec3::Y * 0.2))?;
    let shoulder = world.add(Constraint::new(ReachCone { half_angle: PI / 4.0 }, BodyRef::World, arm))?;
    for _ in 0..480 {
        let report = world.step(1.0 / 240.0)?;
        assert!(report.gap_max < 1e-6 && report.unsolved == 0, "{report:?}");
    }
    let (z, spin) = (world.frame(nut)?.position.z, world.body(nut)?.omega().z);
    println!("after two seconds the nut is at {z:.3} m and turns with {spin:.2} rad/s");
    assert!((world.body(nut)?.velocity().z - 0.01 * spin).abs() < 1e-9);
    let swing = swing_twist::swing(world.joint_frame(shoulder)?.rotation).length();
    println!("the arm leans by {swing:.4} rad, its cone is {:.4} wide", PI / 4.0);
    assert!(swing < PI / 4.0 + 1e-6 && swing > 0.7);

    // what the two say of single frames
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
    Ok(())
}
