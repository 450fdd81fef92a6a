//! A net of knots and thin rods, dragged by a knot.

use glam::DVec3;
use supple::RigidInertia;
use supple::constraint::{Ball, Constraint, Frame, Rope, Softness};
use supple::world::{BodyRef, SingleBody, SingleId, World};

const CELL: f64 = 0.2;
/// Where a knot is at first.
fn place(i: usize, j: usize, cells: usize) -> DVec3 {
    (DVec3::new(i as f64, j as f64, 0.0) - 0.5 * cells as f64 * (DVec3::X + DVec3::Y)) * CELL
}
/// A net slung between four posts with four weights in it, and its knots.
fn net(cells: usize) -> (World, Vec<SingleId>) {
    let mut w = World::new();
    let mut ids = vec![];
    for i in 0..=cells {
        for j in 0..=cells {
            let b = SingleBody::new("knot", RigidInertia::solid_sphere(0.03, 0.02, DVec3::ZERO));
            ids.push(w.add_body(b.at(Frame::at(place(i, j, cells)))).unwrap());
        }
    }
    let n = |i: usize, j: usize| ids[i * (cells + 1) + j];
    let piece = |w: &mut World, a: SingleId, b: SingleId| {
        let [from, to] = [w.body(a).unwrap().centre(), w.body(b).unwrap().centre()];
        let half = 0.5 * (to - from);
        let inertia = RigidInertia::solid_capsule(0.1 * (to - from).length(), -half, half, 0.006);
        let id = w.add_body(SingleBody::new("rope", inertia).at(Frame::at(0.5 * (from + to)))).unwrap();
        w.join(Ball, a, id, Frame::at(from)).unwrap();
        w.join(Ball, b, id, Frame::at(to)).unwrap();
    };
    for i in 0..=cells {
        for j in 0..=cells {
            if i < cells {
                piece(&mut w, n(i, j), n(i + 1, j));
            }
            if j < cells {
                piece(&mut w, n(i, j), n(i, j + 1));
            }
        }
    }
    for i in [0, cells] {
        for j in [0, cells] {
            let side = |k: usize| if k == 0 { -1.0 } else { 1.0 };
            let to = DVec3::new(0.15, 0.15, 0.2) * DVec3::new(side(i), side(j), 1.0);
            let c = Constraint::new(Rope { longest: to.length() + 0.05 }, BodyRef::World, n(i, j));
            w.add(c.parent_frame(Frame::at(place(i, j, cells) + to))).unwrap();
        }
    }
    for i in [cells / 3, cells - cells / 3] {
        for j in [cells / 3, cells - cells / 3] {
            let at = place(i, j, cells) - DVec3::Z * 0.275;
            let b = SingleBody::new("weight", RigidInertia::solid_sphere(10.0, 0.1, DVec3::ZERO));
            let b = w.add_body(b.at(Frame::at(at))).unwrap();
            w.add(Constraint::new(Rope { longest: 0.3 }, n(i, j), b)).unwrap();
        }
    }
    w.drag = 2.0;
    (w, ids)
}

/// Drags a knot to where it was and somewhat farther; greatest gap \[m] and greatest spin of the knot \[rad/s].
fn drag(knot: usize, stiffness: f64, away: DVec3) -> (f64, f64) {
    let (mut world, knots) = net(15);
    let held = knots[knot];
    let start = world.frame(held).unwrap().position;
    let hand = world.add_body(SingleBody::kinematic("hand").at(Frame::at(start))).unwrap();
    let softness = Softness { stiffness, damping: 0.1 * stiffness };
    world.add(Constraint::drag(hand, held, DVec3::ZERO, softness)).unwrap();
    world.move_to(hand, Frame::at(start + away)).unwrap();
    let (mut gap, mut spin) = (0.0f64, 0.0f64);
    for _ in 0..130 {
        gap = gap.max(world.step(1.0 / 240.0).unwrap().gap_max);
        spin = spin.max(world.body(held).unwrap().omega().length());
    }
    (gap, spin)
}

/// A hand draws a knot; it does not spin it, and the net holds.
#[test]
fn a_dragged_net_holds() {
    for (knot, stiffness, away) in
        [(20, 100.0, DVec3::ZERO), (112, 1e4, 0.2 * DVec3::Z), (200, 1.0, 0.2 * DVec3::X)]
    {
        let (gap, spin) = drag(knot, stiffness, away);
        assert!(gap < 1e-3 && spin < 100.0, "knot {knot}, {stiffness} N/m: gap {gap} m, spin {spin} rad/s");
    }
}
