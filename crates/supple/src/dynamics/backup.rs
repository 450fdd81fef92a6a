use crate::dynamics::State;
use crate::dynamics::integrate::Memory;
use crate::dynamics::integrate::position::positions;
use crate::model::{JointId, Link, Tree};

/// What a step may change, from before it, to go back to: the whole state at full detail, else the joints of the trees
/// that were stepped. Never visits a joint that does not move.
#[derive(Clone, Debug, Default)]
pub(crate) struct Backup {
    whole: State,
    partial: bool,
    joints: Vec<Saved>,
    /// Joints that were at rest, and are active from this step on.
    woken: Vec<Saved>,
    q: Vec<f64>,
    v: Vec<f64>,
    /// What integrators remember of them, in the order in which they were saved.
    memory: Memory,
}

/// Where the numbers of one joint are in the state and in the lists.
#[derive(Clone, Copy, Debug)]
struct Saved {
    q: u32,
    q_count: u32,
    q_at: u32,
    v: u32,
    v_count: u32,
    v_at: u32,
    joint: JointId,
    memory_at: u32,
}

impl Backup {
    /// Saves everything.
    pub(crate) fn save_whole(&mut self, state: &State) {
        self.partial = false;
        self.whole.copy_from(state);
    }

    /// Saves the joints of a tree.
    pub(crate) fn save(&mut self, tree: &Tree, state: &State) {
        self.partial = true;
        self.whole.substep = state.substep;
        self.whole.active.clone_from(&state.active);
        self.joints.clear();
        self.woken.clear();
        self.q.clear();
        self.v.clear();
        self.memory.clear();
        for link in &tree.links {
            let saved = self.put(tree, link, state);
            self.joints.push(saved);
        }
    }

    /// Saves the joints of a tree that takes the place of the one saved: those that are new in it stood still.
    pub(crate) fn save_woken(&mut self, tree: &Tree, state: &State) {
        for link in &tree.links {
            let saved = self.put(tree, link, state);
            self.woken.push(saved);
        }
    }

    fn put(&mut self, tree: &Tree, link: &Link, state: &State) -> Saved {
        let (q, q_count) = (link.q as usize, positions(tree, link));
        let saved = Saved {
            q: link.q,
            q_count: q_count as u32,
            q_at: self.q.len() as u32,
            v: link.v,
            v_count: link.joint.dofs() as u32,
            v_at: self.v.len() as u32,
            joint: link.id,
            memory_at: self.memory.save(&state.memory, link.id),
        };
        self.q.extend_from_slice(&state.q[q..q + q_count]);
        self.v.extend_from_slice(&state.v[link.dofs()]);
        saved
    }

    /// Goes back.
    pub(crate) fn restore(&self, state: &mut State) {
        if !self.partial {
            state.copy_from(&self.whole);
            return;
        }
        let range = |from: u32, count: u32| from as usize..(from + count) as usize;
        for s in self.woken.iter().chain(&self.joints) {
            state.q[range(s.q, s.q_count)].copy_from_slice(&self.q[range(s.q_at, s.q_count)]);
        }
        for s in &self.woken {
            state.v[range(s.v, s.v_count)].fill(0.0);
        }
        for s in &self.joints {
            state.v[range(s.v, s.v_count)].copy_from_slice(&self.v[range(s.v_at, s.v_count)]);
        }
        state.substep = self.whole.substep;
        state.active.clone_from(&self.whole.active);
        for s in self.woken.iter().chain(&self.joints) {
            state.memory.put_back(s.joint, &self.memory, s.memory_at);
        }
    }
}
