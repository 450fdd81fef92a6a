//! An articulation that is moved, not pushed, out of what it penetrates. Its joint speeds stay, but in another pose they may mean more energy:
//! a folded arm that turns slowly is not slow any more when it is stretched. There the momenta of its links stay instead, as far as joints
//! allow, which never adds energy but for what their own turning does.

use glam::DVec3;

use crate::Simulation;
use crate::dynamics::kinematics::LinkMotion;
use crate::model::Link;

use super::Articulated;

/// Energy that being moved may add, relative to what there was: less is not worth the correction.
const FREE_GAIN: f64 = 0.02;

impl Articulated {
    /// Moves by `dt` \[s] times the velocities that z stands for.
    pub(crate) fn move_apart(&mut self, z: &[f64], dt: f64) {
        // contacts gave it other velocities since it was seen
        self.see();
        let before = self.kinetic_energy();
        self.note_momenta();
        self.root.back(z, &mut self.jump);
        self.move_by(dt);
        self.see();
        let most = (1.0 + FREE_GAIN) * before;
        if self.kinetic_energy() > most {
            self.keep_momenta();
            self.see();
            let after = self.kinetic_energy();
            if after > most {
                self.slow_down((before / after).sqrt());
                self.see();
            }
        }
        self.save();
    }

    /// Notes the momenta of the links, about their centres of mass.
    fn note_momenta(&mut self) {
        let links = self.simulation.stepped_tree().links.iter().zip(&self.kinematics.links);
        let momentum = |link: &Link, motion: &LinkMotion| {
            let momentum = link.inertia.rotated(motion.rotation).momentum(motion.velocity);
            momentum.about(-centre(link, motion))
        };
        self.momenta.clear();
        self.momenta.extend(links.map(|(link, motion)| momentum(link, motion)));
    }

    /// The velocities at the pose that was seen last whose momenta are nearest to those that were noted, in the metric of the masses.
    fn keep_momenta(&mut self) {
        let Self { simulation, kinematics, root, momenta, numbers, .. } = self;
        let Simulation { model, region, state, .. } = simulation;
        let tree = region.as_ref().map_or(model.tree(), |r| r.tree(model));
        root.factor(tree, kinematics, model.armature());
        numbers.clear();
        numbers.resize(root.len(), 0.0);
        for (link, momentum) in momenta.iter().enumerate() {
            let momentum = momentum.about(centre(&tree.links[link], &kinematics.links[link]));
            root.pushed(tree, kinematics, link, momentum);
            root.each_pushed(link, |dof, x| numbers[dof as usize] += x);
        }
        for dof in tree.links.iter().flat_map(Link::dofs).filter(|dof| model.armature()[*dof] > 0.0) {
            root.push_dof(dof, model.armature()[dof] * state.v[dof], numbers);
        }
        root.back(numbers, &mut state.v);
        state.memory.restart_joints(tree.links.iter().map(|l| l.id));
    }

    /// Multiplies all velocities.
    fn slow_down(&mut self, share: f64) {
        let Simulation { model, region, state, .. } = &mut self.simulation;
        let tree = region.as_ref().map_or(model.tree(), |r| r.tree(model));
        for dof in tree.links.iter().flat_map(Link::dofs) {
            state.v[dof] *= share;
        }
        state.memory.restart_joints(tree.links.iter().map(|l| l.id));
    }
}

/// From the origin of a link to its centre of mass, world axes \[m].
fn centre(link: &Link, motion: &LinkMotion) -> DVec3 {
    if link.inertia.mass > 0.0 {
        motion.rotation * link.inertia.moment / link.inertia.mass
    } else {
        DVec3::ZERO
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dynamics::energy;
    use crate::{Body, Joint, ModelBuilder, Pose, RigidInertia};

    /// A floating arm of three links whose last ones are folded back, and turn.
    fn folded() -> Articulated {
        let rod = RigidInertia::new(
            1.0,
            DVec3::X * 0.5,
            crate::spatial::Sym3::diagonal(DVec3::new(0.01, 0.09, 0.09)),
        );
        let mut builder = ModelBuilder::new();
        builder.add(Body::new("a", Joint::free()).inertia(rod));
        for (name, on) in [("b", "a"), ("c", "b")] {
            let elbow = Body::new(name, Joint::revolute(DVec3::Y)).inertia(rod).on(on);
            builder.add(elbow.at(Pose::from_translation(DVec3::X)));
        }
        let mut it = Articulated::new(Simulation::new(builder.finish().unwrap()));
        let elbows = it.simulation.state.q.len() - 2;
        it.simulation.state.q[elbows..].copy_from_slice(&[3.0, -2.9]);
        let speeds = it.simulation.state.v.len() - 2;
        it.simulation.state.v[0] = 0.3;
        it.simulation.state.v[speeds..].copy_from_slice(&[2.0, 0.1]);
        it.see();
        it.factor_root();
        it
    }

    fn momentum(it: &mut Articulated) -> DVec3 {
        it.see();
        it.note_momenta();
        it.momenta.iter().map(|m| m.linear).sum()
    }

    #[test]
    fn what_is_unfolded_has_no_more_energy_and_the_same_momentum() {
        let mut it = folded();
        let (before, energy_before) = (momentum(&mut it), it.kinetic_energy());
        // opens both elbows
        let nv = it.simulation.state.v.len();
        let mut open = vec![0.0; nv];
        open[nv - 2..].copy_from_slice(&[-2.9, 2.8]);
        let mut z = vec![0.0; it.root.len()];
        it.root.forth(&open, &mut z);
        // what it would be with the same joint speeds
        let mut plain = it.clone();
        plain.root.back(&z, &mut plain.jump);
        plain.move_by(1.0);
        plain.see();
        assert!(plain.kinetic_energy() > 1.5 * energy_before, "{} J", plain.kinetic_energy());

        it.move_apart(&z, 1.0);
        let (model, state) = (&it.simulation.model, &it.simulation.state);
        let now = energy::kinetic(model.tree(), &it.kinematics, model.armature(), &state.v);
        assert!(now <= (1.0 + FREE_GAIN) * energy_before, "{now} of {energy_before} J");
        let slower = momentum(&mut it).length() / before.length();
        assert!((slower - 1.0).abs() < 1e-9, "{slower} of its momentum, {now} of {energy_before} J");
    }
}
