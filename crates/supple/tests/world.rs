//! The world: constraints and what acts on them, against closed forms.

use glam::{DQuat, DVec3};
use supple::constraint::{
    Action, Ball, Constraint, Coupling, DofRef, Frame, Hinge, Prismatic, Rigid, Rope, Softness,
};
use supple::detail::Detail;
use supple::world::{BodyRef, Event, Failure, SingleBody, SingleId, Solver, World, WorldError};
use supple::{
    Body, BodyId, Collider, Force, Integrator, Joint, ModelBuilder, Pose, RigidInertia, Shape, Simulation,
};

const DT: f64 = 1.0 / 240.0;
const SOLVERS: [Solver; 3] =
    [Solver::Together, Solver::Sweeps { sweeps: 9 }, Solver::Displacement { outer: 3, inner: 50 }];

fn brick() -> RigidInertia {
    RigidInertia::solid_box(2.0, DVec3::new(0.1, 0.2, 0.5), DVec3::ZERO)
}

fn at(x: f64, y: f64, z: f64) -> Frame {
    Frame::at(DVec3::new(x, y, z))
}

/// A brick at the origin of a world without gravity.
fn one_brick() -> (World, SingleId) {
    let mut world = World::new();
    world.gravity = DVec3::ZERO;
    let body = world.add_body(SingleBody::new("brick", brick())).unwrap();
    (world, body)
}

fn run(world: &mut World, seconds: f64, dt: f64) {
    for _ in 0..(seconds / dt).round() as usize {
        world.step(dt).unwrap();
    }
}

/// Eight bricks in a row, tumbling in space.
fn tumbling(solver: Solver) -> World {
    let mut world = World::new();
    world.gravity = DVec3::ZERO;
    world.settings.solver = solver;
    let mut last: Option<SingleId> = None;
    for i in 0..8 {
        let z = 0.6 * f64::from(i);
        let body = SingleBody::new(format!("brick {i}"), brick())
            .at(at(0.0, 0.0, z))
            .moving(DVec3::new(1.0, 0.3 * f64::from(i), 0.0), DVec3::new(0.5, 0.1, 1.0));
        let body = world.add_body(body).unwrap();
        if let Some(last) = last {
            let joint = DVec3::new(0.0, 0.0, z - 0.3);
            match i % 3 {
                0 => world.join(Ball, last, body, Frame::at(joint)).unwrap(),
                1 => world.join(Hinge, last, body, Frame::with_z(joint, DVec3::X)).unwrap(),
                _ => world
                    .join(Prismatic::Z, last, body, Frame::with_z(joint, DVec3::new(1.0, 1.0, 0.0)))
                    .unwrap(),
            };
        }
        last = Some(body);
    }
    world
}

/// Faure's claim: isolated jointed bodies keep their momenta to rounding. Energy drifts little, also at long steps; bounds are ten
/// times what was measured (2026: together 6e-7, sweeps 7e-4, displacement 4e-4 of the energy in 10 s at 1/24).
#[test]
fn isolated_bodies_keep_momenta_and_nearly_their_energy() {
    for (solver, most) in SOLVERS.into_iter().zip([1e-5, 1e-2, 1e-2]) {
        for dt in [1.0 / 1000.0, 1.0 / 240.0, 1.0 / 60.0, 1.0 / 24.0] {
            let mut world = tumbling(solver);
            // the first step makes the velocities consistent
            world.step(dt).unwrap();
            let (momenta, energy) = (world.momenta(), world.energy().total());
            run(&mut world, 3.0, dt);
            let now = world.momenta();
            let linear = (now.linear - momenta.linear).length() / momenta.linear.length();
            let angular = (now.angular - momenta.angular).length() / momenta.angular.length();
            assert!(linear < 1e-12 && angular < 1e-12, "{solver:?} at {dt}: {linear} {angular}");
            let drift = (world.energy().total() / energy - 1.0).abs();
            assert!(drift < most, "{solver:?} at {dt}: energy by {drift}");
        }
    }
}

#[test]
fn a_limit_stops_a_hinge_and_lets_it_go_back() {
    for solver in SOLVERS {
        let (mut world, body) = one_brick();
        world.settings.solver = solver;
        world.body_mut(body).unwrap().set_motion(DVec3::ZERO, DVec3::Z * 3.0);
        let hinge = world.add(Constraint::new(Hinge, BodyRef::World, body).limit(0, -0.5, 0.7)).unwrap();
        run(&mut world, 1.0, DT);
        let angle = world.coordinate(hinge, 0).unwrap();
        // sweeps and displacement stop within what one step of them leaves
        assert!(angle < 0.7 + 1e-4 && angle > 0.6, "{solver:?}: {angle}");
        world.body_mut(body).unwrap().set_motion(DVec3::ZERO, DVec3::Z * -3.0);
        run(&mut world, 0.1, DT);
        assert!(
            (world.coordinate(hinge, 0).unwrap() - (angle - 0.3)).abs() < 0.02,
            "{solver:?}: it is free to go"
        );
        run(&mut world, 1.0, DT);
        assert!(world.coordinate(hinge, 0).unwrap() > -0.5 - 1e-4, "{solver:?}");
    }
}

/// A motor that is strong enough keeps its speed; one that is not gives its greatest moment: ω = τ t / I.
#[test]
fn a_motor_turns_as_fast_as_it_can() {
    for solver in SOLVERS {
        for (moment, expected) in [(1e6, 2.0), (0.01, 0.01 * 1.0 / brick().inertia_com().zz)] {
            let (mut world, body) = one_brick();
            world.settings.solver = solver;
            world.add(Constraint::new(Hinge, BodyRef::World, body).motor(0, 2.0, moment)).unwrap();
            run(&mut world, 1.0, DT);
            let omega = world.body(body).unwrap().omega().z;
            assert!((omega / expected - 1.0).abs() < 1e-2, "{solver:?}: {omega} instead of {expected}");
        }
    }
}

/// Friction holds a brick on a rail against a smaller force to the last bit of the tolerance, and takes its share of a greater one.
#[test]
fn friction_sticks_and_slips() {
    let (mut world, body) = one_brick();
    let rail = Constraint::new(Prismatic::Z, BodyRef::World, body).friction(0, 5.0);
    world.add(rail).unwrap();
    world.body_mut(body).unwrap().wrench = Force::new(DVec3::ZERO, DVec3::Z * 4.0);
    run(&mut world, 1.0, DT);
    assert!(world.frame(body).unwrap().position.z.abs() < 240.0 * world.settings.tolerance);
    world.body_mut(body).unwrap().wrench.linear.z = 7.0;
    run(&mut world, 1.0, DT);
    let speed = world.body(body).unwrap().velocity().z;
    // (7 − 5) N on 2 kg for 1 s
    assert!((speed - 1.0).abs() < 0.01, "{speed}");
}

/// Springs hang as Hooke says, at any stiffness and step: they are implicit.
#[test]
fn springs_stretch_as_hooke_says() {
    for stiffness in [100.0, 1e6, 1e12] {
        for dt in [1e-3, 0.1] {
            let mut world = World::new();
            let body = world.add_body(SingleBody::new("weight", brick())).unwrap();
            let softness = Softness { stiffness, damping: 0.3 * stiffness };
            world.add(Constraint::drag(BodyRef::World, body, DVec3::ZERO, softness)).unwrap();
            run(&mut world, 10.0, dt);
            let (z, expected) = (world.frame(body).unwrap().position.z, -2.0 * 9.81 / stiffness);
            assert!(
                (z - expected).abs() < 1e-3 * expected.abs() + 1e-9,
                "k {stiffness}, dt {dt}: {z} for {expected}"
            );
        }
    }
}

#[test]
fn a_servo_holds_a_load_with_its_spring() {
    let mut world = World::new();
    let arm = RigidInertia::solid_capsule(1.0, DVec3::ZERO, DVec3::X, 0.02);
    let arm = world.add_body(SingleBody::new("arm", arm)).unwrap();
    let action = Action::Servo { coordinate: 0, target: 0.3, stiffness: 200.0, damping: 40.0, force: 1e3 };
    let hinge = Constraint::new(Hinge, BodyRef::World, arm)
        .parent_frame(Frame::with_z(DVec3::ZERO, -DVec3::Y))
        .child_frame(Frame::with_z(DVec3::ZERO, -DVec3::Y))
        .action(action);
    let hinge = world.add(hinge).unwrap();
    run(&mut world, 5.0, DT);
    let angle = world.coordinate(hinge, 0).unwrap();
    // k (target − angle) = m g l/2 cos(angle)
    let left = 200.0 * (0.3 - angle) - 9.81 * 0.5 * angle.cos();
    assert!(left.abs() < 1e-3, "at {angle} rad: {left} N·m");
}

#[test]
fn what_must_hold_too_much_breaks() {
    for (strength, breaks) in [(19.0, true), (20.5, false)] {
        let mut world = World::new();
        let body = world.add_body(SingleBody::new("weight", brick())).unwrap();
        let id = world
            .add(Constraint::new(Ball, BodyRef::World, body).breaks_at(strength, f64::INFINITY))
            .unwrap();
        let mut broke = None;
        for _ in 0..240 {
            world.step(DT).unwrap();
            let event = world.events().iter().find(|e| matches!(e, Event::Broke { .. }));
            broke = broke.or(event.copied());
        }
        assert_eq!(broke.is_some(), breaks, "{strength} N");
        assert_eq!(world.force_of(id).is_err(), breaks);
        if let Some(Event::Broke { force, .. }) = broke {
            assert!((force - 2.0 * 9.81).abs() < 1e-6, "{force}");
        } else {
            assert!((world.force_of(id).unwrap().linear - DVec3::Z * 19.62).length() < 1e-6);
        }
    }
}

/// An arm of hinges about y, in a vertical plane.
fn arm(links: usize) -> Simulation {
    let mut builder = ModelBuilder::new();
    let rod = RigidInertia::solid_capsule(1.0, DVec3::ZERO, DVec3::X, 0.02);
    for i in 0..links {
        let body = Body::new(format!("link {i}"), Joint::revolute(DVec3::Y)).inertia(rod);
        builder.add(if i == 0 {
            body
        } else {
            body.on(format!("link {}", i - 1)).at(Pose::from_xyz(1.0, 0.0, 0.0))
        });
    }
    Simulation::new(builder.finish().unwrap())
}

/// Two pendulums geared 1 : −2, in one articulation and in two: the reduced equation of the pair is that of one coordinate.
#[test]
fn couplings_gear_joints_together() {
    let mut world = World::new();
    let [a, b] = [0, 1].map(|_| world.add_articulation(arm(1)));
    let dof = |articulation| DofRef { articulation, dof: 0 };
    let coupling = Coupling {
        name: "gear".into(),
        follower: dof(b),
        leader: Some(dof(a)),
        offset: 0.1,
        coefficients: vec![-2.0],
    };
    world.articulation_mut(b).unwrap().state.q[0] = 0.1;
    world.couple(coupling).unwrap();
    // I θ̈ + 4 I θ̈ = m g l/2 (cos θ − 2 cos(0.1 − 2θ)), by small steps
    let (inertia, weight) =
        (RigidInertia::solid_capsule(1.0, DVec3::ZERO, DVec3::X, 0.02).inertia.yy, 9.81 * 0.5);
    let (mut theta, mut rate, h) = (0.0f64, 0.0, 1e-5);
    for _ in 0..50_000 {
        rate += h * weight * (theta.cos() - 2.0 * (0.1 - 2.0 * theta).cos()) / (5.0 * inertia);
        theta += h * rate;
    }
    run(&mut world, 0.5, 1e-3);
    let q = |id| world.articulation(id).unwrap().state.q[0];
    assert!((q(b) - (0.1 - 2.0 * q(a))).abs() < 1e-6, "{} {}", q(a), q(b));
    assert!((q(a) - theta).abs() < 1e-3, "{} for {theta}", q(a));
}

/// The same closed chain, its loop closed by a constraint, with every integrator: gaps below the tolerance at any detail.
#[test]
fn loops_of_articulations_stay_closed() {
    for (name, integrator) in Integrator::ALL.into_iter().filter(|(name, _)| *name != "explicit") {
        for active in [None, Some(4)] {
            let mut simulation = arm(10);
            simulation.integrator = integrator;
            for (i, q) in simulation.state.q.iter_mut().enumerate() {
                *q = if i == 0 { -0.8 } else { 1.6 / 9.0 };
            }
            if let Some(joints) = active {
                simulation.set_detail(Detail::joints(joints)).unwrap();
            }
            let mut world = World::new();
            let chain = world.add_articulation(simulation);
            let last = BodyId::new(9);
            let tip = world.frame((chain, last)).unwrap().point(DVec3::X);
            let tie = Constraint::new(Ball, BodyRef::World, (chain, last));
            world.add(tie.parent_frame(Frame::at(tip)).child_frame(at(1.0, 0.0, 0.0))).unwrap();
            let energy = world.energy().total();
            for step in 0..480 {
                let report = world.step(DT).unwrap();
                assert!(report.gap_max < 1e-6, "{name}, {active:?} joints, step {step}: {}", report.gap_max);
                assert_eq!(report.unsolved, 0, "{name}, {active:?} joints, step {step}");
            }
            // a weight of 10 kg that can fall by metres: one percent of its energy
            assert!(
                world.energy().total() < energy + 5.0,
                "{name}: {} J more",
                world.energy().total() - energy
            );
        }
    }
}

/// A chain with weights welded to its links, few (solved directly) and many (by conjugate gradients): it moves as the chain whose links
/// have that inertia from the start.
#[test]
fn welded_weights_are_part_of_their_links() {
    for weights in [3, 30] {
        let (mut world, mut heavy) = (World::new(), ModelBuilder::new());
        let rod = RigidInertia::solid_capsule(1.0, DVec3::ZERO, DVec3::X, 0.02);
        let offset = DVec3::new(0.5, 0.0, -0.3);
        let chain = world.add_articulation(arm(30));
        for i in 0..30 {
            let mut inertia = rod;
            if i < weights {
                let at = Frame::at(DVec3::X * i as f64 + offset);
                let weight = world.add_body(SingleBody::new("weight", brick()).at(at)).unwrap();
                world.join(Rigid, (chain, BodyId::new(i)), weight, at).unwrap();
                inertia += brick().about(offset);
            }
            let body = Body::new(format!("link {i}"), Joint::revolute(DVec3::Y)).inertia(inertia);
            let at = Pose::from_xyz(1.0, 0.0, 0.0);
            heavy.add(if i == 0 { body } else { body.on(format!("link {}", i - 1)).at(at) });
        }
        let mut heavy = Simulation::new(heavy.finish().unwrap());
        for _ in 0..100 {
            let report = world.step(1e-3).unwrap();
            assert!(report.gap_max < 1e-6 && report.unsolved == 0, "{weights} weights: {report:?}");
            heavy.step(1e-3).unwrap();
        }
        // both are of second order in dt; links turn by up to 0.1 rad
        let got = &world.articulation(chain).unwrap().state.q;
        let apart = got.iter().zip(&heavy.state.q).fold(0.0f64, |most, (a, b)| most.max((a - b).abs()));
        assert!(apart < 1e-5, "{weights} weights: {apart} rad");
    }
}

/// Contact with detail will need the same: what constraints do to a body is seen by the choice of its joints.
#[test]
fn a_pulled_chain_wakes_the_joints_that_are_pulled() {
    let mut simulation = arm(12);
    simulation.gravity = DVec3::ZERO;
    simulation.set_detail(Detail::joints(3)).unwrap();
    let mut world = World::new();
    world.gravity = DVec3::ZERO;
    let chain = world.add_articulation(simulation);
    let hand = world.add_body(SingleBody::kinematic("hand").at(at(12.0, 0.0, 0.0))).unwrap();
    let tie = Constraint::new(Ball, hand, (chain, BodyId::new(11)))
        .child_frame(at(1.0, 0.0, 0.0))
        .soft(200.0, 20.0);
    world.add(tie).unwrap();
    for step in 0..480 {
        world.move_to(hand, at(12.0, 0.0, 0.002 * f64::from(step))).unwrap();
        world.step(DT).unwrap();
    }
    let tip = world.frame((chain, BodyId::new(11))).unwrap().point(DVec3::X);
    assert!(tip.z > 0.3, "{tip}");
    assert!(world.articulation(chain).unwrap().region().unwrap().report().active <= 3);
}

#[test]
fn kinematic_bodies_go_where_they_are_told_and_carry_others() {
    let mut world = World::new();
    let hand = world.add_body(SingleBody::kinematic("hand")).unwrap();
    let body = world.add_body(SingleBody::new("weight", brick()).at(at(0.0, 0.0, -1.0))).unwrap();
    world.join(Rigid, hand, body, Frame::IDENTITY).unwrap();
    let mut goal = Frame::IDENTITY;
    for step in 0..240 {
        let t = f64::from(step) * DT;
        goal = Frame::new(DVec3::new(t.sin(), 0.5 * t, 0.0), DQuat::from_rotation_x(t));
        world.move_to(hand, goal).unwrap();
        world.step(DT).unwrap();
    }
    let (at_hand, at_body) = (world.frame(hand).unwrap(), world.frame(body).unwrap());
    assert!((at_hand.position - goal.position).length() < 1e-12);
    assert!((at_body.position - goal.point(-DVec3::Z)).length() < 1e-6, "{at_body:?}");
    // without a goal it stands
    world.step(DT).unwrap();
    assert!((world.frame(hand).unwrap().position - goal.position).length() < 1e-12);
}

#[test]
fn constraints_come_and_go() {
    let mut world = World::new();
    let [a, b] =
        [0.0, 1.0].map(|x| world.add_body(SingleBody::new("brick", brick()).at(at(x, 0.0, 0.0))).unwrap());
    let tie = world.join(Rope { longest: 2.0 }, BodyRef::World, a, Frame::IDENTITY).unwrap();
    let weld = world.join(Rigid, a, b, Frame::IDENTITY).unwrap();
    run(&mut world, 1.0, DT);
    assert!((world.frame(b).unwrap().position - world.frame(a).unwrap().position).length() < 1.0 + 1e-6);
    world.cut(weld).unwrap();
    let before = world.body(b).unwrap().velocity();
    run(&mut world, 1.0, DT);
    let gained = world.body(b).unwrap().velocity() - before;
    assert!((gained + DVec3::Z * 9.81).length() < 1e-10, "it falls freely: {gained}");
    world.remove_body(b).unwrap();
    assert_eq!(world.cut(weld), Err(WorldError::Gone { what: "constraint", index: 1 }));
    assert!(matches!(world.frame(b), Err(WorldError::Gone { .. })));
    world.remove_body(a).unwrap();
    assert!(world.force_of(tie).is_err(), "constraints go with their bodies");
    let report = world.step(DT).unwrap();
    assert_eq!((report.constraints, report.islands), (0, 0));
}

/// Constraints that contradict: the report says so, the state stays finite, and no one of them wins.
#[test]
fn contradictions_are_told() {
    let (mut world, body) = one_brick();
    for x in [-0.5, 0.5] {
        world.add(Constraint::new(Ball, BodyRef::World, body).parent_frame(at(x, 0.0, 0.0))).unwrap();
    }
    let mut report = world.step(DT).unwrap();
    for _ in 0..240 {
        report = world.step(DT).unwrap();
    }
    assert!(report.unsolved == 1 && (report.gap_max - 0.5).abs() < 0.05, "{report:?}");
    assert!(world.events().iter().any(|e| matches!(e, Event::Unsolved { .. })));
    assert!(world.frame(body).unwrap().position.length() < 0.05, "{:?}", world.frame(body));
}

/// A joint given three times moves as given once.
#[test]
fn redundant_constraints_change_nothing() {
    let swing = |copies: usize| {
        let mut world = World::new();
        let body = world.add_body(SingleBody::new("brick", brick()).at(at(1.0, 0.0, 0.0))).unwrap();
        for _ in 0..copies {
            world.join(Hinge, BodyRef::World, body, Frame::with_z(DVec3::ZERO, DVec3::Y)).unwrap();
        }
        run(&mut world, 2.0, DT);
        world.frame(body).unwrap().position
    };
    let apart = (swing(1) - swing(3)).length();
    assert!(apart < 1e-5, "{apart}");
}

/// One world after the other from the same snapshot, on one thread and on two.
#[test]
fn snapshots_go_on_with_the_same_bits_on_any_number_of_threads() {
    let frames = |world: &World| world.bodies().map(|(_, b)| (b.frame(), b.velocity())).collect::<Vec<_>>();
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    for solver in SOLVERS {
        let mut world = tumbling(solver);
        world.gravity = DVec3::Z;
        // many islands, and articulations in some of them
        for i in 0..6 {
            let id = world.add_articulation(arm(3));
            let body = SingleBody::new("ball", brick()).at(at(3.0, 2.0 * f64::from(i), 0.0));
            let body = world.add_body(body).unwrap();
            world.join(Ball, (id, BodyId::new(2)), body, at(3.0, 0.0, 0.0)).unwrap();
        }
        pool(1).install(|| run(&mut world, 0.2, DT));
        let snapshot = world.snapshot();
        pool(1).install(|| run(&mut world, 0.3, DT));
        let mut again = World::new();
        again.restore(&snapshot);
        pool(2).install(|| run(&mut again, 0.3, DT));
        assert_eq!(frames(&world), frames(&again), "{solver:?}");
        let q = |world: &World| world.articulations().map(|(_, s)| s.state.clone()).collect::<Vec<_>>();
        assert_eq!(q(&world), q(&again), "{solver:?}");
    }
}

#[test]
fn bad_input_is_refused_by_name() {
    let (mut world, body) = one_brick();
    let text = |error: WorldError| error.to_string();
    let light = RigidInertia::new(0.0, DVec3::ZERO, brick().inertia);
    assert!(
        text(world.add_body(SingleBody::new("ghost", light)).unwrap_err())
            .contains("mass [kg] of \"ghost\" is 0")
    );
    let point = RigidInertia::new(1.0, DVec3::ZERO, supple::spatial::Sym3::ZERO);
    assert!(
        text(world.add_body(SingleBody::new("point", point)).unwrap_err()).contains("rotational inertia")
    );
    // rods have none about their axis, and single bodies are not stepped without
    let moments = |xx, yy, zz| supple::spatial::Sym3::new([xx, 0.0, 0.0, yy, 0.0, zz]);
    for least in [0.0, -5.0] {
        let rod = SingleBody::with_central("rod", 1.0, DVec3::ZERO, moments(1.0, 1.0, least));
        let told = text(world.add_body(rod).unwrap_err());
        assert!(told.contains("smallest rotational inertia [kg·m²] of \"rod\" is"), "{told}");
    }
    let flat = SingleBody::with_central("flat", 1.0, DVec3::ZERO, moments(1.0, 1.0, 5.0));
    let told = world.add_body(flat).unwrap_err();
    assert!(
        matches!(&told, WorldError::InertiaTriangle { name, moments: [_, _, most] } if name == "flat" && *most == 5.0)
    );
    // what a link may be off by rounding, a single body may be too
    let round = SingleBody::with_central("disc", 1.0, DVec3::ZERO, moments(1.0, 1.0, 2.000_001));
    assert!(World::new().add_body(round).is_ok());
    let far = SingleBody::new("far", brick()).at(at(f64::NAN, 0.0, 0.0));
    assert!(text(world.add_body(far).unwrap_err()).contains("\"far\" is NaN"));
    let tie = Constraint::new(Ball, body, body).named("tie");
    assert!(matches!(world.add(tie), Err(WorldError::SameBody { .. })));
    let tie = Constraint::new(Ball, BodyRef::World, body).limit(3, 0.0, 1.0).named("tie");
    assert!(text(world.add(tie).unwrap_err()).contains("coordinate 3"));
    let tie = Constraint::new(Hinge, BodyRef::World, body).limit(0, 1.0, 0.0).named("tie");
    assert!(text(world.add(tie).unwrap_err()).contains("at most the upper limit"));
    let tie = Constraint::new(Ball, BodyRef::World, body).soft(-1.0, 0.0).named("tie");
    assert!(text(world.add(tie).unwrap_err()).contains("stiffness"));
    assert!(matches!(world.step(0.0), Err(WorldError::BadStep { .. })));
    world.body_mut(body).unwrap().wrench.linear.x = f64::INFINITY;
    assert!(text(world.step(DT).unwrap_err()).contains("wrench"));
    let (mut other, _) = one_brick();
    let stranger = other.add_body(SingleBody::new("stranger", brick())).unwrap();
    assert!(matches!(world.frame(stranger), Err(WorldError::Gone { .. })));
}

/// What fails stays as it was, and goes on from there; all others have taken the step.
#[test]
fn after_an_error_the_world_goes_on() {
    for solver in SOLVERS {
        let mut world = World::new();
        world.settings.solver = solver;
        let body = world.add_body(SingleBody::new("brick", brick()).at(at(1.0, 0.0, 0.0))).unwrap();
        world.join(Ball, BodyRef::World, body, Frame::IDENTITY).unwrap();
        let free = world.add_articulation(arm(2));
        // what has a collider may push others: without its step nobody else has one
        let tip = Collider::new(Shape::sphere(0.01).unwrap());
        world.add_collider(BodyRef::Of(free, BodyId::new(1)), tip).unwrap();
        run(&mut world, 0.1, DT);
        let mut other = world.clone();
        world.articulation_mut(free).unwrap().tau[0] = f64::NAN;
        let error = world.step(DT).unwrap_err();
        let WorldError::Failed { failures } = &error else { panic!("{solver:?}: {error}") };
        assert_eq!(
            failures.iter().map(Failure::articulation).collect::<Vec<_>>(),
            [Some(free)],
            "{solver:?}"
        );
        world.articulation_mut(free).unwrap().tau[0] = 0.0;
        run(&mut world, 0.1, DT);
        run(&mut other, 0.1, DT);
        let q = |world: &World| world.articulation(free).unwrap().state.q.clone();
        assert_eq!(q(&world), q(&other), "{solver:?}");
        other.step(DT).unwrap();
        assert_eq!(world.frame(body).unwrap(), other.frame(body).unwrap(), "{solver:?}");
    }
}

/// A constraint on a body that cannot move does not stop the rest of its articulation.
#[test]
fn what_hangs_on_a_fixed_body_swings_on() {
    for solver in SOLVERS {
        let rod = RigidInertia::solid_capsule(1.0, DVec3::ZERO, DVec3::X, 0.02);
        let model = ModelBuilder::new()
            .body(Body::new("post", Joint::fixed()).inertia(rod))
            .body(Body::new("arm", Joint::revolute(DVec3::Y)).on("post").inertia(rod))
            .finish()
            .unwrap();
        let (mut world, mut alone) = (World::new(), Simulation::new(model));
        world.settings.solver = solver;
        let articulation = world.add_articulation(alone.clone());
        let body = world.add_body(SingleBody::new("brick", brick())).unwrap();
        world.join(Ball, (articulation, BodyId::new(0)), body, Frame::IDENTITY).unwrap();
        for _ in 0..60 {
            world.step(DT).unwrap();
            alone.step(DT).unwrap();
        }
        // the same but for what the integrator remembers, which a push makes it forget
        let (q, expected) = (world.articulation(articulation).unwrap().state.q[0], alone.state.q[0]);
        assert!((q - expected).abs() < 1e-9 && q > 0.4, "{solver:?}: {q} for {expected}");
    }
}

/// A chain that is too short for its two ends: it yields, gains no speed by it, and says so but in the few steps in which it comes a little nearer,
/// at the slow pace at which joints that are apart close.
#[test]
fn contradictions_gain_no_energy() {
    let mut world = World::new();
    let mut last = BodyRef::World;
    for i in 0..4 {
        let x = 0.5 * f64::from(i);
        let body = world.add_body(SingleBody::new("brick", brick()).at(at(x + 0.25, 0.0, 0.0))).unwrap();
        world.join(Ball, last, body, at(x, 0.0, 0.0)).unwrap();
        last = body.into();
    }
    let end = Constraint::new(Ball, BodyRef::World, last).parent_frame(at(2.5, 0.0, 0.0));
    world.add(end.child_frame(at(0.25, 0.0, 0.0))).unwrap();
    let mut told = 0;
    for step in 0..2400 {
        told += u32::from(world.step(DT).unwrap().unsolved > 0);
        // 8 kg that could fall by half a metre
        let kinetic = world.energy().kinetic;
        assert!(kinetic < 40.0, "step {step}: {kinetic} J");
    }
    println!("told in {told} of 2400 steps");
    assert!(told >= 2280, "told in {told} of 2400 steps");
}

/// Sliders do not come round as angles do.
#[test]
fn a_fast_slider_keeps_its_speed() {
    for solver in SOLVERS {
        let (mut world, body) = one_brick();
        world.settings.solver = solver;
        world.add(Constraint::new(Prismatic::Z, BodyRef::World, body).motor(0, 250.0, 1e9)).unwrap();
        run(&mut world, 0.5, 1.0 / 60.0);
        let speed = world.body(body).unwrap().velocity().z;
        assert!((speed - 250.0).abs() < 1.0, "{solver:?}: {speed}");
    }
}

#[test]
fn what_cannot_be_held_is_refused() {
    let (mut world, body) = one_brick();
    let rope = Constraint::new(Rope { longest: 1.0 }, BodyRef::World, body).soft(10.0, 1.0);
    assert!(matches!(world.add(rope), Err(WorldError::SoftLimit { .. })));
    let mut simulation = arm(3);
    simulation.set_detail(Detail::guaranteed(1.0)).unwrap();
    let chain = world.add_articulation(simulation);
    world.join(Ball, (chain, BodyId::new(2)), body, at(3.0, 0.0, 0.0)).unwrap();
    assert_eq!(world.step(DT), Err(WorldError::Guaranteed { index: 0 }));
    // another model in its place: the constraint is on a body that is gone
    *world.articulation_mut(chain).unwrap() = arm(1);
    assert!(matches!(world.step(DT), Err(WorldError::Gone { .. })));
    *world.articulation_mut(chain).unwrap() = arm(5);
    world.step(DT).unwrap();
    world.articulation_mut(chain).unwrap().state.q[0] = f64::NAN;
    assert!(world.assemble(&supple::world::Assembly::default()).is_err());
}

/// A joint that is made whole is the one that is made first and changed later.
#[test]
fn joints_are_made_whole() {
    let (mut world, brick) = one_brick();
    let place = Frame::with_z(DVec3::new(0.1, 0.0, 0.2), DVec3::new(1.0, 2.0, 0.5));
    let plain = world.join(Hinge, BodyRef::World, brick, place).unwrap();
    let whole = Constraint::new(Hinge, BodyRef::World, brick)
        .named("whole")
        .limit(0, -1.0, 1.0)
        .motor(0, 2.0, 3.0)
        .servo(0, 0.5, 40.0, 5.0, 6.0)
        .friction(0, 0.1);
    let whole = world.join_at(whole, place).unwrap();
    let [plain, whole] = [plain, whole].map(|id| world.constraint(id).unwrap().unwrap().clone());
    assert_eq!((plain.parent_frame, plain.child_frame), (whole.parent_frame, whole.child_frame));
    let servo = Action::Servo { coordinate: 0, target: 0.5, stiffness: 40.0, damping: 5.0, force: 6.0 };
    assert_eq!((whole.name.as_str(), whole.actions.len(), whole.actions[2]), ("whole", 4, servo));
    let gone = world.add_body(SingleBody::new("gone", self::brick())).unwrap();
    world.remove_body(gone).unwrap();
    let error = world.join_at(Constraint::new(Hinge, BodyRef::World, gone), place).unwrap_err();
    assert!(matches!(error, WorldError::Gone { .. }));
}
