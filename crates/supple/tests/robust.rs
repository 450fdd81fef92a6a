//! Bad inputs get a clear error, and the state stays what it was.

mod common;

use common::{Case, assert_close, chain};
use glam::DVec3;
use supple::{
    Axes, Body, BodyId, Force, Integrator, Joint, Load, ModelBuilder, Pose, RigidInertia, Simulation,
    StepError,
};

/// A free body that carries a ball joint, a hinge and a slide, moving.
fn mixed() -> Simulation {
    let ball = RigidInertia::solid_sphere(1.0, 0.2, DVec3::new(0.1, 0.0, 0.05));
    let next = Pose::from_xyz(0.3, 0.0, 0.0);
    let builder = ModelBuilder::new()
        .body(Body::new("base", Joint::free()).inertia(ball))
        .body(Body::new("ball", Joint::spherical()).on("base").at(next).inertia(ball))
        .body(Body::new("hinge", Joint::revolute(DVec3::Y).named("knee")).on("ball").at(next).inertia(ball))
        .body(Body::new("slide", Joint::prismatic(DVec3::X)).on("hinge").at(next).inertia(ball));
    let mut simulation = Simulation::new(builder.finish().expect("valid"));
    simulation.state.v.iter_mut().enumerate().for_each(|(i, v)| *v = 0.1 * i as f64);
    simulation.state.time = 1.25;
    simulation.state.step = 10;
    simulation
}

/// Something done to a simulation that makes its next step impossible.
type Spoil<'a> = &'a dyn Fn(&mut Simulation);

/// Steps with every integrator after `spoil`, expects an error and an untouched state; returns the error.
fn refused(spoil: impl Fn(&mut Simulation)) -> StepError {
    refused_at(0.01, spoil)
}

fn refused_at(dt: f64, spoil: impl Fn(&mut Simulation)) -> StepError {
    let mut errors = Vec::new();
    for (name, integrator) in Integrator::ALL {
        let mut simulation = mixed();
        simulation.integrator = integrator;
        simulation.step(0.01).expect("a good step first");
        spoil(&mut simulation);
        let before = simulation.state.clone();
        let error = simulation.step(dt).expect_err(name);
        let same_bits =
            |a: &[f64], b: &[f64]| a.iter().map(|x| x.to_bits()).eq(b.iter().map(|x| x.to_bits()));
        assert!(same_bits(&simulation.state.q, &before.q), "{name} changed q");
        assert!(same_bits(&simulation.state.v, &before.v), "{name} changed v");
        assert_eq!((simulation.state.time, simulation.state.step), (before.time, before.step));
        errors.push(error);
    }
    let kind = std::mem::discriminant(&errors[0]);
    assert!(errors.iter().all(|e| std::mem::discriminant(e) == kind), "integrators disagree: {errors:?}");
    errors.remove(0)
}

#[test]
fn a_step_must_be_positive_and_finite() {
    for dt in [0.0, -0.01, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let error = refused_at(dt, |_| {});
        assert!(matches!(error, StepError::BadStep { .. }), "{error:?}");
        let message = error.to_string();
        assert!(message.contains("dt") && message.contains(&format!("{dt} s")), "{message}");
    }
}

#[test]
fn numbers_that_are_not_finite_are_named() {
    // q: base 0..7, ball 7..11, knee 11, slide 12; v and τ: base 0..6, ball 6..9, knee 9, slide 10
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for (at_q, at_v, joint) in [(2, 5, "base"), (8, 7, "ball"), (11, 9, "knee"), (12, 10, "slide")] {
            let spoils: [(&str, Spoil); 3] = [
                ("q", &|s: &mut Simulation| s.state.q[at_q] = value),
                ("v", &|s: &mut Simulation| s.state.v[at_v] = value),
                ("tau", &|s: &mut Simulation| s.tau[at_v] = value),
            ];
            for (wanted, spoil) in spoils {
                let error = refused(spoil);
                let StepError::BadInput { what, joint: named, value: got, step: 11, time } = &error else {
                    panic!("{error:?}")
                };
                assert_eq!(*what, wanted);
                assert!(named.contains(joint), "{named}");
                assert!(got.to_bits() == value.to_bits() && (time - 1.26).abs() < 1e-12);
                let message = error.to_string();
                for part in [wanted, joint, &value.to_string(), "step 11", "1.26 s", "finite"] {
                    assert!(message.contains(part), "{part:?} is missing in {message:?}");
                }
            }
        }
    }
}

#[test]
fn lists_of_the_wrong_length_are_refused() {
    let spoils: [(&str, Spoil); 4] = [
        ("q", &|s: &mut Simulation| s.state.q.truncate(12)),
        ("v", &|s: &mut Simulation| s.state.v.push(0.0)),
        ("tau", &|s: &mut Simulation| s.tau = Vec::new().into()),
        ("v", &|s: &mut Simulation| s.state.v.clear()),
    ];
    for (wanted, spoil) in spoils {
        let error = refused(spoil);
        let StepError::WrongLength { what, got, need } = &error else { panic!("{error:?}") };
        assert_eq!(*what, wanted);
        assert_ne!(got, need);
        let message = error.to_string();
        assert!(message.contains(wanted) && message.contains(&need.to_string()), "{message}");
    }
}

#[test]
fn wrenches_on_bodies_that_do_not_exist_or_are_not_finite_are_refused() {
    let load = |body, wrench| Load { body: BodyId::new(body), wrench, axes: Axes::World };
    let error = refused(|s| s.wrenches.push(load(4, Force::ZERO)));
    assert!(matches!(error, StepError::NoBody { body: 4, bodies: 4, .. }), "{error:?}");
    assert!(error.to_string().contains("wrench"), "{error}");
    let nan = Force::new(DVec3::ZERO, DVec3::new(0.0, f64::NAN, 0.0));
    let error = refused(|s| s.wrenches.push(load(2, nan)));
    assert!(matches!(error, StepError::BadInput { .. }), "{error:?}");
    assert!(error.to_string().contains("wrench") && error.to_string().contains("hinge"), "{error}");
}

/// Gravity is an input like any other: NaN in it is not the fault of a joint.
#[test]
fn gravity_must_be_finite() {
    for value in [f64::NAN, f64::INFINITY] {
        let error = refused(|s| s.gravity.y = value);
        assert!(matches!(error, StepError::BadInput { .. }), "{error:?}");
        assert!(error.to_string().contains("gravity"), "{error}");
    }
}

/// A quaternion that is not of unit length is no rotation: it would scale the body.
#[test]
fn quaternions_must_be_of_unit_length() {
    for scale in [0.0, 0.5, 1.001, 2.0] {
        for (at, name) in [(3, "base"), (7, "ball")] {
            let error = refused(|s| s.state.q[at..at + 4].iter_mut().for_each(|x| *x *= scale));
            let StepError::NotUnit { joint, length, step: 11, .. } = &error else { panic!("{error:?}") };
            assert_eq!(joint, name);
            assert!((length - scale).abs() < 1e-9, "{length}");
            let message = error.to_string();
            assert!(message.contains(name) && message.contains("length 1"), "{message}");
        }
    }
}

/// Rounding of files is forgiven: six digits of a quaternion are near enough, and the step makes it unit.
#[test]
fn quaternions_printed_with_six_digits_are_accepted() {
    for (name, integrator) in Integrator::ALL {
        let mut simulation = mixed();
        simulation.integrator = integrator;
        simulation.state.q[7..11].copy_from_slice(&[0.182_574, 0.365_148, 0.547_723, 0.730_297]);
        simulation.step(0.001).expect(name);
        let length = simulation.state.q[7..11].iter().map(|x| x * x).sum::<f64>().sqrt();
        assert!((length - 1.0).abs() < 1e-12, "{name}: {length}");
    }
}

/// A tolerance that cannot be met is an error, not a step that silently covers a part of the time.
#[test]
fn an_adaptive_step_needs_a_positive_tolerance() {
    for tolerance in [0.0, -1e-6, f64::NAN] {
        let mut simulation = mixed();
        simulation.integrator = Integrator::Adaptive { tolerance };
        let before = simulation.state.clone();
        let error = simulation.step(0.01).expect_err("no step is that exact");
        assert!(error.to_string().contains("tolerance"), "{error}");
        assert_eq!(simulation.state, before);
    }
}

/// An undamped chain explodes with explicit steps: the error names joint, step and time, and the state is the
/// last one that was finite.
#[test]
fn a_chain_that_explodes_stops_at_its_last_finite_state() {
    for integrator in [Integrator::Explicit, Integrator::SemiImplicit, Integrator::Rk4] {
        let mut simulation = common::simulation(chain(100, |_| Joint::revolute(DVec3::Z)));
        simulation.integrator = integrator;
        let dt = 1.0 / 60.0;
        let (error, before) = loop {
            let before = simulation.state.clone();
            match simulation.step(dt) {
                Ok(_) => assert!(before.step < 6000, "{integrator:?} holds for 100 s"),
                Err(error) => break (error, before),
            }
        };
        assert_eq!(simulation.state, before);
        assert!(before.q.iter().chain(&before.v).all(|x| x.is_finite()));
        let StepError::NotFinite { joint, step, time, .. } = &error else { panic!("{error:?}") };
        assert!(joint.starts_with("link"), "{joint}");
        assert_eq!(*step, before.step);
        assert!((time - before.time).abs() < 1e-12 && *time > 0.0, "{time}");
        let message = error.to_string();
        for part in [joint.as_str(), &step.to_string(), &time.to_string(), "smaller steps"] {
            assert!(message.contains(part), "{part:?} is missing in {message:?}");
        }
        println!("{integrator:?}: {message}");
        // and it can go on from there with another integrator, or with smaller steps
        simulation.state.v.fill(0.0);
        simulation.integrator = Integrator::Rk4;
        simulation.step(1e-5).expect("a small step from a finite state");
    }
}

/// The error is reported once more if nothing was done about it: nothing is left behind by a failed step.
#[test]
fn an_error_is_the_same_twice_and_leaves_no_trace() {
    let mut simulation = mixed();
    simulation.step(0.01).expect("a step");
    let mut untroubled = simulation.clone();
    let v = simulation.state.v[7];
    simulation.state.v[7] = f64::NAN;
    let (first, second) = (simulation.step(0.01).unwrap_err(), simulation.step(0.01).unwrap_err());
    assert_eq!(first.to_string(), second.to_string());
    simulation.state.v[7] = v;
    simulation.step(0.01).expect("a step");
    untroubled.step(0.01).expect("a step");
    assert_eq!(simulation.state, untroubled.state);
}

/// A pose in which massless bodies have nothing to resist them is found when it is reached.
#[test]
fn a_pose_that_moves_no_inertia_is_an_error_with_advice() {
    // two hinges about z and x with a massless body between, then a point mass: once the mass lies on the
    // first axis, nothing resists it
    let point = RigidInertia::new(1.0, DVec3::new(0.0, 1.0, 0.0), supple::spatial::Sym3::ZERO);
    let builder = ModelBuilder::new()
        .body(Body::new("yoke", Joint::revolute(DVec3::Z)))
        .body(Body::new("arm", Joint::revolute(DVec3::X)).on("yoke").inertia(point));
    let mut simulation = Simulation::new(builder.finish().expect("resisted in nearly all poses"));
    simulation.step(1e-3).expect("resisted here");
    simulation.state.q[1] = std::f64::consts::FRAC_PI_2;
    simulation.state.v.fill(0.0);
    let before = simulation.state.clone();
    match simulation.step(1e-3) {
        Err(error @ StepError::Singular { .. }) => {
            let message = error.to_string();
            for part in ["yoke", "inertia", "armature"] {
                assert!(message.contains(part), "{part:?} is missing in {message:?}");
            }
        }
        // the mass is rounding away from the axis: then the step must at least have moved nothing wildly
        Ok(_) => assert!(simulation.state.v.iter().all(|v| v.abs() < 1e3), "{:?}", simulation.state.v),
        Err(other) => panic!("{other}"),
    }
    if simulation.state.step == before.step {
        assert_eq!(simulation.state, before);
    }
}

/// Exactly singular, without rounding: a point mass on the axis of the joint that carries its massless parent.
#[test]
fn an_exactly_singular_pose_names_the_joint() {
    let point = RigidInertia::new(1.0, DVec3::new(0.0, 0.0, 1.0), supple::spatial::Sym3::ZERO);
    let builder = ModelBuilder::new()
        .body(Body::new("yoke", Joint::revolute(DVec3::Z)))
        .body(Body::new("arm", Joint::revolute(DVec3::X)).on("yoke").inertia(point));
    let mut simulation = Simulation::new(builder.finish().expect("resisted in nearly all poses"));
    let before = simulation.state.clone();
    let error = simulation.step(1e-3).expect_err("the mass lies on the axis of the yoke");
    assert!(matches!(&error, StepError::Singular { joint, step: 0, .. } if joint == "yoke"), "{error:?}");
    assert_eq!(simulation.state, before);
}

/// Loads on bodies that are fixed to the world, or welded to others, do what they should.
#[test]
fn a_wrench_on_a_body_that_is_fixed_to_the_world_moves_nothing() {
    let rod = common::rod(0.1, 0.1);
    let builder = ModelBuilder::new()
        .body(Body::new("wall", Joint::fixed()).inertia(rod))
        .body(Body::new("arm", Joint::revolute(DVec3::Z)).on("wall").inertia(rod))
        .body(Body::new("shelf", Joint::fixed()).on("wall").inertia(rod));
    let model = builder.finish().expect("valid");
    let case = |loads: Vec<Load>| Case {
        model: model.clone().into(),
        q: vec![0.2],
        v: vec![0.1],
        tau: vec![0.3],
        loads,
        gravity: DVec3::NEG_Y,
    };
    let wrench = Force::new(DVec3::ONE, DVec3::ONE);
    let pushed = [0, 2].map(|i| Load { body: BodyId::new(i), wrench, axes: Axes::World }).to_vec();
    assert_close("q̈", &common::forward(&case(pushed)), &common::forward(&case(vec![])), 0.0);
}

/// A model in which nothing moves can be stepped.
#[test]
fn a_model_without_moving_joints_only_grows_older() {
    for (name, integrator) in Integrator::ALL {
        let body = Body::new("rock", Joint::fixed()).inertia(common::rod(1.0, 1.0));
        let mut simulation = Simulation::new(ModelBuilder::new().body(body).finish().expect("valid"));
        simulation.integrator = integrator;
        for _ in 0..3 {
            simulation.step(0.5).expect(name);
        }
        assert_eq!((simulation.state.time, simulation.state.step), (1.5, 3), "{name}");
        assert_eq!(simulation.energy().total(), 0.0);
    }
}
