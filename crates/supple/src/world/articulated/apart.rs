//! An articulation that is moved, not pushed, out of what it penetrates. Its joint speeds stay, but in another pose they may mean more energy:
//! a folded arm that turns slowly is not slow any more when it is stretched. There the momenta of its links stay instead, as far as joints
//! allow, which never adds energy but for what their own turning does.

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

    fn note_momenta(&mut self) {
        let links = self.simulation.stepped_tree().links.iter().zip(&self.kinematics.links);
        let momentum = |link: &Link, motion: &LinkMotion| {
            link.inertia.rotated(motion.rotation).momentum(motion.velocity)
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
            root.pushed(tree, kinematics, link, *momentum);
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
