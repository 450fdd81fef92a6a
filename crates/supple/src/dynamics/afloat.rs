//! Trees of links that a free joint carries, each as one body: only loads and contacts change its momenta, whatever its joints do.
//!
//! Who moves joints without a force keeps these momenta by a rigid motion of the whole tree:
//!
//! ```text
//! note ─► poses change ─► settle: centres of mass ─► velocities change ─► restore: momenta ─► scale, if there is too much energy
//! ```

use std::ops::Range;

use glam::{DQuat, DVec3};

use crate::model::{Link, LinkJoint, Model, Tree};
use crate::spatial::{Force, Motion, Sym3, rotation};

use super::kinematics::Kinematics;

/// The floating trees of an articulation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Afloat {
    trees: Vec<Whole>,
}

/// A floating tree as one body.
#[derive(Clone, Debug, Default)]
struct Whole {
    /// Its links, the first of which the free joint carries.
    links: Range<usize>,
    mass: f64,
    /// Where its centre of mass belongs \[m].
    com: DVec3,
    /// What its momenta are to be, about the centre of mass.
    momenta: Force,
    /// With all joints locked: inverse of its inertia about the centre of mass, and how it moves there with these momenta.
    inverse: Sym3,
    rigid: Motion,
    /// What [`Afloat::restore`] added to its motion, at the centre of mass.
    added: Motion,
    /// From where its angular velocity at the start of the step turns it to where that at mid-step does.
    gyration: DQuat,
}

/// Trees that turn by less in a step \[rad] are off by less than 2e-4 rad where their angular velocity at its start turns them: half the square
/// of the turn, by which the angular velocity of a torque-free body may turn meanwhile.
const SLOW: f64 = 0.02;
/// Passes to find the angular velocity at mid-step. Chosen. Tried on 400 bodies with principal inertias of up to three to one, eight leave 1e-7 of
/// it where they turn by 0.2 rad in a step, 4e-5 at 0.5 rad and 2e-2 at 1 rad. Of slender ones that spin fast about their axis (ten to one) they
/// leave 2e-3 at 0.2 rad, and come nearer no more where those turn by a radian.
const PASSES: usize = 8;

impl Afloat {
    /// Notes centres of mass and momenta at the state of `kinematics`.
    pub(crate) fn note(&mut self, model: &Model, tree: &Tree, kinematics: &Kinematics) {
        self.note_motion(model, tree, kinematics, |i| kinematics.links[i].velocity);
    }

    /// Notes centres of mass and momenta of links that move as `velocity` says, at their origins.
    pub(crate) fn note_motion(
        &mut self,
        model: &Model,
        tree: &Tree,
        kinematics: &Kinematics,
        velocity: impl Fn(usize) -> Motion,
    ) {
        // springs, dampers and armature of a free joint would exchange momentum with the world
        let bare = |link: &Link| {
            !link.passive && model.armature()[link.dofs()].iter().all(|armature| *armature == 0.0)
        };
        self.trees.clear();
        let mut last = tree.links.len();
        for (i, link) in tree.links.iter().enumerate().rev().filter(|(_, link)| link.parent.is_none()) {
            if link.joint == LinkJoint::Free && bare(link) {
                self.trees.push(Whole { links: i..last, ..Whole::default() });
            }
            last = i;
        }
        for whole in &mut self.trees {
            (whole.mass, whole.com) = whole.centre(tree, kinematics);
            whole.momenta = whole.momenta_of(tree, kinematics, &velocity);
        }
    }

    /// No tree floats.
    pub(crate) fn forget(&mut self) {
        self.trees.clear();
    }

    /// Lets loads act for `dt` \[s]: gravity, and wrenches on links about their origins at the poses of `kinematics`. Centres of mass go
    /// on with the velocities of before.
    pub(crate) fn load(
        &mut self,
        kinematics: &Kinematics,
        gravity: DVec3,
        wrenches: &[(u32, Force)],
        dt: f64,
    ) {
        for whole in self.trees.iter_mut().filter(|whole| whole.mass > 0.0) {
            let mut given = Force::new(DVec3::ZERO, gravity * whole.mass);
            for (link, wrench) in wrenches.iter().filter(|(link, _)| whole.links.contains(&(*link as usize)))
            {
                given += wrench.about(kinematics.links[*link as usize].position - whole.com);
            }
            whole.com += whole.momenta.linear * (dt / whole.mass);
            whole.momenta += given * dt;
        }
    }

    /// Notes how the trees turn with all joints locked in a step of `dt` \[s] from the poses of `kinematics`: by the angular velocity at
    /// mid-step, as single bodies do. That of its start puts a stick that tumbles where the same momentum is another spin about its axis, of any
    /// energy.
    pub(crate) fn note_gyration(&mut self, tree: &Tree, kinematics: &Kinematics, dt: f64) {
        for whole in &mut self.trees {
            whole.gyration = DQuat::IDENTITY;
            let omega = kinematics.links[whole.links.start].velocity.angular;
            if omega.length_squared() * dt * dt < SLOW * SLOW {
                continue;
            }
            whole.weigh(tree, kinematics);
            let momentum = whole.momenta.angular;
            let first = whole.inverse * momentum;
            let mut omega = first;
            for _ in 0..PASSES {
                let middle = rotation::exp(omega * (0.5 * dt));
                omega = middle * (whole.inverse * (middle.conjugate() * momentum));
            }
            let gyration = rotation::exp(omega * dt) * rotation::exp(first * -dt);
            if gyration.is_finite() {
                whole.gyration = gyration;
            }
        }
    }

    /// Turns the trees, which went by their velocities at the start of the step, to where those of mid-step take them. Their centres of mass
    /// are to be settled then.
    pub(crate) fn gyrate(&self, tree: &Tree, q: &mut [f64]) {
        for whole in self.trees.iter().filter(|whole| whole.gyration != DQuat::IDENTITY) {
            let root = &tree.links[whole.links.start];
            let placement = DQuat::from_mat3(&root.placement.rotation);
            let own = &mut q[root.q as usize + 3..root.q as usize + 7];
            let turned = placement.conjugate() * whole.gyration * placement * DQuat::from_slice(own);
            turned.normalize().write_to_slice(own);
        }
    }

    /// Lets an impulse act on a link, about a point \[m].
    pub(crate) fn push(&mut self, link: usize, at: DVec3, impulse: Force) {
        if let Some(whole) = self.trees.iter_mut().find(|whole| whole.links.contains(&link)) {
            whole.momenta += impulse.about(at - whole.com);
        }
    }

    /// Takes the centres of mass on for `time` \[s] as the momenta of `motion` say, at the same poses.
    pub(crate) fn carry(&mut self, motion: &Self, time: f64) {
        for (whole, motion) in self.trees.iter_mut().zip(&motion.trees).filter(|(whole, _)| whole.mass > 0.0)
        {
            whole.com += motion.momenta.linear * (time / whole.mass);
        }
    }

    /// Shifts the trees, from the poses of `kinematics`, such that their centres of mass are where they belong. Whether there are any:
    /// then poses are others.
    pub(crate) fn settle(&mut self, tree: &Tree, kinematics: &Kinematics, q: &mut [f64]) -> bool {
        for whole in &self.trees {
            whole.shift(tree, whole.com - whole.centre(tree, kinematics).1, q);
        }
        !self.trees.is_empty()
    }

    /// Shifts the trees such that their centres of mass are where they belong, and `kinematics` with them.
    pub(crate) fn settle_seen(&mut self, tree: &Tree, kinematics: &mut Kinematics, q: &mut [f64]) {
        for whole in &self.trees {
            let shift = whole.com - whole.centre(tree, kinematics).1;
            whole.shift(tree, shift, q);
            kinematics.links[whole.links.start].offset += shift;
            for motion in &mut kinematics.links[whole.links.clone()] {
                motion.position += shift;
            }
        }
    }

    /// Adds the rigid motions that give the trees their momenta, at the poses of `kinematics`, where links move as `velocity` says.
    pub(crate) fn restore(
        &mut self,
        tree: &Tree,
        kinematics: &Kinematics,
        velocity: impl Fn(usize) -> Motion,
        v: &mut [f64],
    ) {
        for whole in &mut self.trees {
            whole.weigh(tree, kinematics);
            whole.rigid = whole.motion_with(whole.momenta);
            whole.added = whole.motion_with(whole.momenta - whole.momenta_of(tree, kinematics, &velocity));
            whole.add(tree, kinematics, whole.added, v);
        }
    }

    /// Adds the rigid motions that give the trees their momenta, to `v` and to the velocities of `kinematics`.
    pub(crate) fn restore_seen(&mut self, tree: &Tree, kinematics: &mut Kinematics, v: &mut [f64]) {
        let seen = &*kinematics;
        self.restore(tree, seen, |i| seen.links[i].velocity, v);
        for whole in &self.trees {
            for motion in &mut kinematics.links[whole.links.clone()] {
                motion.velocity += whole.added.at(motion.position - whole.com);
            }
        }
    }

    /// What [`Afloat::restore`] added to the motion of a link.
    pub(crate) fn added(&self, kinematics: &Kinematics, link: usize) -> Motion {
        let whole = self.trees.iter().find(|whole| whole.links.contains(&link));
        whole.map_or(Motion::ZERO, |whole| whole.added.at(kinematics.links[link].position - whole.com))
    }

    /// Energy of the trees with all joints locked \[J]: no scaling takes it.
    pub(crate) fn rigid_energy(&self) -> f64 {
        self.trees.iter().map(|whole| 0.5 * whole.momenta.dot(whole.rigid)).sum()
    }

    /// Multiplies velocities at the state that was noted, of floating trees those relative to the rigid motion with their momenta.
    pub(crate) fn shorten(&mut self, tree: &Tree, kinematics: &Kinematics, share: f64, v: &mut [f64]) {
        for whole in &mut self.trees {
            whole.weigh(tree, kinematics);
            whole.rigid = whole.motion_with(whole.momenta);
        }
        self.scale(tree, kinematics, share, v);
    }

    /// Multiplies all velocities, of floating trees those relative to the rigid motion with their momenta.
    pub(crate) fn scale(&self, tree: &Tree, kinematics: &Kinematics, scale: f64, v: &mut [f64]) {
        for dof in tree.links.iter().flat_map(Link::dofs) {
            v[dof] *= scale;
        }
        for whole in &self.trees {
            whole.add(tree, kinematics, whole.rigid * (1.0 - scale), v);
        }
    }

    /// Multiplies motions of links, at their origins, by what [`Afloat::scale`] multiplies velocities by.
    pub(crate) fn scale_motion(
        &self,
        kinematics: &Kinematics,
        link: usize,
        scale: f64,
        motion: Motion,
    ) -> Motion {
        let whole = self.trees.iter().find(|whole| whole.links.contains(&link));
        let rigid = whole.map_or(Motion::ZERO, |w| w.rigid.at(kinematics.links[link].position - w.com));
        motion * scale + rigid * (1.0 - scale)
    }
}

impl Whole {
    /// Mass, and where its centre is at the poses of `kinematics` \[m].
    fn centre(&self, tree: &Tree, kinematics: &Kinematics) -> (f64, DVec3) {
        // levers from the root, so that distance from the world's origin costs no digits
        let root = kinematics.links[self.links.start].position;
        let (mut mass, mut moment) = (0.0, DVec3::ZERO);
        for (central, motion) in
            tree.central[self.links.clone()].iter().zip(&kinematics.links[self.links.clone()])
        {
            let arm = motion.position - root + motion.rotation * central.com;
            mass += central.mass;
            moment += arm * central.mass;
        }
        let com = if mass > 0.0 { moment / mass } else { DVec3::ZERO };
        (mass, root + com)
    }

    /// Works out mass and inertia at the poses of `kinematics`.
    fn weigh(&mut self, tree: &Tree, kinematics: &Kinematics) {
        let (mass, com) = self.centre(tree, kinematics);
        let mut inertia = Sym3::ZERO;
        for (central, motion) in
            tree.central[self.links.clone()].iter().zip(&kinematics.links[self.links.clone()])
        {
            let arm = motion.position - com + motion.rotation * central.com;
            inertia += central.inertia.rotated(motion.rotation) + Sym3::point_mass(arm) * central.mass;
        }
        self.mass = mass;
        self.inverse = inertia.inverse_positive().unwrap_or(Sym3::ZERO);
    }

    /// Momenta about the centre of mass where links move as `velocity` says.
    fn momenta_of(&self, tree: &Tree, kinematics: &Kinematics, velocity: impl Fn(usize) -> Motion) -> Force {
        let mut sum = Force::ZERO;
        for i in self.links.clone() {
            let motion = &kinematics.links[i];
            let own = motion.momentum_with(&tree.links[i].inertia, velocity(i));
            sum += own.about(motion.position - self.com);
        }
        sum
    }

    /// Shifts it in the world \[m].
    fn shift(&self, tree: &Tree, shift: DVec3, q: &mut [f64]) {
        let root = &tree.links[self.links.start];
        let shift = (root.placement.rotation.transpose() * shift).to_array();
        for (x, shift) in q[root.q as usize..].iter_mut().zip(shift) {
            *x += shift;
        }
    }

    /// How it moves at the centre of mass, joints locked, with momenta about that.
    fn motion_with(&self, momenta: Force) -> Motion {
        let linear = if self.mass > 0.0 { momenta.linear / self.mass } else { DVec3::ZERO };
        Motion::new(self.inverse * momenta.angular, linear)
    }

    /// Adds a motion at the centre of mass to the velocity of the free joint.
    fn add(&self, tree: &Tree, kinematics: &Kinematics, motion: Motion, v: &mut [f64]) {
        let (root, link) = (&kinematics.links[self.links.start], &tree.links[self.links.start]);
        let at_root = motion.at(root.position - self.com);
        let body = root.rotation.transpose();
        let added = Motion::new(body * at_root.angular, body * at_root.linear).to_array();
        for (x, added) in v[link.dofs()].iter_mut().zip(added) {
            *x += added;
        }
    }
}
