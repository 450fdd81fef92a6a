//! A hanging chain that a spring pulls aside: it settles where its potential energy is least.
//!
//! Figure 6 of Redon, Galoppo & Lin, "Adaptive Dynamics of Articulated Bodies" (2005): which few joints should be active for the
//! chain to come closest to that place? The numbers are those of theory, section 13.2.

use std::f64::consts::FRAC_PI_2;

use glam::DVec3;
use supple::{BodyId, Joint, Spring};

use crate::gaze::FINE;
use crate::link::Chain;
use crate::{Kind, Parameter, Parameters, Scene, SceneError, Stage};

/// Length of a link \[m].
const LENGTH: f64 = 0.1;
/// Mass of a link \[kg].
const MASS: f64 = 0.1;
/// Where the spring is tied to the world \[m].
const ANCHOR: DVec3 = DVec3::new(2.25, -1.25, 0.0);

pub(crate) const SCENE: Scene = Scene {
    name: "pendulum-50-spring",
    figure: "Redon et al. 2005, figure 6",
    summary: "a hanging chain with damped joints, pulled aside by a spring at (2.25, -1.25) m: it settles",
    parameters: &[
        Parameter {
            name: "links",
            kind: Kind::Count { default: 50, min: 1, max: 1_000_000 },
            doc: "number of links, each 0.1 m and 0.1 kg",
        },
        Parameter {
            name: "attach",
            kind: Kind::Count { default: 30, min: 1, max: 1_000_000 },
            doc: "the link whose end is tied, counted from 1",
        },
        Parameter {
            name: "stiffness",
            kind: Kind::Number { default: 200.0, min: 0.0, max: 1e9, unit: "N/m" },
            doc: "stiffness of the spring",
        },
        Parameter {
            name: "spring_damping",
            kind: Kind::Number { default: 10.0, min: 0.0, max: 1e9, unit: "N·s/m" },
            doc: "damping of the spring",
        },
        Parameter {
            name: "damping",
            kind: Kind::Number { default: 3.0, min: 0.0, max: 1e6, unit: "N·m·s/rad" },
            doc: "viscous damping of every joint",
        },
    ],
    build,
};

fn build(parameters: &Parameters) -> Result<Stage, SceneError> {
    let (links, attach) = (parameters.count("links"), parameters.count("attach"));
    if attach > links {
        return Err(SceneError::BadValue {
            scene: SCENE.name,
            name: "attach",
            wanted: format!("the number of a link, from 1 to {links}"),
            value: attach.to_string(),
        });
    }
    let chain = Chain {
        links,
        length: LENGTH,
        mass: MASS,
        tip_mass: 1.0,
        damping: parameters.number("damping"),
        joint: &|_| Joint::revolute(DVec3::Z),
    };
    let mut drawn = chain.build()?;
    // straight down
    drawn.simulation.state.q[0] = -FRAC_PI_2;
    let end = DVec3::new(LENGTH, 0.0, 0.0);
    let spring = Spring::new(BodyId::new(attach - 1), end, ANCHOR, parameters.number("stiffness"));
    drawn.simulation.springs.push(spring.damping(parameters.number("spring_damping")));
    Ok(drawn.stage(FINE))
}
