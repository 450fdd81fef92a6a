use rayon::prelude::*;

use crate::dynamics::integrate::Workspace;
use crate::simulation::{Simulation, StepError};

/// Workspaces per thread: members are dealt out in so many shares, so that a thread that is done early finds more.
const SHARES: usize = 4;

/// Many articulated bodies that do not touch, stepped on all of rayon's threads. Results have the same bits for any
/// number of threads.
#[derive(Clone, Debug, Default)]
pub struct Crowd {
    /// The bodies; equal ones share a model.
    pub members: Vec<Simulation>,
    workspaces: Vec<Workspace>,
}

impl Crowd {
    /// A crowd of these members.
    pub fn new(members: Vec<Simulation>) -> Self {
        Self { members, workspaces: Vec::new() }
    }

    /// One step of `dt` \[s] for everyone. Members that cannot take it are as before, the error names the first of them,
    /// and all others have taken it.
    pub fn step(&mut self, dt: f64) -> Result<(), (usize, StepError)> {
        let shares = (SHARES * rayon::current_num_threads()).clamp(1, self.members.len().max(1));
        let size = self.members.len().div_ceil(shares).max(1);
        // more threads later need more workspaces; fewer never drop any
        self.workspaces.resize_with(shares.max(self.workspaces.len()), Workspace::default);
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
        match failures.min_by_key(|(i, _)| *i) {
            Some(first) => Err(first),
            None => Ok(()),
        }
    }
}
