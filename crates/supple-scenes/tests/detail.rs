//! What the scenes about detail must show: the joints that matter are the ones that are simulated.

use glam::DVec3;
use supple::detail::{Detail, Keep, Rule};
use supple::world::BodyRef;
use supple::{BodyId, Integrator, Simulation};
use supple_scenes::{Capsule, Stage, active, simulation, stage};

/// The same scene with all joints active, always.
fn full(name: &str, settings: &[(&str, &str)]) -> Stage {
    let mut show = stage(name, settings).unwrap();
    show.set_detail(&Detail::default()).unwrap();
    show
}

/// End of the last link of a chain with links of 0.1 m.
fn tip(simulation: &Simulation) -> DVec3 {
    simulation.kinematics().links.last().unwrap().pose().point(DVec3::new(0.1, 0.0, 0.0))
}

/// Far ends of all bodies.
fn ends(simulation: &Simulation, shapes: &[Capsule]) -> Vec<DVec3> {
    let kinematics = simulation.kinematics();
    let body = |s: &Capsule| match s.body {
        BodyRef::Of(_, body) => body,
        other => panic!("{other:?} is of no articulation"),
    };
    shapes.iter().map(|s| simulation.body_pose(&kinematics, body(s)).point(s.to)).collect()
}

/// Root of the mean squared distance.
fn rms(a: &[DVec3], b: &[DVec3]) -> f64 {
    (a.iter().zip(b).map(|(a, b)| a.distance_squared(*b)).sum::<f64>() / a.len() as f64).sqrt()
}

fn steps(show: &mut Stage, count: usize, dt: f64) {
    for _ in 0..count {
        show.step(dt).unwrap_or_else(|error| panic!("{error}"));
    }
}

/// Joints of the first body that are active, by link.
fn active_links(show: &Stage) -> Vec<usize> {
    let active = show.first().unwrap().1.region().expect("less than full detail").active();
    active.members().iter().map(|&i| i as usize).collect()
}

/// Set-up of theory, section 13.1, number by number.
#[test]
fn pendulum_300_is_the_set_up_of_the_paper() {
    let simulation = simulation("pendulum-300", &[]).unwrap();
    assert_eq!((simulation.model.bodies().len(), simulation.model.nv()), (300, 300));
    assert_eq!(simulation.gravity, DVec3::new(0.0, -9.81, 0.0));
    assert!(simulation.state.q.iter().chain(&simulation.state.v).all(|x| *x == 0.0));
    assert!(simulation.wrenches.is_empty() && simulation.model.dofs().iter().all(|d| d.damping == 0.0));
    for body in simulation.model.bodies() {
        assert!((body.inertia.mass - 0.1).abs() < 1e-17);
        assert!(body.inertia.com().distance(DVec3::new(0.05, 0.0, 0.0)) < 1e-16);
        let moments = body.inertia.inertia_com();
        let expected = [1e-3 / 100.0, 1e-3 / 12.0, 1e-3 / 12.0];
        for (got, expected) in [moments.xx, moments.yy, moments.zz].iter().zip(expected) {
            assert!((got - expected).abs() < 1e-18);
        }
    }
    assert!(tip(&simulation).distance(DVec3::new(30.0, 0.0, 0.0)) < 1e-10);
}

/// Forces sit on as many links as asked for, spread evenly, and change with every step.
#[test]
fn forces_on_the_pendulum_are_spread_and_change() {
    for (count, first, last) in [(1, 150, 150), (5, 30, 270), (50, 3, 297), (250, 0, 299)] {
        let mut show = stage("pendulum-300", &[("forces", &count.to_string())]).unwrap();
        let loads = |show: &Stage| show.first().unwrap().1.wrenches.clone();
        let before = loads(&show);
        let mut bodies: Vec<_> = before.iter().map(|l| l.body).collect();
        assert_eq!((bodies[0], *bodies.last().unwrap()), (BodyId::new(first), BodyId::new(last)));
        bodies.dedup();
        assert_eq!(bodies.len(), count);
        steps(&mut show, 2, 1e-3);
        for (a, b) in before.iter().zip(loads(&show)) {
            assert!(a.wrench != b.wrench && (b.wrench.linear.length() - 0.02).abs() < 1e-12);
        }
    }
}

/// The number of active joints follows the schedule down to one and up again, and while most joints are active the chain
/// moves as the full one does.
#[test]
fn ramp_goes_down_and_up_and_is_right_while_most_joints_are_active() {
    let dt = 1e-3;
    let mut show = stage("ramp", &[]).unwrap();
    let mut whole = full("ramp", &[]);
    let schedule = show.script.schedule.clone().unwrap();
    let (mut fewest, mut most_error) = (usize::MAX, 0.0f64);
    for step in 0..8000 {
        steps(&mut show, 1, dt);
        // chosen at the last update
        let update = step - step % 20;
        let wanted = schedule.joints(update as f64 * dt);
        // rounding of the time may tip the scale
        assert!(active(show.first().unwrap().1) <= wanted + 1, "step {step}");
        // a chain that begins to fall turns about its first joint alone
        let moving = step < 1000 || active(show.first().unwrap().1) + 5 >= wanted;
        assert!(moving, "step {step}: {} of {wanted}", active(show.first().unwrap().1));
        fewest = fewest.min(wanted);
        if step < 2000 {
            steps(&mut whole, 1, dt);
            most_error = most_error.max(tip(show.first().unwrap().1).distance(tip(whole.first().unwrap().1)));
        }
    }
    assert_eq!((fewest, schedule.joints(8.0)), (1, 100));
    // the chain is 10 m long and nearly half of its joints have been frozen by then
    assert!(schedule.joints(2.0) < 60 && most_error < 0.1, "{most_error} m");
    // one joint is a rigid pendulum: wrong by metres, or the schedule does nothing
    steps(&mut whole, 6000, dt);
    assert!(tip(show.first().unwrap().1).distance(tip(whole.first().unwrap().1)) > 0.5);
}

/// The wave runs down at √(g (L − x)), and the active joints with it.
#[test]
fn whip_s_active_joints_follow_the_wave() {
    let mut show = stage("whip", &[]).unwrap();
    let (length, gravity) = (100.0f64, 9.81f64);
    let mut last = 0.0;
    for tenth in 1..=50 {
        steps(&mut show, 100, 1e-3);
        // the middle of the flick is at 0.15 s, 2 m below the top
        let since = 0.1 * f64::from(tenth) - 0.15;
        let front = length - ((length - 2.0).sqrt() - 0.5 * gravity.sqrt() * since).powi(2);
        let mut links = active_links(&show);
        assert!(links.len() <= 100);
        links.sort_unstable();
        let middle = 0.1 * links[links.len() / 2] as f64;
        // 100 active joints are 10 m long
        if since > 0.5 {
            assert!(
                (middle - front).abs() < 10.0,
                "t = {since} s: active about {middle} m, wave at {front} m"
            );
        }
        if tenth % 10 == 0 {
            assert!(middle > last + 5.0, "t = {since} s: {middle} m after {last} m");
            last = middle;
        }
    }
}

/// The plant sleeps until the first gust, then joints that carry the leaves in the wind are active, and the plant bends
/// much as it would with all of its 5000 joints.
#[test]
fn the_plant_bends_where_the_gust_is() {
    let scene = stage("tree-wind", &[]).unwrap();
    let shapes = scene.shapes.clone();
    let (mut show, mut whole) = (scene, full("tree-wind", &[]));
    assert_eq!(show.first().unwrap().1.model.moving_joints(), 5000);
    let at_rest = ends(show.first().unwrap().1, &shapes);
    let dt = 1.0 / 240.0;
    let mut gusts = 0;
    for _ in 0..24 {
        steps(&mut show, 20, dt);
        steps(&mut whole, 20, dt);
        let pushed: Vec<_> = show
            .first()
            .unwrap()
            .1
            .wrenches
            .iter()
            .filter(|l| l.wrench.linear.x > 0.0)
            .map(|l| l.body.index())
            .collect();
        let links = active_links(&show);
        if show.first().unwrap().1.state.time < 0.45 {
            assert!(pushed.is_empty() && links.is_empty(), "{} joints move in the calm", links.len());
        }
        assert!(links.len() <= 200);
        if pushed.len() < 3 {
            continue;
        }
        gusts += 1;
        // joints between the leaves in the wind and the ground
        let tree = show.first().unwrap().1.model.tree();
        let mut bends = vec![false; tree.links.len()];
        for &leaf in &pushed {
            let mut at = show.first().unwrap().1.model.bodies()[leaf].link;
            while let Some(link) = at {
                bends[link.index()] = true;
                at = tree.links[link.index()].parent;
            }
        }
        let path = bends.iter().filter(|b| **b).count();
        let held = links.iter().filter(|&&i| bends[i]).count();
        // a joint in twenty-five is active, of these one in four or more
        assert!(4 * held > path, "{held} of {path} joints between {} leaves and the ground", pushed.len());
    }
    assert!(gusts > 3, "{gusts}");
    let (few, all) = (ends(show.first().unwrap().1, &shapes), ends(whole.first().unwrap().1, &shapes));
    let (error, bent) = (rms(&few, &all), rms(&at_rest, &all));
    assert!(bent > 0.005 && error < 0.6 * bent, "{error} m off where the plant has bent by {bent} m");
}

/// Fewer joints are simulated of those farther away, never more than the budget in all.
#[test]
fn the_crowd_s_active_joints_fall_with_the_distance() {
    let mut show = stage("crowd-200", &[]).unwrap();
    let members: Vec<_> = show.articulations().collect();
    let bodies: usize = members.iter().map(|m| m.model.bodies().len()).sum();
    let dofs: usize = members.iter().map(|m| m.model.nv()).sum();
    assert_eq!((members.len(), bodies, dofs), (200, 17_800, 19_000));
    let start: Vec<f64> = members.iter().map(|m| m.state.q[0]).collect();
    steps(&mut show, 200, 1.0 / 240.0);
    assert!(show.active() <= 1000 && show.active() > 800, "{}", show.active());
    // by rows of ten, nearest first
    let rows: Vec<usize> = show
        .articulations()
        .collect::<Vec<_>>()
        .chunks(10)
        .map(|row| row.iter().map(|body| active(body)).sum())
        .collect();
    assert!(rows.is_sorted_by(|near, far| near >= far), "{rows:?}");
    assert!(rows[0] > 2 * rows[19] && rows[19] >= 10, "{rows:?}");
    // everyone has been pushed away, and nothing pushes any more
    for (member, start) in show.articulations().zip(start) {
        assert!(member.state.q[0] > start && member.wrenches.is_empty());
    }
}

/// More joints, less error.
#[test]
fn a_crowd_with_more_joints_is_nearer_to_the_full_one() {
    let settings = |joints| [("characters", "10"), ("joints", joints), ("budget", "world")];
    let after = |mut show: Stage, shapes: &[Capsule]| {
        for (_, member) in show.world.articulations_mut() {
            member.integrator = Integrator::SemiImplicit;
        }
        steps(&mut show, 60, 1.0 / 240.0);
        show.articulations().flat_map(|m| ends(m, shapes)).collect::<Vec<_>>()
    };
    let shapes = stage("crowd-200", &[]).unwrap().shapes;
    let exact = after(full("crowd-200", &settings("10")), &shapes);
    let error = |joints| rms(&after(stage("crowd-200", &settings(joints)).unwrap(), &shapes), &exact);
    let errors = ["10", "200", "890"].map(error);
    assert!(errors[0] > 1.2 * errors[1] && errors[1] > 1.2 * errors[2], "{errors:?}");
}

/// A scene's own detail is only a default: joints can be held all the same.
#[test]
fn the_detail_of_a_scene_can_be_changed() {
    let mut show = stage("whip", &[]).unwrap();
    let (_, whip) = show.world.articulations_mut().next().unwrap();
    let held = whip.model.joint("link7").unwrap();
    let detail = Detail { rule: Rule::Tree, keep: vec![(held, Keep::Rigid)], ..whip.detail().clone() };
    whip.set_detail(detail).unwrap();
    steps(&mut show, 300, 1e-3);
    assert!(!active_links(&show).contains(&7) && show.active() > 0);
    assert_eq!(show.first().unwrap().1.state.v[7], 0.0);
}
