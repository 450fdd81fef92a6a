//! The assembly tree of an actor, as a picture has it: which parts are open, and where the front is.

use supple::Simulation;
use supple::detail::{AssemblyTree, NodeId};

/// Nodes that are shown at most.
const MOST: usize = 1023;

/// The upper part of an assembly tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Strip {
    /// In post-order: the two children, and the joints inside. A node without children may have joints: it was cut there.
    pub nodes: Vec<StripNode>,
}

/// A node of a [`Strip`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StripNode {
    /// Places of its children in the strip.
    pub children: [Option<u32>; 2],
    /// Joints inside.
    pub joints: u32,
    node: NodeId,
}

/// How a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum NodeState {
    /// It moves as one, and so does what it is part of.
    Rigid = 0,
    /// There are active joints in it.
    Open = 1,
    /// It moves as one, but not what it is part of.
    Front = 2,
    /// There are active joints in it that were not there before.
    New = 3,
}

impl Strip {
    /// The nodes nearest to the root, by levels, as many as can be shown.
    pub fn new(assembly: &AssemblyTree) -> Self {
        let mut shown: Vec<NodeId> = assembly.root().into_iter().collect();
        let mut next = 0;
        while let Some(&node) = shown.get(next) {
            next += 1;
            let children = assembly.node(node).children();
            if shown.len() + 2 <= MOST {
                shown.extend(children.into_iter().flatten());
            }
        }
        // they stand in post-order in the tree
        shown.sort();
        let place = |node: NodeId| shown.binary_search(&node).ok().map(|at| at as u32);
        let nodes = shown.iter().map(|&node| {
            let info = assembly.node(node);
            StripNode { children: info.children().map(|c| c.and_then(place)), joints: info.joints, node }
        });
        Self { nodes: nodes.collect() }
    }

    /// How the nodes are now, and which were open `before`.
    pub fn states(&self, simulation: &Simulation, before: &[NodeState]) -> Vec<NodeState> {
        let region = simulation.region().filter(|_| !simulation.detail().is_full());
        let open = |node: NodeId| region.is_none_or(|region| region.hybrid().is_open(node));
        let mut states = vec![NodeState::Rigid; self.nodes.len()];
        for (i, info) in self.nodes.iter().enumerate() {
            if open(info.node) && info.joints > 0 {
                let was = before.get(i).is_none_or(|s| matches!(s, NodeState::Open | NodeState::New));
                states[i] = if was { NodeState::Open } else { NodeState::New };
                for child in info.children.into_iter().flatten() {
                    if states[child as usize] == NodeState::Rigid {
                        states[child as usize] = NodeState::Front;
                    }
                }
            }
        }
        states
    }
}
