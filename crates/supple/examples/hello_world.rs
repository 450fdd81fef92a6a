//! A rod hangs on a hinge and is let go level. It swings down, and is as fast at the bottom as its weight makes it.
//!
//! `cargo run -p supple --example hello_world`

use std::error::Error;

use supple::prelude::*;

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    // a rod of 1 kg and 1 m along x, in a frame at its end; it turns about y
    let rod = RigidInertia::solid_capsule(1.0, DVec3::ZERO, DVec3::X, 0.01);
    let model =
        ModelBuilder::new().body(Body::new("rod", Joint::revolute(DVec3::Y)).inertia(rod)).finish()?;

    // at rest in its neutral position, q = 0, under gravity along -z
    let mut simulation = Simulation::new(model);
    let before = simulation.energy().total();
    let mut fastest = 0.0_f64;
    for _ in 0..240 {
        simulation.step(1.0 / 240.0)?;
        fastest = fastest.max(simulation.state.v[0].abs());
    }

    let angle = simulation.state.q[0];
    println!("after one second the rod is at {angle:.3} rad; it was as fast as {fastest:.3} rad/s");
    // half of the weight's way became motion: ω² = 3 g / l
    let expected = (3.0 * 9.81_f64).sqrt();
    assert!((fastest / expected - 1.0).abs() < 0.02, "expected {expected} rad/s");
    assert!(simulation.energy().total() <= before + 1e-12);
    Ok(())
}
