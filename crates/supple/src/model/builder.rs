use std::collections::HashMap;

use glam::{DQuat, DVec3};

use crate::spatial::Pose;
use crate::spatial::rotation::{direction, from_z_to};
use crate::util::names::nearest;

use super::model::{BodyInfo, JointInfo, Model};
use super::tree::{Link, LinkJoint, Tree};
use super::{Body, BodyId, Element, Joint, JointId, JointKind, LinkId, ModelError, validate};

/// Collects bodies, then makes a [`Model`] of them.
///
/// ```
/// use glam::DVec3;
/// use supple::{Body, Joint, ModelBuilder, Pose, RigidInertia};
///
/// let rod = RigidInertia::solid_capsule(1.0, DVec3::ZERO, DVec3::X, 0.02);
/// let model = ModelBuilder::new()
///     .body(Body::new("upper", Joint::revolute(DVec3::Z)).inertia(rod))
///     .body(Body::new("lower", Joint::revolute(DVec3::Z)).on("upper").at(Pose::from_xyz(1.0, 0.0, 0.0)).inertia(rod))
///     .finish()?;
/// assert_eq!(model.nv(), 2);
/// # Ok::<(), supple::ModelError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ModelBuilder {
    bodies: Vec<Body>,
}

impl ModelBuilder {
    /// A builder without bodies.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a body; order does not matter, ids follow it.
    pub fn body(mut self, body: Body) -> Self {
        self.bodies.push(body);
        self
    }

    /// Adds a body in place.
    pub fn add(&mut self, body: Body) -> &mut Self {
        self.bodies.push(body);
        self
    }

    /// The bodies added so far.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// All of [`ModelBuilder::finish`] that can be said without asking how the model moves: bodies, joints and tree, validated.
    pub(crate) fn assemble(self) -> Result<Model, ModelError> {
        let bodies = self.bodies;
        const LIMIT: usize = u32::MAX as usize / 8;
        match bodies.len() {
            0 => return Err(ModelError::Empty),
            count if count > LIMIT => return Err(ModelError::TooMany { count, limit: LIMIT }),
            _ => {}
        }
        let body_names = unique("body", bodies.iter().map(|b| b.name.as_str()))?;
        let joint_name = |b: &Body| b.joint.name.clone().unwrap_or_else(|| b.name.clone());
        let names: Vec<String> = bodies.iter().map(joint_name).collect();
        let joint_names = unique("joint", names.iter().map(String::as_str))?;
        for (body, name) in bodies.iter().zip(&names) {
            validate::joint(name, &body.joint)?;
            validate::body(body)?;
        }
        let parents = parents(&bodies, &body_names)?;
        let order = depth_first(&bodies, &parents)?;

        let mut model = Model {
            bodies: Vec::with_capacity(bodies.len()),
            joints: Vec::with_capacity(bodies.len()),
            body_names: body_names.into_iter().map(|(k, i)| (k.to_owned(), BodyId::new(i))).collect(),
            joint_names: joint_names.into_iter().map(|(k, i)| (k.to_owned(), JointId::new(i))).collect(),
            tree: Tree::default(),
            dofs: Vec::new(),
            armature: Vec::new(),
            effort_limits: Vec::new(),
            rest: Vec::new(),
            neutral: Vec::new(),
            passive: Vec::new(),
            has_armature: false,
            has_passive: false,
            has_massless_links: false,
        };
        for ((body, name), parent) in bodies.iter().zip(&names).zip(&parents) {
            let joint = &body.joint;
            let (nq, nv) = joint.kind.sizes();
            model.joints.push(JointInfo {
                name: name.clone(),
                kind: joint.kind.clone(),
                q: model.neutral.len(),
                nq,
                v: model.dofs.len(),
                nv,
                link: None,
            });
            model.neutral.extend(joint.kind.neutral());
            model.rest.extend(normalized_rest(joint));
            model.dofs.extend(&joint.dofs);
            model.bodies.push(BodyInfo {
                name: body.name.clone(),
                parent: *parent,
                link: None,
                link_from_body: Pose::IDENTITY,
                placement: body.placement,
                frame: body.frame,
                inertia: body.inertia,
            });
        }
        model.armature = model.dofs.iter().map(|d| d.armature).collect();
        model.has_armature = model.armature.iter().any(|a| *a > 0.0);
        model.effort_limits = model.dofs.iter().map(|d| d.effort_limit.unwrap_or(f64::INFINITY)).collect();
        for &i in &order {
            grow(&mut model, &bodies[i], i);
        }
        model.tree.connect();
        model.has_massless_links = model.tree.links.iter().any(|l| l.inertia.mass == 0.0);
        model.has_passive = model.tree.links.iter().any(|l| l.passive);
        Ok(model)
    }
}

/// Adds body `i`, whose parent is already there, to the tree: as a new link, or as part of its parent's.
fn grow(model: &mut Model, body: &Body, i: usize) {
    let (parent, parent_from_joint) = match model.bodies[i].parent {
        Some(p) => {
            let parent = &model.bodies[p.index()];
            (parent.link, parent.link_from_body * orthonormal(&body.placement))
        }
        None => (None, orthonormal(&body.placement)),
    };
    let frame = orthonormal(&body.frame);
    let tree = &mut model.tree;
    let (turn, joint) = link_joint(&body.joint.kind, tree);
    let Some(joint) = joint else {
        // fixed: part of the parent's link, or of the world
        let link_from_body = parent_from_joint * frame;
        if let Some(link) = parent {
            tree.links[link.index()].inertia += body.inertia.transformed(&link_from_body);
        }
        let info = &mut model.bodies[i];
        (info.link, info.link_from_body) = (parent, link_from_body);
        return;
    };
    let turn = Pose::from_rotation(turn);
    let link_from_body = turn.inverse() * frame;
    let info = &mut model.joints[i];
    let id = LinkId::new(tree.links.len());
    tree.links.push(Link {
        parent,
        children: 0,
        stash: false,
        joint,
        passive: body
            .joint
            .dofs
            .iter()
            .any(|d| d.damping > 0.0 || d.stiffness > 0.0 || d.friction > 0.0 || d.limit.is_some()),
        q: info.q as u32,
        v: info.v as u32,
        row: tree.rows as u32,
        id: JointId::new(i),
        full: id,
        placement: parent_from_joint * turn,
        inertia: body.inertia.transformed(&link_from_body),
    });
    tree.rows += info.nv;
    info.link = Some(id);
    let body = &mut model.bodies[i];
    (body.link, body.link_from_body) = (Some(id), link_from_body);
}

/// The joint as links know it, and how their frame is turned against the joint frame to have the axis along z.
fn link_joint(kind: &JointKind, tree: &mut Tree) -> (DQuat, Option<LinkJoint>) {
    let mut compound = |elements: &[Element]| {
        let first = tree.elements.len() as u32;
        tree.elements.extend(elements.iter().map(|e| match *e {
            Element::Hinge { axis, anchor } => Element::Hinge { axis: direction(axis), anchor },
            Element::Slide { axis } => Element::Slide { axis: direction(axis) },
            ball @ Element::Ball { .. } => ball,
        }));
        let dofs: usize = elements.iter().map(|e| e.sizes().1).sum();
        let screw = tree.screws as u32;
        tree.screws += dofs;
        LinkJoint::Compound { first, count: elements.len() as u32, screw, dofs: dofs as u32 }
    };
    let anchor = DVec3::ZERO;
    let hinge = |axis| Element::Hinge { axis, anchor };
    let slide = |axis| Element::Slide { axis };
    let (x, y, z) = (DVec3::X, DVec3::Y, DVec3::Z);
    let turn = |axis: DVec3| from_z_to(direction(axis));
    match kind {
        JointKind::Fixed => (DQuat::IDENTITY, None),
        JointKind::Revolute { axis } | JointKind::Continuous { axis } => {
            (turn(*axis), Some(LinkJoint::Revolute))
        }
        JointKind::Prismatic { axis } => (turn(*axis), Some(LinkJoint::Prismatic)),
        JointKind::Helical { axis, pitch } => (turn(*axis), Some(LinkJoint::Helical { pitch: *pitch })),
        JointKind::Cylindrical { axis } => (turn(*axis), Some(compound(&[hinge(z), slide(z)]))),
        JointKind::Universal { axes } => (DQuat::IDENTITY, Some(compound(&axes.map(hinge)))),
        JointKind::Planar { normal } => (turn(*normal), Some(compound(&[slide(x), slide(y), hinge(z)]))),
        JointKind::Spherical => (DQuat::IDENTITY, Some(LinkJoint::Spherical)),
        JointKind::Free => (DQuat::IDENTITY, Some(LinkJoint::Free)),
        JointKind::Compound(elements) => (DQuat::IDENTITY, Some(compound(elements))),
    }
}

/// The pose with its rotation made orthonormal to rounding: files print six digits.
fn orthonormal(pose: &Pose) -> Pose {
    if pose.rotation == glam::DMat3::IDENTITY {
        return *pose;
    }
    Pose::new(pose.translation, pose.quat())
}

/// The rest position with unit quaternions.
fn normalized_rest(joint: &Joint) -> Vec<f64> {
    let mut rest = joint.rest.clone();
    for at in validate::quaternions(&joint.kind) {
        let q = DQuat::from_slice(&rest[at..at + 4]).normalize();
        rest[at..at + 4].copy_from_slice(&q.to_array());
    }
    rest
}

fn unique<'a>(
    what: &'static str,
    names: impl Iterator<Item = &'a str>,
) -> Result<HashMap<&'a str, usize>, ModelError> {
    let mut seen = HashMap::new();
    for (index, name) in names.enumerate() {
        if name.is_empty() {
            return Err(ModelError::EmptyName { what, index });
        }
        if seen.insert(name, index).is_some() {
            return Err(ModelError::DuplicateName { what, name: name.into() });
        }
    }
    Ok(seen)
}

fn parents(bodies: &[Body], names: &HashMap<&str, usize>) -> Result<Vec<Option<BodyId>>, ModelError> {
    let mut root: Option<&Body> = None;
    let mut parents = Vec::with_capacity(bodies.len());
    for body in bodies {
        parents.push(match &body.parent {
            Some(parent) => match names.get(parent.as_str()) {
                Some(&p) => Some(BodyId::new(p)),
                None => {
                    return Err(ModelError::UnknownParent {
                        body: body.name.clone(),
                        parent: parent.clone(),
                        hint: nearest(parent, bodies.iter().map(|b| b.name.as_str()))
                            .map_or_else(String::new, |name| format!(": did you mean {name:?}?")),
                    });
                }
            },
            None => {
                if let Some(first) = root {
                    return Err(ModelError::SeveralRoots {
                        first: first.name.clone(),
                        second: body.name.clone(),
                    });
                }
                root = Some(body);
                None
            }
        });
    }
    Ok(parents)
}

/// Body numbers, parents before children, each body directly followed by its first child.
fn depth_first(bodies: &[Body], parents: &[Option<BodyId>]) -> Result<Vec<usize>, ModelError> {
    // children as linked lists, in the order given
    let mut first_child = vec![None; bodies.len()];
    let mut next_sibling = vec![None; bodies.len()];
    let mut root = None;
    for i in (0..bodies.len()).rev() {
        match parents[i] {
            Some(p) => next_sibling[i] = first_child[p.index()].replace(i),
            None => root = Some(i),
        }
    }
    let mut order = Vec::with_capacity(bodies.len());
    let mut visited = vec![false; bodies.len()];
    let mut open: Vec<usize> = root.into_iter().collect();
    while let Some(i) = open.pop() {
        visited[i] = true;
        order.push(i);
        open.extend(next_sibling[i]);
        open.extend(first_child[i]);
    }
    match visited.iter().position(|v| !v) {
        None => Ok(order),
        Some(lost) => Err(ModelError::Cycle { path: circle(bodies, parents, lost) }),
    }
}

/// The circle that is reached by climbing from body `lost`, for the message.
fn circle(bodies: &[Body], parents: &[Option<BodyId>], lost: usize) -> String {
    let climb = |i: usize| parents[i].map_or(i, BodyId::index);
    let mut on_circle = lost;
    for _ in 0..bodies.len() {
        on_circle = climb(on_circle);
    }
    let mut path = vec![bodies[on_circle].name.as_str()];
    let mut at = climb(on_circle);
    while at != on_circle && path.len() < 8 {
        path.push(&bodies[at].name);
        at = climb(at);
    }
    path.push(if at == on_circle { &bodies[on_circle].name } else { "…" });
    path.join(" → ")
}
