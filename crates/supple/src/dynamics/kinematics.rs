//! Forward kinematics: poses, velocities and velocity-dependent accelerations of all links, root to leaf.
//!
//! All quantities are in **world axes at the link's own origin**: the axes make sums over links free of
//! rotations, the near origin keeps the numbers tame.
//!
//! With parent p, offset r from p's origin to ours, joint axes S and rates q̇ (`×` in world axes):
//!
//! ```text
//! w = w_p + S_w q̇            v = v_p + w_p × r + S_v q̇
//! ẇ = ẇ_p + S_w q̈ + c_w      v̇ = v̇_p + ẇ_p × r + S_v q̈ + c_v
//! ```
//!
//! Here v̇ is the acceleration of the body's own point at the origin. Featherstone 2008, section 4.4, has
//! spatial accelerations instead; they differ by w × v, and this form needs no v in c (theory: the offset that
//! turns classical into spatial acceleration). What is kept is the **bias** (ẇ; v̇) at q̈ = 0, summed up from the
//! root, so that accelerations are bias + Σ S q̈ and the sweeps have no c in them.

use glam::{DMat3, DQuat, DVec3};

use crate::model::{Element, Link, LinkJoint, Tree};
use crate::spatial::{Force, Motion, Pose, RigidInertia, rotation};

/// Pose and motion of one link, world axes.
#[derive(Clone, Copy, Debug)]
pub struct LinkMotion {
    /// Link axes in world axes.
    pub rotation: DMat3,
    /// Link origin in the world \[m].
    pub position: DVec3,
    /// From the parent's origin to this one \[m].
    pub offset: DVec3,
    /// Velocity (w; v) at the link origin \[rad/s, m/s].
    pub velocity: Motion,
    /// Acceleration at zero joint accelerations, without gravity \[rad/s², m/s²].
    pub bias: Motion,
}

impl LinkMotion {
    /// The world: what carries the roots.
    pub(crate) const WORLD: Self = Self {
        rotation: DMat3::IDENTITY,
        position: DVec3::ZERO,
        offset: DVec3::ZERO,
        velocity: Motion::ZERO,
        bias: Motion::ZERO,
    };

    /// Momenta, about the link's origin in world axes, of a link with this inertia that moves with `velocity` there.
    #[inline]
    pub(crate) fn momentum_with(&self, inertia: &RigidInertia, velocity: Motion) -> Force {
        let body = self.rotation.transpose();
        let own = inertia.momentum(Motion::new(body * velocity.angular, body * velocity.linear));
        Force::new(self.rotation * own.angular, self.rotation * own.linear)
    }

    /// World pose of the link.
    #[inline(always)]
    pub fn pose(&self) -> Pose {
        Pose { rotation: self.rotation, translation: self.position }
    }
}

/// Pose and motion of all links of a tree at one state.
#[derive(Clone, Debug, Default)]
pub struct Kinematics {
    /// One entry per link.
    pub links: Vec<LinkMotion>,
    /// Motion subspace of the compound joints, world axes at the link's origin, one entry per row.
    pub screws: Vec<Motion>,
}

/// One column of a joint's motion subspace, world axes at the link's origin.
#[derive(Clone, Copy, Debug)]
pub enum Axis {
    /// Turns about this direction through the origin.
    Angular(DVec3),
    /// Slides along this direction.
    Linear(DVec3),
    /// Both.
    Screw(Motion),
}

impl Axis {
    /// As a motion.
    #[inline(always)]
    pub fn motion(self) -> Motion {
        match self {
            Self::Angular(a) => Motion::new(a, DVec3::ZERO),
            Self::Linear(a) => Motion::new(DVec3::ZERO, a),
            Self::Screw(s) => s,
        }
    }

    /// Power of a force on it.
    #[inline(always)]
    pub(crate) fn dot(self, force: Force) -> f64 {
        match self {
            Self::Angular(a) => a.dot(force.angular),
            Self::Linear(a) => a.dot(force.linear),
            Self::Screw(s) => force.dot(s),
        }
    }

    /// `v += S x`.
    #[inline(always)]
    pub(crate) fn add_to(self, v: &mut Motion, x: f64) {
        match self {
            Self::Angular(a) => v.angular += a * x,
            Self::Linear(a) => v.linear += a * x,
            Self::Screw(s) => *v += s * x,
        }
    }
}

impl Kinematics {
    /// Room for a tree.
    pub fn new(tree: &Tree) -> Self {
        let mut kinematics = Self::default();
        kinematics.resize(tree);
        kinematics
    }

    /// Makes room for a tree; allocates only when it is larger than any before.
    pub fn resize(&mut self, tree: &Tree) {
        self.links.resize(tree.links.len(), LinkMotion::WORLD);
        self.screws.resize(tree.screws, Motion::ZERO);
    }

    /// Computes poses, velocities and biases of all links at (q, v).
    pub fn update(&mut self, tree: &Tree, q: &[f64], v: &[f64]) {
        self.pass::<true, true>(tree, q, v);
    }

    /// Computes poses and velocities, not biases, of all links at (q, v).
    pub fn update_without_bias(&mut self, tree: &Tree, q: &[f64], v: &[f64]) {
        self.pass::<true, false>(tree, q, v);
    }

    /// Computes poses of all links at q; velocities and biases are left as they were.
    pub fn update_poses(&mut self, tree: &Tree, q: &[f64]) {
        self.pass::<false, false>(tree, q, &[]);
    }

    #[inline(always)]
    fn pass<const VELOCITY: bool, const BIAS: bool>(&mut self, tree: &Tree, q: &[f64], v: &[f64]) {
        self.resize(tree);
        let Self { links, screws } = self;
        let joints = Joints { tree, q, v };
        for (i, link) in tree.links.iter().enumerate() {
            let (before, rest) = links.split_at_mut(i);
            let parent = match link.parent {
                Some(p) => &before[p.index()],
                None => &LinkMotion::WORLD,
            };
            joints.articulate::<VELOCITY, BIAS>(link, parent, screws, &mut rest[0]);
        }
    }

    /// Computes positions anew after the position of a floating root has changed; rotations stay.
    pub(crate) fn move_root(&mut self, tree: &Tree, q: &[f64]) {
        for (i, link) in tree.links.iter().enumerate() {
            match link.parent {
                Some(p) => self.links[i].position = self.links[p.index()].position + self.links[i].offset,
                None => {
                    let at = link.q as usize;
                    let offset = link.placement.translation
                        + link.placement.rotation * DVec3::from_slice(&q[at..at + 3]);
                    self.links[i].offset = offset;
                    self.links[i].position = offset;
                }
            }
        }
    }

    /// Computes velocities (not biases) of all links from v, at the poses that are there.
    pub fn set_velocities(&mut self, tree: &Tree, v: &[f64]) {
        let Self { links, screws } = self;
        for (i, link) in tree.links.iter().enumerate() {
            let carried = link.parent.map_or(Motion::ZERO, |p| links[p.index()].velocity);
            let motion = &mut links[i];
            let mut velocity = carried.at(motion.offset);
            for k in 0..link.joint.dofs() {
                velocity += axis_of(screws, link, motion, k).motion() * v[link.v as usize + k];
            }
            motion.velocity = velocity;
        }
    }

    /// Velocities of all links if those of the joints were v, at the poses that are there.
    pub(crate) fn velocities_at(&self, tree: &Tree, v: &[f64], velocities: &mut Vec<Motion>) {
        velocities.clear();
        for (link, motion) in tree.links.iter().zip(&self.links) {
            let carried = link.parent.map_or(Motion::ZERO, |p| velocities[p.index()]);
            let mut velocity = carried.at(motion.offset);
            for k in 0..link.joint.dofs() {
                self.axis(link, motion, k).add_to(&mut velocity, v[link.v as usize + k]);
            }
            velocities.push(velocity);
        }
    }

    /// Column `k` of the motion subspace of a link.
    #[inline(always)]
    pub fn axis(&self, link: &Link, motion: &LinkMotion, k: usize) -> Axis {
        axis_of(&self.screws, link, motion, k)
    }
}

/// Column `k` of the motion subspace of a link, given the rows of the compound joints.
#[inline(always)]
pub(crate) fn axis_of(screws: &[Motion], link: &Link, motion: &LinkMotion, k: usize) -> Axis {
    let r = &motion.rotation;
    match link.joint {
        LinkJoint::Revolute => Axis::Angular(r.z_axis),
        LinkJoint::Prismatic => Axis::Linear(r.z_axis),
        LinkJoint::Helical { pitch } => Axis::Screw(Motion::new(r.z_axis, r.z_axis * pitch)),
        LinkJoint::Spherical => Axis::Angular(r.col(k)),
        LinkJoint::Free if k < 3 => Axis::Angular(r.col(k)),
        LinkJoint::Free => Axis::Linear(r.col(k - 3)),
        LinkJoint::Compound { screw, .. } => Axis::Screw(screws[screw as usize + k]),
    }
}

/// Pose of a link in its parent's frame (in the world, for a root) at the positions q.
pub(crate) fn link_pose(tree: &Tree, link: &Link, q: &[f64]) -> Pose {
    let (mut link, mut screws, mut motion) = (*link, [Motion::ZERO; 6], LinkMotion::WORLD);
    if let LinkJoint::Compound { screw, .. } = &mut link.joint {
        *screw = 0;
    }
    let joints = Joints { tree, q, v: &[] };
    joints.articulate::<false, false>(&link, &LinkMotion::WORLD, &mut screws, &mut motion);
    motion.pose()
}

/// Positions and velocities of the joints of a tree.
#[derive(Clone, Copy)]
pub(crate) struct Joints<'a> {
    pub(crate) tree: &'a Tree,
    pub(crate) q: &'a [f64],
    /// Empty where velocities are not wanted.
    pub(crate) v: &'a [f64],
}

impl Joints<'_> {
    /// Pose and motion of a link from those of its parent.
    #[inline(always)]
    pub(crate) fn articulate<const VELOCITY: bool, const BIAS: bool>(
        self,
        link: &Link,
        parent: &LinkMotion,
        screws: &mut [Motion],
        out: &mut LinkMotion,
    ) {
        let Self { tree, q, v } = self;
        // joint frame
        let rotation = parent.rotation * link.placement.rotation;
        let offset = parent.rotation * link.placement.translation;
        let (iq, iv) = (link.q as usize, link.v as usize);
        match link.joint {
            LinkJoint::Revolute => {
                let rotation = turn_about_z(rotation, q[iq]);
                turning::<VELOCITY, BIAS>(
                    parent,
                    rotation,
                    offset,
                    rotation.z_axis * rate::<VELOCITY>(v, iv),
                    out,
                );
            }
            LinkJoint::Prismatic => {
                let axis = rotation.z_axis;
                sliding::<VELOCITY, BIAS>(
                    parent,
                    rotation,
                    offset + axis * q[iq],
                    DVec3::ZERO,
                    axis * rate::<VELOCITY>(v, iv),
                    out,
                );
            }
            LinkJoint::Helical { pitch } => {
                let rotation = turn_about_z(rotation, q[iq]);
                let axis = rotation.z_axis;
                sliding::<VELOCITY, BIAS>(
                    parent,
                    rotation,
                    offset + axis * (pitch * q[iq]),
                    axis * rate::<VELOCITY>(v, iv),
                    axis * (pitch * rate::<VELOCITY>(v, iv)),
                    out,
                );
            }
            LinkJoint::Spherical => {
                let rotation = rotation * DMat3::from_quat(DQuat::from_slice(&q[iq..iq + 4]));
                turning::<VELOCITY, BIAS>(parent, rotation, offset, rotation * rates::<VELOCITY>(v, iv), out);
            }
            LinkJoint::Free => {
                let offset = offset + rotation * DVec3::from_slice(&q[iq..iq + 3]);
                let rotation = rotation * DMat3::from_quat(DQuat::from_slice(&q[iq + 3..iq + 7]));
                let spin = rotation * rates::<VELOCITY>(v, iv);
                let slide = rotation * rates::<VELOCITY>(v, iv + 3);
                sliding::<VELOCITY, BIAS>(parent, rotation, offset, spin, slide, out);
                // the sliding axes turn with the body: one more w × slide than for axes of the parent
                if BIAS {
                    out.bias.linear += spin.cross(slide);
                }
            }
            LinkJoint::Compound { first, count, screw, dofs } => {
                let elements = &tree.elements[first as usize..(first + count) as usize];
                let screws = &mut screws[screw as usize..(screw + dofs) as usize];
                let v = if VELOCITY { &v[iv..] } else { &[0.0; 6][..] };
                let joint_frame = Pose { rotation, translation: offset };
                let motion = compound(parent, joint_frame, elements, &q[iq..], v, screws);
                (out.rotation, out.position, out.offset) = (motion.rotation, motion.position, motion.offset);
                if VELOCITY {
                    (out.velocity, out.bias) = (motion.velocity, motion.bias);
                }
            }
        }
    }
}

/// One rate of v, or nothing where velocities are not wanted.
#[inline(always)]
fn rate<const VELOCITY: bool>(v: &[f64], at: usize) -> f64 {
    if VELOCITY { v[at] } else { 0.0 }
}

/// Three rates of v, or nothing where velocities are not wanted.
#[inline(always)]
fn rates<const VELOCITY: bool>(v: &[f64], at: usize) -> DVec3 {
    if VELOCITY { DVec3::from_slice(&v[at..at + 3]) } else { DVec3::ZERO }
}

/// A rotation followed by a turn about its own z.
#[inline(always)]
fn turn_about_z(r: DMat3, angle: f64) -> DMat3 {
    let (s, c) = rotation::sin_cos(angle);
    DMat3::from_cols(r.x_axis * c + r.y_axis * s, r.y_axis * c - r.x_axis * s, r.z_axis)
}

/// A link that turns with `spin` about its own origin, which is fixed in the parent.
#[inline(always)]
fn turning<const VELOCITY: bool, const BIAS: bool>(
    parent: &LinkMotion,
    rotation: DMat3,
    offset: DVec3,
    spin: DVec3,
    out: &mut LinkMotion,
) {
    out.rotation = rotation;
    out.position = parent.position + offset;
    out.offset = offset;
    if VELOCITY {
        let w = parent.velocity.angular;
        let carried = w.cross(offset);
        out.velocity = Motion::new(w + spin, parent.velocity.linear + carried);
        if BIAS {
            let bias = parent.bias.at(offset);
            out.bias = Motion::new(bias.angular + w.cross(spin), bias.linear + w.cross(carried));
        }
    }
}

/// A link that also moves with `slide` along axes of the parent.
#[inline(always)]
fn sliding<const VELOCITY: bool, const BIAS: bool>(
    parent: &LinkMotion,
    rotation: DMat3,
    offset: DVec3,
    spin: DVec3,
    slide: DVec3,
    out: &mut LinkMotion,
) {
    turning::<VELOCITY, BIAS>(parent, rotation, offset, spin, out);
    if VELOCITY {
        out.velocity.linear += slide;
    }
    if BIAS {
        out.bias.linear += 2.0 * parent.velocity.angular.cross(slide);
    }
}

/// Elements in a row, as massless bodies: each is carried by the one before it. `joint_frame` is where the first begins: from the parent's
/// origin, in world axes.
#[inline(never)]
fn compound(
    parent: &LinkMotion,
    joint_frame: Pose,
    elements: &[Element],
    q: &[f64],
    v: &[f64],
    screws: &mut [Motion],
) -> LinkMotion {
    let Pose { mut rotation, translation: mut offset } = joint_frame;
    // `w` and `bias` belong to the body after the elements so far, at the point `offset` from the parent
    let w_parent = parent.velocity.angular;
    let mut w = w_parent;
    let mut bias = parent.bias.at(offset);
    bias.linear += w.cross(w.cross(offset));
    let (mut iq, mut k) = (0, 0);
    let move_to = |bias: &mut Motion, w: DVec3, step: DVec3| {
        bias.linear += bias.angular.cross(step) + w.cross(w.cross(step));
    };
    for element in elements {
        match *element {
            Element::Slide { axis } => {
                let axis = rotation * axis;
                move_to(&mut bias, w, axis * q[iq]);
                offset += axis * q[iq];
                bias.linear += 2.0 * w.cross(axis * v[k]);
                screws[k] = Motion::new(DVec3::ZERO, axis);
                (iq, k) = (iq + 1, k + 1);
            }
            Element::Hinge { axis, anchor } => {
                let world_axis = rotation * axis;
                let to_anchor = rotation * anchor;
                let turned = rotation * DMat3::from_quat(rotation::exp(axis * q[iq]));
                let from_anchor = -(turned * anchor);
                move_to(&mut bias, w, to_anchor);
                let spin = world_axis * v[k];
                bias.angular += w.cross(spin);
                w += spin;
                move_to(&mut bias, w, from_anchor);
                offset += to_anchor + from_anchor;
                // remember the anchor; the lever to the final origin is known only at the end
                screws[k] = Motion::new(world_axis, offset - from_anchor);
                rotation = turned;
                (iq, k) = (iq + 1, k + 1);
            }
            Element::Ball { anchor } => {
                let to_anchor = rotation * anchor;
                let turned = rotation * DMat3::from_quat(DQuat::from_slice(&q[iq..iq + 4]));
                let from_anchor = -(turned * anchor);
                move_to(&mut bias, w, to_anchor);
                let spin = turned * DVec3::from_slice(&v[k..k + 3]);
                bias.angular += w.cross(spin);
                w += spin;
                move_to(&mut bias, w, from_anchor);
                offset += to_anchor + from_anchor;
                for j in 0..3 {
                    screws[k + j] = Motion::new(turned.col(j), offset - from_anchor);
                }
                rotation = turned;
                (iq, k) = (iq + 4, k + 3);
            }
        }
    }
    let mut velocity = parent.velocity.at(offset);
    for (screw, rate) in screws.iter_mut().zip(v) {
        if screw.angular != DVec3::ZERO {
            screw.linear = screw.angular.cross(offset - screw.linear);
        }
        velocity += *screw * *rate;
    }
    LinkMotion { rotation, position: parent.position + offset, offset, velocity, bias }
}
