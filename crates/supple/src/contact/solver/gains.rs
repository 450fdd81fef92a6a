//! Contacts only take energy. Sweeps that start with the impulses of the step before may leave some of those where nothing needs them any
//! more: what was jammed and comes free would be shot away. Sweeps from nothing cannot, since each visit takes energy; so where energy has
//! grown, impulses are forgotten and found anew.

use super::{ContactSolver, Pushed};

/// Energy of what touches may grow by this share, which sweeps that are cut off leave.
const GAIN: f64 = 0.02;

/// What there was before sweeps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Before {
    z: Vec<super::Vec8>,
    /// By mover: one of those that hang together with it.
    near: Vec<u32>,
    /// By mover that stands for all that hang together: how much more energy there is than before, and how much there was \[J].
    energies: Vec<(f64, f64)>,
    /// Whether something else than contacts moves one of them.
    driven: Vec<bool>,
}

impl ContactSolver {
    /// Remembers the velocities from which sweeps start.
    pub(crate) fn note_before(&mut self) {
        self.before.z.clone_from(&self.z);
    }

    /// z of an articulation among them.
    pub(crate) fn numbers_before(&self, mover: usize) -> &[f64] {
        let it = &self.movers[mover];
        self.before.z[it.first as usize..(it.first + it.chunks) as usize].as_flattened()
    }

    /// Takes back all that contacts gave where there is more energy now than before, of what hangs together by contacts; not where
    /// something else than contacts drives a mover that is `driven`. Whether there was any.
    pub(crate) fn take_back_gains(&mut self, driven: impl Iterator<Item = usize>) -> bool {
        let Self { movers, touches, points, rolls, z, before, .. } = self;
        let Before { z: z_before, near, energies, driven: is_driven } = before;
        near.clear();
        near.extend(0..movers.len() as u32);
        is_driven.clear();
        is_driven.resize(movers.len(), false);
        for mover in driven {
            is_driven[mover] = true;
        }
        for touch in touches.iter() {
            let [a, b] = touch.sides.map(|side| side.mover);
            let fixed = [a, b].map(|m| movers[m as usize].is_fixed());
            if fixed == [false; 2] {
                let [a, b] = [a, b].map(|m| find(near, m));
                near[a.max(b) as usize] = a.min(b);
            }
            // what moves and is not moved drives the other
            for (m, other) in [(a, b), (b, a)] {
                if fixed[usize::from(m == b)] && movers[m as usize].body != Pushed::Nothing {
                    is_driven[other as usize] = true;
                }
            }
        }
        energies.clear();
        energies.resize(movers.len(), (0.0, 0.0));
        for (m, mover) in movers.iter().enumerate().filter(|(_, mover)| !mover.is_fixed()) {
            let own = mover.first as usize..(mover.first + mover.chunks) as usize;
            let energy = |z: &[super::Vec8]| 0.5 * z.as_flattened().iter().map(|x| x * x).sum::<f64>();
            let (now, then) = (energy(&z[own.clone()]), energy(&z_before[own]));
            let root = find(near, m as u32) as usize;
            energies[root].0 += now - then;
            energies[root].1 += then;
            is_driven[root] |= is_driven[m];
        }
        let grown = |root: u32| {
            let (more, then) = energies[root as usize];
            !is_driven[root as usize] && more > GAIN * then
        };
        let mut any = false;
        for (m, mover) in movers.iter().enumerate().filter(|(_, mover)| !mover.is_fixed()) {
            if grown(find(near, m as u32)) {
                let own = mover.first as usize..(mover.first + mover.chunks) as usize;
                z[own.clone()].copy_from_slice(&z_before[own]);
                any = true;
            }
        }
        for touch in touches.iter().filter(|_| any) {
            let mover =
                touch.sides.map(|side| side.mover).into_iter().find(|m| !movers[*m as usize].is_fixed());
            if mover.is_some_and(|m| grown(find(near, m))) {
                for point in &mut points[touch.range()] {
                    point.impulse = [0.0; 3];
                }
                if let Some(roll) = rolls.get_mut(touch.roll as usize) {
                    roll.impulse = [0.0; 3];
                }
            }
        }
        any
    }
}

/// Who stands for all that hang together with a mover.
fn find(near: &mut [u32], mut mover: u32) -> u32 {
    while near[mover as usize] != mover {
        near[mover as usize] = near[near[mover as usize] as usize];
        mover = near[mover as usize];
    }
    mover
}
