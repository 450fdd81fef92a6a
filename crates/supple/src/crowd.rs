use rayon::prelude::*;

use crate::adaptive::Detail;
use crate::crowd_budget::Budget;
use crate::dynamics::integrate::Workspace;
use crate::{Simulation, StepError};

/// Workspaces per thread: members are dealt out in so many shares, so that a thread that is done early finds more.
const SHARES: usize = 4;
/// Many articulated bodies that do not touch, stepped on all of rayon's threads. Results have the same bits for any
/// number of threads.
#[derive(Clone, Debug, Default)]
pub struct Crowd {
    /// The bodies; equal ones share a model.
    pub members: Vec<Simulation>,
    pub(crate) budget: Option<Budget>,
    /// What members were asked for before there was a budget.
    pub(crate) own: Vec<Detail>,
    workspaces: Vec<Workspace>,
}

impl Crowd {
    /// A crowd of these members.
    pub fn new(members: Vec<Simulation>) -> Self {
        Self { members, ..Self::default() }
    }

    /// Members of one model share its assembly tree.
    pub(crate) fn share_assemblies(&mut self) {
        for i in 1..self.members.len() {
            let (before, rest) = self.members.split_at_mut(i);
            let same = before.iter_mut().rev().find(|m| std::sync::Arc::ptr_eq(&m.model, &rest[0].model));
            if let Some(same) = same {
                rest[0].share_assembly(same);
            }
        }
    }

    /// One step of `dt` \[s] for everyone. Members that cannot take it are as before, the error names the first of them,
    /// and all others have taken it.
    pub fn step(&mut self, dt: f64) -> Result<(), (usize, StepError)> {
        self.share_out();
        let shares = (SHARES * rayon::current_num_threads()).clamp(1, self.members.len().max(1));
        let size = self.members.len().div_ceil(shares).max(1);
        // more threads later need more workspaces; fewer never drop any
        self.workspaces.resize_with(shares.max(self.workspaces.len()), Workspace::default);
        if let ([member], [work, ..]) = (&mut self.members[..], &mut self.workspaces[..]) {
            // nothing to share
            let result = member.step_in(work, dt);
            self.set_price();
            return result.map(|_| ()).map_err(|error| (0, error));
        }
        let failures = self.members.par_chunks_mut(size).zip(&mut self.workspaces).enumerate().filter_map(
            |(share, (members, work))| {
                let mut first = None;
                for (i, member) in members.iter_mut().enumerate() {
                    if let Err(error) = member.step_in(work, dt) {
                        first.get_or_insert((share * size + i, error));
                    }
                }
                first
            },
        );
        let first = failures.min_by_key(|(i, _)| *i);
        self.set_price();
        match first {
            Some(first) => Err(first),
            None => Ok(()),
        }
    }
}
