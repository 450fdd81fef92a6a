//! What every joint model promises, on random frames: projections, held directions, coordinates, limits.

mod common;
#[path = "../examples/own_joints.rs"]
mod own_joints;

use common::Rng;
use glam::{DQuat, DVec3};
use own_joints::{ReachCone, Screw};
use supple::Motion;
use supple::constraint::{
    Ball, Coordinate, Coordinates, Cylindrical, Distance, Frame, Hinge, JointModel, OnCircle, PlanarTwist,
    PlaneToPlane, PointOnLine, PointOnPlane, Prismatic, Rigid, Rope, Row, Rows, Twist, Universal,
};
use supple::spatial::{rotation, swing_twist};

/// A few roundings of numbers near one.
const ROUNDING: f64 = 1e-12;
/// Central differences with steps of [`STEP`].
const DIFFERENCES: f64 = 1e-6;
const STEP: f64 = 1e-5;
const FRAMES: u64 = 300;

/// A model with what is known of it.
struct Known {
    model: Box<dyn JointModel>,
    held: usize,
    limits: usize,
    /// Free coordinates; `None` where the model does not name them all.
    free: Option<usize>,
}

fn known(model: impl JointModel + 'static, held: usize) -> Known {
    Known { model: Box::new(model), held, limits: 0, free: Some(6 - held) }
}

fn models() -> Vec<Known> {
    let mut all = vec![
        known(Ball, 3),
        known(Hinge, 5),
        known(Twist, 5),
        known(Rigid, 6),
        known(Prismatic::Z, 5),
        known(Prismatic::XY, 4),
        known(Prismatic::XYZ, 3),
        known(Prismatic { free: [true, false, true] }, 4),
        known(Prismatic { free: [false; 3] }, 6),
        known(PlaneToPlane, 3),
        known(PlanarTwist, 3),
        known(Cylindrical, 4),
        known(Universal, 4),
        known(PointOnPlane, 1),
        known(PointOnLine, 2),
        known(OnCircle { radius: 0.7 }, 2),
        known(Screw { pitch: 0.2 }, 5),
        known(Screw { pitch: -0.03 }, 5),
        known(Screw { pitch: 0.0 }, 5),
    ];
    let free = None;
    all.push(Known { model: Box::new(Distance { length: 0.8 }), held: 1, limits: 0, free });
    all.push(Known { model: Box::new(Rope { longest: 0.8 }), held: 0, limits: 1, free });
    let cone = ReachCone { half_angle: 0.6 };
    all.push(Known { model: Box::new(cone), held: 3, limits: 1, free: Some(3) });
    all
}

/// Whether the model has a row of radians and metres at once, which has no natural length.
fn couples(model: &dyn JointModel) -> bool {
    format!("{model:?}").starts_with("Screw")
}

fn rows(model: &dyn JointModel, joint: Frame) -> Rows {
    let mut rows = Rows::default();
    model.held(joint, &mut rows);
    rows
}

fn coordinates(model: &dyn JointModel, joint: Frame) -> Coordinates {
    let mut all = Coordinates::default();
    model.coordinates(joint, &mut all);
    all
}

/// A frame near and far, one in four with a small rotation.
fn frame(rng: &mut Rng) -> Frame {
    let q = rng.quat();
    let q = if rng.chance(0.25) { rotation::exp(rotation::log(q) * 0.05) } else { q };
    Frame::new(rng.vector(1.0), q)
}

fn motion(rng: &mut Rng) -> Motion {
    Motion::new(rng.vector(1.0), rng.vector(1.0))
}

fn moved(joint: Frame, motion: Motion, h: f64) -> Frame {
    Frame {
        position: joint.position + motion.linear * h,
        rotation: (rotation::exp(motion.angular * h) * joint.rotation).normalize(),
    }
}

fn dot(a: Motion, b: Motion) -> f64 {
    a.angular.dot(b.angular) + a.linear.dot(b.linear)
}

/// From `a` to `b`: rotation vector and translation.
fn difference(a: Frame, b: Frame) -> Motion {
    Motion::new(rotation::log(b.rotation * a.rotation.conjugate()), b.position - a.position)
}

fn size(motion: Motion) -> f64 {
    dot(motion, motion).sqrt()
}

/// The error of one row, or the excess of a limit, at `joint`.
fn error(model: &dyn JointModel, row: usize, direction: Motion, joint: Frame) -> f64 {
    rows(model, joint)[row].excess.unwrap_or_else(|| dot(direction, difference(model.nearest(joint), joint)))
}

/// What is left of the unit directions that are not in the span of `directions`.
fn complement(directions: &[Motion]) -> (usize, Vec<Motion>) {
    let mut basis: Vec<Motion> = Vec::new();
    let mut add = |v: Motion| {
        let mut left = v;
        for _ in 0..2 {
            for b in &basis {
                left = left - *b * dot(*b, left);
            }
        }
        let independent = size(left) > 1e-6 * size(v);
        if independent {
            basis.push(left * (1.0 / size(left)));
        }
        independent
    };
    let rank = directions.iter().filter(|d| add(**d)).count();
    for i in 0..6 {
        let mut unit = [0.0; 6];
        unit[i] = 1.0;
        add(Motion::from_array(unit));
    }
    let free = basis.split_off(rank);
    (rank, free)
}

/// Directions held both ways.
fn held(rows: &[Row]) -> Vec<Motion> {
    rows.iter().filter(|r| r.excess.is_none()).map(|r| r.direction).collect()
}

#[test]
fn the_nearest_frame_is_allowed_and_its_own_nearest() {
    for Known { model, .. } in models() {
        for seed in 0..FRAMES {
            let once = model.nearest(frame(&mut Rng::new(seed, 1)));
            let twice = model.nearest(once);
            assert!((once.rotation.length() - 1.0).abs() < ROUNDING, "{model:?} {seed}");
            assert!(size(difference(once, twice)) < ROUNDING, "{model:?} {seed}: {once:?} {twice:?}");
        }
    }
}

/// No allowed frame in sight is nearer, rotation and translation each on their own. A screw trades one for the other.
#[test]
fn the_nearest_frame_is_the_nearest() {
    for Known { model, .. } in models() {
        for seed in 0..FRAMES {
            let mut rng = Rng::new(seed, 2);
            let joint = frame(&mut rng);
            let best = difference(model.nearest(joint), joint);
            for _ in 0..20 {
                let scale = rng.decades(1e-3, 3.0);
                let other = difference(model.nearest(moved(joint, motion(&mut rng), scale)), joint);
                let far = if couples(&*model) {
                    swing_twist::swing(rotation::exp(other.angular)).length()
                } else {
                    assert!(best.linear.length() < other.linear.length() + ROUNDING, "{model:?} {seed}");
                    other.angular.length()
                };
                assert!(best.angular.length() < far + ROUNDING, "{model:?} {seed}: {best:?} {other:?}");
            }
        }
    }
}

#[test]
fn rows_are_the_derivatives_of_their_errors() {
    for Known { model, .. } in models() {
        for seed in 0..FRAMES {
            let mut rng = Rng::new(seed, 3);
            let joint = model.nearest(frame(&mut rng));
            let motion = motion(&mut rng);
            for (i, row) in rows(&*model, joint).iter().enumerate() {
                let e = |h: f64| error(&*model, i, row.direction, moved(joint, motion, h));
                let rate = (e(STEP) - e(-STEP)) / (2.0 * STEP);
                let expected = dot(row.direction, motion);
                assert!((rate - expected).abs() < DIFFERENCES, "{model:?} {seed} row {i}: {rate} {expected}");
            }
        }
    }
}

#[test]
fn rows_are_independent_and_always_as_many() {
    for Known { model, held: count, limits, .. } in models() {
        for seed in 0..FRAMES {
            let rows = rows(&*model, frame(&mut Rng::new(seed, 4)));
            assert_eq!(rows.len(), count + limits, "{model:?}");
            assert_eq!(held(&rows).len(), count, "{model:?}");
            let all: Vec<Motion> = rows.iter().map(|r| r.direction).collect();
            assert_eq!(complement(&all).0, count + limits, "{model:?} {seed}");
        }
    }
}

/// Along any motion that the joint allows: errors stay zero, and coordinates change as their directions say.
#[test]
fn coordinates_follow_allowed_motions() {
    for Known { model, held: count, free, .. } in models() {
        let mut compared = 0;
        for seed in 0..FRAMES {
            let mut rng = Rng::new(seed, 5);
            let joint = model.nearest(frame(&mut rng));
            let rows = rows(&*model, joint);
            let all = coordinates(&*model, joint);
            // held and free together are all there is
            if let Some(free) = free {
                assert_eq!(count + free, 6, "{model:?}");
                assert_eq!(all.len(), free, "{model:?}");
                let both: Vec<Motion> =
                    held(&rows).into_iter().chain(all.iter().map(|c| c.direction)).collect();
                assert_eq!(complement(&both).0, 6, "{model:?} {seed}");
            }
            let motion = complement(&held(&rows))
                .1
                .into_iter()
                .fold(Motion::ZERO, |sum, m| sum + m * rng.range(-1.0, 1.0));
            for (i, row) in rows.iter().enumerate().filter(|(_, r)| r.excess.is_none()) {
                let e = error(&*model, i, row.direction, moved(joint, motion, STEP));
                assert!(e.abs() < 10.0 * STEP * STEP, "{model:?} {seed} row {i}: {e}");
            }
            for (i, Coordinate { direction, .. }) in all.iter().enumerate() {
                let value = |h: f64| coordinates(&*model, moved(joint, motion, h))[i].value;
                let change = value(STEP) - value(-STEP);
                // where an angle starts again from −π
                if change.abs() > 1.0 {
                    continue;
                }
                let (rate, expected) = (change / (2.0 * STEP), dot(*direction, motion));
                assert!((rate - expected).abs() < DIFFERENCES, "{model:?} {seed} {i}: {rate} {expected}");
                compared += 1;
            }
        }
        assert!(free.is_none_or(|n| compared * 10 >= FRAMES as usize * n * 9), "{model:?}: {compared}");
    }
}

/// Moving along one coordinate of a lower pair, the others rest.
#[test]
fn directions_of_lower_pairs_are_motions_too() {
    let pairs: [Box<dyn JointModel>; 6] = [
        Box::new(Hinge),
        Box::new(Prismatic::Z),
        Box::new(Prismatic::XY),
        Box::new(Cylindrical),
        Box::new(PlaneToPlane),
        Box::new(Universal),
    ];
    for model in pairs {
        for seed in 0..FRAMES {
            let joint = model.nearest(frame(&mut Rng::new(seed, 6)));
            let all = coordinates(&*model, joint);
            for (i, along) in all.iter().enumerate() {
                let there = moved(joint, along.direction, STEP);
                let away = size(difference(model.nearest(there), there));
                assert!(away < 10.0 * STEP * STEP, "{model:?} {seed} {i}: {away}");
                for (k, c) in coordinates(&*model, there).iter().enumerate() {
                    let change = swing_twist::wrapped(c.value - all[k].value);
                    let expected = if i == k { STEP } else { 0.0 };
                    assert!((change - expected).abs() < 10.0 * STEP * STEP, "{model:?} {seed} {i} {k}");
                }
            }
        }
    }
}

#[test]
fn limits_are_positive_beyond_and_negative_within() {
    for Known { model, limits, .. } in models() {
        if limits == 0 {
            continue;
        }
        let (mut within, mut beyond) = (0, 0);
        for seed in 0..FRAMES {
            let joint = frame(&mut Rng::new(seed, 7));
            // the directions that are held both ways aside
            let joint =
                if model.nearest(joint).position == DVec3::ZERO { Ball.nearest(joint) } else { joint };
            let row = *rows(&*model, joint).last().expect("a limit");
            let excess = row.excess.expect("the last row is the limit");
            let back = difference(joint, model.nearest(joint));
            if excess <= 0.0 {
                within += 1;
                assert!(size(back) < ROUNDING, "{model:?} {seed}");
            } else {
                beyond += 1;
                // straight back along the direction, to the limit
                assert!(size(back + row.direction * excess) < ROUNDING, "{model:?} {seed}: {back:?}");
                let left =
                    rows(&*model, model.nearest(joint)).last().and_then(|r| r.excess).expect("a limit");
                assert!(left.abs() < ROUNDING);
            }
            let on = |h: f64| rows(&*model, moved(joint, row.direction, h)).last().and_then(|r| r.excess);
            assert!(on(1e-3) > Some(excess) && on(-1e-3) < Some(excess), "{model:?} {seed}");
        }
        assert!(within > 20 && beyond > 20, "{model:?}: {within} {beyond}");
    }
}

/// Points on top of each other, at the centre of a circle, half a turn about any axis, an axis where another one should be.
#[test]
fn degenerate_frames_have_finite_answers_and_unit_directions() {
    let s = std::f64::consts::FRAC_1_SQRT_2;
    let rotations = [
        [0.0, 0.0, 0.0, 1.0],
        [0.0, 0.0, 0.0, -1.0],
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 1.0, 0.0, 0.0],
        [0.0, 0.0, 1.0, 0.0],
        [0.0, 0.0, -1.0, 0.0],
        [s, s, 0.0, 0.0],
        [s, -s, 0.0, 0.0],
        [0.0, s, s, 0.0],
        // y where x should not be
        [0.0, 0.0, s, s],
        [0.0, 0.0, s, -s],
        [1e-170, 0.0, 1.0, 0.0],
        [1.0, 1e-320, 0.0, 1e-320],
    ];
    let positions = [
        DVec3::ZERO,
        DVec3::Z,
        DVec3::NEG_Z * 1e-300,
        DVec3::new(1e-310, -1e-310, 0.0),
        DVec3::new(-1.0, 0.0, 0.0),
        DVec3::splat(1e100),
    ];
    for Known { model, .. } in models() {
        for q in rotations {
            for position in positions {
                let joint = Frame { position, rotation: DQuat::from_array(q) };
                let nearest = model.nearest(joint);
                assert!(nearest.is_finite(), "{model:?} {joint:?}: {nearest:?}");
                assert!((nearest.rotation.length() - 1.0).abs() < ROUNDING, "{model:?} {joint:?}");
                for row in rows(&*model, joint).iter() {
                    assert!(row.direction.is_finite(), "{model:?} {joint:?}: {row:?}");
                    assert!(
                        couples(&*model) || (size(row.direction) - 1.0).abs() < ROUNDING,
                        "{model:?} {joint:?}"
                    );
                    assert!(row.excess.is_none_or(f64::is_finite));
                }
                for c in coordinates(&*model, joint).iter() {
                    assert!(c.value.is_finite() && c.direction.is_finite(), "{model:?} {joint:?}: {c:?}");
                }
            }
        }
    }
}

#[test]
fn angles_are_in_the_half_open_turn() {
    use std::f64::consts::PI;
    for (axis, model) in
        [(DVec3::Z, &Hinge as &dyn JointModel), (DVec3::X, &Universal), (DVec3::Y, &Universal)]
    {
        for i in -400..=400 {
            let angle = PI * f64::from(i) / 100.0;
            let joint = Frame { position: DVec3::ZERO, rotation: rotation::exp(axis * angle) };
            let values = coordinates(model, joint);
            let value = if axis == DVec3::Y { values[1].value } else { values[0].value };
            assert!(value > -PI && value <= PI, "{angle}: {value}");
            let turns = (value - angle) / (2.0 * PI);
            assert!((turns - turns.round()).abs() < ROUNDING, "{angle}: {value}");
        }
    }
}

/// y ⊥ x is what a universal joint is.
#[test]
fn a_universal_joint_keeps_its_axes_crossed() {
    for seed in 0..FRAMES {
        let joint = Universal.nearest(frame(&mut Rng::new(seed, 8)));
        assert!((joint.rotation * DVec3::Y).x.abs() < ROUNDING);
        let angles = coordinates(&Universal, joint);
        let again = rotation::exp(DVec3::X * angles[0].value) * rotation::exp(DVec3::Y * angles[1].value);
        assert!(again.dot(joint.rotation).abs() > 1.0 - ROUNDING);
    }
}
