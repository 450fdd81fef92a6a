//! Mechanisms with closed loops against their closed forms.

use std::f64::consts::TAU;

use glam::{DQuat, DVec2, DVec3};
use supple::Integrator;
use supple::constraint::Frame;
use supple::spatial::rotation;
use supple::world::{BodyRef, ConstraintId, World};
use supple_scenes::Stage;

/// Greatest error of a position \[m or rad].
const CLOSE: f64 = 1e-5;

fn build(name: &str, settings: &[(&str, &str)]) -> Stage {
    supple_scenes::stage(name, settings).expect("the scene")
}

/// The body with this name.
fn body(world: &World, name: &str) -> BodyRef {
    let single = world.bodies().find(|(_, b)| b.name == name).map(|(id, _)| id.into());
    let of = || world.articulations().find_map(|(id, a)| Some((id, a.model.body(name)?).into()));
    single.or_else(of).expect("the body")
}

fn frame(world: &World, name: &str) -> Frame {
    world.frame(body(world, name)).expect("a body")
}

fn constraint(world: &World, name: &str) -> ConstraintId {
    world.constraints().find(|(_, c)| c.name == name).expect("the constraint").0
}

fn step(stage: &mut Stage, dt: f64) {
    let report = stage.step(dt).expect("a step");
    assert_eq!(report.unsolved, 0, "{report:?}");
}

/// Point of the coupler of the four-bar linkage, 0.2 m off the middle, by the law of cosines: in the xz-plane.
fn coupler_point(theta: f64) -> DVec2 {
    let (ground, crank, coupler, rocker) = (1.0, 0.3, 0.9, 0.7f64);
    let a = DVec2::from_angle(theta) * crank;
    let d = DVec2::new(ground, 0.0) - a;
    let cos = (coupler * coupler + d.length_squared() - rocker * rocker) / (2.0 * coupler * d.length());
    let along = DVec2::from_angle(d.to_angle() + cos.acos());
    a + along * (0.5 * coupler) + along.perp() * 0.2
}

fn flat(v: DVec3) -> DVec2 {
    assert!(v.y.abs() < 1e-9, "leaves the plane: {v}");
    DVec2::new(v.x, v.z)
}

#[test]
fn the_coupler_of_a_four_bar_follows_the_closed_form_in_either_coordinates() {
    for coordinates in ["maximal", "reduced"] {
        for steps in [60, 240] {
            let mut stage = build("four-bar", &[("coordinates", coordinates)]);
            let start = coupler_point(0.0);
            let local = frame(&stage.world, "coupler").inverse().point(DVec3::new(start.x, 0.0, start.y));
            let mut worst = 0.0f64;
            for k in 1..=3 * steps {
                step(&mut stage, 1.0 / f64::from(steps));
                let at = flat(frame(&stage.world, "coupler").point(local));
                worst = worst.max(at.distance(coupler_point(TAU * f64::from(k) / f64::from(steps))));
            }
            println!("four-bar, {coordinates}, {steps} steps per turn: {worst:.1e} m over 3 turns");
            assert!(worst < CLOSE, "{coordinates}: {worst}");
        }
    }
}

#[test]
fn the_slider_of_a_slider_crank_follows_the_closed_form() {
    let (crank, rod, offset) = (0.3, 0.8, 0.1);
    let mut stage = build("slider-crank", &[]);
    let mut worst = 0.0f64;
    for k in 1..=3 * 60 {
        step(&mut stage, 1.0 / 60.0);
        let (sin, cos) = (TAU * f64::from(k) / 60.0).sin_cos();
        let up = offset - crank * sin;
        let expected = DVec3::new(crank * cos + (rod * rod - up * up).sqrt(), 0.0, offset);
        worst = worst.max(frame(&stage.world, "slider").position.distance(expected));
    }
    println!("slider-crank: {worst:.1e} m over 3 turns");
    assert!(worst < CLOSE, "{worst}");
}

/// Four hinges of 5 rows each and a motor on 18 coordinates; it turns all the way round nevertheless.
#[test]
fn bennetts_linkage_moves_and_keeps_its_relation() {
    for (alpha, beta) in [(40.0, 75.0), (100.0, 30.0f64)] {
        let mut stage = build("bennett", &[("alpha", &format!("{alpha}")), ("beta", &format!("{beta}"))]);
        let [input, output, opposite] = [0, 1, 2].map(|i| constraint(&stage.world, &format!("hinge {i}")));
        let (a, b) = (f64::to_radians(alpha), f64::to_radians(beta));
        let ratio = ((b + a) / 2.0).sin() / ((b - a) / 2.0).sin();
        let (mut worst, mut least, mut most) = (0.0f64, f64::MAX, f64::MIN);
        for k in 1..=3 * 120 {
            // Newton ends at 1e-7 instead of 1e-9 in some steps: rows that repeat others contradict them until the loop is closed
            let report = stage.step(1.0 / 120.0).expect("a step");
            assert!(report.error < 1e-6, "{report:?}");
            let angle = |id| stage.world.coordinate(id, 0).expect("an angle");
            let theta = 1.2 + TAU * f64::from(k) / 120.0;
            // tan(θ/2) tan(φ/2) = ratio, as an angle that may pass π
            let phi = 2.0 * (ratio * (theta / 2.0).cos()).atan2((theta / 2.0).sin());
            for (id, expected) in [(input, theta), (output, phi), (opposite, -theta)] {
                worst = worst.max(((angle(id) - expected) / 2.0).sin().abs() * 2.0);
            }
            (least, most) = (least.min(angle(output)), most.max(angle(output)));
        }
        println!("bennett {alpha}° {beta}°: {worst:.1e} rad over 3 turns");
        assert!(worst < CLOSE, "{worst}");
        assert!(most - least > 6.0, "the output turns all the way round: {least} {most}");
    }
}

/// Where the scene says that the platform is to be.
fn platform(t: f64) -> Frame {
    let wave = |turns: f64, phase: f64| (TAU * turns * t + phase).sin();
    let position = DVec3::new(0.15 * wave(0.5, 0.0), 0.12 * wave(0.7, 0.4), 1.1 + 0.1 * wave(0.9, 1.0));
    let turn = DVec3::new(0.25 * wave(0.6, 0.3), 0.2 * wave(0.8, 1.7), 0.3 * wave(0.4, 2.0));
    Frame::new(position, rotation::exp(turn))
}

#[test]
fn a_stewart_platform_is_where_its_legs_say() {
    let mut stage = build("stewart", &[]);
    let dt = stage.step_length(None).0;
    let (mut worst, mut turned, mut moved) = (0.0f64, 0.0f64, 0.0f64);
    for _ in 0..480 {
        step(&mut stage, dt);
        let (at, goal) = (frame(&stage.world, "platform"), platform(stage.world.time()));
        worst = worst.max(at.position.distance(goal.position));
        turned = turned.max(rotation::log(at.rotation * DQuat::conjugate(goal.rotation)).length());
        moved = moved.max(goal.position.distance(platform(0.0).position));
    }
    println!("stewart: {worst:.1e} m, {turned:.1e} rad while it moves by {moved:.2} m");
    assert!(worst < CLOSE && turned < CLOSE && moved > 0.2, "{worst} {turned} {moved}");
}

/// Middles of the links of both chains after half a second in `steps` steps: constraints, and reduced coordinates.
fn both_chains(steps: u32, integrator: Integrator) -> [Vec<DVec3>; 2] {
    let mut stage = build("chain-both", &[]);
    let (id, _) = stage.world.articulations().next().expect("the articulation");
    stage.world.articulation_mut(id).expect("the articulation").integrator = integrator;
    for _ in 0..steps {
        step(&mut stage, 0.5 / f64::from(steps));
    }
    let single = stage.world.bodies().map(|(_, b)| b.frame().position).collect();
    let middle = DVec3::new(0.05, -0.5, 0.0);
    let count = stage.world.articulation(id).expect("the articulation").model.bodies().len();
    let link = |i| frame(&stage.world, &format!("link {i}"));
    let links = (0..count).map(|i| link(i).point(DVec3::X * middle.x) + DVec3::Y * middle.y).collect();
    [single, links]
}

/// Both chains converge to the same motion with the square of the step.
#[test]
fn a_chain_moves_alike_in_constraints_and_in_reduced_coordinates() {
    let [_, exact] = both_chains(2000, Integrator::Rk4);
    let worst = |chain: &[DVec3]| chain.iter().zip(&exact).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    let errors = [500, 1000, 2000].map(|steps| both_chains(steps, Integrator::Default).map(|c| worst(&c)));
    for (i, name) in ["constraints", "reduced"].into_iter().enumerate() {
        let e = errors.map(|pair: [f64; 2]| pair[i]);
        let order = [(e[0] / e[1]).log2(), (e[1] / e[2]).log2()];
        println!("chain-both, {name}: errors {e:?} m, orders {order:.2?}");
        assert!(order.iter().all(|o| (1.7..2.4).contains(o)), "{name}: {order:?}");
        assert!(e[2] < 2e-6, "{name}: {e:?}");
    }
}
