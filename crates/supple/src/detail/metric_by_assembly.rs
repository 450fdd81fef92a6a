//! The acceleration metric by the assembly tree: the body is never visited, only its open nodes, the pieces below them, the
//! paths from forced links up to their pieces, and the nodes that the selection opens. Theory, section 11, steps 1 and 2a.
//!
//! ```text
//!  begin    open nodes, from the pieces up        Φ, b by the join; of pieces by their tensors, or by force paths
//!           and down again                        forces on the handles of the pieces, and so their metric
//!  expand   a rigid node that the selection opens  forces on the handles of its parts, and so their metric
//! ```
//!
//! Open nodes cost the selection nothing, so all of them may be solved before it starts, and their metric is the sum over their
//! joints and pieces: Ψ, p and η of open nodes, which the paper computes to search from the root, are not needed, and
//! nothing cancels in the sum.

use std::ops::Range;

use glam::DVec3;

use crate::dynamics::kinematics::Kinematics;
use crate::model::LinkId;
use crate::spatial::mat6::{Vec6, motion_to_child};
use crate::spatial::{Force, Motion, Pose};
use crate::util::SparseSet;

use super::assembly::frozen::{Freezer, FrozenParts};
use super::assembly::join::{self, Factor, HandleMatrix, HandleVector, Joined, Shape, kept};
use super::assembly::joint_motion::{JointMotion, JointScratch};
use super::assembly::leaf::SingularLink;
use super::assembly::linear::{Linear, Loaded, beta};
use super::assembly::part_cache::{PartCache, PartsAtHand};
use super::assembly::tree::{Handle, JoinJoint, NodeKind};
use super::assembly::{AssemblyTree, NodeId};
use super::force_paths::ForcePaths;
use super::hybrid::{Child, Hybrid, OpenNode};
use super::scene::Scene;
use super::select::Parts;

/// Metrics below this share of the terms that they are sums of are rounding: they cancel down to it, no further. 1e-13 is what was measured on
/// a chain of 300 links in motion (theory, section 10).
const ROUNDING: f64 = 1e-13;

/// Parts kept unpacked, at least; 5 kB each. Chosen so that they fit into the second-level cache of a core; no result depends on it.
const PARTS_AT_HAND: usize = 64;

/// What is known of an open node.
#[derive(Clone, Copy, Debug)]
struct Open {
    phi: HandleMatrix,
    b: [[f64; 1]; 12],
    factor: Factor,
    /// Pose of β in α.
    pose: Pose,
    g: Vec6,
    r: Vec6,
    /// Forces on its handles.
    f: HandleVector,
    /// The acceleration of its joint.
    rate: Vec6,
    /// Its metric.
    metric: f64,
}

impl Open {
    const NONE: Self = Self {
        phi: HandleMatrix::ZERO,
        b: [[0.0]; 12],
        factor: Factor::EMPTY,
        pose: Pose::IDENTITY,
        g: [0.0; 6],
        r: [0.0; 6],
        f: [0.0; 12],
        rate: [0.0; 6],
        metric: 0.0,
    };
}

/// What is known of a rigid piece.
#[derive(Clone, Copy, Debug)]
struct PieceCoefficients {
    /// Its angular velocity, frame of its top \[rad/s].
    spin: DVec3,
    /// b, p, η.
    linear: Linear<1>,
    /// Its number among the parts that are at hand.
    part: usize,
    /// Its metric.
    metric: f64,
}

/// A node that the selection has reached.
#[derive(Clone, Copy, Debug)]
struct Reached {
    /// Forces on its handles.
    f: HandleVector,
    /// Its angular velocity, frame of its top; of nodes that are not open \[rad/s].
    spin: DVec3,
}

/// Coefficients of all parts of one body that are rigid or open.
#[derive(Clone, Debug)]
pub struct MetricByAssembly {
    parts: FrozenParts,
    cache: PartCache,
    /// Joint forces and what is added to joint inertias, by v: of frozen joints as they were when they froze.
    tau: Vec<f64>,
    diagonal: Vec<f64>,
    /// Degrees of freedom that were driven when they froze.
    driven: SparseSet,
    /// Look-ahead time that they belong to \[s].
    ahead: f64,
    open: Vec<Open>,
    pieces: Vec<PieceCoefficients>,
    paths: ForcePaths,
    /// Nodes that the selection has reached.
    reached: SparseSet,
    reached_with: Vec<Reached>,
    /// Nodes visited since the beginning of the update.
    visited: usize,
    /// Whether velocities, gravity and joint forces count; they do not for impulses.
    moving: bool,
}

impl MetricByAssembly {
    /// Freezes all parts of a body once; an error where a link has no inverse inertia.
    pub fn new(scene: &Scene<'_>) -> Result<Self, SingularLink> {
        let (tree, assembly) = (scene.model.tree(), scene.assembly);
        let mut metric = Self {
            parts: FrozenParts::new(tree, assembly)?,
            cache: PartCache::new(assembly),
            tau: vec![0.0; scene.model.nv()],
            diagonal: vec![0.0; scene.model.nv()],
            driven: SparseSet::new(scene.model.nv()),
            ahead: scene.ahead,
            open: Vec::new(),
            pieces: Vec::new(),
            paths: ForcePaths::new(assembly),
            reached: SparseSet::new(assembly.nodes().len()),
            reached_with: Vec::new(),
            visited: 0,
            moving: true,
        };
        metric.freeze_all(scene);
        Ok(metric)
    }

    /// Freezes all nodes.
    pub fn freeze_all(&mut self, scene: &Scene<'_>) {
        for i in 0..scene.model.tree().links.len() {
            self.settle(scene, LinkId::new(i));
        }
        self.ahead = scene.ahead;
        self.paths.forget_all();
        self.cache.limit(0);
        let Self { parts, tau, diagonal, .. } = self;
        let leaves = parts.leaves().to_vec();
        parts.freeze_all(&freezer(scene, &leaves, tau, diagonal));
    }

    /// Look-ahead time for which parts froze \[s].
    pub fn ahead(&self) -> f64 {
        self.ahead
    }

    /// A node becomes rigid whose children are, and whose poses are known.
    pub fn freeze(&mut self, scene: &Scene<'_>, id: NodeId) {
        if let Some(link) = scene.assembly.node(id).joint() {
            self.settle(scene, link);
        }
        self.paths.forget(id);
        self.cache.forget(id);
        let Self { parts, tau, diagonal, .. } = self;
        let leaves = std::mem::take(&mut parts.leaves);
        parts.freeze(&freezer(scene, &leaves, tau, diagonal), id);
        parts.leaves = leaves;
    }

    /// Nodes visited since the update began.
    pub fn visited(&self) -> usize {
        self.visited
    }

    /// Nodes of the force update region.
    pub fn force_region(&self) -> usize {
        self.paths.len()
    }

    /// Joint terms of one joint at the present state.
    fn settle(&mut self, scene: &Scene<'_>, link: LinkId) {
        let dofs = scene.model.tree().links[link.index()].dofs();
        let Self { tau, diagonal, driven, .. } = self;
        let Scene { model, loads, drives, .. } = *scene;
        scene.joint_terms(link, &mut tau[dofs.clone()], &mut diagonal[dofs.clone()]);
        for dof in dofs.filter(|dof| drives.at(*dof).is_some() || loads.drive(model, *dof) != 0.0) {
            driven.insert(dof as u32);
        }
    }

    /// Coefficients of all open nodes for accelerations; 𝒜 of the whole body. `kinematics` are those of the groups.
    pub fn begin(
        &mut self,
        scene: &Scene<'_>,
        hybrid: &Hybrid,
        kinematics: &Kinematics,
        forces: &[(u32, Force)],
    ) -> f64 {
        self.start(scene, hybrid, kinematics, forces, true)
    }

    /// Coefficients of all open nodes for velocity jumps that impulses on links cause; 𝒜 of the whole body.
    pub fn begin_impulses(
        &mut self,
        scene: &Scene<'_>,
        hybrid: &Hybrid,
        kinematics: &Kinematics,
        impulses: &[(u32, Force)],
    ) -> f64 {
        self.start(scene, hybrid, kinematics, impulses, false)
    }

    /// Parts freeze anew in which a frozen joint's inertia is not what it was: implicit terms of actuators that came, went or
    /// reached a limit. Forces alone are no reason, they have paths.
    pub fn refreeze_changed(&mut self, scene: &Scene<'_>, hybrid: &Hybrid) {
        for i in 0..self.driven.len() + scene.drives.all().len() {
            let then = self.driven.members().get(i).map(|dof| *dof as usize);
            let Some(dof) = then.or_else(|| scene.drives.all().get(i - self.driven.len()).map(|d| d.dof))
            else {
                break;
            };
            let Some(link) = scene.model.link_of_dof(dof) else { continue };
            let dofs = scene.model.tree().links[link.index()].dofs();
            let (mut unused, mut now) = ([0.0; 6], [0.0; 6]);
            scene.joint_terms(link, &mut unused, &mut now);
            let mut at = Some(scene.assembly.joint_node(link));
            if hybrid.is_open(scene.assembly.joint_node(link)) || now[..dofs.len()] == self.diagonal[dofs] {
                continue;
            }
            while let Some(node) = at.filter(|n| !hybrid.is_open(*n)) {
                self.freeze(scene, node);
                at = scene.assembly.node(node).parent;
            }
        }
    }

    fn start(
        &mut self,
        scene: &Scene<'_>,
        hybrid: &Hybrid,
        kinematics: &Kinematics,
        forces: &[(u32, Force)],
        moving: bool,
    ) -> f64 {
        self.moving = moving;
        self.visited = 0;
        // parts that are not pieces any more, nor tried, stay behind
        self.cache.limit(PARTS_AT_HAND.max(6 * hybrid.pieces().len()));
        self.reached.clear();
        self.reached_with.clear();
        let spin = |piece: &super::hybrid::Piece| match piece.group {
            Some(group) if moving => {
                let motion = &kinematics.links[group.index()];
                piece.pose.rotation.transpose() * (motion.rotation.transpose() * motion.velocity.angular)
            }
            _ => DVec3::ZERO,
        };
        self.pieces.clear();
        self.pieces.extend(hybrid.pieces().iter().map(|piece| PieceCoefficients {
            spin: spin(piece),
            linear: Linear::ZERO,
            part: 0,
            metric: 0.0,
        }));
        self.follow_forces(scene, hybrid, forces);
        self.weigh_pieces(scene, hybrid);
        for open in hybrid.nodes() {
            if let Some(link) = scene.assembly.node(open.node).joint() {
                self.settle(scene, link);
            }
        }
        self.open.resize(hybrid.nodes().len(), Open::NONE);
        for i in 0..hybrid.nodes().len() {
            self.assemble(scene, hybrid, i);
        }
        for i in (0..hybrid.nodes().len()).rev() {
            self.substitute(scene, hybrid, i);
        }
        self.visited += self.open.len() + self.pieces.len();
        self.sum_up(scene, hybrid);
        self.open.last().map_or(0.0, |root| root.metric)
    }

    /// The metric of open nodes: of their joint and of their parts.
    fn sum_up(&mut self, scene: &Scene<'_>, hybrid: &Hybrid) {
        let tree = scene.model.tree();
        for (i, open) in hybrid.nodes().iter().enumerate() {
            let own = scene.assembly.node(open.node).joint().map_or(0.0, |link| {
                let dofs = tree.links[link.index()].joint.dofs();
                scene.weights.norm(tree, link, scene.q, &self.open[i].rate[..dofs])
            });
            let below: f64 = open.children.iter().flatten().map(|child| self.metric(*child)).sum();
            self.open[i].metric = own + below;
        }
    }

    fn metric(&self, child: Child) -> f64 {
        match child {
            Child::Open(i) => self.open[i as usize].metric,
            Child::Piece(i) => self.pieces[i as usize].metric,
        }
    }

    /// Accelerations (or jumps) of the joints of open nodes.
    pub fn open_rates<'a>(
        &'a self,
        assembly: &'a AssemblyTree,
        hybrid: &'a Hybrid,
    ) -> impl Iterator<Item = (LinkId, &'a [f64; 6])> {
        let rate = |(open, c): (&OpenNode, &'a Open)| Some((assembly.node(open.node).joint()?, &c.rate));
        hybrid.nodes().iter().zip(&self.open).filter_map(rate)
    }

    /// Paths from forced links, and from frozen joints whose force is not what it was when they froze, up to their pieces.
    fn follow_forces(&mut self, scene: &Scene<'_>, hybrid: &Hybrid, forces: &[(u32, Force)]) {
        let Self { paths, pieces, parts, cache, tau, diagonal, driven, moving, .. } = self;
        let moving = *moving;
        paths.begin();
        for (link, _) in forces {
            paths.add(scene.assembly, hybrid, scene.assembly.leaf(LinkId(*link)));
        }
        if moving {
            let now = scene.loads.driven.iter().map(|dof| *dof as usize);
            let then = driven.members().iter().map(|dof| *dof as usize);
            for dof in now.chain(scene.drives.all().iter().map(|drive| drive.dof)).chain(then) {
                let Some(link) = scene.model.link_of_dof(dof) else { continue };
                if hybrid.active().contains(link.0) {
                    continue;
                }
                let dofs = scene.model.tree().links[link.index()].dofs();
                let (mut now, mut unused) = ([0.0; 6], [0.0; 6]);
                scene.joint_terms(link, &mut now, &mut unused);
                if now[..dofs.len()] != tau[dofs] {
                    paths.add_driven(scene.assembly, hybrid, link, now);
                }
            }
        }
        let freezer = freezer(scene, parts.leaves(), tau, diagonal);
        let spin_of_piece = |number: u32| pieces[number as usize].spin;
        let mut rigid = PartsAtHand { freezer: &freezer, parts, cache };
        paths.evaluate(&mut rigid, hybrid, forces, moving, spin_of_piece);
        self.visited += self.paths.len();
    }

    /// b, p, η of all pieces.
    fn weigh_pieces(&mut self, scene: &Scene<'_>, hybrid: &Hybrid) {
        let Self { pieces, parts, cache, paths, tau, diagonal, moving, .. } = self;
        let freezer = freezer(scene, parts.leaves(), tau, diagonal);
        for (piece, at) in pieces.iter_mut().zip(hybrid.pieces()) {
            piece.part = cache.fetch(&freezer, parts, at.node);
            piece.linear = match paths.linear(at.node) {
                Some(linear) => *linear,
                None if *moving => cache.part(piece.part).linear(piece.spin),
                None => Linear::ZERO,
            };
        }
    }

    /// Φ and b of open node `i`, whose children are known.
    fn assemble(&mut self, scene: &Scene<'_>, hybrid: &Hybrid, i: usize) {
        let open = &hybrid.nodes()[i];
        let Self { cache, tau, diagonal, pieces, moving, .. } = self;
        let (below, rest) = self.open.split_at_mut(i);
        let c = &mut rest[0];
        let of = |child: Child| match child {
            Child::Open(i) => (&below[i as usize].phi, &below[i as usize].b),
            Child::Piece(i) => {
                let piece = &pieces[i as usize];
                (&cache.part(piece.part).phi, &piece.linear.b)
            }
        };
        let force = |dofs: Range<usize>| if *moving { &tau[dofs] } else { &[0.0; 6][..dofs.len()] };
        let mut scratch = JointScratch::default();
        match (scene.assembly.node(open.node).kind, open.children) {
            (NodeKind::Join(join), [Some(a), Some(b)]) => {
                let ((phi_a, b_a), (phi_b, b_b)) = (of(a), of(b));
                let spin = open.alpha.map_or(DVec3::ZERO, |(piece, handle)| {
                    let spin = pieces[piece as usize].spin;
                    at_handle(scene, hybrid.pieces()[piece as usize].node, handle, spin)
                });
                let (joint, dofs) = joint_of(scene, &join.joint, spin, *moving, &mut scratch);
                let (shape, q) = (Shape::of(&join), force(dofs.clone()).as_chunks().0);
                (c.phi, c.pose) = (*phi_a, joint.alpha_from_beta);
                join::join(shape, &joint, &diagonal[dofs], &mut c.phi, phi_b, &mut c.factor);
                let beta = beta(shape, &c.pose, &joint.c.to_array().map(|c| [c]), b_a, b_b);
                let loaded = Loaded::new(&c.factor, &beta, q);
                c.b = kept(shape, b_a, b_b);
                loaded.handle_bias(&c.factor, shape.has_bottom(), q, &mut c.b);
                (c.g, c.r) = (loaded.g.map(|[g]| g), loaded.r.map(|[r]| r));
            }
            (NodeKind::Base { link, .. }, [_, Some(b)]) => {
                let (phi_b, b_b) = of(b);
                let (joint, dofs) =
                    joint_of(scene, &JoinJoint::Joint(link), DVec3::ZERO, *moving, &mut scratch);
                join::join_base(&joint, &diagonal[dofs.clone()], phi_b, &mut c.factor);
                // gravity is an acceleration of the world
                let gravity = if *moving { scene.loads.gravity } else { DVec3::ZERO };
                let world = Motion::new(DVec3::ZERO, -gravity).to_array();
                let mut beta = motion_to_child(&joint.alpha_from_beta, &world).map(|a| [a]);
                for (k, c) in joint.c.to_array().into_iter().enumerate() {
                    beta[k][0] += c - b_b[k][0];
                }
                let loaded = Loaded::new(&c.factor, &beta, force(dofs).as_chunks().0);
                (c.g, c.r) = (loaded.g.map(|[g]| g), loaded.r.map(|[r]| r));
            }
            _ => {}
        }
    }

    /// Forces on the handles of the parts of open node `i`, whose own are known, and the metric of those that are pieces.
    fn substitute(&mut self, scene: &Scene<'_>, hybrid: &Hybrid, i: usize) {
        let open = &hybrid.nodes()[i];
        let (below, rest) = self.open.split_at_mut(i);
        let c = &mut rest[0];
        let node = scene.assembly.node(open.node);
        let f_a;
        let f_b;
        (c.rate, f_a, f_b) = match node.kind {
            NodeKind::Join(join) => {
                let of = Joined { shape: Shape::of(&join), alpha_from_beta: &c.pose, factor: &c.factor };
                join::substitute(of, &c.g, &c.r, &c.f)
            }
            NodeKind::Base { .. } => {
                let (rate, f_b) = join::substitute_base(&c.factor, &c.g, &c.r);
                (rate, [0.0; 12], f_b)
            }
            _ => return,
        };
        for (k, f) in [f_a, f_b].into_iter().enumerate() {
            match (open.children[k], node.children()[k]) {
                (Some(Child::Open(child)), _) => below[child as usize].f = f,
                (Some(Child::Piece(child)), Some(id)) => {
                    let piece = &mut self.pieces[child as usize];
                    let handles = scene.assembly.node(id).handles();
                    let quadratic = self.cache.part(piece.part).psi.quadratic(handles, &f);
                    piece.metric = significant(quadratic, &piece.linear, handles, &f);
                    if self.reached.insert(id.0) {
                        self.reached_with.push(Reached { f, spin: piece.spin });
                    }
                }
                _ => {}
            }
        }
    }

    fn reach(&mut self, node: NodeId, f: HandleVector, spin: DVec3) {
        if self.reached.insert(node.0) {
            self.reached_with.push(Reached { f, spin });
        }
    }

    /// The parts of a node that the selection has reached and opens, with their metric, and its joint's acceleration.
    pub fn expand(&mut self, scene: &Scene<'_>, hybrid: &Hybrid, id: NodeId) -> (Parts, [f64; 6]) {
        if let Some(i) = hybrid.open_number(id) {
            let ids = scene.assembly.node(id).children();
            let part = |k: usize| Some((ids[k]?, self.metric(hybrid.nodes()[i].children[k]?)));
            return ([part(0), part(1)], self.open[i].rate);
        }
        let Some(at) = self.reached.place(id.0) else { return ([None; 2], [0.0; 6]) };
        let Reached { f, spin } = self.reached_with[at];
        self.expand_rigid(scene, id, &f, spin)
    }

    fn expand_rigid(
        &mut self,
        scene: &Scene<'_>,
        id: NodeId,
        f: &HandleVector,
        spin: DVec3,
    ) -> (Parts, [f64; 6]) {
        let NodeKind::Join(join) = scene.assembly.node(id).kind else { return ([None; 2], [0.0; 6]) };
        let Self { parts, cache, paths, tau, diagonal, moving, .. } = self;
        let freezer = freezer(scene, parts.leaves(), tau, diagonal);
        let spins = [spin, scene.rigid.poses(scene.assembly, id).0.rotation.transpose() * spin];
        let ids = [join.a, join.b];
        let children = ids.map(|child| cache.fetch(&freezer, parts, child)).map(|number| cache.part(number));
        let [linear_a, linear_b] = [0, 1].map(|k| match paths.linear(ids[k]) {
            Some(linear) => *linear,
            None if *moving => children[k].linear(spins[k]),
            None => Linear::ZERO,
        });
        let (rate, f_a, f_b) = match paths.solved(id) {
            Some((of, g, r)) => join::substitute(of, g, r, f),
            None => {
                let mut scratch = JointScratch::default();
                let (joint, dofs) = joint_of(
                    scene,
                    &join.joint,
                    at_handle(scene, join.a, join.alpha, spin),
                    *moving,
                    &mut scratch,
                );
                let (shape, mut factor) = (Shape::of(&join), Factor::EMPTY);
                let pose = joint.alpha_from_beta;
                let mut phi = children[0].phi;
                join::join(shape, &joint, &diagonal[dofs.clone()], &mut phi, &children[1].phi, &mut factor);
                let own = joint.c.to_array().map(|c| [c]);
                let force = if *moving { &tau[dofs] } else { &[0.0; 6][..dofs.len()] };
                let beta = beta(shape, &pose, &own, &linear_a.b, &linear_b.b);
                let loaded = Loaded::new(&factor, &beta, force.as_chunks().0);
                let (g, r) = (loaded.g.map(|[g]| g), loaded.r.map(|[r]| r));
                let of = Joined { shape, alpha_from_beta: &pose, factor: &factor };
                join::substitute(of, &g, &r, f)
            }
        };
        let mut out = [None; 2];
        for (k, (linear, f)) in [(&linear_a, &f_a), (&linear_b, &f_b)].into_iter().enumerate() {
            let node = scene.assembly.node(ids[k]);
            let quadratic = children[k].psi.quadratic(node.handles(), f);
            out[k] = Some((ids[k], significant(quadratic, linear, node.handles(), f)));
        }
        self.visited += 3;
        self.reach(join.a, f_a, spins[0]);
        self.reach(join.b, f_b, spins[1]);
        (out, rate)
    }
}

/// The metric `fᵀ Ψ f + f·p + η`, or nothing where its terms cancel down to rounding.
#[inline]
fn significant(quadratic: f64, linear: &Linear<1>, handles: usize, f: &HandleVector) -> f64 {
    let along: f64 = (0..6 * handles).map(|i| f[i] * linear.p[i][0]).sum();
    let eta = linear.eta[0][0];
    let metric = quadratic + along + eta;
    if metric > ROUNDING * (quadratic.abs() + along.abs() + eta.abs()) { metric } else { 0.0 }
}

/// The angular velocity of a part, frame of its top, in the frame of one of its handles.
#[inline]
fn at_handle(scene: &Scene<'_>, part: NodeId, handle: Handle, spin: DVec3) -> DVec3 {
    match handle {
        Handle::Top => spin,
        Handle::Bottom => scene.rigid.poses(scene.assembly, part).1.rotation.transpose() * spin,
    }
}

/// A joint whose α turns with `spin`, and its degrees of freedom.
#[inline]
fn joint_of<'a>(
    scene: &Scene<'_>,
    joint: &JoinJoint,
    spin: DVec3,
    moving: bool,
    scratch: &'a mut JointScratch,
) -> (JointMotion<'a>, Range<usize>) {
    let tree = scene.model.tree();
    match *joint {
        JoinJoint::Weld(_) => (JointMotion::WELD, 0..0),
        JoinJoint::Joint(link) => {
            let alpha = Motion::new(spin, DVec3::ZERO);
            let (mut joint, _) = JointMotion::local(tree, link, scene.q, scene.v, alpha, scratch);
            if !moving {
                joint.c = Motion::ZERO;
            }
            (joint, tree.links[link.index()].dofs())
        }
    }
}

fn freezer<'a>(
    scene: &Scene<'a>,
    leaves: &'a [super::assembly::leaf::InverseInertia],
    tau: &'a [f64],
    diagonal: &'a [f64],
) -> Freezer<'a> {
    Freezer {
        tree: scene.model.tree(),
        assembly: scene.assembly,
        leaves,
        rigid: scene.rigid,
        weights: scene.weights,
        diagonal,
        q: scene.q,
        tau,
        wrenches: &[],
    }
}
