//! Random worlds that touch: degenerate and huge shapes, bodies inside each other, mass ratios to 10⁶, contradicting constraints, steps
//! from 10⁻⁶ to 0.1 s, all shapes, solvers and contact methods, things that come and go in mid-run. No panic, nothing but finite numbers
//! in the state, no energy out of nothing, and a step that fails changes nothing.
//!
//! `SUPPLE_WORLDS` sets how many, `SUPPLE_FIRST` the first seed.

mod common;

use std::sync::Arc;

use common::{Rng, shapes};
use glam::DVec3;
use rayon::prelude::*;
use supple::adaptive::Detail;
use supple::constraint::{
    Ball, Constraint, Distance, Frame, Hinge, JointModel, PointOnPlane, Prismatic, Rigid, Rope,
};
use supple::contact::{Collider, Shape};
use supple::world::{
    ArticulationId, BodyRef, ColliderId, ContactMethod, QueryFilter, SingleBody, SingleId, Solver, World,
    WorldError,
};
use supple::{Body, BodyId, Joint, ModelBuilder, RigidInertia, Simulation};

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
        constraint.collide = rng.chance(0.5);
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

/// All that a motion goes on from.
fn state(world: &World) -> (Vec<f64>, f64, u64) {
    let mut all = Vec::new();
    for (_, body) in world.bodies() {
        let frame = body.frame();
        all.extend(frame.position.to_array());
        all.extend(frame.rotation.to_array());
        all.extend(body.velocity().to_array());
        all.extend(body.angular_momentum().to_array());
    }
    for (_, simulation) in world.articulations() {
        all.extend(simulation.state.q.iter().chain(&simulation.state.v));
    }
    (all, world.time(), world.steps())
}

/// What many worlds did, those of each kind apart where there are three numbers.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    worlds: [u64; 3],
    /// Worlds that left the finite numbers.
    refused: [u64; 3],
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
    for step in 0..12 {
        if rng.chance(0.2) {
            stage.stir(&mut rng);
        }
        let before = state(&stage.world);
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
            Err(error @ (WorldError::NotFinite { .. } | WorldError::Articulation { .. })) => {
                tally.refused[kind] += 1;
                println!("world {seed}, step {step}, dt {dt:.2e} {:?}: {error}", stage.kind);
                // else it is the world before the part that failed
                if stage.world.settings.substeps == 1 && dt <= stage.world.settings.contact.longest {
                    assert_eq!(state(&stage.world), before, "world {seed}, step {step}: not taken back");
                }
                break;
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
    for (kind, rare) in REFUSED {
        let (worlds, refused) = (all.worlds[kind as usize], all.refused[kind as usize]);
        assert!(
            refused <= 2 + worlds / rare,
            "{refused} of {worlds} {kind:?} worlds left the finite numbers"
        );
    }
}
