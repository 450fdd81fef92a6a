//! Same inputs, same bits: on every run, from every copy, with or without the scratch memory of earlier steps.

mod common;

use std::sync::Arc;

use common::{Case, Rng, all, chain, every_kind, nth_id, nth_mut, simulation, world_of};
use glam::DVec3;
use supple::{
    Actuator, Axes, Body, BodyId, Failure, Integrator, Joint, JointId, Load, ModelBuilder, Simulation,
    Spring, State, World, WorldError,
};

/// A scene of each sort: fixed base, floating base, spinning in space, springs and stops, random trees.
fn scenes() -> Vec<(&'static str, Simulation)> {
    let mut rng = Rng::new(31, 0);
    let mut floating = simulation(chain(20, |i| if i == 0 { Joint::free() } else { Joint::spherical() }));
    floating.state.v.iter_mut().for_each(|v| *v = rng.range(-2.0, 2.0));
    let mut mixed = ModelBuilder::new();
    mixed.add(Body::new("base", Joint::free()).at(rng.pose(1.0)).inertia(common::inertia(&mut rng, 5.0)));
    for (i, kind) in every_kind().into_iter().enumerate() {
        let joint = Joint::new(kind).damping(0.1).stiffness(1.0);
        let joint = if joint.kind.word() == "prismatic" { joint.limits(-0.05, 0.05) } else { joint };
        let parent = if i % 3 == 0 { "base".to_owned() } else { format!("body{}", i - 1) };
        let body = Body::new(format!("body{i}"), joint).on(parent).at(rng.pose(0.3));
        mixed.add(body.inertia(common::inertia(&mut rng, 1.0)));
    }
    let mut mixed = simulation(mixed);
    mixed.state.v.iter_mut().for_each(|v| *v = rng.range(-1.0, 1.0));
    for (i, axes) in [(3, Axes::World), (1, Axes::Body), (7, Axes::World), (3, Axes::Body)] {
        mixed.wrenches.push(Load { body: BodyId::new(i), wrench: rng.force(1.0), axes });
    }
    mixed.tau.iter_mut().for_each(|t| *t = rng.range(-0.1, 0.1));
    let mut stone = Simulation::new(
        ModelBuilder::new()
            .body(Body::new("stone", Joint::free()).inertia(common::inertia(&mut rng, 2.0)))
            .finish()
            .expect("valid"),
    );
    stone.state.v.iter_mut().for_each(|v| *v = rng.range(-5.0, 5.0));
    let mut tree = Case::random(30, 4).simulation();
    tree.tau.fill(0.0);
    tree.wrenches.clear();
    let mut tied = simulation(chain(6, |i| if i == 0 { Joint::free() } else { Joint::revolute(DVec3::Z) }));
    for body in [4, 2, 4] {
        let spring = Spring::new(BodyId::new(body), rng.vector(0.1), rng.vector(0.5), 2.0).damping(0.01);
        tied.springs.push(spring.rest(if body == 2 { 0.2 } else { 0.0 }));
    }
    for (joint, axis) in [(5, 0), (3, 0), (5, 0), (0, 4)] {
        tied.actuators.push(Actuator::velocity(JointId::new(joint), 1e-4).axis(axis).control(1.0));
    }
    vec![
        ("planar chain", simulation(chain(50, |_| Joint::revolute(DVec3::Z)))),
        ("floating chain", floating),
        ("mixture", mixed),
        ("stone", stone),
        ("random tree", tree),
        ("tied and driven", tied),
    ]
}

/// All that a state holds, as bits: `==` would take 0.0 for −0.0.
fn bits(state: &State) -> Vec<u64> {
    let memory = format!("{:?}", state.memory);
    let numbers = state.q.iter().chain(&state.v).chain([&state.time, &state.substep]);
    numbers.map(|x| x.to_bits()).chain([state.step]).chain(memory.bytes().map(u64::from)).collect()
}

fn run(simulation: &mut Simulation, steps: u32) {
    for _ in 0..steps {
        simulation.step(1.0 / 120.0).expect("finite");
    }
}

/// Every scene with every integrator (small explicit steps would take long, so few of them).
fn everything(check: impl Fn(&str, Simulation)) {
    for (scene, simulation) in scenes() {
        for (name, integrator) in Integrator::ALL {
            let mut simulation = simulation.clone();
            simulation.integrator = integrator;
            check(&format!("{scene}, {name}"), simulation);
        }
    }
}

#[test]
fn two_runs_give_the_same_bits() {
    everything(|name, simulation| {
        let (mut a, mut b) = (simulation.clone(), simulation);
        run(&mut a, 20);
        run(&mut b, 20);
        assert_eq!(bits(&a.state), bits(&b.state), "{name}");
    });
}

/// The scratch memory holds nothing that changes a result: a simulation made anew from the public parts of another
/// goes on as it would have.
#[test]
fn scratch_memory_may_be_dropped_at_any_time() {
    everything(|name, mut simulation| {
        let mut whole = simulation.clone();
        run(&mut whole, 24);
        for _ in 0..6 {
            run(&mut simulation, 4);
            let mut fresh = Simulation::new(Arc::clone(&simulation.model));
            fresh.state = simulation.state.clone();
            fresh.gravity = simulation.gravity;
            fresh.integrator = simulation.integrator;
            fresh.tau = simulation.tau.clone();
            fresh.wrenches = simulation.wrenches.clone();
            fresh.springs = simulation.springs.clone();
            fresh.actuators = simulation.actuators.clone();
            simulation = fresh;
        }
        assert_eq!(bits(&simulation.state), bits(&whole.state), "{name}");
    });
}

/// Looking at a simulation does not disturb it: accelerations, energies and poses may be asked for at any time.
#[test]
fn looking_changes_nothing() {
    everything(|name, mut simulation| {
        let mut watched = simulation.clone();
        for _ in 0..10 {
            run(&mut simulation, 1);
            run(&mut watched, 1);
            watched.accelerations();
            let _ = (watched.energy(), watched.momentum(), watched.kinematics());
        }
        assert_eq!(bits(&watched.state), bits(&simulation.state), "{name}");
    });
}

/// Scratch memory that served another state, another model's worth of steps or a failed step leaves no trace.
#[test]
fn a_detour_leaves_no_trace() {
    everything(|name, simulation| {
        let mut straight = simulation.clone();
        run(&mut straight, 8);
        let mut winding = simulation;
        run(&mut winding, 4);
        let here = winding.state.clone();
        run(&mut winding, 3);
        winding.state.v.iter_mut().for_each(|v| *v *= 0.5);
        run(&mut winding, 2);
        let v = winding.state.v[0];
        winding.state.v[0] = f64::NAN;
        winding.step(0.01).expect_err("NaN");
        winding.state.v[0] = v;
        winding.state = here;
        run(&mut winding, 4);
        assert_eq!(bits(&winding.state), bits(&straight.state), "{name}");
    });
}

/// Two simulations side by side do not notice each other, and threads do not matter.
#[test]
fn threads_do_not_matter() {
    let (_, simulation) = scenes().remove(1);
    let mut alone = simulation.clone();
    run(&mut alone, 50);
    let results: Vec<Vec<u64>> = std::thread::scope(|scope| {
        let spawn = |mut s: Simulation| {
            scope.spawn(move || {
                run(&mut s, 50);
                bits(&s.state)
            })
        };
        let handles: Vec<_> = (0..3).map(|_| spawn(simulation.clone())).collect();
        handles.into_iter().map(|h| h.join().expect("no panic")).collect()
    });
    assert!(results.iter().all(|r| *r == bits(&alone.state)));
}

/// FNV-1a over the bits of q and v.
fn hash(state: &State) -> u64 {
    state
        .q
        .iter()
        .chain(&state.v)
        .flat_map(|x| x.to_bits().to_le_bytes())
        .fold(0xcbf2_9ce4_8422_2325, |h, byte| (h ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// Bits of every q and v after 600 steps of 1/60 s of a planar chain of 20 links. Change only when the motion is meant
/// to change, and say why. The same on every platform with IEEE arithmetic: the scene needs only sums, products,
/// quotients, square roots and the library's own sine and cosine, and Rust fuses none of them.
const GOLDEN: u64 = 0x661f_3fc6_6b4a_24b0;

#[test]
fn the_motion_of_a_chain_has_not_changed() {
    let mut simulation = simulation(chain(20, |_| Joint::revolute(DVec3::Z)));
    for _ in 0..600 {
        simulation.step(1.0 / 60.0).expect("finite");
    }
    let got = hash(&simulation.state);
    assert_eq!(got, GOLDEN, "{got:#018x}");
}

/// The articulations of all scenes, many of them and in turns, so that those of different models share workspaces.
fn members() -> impl Iterator<Item = Simulation> {
    let scenes = scenes();
    (0..23).map(move |i| scenes[i % scenes.len()].1.clone())
}

/// A world of articulations that nothing pushes does what simulations would do alone, for any number of threads.
#[test]
fn a_world_has_the_bits_of_its_members_for_any_number_of_threads() {
    let alone: Vec<Vec<u64>> = members()
        .map(|mut member| {
            run(&mut member, 12);
            bits(&member.state)
        })
        .collect();
    for threads in [1, 2, 3, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        let mut world = world_of(members());
        pool.install(|| {
            for _ in 0..12 {
                world.step(1.0 / 120.0).expect("finite");
            }
        });
        for (i, (member, alone)) in all(&world).zip(&alone).enumerate() {
            assert_eq!(&bits(&member.state), alone, "member {i}, {threads} threads");
        }
    }
}

/// Articulations that cannot take their steps are named, all of them, and all others take theirs, whatever the number of threads.
#[test]
fn a_world_goes_on_without_those_that_fail() {
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        let mut world = world_of(members());
        for spoilt in [17, 6] {
            nth_mut(&mut world, spoilt).state.v[0] = f64::NAN;
        }
        let error = pool.install(|| world.step(0.01)).expect_err("two are spoilt");
        let WorldError::Failed { failures } = &error else { panic!("{error}") };
        let who: Vec<_> = failures.iter().map(|failure| failure.articulation()).collect();
        assert_eq!(who, [6, 17].map(|i| Some(nth_id(&world, i))));
        for failure in failures {
            assert_eq!(failure.time(), 0.0);
            assert!(failure.to_string().contains("NaN"), "{failure}");
        }
        assert_eq!(world.time(), 0.01);
        for (i, member) in all(&world).enumerate() {
            assert_eq!(member.state.step, u64::from(![17, 6].contains(&i)), "member {i}, {threads} threads");
        }
    }
    World::default().step(0.01).expect("nobody is there to fail");
}

/// An error of a world goes where any error goes, and says who and why, once.
#[test]
fn errors_of_worlds_work_with_the_question_mark() {
    fn step(world: &mut World) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        world.step(0.01)?;
        world.catch_up()?;
        Ok(())
    }
    let mut world = world_of(members());
    step(&mut world).expect("all are well");
    nth_mut(&mut world, 3).state.v[0] = f64::NAN;
    let error = step(&mut world).expect_err("the third is spoilt");
    let message = error.to_string();
    assert!(
        message.contains("articulation 3 stays at 0.01 s: v at joint ") && message.contains("NaN"),
        "{message}"
    );
    assert!(error.source().is_none(), "the cause is in the message");
    let Some(WorldError::Failed { failures }) = error.downcast_ref() else { panic!("{error}") };
    let causes: Vec<_> = failures.iter().map(Failure::cause).collect();
    assert!(matches!(causes[..], [Some(supple::StepError::BadInput { what: "v", .. })]), "{causes:?}");
}
