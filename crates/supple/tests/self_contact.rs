//! Articulations whose own colliders overlap: they are moved apart as far as that takes no energy, and keep their momenta.

use glam::DVec3;
use supple::constraint::Frame;
use supple::contact::{Collider, Shape};
use supple::detail::Detail;
use supple::world::{ArticulationId, BodyRef, ColliderId, Event, SingleBody, World, WorldError};
use supple::{Actuator, Body, BodyId, Joint, ModelBuilder, Pose, RigidInertia, Simulation};

const DT: f64 = 1.0 / 60.0;

/// Energy may rise above that of the start by this share of it where joints store none in springs: stops that are met within a step, and
/// rounding.
const SHARE: f64 = 0.03;
/// The same where springs do, or servos, some with periods of less than a step: between steps what a spring gave in the last one is in the
/// velocities, and is paid for by the pose when that goes on (`bodies/articulated/ledger.rs`). Without that ledger it adds up, to 40 times the start.
const SPRUNG: f64 = 2.0;
/// And by this \[J], where there is none.
const NOTHING: f64 = 1e-6;
/// Momenta stay to this share of `mass · (1 m/s)` and of what there is.
const MOMENTA: f64 = 1e-9;

/// What is watched of an isolated articulation.
struct Watched {
    world: World,
    id: ArticulationId,
    energy: f64,
    linear: DVec3,
    angular: DVec3,
    floats: bool,
    /// By which share energy may rise.
    share: f64,
}

impl Watched {
    fn new(mut world: World, id: ArticulationId, floats: bool) -> Self {
        world.gravity = DVec3::ZERO;
        // what sleeps has no momenta
        world.settings.contact.sleep = false;
        let momenta = world.momenta();
        let energy = energy(&world, id);
        let (linear, angular) = (momenta.linear, momenta.angular);
        Self { id, energy, linear, angular, floats, share: SHARE, world }
    }

    /// Steps, and looks at energy and momenta after each. The greatest kinetic energy \[J].
    #[track_caller]
    fn run(&mut self, what: &str, steps: u32) -> f64 {
        let (mut most, mut gain, mut off) = (0.0f64, 0.0f64, 0.0f64);
        let mass = self.world.articulation(self.id).unwrap().momentum().mass;
        let scale = mass + self.linear.length() + self.angular.length();
        for _ in 0..steps {
            self.world.step(DT).unwrap();
            gain = gain.max(energy(&self.world, self.id) - self.energy);
            most = most.max(self.world.energy().kinetic);
            if self.floats {
                let momenta = self.world.momenta();
                off = off.max((momenta.linear - self.linear).length() / scale);
                off = off.max((momenta.angular - self.angular).length() / scale);
            }
        }
        println!("{what}: {gain:.2e} J more than {:.2e} J, momenta {off:.1e}", self.energy);
        assert!(gain <= self.share * self.energy + NOTHING, "{what}: {gain} J more than {} J", self.energy);
        assert!(off <= MOMENTA, "{what}: momenta are off by {off}");
        most
    }
}

/// Kinetic and potential energy, with what position servos store \[J].
fn energy(world: &World, id: ArticulationId) -> f64 {
    let simulation = world.articulation(id).unwrap();
    let servo = |a: &Actuator| {
        let off = simulation.state.q[simulation.model.joints()[a.joint.index()].q] - a.control;
        0.5 * a.stiffness * off * off
    };
    world.energy().total() + simulation.actuators.iter().map(servo).sum::<f64>()
}

fn put(world: &mut World, id: ArticulationId, body: usize, shape: Shape) {
    world.add_collider((id, BodyId::new(body)), Collider::new(shape)).unwrap();
}

/// Three balls in a row on hinges, of which the first and the last overlap and cannot part.
fn three_balls(root: Joint, hinge: impl Fn() -> Joint) -> Simulation {
    let ball = RigidInertia::solid_sphere(1.0, 0.1, DVec3::ZERO);
    let middle = RigidInertia::solid_sphere(1.0, 0.1, DVec3::X * 0.05);
    let model = ModelBuilder::new()
        .body(Body::new("a", root).inertia(ball))
        .body(Body::new("b", hinge()).on("a").at(Pose::from_xyz(0.05, 0.0, 0.0)).inertia(middle))
        .body(Body::new("c", hinge()).on("b").at(Pose::from_xyz(0.1, 0.0, 0.0)).inertia(ball))
        .finish()
        .unwrap();
    let mut simulation = Simulation::new(model);
    let first = simulation.state.q.len() - 2;
    simulation.state.q[first..].copy_from_slice(&[0.2, 0.15]);
    simulation
}

fn balls_in(simulation: Simulation, floats: bool) -> Watched {
    let mut world = World::new();
    let id = world.add_articulation(simulation);
    put(&mut world, id, 0, Shape::sphere(0.1).unwrap());
    put(&mut world, id, 2, Shape::sphere(0.1).unwrap());
    Watched::new(world, id, floats)
}

/// Stops held what was moved apart against them, a little deeper every step: from 0 J to 1.5 MJ and 120 N·s within 5 s.
#[test]
fn three_balls_between_stops_stay_at_rest() {
    let mut it = balls_in(three_balls(Joint::free(), || Joint::revolute(DVec3::Y).limits(-0.3, 0.3)), true);
    let fastest = it.run("stops", 300);
    assert!(fastest < 1e-6, "{fastest} J");
}

/// The same with springs and with servos, afloat and fixed, at rest and in motion, at any detail.
#[test]
fn what_joints_store_is_never_more_than_there_was() {
    type Store = (&'static str, fn() -> Joint, f64);
    let stores: [Store; 5] = [
        ("bare", || Joint::revolute(DVec3::Y), 0.0),
        ("stops", || Joint::revolute(DVec3::Y).limits(-0.3, 0.3), 0.0),
        ("springs", || Joint::revolute(DVec3::Y).stiffness(20.0), 0.0),
        (
            "damped springs and stops",
            || Joint::revolute(DVec3::Y).stiffness(5.0).damping(0.1).limits(-0.3, 0.25),
            0.0,
        ),
        ("servos", || Joint::revolute(DVec3::Y), 30.0),
    ];
    for (what, hinge, kp) in stores {
        let sprung = !["bare", "stops"].contains(&what);
        for floats in [true, false] {
            for rate in [0.0, 0.5, 3.0] {
                for detail in [Detail::default(), Detail::joints(1), Detail::joints(2)] {
                    let root = if floats { Joint::free() } else { Joint::revolute(DVec3::Z) };
                    let mut simulation = three_balls(root, hinge);
                    let nv = simulation.state.v.len();
                    simulation.state.v[nv - 2..].copy_from_slice(&[rate, -0.5 * rate]);
                    simulation.state.v[0] = rate;
                    for name in ["b", "c"] {
                        if kp > 0.0 {
                            let joint = simulation.model.joint(name).unwrap();
                            simulation.actuators.push(Actuator::position(joint, kp, 0.02 * kp));
                        }
                    }
                    let label = format!("{what}, floats {floats}, {rate} rad/s, {:?}", detail.target);
                    simulation.set_detail(detail).unwrap();
                    let mut it = balls_in(simulation, floats);
                    it.share = if sprung { SPRUNG } else { SHARE };
                    it.run(&label, 200);
                }
            }
        }
    }
}

/// Pelvis, abdomen, thorax, neck and head, a spherical joint between the first two, of which pelvis and thorax, thorax and head overlap by
/// what `deep` \[m] says.
fn trunk(floats: bool, stiffness: f64, deep: f64) -> Watched {
    let part =
        |mass: f64, half: f64| RigidInertia::solid_capsule(mass, -half * DVec3::Y, half * DVec3::Y, 0.1);
    let hinge = |axis: DVec3| Joint::revolute(axis).limits(-0.2, 0.3).stiffness(stiffness);
    let on = |name: &str, joint: Joint, on: &str, z: f64, inertia: RigidInertia| {
        Body::new(name, joint).on(on).at(Pose::from_xyz(0.0, 0.0, z)).inertia(inertia)
    };
    let root = if floats { Joint::free() } else { Joint::revolute(DVec3::Y) };
    let apart = 0.2 - deep;
    let model = ModelBuilder::new()
        .body(Body::new("pelvis", root).inertia(part(10.0, 0.08)))
        .body(on("abdomen", Joint::spherical().stiffness(stiffness), "pelvis", 0.5 * apart, part(5.0, 0.06)))
        .body(on("thorax", hinge(DVec3::X), "abdomen", 0.5 * apart, part(20.0, 0.1)))
        .body(on("neck", hinge(DVec3::Y), "thorax", 0.5 * apart, part(1.0, 0.01)))
        .body(on("head", hinge(DVec3::X), "neck", 0.5 * apart, part(5.0, 0.02)))
        .finish()
        .unwrap();
    let mut simulation = Simulation::new(model);
    for (i, v) in simulation.state.v.iter_mut().enumerate() {
        *v = 0.3 * (i as f64 - 3.0) / (i as f64 + 1.0);
    }
    for (i, q) in simulation.state.q.iter_mut().rev().take(3).enumerate() {
        *q = 0.1 * (i as f64 - 1.0);
    }
    let mut world = World::new();
    let id = world.add_articulation(simulation);
    for (body, half) in [(0, 0.08), (2, 0.1), (4, 0.02)] {
        put(&mut world, id, body, Shape::capsule(-half * DVec3::Y, half * DVec3::Y, 0.1).unwrap());
    }
    Watched::new(world, id, floats)
}

/// Pelvis and thorax, thorax and head: grandparent and grandchild.
#[test]
fn a_trunk_that_overlaps_keeps_energy_and_momenta() {
    for floats in [true, false] {
        for stiffness in [0.0, 10.0, 1000.0] {
            for deep in [0.005, 0.05, 0.12] {
                for detail in [Detail::default(), Detail::joints(2)] {
                    let mut it = trunk(floats, stiffness, deep);
                    let label =
                        format!("floats {floats}, {stiffness} N·m/rad, {deep} m, {:?}", detail.target);
                    it.world.articulation_mut(it.id).unwrap().set_detail(detail).unwrap();
                    it.share = if stiffness > 0.0 { SPRUNG } else { SHARE };
                    it.run(&label, 200);
                }
            }
        }
    }
}

/// Five balls in a row on hinges, afloat, and one that floats for itself, all of them overlapping their neighbours. The root of the model is but
/// the frame in which they are.
fn chain_and_ball() -> (World, ArticulationId) {
    let ball = RigidInertia::solid_sphere(1.0, 0.1, DVec3::ZERO);
    let mut builder = ModelBuilder::new().body(Body::new("frame", Joint::fixed()));
    for i in 0..5 {
        let joint = if i == 0 { Joint::free() } else { Joint::revolute(DVec3::Y) };
        let on = if i == 0 { "frame".to_owned() } else { format!("{}", i - 1) };
        let at = Pose::from_xyz(if i == 0 { 0.0 } else { 0.09 }, 0.0, 0.0);
        builder = builder.body(Body::new(format!("{i}"), joint).on(on).at(at).inertia(ball));
    }
    let free = Body::new("free", Joint::free()).on("frame").inertia(ball);
    let mut simulation = Simulation::new(builder.body(free).finish().unwrap());
    // the one that floats for itself is between the first two
    let at = simulation.model.joints()[simulation.model.joints().len() - 1].q;
    simulation.state.q[at + 1] = 0.1;
    let mut world = World::new();
    world.gravity = DVec3::ZERO;
    let id = world.add_articulation(simulation);
    for body in 1..7 {
        put(&mut world, id, body, Shape::sphere(0.1).unwrap());
    }
    (world, id)
}

#[test]
fn overlaps_of_one_tree_are_ignored_and_told() {
    let (mut world, id) = chain_and_ball();
    let of = |pair: [BodyId; 2]| pair.map(BodyId::index);
    // a joint joins every one with the next
    let ignored = world.ignore_overlaps(id, None).unwrap();
    assert_eq!(ignored.iter().map(|o| of(o.bodies)).collect::<Vec<_>>(), [[1, 3], [2, 4], [3, 5]]);
    assert!(ignored.iter().all(|o| (o.depth - 0.02).abs() < 1e-9), "{ignored:?}");
    let all = world.overlaps(id, None).unwrap();
    assert_eq!(all.len(), 7, "{all:?}");
    let known: Vec<_> = world.ignored().collect();
    assert_eq!(known.len(), 3);
    assert!(world.ignore_overlaps(id, None).unwrap().is_empty());
    // less deep than what was asked for
    let (mut other, id) = chain_and_ball();
    assert!(other.ignore_overlaps(id, Some(0.03)).unwrap().is_empty());
    assert!(other.ignore_overlaps(id, Some(0.0)).unwrap().len() == 3);
    // the free one is pushed away
    let start = world.frame((id, BodyId::new(6))).unwrap().position;
    for _ in 0..30 {
        world.step(DT).unwrap();
    }
    assert!(world.frame((id, BodyId::new(6))).unwrap().position.distance(start) > 0.01);
}

#[test]
fn a_tree_may_be_told_not_to_touch_itself() {
    let (mut world, id) = chain_and_ball();
    let pairs = world.ignore_within(id).unwrap();
    assert_eq!(pairs.len(), 10);
    assert!(pairs.iter().flatten().all(|body| body.index() < 6));
    assert!(world.ignore_within(id).unwrap().is_empty());
    assert!(world.overlaps(id, None).unwrap().len() == 7, "they overlap as before");
}

#[test]
fn ids_that_are_gone_and_depths_that_cannot_be_are_errors() {
    let (mut world, id) = chain_and_ball();
    let error = world.ignore_overlaps(id, Some(f64::NAN)).unwrap_err().to_string();
    assert!(error.contains("depth [m]") && error.contains("NaN"), "{error}");
    assert!(world.ignore_overlaps(id, Some(-1.0)).is_err());
    world.remove_articulation(id).unwrap();
    let gone = |error: WorldError| error.to_string().contains("articulation 0 is not in the world");
    assert!(gone(world.ignore_overlaps(id, None).unwrap_err()));
    assert!(gone(world.overlaps(id, None).unwrap_err()));
    assert!(gone(world.ignore_within(id).unwrap_err()));
}

/// What starts inside is told once, by the first step that sees it; what only touches is not.
#[test]
fn what_starts_inside_is_told_once() {
    let (mut world, _) = chain_and_ball();
    let floor = world.add_collider(BodyRef::World, Collider::new(Shape::half_space())).unwrap();
    let inside = |world: &World| -> Vec<(ColliderId, ColliderId, f64)> {
        let told = |event: &Event| match *event {
            Event::StartsInside { a, b, depth } => Some((a, b, depth)),
            _ => None,
        };
        world.events().iter().filter_map(told).collect()
    };
    world.refresh();
    world.step(DT).unwrap();
    let found = inside(&world);
    // three pairs two apart, the free ball in the first two, and all six in the floor
    assert_eq!(found.len(), 3 + 2 + 6, "{found:?}");
    assert_eq!(found.iter().filter(|(a, b, _)| [*a, *b].contains(&floor)).count(), 6);
    assert!(found.iter().all(|(.., depth)| *depth > 0.001 && *depth < 0.11), "{found:?}");
    for _ in 0..3 {
        world.step(DT).unwrap();
        assert!(inside(&world).is_empty());
    }
    // one that is put on the floor with a rounded number
    let ball = SingleBody::new("ball", RigidInertia::solid_sphere(1.0, 0.1, DVec3::ZERO));
    let ball = world.add_body(ball.at(Frame::at(DVec3::new(5.0, 0.0, 0.0999)))).unwrap();
    world.add_collider(ball, Collider::new(Shape::sphere(0.1).unwrap())).unwrap();
    world.step(DT).unwrap();
    assert!(inside(&world).is_empty());
}
