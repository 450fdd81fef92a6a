//! The contact graph by levels, and shock propagation (Guendelman, Bridson & Fedkiw 2003, as in Weinstein et al., section VI).
//!
//! What rests on what: the world has level 0, what touches it level 1, and so on. An articulation has one level: the least of its
//! bodies. Shock propagation goes up once, and what is lower does not answer.

use super::solver::ContactSolver;

const UNKNOWN: u32 = u32::MAX;

/// Finds the levels of all movers and puts the contacts in their order.
pub(crate) fn order(solver: &mut ContactSolver) {
    let ContactSolver { movers, touches, .. } = solver;
    for mover in movers.iter_mut() {
        mover.level = if mover.is_fixed() { 0 } else { UNKNOWN };
    }
    // level by level: all that touches the one below
    for level in 0.. {
        let mut any = false;
        for touch in touches.iter() {
            let [a, b] = touch.sides.map(|side| side.mover as usize);
            for (from, to) in [(a, b), (b, a)] {
                if movers[from].level == level && movers[to].level == UNKNOWN {
                    movers[to].level = level + 1;
                    any = true;
                }
            }
        }
        if !any {
            break;
        }
    }
    let level = |side: usize, touch: &super::solver::Touch| movers[touch.sides[side].mover as usize].level;
    touches.sort_by_key(|t| (level(0, t).max(level(1, t)), t.pair, t.manifold));
}

/// Shock propagation: from the lowest level up, what is lower does not answer.
pub(crate) fn propagate(solver: &mut ContactSolver) {
    for t in 0..solver.touches.len() {
        let levels = solver.touches[t].sides.map(|side| solver.movers[side.mover as usize].level);
        solver.visit(t, [levels[0] < levels[1], levels[1] < levels[0]]);
    }
}
