//! An articulation that is moved, not pushed, out of what it penetrates. It keeps its momenta, and has no more energy after it than before:
//!
//! - Joints do not go against what they store energy in (springs, stops, servos), but for what contacts took in the last steps: that
//!   contact and stop press against each other is no reason to load the stop a little more in every step. What a joint gave on its way
//!   into a contact, it may take back on its way out.
//! - Where a centre of mass is, and how it moves, is of nobody's making but that of forces: a floating tree is shifted, and gets the
//!   rigid motion that keeps its momenta.
//! - Joint speeds stay, but in another pose they may mean more energy: a folded arm that turns slowly is not slow any more when it is
//!   stretched. There the momenta of its links stay instead, as far as joints allow, and what is still too much is taken.
//! - Where that is not enough (a whole body that turns, and is folded), it is moved by a part of the way.
//!
//! Weight is not counted: what lies too deep is lifted.

use glam::DVec3;

use crate::dynamics::kinematics::LinkMotion;
use crate::dynamics::spring;
use crate::model::{Link, LinkJoint};
use crate::simulation::Simulation;

use super::{ApartScratch, Articulated, InContact, Prediction};

/// Energy that being moved may add, relative to what there was, before momenta of links are kept instead of joint speeds: scaling does
/// for less.
const FREE_GAIN: f64 = 0.02;
/// Energy that is nothing, relative to that of being moved as fast as that: rounding.
const NOTHING: f64 = 1e-9;
/// Halvings of the way, at most: what cannot go an eighth of it stays.
const HALVINGS: u32 = 3;
/// Halvings of the way of a joint: to a thousandth of it.
const JOINT_HALVINGS: u32 = 10;

impl Articulated {
    /// Moves by `dt` \[s] times `share` of the velocities that z stands for, or less: those that [`Articulated::update_pushed_motions`] saw.
    pub(crate) fn move_apart(&mut self, z: &[f64], share: f64, dt: f64) {
        // contacts gave it other velocities since it was seen
        self.update_kinematics();
        self.note_momenta();
        if share < 1.0 {
            self.jump.iter_mut().for_each(|x| *x *= share);
            self.contact.pushed.iter_mut().for_each(|motion| *motion = *motion * share);
        }
        let nothing = NOTHING * share * share * z.iter().map(|z| z * z).sum::<f64>();
        let before = self.kinetic_energy();
        {
            let Self {
                simulation,
                prediction: Prediction { kinematics, .. },
                apart: ApartScratch { afloat, moving, .. },
                contact: InContact { pushed, .. },
                ..
            } = self;
            let (model, tree) = (&simulation.model, simulation.stepped_tree());
            afloat.note(model, tree, kinematics);
            moving.note_motion(model, tree, kinematics, |i| pushed[i]);
        }
        let stored = self.spare_joints(dt);
        let ties = self.tied_energy();
        let (mut way, mut gone) = (1.0, 0.0);
        self.apart.start_q.clone_from(&self.simulation.state.q);
        self.apart.start_v.clone_from(&self.simulation.state.v);
        for halving in 0..=HALVINGS {
            self.apart.afloat.carry(&self.apart.moving, dt * (way - gone));
            gone = way;
            self.place_apart(way * dt);
            // joints store no more than in proportion
            let most = before + self.contact.ledger.taken - way * stored - (self.tied_energy() - ties);
            if self.take_gains(most + nothing) {
                let more = way * stored + self.tied_energy() - ties;
                let used = (self.kinetic_energy() - before + more).max(0.0).min(self.contact.ledger.taken);
                self.contact.ledger.taken -= used;
                self.contact.ledger.stored += more - used;
                break;
            }
            let state = &mut self.simulation.state;
            state.q.copy_from_slice(&self.apart.start_q);
            state.v.copy_from_slice(&self.apart.start_v);
            way *= 0.5;
            if halving == HALVINGS {
                self.update_kinematics();
            }
        }
        self.save();
    }

    /// Moves by the velocities of `jump` for `time` \[s]; joint speeds and momenta of floating trees stay.
    fn place_apart(&mut self, time: f64) {
        self.move_by(time);
        self.update_kinematics();
        let Self {
            simulation,
            prediction: Prediction { kinematics, .. },
            apart: ApartScratch { afloat, .. },
            ..
        } = self;
        let Simulation { model, region, state, .. } = simulation;
        let tree = region.as_ref().map_or(model.tree(), |r| r.tree(model));
        afloat.settle_seen(tree, kinematics, &mut state.q);
        self.keep_wholes();
    }

    /// Gives floating trees their momenta.
    fn keep_wholes(&mut self) {
        let Self {
            simulation,
            prediction: Prediction { kinematics, .. },
            apart: ApartScratch { afloat, .. },
            ..
        } = self;
        let Simulation { model, region, state, .. } = simulation;
        let tree = region.as_ref().map_or(model.tree(), |r| r.tree(model));
        afloat.restore_seen(tree, kinematics, &mut state.v);
        state.memory.restart_joints(tree.links.iter().map(|l| l.id));
    }

    /// Takes kinetic energy beyond `most` \[J]; whether it can.
    fn take_gains(&mut self, most: f64) -> bool {
        let rigid = self.apart.afloat.rigid_energy();
        if most < rigid {
            return false;
        }
        let mut now = self.kinetic_energy();
        if now > (1.0 + FREE_GAIN) * most {
            self.keep_momenta();
            self.update_kinematics();
            self.keep_wholes();
            now = self.kinetic_energy();
        }
        if now > most && now > rigid {
            let Self {
                simulation,
                prediction: Prediction { kinematics, .. },
                apart: ApartScratch { afloat, .. },
                ..
            } = self;
            let Simulation { model, region, state, .. } = simulation;
            let tree = region.as_ref().map_or(model.tree(), |r| r.tree(model));
            afloat.scale(tree, kinematics, ((most - rigid) / (now - rigid)).sqrt(), &mut state.v);
            self.update_kinematics();
        }
        true
    }

    /// Shortens the ways of joints that would store more energy, in `dt` \[s] of the velocities of `jump`, than contacts took and other
    /// joints give; what all joints store then \[J].
    fn spare_joints(&mut self, dt: f64) -> f64 {
        let Self {
            simulation,
            jump,
            apart: ApartScratch { start_q, gains, .. },
            prediction: Prediction { work, .. },
            ..
        } = self;
        let tree = simulation.stepped_tree();
        gains.clear();
        if !simulation.is_driven() && !simulation.model.has_passive() {
            return 0.0;
        }
        simulation.see_drives(&mut work.drives, 0.0);
        start_q.clone_from(&simulation.state.q);
        let (mut stored, mut given) = (0.0, 0.0);
        for (i, link) in tree.links.iter().enumerate().filter(|(_, link)| may_store(simulation, link)) {
            let gain = simulation.stored_by(link, jump, dt, &work.drives, start_q);
            if gain > 0.0 {
                stored += gain;
                gains.push((i as u32, gain));
            } else {
                given -= gain;
            }
        }
        let room = self.contact.ledger.taken + given;
        if stored <= room {
            return stored - given;
        }
        let mut sum = -given;
        for (i, gain) in gains.drain(..) {
            let link = &tree.links[i as usize];
            let most = room * gain / stored;
            let (mut low, mut high, mut kept) = (0.0, 1.0, 0.0);
            for _ in 0..JOINT_HALVINGS {
                let way = 0.5 * (low + high);
                let gain = simulation.stored_by(link, jump, way * dt, &work.drives, start_q);
                if gain <= most {
                    (low, kept) = (way, gain);
                } else {
                    high = way;
                }
            }
            sum += kept;
            jump[link.dofs()].iter_mut().for_each(|x| *x *= low);
        }
        // what joints do not go, floating trees go as a whole
        let Self {
            simulation,
            jump,
            prediction: Prediction { kinematics, .. },
            apart: ApartScratch { moving, .. },
            contact: InContact { pushed, .. },
            ..
        } = self;
        let tree = simulation.stepped_tree();
        kinematics.velocities_at(tree, jump, pushed);
        moving.restore(tree, kinematics, |i| pushed[i], jump);
        sum
    }

    /// Energy of springs to the world at the pose that was seen last \[J].
    fn tied_energy(&self) -> f64 {
        let simulation = &self.simulation;
        if simulation.springs.is_empty() {
            return 0.0;
        }
        spring::energy(
            &simulation.model,
            simulation.stepped_tree(),
            &self.prediction.kinematics,
            &simulation.springs,
        )
    }

    /// Notes the momenta of the links, about their centres of mass.
    fn note_momenta(&mut self) {
        let links = self.simulation.stepped_tree().links.iter().zip(&self.prediction.kinematics.links);
        let momentum = |link: &Link, motion: &LinkMotion| {
            let momentum = motion.momentum_with(&link.inertia, motion.velocity);
            momentum.about(-centre(link, motion))
        };
        self.apart.momenta.clear();
        self.apart.momenta.extend(links.map(|(link, motion)| momentum(link, motion)));
    }

    /// The velocities at the pose that was seen last whose momenta are nearest to those that were noted, in the metric of the masses.
    fn keep_momenta(&mut self) {
        let Self {
            simulation,
            prediction: Prediction { kinematics, .. },
            contact: InContact { root, .. },
            apart: ApartScratch { momenta, numbers, .. },
            ..
        } = self;
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
}

/// Whether the joint of a link may store energy. What drives a floating base is a load like weight.
fn may_store(simulation: &Simulation, link: &Link) -> bool {
    link.passive || (simulation.is_driven() && link.joint != LinkJoint::Free)
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
        let mut it = Articulated::new(Simulation::new(builder.finish().unwrap()), 0);
        let elbows = it.simulation.state.q.len() - 2;
        it.simulation.state.q[elbows..].copy_from_slice(&[3.0, -2.9]);
        let speeds = it.simulation.state.v.len() - 2;
        it.simulation.state.v[0] = 0.3;
        it.simulation.state.v[speeds..].copy_from_slice(&[2.0, 0.1]);
        it.update_kinematics();
        it.factor_root();
        it
    }

    fn momentum(it: &mut Articulated) -> DVec3 {
        it.update_kinematics();
        it.note_momenta();
        it.apart.momenta.iter().map(|m| m.linear).sum()
    }

    #[test]
    fn what_is_unfolded_has_no_more_energy_and_the_same_momentum() {
        let mut it = folded();
        let (before, energy_before) = (momentum(&mut it), it.kinetic_energy());
        // opens both elbows
        let nv = it.simulation.state.v.len();
        let mut open = vec![0.0; nv];
        open[nv - 2..].copy_from_slice(&[-2.9, 2.8]);
        let mut z = vec![0.0; it.contact.root.len()];
        it.contact.root.forth(&open, &mut z);
        // what it would be with the same joint speeds
        let mut plain = it.clone();
        plain.contact.root.back(&z, &mut plain.jump);
        plain.move_by(1.0);
        plain.update_kinematics();
        assert!(plain.kinetic_energy() > 1.5 * energy_before, "{} J", plain.kinetic_energy());

        it.update_pushed_motions(&z);
        it.move_apart(&z, 1.0, 1.0);
        let (model, state) = (&it.simulation.model, &it.simulation.state);
        let now = energy::kinetic(model.tree(), &it.prediction.kinematics, model.armature(), &state.v);
        assert!(now <= (1.0 + 1e-6) * energy_before, "{now} of {energy_before} J");
        let slower = momentum(&mut it).length() / before.length();
        assert!((slower - 1.0).abs() < 1e-9, "{slower} of its momentum, {now} of {energy_before} J");
    }
}
