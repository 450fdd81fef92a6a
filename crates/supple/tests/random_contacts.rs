//! Random worlds that touch: degenerate and huge shapes, bodies inside each other, mass ratios to 10⁶, contradicting constraints, steps
//! from 10⁻⁶ to 0.1 s, all shapes, solvers and contact methods, things that come and go in mid-run. No panic, nothing but finite numbers
//! in the state, no energy out of nothing, and a step that fails changes nothing.
//!
//! `SUPPLE_WORLDS` sets how many, `SUPPLE_FIRST` the first seed.

mod common;

use std::collections::HashMap;
use std::sync::Arc;

use common::motion::{state, state_of};
use common::survey::{Survey, bar, not_yet, survey, verbose};
use common::{Rng, shapes};
use glam::DVec3;
use rayon::prelude::*;
use supple::constraint::{
    Ball, Constraint, Distance, Frame, Hinge, JointModel, PointOnPlane, Prismatic, Rigid, Rope,
};
use supple::contact::{Collider, Shape};
use supple::detail::Detail;
use supple::world::{
    ArticulationId, BodyRef, ColliderId, ContactMethod, QueryFilter, SingleBody, SingleId, Solver, World,
    WorldError,
};
use supple::{Body, BodyId, Force, Joint, ModelBuilder, Pose, RigidInertia, Simulation};

/// How wild a world is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// Usual sizes and masses, nothing but gravity and contacts: energy is watched.
    Plain,
    /// Anything of lengths from a millimetre to 100 m.
    Wild,
    /// Lengths from a nanometre to a million kilometres on the same bodies.
    Absurd,
}

/// Greatest speed, in the metric of the masses, as a multiple of what there was before: sweeps that are cut off leave some of what
/// impulses of the step before gave.
const GROWTH: f64 = 1.05;

/// Worlds in which jammed bodies were once shot away, up to 2,900 times too fast, by impulses of the step before, or by being moved apart into
/// poses in which their joint speeds meant more energy; they are tried always.
const JAMMED: [u64; 6] = [1_010_482, 20_006_021, 6557, 9541, 18_362, 523_036];

/// One world in so many may leave the finite numbers (a step that does is told and taken back): those of absurd lengths have lever arms
/// of 10⁹ m on bodies of a decimetre, which leave no digits.
const REFUSED: [(Kind, u64); 3] = [(Kind::Plain, u64::MAX), (Kind::Wild, 500), (Kind::Absurd, 50)];

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|s| s.parse().ok()).unwrap_or(default)
}

/// Worlds of a thousand that do not recover from a step that failed: what is to come down. A repair lowers it; nothing may raise it.
const STUCK: u64 = 45;

fn length(rng: &mut Rng, kind: Kind) -> f64 {
    match rng.below(20) {
        0 | 1 if kind == Kind::Wild => rng.decades(1e-3, 1e2),
        0 if kind == Kind::Absurd => rng.decades(1e-9, 1e-3),
        1 if kind == Kind::Absurd => rng.decades(1e1, 1e9),
        _ => rng.decades(0.05, 1.0),
    }
}

fn shape(rng: &mut Rng, kind: Kind, solid: bool) -> Shape {
    let mut which = rng.below(if solid { shapes::SOLID } else { shapes::KINDS });
    if which == 7 && rng.chance(0.9) {
        // cutting takes its time
        which = 6;
    }
    shapes::shape(rng, which, &mut |rng| length(rng, kind))
}

fn frame(rng: &mut Rng, size: f64) -> Frame {
    if rng.chance(0.2) { Frame::IDENTITY } else { Frame::from(rng.pose(size)) }
}

fn inertia(rng: &mut Rng, kind: Kind) -> RigidInertia {
    let mass = match kind {
        Kind::Plain => rng.decades(0.1, 10.0),
        Kind::Wild | Kind::Absurd => rng.decades(1e-3, 1e3),
    };
    let (size, com) = match kind {
        Kind::Plain => (DVec3::splat(0.3), DVec3::ZERO),
        Kind::Wild | Kind::Absurd => {
            let edge = |rng: &mut Rng| rng.decades(1e-2, 1.0);
            (DVec3::new(edge(rng), edge(rng), edge(rng)), rng.vector(0.1))
        }
    };
    RigidInertia::solid_box(mass, size, com)
}

fn collider(rng: &mut Rng, kind: Kind, solid: bool) -> Collider {
    let mut it = Collider::new(shape(rng, kind, solid)).at(frame(rng, 0.3));
    if rng.chance(0.3) {
        it = it.restitution(if rng.chance(0.3) { 1.0 } else { rng.unit() });
    }
    if rng.chance(0.5) {
        let most = if kind == Kind::Plain { 1.5 } else { 1e2 };
        it = it.friction(if rng.chance(0.3) { 0.0 } else { rng.decades(1e-2, most) });
    }
    if rng.chance(0.2) {
        it = it.rolling(rng.decades(1e-4, 1.0));
    }
    if rng.chance(0.1) {
        it = it.sensor();
    }
    if rng.chance(0.2) {
        it = it.continuous();
    }
    if rng.chance(0.1) {
        it = it.groups(1 << rng.below(3), 1 << rng.below(3));
    }
    it
}

fn arm(rng: &mut Rng, kind: Kind) -> Simulation {
    let mut builder = ModelBuilder::new();
    let links = 1 + rng.below(5);
    for i in 0..links {
        let joint = match rng.below(4) {
            0 | 1 if i == 0 => Joint::free(),
            1 => Joint::spherical(),
            // a slide that is pushed out makes a long arm, and a long arm is fast
            2 if kind != Kind::Plain => Joint::prismatic(DVec3::X),
            _ => Joint::revolute(DVec3::Y),
        };
        let body = Body::new(format!("link {i}"), joint).inertia(inertia(rng, kind));
        let at = rng.pose(0.5);
        builder.add(if i == 0 { body } else { body.on(format!("link {}", i - 1)).at(at) });
    }
    let mut simulation = Simulation::new(builder.finish().expect("a valid arm"));
    if kind != Kind::Plain && rng.chance(0.3) {
        simulation.set_detail(Detail::joints(rng.below(links + 1))).expect("no more joints than there are");
    }
    simulation
}

fn model(rng: &mut Rng) -> Arc<dyn JointModel> {
    let length = rng.unit();
    match rng.below(7) {
        0 => Arc::new(Ball),
        1 => Arc::new(Hinge),
        2 => Arc::new(Rigid),
        3 => Arc::new(Prismatic { free: [rng.chance(0.5), rng.chance(0.5), rng.chance(0.5)] }),
        4 => Arc::new(PointOnPlane),
        5 => Arc::new(Distance { length }),
        _ => Arc::new(Rope { longest: length }),
    }
}

/// A world, and what may be taken out of it again.
struct Stage {
    world: World,
    kind: Kind,
    singles: Vec<SingleId>,
    arms: Vec<(ArticulationId, usize)>,
    colliders: Vec<ColliderId>,
}

impl Stage {
    fn new(rng: &mut Rng) -> Self {
        let kind = [Kind::Plain, Kind::Plain, Kind::Wild, Kind::Wild, Kind::Absurd][rng.below(5)];
        let mut world = World::new();
        world.settings.solver = match rng.below(6) {
            0 => Solver::Sweeps { sweeps: 1 + rng.below(10) as u32 },
            1 => Solver::Displacement { outer: 1 + rng.below(4) as u32, inner: 1 + rng.below(30) as u32 },
            _ => Solver::Together,
        };
        world.settings.contact.method = match rng.below(3) {
            0 => ContactMethod::Levels {
                sweeps: rng.below(10) as u32,
                shock: rng.chance(0.5),
                restore: rng.chance(0.5),
            },
            1 => ContactMethod::Warm { sweeps: rng.below(12) as u32 },
            _ => ContactMethod::default(),
        };
        if kind == Kind::Plain {
            // as many sweeps as are usual
            world.settings.contact.method = match world.settings.contact.method {
                // shocks go up as if what is below had no end of mass, which may add energy
                ContactMethod::Levels { restore, .. } => {
                    ContactMethod::Levels { sweeps: 10, shock: false, restore }
                }
                ContactMethod::Warm { .. } => ContactMethod::default(),
            };
        }
        world.settings.contact.sleep = rng.chance(0.7);
        if rng.chance(0.1) {
            world.settings.substeps = 1 + rng.below(3) as u32;
        }
        let mut stage = Self { world, kind, singles: Vec::new(), arms: Vec::new(), colliders: Vec::new() };
        if rng.chance(0.6) {
            let ground =
                Collider::new(Shape::half_space()).restitution(if rng.chance(0.2) { 0.9 } else { 0.0 });
            stage.put(BodyRef::World, ground);
        }
        for _ in 0..rng.below(3) {
            let wall = collider(rng, kind, false);
            stage.put(BodyRef::World, wall);
        }
        for _ in 0..1 + rng.below(8) {
            stage.add_body(rng);
        }
        if kind != Kind::Plain {
            for _ in 0..rng.below(6) {
                stage.add_constraint(rng);
            }
        }
        stage
    }

    fn put(&mut self, body: BodyRef, collider: Collider) {
        self.colliders.push(self.world.add_collider(body, collider).expect("a valid collider"));
    }

    fn add_body(&mut self, rng: &mut Rng) {
        let kind = self.kind;
        if rng.chance(0.2) {
            let simulation = arm(rng, kind);
            let links = simulation.model.bodies().len();
            let id = self.world.add_articulation(simulation);
            self.arms.push((id, links));
            for link in 0..links {
                if rng.chance(0.7) {
                    let it = collider(rng, kind, rng.clone().chance(0.9));
                    self.put(BodyRef::Of(id, BodyId::new(link)), it);
                }
            }
            return;
        }
        let body = if kind != Kind::Plain && rng.chance(0.1) {
            SingleBody::kinematic("platform")
        } else {
            SingleBody::new("body", inertia(rng, kind))
        };
        let fast = if rng.chance(0.1) { 100.0 } else { 3.0 };
        let at = Frame { position: DVec3::Z * rng.range(-0.5, 1.5), ..Frame::IDENTITY } * frame(rng, 1.0);
        let at = if rng.chance(0.2) { Frame::IDENTITY } else { at };
        let body = body.at(at).moving(rng.vector(fast), rng.vector(5.0));
        let id = self.world.add_body(body).expect("a valid body");
        self.singles.push(id);
        for _ in 0..1 + rng.below(2) {
            let it = collider(rng, kind, rng.clone().chance(0.9));
            self.put(id.into(), it);
        }
    }

    fn any_body(&self, rng: &mut Rng) -> BodyRef {
        let all = 1 + self.singles.len() + self.arms.len();
        match rng.below(all) {
            0 => BodyRef::World,
            i if i <= self.singles.len() => self.singles[i - 1].into(),
            i => {
                let (id, links) = self.arms[i - 1 - self.singles.len()];
                BodyRef::Of(id, BodyId::new(rng.below(links)))
            }
        }
    }

    fn add_constraint(&mut self, rng: &mut Rng) {
        let (parent, child) = (self.any_body(rng), self.any_body(rng));
        if parent == child {
            return;
        }
        let mut constraint = Constraint::new(Ball, parent, child);
        constraint.model = model(rng);
        (constraint.parent_frame, constraint.child_frame) = (frame(rng, 0.5), frame(rng, 0.5));
        if rng.chance(0.5) {
            constraint = constraint.colliding();
        }
        if rng.chance(0.2) {
            constraint = constraint.soft(rng.decades(1e-3, 1e9), rng.decades(1e-3, 1e6));
        }
        match self.world.add(constraint) {
            Ok(_) | Err(WorldError::SoftLimit { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }

    /// Something comes, goes, or is asked.
    fn stir(&mut self, rng: &mut Rng) {
        match rng.below(9) {
            0 => self.add_body(rng),
            1 if !self.singles.is_empty() => {
                let id = self.singles.swap_remove(rng.below(self.singles.len()));
                self.world.remove_body(id).expect("it is there");
                self.forget_gone();
            }
            2 if !self.arms.is_empty() => {
                let (id, _) = self.arms.swap_remove(rng.below(self.arms.len()));
                self.world.remove_articulation(id).expect("it is there");
                self.forget_gone();
            }
            3 if !self.colliders.is_empty() => {
                let id = self.colliders.swap_remove(rng.below(self.colliders.len()));
                self.world.remove_collider(id).expect("it is there");
            }
            4 if !self.colliders.is_empty() => {
                let id = self.colliders[rng.below(self.colliders.len())];
                let other = collider(rng, self.kind, false);
                self.world.set_collider(id, other).expect("a valid collider");
            }
            5 if !self.singles.is_empty() => {
                let id = self.singles[rng.below(self.singles.len())];
                let at = frame(rng, 1.0);
                self.world.body_mut(id).expect("it is there").place(at);
            }
            6 => {
                let (a, b) = (self.any_body(rng), self.any_body(rng));
                self.world.ignore(a, b).expect("they are there");
            }
            7 => {
                let body = self.any_body(rng);
                let it = collider(rng, self.kind, true);
                self.put(body, it);
            }
            _ => self.ask(rng),
        }
    }

    fn forget_gone(&mut self) {
        self.colliders.retain(|id| self.world.collider(*id).is_ok());
    }

    /// Queries: no panic, finite answers.
    fn ask(&mut self, rng: &mut Rng) {
        let filter = QueryFilter::new().with_sensors();
        let (from, to) = (rng.vector(2.0), rng.vector(1.0));
        if rng.chance(0.3) {
            self.world.refresh();
        }
        if let Some(hit) = self.world.cast_ray(from, to, f64::INFINITY, &filter).expect("a valid ray") {
            assert!(hit.distance.is_finite() && hit.point.is_finite() && hit.normal.is_finite(), "{hit:?}");
        }
        if let Some(hit) = self.world.closest_point(from, f64::INFINITY, &filter).expect("a valid point") {
            assert!(hit.distance.is_finite() && hit.point.is_finite(), "{hit:?}");
        }
        let asks = shape(rng, self.kind, true);
        let at = frame(rng, 1.0);
        self.world.overlapping(&asks, at, &filter).expect("a valid shape");
        if let Some(hit) = self.world.cast_shape(&asks, at, to, &filter).expect("a valid motion") {
            assert!((0.0..=1.0).contains(&hit.fraction) && hit.point.is_finite(), "{hit:?}");
        }
    }

    /// A step under a load that nothing can bear: it fails and is taken back, or is undone here.
    /// Whether the world is now one whose last step failed.
    fn push_absurdly(&mut self, seed: u64, step: usize, dt: f64) -> bool {
        let copy = self.world.snapshot();
        for (id, _) in &self.arms {
            self.world.articulation_mut(*id).unwrap().tau.iter_mut().for_each(|tau| *tau = 1.7e308);
        }
        for id in &self.singles {
            self.world.set_wrench(*id, Force::new(DVec3::ZERO, DVec3::splat(1.7e308))).unwrap();
        }
        let result = self.world.step(dt);
        assert!(is_finite(&self.world), "world {seed}, step {step}: absurd load");
        match result {
            Ok(_) => {
                self.world.restore(&copy);
                false
            }
            // others have borne it, which leaves more than can be carried much farther
            Err(WorldError::Failed { .. }) if state(&self.world) != state(&copy) => {
                self.world.restore(&copy);
                false
            }
            Err(WorldError::Failed { .. }) => {
                for (id, _) in &self.arms {
                    self.world.articulation_mut(*id).unwrap().tau.iter_mut().for_each(|tau| *tau = 0.0);
                }
                for id in &self.singles {
                    self.world.set_wrench(*id, Force::ZERO).unwrap();
                }
                true
            }
            Err(error) => panic!("world {seed}, step {step}: {error}"),
        }
    }

    /// Kinetic energy and mass of all that moves \[J, kg].
    fn kinetic(&self) -> (f64, f64) {
        let singles = self.world.bodies().map(|(_, b)| (b.kinetic_energy(), b.mass()));
        let arms = self.world.articulations().map(|(_, s)| {
            let mass = s.model.bodies().iter().map(|b| b.inertia.mass).sum::<f64>();
            (s.energy().kinetic, mass)
        });
        singles.chain(arms).fold((0.0, 0.0), |(e, m), (x, y)| (e + x, m + y))
    }
}

fn is_finite(world: &World) -> bool {
    let singles = world
        .bodies()
        .all(|(_, b)| b.frame().is_finite() && b.velocity().is_finite() && b.omega().is_finite());
    let reduced =
        world.articulations().all(|(_, s)| s.state.q.iter().chain(&s.state.v).all(|x| x.is_finite()));
    singles && reduced
}

/// What many worlds did, those of each kind apart where there are three numbers.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    worlds: [u64; 3],
    /// Worlds that left the finite numbers.
    refused: [u64; 3],
    /// Worlds that did so after a step that failed, though what made it fail is gone.
    stuck: u64,
    steps: u64,
    /// Steps with contacts.
    touched: u64,
    /// Steps in which plain worlds became too fast, and how much too fast at most.
    grown: u64,
    growth: f64,
}

impl Tally {
    fn and(self, other: Self) -> Self {
        let each = |a: [u64; 3], b: [u64; 3]| [0, 1, 2].map(|i| a[i] + b[i]);
        Self {
            worlds: each(self.worlds, other.worlds),
            refused: each(self.refused, other.refused),
            stuck: self.stuck + other.stuck,
            steps: self.steps + other.steps,
            touched: self.touched + other.touched,
            grown: self.grown + other.grown,
            growth: self.growth.max(other.growth),
        }
    }
}

/// Twelve steps of a world.
fn watch(seed: u64) -> Tally {
    let mut tally = Tally::default();
    let mut rng = Rng::new(seed, 78);
    let mut stage = Stage::new(&mut rng);
    let dt = rng.decades(1e-6, 1e-1);
    let kind = stage.kind as usize;
    tally.worlds[kind] += 1;
    let mut peak = 0f64;
    let (mut refused, mut shaken) = (false, false);
    let mut absurd = Rng::new(seed, 79);
    let absurd_at = if absurd.chance(0.2) { absurd.below(12) } else { usize::MAX };
    for step in 0..12 {
        if rng.chance(0.2) {
            stage.stir(&mut rng);
        }
        if step == absurd_at {
            shaken |= stage.push_absurdly(seed, step, dt);
        }
        let before = stage.world.snapshot();
        let (energy, mass) = stage.kinetic();
        match stage.world.step(dt) {
            Ok(report) => {
                tally.steps += 1;
                tally.touched += u64::from(stage.world.contacts().next().is_some());
                assert!(report.penetration_max.is_finite(), "world {seed}, step {step}: {report:?}");
                let contacts = stage.world.contacts();
                for c in contacts {
                    assert!(c.impulse.is_finite() && c.point.is_finite(), "world {seed}, step {step}: {c:?}");
                }
            }
            Err(error @ WorldError::Failed { .. }) => {
                tally.refused[kind] += u64::from(!refused && !shaken);
                tally.stuck += u64::from(!refused && shaken);
                if !refused {
                    println!("world {seed}, step {step}, dt {dt:.2e} {:?}: {error}", stage.kind);
                }
                let WorldError::Failed { failures } = error else { continue };
                for failure in failures {
                    let [now, then] = [&stage.world, &before].map(|world| state_of(world, failure.body()));
                    assert_eq!(now, then, "world {seed}, step {step}: {failure} is not taken back");
                }
                // all others go on
                assert!(stage.world.time() > before.time(), "world {seed}, step {step}");
                refused = true;
            }
            Err(error) => panic!("world {seed}, step {step}: {error}"),
        }
        assert!(is_finite(&stage.world), "world {seed}, step {step}, dt {dt}");
        if stage.kind == Kind::Plain {
            // in the metric of the masses gravity adds at most g dt √m to the speed, contacts nothing to the fastest there was
            peak = peak.max((2.0 * energy).sqrt()) + 9.81 * dt * mass.sqrt();
            let now = (2.0 * stage.kinetic().0).sqrt();
            let ratio = now / (peak + 1e-9);
            tally.growth = tally.growth.max(ratio);
            if ratio > GROWTH {
                tally.grown += 1;
                println!("world {seed}, step {step}, dt {dt:.2e}: speed {now} after at most {peak}");
            }
        }
    }
    tally
}

#[test]
fn no_world_that_touches_breaks_it() {
    let (count, first) = (number("SUPPLE_WORLDS", 2000), number("SUPPLE_FIRST", 0));
    let verbose = std::env::var("SUPPLE_VERBOSE").is_ok();
    let seeds: Vec<u64> = (first..first + count).chain(JAMMED).collect();
    let watch = |seed: &u64| {
        if verbose {
            eprintln!("world {seed}");
        }
        watch(*seed)
    };
    let all = seeds.par_iter().map(watch).reduce(Tally::default, Tally::and);
    println!("{all:?}");
    assert_eq!(all.grown, 0, "energy out of nothing");
    let worlds: u64 = all.worlds.iter().sum();
    assert!(
        all.stuck * 1000 <= STUCK * worlds,
        "{} of {worlds} worlds cannot go on after an error",
        all.stuck
    );
    for (kind, rare) in REFUSED {
        let (worlds, refused) = (all.worlds[kind as usize], all.refused[kind as usize]);
        assert!(
            refused <= 2 + worlds / rare,
            "{refused} of {worlds} {kind:?} worlds left the finite numbers"
        );
    }
}

// --- well-posed ---

/// Bodies of a decimetre or some, apart at first, that fall on the ground or fly into each other.
struct Fall {
    world: World,
    dt: f64,
    isolated: bool,
    /// Diameters of colliders that cannot be seen through, in any direction \[m].
    thick: HashMap<ColliderId, f64>,
}

/// A shape and how thick it is \[m].
fn usual_shape(rng: &mut Rng) -> (Shape, f64) {
    let edge = |rng: &mut Rng| rng.range(0.1, 0.4);
    let (shape, thick) = match rng.below(6) {
        0 => {
            let radius = rng.range(0.05, 0.2);
            (Shape::sphere(radius), 2.0 * radius)
        }
        1 | 2 => {
            let size = DVec3::new(edge(rng), edge(rng), edge(rng));
            (Shape::cuboid(size), size.min_element())
        }
        3 => {
            let (radius, half) = (rng.range(0.03, 0.1), rng.range(0.05, 0.2));
            (Shape::capsule(-half * DVec3::X, half * DVec3::X, radius), 2.0 * radius)
        }
        4 => {
            let (height, radius) = (edge(rng), rng.range(0.05, 0.2));
            (Shape::cylinder(height, radius), height.min(2.0 * radius))
        }
        _ => {
            // a cuboid with its corners moved
            let size = DVec3::new(edge(rng), edge(rng), edge(rng));
            let corner = |k: usize| {
                let sign = |bit: usize| if k >> bit & 1 == 0 { -0.5 } else { 0.5 };
                size * DVec3::new(sign(0), sign(1), sign(2))
            };
            let corners: Vec<DVec3> = (0..8).map(|k| corner(k) * rng.range(0.9, 1.0)).collect();
            (Shape::hull(&corners), 0.9 * size.min_element())
        }
    };
    (shape.unwrap(), thick)
}

fn usual_material(rng: &mut Rng, collider: Collider) -> Collider {
    let bounce = if rng.chance(0.6) { 0.0 } else { rng.range(0.0, 0.9) };
    collider.friction(rng.range(0.0, 1.0)).restitution(bounce)
}

/// A floating chain of capsules.
fn usual_arm(rng: &mut Rng, at: DVec3) -> (Simulation, Vec<Collider>, f64) {
    let (length, radius) = (rng.range(0.15, 0.25), rng.range(0.03, 0.05));
    let rod = RigidInertia::solid_capsule(rng.range(0.3, 2.0), DVec3::ZERO, length * DVec3::X, radius);
    let mut builder = ModelBuilder::new();
    let links = 2 + rng.below(3);
    for i in 0..links {
        let joint = match rng.below(2) {
            _ if i == 0 => Joint::free(),
            0 => Joint::spherical(),
            _ => Joint::revolute(DVec3::Y),
        };
        let joint = if i == 0 { joint } else { joint.damping(0.01) };
        let body = Body::new(format!("{i}"), joint).inertia(rod);
        builder.add(if i == 0 {
            body
        } else {
            body.on(format!("{}", i - 1)).at(Pose::from_xyz(length, 0.0, 0.0))
        });
    }
    let mut simulation = Simulation::new(builder.finish().unwrap());
    simulation.state.q[..3].copy_from_slice(&at.to_array());
    let shape = Shape::capsule(DVec3::ZERO, length * DVec3::X, radius).unwrap();
    let colliders = (0..links).map(|_| usual_material(rng, Collider::new(shape.clone()))).collect();
    (simulation, colliders, 2.0 * radius)
}

impl Fall {
    fn new(rng: &mut Rng) -> Self {
        let mut world = World::new();
        let isolated = rng.chance(0.3);
        let mut thick = HashMap::new();
        if isolated {
            world.gravity = DVec3::ZERO;
            // what sleeps keeps nothing
            world.settings.contact.sleep = false;
        } else {
            let ground = usual_material(rng, Collider::new(Shape::half_space()));
            let id = world.add_collider(BodyRef::World, ground).unwrap();
            thick.insert(id, f64::INFINITY);
        }
        // a cell for each, so that nothing starts inside another
        let mut bodies: Vec<BodyRef> = Vec::new();
        for k in 0..2 + rng.below(5) {
            // chains are a metre long at most
            let cell = DVec3::new(1.7 * (k % 2) as f64, 0.8 * (k / 2 % 2) as f64, 0.8 * (k / 4) as f64);
            let at = cell + DVec3::Z * rng.range(0.45, 0.6);
            if rng.chance(0.25) {
                let (mut arm, colliders, across) = usual_arm(rng, at - 0.5 * DVec3::X);
                for v in &mut arm.state.v {
                    *v = rng.range(-1.0, 1.0);
                }
                let id = world.add_articulation(arm);
                for (body, collider) in colliders.into_iter().enumerate() {
                    thick.insert(world.add_collider((id, BodyId::new(body)), collider).unwrap(), across);
                }
                bodies.push((id, BodyId::new(0)).into());
                continue;
            }
            let (shape, across) = usual_shape(rng);
            let collider = usual_material(rng, Collider::new(shape));
            let inertia = collider.inertia(rng.range(300.0, 1500.0)).unwrap();
            let inward = if isolated { 2.0 * (DVec3::new(0.85, 0.4, 0.7) - at) } else { DVec3::ZERO };
            let body = SingleBody::new(format!("{k}"), inertia).at(Frame::new(at, rng.quat()));
            let id = world.add_body(body.moving(inward + rng.vector(1.0), rng.vector(3.0))).unwrap();
            thick.insert(world.add_collider(id, collider).unwrap(), across);
            bodies.push(id.into());
        }
        if rng.chance(0.3) {
            for pair in bodies.windows(2).filter(|_| rng.chance(0.5)).collect::<Vec<_>>() {
                let at = [0, 1].map(|i| world.frame(pair[i]).unwrap().position);
                world.join(Ball, pair[0], pair[1], Frame::at(0.5 * (at[0] + at[1]))).unwrap();
            }
        }
        Self { world, dt: [1.0 / 60.0, 1.0 / 120.0, 1.0 / 240.0][rng.below(3)], isolated, thick }
    }
}

/// Masses, centres and velocities of all that moves; of articulations as a whole.
fn moving(world: &World) -> Vec<(f64, DVec3, DVec3)> {
    let singles = world.bodies().map(|(_, b)| (b.mass(), b.centre(), b.velocity()));
    let arms = world.articulations().map(|(_, a)| {
        let m = a.momentum();
        (m.mass, m.com, m.linear / m.mass)
    });
    singles.chain(arms).collect()
}

/// One second and a bit.
fn watch_fall(seed: u64) -> Survey {
    let mut survey = Survey::default();
    let mut rng = Rng::new(seed, 83);
    let Fall { mut world, dt, isolated, thick } = Fall::new(&mut rng);
    let start = world.momenta();
    let (mut depth, mut gap, mut gain, mut scale) = (0f64, 0f64, 0f64, 0f64);
    let (mut linear, mut angular, mut size) = (0f64, 0f64, 0f64);
    // energy at its least, with the work of moving apart what penetrates since
    let mut lowest = world.energy().total();
    let mut apart = DVec3::ZERO;
    let (mass, g) = (moving(&world).iter().map(|m| m.0).sum::<f64>(), world.gravity);
    let whole = dt <= world.settings.contact.longest;
    for step in 0..(1.2 / dt) as usize {
        let before = moving(&world);
        let report = world.step(dt).unwrap_or_else(|e| panic!("world {seed}, step {step}: {e}"));
        survey.count("steps", 1);
        survey.count("touch", u64::from(report.contacts > 0));
        for c in world.contacts() {
            let across = c.colliders.iter().map(|id| thick[id]).fold(f64::INFINITY, f64::min);
            depth = depth.max(-c.separation / across);
        }
        gap = gap.max(report.gap_max);
        let mut lifted = 0.0;
        for ((mass, from, v), (_, to, _)) in before.iter().zip(moving(&world)) {
            let push = to - *from - *v * dt;
            apart += push.cross(*v * *mass);
            // gravity may or may not have acted within the step
            lifted -= mass * g.dot(push - 0.5 * g * dt * dt).min(mass * g.dot(push)).min(0.0);
        }
        let energy = world.energy();
        scale = scale.max(energy.kinetic);
        lowest += lifted;
        if verbose() {
            println!(
                "{step}: total {:.9e} kinetic {:.3e} beyond {:.1e} lifted {lifted:.1e} depth {depth:.1e} contacts {} parts {} sweeps {}",
                energy.total(),
                energy.kinetic,
                energy.total() - lowest,
                report.contacts,
                report.substeps,
                report.contact_sweeps
            );
        }
        if verbose() && isolated {
            let now = world.momenta();
            println!(
                "momenta off by {:.1e}, {:.1e}",
                (now.linear - start.linear).length(),
                (now.angular - start.angular - apart).length()
            );
        }
        gain = gain.max(energy.total() - lowest);
        lowest = lowest.min(energy.total());
        if isolated {
            let now = world.momenta();
            size = size.max(
                moving(&world).iter().map(|(m, at, v)| m * v.length() * (1.0 + at.length())).sum::<f64>(),
            );
            linear = linear.max((now.linear - start.linear).length());
            angular = angular.max((now.angular - start.angular - apart).length());
        }
    }
    let scale = scale + mass * g.length() + 1e-9;
    let (joined, arms) = (world.constraints().next().is_some(), world.articulations().next().is_some());
    if whole {
        let name = match (joined, arms) {
            (false, false) => "energy gained, single bodies",
            (false, true) => "energy gained, with articulations",
            (true, false) => "energy gained, joined",
            (true, true) => "energy gained, joined, with articulations",
        };
        survey.note(name, gain / scale, seed);
    } else {
        survey.note("energy gained, steps in parts", gain / scale, seed);
    }
    survey.note(if arms { "depth, with articulations" } else { "depth, single bodies" }, depth, seed);
    if joined {
        survey.note("gap [m]", gap, seed);
    }
    if isolated {
        survey.note(
            if arms { "linear momentum, with articulations" } else { "linear momentum, single bodies" },
            linear / size,
            seed,
        );
        if whole && !arms && !joined {
            survey.note("angular momentum", angular / size, seed);
        }
    }
    survey
}

#[test]
fn what_falls_gains_nothing_and_stays_outside() {
    survey(2000, &[], watch_fall).check(&[
        not_yet("energy gained, single bodies", 1e-6, 50.0),
        not_yet("energy gained, with articulations", 1e-6, 50.0),
        not_yet("energy gained, joined", 1e-6, 450.0),
        not_yet("energy gained, joined, with articulations", 1e-6, 170.0),
        not_yet("depth, single bodies", 0.05, 32.0),
        not_yet("depth, with articulations", 0.05, 45.0),
        bar("gap [m]", 1e-3),
        bar("linear momentum, single bodies", 1e-9),
        not_yet("linear momentum, with articulations", 1e-9, 20.0),
        not_yet("angular momentum", 1e-9, 200.0),
    ]);
}
