//! Which link of a tree a degree of freedom moves.

use crate::model::{LinkId, Tree};

/// Links by index in v. Costs of an update are of the order of the tree's links, however long v is.
#[derive(Clone, Debug, Default)]
pub(crate) struct DofLinks {
    /// The tree that this is of.
    tree: u64,
    link: Vec<Option<LinkId>>,
    /// Entries of `link` that are set.
    known: Vec<u32>,
}

impl DofLinks {
    /// Looks at a tree, unless it is the one seen last.
    pub(crate) fn update(&mut self, tree: &Tree) {
        if self.tree == tree.id {
            return;
        }
        self.tree = tree.id;
        for dof in self.known.drain(..) {
            self.link[dof as usize] = None;
        }
        for (i, link) in tree.links.iter().enumerate() {
            let dofs = link.dofs();
            if self.link.len() < dofs.end {
                self.link.resize(dofs.end, None);
            }
            for dof in dofs {
                self.link[dof] = Some(LinkId::new(i));
                self.known.push(dof as u32);
            }
        }
    }

    /// The link that a degree of freedom moves; `None` when its joint is frozen.
    pub(crate) fn get(&self, dof: u32) -> Option<LinkId> {
        self.link.get(dof as usize).copied().flatten()
    }
}
