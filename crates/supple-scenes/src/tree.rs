//! A random tree: every run of a seed gives the same one.

use glam::DVec3;
use supple::spatial::rotation;
use supple::{Body, BodyId, Joint, JointKind, ModelBuilder, Pose, RigidInertia, Simulation};

use crate::drawn::{Drawn, Rod};
use crate::gaze::FINE;
use crate::{Kind, Parameter, Parameters, Scene, SceneError, SplitMix64, Stage};
use supple::spatial::math;

pub(crate) const SCENE: Scene = Scene {
    name: "tree",
    figure: "",
    summary: "a random branching body with all kinds of joints",
    parameters: &[
        Parameter {
            name: "bodies",
            kind: Kind::Count { default: 40, min: 1, max: 1_000_000 },
            doc: "number of bodies",
        },
        Parameter {
            name: "seed",
            kind: Kind::Count { default: 1, min: 0, max: u64::MAX },
            doc: "which tree",
        },
        Parameter {
            name: "reach",
            kind: Kind::Count { default: 6, min: 1, max: 1_000_000 },
            doc: "how many bodies back a body may have its parent: 1 is a chain, many is a bush",
        },
        Parameter {
            name: "decades",
            kind: Kind::Number { default: 1.0, min: 0.0, max: 6.0, unit: "" },
            doc: "powers of ten over which masses spread",
        },
        Parameter {
            name: "speed",
            kind: Kind::Number { default: 0.0, min: 0.0, max: 1e3, unit: "rad/s or m/s" },
            doc: "greatest joint speed at the start",
        },
        Parameter {
            name: "floating",
            kind: Kind::Flag { default: false },
            doc: "whether the root moves freely, without gravity",
        },
        crate::link::DAMPING,
    ],
    build,
};

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let mut random = SplitMix64::new(parameters.seed("seed"));
    let (count, reach) = (parameters.count("bodies"), parameters.count("reach"));
    let (decades, damping) = (parameters.number("decades"), parameters.number("damping"));
    let floating = parameters.flag("floating");

    let mut builder = ModelBuilder::new();
    let mut shapes: Vec<Rod> = Vec::with_capacity(count);
    for i in 0..count {
        let along = direction(&mut random) * random.between(0.1, 0.4);
        let radius = random.between(0.01, 0.04);
        let mass = math::pow(10.0, random.between(-0.5, 0.5) * decades);
        let kind = if i == 0 && floating { JointKind::Free } else { joint(&mut random) };
        let mut body = Body::new(format!("body{i}"), Joint::new(kind).damping(damping))
            .inertia(RigidInertia::solid_capsule(mass, DVec3::ZERO, along, radius));
        if i > 0 {
            let parent = i - 1 - random.below(reach.min(i));
            let turned = rotation::about(direction(&mut random), random.between(0.0, 3.0));
            body = body.on(format!("body{parent}")).at(Pose::new(shapes[parent].to, turned));
        }
        builder.add(body);
        shapes.push(Rod { body: BodyId::new(i), from: DVec3::ZERO, to: along, radius });
    }
    let mut simulation = Simulation::new(builder.finish()?);
    if floating {
        simulation.gravity = DVec3::ZERO;
    }
    let speed = parameters.number("speed");
    for v in &mut simulation.state.v {
        *v = random.between(-speed, speed);
    }
    Ok(Drawn::new(simulation, shapes).stage(FINE))
}

/// A joint: mostly hinges and balls, now and then another kind.
fn joint(random: &mut SplitMix64) -> JointKind {
    let axis = direction(random);
    match random.below(10) {
        0..=4 => JointKind::Revolute { axis },
        5..=6 => JointKind::Spherical,
        7 => JointKind::Universal { axes: [axis, axis.any_orthonormal_vector()] },
        8 => JointKind::Prismatic { axis },
        _ => JointKind::Cylindrical { axis },
    }
}

/// A direction, all equally likely: points of a cube that lie in the ball.
fn direction(random: &mut SplitMix64) -> DVec3 {
    loop {
        let [x, y, z] = [(); 3].map(|()| random.between(-1.0, 1.0));
        let point = DVec3::new(x, y, z);
        if (0.01..=1.0).contains(&point.length_squared()) {
            return point.normalize();
        }
    }
}
