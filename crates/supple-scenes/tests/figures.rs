//! Figures of papers: what each scene must show.

use glam::{DMat2, DVec2, DVec3};
use supple::detail::{Detail, Keep};
use supple::{Integrator, Simulation};
use supple_scenes::simulation;

fn build(name: &str, settings: &[(&str, &str)]) -> Simulation {
    simulation(name, settings).expect("the scene")
}

/// Figure 4: with all joints active only joints 1 and 2 accelerate.
#[test]
fn figure_4_all_joints_active() {
    let (m, f) = (0.8, 3.0);
    let mut scene = build("prismatic-5", &[("mass", "0.8"), ("force", "3")]);
    let qdd = scene.accelerations();
    for (got, expected) in qdd[6..].iter().zip([f / m, -f / m, 0.0, 0.0]) {
        assert!((got - expected).abs() < 1e-14 * f / m, "{qdd:?}");
    }
    // no link pushes the first one
    assert!(qdd[..6].iter().all(|x| x.abs() < 1e-14), "{qdd:?}");
}

/// Figure 4: with joints 2 to 4 rigid, joint 1 accelerates by f/(4m), whatever the integrator.
#[test]
fn figure_4_three_joints_rigid() {
    let (m, f, dt) = (0.8, 3.0, 1e-3);
    for (name, integrator) in Integrator::ALL {
        let mut scene = build("prismatic-5", &[("mass", "0.8"), ("force", "3")]);
        scene.integrator = integrator;
        let joint = |i: usize| scene.model.joint(&format!("joint{i}")).expect("the joint");
        let keep = vec![
            (joint(1), Keep::Active),
            (joint(2), Keep::Rigid),
            (joint(3), Keep::Rigid),
            (joint(4), Keep::Rigid),
        ];
        scene.set_detail(Detail { keep, ..Detail::joints(2) }).expect("valid");
        for step in 1..=30 {
            scene.step(dt).expect(name);
            let expected = f64::from(step) * dt * f / (4.0 * m);
            let v = scene.state.v[6];
            // sums over 30 steps
            assert!((v - expected).abs() < 1e-13, "{name}, step {step}: {v} {expected}");
        }
        assert_eq!(scene.state.v[7..], [0.0; 3], "{name}");
    }
}

/// The place where a chain of `links` rods of 0.1 m and 0.1 kg, tied at the end of link `attach` by 200 N/m to (2.25, −1.25),
/// holds the least energy. Energy is linear in the direction e of a rod but for the stretch d of the spring, so
/// at the minimum e points against `(m g l) (links below + 1/2) y + k l d`; and d is the sum of the tied rods less the
/// anchor: two equations, whose one root Newton's method finds. Returns the energy and all ends of rods.
fn least_energy(links: usize, attach: usize) -> (f64, Vec<DVec2>) {
    let (l, m, g, k, anchor) = (0.1, 0.1, 9.81, 200.0, DVec2::new(2.25, -1.25));
    let weight = |i: usize| m * g * l * (links - i) as f64 - 0.5 * m * g * l;
    let direction = |i: usize, d: DVec2| {
        let pull = if i < attach { d * (k * l) } else { DVec2::ZERO };
        -(pull + DVec2::Y * weight(i)).normalize()
    };
    let missing = |d: DVec2| (0..attach).map(|i| direction(i, d) * l).sum::<DVec2>() - anchor - d;
    let mut d = DVec2::new(-0.5, 0.3);
    for _ in 0..100 {
        let h = 1e-6;
        let slope = |along: DVec2| (missing(d + along * h) - missing(d - along * h)) / (2.0 * h);
        let step = DMat2::from_cols(slope(DVec2::X), slope(DVec2::Y)).inverse() * missing(d);
        // half-way at most, so that it cannot jump past the kink at d = 0
        d -= step * (0.5 * d.length() / step.length().max(1e-300)).min(1.0);
    }
    assert!(missing(d).length() < 1e-12, "no root: {d} {}", missing(d));
    let mut energy = 0.5 * k * d.length_squared();
    let mut ends = vec![DVec2::ZERO];
    for i in 0..links {
        let e = direction(i, d);
        energy += weight(i) * e.y;
        ends.push(ends[i] + e * l);
    }
    (energy, ends)
}

fn ends(scene: &Simulation) -> Vec<DVec2> {
    let links = &scene.kinematics().links;
    let tip = links.last().expect("links").pose().point(DVec3::X * 0.1);
    links.iter().map(|l| l.position).chain([tip]).map(|p| p.truncate()).collect()
}

/// Figure 6: the chain hangs straight down at rest, 765.9 J above the place where its energy is least (theory, section
/// 13.2: −76.004 J, tip at (2.2006, −3.3793)).
#[test]
fn figure_6_begins_high_above_its_minimum() {
    let scene = build("pendulum-50-spring", &[]);
    let (least, place) = least_energy(50, 30);
    println!("least energy {least} J, tip at {}", place[50]);
    assert!((least + 76.004).abs() < 5e-4, "{least} J");
    assert!(place[50].distance(DVec2::new(2.2006, -3.3793)) < 1e-4, "{}", place[50]);
    assert!((scene.energy().total() - least - 765.9).abs() < 0.05, "{}", scene.energy().total());
    assert!(scene.state.v.iter().all(|v| *v == 0.0));
    for (i, end) in ends(&scene).iter().enumerate() {
        assert!(end.distance(DVec2::NEG_Y * 0.1 * i as f64) < 1e-14 * (i + 1) as f64, "{i}: {end}");
    }
}

/// Figure 6: simulated whole, the chain comes to that place, wherever it is tied; energy never rises on the way.
#[test]
fn figure_6_settles_at_the_least_energy() {
    for (attach, seconds) in [(30, 240), (15, 240), (41, 240)] {
        let mut scene = build("pendulum-50-spring", &[("attach", &attach.to_string())]);
        let (least, place) = least_energy(50, attach);
        let mut last = f64::INFINITY;
        let above = |scene: &Simulation| scene.energy().total() - least;
        for step in 0..60 * seconds {
            scene.step(1.0 / 60.0).expect("finite");
            let now = above(&scene);
            assert!(now <= last + 1e-9, "attach {attach}, step {step}: {last} J, then {now} J");
            last = now;
            if step % 1440 == 1439 {
                let far = ends(&scene).iter().zip(&place).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
                println!("attach {attach}, {:.0} s: {now:.2e} J above, {far:.2e} m away", scene.state.time);
            }
        }
        let far = ends(&scene).iter().zip(&place).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        assert!((0.0..1e-4).contains(&last), "attach {attach}: {last} J above the least energy");
        assert!(far < 1e-2, "attach {attach}: {far} m from its place");
    }
}

/// No pose near the place found has less energy: the minimiser is checked by the energies of the engine itself.
#[test]
fn the_place_found_has_the_least_energy() {
    for attach in [1, 15, 30, 50] {
        let mut scene = build("pendulum-50-spring", &[("attach", &attach.to_string())]);
        let (least, place) = least_energy(50, attach);
        let mut angle = 0.0;
        for i in 0..50 {
            let rod = place[i + 1] - place[i];
            let turned = rod.y.atan2(rod.x);
            scene.state.q[i] = turned - angle;
            angle = turned;
        }
        assert!((scene.energy().total() - least).abs() < 1e-9, "{} {least}", scene.energy().total());
        for joint in 0..50 {
            for turn in [-1e-3, 1e-3] {
                let mut near = scene.clone();
                near.state.q[joint] += turn;
                assert!(near.energy().total() > least, "attach {attach}: joint {joint} by {turn} rad");
            }
        }
    }
}

#[test]
fn figure_6_refuses_to_tie_a_link_that_is_not_there() {
    let error = simulation("pendulum-50-spring", &[("links", "20")]).expect_err("link 30 of 20").to_string();
    assert!(
        error.contains("from 1 to 20") && error.contains("\"30\"") && error.contains("attach"),
        "{error}"
    );
    assert_eq!(build("pendulum-50-spring", &[("links", "20"), ("attach", "20")]).model.nv(), 20);
}
