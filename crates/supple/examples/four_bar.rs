//! A four-bar linkage of single bodies: a motor turns the crank, a limit stalls it, and a pin breaks.
//!
//! `cargo run -p supple --example four_bar`

use std::error::Error;

use supple::prelude::*;

const DT: f64 = 1.0 / 240.0;
/// Lengths [m]: the crank is the shortest and goes all round.
const CRANK: f64 = 0.3;
const COUPLER: f64 = 0.9;
const ROCKER: f64 = 0.6;
const GROUND: f64 = 1.0;

/// A bar between two points, with its frame in its middle, x along it.
fn bar(world: &mut World, name: &str, [from, to]: [DVec3; 2]) -> Result<SingleId, WorldError> {
    let half = DVec3::X * (0.5 * from.distance(to));
    let inertia = RigidInertia::solid_capsule(1.0, -half, half, 0.02);
    let rotation = DQuat::from_rotation_arc(DVec3::X, (to - from).normalize());
    world.add_body(SingleBody::new(name, inertia).at(Frame::new(0.5 * (from + to), rotation)))
}

/// What happens in a time [s]: slowest and fastest crank [rad/s], greatest gap of a joint [m], breaks.
fn run(world: &mut World, crank: SingleId, seconds: f64) -> Result<(f64, f64, f64, usize), WorldError> {
    let (mut slowest, mut fastest, mut gap, mut breaks) = (f64::INFINITY, 0.0_f64, 0.0_f64, 0);
    for _ in 0..(seconds / DT).round() as usize {
        let report = world.step(DT)?;
        gap = gap.max(report.gap_max);
        for event in world.events() {
            if let Event::Broke { force, .. } = event {
                println!("  a pin had to hold {force:.0} N, and is gone");
                breaks += 1;
            }
        }
        let speed = world.body(crank)?.omega().y;
        (slowest, fastest) = (slowest.min(speed), fastest.max(speed));
    }
    Ok((slowest, fastest, gap, breaks))
}

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    // the crank points up; where coupler and rocker meet, two circles do
    let (a, b, d) = (DVec3::ZERO, DVec3::Z * CRANK, DVec3::X * GROUND);
    let (way, along) = (b.distance(d), (d - b).normalize());
    let near = (COUPLER * COUPLER - ROCKER * ROCKER + way * way) / (2.0 * way);
    let c = b + along * near + DVec3::Y.cross(-along) * (COUPLER * COUPLER - near * near).sqrt();

    let mut world = World::new();
    let crank = bar(&mut world, "crank", [a, b])?;
    let coupler = bar(&mut world, "coupler", [b, c])?;
    let rocker = bar(&mut world, "rocker", [d, c])?;

    // hinges turn about z of their frames; coordinate 0 is the angle, zero as they are joined
    let hinge = |at| Frame::with_z(at, DVec3::Y);
    let motor = Constraint::new(Hinge, BodyRef::World, crank).named("motor").motor(0, 3.0, 20.0);
    let motor = world.join_at(motor, hinge(a))?;
    world.join(Hinge, crank, coupler, hinge(b))?;
    let pin = Constraint::new(Hinge, coupler, rocker).named("pin").breaks_at(600.0, f64::INFINITY);
    let pin = world.join_at(pin, hinge(c))?;
    let pivot = world.join(Hinge, BodyRef::World, rocker, hinge(d))?;

    let (slowest, fastest, gap, _) = run(&mut world, crank, 4.0)?;
    let (closed, force) = (1e6 * gap, world.force_of(pin)?.linear.length());
    println!(
        "the crank turns with {slowest:.3} to {fastest:.3} rad/s, joints gape by {closed:.2} µm, the pin holds {force:.1} N"
    );
    assert!((world.body(crank)?.omega().y - 3.0).abs() < 1e-3 && gap < 1e-5);

    // a limit on the rocker, where it is now: the motor comes to a stop, at its greatest torque
    let angle = world.coordinate(pivot, 0)?;
    let stopped = world.constraint(pivot)?.ok_or("a coupling")?.clone().limit(0, angle - 0.1, angle + 0.1);
    world.change(pivot, stopped)?;
    run(&mut world, crank, 2.0)?;
    let (slowest, fastest, gap, _) = run(&mut world, crank, 1.0)?;
    println!(
        "against the limit: {slowest:.4} to {fastest:.4} rad/s, {:.1} N·m",
        world.force_of(motor)?.angular.y
    );
    assert!(slowest.abs() < 1e-2 && fastest.abs() < 1e-2 && gap < 1e-5);

    // a stronger motor breaks the pin, and the crank runs free
    world.set_action(motor, 0, Action::Motor { coordinate: 0, speed: 3.0, force: 300.0 })?;
    let (.., breaks) = run(&mut world, crank, 1.0)?;
    assert_eq!(breaks, 1);
    assert!(world.constraint(pin).is_err(), "what is broken is not in the world");
    println!("then the crank turns with {:.3} rad/s", world.body(crank)?.omega().y);
    assert!((world.body(crank)?.omega().y - 3.0).abs() < 1e-2);
    Ok(())
}
