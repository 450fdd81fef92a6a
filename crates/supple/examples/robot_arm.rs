//! A robot arm with four joints: gravity compensation, servos with effort limits, a force at the hand by the Jacobian, inverse dynamics.
//!
//! `cargo run -p supple --example robot_arm`
//!
//! The arm is built here; `supple_io::load("arm.urdf")` reads one from a file.

use std::error::Error;

use supple::prelude::*;

const DT: f64 = 1.0 / 240.0;

/// Waist about z, then shoulder, elbow and wrist about y; links along z.
fn arm() -> Result<Simulation, Box<dyn Error>> {
    let link = |mass, length| RigidInertia::solid_capsule(mass, DVec3::ZERO, DVec3::Z * length, 0.05);
    let joint = |axis, effort| Joint::revolute(axis).limits(-2.2, 2.2).effort_limit(effort).damping(0.5);
    let at = |z| Pose::from_xyz(0.0, 0.0, z);
    let model = ModelBuilder::new()
        .body(Body::new("base", Joint::fixed()).inertia(link(10.0, 0.1)))
        .body(Body::new("turntable", joint(DVec3::Z, 120.0)).on("base").at(at(0.1)).inertia(link(4.0, 0.1)))
        .body(Body::new("upper", joint(DVec3::Y, 150.0)).on("turntable").at(at(0.1)).inertia(link(6.0, 0.4)))
        .body(Body::new("fore", joint(DVec3::Y, 80.0)).on("upper").at(at(0.4)).inertia(link(3.5, 0.35)))
        .body(Body::new("hand", joint(DVec3::Y, 30.0)).on("fore").at(at(0.35)).inertia(link(1.0, 0.15)))
        .finish()?;
    let mut arm = Simulation::new(model);
    arm.state.q = vec![0.3, 0.5, 0.9, -0.2];
    Ok(arm)
}

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    float()?;
    servos()?;
    reach()?;
    follow()
}

/// With the joint forces that hold its weight it stays wherever it is put.
fn float() -> Result<(), Box<dyn Error>> {
    let mut arm = arm()?;
    let start = arm.state.q.clone();
    for _ in 0..240 {
        arm.tau = arm.gravity_forces()?.into();
        arm.step(DT)?;
    }
    let (weight, q) = (&*arm.tau, &arm.state.q);
    println!("weight takes {weight:.1?} N·m; after a second of compensation q is {q:.6?} rad");
    assert!(arm.state.q.iter().zip(&start).all(|(now, then)| (now - then).abs() < 1e-6));
    Ok(())
}

/// Position servos: without compensation they sag, with it they do not. Forces never exceed the effort limits.
fn servos() -> Result<(), Box<dyn Error>> {
    let target = [1.0, 0.2, 1.4, 0.3];
    let mut errors = Vec::new();
    for compensated in [false, true] {
        let mut arm = arm()?;
        for (name, target) in ["turntable", "upper", "fore", "hand"].into_iter().zip(target) {
            // a joint has the name of the body that it carries, unless it is given its own
            let joint = arm.model.joint(name).ok_or("no such joint")?;
            arm.actuators.push(Actuator::position(joint, 400.0, 60.0).control(target));
        }
        for _ in 0..5 * 240 {
            if compensated {
                arm.tau = arm.gravity_forces()?.into();
            }
            arm.step(DT)?;
        }
        let off = arm.state.q.iter().zip(target).map(|(q, to)| (q - to).abs()).fold(0.0, f64::max);
        errors.push(off);
    }
    println!("servos are off by {:.4} rad, with compensation by {:.1e} rad", errors[0], errors[1]);
    assert!(errors[0] > 0.02 && errors[1] < 1e-4);
    Ok(())
}

/// A spring at the finger tip, by motors: a force F there takes the joint forces Jᵀ F.
fn reach() -> Result<(), Box<dyn Error>> {
    let mut arm = arm()?;
    let hand = arm.model.body("hand").ok_or("no hand")?;
    let (tip, goal) = (DVec3::Z * 0.15, DVec3::new(0.4, 0.35, 0.5));
    for _ in 0..6 * 240 {
        let jacobian = arm.jacobian(hand, tip)?;
        let at = arm.pose_of(hand).point(tip);
        let velocity = jacobian.mul(&arm.state.v).linear;
        let force = 300.0 * (goal - at) - 60.0 * velocity;
        let weight = arm.gravity_forces()?;
        let push = jacobian.transpose_mul(Force::new(DVec3::ZERO, force));
        for dof in 0..arm.model.nv() {
            arm.tau[dof] = weight[dof] + push[dof];
        }
        arm.step(DT)?;
    }
    let at = arm.pose_of(hand).point(tip);
    println!("the finger tip is at {at:.4} m, {:.1e} m from its goal", at.distance(goal));
    assert!(at.distance(goal) < 1e-3);
    Ok(())
}

/// Computed torque: the joint forces of a motion that is asked for.
fn follow() -> Result<(), Box<dyn Error>> {
    let mut arm = arm()?;
    let start = arm.state.q.clone();
    // q(t) = start + 0.3 (1 - cos 2t) in every joint
    let mut worst = 0.0_f64;
    for _ in 0..3 * 240 {
        let t = arm.state.time;
        let (q, v, a) = (0.3 * (1.0 - (2.0 * t).cos()), 0.6 * (2.0 * t).sin(), 1.2 * (2.0 * t).cos());
        let asked: Vec<f64> = (0..4)
            .map(|i| a + 400.0 * (start[i] + q - arm.state.q[i]) + 40.0 * (v - arm.state.v[i]))
            .collect();
        arm.tau = arm.inverse_dynamics(&asked)?.into();
        // what was asked for is what it does
        assert!(arm.accelerations().iter().zip(&asked).all(|(is, asked)| (is - asked).abs() < 1e-6));
        worst = (0..4).fold(worst, |worst, i| worst.max((start[i] + q - arm.state.q[i]).abs()));
        arm.step(DT)?;
    }
    println!("along a given motion it is off by {worst:.1e} rad at most");
    assert!(worst < 5e-3);
    Ok(())
}
