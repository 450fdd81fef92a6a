//! Rigid groups: a body with frozen joints is the body with those joints welded, and stopping joints conserves momentum.

mod common;

use common::{Case, Rng, assert_close, forward, hybrid_forward, mass_matrix, random_items, reduced, stop};
use glam::DVec3;
use proptest::prelude::*;
use supple::Joint;
use supple::dynamics::energy::kinetic;
use supple::dynamics::kinematics::Kinematics;

/// Two routes to the same accelerations: rounding of some fifty products along the tree, times its condition.
const TOLERANCE: f64 = 1e-9;

/// A random choice of joints, each active with probability a half; the velocities of the others are zero.
fn choose(case: &mut Case, seed: u64) -> Vec<bool> {
    let mut rng = Rng::new(seed, 7);
    let active: Vec<bool> = case.model.tree().links.iter().map(|_| rng.chance(0.5)).collect();
    for (link, active) in case.model.tree().links.iter().zip(&active) {
        if !active {
            case.v[link.dofs()].fill(0.0);
        }
    }
    active
}

/// `M_aa x = b_a`, rows and columns of the active joints only; zero elsewhere.
fn solve_active(case: &Case, active: &[bool], b: &[f64]) -> Vec<f64> {
    let mut m = mass_matrix(case);
    let mut b = b.to_vec();
    for (link, active) in case.model.tree().links.iter().zip(active) {
        for dof in link.dofs().filter(|_| !active) {
            for k in 0..m.n {
                m.entries[dof * m.n + k] = 0.0;
                m.entries[k * m.n + dof] = 0.0;
            }
            m.entries[dof * m.n + dof] = 1.0;
            b[dof] = 0.0;
        }
    }
    m.solve(&b).expect("positive definite")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    /// Accelerations with frozen joints are those of M_aa q̈_a = (τ − h)_a.
    #[test]
    fn frozen_joints_leave_the_rows_and_columns_of_the_active_ones(count in 1usize..=40, seed: u64) {
        let mut case = Case::random(count, seed);
        let active = choose(&mut case, seed);
        let bias = common::inverse(&case, &vec![0.0; case.model.nv()]);
        let force: Vec<f64> = case.tau.iter().zip(&bias).map(|(t, h)| t - h).collect();
        let expected = solve_active(&case, &active, &force);
        assert_close("hybrid", &hybrid_forward(&case, &active), &expected, TOLERANCE);
    }

    /// With all joints active the reduced tree is the full one, bit for bit.
    #[test]
    fn all_joints_active_is_the_plain_algorithm(count in 1usize..=40, seed: u64) {
        let case = Case::random(count, seed);
        let bits = |x: Vec<f64>| x.into_iter().map(f64::to_bits).collect::<Vec<_>>();
        let all = vec![true; case.model.tree().links.len()];
        prop_assert_eq!(bits(hybrid_forward(&case, &all)), bits(forward(&case)));
    }

    /// Stopping joints conserves the generalised momentum of the others: M_aa v' = M_aa v_a + M_ar v_r. Kinetic energy
    /// never rises, and stopping in two steps is stopping at once.
    #[test]
    fn stopping_conserves_the_momentum_of_the_rest(count in 1usize..=40, seed: u64) {
        let case = Case::random(count, seed);
        let active = choose(&mut case.clone(), seed);
        let after = stop(&case, &active);
        let momentum = mass_matrix(&case).mul(&case.v);
        let expected = solve_active(&case, &active, &momentum);
        assert_close("stopped", &after, &expected, TOLERANCE);

        let energy = |v: &[f64]| {
            let mut kinematics = Kinematics::default();
            kinematics.update(case.model.tree(), &case.q, v);
            kinetic(case.model.tree(), &kinematics, case.model.armature(), v)
        };
        let before = energy(&case.v);
        prop_assert!(energy(&after) <= before * (1.0 + 1e-12));

        // first every second of them, then all
        let mut half = active.clone();
        for (i, active) in half.iter_mut().enumerate() {
            *active |= i % 2 == 0;
        }
        let halfway = Case { v: stop(&case, &half), ..case.clone() };
        let (old, new) = (reduced(&case, &half), reduced(&case, &active));
        let mut v = halfway.v.clone();
        supple::detail::rigidify(&old, &new, &case.q, case.model.armature(), &mut v, &mut Default::default());
        assert_close("in two steps", &v, &after, TOLERANCE);
    }
}

/// A floating body keeps its momenta when joints stop, and never gains energy: 1,000 random bodies.
#[test]
fn a_floating_body_keeps_its_momenta() {
    for seed in 0..1000 {
        let mut items = random_items(12, seed);
        let root = &mut items[0];
        root.body.joint = Joint::free();
        root.q = root.body.joint.kind.neutral();
        (root.v, root.tau) = (vec![0.3, -0.2, 0.5, 1.0, -0.7, 0.4], vec![0.0; 6]);
        let case = Case::new(&items, DVec3::ZERO);
        let tree = case.model.tree();
        let mut active = choose(&mut case.clone(), seed);
        active[0] = true;
        let momentum = |v: &[f64]| {
            let mut kinematics = Kinematics::default();
            kinematics.update(tree, &case.q, v);
            supple::dynamics::momentum::momentum(tree, &kinematics)
        };
        let stopped = stop(&case, &active);
        let energy = |v: &[f64]| {
            let mut kinematics = Kinematics::default();
            kinematics.update(tree, &case.q, v);
            kinetic(tree, &kinematics, case.model.armature(), v)
        };
        assert!(energy(&stopped) <= energy(&case.v) * (1.0 + 1e-10), "seed {seed}: energy rose");
        let (before, after) = (momentum(&case.v), momentum(&stopped));
        let scale = before.linear.length() + before.angular_about_com.length();
        assert!((after.linear - before.linear).length() <= 1e-10 * scale, "seed {seed}");
        assert!(
            (after.angular_about_com - before.angular_about_com).length() <= 1e-10 * scale,
            "seed {seed}"
        );
    }
}
