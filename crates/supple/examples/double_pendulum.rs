//! A double pendulum with every integrator: who keeps the energy, and who stays on the right way.
//!
//! `cargo run -p supple --example double_pendulum`

use std::error::Error;

use supple::prelude::*;

/// Two rods of 1 m, released level.
fn pendulum() -> Result<Simulation, Box<dyn Error>> {
    let rod = RigidInertia::solid_capsule(1.0, DVec3::ZERO, DVec3::X, 0.02);
    let upper = Body::new("upper", Joint::revolute(DVec3::Y)).inertia(rod);
    // where the lower one hangs is told in the frame of the upper one
    let elbow = Pose::from_xyz(1.0, 0.0, 0.0);
    let lower = Body::new("lower", Joint::revolute(DVec3::Y)).on("upper").at(elbow).inertia(rod);
    Ok(Simulation::new(ModelBuilder::new().body(upper).body(lower).finish()?))
}

/// Where the far end of the lower rod is after `seconds` [s] in steps of `dt` [s], and how much energy [J] came or went, at most.
fn swing(integrator: Integrator, seconds: f64, dt: f64) -> Result<(DVec3, f64, f64), Box<dyn Error>> {
    let mut simulation = pendulum()?;
    simulation.integrator = integrator;
    let start = simulation.energy().total();
    let (mut most, mut least) = (0.0_f64, 0.0_f64);
    for _ in 0..(seconds / dt).round() as usize {
        simulation.step(dt)?;
        let gained = simulation.energy().total() - start;
        (most, least) = (most.max(gained), least.min(gained));
    }
    let lower = simulation.model.body("lower").ok_or("there is no lower rod")?;
    Ok((simulation.pose_of(lower).point(DVec3::X), most, least))
}

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    // the truth, or near it: later on it is chaos, in which nobody is right for long
    let (truth, ..) = swing(Integrator::Adaptive { tolerance: 1e-11 }, 1.0, 1.0 / 60.0)?;
    println!("after 1 s in steps of 1/60 s, and 10 s:");
    println!("{:<14} {:>12} {:>12} {:>12}", "integrator", "off [m]", "gained [J]", "lost [J]");
    for (name, integrator) in Integrator::ALL {
        let (end, ..) = swing(integrator, 1.0, 1.0 / 60.0)?;
        let (_, gained, lost) = swing(integrator, 10.0, 1.0 / 60.0)?;
        let off = end.distance(truth);
        println!("{name:<14} {off:>12.6} {gained:>12.6} {lost:>12.6}");
        match integrator {
            Integrator::Default => assert!(gained < 1e-9, "the default gains no energy"),
            Integrator::Adaptive { .. } => assert!(off < 1e-3 && gained.max(-lost) < 0.1),
            _ => {}
        }
    }
    let off = |integrator, dt| Ok::<_, Box<dyn Error>>(swing(integrator, 1.0, dt)?.0.distance(truth));
    assert!(off(Integrator::Accurate, 1.0 / 60.0)? < off(Integrator::Default, 1.0 / 60.0)?);
    assert!(off(Integrator::Default, 1.0 / 480.0)? < off(Integrator::Default, 1.0 / 60.0)?);
    Ok(())
}
