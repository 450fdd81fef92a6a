//! The contact graph by levels, and shock propagation (Guendelman, Bridson & Fedkiw 2003, as in Weinstein et al., section VI).
//!
//! What rests on what: the world has level 0, what touches it level 1, and so on. An articulation has one level: the least of its
//! bodies. Shock propagation goes up once, and what is lower does not answer.

use super::solver::ContactSolver;
use crate::constraint::island::Node;
use crate::world::Articulations;

const UNKNOWN: u32 = u32::MAX;

/// Finds the levels of all movers and puts the contacts in their order.
pub(crate) fn order(solver: &mut ContactSolver) {
    let ContactSolver { movers, touches, .. } = solver;
    for mover in movers.iter_mut() {
        let fixed = match mover.node {
            None => true,
            Some(Node::Single { .. }) => mover.inverse_mass == 0.0,
            Some(Node::Port { .. }) => false,
        };
        mover.level = if fixed { 0 } else { UNKNOWN };
    }
    // level by level: all that touches the one below
    for level in 0.. {
        let mut any = false;
        for touch in touches.iter() {
            let [a, b] = touch.movers.map(|m| m as usize);
            for (from, to) in [(a, b), (b, a)] {
                if movers[from].level == level && movers[to].level == UNKNOWN {
                    let (first, count) = (movers[to].first as usize, movers[to].count as usize);
                    for mover in &mut movers[first..first + count] {
                        mover.level = level + 1;
                    }
                    any = true;
                }
            }
        }
        if !any {
            break;
        }
    }
    let level = |m: u32| movers[m as usize].level;
    touches.sort_by_key(|t| (level(t.movers[0]).max(level(t.movers[1])), t.pair, t.manifold));
}

/// Shock propagation: from the lowest level up, what is lower does not answer.
pub(crate) fn propagate(solver: &mut ContactSolver, articulations: &Articulations) {
    for t in 0..solver.touches.len() {
        let levels = solver.touches[t].movers.map(|m| solver.movers[m as usize].level);
        let rigid = [levels[0] < levels[1], levels[1] < levels[0]];
        solver.visit(articulations, t, rigid);
    }
}
