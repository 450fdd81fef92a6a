//! Random articulations that touch themselves and the ground, with springs of periods far below a step, stops and dampers, in steps of all
//! lengths, at any detail: no energy comes from nowhere, and what floats keeps its momenta.
//!
//! `SUPPLE_WORLDS` sets how many, `SUPPLE_FIRST` the first seed, `SUPPLE_STEPS` how many steps of each, `SUPPLE_VERBOSE` tells of every world.

mod common;

use common::Rng;
use common::survey::{Bar, Survey, bar, not_yet, number, survey, verbose};
use glam::DVec3;
use supple::constraint::Frame;
use supple::contact::{Collider, Shape};
use supple::detail::Detail;
use supple::dynamics::integrate::position;
use supple::model::{Limit, LinkJoint};
use supple::world::{BodyRef, World};
use supple::{Body, BodyId, Joint, JointKind, ModelBuilder, Pose, RigidInertia, Simulation};

/// Energy beyond that of the start, as a share of it, where nothing overlaps at the start and there is no weight. In contact the energy that
/// no step raises is that of velocities and of the pose to which they lead (`bodies/articulated/ledger.rs`), before and after that the one
/// of the state: so the lesser of both is at most that of the start, but for what sweeps that are cut off leave (2 %,
/// `contact/solver/gains.rs`) and what a tree that turns with its joints locked is off at half a radian per step (1 %,
/// `dynamics/integrate/projection.rs`).
const MOST: f64 = 0.03;
/// Momenta stay to this share of `mass · (1 m/s)` and of what there is.
const MOMENTA: f64 = 1e-9;
/// Deeper than this, colliders overlap at the start \[m].
const OVERLAP: f64 = 2e-4;
/// Steps of each world.
const STEPS: u64 = 120;

/// Worlds that once gained from a fifth to 10²⁷ times their energy, and are tried always: contacts of a step of one length, or of other joints, met
/// in another, forces of contacts taken for loads, floating trees folded farther than their energy went. 3177 and 4007 lost their momenta too.
const GAINED: [u64; 16] =
    [103, 537, 668, 818, 2587, 2674, 2983, 3177, 3592, 3772, 4007, 4229, 5217, 7045, 8293, 9701];

/// A world, and how it is stepped.
struct Case {
    world: World,
    /// \[s]
    dt: f64,
    overlaps: bool,
    /// Whether nothing from outside pushes it.
    isolated: bool,
    /// What it has, for who looks for the cause.
    what: String,
}

/// A joint of any kind; every third root floats.
fn joint(rng: &mut Rng, root: bool) -> Joint {
    if root && rng.chance(0.4) {
        return Joint::free();
    }
    let axis = rng.axis().normalize();
    match rng.below(10) {
        0 | 1 => Joint::spherical(),
        2 => Joint::new(JointKind::Universal { axes: [axis, axis.any_orthonormal_vector()] }),
        3 => Joint::prismatic(axis),
        4 => Joint::new(JointKind::Cylindrical { axis }),
        5 => Joint::new(JointKind::Planar { normal: axis }),
        6 => Joint::new(JointKind::Helical { axis, pitch: rng.range(-0.1, 0.1) }),
        7 if !root => Joint::fixed(),
        8 => Joint::revolute(DVec3::Y),
        _ => Joint::revolute(axis),
    }
}

/// What the joints of a world have besides geometry.
struct Passive {
    stiffness: f64,
    damping: f64,
    stop: Option<Limit>,
}

impl Passive {
    fn new(rng: &mut Rng) -> Self {
        let stiffness = if rng.chance(0.6) { rng.decades(1.0, 1e5) } else { 0.0 };
        let damping = if rng.chance(0.2) { rng.decades(1e-3, 1.0) } else { 0.0 };
        let stop = rng.chance(0.3).then(|| {
            let at = rng.range(0.2, 2.0);
            let damping = if rng.chance(0.5) { None } else { Some(0.0) };
            Limit { lower: -at, upper: at, stiffness: Some(rng.decades(1.0, 1e5)), damping }
        });
        Self { stiffness, damping, stop }
    }

    fn put_on(&self, rng: &mut Rng, joint: Joint) -> Joint {
        if joint.kind == JointKind::Free {
            return joint;
        }
        let stiffness = if rng.chance(0.8) { self.stiffness } else { 0.0 };
        let mut joint = joint.stiffness(stiffness).damping(self.damping);
        // of a rotation one limit bounds the angle
        let bounded = if joint.kind == JointKind::Spherical { 1 } else { joint.dofs.len() };
        for dof in &mut joint.dofs[..bounded] {
            dof.limit = self.stop;
        }
        joint
    }
}

/// A shape along a link, and where.
fn shape(rng: &mut Rng, length: f64, radius: f64) -> (Shape, Frame) {
    let middle = Frame::at(0.5 * length * DVec3::X);
    match rng.below(4) {
        0 | 1 => (Shape::capsule(DVec3::ZERO, length * DVec3::X, radius).unwrap(), Frame::IDENTITY),
        2 => (Shape::sphere(2.0 * radius).unwrap(), Frame::at(rng.unit() * length * DVec3::X)),
        _ => (Shape::cuboid(DVec3::new(length, 2.0 * radius, 2.0 * radius)).unwrap(), middle),
    }
}

/// Joints anywhere within `bend` \[rad], and speeds of `turn` \[rad] per step.
fn start(rng: &mut Rng, simulation: &mut Simulation, length: f64, bend: f64, turn: f64, dt: f64) {
    let model = simulation.model.clone();
    let mut way = vec![0.0; model.nv()];
    for link in &model.tree().links {
        let slides = |at: usize| link.joint == LinkJoint::Prismatic || link.floats() && at >= 3;
        for (at, dof) in link.dofs().enumerate() {
            if !link.floats() {
                way[dof] = rng.range(-1.0, 1.0) * bend;
            }
            simulation.state.v[dof] =
                rng.range(-1.0, 1.0) * turn / dt * if slides(at) { length } else { 1.0 };
        }
    }
    position::advance_in_place(model.tree(), &mut simulation.state.q, &way, 1.0);
}

impl Case {
    fn new(seed: u64) -> Self {
        let rng = &mut Rng::new(seed, 0);
        let links = 2 + rng.below(5);
        let dt = [1e-3, 1.0 / 240.0, 1.0 / 120.0, 1.0 / 60.0][rng.below(4)];
        let weight = rng.chance(0.2);
        let bend = if rng.chance(0.7) { rng.range(0.1, 3.0) } else { 0.02 };
        let turn = rng.decades(1e-3, 0.3);
        let length = rng.decades(0.1, 0.5);
        let passive = Passive::new(rng);
        let (mut builder, mut shapes, mut kinds) = (ModelBuilder::new(), Vec::new(), String::new());
        for i in 0..links {
            let bare = joint(rng, i == 0);
            let joint = passive.put_on(rng, bare);
            kinds += format!("{:?} ", joint.kind).split('{').next().unwrap_or_default();
            let radius = length * rng.decades(0.07, 0.3);
            let mass = rng.decades(0.3, 3.0);
            let inertia = RigidInertia::solid_capsule(mass, DVec3::ZERO, length * DVec3::X, radius);
            if rng.chance(0.9) {
                shapes.push((i, shape(rng, length, radius)));
            }
            let mut body = Body::new(format!("{i}"), joint).inertia(inertia);
            if i > 0 {
                let parent = if rng.chance(0.8) { i - 1 } else { rng.below(i) };
                body = body.on(format!("{parent}")).at(Pose::from_xyz(length, 0.0, 0.0));
            }
            builder.add(body);
        }
        let mut simulation = Simulation::new(builder.finish().unwrap());
        start(rng, &mut simulation, length, bend, turn, dt);
        let (model, speed) = (simulation.model.clone(), turn / dt);
        let moving = model.tree().links.iter().filter(|link| !link.floats()).count();
        let mut detail = match rng.below(4) {
            0 => Detail::default(),
            1 | 2 => Detail::joints(1 + rng.below(moving.max(1)).min(moving.saturating_sub(1))),
            _ => Detail::error(
                (rng.decades(1e-3, 1e-1) * speed / dt).powi(2),
                (rng.decades(1e-2, 1.0) * speed).powi(2),
            ),
        };
        detail.update_every = [1, 2, 8][rng.below(3)];
        let told = format!("{:?} every {}", detail.target, detail.update_every);
        // of what floats with fixed joints alone there is no joint to choose
        simulation.set_detail(detail).or_else(|_| simulation.set_detail(Detail::default())).unwrap();

        let mut world = World::new();
        world.gravity = if weight { DVec3::NEG_Z * 9.81 } else { DVec3::ZERO };
        // what sleeps has no momenta
        world.settings.contact.sleep = false;
        let friction = if rng.chance(0.5) { 0.0 } else { rng.unit() };
        let restitution = if rng.chance(0.2) { rng.unit() } else { 0.0 };
        let of = |(shape, frame): (Shape, Frame)| {
            Collider::new(shape).at(frame).friction(friction).restitution(restitution)
        };
        let grounded = rng.chance(0.4);
        if grounded {
            let kinematics = simulation.kinematics();
            let ends = (0..links).flat_map(|i| {
                let pose = simulation.body_pose(&kinematics, BodyId::new(i));
                [pose.translation.z, (pose.translation + pose.rotation * (length * DVec3::X)).z]
            });
            let height = ends.fold(f64::INFINITY, f64::min) - length * rng.range(0.04, 0.5);
            let ground = of((Shape::half_space(), Frame::at(height * DVec3::Z)));
            world.add_collider(BodyRef::World, ground).unwrap();
        }
        let floats = model.tree().links.iter().all(|link| link.parent.is_some() || link.floats());
        let id = world.add_articulation(simulation);
        for (i, shape) in shapes {
            world.add_collider((id, BodyId::new(i)), of(shape)).unwrap();
        }
        // a step so short that nothing moves tells how deep they are
        let overlaps = world.clone().step(1e-7).unwrap().penetration_max > OVERLAP;
        let what = format!(
            "{kinds}of {length:.2} m, {:.3} N m/rad, {:.3} N m s/rad, stop {:?}, 1/{:.0} s, {turn:.1e} rad per step, {told}, weight {weight}, ground {grounded}, friction {friction:.2}, restitution {restitution:.2}, overlaps {overlaps}",
            passive.stiffness,
            passive.damping,
            passive.stop.map(|stop| (stop.upper, stop.stiffness)),
            1.0 / dt
        );
        Self { world, dt, overlaps, isolated: floats && !grounded && !weight, what }
    }

    fn simulation(&self) -> &Simulation {
        self.world.articulations().next().expect("one articulation").1
    }

    /// Energy of velocities and of the pose, or of the one to which they lead in a part of a step \[J], whichever is less.
    fn energy(&self, part: f64) -> f64 {
        let energy = self.world.energy();
        let mut then = self.simulation().clone();
        let here = then.energy().potential;
        let model = then.model.clone();
        position::advance_in_place(model.tree(), &mut then.state.q, &self.simulation().state.v, part);
        energy.total() + (then.energy().potential - here).min(0.0)
    }

    fn class(&self) -> &'static str {
        let full = self.simulation().detail().is_full();
        match (self.world.gravity == DVec3::ZERO, full, self.overlaps) {
            (true, true, false) => "all joints",
            (true, false, false) => "some joints",
            (true, true, true) => "all joints, overlapping",
            (true, false, true) => "some joints, overlapping",
            (false, _, false) => "with weight",
            (false, _, true) => "with weight, overlapping",
        }
    }
}

fn watch(seed: u64, steps: u64) -> Survey {
    let mut it = Case::new(seed);
    let mut found = Survey::default();
    let (start, class, momenta) = (it.world.energy().total(), it.class(), it.world.momenta());
    let mass = it.simulation().momentum().mass;
    // with weight, energy is relative to a fall of a metre too
    let scale = {
        let mut bare = it.world.clone();
        bare.gravity = DVec3::ZERO;
        bare.energy().total() + mass * it.world.gravity.length()
    };
    let (mut most, mut off, mut touches) = (0.0f64, 0.0f64, false);
    for step in 0..steps {
        let report = it.world.step(it.dt).unwrap();
        touches |= report.contacts > 0;
        let gain = (it.energy(it.dt / f64::from(report.substeps)) - start) / scale;
        if gain > most && gain > MOST && verbose() {
            println!("{seed}, step {step}: {gain:.3} of {scale:.3} J more");
        }
        most = most.max(gain);
        if it.isolated {
            let now = it.world.momenta();
            let size = mass + momenta.linear.length() + momenta.angular.length();
            let change = (now.linear - momenta.linear).length() + (now.angular - momenta.angular).length();
            off = off.max(change / size);
        }
    }
    if !touches {
        found.count("nothing touches", 1);
        return found;
    }
    found.note(class, most, seed);
    if it.isolated {
        found.note("momenta", off, seed);
    }
    if most > MOST {
        println!("{seed}: {most:.3} of {scale:.3} J, {}", it.what);
    }
    found
}

/// What is watched.
const BARS: [Bar; 5] = [
    bar("all joints", MOST),
    bar("some joints", MOST),
    not_yet("all joints, overlapping", MOST, 30.0),
    not_yet("some joints, overlapping", MOST, 20.0),
    bar("momenta", MOMENTA),
];

#[test]
fn no_energy_comes_from_nowhere() {
    let steps = number("SUPPLE_STEPS", STEPS);
    survey(1500, &GAINED, |seed| watch(seed, steps)).check(&BARS);
}
