//! What is wrong with a model is said once, by name, with value, unit and advice; what is fine is accepted.
#![allow(clippy::disallowed_methods, reason = "the library may not read the clock, this test does")]

mod common;

use std::time::{Duration, Instant};

use common::{Case, Item, assert_close, assert_near, chain, forward, inverse, mass_matrix, rod};
use glam::{DMat3, DQuat, DVec3};
use supple::model::{Element, Limit};
use supple::spatial::Sym3;
use supple::{
    Body, Integrator, Joint, JointKind, Model, ModelBuilder, ModelError, Pose, RigidInertia, Simulation,
};

fn ball() -> RigidInertia {
    RigidInertia::solid_sphere(1.0, 0.1, DVec3::new(0.1, 0.0, 0.0))
}

/// A body named "arm" on a joint.
fn arm(joint: impl Into<Joint>) -> Body {
    Body::new("arm", joint).inertia(ball())
}

fn build(bodies: impl IntoIterator<Item = Body>) -> Result<Model, ModelError> {
    let mut builder = ModelBuilder::new();
    for body in bodies {
        builder.add(body);
    }
    builder.finish()
}

/// Expects an error whose message has all `parts`, and returns it.
#[track_caller]
fn refused(bodies: impl IntoIterator<Item = Body>, parts: &[&str]) -> ModelError {
    let error = build(bodies).expect_err("the model is wrong");
    let message = error.to_string();
    for part in parts {
        assert!(message.contains(part), "{part:?} is missing in {message:?}");
    }
    error
}

#[track_caller]
fn accepted(bodies: impl IntoIterator<Item = Body>) -> Model {
    build(bodies).unwrap_or_else(|e| panic!("refused: {e}"))
}

#[test]
fn a_model_needs_bodies() {
    assert_eq!(refused([], &["no bodies", "add"]), ModelError::Empty);
}

#[test]
fn names_are_unique_and_not_empty() {
    let error = refused([arm(Joint::fixed()), arm(Joint::fixed()).on("arm")], &["body", "\"arm\"", "rename"]);
    assert!(matches!(error, ModelError::DuplicateName { what: "body", .. }), "{error:?}");
    let (a, b) =
        (Body::new("a", Joint::fixed().named("hip")), Body::new("b", Joint::fixed().named("hip")).on("a"));
    let error = refused([a.clone(), b], &["joint", "\"hip\"", "rename"]);
    assert!(matches!(error, ModelError::DuplicateName { what: "joint", .. }), "{error:?}");
    // a joint without a name has that of its body
    let error = refused([a, Body::new("hip", Joint::fixed()).on("a")], &["joint", "\"hip\""]);
    assert!(matches!(error, ModelError::DuplicateName { what: "joint", .. }), "{error:?}");

    let error =
        refused([arm(Joint::fixed()), Body::new("", Joint::fixed()).on("arm")], &["body", "1", "name"]);
    assert!(matches!(error, ModelError::EmptyName { what: "body", index: 1 }), "{error:?}");
    let error = refused([arm(Joint::fixed().named(""))], &["joint", "0", "name"]);
    assert!(matches!(error, ModelError::EmptyName { what: "joint", index: 0 }), "{error:?}");
}

#[test]
fn parents_exist() {
    let hand = Body::new("hand", Joint::revolute(DVec3::Z)).inertia(ball());
    let error = refused(
        [arm(Joint::fixed()), hand.clone().on("Arm")],
        &["\"hand\"", "\"Arm\"", "did you mean \"arm\"?"],
    );
    assert!(matches!(error, ModelError::UnknownParent { .. }), "{error:?}");
    let error = refused([arm(Joint::fixed()), hand.on("wing")], &["\"hand\"", "\"wing\"", "does not exist"]);
    assert!(!error.to_string().contains("did you mean"), "{error}");
}

#[test]
fn bodies_form_one_tree() {
    let on = |name: &str, parent: &str| Body::new(name, Joint::revolute(DVec3::Z)).inertia(ball()).on(parent);
    let error =
        refused([arm(Joint::fixed()), on("a", "c"), on("b", "a"), on("c", "b")], &["circle", "→", "cut"]);
    let ModelError::Cycle { path } = &error else { panic!("{error:?}") };
    assert_eq!(path.matches('→').count(), 3, "{path}");
    // without any root, and a body on itself
    assert!(matches!(refused([on("a", "b"), on("b", "a")], &["circle"]), ModelError::Cycle { .. }));
    assert!(matches!(refused([on("a", "a")], &["circle", "a → a"]), ModelError::Cycle { .. }));
    // a long circle is cut short in the message
    let long = (0..1000).map(|i| on(&format!("body{i}"), &format!("body{}", (i + 1) % 1000)));
    assert!(refused(long, &["circle"]).to_string().len() < 300);

    let error = refused(
        [arm(Joint::fixed()), Body::new("leg", Joint::fixed())],
        &["\"arm\"", "\"leg\"", "join them"],
    );
    assert!(matches!(error, ModelError::SeveralRoots { .. }), "{error:?}");
}

#[test]
fn numbers_are_finite() {
    type Spoil = fn(&mut Body, f64);
    let spoils: [(&str, Spoil); 16] = [
        ("mass", |b, x| b.inertia.mass = x),
        ("centre of mass", |b, x| b.inertia.moment.y = x),
        ("inertia", |b, x| b.inertia.inertia.xz = x),
        ("placement", |b, x| b.placement.translation.z = x),
        ("placement", |b, x| b.placement.rotation.x_axis.y = x),
        ("frame", |b, x| b.frame.translation.x = x),
        ("axis", |b, x| b.joint.kind = JointKind::Revolute { axis: DVec3::new(0.0, x, 1.0) }),
        ("pitch", |b, x| b.joint.kind = JointKind::Helical { axis: DVec3::Z, pitch: x }),
        ("rest position", |b, x| b.joint.rest[0] = x),
        ("damping", |b, x| b.joint.dofs[0].damping = x),
        ("stiffness", |b, x| b.joint.dofs[0].stiffness = x),
        ("armature", |b, x| b.joint.dofs[0].armature = x),
        ("friction", |b, x| b.joint.dofs[0].friction = x),
        ("limit stiffness", |b, x| b.joint.dofs[0].limit = Some(Limit { stiffness: Some(x), ..open() })),
        ("limit damping", |b, x| b.joint.dofs[0].limit = Some(Limit { damping: Some(x), ..open() })),
        ("anchor", |b, x| {
            b.joint.kind =
                JointKind::Compound(vec![Element::Hinge { axis: DVec3::Z, anchor: DVec3::splat(x) }]);
        }),
    ];
    for (field, spoil) in spoils {
        for value in [f64::NAN, f64::INFINITY] {
            let mut body = arm(Joint::revolute(DVec3::Z));
            spoil(&mut body, value);
            let error = refused([body], &["\"arm\"", field, "finite", &value.to_string()]);
            assert!(matches!(error, ModelError::NotFinite { .. }), "{field} = {value}: {error:?}");
        }
    }
    // NaN bounds are refused, infinite ones mean that there is none
    for field in ["effort limit", "velocity limit"] {
        let with = |value: f64| {
            arm(Joint::revolute(DVec3::Z).each(|d| match field {
                "effort limit" => d.effort_limit = Some(value),
                _ => d.velocity_limit = Some(value),
            }))
        };
        refused([with(f64::NAN)], &["\"arm\"", field, "finite"]);
        refused([with(f64::NEG_INFINITY)], &["\"arm\"", field]);
        accepted([with(f64::INFINITY)]);
    }
}

/// A limit that bounds nothing.
fn open() -> Limit {
    Limit { lower: f64::NEG_INFINITY, upper: f64::INFINITY, stiffness: None, damping: None }
}

#[test]
fn what_must_not_be_negative_is_not() {
    type Spoil = fn(&mut Body);
    let spoils: [(&str, &str, Spoil); 9] = [
        ("mass", "-0.5 kg", |b| b.inertia.mass = -0.5),
        ("damping", "-0.5 N·m·s/rad", |b| b.joint.dofs[0].damping = -0.5),
        ("stiffness", "-0.5 N·m/rad", |b| b.joint.dofs[0].stiffness = -0.5),
        ("armature", "-0.5 kg·m²", |b| b.joint.dofs[0].armature = -0.5),
        ("friction", "-0.5 N·m", |b| b.joint.dofs[0].friction = -0.5),
        ("effort limit", "-0.5 N·m", |b| b.joint.dofs[0].effort_limit = Some(-0.5)),
        ("velocity limit", "-0.5 rad/s", |b| b.joint.dofs[0].velocity_limit = Some(-0.5)),
        ("limit stiffness", "-0.5 N·m/rad", |b| {
            b.joint.dofs[0].limit = Some(Limit { stiffness: Some(-0.5), ..open() });
        }),
        ("limit damping", "-0.5 N·m·s/rad", |b| {
            b.joint.dofs[0].limit = Some(Limit { damping: Some(-0.5), ..open() });
        }),
    ];
    for (field, value, spoil) in spoils {
        let mut body = arm(Joint::revolute(DVec3::Z));
        spoil(&mut body);
        let error = refused([body], &["\"arm\"", field, "negative", value]);
        assert!(matches!(error, ModelError::Negative { .. }), "{field}: {error:?}");
    }
}

#[test]
fn poses_are_rotations() {
    let skewed = DMat3::from_cols(DVec3::X, DVec3::new(0.1, 1.0, 0.0), DVec3::Z);
    let mirrored = DMat3::from_diagonal(DVec3::new(1.0, 1.0, -1.0));
    for rotation in [skewed, mirrored, DMat3::IDENTITY * 1.01, DMat3::ZERO] {
        let mut body = arm(Joint::revolute(DVec3::Z));
        body.placement.rotation = rotation;
        let error = refused([body], &["\"arm\"", "placement", "rotation", "orthonormal"]);
        assert!(matches!(error, ModelError::NotARotation { .. }), "{error:?}");
        let mut body = arm(Joint::revolute(DVec3::Z));
        body.frame.rotation = rotation;
        refused([body], &["\"arm\"", "frame", "rotation"]);
    }
    // six printed digits are near enough, and are made exact
    let mut body = arm(Joint::revolute(DVec3::Z));
    body.placement.rotation = DMat3::from_cols(
        DVec3::new(0.866025, 0.5, 0.0),
        DVec3::new(-0.5, 0.866025, 0.0),
        DVec3::new(0.0, 0.0, 1.0),
    );
    let r = accepted([body]).tree().links[0].placement.rotation;
    let off = (r.transpose() * r - DMat3::IDENTITY).to_cols_array();
    assert!(off.iter().all(|x| x.abs() < 1e-15), "{off:?}");
}

#[test]
fn inertias_are_those_of_some_mass() {
    let with = |inertia: RigidInertia| arm(Joint::revolute(DVec3::Z)).inertia(inertia);
    let diagonal = |x, y, z| Sym3::diagonal(DVec3::new(x, y, z));
    let about = |moments: Sym3| RigidInertia::new(2.0, DVec3::new(0.3, -0.2, 0.1), moments);
    let turn = DMat3::from_quat(DQuat::from_xyzw(0.1, -0.7, 0.3, 0.4).normalize());

    let moment_only = RigidInertia { moment: DVec3::X, ..RigidInertia::ZERO };
    let error = refused([with(moment_only)], &["\"arm\"", "0 kg", "first moment", "1"]);
    assert!(matches!(error, ModelError::InertiaWithoutMass { .. }), "{error:?}");
    let inertia_only = RigidInertia { inertia: diagonal(1.0, 1.0, 1.0), ..RigidInertia::ZERO };
    refused([with(inertia_only)], &["\"arm\"", "0 kg", "inertia"]);

    for rotation in [DMat3::IDENTITY, turn] {
        let error = refused(
            [with(about(diagonal(1.0, 1.0, -0.1).rotated(rotation)))],
            &["\"arm\"", "-1.000e-1 kg·m²"],
        );
        assert!(matches!(error, ModelError::InertiaNotPositive { .. }), "{error:?}");
        let error = refused(
            [with(about(diagonal(1.0, 2.0, 3.5).rotated(rotation)))],
            &["\"arm\"", "kg·m²", "triangle", "sum"],
        );
        let ModelError::InertiaTriangle { moments, .. } = error else { panic!("{error:?}") };
        assert_close("moments", &moments, &[1.0, 2.0, 3.5], 1e-9);
        // a flat plate is just allowed, a point has no moments at all
        accepted([with(about(diagonal(1.0, 2.0, 3.0).rotated(rotation)))]);
        accepted([with(about(Sym3::ZERO))]);
    }
    // an inertia far from the origin is not refused for its rounding
    accepted([with(RigidInertia::new(1.0, DVec3::new(100.0, 50.0, 0.0), diagonal(1e-6, 1e-6, 2e-6)))]);
}

#[test]
fn axes_have_a_direction() {
    let kinds: [fn(DVec3) -> JointKind; 8] = [
        |axis| JointKind::Revolute { axis },
        |axis| JointKind::Continuous { axis },
        |axis| JointKind::Prismatic { axis },
        |axis| JointKind::Helical { axis, pitch: 0.1 },
        |axis| JointKind::Cylindrical { axis },
        |axis| JointKind::Universal { axes: [DVec3::X, axis] },
        |normal| JointKind::Planar { normal },
        |axis| {
            JointKind::Compound(vec![
                Element::Slide { axis: DVec3::X },
                Element::Hinge { axis, anchor: DVec3::ZERO },
            ])
        },
    ];
    for kind in kinds {
        let error = refused([arm(kind(DVec3::ZERO))], &["\"arm\"", "axis", "direction"]);
        assert!(matches!(error, ModelError::ZeroAxis { .. }), "{error:?}");
        // any length will do, also one whose square overflows or vanishes
        for length in [1e-9, 1.0, 1e9, 1e200] {
            let model = accepted([arm(kind(DVec3::new(0.0, 3.0, 4.0) * length))]);
            let mut simulation = Simulation::new(model);
            simulation.state.v.iter_mut().for_each(|v| *v = 0.3);
            let mut plain = Simulation::new(accepted([arm(kind(DVec3::new(0.0, 0.6, 0.8)))]));
            plain.state.v.iter_mut().for_each(|v| *v = 0.3);
            let word = plain.model.joints()[0].kind.word();
            assert_close(
                &format!("{word}, axis × {length}"),
                simulation.accelerations(),
                plain.accelerations(),
                1e-12,
            );
        }
    }
    let parallel = JointKind::Universal { axes: [DVec3::new(1.0, 1.0, 0.0), DVec3::new(-2.0, -2.0, 0.0)] };
    let error = refused([arm(parallel)], &["\"arm\"", "parallel", "two directions"]);
    assert!(matches!(error, ModelError::ParallelAxes { .. }), "{error:?}");
}

#[test]
fn limits_make_sense() {
    let error = refused(
        [arm(Joint::revolute(DVec3::Z).limits(1.0, -0.5))],
        &["\"arm\"", "crossed", "1", "-0.5", "rad or m"],
    );
    assert!(matches!(error, ModelError::CrossedLimits { .. }), "{error:?}");
    refused([arm(Joint::revolute(DVec3::Z).limits(f64::NAN, 1.0))], &["\"arm\"", "limit", "finite"]);
    let error = refused(
        [arm(JointKind::Continuous { axis: DVec3::Z }).clone_with_limits()],
        &["\"arm\"", "continuous", "revolute"],
    );
    assert!(matches!(error, ModelError::LimitRefused { .. }), "{error:?}");
    refused([arm(Joint::free()).clone_with_limits()], &["\"arm\"", "free", "contact"]);
    refused([arm(Joint::spherical()).clone_with_limits()], &["\"arm\"", "spherical", "first"]);
    accepted([arm(Joint::revolute(DVec3::Z).limits(0.5, 0.5))]);
    accepted([arm(Joint::revolute(DVec3::Z).limits(f64::NEG_INFINITY, f64::INFINITY))]);
    accepted([arm(Joint::prismatic(DVec3::Z).limits(f64::NEG_INFINITY, 1.0))]);
    // bounds that no position can meet
    refused([arm(Joint::revolute(DVec3::Z).limits(f64::INFINITY, f64::INFINITY))], &["\"arm\"", "limit"]);
    refused(
        [arm(Joint::revolute(DVec3::Z).limits(f64::NEG_INFINITY, f64::NEG_INFINITY))],
        &["\"arm\"", "limit"],
    );
}

trait Limited {
    fn clone_with_limits(self) -> Body;
}

impl Limited for Body {
    fn clone_with_limits(mut self) -> Body {
        self.joint = self.joint.limits(-1.0, 1.0);
        self
    }
}

/// A ball among the elements of a compound joint cannot be limited: said, not silently left out.
#[test]
fn a_limit_that_would_do_nothing_is_refused() {
    let kind =
        JointKind::Compound(vec![Element::Slide { axis: DVec3::X }, Element::Ball { anchor: DVec3::ZERO }]);
    let mut joint = Joint::new(kind);
    joint.dofs[0].limit = Some(Limit { lower: -0.1, upper: 0.1, stiffness: None, damping: None });
    accepted([arm(joint.clone())]);
    joint.dofs[2].limit = joint.dofs[0].limit;
    refused([arm(joint)], &["\"arm\"", "compound"]);
}

/// The limit of a spherical joint bounds an angle, which is never negative: only `upper` counts.
#[test]
fn the_limit_of_a_spherical_joint_bounds_its_angle() {
    let with = |lower: f64, upper: f64| {
        let mut joint = Joint::spherical();
        joint.dofs[0].limit = Some(Limit { lower, upper, stiffness: Some(10.0), damping: Some(1.0) });
        arm(joint)
    };
    for lower in [f64::NEG_INFINITY, -1.0, 0.0, 0.3] {
        let mut simulation = Simulation::new(accepted([with(lower, 0.5)]));
        simulation.gravity = DVec3::ZERO;
        for angle in [0.0, 0.2] {
            simulation.state.q.copy_from_slice(&DQuat::from_axis_angle(DVec3::Y, angle).to_array());
            assert_eq!(simulation.accelerations(), [0.0; 3], "lower {lower}, angle {angle}");
        }
        simulation.state.q.copy_from_slice(&DQuat::from_axis_angle(DVec3::Y, 0.6).to_array());
        assert!(simulation.accelerations()[1] < 0.0);
        assert_near("energy", simulation.energy().potential, 0.5 * 10.0 * 0.1 * 0.1, 1e-9);
    }
    refused([with(-2.0, -1.0)], &["\"arm\"", "limit"]);
}

#[test]
fn lists_have_the_right_length() {
    let mut joint = Joint::spherical();
    joint.dofs.pop();
    let error = refused([arm(joint)], &["\"arm\"", "degrees of freedom", "2", "spherical", "3"]);
    assert!(matches!(error, ModelError::WrongLength { got: 2, need: 3, .. }), "{error:?}");
    refused([arm(Joint::free().rest(vec![0.0; 6]))], &["\"arm\"", "rest position", "6", "free", "7"]);
    // a kind that was changed afterwards
    let mut joint = Joint::revolute(DVec3::Z);
    joint.kind = JointKind::Universal { axes: [DVec3::X, DVec3::Y] };
    refused([arm(joint)], &["\"arm\"", "universal"]);
}

#[test]
fn compound_joints_have_one_to_six_freedoms() {
    let error = refused([arm(JointKind::Compound(vec![]))], &["\"arm\"", "compound", "1 to 6", "got 0"]);
    assert!(matches!(error, ModelError::CompoundSize { dofs: 0, .. }), "{error:?}");
    let ball = Element::Ball { anchor: DVec3::ZERO };
    let slide = Element::Slide { axis: DVec3::X };
    refused([arm(JointKind::Compound(vec![ball, ball, slide]))], &["\"arm\"", "got 7"]);
}

#[test]
fn rest_quaternions_are_unit() {
    let error = refused(
        [arm(Joint::spherical().rest([0.0, 0.0, 0.0, 2.0]))],
        &["\"arm\"", "quaternion", "2", "length 1"],
    );
    assert!(matches!(error, ModelError::RestNotUnit { .. }), "{error:?}");
    refused([arm(Joint::free().rest([0.0; 7]))], &["\"arm\"", "quaternion"]);
    accepted([arm(Joint::spherical().rest([0.182_574, 0.365_148, 0.547_723, 0.730_297]))]);
}

#[test]
fn a_massless_link_at_the_end_is_refused_with_advice() {
    let hand = Body::new("hand", Joint::revolute(DVec3::Z).named("wrist"))
        .on("arm")
        .at(Pose::from_xyz(1.0, 0.0, 0.0));
    let error = refused(
        [arm(Joint::revolute(DVec3::Z)), hand.clone()],
        &["\"wrist\"", "\"hand\"", "kg", "mass", "armature", "fixed"],
    );
    assert!(matches!(error, ModelError::MasslessMotion { .. }), "{error:?}");
    // any of the three remedies will do
    accepted([arm(Joint::revolute(DVec3::Z)), hand.clone().inertia(ball())]);
    let fixed = Body { joint: Joint::fixed(), ..hand.clone() };
    accepted([arm(Joint::revolute(DVec3::Z)), fixed.clone()]);
    let driven = Body { joint: Joint::revolute(DVec3::Z).armature(0.1), ..hand.clone() };
    accepted([arm(Joint::revolute(DVec3::Z)), driven]);
    // mass that is welded to it counts
    let glove =
        Body::new("glove", Joint::fixed()).on("hand").at(Pose::from_xyz(0.1, 0.0, 0.0)).inertia(ball());
    accepted([arm(Joint::revolute(DVec3::Z)), hand.clone(), glove]);
    // alone, of every kind, and as a root
    for kind in common::every_kind() {
        refused([Body::new("ghost", kind)], &["\"ghost\"", "armature"]);
    }
    // a point mass on the axis resists nothing
    let on_axis = RigidInertia::new(1.0, DVec3::new(0.0, 0.0, 0.3), Sym3::ZERO);
    refused([Body::new("needle", Joint::revolute(DVec3::Z)).inertia(on_axis)], &["\"needle\"", "armature"]);
    // two joints about one axis with nothing between them leave one of them free
    let wheel = Body::new("wheel", Joint::revolute(DVec3::Z)).on("hub").inertia(ball());
    refused([Body::new("hub", Joint::revolute(DVec3::Z)), wheel], &["\"hub\"", "armature"]);
}

#[test]
fn massless_links_inside_a_chain_are_accepted_and_right() {
    // shoulder with two massless yokes, a massless link in the middle of the chain, a branch that starts massless
    let bodies = |light: RigidInertia| {
        let item = |name: &str, parent: Option<&str>, axis: DVec3, inertia, k: f64| {
            let mut body =
                Body::new(name, Joint::revolute(axis)).at(Pose::from_xyz(0.3, 0.1, -0.2)).inertia(inertia);
            body.parent = parent.map(str::to_owned);
            Item { body, q: vec![0.3 * k], v: vec![0.5 - 0.2 * k], tau: vec![0.1 * k], load: None }
        };
        vec![
            item("pan", None, DVec3::Z, light, 1.0),
            item("tilt", Some("pan"), DVec3::Y, light, 2.0),
            item("roll", Some("tilt"), DVec3::X, rod(0.5, 0.4), 3.0),
            item("elbow", Some("roll"), DVec3::Y, light, 4.0),
            item("fore", Some("elbow"), DVec3::Z, rod(0.4, 0.3), 5.0),
            item("lens", Some("pan"), DVec3::X, light, 6.0),
            item("eye", Some("lens"), DVec3::Z, rod(0.2, 0.1), 7.0),
        ]
    };
    let gravity = DVec3::new(0.0, 0.0, -9.81);
    let case = Case::new(&bodies(RigidInertia::ZERO), gravity);
    assert!(case.model.has_massless_links());
    let qdd = forward(&case);
    let bias = inverse(&case, &vec![0.0; qdd.len()]);
    let rhs: Vec<f64> = case.tau.iter().zip(&bias).map(|(t, h)| t - h).collect();
    let dense = mass_matrix(&case).solve(&rhs).expect("positive definite");
    assert_close("against the mass matrix", &qdd, &dense, 1e-10);
    // the limit of small masses: the difference falls with the mass
    let mut last = f64::INFINITY;
    for mass in [1e-3, 1e-5, 1e-7] {
        let light = forward(&Case::new(&bodies(RigidInertia::solid_sphere(mass, 0.1, DVec3::ZERO)), gravity));
        let error = common::relative_error(&light, &qdd);
        println!("links of {mass:.0e} kg: {error:.1e} from massless ones");
        assert!(error < 10.0 * mass && error < 0.1 * last, "{error}");
        last = error;
    }
    // and every integrator takes such a chain on, each to its own accuracy
    let run = |integrator, name: &str, steps: u32| {
        let mut simulation = case.simulation();
        simulation.integrator = integrator;
        for _ in 0..steps {
            simulation.step(0.05 / f64::from(steps)).expect(name);
        }
        simulation.state.q
    };
    let exact = run(Integrator::Adaptive { tolerance: 1e-10 }, "reference", 10);
    for (name, integrator) in Integrator::ALL {
        let accuracy = match integrator {
            Integrator::Rk4 | Integrator::Adaptive { .. } => 1e-5,
            Integrator::Default | Integrator::Accurate => 3e-3,
            _ => 3e-2,
        };
        assert_close(&format!("{name}: q after 0.05 s"), &run(integrator, name, 50), &exact, accuracy);
    }
}

/// What a stop does without numbers of its own: 10 Hz, critically damped, for the inertia that it stops.
#[test]
fn soft_stops_have_sensible_defaults() {
    let bar = rod(2.0, 0.6);
    let model = accepted([Body::new("bar", Joint::revolute(DVec3::Z).limits(-1.0, 1.0)).inertia(bar)]);
    let inertia = 2.0 * 0.6 * 0.6 / 3.0;
    let omega = std::f64::consts::TAU * 10.0;
    let limit = model.dofs()[0].limit.expect("a limit");
    assert_near("stiffness", limit.stiffness.expect("chosen"), inertia * omega * omega, 1e-12);
    assert_near("damping", limit.damping.expect("chosen"), 2.0 * inertia * omega, 1e-12);
    // given numbers stay; damping is critical for the stiffness given
    let given = |stiffness, damping| {
        let limit = Limit { lower: -1.0, upper: 1.0, stiffness, damping };
        let joint = Joint::revolute(DVec3::Z).each(|d| d.limit = Some(limit));
        accepted([Body::new("bar", joint).inertia(bar)]).dofs()[0].limit.expect("a limit")
    };
    assert_near(
        "damping",
        given(Some(50.0), None).damping.expect("chosen"),
        2.0 * (50.0 * inertia).sqrt(),
        1e-12,
    );
    assert_eq!(
        given(Some(50.0), Some(0.0)),
        Limit { lower: -1.0, upper: 1.0, stiffness: Some(50.0), damping: Some(0.0) }
    );
    // spherical: the largest of its inertias, for it stops turns about all axes
    let mut joint = Joint::spherical();
    joint.dofs[0].limit = Some(Limit { lower: 0.0, upper: 1.0, stiffness: None, damping: None });
    let model = accepted([Body::new("bar", joint).inertia(bar)]);
    assert_near(
        "stiffness",
        model.dofs()[0].limit.and_then(|l| l.stiffness).expect("chosen"),
        inertia * omega * omega,
        1e-12,
    );
    // prismatic: the mass it stops
    let model = accepted([Body::new("sled", Joint::prismatic(DVec3::X).limits(0.0, 1.0)).inertia(bar)]);
    assert_near(
        "stiffness",
        model.dofs()[0].limit.and_then(|l| l.stiffness).expect("chosen"),
        2.0 * omega * omega,
        1e-12,
    );
}

/// A stop holds what hangs on it: an arm of three links, stretched out and resting on its stops, sags little.
#[test]
fn default_stops_carry_the_weight_of_a_whole_arm() {
    let mut simulation = common::simulation(chain(3, |_| Joint::revolute(DVec3::Z).limits(0.0, 2.0)));
    for _ in 0..600 {
        simulation.step(1.0 / 120.0).expect("finite");
    }
    // a rod of length l on a stop of 10 Hz sags by m g l/2 / (m l²/3 ω²)
    let omega = std::f64::consts::TAU * 10.0;
    for (i, q) in simulation.state.q.iter().enumerate() {
        let expected = 1.5 * 9.81 / ((0.3 - 0.1 * i as f64) * omega * omega);
        println!("joint {i} sags {:.4} rad beyond its stop, {expected:.4} expected", -q);
        assert!((-q - expected).abs() < 0.1 * expected, "{q} rad");
    }
}

#[test]
fn a_chain_of_100000_links_builds_quickly() {
    // no recursion, no square of the number of links: a second or two, against minutes
    const QUICK: Duration = Duration::from_secs(20);
    let start = Instant::now();
    let model = chain(100_000, |_| Joint::revolute(DVec3::Z)).finish().expect("valid");
    assert_eq!(model.nv(), 100_000);
    println!("100000 links: {:.2} s", start.elapsed().as_secs_f64());
    let mut simulation = Simulation::new(model);
    simulation.step(1e-4).expect("finite");
    assert!(start.elapsed() < QUICK, "{:?}", start.elapsed());

    // last body first, and a star
    let start = Instant::now();
    let bodies: Vec<Body> =
        chain(100_000, |_| Joint::revolute(DVec3::Z)).bodies().iter().rev().cloned().collect();
    assert_eq!(accepted(bodies).nv(), 100_000);
    let hub = arm(Joint::free());
    let legs =
        (0..100_000).map(|i| Body::new(format!("leg{i}"), Joint::spherical()).on("arm").inertia(ball()));
    assert_eq!(accepted(std::iter::once(hub).chain(legs)).nv(), 300_006);
    assert!(start.elapsed() < QUICK, "{:?}", start.elapsed());
}

/// A wrong model of that size is refused as quickly.
#[test]
fn a_wrong_chain_of_100000_links_is_refused_quickly() {
    const QUICK: Duration = Duration::from_secs(20);
    let body = |i: usize| {
        let body = Body::new(format!("link{i}"), Joint::revolute(DVec3::Z)).at(Pose::from_xyz(0.1, 0.0, 0.0));
        if i > 0 { body.on(format!("link{}", i - 1)) } else { body }
    };
    let start = Instant::now();
    let error = refused((0..100_000).map(body), &["armature"]);
    assert!(matches!(error, ModelError::MasslessMotion { .. }), "{error:?}");
    println!("100000 massless links are refused in {:.2} s", start.elapsed().as_secs_f64());
    let mut lost: Vec<Body> = (0..100_000).map(|i| body(i).inertia(ball())).collect();
    lost[50_000].parent = Some("lank49999".into());
    refused(lost, &["did you mean \"link49999\"?"]);
    refused(
        (0..100_000).map(|i| body(i).inertia(ball()).on(format!("link{}", (i + 1) % 100_000))),
        &["circle"],
    );
    assert!(start.elapsed() < QUICK, "{:?}", start.elapsed());
}

/// Ids follow the order in which bodies were given, whatever the tree looks like; q and v, too.
#[test]
fn ids_follow_the_order_given() {
    let model = accepted([
        Body::new("hand", Joint::spherical().named("wrist")).on("arm").inertia(ball()),
        Body::new("ring", Joint::fixed()).on("hand").inertia(ball()),
        Body::new("arm", Joint::revolute(DVec3::Z)).inertia(ball()),
    ]);
    assert_eq!((model.nq(), model.nv(), model.moving_joints()), (5, 4, 2));
    let ids: Vec<usize> =
        ["hand", "ring", "arm"].iter().map(|n| model.body(n).expect("exists").index()).collect();
    assert_eq!(ids, [0, 1, 2]);
    assert_eq!(model.joint("wrist").map(|j| j.index()), Some(0));
    assert_eq!(model.joint("hand"), None);
    let joints = model.joints();
    assert_eq!(
        joints.iter().map(|j| (j.q, j.nq, j.v, j.nv)).collect::<Vec<_>>(),
        [(0, 4, 0, 3), (4, 0, 3, 0), (4, 1, 3, 1)]
    );
    assert_eq!(model.neutral(), [0.0, 0.0, 0.0, 1.0, 0.0]);
    assert_eq!(model.joint_of_dof(3).map(|j| j.index()), Some(2));
    assert_eq!(model.joint_of_dof(4), None);
    assert_near("moving mass", model.moving_mass(), 3.0, 1e-15);
}

/// A cone is the limit of the whole angle of a ball joint, which its first degree of freedom has; a hinge has it to both sides.
#[test]
fn cones_limit_the_whole_angle() {
    let limit = |joint: Joint| joint.dofs.iter().map(|dof| dof.limit).collect::<Vec<_>>();
    let whole = Limit { lower: 0.0, upper: 0.7, stiffness: None, damping: None };
    assert_eq!(limit(Joint::spherical().cone(0.7)), [Some(whole), None, None]);
    assert_eq!(limit(Joint::revolute(DVec3::X).cone(0.7)), [Some(Limit { lower: -0.7, ..whole })]);
    assert_eq!(limit(Joint::fixed().cone(0.7)), []);
    let error = build([arm(Joint::spherical().cone(-0.1))]).unwrap_err().to_string();
    assert!(error.contains("\"arm\"") && error.contains("-0.1"), "{error}");

    // a pendulum on a ball that starts beyond its cone is pushed back, about whatever axis
    for axis in [DVec3::X, DVec3::new(1.0, 2.0, -0.5)] {
        let joint = Joint::spherical().cone(0.7).damping(0.05);
        let mut swinging = Simulation::new(build([arm(joint)]).unwrap());
        swinging.gravity = DVec3::ZERO;
        swinging.state.q = DQuat::from_scaled_axis(axis.normalize()).to_array().to_vec();
        for _ in 0..240 {
            swinging.step(1.0 / 240.0).unwrap();
        }
        let angle = 2.0 * swinging.state.q[3].abs().min(1.0).acos();
        assert!(angle < 0.71, "{angle} rad about {axis}");
    }
}
