//! Velocities that a step begins with, whoever set them, meet contacts in that step: nothing ends behind, or deep inside, what it should
//! have met, and no energy comes of it.

use glam::{DQuat, DVec3};
use supple::constraint::{Frame, Hinge, Prismatic};
use supple::contact::{Collider, Shape};
use supple::detail::Detail;
use supple::world::{BodyRef, ContactMethod, Event, SingleBody, SingleId, Solver, World};
use supple::{Body, BodyId, Force, Joint, ModelBuilder, Pose, RigidInertia, Simulation};

const DT: f64 = 1.0 / 60.0;

/// A world without gravity.
fn weightless() -> World {
    let mut world = World::new();
    world.gravity = DVec3::ZERO;
    world
}

fn sphere(radius: f64) -> Collider {
    Collider::new(Shape::sphere(radius).unwrap())
}

fn cuboid(size: DVec3) -> Collider {
    Collider::new(Shape::cuboid(size).unwrap())
}

/// A single body that wears a collider.
fn wear(world: &mut World, body: SingleBody, collider: Collider) -> SingleId {
    let id = world.add_body(body).unwrap();
    world.add_collider(id, collider).unwrap();
    id
}

fn solid(collider: &Collider) -> SingleBody {
    SingleBody::new("body", collider.inertia(500.0).unwrap())
}

fn kinetic(world: &World) -> f64 {
    world.energy().kinetic
}

// --- what flies ---

/// The wall is 0.1 m thick, around x = 0.
#[derive(Clone, Copy, Debug)]
enum Wall {
    OfTheWorld,
    Led,
    Heavy,
}

fn wall(world: &mut World, kind: Wall) {
    let wall = cuboid(DVec3::new(0.1, 2.0, 2.0));
    match kind {
        Wall::OfTheWorld => {
            world.add_collider(BodyRef::World, wall).unwrap();
        }
        Wall::Led => {
            wear(world, SingleBody::kinematic("wall"), wall);
        }
        Wall::Heavy => {
            let inertia = RigidInertia::solid_box(1e6, DVec3::new(0.1, 2.0, 2.0), DVec3::ZERO);
            wear(world, SingleBody::new("wall", inertia), wall);
        }
    }
}

/// From any distance, at any speed up to ten thicknesses of the wall in a step, a ball ends before the wall, and comes back as fast as its
/// restitution has it.
#[test]
fn a_ball_that_starts_fast_meets_a_wall_in_its_first_step() {
    for kind in [Wall::OfTheWorld, Wall::Led, Wall::Heavy] {
        for gap in [0.001, 0.05, 0.3, 0.7, 0.95] {
            for travel in [0.1, 0.33, 1.0] {
                for restitution in [0.0, 0.5, 1.0] {
                    let mut world = weightless();
                    wall(&mut world, kind);
                    let collider = sphere(0.05).restitution(restitution);
                    let (start, speed) = (-0.1 - gap, travel / DT);
                    let body = solid(&collider)
                        .at(Frame::at(start * DVec3::X))
                        .moving(speed * DVec3::X, DVec3::ZERO);
                    let ball = wear(&mut world, body, collider);
                    let begin = kinetic(&world);
                    for step in 0..12 {
                        world.step(DT).unwrap();
                        let x = world.body(ball).unwrap().centre().x;
                        let case =
                            format!("{kind:?}, {gap} m, {travel} m a step, e = {restitution}, step {step}");
                        assert!(x < -0.1 + 0.05 * 0.05, "{case}: at {x} m");
                        assert!(
                            kinetic(&world) < begin * (1.0 + 1e-9),
                            "{case}: {} of {begin} J",
                            kinetic(&world)
                        );
                    }
                    let back = -world.body(ball).unwrap().velocity().x / speed;
                    assert!(
                        (back - restitution).abs() < 1e-3,
                        "{kind:?}, {gap} m, {travel}: {back}, not {restitution}"
                    );
                }
            }
        }
    }
}

/// Two that fly at each other from the start exchange momentum, and lose none.
#[test]
fn two_balls_that_start_fast_exchange_their_momenta() {
    let mut world = weightless();
    let ids = [-1.0, 1.0].map(|side| {
        let collider = sphere(0.05).restitution(1.0);
        let body = solid(&collider)
            .at(Frame::at(0.1 * side * DVec3::X))
            .moving(-30.0 * side * DVec3::X, DVec3::ZERO);
        wear(&mut world, body, collider)
    });
    let begin = (world.momenta().linear, kinetic(&world));
    world.step(DT).unwrap();
    for (id, side) in ids.into_iter().zip([-1.0, 1.0]) {
        let body = world.body(id).unwrap();
        assert!((body.velocity() - 30.0 * side * DVec3::X).length() < 1e-6, "{}", body.velocity());
        assert!(side * body.centre().x > 0.05, "{}", body.centre());
    }
    assert!((world.momenta().linear - begin.0).length() < 1e-12);
    assert!((kinetic(&world) / begin.1 - 1.0).abs() < 1e-9);
}

/// The event of a contact that was met before anything moved has all of its impulse.
#[test]
fn the_event_of_a_first_impact_has_its_impulse() {
    let mut world = weightless();
    wall(&mut world, Wall::OfTheWorld);
    let collider = sphere(0.05);
    let body = solid(&collider).at(Frame::at(-0.15 * DVec3::X)).moving(20.0 * DVec3::X, DVec3::ZERO);
    let momentum = 20.0 * body.mass();
    wear(&mut world, body, collider);
    let mut told = 0.0;
    // parts of a step tell of their own
    world.settings.contact.longest = DT;
    world.step(DT).unwrap();
    for event in world.events() {
        if let Event::Touched { impulse, .. } = event {
            told += impulse;
        }
    }
    assert!((told / momentum - 1.0).abs() < 1e-6, "{told} of {momentum} N·s");
}

/// A velocity that is set by hand in a world that has long been at rest is seen in the next step, and what else rests there stays.
#[test]
fn a_velocity_set_by_hand_meets_a_wall_in_the_next_step() {
    let mut world = World::new();
    world.add_collider(BodyRef::World, Collider::new(Shape::half_space())).unwrap();
    let at = Frame::at(0.5 * DVec3::X);
    let mut wall = cuboid(DVec3::new(0.1, 2.0, 2.0));
    wall.frame = at;
    world.add_collider(BodyRef::World, wall).unwrap();
    let stack: Vec<SingleId> = (0..3)
        .map(|i| {
            let collider = cuboid(DVec3::splat(0.2));
            let at = DVec3::new(0.0, 0.0, 0.1 + 0.2 * f64::from(i));
            wear(&mut world, solid(&collider).at(Frame::at(at)), collider)
        })
        .collect();
    for asleep in [false, true] {
        for _ in 0..if asleep { 90 } else { 20 } {
            world.step(DT).unwrap();
        }
        assert_eq!(world.is_asleep(stack[2]), asleep);
        let mut now = world.snapshot();
        let below = [0, 1].map(|i| now.body(stack[i]).unwrap().centre());
        now.body_mut(stack[2]).unwrap().set_motion(60.0 * DVec3::X, DVec3::ZERO);
        now.step(DT).unwrap();
        let x = now.body(stack[2]).unwrap().centre().x;
        assert!(x > 0.3 && x < 0.35 + 0.005, "asleep {asleep}: at {x} m");
        for i in 0..2 {
            let moved = (now.body(stack[i]).unwrap().centre() - below[i]).length();
            // the one that slides off rubs for a step
            assert!(moved < 0.01, "asleep {asleep}: {i} moved {moved} m");
        }
        // down on the stack: it goes nowhere
        let mut now = world.snapshot();
        now.body_mut(stack[2]).unwrap().set_motion(-20.0 * DVec3::Z, DVec3::ZERO);
        now.step(DT).unwrap();
        let z = now.body(stack[2]).unwrap().centre().z;
        assert!(z > 0.5 - 0.01, "asleep {asleep}: at {z} m");
    }
}

/// What contacts let close within a short step does not go on as fast in a longer one.
#[test]
fn a_ball_that_a_short_step_let_come_near_is_stopped_in_a_longer_one() {
    let mut world = weightless();
    wall(&mut world, Wall::OfTheWorld);
    let collider = sphere(0.05);
    let body = solid(&collider).at(Frame::at(-0.2 * DVec3::X)).moving(60.0 * DVec3::X, DVec3::ZERO);
    let ball = wear(&mut world, body, collider);
    // half of the way; the next one as long would take it to the wall
    world.step(0.05 / 60.0).unwrap();
    for _ in 0..5 {
        world.step(DT).unwrap();
        let x = world.body(ball).unwrap().centre().x;
        assert!(x < -0.1 + 0.05 * 0.05, "at {x} m");
    }
}

/// A wrench that moves a body half a metre in a step does not move it through what is a centimetre away.
#[test]
fn a_hard_push_meets_what_is_near() {
    for through_body in [false, true] {
        let mut world = World::new();
        world.add_collider(BodyRef::World, cuboid(DVec3::new(2.0, 2.0, 0.1))).unwrap();
        let collider = sphere(0.05);
        let body = solid(&collider).at(Frame::at(0.11 * DVec3::Z));
        let push = Force::new(DVec3::ZERO, -DVec3::Z * body.mass() / (DT * DT));
        let ball = wear(&mut world, body, collider);
        // others may have been seen first
        world.step(1e-6).unwrap();
        if through_body {
            world.body_mut(ball).unwrap().wrench = push;
        } else {
            world.set_wrench(ball, push).unwrap();
        }
        for _ in 0..5 {
            world.step(DT).unwrap();
            let z = world.body(ball).unwrap().centre().z;
            assert!(z > 0.1 - 0.05 * 0.05, "through body_mut {through_body}: at {z} m");
        }
    }
}

/// A thin plate that was at rest and is led ten thicknesses in a step, or turned by a radian, takes along what is in its way.
#[test]
fn what_begins_to_be_led_takes_along_what_is_in_its_way() {
    for turn in [0.0, 0.5, 1.0] {
        for gap in [0.001, 0.05, 0.1] {
            let mut world = weightless();
            let plate = wear(&mut world, SingleBody::kinematic("plate"), cuboid(DVec3::new(1.0, 1.0, 0.02)));
            let collider = sphere(0.05);
            let ball =
                wear(&mut world, solid(&collider).at(Frame::at(DVec3::new(0.4, 0.0, 0.06 + gap))), collider);
            for _ in 0..10 {
                world.step(DT).unwrap();
            }
            let lift = if turn == 0.0 { 0.2 } else { 0.0 };
            for step in 1..=3 {
                let k = f64::from(step);
                let goal = Frame::new(k * lift * DVec3::Z, DQuat::from_rotation_y(-k * turn));
                world.move_to(plate, goal).unwrap();
                world.step(DT).unwrap();
                let seen = goal.inverse().point(world.body(ball).unwrap().centre());
                let met = seen.length() < 0.5;
                assert!(!met || seen.z > 0.06 - 0.05 * 0.1, "turn {turn}, gap {gap}, step {step}: {seen}");
                assert!(
                    world.body(ball).unwrap().velocity().length() > 1.0,
                    "turn {turn}, gap {gap}: never hit"
                );
            }
        }
    }
}

// --- what turns ---

/// A post along z of the world, at an angle about the z axis from x.
fn post(world: &mut World, angle: f64, at: f64) -> DVec3 {
    let foot = DQuat::from_rotation_z(angle) * (at * DVec3::X);
    let shape = Shape::capsule(foot - 0.5 * DVec3::Z, foot + 0.5 * DVec3::Z, POST).unwrap();
    world.add_collider(BodyRef::World, Collider::new(shape)).unwrap();
    foot
}

const POST: f64 = 0.03;
const BAR: f64 = 0.03;

/// Room that a bar must have after a step: contacts see to a twentieth of its thickness in the first one. Later ones are cut so that it
/// does not pass through.
fn allowed(step: usize) -> f64 {
    if step == 0 { -0.05 } else { -0.25 }
}

/// How far a bar is from a post: y of the post as the bar sees it, less their thickness, as a share of the bar's thickness. Not asked
/// where the bar's end is past the post.
fn room(bar: Frame, post: DVec3, half: f64) -> Option<f64> {
    let seen = bar.inverse().point(post);
    (seen.x.abs() < half).then_some((seen.y - BAR - POST) / (2.0 * BAR))
}

/// A bar 2 m long that turns by a radian in its first step is stopped by a post, wherever that is.
#[test]
fn a_bar_that_starts_turning_meets_a_post() {
    for round in [true, false] {
        for turn in [0.3, 1.0] {
            for angle in [0.15, 0.3, 0.5, 0.7, 0.9, 1.1, 1.3] {
                for at in [0.5, 0.9] {
                    let mut world = weightless();
                    let collider = Collider::new(match round {
                        true => Shape::capsule(-DVec3::X, DVec3::X, BAR).unwrap(),
                        false => Shape::cuboid(DVec3::new(2.0, 2.0 * BAR, 2.0 * BAR)).unwrap(),
                    });
                    let body = solid(&collider).moving(DVec3::ZERO, turn / DT * DVec3::Z);
                    let bar = wear(&mut world, body, collider);
                    let post = post(&mut world, angle, at);
                    let begin = kinetic(&world);
                    for step in 0..5 {
                        world.step(DT).unwrap();
                        let case = format!(
                            "round {round}, {turn} rad a step, post at {angle} rad, {at} m, step {step}"
                        );
                        let room = room(world.frame(bar).unwrap(), post, 1.0);
                        assert!(room.is_none_or(|room| room > allowed(step)), "{case}: room {room:?}");
                        assert!(
                            kinetic(&world) < begin * (1.0 + 1e-9),
                            "{case}: {} of {begin} J",
                            kinetic(&world)
                        );
                    }
                    let omega = world.body(bar).unwrap().omega().z;
                    assert!(
                        omega < 0.9 * turn / DT,
                        "{angle} rad, {at} m: it never met the post, {omega} rad/s"
                    );
                }
            }
        }
    }
}

/// An arm of two links, each 1 m long, on a hinge of the world or afloat.
fn arm(afloat: bool) -> Simulation {
    let rod = || RigidInertia::solid_capsule(1.0, DVec3::ZERO, DVec3::X, BAR);
    let first = if afloat { Joint::free() } else { Joint::revolute(DVec3::Z) };
    let model = ModelBuilder::new()
        .body(Body::new("upper", first).inertia(rod()))
        .body(
            Body::new("lower", Joint::revolute(DVec3::Z))
                .inertia(rod())
                .on("upper")
                .at(Pose::from_xyz(1.0, 0.0, 0.0)),
        )
        .finish()
        .unwrap();
    Simulation::new(model)
}

/// Links that turn by a radian in the step in which somebody gives them that velocity are stopped by a post, at less than full detail too.
#[test]
fn a_link_that_is_given_a_velocity_meets_a_post() {
    for (afloat, active) in [(false, None), (true, None), (false, Some(2)), (true, Some(2))] {
        for late in [false, true] {
            for turn in [0.3, 1.0] {
                for angle in [0.12, 0.3, 0.5, 0.7, 0.9] {
                    let mut world = weightless();
                    let mut simulation = arm(afloat);
                    if let Some(active) = active {
                        simulation.set_detail(Detail::joints(active)).unwrap();
                    }
                    let spin = if afloat { 2 } else { 0 };
                    let set = |simulation: &mut Simulation| simulation.state.v[spin] = turn / DT;
                    if !late {
                        set(&mut simulation);
                    }
                    let id = world.add_articulation(simulation);
                    for body in 0..2 {
                        let rod = Shape::capsule(DVec3::ZERO, DVec3::X, BAR).unwrap();
                        world.add_collider((id, BodyId::new(body)), Collider::new(rod)).unwrap();
                    }
                    let post = post(&mut world, angle, 0.6);
                    if late {
                        for _ in 0..20 {
                            world.step(DT).unwrap();
                        }
                        let simulation = world.articulation_mut(id).unwrap();
                        set(simulation);
                        // joints are rigid after so long at rest, and are to be chosen anew
                        let mut state = simulation.state.clone();
                        state.active.clear();
                        simulation.restore(&state);
                    }
                    let begin = kinetic(&world);
                    for step in 0..3 {
                        world.step(DT).unwrap();
                        let case = format!(
                            "afloat {afloat}, joints {active:?}, late {late}, {turn} rad a step, post at {angle} rad, step {step}"
                        );
                        let mut upper = world.frame((id, BodyId::new(0))).unwrap();
                        upper.position += upper.rotation * (0.5 * DVec3::X);
                        let room = room(upper, post, 0.5);
                        assert!(room.is_none_or(|room| room > allowed(step)), "{case}: room {room:?}");
                        assert!(
                            kinetic(&world) < begin * (1.0 + 1e-6),
                            "{case}: {} of {begin} J",
                            kinetic(&world)
                        );
                    }
                    let now = world.articulation(id).unwrap().state.v[spin] * DT;
                    // afloat it backs away from the post as it turns
                    let met = turn * 3.0 < angle + 0.1
                        || (afloat && angle > 0.4)
                        || (now - turn).abs() > 1e-3 * turn;
                    assert!(
                        met,
                        "afloat {afloat}, joints {active:?}, late {late}, {turn} rad, post at {angle} rad: {now} rad a step"
                    );
                }
            }
        }
    }
}

// --- what is joined ---

/// Weinstein, Teran & Fedkiw, figure 10, with colliders in the place of a script: two rods on a hinge that shoots forward, and a ball in its
/// way that slides on a rail. The hinge pushes the ball, and never passes it.
#[test]
fn figure_10_a_joint_never_passes_a_ball_in_its_way() {
    let levels = ContactMethod::Levels { sweeps: 9, shock: true, restore: true };
    let cases = [
        (Solver::Together, ContactMethod::default()),
        (Solver::Together, levels),
        (Solver::Sweeps { sweeps: 9 }, ContactMethod::default()),
        (Solver::Sweeps { sweeps: 9 }, levels),
    ];
    for turn in [0.3, 0.8] {
        for (solver, method) in cases {
            let mut world = weightless();
            (world.settings.solver, world.settings.contact.method) = (solver, method);
            let omega = DVec3::Y * (turn / DT);
            let rods = [(0.5, -1.0), (-0.5, 1.0)].map(|(z, sign)| {
                let half = 0.5 * DVec3::Z;
                let inertia = RigidInertia::solid_capsule(1.0, -half, half, 0.03);
                let body = SingleBody::new("rod", inertia)
                    .at(Frame::at(z * DVec3::Z))
                    .moving(DVec3::ZERO, sign * omega);
                wear(&mut world, body, Collider::new(Shape::capsule(-half, half, 0.03).unwrap()))
            });
            let start = 0.11 * DVec3::X;
            let inertia = RigidInertia::solid_sphere(0.5, 0.07, DVec3::ZERO);
            let ball = wear(&mut world, SingleBody::new("ball", inertia).at(Frame::at(start)), sphere(0.07));
            world.join(Prismatic::Z, BodyRef::World, ball, Frame::with_z(start, DVec3::X)).unwrap();
            world.join(Hinge, rods[0], rods[1], Frame::with_z(DVec3::ZERO, DVec3::Y)).unwrap();
            let begin = kinetic(&world);
            for step in 0..30 {
                world.step(DT).unwrap();
                let knuckle = world.frame(rods[0]).unwrap().point(-0.5 * DVec3::Z);
                let ahead = world.frame(ball).unwrap().position.x - knuckle.x;
                let case = format!("{solver:?}, {method:?}, {turn} rad a step, step {step}");
                assert!(ahead > 0.1 - 0.05 * 0.06, "{case}: {ahead} m ahead");
                assert!(kinetic(&world) < begin * (1.0 + 1e-6), "{case}: {} of {begin} J", kinetic(&world));
            }
            assert!(world.frame(ball).unwrap().position.x > 0.5, "{solver:?}, {method:?}: it was pushed");
        }
    }
}
