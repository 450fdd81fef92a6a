//! Integrators measured against their theory: order of convergence, drift of energy and momentum, unit quaternions.

mod common;

use common::{Rng, chain, simulation};
use glam::DVec3;
use supple::{Body, BodyId, Integrator, Joint, ModelBuilder, Pose, Simulation};

/// A scene to converge on: how long it runs \[s], and whether it has dampers.
struct Scene {
    name: &'static str,
    simulation: Simulation,
    seconds: f64,
    damped: bool,
}

fn moving(mut simulation: Simulation, speed: f64) -> Simulation {
    let mut rng = Rng::new(21, 0);
    simulation.state.v.iter_mut().for_each(|v| *v = rng.range(-speed, speed));
    simulation
}

fn scenes() -> Vec<Scene> {
    let planar = moving(simulation(chain(5, |_| Joint::revolute(DVec3::Z))), 1.0);
    let spherical = moving(simulation(chain(5, |_| Joint::spherical())), 1.0);
    let mut tumbling = {
        let mut rng = Rng::new(5, 0);
        let body = Body::new("stone", Joint::free()).inertia(common::inertia(&mut rng, 2.0));
        moving(simulation(ModelBuilder::new().body(body)), 3.0)
    };
    tumbling.gravity = DVec3::new(0.0, 0.0, -9.81);
    let sprung =
        moving(simulation(chain(4, |i| Joint::revolute([DVec3::Z, DVec3::Y][i % 2]).stiffness(1.0))), 1.0);
    let damped = moving(
        simulation(chain(4, |i| Joint::revolute([DVec3::Z, DVec3::Y][i % 2]).stiffness(1.0).damping(0.01))),
        1.0,
    );
    let mut builder = ModelBuilder::new();
    let mut rng = Rng::new(6, 0);
    for (i, kind) in common::every_kind().into_iter().enumerate() {
        let mut body =
            Body::new(format!("body{i}"), Joint::new(kind)).inertia(common::inertia(&mut rng, 1.0));
        if i > 0 {
            let parent = if i % 3 == 0 { 0 } else { i - 1 };
            body = body.on(format!("body{parent}")).at(rng.pose(0.3));
        }
        builder.add(body);
    }
    let every_kind = moving(simulation(builder), 0.5);
    let driven = {
        let mut driven = moving(simulation(chain(3, |_| Joint::spherical().armature(1e-4))), 1.0);
        let wrench = supple::Force::new(DVec3::new(0.002, 0.001, -0.003), DVec3::new(0.1, 0.3, -0.2));
        driven.wrenches.push(supple::Load { body: BodyId::new(2), wrench, axes: supple::Axes::Body });
        driven.tau.iter_mut().enumerate().for_each(|(i, t)| *t = 0.003 * (i as f64 - 4.0));
        driven
    };
    let scene = |name, simulation, seconds, damped| Scene { name, simulation, seconds, damped };
    vec![
        scene("planar chain", planar, 0.4, false),
        scene("spherical chain", spherical, 0.3, false),
        scene("tumbling stone", tumbling, 0.5, false),
        scene("springs", sprung, 0.3, false),
        scene("springs and dampers", damped, 0.3, true),
        scene("every kind of joint", every_kind, 0.2, false),
        scene("drives, a thruster, armature", driven, 0.2, false),
    ]
}

/// Three points of every body and all velocities: what is compared.
fn observed(simulation: &Simulation) -> Vec<f64> {
    let kinematics = simulation.kinematics();
    (0..simulation.model.bodies().len())
        .flat_map(|i| {
            let pose = simulation.body_pose(&kinematics, BodyId::new(i));
            let velocity = simulation.body_velocity(&kinematics, BodyId::new(i));
            [DVec3::X, DVec3::Y, DVec3::Z]
                .into_iter()
                .flat_map(move |axis| pose.point(axis * 0.1).to_array())
                .chain(velocity.to_array().map(|x| 0.1 * x))
        })
        .collect()
}

fn result(scene: &Scene, integrator: Integrator, steps: u32) -> Vec<f64> {
    let mut simulation = scene.simulation.clone();
    simulation.integrator = integrator;
    for _ in 0..steps {
        simulation.step(scene.seconds / f64::from(steps)).expect(scene.name);
    }
    observed(&simulation)
}

/// Errors for steps halved from `steps` on, and the orders that neighbours show.
fn convergence(scene: &Scene, integrator: Integrator, exact: &[f64], steps: u32) -> (Vec<f64>, Vec<f64>) {
    let errors: Vec<f64> =
        (0..5).map(|k| common::difference(&result(scene, integrator, steps << k), exact)).collect();
    let orders = errors.windows(2).map(|e| (e[0] / e[1]).log2()).collect();
    (errors, orders)
}

/// How far the measured order may fall short of the theory: the next power of dt is still felt.
const ORDER_SLACK: f64 = 0.25;

fn has_order(name: &str, integrator: Integrator, order: impl Fn(&Scene) -> f64, steps: u32) {
    let mut short = Vec::new();
    for scene in scenes() {
        let exact = result(&scene, Integrator::Adaptive { tolerance: 1e-13 }, 16);
        let (errors, orders) = convergence(&scene, integrator, &exact, steps);
        let shown: Vec<String> = errors.iter().map(|e| format!("{e:.1e}")).collect();
        println!("{name}, {}: errors {}, orders {orders:.2?}", scene.name, shown.join(" "));
        // the mean of the two finest: single pairs jump where an error changes its sign
        let measured = (orders[2] + orders[3]) / 2.0;
        if measured < order(&scene) - ORDER_SLACK {
            short.push(format!("{}: {measured:.2}, not {}", scene.name, order(&scene)));
        }
    }
    assert!(short.is_empty(), "{name} falls short of its order: {short:?}");
}

#[test]
fn explicit_euler_is_of_first_order() {
    has_order("explicit", Integrator::Explicit, |_| 1.0, 256);
}

#[test]
fn semi_implicit_euler_is_of_first_order() {
    has_order("semi-implicit", Integrator::SemiImplicit, |_| 1.0, 256);
}

#[test]
fn runge_kutta_is_of_fourth_order() {
    has_order("rk4", Integrator::Rk4, |_| 4.0, 16);
}

#[test]
fn projection_is_of_first_order() {
    has_order("projection", Integrator::Projection, |_| 1.0, 256);
}

/// Dampers are taken as backward Euler, so that they never ring: first order where they matter (theory, 15.3).
#[test]
fn the_default_is_of_second_order() {
    has_order("default", Integrator::Default, |s| if s.damped { 1.0 } else { 2.0 }, 64);
}

#[test]
fn the_accurate_choice_is_of_second_order() {
    has_order("accurate", Integrator::Accurate, |s| if s.damped { 1.0 } else { 2.0 }, 64);
}

/// Errors follow the tolerance: the sum over sub-steps, each within it, and grown by the motion itself (these scenes
/// part by a factor of ten or so in their time).
#[test]
fn the_adaptive_integrator_meets_its_tolerance() {
    for scene in scenes() {
        let exact = result(&scene, Integrator::Adaptive { tolerance: 1e-13 }, 16);
        let mut last = f64::INFINITY;
        for tolerance in [1e-4, 1e-6, 1e-8, 1e-10] {
            let error = common::difference(&result(&scene, Integrator::Adaptive { tolerance }, 4), &exact);
            println!("adaptive {tolerance:.0e}, {}: error {error:.1e}", scene.name);
            assert!(error <= 300.0 * tolerance, "{}: error {error:.1e} at {tolerance:.0e}", scene.name);
            assert!(error <= last || error < 1e-11, "{}: not smaller than {last:.1e}", scene.name);
            last = error;
        }
    }
}

/// How the time is cut into steps does not matter beyond the tolerance, and the sub-steps are counted.
#[test]
fn the_adaptive_integrator_does_not_depend_on_the_step() {
    for scene in scenes() {
        let adaptive = Integrator::Adaptive { tolerance: 1e-9 };
        let (one, many) = (result(&scene, adaptive, 1), result(&scene, adaptive, 50));
        let difference = common::difference(&one, &many);
        assert!(difference <= 1e-6, "{}: {difference:.1e}", scene.name);
        let mut simulation = scene.simulation.clone();
        simulation.integrator = adaptive;
        let report = simulation.step(scene.seconds).expect("finite");
        // the first stage of a sub-step is the last of the one before
        assert!(report.substeps > 1 && report.sweeps > 6 * report.substeps, "{report:?}");
    }
}

/// The bar of the adaptive integrator: 2 % of the energy over 10 s for the chain that explodes elsewhere.
#[test]
fn the_adaptive_integrator_keeps_the_energy_of_a_long_chain() {
    let mut simulation = simulation(chain(100, |_| Joint::revolute(DVec3::Z)));
    simulation.integrator = Integrator::by_name("adaptive").expect("it exists");
    let scale = 0.1 * 100.0 * 9.81 * 10.0 / 2.0;
    let (mut worst, mut sweeps) = (0.0f64, 0);
    for _ in 0..600 {
        sweeps += simulation.step(1.0 / 60.0).expect("finite").sweeps;
        worst = worst.max(simulation.energy().total().abs() / scale);
    }
    println!(
        "adaptive, planar 100, 10 s: energy error {worst:.1e}, {:.0} sweeps per step",
        f64::from(sweeps) / 600.0
    );
    // the tolerance of 1e-6 does much better than the 2 % asked for
    assert!(worst <= 1e-4, "{worst}");
}

/// Steps, and what is spent of them, by what reports say.
#[test]
fn reports_count_sweeps() {
    for (name, integrator) in Integrator::ALL {
        let mut simulation = simulation(chain(5, |_| Joint::revolute(DVec3::Z)));
        simulation.integrator = integrator;
        let report = simulation.step(1e-3).expect("finite");
        let sweeps = match name {
            "projection" | "semi-implicit" | "explicit" => 1..=1,
            "default" => 2..=4,
            "accurate" => 3..=3,
            "rk4" => 4..=4,
            _ => 7..=70,
        };
        assert!(sweeps.contains(&report.sweeps), "{name}: {report:?}");
        assert!(report.substeps >= 1, "{name}: {report:?}");
        assert_eq!(Integrator::by_name(name), Some(integrator));
        assert_eq!((simulation.state.step, simulation.state.time), (1, 1e-3));
    }
    assert_eq!(Integrator::by_name("euler"), None);
    assert_eq!(Integrator::default(), Integrator::Default);
}

/// A free chain of 20 links without gravity, its joints and itself in motion.
fn free_chain(joint: &Joint) -> Simulation {
    let builder = chain(20, |i| if i == 0 { Joint::free() } else { joint.clone() });
    let mut simulation = moving(simulation(builder), 1.0);
    simulation.gravity = DVec3::ZERO;
    simulation
}

/// Drift of a free chain over 10 s at 1/60: energy, linear momentum, angular momentum about the centre of mass, all
/// relative; and how far the centre of mass is from its straight line \[m]. `None`: not finite.
fn drift(integrator: Integrator, joint: &Joint, dt: f64) -> Option<[f64; 4]> {
    let mut simulation = free_chain(joint);
    simulation.integrator = integrator;
    let (start, energy) = (simulation.momentum(), simulation.energy().kinetic);
    let mut worst = [0.0f64; 4];
    for step in 1..=(10.0 / dt) as u32 {
        simulation.step(dt).ok()?;
        let now = simulation.momentum();
        let com = start.com + start.com_velocity() * (dt * f64::from(step));
        let drifts = [
            (simulation.energy().kinetic - energy) / energy,
            (now.linear - start.linear).length() / start.linear.length(),
            (now.angular_about_com - start.angular_about_com).length() / start.angular_about_com.length(),
            (now.com - com).length(),
        ];
        for (w, d) in worst.iter_mut().zip(drifts) {
            if d.abs() > w.abs() {
                *w = d;
            }
        }
    }
    Some(worst)
}

/// Momenta and centre of mass of a free chain under the default integrators: exact but for rounding, which
/// 600 steps of sums over 20 links pile up.
const MOMENTUM: f64 = 1e-10;

#[test]
fn momenta_of_a_free_chain_are_kept() {
    for joint in [Joint::revolute(DVec3::Z), Joint::spherical()] {
        for (name, integrator) in Integrator::ALL {
            let word = joint.kind.word();
            let shown = drift(integrator, &joint, 1.0 / 60.0);
            match shown {
                None => println!("{name}, {word}, 1/60: not finite within 10 s"),
                Some([e, l, a, com]) => println!(
                    "{name}, {word}, 1/60, 10 s: energy {e:+.1e}, momentum {l:.1e}, angular {a:.1e}, com {com:.1e} m"
                ),
            }
            if matches!(integrator, Integrator::Default | Integrator::Accurate) {
                let [energy, linear, angular, com] = shown.expect("finite");
                assert!(energy <= 1e-12, "{name} gained energy: {energy}");
                assert!(linear <= MOMENTUM && angular <= MOMENTUM && com <= MOMENTUM, "{name}: {shown:?}");
            }
            if let Integrator::Adaptive { .. } = integrator {
                // a hundred thousand sub-steps at most, each within 1e-6
                let [energy, linear, angular, com] = shown.expect("finite");
                assert!(energy.abs().max(linear).max(angular).max(com) <= 1e-3, "{name}: {shown:?}");
            }
        }
    }
}

/// Runge–Kutta loses energy with the fifth power of the step: here what it keeps at a small one.
#[test]
fn runge_kutta_keeps_energy_and_momentum_at_small_steps() {
    let [energy, linear, angular, com] =
        drift(Integrator::Rk4, &Joint::spherical(), 1.0 / 2000.0).expect("finite");
    println!(
        "rk4, spherical, 1/2000: energy {energy:+.1e}, momentum {linear:.1e}, angular {angular:.1e}, com {com:.1e} m"
    );
    assert!(energy.abs().max(linear).max(angular).max(com) <= 1e-5);
}

/// Every step brings quaternions back to unit length; `SUPPLE_SOAK_STEPS` sets how many steps are taken.
#[test]
fn quaternions_stay_of_unit_length() {
    let steps: u32 =
        std::env::var("SUPPLE_SOAK_STEPS").map_or(20_000, |s| s.parse().expect("a number of steps"));
    for (name, integrator) in Integrator::ALL {
        // a stone that carries a ball joint and a compound with a ball: three quaternions, and all tumbling
        let mut rng = Rng::new(8, 0);
        let ball = common::every_kind().pop().expect("a compound with a ball");
        let builder = ModelBuilder::new()
            .body(Body::new("stone", Joint::free()).inertia(common::inertia(&mut rng, 2.0)))
            .body(
                Body::new("ball", Joint::spherical().damping(0.01))
                    .on("stone")
                    .inertia(common::inertia(&mut rng, 1.0)),
            )
            .body(
                Body::new("pebble", Joint::new(ball).damping(0.01))
                    .on("stone")
                    .at(Pose::from_xyz(0.2, 0.0, 0.0))
                    .inertia(common::inertia(&mut rng, 1.0)),
            );
        let mut simulation = moving(simulation(builder), 2.0);
        simulation.gravity = DVec3::ZERO;
        simulation.integrator = integrator;
        let mut worst = 0.0f64;
        for step in 0..steps {
            simulation.step(2e-3).unwrap_or_else(|e| panic!("{name}: {e}"));
            if step % 100 == 0 || step + 1 == steps {
                for at in [3, 7, 11] {
                    let length = simulation.state.q[at..at + 4].iter().map(|x| x * x).sum::<f64>().sqrt();
                    worst = worst.max((length - 1.0).abs());
                }
            }
        }
        println!("{name}: quaternions unit to {worst:.1e} over {steps} steps");
        assert!(worst <= 1e-12, "{name}: {worst}");
    }
}
