//! Who hangs together with whom: islands of constraints, and the ports of articulations.

use crate::bodies::Node;
use crate::constraint::island::Island;
use crate::constraint::measure::Measure;
use crate::constraint::topology::{Joint, NodeIx};
use crate::constraint::{Constraint, DofRef, Frame};
use crate::dynamics::port::Port;
use crate::world::{AnyConstraint, BodyRef, Known, World};

/// One side of a constraint: the node that it pushes, and its frame there.
#[derive(Clone, Copy, Debug)]
struct Side {
    node: Option<Node>,
    frame: Frame,
}

impl World {
    /// Makes the islands anew if bodies, constraints or rigid groups changed.
    pub(super) fn connect(&mut self) {
        if self.known > Known::Nothing && !self.ports_changed() && !self.bodies_changed() {
            self.see_groups();
            return;
        }
        self.keep_impulses();
        for (_, articulated) in self.articulations.iter_mut() {
            articulated.ports.list.clear();
            articulated.has_constraints = false;
            articulated.touched = false;
            articulated.make_room();
            articulated.simulation.form_groups();
            articulated.ports.tree = articulated.simulation.stepped_tree().id;
        }
        let mut sides: Vec<(u32, [Side; 2], u32)> = Vec::new();
        for place in 0..self.constraints.places() {
            if self.constraints.is_taken(place) {
                let (both, rows) = self.sides_of(place);
                sides.push((place as u32, both, rows));
            }
        }
        // union of what moves: single bodies first, then articulations
        let singles = self.singles.places();
        let mut root: Vec<u32> = (0..(singles + self.articulations.places()) as u32).collect();
        let owner = |side: &Side| match side.node? {
            Node::Single { place } => {
                (!self.singles.at(place as usize).is_kinematic()).then_some(place as usize)
            }
            Node::Port { articulation, .. } => Some(singles + articulation as usize),
        };
        for (_, [a, b], _) in &sides {
            if let (Some(a), Some(b)) = (owner(a), owner(b)) {
                let (a, b) = (find(&mut root, a), find(&mut root, b));
                root[a.max(b)] = a.min(b) as u32;
            }
        }
        let mut groups: Vec<(u32, usize)> = sides
            .iter()
            .enumerate()
            .map(|(i, (place, [a, b], _))| {
                let moved = owner(a).or(owner(b)).map(|o| find(&mut root, o) as u32);
                // what moves nothing stands alone
                (moved.unwrap_or(u32::MAX - place), i)
            })
            .collect();
        groups.sort_unstable();
        self.islands.clear();
        for group in groups.chunk_by(|a, b| a.0 == b.0) {
            let mut nodes: Vec<Node> =
                group.iter().flat_map(|(_, i)| sides[*i].1).filter_map(|side| side.node).collect();
            nodes.sort_unstable();
            nodes.dedup();
            let mut first = 0;
            let joints = group
                .iter()
                .map(|(_, i)| {
                    let (constraint, sides, rows) = sides[*i];
                    let end =
                        |side: &Side| side.node.and_then(|n| nodes.binary_search(&n).ok()).map(NodeIx::new);
                    let (ends, frames) = ([end(&sides[0]), end(&sides[1])], sides.map(|s| s.frame));
                    let joint = Joint::new(constraint, ends, frames, first, rows);
                    first += rows;
                    joint
                })
                .collect();
            let mut island = Island::new(nodes, joints);
            island.recall_start(&self.constraints);
            self.islands.push(island);
        }
        let [of_single, of_articulation] = &mut self.island_of;
        of_single.clear();
        of_single.resize(singles, None);
        of_articulation.clear();
        of_articulation.resize(self.articulations.places(), None);
        for (i, island) in self.islands.iter().enumerate() {
            for node in island.nodes() {
                match *node {
                    // what leads several islands has the last
                    Node::Single { place } => of_single[place as usize] = Some(i as u32),
                    Node::Port { articulation, .. } => {
                        of_articulation[articulation as usize] = Some(i as u32)
                    }
                }
            }
        }
        self.loose.clear();
        let is_loose = |place: &usize| self.singles.is_taken(*place) && of_single[*place].is_none();
        self.loose.extend((0..singles).filter(is_loose).map(|place| place as u32));
        for (_, holder) in self.constraints.iter_mut() {
            holder.note_known();
        }
        self.signatures.clear();
        self.signatures.extend(self.singles.iter().map(|(_, body)| body.signature()));
        self.known = Known::Islands;
        self.contacts.registry.checked = false;
        self.regroup_collider_sets();
        self.mark_asleep();
    }

    /// Articulations that have neither colliders nor constraints any more are alone. Not within a step: of one that has taken a part of it
    /// the rest would be lost, or taken twice.
    pub(super) fn uncouple_free(&mut self) {
        if !std::mem::take(&mut self.schedule.may_uncouple) {
            return;
        }
        let of = |end: BodyRef| if let BodyRef::Of(id, _) = end { Some(id.index()) } else { None };
        let mut pushed = vec![false; self.articulations.places()];
        let colliders = self.contacts.registry.colliders.iter().filter_map(|(_, attached)| of(attached.body));
        let constraints = self.constraints.iter().flat_map(|(_, holder)| match &holder.constraint {
            AnyConstraint::Joint(c) => [of(c.parent), of(c.child)],
            AnyConstraint::Coupling(c) => {
                [c.leader.map(|leader| leader.articulation.index()), Some(c.follower.articulation.index())]
            }
        });
        colliders.chain(constraints.flatten()).for_each(|place| pushed[place] = true);
        for (place, pushed) in pushed.into_iter().enumerate() {
            if !pushed && self.articulations.is_coupled(place) {
                self.articulations.uncouple(place);
                self.schedule.forget();
                self.known = Known::Nothing;
            }
        }
    }

    /// Articulations whose rigid groups are others than they were, and which no constraint holds.
    fn see_groups(&mut self) {
        let mut changed = false;
        for (_, articulated) in self.articulations.iter_mut() {
            changed |= articulated.touched && articulated.has_other_groups();
            articulated.ports.tree = articulated.simulation.stepped_tree().id;
        }
        if changed {
            self.known = self.known.min(Known::Islands);
            self.regroup_collider_sets();
        }
    }

    /// Whether a single body was exchanged for one of another kind, or with its centre of mass elsewhere.
    fn bodies_changed(&self) -> bool {
        self.known == Known::Islands
            && !self.singles.iter().map(|(_, body)| body.signature()).eq(self.signatures.iter().copied())
    }

    /// Keeps the impulses of constraints for the islands to come, and forgets those that are gone.
    fn keep_impulses(&mut self) {
        for island in &self.islands {
            island.keep_start(&mut self.constraints);
        }
    }

    /// Both sides of a constraint and how many rows it has.
    fn sides_of(&mut self, place: usize) -> ([Side; 2], u32) {
        let holder = self.constraints.at(place);
        match &holder.constraint {
            AnyConstraint::Joint(c) => {
                let (ends, frames) = ([c.parent, c.child], [c.parent_frame, c.child_frame]);
                let rows = Measure::count(c) as u32;
                ([self.side_of(ends[0], frames[0]), self.side_of(ends[1], frames[1])], rows)
            }
            AnyConstraint::Coupling(c) => {
                let (leader, follower) = (c.leader, c.follower);
                ([leader.map_or(FREE_SIDE, |l| self.side_of_dof(l)), self.side_of_dof(follower)], 1)
            }
        }
    }

    fn side_of(&mut self, body: BodyRef, frame: Frame) -> Side {
        match body {
            BodyRef::World => Side { node: None, frame },
            BodyRef::Single(id) => {
                let com = self.singles.at(id.index()).com();
                let frame = Frame { position: frame.position - com, ..frame };
                Side { node: Some(Node::Single { place: id.index() as u32 }), frame }
            }
            BodyRef::Of(id, body) => {
                let articulated = self.articulations.at_mut(id.index());
                articulated.has_constraints = true;
                let (port, body_frame) = articulated.port_of(body);
                let node = port.map(|port| articulated.node(id.index(), port));
                Side { node, frame: body_frame * frame }
            }
        }
    }

    fn side_of_dof(&mut self, dof: DofRef) -> Side {
        let articulated = self.articulations.at_mut(dof.articulation.index());
        articulated.has_constraints = true;
        let node = articulated.node(dof.articulation.index(), Port::Dof(dof.dof as u32));
        Side { node: Some(node), frame: Frame::IDENTITY }
    }

    /// Whether the rigid groups of an articulation that is held are others than they were.
    fn ports_changed(&self) -> bool {
        self.articulations.iter().any(|(_, a)| a.has_constraints && a.has_other_groups())
    }
}

/// A coupling without a leader.
const FREE_SIDE: Side = Side { node: None, frame: Frame::IDENTITY };

pub(super) fn find(root: &mut [u32], mut i: usize) -> usize {
    while root[i] as usize != i {
        root[i] = root[root[i] as usize];
        i = root[i] as usize;
    }
    i
}

/// How many rows a constraint has, wherever its joint is.
pub(super) fn rows_of(constraint: &Constraint) -> usize {
    Measure::count(constraint)
}
