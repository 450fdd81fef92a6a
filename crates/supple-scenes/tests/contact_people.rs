//! People in reduced coordinates who fall on floors and on each other.

use supple::BodyId;
use supple::constraint::Frame;
use supple::world::{BodyRef, World, WorldReport};
use supple_scenes::{WorldStage, world_stage};

fn stage(name: &str, settings: &[(&str, &str)]) -> WorldStage {
    world_stage(name, settings).expect("the scene")
}

fn run(stage: &mut WorldStage, seconds: f64, mut look: impl FnMut(&World, &WorldReport)) {
    for _ in 0..(seconds / stage.dt).round() as usize {
        let report = stage.step(stage.dt).expect("a step");
        look(&stage.world, &report);
    }
}

/// Lowest point of all capsules \[m].
fn lowest(stage: &WorldStage) -> f64 {
    let low = |frame: Frame, shape: &supple_scenes::WorldShape| {
        frame.point(shape.from).z.min(frame.point(shape.to).z) - shape.radius
    };
    stage.shapes.iter().map(|s| low(stage.world.frame(s.body).unwrap(), s)).fold(f64::INFINITY, f64::min)
}

/// Distance between the two sides of each joint, seen from parent and child: reduced coordinates have none \[m].
fn gap(world: &World) -> f64 {
    let mut worst = 0.0f64;
    for (id, simulation) in world.articulations() {
        for (i, body) in simulation.model.bodies().iter().enumerate().skip(1) {
            let Some(parent) = body.parent else { continue };
            let frame = |b: BodyId| world.frame(BodyRef::Of(id, b)).unwrap();
            let socket = frame(parent).point(body.placement.translation);
            worst = worst.max(socket.distance(frame(BodyId::new(i)).position));
        }
    }
    worst
}

/// Someone alone on the floor falls asleep, however the fall began.
#[test]
fn a_person_who_fell_falls_asleep() {
    for seed in ["1", "2", "3", "8"] {
        let mut stage = stage("ragdolls-100", &[("count", "1"), ("seed", seed)]);
        let mut asleep = f64::INFINITY;
        run(&mut stage, 10.0, |world, report| {
            asleep = if report.awake == 0 { asleep.min(world.time()) } else { f64::INFINITY };
        });
        println!("seed {seed}: asleep after {asleep} s");
        assert!(asleep < 10.0, "seed {seed}: {} J", stage.world.energy().kinetic);
    }
}

/// People in a pit: joints hold, nobody goes through the floor, and all fall asleep.
#[test]
fn people_in_a_pit_fall_asleep() {
    // in the last one toes that beat against the floor once kept a leg going for ever
    for (count, seed) in [("12", "1"), ("12", "2"), ("30", "5")] {
        let mut stage = stage("ragdolls-100", &[("count", count), ("seed", seed)]);
        let (mut asleep, mut deepest) = (f64::INFINITY, 0.0f64);
        run(&mut stage, 10.0, |world, report| {
            asleep = if report.awake == 0 { asleep.min(world.time()) } else { f64::INFINITY };
            deepest = deepest.max(report.penetration_max);
        });
        println!(
            "seed {seed}: {deepest} m deep, asleep after {asleep} s, lowest point at {} m",
            lowest(&stage)
        );
        assert!(deepest < 0.02, "seed {seed}: {deepest} m");
        // rounding of positions of some metres
        assert!(gap(&stage.world) < 1e-12, "seed {seed}: {} m", gap(&stage.world));
        // a sixth of the thickness of an arm, where others lie on it
        assert!(lowest(&stage) > -0.015, "seed {seed}: {} m", lowest(&stage));
        assert!(asleep < 10.0, "seed {seed}: {} J", stage.world.energy().kinetic);
    }
}

/// Joints of skeletons hold in every heap.
#[test]
fn joints_of_skeletons_hold() {
    for (count, seed) in [("6", "2"), ("20", "1")] {
        let mut stage = stage("skeletons", &[("count", count), ("seed", seed)]);
        run(&mut stage, 2.0, |world, report| {
            assert!(report.gap_max < 1e-3, "count {count} seed {seed}, {} s: {report:?}", world.time());
        });
    }
}

/// A hundred people hit each other hard, and hardly penetrate.
#[test]
fn a_hundred_people_hardly_penetrate() {
    let mut stage = stage("ragdolls-100", &[]);
    let (mut deepest, mut awake) = (0.0f64, 0);
    let started = std::time::Instant::now();
    run(&mut stage, 6.0, |_, report| {
        deepest = deepest.max(report.penetration_max);
        awake = report.awake;
    });
    println!("{deepest} m deep, {awake} awake, {} s", started.elapsed().as_secs_f64());
    assert!(deepest < 0.03, "{deepest} m");
}

/// At any detail someone who falls loses energy only, ends on the floor, and lies still.
#[test]
fn a_falling_character_comes_to_lie_at_any_detail() {
    for active in ["0", "20", "14", "7"] {
        let mut stage = stage("falling-character", &[("active", active)]);
        let energy = |world: &World| world.energy().kinetic + world.energy().potential;
        let begin = energy(&stage.world);
        run(&mut stage, 4.0, |world, _| {
            // joint stops and the choice of joints are not exact: a thousandth
            assert!(
                energy(world) < begin * 1.001,
                "active {active}, {} s: {} J",
                world.time(),
                energy(world)
            );
        });
        println!("active {active}: lowest {} m, {} J", lowest(&stage), stage.world.energy().kinetic);
        assert!(lowest(&stage) > -0.015 && lowest(&stage) < 0.01, "active {active}: {} m", lowest(&stage));
        assert!(stage.world.energy().kinetic < 0.1, "active {active}: {} J", stage.world.energy().kinetic);
    }
}
