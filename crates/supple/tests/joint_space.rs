//! Jacobian, inverse dynamics, mass matrix and weight of a simulation, each against a second way: differences of poses, forward dynamics,
//! energies.

mod common;

use common::reference::{Skeleton, bodies, derivative, moved};
use common::{Case, Rng, random_items, relative_error};
use glam::DVec3;
use supple::detail::Detail;
use supple::{
    Actuator, Body, Force, Joint, JointId, ModelBuilder, Pose, RigidInertia, Simulation, Spring, StepError,
};

/// Two algorithms in the same arithmetic, and a solve.
const TWO_ALGORITHMS: f64 = 1e-9;
/// Differences of poses over 1e-4 s.
const DIFFERENCES: f64 = 1e-7;

const SEEDS: u64 = 30;

fn cases() -> impl Iterator<Item = (Case, Rng)> {
    (0..SEEDS).map(|seed| (Case::random(1 + seed as usize, seed), Rng::new(seed, 1 << 40)))
}

/// An arm with all that acts on joints, in motion and beyond a stop: servos, one of them at its force range, springs, friction.
fn arm() -> Simulation {
    let rod = RigidInertia::solid_capsule(1.0, DVec3::ZERO, DVec3::X, 0.05);
    let end = Pose::from_xyz(1.0, 0.0, 0.0);
    let joint = |axis| Joint::revolute(axis).damping(0.3).stiffness(2.0).friction(0.1).armature(0.05);
    let model = ModelBuilder::new()
        .body(Body::new("shoulder", Joint::spherical().cone(0.5).damping(0.2)).inertia(rod))
        .body(Body::new("elbow", joint(DVec3::Y).limits(-0.3, 0.3)).on("shoulder").at(end).inertia(rod))
        .body(Body::new("wrist", joint(DVec3::Z)).on("elbow").at(end).inertia(rod))
        .body(Body::new("slide", Joint::prismatic(DVec3::X).damping(4.0)).on("wrist").at(end).inertia(rod))
        .finish()
        .unwrap();
    let mut arm = Simulation::new(model);
    let turn = glam::DQuat::from_scaled_axis(DVec3::new(0.3, -0.7, 0.2));
    arm.state.q = [turn.to_array().as_slice(), &[0.4, -0.2, 0.1]].concat();
    arm.state.v = vec![0.5, -1.0, 2.0, 0.7, -1.5, 0.3];
    arm.actuators = vec![
        Actuator::position(JointId::new(1), 50.0, 4.0).control(0.1),
        Actuator::position(JointId::new(2), 900.0, 3.0).control(1.0).force_range(-7.0, 7.0).gear(-2.0),
        Actuator::velocity(JointId::new(3), 20.0).control(0.4),
        Actuator::motor(JointId::new(1)).control(3.0),
    ];
    let wrist = arm.model.body("wrist").unwrap();
    arm.springs = vec![Spring::new(wrist, DVec3::X, DVec3::new(1.0, 1.0, 0.5), 40.0).damping(2.0).rest(0.2)];
    arm.wrenches = vec![supple::Load {
        body: wrist,
        wrench: Force::new(DVec3::new(1.0, 2.0, 3.0), DVec3::new(-2.0, 5.0, 1.0)),
        axes: supple::Axes::World,
    }];
    arm
}

#[test]
fn jacobians_are_what_differences_of_poses_say() {
    for seed in 0..SEEDS {
        let items = random_items(1 + seed as usize, seed);
        let (case, mut rng) = (Case::new(&items, DVec3::ZERO), Rng::new(seed, 1 << 40));
        let skeleton = Skeleton { bodies: items.into_iter().map(|item| item.body).collect() };
        let simulation = case.simulation();
        for body in bodies(&case.model) {
            let point = rng.vector(1.0);
            let jacobian = simulation.jacobian(body, point).unwrap();
            assert_eq!(jacobian.nv(), case.model.nv());
            let motion = jacobian.mul(&case.v);
            let at = |h: f64| skeleton.poses(&moved(&case.model, &case.q, &case.v, h))[body.index()];
            let velocity = derivative(|h| at(h).point(point).to_array().to_vec());
            // where three points go
            let fine = |got: &[f64], expected: &[f64]| {
                let scale = case.v.iter().fold(1.0, |m: f64, v| m.max(v.abs()));
                let off = got.iter().zip(expected).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
                assert!(off < DIFFERENCES * scale * 40.0, "{got:?} instead of {expected:?}");
            };
            fine(&motion.linear.to_array(), &velocity);
            for axis in [DVec3::X, DVec3::Y] {
                let turned = derivative(|h| (at(h).rotation * axis).to_array().to_vec());
                fine(&motion.angular.cross(at(0.0).rotation * axis).to_array(), &turned);
            }
            // and the body's own velocity at its origin, in its own axes
            let kinematics = simulation.kinematics();
            let own = simulation.body_velocity(&kinematics, body);
            let here = simulation.jacobian(body, DVec3::ZERO).unwrap().mul(&case.v);
            let rotation = simulation.body_pose(&kinematics, body).rotation;
            fine(&(rotation * own.angular).to_array(), &here.angular.to_array());
            fine(&(rotation * own.linear).to_array(), &here.linear.to_array());
            // rows and columns are the same numbers, and forces do the work that motions say
            let rows = jacobian.to_rows();
            let nv = case.model.nv();
            for dof in 0..nv {
                let column = jacobian.column(dof).to_array();
                for row in 0..6 {
                    assert_eq!((rows[row * nv + dof], jacobian.get(row, dof)), (column[row], column[row]));
                }
            }
            let force = rng.force(3.0);
            let work: f64 = jacobian.transpose_mul(force).iter().zip(&case.v).map(|(f, v)| f * v).sum();
            assert!((work - force.dot(motion)).abs() < 1e-9 * (1.0 + work.abs()) * 40.0);
        }
    }
}

#[test]
fn inverse_dynamics_undoes_forward_dynamics() {
    for (case, mut rng) in cases() {
        let mut simulation = case.simulation();
        let asked: Vec<f64> = (0..case.model.nv()).map(|_| rng.range(-20.0, 20.0)).collect();
        simulation.tau = simulation.inverse_dynamics(&asked).unwrap().into();
        let got = simulation.accelerations().to_vec();
        assert!(relative_error(&got, &asked) < TWO_ALGORITHMS || asked.is_empty(), "{got:?} {asked:?}");
        // and the other way round, without what tau was
        let own = case.simulation().accelerations().to_vec();
        let mut needed = case.simulation().inverse_dynamics(&own).unwrap();
        for (dof, tau) in needed.iter_mut().enumerate() {
            *tau -= case.tau[dof].clamp(-case.model.effort_limits()[dof], case.model.effort_limits()[dof]);
        }
        let scale = case.tau.iter().chain(&own).fold(1.0, |m: f64, x| m.max(x.abs()));
        assert!(needed.iter().all(|x| x.abs() < 1e-7 * scale), "{needed:?}");
    }
}

#[test]
fn inverse_dynamics_counts_springs_dampers_stops_servos_and_wrenches() {
    let mut arm = arm();
    let asked = [3.0, -2.0, 1.0, 8.0, -5.0, 0.5];
    let tau = arm.inverse_dynamics(&asked).unwrap();
    arm.tau = tau.clone().into();
    let got = arm.accelerations().to_vec();
    assert!(relative_error(&got, &asked) < TWO_ALGORITHMS, "{got:?}");
    // what tau was does not matter
    assert_eq!(arm.inverse_dynamics(&asked).unwrap(), tau);
    // each of the things counts
    let without = |change: &dyn Fn(&mut Simulation)| {
        let mut other = arm.clone();
        change(&mut other);
        relative_error(&other.inverse_dynamics(&asked).unwrap(), &tau)
    };
    for (what, off) in [
        ("servos", without(&|arm| arm.actuators.clear())),
        ("springs", without(&|arm| arm.springs.clear())),
        ("wrenches", without(&|arm| arm.wrenches.clear())),
        ("velocities", without(&|arm| arm.state.v.fill(0.0))),
        ("gravity", without(&|arm| arm.gravity = DVec3::ZERO)),
    ] {
        // the stop alone pushes with more than all of them
        assert!(off > 1e-5, "{what}: {off}");
    }
}

/// What a joint with an effort limit would need is told; servos that ask for more than it are not cut to it, since tau is there to undo them.
#[test]
fn effort_limits_do_not_cut_what_is_needed() {
    let rod = RigidInertia::solid_capsule(1.0, DVec3::ZERO, DVec3::X, 0.05);
    let hinge = Joint::revolute(DVec3::Y).effort_limit(10.0);
    let model = ModelBuilder::new().body(Body::new("arm", hinge).inertia(rod)).finish().unwrap();
    let mut arm = Simulation::new(model);
    let joint = JointId::new(0);
    arm.actuators.push(Actuator::position(joint, 1000.0, 0.0).control(1.0));
    let tau = arm.inverse_dynamics(&[2.0]).unwrap();
    assert!(tau[0] < -950.0, "the servo asks for 1000 N·m: {tau:?}");
    arm.tau = tau.into();
    assert!((arm.accelerations()[0] - 2.0).abs() < 1e-9);
    // beyond the limit: told, and not to be had
    let tau = arm.inverse_dynamics(&[1e4]).unwrap();
    arm.tau = tau.into();
    assert!(arm.accelerations()[0] < 1e3);
}

#[test]
fn mass_matrix_bias_and_weight_agree() {
    for (case, mut rng) in cases() {
        let mut simulation = case.simulation();
        let nv = case.model.nv();
        let a: Vec<f64> = (0..nv).map(|_| rng.range(-20.0, 20.0)).collect();
        // M a + bias = τ
        let mass = simulation.mass_matrix().unwrap();
        let bias = simulation.inverse_dynamics(&vec![0.0; nv]).unwrap();
        let sum: Vec<f64> = mass.mul(&a).iter().zip(&bias).map(|(ma, b)| ma + b).collect();
        let tau = simulation.inverse_dynamics(&a).unwrap();
        assert!(nv == 0 || relative_error(&sum, &tau) < TWO_ALGORITHMS);
        // ½ vᵀ M v is the kinetic energy
        let twice: f64 = mass.mul(&case.v).iter().zip(&case.v).map(|(p, v)| p * v).sum();
        let kinetic = simulation.energy().kinetic;
        assert!((0.5 * twice - kinetic).abs() < 1e-9 * kinetic.max(1.0), "{twice} {kinetic}");
        // weight is the slope of the energy of height
        simulation.springs.clear();
        let weight = simulation.gravity_forces().unwrap();
        let power: f64 = weight.iter().zip(&case.v).map(|(g, v)| g * v).sum();
        let height = |h: f64| {
            let mut there = simulation.clone();
            there.state.q = moved(&case.model, &case.q, &case.v, h);
            let momentum = there.momentum();
            vec![-momentum.mass * there.gravity.dot(momentum.com)]
        };
        let slope = derivative(height)[0];
        let scale = 1.0 + slope.abs() + weight.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        assert!((power - slope).abs() < 1e-5 * scale, "{power} {slope}");
        // at rest without anything else it is all there is
        let mut bare = Simulation::new(case.model.clone());
        (bare.gravity, bare.state.q) = (case.gravity, case.q.clone());
        if !case.model.has_passive() {
            assert_eq!(bare.gravity_forces().unwrap(), bare.inverse_dynamics(&vec![0.0; nv]).unwrap());
        }
    }
}

#[test]
fn at_less_detail_they_are_of_the_whole_body() {
    let rod = RigidInertia::solid_capsule(1.0, DVec3::ZERO, DVec3::X, 0.02);
    let mut chain = Simulation::new(common::chain(12, |_| Joint::revolute(DVec3::Y)).finish().unwrap());
    assert!(rod.mass == 1.0);
    chain.state.q[0] = 0.3;
    chain.set_detail(Detail::joints(2)).unwrap();
    for _ in 0..20 {
        chain.step(1e-2).unwrap();
    }
    assert!(chain.region().unwrap().report().active <= 2);
    let mut full = Simulation::new(chain.model.clone());
    full.state.q.clone_from(&chain.state.q);
    full.state.v.clone_from(&chain.state.v);
    let last = chain.model.body("link 11").or_else(|| bodies(&chain.model).last()).unwrap();
    assert_eq!(chain.mass_matrix().unwrap(), full.mass_matrix().unwrap());
    assert_eq!(chain.gravity_forces().unwrap(), full.gravity_forces().unwrap());
    let a: Vec<f64> = (0..12).map(f64::from).collect();
    assert_eq!(chain.inverse_dynamics(&a).unwrap(), full.inverse_dynamics(&a).unwrap());
    let jacobian = chain.jacobian(last, DVec3::X).unwrap();
    assert_eq!(jacobian, full.jacobian(last, DVec3::X).unwrap());
    assert!(jacobian.columns().iter().all(|column| column.angular.length() > 0.99));
}

#[test]
fn what_cannot_be_is_said() {
    let mut arm = arm();
    let error = arm.inverse_dynamics(&[0.0; 3]).unwrap_err();
    assert_eq!(error.to_string(), "the list of accelerations has 3 numbers, the model needs 6");
    let error = arm.inverse_dynamics(&[0.0, 0.0, 0.0, f64::NAN, 0.0, 0.0]).unwrap_err().to_string();
    assert!(error.contains("joint \"elbow\"") && error.contains("NaN"), "{error}");
    let error = arm.jacobian(supple::BodyId::new(9), DVec3::ZERO).unwrap_err();
    assert_eq!(error, StepError::NoBody { what: "a Jacobian", body: 9, bodies: 4 });
    assert_eq!(
        error.to_string(),
        "a Jacobian is of body number 9, but the model has 4 bodies, counted from 0"
    );
    let error = arm.jacobian(supple::BodyId::new(1), DVec3::INFINITY).unwrap_err().to_string();
    assert!(error.contains("point [m]") && error.contains("\"elbow\""), "{error}");
    arm.state.q.pop();
    assert!(matches!(arm.mass_matrix(), Err(StepError::WrongLength { what: "q", .. })));
    assert!(matches!(arm.gravity_forces(), Err(StepError::WrongLength { what: "q", .. })));
    arm.state.q.push(f64::NAN);
    assert!(matches!(arm.mass_matrix(), Err(StepError::BadInput { what: "q", .. })));
}
