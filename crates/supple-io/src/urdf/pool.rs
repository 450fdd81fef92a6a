//! Inertia that is impossible for one link alone, but not for the links it is fixed to.
//!
//! Robot files split a rigid part into links and print each inertia with few digits; some links then have
//! principal moments that no mass distribution has, or inertia without mass. Only the sum moves, so the sum
//! counts: where it is possible, the top link of the part carries all of it. Where it is not, the links stay as
//! they are and the model's own check names the one that is wrong.

use std::collections::HashMap;

use supple::{Body, JointKind, Pose, RigidInertia};

use crate::warning::Warnings;

/// Relative violation of the triangle inequality from which on a link counts as impossible: below what the model's
/// own check lets pass.
const SLACK: f64 = 1e-7;

/// The rigid part a body belongs to.
#[derive(Clone, Copy)]
struct Part {
    /// Its topmost body.
    top: usize,
    /// The body's frame in that body's.
    top_from_body: Pose,
    /// Whether the part is fixed to the world.
    still: bool,
}

/// Moves inertia to the top link of each rigid part that has a link whose own inertia is impossible.
pub(super) fn pool(bodies: &mut [Body], warnings: &mut Warnings) {
    if bodies.iter().all(|b| possible(&b.inertia)) {
        return;
    }
    // bodies on a circle have no part; the model names the circle
    let Some(parts) = parts(bodies) else { return };
    let mut sums = vec![RigidInertia::ZERO; bodies.len()];
    let mut wrong = vec![false; bodies.len()];
    for (body, part) in bodies.iter().zip(&parts) {
        sums[part.top] += body.inertia.transformed(&part.top_from_body);
        wrong[part.top] |= !possible(&body.inertia);
    }
    for (i, part) in parts.iter().enumerate() {
        if !wrong[part.top] {
            continue;
        }
        if part.still {
            // never moves: no inertia there matters
            if !possible(&bodies[i].inertia) && bodies[i].inertia.is_finite() && bodies[i].inertia.mass >= 0.0
            {
                warnings.add(
                    label(&bodies[i]),
                    "impossible inertia of a link that is fixed to the world is left out",
                );
                bodies[i].inertia = RigidInertia::ZERO;
            }
        } else if possible(&sums[part.top]) {
            if !possible(&bodies[i].inertia) {
                warnings.add(
                    label(&bodies[i]),
                    "inertia that is impossible alone is counted with the links fixed to it",
                );
            }
            bodies[i].inertia = if i == part.top { sums[i] } else { RigidInertia::ZERO };
        }
    }
}

fn label(body: &Body) -> String {
    format!("<link {:?}>", body.name)
}

/// Whether some mass distribution has this inertia.
fn possible(inertia: &RigidInertia) -> bool {
    if inertia.mass == 0.0 {
        return *inertia == RigidInertia::ZERO;
    }
    let [least, middle, greatest] = inertia.inertia_com().eigenvalues();
    let slack = SLACK * greatest.abs();
    inertia.mass > 0.0 && least >= -slack && greatest <= least + middle + slack
}

/// The rigid part of each body; `None` if bodies carry each other in a circle or a parent is missing.
fn parts(bodies: &[Body]) -> Option<Vec<Part>> {
    let index: HashMap<&str, usize> = bodies.iter().enumerate().map(|(i, b)| (b.name.as_str(), i)).collect();
    let mut parts: Vec<Option<Part>> = vec![None; bodies.len()];
    let mut path = Vec::new();
    for i in 0..bodies.len() {
        // climb to a body whose part is known or that a moving joint carries, then come back down
        let mut at = i;
        while parts[at].is_none() {
            let body = &bodies[at];
            path.push(at);
            match &body.parent {
                Some(parent) if body.joint.kind == JointKind::Fixed => at = *index.get(parent.as_str())?,
                _ => break,
            }
            if path.len() > bodies.len() {
                return None;
            }
        }
        while let Some(k) = path.pop() {
            let body = &bodies[k];
            let fixed = body.joint.kind == JointKind::Fixed;
            parts[k] = Some(match &body.parent {
                Some(parent) if fixed => {
                    let above = parts[*index.get(parent.as_str())?]?;
                    Part { top_from_body: above.top_from_body * body.placement * body.frame, ..above }
                }
                _ => Part { top: k, top_from_body: Pose::IDENTITY, still: fixed },
            });
        }
    }
    parts.into_iter().collect()
}
