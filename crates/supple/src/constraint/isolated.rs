//! An island of single bodies that nothing outside holds: its centre of mass goes on as its momentum says, and its angular momentum stays.
//!
//! Impulses come in pairs, so both are true as long as positions follow momenta and arms are those of the pose at which impulses act. Three
//! things break that: tension lets bodies go less far than their momenta say, joints that are apart are closed by moving bodies, and Faure's
//! arms are those of the predicted pose. What is missing is given back to the island as one rigid body, which no joint in it feels.

use glam::DVec3;

use crate::bodies::Node;
use crate::spatial::{Force, Sym3};

use super::island::Island;
use super::node_states::NodeStates;

impl Island {
    /// Whether positions of this step do not follow momenta.
    pub(crate) fn leaves_its_momenta(&self) -> bool {
        self.newton.closing.is_closing() || self.states.tension.iter().any(Option::is_some)
    }

    /// Makes the predicted frames and the impulses on the nodes, after `dt` \[s], those of an isolated island.
    pub(crate) fn restore_momenta(&mut self, dt: f64) {
        if self.is_held_outside() {
            return;
        }
        let NodeStates { bodies, impulses, frames, .. } = &mut self.states;
        let mass: f64 = bodies.iter().map(|body| 1.0 / body.inverse_mass).sum();
        let (mut before, mut after, mut momentum) = (DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
        for ((body, impulse), frame) in bodies.iter().zip(&*impulses).zip(&*frames) {
            before += body.at.position / body.inverse_mass;
            after += frame.position / body.inverse_mass;
            momentum += body.velocity / body.inverse_mass + impulse.linear;
        }
        let [before, after] = [before / mass, after / mass];
        let centre = before + momentum * (dt / mass);
        for frame in frames.iter_mut() {
            frame.position += centre - after;
        }
        let (mut lost, mut inertia) = (DVec3::ZERO, Sym3::ZERO);
        for ((body, impulse), frame) in bodies.iter().zip(&*impulses).zip(&*frames) {
            let (mass, arm) = (1.0 / body.inverse_mass, frame.position - centre);
            let then = body.velocity * mass;
            // about the centre of mass, then and now
            lost +=
                (body.at.position - before).cross(then) - arm.cross(then + impulse.linear) - impulse.angular;
            inertia += body.inertia_at(frame.rotation) + Sym3::point_mass(arm) * mass;
        }
        let Some(inverse) = inertia.inverse_positive() else { return };
        let omega = inverse * lost;
        for ((body, impulse), frame) in bodies.iter().zip(impulses).zip(frames) {
            let linear = omega.cross(frame.position - centre) / body.inverse_mass;
            *impulse += Force::new(body.inertia_at(frame.rotation) * omega, linear);
        }
    }

    /// Whether the world, a kinematic body or an articulation is part of it.
    fn is_held_outside(&self) -> bool {
        let is_free = |(node, body): (&Node, &crate::bodies::Moving)| {
            matches!(node, Node::Single { .. }) && body.inverse_mass > 0.0
        };
        self.topology.joints.iter().any(|joint| joint.ends.contains(&None))
            || !self.topology.nodes.iter().zip(&self.states.bodies).all(is_free)
    }
}
