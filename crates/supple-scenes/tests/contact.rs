//! What scenes with contact must show: the physics that everyone knows.

use glam::DVec3;
use supple::world::{SingleId, World, WorldReport};
use supple_scenes::Stage;

/// Gravity of all worlds here \[m/s²].
const G: f64 = 9.81;

fn stage(name: &str, settings: &[(&str, &str)]) -> Stage {
    supple_scenes::stage(name, settings).expect("the scene")
}

fn body(world: &World, name: &str) -> SingleId {
    world.find_body(name).expect("the body")
}

fn energy(world: &World) -> f64 {
    let energy = world.energy();
    energy.kinetic + energy.potential
}

/// Runs a scene for so many seconds; `look` sees the world after every step.
fn run(stage: &mut Stage, seconds: f64, mut look: impl FnMut(&World, &WorldReport)) {
    for _ in 0..(seconds / stage.step_length(None).0).round() as usize {
        let report = stage.step(stage.step_length(None).0).expect("a step");
        look(&stage.world, &report);
    }
}

/// How far single bodies are from where they were at first.
fn farthest(world: &World, first: &World) -> f64 {
    let way = |id: SingleId| world.body(id).unwrap().centre().distance(first.body(id).unwrap().centre());
    first.bodies().map(|(id, _)| way(id)).fold(0.0, f64::max)
}

/// Three boxes stand for ten seconds within a tenth of a millimetre of where they were put, ten within two, and sleep.
#[test]
fn a_stack_stands_still() {
    for (boxes, most) in [("3", 1e-4), ("10", 2e-3)] {
        let mut stage = stage("stack-10", &[("boxes", boxes)]);
        let first = stage.world.clone();
        let mut drift = 0.0f64;
        run(&mut stage, 10.0, |world, _| drift = drift.max(farthest(world, &first)));
        println!("{boxes} boxes: drift {drift} m");
        assert!(drift < most, "{boxes} boxes: {drift} m");
        assert!(stage.world.bodies().all(|(_, b)| b.is_asleep()));
    }
}

/// A box slides if and only if μ < tan θ, with the acceleration g (sin θ − μ cos θ).
#[test]
fn a_box_slides_if_and_only_if_friction_is_less_than_the_slope() {
    for angle in [10.0, 30.0, 45.0f64] {
        let (sin, cos) = angle.to_radians().sin_cos();
        for share in [0.0, 0.5, 0.9, 0.98, 1.02, 1.1, 2.0] {
            let friction = share * sin / cos;
            let settings = [("angle", &*angle.to_string()), ("friction", &*friction.to_string())];
            let mut stage = stage("incline", &settings);
            // what slides by less than 0.05 m/s for half a second would fall asleep
            stage.world.settings.contact.sleep = share > 1.0;
            let id = body(&stage.world, "box");
            // begins to touch first
            run(&mut stage, 0.2, |_, _| {});
            let (from, speed) =
                (stage.world.frame(id).unwrap().position, stage.world.body(id).unwrap().velocity());
            run(&mut stage, 1.0, |_, _| {});
            let way = stage.world.frame(id).unwrap().position.distance(from);
            let gained = stage.world.body(id).unwrap().velocity().length() - speed.length();
            if share > 1.0 {
                assert!(way < 1e-4 && gained < 1e-4, "{angle}°, μ {friction}: {way} m");
            } else {
                let expected = G * (sin - friction * cos);
                // one per cent of the acceleration, or of what friction is short of the threshold's weight
                let off = (gained - expected).abs() / expected.max(0.02 * G);
                assert!(off < 0.01, "{angle}°, μ {friction}: {gained} m/s after 1 s, not {expected}");
            }
        }
    }
}

/// All dominoes fall, one after another, and lie still then.
#[test]
fn dominoes_fall_one_after_another() {
    let mut stage = stage("dominoes", &[]);
    let ids: Vec<SingleId> = stage.world.bodies().map(|(id, _)| id).collect();
    assert_eq!(ids.len(), 40);
    let mut fell = vec![None; ids.len()];
    let leans = |world: &World, id: SingleId| (world.frame(id).unwrap().rotation * DVec3::Z).x;
    let seconds = stage.seconds.unwrap();
    run(&mut stage, seconds, |world, _| {
        for (id, at) in ids.iter().zip(&mut fell) {
            // 20 degrees: more than it can come back from
            if at.is_none() && leans(world, *id) > 0.34 {
                *at = Some(world.time());
            }
        }
    });
    let fell: Vec<f64> = fell.into_iter().map(|at| at.expect("all fall")).collect();
    println!("arrivals {fell:.2?}");
    assert!(fell.windows(2).all(|two| two[0] < two[1]), "{fell:?}");
    // a wave of constant speed: the second half takes as long as the first within a quarter
    let halves = [fell[19] - fell[5], fell[33] - fell[19]];
    assert!((halves[1] / halves[0] - 1.0).abs() < 0.25, "{halves:?}");
    assert!(ids.iter().all(|id| leans(&stage.world, *id) > 0.7));
    assert!(stage.world.bodies().all(|(_, b)| b.is_asleep()));
}

/// Unless the first is pushed hard enough: then all stand.
#[test]
fn dominoes_stand_unless_the_first_is_pushed_hard_enough() {
    let mut stage = stage("dominoes", &[("push", "1.0"), ("count", "5")]);
    run(&mut stage, 3.0, |_, _| {});
    let upright = |id: SingleId| (stage.world.frame(id).unwrap().rotation * DVec3::Z).z;
    assert!(stage.world.bodies().all(|(id, _)| upright(id) > 0.999));
}

/// Two, three and four storeys of cards stand.
#[test]
fn a_house_of_cards_stands() {
    for storeys in ["2", "3", "4"] {
        let mut stage = stage("card-house", &[("storeys", storeys)]);
        let first = stage.world.clone();
        run(&mut stage, 10.0, |_, _| {});
        let drift = farthest(&stage.world, &first);
        println!("{storeys} storeys: cards moved by {drift} m");
        // a tenth of a card's length
        assert!(drift < 0.02, "{storeys} storeys: {drift} m");
        assert!(stage.world.bodies().all(|(_, b)| b.is_asleep()), "{storeys} storeys");
    }
}

/// On a slippery table the house of cards falls.
#[test]
fn a_house_of_cards_falls_without_friction() {
    let mut stage = stage("card-house", &[("friction", "0.2")]);
    let height = |world: &World| world.bodies().map(|(_, b)| b.centre().z).fold(0.0, f64::max);
    let first = height(&stage.world);
    run(&mut stage, 5.0, |_, _| {});
    assert!(height(&stage.world) < 0.5 * first, "{} of {first}", height(&stage.world));
}

/// Of five balls only the outer ones move, in turns, as high as the first one was lifted.
#[test]
fn newtons_cradle_gives_one_ball_for_one() {
    for lifted in [1, 2] {
        let mut stage = stage("newton-cradle", &[("lifted", &lifted.to_string())]);
        let ids: Vec<SingleId> = (0..5).map(|i| body(&stage.world, &format!("ball {i}"))).collect();
        let begin = energy(&stage.world);
        let rest = 5.0 * 4.1 * G * 0.5;
        let height = begin + rest;
        let (mut highest, mut most_of_others) = ([0.0f64; 5], 0.0f64);
        run(&mut stage, 5.0, |world, report| {
            assert!(report.gap_max < 1e-4, "{report:?}");
            // energy within a few per cent of what was lifted
            let off = (energy(world) - begin) / height;
            assert!(off.abs() < 0.05, "{lifted} lifted, {} s: {off}", world.time());
            // once the first ball has rested, and is thrown up again
            for (id, highest) in ids.iter().zip(&mut highest).filter(|_| world.time() > 1.0) {
                *highest = highest.max(world.body(*id).unwrap().centre().z + 0.5);
            }
            for id in &ids[lifted..5 - lifted] {
                most_of_others = most_of_others.max(world.body(*id).unwrap().velocity().length());
            }
        });
        println!("{lifted} lifted: heights {highest:?}, others {most_of_others} m/s");
        let up = 0.5 * (1.0 - 40f64.to_radians().cos());
        for i in (0..lifted).chain(5 - lifted..5) {
            assert!((highest[i] / up - 1.0).abs() < 0.1, "{lifted} lifted: {highest:?} of {up}");
        }
        // the middle balls hardly stir: they would come to 1.5 m/s
        assert!(most_of_others < 0.15, "{lifted} lifted: {most_of_others} m/s");
    }
}

/// How the axis of the top points.
fn axis(world: &World) -> DVec3 {
    world.frame(body(world, "top")).unwrap().rotation * DVec3::Z
}

/// A fast top stands, and its axis goes round with m g l / (I₃ ω); a slow one falls.
#[test]
fn a_top_stands_while_it_spins_fast() {
    for spin in [60.0, 100.0] {
        let mut stage = stage("spinning-top", &[("spin", &spin.to_string())]);
        let (mut turned, mut last) = (0.0, axis(&stage.world));
        run(&mut stage, 5.0, |world, _| {
            let now = axis(world);
            turned += (last.truncate()).angle_to(now.truncate());
            last = now;
            assert!(now.z > 20f64.to_radians().cos(), "leans by {} at {} s", now.z.acos(), world.time());
        });
        let expected = 5.0 * G * 0.1 / (0.5 * 0.15 * 0.15 * spin);
        println!("spin {spin}: {turned} rad of {expected}");
        // terms of order (Ω/ω) and of the inertia about the tip are left out
        assert!((turned / expected - 1.0).abs() < 0.1, "spin {spin}: {turned} rad, not {expected}");
    }
    for spin in [0.0, 8.0] {
        let mut stage = stage("spinning-top", &[("spin", &spin.to_string())]);
        let mut lowest = 1.0f64;
        run(&mut stage, 2.0, |world, _| lowest = lowest.min(axis(world).z));
        // until the rim touches the floor, 0.15 m beside the axis and 0.085 m above the tip: at 29.5 degrees
        assert!(lowest < 29f64.to_radians().cos(), "spin {spin}: {lowest}");
    }
}
