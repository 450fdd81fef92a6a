//! Detail at its edges: what wakes a sleeper, what frozen parts must not forget, errors, and changes of mind.

mod common;

use std::sync::Arc;

use common::{all, chain, inertia, nth, nth_id, nth_mut, simulation, world_of};
use glam::DVec3;
use supple::constraint::{Ball, Constraint, Frame};
use supple::detail::{Detail, Metric, Rule, Target};
use supple::view::{Attention, Camera, Viewer};
use supple::world::{ArticulationId, SingleBody, World, WorldError};
use supple::{
    Actuator, Axes, Body, BodyId, Commands, Force, Integrator, Joint, JointForces, JointId, Load,
    ModelBuilder, Pose, RigidInertia, Simulation, StepError, View,
};

/// A change of mind, and its name.
type Change = (&'static str, fn(&mut Simulation));

/// A chain that hangs at rest: nothing is active.
fn hanging(links: usize) -> Simulation {
    let mut body = simulation(chain(links, |_| Joint::revolute(DVec3::Z).damping(0.05)));
    body.gravity = DVec3::new(9.81, 0.0, 0.0);
    body.integrator = Integrator::SemiImplicit;
    body
}

/// A chain released level.
fn level(links: usize) -> Simulation {
    let mut body = simulation(chain(links, |_| Joint::revolute(DVec3::Z)));
    body.gravity = DVec3::new(0.0, -9.81, 0.0);
    body.integrator = Integrator::SemiImplicit;
    body
}

fn active(body: &Simulation) -> Vec<u32> {
    body.region().expect("less than full detail").active().members().to_vec()
}

#[test]
fn whatever_changes_wakes_a_sleeper() {
    let changes: [Change; 8] = [
        ("control", |s| s.actuators[0].control = 2.0),
        ("offset", |s| s.actuators[0].offset = 5.0),
        ("zero", |s| s.actuators[0].zero = -1.0),
        ("joint", |s| s.actuators[0] = Actuator::motor(JointId::new(3)).control(1.0)),
        ("gravity", |s| s.gravity = DVec3::new(0.0, 9.81, 0.0)),
        ("joint force", |s| s.tau[4] = 0.5),
        ("wrench", |s| {
            let wrench = Force::new(DVec3::ZERO, DVec3::Y);
            s.wrenches.push(Load { body: BodyId::new(5), wrench, axes: Axes::World });
        }),
        ("target", |s| s.set_target(Target::Error { acceleration: 0.0, velocity: 0.0 }).expect("valid")),
    ];
    for metric in [Metric::Direct, Metric::Assembly] {
        for (what, change) in &changes {
            let mut body = hanging(8);
            body.actuators.push(Actuator::position(JointId::new(2), 3.0, 0.1));
            if *what == "target" {
                body.state.q[3] = 1e-4;
            }
            body.set_detail(Detail { metric, update_every: 50, ..Detail::error(1.0, 1e-3) }).expect("valid");
            for _ in 0..60 {
                body.step(1e-3).expect("finite");
            }
            assert!(active(&body).is_empty(), "{what}");
            change(&mut body);
            for _ in 0..60 {
                body.step(1e-3).expect("finite");
            }
            assert!(body.state.v.iter().any(|v| *v != 0.0), "{what}, {metric:?}: still asleep");
        }
    }
}

/// Frozen parts know of drives that came, went or reached a limit since they froze: both metrics choose the same joints.
#[test]
fn drives_of_frozen_joints_may_come_and_go() {
    let changes: [Change; 4] = [
        ("servos gone", |s| s.actuators.clear()),
        ("a servo more", |s| s.actuators.push(Actuator::position(JointId::new(33), 40.0, 2.0).control(0.2))),
        ("no joint forces", |s| s.tau = JointForces::new(60)),
        ("a limit reached", |s| s.actuators[1].force_range = Some([-0.01, 0.01])),
    ];
    for (what, change) in changes {
        let make = |metric| {
            let mut body = level(60);
            for (i, joint) in [10, 25, 48].into_iter().enumerate() {
                let servo = Actuator::position(JointId::new(joint), 20.0 + i as f64, 1.0);
                body.actuators.push(servo.control(0.05 * i as f64));
            }
            body.tau[40] = 0.3;
            let detail = Detail { metric, update_every: 10, on_change: f64::INFINITY, ..Detail::joints(6) };
            body.set_detail(detail).expect("valid");
            body
        };
        let mut bodies = [make(Metric::Direct), make(Metric::Assembly)];
        for step in 0..200 {
            if step == 100 {
                bodies.iter_mut().for_each(change);
            }
            let dt = if step < 150 { 1e-3 } else { 2e-3 };
            for body in &mut bodies {
                body.step(dt).expect("finite");
            }
            let [a, b] = [0, 1].map(|i| bodies[i].region().expect("adaptive").report().acceleration);
            assert!((a - b).abs() <= 1e-8 * a, "{what}, step {step}: {a} and {b}");
            assert_eq!(active(&bodies[0]), active(&bodies[1]), "{what}, step {step}");
        }
    }
}

/// Equal arms of a symmetric body are told apart by their ids, not by rounding.
#[test]
fn ties_go_to_the_lower_id_by_either_metric() {
    let mut builder = ModelBuilder::new();
    let mut rng = common::Rng::new(3, 0);
    let link = inertia(&mut rng, 1.0);
    builder.add(Body::new("hub", Joint::revolute(DVec3::Z)).inertia(link));
    for arm in 0..8 {
        let turn =
            Pose::from_rotation(glam::DQuat::from_rotation_z(f64::from(arm) * std::f64::consts::FRAC_PI_4));
        let upper = Body::new(format!("upper{arm}"), Joint::revolute(DVec3::Y)).on("hub").at(turn);
        builder.add(upper.inertia(link));
        let lower = Body::new(format!("lower{arm}"), Joint::revolute(DVec3::Y)).on(format!("upper{arm}"));
        builder.add(lower.at(Pose::from_xyz(0.3, 0.0, 0.0)).inertia(link));
    }
    let model = std::sync::Arc::new(builder.finish().expect("valid"));
    for rule in [Rule::Tree, Rule::Free, Rule::Split] {
        let chosen = [Metric::Direct, Metric::Assembly].map(|metric| {
            let mut body = Simulation::new(model.clone());
            body.set_detail(Detail { metric, rule, ..Detail::joints(5) }).expect("valid");
            body.step(1e-3).expect("finite");
            active(&body)
        });
        assert_eq!(chosen[0], chosen[1], "{rule:?}");
    }
}

/// A motion that leaves the finite numbers is an error at any detail, and the state is that before the step.
#[test]
fn explosions_are_errors_at_any_detail() {
    for detail in [
        Detail::joints(20),
        Detail::joints(5),
        Detail::error(1e-3, 1e-6),
        Detail { metric: Metric::Assembly, ..Detail::joints(10) },
        Detail::guaranteed(1e-3),
    ] {
        let mut body = level(20);
        body.integrator = Integrator::Explicit;
        body.set_detail(Detail { update_every: 1, ..detail.clone() }).expect("valid");
        let mut before = body.state.clone();
        let error = (0..4000).find_map(|_| {
            before.copy_from(&body.state);
            body.step(0.05).err()
        });
        assert!(matches!(error, Some(StepError::NotFinite { .. })), "{detail:?}: {error:?}");
        assert_eq!((&body.state.q, &body.state.v), (&before.q, &before.v), "{detail:?}");
        assert_eq!(body.state.active, before.active, "{detail:?}");
        assert!(body.state.v.iter().all(|v| v.is_finite()));
    }
}

/// Controllers and impulses are no way around the checks.
#[test]
fn a_bad_state_is_refused_by_every_door() {
    let mut idle = |_: &View<'_>, _: &mut Commands<'_>| {};
    let push = Load { body: BodyId::new(1), wrench: Force::new(DVec3::X, DVec3::Y), axes: Axes::Body };
    for detail in [Detail::default(), Detail::joints(3)] {
        let mut body = level(6);
        body.set_detail(detail).expect("valid");
        let mut broken = body.clone();
        broken.state.q[3] = f64::NAN;
        assert!(matches!(broken.step_with(&mut idle, 1e-3), Err(StepError::BadInput { .. })));
        assert!(broken.push(push).is_err());
        let mut short = body.clone();
        short.state.q.pop();
        assert!(matches!(short.step_with(&mut idle, 1e-3), Err(StepError::WrongLength { .. })));
        assert!(matches!(short.push(push), Err(StepError::WrongLength { .. })));
        body.step_with(&mut idle, 1e-3).expect("the body itself is well");
    }
}

/// A push that moves nothing puts nothing to sleep.
#[test]
fn a_push_of_nothing_changes_nothing() {
    let mut body = level(10);
    body.set_detail(Detail { update_every: 50, ..Detail::joints(3) }).expect("valid");
    body.push(Load { body: BodyId::new(4), wrench: Force::ZERO, axes: Axes::Body }).expect("finite");
    for _ in 0..100 {
        body.step(1e-3).expect("finite");
    }
    assert!(body.state.q[0] < -0.01, "{:?}", body.state.q);
}

/// With little to share, articulations take turns; nobody is left hanging in the air. A budget that is lowered holds at once.
#[test]
fn a_world_shares_what_little_there_is() {
    let mut one = level(12);
    one.set_detail(Detail { update_every: 5, ..Detail::joints(1) }).expect("valid");
    let member = |i: usize| {
        let mut member = one.clone();
        member.state.q[0] = -0.1 * i as f64;
        member
    };
    let mut world = world_of((0..10).map(member));
    world.set_budget(Some(20)).expect("valid");
    for _ in 0..1000 {
        world.step(1e-3).expect("finite");
        assert!(world.active_joints() <= 20);
    }
    for (i, member) in all(&world).enumerate() {
        let (start, now) = (-0.1 * i as f64, member.state.q[0]);
        assert!((now - start).abs() > 0.05, "member {i} hangs in the air at {now}");
    }
    world.set_budget(Some(80)).expect("valid");
    for _ in 0..200 {
        world.step(1e-3).expect("finite");
    }
    assert!(world.active_joints() > 20);
    world.set_budget(Some(12)).expect("valid");
    for step in 0..50 {
        world.step(1e-3).expect("finite");
        assert!(world.active_joints() <= 12, "step {step}: {} joints", world.active_joints());
    }
    world.set_budget(None).expect("valid");
    world.step(1e-3).expect("finite");
    assert!(all(&world).all(|m| m.detail().target == Target::Joints(1)));
}

/// Impulses wake the same joints by either metric, with servos and stops too.
#[test]
fn impulses_wake_the_same_joints_by_either_metric() {
    let make = |metric| {
        let mut body = hanging(40);
        for joint in 0..40 {
            body.actuators.push(Actuator::position(JointId::new(joint), 2.0, 0.05));
        }
        body.set_detail(Detail { metric, update_every: 10, ..Detail::joints(8) }).expect("valid");
        for _ in 0..15 {
            body.step(1e-3).expect("finite");
        }
        let wrench = Force::new(DVec3::ZERO, DVec3::Y * 0.01);
        body.push(Load { body: BodyId::new(25), wrench, axes: Axes::World }).expect("finite");
        (active(&body), body.region().expect("adaptive").report().acceleration)
    };
    let ((direct, a), (assembly, b)) = (make(Metric::Direct), make(Metric::Assembly));
    assert_eq!(direct, assembly);
    assert!((a - b).abs() <= 1e-8 * a, "{a} and {b}");
}

/// A single body's pose is found without visiting the others, and is the one that forward kinematics has.
#[test]
fn one_pose_is_what_all_poses_are() {
    for detail in [Detail::default(), Detail::joints(7), Detail::joints(40)] {
        let mut body = level(40);
        body.set_detail(detail).expect("valid");
        for _ in 0..300 {
            body.step(1e-3).expect("finite");
        }
        let kinematics = body.kinematics();
        for i in 0..40 {
            let (one, all) = (body.pose_of(BodyId::new(i)), body.body_pose(&kinematics, BodyId::new(i)));
            // rounding over forty links of 0.1 m
            assert!((one.translation - all.translation).length() < 1e-12, "body {i}");
            assert!((one.rotation.x_axis - all.rotation.x_axis).length() < 1e-12, "body {i}");
        }
    }
}

/// With all joints active a push is that of full detail, bit for bit, and so are the steps after it.
#[test]
fn a_push_restarts_the_integrator_as_at_full_detail() {
    let run = |detail: Detail| {
        let mut body = simulation(chain(6, |_| Joint::spherical()));
        body.state.v.iter_mut().enumerate().for_each(|(i, v)| *v = (i as f64).sin());
        body.set_detail(Detail { update_every: 1000, ..detail }).expect("valid");
        for step in 0..40 {
            if step == 20 {
                let wrench = Force::new(DVec3::ZERO, DVec3::new(0.02, 0.05, -0.01));
                body.push(Load { body: BodyId::new(4), wrench, axes: Axes::World }).expect("finite");
            }
            body.step(1.0 / 60.0).expect("finite");
        }
        body.state.q.iter().chain(&body.state.v).map(|x| x.to_bits()).collect::<Vec<_>>()
    };
    assert_eq!(run(Detail::joints(6)), run(Detail::default()));
}

/// An articulation that cannot take a step is as it was, whoever used the workspace before it.
#[test]
fn articulations_of_a_world_do_not_mix_up_their_states() {
    let mut world = world_of([hanging(5), level(5), hanging(5)]);
    for (_, member) in world.articulations_mut() {
        member.set_detail(Detail { update_every: 10, ..Detail::error(1e-3, 1e-6) }).expect("valid");
    }
    for _ in 0..25 {
        world.step(1e-3).expect("finite");
    }
    assert!(active(nth(&world, 2)).is_empty() && !active(nth(&world, 1)).is_empty());
    let before: Vec<_> = all(&world).map(|m| m.state.q.clone()).collect();
    nth_mut(&mut world, 2).wrenches.push(Load {
        body: BodyId::new(3),
        wrench: Force::new(DVec3::ZERO, DVec3::new(f64::NAN, 0.0, 0.0)),
        axes: Axes::World,
    });
    let error = world.step(1e-3).expect_err("a wrench that is no number");
    let WorldError::Failed { failures } = error else { panic!("{error}") };
    let who: Vec<_> = failures.iter().filter_map(|failure| failure.articulation()).collect();
    assert_eq!((who, &nth(&world, 2).state.q), (vec![nth_id(&world, 2)], &before[2]));
    assert_ne!(nth(&world, 1).state.q, before[1]);
    nth_mut(&mut world, 2).wrenches.clear();
    world.step(1e-3).expect("well again");
}

/// Chains that fall, swing and settle: bare, with springs and dampers, or with servos; on a stand or afloat.
fn lively(links: usize, floats: bool, kind: usize) -> Simulation {
    let mut body = simulation(chain(links + usize::from(floats), |i| match kind {
        _ if floats && i == 0 => Joint::free(),
        1 => Joint::revolute(DVec3::Z).stiffness(0.3).damping(0.01),
        2 => Joint::revolute(DVec3::Z).damping(0.002),
        _ => Joint::revolute(DVec3::Z),
    }));
    if kind == 2 {
        for joint in (0..links).step_by(3) {
            let servo = Actuator::position(JointId::new(joint + usize::from(floats)), 0.5, 0.01);
            body.actuators.push(servo.control(1.0));
        }
    }
    body
}

/// Squares of what joints that may be frozen have, summed up.
fn of_free(body: &Simulation, rates: &[f64]) -> f64 {
    let links = body.model.tree().links.iter().filter(|link| !link.floats());
    links.flat_map(|link| link.dofs()).map(|dof| rates[dof] * rates[dof]).sum()
}

/// Whether no joint is active that may be frozen.
fn is_frozen(body: &Simulation) -> bool {
    let bases = body.model.tree().links.iter().filter(|link| link.floats()).count();
    body.region().is_some_and(|region| region.active().len() <= bases)
}

/// Accelerations of all joints that may be frozen, squared and summed up, as a look at the body as it now stands predicts them.
fn predicted(body: &Simulation, dt: f64) -> f64 {
    let mut other = body.clone();
    other.set_detail(Detail { metric: Metric::Direct, ..Detail::error(f64::MAX, f64::MAX) }).expect("valid");
    other.state.active.clear();
    other.regroup();
    other.step(dt).expect("finite");
    let whole = other.region().expect("adaptive").report().acceleration;
    let mut full = body.clone();
    full.set_detail(Detail::default()).expect("valid");
    let rates = full.accelerations();
    let bases: f64 = rates.iter().map(|a| a * a).sum::<f64>() - of_free(body, rates);
    (whole - bases).max(0.0)
}

/// A body that an error is allowed for is left without a joint in motion only where what that leaves out is no more than this error: a
/// pendulum at its turning point has nothing to show for a moment, and used to stand in the air for ever.
#[test]
fn no_body_is_left_frozen_that_leaves_out_more_than_was_allowed() {
    let dt = 1.0 / 60.0;
    let ahead = 20.0 * dt;
    let (mut frozen, mut runs) = (0, 0);
    for links in [1, 2, 5, 20] {
        for (floats, kind) in [(false, 0), (false, 1), (false, 2), (true, 1), (true, 2)] {
            for (metric, rule) in [
                (Metric::Direct, Rule::Split),
                (Metric::Assembly, Rule::Tree),
                (Metric::Assembly, Rule::Free),
            ] {
                for acceleration in [0.1, 1.0, 25.0, 400.0, 1e4] {
                    // what such accelerations come to until the next update, and much less and more
                    for share in [1e-3, 1.0, 1e3] {
                        let velocity = share * acceleration * ahead * ahead;
                        let mut body = lively(links, floats, kind);
                        let detail = Detail { metric, rule, ..Detail::error(acceleration, velocity) };
                        body.set_detail(detail.clone()).expect("valid");
                        runs += 1;
                        let mut updates = 0;
                        for step in 0..240 {
                            let moved = of_free(&body, &body.state.v);
                            body.step(dt).expect("finite");
                            let now = body.region().expect("adaptive").totals().updates;
                            if std::mem::replace(&mut updates, now) == now || !is_frozen(&body) {
                                continue;
                            }
                            frozen += 1;
                            let what = || {
                                format!("{links} links, floats: {floats}, {kind}, {detail:?}, step {step}")
                            };
                            assert!(
                                moved <= velocity * (1.0 + 1e-9),
                                "{moved} rad²/s² were stopped: {}",
                                what()
                            );
                            let left = predicted(&body, dt);
                            // a base goes on: what acts on the body is that of a step later
                            let more = if floats { 1.5 } else { 1.0 + 1e-9 };
                            assert!(left <= acceleration * more, "{left} rad²/s⁴ are left out: {}", what());
                        }
                    }
                }
            }
        }
    }
    println!("{runs} runs, frozen after {frozen} updates");
    assert!(frozen > runs, "bodies hardly ever froze: {frozen} times in {runs} runs");
}

/// Neither pushes between steps nor pushes by cues take more joints than a world has for all, nor does a push on one body.
#[test]
fn pushes_take_no_more_joints_than_there_are() {
    let push = |i: usize, body: usize| {
        let wrench = Force::new(DVec3::ZERO, DVec3::new(0.0, 0.01 * (1.0 + i as f64), 0.0));
        Load { body: BodyId::new(body), wrench, axes: Axes::World }
    };
    let mut one = level(24);
    one.set_detail(Detail { update_every: 10, ..Detail::joints(6) }).expect("valid");
    let mut world = world_of((0..10).map(|_| one.clone()));
    world.set_budget(Some(40)).expect("valid");
    let mut most = 0;
    for step in 0..300 {
        // at first nobody moves who is not pushed: all have room
        let gravity = if step < 100 { DVec3::ZERO } else { DVec3::new(0.0, -9.81, 0.0) };
        world.gravity = gravity;
        let cue = |id: ArticulationId, member: &mut Simulation| {
            let i = id.index();
            if (i + step).is_multiple_of(3) {
                member.push(push(i, 12 + i)).expect("finite");
            }
        };
        world.step_with(1e-3, &cue).expect("finite");
        assert!(world.active_joints() <= 40, "step {step}: {} joints", world.active_joints());
        let member = step % 10;
        nth_mut(&mut world, member).push(push(step, 23 - member)).expect("finite");
        assert!(world.active_joints() <= 40, "after a push, step {step}: {} joints", world.active_joints());
        one.push(push(step, member)).expect("finite");
        assert!(active(&one).len() <= 6);
        one.step(1e-3).expect("finite");
        assert!(active(&one).len() <= 6);
        most = most.max(world.active_joints());
    }
    assert!(most > 30, "of 40 joints {most} were ever active");
}

/// The same for what a viewer may see wrong, and for the guaranteed error: who looks anew at a body that was left frozen finds nothing to
/// open.
#[test]
fn no_body_is_left_frozen_that_is_seen_or_guaranteed_to_move() {
    let dt = 1.0 / 60.0;
    let camera = Camera::look_at(DVec3::new(0.5, 0.0, 6.0), DVec3::new(0.5, 0.0, 0.0), DVec3::Y);
    // else one joint would stay active whatever the error
    let attention = Attention { joints: 0, ..Attention::default() };
    let viewer = Arc::new(Viewer::new([camera]).expect("a camera").attending(attention));
    let mut frozen = 0;
    for links in [1, 2, 5, 20] {
        for kind in 0..3 {
            for error in [1.0, 3.0, 10.0, 30.0, 100.0, 300.0] {
                let mut body = lively(links, false, kind);
                body.set_viewer(Some(viewer.clone())).expect("a viewer");
                body.set_detail(Detail::pixels(error)).expect("valid");
                let mut guaranteed = lively(links, false, kind);
                guaranteed.set_detail(Detail::guaranteed(error)).expect("valid");
                let mut updates = 0;
                for step in 0..900 {
                    body.step(dt).expect("finite");
                    let now = body.region().expect("adaptive").totals().updates;
                    if std::mem::replace(&mut updates, now) != now && is_frozen(&body) {
                        frozen += 1;
                        let mut anew = body.clone();
                        anew.regroup();
                        anew.step(dt).expect("finite");
                        assert!(is_frozen(&anew), "{links} links, {kind}, {error} pixels, step {step}");
                    }
                    if step >= 240 {
                        continue;
                    }
                    let whole = of_free(&guaranteed, guaranteed.clone().accelerations());
                    guaranteed.step(1e-3).expect("finite");
                    // springs and dampers are implicit: without them accelerations are those at the start of the step. Guaranteed steps
                    // are semi-implicit, so they must be short
                    if kind == 0 && is_frozen(&guaranteed) {
                        assert!(whole <= error, "{links} links, {error} guaranteed, step {step}: {whole}");
                    }
                }
            }
        }
    }
    println!("frozen after {frozen} updates");
    assert!(frozen > 12, "bodies hardly ever froze: {frozen} times");
}

/// A pendulum that is allowed an error swings on in a world, alone and with a weight joined to its end.
#[test]
fn pendulums_swing_on_in_worlds() {
    for weighted in [false, true] {
        let mut world = World::new();
        world.gravity = DVec3::new(0.0, -9.81, 0.0);
        let mut body = lively(1, false, 0);
        let ahead = 20.0 / 60.0;
        body.set_detail(Detail::error(25.0, 25.0 * ahead * ahead)).expect("valid");
        let pendulum = world.add_articulation(body);
        if weighted {
            let weight = RigidInertia::solid_sphere(0.02, 0.01, DVec3::ZERO);
            let weight = SingleBody::new("weight", weight).at(Frame::at(DVec3::X * 0.1));
            let weight = world.add_body(weight).expect("valid");
            let end = Frame::at(DVec3::X * 0.1);
            world
                .add(Constraint::new(Ball, (pendulum, BodyId::new(0)), weight).parent_frame(end))
                .expect("valid");
        }
        for step in 0..300 {
            world.step(1.0 / 60.0).expect("a step");
            let body = world.articulation(pendulum).expect("there");
            assert!(!active(body).is_empty(), "weighted: {weighted}: stands in the air from step {step} on");
        }
    }
}
