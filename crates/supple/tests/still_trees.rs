//! Random trees on which nothing acts but rounding: joints in line with gravity, loads of 1e-17 and less, velocities down to the smallest
//! numbers, coincident and parallel axes. Every integrator keeps them finite, what is still stays so, and none makes energy.
//!
//! `SUPPLE_TREES` sets how many, for a soak, `SUPPLE_FIRST` the first seed.

mod common;

use common::Rng;
use glam::DVec3;
use supple::spatial::Sym3;
use supple::{
    Axes, Body, BodyId, Force, Integrator, Joint, JointKind, Load, ModelBuilder, Pose, RigidInertia,
    Simulation,
};

/// A wheel at rest on a tilted axle, its centre of mass on it: gravity has no moment about the axle but rounding. It was non-finite in
/// its second step: the energy that the tension stiffness may hold was less than zero by rounding, and had a square root taken.
#[test]
fn a_wheel_at_rest_on_a_tilted_axle_stays_at_rest() {
    for (name, integrator) in Integrator::ALL {
        for seed in 0..200 {
            let mut rng = Rng::new(seed, 0);
            let inertia = RigidInertia::new(1.0, DVec3::X * 0.02, Sym3::diagonal(DVec3::splat(0.01)));
            let wheel = Body::new("wheel", Joint::revolute(DVec3::X)).at(Pose::new(DVec3::ZERO, rng.quat()));
            let model = ModelBuilder::new().body(wheel.inertia(inertia)).finish().expect("valid");
            let mut simulation = Simulation::new(model);
            simulation.integrator = integrator;
            for _ in 0..20 {
                simulation.step(2e-3).unwrap_or_else(|e| panic!("{name}, seed {seed}: {e}"));
            }
            // a weight of 10 N at 2 cm turns 0.01 kg·m² by rounding: 2e-15 rad/s² for 0.04 s
            let (q, v) = (simulation.state.q[0], simulation.state.v[0]);
            assert!(q.abs() < 1e-15 && v.abs() < 1e-15, "{name}, seed {seed}: {q} rad, {v} rad/s");
        }
    }
}

/// Zero, or a number so small that its square may be none.
fn tiny(rng: &mut Rng) -> f64 {
    let sign = if rng.chance(0.5) { 1.0 } else { -1.0 };
    match rng.below(4) {
        0 => 0.0,
        1 => sign * rng.decades(1e-20, 1e-16),
        2 => sign * rng.decades(1e-170, 1e-150),
        _ => sign * rng.decades(1e-300, 1e-290) * 1e-20,
    }
}

fn tiny_vector(rng: &mut Rng) -> DVec3 {
    DVec3::new(tiny(rng), tiny(rng), tiny(rng))
}

/// A coordinate axis, one near it by rounding, or any.
fn axis(rng: &mut Rng) -> DVec3 {
    let of_frame = [DVec3::X, DVec3::Y, DVec3::Z, DVec3::NEG_Z][rng.below(4)];
    match rng.below(3) {
        0 => of_frame,
        1 => of_frame + tiny_vector(rng),
        _ => rng.axis(),
    }
}

fn joint(rng: &mut Rng, root: bool) -> Joint {
    let joint = match rng.below(if root { 9 } else { 8 }) {
        0 | 1 => Joint::revolute(axis(rng)),
        2 => Joint::prismatic(axis(rng)),
        3 => Joint::spherical(),
        4 => Joint::new(JointKind::Planar { normal: axis(rng) }),
        5 => Joint::new(JointKind::Cylindrical { axis: axis(rng) }),
        6 => Joint::new(JointKind::Helical { axis: axis(rng), pitch: tiny(rng) }),
        7 => Joint::fixed(),
        _ => Joint::free(),
    };
    let joint = if rng.chance(0.2) { joint.armature(rng.decades(1e-6, 1e-1)) } else { joint };
    if rng.chance(0.2) { joint.damping(rng.decades(1e-6, 1e2)) } else { joint }
}

/// A tree of one to six bodies.
struct Tree {
    simulation: Simulation,
    /// Whether it has rods that next to nothing resists about themselves: by 1e-12 of their other moments.
    slender: bool,
    /// Whether there is no gravity but rounding.
    weightless: bool,
}

/// The tree of a seed, if it is a valid model.
fn tree(seed: u64) -> Option<Tree> {
    let mut rng = Rng::new(seed, 7);
    let mut builder = ModelBuilder::new();
    // centres of mass on the joints' own origins, or one line with gravity along it; or anything
    let arrangement = rng.below(4);
    let links = 1 + rng.below(6);
    let mut slender = false;
    for i in 0..links {
        let mass = rng.decades(1e-3, 1e3);
        let size = rng.decades(1e-2, 1e0);
        // a rod that nothing resists about itself falls at a speed that says nothing, unless it hangs in balance
        let shape = if arrangement == 3 { 1 + rng.below(5) } else { rng.below(6) };
        slender |= shape == 0;
        let moments = match shape {
            0 => DVec3::new(1e-12, 1.0, 1.0),
            1 | 2 => DVec3::splat(1.0),
            _ => DVec3::new(0.5, 0.7, 1.0),
        };
        let com = match arrangement {
            0 => DVec3::ZERO,
            1 => tiny_vector(&mut rng),
            2 => DVec3::NEG_Z * size,
            _ => rng.vector(size),
        };
        let inertia = RigidInertia::new(mass, com, Sym3::diagonal(moments * (mass * size * size)));
        let at = match arrangement {
            _ if rng.chance(0.2) => Pose::IDENTITY,
            0 | 1 => Pose::new(tiny_vector(&mut rng), rng.quat()),
            2 => Pose::from_xyz(0.0, 0.0, -size),
            _ => rng.pose(size),
        };
        let body = Body::new(format!("body {i}"), joint(&mut rng, i == 0)).inertia(inertia).at(at);
        builder.add(if i == 0 { body } else { body.on(format!("body {}", rng.below(i))) });
    }
    let mut simulation = Simulation::new(builder.finish().ok()?);
    let weightless = rng.chance(0.4);
    simulation.gravity = if weightless { tiny_vector(&mut rng) } else { DVec3::NEG_Z * 9.81 };
    for dof in 0..simulation.model.nv() {
        simulation.state.v[dof] = tiny(&mut rng);
        simulation.tau[dof] = tiny(&mut rng);
    }
    if rng.chance(0.3) {
        let wrench = Force::new(tiny_vector(&mut rng), tiny_vector(&mut rng));
        let axes = if rng.chance(0.5) { Axes::Body } else { Axes::World };
        simulation.wrenches.push(Load { body: BodyId::new(rng.below(links)), wrench, axes });
    }
    Some(Tree { simulation, slender, weightless })
}

/// Where the numbers of a step would be beyond what doubles hold, these do not come near.
#[test]
fn rounding_moves_nothing_and_breaks_nothing() {
    let number = |name: &str, or: u64| std::env::var(name).ok().and_then(|s| s.parse().ok()).unwrap_or(or);
    let (count, first) = (number("SUPPLE_TREES", 100_000), number("SUPPLE_FIRST", 0));
    let mut trees = 0;
    for seed in first..first + count {
        let Some(Tree { simulation: start, slender, weightless }) = tree(seed) else { continue };
        trees += 1;
        let mut rng = Rng::new(seed, 8);
        let dt = [1e-4, 1e-3, 1.0 / 240.0, 1.0 / 60.0][rng.below(4)];
        let mass: f64 = start.model.tree().links.iter().map(|l| l.inertia.mass).sum();
        for (name, integrator) in Integrator::ALL {
            // a fall or dampers that a step does not resolve make these explode, as they should
            let holds =
                matches!(integrator, Integrator::Default | Integrator::Accurate | Integrator::Projection);
            if !holds && (!weightless || start.model.has_passive()) {
                continue;
            }
            let mut simulation = start.clone();
            simulation.integrator = integrator;
            // rounding; sums of moments have 1e-4 of those of a rod about itself, which may turn at 1e8 rad/s
            let tolerance = if slender { 1e-5 } else { 1e-10 };
            // what the whole could fall through in these steps, and then some: the measure of energies
            let scale = mass * (9.81 * 0.01 + 1e-6);
            let mut energy = simulation.energy().total();
            for step in 0..4 {
                simulation.step(dt).unwrap_or_else(|e| panic!("seed {seed}, {name}: {e}"));
                let now = simulation.energy().total();
                if matches!(integrator, Integrator::Default | Integrator::Accurate) {
                    assert!(
                        now <= energy + tolerance * scale,
                        "seed {seed}, {name}, step {step}: {:e} J",
                        now - energy
                    );
                }
                energy = now;
            }
            if weightless && !slender {
                // 1e-16 N·m on 5e-8 kg·m² (a gram, 1 cm) for 0.07 s, and levers between
                let fastest = simulation.state.v.iter().fold(0.0f64, |m, v| m.max(v.abs()));
                assert!(fastest < 1e-6, "seed {seed}, {name}: {fastest} rad/s");
            }
        }
    }
    assert!(2 * trees > count, "{trees} of {count} trees are valid models");
}
