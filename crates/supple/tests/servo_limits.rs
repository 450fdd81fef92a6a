//! Servos with effort limits and force ranges: they settle whatever the limit is, never push with more, and cost nothing while
//! they are within it.

mod common;

use common::{Rng, chain};
use glam::DVec3;
use supple::constraint::{Frame, Rigid};
use supple::detail::Detail;
use supple::spatial::Sym3;
use supple::world::{BodyRef, SingleBody, World};
use supple::{
    Actuator, Body, BodyId, Integrator, Joint, JointId, Model, ModelBuilder, Pose, RigidInertia, Simulation,
};

/// Integrators that take springs and dampers at the end of a step.
const IMPLICIT: [Integrator; 4] =
    [Integrator::Default, Integrator::Accurate, Integrator::Projection, Integrator::SemiImplicit];
const DT: f64 = 1.0 / 240.0;
/// Where servos aim at, of a position of zero \[rad].
const TARGET: f64 = 0.2;

/// What limits the servos' forces, and by how much: a share of the joints' own effort.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Limit {
    Effort(f64),
    Range(f64),
    None,
}

/// The six-axis arm of `arm.urdf`: the last joint carries 2.7e-4 kg·m² and has 15 N·m, a 500th and a tenth of the second.
fn arm(limit: Limit) -> Model {
    let (y, z) = (DVec3::Y, DVec3::Z);
    // axis, height above the joint before, mass, centre of mass, moments, effort, damping
    let links = [
        (z, 0.1, 4.0, 0.06, [0.0097, 0.0097, 0.0098], 0.8),
        (y, 0.14, 6.0, 0.175, [0.06665, 0.06665, 0.0108], 1.0),
        (y, 0.36, 3.5, 0.15, [0.0284375, 0.0284375, 0.004375], 0.6),
        (z, 0.3, 1.2, 0.06, [0.00192, 0.00192, 0.00096], 0.15),
        (y, 0.13, 0.9, 0.045, [0.000883125, 0.000883125, 0.00055125], 0.1),
        (z, 0.09, 0.6, 0.05, [0.000635, 0.000635, 0.00027], 0.05),
    ];
    let mut builder = ModelBuilder::new();
    for (i, (axis, height, mass, com, moments, damping)) in links.into_iter().enumerate() {
        let inertia = RigidInertia::new(mass, DVec3::Z * com, Sym3::diagonal(DVec3::from_array(moments)));
        let effort_limit = match limit {
            Limit::Effort(share) => Some(share * EFFORT[i]),
            _ => None,
        };
        let joint = Joint::revolute(axis).damping(damping).each(|d| d.effort_limit = effort_limit);
        let body =
            Body::new(format!("link {i}"), joint).at(Pose::from_xyz(0.0, 0.0, height)).inertia(inertia);
        builder.add(if i == 0 { body } else { body.on(format!("link {}", i - 1)) });
    }
    builder.finish().expect("valid")
}

const EFFORT: [f64; 6] = [120.0, 150.0, 80.0, 30.0, 25.0, 15.0];

/// The arm with a servo on every joint.
fn servos(kp: f64, kd: f64, limit: Limit, integrator: Integrator) -> Simulation {
    let mut simulation = Simulation::new(arm(limit));
    simulation.integrator = integrator;
    for (joint, effort) in EFFORT.iter().enumerate() {
        let servo = Actuator::position(JointId::new(joint), kp, kd).control(TARGET);
        simulation.actuators.push(match limit {
            Limit::Range(share) => servo.force_range(-share * effort, share * effort),
            _ => servo,
        });
    }
    simulation
}

/// How far joints are from their target at most, and how fast at most.
fn rest(simulation: &Simulation) -> (f64, f64) {
    let greatest = |values: &[f64], from: f64| values.iter().map(|x| (x - from).abs()).fold(0.0, f64::max);
    (greatest(&simulation.state.q, TARGET), greatest(&simulation.state.v, 0.0))
}

/// Stiffness over six decades, damping over five. A servo takes some kd / kp to settle; damping is a twentieth of the stiffness at
/// least, or a joint that pushes with all its effort swings about its target for long, as a ball bounces.
const GAINS: [(f64, f64); 12] = [
    (50.0, 20.0),
    (100.0, 20.0),
    (100.0, 50.0),
    (200.0, 20.0),
    (1e3, 50.0),
    (2e3, 200.0),
    (1e4, 5e2),
    (1e4, 5e3),
    (1e5, 1e4),
    (1e6, 5e4),
    (1e6, 5e5),
    (5e7, 5e6),
];

/// A servo decided on its limit by the velocity at the start of a step: the last joint of this arm then went from limit to limit for
/// ever, at 84 rad/s and 0.4 rad off, and at 1/4000 s still at 7 rad/s.
#[test]
fn a_limited_servo_settles() {
    let mut worst = (0.0f64, 0.0f64);
    let mut failures = Vec::new();
    for limit in [Limit::Effort(1.0), Limit::Effort(0.05), Limit::Range(1.0), Limit::Range(0.05)] {
        for (kp, kd) in GAINS {
            for integrator in IMPLICIT {
                for (what, detail) in [("full", Detail::default()), ("3 joints", Detail::joints(3))] {
                    // three of six take turns: slow servos are not there after 5 s, whatever their limits
                    if !detail.is_full() && kd > 0.1 * kp {
                        continue;
                    }
                    let mut simulation = servos(kp, kd, limit, integrator);
                    simulation.gravity = DVec3::ZERO;
                    simulation.set_detail(detail).expect("valid");
                    for _ in 0..1200 {
                        simulation.step(DT).expect("finite");
                    }
                    let (off, speed) = rest(&simulation);
                    worst = (worst.0.max(off), worst.1.max(speed));
                    if !(off < 1e-3 && speed < 1e-3) {
                        failures.push(format!(
                            "{integrator:?}, kp {kp}, kd {kd}, {limit:?}, {what}: {off:.1e} rad, {speed:.1e} rad/s"
                        ));
                    }
                }
            }
        }
    }
    println!("at most {:.1e} rad and {:.1e} rad/s", worst.0, worst.1);
    assert!(failures.is_empty(), "{} do not settle:\n{}", failures.len(), failures.join("\n"));
}

/// Under weight the arm comes to the equilibrium that it has without limits, which are beyond the load.
#[test]
fn a_limited_servo_holds_a_weight_as_one_without_limits() {
    for (kp, kd) in GAINS.into_iter().filter(|(kp, _)| *kp >= 1e3) {
        for integrator in IMPLICIT {
            let end = |limit| {
                let mut simulation = servos(kp, kd, limit, integrator);
                for _ in 0..1200 {
                    simulation.step(DT).expect("finite");
                }
                (simulation.state.q.clone(), rest(&simulation).1)
            };
            let (free, _) = end(Limit::None);
            for limit in [Limit::Effort(1.0), Limit::Range(1.0), Limit::Effort(0.3)] {
                let (q, speed) = end(limit);
                let off = common::difference(&q, &free);
                let what = format!("{integrator:?}, kp {kp}, kd {kd}, {limit:?}");
                assert!(off < 1e-3 && speed < 1e-3, "{what}: {off:.1e} rad, {speed:.1e} rad/s");
            }
        }
    }
}

/// Shorter and longer steps, down to those that resolve the servo.
#[test]
fn a_limited_servo_settles_at_every_step_length() {
    for dt in [1.0 / 30.0, 1.0 / 60.0, 1e-3, 1.0 / 4000.0] {
        for integrator in IMPLICIT {
            for (kp, kd) in [(100.0, 10.0), (200.0, 20.0), (2e3, 200.0), (1e6, 1e5)] {
                let mut simulation = servos(kp, kd, Limit::Effort(1.0), integrator);
                simulation.gravity = DVec3::ZERO;
                for _ in 0..(5.0 / dt) as u32 {
                    simulation.step(dt).expect("finite");
                }
                let (off, speed) = rest(&simulation);
                assert!(
                    off < 1e-3 && speed < 1e-3,
                    "{integrator:?}, kp {kp}, kd {kd}, {dt} s: {off} {speed}"
                );
            }
        }
    }
}

/// In a world: alone, and with a payload that a constraint holds.
#[test]
fn a_limited_servo_settles_in_a_world() {
    for (kp, kd) in [(100.0, 30.0), (200.0, 20.0), (2e3, 200.0), (1e6, 1e5)] {
        for integrator in IMPLICIT {
            for payload in [false, true] {
                for detail in [Detail::default(), Detail::joints(3)] {
                    if !detail.is_full() && kd > 0.1 * kp {
                        continue;
                    }
                    let what =
                        format!("{integrator:?}, kp {kp}, kd {kd}, payload {payload}, {:?}", detail.target);
                    let mut simulation = servos(kp, kd, Limit::Effort(1.0), integrator);
                    let tool = BodyId::new(5);
                    let at = Frame::from(simulation.pose_of(tool));
                    simulation.set_detail(detail).expect("valid");
                    let mut world = World::new();
                    world.gravity = DVec3::ZERO;
                    let arm = world.add_articulation(simulation);
                    if payload {
                        let inertia = RigidInertia::solid_sphere(0.5, 0.05, DVec3::ZERO);
                        let ball = world.add_body(SingleBody::new("payload", inertia).at(at)).expect("valid");
                        world.join(Rigid, BodyRef::Of(arm, tool), ball, at).expect("valid");
                    }
                    for _ in 0..1200 {
                        world.step(DT).unwrap_or_else(|e| panic!("{what}: {e}"));
                    }
                    let (off, speed) = rest(world.articulation(arm).expect("it is there"));
                    assert!(off < 1e-3 && speed < 1e-3, "{what}: {off:.1e} rad, {speed:.1e} rad/s");
                }
            }
        }
    }
}

/// One block, any servo, any state: no step takes more from its drives than the limits allow, and none is beyond the law at the end.
#[test]
fn no_step_pushes_with_more_than_the_limit() {
    let mass = 2.0;
    for seed in 0..2000 {
        let mut rng = Rng::new(seed, 0);
        let effort = rng.decades(1e-2, 1e2);
        let joint = Joint::prismatic(DVec3::X).each(|d| d.effort_limit = Some(effort));
        let inertia = RigidInertia::solid_box(mass, DVec3::splat(0.2), DVec3::ZERO);
        let model =
            ModelBuilder::new().body(Body::new("block", joint).inertia(inertia)).finish().expect("valid");
        let mut simulation = Simulation::new(model);
        simulation.gravity = DVec3::ZERO;
        let (mut least, mut most) = (0.0, 0.0);
        for _ in 0..=rng.below(3) {
            let (kp, kd) = (rng.decades(1e-1, 1e7), rng.decades(1e-1, 1e6));
            let gear = rng.range(-3.0, 3.0);
            let (lower, upper) = (-rng.decades(1e-2, 1e2), rng.decades(1e-2, 1e2));
            let (a, b) = (gear * lower, gear * upper);
            (least, most) = (least + a.min(b), most + a.max(b));
            let servo = Actuator::position(JointId::new(0), kp, kd).gear(gear).force_range(lower, upper);
            simulation.actuators.push(servo.control(rng.range(-1.0, 1.0)));
        }
        let tau = if rng.chance(0.5) { rng.range(-50.0, 50.0) } else { 0.0 };
        simulation.tau[0] = tau;
        let (least, most) = ((least + tau).max(-effort).min(effort), (most + tau).min(effort).max(-effort));
        simulation.state.v[0] = rng.decades(1e-3, 1e1);
        for integrator in IMPLICIT {
            let mut simulation = simulation.clone();
            simulation.integrator = integrator;
            for step in 0..20 {
                let v = simulation.state.v[0];
                let dt = rng.decades(1e-4, 3e-2);
                simulation.step(dt).expect("finite");
                let force = mass * (simulation.state.v[0] - v) / dt;
                // what was taken from the block by the energy cap is no force of the drives, and less
                let rounding = 1e-9 * (1.0 + mass * v.abs() / dt);
                let bounds = (least.min(0.0) - rounding, most.max(0.0) + rounding);
                assert!(
                    (bounds.0..=bounds.1).contains(&force),
                    "seed {seed}, {integrator:?}, step {step}: {force} N of [{least}, {most}]"
                );
            }
        }
    }
}

/// Limits that are far away cost no sweep and change nothing.
#[test]
fn a_limit_that_is_not_reached_costs_nothing() {
    for integrator in IMPLICIT {
        let [mut limited, mut free] =
            [Limit::Effort(1e3), Limit::None].map(|l| servos(200.0, 20.0, l, integrator));
        for _ in 0..240 {
            let (a, b) = (limited.step(DT).expect("finite"), free.step(DT).expect("finite"));
            assert_eq!(a.sweeps, b.sweeps, "{integrator:?}");
        }
        common::assert_close(&format!("{integrator:?}"), &limited.state.q, &free.state.q, 1e-12);
    }
}

/// Servos of any stiffness on chains of any masses, all at their limits: the right limits are found in a few sweeps.
#[test]
fn limits_are_found_in_a_few_sweeps() {
    let mut counts = [0u32; 21];
    for seed in 0..60 {
        let mut rng = Rng::new(seed, 1);
        let links = 2 + rng.below(30);
        let mut simulation = common::simulation(chain(links, |i| match i % 3 {
            0 => Joint::revolute(DVec3::Z),
            1 => Joint::revolute(DVec3::Y),
            _ => Joint::prismatic(DVec3::X),
        }));
        for joint in 0..links {
            let (kp, limit) = (rng.decades(1e0, 1e6), rng.decades(1e-3, 1e1));
            let servo = Actuator::position(JointId::new(joint), kp, kp * rng.decades(1e-3, 1e0));
            simulation.actuators.push(servo.force_range(-limit, limit));
        }
        // one solve in a step
        simulation.integrator = Integrator::Projection;
        for _ in 0..200 {
            for actuator in &mut simulation.actuators {
                if rng.chance(0.05) {
                    actuator.control = rng.range(-1.0, 1.0);
                }
            }
            let report = simulation.step(1.0 / 60.0).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
            counts[report.sweeps as usize] += 1;
        }
    }
    println!("steps by sweeps: {counts:?}");
    let all: u32 = counts.iter().sum();
    let few: u32 = counts[..=8].iter().sum();
    assert!(f64::from(few) >= 0.99 * f64::from(all), "{few} of {all} steps take eight sweeps at most");
    assert_eq!(counts[20], 0, "{counts:?}");
}
