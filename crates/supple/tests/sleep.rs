//! What sleeps and what must not: rest needs something fixed that holds it, and motion that does not grow.

use glam::{DQuat, DVec3};
use supple::constraint::{Ball, Constraint, Coupling, DofRef, Frame};
use supple::contact::{Collider, Shape};
use supple::detail::Detail;
use supple::spatial::Force;
use supple::world::{ArticulationId, BodyRef, SingleBody, SingleId, World};
use supple::{Body, BodyId, Joint, ModelBuilder, Pose, RigidInertia, Simulation};

const DT: f64 = 1.0 / 60.0;

fn ground(world: &mut World) {
    world.add_collider(BodyRef::World, Collider::new(Shape::half_space())).unwrap();
}

fn cuboid(size: DVec3) -> Collider {
    Collider::new(Shape::cuboid(size).unwrap())
}

fn add(world: &mut World, collider: Collider, at: Frame, velocity: DVec3) -> SingleId {
    let body = SingleBody::new("body", collider.inertia(500.0).unwrap()).at(at).moving(velocity, DVec3::ZERO);
    let id = world.add_body(body).unwrap();
    world.add_collider(id, collider).unwrap();
    id
}

fn run(world: &mut World, seconds: f64, dt: f64) {
    for _ in 0..(seconds / dt).round() as usize {
        world.step(dt).unwrap();
    }
}

// --- support ---

/// A body that flies past a plane, nearer than a millimetre, was put to sleep after half a second and lost its momentum.
#[test]
fn what_flies_close_to_a_plane_keeps_its_momentum() {
    for (radius, gap) in [(0.2, 0.9e-3), (2e-4, 0.7e-3), (0.2, 0.0)] {
        let mut world = World::new();
        world.gravity = DVec3::ZERO;
        ground(&mut world);
        let ball = Collider::new(Shape::sphere(radius).unwrap());
        let velocity = 0.04 * DVec3::X;
        let ball = add(&mut world, ball, Frame::at((radius + gap) * DVec3::Z), velocity);
        let before = world.momenta().linear;
        run(&mut world, 3.0, 0.01);
        assert!(!world.is_asleep(ball), "{radius} m, gap {gap} m");
        let lost = (world.momenta().linear - before).length() / before.length();
        assert!(lost < 1e-13, "{radius} m, gap {gap} m: lost {lost} of its momentum");
    }
}

/// Two boxes that are pressed together rest on each other; nothing fixed holds them, so they drift on.
#[test]
fn what_rests_on_each_other_in_free_space_drifts_on() {
    let mut world = World::new();
    world.gravity = DVec3::ZERO;
    let velocity = DVec3::new(0.03, 0.01, 0.0);
    let boxes =
        [0.0, 0.2].map(|z| add(&mut world, cuboid(DVec3::splat(0.2)), Frame::at(z * DVec3::Z), velocity));
    for (id, sign) in boxes.into_iter().zip([1.0, -1.0]) {
        world.set_wrench(id, Force::new(DVec3::ZERO, sign * 40.0 * DVec3::Z)).unwrap();
    }
    let before = world.momenta();
    let mut touched = 0;
    for _ in 0..240 {
        touched += world.step(DT).unwrap().contacts;
    }
    assert!(touched > 240, "they must touch all the time: {touched} points");
    assert!(boxes.iter().all(|id| !world.is_asleep(*id)));
    let after = world.momenta();
    let lost = (after.linear - before.linear).length() / before.linear.length();
    assert!(lost < 1e-12, "lost {lost} of their momentum");
}

/// The same of jointed bodies, and of a heap that collides: all that a closed system has is its momentum, with sleep allowed.
#[test]
fn closed_systems_keep_their_momentum_though_sleep_is_allowed() {
    let mut world = World::new();
    world.gravity = DVec3::ZERO;
    for i in 0..12 {
        let side = if i % 2 == 0 { 1.0 } else { -1.0 };
        let k = f64::from(i);
        let at = DVec3::new(side * (0.3 + 0.02 * k), 0.05 * k, 0.03 * (k % 3.0));
        // they meet slowly, and drift on together
        add(&mut world, cuboid(DVec3::splat(0.2)), Frame::at(at), DVec3::new(0.02 - 0.15 * side, 0.01, 0.0));
    }
    let pair: Vec<SingleId> = [0.0, 0.25]
        .map(|z| {
            add(&mut world, cuboid(DVec3::splat(0.2)), Frame::at(DVec3::new(3.0, 0.0, z)), 0.03 * DVec3::X)
        })
        .to_vec();
    world.join(Ball, pair[0], pair[1], Frame::at(DVec3::new(3.0, 0.0, 0.125))).unwrap();
    let arm = world.add_articulation(chain(3));
    for body in 0..3 {
        world.add_collider((arm, BodyId::new(body)), cuboid(DVec3::new(0.1, 0.1, 0.28))).unwrap();
    }
    world.articulation_mut(arm).unwrap().state.q[..3].copy_from_slice(&[6.0, 0.0, 0.0]);
    world.articulation_mut(arm).unwrap().state.v[3..6].copy_from_slice(&[0.02, 0.0, 0.01]);
    let before = world.momenta().linear;
    let speed: f64 = world.bodies().map(|(_, b)| b.mass() * b.velocity().length()).sum();
    let mut touched = 0;
    for _ in 0..600 {
        let report = world.step(DT).unwrap();
        touched += report.contacts;
        assert_eq!(report.asleep, 0, "at {} s", world.time());
    }
    assert!(touched > 100, "{touched} points");
    let lost = (world.momenta().linear - before).length() / speed;
    assert!(lost < 1e-12, "{lost}");
}

/// A lamp on a chain that leans against a wall is held by the chain, and sleeps; one that hangs free has nothing to wake it, and stays awake.
#[test]
fn what_hangs_from_something_fixed_and_leans_on_a_wall_sleeps() {
    let lamp = |wall: f64| {
        let mut world = World::new();
        let at = Frame::new(DVec3::new(wall, 0.0, -2.0), DQuat::IDENTITY);
        world.add_collider(BodyRef::World, cuboid(DVec3::new(0.1, 2.0, 2.0)).at(at)).unwrap();
        let mut last = BodyRef::World;
        let mut end = None;
        for i in 0..3 {
            let z = -0.25 - 0.5 * f64::from(i);
            let id =
                add(&mut world, cuboid(DVec3::new(0.05, 0.05, 0.45)), Frame::at(z * DVec3::Z), DVec3::ZERO);
            world.join(Ball, last, id, Frame::at((z + 0.25) * DVec3::Z)).unwrap();
            (last, end) = (id.into(), Some(id));
        }
        // friction of its hooks
        world.drag = 3.0;
        run(&mut world, 8.0, DT);
        world.is_asleep(end.unwrap())
    };
    // the wall pushes it aside by a centimetre
    assert!(lamp(0.065), "against the wall");
    assert!(!lamp(0.2), "free");
}

/// A hook that breaks in a step at whose end its box is calm: what held the box is gone by then.
#[test]
fn what_breaks_while_the_body_rests_holds_nothing() {
    let mut world = World::new();
    ground(&mut world);
    let id = add(&mut world, cuboid(DVec3::splat(0.2)), Frame::at(0.1 * DVec3::Z), DVec3::ZERO);
    let hook = Constraint::new(Ball, BodyRef::World, id).parent_frame(Frame::at(0.2 * DVec3::Z));
    world.add(hook.child_frame(Frame::at(0.1 * DVec3::Z)).breaks_at(1e-9, 1e-9)).unwrap();
    run(&mut world, 1.0, DT);
    assert_eq!(world.constraints().count(), 0, "it must have broken");
    assert!(world.is_asleep(id));
}

// --- what topples ---

/// A pole that is turned about an edge of its foot, so far beyond \[rad] the angle at which it balances, at this angular velocity \[rad/s].
fn pole(beyond: f64, omega: f64) -> (World, SingleId) {
    let mut world = World::new();
    ground(&mut world);
    // 2 m high, 4 cm wide
    let angle = f64::atan(0.02) + beyond;
    let turn = DQuat::from_rotation_y(angle);
    let at = Frame::new((angle.cos() + 0.02 * angle.sin()) * DVec3::Z, turn);
    let id = add(&mut world, cuboid(DVec3::new(0.04, 0.04, 2.0)), at, DVec3::ZERO);
    // about the edge on the ground
    let edge = turn * DVec3::new(0.02, 0.0, -1.0);
    world.body_mut(id).unwrap().set_motion((omega * DVec3::Y).cross(-edge), omega * DVec3::Y);
    (world, id)
}

/// A pole whose middle is 3 mrad beyond its foot takes three seconds to fall, and slept upright after half a second.
#[test]
fn a_pole_that_leans_beyond_its_foot_falls() {
    for dt in [1e-3, 1.0 / 240.0, DT] {
        for beyond in [1e-3, 3e-3] {
            let (mut world, id) = pole(beyond, 0.0);
            run(&mut world, 6.0, dt);
            let z = world.frame(id).unwrap().position.z;
            assert!(z < 0.05, "dt {dt} s, {beyond} rad beyond: it is at {z} m");
            assert!(world.is_asleep(id), "dt {dt} s: it lies, and sleeps");
        }
    }
}

/// A box on an edge, so far beyond \[rad] the angle at which it balances, at rest.
fn on_edge(size: DVec3, beyond: f64, gravity: f64) -> (World, SingleId) {
    let mut world = World::new();
    world.gravity = -gravity * DVec3::Z;
    ground(&mut world);
    let turn = DQuat::from_rotation_y(f64::atan2(size.x, size.z) + beyond);
    let edge = turn * DVec3::new(0.5 * size.x, 0.0, -0.5 * size.z);
    let id = add(&mut world, cuboid(size), Frame::new(-edge.z * DVec3::Z, turn), DVec3::ZERO);
    (world, id)
}

/// Falls that began within 0.6 mrad of the balance slept after half a second, hidden by what the first steps had left. What is promised:
/// beyond a fifth of the solver's tolerance per step, over √(g l), a box on its edge falls, and on this side of it it stands up again.
#[test]
fn a_box_just_beyond_its_balance_falls() {
    let sizes = [
        DVec3::new(0.05, 0.3, 2.0),
        DVec3::new(0.2, 0.2, 2.0),
        DVec3::new(0.2, 0.5, 1.0),
        DVec3::new(1.0, 1.0, 10.0),
        DVec3::new(0.02, 0.02, 0.2),
        DVec3::new(0.3, 2.0, 0.05),
    ];
    for size in sizes {
        let half = 0.5 * size.x.hypot(size.z);
        for (gravity, rate) in [(9.81, 60.0), (9.81, 120.0), (9.81, 240.0), (1.62, 60.0), (1.62, 240.0)] {
            let dt: f64 = 1.0 / rate;
            let tolerance = World::new().settings.contact.tolerance;
            let bound = 0.2 * tolerance / (dt.min(1.0 / 120.0) * (gravity * half).sqrt());
            for beyond in [bound, 3.0 * bound, 10.0 * bound, -bound, -3.0 * bound] {
                let (mut world, id) = on_edge(size, beyond, gravity);
                // from there on it goes fast; θ'' = λ² θ
                let rate = (0.75 * gravity / half).sqrt();
                let far = 0.3 * size.x.min(size.z) / half;
                let lean = |world: &World| {
                    let up = world.frame(id).unwrap().rotation * DVec3::Z;
                    up.x.atan2(up.z) - f64::atan2(size.x, size.z)
                };
                while lean(&world).abs() < far && rate * world.time() < 20.0 {
                    world.step(dt).unwrap();
                }
                let (now, asleep) = (lean(&world), world.is_asleep(id));
                let case = format!("{size} m, {gravity} m/s², dt {dt} s, {beyond} rad beyond");
                assert!(now * beyond.signum() > far, "{case}: at {now} rad, asleep {asleep}");
            }
        }
    }
}

/// One that leans less stands up again, and sleeps.
#[test]
fn a_pole_that_leans_on_this_side_of_its_foot_stands_up_and_sleeps() {
    let (mut world, id) = pole(-0.015, 0.0);
    run(&mut world, 4.0, 1.0 / 240.0);
    let z = world.frame(id).unwrap().position.z;
    assert!((z - 1.0).abs() < 1e-3, "{z}");
    assert!(world.is_asleep(id));
}

/// A pole that swings over its highest point is slowest there, and one that does not get so far stands still for a moment before it falls
/// back: both are slow for longer than the calm time, and neither may sleep there.
#[test]
fn a_pole_that_passes_its_slowest_moment_goes_on() {
    // about an edge: θ'' = λ² θ
    let lambda = (0.75f64 * 9.81).sqrt();
    for dt in [1e-3, 1.0 / 240.0, DT] {
        for from in [6e-3, 4e-3] {
            let (mut world, id) = pole(-from, 1.05 * lambda * from);
            run(&mut world, 7.0, dt);
            let z = world.frame(id).unwrap().position.z;
            assert!(z < 0.05, "dt {dt} s, {from} rad before: it is at {z} m");
        }
        // falls back to the far side, as it came
        let (mut world, id) = pole(8e-3, -0.93 * lambda * 8e-3);
        run(&mut world, 7.0, dt);
        let z = world.frame(id).unwrap().position.z;
        assert!(z < 0.05, "dt {dt} s: it is at {z} m");
    }
}

/// Rods on each other, the first of which floats.
fn chain(links: usize) -> Simulation {
    let rod = RigidInertia::solid_box(1.0, DVec3::new(0.1, 0.1, 0.28), DVec3::ZERO);
    let mut builder = ModelBuilder::new();
    for i in 0..links {
        let joint = if i == 0 { Joint::free() } else { Joint::revolute(DVec3::Y) };
        let mut body = Body::new(format!("{i}"), joint).inertia(rod);
        if i > 0 {
            body = body.on(format!("{}", i - 1)).at(Pose::from_xyz(0.0, 0.0, 0.3));
        }
        builder = builder.body(body);
    }
    Simulation::new(builder.finish().unwrap())
}

/// A foot on the ground with upright rods on it, hinged about y.
struct Stand {
    links: usize,
    stiffness: f64,
    damping: f64,
    armature: f64,
    /// Angle of the first hinge at the start \[rad].
    lean: f64,
    detail: Option<Detail>,
}

impl Stand {
    /// In a world with a ground.
    fn world(&self) -> (World, ArticulationId) {
        const ROD: f64 = 0.4;
        let inertia = |size: DVec3, at: f64| RigidInertia::solid_box(2.0, size, at * DVec3::Z);
        let foot = DVec3::new(0.4, 0.3, 0.1);
        let rod = DVec3::new(0.06, 0.06, ROD);
        let mut builder =
            ModelBuilder::new().body(Body::new("foot", Joint::free()).inertia(inertia(foot, 0.0)));
        for i in 0..self.links {
            let hinge = Joint::revolute(DVec3::Y)
                .stiffness(self.stiffness)
                .damping(self.damping)
                .armature(self.armature);
            let (on, z) = if i == 0 { ("foot".to_string(), 0.05) } else { (format!("{}", i - 1), ROD) };
            let body = Body::new(format!("{i}"), hinge).inertia(inertia(rod, 0.5 * ROD));
            builder = builder.body(body.on(on).at(Pose::from_xyz(0.0, 0.0, z)));
        }
        let mut simulation = Simulation::new(builder.finish().unwrap());
        // comes down first
        simulation.state.q[2] = 0.055;
        simulation.state.q[7] = self.lean;
        if let Some(detail) = &self.detail {
            simulation.set_detail(detail.clone()).unwrap();
        }
        let mut world = World::new();
        ground(&mut world);
        let id = world.add_articulation(simulation);
        world.add_collider((id, BodyId::new(0)), cuboid(foot)).unwrap();
        for i in 0..self.links {
            let shape = cuboid(DVec3::new(0.06, 0.06, 0.9 * ROD)).at(Frame::at(0.5 * ROD * DVec3::Z));
            world.add_collider((id, BodyId::new(i + 1)), shape).unwrap();
        }
        (world, id)
    }

    /// Height of the highest link's frame after so many seconds \[m], and whether it sleeps.
    fn after(&self, seconds: f64, dt: f64) -> (f64, bool) {
        let (mut world, id) = self.world();
        run(&mut world, seconds, dt);
        let top = BodyRef::Of(id, BodyId::new(self.links));
        (world.frame(top).unwrap().position.z, world.is_asleep(top))
    }
}

/// Legs without muscles, as of gymnasium's hopper: upright they balance, but not for long. They slept as they stood.
#[test]
fn limp_legs_on_a_foot_collapse() {
    for (links, lean, seconds) in [(1, 1e-3, 6.0), (3, 1e-3, 6.0), (3, 1e-5, 9.0)] {
        for dt in [1.0 / 500.0, DT] {
            let legs = Stand { links, stiffness: 0.0, damping: 1.0, armature: 1.0, lean, detail: None };
            let (z, _) = legs.after(seconds, dt);
            let upright = 0.1 + 0.4 * (links - 1) as f64;
            let fell = if links == 1 { legs.fell(seconds, dt) } else { z < 0.8 * upright };
            assert!(fell, "{links} links, {lean} rad, dt {dt} s: the top is at {z} m");
        }
    }
}

impl Stand {
    /// Whether its first hinge has turned by more than a radian.
    fn fell(&self, seconds: f64, dt: f64) -> bool {
        let (mut world, id) = self.world();
        run(&mut world, seconds, dt);
        world.articulation(id).unwrap().state.q[7].abs() > 1.0
    }
}

/// Springs that are a little weaker than the weight on them buckle, slowly; stronger ones hold, and what they hold sleeps.
#[test]
fn weak_springs_buckle_and_strong_ones_rest() {
    // one rod of 2 kg on a hinge needs m g l / 2 = 3.92 N·m/rad
    let weak = Stand { links: 1, stiffness: 3.0, damping: 0.5, armature: 0.0, lean: 2e-3, detail: None };
    assert!(weak.fell(12.0, 1.0 / 240.0), "3 N·m/rad");
    let four = Stand { links: 4, stiffness: 30.0, damping: 1.0, armature: 0.0, lean: 1e-3, detail: None };
    let (z, _) = four.after(8.0, 1.0 / 240.0);
    assert!(z < 1.1, "four rods on 30 N·m/rad: {z} m");
    for stiffness in [60.0, 2000.0] {
        let strong = Stand { links: 1, stiffness, damping: 0.5, armature: 0.0, lean: 2e-3, detail: None };
        let (_, asleep) = strong.after(4.0, 1.0 / 240.0);
        assert!(asleep && !strong.fell(4.0, 1.0 / 240.0), "{stiffness} N·m/rad");
    }
}

/// With some joints at rest inside the body what topples topples, and what stands sleeps.
#[test]
fn what_topples_at_reduced_detail_does_not_sleep() {
    for joints in [2, 3] {
        let detail = || Some(Detail::joints(joints));
        let limp =
            Stand { links: 3, stiffness: 0.0, damping: 1.0, armature: 1.0, lean: 1e-2, detail: detail() };
        let (z, _) = limp.after(6.0, 1.0 / 240.0);
        assert!(z < 0.7, "{joints} joints: the top is at {z} m");
        let firm =
            Stand { links: 3, stiffness: 900.0, damping: 10.0, armature: 0.1, lean: 1e-2, detail: detail() };
        let (z, asleep) = firm.after(4.0, 1.0 / 240.0);
        assert!(z > 0.89 && asleep, "{joints} joints: the top is at {z} m");
    }
}

// --- when ---

/// How long it takes until all sleep \[s].
fn asleep_after(world: &mut World, seconds: f64, dt: f64) -> f64 {
    while world.time() < seconds {
        let report = world.step(dt).unwrap();
        if report.awake == 0 {
            return world.time();
        }
    }
    f64::INFINITY
}

/// What rests sleeps when it has been calm for half a second, whatever its size, its weight and the length of the steps.
#[test]
fn what_rests_sleeps_after_the_calm_time() {
    for (size, gravity, dt) in [
        (0.2, 9.81, DT),
        (0.2, 9.81, 1e-3),
        (2e-3, 9.81, DT),
        (2e-2, 9.81, 1.0 / 240.0),
        (5.0, 9.81, DT),
        (0.2, 1.62, DT),
        (0.2, 0.05, DT),
    ] {
        let mut world = World::new();
        world.gravity = -gravity * DVec3::Z;
        ground(&mut world);
        for i in 0..3 {
            let at = Frame::at(size * (0.5 + f64::from(i)) * DVec3::Z);
            add(&mut world, cuboid(DVec3::splat(size)), at, DVec3::ZERO);
        }
        let time = asleep_after(&mut world, 2.0, dt);
        assert!((0.499..0.66).contains(&time), "size {size} m, {gravity} m/s², dt {dt} s: {time} s");
    }
}

/// Every constraint on an articulation counted its calm time once more: with twelve ends it slept twelve times too early.
#[test]
fn couplings_do_not_shorten_the_calm_time() {
    let mut world = World::new();
    ground(&mut world);
    let mut simulation = chain(7);
    // lies on its side
    simulation.state.q[..3].copy_from_slice(&[0.0, 0.0, 0.05]);
    simulation.state.q[3..7].copy_from_slice(&DQuat::from_rotation_y(0.5 * std::f64::consts::PI).to_array());
    let arm = world.add_articulation(simulation);
    for body in 0..7 {
        world.add_collider((arm, BodyId::new(body)), cuboid(DVec3::new(0.1, 0.1, 0.28))).unwrap();
    }
    for dof in 0..5 {
        let [leader, follower] = [6 + dof, 7 + dof].map(|dof| DofRef { articulation: arm, dof });
        let coupling = Coupling {
            name: "c".into(),
            follower,
            leader: Some(leader),
            offset: 0.0,
            coefficients: vec![1.0],
        };
        world.couple(coupling).unwrap();
    }
    let time = asleep_after(&mut world, 2.0, 1e-3);
    assert!((0.499..0.76).contains(&time), "{time} s");
}

/// A kinematic body that stands still holds what sleeps; when it is led, what is joined to it goes along.
#[test]
fn what_hangs_on_a_hand_that_is_led_wakes() {
    let mut world = World::new();
    ground(&mut world);
    let brick = add(&mut world, cuboid(DVec3::splat(0.2)), Frame::at(0.1 * DVec3::Z), DVec3::ZERO);
    let hand = world.add_body(SingleBody::kinematic("hand").at(Frame::at(0.2 * DVec3::Z))).unwrap();
    let sides = [Frame::IDENTITY, Frame::at(0.1 * DVec3::Z)];
    world.add(Constraint::new(Ball, hand, brick).parent_frame(sides[0]).child_frame(sides[1])).unwrap();
    let time = asleep_after(&mut world, 2.0, DT);
    assert!(time < 1.0, "{time} s");
    let start = world.time();
    while world.time() < start + 1.0 {
        world.move_to(hand, Frame::at((0.2 + 0.5 * (world.time() - start)) * DVec3::Z)).unwrap();
        world.step(DT).unwrap();
    }
    let height = world.body(brick).unwrap().centre().z;
    assert!(height > 0.5, "at {height} m");
}
