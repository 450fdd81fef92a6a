//! Springs to the world: closed forms, slopes of their energy, a dense solve of their implicit terms, and stiff ones that hold.

mod common;

use common::{
    Case, Rng, assert_close, assert_near, chain, difference, mass_matrix, point_of, reduced, transposed,
};
use glam::DVec3;
use proptest::prelude::*;
use supple::detail::{Detail, Keep};
use supple::dynamics::articulated::Sweep;
use supple::dynamics::integrate::position;
use supple::dynamics::jacobian::point_jacobian;
use supple::dynamics::kinematics::Kinematics;
use supple::dynamics::wrench::Wrenches;
use supple::dynamics::{EquationOfMotion, aba, spring};
use supple::{
    Axes, Body, BodyId, Force, Integrator, Joint, JointId, Load, ModelBuilder, RigidInertia, Simulation,
    Spring, StepError,
};

/// Two routes to the same accelerations: rounding of some fifty products along the tree, times its condition.
const TOLERANCE: f64 = 1e-9;

fn ball(mass: f64) -> Simulation {
    let inertia = RigidInertia::solid_sphere(mass, 0.1, DVec3::ZERO);
    let mut simulation = Simulation::new(
        ModelBuilder::new().body(Body::new("ball", Joint::free()).inertia(inertia)).finish().unwrap(),
    );
    simulation.gravity = DVec3::ZERO;
    simulation
}

/// One or two springs on random bodies, every second one with a rest length.
fn springs(case: &Case, seed: u64) -> Vec<Spring> {
    let mut rng = Rng::new(seed, 99);
    (0..2 + rng.below(2))
        .map(|i| {
            let body = BodyId::new(rng.below(case.model.bodies().len()));
            Spring::new(body, rng.vector(0.3), rng.vector(1.0), rng.range(10.0, 100.0))
                .damping(rng.range(0.5, 5.0))
                .rest(if i % 2 == 0 { 0.0 } else { rng.range(0.1, 0.6) })
        })
        .collect()
}

fn energy(case: &Case, q: &[f64], springs: &[Spring]) -> f64 {
    let mut poses = Kinematics::default();
    poses.update_poses(case.model.tree(), q);
    spring::energy(&case.model, case.model.tree(), &poses, springs)
}

/// A ball on a spring without rest length goes round an ellipse: x = x₀ cos ωt + v₀/ω sin ωt, whatever the direction.
#[test]
fn a_ball_on_a_spring_goes_round_an_ellipse_at_the_order_of_the_integrator() {
    let (m, k) = (2.0, 150.0f64);
    let (x0, v0, t) = (DVec3::new(0.1, -0.2, 0.05), DVec3::new(0.4, 0.3, -1.0), 1.0);
    let anchor = DVec3::new(0.3, 0.1, -0.2);
    let omega = (k / m).sqrt();
    let (sin, cos) = (omega * t).sin_cos();
    let exact = anchor + x0 * cos + v0 * (sin / omega);
    for (name, integrator) in Integrator::ALL {
        let order = match integrator {
            Integrator::Default | Integrator::Accurate => 2.0,
            Integrator::Rk4 => 4.0,
            Integrator::Adaptive { .. } => 0.0,
            _ => 1.0,
        };
        let error = |steps: u32| {
            let mut simulation = ball(m);
            simulation.integrator = integrator;
            simulation.springs.push(Spring::new(BodyId::new(0), DVec3::ZERO, anchor, k));
            (anchor + x0).write_to_slice(&mut simulation.state.q[..3]);
            v0.write_to_slice(&mut simulation.state.v[3..]);
            for _ in 0..steps {
                simulation.step(t / f64::from(steps)).expect(name);
            }
            DVec3::from_slice(&simulation.state.q[..3]).distance(exact)
        };
        let errors = [400, 800].map(error);
        let measured = (errors[0] / errors[1]).log2();
        println!("{name}: {errors:?} m, order {measured:.2}");
        // the next power of dt is still felt by a tenth
        assert!(measured > order - 0.1 || order == 0.0, "{name}: order {measured}, not {order}");
        assert!(errors[1] < 2e-2, "{name}: {errors:?} m");
    }
}

/// A damped one: x = e^(−γt) (x₀ cos ωt + γ x₀/ω sin ωt); a strut swings about its rest length in the same way.
#[test]
fn a_damped_spring_and_a_strut_swing_as_they_should() {
    let (m, k, c, x0, t) = (2.0, 150.0, 3.0, 0.1, 0.7f64);
    let gamma: f64 = 0.5 * c / m;
    let omega = (k / m - gamma * gamma).sqrt();
    let (sin, cos) = f64::sin_cos(omega * t);
    let exact = (-gamma * t).exp() * x0 * (cos + gamma / omega * sin);
    for (rest, along) in [(0.0, DVec3::Y), (0.6, DVec3::new(0.6, 0.0, 0.8))] {
        for (name, integrator) in Integrator::ALL {
            let mut simulation = ball(m);
            simulation.integrator = integrator;
            let spring = Spring::new(BodyId::new(0), DVec3::ZERO, DVec3::X, k).damping(c).rest(rest);
            simulation.springs.push(spring);
            (DVec3::X + along * (rest + x0)).write_to_slice(&mut simulation.state.q[..3]);
            let steps = 7000;
            for _ in 0..steps {
                simulation.step(t / f64::from(steps)).expect(name);
            }
            let x = (DVec3::from_slice(&simulation.state.q[..3]) - DVec3::X).dot(along) - rest;
            println!("{name}, rest {rest} m: off by {:.1e} m", x - exact);
            // first order: about ω² t dt / 2 of the amplitude
            assert!((x - exact).abs() < 5e-3 * x0, "{name}: {x} {exact}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    /// At rest, springs push as their energy falls: numerical slopes along every degree of freedom.
    #[test]
    fn forces_are_slopes_of_the_energy(count in 1usize..=12, seed: u64) {
        let mut case = Case::random(count, seed);
        prop_assume!(case.model.nv() > 0);
        case.v.fill(0.0);
        let springs = springs(&case, seed);
        let mut simulation = case.simulation();
        let without = simulation.accelerations().to_vec();
        simulation.springs.clone_from(&springs);
        let with = simulation.accelerations().to_vec();
        let gained: Vec<f64> = with.iter().zip(&without).map(|(a, b)| a - b).collect();
        let force = mass_matrix(&case).mul(&gained);
        // central differences: error h², rounding 1e-16/h of energies of some 100 J
        let h = 1e-5;
        let slope: Vec<f64> = (0..case.model.nv())
            .map(|dof| {
                let at = |step: f64| {
                    let (mut q, mut v) = (case.q.clone(), vec![0.0; case.model.nv()]);
                    v[dof] = 1.0;
                    position::advance_in_place(case.model.tree(), &mut q, &v, step);
                    energy(&case, &q, &springs)
                };
                (at(-h) - at(h)) / (2.0 * h)
            })
            .collect();
        let scale = slope.iter().fold(1.0f64, |m, x| m.max(x.abs()));
        prop_assert!(difference(&force, &slope) < 1e-6 * scale, "{force:?}\n{slope:?}");
    }

    /// Implicit over a step, on any tree with any joints frozen: the dense solve of
    /// (M + Jᵀ (h C + h² K) J) q̈ = τ − bias + Jᵀ (F − (C + h K) v), rows and columns of the active joints.
    #[test]
    fn implicit_terms_are_those_of_a_dense_solve(count in 1usize..=25, seed: u64, h in 0.0..0.1f64) {
        let mut case = Case::random(count, seed);
        let mut rng = Rng::new(seed, 7);
        let active: Vec<bool> = case.model.tree().links.iter().map(|_| rng.chance(0.6)).collect();
        for (link, active) in case.model.tree().links.iter().zip(&active) {
            if !active {
                case.v[link.dofs()].fill(0.0);
            }
        }
        let springs = springs(&case, seed);
        let tree = reduced(&case, &active);
        let mut kinematics = Kinematics::new(&tree);
        kinematics.update(&tree, &case.q, &case.v);
        let mut wrenches = Wrenches::new();
        wrenches.set(&case.model, &tree, &kinematics, &case.loads);
        wrenches.add_springs(&case.model, &tree, &kinematics, &springs, h);
        let mut got = vec![0.0; case.model.nv()];
        let (armature, sweep) = (case.model.armature(), &mut Sweep::default());
        let equation = EquationOfMotion { tree: &tree, kinematics: &kinematics, gravity: case.gravity, diagonal: armature, wrenches: &wrenches };
        aba::accelerations(&equation, &case.tau, sweep, &mut got);

        let n = case.model.nv();
        let full = case.kinematics();
        let mut matrix = mass_matrix(&case);
        let bias = common::inverse(&case, &vec![0.0; n]);
        let mut right: Vec<f64> = case.tau.iter().zip(&bias).map(|(t, b)| t - b).collect();
        for spring in &springs {
            let columns = point_jacobian(&case.model, &full, spring.body, spring.point);
            let simulation = case.simulation();
            let at = simulation.body_pose(&full, spring.body).point(spring.point) - spring.anchor;
            let velocity: DVec3 = columns.iter().map(|c| c.motion.linear * case.v[c.dof]).sum();
            // the force and its two derivatives, by hand, along the line and across it
            let (u, longer) = (at.normalize(), at.length() - spring.rest);
            let along = |x: DVec3| u * u.dot(x);
            let (c, k) = (spring.damping, spring.stiffness);
            let strut = spring.rest > 0.0;
            let damper = |x: DVec3| if strut { along(x) * c } else { x * c };
            let stiff = |x: DVec3| along(x) * k + (x - along(x)) * (k * (longer / at.length()).max(0.0));
            let force = u * (-k * longer) - damper(velocity) - stiff(velocity) * h;
            for (r, f) in right.iter_mut().zip(transposed(&columns, Force::new(DVec3::ZERO, force), n)) {
                *r += f;
            }
            for a in &columns {
                for b in &columns {
                    let mass = damper(b.motion.linear) * h + stiff(b.motion.linear) * (h * h);
                    matrix.entries[a.dof * n + b.dof] += a.motion.linear.dot(mass);
                }
            }
        }
        for (link, active) in case.model.tree().links.iter().zip(&active) {
            for dof in link.dofs().filter(|_| !active) {
                for k in 0..n {
                    matrix.entries[dof * n + k] = 0.0;
                    matrix.entries[k * n + dof] = 0.0;
                }
                matrix.entries[dof * n + dof] = 1.0;
                right[dof] = 0.0;
            }
        }
        let expected = matrix.solve(&right).expect("positive definite");
        assert_close("implicit springs", &got, &expected, TOLERANCE);
    }
}

/// The momentum of a floating body changes by what its springs and gravity push: P' − P = ∫ F dt, by Simpson's rule.
#[test]
fn springs_give_a_floating_body_their_impulse() {
    let mut simulation =
        common::simulation(chain(4, |i| if i == 0 { Joint::free() } else { Joint::spherical() }));
    simulation.integrator = Integrator::Rk4;
    let mut rng = Rng::new(3, 0);
    simulation.state.v.iter_mut().for_each(|v| *v = rng.range(-1.0, 1.0));
    simulation.springs = vec![
        Spring::new(BodyId::new(3), DVec3::X * 0.1, DVec3::new(0.2, 0.3, 0.0), 20.0).damping(0.1),
        Spring::new(BodyId::new(0), DVec3::ZERO, DVec3::new(-0.5, 0.0, 0.2), 10.0).damping(0.2).rest(0.3),
    ];
    // the force, from positions and velocities alone
    let push = |simulation: &Simulation| {
        let mut sum = simulation.gravity * 0.4;
        for spring in &simulation.springs {
            let kinematics = simulation.kinematics();
            let d = simulation.body_pose(&kinematics, spring.body).point(spring.point) - spring.anchor;
            let columns = point_jacobian(&simulation.model, &kinematics, spring.body, spring.point);
            let v: DVec3 = columns.iter().map(|c| c.motion.linear * simulation.state.v[c.dof]).sum();
            let u = d.normalize();
            let damped = if spring.rest > 0.0 { u * u.dot(v) } else { v };
            sum -= u * (spring.stiffness * (d.length() - spring.rest)) + damped * spring.damping;
        }
        sum
    };
    let start = simulation.momentum().linear;
    let (dt, steps) = (1e-4, 2000);
    let mut impulse = DVec3::ZERO;
    for step in 0..=steps {
        let weight = if step == 0 || step == steps { 1.0 } else { 2.0 * f64::from(1 + step % 2) };
        impulse += push(&simulation) * (weight * dt / 3.0);
        if step < steps {
            simulation.step(dt).expect("finite");
        }
    }
    let gained = simulation.momentum().linear - start;
    // both of fourth order in 1e-4 s
    assert!(gained.distance(impulse) < 1e-9 * impulse.length(), "{gained} {impulse}");
    assert!(impulse.length() > 0.1, "something must push: {impulse}");
}

/// Energy counts the springs: undamped, it stays.
#[test]
fn energy_counts_the_springs() {
    let mut simulation = common::simulation(chain(5, |_| Joint::revolute(DVec3::Z)));
    simulation.springs = vec![
        Spring::new(BodyId::new(4), DVec3::X * 0.1, DVec3::new(0.2, 0.4, 0.0), 30.0),
        Spring::new(BodyId::new(2), DVec3::ZERO, DVec3::new(0.1, -0.3, 0.0), 20.0).rest(0.2),
    ];
    simulation.integrator = Integrator::Adaptive { tolerance: 1e-11 };
    let start = simulation.energy();
    let tip = point_of(&simulation, "link4", DVec3::X * 0.1).distance(simulation.springs[0].anchor);
    let knee = point_of(&simulation, "link2", DVec3::ZERO).distance(simulation.springs[1].anchor) - 0.2;
    assert_near("potential", start.potential, 15.0 * tip * tip + 10.0 * knee * knee, 1e-13);
    let mut swing = 0.0f64;
    for _ in 0..200 {
        simulation.step(0.01).expect("finite");
        swing = swing.max(simulation.energy().kinetic);
        let drift = simulation.energy().total() - start.total();
        assert!(drift.abs() < 1e-7, "{drift:e} J");
    }
    assert!(swing > 0.5, "it must move: {swing} J");
}

/// Springs a million times stiffer than a step of 1/60 s resolves: the momentum integrators hold, never gain energy but
/// for the projection, and come to rest where the springs want them. They begin 0.36 m away: up to 4e8 N pull.
#[test]
fn stiff_springs_hold() {
    for integrator in [Integrator::Default, Integrator::Accurate, Integrator::Projection] {
        for (stiffness, damping, rest) in [
            (1e3, 0.0, 0.0),
            (1e6, 0.0, 0.0),
            (1e6, 1e4, 0.0),
            (1e9, 0.0, 0.0),
            (0.0, 1e8, 0.0),
            (1e6, 10.0, 0.3),
        ] {
            let mut simulation = tied(DVec3::new(0.4, 0.2, 0.0), stiffness, damping, rest);
            simulation.integrator = integrator;
            let mut last = simulation.energy().total();
            let scale = last.abs().max(1.0);
            for step in 0..1200 {
                simulation
                    .step(1.0 / 60.0)
                    .unwrap_or_else(|e| panic!("{integrator:?}, {stiffness} N/m, {damping} N·s/m: {e}"));
                let now = simulation.energy().total();
                if integrator != Integrator::Projection {
                    assert!(
                        now <= last + 1e-9 * scale,
                        "{integrator:?} {stiffness}: step {step} {last} {now}"
                    );
                }
                last = now;
            }
            settled(&simulation);
        }
    }
}

/// The semi-implicit step holds a stiff spring, too, if it does not pull the chain tight: in tension that a step does not
/// resolve, chains explode in it by themselves (theory, section 15.1). Here the chain hangs in a bend and is
/// pushed aside.
#[test]
fn stiff_springs_hold_in_the_semi_implicit_step() {
    for (stiffness, damping) in [(1e3, 0.0), (1e6, 0.0), (1e9, 0.0), (1e9, 1e4), (0.0, 1e8)] {
        let mut simulation = tied(DVec3::ZERO, stiffness, damping, 0.0);
        simulation.integrator = Integrator::SemiImplicit;
        (simulation.state.q[0], simulation.state.q[3]) = (-2.1, 1.2);
        simulation.springs[0].anchor = point_of(&simulation, "link6", DVec3::X * 0.1);
        let wrench = Force::new(DVec3::ZERO, DVec3::X * 2.0);
        simulation.wrenches =
            [4, 9].map(|i| Load { body: BodyId::new(i), wrench, axes: Axes::World }).to_vec();
        for _ in 0..1200 {
            simulation.step(1.0 / 60.0).unwrap_or_else(|e| panic!("{stiffness} N/m, {damping} N·s/m: {e}"));
        }
        settled(&simulation);
    }
}

/// Ten links with dampers, level; the end of the seventh tied to `anchor`.
fn tied(anchor: DVec3, stiffness: f64, damping: f64, rest: f64) -> Simulation {
    let mut simulation = common::simulation(chain(10, |_| Joint::revolute(DVec3::Z).damping(0.02)));
    let spring = Spring::new(BodyId::new(6), DVec3::X * 0.1, anchor, stiffness).damping(damping).rest(rest);
    simulation.springs.push(spring);
    simulation
}

/// At rest after 20 s, and no further from where the spring wants it than 20 N stretch it, twice the weight of the chain
/// (it pulls a taut chain with more than that), and a micrometre for what still moves.
fn settled(simulation: &Simulation) {
    let (spring, kinetic) = (simulation.springs[0], simulation.energy().kinetic);
    let away = point_of(simulation, "link6", spring.point).distance(spring.anchor) - spring.rest;
    println!("{:?}, {spring:?}: {away:.1e} m away, {kinetic:.1e} J", simulation.integrator);
    assert!(kinetic < 1e-6, "{:?} {spring:?}: {kinetic} J", simulation.integrator);
    let bound = 20.0 / spring.stiffness + 1e-6;
    assert!(away.abs() < bound, "{:?} {spring:?}: {away} m", simulation.integrator);
}

/// The limit of the explicit integrators: they explode where the spring turns by more than about two radians per step,
/// and hold below.
#[test]
fn explicit_integrators_hold_only_below_their_limit() {
    let dt = 1.0 / 60.0;
    let grown = |integrator: Integrator, turn: f64| {
        let mut simulation = ball(1.0);
        simulation.integrator = integrator;
        let stiffness = (turn / dt).powi(2);
        simulation.springs.push(Spring::new(BodyId::new(0), DVec3::ZERO, DVec3::ZERO, stiffness));
        simulation.state.q[0] = 0.1;
        for _ in 0..100 {
            simulation.step(dt).expect("finite");
        }
        simulation.energy().total() > 1e3 * 0.5 * stiffness * 0.01
    };
    // Runge–Kutta of fourth order is stable up to 2√2
    assert!(!grown(Integrator::Rk4, 2.7) && grown(Integrator::Rk4, 3.0));
    // explicit Euler never is
    assert!(grown(Integrator::Explicit, 0.5));
    for integrator in [Integrator::Default, Integrator::Projection, Integrator::SemiImplicit] {
        assert!(!grown(integrator, 3.0) && !grown(integrator, 300.0), "{integrator:?}");
    }
}

/// A spring on a body inside a rigid group moves it as the body with those joints welded.
#[test]
fn a_spring_on_a_frozen_link_moves_its_group() {
    let frozen = [1usize, 2, 4];
    for (name, integrator) in Integrator::ALL {
        let spring =
            Spring::new(BodyId::new(2), DVec3::X * 0.1, DVec3::new(0.1, 0.5, 0.1), 40.0).damping(0.3);
        let mut hybrid = common::simulation(chain(6, |_| Joint::spherical()));
        let keep = (0..6)
            .map(|i| (JointId::new(i), if frozen.contains(&i) { Keep::Rigid } else { Keep::Active }))
            .collect();
        hybrid.set_detail(Detail { keep, ..Detail::joints(3) }).expect("valid");
        let mut welded = common::simulation(chain(6, |i| {
            if frozen.contains(&i) { Joint::fixed() } else { Joint::spherical() }
        }));
        for simulation in [&mut hybrid, &mut welded] {
            simulation.integrator = integrator;
            simulation.springs.push(spring);
        }
        // updates that change nothing restart no integrator
        for _ in 0..50 {
            hybrid.step(2e-3).expect(name);
            welded.step(2e-3).expect(name);
        }
        assert_close(name, &common::origins(&hybrid), &common::origins(&welded), 1e-9);
        assert!(welded.energy().kinetic > 1e-3);
    }
}

#[test]
fn bad_springs_are_refused_by_name() {
    let good = Spring::new(BodyId::new(0), DVec3::ZERO, DVec3::ZERO, 1.0);
    for (spring, words) in [
        (Spring { body: BodyId::new(7), ..good }, "body number 7"),
        (Spring { stiffness: -1.0, ..good }, "stiffness of spring 1 on body \"ball\" is -1 N/m"),
        (Spring { damping: f64::NAN, ..good }, "damping of spring 1 on body \"ball\" is NaN N·s/m"),
        (Spring { rest: f64::INFINITY, ..good }, "rest length"),
        (Spring { point: DVec3::new(0.0, f64::NAN, 0.0), ..good }, "point"),
        (Spring { anchor: DVec3::splat(f64::INFINITY), ..good }, "anchor"),
    ] {
        let mut simulation = ball(1.0);
        simulation.springs = vec![good, spring];
        let error = simulation.step(0.01).expect_err(words);
        assert!(matches!(error, StepError::BadLoad(_)), "{error}");
        assert!(error.to_string().contains(words), "{words}: {error}");
    }
}
