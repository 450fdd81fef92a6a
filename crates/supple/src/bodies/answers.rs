use std::sync::{Mutex, PoisonError};

use crate::dynamics::deferred::Deferred;
use crate::dynamics::kinematics::Kinematics;
use crate::dynamics::port::Port;
use crate::dynamics::response::Response;
use crate::dynamics::response_blocks::ResponseBlocks;
use crate::model::Tree;
use crate::spatial::{Force, Motion};

/// Ports up to which all blocks between them are computed, and an island solved directly. Beyond, impulses are passed on along the ways
/// between the ports, and islands are solved by conjugate gradients. Measured with `supple bench impulses`.
pub(crate) const FEW: usize = 24;

/// What the ports of an articulation answer to impulses.
#[derive(Debug)]
pub(crate) enum Answers {
    Few(ResponseBlocks),
    /// Working memory is written where answers are only read; an island asks for one answer at a time.
    Many(Mutex<Deferred>),
}

impl Default for Answers {
    fn default() -> Self {
        Self::Few(ResponseBlocks::default())
    }
}

impl Clone for Answers {
    fn clone(&self) -> Self {
        match self {
            Self::Few(blocks) => Self::Few(blocks.clone()),
            Self::Many(deferred) => {
                Self::Many(Mutex::new(deferred.lock().unwrap_or_else(PoisonError::into_inner).clone()))
            }
        }
    }
}

impl Answers {
    /// Makes them those of these ports at a pose that `response` is factored for.
    pub(crate) fn update(
        &mut self,
        response: &Response,
        tree: &Tree,
        kinematics: &Kinematics,
        ports: &[Port],
    ) {
        let few = ports.len() <= FEW;
        if few != matches!(self, Self::Few(_)) {
            *self = if few { Self::default() } else { Self::Many(Mutex::default()) };
        }
        match self {
            Self::Few(blocks) => blocks.update(response, tree, kinematics, ports),
            Self::Many(deferred) => {
                let deferred = deferred.get_mut().unwrap_or_else(PoisonError::into_inner);
                deferred.begin(response, tree, kinematics, ports);
            }
        }
    }

    /// Velocity jump of port `to` by an impulse at port `from`.
    #[inline]
    pub(crate) fn respond(&self, to: usize, from: usize, impulse: Force) -> Motion {
        match self {
            Self::Few(blocks) => times(blocks.block(to, from), impulse),
            Self::Many(deferred) => {
                let deferred = deferred.lock().unwrap_or_else(PoisonError::into_inner);
                times(&deferred.block(to, from), impulse)
            }
        }
    }

    /// Velocity jumps of all ports by impulses on all of them: k² products of few, two sweeps over many.
    pub(crate) fn respond_at_all(&self, impulses: &[Force], motions: &mut [Motion]) {
        match self {
            Self::Few(blocks) => {
                motions.fill(Motion::ZERO);
                for (i, impulse) in impulses.iter().enumerate() {
                    blocks.push(i, *impulse, motions);
                }
            }
            Self::Many(deferred) => {
                let mut deferred = deferred.lock().unwrap_or_else(PoisonError::into_inner);
                deferred.restart();
                for k in 0..deferred.len() {
                    let port = deferred.order()[k] as usize;
                    deferred.velocity_at(port);
                    deferred.push(port, impulses[port]);
                }
                for k in 0..deferred.len() {
                    let port = deferred.order()[k] as usize;
                    motions[port] = deferred.velocity_at(port);
                }
            }
        }
    }
}

#[inline(always)]
fn times(m: &[[f64; 6]; 6], f: Force) -> Motion {
    let f = f.to_array();
    Motion::from_array(m.map(|row| row.iter().zip(f).map(|(a, b)| a * b).sum()))
}
