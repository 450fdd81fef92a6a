//! What the scenes of Weinstein, Teran & Fedkiw 2006 must show.

use glam::DVec3;
use supple::world::{ConstraintId, SingleId, World, WorldReport};
use supple_scenes::{Stage, gallery};

fn stage(name: &str, settings: &[(&str, &str)]) -> Stage {
    supple_scenes::stage(name, settings).expect("the scene")
}

fn joint(world: &World, name: &str) -> ConstraintId {
    world.constraints().find(|(_, c)| c.name == name).expect("the joint").0
}

fn body(world: &World, name: &str) -> SingleId {
    world.bodies().find(|(_, b)| b.name == name).expect("the body").0
}

fn energy(world: &World) -> f64 {
    let energy = world.energy();
    energy.kinetic + energy.potential
}

/// Runs a scene for so many seconds; `look` sees the world after every step.
/// Scenes of worlds, which come after those of articulations.
fn worlds() -> &'static [supple_scenes::Scene] {
    let first = gallery().iter().position(|scene| scene.name == "pendulum-constraints").unwrap();
    &gallery()[first..]
}

fn run(stage: &mut Stage, seconds: f64, mut look: impl FnMut(&World, &WorldReport)) {
    for _ in 0..(seconds / stage.step_length(None).0).round() as usize {
        let report = stage.step(stage.step_length(None).0).expect("a step");
        look(&stage.world, &report);
    }
}

#[test]
fn every_world_is_deterministic_and_has_shapes_that_fit() {
    for scene in worlds() {
        let mut twins = [(); 2].map(|()| scene.build(&scene.parameters()).unwrap());
        for twin in &mut twins {
            for shape in &twin.shapes {
                assert!(shape.radius > 0.0 && twin.world.frame(shape.body).is_ok(), "{}", scene.name);
            }
            for _ in 0..3 {
                twin.step(twin.step_length(None).0).unwrap();
            }
        }
        let [a, b] = twins.map(|t| {
            let singles = t.world.bodies().map(|(_, b)| (b.frame(), b.velocity())).collect::<Vec<_>>();
            let joints = t.world.articulations().map(|(_, a)| a.state.q.clone()).collect::<Vec<_>>();
            (singles, joints)
        });
        assert!(a == b && a.0.len() + a.1.len() > 0, "{}", scene.name);
        assert!(!scene.summary.is_empty() && !scene.summary.contains('\n'), "{}", scene.name);
    }
}

/// Figure 9: all joints hold, also with one body 1000 times heavier, and what is free moves.
#[test]
fn figure_9_joints_hold_and_free_axes_move() {
    for ratio in ["1", "1000", "0.001"] {
        let mut stage = stage("joints", &[("mass_ratio", ratio)]);
        let [point, hinge, twist, rigid] =
            ["point", "hinge", "twist", "rigid"].map(|n| joint(&stage.world, n));
        let start = energy(&stage.world);
        let mut moved = [0.0f64; 4];
        run(&mut stage, 5.0, |world, report| {
            assert_eq!(report.unsolved, 0, "ratio {ratio}");
            assert!(report.gap_max < 1e-6 && report.angle_max < 1e-6, "ratio {ratio}: {report:?}");
            let turned = |id| world.joint_frame(id).unwrap().rotation.to_axis_angle().1;
            for (most, id) in moved.iter_mut().zip([point, hinge, twist, rigid]) {
                *most = most.max(turned(id).abs());
            }
            let scale = world.energy().kinetic.max(1.0);
            assert!((energy(world) - start).abs() < 2e-3 * scale.max(start.abs()), "ratio {ratio}");
        });
        assert!(moved[..3].iter().all(|turn| *turn > 0.2), "ratio {ratio}: {moved:?}");
        assert!(moved[3] < 1e-6, "ratio {ratio}: {moved:?}");
    }
}

/// How far B3 is ahead of the joint of B1 and B2.
fn ahead(world: &World) -> f64 {
    let knuckle = world.frame(body(world, "B1")).unwrap().point(DVec3::new(0.0, 0.0, -0.5));
    world.frame(body(world, "B3")).unwrap().position.x - knuckle.x
}

/// Figure 10: B3 is pushed ahead by impulses before positions; where positions are corrected afterwards, it is passed.
#[test]
fn figure_10_pre_stabilization_never_passes_what_is_in_the_way() {
    let mut pre = stage("blocked", &[]);
    let begin = energy(&pre.world);
    run(&mut pre, 0.5, |world, report| {
        assert!(report.gap_max < 1e-4, "{report:?}");
        assert!(ahead(world) > 0.1 - 1e-4, "{}", ahead(world));
        assert!(energy(world) < begin * (1.0 + 1e-9));
    });
    let mut post = stage("blocked", &[("stabilize", "post")]);
    assert!(ahead(&post.world) > 0.1);
    post.step(post.step_length(None).0).unwrap();
    let dt = post.step_length(None).0;
    post.script.prepare(&mut post.world, dt).unwrap();
    assert!(ahead(&post.world) < -0.1 + 1e-6, "{}", ahead(&post.world));
}

/// Figure 1: letters slide and twist, and none leaves the door.
#[test]
fn figure_1_letters_stay_on_the_door() {
    let mut stage = stage("magnets", &[]);
    let bodies: Vec<SingleId> = stage.world.bodies().map(|(id, _)| id).collect();
    let start: Vec<_> = bodies.iter().map(|id| stage.world.frame(*id).unwrap()).collect();
    let mut last = energy(&stage.world);
    let seconds = stage.seconds.unwrap();
    run(&mut stage, seconds, |world, report| {
        assert_eq!(report.unsolved, 0);
        assert!(report.angle_max < 1e-6);
        for id in &bodies {
            assert!(world.frame(*id).unwrap().position.y.abs() < 1e-6);
        }
        let now = energy(world);
        assert!(now <= last + 1e-9, "{now} after {last}");
        last = now;
    });
    assert_eq!(bodies.len(), 210);
    let way = |(id, from): (&SingleId, &supple::constraint::Frame)| {
        let to = stage.world.frame(*id).unwrap();
        (from.position.z - to.position.z, to.rotation.angle_between(from.rotation))
    };
    let ways: Vec<_> = bodies.iter().zip(&start).map(way).collect();
    assert!(ways.iter().all(|(down, _)| (0.5..0.9).contains(down)), "{ways:?}");
    assert!(ways.iter().filter(|(_, turn)| *turn > 0.3).count() > 100);
    assert!(stage.world.energy().kinetic < 1e-9);
}

/// Figure 2: the net falls into its ties, swings, and comes to rest.
#[test]
fn figure_2_the_net_holds_its_weights() {
    let mut stage = stage("net", &[]);
    assert_eq!(stage.world.bodies().filter(|(_, b)| !b.name.starts_with("weight")).count(), 736);
    assert!(stage.world.constraints().count() >= 960);
    let (seconds, mut gap_at_rest) = (stage.seconds.unwrap(), 0.0f64);
    let begin = energy(&stage.world);
    run(&mut stage, seconds, |world, report| {
        assert!(report.gap_max < 1e-3, "{report:?}");
        assert!(energy(world) < begin + 1e-6);
        if world.time() > seconds - 1.0 {
            gap_at_rest = gap_at_rest.max(report.gap_max);
        }
    });
    assert!(gap_at_rest < 1e-4, "{gap_at_rest}");
    let fastest = stage.world.bodies().map(|(_, b)| b.velocity().length()).fold(0.0, f64::max);
    assert!(fastest < 5e-3, "{fastest}");
    // the ties bear all that hangs there
    let weight: f64 = stage.world.bodies().map(|(_, b)| b.mass()).sum::<f64>() * 9.81;
    let ties = stage.world.constraints().filter(|(_, c)| c.name.starts_with("tie"));
    let held: f64 = ties.map(|(id, _)| stage.world.force_of(id).unwrap().linear.z).sum();
    assert!((held / weight - 1.0).abs() < 1e-3, "{held} of {weight}");
}

/// Figure 3: the bridge bears a truck.
#[test]
fn figure_3_the_bridge_bears_a_truck() {
    let mut stage = stage("bridge", &[]);
    assert_eq!(stage.world.bodies().count(), 102);
    let middle = body(&stage.world, "plank 10");
    let height = |world: &World| world.frame(middle).unwrap().position.z;
    let (start, mut lowest) = (height(&stage.world), f64::INFINITY);
    let seconds = stage.seconds.unwrap();
    run(&mut stage, seconds, |world, report| {
        assert!(report.gap_max < 1e-3, "{report:?}");
        lowest = lowest.min(height(world));
    });
    assert!((0.01..1.0).contains(&(start - lowest)), "{start} {lowest}");
    assert!((height(&stage.world) - start).abs() < 0.2);
    assert!(stage.world.energy().kinetic < 20.0);
}

/// Figures 4 and 7: treads run for a minute, and no gear is ever without links.
#[test]
fn figures_4_and_7_treads_do_not_slip_off() {
    let mut stage = stage("treads", &[]);
    let gears: Vec<SingleId> = stage
        .world
        .bodies()
        .filter(|(_, b)| ["front", "back"].contains(&b.name.as_str()))
        .map(|(id, _)| id)
        .collect();
    let link = body(&stage.world, "link 0");
    let (mut rounds, mut before) = (0.0, 0.0);
    let seconds = stage.seconds.unwrap();
    run(&mut stage, seconds, |world, _| {
        for gear in &gears {
            let on_gear = |name: &str| name.ends_with("tooth") || name.ends_with("circle");
            let links =
                world.constraints().filter(|(_, c)| c.parent == (*gear).into() && on_gear(&c.name)).count();
            assert!(links >= 4, "{links} links at {} s", world.time());
        }
        let at = world.frame(link).unwrap().position;
        let angle = at.z.atan2(at.x);
        rounds +=
            (angle - before + std::f64::consts::PI).rem_euclid(std::f64::consts::TAU) - std::f64::consts::PI;
        before = angle;
    });
    // 34 links go round while a gear with 12 teeth turns 34/12 times
    let expected = 3.0 * seconds * 12.0 / 34.0;
    assert!((rounds.abs() / expected - 1.0).abs() < 0.02, "{rounds} of {expected} rad");
}
