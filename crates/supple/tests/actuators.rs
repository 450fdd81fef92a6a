//! Actuators: closed forms, ranges, several on one joint, frozen joints, stiff servos that hold; controllers.

mod common;

use std::f64::consts::TAU;

use common::{assert_close, assert_near, chain, every_kind};
use glam::DVec3;
use supple::detail::{Detail, Keep};
use supple::dynamics::BodyState;
use supple::dynamics::actuator::Drives;
use supple::dynamics::integrate::Loads;
use supple::model::Element;
use supple::{
    Actuator, Body, Commands, Controller, Integrator, Joint, JointId, JointKind, Model, ModelBuilder,
    RigidInertia, Simulation, State, StepError, View,
};

const FIRST: JointId = JointId::new(0);
/// Sums of a few numbers, in another order.
const ROUNDING: f64 = 1e-13;
/// Integrators that take springs and dampers at the end of a step.
const IMPLICIT: [Integrator; 4] =
    [Integrator::Default, Integrator::Accurate, Integrator::Projection, Integrator::SemiImplicit];

/// A block of 2 kg on a slide along x.
fn block(joint: Joint) -> Simulation {
    let inertia = RigidInertia::solid_box(2.0, DVec3::splat(0.2), DVec3::ZERO);
    let model = ModelBuilder::new().body(Body::new("block", joint).inertia(inertia)).finish().expect("valid");
    Simulation::new(model)
}

fn slide() -> Joint {
    Joint::prismatic(DVec3::X)
}

fn run(simulation: &mut Simulation, dt: f64, steps: u32) {
    for _ in 0..steps {
        simulation.step(dt).unwrap_or_else(|e| panic!("{:?}: {e}", simulation.integrator));
    }
}

/// The force of each kind, with gear, ranges and joint position, by hand.
#[test]
fn forces_are_those_of_the_formulas() {
    let (q, v) = (0.3, -0.7);
    let zero = Actuator { zero: 0.2, ..Actuator::position(FIRST, 10.0, 4.0) };
    for (name, actuator, force) in [
        ("motor", Actuator::motor(FIRST).control(1.5), 1.5),
        ("motor with gear", Actuator::motor(FIRST).gear(-3.0).control(1.5), -4.5),
        (
            "control above its range",
            Actuator::motor(FIRST).gear(2.0).control_range(-1.0, 0.5).control(9.0),
            1.0,
        ),
        ("control below its range", Actuator::motor(FIRST).control_range(-1.0, 0.5).control(-9.0), -1.0),
        ("force above its range", Actuator::motor(FIRST).gear(2.0).force_range(-3.0, 4.0).control(9.0), 8.0),
        ("position", Actuator::position(FIRST, 10.0, 4.0).control(1.0), 10.0 * (1.0 - q) - 4.0 * v),
        (
            "position with gear",
            Actuator::position(FIRST, 10.0, 4.0).gear(2.0).control(1.0),
            2.0 * (10.0 * (1.0 - 2.0 * q) - 4.0 * 2.0 * v),
        ),
        ("position from another zero", zero.control(1.0), 10.0 * (1.0 - q - 0.2) - 4.0 * v),
        (
            "position, force cut",
            Actuator::position(FIRST, 10.0, 4.0).force_range(-1.0, 1.0).gear(3.0).control(5.0),
            3.0,
        ),
        ("velocity", Actuator::velocity(FIRST, 5.0).control(1.0), 5.0 * (1.0 - v)),
        (
            "velocity with gear",
            Actuator::velocity(FIRST, 5.0).gear(-2.0).control(1.0),
            -2.0 * 5.0 * (1.0 + 2.0 * v),
        ),
        ("velocity, force cut", Actuator::velocity(FIRST, 5.0).force_range(-2.0, 2.0).control(1.0), 2.0),
        ("an offset", Actuator { offset: 0.25, ..Actuator::motor(FIRST) }, 0.25),
    ] {
        let mut simulation = block(slide());
        (simulation.state.q[0], simulation.state.v[0]) = (q, v);
        simulation.actuators.push(actuator);
        assert_near(name, simulation.accelerations()[0], force / 2.0, ROUNDING);
        // and over a step so small that its implicit terms vanish
        for (integrator_name, integrator) in Integrator::ALL {
            let mut simulation = simulation.clone();
            simulation.integrator = integrator;
            run(&mut simulation, 1e-6, 1);
            let error = (simulation.state.v[0] - v) / 1e-6 - force / 2.0;
            assert!(error.abs() < 1e-3, "{name}, {integrator_name}: off by {error} m/s²");
        }
    }
}

/// A position servo moves a block as a spring and a damper would: the closed form, at the order of the integrator.
#[test]
fn a_position_servo_swings_in_as_a_damped_spring() {
    let (m, kp, kd, gear, target, t) = (2.0, 150.0, 3.0, 0.5, 0.1, 0.7f64);
    let (k, d) = (kp * gear * gear, kd * gear * gear);
    let gamma: f64 = 0.5 * d / m;
    let omega = (k / m - gamma * gamma).sqrt();
    let rest = target / gear;
    let (sin, cos) = (omega * t).sin_cos();
    let exact = rest * (1.0 - (-gamma * t).exp() * (cos + gamma / omega * sin));
    let speed = rest * (-gamma * t).exp() * (gamma * gamma / omega + omega) * sin;
    for (name, integrator) in Integrator::ALL {
        let order = match integrator {
            Integrator::Rk4 => 4.0,
            Integrator::Adaptive { .. } => 0.0,
            // dampers are of first order in the default, too
            _ => 1.0,
        };
        let error = |steps: u32| {
            let mut simulation = block(slide());
            simulation.integrator = integrator;
            simulation.actuators.push(Actuator::position(FIRST, kp, kd).gear(gear).control(target));
            run(&mut simulation, t / f64::from(steps), steps);
            (simulation.state.q[0] - exact).hypot((simulation.state.v[0] - speed) / omega)
        };
        let (coarse, fine) = (error(200), error(400));
        let measured = (coarse / fine).log2();
        println!("{name}: {coarse:.1e} m, {fine:.1e} m, order {measured:.2}");
        // the next power of dt is still felt by a tenth
        assert!(measured > order - 0.1 || order == 0.0, "{name}: order {measured}");
        // first order: about ω² t dt / 2 = 0.011 of the way
        assert!(fine < 1.5e-2 * rest, "{name}: {fine} m of {rest} m");
    }
}

/// A servo is the joint spring and damper of the same numbers, for every integrator, on a chain; where springs are
/// implicit, at a step that resolves neither.
#[test]
fn a_servo_is_a_joint_spring() {
    for (name, integrator) in Integrator::ALL {
        let stiff = IMPLICIT.contains(&integrator);
        let (k, d) = if stiff { (50.0, 2.0) } else { (0.5, 1e-3) };
        let dt = if stiff { 1.0 / 60.0 } else { 1e-3 };
        let mut sprung = common::simulation(chain(4, |i| match i {
            2 => Joint::revolute(DVec3::Z).stiffness(k).damping(d).rest([0.4]),
            _ => Joint::revolute(DVec3::Z).damping(1e-3),
        }));
        // the driven joint has nothing passive of its own
        let mut driven = common::simulation(chain(4, |i| match i {
            2 => Joint::revolute(DVec3::Z),
            _ => Joint::revolute(DVec3::Z).damping(1e-3),
        }));
        driven.actuators.push(Actuator::position(JointId::new(2), k, d).control(0.4));
        for simulation in [&mut sprung, &mut driven] {
            simulation.integrator = integrator;
            run(simulation, dt, 60);
        }
        println!("{name}: {:?}", driven.state.q);
        // rounding over 60 steps, in which errors of a swinging chain grow a little
        assert_close(name, &driven.state.q, &sprung.state.q, 1e-11);
    }
}

/// A velocity servo: the speed goes to the target as 1 − e^(−t/τ), τ = m/kv, less a load's F/kv.
#[test]
fn a_velocity_servo_reaches_its_speed() {
    let (kv, target, load) = (8.0, 0.5, -1.0);
    for (name, integrator) in Integrator::ALL {
        let mut simulation = block(slide());
        simulation.integrator = integrator;
        simulation.tau[0] = load;
        simulation.actuators.push(Actuator::velocity(FIRST, kv).control(target));
        run(&mut simulation, 1e-3, 300);
        let end = target + load / kv;
        assert_near(name, simulation.state.v[0], end * (1.0 - (-0.3f64 * kv / 2.0).exp()), 2e-3);
        run(&mut simulation, 1e-2, 1000);
        assert_near(name, simulation.state.v[0], end, 1e-6);
    }
}

/// Servos with a time constant far below the step hold at 1/60 s and get where they should; in the explicit integrators
/// they would explode.
#[test]
fn stiff_servos_hold() {
    for integrator in IMPLICIT {
        for (kp, kd) in [(1e3, 0.0), (1e6, 1e3), (1e9, 1e6), (0.0, 1e8), (1e6, 0.0)] {
            let mut arm = common::simulation(chain(6, |_| Joint::revolute(DVec3::Z).damping(0.05)));
            arm.integrator = integrator;
            for joint in 0..6 {
                arm.actuators.push(Actuator::position(JointId::new(joint), kp, kd).control(0.2));
            }
            run(&mut arm, 1.0 / 60.0, 600);
            let kinetic = arm.energy().kinetic;
            let off = arm.state.q.iter().map(|q| (q - 0.2).abs()).fold(0.0, f64::max);
            println!("{integrator:?}, kp {kp}, kd {kd}: {off:.1e} rad off, {kinetic:.1e} J");
            // 0.6 kg at 0.3 m on average: 1.8 N·m hang on the first servo
            if kd > 0.0 {
                assert!(kp == 0.0 || off < 2.0 / kp, "{integrator:?} {kp} {kd}: {off} rad");
                assert!(kinetic < 1e-9, "{integrator:?} {kp} {kd}: {kinetic} J");
            } else {
                // still ringing, with no more than the six servos held at the start, and a fall
                assert!(kinetic < 6.0 * 0.5 * kp * 0.04 + 5.0, "{integrator:?} {kp} {kd}: {kinetic} J");
            }
        }
    }
    let mut arm = block(slide());
    arm.integrator = Integrator::Rk4;
    arm.actuators.push(Actuator::position(FIRST, 1e6, 1e3).control(0.2));
    let explodes = (0..600).any(|_| arm.step(1.0 / 60.0).is_err() || arm.state.q[0].abs() > 1e6);
    assert!(explodes, "Runge–Kutta should not hold this: {}", arm.state.q[0]);
}

/// A servo moved to a target far away does not gain energy from nowhere: kinetic energy stays below what it can give.
#[test]
fn a_servo_gives_no_more_than_its_work() {
    for integrator in [Integrator::Default, Integrator::Accurate] {
        let (kp, target) = (1e5, 1.0);
        let mut simulation = block(slide());
        simulation.integrator = integrator;
        simulation.actuators.push(Actuator::position(FIRST, kp, 0.0).control(target));
        for step in 0..600 {
            simulation.step(1.0 / 60.0).expect("finite");
            let x = target - simulation.state.q[0];
            let total = simulation.energy().kinetic + 0.5 * kp * x * x;
            assert!(total <= 0.5 * kp * target * target * (1.0 + 1e-9), "step {step}: {total} J");
        }
    }
}

/// Several actuators of a joint and its joint force add up, and the sum is cut to the effort limit.
#[test]
fn drives_of_a_joint_add_up_and_are_cut() {
    let limited = || slide().each(|d| d.effort_limit = Some(3.0));
    for (tau, controls, given) in [
        (0.5, [1.0, -0.25], 1.25),
        (2.0, [2.0, 2.0], 3.0),
        (-9.0, [4.0, 3.0], -2.0),
        (9.0, [-5.0, -20.0], -3.0),
    ] {
        let mut simulation = block(limited());
        simulation.tau[0] = tau;
        simulation.actuators = controls.map(|c| Actuator::motor(FIRST).control(c)).to_vec();
        assert_near("q̈", simulation.accelerations()[0], given / 2.0, ROUNDING);
        for (name, integrator) in Integrator::ALL {
            let mut simulation = simulation.clone();
            simulation.integrator = integrator;
            simulation.state.v[0] = 0.3;
            run(&mut simulation, 0.01, 10);
            assert_near(name, simulation.state.v[0], 0.3 + given / 2.0 * 0.1, 1e-9);
        }
    }
    // a servo beyond the limit pushes with the limit, without implicit terms that would weaken it
    let mut simulation = block(limited());
    simulation.actuators.push(Actuator::position(FIRST, 1e6, 1e3).control(1.0));
    for integrator in IMPLICIT {
        let mut simulation = simulation.clone();
        simulation.integrator = integrator;
        run(&mut simulation, 1.0 / 60.0, 30);
        assert_near("pushed", simulation.state.v[0], 1.5 * 0.5, 1e-9);
    }
}

/// Every degree of freedom of every kind of joint can be driven: a motor is the joint force of the same number.
#[test]
fn a_motor_is_a_joint_force_on_every_kind_of_joint() {
    for kind in every_kind() {
        let inertia = common::inertia(&mut common::Rng::new(1, 0), 1.0);
        for axis in 0..kind.sizes().1 {
            for (name, integrator) in Integrator::ALL {
                let [mut motor, mut force] = [(); 2].map(|()| {
                    let body = Body::new("body", Joint::new(kind.clone())).inertia(inertia);
                    let mut simulation = common::simulation(ModelBuilder::new().body(body));
                    simulation.integrator = integrator;
                    simulation
                });
                motor.actuators.push(Actuator::motor(FIRST).axis(axis).gear(2.0).control(0.7));
                force.tau[axis] = 1.4;
                run(&mut motor, 1e-3, 20);
                run(&mut force, 1e-3, 20);
                let what = format!("{} {axis}, {name}", kind.word());
                // a floating base that is driven is not brought to its exact momenta: third order in the step
                let tolerance = if kind == JointKind::Free { 1e-5 } else { 1e-12 };
                assert_close(&what, &motor.state.v, &force.state.v, tolerance);
            }
        }
    }
}

/// The position of a hinge or slide beside others in a compound joint is found, behind the four numbers of a ball.
#[test]
fn a_servo_finds_its_place_in_a_compound_joint() {
    let elements = vec![
        Element::Ball { anchor: DVec3::ZERO },
        Element::Slide { axis: DVec3::X },
        Element::Slide { axis: DVec3::Y },
    ];
    let mut simulation = block(Joint::new(JointKind::Compound(elements)));
    simulation.gravity = DVec3::ZERO;
    simulation.state.q[5] = 0.3;
    simulation.actuators.push(Actuator::position(FIRST, 10.0, 0.0).axis(4).control(0.5));
    assert_near("q̈", simulation.accelerations()[4], 10.0 * 0.2 / 2.0, ROUNDING);
}

/// Chain of six, joints 1, 2 and 4 rigid, a servo on each of 1, 3, 4.
fn half_frozen() -> Simulation {
    let mut simulation = common::simulation(chain(6, |_| Joint::revolute(DVec3::Z)));
    let keep = (0..6)
        .map(|i| (JointId::new(i), if [1, 2, 4].contains(&i) { Keep::Rigid } else { Keep::Active }))
        .collect();
    simulation.set_detail(Detail { keep, ..Detail::joints(3) }).expect("valid");
    for joint in [4, 1, 3] {
        simulation.actuators.push(Actuator::position(JointId::new(joint), 2.0, 0.01).control(0.5));
    }
    simulation
}

/// Actuators of frozen joints do nothing to the step: the body moves as the welded one with those of the others.
#[test]
fn an_actuator_on_a_frozen_joint_does_nothing() {
    for (name, integrator) in Integrator::ALL {
        let mut hybrid = half_frozen();
        let mut welded = common::simulation(chain(6, |i| match i {
            1 | 2 | 4 => Joint::fixed(),
            _ => Joint::revolute(DVec3::Z),
        }));
        welded.actuators.push(Actuator::position(JointId::new(3), 2.0, 0.01).control(0.5));
        for simulation in [&mut hybrid, &mut welded] {
            simulation.integrator = integrator;
        }
        for step in 0..50 {
            if step % 20 == 0 {
                // an update restarts the momentum integrators
                welded.state.memory.restart();
            }
            run(&mut hybrid, 2e-3, 1);
            run(&mut welded, 2e-3, 1);
        }
        assert_close(name, &common::origins(&hybrid), &common::origins(&welded), 1e-9);
        assert_eq!([1, 2, 4].map(|i| hybrid.state.q[i]), [0.0; 3], "{name}");
    }
}

/// What freezing needs to know: all driven degrees of freedom, ascending, each once, with force and implicit term.
#[test]
fn drives_are_listed_for_the_whole_tree_and_for_a_reduced_one() {
    let mut simulation = half_frozen();
    simulation.actuators.push(Actuator::motor(JointId::new(1)).control(0.25));
    simulation.tau[1] = 0.125;
    simulation.state.q[4] = 0.1;
    simulation.form_groups();
    let Simulation { model, gravity, tau, wrenches, springs, actuators, .. } = &simulation;
    let driven = tau.driven();
    let loads = Loads { gravity: *gravity, tau, driven, wrenches, springs, actuators };
    let mut drives = Drives::default();
    let dofs = |drives: &Drives| drives.all().iter().map(|d| d.dof).collect::<Vec<_>>();
    let State { q, v, .. } = &simulation.state;
    drives.set(&BodyState { model, tree: model.tree(), q, v }, &loads);
    assert_eq!(dofs(&drives), [1, 3, 4]);
    // the joint force of the simulation is not counted twice
    let (h, v) = (0.01, 0.0);
    let one = drives.at(1).expect("driven");
    assert_near("force", one.joint_force(v, h), 2.0 * 0.5 + 0.25, ROUNDING);
    assert_near("diagonal", one.diagonal(h), h * 0.01 + h * h * 2.0, ROUNDING);
    assert_near("force", drives.at(4).expect("driven").joint_force(v, h), 2.0 * 0.4, ROUNDING);
    assert_near(
        "at speed",
        drives.at(4).expect("driven").joint_force(3.0, h),
        0.8 - 3.0 * (0.01 + h * 2.0),
        ROUNDING,
    );
    assert!(drives.at(2).is_none());
    let region = simulation.region().expect("less than full detail");
    let State { q, v, .. } = &simulation.state;
    drives.set(&BodyState { model, tree: region.tree(model), q, v }, &loads);
    assert_eq!(dofs(&drives), [3]);
}

/// A controller with a state of its own.
struct Counter {
    seen: Vec<(f64, Vec<bool>)>,
}

impl Controller for Counter {
    fn control(&mut self, view: &View<'_>, commands: &mut Commands<'_>) {
        let joints = 0..view.model.joints().len();
        self.seen.push((view.time, joints.map(|j| view.is_active(JointId::new(j))).collect()));
        commands.tau[5] = 0.01;
        for actuator in &mut *commands.actuators {
            actuator.control = view.position(actuator.joint) - 0.1 * view.velocity(actuator.joint);
        }
    }
}

/// A controller is called once before each step with the state at its start, and told which joints are rigid.
#[test]
fn a_controller_is_told_which_joints_are_rigid() {
    let mut simulation = half_frozen();
    let mut counter = Counter { seen: Vec::new() };
    for _ in 0..3 {
        simulation.step_with(&mut counter, 0.5e-3).expect("finite");
    }
    let active = vec![true, false, false, true, false, true];
    let times: Vec<f64> = counter.seen.iter().map(|s| s.0).collect();
    assert_close("times", &times, &[0.0, 0.5e-3, 1e-3], 1e-15);
    assert!(counter.seen.iter().all(|s| s.1 == active), "{:?}", counter.seen);
    assert_eq!(simulation.tau[5], 0.01);
    assert_eq!(simulation.actuators[1].control, 0.0);
    assert_ne!(simulation.actuators[2].control, 0.5);

    // at full detail all joints that move are active, fixed ones never; a boxed controller will do
    let mut full = common::simulation(
        chain(2, |_| Joint::revolute(DVec3::Z)).body(Body::new("nail", Joint::fixed()).on("link1")),
    );
    let mut seen = Vec::new();
    let mut boxed: Box<dyn Controller + '_> = Box::new(|view: &View<'_>, _: &mut Commands<'_>| {
        seen = (0..4).map(|j| view.is_active(JointId::new(j))).collect();
    });
    full.step_with(&mut *boxed, 1e-3).expect("finite");
    drop(boxed);
    assert_eq!(seen, [true, true, false, false]);
}

/// A servo told to follow a slow sine does, a few time constants behind.
#[test]
fn a_controlled_servo_follows() {
    let mut simulation = block(slide());
    simulation.actuators.push(Actuator::position(FIRST, 2000.0, 200.0).named("servo"));
    let mut follow = |view: &View<'_>, commands: &mut Commands<'_>| {
        let servo = commands.actuators.iter_mut().find(|a| a.name == "servo").expect("the servo");
        servo.control = (0.2 * TAU * view.time).sin();
    };
    let mut worst = 0.0f64;
    for _ in 0..600 {
        simulation.step_with(&mut follow, 1.0 / 60.0).expect("finite");
        worst = worst.max((simulation.state.q[0] - (0.2 * TAU * simulation.state.time).sin()).abs());
    }
    // it lags by kd/kp = 0.1 s and half a step at 1.26 m/s
    assert!(worst < 0.16 && worst > 0.05, "{worst} m");
}

#[test]
fn bad_actuators_are_refused_by_name() {
    let model: Model = ModelBuilder::new()
        .body(Body::new("slide", slide()).inertia(RigidInertia::solid_sphere(1.0, 0.1, DVec3::ZERO)))
        .body(Body::new("ball", Joint::spherical()).on("slide").inertia(RigidInertia::solid_sphere(
            1.0,
            0.1,
            DVec3::ZERO,
        )))
        .body(Body::new("nail", Joint::fixed()).on("slide"))
        .finish()
        .expect("valid");
    let good = Actuator::position(FIRST, 1.0, 1.0).named("servo");
    let on = |joint: usize| JointId::new(joint);
    for (actuator, words) in [
        (Actuator { joint: on(9), ..good.clone() }, ["\"servo\"", "joint number 9, of 3 joints"]),
        (Actuator { joint: on(2), ..good.clone() }, ["joint \"nail\"", "which has 0"]),
        (good.clone().axis(1), ["degree of freedom 1 of joint \"slide\"", "which has 1"]),
        (Actuator { joint: on(1), ..good.clone() }, ["joint \"ball\"", "not one number"]),
        (good.clone().control(f64::NAN), ["control of actuator \"servo\" is NaN", "finite"]),
        (good.clone().gear(f64::INFINITY), ["gear", "finite"]),
        (
            Actuator::position(FIRST, -1.0, 1.0),
            ["stiffness of actuator 1 is -1 N·m/rad or N/m", "not negative"],
        ),
        (Actuator::velocity(FIRST, f64::NAN), ["gain of actuator 1 is NaN", "finite"]),
        (good.clone().control_range(1.0, 0.0), ["lower end of the control range", "is 1"]),
        (good.clone().force_range(f64::NAN, 0.0), ["lower end of the force range", "NaN N·m or N"]),
    ] {
        let mut simulation = Simulation::new(model.clone());
        simulation.actuators = vec![good.clone(), actuator];
        let error = simulation.step(0.01).expect_err(words[0]);
        assert!(matches!(error, StepError::BadLoad(_)), "{error}");
        for word in words {
            assert!(error.to_string().contains(word), "{word}: {error}");
        }
    }
    // a motor or a velocity servo on a ball joint is fine
    let mut simulation = Simulation::new(model);
    simulation.actuators = vec![Actuator::velocity(on(1), 1.0).axis(2).control(1.0)];
    run(&mut simulation, 0.01, 500);
    assert_near("spin", simulation.state.v[3], 1.0, 1e-6);
}
