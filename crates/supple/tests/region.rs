//! Updates of the active region: what they may visit, how they come to the same joints by two ways, and when they happen.

mod common;

use common::{Case, Rng, chain, simulation};
use glam::DVec3;
use supple::detail::{Detail, JointWeight, Keep, Metric, Rule, Target, Weights};
use supple::model::LinkId;
use supple::{Axes, BodyId, Force, Integrator, Joint, Load, Simulation, State};

/// A chain of hinges, level, under gravity across it.
fn pendulum(links: usize) -> Simulation {
    let mut simulation = simulation(chain(links, |_| Joint::revolute(DVec3::Z)));
    simulation.gravity = DVec3::new(0.0, -9.81, 0.0);
    simulation.integrator = Integrator::SemiImplicit;
    simulation
}

fn active(simulation: &Simulation) -> Vec<u32> {
    simulation.region().expect("less than full detail").active().members().to_vec()
}

fn force(body: usize, y: f64) -> Load {
    Load {
        body: BodyId::new(body),
        wrench: Force::new(DVec3::ZERO, DVec3::new(0.0, y, 0.0)),
        axes: Axes::World,
    }
}

/// Runs with the direct metric; at every update the assembly tree, from the same state, must come to the same joints.
fn check_same_joints(mut body: Simulation, detail: &Detail, steps: usize, dt: f64) -> usize {
    let mut other = body.clone();
    body.set_detail(Detail { metric: Metric::Direct, ..detail.clone() }).expect("valid");
    other.set_detail(Detail { metric: Metric::Assembly, ..detail.clone() }).expect("valid");
    let mut changes = 0;
    for step in 0..steps {
        if !step.is_multiple_of(detail.update_every as usize) {
            body.step(dt).expect("finite");
            continue;
        }
        if step > 0 {
            other.restore(&body.state);
        }
        let before = body.region().map_or(vec![], |_| active(&body));
        body.step(dt).expect("finite");
        other.step(dt).expect("finite");
        let reports = [&body, &other].map(|s| *s.region().expect("adaptive").report());
        assert_eq!((reports[0].metric, reports[1].metric), (Metric::Direct, Metric::Assembly));
        assert_eq!(active(&body), active(&other), "step {step}");
        changes += usize::from(active(&body) != before);
    }
    changes
}

#[test]
fn both_metrics_come_to_the_same_joints() {
    for (links, joints) in [(300, 20), (100, 50), (64, 3)] {
        let mut body = pendulum(links);
        body.wrenches.push(force(links / 2, 0.3));
        let changes =
            check_same_joints(body, &Detail { update_every: 10, ..Detail::joints(joints) }, 1200, 1e-3);
        assert!(changes > 10, "the region hardly changed: {changes} times");
    }
    for seed in 0..12 {
        let mut case = Case::random(40, seed);
        case.v.fill(0.0);
        case.tau.iter_mut().for_each(|t| *t *= 0.02);
        let mut body = case.simulation();
        body.integrator = Integrator::Default;
        for rule in [Rule::Tree, Rule::Free, Rule::Split] {
            check_same_joints(
                body.clone(),
                &Detail { update_every: 5, rule, ..Detail::joints(10) },
                100,
                1e-3,
            );
        }
        check_same_joints(body, &Detail { update_every: 5, ..Detail::error(1.0, 1e-4) }, 100, 1e-3);
    }
}

/// Springs, dampers and drives at frozen joints are in what is kept of parts; drives that change are not missed.
#[test]
fn both_metrics_with_springs_and_drives() {
    let mut body = simulation(chain(120, |i| {
        let joint = Joint::revolute(if i % 2 == 0 { DVec3::Z } else { DVec3::Y });
        if i % 3 == 0 { joint.stiffness(0.5).damping(0.02) } else { joint.damping(0.01) }
    }));
    body.integrator = Integrator::SemiImplicit;
    body.tau[40] = 0.2;
    body.tau[77] = -0.1;
    let detail = Detail { update_every: 10, on_change: f64::INFINITY, ..Detail::joints(12) };
    let mut other = body.clone();
    body.set_detail(Detail { metric: Metric::Direct, ..detail.clone() }).expect("valid");
    other.set_detail(Detail { metric: Metric::Assembly, ..detail }).expect("valid");
    for step in 0..400 {
        // the second simulation keeps what it froze: drives change under it
        for s in [&mut body, &mut other] {
            s.tau[40] = 0.2 * (0.05 * f64::from(step)).cos();
            s.tau[99] = if step > 150 { 0.3 } else { 0.0 };
            s.step(1e-3).expect("finite");
        }
        assert_eq!(active(&body), active(&other), "step {step}");
    }
}

/// A plain step never looks at a joint that is not active: whatever stands there makes no difference.
#[test]
fn a_plain_step_never_visits_an_inactive_joint() {
    for (name, integrator) in Integrator::ALL {
        let mut body = pendulum(400);
        body.integrator = integrator;
        body.wrenches.push(force(399, 0.1));
        body.set_detail(Detail { update_every: 100, metric: Metric::Assembly, ..Detail::joints(15) })
            .expect("valid");
        for _ in 0..105 {
            body.step(1e-3).expect("finite");
        }
        let mut poisoned = body.clone();
        let region = body.region().expect("adaptive");
        let state = &mut poisoned.state;
        for (i, link) in body.model.tree().links.iter().enumerate() {
            if !region.active().contains(i as u32) {
                state.q[link.q as usize] = f64::NAN;
                state.v[link.v as usize] = f64::NAN;
            }
        }
        for step in 0..90 {
            body.step(1e-3).expect("finite");
            poisoned.step(1e-3).unwrap_or_else(|e| panic!("{name}, step {step}: {e}"));
        }
        for &i in body.region().expect("adaptive").active().members() {
            let link = &body.model.tree().links[i as usize];
            let (q, v) = (link.q as usize, link.v as usize);
            assert_eq!(body.state.q[q].to_bits(), poisoned.state.q[q].to_bits(), "{name}");
            assert_eq!(body.state.v[v].to_bits(), poisoned.state.v[v].to_bits(), "{name}");
        }
    }
}

/// An update by the assembly tree visits nodes as there are open ones, tries and depth, not as there are joints.
#[test]
fn an_update_visits_what_is_open() {
    let visited = |links: usize| {
        let mut body = pendulum(links);
        body.wrenches.push(force(links - 1, 0.1));
        body.set_detail(Detail { metric: Metric::Assembly, ..Detail::joints(20) }).expect("valid");
        for _ in 0..200 {
            body.step(1e-3).expect("finite");
        }
        let report = body.region().expect("adaptive").report();
        let depth = links.ilog2() as usize + 1;
        println!("{links} links: {report:?}");
        assert!(report.visited <= 2 * report.open + 3 * 20 + 2 * depth + 2, "{links} links: {report:?}");
        assert!(report.open <= 20 * depth && report.pieces <= report.open + 1);
        report.visited
    };
    let (few, many) = (visited(300), visited(30_000));
    assert!(many < 2 * few, "{few} nodes of 300 links, {many} of 30,000");
}

/// The paper's guaranteed mode: in every step no more is left out of the accelerations of the whole body than was allowed,
/// and joints once in motion go on.
#[test]
fn the_guaranteed_mode_keeps_its_error_in_every_step() {
    let dt = 1e-3;
    for metric in [Metric::Direct, Metric::Assembly] {
        for epsilon in [1e-2, 10.0] {
            let mut body = pendulum(60);
            body.set_detail(Detail { metric, ..Detail::guaranteed(epsilon) }).expect("valid");
            let mut fewest = 60;
            for step in 0..300 {
                let before = body.state.v.clone();
                let mut full = body.clone();
                full.set_detail(Detail::default()).expect("valid");
                let expected = full.accelerations().to_vec();
                body.step(dt).expect("finite");
                let left: f64 =
                    (0..60).map(|i| (expected[i] - (body.state.v[i] - before[i]) / dt).powi(2)).sum();
                let whole: f64 = expected.iter().map(|a| a * a).sum();
                // and rounding of the sums and of the quotient
                assert!(
                    left <= epsilon + 1e-9 * whole,
                    "step {step}: {left} of {whole} left out, {epsilon} allowed"
                );
                let moved = before.iter().zip(&body.state.v).all(|(a, b)| *a == 0.0 || *b != 0.0);
                assert!(moved, "step {step}: a joint stopped");
                fewest = fewest.min(body.region().expect("adaptive").report().active);
            }
            assert!(fewest < 60, "all joints were active from the start");
        }
    }
}

/// An impulse changes velocities as on the full body where all that it moves is active, and wakes no more than it moves.
#[test]
fn an_impulse_wakes_what_it_moves() {
    for metric in [Metric::Direct, Metric::Assembly] {
        // a long hanging chain, at rest in its equilibrium: nothing is active
        let mut body = simulation(chain(200, |_| Joint::revolute(DVec3::Z).damping(0.01)));
        body.gravity = DVec3::new(9.81, 0.0, 0.0);
        body.integrator = Integrator::SemiImplicit;
        body.set_detail(Detail { metric, ..Detail::error(1e-3, 1e-5) }).expect("valid");
        body.step(1e-3).expect("finite");
        assert_eq!(active(&body).len(), 0);
        let mut full = body.clone();
        full.set_detail(Detail::default()).expect("valid");
        let push = Load { axes: Axes::World, ..force(150, 0.002) };
        body.push(push).expect("finite");
        full.push(push).expect("finite");
        let (awake, report) = (active(&body), *body.region().expect("adaptive").report());
        println!("{metric:?}: {} joints awake, {report:?}", awake.len());
        assert!(!awake.is_empty() && awake.len() < 60, "{} of 200 joints awake", awake.len());
        // links 149 to 151 have the largest jumps
        assert!(awake.contains(&150) && awake.contains(&151));
        let left: f64 = full.state.v.iter().zip(&body.state.v).map(|(a, b)| (a - b).powi(2)).sum();
        let whole: f64 = full.state.v.iter().map(|v| v * v).sum();
        assert!(left < 0.05 * whole, "{left} of {whole}");
        assert!(report.kinetic_lost >= 0.0);
    }
}

/// A force that appears or changes much brings the next update forward.
#[test]
fn a_new_force_brings_the_update_forward() {
    let start = |on_change| {
        let mut body = simulation(chain(50, |_| Joint::revolute(DVec3::Z).damping(0.1)));
        body.gravity = DVec3::new(9.81, 0.0, 0.0);
        body.set_detail(Detail { update_every: 1000, on_change, ..Detail::error(1e-6, 1e-9) })
            .expect("valid");
        for _ in 0..300 {
            body.step(1e-3).expect("finite");
        }
        assert!(active(&body).is_empty());
        body
    };
    for (on_change, wakes) in [(0.5, true), (f64::INFINITY, false)] {
        let mut body = start(on_change);
        body.wrenches.push(force(30, 0.5));
        body.step(1e-3).expect("finite");
        assert_eq!(!active(&body).is_empty(), wakes);
        // a drive as well
        let mut body = start(on_change);
        body.tau[20] = 0.5;
        body.step(1e-3).expect("finite");
        assert_eq!(!active(&body).is_empty(), wakes);
    }
    let mut body = start(0.5);
    body.wrenches.push(force(30, 0.5));
    for _ in 0..300 {
        body.step(1e-3).expect("finite");
    }
    let updates = body.region().expect("adaptive").totals().updates;
    body.wrenches[0].wrench.linear.y *= 1.2;
    body.step(1e-3).expect("finite");
    assert_eq!(body.region().expect("adaptive").totals().updates, updates, "a small change waits");
    body.wrenches[0].wrench.linear.y *= 3.0;
    body.step(1e-3).expect("finite");
    assert_eq!(body.region().expect("adaptive").totals().updates, updates + 1);
}

/// A state is all that must be kept: a run that goes on from one has the same bits.
#[test]
fn a_saved_state_resumes_the_same_motion() {
    for (name, integrator) in Integrator::ALL {
        for metric in [Metric::Direct, Metric::Assembly] {
            let mut body = pendulum(80);
            body.integrator = integrator;
            body.wrenches.push(force(60, 0.2));
            body.set_detail(Detail { update_every: 20, metric, ..Detail::joints(10) }).expect("valid");
            let mut fresh = body.clone();
            for _ in 0..130 {
                body.step(1e-3).expect("finite");
            }
            let saved: State = body.state.clone();
            for _ in 0..100 {
                body.step(1e-3).expect("finite");
            }
            fresh.restore(&saved);
            for _ in 0..100 {
                fresh.step(1e-3).expect("finite");
            }
            let bits = |s: &State| s.q.iter().chain(&s.v).map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&fresh.state), bits(&body.state), "{name}, {metric:?}");
        }
    }
}

/// What is worth more is simulated sooner.
#[test]
fn weights_draw_joints_in() {
    let chosen = |weighted: bool, metric: Metric| {
        let mut body = pendulum(64);
        body.wrenches.push(force(60, 0.02));
        if weighted {
            let mut weights = Weights::identity();
            for i in 40..64 {
                weights.set(body.model.tree(), LinkId::new(i), JointWeight::Scale(1e4)).expect("positive");
            }
            body.set_weights(weights);
        }
        body.set_detail(Detail { metric, rule: Rule::Free, ..Detail::joints(8) }).expect("valid");
        for _ in 0..300 {
            body.step(1e-3).expect("finite");
        }
        active(&body).iter().filter(|i| **i >= 40).count()
    };
    for metric in [Metric::Direct, Metric::Assembly] {
        let (plain, weighted) = (chosen(false, metric), chosen(true, metric));
        assert!(weighted == 8 && plain < 8, "{plain} joints without weights, {weighted} with");
    }
}

/// The number of joints follows a target that changes in every step, and nothing jumps.
#[test]
fn targets_may_change_over_time() {
    let mut body = pendulum(40);
    body.set_detail(Detail { update_every: 5, ..Detail::joints(40) }).expect("valid");
    for step in 0..400 {
        let joints = if step < 200 { 40 - step * 39 / 200 } else { 1 + (step - 200) * 39 / 200 };
        body.set_target(Target::Joints(joints)).expect("valid");
        let before = body.energy();
        body.step(1e-3).expect("finite");
        assert!(active(&body).len() <= joints, "step {step}");
        // semi-implicit steps of a falling chain gain some millijoules
        assert!(body.energy().total() < before.total() + 0.02, "step {step}");
    }
    assert!(body.region().expect("adaptive").totals().kinetic_lost > 0.0);
}

/// Implicit terms belong to a length of step: parts freeze anew when it changes.
#[test]
fn another_length_of_step_is_taken_in() {
    let mut body = simulation(chain(100, |_| Joint::revolute(DVec3::Z).damping(0.5)));
    body.gravity = DVec3::new(0.0, -9.81, 0.0);
    body.integrator = Integrator::SemiImplicit;
    let detail = Detail { update_every: 10, ..Detail::joints(8) };
    let mut other = body.clone();
    body.set_detail(Detail { metric: Metric::Direct, ..detail.clone() }).expect("valid");
    other.set_detail(Detail { metric: Metric::Assembly, ..detail }).expect("valid");
    for step in 0..300 {
        let dt = if step < 100 { 1e-3 } else { 5e-3 };
        body.step(dt).expect("finite");
        other.step(dt).expect("finite");
        assert_eq!(active(&body), active(&other), "step {step}");
        let (a, b) = (body.region().expect("a"), other.region().expect("b"));
        let whole = a.report().acceleration;
        assert!((a.report().acceleration - b.report().acceleration).abs() <= 1e-8 * whole);
    }
}

/// Stopping joints never adds energy and keeps the momenta of a floating body; updates in zero gravity change nothing else.
#[test]
fn updates_of_a_floating_body_keep_its_momenta() {
    for seed in 0..20 {
        let mut rng = Rng::new(seed, 31);
        let mut body = simulation(chain(30, |i| if i == 0 { Joint::free() } else { Joint::spherical() }));
        body.gravity = DVec3::ZERO;
        body.integrator = Integrator::Default;
        body.state.v.iter_mut().for_each(|v| *v = rng.range(-0.5, 0.5));
        let start = (body.momentum(), body.energy().total());
        let held = body.model.joints().len();
        body.set_detail(Detail { update_every: 3, ..Detail::joints(6) }).expect("valid");
        for _ in 0..60 {
            body.step(1e-3).expect("finite");
            assert!(active(&body).contains(&0), "the base is never frozen");
            assert!(active(&body).len() <= 6.min(held));
        }
        let end = (body.momentum(), body.energy().total());
        let scale = start.0.linear.length() + start.0.angular_about_com.length();
        assert!((end.0.linear - start.0.linear).length() <= 1e-10 * scale, "seed {seed}");
        assert!(
            (end.0.angular_about_com - start.0.angular_about_com).length() <= 1e-10 * scale,
            "seed {seed}"
        );
        let lost = body.region().expect("adaptive").totals().kinetic_lost;
        assert!(end.1 <= start.1 * (1.0 + 1e-12) && lost > 0.0);
    }
}

/// With an error asked for, no more is left out of the accelerations at any update.
#[test]
fn the_error_left_out_is_what_was_allowed() {
    for metric in [Metric::Direct, Metric::Assembly] {
        for epsilon in [1e-3, 1.0, 100.0] {
            let mut body = pendulum(100);
            let detail = Detail { update_every: 4, metric, ..Detail::error(epsilon, 1e-4 * epsilon) };
            body.set_detail(detail).expect("valid");
            for _ in 0..400 {
                body.step(1e-3).expect("finite");
                let report = body.region().expect("adaptive").report();
                assert!(report.acceleration_left_out <= epsilon * (1.0 + 1e-12), "{report:?}");
                assert!(report.velocity_left_out.metric <= 1e-4 * epsilon * (1.0 + 1e-12), "{report:?}");
            }
        }
    }
}

/// Joints held rigid stay so, whatever acts on them, and their neighbours are opened past them.
#[test]
fn held_joints_stay_rigid_by_either_metric() {
    for metric in [Metric::Direct, Metric::Assembly] {
        let mut body = pendulum(30);
        let rigid = [3usize, 4, 17];
        let keep = rigid.iter().map(|i| (supple::JointId::new(*i), Keep::Rigid)).collect();
        body.set_detail(Detail { metric, keep, update_every: 5, ..Detail::error(0.0, 0.0) }).expect("valid");
        for _ in 0..200 {
            body.step(1e-3).expect("finite");
        }
        // all others but those whose motion is rounding
        assert!(active(&body).len() >= 20, "{} joints", active(&body).len());
        assert!(rigid.iter().all(|i| body.state.q[*i] == 0.0 && body.state.v[*i] == 0.0));
    }
}
