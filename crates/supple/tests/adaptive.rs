//! Adaptive dynamics of whole bodies in motion: what is left out is what was allowed, and the rest moves on.

mod common;

use common::{chain, simulation};
use glam::DVec3;
use supple::detail::{Detail, DetailError, Keep, Rule, Target};
use supple::{Axes, Integrator, Joint, Load, Simulation};

/// The chain of theory, section 13.1: 300 links released level.
fn pendulum(links: usize) -> Simulation {
    let mut simulation = simulation(chain(links, |_| Joint::revolute(DVec3::Z)));
    simulation.gravity = DVec3::new(0.0, -9.81, 0.0);
    simulation
}

fn tip(simulation: &Simulation) -> DVec3 {
    let kinematics = simulation.kinematics();
    let last = kinematics.links.last().expect("links");
    last.pose().point(DVec3::new(0.1, 0.0, 0.0))
}

fn active(simulation: &Simulation) -> usize {
    simulation.region().map_or(simulation.model.moving_joints(), |r| r.report().active)
}

/// Tip error, RMS over the first 1 and 2 s, at 1e-3 s, update every 20 steps: at least as good as theory, section 13.1.
#[test]
fn a_swinging_chain_needs_few_joints() {
    let mut reference = pendulum(300);
    reference.integrator = Integrator::Rk4;
    let tips: Vec<DVec3> = (0..2000)
        .map(|_| {
            reference.step(1e-3).expect("finite");
            tip(&reference)
        })
        .collect();
    for (joints, bar_1, bar_2) in [(1, 1.15, 3.3), (20, 0.015, 0.30), (50, 0.005, 0.078), (100, 0.005, 0.041)]
    {
        let mut chain = pendulum(300);
        chain.integrator = Integrator::Projection;
        chain.set_detail(Detail { rule: Rule::Tree, ..Detail::joints(joints) }).expect("valid");
        let (mut one, mut two) = (0.0, 0.0);
        for (i, tip_now) in tips.iter().enumerate() {
            chain.step(1e-3).expect("finite");
            assert!(active(&chain) <= joints);
            let error = (tip(&chain) - *tip_now).length_squared();
            one += if i < 1000 { error / 1000.0 } else { 0.0 };
            two += error / 2000.0;
        }
        let (one, two) = (one.sqrt(), two.sqrt());
        println!("{joints} joints: {one:.4} m, {two:.4} m");
        assert!(one <= bar_1 && two <= bar_2, "{joints} joints: {one} {two}");
    }
}

/// With a threshold a damped body that has come to rest falls to no active joints and stays there; a push wakes it.
#[test]
fn a_body_at_rest_falls_asleep_and_a_push_wakes_it() {
    for (name, integrator) in Integrator::ALL {
        if matches!(integrator, Integrator::Explicit | Integrator::Rk4 | Integrator::Adaptive { .. }) {
            continue;
        }
        let mut body = simulation(chain(6, |_| Joint::revolute(DVec3::Z).damping(0.1)));
        body.gravity = DVec3::new(0.0, -9.81, 0.0);
        body.integrator = integrator;
        body.state.q[0] = -1.2;
        body.set_detail(Detail { update_every: 10, ..Detail::error(1e-3, 1e-6) }).expect("valid");
        let mut steps = 0;
        // updates go on to try joints for a step until the body is as near to equilibrium as was asked for
        let busy = |body: &Simulation| active(body) > 0;
        while busy(&body) || steps < 20 {
            body.step(1.0 / 240.0).expect("finite");
            steps += 1;
            assert!(steps < 60 * 240, "{name}: {} joints still active after a minute", active(&body));
        }
        let (q, asleep_after) = (body.state.q.clone(), steps);
        for _ in 0..1000 {
            body.step(1.0 / 240.0).expect("finite");
            assert!(!busy(&body), "{name}: jitter");
        }
        assert_eq!(body.state.q, q, "{name}");
        assert!(body.state.v.iter().all(|v| *v == 0.0));
        // hanging straight down but for what the threshold forgives
        assert!((tip(&body) - DVec3::new(0.0, -0.6, 0.0)).length() < 0.01, "{name}: {}", tip(&body));

        let last = body.model.body("link5").expect("the last link");
        let wrench = supple::Force::new(DVec3::ZERO, DVec3::new(0.5, 0.0, 0.0));
        body.wrenches.push(Load { body: last, wrench, axes: Axes::World });
        (0..10).for_each(|_| {
            body.step(1.0 / 240.0).expect("finite");
        });
        assert!(active(&body) > 0, "{name}: a push must wake it");
        println!("{name}: asleep after {asleep_after} steps, {} joints awake after a push", active(&body));
    }
}

/// What an update leaves out of the accelerations is no more than what was allowed.
#[test]
fn the_error_left_out_is_within_the_bound() {
    for seed in 0..20 {
        let mut case = common::Case::random(30, seed);
        case.v.fill(0.0);
        let mut body = case.simulation();
        let bound = 10.0;
        body.set_detail(Detail { update_every: 1, ..Detail::error(bound, 1e-2) }).expect("valid");
        for _ in 0..50 {
            if body.step(1e-3).is_err() {
                break;
            }
            let report = body.region().expect("a region").report();
            assert!(report.acceleration_left_out <= bound, "seed {seed}: {report:?}");
            assert!(report.velocity_left_out.metric <= 1e-2, "seed {seed}: {report:?}");
        }
    }
}

/// Joints kept active or rigid by hand are; a floating base is never frozen.
#[test]
fn joints_can_be_held() {
    let mut body = simulation(chain(10, |i| if i == 0 { Joint::free() } else { Joint::revolute(DVec3::Z) }));
    let joint = |body: &Simulation, name: &str| body.model.joint(name).expect("a joint");
    let keep = vec![(joint(&body, "link4"), Keep::Active), (joint(&body, "link7"), Keep::Rigid)];
    body.set_detail(Detail { keep, update_every: 3, ..Detail::joints(4) }).expect("valid");
    body.state.v[3] = 1.0;
    for _ in 0..60 {
        body.step(1.0 / 240.0).expect("finite");
        let active = body.region().expect("a region").active();
        assert!(active.contains(0) && active.contains(4) && !active.contains(7));
        assert!(active.len() <= 4);
        assert_eq!(body.state.q[body.model.joints()[7].q], 0.0);
    }
}

/// Kinetic energy never rises and momenta stay when a floating body's joints are frozen in motion.
#[test]
fn a_floating_body_keeps_its_momenta_while_its_region_changes() {
    let mut body = simulation(chain(20, |i| if i == 0 { Joint::free() } else { Joint::spherical() }));
    body.gravity = DVec3::ZERO;
    let mut rng = common::Rng::new(3, 0);
    body.state.v.iter_mut().for_each(|v| *v = rng.range(-1.0, 1.0));
    let (start, mut energy) = (body.momentum(), body.energy().kinetic);
    body.set_detail(Detail { update_every: 5, ..Detail::joints(6) }).expect("valid");
    for _ in 0..600 {
        body.step(1.0 / 240.0).expect("finite");
        let now = body.energy().kinetic;
        assert!(now <= energy * (1.0 + 1e-9), "{now} > {energy}");
        energy = now;
    }
    let end = body.momentum();
    assert!((end.linear - start.linear).length() <= 1e-10 * start.linear.length().max(1.0));
    assert!((end.angular_about_com - start.angular_about_com).length() <= 1e-10);
}

/// Same bits every run, and a body of which all joints are held active is the plain simulation, bit for bit.
#[test]
fn detail_is_deterministic_and_full_detail_is_plain() {
    let run = |detail: Option<Detail>| {
        let mut body = pendulum(40);
        if let Some(detail) = detail {
            body.set_detail(detail).expect("valid");
        }
        (0..300).for_each(|_| {
            body.step(1.0 / 240.0).expect("finite");
        });
        body.state.q.iter().chain(&body.state.v).map(|x| x.to_bits()).collect::<Vec<_>>()
    };
    assert_eq!(run(Some(Detail::joints(7))), run(Some(Detail::joints(7))));
    let model = pendulum(40).model;
    let keep = (0..40).map(|i| (model.joint(&format!("link{i}")).expect("a joint"), Keep::Active)).collect();
    let held = Detail { keep, target: Target::Joints(40), update_every: u32::MAX, ..Detail::default() };
    // the first step is an update, which forgets the integrator's memory: there is none yet
    assert_eq!(run(Some(held)), run(None));
}

#[test]
fn impossible_details_are_refused() {
    let mut body = pendulum(5);
    let refused =
        |body: &mut Simulation, detail| body.set_detail(detail).expect_err("impossible").to_string();
    let message = refused(&mut body, Detail::joints(6));
    assert!(message.contains('6') && message.contains('5'), "{message}");
    let message = refused(&mut body, Detail::error(-1.0, 0.0));
    assert!(message.contains("-1") && message.contains("rad²/s⁴"), "{message}");
    assert!(refused(&mut body, Detail::error(0.0, f64::NAN)).contains("velocity"));
    assert!(refused(&mut body, Detail { update_every: 0, ..Detail::joints(1) }).contains("every 0"));
    let nobody = vec![(supple::JointId::new(17), Keep::Rigid)];
    let error = body.set_detail(Detail { keep: nobody, ..Detail::joints(1) });
    assert_eq!(error, Err(DetailError::NoSuchJoint { joint: 17 }));
    assert!(body.region().is_none(), "what was refused changes nothing");
}

/// Every integrator serves at any detail: frozen joints stay where they are, and what moves moves as the full body does.
#[test]
fn every_integrator_serves_at_any_detail() {
    for (name, integrator) in Integrator::ALL {
        let run = |detail: Option<Detail>| {
            let mut body = simulation(chain(12, |i| match i % 3 {
                0 => Joint::revolute(DVec3::Z),
                1 => Joint::spherical(),
                _ => Joint::revolute(DVec3::Y),
            }));
            body.integrator = integrator;
            if let Some(detail) = detail {
                body.set_detail(detail).expect("valid");
            }
            let start = body.energy().total();
            for _ in 0..400 {
                body.step(1e-3).expect(name);
            }
            (tip(&body), body.energy().total() - start)
        };
        let (full, _) = run(None);
        for joints in [1, 5, 12] {
            let (at, gained) = run(Some(Detail { update_every: 7, ..Detail::joints(joints) }));
            println!("{name}, {joints} joints: {:.1e} m off, {gained:+.1e} J", (at - full).length());
            // the scale of its energy is 7 J; Euler's steps gain some hundredths of a joule at full detail too, the others nothing
            let euler = matches!(integrator, Integrator::Explicit | Integrator::SemiImplicit);
            let most = if euler { 0.1 } else { 1e-9 };
            assert!(gained < most, "{name}, {joints} joints: gained {gained} J");
            // the chain is 1.2 m long and has fallen for 0.4 s
            let far = [0.25, 0.1, 1e-4][usize::from(joints > 1) + usize::from(joints > 5)];
            assert!((at - full).length() < far, "{name}, {joints} joints: {at} not {full}");
        }
    }
}
