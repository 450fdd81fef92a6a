//! One budget for many bodies: never more joints than it has, spent nearly as one queue over all bodies would.

mod common;

use std::sync::Arc;

use common::{all, chain, nth, nth_mut, simulation, world_of};
use glam::DVec3;
use supple::detail::{Bidder, Detail, DetailError, Metric, choose_together};
use supple::view::{Camera, Viewer};
use supple::{Integrator, Joint, Simulation, World};

/// Chains of different liveliness: some hang almost still, some fall from level. All share one model.
fn world(count: usize) -> World {
    let mut one = simulation(chain(24, |_| Joint::revolute(DVec3::Z).damping(0.002)));
    one.gravity = DVec3::new(0.0, -9.81, 0.0);
    one.integrator = Integrator::SemiImplicit;
    one.set_detail(Detail { update_every: 10, ..Detail::joints(1) }).expect("valid");
    let member = |i: usize| {
        let mut member = one.clone();
        member.state.q[0] = -1.5 + 1.5 * i as f64 / count as f64;
        member.state.q[8] = 0.3 * (i as f64).sin();
        member
    };
    world_of((0..count).map(member))
}

/// What every joint of a body is worth now: the square of its velocity at the next update, on the full body.
fn worth(member: &Simulation, ahead: f64) -> Vec<f64> {
    let mut full = member.clone();
    full.set_detail(Detail::default()).expect("valid");
    let qdd = full.accelerations().to_vec();
    qdd.iter().zip(&member.state.v).map(|(a, v)| (v + ahead * a).powi(2)).collect()
}

#[test]
fn the_sum_never_exceeds_the_budget_and_is_spent() {
    let mut world = world(40);
    world.set_budget(Some(100)).expect("valid");
    let (mut spent, mut steps) = (0, 0);
    for step in 0..1500 {
        world.step(1e-3).expect("finite");
        assert!(world.active_joints() <= 100, "step {step}: {} joints", world.active_joints());
        if step >= 300 {
            (spent, steps) = (spent + world.active_joints(), steps + 1);
        }
    }
    let mean = spent as f64 / f64::from(steps);
    println!("{mean:.1} of 100 joints, price {:?}", world.price());
    assert!(mean > 85.0, "only {mean} joints of 100 are used");
}

/// Whoever takes turns, with or without a viewer: a lower budget holds after the next step.
#[test]
fn a_budget_that_is_lowered_holds_at_once() {
    for seen in [false, true] {
        let mut world = world(40);
        if seen {
            // looks away: articulations take eight steps at once, in turns
            let camera = Camera::look_at(DVec3::Z * 50.0, DVec3::Z * 60.0, DVec3::Y).pixels(320, 240);
            world.set_viewer(Some(Arc::new(Viewer::new([camera]).expect("valid")))).expect("outside");
        }
        for budget in [300, 120, 25, 0] {
            world.set_budget(Some(budget)).expect("valid");
            for step in 0..30 {
                world.step(1e-3).expect("finite");
                let active = world.active_joints();
                assert!(active <= budget, "step {step}: {active} joints of {budget}");
            }
        }
    }
}

/// Who comes after the viewer is looked at as the others are.
#[test]
fn an_articulation_that_comes_later_may_be_wrong_by_pixels_too() {
    let mut world = world(3);
    let camera = Camera::look_at(DVec3::Z * 50.0, DVec3::ZERO, DVec3::Y).pixels(320, 240);
    world.set_viewer(Some(Arc::new(Viewer::new([camera]).expect("valid")))).expect("outside");
    let late = nth(&self::world(1), 0).clone();
    world.add_articulation(late);
    world.set_pixels(Some(2.0)).expect("there is a viewer");
    world.step(1e-3).expect("finite");
    assert!(nth(&world, 3).viewer().is_some());
}

/// The difference from the synchronous queue: of what it would hold with the same number of joints, the price holds more than
/// two thirds.
#[test]
fn the_price_comes_close_to_one_queue_over_all() {
    let mut world = world(30);
    world.set_budget(Some(80)).expect("valid");
    let (mut held, mut best) = (0.0, 0.0);
    for step in 0..1200 {
        world.step(1e-3).expect("finite");
        if step < 200 || step % 50 != 0 {
            continue;
        }
        let worths: Vec<Vec<f64>> = all(&world).map(|m| worth(m, 0.01)).collect();
        let bodies: Vec<Bidder<'_>> = (all(&world).zip(&worths))
            .map(|(m, worth)| Bidder { assembly: m.region().expect("adaptive").assembly(), worth })
            .collect();
        // the best joint of every body is free of the price; the queue has the rest
        let mut together: Vec<(usize, usize)> = (0..30)
            .map(|i| (i, (0..24).max_by(|a, b| worths[i][*a].total_cmp(&worths[i][*b])).expect("joints")))
            .collect();
        for (i, link) in choose_together(&bodies, 80) {
            if together.len() < 80 && !together.contains(&(i, link.index())) {
                together.push((i, link.index()));
            }
        }
        assert!(together.len() == 80);
        best += together.iter().map(|(i, link)| worths[*i][*link]).sum::<f64>();
        let active = |i: usize| nth(&world, i).region().expect("adaptive").active().members();
        held += (0..30).map(|i| active(i).iter().map(|l| worths[i][*l as usize]).sum::<f64>()).sum::<f64>();
    }
    println!("the price holds {:.1} % of what one queue would", 100.0 * held / best);
    // bodies choose in turns, every ten steps, and what they hold is what was best then
    assert!(held >= 0.7 * best, "{held} of {best}");
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let run = |threads: usize, metric: Metric| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let mut world = world(25);
            for (_, member) in world.articulations_mut() {
                let detail = member.detail().clone();
                member.set_detail(Detail { metric, ..detail }).expect("valid");
            }
            world.set_budget(Some(60)).expect("valid");
            for _ in 0..200 {
                world.step(1e-3).expect("finite");
            }
            let bits = all(&world).flat_map(|m| m.state.q.iter().chain(&m.state.v));
            bits.map(|x| x.to_bits()).collect::<Vec<_>>()
        })
    };
    for metric in [Metric::Direct, Metric::Assembly] {
        let one = run(1, metric);
        assert!(run(2, metric) == one && run(5, metric) == one, "{metric:?}");
    }
}

#[test]
fn impossible_budgets_are_refused() {
    let mut world = world(3);
    assert_eq!(world.set_budget(Some(73)), Err(DetailError::TooManyJoints { wanted: 73, joints: 72 }));
    let base = |i| if i == 0 { Joint::free() } else { Joint::revolute(DVec3::Z) };
    let mut floating = world_of(vec![simulation(chain(4, base)); 5]);
    let error = floating.set_budget(Some(4)).expect_err("five bases float");
    assert_eq!(error, DetailError::TooFewJoints { wanted: 4, held: 5 });
    assert!(error.to_string().contains("at least"), "{error}");
    floating.set_budget(Some(7)).expect("valid");
    for _ in 0..50 {
        floating.step(1e-3).expect("finite");
        assert!(floating.active_joints() <= 7);
    }
}

/// What integrators remember of a step that failed is taken back with it, also of joints at less than full detail.
#[test]
fn a_world_goes_on_after_a_step_that_failed() {
    let mut one = simulation(chain(5, |_| Joint::revolute(DVec3::Z).damping(2e-3)));
    one.gravity = DVec3::new(0.0, -9.81, 0.0);
    for budget in 0..=5 {
        let mut world = world_of([one.clone()]);
        world.set_budget(Some(budget)).unwrap();
        for _ in 0..7 {
            world.step(1e-3).unwrap();
        }
        let load = |world: &mut World, moment: f64| {
            nth_mut(world, 0).tau.iter_mut().for_each(|tau| *tau = moment);
        };
        load(&mut world, 1.7e308);
        let failed = world.step(1e-3);
        load(&mut world, 0.0);
        for step in 0..20 {
            assert!(world.step(1e-3).is_ok(), "budget {budget}: step {step} after one that was {failed:?}");
        }
    }
}
