//! One world for all: what nothing can push is scheduled, what is coupled touches and is joined, and neither disturbs the other.

mod common;

use std::sync::Arc;
use std::sync::Mutex;

use common::{all, chain, simulation};
use glam::DVec3;
use supple::constraint::Ball;
use supple::detail::{DetailError, Target};
use supple::prelude::*;
use supple::view::Attention;

const DT: f64 = 1.0 / 120.0;

// --- bodies ---

/// A chain of some links that swings, or flies; none is as the others.
fn swinging(i: usize) -> Simulation {
    let axis = if i.is_multiple_of(2) { DVec3::Y } else { DVec3::new(1.0, 0.5, 0.0) };
    let floats = i % 5 == 3;
    let joint = |link| if link == 0 && floats { Joint::free() } else { Joint::revolute(axis).damping(1e-3) };
    let mut it = simulation(chain(4 + i % 3, joint));
    let first = it.state.q.len() - 2;
    it.state.q[first] = 0.3 + 0.1 * i as f64;
    it.state.v.iter_mut().enumerate().for_each(|(k, v)| *v = ((i + k) as f64).sin());
    it.gravity = World::new().gravity;
    it.integrator = [Integrator::default(), Integrator::SemiImplicit][i % 2];
    if i % 4 == 1 {
        it.set_detail(Detail { update_every: 5, ..Detail::joints(3) }).expect("valid");
    }
    it
}

/// A person of five parts: a trunk that floats, and four limbs of one bone.
fn figure(at: DVec3) -> Simulation {
    let trunk = RigidInertia::solid_box(4.0, DVec3::new(0.3, 0.2, 0.5), DVec3::ZERO);
    let limb = RigidInertia::solid_capsule(1.0, DVec3::ZERO, DVec3::X * 0.3, 0.05);
    let mut builder = ModelBuilder::new().body(Body::new("trunk", Joint::free()).inertia(trunk));
    for (i, (x, z)) in [(0.15, 0.2), (-0.15, 0.2), (0.15, -0.2), (-0.15, -0.2)].into_iter().enumerate() {
        let out = DQuat::from_rotation_z(if x > 0.0 { 0.0 } else { std::f64::consts::PI });
        let pose = Pose { rotation: glam::DMat3::from_quat(out), translation: DVec3::new(x, 0.0, z) };
        let joint = Joint::revolute(DVec3::Y).limits(-1.2, 1.2).damping(0.05);
        builder = builder.body(Body::new(format!("limb {i}"), joint).on("trunk").at(pose).inertia(limb));
    }
    let mut it = Simulation::new(builder.finish().expect("valid"));
    it.state.q[..3].copy_from_slice(&at.to_array());
    it
}

/// Adds a figure with colliders on all its bodies.
fn add_figure(world: &mut World, at: DVec3, detail: Detail) -> ArticulationId {
    let mut figure = figure(at);
    figure.set_detail(detail).expect("valid");
    let id = world.add_articulation(figure);
    for body in 0..5 {
        let shape = match body {
            0 => Shape::cuboid(DVec3::new(0.3, 0.2, 0.5)).expect("valid"),
            _ => Shape::capsule(DVec3::ZERO, DVec3::X * 0.3, 0.05).expect("valid"),
        };
        world.add_collider(BodyRef::Of(id, BodyId::new(body)), Collider::new(shape)).expect("valid");
    }
    id
}

fn add_ground(world: &mut World) {
    world.add_collider(BodyRef::World, Collider::new(Shape::half_space())).expect("valid");
}

fn add_ball(world: &mut World, at: DVec3) -> SingleId {
    let ball = Collider::new(Shape::sphere(0.1).expect("valid"));
    let inertia = ball.inertia(1000.0).expect("valid");
    let body = world.add_body(SingleBody::new("ball", inertia).at(Frame::at(at))).expect("valid");
    world.add_collider(body, ball).expect("valid");
    body
}

fn bits(it: &Simulation) -> Vec<u64> {
    let state = &it.state;
    state.q.iter().chain(&state.v).chain([&state.time]).map(|x| x.to_bits()).collect()
}

fn on_threads<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool").install(run)
}

/// A camera that looks away from all that is near the origin.
fn looks_away(every: u32) -> Arc<Viewer> {
    let camera = Camera::look_at(DVec3::X * 300.0, DVec3::X * 400.0, DVec3::Z).pixels(320, 240);
    let attention = Attention { every, ..Attention::default() };
    Arc::new(Viewer::new([camera]).expect("valid").attending(attention))
}

fn steps(world: &mut World, count: usize) {
    for _ in 0..count {
        world.step(DT).expect("finite");
    }
}

// --- alone ---

/// A world adds nothing to what simulations do alone, for any number of threads, in whole steps and in parts.
#[test]
fn twenty_that_are_alone_have_the_bits_of_twenty_simulations() {
    for parts in [1, 3] {
        let alone: Vec<_> = (0..20)
            .map(|i| {
                let mut it = swinging(i);
                for _ in 0..60 * parts {
                    it.step(DT / f64::from(parts)).expect("finite");
                }
                bits(&it)
            })
            .collect();
        for threads in [1, 2, 5] {
            on_threads(threads, || {
                let mut world = World::new();
                world.settings.substeps = parts;
                (0..20).for_each(|i| assert_eq!(world.add_articulation(swinging(i)).index(), i));
                steps(&mut world, 60);
                for (i, (it, alone)) in all(&world).zip(&alone).enumerate() {
                    assert_eq!(&bits(it), alone, "articulation {i}, {parts} parts, {threads} threads");
                }
            });
        }
    }
}

/// A scene with contacts, and those that are alone: each as without the other.
#[test]
fn contacts_and_those_that_are_alone_do_not_disturb_each_other() {
    let build = |contacts: bool, alone: bool, threads: usize| {
        on_threads(threads, || {
            let mut world = World::new();
            let mut figures = Vec::new();
            for i in 0..12 {
                if alone {
                    world.add_articulation(swinging(i));
                }
                if contacts && i % 5 == 2 {
                    let detail = if i == 2 { Detail::default() } else { Detail::joints(3) };
                    figures.push(add_figure(
                        &mut world,
                        DVec3::new(0.02 * i as f64, 0.0, 0.6 + i as f64 * 0.2),
                        detail,
                    ));
                    add_ball(&mut world, DVec3::new(0.1, 0.0, 3.0 + i as f64 * 0.3));
                }
            }
            if contacts {
                add_ground(&mut world);
            }
            let mut touched = 0;
            for _ in 0..150 {
                touched += world.step(DT).expect("finite").contacts;
            }
            assert_eq!(touched > 0, contacts);
            let of = |pick: &dyn Fn(ArticulationId) -> bool| {
                let chosen = world.articulations().filter(|(id, _)| pick(*id));
                chosen.map(|(_, it)| bits(it)).collect::<Vec<_>>()
            };
            let balls: Vec<_> =
                world.bodies().map(|(_, ball)| ball.frame().position.to_array().map(f64::to_bits)).collect();
            (of(&|id| !figures.contains(&id)), of(&|id| figures.contains(&id)), balls)
        })
    };
    let (only_alone, only_contacts) = (build(false, true, 2), build(true, false, 2));
    for threads in [1, 2, 5] {
        let both = build(true, true, threads);
        assert_eq!(both.0.len(), 12);
        assert!(both.0 == only_alone.0, "those alone are disturbed by contacts, {threads} threads");
        assert!(both.1 == only_contacts.1, "figures are disturbed by those alone, {threads} threads");
        assert!(both.2 == only_contacts.2, "balls are disturbed by those alone, {threads} threads");
    }
}

// --- coupling ---

/// The first collider or constraint couples an articulation, the last one uncouples it, and its motion knows nothing of that.
#[test]
fn coupling_in_mid_run_is_no_jump() {
    for detail in [Detail::default(), Detail { update_every: 5, ..Detail::joints(3) }] {
        let mut one = figure(DVec3::Z * 100.0);
        one.state.v.iter_mut().enumerate().for_each(|(i, v)| *v = 0.3 * (i as f64).cos());
        one.set_detail(detail.clone()).expect("valid");
        let mut world = World::new();
        add_ground(&mut world);
        // somebody else keeps the world busy
        add_ball(&mut world, DVec3::new(5.0, 0.0, 0.2));
        let id = world.add_articulation(one.clone());
        // far enough that it steps in turns while it is alone
        world.set_viewer(Some(looks_away(8))).expect("outside");
        one.set_viewer(Some(looks_away(8))).expect("outside");
        let is_same = |world: &World, one: &Simulation| {
            let mut now = world.clone();
            now.catch_up().expect("finite");
            let it = now.articulation(id).expect("there");
            assert!((it.state.time - world.time()).abs() < 1e-12);
            assert_eq!(it.detail(), one.detail());
            let (momentum, expected) = (it.momentum().linear, one.momentum().linear);
            assert!(
                (momentum - expected).length() < 1e-6 * (1.0 + expected.length()),
                "{momentum} not {expected}"
            );
            if detail.is_full() {
                let far = common::difference(&it.state.q, &one.state.q);
                let far = far.max(common::difference(&it.state.v, &one.state.v));
                // steps of several at once differ from one at a time by their error
                assert!(far < 0.05, "{far} apart");
            }
        };
        let mut step = |world: &mut World, count: usize| {
            let mut taken = 0;
            for _ in 0..count {
                world.step(DT).expect("finite");
                one.step(DT).expect("finite");
                taken += usize::from(world.stepped().contains(&(id.index() as u32)));
            }
            is_same(world, &one);
            taken
        };
        assert!((1..=5).contains(&step(&mut world, 21)), "alone and unseen it takes several steps at once");

        // a collider
        let ball = Collider::new(Shape::sphere(0.1).expect("valid"));
        let collider = world.add_collider(BodyRef::Of(id, BodyId::new(2)), ball).expect("valid");
        let it = world.articulation(id).expect("there");
        assert!((it.state.time - world.time()).abs() < 1e-12, "it owes {} s", world.time() - it.state.time);
        let before = bits(it);
        assert_eq!(bits(world.articulation(id).expect("there")), before);
        assert_eq!(step(&mut world, 20), 20, "coupled it takes every step");
        let before = bits(world.articulation(id).expect("there"));
        world.remove_collider(collider).expect("there");
        assert_eq!(bits(world.articulation(id).expect("there")), before, "moved when it was uncoupled");
        assert!(step(&mut world, 24) <= 5, "alone again it takes several steps at once");

        // a constraint, which is cut
        let hub = world.frame((id, BodyId::new(0))).expect("there");
        let weight = RigidInertia::solid_sphere(1e-9, 0.01, DVec3::ZERO);
        let weight = world.add_body(SingleBody::new("mote", weight).at(hub)).expect("valid");
        let joint = world.join(Ball, BodyRef::Of(id, BodyId::new(0)), weight, hub).expect("valid");
        assert!((world.articulation(id).expect("there").state.time - world.time()).abs() < 1e-12);
        assert_eq!(step(&mut world, 10), 10);
        let before = bits(world.articulation(id).expect("there"));
        world.cut(joint).expect("there");
        assert_eq!(bits(world.articulation(id).expect("there")), before);
        assert!(step(&mut world, 24) <= 5);
        world.catch_up().expect("finite");
        let it = world.articulation(id).expect("there");
        assert!((it.state.time - world.time()).abs() < 1e-12);
        world.catch_up().expect("finite");
    }
}

/// Momenta of what floats and is coupled and uncoupled at full detail: those of free fall.
#[test]
fn coupling_keeps_momenta() {
    let mut world = World::new();
    let mut one = figure(DVec3::Z * 100.0);
    one.state.v.iter_mut().enumerate().for_each(|(i, v)| *v = (i as f64).cos());
    let start = one.momentum();
    let id = world.add_articulation(one);
    add_ground(&mut world);
    let ball = || Collider::new(Shape::sphere(0.1).expect("valid"));
    let mut collider = None;
    for step in 0..120 {
        match collider {
            None if step % 7 == 3 => {
                collider = world.add_collider(BodyRef::Of(id, BodyId::new(1)), ball()).ok()
            }
            Some(it) if step % 7 == 6 => {
                world.remove_collider(it).expect("there");
                collider = None;
            }
            _ => {}
        }
        world.step(DT).expect("finite");
    }
    let it = world.articulation(id).expect("there");
    let now = it.momentum();
    let fallen = start.linear + world.gravity * start.mass * world.time();
    assert!((now.linear - fallen).length() < 1e-9 * fallen.length(), "{} instead of {fallen}", now.linear);
    assert_eq!(it.state.step, 120);
    assert!((it.state.time - world.time()).abs() < 1e-12);
}

/// A constraint that breaks in a part of a step leaves the rest of the step to the articulation, no more.
#[test]
fn what_breaks_loose_within_a_step_takes_just_the_rest_of_it() {
    let mut world = World::new();
    world.settings.substeps = 4;
    let id = world.add_articulation(figure(DVec3::Z));
    let joint = Constraint::new(Ball, BodyRef::World, BodyRef::Of(id, BodyId::new(0)));
    let joint =
        Constraint { strength: supple::constraint::Strength { force: 30.0, ..Default::default() }, ..joint };
    world.join_at(joint, Frame::at(DVec3::Z)).expect("valid");
    let mut broke = 0;
    for step in 1..=30_u64 {
        world.step(DT).expect("finite");
        broke += world.events().iter().filter(|event| matches!(event, Event::Broke { .. })).count();
        let it = world.articulation(id).expect("there");
        assert!(
            (it.state.time - world.time()).abs() < 1e-12,
            "step {step}: {} and {}",
            it.state.time,
            world.time()
        );
        assert_eq!(it.state.step, 4 * step, "step {step}");
        assert!(it.state.q[2] <= 1.0 + 1e-9 && it.state.v[5] > -9.81 * world.time() - 1e-9);
    }
    assert_eq!(broke, 1, "it weighs more than the joint holds");
}

/// Ids stay good, places are used again, and an id of what is gone is refused and harms nobody.
#[test]
fn places_are_used_again_and_old_ids_are_refused() {
    let mut world = World::new();
    add_ground(&mut world);
    world.set_viewer(Some(looks_away(8))).expect("outside");
    let mut ids: Vec<_> = (0..6).map(|i| world.add_articulation(swinging(i))).collect();
    let coupled = add_figure(&mut world, DVec3::Z * 2.0, Detail::default());
    steps(&mut world, 5);
    let time = world.time();
    let gone = ids[2];
    world.remove_articulation(gone).expect("there");
    steps(&mut world, 1);
    for _ in 0..2 {
        assert!(matches!(world.articulation_mut(gone), Err(WorldError::Gone { .. })));
        assert!(matches!(world.set_gravity_of(gone, None), Err(WorldError::Gone { .. })));
        assert!(world.push_at(BodyRef::Of(gone, BodyId::new(0)), DVec3::ZERO, DVec3::X).is_err());
        assert!(world.remove_articulation(gone).is_err());
        steps(&mut world, 1);
    }
    ids[2] = world.add_articulation(swinging(7));
    assert_eq!(ids[2].index(), gone.index());
    assert_ne!(ids[2], gone);
    world.remove_articulation(coupled).expect("there");
    let again = add_figure(&mut world, DVec3::Z * 2.0, Detail::default());
    assert_eq!(again.index(), coupled.index());
    assert!(world.articulation(coupled).is_err());
    let came = world.time();
    steps(&mut world, 37);
    world.catch_up().expect("finite");
    assert!(world.time() > time);
    for id in ids.iter().chain([&again]) {
        let it = world.articulation(*id).expect("there");
        let age = if *id == ids[2] || *id == again { world.time() - came } else { world.time() };
        assert!((it.state.time - age).abs() < 1e-9, "{id:?} is {} s old, not {age} s", it.state.time);
    }
}

/// What rests where nobody looks hears of another gravity, be it the world's or its own, and of changes by hand.
#[test]
fn what_rests_unseen_hears_of_changes() {
    type Change = fn(&mut World, ArticulationId);
    let changes: [(&str, Change); 3] = [
        ("gravity of the world", |world, _| world.gravity = DVec3::new(3.0, 0.0, -9.0)),
        ("gravity of its own", |world, id| {
            world.set_gravity_of(id, Some(DVec3::new(3.0, 0.0, -9.0))).expect("there")
        }),
        ("joint force", |world, id| world.articulation_mut(id).expect("there").tau[2] = 0.5),
    ];
    for (what, change) in changes {
        let mut world = World::new();
        let mut hanging = simulation(chain(5, |_| Joint::revolute(DVec3::Y).damping(0.05)));
        // links run along x: they hang
        hanging.state.q[0] = std::f64::consts::FRAC_PI_2;
        hanging.set_detail(Detail { update_every: 5, ..Detail::error(1e-2, 1e-4) }).expect("valid");
        let id = world.add_articulation(hanging);
        world.set_viewer(Some(looks_away(4))).expect("outside");
        steps(&mut world, 40);
        let before = world.articulation(id).expect("there").state.q.clone();
        change(&mut world, id);
        steps(&mut world, 40);
        world.catch_up().expect("finite");
        let it = world.articulation(id).expect("there");
        let moved = common::difference(&it.state.q, &before);
        assert!(moved > 1e-3, "{what}: moved by {moved} rad");
        assert!((it.state.time - world.time()).abs() < 1e-9, "{what}");
    }
}

// --- one budget ---

/// Figures that fall on a floor, chains that are joined, and some that are alone.
fn mixed() -> (World, Vec<ArticulationId>) {
    let mut world = World::new();
    add_ground(&mut world);
    let detail = || Detail { update_every: 6, impact_extra: 2, ..Detail::joints(3) };
    let mut ids: Vec<_> = (0..3)
        .map(|i| {
            add_figure(&mut world, DVec3::new(1.5 * f64::from(i), 0.0, 0.8 + 0.3 * f64::from(i)), detail())
        })
        .collect();
    for i in 0..6 {
        let mut it = swinging(2 * i);
        it.set_detail(Detail { update_every: 4, ..Detail::joints(2) }).expect("valid");
        ids.push(world.add_articulation(it));
    }
    // two of them are tied where their last bodies are
    let bob = RigidInertia::solid_sphere(0.05, 0.02, DVec3::ZERO);
    for id in [ids[3], ids[5]] {
        let end = world.frame((id, BodyId::new(3))).expect("there");
        let bob = world.add_body(SingleBody::new("bob", bob).at(end)).expect("valid");
        world.join(Ball, BodyRef::Of(id, BodyId::new(3)), bob, end).expect("valid");
    }
    (world, ids)
}

#[test]
fn one_budget_holds_for_all_whatever_happens() {
    for (seen, threads) in [(false, 1), (false, 3), (true, 2)] {
        on_threads(threads, || {
            let (mut world, mut ids) = mixed();
            if seen {
                world.set_viewer(Some(looks_away(8))).expect("outside");
            }
            let own: Vec<_> = all(&world).map(|it| it.detail().clone()).collect();
            let (mut budget, mut slept, mut woken, mut most, mut touched) = (24, 0, 0, 0, 0);
            world.set_budget(Some(budget)).expect("valid");
            let mut late: Vec<ArticulationId> = Vec::new();
            for step in 0..1500_usize {
                match step {
                    200 | 700 => budget = 16,
                    400 | 900 => budget = 30,
                    1100 => budget = 12,
                    _ => {}
                }
                if matches!(step, 200 | 400 | 700 | 900 | 1100) {
                    world.set_budget(Some(budget)).expect("valid");
                }
                if step % 97 == 50 {
                    let (id, body) = (ids[step % 3], BodyId::new(step % 5));
                    let at = world.frame((id, body)).expect("there").position;
                    woken += usize::from(world.is_asleep((id, body)));
                    let up = DVec3::new(0.5, 0.2 * (step as f64).sin(), 4.0);
                    world.push_at((id, body), at + DVec3::X * 0.1, up).expect("there");
                }
                match step % 300 {
                    120 => late.push(add_figure(&mut world, DVec3::new(-2.0, 0.0, 1.0), Detail::joints(4))),
                    150 => drop(add_ball(&mut world, DVec3::new(1.5, 0.0, 1.5))),
                    180 => late.push(world.add_articulation(swinging(step % 20))),
                    260 => late.drain(..).for_each(|id| drop(world.remove_articulation(id).expect("there"))),
                    _ => {}
                }
                touched += world.step(DT).expect("finite").contacts;
                let active = world.active_joints();
                most = most.max(active);
                assert!(active <= budget, "step {step}, seen: {seen}: {active} joints of {budget}");
                slept += ids.iter().filter(|id| world.is_asleep((**id, BodyId::new(0)))).count();
            }
            assert!(most >= 15 && touched > 100, "{most} joints at most, {touched} contacts");
            assert!(slept > 0 && woken > 0, "{slept} slept, {woken} were woken");
            late.drain(..).for_each(|id| drop(world.remove_articulation(id).expect("there")));
            world.set_budget(None).expect("possible");
            ids.truncate(own.len());
            for (it, own) in all(&world).zip(&own) {
                assert_eq!(it.detail(), own);
            }
            steps(&mut world, 10);
        });
    }
}

/// Sleeping figures keep nobody from moving.
#[test]
fn sleepers_leave_their_joints_to_others() {
    let mut world = World::new();
    add_ground(&mut world);
    let figures: Vec<_> = (0..4)
        .map(|i| add_figure(&mut world, DVec3::new(2.0 * f64::from(i), 0.0, 0.3), Detail::joints(5)))
        .collect();
    world.set_budget(Some(20)).expect("valid");
    for _ in 0..1200 {
        world.step(DT).expect("finite");
        if figures.iter().all(|id| world.is_asleep((*id, BodyId::new(0)))) {
            break;
        }
    }
    assert!(figures.iter().all(|id| world.is_asleep((*id, BodyId::new(0)))), "all rest on the floor");
    assert_eq!(world.active_joints(), 4, "bases are never frozen, and nothing else moves");
    let mut it = swinging(2);
    it.set_detail(Detail { update_every: 4, ..Detail::default() }).expect("valid");
    let joints = it.model.moving_joints();
    let newcomer = world.add_articulation(it);
    let mut most = 0;
    for _ in 0..100 {
        world.step(DT).expect("finite");
        assert!(world.active_joints() <= 20);
        most =
            most.max(world.articulation(newcomer).expect("there").region().map_or(0, |r| r.active().len()));
    }
    assert_eq!(most, joints, "there is room for all its joints");
}

#[test]
fn impossible_budgets_are_refused_also_when_others_come() {
    let (mut world, _) = mixed();
    // three figures and one chain float
    let held = 4;
    assert_eq!(world.set_budget(Some(held - 1)), Err(DetailError::TooFewJoints { wanted: held - 1, held }));
    assert_eq!(world.budget(), None);
    steps(&mut world, 3);
    world.set_budget(Some(held)).expect("valid");
    steps(&mut world, 20);
    assert_eq!(world.active_joints(), held);
    let late = add_figure(&mut world, DVec3::new(9.0, 0.0, 2.0), Detail::default());
    let (time, before) = (world.time(), all(&world).map(bits).collect::<Vec<_>>());
    for _ in 0..2 {
        let error = world.step(DT).expect_err("five bases float");
        let expected = DetailError::TooFewJoints { wanted: held, held: held + 1 };
        assert!(matches!(&error, WorldError::Budget(it) if *it == expected), "{error}");
        assert!(error.to_string().contains("budget of the world"), "{error}");
        assert_eq!((world.time(), all(&world).map(bits).collect::<Vec<_>>()), (time, before.clone()));
    }
    let mut other = world.clone();
    world.remove_articulation(late).expect("there");
    steps(&mut world, 20);
    assert_eq!(world.active_joints(), held);
    other.set_budget(Some(held + 1)).expect("valid");
    steps(&mut other, 20);
    assert_eq!(other.active_joints(), held + 1);
    // a joint that is held active by hand counts as well
    let mut detail = other.articulation(late).expect("there").detail().clone();
    detail.keep.push((JointId::new(1), supple::detail::Keep::Active));
    other.articulation_mut(late).expect("there").set_detail(detail).expect("valid");
    assert!(matches!(other.step(DT), Err(WorldError::Budget(DetailError::TooFewJoints { .. }))));
    other.set_budget(None).expect("possible");
    steps(&mut other, 3);
}

// --- failures ---

/// All that fail are listed, all others have stepped, and time has gone on; after the repair all goes on.
#[test]
fn all_failures_are_listed_and_nobody_else_is_kept() {
    for seen in [false, true] {
        let mut world = World::new();
        add_ground(&mut world);
        let ball = add_ball(&mut world, DVec3::Z);
        let mut ids: Vec<_> = (0..9).map(|i| world.add_articulation(swinging(i))).collect();
        let figure = add_figure(&mut world, DVec3::new(2.0, 0.0, 1.0), Detail::default());
        ids.push(figure);
        if seen {
            let camera = Camera::look_at(DVec3::Y * -9.0, DVec3::ZERO, DVec3::Z).pixels(1920, 1080);
            world.set_viewer(Some(Arc::new(Viewer::new([camera]).expect("valid")))).expect("outside");
        }
        steps(&mut world, 4);
        let kept: Vec<_> =
            [7, 2].map(|i| (ids[i], world.articulation(ids[i]).expect("there").state.v[0])).into();
        for (id, _) in &kept {
            world.articulation_mut(*id).expect("there").state.v[0] = f64::NAN;
        }
        for turn in 0..2 {
            let (time, height) = (world.time(), world.frame(ball).expect("there").position.z);
            let before: Vec<_> =
                ids.iter().map(|id| world.articulation(*id).expect("there").state.step).collect();
            let error = world.step(DT).expect_err("two are spoilt");
            let WorldError::Failed { failures } = &error else { panic!("{error}") };
            let who: Vec<_> =
                failures.iter().map(|failure| (failure.articulation(), failure.time())).collect();
            let of = |i: usize| (Some(ids[i]), world.articulation(ids[i]).expect("there").state.time);
            assert_eq!(who, [of(2), of(7)]);
            assert!((who[0].1 - 4.0 * DT).abs() < 1e-12);
            assert!(
                failures
                    .iter()
                    .all(|failure| matches!(failure.cause(), Some(StepError::BadInput { what: "v", .. })))
            );
            assert!(
                error.to_string().contains("articulation 2 stays at")
                    && error.to_string().contains("articulation 7 stays at")
            );
            assert!((world.time() - time - DT).abs() < 1e-12, "time stands still");
            assert!(world.frame(ball).expect("there").position.z < height, "the ball falls on");
            for (i, (id, before)) in ids.iter().zip(&before).enumerate() {
                let taken = world.articulation(*id).expect("there").state.step - before;
                assert_eq!(taken, u64::from(i != 2 && i != 7), "articulation {i}, turn {turn}, seen: {seen}");
            }
        }
        for (id, v) in &kept {
            world.articulation_mut(*id).expect("there").state.v[0] = *v;
        }
        steps(&mut world, 5);
        assert!(all(&world).all(|it| it.state.v.iter().all(|v| v.is_finite())));
    }
}

/// What contacts push cannot step: nobody does, and nobody's rest or debt is counted twice.
#[test]
fn where_the_coupled_fail_nobody_steps() {
    let mut world = World::new();
    add_ground(&mut world);
    let figure = add_figure(&mut world, DVec3::Z, Detail::default());
    let ids: Vec<_> = (0..5)
        .map(|i| {
            let mut it = simulation(chain(4, |_| Joint::revolute(DVec3::Y).damping(0.05)));
            it.state.q[0] = std::f64::consts::FRAC_PI_2 + 0.2 * f64::from(i);
            it.set_detail(Detail { update_every: 5, ..Detail::error(1e-2, 1e-4) }).expect("valid");
            world.add_articulation(it)
        })
        .collect();
    world.set_viewer(Some(looks_away(4))).expect("outside");
    steps(&mut world, 21);
    for _ in 0..10 {
        let (time, v) = (world.time(), world.articulation(figure).expect("there").state.v[4]);
        world.articulation_mut(figure).expect("there").state.v[4] = f64::NAN;
        assert!(world.step(DT).is_err());
        assert_eq!(world.time(), time);
        world.articulation_mut(figure).expect("there").state.v[4] = v;
        steps(&mut world, 1);
    }
    world.catch_up().expect("finite");
    for id in ids {
        let it = world.articulation(id).expect("there");
        assert!((it.state.time - world.time()).abs() < 1e-9, "{} and {}", it.state.time, world.time());
    }
}

// --- cues ---

/// Notes at which times it is asked, and lifts what it is asked for from a time on.
struct Lift {
    from: f64,
    newtons: f64,
    asked: Mutex<Vec<f64>>,
}

impl Cue for Lift {
    fn act(&self, _: ArticulationId, simulation: &mut Simulation) {
        let time = simulation.state.time;
        self.asked.lock().expect("no panic").push(time);
        simulation.wrenches.clear();
        if time >= self.from - 1e-9 && self.newtons != 0.0 {
            let wrench = Force::new(DVec3::ZERO, DVec3::Z * self.newtons);
            simulation.wrenches.push(Load { body: BodyId::new(0), wrench, axes: Axes::World });
        }
    }

    fn next(&self, _: ArticulationId, time: f64) -> f64 {
        time.max(self.from)
    }
}

/// What sleeps is not asked before its time; then it is, and it wakes if something else acts on it than when it fell asleep.
#[test]
fn sleepers_wake_when_their_cue_says_so() {
    for (newtons, budget) in [(200.0, None), (200.0, Some(3)), (0.0, None)] {
        let mut world = World::new();
        add_ground(&mut world);
        let id = add_figure(&mut world, DVec3::Z * 0.3, Detail::joints(4));
        world.set_budget(budget).expect("valid");
        let lift = Lift { from: 12.0, newtons, asked: Mutex::default() };
        let asleep = |world: &World| world.is_asleep((id, BodyId::new(0)));
        let mut fell = None;
        for _ in 0..1430 {
            world.step_with(DT, &lift).expect("finite");
            if asleep(&world) {
                fell.get_or_insert((world.time(), lift.asked.lock().expect("no panic").len()));
                assert!(world.active_joints() <= budget.unwrap_or(5));
            }
        }
        let (at, asked) = fell.expect("it rests on the floor");
        assert!(at < 11.0 && asleep(&world), "asleep at {at} s");
        assert_eq!(lift.asked.lock().expect("no panic").len(), asked, "asked before its time");
        let height = world.frame((id, BodyId::new(0))).expect("there").position.z;
        for _ in 0..40 {
            world.step_with(DT, &lift).expect("finite");
        }
        let times = lift.asked.lock().expect("no panic").clone();
        assert!(times.len() > asked, "never asked");
        assert!((times[asked] - 12.0).abs() < DT, "asked at {} s", times[asked]);
        let risen = world.frame((id, BodyId::new(0))).expect("there").position.z - height;
        if newtons > 0.0 {
            assert!(!asleep(&world) && risen > 0.01, "it is lifted, by {risen} m");
        } else {
            assert!(asleep(&world), "nothing is other than it was");
            assert!(
                times[asked..].windows(2).all(|w| w[1] > w[0]),
                "its time goes on: {:?}",
                &times[asked..]
            );
            // without a cue nobody is asked, and after that again
            steps(&mut world, 5);
            assert_eq!(lift.asked.lock().expect("no panic").len(), times.len());
            let push = |_: ArticulationId, it: &mut Simulation| it.gravity = -it.gravity;
            world.step_with(DT, &push).expect("finite");
            assert!(!asleep(&world), "gravity is another");
        }
    }
}

/// A cue is asked once per step and articulation, whoever sleeps, rests or is alone.
#[test]
fn a_cue_acts_once_on_each() {
    let (mut world, ids) = mixed();
    for step in 0..900 {
        let asked = Mutex::new(vec![0; 16]);
        let cue = |id: ArticulationId, _: &mut Simulation| asked.lock().expect("no panic")[id.index()] += 1;
        world.step_with(DT, &cue).expect("finite");
        let asked = asked.into_inner().expect("no panic");
        assert!(ids.iter().all(|id| asked[id.index()] == 1), "step {step}: {asked:?}");
    }
}

// --- snapshots ---

#[test]
fn a_snapshot_of_a_mixed_world_goes_on_with_the_same_bits() {
    let (mut world, ids) = mixed();
    world.set_viewer(Some(looks_away(8))).expect("outside");
    world.set_budget(Some(18)).expect("valid");
    let go = |world: &mut World| {
        let wind = |id: ArticulationId, it: &mut Simulation| {
            let last = it.tau.len() - 1;
            it.tau[last] = 0.01 * (it.state.time * (1.0 + id.index() as f64)).sin();
        };
        for step in 0..200 {
            if step == 70 {
                let at = world.frame((ids[1], BodyId::new(0))).expect("there").position;
                world.push_at((ids[1], BodyId::new(0)), at, DVec3::Z * 10.0).expect("there");
            }
            world.step_with(DT, &wind).expect("finite");
        }
        let bodies = world.bodies().flat_map(|(_, body)| body.frame().position.to_array().map(f64::to_bits));
        let price = world.price().map(f64::to_bits);
        (
            all(world).flat_map(bits).chain(bodies).collect::<Vec<_>>(),
            price,
            world.stepped().to_vec(),
            world.active_joints(),
        )
    };
    go(&mut world);
    let snapshot = world.snapshot();
    let first = on_threads(1, || go(&mut world));
    world.restore(&snapshot);
    assert!(on_threads(3, || go(&mut world)) == first, "from the snapshot it went elsewhere");
    assert!(go(&mut snapshot.clone()) == first);
    assert!(matches!(world.articulation(ids[0]).expect("there").detail().target, Target::Price { .. }));
}
