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

    /// One step of `dt` \[s] for everyone. On an error, which names the first member concerned, that member and those
    /// after it in its share are as before the step, and all others have taken it.
    pub fn step(&mut self, dt: f64) -> Result<(), (usize, StepError)> {
        let shares = (SHARES * rayon::current_num_threads()).clamp(1, self.members.len().max(1));
        let size = self.members.len().div_ceil(shares).max(1);
        // more threads later need more workspaces; fewer never drop any
        self.workspaces.resize_with(shares.max(self.workspaces.len()), Workspace::default);
        let failures = self.members.par_chunks_mut(size).zip(&mut self.workspaces).enumerate().filter_map(
            |(share, (members, work))| {
                let failed = |(i, member): (usize, &mut Simulation)| {
                    member.step_in(work, dt).err().map(|error| (share * size + i, error))
                };
                members.iter_mut().enumerate().find_map(failed)
            },
        );
        match failures.min_by_key(|(i, _)| *i) {
            Some(first) => Err(first),
            None => Ok(()),
        }
    }
}
