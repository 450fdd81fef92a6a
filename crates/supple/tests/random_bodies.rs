//! Random articulated bodies at any detail: what is held rigid moves as what was built rigid, and worlds of them keep their budget whatever
//! happens to them.
//!
//! `SUPPLE_WORLDS` sets how many of each, `SUPPLE_FIRST` the first seed.

mod common;

use std::sync::Arc;

use common::reference::joint_pose;
use common::survey::{Survey, bar, survey, survey_with, verbose};
use common::{Case, Item, Rng, all, difference, nth, nth_mut, origins, random_items, world_of};
use glam::DVec3;
use rayon::ThreadPool;
use supple::constraint::{Ball, Frame};
use supple::detail::{Detail, Keep, Rule};
use supple::view::{Camera, Viewer};
use supple::world::{BodyRef, World, WorldError};
use supple::{BodyId, Joint, JointKind, Simulation};

// --- rigid groups ---

/// A body on a joint that does not move.
fn fix(item: &mut Item) {
    item.body.joint = Joint::new(JointKind::Fixed);
    (item.q, item.v, item.tau) = (vec![], vec![], vec![]);
}

/// A body of which some joints are held rigid by its detail, and the same body with those joints fixed where they are.
fn held_and_fixed(seed: u64, rng: &mut Rng) -> Option<[Simulation; 2]> {
    let mut items = random_items(2 + rng.below(14), seed);
    // a floating body within another one is never frozen, and flies away
    for item in items.iter_mut().skip(1).filter(|item| item.body.joint.kind == JointKind::Free) {
        fix(item);
    }
    let held: Vec<bool> = items
        .iter()
        .map(|item| !matches!(item.body.joint.kind, JointKind::Free | JointKind::Fixed) && rng.chance(0.5))
        .collect();
    for (item, held) in items.iter_mut().zip(&held) {
        if *held {
            // what stops is another test's
            item.v.iter_mut().for_each(|v| *v = 0.0);
        }
    }
    let mut built = items.clone();
    for (item, held) in built.iter_mut().zip(&held) {
        if *held {
            item.body.placement = item.body.placement * joint_pose(&item.body.joint.kind, &item.q);
            fix(item);
        }
    }
    let gravity = rng.vector(10.0);
    let (whole, built) = (Case::new(&items, gravity), Case::new(&built, gravity));
    let mut simulation = whole.simulation();
    let moving = |j: &usize| whole.model.joints()[*j].link.is_some();
    let keep: Vec<_> = (0..items.len())
        .filter(moving)
        .map(|j| (supple::JointId::new(j), if held[j] { Keep::Rigid } else { Keep::Active }))
        .collect();
    let active = keep.iter().filter(|(_, keep)| *keep == Keep::Active).count();
    if active == 0 || active == keep.len() {
        return None;
    }
    simulation.set_detail(Detail { keep, ..Detail::joints(active) }).unwrap();
    Some([simulation, built.simulation()])
}

/// How far bodies, and velocities of joints, of the two are apart: relative to their distances and to the fastest.
fn apart(held: &Simulation, fixed: &Simulation) -> f64 {
    let (a, b) = (origins(held), origins(fixed));
    let far = a.iter().fold(1.0, |far: f64, x| far.max(x.abs()));
    let [v, w] = [held, fixed].map(|s| common::by_joint(&s.model, &s.state.v));
    let moving = w.iter().filter(|(_, w)| !w.is_empty());
    let (mut off, mut fast) = (0f64, 1f64);
    for (name, w) in moving {
        off = off.max(difference(&v[name], w));
        fast = w.iter().fold(fast, |fast, x| fast.max(x.abs()));
    }
    (difference(&a, &b) / far).max(off / fast)
}

fn watch_rigid(seed: u64) -> Survey {
    let mut survey = Survey::default();
    let mut rng = Rng::new(seed, 81);
    let Some([mut held, mut fixed]) = held_and_fixed(seed, &mut rng) else { return survey };
    let dt = 1.0 / 240.0;
    if rng.chance(0.5) {
        let mut worst = 0f64;
        for step in 0..20 {
            let results = [held.step(dt), fixed.step(dt)].map(|r| r.map_err(|e| e.to_string()));
            assert!(results.iter().all(Result::is_ok), "body {seed}, step {step}: {results:?}");
            worst = worst.max(apart(&held, &fixed));
        }
        survey.note("held and built rigid, alone", worst, seed);
        return survey;
    }
    // held by the world at one of its bodies
    let body = BodyId::new(rng.below(held.model.bodies().len()));
    let mut worlds = [held, fixed].map(|simulation| {
        let mut world = World::new();
        world.gravity = simulation.gravity;
        // what is left of an error is another one for each
        world.settings.tolerance = 1e-12;
        let id = world.add_articulation(simulation);
        let at = world.frame((id, body)).unwrap().position;
        (world, id, at)
    });
    for (world, id, at) in &mut worlds {
        world.join(Ball, BodyRef::World, (*id, body), Frame::at(*at)).unwrap();
    }
    let mut worst = 0f64;
    let mut solved = true;
    for step in 0..20 {
        for (world, _, _) in &mut worlds {
            let report = world.step(dt).unwrap_or_else(|e| panic!("body {seed}, step {step}: {e}"));
            solved &= report.unsolved == 0;
        }
        let [held, fixed] = worlds.each_ref().map(|(world, id, _)| world.articulation(*id).unwrap());
        worst = worst.max(apart(held, fixed));
    }
    // what no joint lets follow has no one answer
    survey.note(
        if solved { "held and built rigid, tied" } else { "held and built rigid, tied, unsolved" },
        worst,
        seed,
    );
    survey
}

#[test]
fn what_is_held_rigid_moves_as_what_is_built_rigid() {
    survey(2400, &[], watch_rigid)
        .check(&[bar("held and built rigid, alone", 1e-9), bar("held and built rigid, tied", 1e-9)]);
}

// --- many ---

/// A member: a chain or a tree, on the ground or afloat, at any detail.
fn member(rng: &mut Rng) -> Simulation {
    let mut simulation = if rng.chance(0.4) {
        let floats = rng.chance(0.3);
        let joint =
            |i| if i == 0 && floats { Joint::free() } else { Joint::revolute(DVec3::Z).damping(2e-3) };
        common::simulation(common::chain(2 + rng.below(20), joint))
    } else {
        let mut simulation = Case::random(1 + rng.below(10), rng.next_u64()).simulation();
        simulation.tau.iter_mut().for_each(|tau| *tau = 0.0);
        simulation.wrenches.clear();
        simulation
    };
    let joints = simulation.model.moving_joints();
    let keep = (0..simulation.model.joints().len())
        .filter(|j| simulation.model.joints()[*j].link.is_some())
        .filter_map(|j| {
            let keep = [Keep::Active, Keep::Rigid][rng.below(2)];
            rng.chance(0.05).then_some((supple::JointId::new(j), keep))
        })
        .collect();
    let detail = match rng.below(3) {
        0 => Detail::default(),
        1 => Detail::joints(rng.below(joints + 1)),
        _ => Detail::error(rng.decades(1e-3, 1e3), rng.decades(1e-6, 1e0)),
    };
    let rule = [Rule::Tree, Rule::Free, Rule::Split][rng.below(3)];
    let detail = Detail { keep, rule, update_every: 1 + rng.below(20) as u32, ..detail };
    // more joints held active than there may be are refused, and that is all
    let _ = simulation.set_detail(detail);
    simulation
}

/// Articulations that nothing pushes, and what happens to them.
struct Gathering {
    world: World,
    dt: f64,
    /// Energy of each member that nothing has pushed, and its scale \[J].
    energies: Vec<Option<[f64; 2]>>,
    /// Members that once bore a load that nothing should bear: their motion may leave the finite numbers.
    hurt: Vec<bool>,
    gain: f64,
    over: usize,
    /// Steps that failed though nothing was wrong.
    groundless: u64,
    /// Things that were refused though they were possible.
    refused: u64,
}

fn scale_of(member: &Simulation) -> f64 {
    let mass = member.momentum().mass;
    member.energy().kinetic + mass * member.gravity.length()
}

impl Gathering {
    fn new(rng: &mut Rng) -> Self {
        let mut members: Vec<Simulation> = Vec::new();
        for _ in 0..1 + rng.below(8) {
            // some have twins, which share a model
            match members.last() {
                Some(last) if rng.chance(0.3) => members.push(last.clone()),
                _ => members.push(member(rng)),
            }
        }
        let energies = vec![None; members.len()];
        let mut gathering = Self {
            world: world_of(members),
            dt: [1.0 / 60.0, 1.0 / 240.0, 1e-3][rng.below(3)],
            hurt: vec![false; energies.len()],
            energies,
            gain: 0.0,
            over: 0,
            groundless: 0,
            refused: 0,
        };
        for i in 0..gathering.count() {
            gathering.begin(i);
        }
        if rng.chance(0.6) {
            gathering.set_budget(rng);
        }
        gathering
    }

    fn count(&self) -> usize {
        all(&self.world).count()
    }

    fn begin(&mut self, i: usize) {
        let member = nth(&self.world, i);
        self.energies[i] = Some([member.energy().total(), scale_of(member)]);
    }

    fn set_budget(&mut self, rng: &mut Rng) {
        let most: usize = all(&self.world).map(|m| m.model.moving_joints()).sum();
        // fewer than are never frozen are refused, and that is all
        let _ = self.world.set_budget(Some(rng.below(most + 1)));
    }

    /// Something happens to it. Whether everybody steps.
    fn stir(&mut self, rng: &mut Rng) {
        let i = rng.below(self.count());
        match rng.below(8) {
            0 => self.set_budget(rng),
            1 => self.refused += u64::from(self.world.set_budget(None).is_err()),
            2 => {
                let member = member(rng);
                let gravity = member.gravity;
                let id = self.world.add_articulation(member);
                self.world.set_gravity_of(id, Some(gravity)).unwrap();
                self.energies.push(None);
                self.hurt.push(false);
                self.begin(self.energies.len() - 1);
                // who comes is asked with the others
                if let Some(budget) = self.world.budget()
                    && self.world.set_budget(Some(budget)).is_err()
                {
                    self.refused += u64::from(self.world.set_budget(None).is_err());
                }
            }
            3 | 4 => {
                let member = nth_mut(&mut self.world, i);
                member.tau.iter_mut().for_each(|tau| *tau = rng.range(-2.0, 2.0));
                self.energies[i] = None;
            }
            5 => {
                let target = rng.vector(1.0);
                let camera = Camera::look_at(target - rng.vector(20.0), target, DVec3::Z).pixels(320, 240);
                if let Ok(viewer) = Viewer::new([camera]) {
                    // a camera within a body is refused
                    let _ = self.world.set_viewer(Some(Arc::new(viewer)));
                }
            }
            6 => self.world.set_viewer(None).unwrap(),
            _ if self.world.viewer().is_some() => {
                self.refused += u64::from(self.world.set_pixels(Some(rng.decades(0.1, 1e3))).is_err());
            }
            _ => {
                let member = nth_mut(&mut self.world, i);
                let detail = Detail { target: member.detail().target, ..member.detail().clone() };
                let _ = member.set_detail(detail);
            }
        }
    }

    /// A step in which a member may get a load that nothing can bear.
    fn step(&mut self, seed: u64, rng: &mut Rng) -> u64 {
        let i = rng.below(self.count());
        let absurd = rng.chance(0.1) && !nth(&self.world, i).tau.is_empty();
        let tau = nth(&self.world, i).tau.clone();
        if absurd {
            self.energies[i] = None;
            nth_mut(&mut self.world, i).tau.iter_mut().for_each(|tau| *tau = 1.7e308);
        }
        let before: Vec<_> = all(&self.world).map(|m| (m.state.q.clone(), m.state.step)).collect();
        if verbose() {
            let details: Vec<_> =
                all(&self.world).map(|m| (m.detail().target, m.region().map(|r| r.active().len()))).collect();
            println!(
                "absurd {absurd} {i} budget {:?} viewer {} hurt {:?} {details:?}",
                self.world.budget(),
                self.world.viewer().is_some(),
                self.hurt
            );
        }
        let failures = match self.world.step(self.dt) {
            Ok(_) => Vec::new(),
            Err(WorldError::Failed { failures }) => failures,
            Err(error) => panic!("world {seed}: {error}"),
        };
        let failed: Vec<usize> =
            failures.iter().map(|failure| failure.articulation().unwrap().index()).collect();
        assert!(failed.is_sorted_by(|a, b| a < b), "world {seed}: not by place, {failed:?}");
        for (failed, failure) in failed.iter().copied().zip(&failures) {
            assert_eq!(nth(&self.world, failed).state.q, before[failed].0, "world {seed}: not taken back");
            assert_eq!(nth(&self.world, failed).state.time, failure.time());
            let may_fail = self.hurt[failed] || (absurd && failed == i);
            if verbose() {
                println!("member {failed}: {failure}");
            }
            self.groundless += u64::from(!may_fail);
        }
        for stepped in self.world.stepped() {
            let stepped = *stepped as usize;
            let steps = nth(&self.world, stepped).state.step - before[stepped].1;
            // the error names all that failed, and nobody else
            let taken = u64::from(!failed.contains(&stepped));
            assert!(steps == taken, "world {seed}, member {stepped}: {steps} steps, failed {failed:?}");
        }
        if absurd {
            nth_mut(&mut self.world, i).tau = tau;
            // a load that was borne leaves more than can be carried much farther
            self.hurt[i] |= !failed.contains(&i);
        }
        if let Some(budget) = self.world.budget() {
            self.over = self.over.max(self.world.active_joints().saturating_sub(budget));
        }
        for (k, member) in all(&self.world).enumerate() {
            let finite = member.state.q.iter().chain(&member.state.v).all(|x| x.is_finite());
            assert!(finite, "world {seed}, member {k}");
            if let Some([energy, scale]) = &mut self.energies[k] {
                *scale = scale.max(scale_of(member));
                self.gain = self.gain.max((member.energy().total() - *energy) / (*scale + 1e-9));
            }
        }
        u64::from(!failed.is_empty())
    }
}

/// Sixty steps; what they did, and the bits at the end.
fn gather(seed: u64) -> (Gathering, u64, Vec<u64>) {
    let mut rng = Rng::new(seed, 82);
    let mut gathering = Gathering::new(&mut rng);
    let mut refused = 0;
    for _ in 0..60 {
        if rng.chance(0.1) {
            gathering.stir(&mut rng);
        }
        refused += gathering.step(seed, &mut rng);
    }
    let all = all(&gathering.world).flat_map(|m| m.state.q.iter().chain(&m.state.v));
    let bits = all.map(|x| x.to_bits()).collect();
    (gathering, refused, bits)
}

/// With one thread and with three.
fn watch_many(seed: u64, pools: &[ThreadPool; 2]) -> Survey {
    let mut survey = Survey::default();
    let [one, three] = pools.each_ref().map(|pool| pool.install(|| gather(seed)));
    assert!(one.2 == three.2, "world {seed}: other bits with three threads");
    let (gathering, refused, _) = one;
    survey.count("refused", refused);
    survey.note("steps that failed without a reason", gathering.groundless as f64, seed);
    survey.note("refused without a reason", gathering.refused as f64, seed);
    survey.note("joints over the budget", gathering.over as f64, seed);
    survey.note("energy gained, nothing pushes", gathering.gain, seed);
    survey
}

#[test]
fn no_number_of_them_breaks_it() {
    let pools = || [1, 3].map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap());
    survey_with(2000, &[], pools, watch_many).check(&[
        bar("joints over the budget", 0.0),
        bar("steps that failed without a reason", 0.0),
        bar("refused without a reason", 0.0),
        bar("energy gained, nothing pushes", 1e-9),
    ]);
}
