//! Closed forms: what textbooks know of pendulums, tops, springs, screws and stops.

mod common;

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use common::{Case, Rng, assert_close, assert_near, forward, inverse, point_of};
use glam::{DMat3, DQuat, DVec3};
use supple::dynamics::BodyState;
use supple::dynamics::passive::STICTION_SPEED;
use supple::model::Limit;
use supple::spatial::Sym3;
use supple::{
    Axes, Body, BodyId, Force, Integrator, Joint, JointKind, Load, ModelBuilder, Pose, RigidInertia,
    Simulation,
};

const G: f64 = 9.81;
/// Reference solutions: sub-steps to 1e-11, a few thousand of them.
const EXACT: Integrator = Integrator::Adaptive { tolerance: 1e-11 };
/// What such a solution may be off a closed form.
const CLOSED_FORM: f64 = 1e-8;

fn one(body: Body) -> Simulation {
    Simulation::new(ModelBuilder::new().body(body).finish().expect("valid"))
}

fn point_mass(mass: f64, at: DVec3) -> RigidInertia {
    RigidInertia::new(mass, at, Sym3::ZERO)
}

fn run(simulation: &mut Simulation, dt: f64, steps: u32) {
    for _ in 0..steps {
        simulation.step(dt).expect("finite");
    }
}

/// Arithmetic–geometric mean.
fn agm(mut a: f64, mut b: f64) -> f64 {
    while (a - b).abs() > 1e-15 * a {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    a
}

/// Period of a pendulum on a hinge, released at rest, from the times at which it passes the bottom.
fn period(simulation: &mut Simulation, dt: f64) -> f64 {
    let mut crossings = Vec::new();
    while crossings.len() < 5 {
        let before = (simulation.state.time, simulation.state.q[0], simulation.state.v[0]);
        simulation.step(dt).expect("finite");
        let after = (simulation.state.time, simulation.state.q[0], simulation.state.v[0]);
        if before.1 * after.1 <= 0.0 && before.1 != 0.0 {
            crossings.push(hermite_root(before, after));
        }
        assert!(simulation.state.time < 100.0, "it does not swing");
    }
    0.5 * (crossings[4] - crossings[0])
}

/// Where the cubic through two (time, position, velocity) passes zero.
fn hermite_root((t0, x0, v0): (f64, f64, f64), (t1, x1, v1): (f64, f64, f64)) -> f64 {
    let h = t1 - t0;
    let at = |s: f64| {
        let (a, b) = (s * s * (3.0 - 2.0 * s), s * (1.0 - s));
        x0 * (1.0 - a) + x1 * a + h * b * (v0 * (1.0 - s) - v1 * s)
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if at(middle) * at(low) > 0.0 { low = middle } else { high = middle }
    }
    t0 + h * low
}

/// A rod on a hinge; its period at any amplitude is 2π √(I / m g c) / agm(1, cos(θ/2)).
fn pendulum(amplitude: f64) -> (Simulation, f64) {
    let (mass, length) = (0.7, 0.9);
    let inertia = RigidInertia::new(
        mass,
        DVec3::new(0.0, 0.0, -0.5 * length),
        Sym3::diagonal(DVec3::splat(mass * length * length / 12.0)),
    );
    let mut simulation = one(Body::new("rod", Joint::revolute(DVec3::Y)).inertia(inertia));
    simulation.state.q[0] = amplitude;
    let small = TAU * (length / 3.0 / (0.5 * G)).sqrt();
    (simulation, small / agm(1.0, (0.5 * amplitude).cos()))
}

#[test]
fn a_pendulum_swings_in_the_time_that_elliptic_integrals_say() {
    for amplitude in [1e-3, 0.5, 1.5, 3.0, 3.13] {
        let (mut simulation, expected) = pendulum(amplitude);
        simulation.integrator = EXACT;
        let got = period(&mut simulation, 1e-3);
        println!("amplitude {amplitude}: period {got:.9} s, {expected:.9} s expected");
        assert_near("period", got, expected, CLOSED_FORM * 10.0);
    }
    // a small swing is the textbook's
    assert_near("small swing", pendulum(1e-9).1, TAU * (2.0 * 0.9 / 3.0 / G).sqrt(), 1e-15);
}

#[test]
fn every_integrator_swings_a_pendulum_in_its_time() {
    for (name, integrator) in Integrator::ALL {
        let (mut simulation, expected) = pendulum(1.0);
        simulation.integrator = integrator;
        let got = period(&mut simulation, 1e-3);
        // a thousandth of a second against a period of 1.6 s: first-order errors may be as large, others not
        let tolerance = match integrator {
            Integrator::Explicit | Integrator::Projection => 5e-3,
            Integrator::SemiImplicit => 1e-3,
            Integrator::Default | Integrator::Accurate => 1e-5,
            Integrator::Rk4 | Integrator::Adaptive { .. } => 1e-6,
        };
        println!("{name}: period off by {:+.1e}", got / expected - 1.0);
        assert_near(name, got, expected, tolerance);
    }
}

/// A symmetric body in free flight: L fixed, its axis circles it at L/I₁, and it turns about its axis at
/// (1 − I₃/I₁) ω₃ besides.
fn symmetric_top(t: f64, moments: DVec3, w: DVec3) -> DQuat {
    let l = moments * w;
    let about_l = DQuat::from_axis_angle(l.normalize(), l.length() / moments.x * t);
    about_l * DQuat::from_axis_angle(DVec3::Z, (1.0 - moments.z / moments.x) * w.z * t)
}

fn angle_between(a: DQuat, b: DQuat) -> f64 {
    let turn = a * b.conjugate();
    2.0 * DVec3::new(turn.x, turn.y, turn.z).length().min(1.0).asin()
}

#[test]
fn a_torque_free_symmetric_top_precesses_as_euler_found() {
    for moments in [DVec3::new(0.02, 0.02, 0.035), DVec3::new(0.05, 0.05, 0.01)] {
        for joint in [Joint::spherical(), Joint::free()] {
            let top = RigidInertia::new(1.3, DVec3::ZERO, Sym3::diagonal(moments));
            let mut simulation = one(Body::new("top", joint.clone()).inertia(top));
            simulation.gravity = DVec3::ZERO;
            let w = DVec3::new(1.5, -0.7, 4.0);
            simulation.state.v[..3].copy_from_slice(&w.to_array());
            let start = simulation.state.clone();
            let attitude = |s: &Simulation| s.body_pose(&s.kinematics(), BodyId::new(0)).quat();
            for (name, integrator, dt, tolerance) in [
                ("exact", EXACT, 0.1, CLOSED_FORM),
                // 2.3 to 4.5 rad/s: 0.07 rad per step at 1/60, whose cube over 12 is 3e-5, in 300 steps
                ("default", Integrator::Default, 1.0 / 60.0, 2e-2),
                ("default", Integrator::Default, 1.0 / 600.0, 2e-4),
                ("accurate", Integrator::Accurate, 1.0 / 600.0, 2e-4),
            ] {
                simulation.state = start.clone();
                simulation.integrator = integrator;
                run(&mut simulation, dt, (5.0 / dt).round() as u32);
                let error = angle_between(attitude(&simulation), symmetric_top(5.0, moments, w));
                println!("{name}, dt {dt:.4}, {}: {error:.1e} rad after 5 s", joint.kind.word());
                assert!(error <= tolerance, "{name}, dt {dt}: {error:.2e} rad");
                // body rates circle the axis, the spin stays
                assert_near("spin", simulation.state.v[2], w.z, tolerance.max(1e-9));
            }
        }
    }
}

#[test]
fn a_stone_flies_on_a_parabola_and_keeps_its_angular_momentum() {
    let mut rng = Rng::new(13, 0);
    let stone = common::inertia(&mut rng, 2.0);
    for (name, integrator) in Integrator::ALL {
        let mut simulation = one(Body::new("stone", Joint::free()).at(rng.pose(1.0)).inertia(stone));
        simulation.integrator = integrator;
        simulation.state.v.copy_from_slice(&[3.0, -2.0, 4.0, 1.0, 5.0, -2.0]);
        let start = simulation.momentum();
        let dt = 1.0 / 240.0;
        run(&mut simulation, dt, 480);
        let (now, t) = (simulation.momentum(), 2.0);
        let com = start.com + start.com_velocity() * t + simulation.gravity * (0.5 * t * t);
        let linear = start.linear + simulation.gravity * (start.mass * t);
        let off = [
            (now.com - com).length(),
            (now.linear - linear).length() / linear.length(),
            (now.angular_about_com - start.angular_about_com).length() / start.angular_about_com.length(),
        ];
        println!("{name}: com off by {:.1e} m, momenta by {:.1e} and {:.1e}", off[0], off[1], off[2]);
        let tolerances = match integrator {
            // exact but for the rounding of 480 steps, seen from 20 m away
            Integrator::Default | Integrator::Accurate => [1e-11, 1e-12, 2e-11],
            Integrator::Rk4 | Integrator::Adaptive { .. } => [1e-5; 3],
            // momenta of a single body are carried on as they are; its position is of first order
            Integrator::Projection => [0.5, 1e-12, 1e-11],
            // velocities in body axes that turn at 5 rad/s: first order, and far off after 50 m
            _ => [3.0, 0.2, 0.5],
        };
        for (o, tolerance) in off.iter().zip(tolerances) {
            assert!(*o <= tolerance, "{name}: {off:?}");
        }
    }
}

/// A mass on a spring with a damper: x = e^(−γt) (x₀ cos ωt + (v₀ + γ x₀)/ω sin ωt).
#[test]
fn a_damped_spring_swings_as_it_should() {
    let (m, k, d, x0, v0) = (2.0, 150.0, 3.0, 0.1, -0.4);
    let joint = Joint::prismatic(DVec3::X).stiffness(k).damping(d).rest([0.25]);
    for (name, integrator, dt, tolerance) in [
        ("exact", EXACT, 0.1, CLOSED_FORM),
        ("rk4", Integrator::Rk4, 1e-3, 1e-8),
        ("accurate", Integrator::Accurate, 1e-4, 1e-3),
        ("default", Integrator::Default, 1e-4, 1e-3),
        ("semi-implicit", Integrator::SemiImplicit, 1e-4, 5e-3),
        ("projection", Integrator::Projection, 1e-4, 5e-3),
        ("explicit", Integrator::Explicit, 1e-4, 5e-3),
    ] {
        let mut simulation = one(Body::new("block", joint.clone()).inertia(point_mass(m, DVec3::ZERO)));
        simulation.integrator = integrator;
        (simulation.state.q[0], simulation.state.v[0]) = (0.25 + x0, v0);
        let t = 1.0;
        run(&mut simulation, dt, (t / dt).round() as u32);
        let gamma = 0.5 * d / m;
        let omega = (k / m - gamma * gamma).sqrt();
        let (s, c) = (omega * t).sin_cos();
        let (a, b) = (x0, (v0 + gamma * x0) / omega);
        let decay = (-gamma * t).exp();
        let x = decay * (a * c + b * s);
        let v = decay * ((b * omega - gamma * a) * c - (a * omega + gamma * b) * s);
        println!("{name}: x off by {:.1e} m", simulation.state.q[0] - 0.25 - x);
        assert!(
            (simulation.state.q[0] - 0.25 - x).abs() <= tolerance * x0,
            "{name}: {} {x}",
            simulation.state.q[0]
        );
        assert!(
            (simulation.state.v[0] - v).abs() <= tolerance * 2.0,
            "{name}: {} {v}",
            simulation.state.v[0]
        );
    }
}

/// Figure 4 of Redon, Galoppo and Lin (2005): five links in a row on slides, a force on the second.
#[test]
fn five_links_on_slides_answer_a_force_on_the_second() {
    let (m, f) = (0.8, 3.0);
    let mut builder = ModelBuilder::new();
    for i in 0..5 {
        let body =
            Body::new(format!("link{i}"), Joint::prismatic(DVec3::X)).inertia(point_mass(m, DVec3::ZERO));
        builder.add(if i == 0 {
            body
        } else {
            body.on(format!("link{}", i - 1)).at(Pose::from_xyz(0.2, 0.0, 0.0))
        });
    }
    let mut simulation = Simulation::new(builder.finish().expect("valid"));
    for (hit, expected) in [(1, [0.0, f / m, -f / m, 0.0, 0.0]), (0, [f / m, -f / m, 0.0, 0.0, 0.0])] {
        let wrench = Force::new(DVec3::ZERO, DVec3::new(f, 0.0, 0.0));
        simulation.wrenches = vec![Load { body: BodyId::new(hit), wrench, axes: Axes::World }];
        assert_close("q̈", simulation.accelerations(), &expected, 1e-14);
    }
    // the paper counts its joints between links, from a first link that floats
    let mut builder = ModelBuilder::new();
    for i in 0..5 {
        let joint = if i == 0 { Joint::free() } else { Joint::prismatic(DVec3::X) };
        let body = Body::new(format!("link{i}"), joint);
        let inertia = RigidInertia::solid_box(m, DVec3::splat(0.1), DVec3::ZERO);
        let body = body.inertia(inertia);
        builder.add(if i == 0 {
            body
        } else {
            body.on(format!("link{}", i - 1)).at(Pose::from_xyz(0.2, 0.0, 0.0))
        });
    }
    let mut simulation = Simulation::new(builder.finish().expect("valid"));
    simulation.gravity = DVec3::ZERO;
    let wrench = Force::new(DVec3::ZERO, DVec3::new(f, 0.0, 0.0));
    simulation.wrenches = vec![Load { body: BodyId::new(1), wrench, axes: Axes::World }];
    let qdd = simulation.accelerations();
    assert_close("joints between links", &qdd[6..], &[f / m, -f / m, 0.0, 0.0], 1e-12);
    assert!(qdd[..6].iter().all(|x| x.abs() < 1e-12), "{qdd:?}");
}

/// The double pendulum of the textbooks: two point masses on massless rods, absolute angles from the vertical.
#[test]
fn a_double_pendulum_accelerates_as_in_textbooks() {
    let (m1, m2, l1, l2) = (1.2, 0.7, 0.5, 0.8);
    let builder = ModelBuilder::new()
        .body(
            Body::new("upper", Joint::revolute(DVec3::Y)).inertia(point_mass(m1, DVec3::new(0.0, 0.0, -l1))),
        )
        .body(
            Body::new("lower", Joint::revolute(DVec3::Y))
                .on("upper")
                .at(Pose::from_xyz(0.0, 0.0, -l1))
                .inertia(point_mass(m2, DVec3::new(0.0, 0.0, -l2))),
        );
    let mut simulation = Simulation::new(builder.finish().expect("valid"));
    for (a, b, wa, wb) in [(0.3, -0.8, 1.5, -2.0), (2.0, 1.0, 0.0, 3.0), (-1.2, 2.9, -4.0, 0.5)] {
        simulation.state.q.copy_from_slice(&[a, b - a]);
        simulation.state.v.copy_from_slice(&[wa, wb - wa]);
        let (s, c) = ((a - b).sin(), (a - b).cos());
        let common = 2.0 * m1 + m2 - m2 * (2.0 * (a - b)).cos();
        let first = (-G * (2.0 * m1 + m2) * a.sin()
            - m2 * G * (a - 2.0 * b).sin()
            - 2.0 * s * m2 * (wb * wb * l2 + wa * wa * l1 * c))
            / (l1 * common);
        let second = 2.0 * s * (wa * wa * l1 * (m1 + m2) + G * (m1 + m2) * a.cos() + wb * wb * l2 * m2 * c)
            / (l2 * common);
        assert_close("q̈", simulation.accelerations(), &[first, second - first], 1e-13);
    }
}

/// The cart with a pole: (M + m) ẍ + m l (θ̈ cos θ − θ̇² sin θ) = F, ẍ cos θ + l θ̈ = g sin θ (pole upright at 0).
#[test]
fn a_cart_with_a_pole_accelerates_as_in_textbooks() {
    let (cart, pole, l, push) = (3.0, 0.5, 0.7, 4.0);
    let builder = ModelBuilder::new()
        .body(Body::new("cart", Joint::prismatic(DVec3::X)).inertia(point_mass(cart, DVec3::ZERO)))
        .body(
            Body::new("pole", Joint::revolute(DVec3::Y))
                .on("cart")
                .inertia(point_mass(pole, DVec3::new(0.0, 0.0, l))),
        );
    let mut simulation = Simulation::new(builder.finish().expect("valid"));
    let (theta, w): (f64, f64) = (0.6, 1.7);
    simulation.state.q.copy_from_slice(&[0.4, theta]);
    simulation.state.v.copy_from_slice(&[0.2, w]);
    simulation.tau[0] = push;
    let (s, c) = theta.sin_cos();
    let x = (push + pole * s * (l * w * w - G * c)) / (cart + pole * s * s);
    assert_close("q̈", simulation.accelerations(), &[x, (G * s - x * c) / l], 1e-13);
}

/// A bead on a turning rod: r̈ = r w², and the rod feels the moment 2 m r ṙ w.
#[test]
fn a_bead_on_a_turning_rod_feels_centrifugal_and_coriolis_force() {
    let (m, r, r_dot, w) = (0.3, 0.8, 1.1, 2.5);
    let builder = ModelBuilder::new()
        .body(Body::new("rod", Joint::revolute(DVec3::Z)).inertia(RigidInertia::solid_sphere(
            1.0,
            0.2,
            DVec3::ZERO,
        )))
        .body(Body::new("bead", Joint::prismatic(DVec3::X)).on("rod").inertia(point_mass(m, DVec3::ZERO)));
    let case = Case {
        model: builder.finish().expect("valid").into(),
        q: vec![0.4, r],
        v: vec![w, r_dot],
        tau: vec![0.0; 2],
        loads: vec![],
        gravity: DVec3::new(0.0, 0.0, -G),
    };
    // without acceleration: centripetal force on the bead, Coriolis moment on the rod
    let tau = inverse(&case, &[0.0, 0.0]);
    assert_close("τ", &tau, &[2.0 * m * r * r_dot * w, -m * r * w * w], 1e-14);
    let rod = 0.4 * 0.04;
    let expected = [-2.0 * m * r * r_dot * w / (rod + m * r * r), r * w * w];
    assert_close("q̈", &forward(&case), &expected, 1e-14);
}

/// A nut on an upright screw: (I + m p²) q̈ = −m g p.
#[test]
fn a_nut_on_a_screw_sinks_slowly() {
    let (m, i, pitch) = (0.4, 3e-3, 0.02);
    let nut = RigidInertia::new(m, DVec3::ZERO, Sym3::diagonal(DVec3::splat(i)));
    for sign in [1.0, -1.0] {
        let kind = JointKind::Helical { axis: DVec3::Z, pitch: sign * pitch };
        let mut simulation = one(Body::new("nut", Joint::new(kind)).inertia(nut));
        let expected = -sign * m * G * pitch / (i + m * pitch * pitch);
        assert_near("q̈", simulation.accelerations()[0], expected, 1e-14);
        simulation.integrator = EXACT;
        run(&mut simulation, 0.1, 10);
        assert_near("angle after 1 s", simulation.state.q[0], 0.5 * expected, 1e-9);
        let at = point_of(&simulation, "nut", DVec3::ZERO);
        assert_near("height after 1 s", at.z, sign * pitch * 0.5 * expected, 1e-9);
    }
}

#[test]
fn a_sled_slides_down_an_incline() {
    for angle in [0.1f64, 0.7, FRAC_PI_2] {
        let down = DVec3::new(angle.cos(), 0.0, -angle.sin());
        let mut simulation = one(Body::new("sled", Joint::prismatic(down)).inertia(common::rod(2.5, 0.4)));
        assert_near("q̈", simulation.accelerations()[0], G * angle.sin(), 1e-14);
        for (name, integrator) in Integrator::ALL {
            simulation.state.q[0] = 0.0;
            simulation.state.v[0] = 0.0;
            simulation.integrator = integrator;
            run(&mut simulation, 0.01, 100);
            assert_near(name, simulation.state.v[0], G * angle.sin(), 1e-9);
            // first-order steps are off by half a step, g dt t / 2
            let tolerance = match integrator {
                Integrator::Explicit | Integrator::SemiImplicit | Integrator::Projection => 0.0101,
                _ => 1e-9,
            };
            assert_near(name, simulation.state.q[0], 0.5 * G * angle.sin(), tolerance);
        }
    }
}

/// A mass on a string circles at w² = g / (l cos θ).
#[test]
fn a_conical_pendulum_circles() {
    let (l, theta): (f64, f64) = (0.6, 0.5);
    let w = (G / (l * theta.cos())).sqrt();
    let weight = RigidInertia::solid_sphere(0.5, 1e-3, DVec3::new(0.0, 0.0, -l));
    let mut simulation = one(Body::new("bob", Joint::spherical()).inertia(weight));
    let start = DQuat::from_axis_angle(DVec3::X, theta);
    simulation.state.q.copy_from_slice(&start.to_array());
    // turning about the vertical, seen in the body
    let spin = start.inverse() * DVec3::new(0.0, 0.0, w);
    simulation.state.v.copy_from_slice(&spin.to_array());
    simulation.integrator = EXACT;
    let at = |s: &Simulation| point_of(s, "bob", DVec3::new(0.0, 0.0, -l));
    let first = at(&simulation);
    let turn = TAU / w;
    run(&mut simulation, turn / 64.0, 64);
    // the ball's own inertia (2/5 of a millimetre squared against 0.6 m squared) is felt at 1e-6
    assert!((at(&simulation) - first).length() < 1e-5, "{} {first}", at(&simulation));
    let opposite = {
        run(&mut simulation, turn / 64.0, 32);
        at(&simulation)
    };
    assert!((opposite - DVec3::new(-first.x, -first.y, first.z)).length() < 1e-5);
}

/// A top in steady precession: A cos θ Ω² − I₃ s Ω + m g l = 0, with A about the tip (s: spin about the axis).
#[test]
fn a_top_in_steady_precession_keeps_its_tilt() {
    let (m, l, i1, i3, theta, spin) = (0.5, 0.04, 1e-3, 2e-3, 0.6f64, 60.0);
    let a = i1 + m * l * l;
    let (b, c) = ((a - i3) * theta.cos(), m * G * l);
    // with the spin s = ψ̇ + Ω cos θ: A cos θ Ω² − I₃ (ψ̇ + Ω cos θ) Ω + m g l = 0
    let precession = (i3 * spin - (i3 * i3 * spin * spin - 4.0 * b * c).sqrt()) / (2.0 * b);
    let top = RigidInertia::new(m, DVec3::new(0.0, 0.0, l), Sym3::diagonal(DVec3::new(i1, i1, i3)));
    let mut simulation = one(Body::new("top", Joint::spherical()).inertia(top));
    let start = DQuat::from_axis_angle(DVec3::X, theta);
    simulation.state.q.copy_from_slice(&start.to_array());
    let w = start.inverse() * DVec3::new(0.0, 0.0, precession) + DVec3::new(0.0, 0.0, spin);
    simulation.state.v.copy_from_slice(&w.to_array());
    let begin = simulation.state.clone();
    for (name, integrator, dt, tolerance) in [
        ("exact", EXACT, 0.01, 1e-7),
        ("default", Integrator::Default, 1e-3, 5e-3),
        ("accurate", Integrator::Accurate, 1e-3, 5e-3),
    ] {
        simulation.state = begin.clone();
        simulation.integrator = integrator;
        run(&mut simulation, dt, (2.0 / dt).round() as u32);
        let axis = point_of(&simulation, "top", DVec3::Z);
        let (tilt, azimuth) = (axis.z.acos(), axis.x.atan2(-axis.y));
        println!(
            "{name}: tilt {tilt:.6} after {theta}, azimuth {azimuth:.6}, {:.6} expected",
            precession * 2.0
        );
        assert!((tilt - theta).abs() <= tolerance, "{name}: {tilt}");
        let off = (azimuth - precession * 2.0 + PI).rem_euclid(TAU) - PI;
        assert!(off.abs() <= tolerance, "{name}: {off} rad");
    }
}

/// A drive's own inertia is felt by its joint alone.
#[test]
fn armature_slows_its_joint() {
    let mut simulation =
        one(Body::new("block", Joint::prismatic(DVec3::Z).armature(1.5))
            .inertia(point_mass(0.5, DVec3::ZERO)));
    assert_near("q̈", simulation.accelerations()[0], -0.5 * G / 2.0, 1e-15);
    simulation.state.v[0] = 3.0;
    assert_near("energy", simulation.energy().kinetic, 0.5 * 2.0 * 9.0, 1e-15);
    for (name, integrator) in Integrator::ALL {
        simulation.state.q[0] = 0.0;
        simulation.state.v[0] = 0.0;
        simulation.integrator = integrator;
        run(&mut simulation, 0.01, 100);
        assert_near(name, simulation.state.v[0], -0.5 * G / 2.0, 1e-9);
    }
}

#[test]
fn a_soft_stop_settles_where_it_balances_the_force() {
    let (m, k, lower) = (2.0, 5e3, -0.2);
    let limit = Limit { lower, upper: 1.0, stiffness: Some(k), damping: None };
    let joint = Joint::prismatic(DVec3::Z).each(|d| d.limit = Some(limit));
    for (name, integrator) in Integrator::ALL {
        for dt in [1e-3, 1.0 / 60.0] {
            if dt > 0.01 && matches!(integrator, Integrator::Explicit | Integrator::Rk4) {
                // explicit forces: 50 rad/s at 1/60 is near what they can step
                continue;
            }
            let mut simulation = one(Body::new("block", joint.clone()).inertia(point_mass(m, DVec3::ZERO)));
            simulation.integrator = integrator;
            run(&mut simulation, dt, (3.0 / dt) as u32);
            let depth = lower - simulation.state.q[0];
            println!("{name}, dt {dt:.4}: depth {depth:.9} m, {:.9} expected", m * G / k);
            assert_near(&format!("{name}: depth"), depth, m * G / k, 1e-6);
            assert!(simulation.state.v[0].abs() < 1e-6, "{name}: still moving");
        }
    }
    // the same from above, on a hinge, and pushed by its drive
    let limit = Limit { lower: -1.0, upper: 0.3, stiffness: Some(200.0), damping: None };
    let joint = Joint::revolute(DVec3::Y).each(|d| d.limit = Some(limit));
    let mut simulation =
        one(Body::new("arm", joint).inertia(RigidInertia::solid_sphere(1.0, 0.3, DVec3::ZERO)));
    simulation.tau[0] = 4.0;
    run(&mut simulation, 1.0 / 120.0, 600);
    assert_near("angle", simulation.state.q[0], 0.3 + 4.0 / 200.0, 1e-6);
}

/// The stop of a spherical joint bounds the angle about any axis: a ball pendulum pushed sideways rests on it.
#[test]
fn the_stop_of_a_ball_joint_holds_about_any_axis() {
    for axis in [DVec3::X, DVec3::Y, DVec3::new(1.0, 2.0, 2.0) / 3.0, DVec3::new(-0.6, 0.0, 0.8)] {
        let mut joint = Joint::spherical();
        let limit = Limit { lower: 0.0, upper: 0.5, stiffness: Some(100.0), damping: None };
        joint.dofs[0].limit = Some(limit);
        let mut simulation = one(Body::new("head", joint.damping(0.05)).inertia(RigidInertia::solid_sphere(
            1.0,
            0.3,
            DVec3::ZERO,
        )));
        simulation.gravity = DVec3::ZERO;
        // a moment about a fixed axis of the body, which stays that of the whole rotation
        simulation.tau.copy_from_slice(&(axis * 3.0).to_array());
        run(&mut simulation, 1.0 / 240.0, 2400);
        let q = DQuat::from_slice(&simulation.state.q);
        let angle = 2.0 * q.w.abs().acos();
        assert_near("angle", angle, 0.5 + 3.0 / 100.0, 1e-4);
        let along = DVec3::new(q.x, q.y, q.z).normalize() * q.w.signum();
        assert!((along - axis).length() < 1e-4, "{along}, not {axis}");
    }
}

/// A spring towards a rest attitude pulls along the rotation between, and its energy is k a²/2.
#[test]
fn a_ball_joint_with_a_spring_swings_about_its_rest() {
    let (k, i) = (2.0, 0.4 * 0.09);
    let rest = DQuat::from_xyzw(0.1, -0.4, 0.2, 0.7).normalize();
    let joint = Joint::spherical().stiffness(k).rest_rotation(rest);
    let mut simulation =
        one(Body::new("head", joint).inertia(RigidInertia::solid_sphere(1.0, 0.3, DVec3::ZERO)));
    simulation.gravity = DVec3::ZERO;
    let (axis, angle) = (DVec3::new(2.0, -1.0, 2.0) / 3.0, 1.2);
    simulation.state.q.copy_from_slice(&(rest * DQuat::from_axis_angle(axis, angle)).to_array());
    assert_close("q̈", simulation.accelerations(), &(axis * (-k * angle / i)).to_array(), 1e-12);
    assert_near("energy", simulation.energy().potential, 0.5 * k * angle * angle, 1e-12);
    // a sphere turns about the axis it was turned away by: a plain oscillator
    let half = PI / (k / i).sqrt();
    simulation.integrator = EXACT;
    run(&mut simulation, half / 50.0, 50);
    let there = rest * DQuat::from_axis_angle(axis, -angle);
    assert!(angle_between(DQuat::from_slice(&simulation.state.q), there) < 1e-6);
}

/// Springs of all joints: forces are the slopes of their energy.
#[test]
fn spring_forces_are_slopes_of_their_energy() {
    let mut rng = Rng::new(77, 0);
    for kind in common::every_kind() {
        let mut joint = Joint::new(kind.clone()).stiffness(3.0);
        // also where the springs of a rotation are not equally stiff
        joint.dofs.iter_mut().enumerate().for_each(|(i, d)| d.stiffness += i as f64);
        let body = Body::new("body", joint).inertia(common::inertia(&mut rng, 1.0));
        let simulation = one(body);
        let (model, nv) = (simulation.model.clone(), simulation.model.nv());
        let mut q = model.neutral().to_vec();
        let v: Vec<f64> = (0..nv).map(|_| rng.range(-0.8, 0.8)).collect();
        q = common::reference::moved(&model, &q, &v, 1.0);
        let mut tau = vec![0.0; nv];
        let mut diagonal = vec![0.0; nv];
        let still = vec![0.0; nv];
        let body = BodyState { model: &model, tree: model.tree(), q: &q, v: &still };
        supple::dynamics::passive::add(&body, 0.0, &mut tau, &mut diagonal);
        let mut slope = vec![0.0; nv];
        for (k, s) in slope.iter_mut().enumerate() {
            let mut along = vec![0.0; nv];
            along[k] = 1.0;
            let energy = |h: f64| {
                let at = common::reference::moved(&model, &q, &along, h);
                supple::dynamics::energy::elastic(&model, model.tree(), &at)
            };
            *s = -common::reference::derivative(|h| vec![energy(h)])[0];
        }
        assert_close(kind.word(), &tau, &slope, 1e-7);
    }
}

#[test]
fn drives_are_cut_to_their_effort_limits() {
    let joint = Joint::prismatic(DVec3::X).each(|d| d.effort_limit = Some(3.0));
    let mut simulation = one(Body::new("block", joint).inertia(point_mass(2.0, DVec3::ZERO)));
    for (asked, given) in [(1.0, 1.0), (-2.5, -2.5), (3.0, 3.0), (50.0, 3.0), (-1e9, -3.0)] {
        simulation.tau[0] = asked;
        assert_near("q̈", simulation.accelerations()[0], given / 2.0, 1e-13);
        for (name, integrator) in Integrator::ALL {
            simulation.state.q[0] = 0.0;
            simulation.state.v[0] = 0.1;
            simulation.integrator = integrator;
            run(&mut simulation, 0.01, 10);
            assert_near(name, simulation.state.v[0], 0.1 + given / 2.0 * 0.1, 1e-9);
        }
    }
}

/// Dry friction: below its threshold a block creeps, slower than the speed at which friction is full; above it slides
/// with what is left of the force.
#[test]
fn dry_friction_holds_below_its_threshold() {
    let (m, friction) = (2.0, 5.0);
    let joint = Joint::prismatic(DVec3::X).each(|d| d.friction = friction);
    for (name, integrator) in Integrator::ALL {
        if matches!(integrator, Integrator::Explicit) {
            // friction taken explicitly: F / (m v_s) = 250 per second wants small steps
            continue;
        }
        let dt = if matches!(integrator, Integrator::Rk4) { 1e-3 } else { 1.0 / 60.0 };
        let mut simulation = one(Body::new("block", joint.clone()).inertia(point_mass(m, DVec3::ZERO)));
        simulation.integrator = integrator;
        for push in [1.0, -2.5, 4.9] {
            simulation.state.v[0] = 0.0;
            simulation.state.q[0] = 0.0;
            simulation.tau[0] = push;
            run(&mut simulation, dt, (2.0 / dt) as u32);
            let creep = STICTION_SPEED * push / friction;
            // the adaptive integrator heeds 1e-6 m of position, 6e-5 m/s at 1/60 s
            let tolerance = if matches!(integrator, Integrator::Adaptive { .. }) { 0.03 } else { 1e-3 };
            assert_near(&format!("{name}: creep"), simulation.state.v[0], creep, tolerance);
            assert!(
                simulation.state.q[0].abs() <= 2.0 * STICTION_SPEED,
                "{name}: {} m",
                simulation.state.q[0]
            );
        }
        // a block that slides is stopped in v₀ / (F/m), and stays
        simulation.tau[0] = 0.0;
        simulation.state.v[0] = 2.0;
        simulation.state.q[0] = 0.0;
        run(&mut simulation, dt, (2.0 / dt) as u32);
        assert!(simulation.state.v[0].abs() < 1e-4, "{name}: {} m/s", simulation.state.v[0]);
        // v₀² m / 2F = 0.8 m; the step in which it stops, and the creep, are felt: up to 2 v₀ dt
        assert_near(&format!("{name}: way"), simulation.state.q[0], 0.8, 0.08);
    }
    let mut simulation = one(Body::new("block", joint).inertia(point_mass(m, DVec3::ZERO)));
    simulation.tau[0] = 9.0;
    simulation.state.v[0] = 1.0;
    assert_near("q̈", simulation.accelerations()[0], (9.0 - friction) / m, 1e-14);
}

/// A thruster turns with its body, wind does not.
#[test]
fn loads_keep_the_axes_they_were_given_in() {
    let ball = RigidInertia::solid_sphere(2.0, 0.3, DVec3::ZERO);
    let mut simulation = one(Body::new("ship", Joint::free()).inertia(ball));
    simulation.gravity = DVec3::ZERO;
    simulation.integrator = EXACT;
    let wrench = Force::new(DVec3::ZERO, DVec3::new(4.0, 0.0, 0.0));
    let w = 3.0;
    for axes in [Axes::World, Axes::Body] {
        simulation.state = supple::State::new(&simulation.model);
        simulation.state.v[2] = w;
        simulation.wrenches = vec![Load { body: BodyId::new(0), wrench, axes }];
        run(&mut simulation, 0.05, 20);
        let v = simulation.momentum().com_velocity();
        let expected = match axes {
            Axes::World => DVec3::new(2.0, 0.0, 0.0),
            Axes::Body => DVec3::new(w.sin(), 1.0 - w.cos(), 0.0) * (2.0 / w),
        };
        assert!((v - expected).length() < 1e-8, "{axes:?}: {v}, not {expected}");
    }
}

/// Two bodies on a slide exchange their momentum by a spring, and their centre of mass does not mind.
#[test]
fn a_spring_between_two_bodies_moves_no_centre_of_mass() {
    let (a, b, k) = (1.0, 3.0, 40.0);
    let builder = ModelBuilder::new()
        .body(Body::new("left", Joint::prismatic(DVec3::X)).inertia(point_mass(a, DVec3::ZERO)))
        .body(
            Body::new("right", Joint::prismatic(DVec3::X).stiffness(k))
                .on("left")
                .inertia(point_mass(b, DVec3::ZERO)),
        );
    let mut simulation = Simulation::new(builder.finish().expect("valid"));
    simulation.gravity = DVec3::ZERO;
    simulation.integrator = EXACT;
    simulation.state.q[1] = 0.2;
    let com = simulation.momentum().com;
    let reduced = a * b / (a + b);
    let omega = (k / reduced).sqrt();
    run(&mut simulation, 0.1, 7);
    assert_near("stretch", simulation.state.q[1], 0.2 * (omega * 0.7).cos(), 1e-7);
    assert!((simulation.momentum().com - com).length() < 1e-9);
}

/// The world's own frame does not matter to a hinge: a gate on a leaning axis hangs as gravity's part along it says.
#[test]
fn a_gate_on_a_leaning_axis_swings_slowly() {
    let (lean, l): (f64, f64) = (0.2, 1.0);
    let axis = DMat3::from_rotation_x(lean) * DVec3::Z;
    // the mass hangs on the lower side; a small swing has w² = g sin(lean) / l
    let off = DMat3::from_rotation_x(lean) * DVec3::new(0.0, -l, 0.0);
    let mut simulation = one(Body::new("gate", Joint::revolute(axis)).inertia(point_mass(3.0, off)));
    simulation.integrator = EXACT;
    simulation.state.q[0] = 1e-4;
    let got = period(&mut simulation, 1e-2);
    assert_near("period", got, TAU * (l / (G * lean.sin())).sqrt(), 1e-7);
}
