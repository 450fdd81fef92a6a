//! How many pixels of each part of a body are seen: the paper's N, along the assembly tree.
//!
//! ```text
//!  rigid nodes   volumes in the frames of their tops, found when they froze and not touched since
//!  open nodes    volumes in the world, merged from those of their parts at every look
//!  N¹            area of a node's volume;   N² sums of its links' areas, or of pixels that were counted
//! ```

use crate::detail::{AssemblyTree, Child, Hybrid, NodeId, NodeKind, RigidParts};
use crate::dynamics::kinematics::Kinematics;
use crate::model::{LinkId, Tree};
use crate::spatial::Pose;

use super::{Looks, Measure, Viewer, Visibility, Volume};

/// What a look needs to know of a body.
#[derive(Clone, Copy)]
pub(crate) struct Seen<'a> {
    pub(crate) viewer: &'a Viewer,
    pub(crate) looks: &'a Looks,
    /// Pixels by link, where they are counted.
    pub(crate) pixels: &'a [u32],
    pub(crate) tree: &'a Tree,
    pub(crate) assembly: &'a AssemblyTree,
    pub(crate) rigid: &'a RigidParts,
}

/// Pixels of the parts of one body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sight {
    kind: Option<Visibility>,
    /// Of rigid nodes, in the frame of their tops; of aligned boxes in the world, of all nodes.
    volumes: Vec<Volume>,
    /// Of open nodes and pieces, as of the last look: in the world.
    open: Vec<Volume>,
    pieces: Vec<Volume>,
    /// Poses of the tops of rigid nodes, and N, as far as somebody asked since the last look.
    tops: Vec<Pose>,
    areas: Vec<f64>,
    asked: Vec<bool>,
    /// N² up to each node, those before it included.
    sums: Vec<f64>,
    groups: Kinematics,
    links: Kinematics,
    /// N¹ of all pieces together, or pixels that were counted, after the last update; not known yet if it is `fresh`.
    then: f64,
    fresh: bool,
}

impl Sight {
    /// All that was known is of other parts.
    pub(crate) fn forget(&mut self) {
        self.kind = None;
        self.then = 0.0;
    }

    /// Volumes of all nodes, as if they were rigid.
    fn prepare(&mut self, seen: &Seen<'_>) {
        if self.kind == Some(seen.viewer.visibility) {
            return;
        }
        self.kind = Some(seen.viewer.visibility);
        let nodes = seen.assembly.nodes().len();
        self.volumes.clear();
        self.volumes.resize(nodes, Volume::Empty);
        self.tops.resize(nodes, Pose::IDENTITY);
        self.areas.resize(nodes, 0.0);
        self.asked.resize(nodes, false);
        for i in 0..nodes {
            self.freeze(seen, NodeId::new(i));
        }
    }

    /// A node becomes rigid whose children are, and whose poses are known.
    pub(crate) fn freeze(&mut self, seen: &Seen<'_>, id: NodeId) {
        if self.kind.is_none() {
            return;
        }
        self.volumes[id.index()] = match seen.assembly.node(id).kind {
            NodeKind::Leaf { link, piece: 0, .. } => leaf(seen, link),
            NodeKind::Join(join) => {
                let b = self.volumes[join.b.index()].transformed(seen.rigid.poses(seen.assembly, id).0);
                self.volumes[join.a.index()].merged(&b)
            }
            _ => Volume::Empty,
        };
    }

    /// Estimates areas at the present pose: N of open nodes and pieces; of the nodes below, when they are asked for.
    pub(crate) fn estimate_areas(&mut self, seen: &Seen<'_>, hybrid: &Hybrid, q: &[f64]) {
        self.prepare(seen);
        self.asked.fill(false);
        let visibility = seen.viewer.visibility;
        let (aligned, measure) = (visibility == Visibility::AlignedBoxes, seen.viewer.measure);
        let by_volume = visibility != Visibility::Pixels;
        if aligned || (by_volume && measure != Measure::Whole) {
            self.links.update_poses(seen.tree, q);
        }
        if aligned {
            self.align(seen);
        }
        if !by_volume || measure != Measure::Whole {
            self.add_up(seen, by_volume);
        }
        self.see_pieces(seen, hybrid, q);
        for i in 0..hybrid.pieces().len() {
            self.set_area(seen, hybrid.pieces()[i].node, &self.pieces[i].clone());
        }
        self.fresh = true;
        self.open.clear();
        for open in hybrid.nodes() {
            let (mut volume, mut below) = (Volume::Empty, 0.0);
            for child in open.children.iter().flatten() {
                let (v, node) = match *child {
                    Child::Open(i) => (self.open[i as usize], hybrid.nodes()[i as usize].node),
                    Child::Piece(i) => (self.pieces[i as usize], hybrid.pieces()[i as usize].node),
                };
                volume = volume.merged(&v);
                below += self.areas[node.index()] * self.areas[node.index()];
            }
            if aligned {
                volume = self.volumes[open.node.index()];
            }
            self.open.push(volume);
            self.set_area(seen, open.node, &volume);
            // so that opening a node never makes the error larger (theory, section 9)
            let area = &mut self.areas[open.node.index()];
            *area = area.max(below.sqrt());
        }
    }

    /// Volumes of the pieces in the world, and where their tops are.
    fn see_pieces(&mut self, seen: &Seen<'_>, hybrid: &Hybrid, q: &[f64]) {
        self.groups.update_poses(hybrid.tree(), q);
        self.pieces.clear();
        for piece in hybrid.pieces() {
            let group = piece.group.map_or(Pose::IDENTITY, |g| self.groups.links[g.index()].pose());
            let top = group * piece.pose;
            let volume = &self.volumes[piece.node.index()];
            let world = self.kind == Some(Visibility::AlignedBoxes);
            self.pieces.push(if world { *volume } else { volume.transformed(&top) });
            self.tops[piece.node.index()] = top;
        }
        debug_assert_eq!(seen.assembly.nodes().len(), self.tops.len());
    }

    /// Whether so much more is seen now than at the last look that joints should be chosen anew at once.
    pub(crate) fn has_come_into_view(&mut self, seen: &Seen<'_>, hybrid: &Hybrid, q: &[f64]) -> bool {
        if self.kind != Some(seen.viewer.visibility) {
            // seen in another way than before; before the first look nothing is known
            return self.kind.is_some();
        }
        let now: f64 = if seen.viewer.visibility == Visibility::Pixels {
            seen.pixels.iter().map(|n| f64::from(*n)).sum()
        } else {
            if self.kind == Some(Visibility::AlignedBoxes) {
                self.links.update_poses(seen.tree, q);
                self.align(seen);
            }
            self.see_pieces(seen, hybrid, q);
            self.pieces.iter().map(|v| area(seen.viewer, v)).sum()
        };
        if std::mem::replace(&mut self.fresh, false) {
            self.then = now;
        }
        /// Pixels that do not matter. Chosen, as the factor of two before them: what doubles in the image calls for an update at once, what was
        /// not there does so when it is a spot of two by two pixels.
        const FEW: f64 = 4.0;
        now > 2.0 * self.then + FEW
    }

    /// Aligned boxes of all nodes.
    fn align(&mut self, seen: &Seen<'_>) {
        for (i, node) in seen.assembly.nodes().iter().enumerate() {
            self.volumes[i] = match node.kind {
                NodeKind::Leaf { link, piece: 0, .. } => seen
                    .looks
                    .oriented_box(link)
                    .transformed(&self.links.links[link.index()].pose())
                    .aligned(),
                NodeKind::Leaf { .. } => Volume::Empty,
                _ => {
                    let children = node.children().into_iter().flatten();
                    children.fold(Volume::Empty, |v, c| v.merged(&self.volumes[c.index()]))
                }
            };
        }
    }

    /// Running sums of what is seen of the links.
    fn add_up(&mut self, seen: &Seen<'_>, by_volume: bool) {
        self.sums.clear();
        let mut sum = 0.0;
        for (i, node) in seen.assembly.nodes().iter().enumerate() {
            if let NodeKind::Leaf { link, piece: 0, .. } = node.kind {
                sum += if !by_volume {
                    seen.pixels.get(link.index()).map_or(0.0, |n| f64::from(*n))
                } else if self.kind == Some(Visibility::AlignedBoxes) {
                    area(seen.viewer, &self.volumes[i])
                } else {
                    let pose = self.links.links[link.index()].pose();
                    area(seen.viewer, &self.volumes[i].transformed(&pose))
                };
            }
            self.sums.push(sum);
        }
    }

    /// N² of a node.
    fn sum(&self, assembly: &AssemblyTree, id: NodeId) -> f64 {
        let before = assembly.node(id).first.index().checked_sub(1).map_or(0.0, |i| self.sums[i]);
        self.sums[id.index()] - before
    }

    /// N of a node whose volume in the world is known.
    fn set_area(&mut self, seen: &Seen<'_>, id: NodeId, volume: &Volume) {
        let viewer = seen.viewer;
        let pixels = match (viewer.visibility, viewer.measure) {
            (Visibility::Pixels, _) | (_, Measure::Bodies) => self.sum(seen.assembly, id),
            (_, Measure::Whole) => area(viewer, volume),
            (_, Measure::Least) => area(viewer, volume).min(self.sum(seen.assembly, id)),
        };
        let share = viewer.attention.share;
        let looked_at = match volume.ball() {
            Some((center, radius)) if share > 0.0 => {
                viewer.images().iter().map(|image| image.of_ball_looked_at(center, radius)).sum()
            }
            _ => 0.0,
        };
        self.areas[id.index()] = pixels.max(share * looked_at);
        self.asked[id.index()] = true;
    }

    /// N of a node. Those above it have been asked for, or are open.
    pub(crate) fn area(&mut self, seen: &Seen<'_>, id: NodeId) -> f64 {
        if !self.asked[id.index()]
            && let Some(above) = seen.assembly.node(id).parent
        {
            self.ask_parts(seen, above);
        }
        self.areas[id.index()]
    }

    /// N of the parts of a rigid node.
    fn ask_parts(&mut self, seen: &Seen<'_>, above: NodeId) {
        let NodeKind::Join(join) = seen.assembly.node(above).kind else { return };
        let top = self.tops[above.index()];
        self.tops[join.a.index()] = top;
        self.tops[join.b.index()] = top * *seen.rigid.poses(seen.assembly, above).0;
        let mut squares = 0.0;
        for part in [join.a, join.b] {
            let volume = self.volumes[part.index()];
            let world = self.kind == Some(Visibility::AlignedBoxes);
            let volume = if world { volume } else { volume.transformed(&self.tops[part.index()]) };
            self.set_area(seen, part, &volume);
            squares += self.areas[part.index()] * self.areas[part.index()];
        }
        // volumes of parts overlap; opening a node is never to make the error larger
        let most = self.areas[above.index()];
        if squares > most * most {
            for part in [join.a, join.b] {
                self.areas[part.index()] *= most / squares.sqrt();
            }
        }
    }
}

/// The volume of a link in its frame.
fn leaf(seen: &Seen<'_>, link: LinkId) -> Volume {
    match seen.viewer.visibility {
        Visibility::Boxes | Visibility::AlignedBoxes => seen.looks.oriented_box(link),
        Visibility::Spheres | Visibility::Pixels => seen.looks.ball(link),
    }
}

/// Pixels of a volume in all images.
fn area(viewer: &Viewer, volume: &Volume) -> f64 {
    viewer.images().iter().map(|image| volume.area(image)).sum()
}
