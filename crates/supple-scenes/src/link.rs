//! The link that all chains are made of.

use glam::DVec3;
use supple::spatial::Sym3;
use supple::{Body, BodyId, Joint, ModelBuilder, ModelError, Pose, RigidInertia, Simulation};

use crate::drawn::{Drawn, Rod};
use crate::{Kind, Parameter};

/// Gravity of the chains: they lie along x and fall along y \[m/s²].
const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);

/// Parameters that all chains have besides their number of links.
pub(crate) const LENGTH: Parameter = Parameter {
    name: "length",
    kind: Kind::Number { default: 0.1, min: 1e-3, max: 1e3, unit: "m" },
    doc: "length of a link",
};
pub(crate) const MASS: Parameter = Parameter {
    name: "mass",
    kind: Kind::Number { default: 0.1, min: 1e-6, max: 1e6, unit: "kg" },
    doc: "mass of a link",
};
pub(crate) const TIP_MASS: Parameter = Parameter {
    name: "tip_mass",
    kind: Kind::Number { default: 1.0, min: 1e-6, max: 1e6, unit: "" },
    doc: "mass of the last link, in links",
};
pub(crate) const DAMPING: Parameter = Parameter {
    name: "damping",
    kind: Kind::Number { default: 0.0, min: 0.0, max: 1e6, unit: "N·m·s/rad" },
    doc: "viscous damping of every joint",
};

/// A uniform link along x from its joint, a little thick: moments m l² (1/100, 1/12, 1/12) about its middle.
pub(crate) fn inertia(mass: f64, length: f64) -> RigidInertia {
    let unit = mass * length * length;
    let moments = DVec3::new(unit / 100.0, unit / 12.0, unit / 12.0);
    RigidInertia::new(mass, DVec3::new(0.5 * length, 0.0, 0.0), Sym3::diagonal(moments))
}

/// What a chain is made of.
pub(crate) struct Chain<'a> {
    pub(crate) links: usize,
    pub(crate) length: f64,
    pub(crate) mass: f64,
    pub(crate) tip_mass: f64,
    pub(crate) damping: f64,
    /// The joint that carries link `i`.
    pub(crate) joint: &'a dyn Fn(usize) -> Joint,
}

impl Chain<'_> {
    /// The chain, straight along +x and at rest.
    pub(crate) fn build(&self) -> Result<Drawn, ModelError> {
        let mut builder = ModelBuilder::new();
        let mut shapes = Vec::with_capacity(self.links);
        for i in 0..self.links {
            let joint = (self.joint)(i).damping(self.damping);
            let factor = if i + 1 == self.links { self.tip_mass } else { 1.0 };
            let mut body = Body::new(name(i), joint).inertia(inertia(self.mass * factor, self.length));
            if i > 0 {
                body = body.on(name(i - 1)).at(Pose::from_xyz(self.length, 0.0, 0.0));
            }
            builder.add(body);
            shapes.push(Rod {
                body: BodyId::new(i),
                from: DVec3::ZERO,
                to: DVec3::new(self.length, 0.0, 0.0),
                radius: 0.1 * self.length,
            });
        }
        let mut simulation = Simulation::new(builder.finish()?);
        simulation.gravity = GRAVITY;
        Ok(Drawn::new(simulation, shapes))
    }
}

fn name(i: usize) -> String {
    format!("link{i}")
}
