//! Bodies with frozen joints along the assembly tree: the same reduced tree as link by link, and the same metric as a sweep
//! over the whole body, with forces, drives and springs inside rigid pieces.

mod common;

use common::{Case, Rng, assert_close, hybrid_forward, reduced};
use proptest::prelude::*;
use supple::detail::assembly::body_metric::{of_joints, sum_up};
use supple::detail::{
    AssemblyTree, BodyMetric, Hybrid, MetricByAssembly, NodeId, RigidParts, Scene, Weights,
};
use supple::dynamics::actuator::Drives;
use supple::dynamics::articulated::Sweep;
use supple::dynamics::integrate::Loads;
use supple::dynamics::kinematics::Kinematics;
use supple::dynamics::wrench::Wrenches;
use supple::dynamics::{EquationOfMotion, aba};
use supple::model::{LinkId, LinkJoint};

/// Two routes to the same numbers: rounding along the tree.
const ROUNDING: f64 = 1e-11;
/// Accelerations by two routes, times the tree's condition.
const EXACT: f64 = 1e-9;
/// The bar for the metric, relative to that of the whole.
const PREDICTED: f64 = 1e-8;
/// What the metric cancels down to, relative to the largest η.
const NOISE: f64 = 1e-13;

/// Some joints active, the velocities of all others zero.
fn choose(case: &mut Case, share: f64, rng: &mut Rng) -> Vec<bool> {
    let active: Vec<bool> = case.model.tree().links.iter().map(|_| rng.chance(share)).collect();
    for (link, active) in case.model.tree().links.iter().zip(&active) {
        if !active {
            case.v[link.dofs()].fill(0.0);
        }
    }
    active
}

fn built(case: &Case, assembly: &AssemblyTree, rigid: &RigidParts, active: &[bool]) -> Hybrid {
    let tree = case.model.tree();
    let mut hybrid = Hybrid::new(tree, assembly);
    hybrid.set_active((0..active.len()).filter(|i| active[*i]).map(LinkId::new));
    hybrid.mark(assembly);
    hybrid.build(tree, assembly, rigid, &case.q);
    for i in 0..tree.links.len() {
        hybrid.locate(assembly, rigid, LinkId::new(i));
    }
    hybrid
}

fn check_tree(case: &Case, assembly: &AssemblyTree, active: &[bool]) {
    let rigid = RigidParts::new(case.model.tree(), assembly, &case.q);
    let hybrid = built(case, assembly, &rigid, active);
    let (got, expected) = (hybrid.tree(), reduced(case, active));
    assert_eq!(got.links.len(), expected.links.len());
    for (a, b) in got.links.iter().zip(&expected.links) {
        let joint = |j: &LinkJoint| format!("{j:?}");
        assert_eq!(
            (a.parent, a.full, a.row, a.children, a.stash),
            (b.parent, b.full, b.row, b.children, b.stash)
        );
        assert_eq!(joint(&a.joint), joint(&b.joint));
        let numbers = |l: &supple::model::Link| {
            let mut all = l.placement.rotation.to_cols_array().to_vec();
            all.extend(l.placement.translation.to_array());
            all.extend([l.inertia.mass]);
            all.extend(l.inertia.moment.to_array());
            all.extend(l.inertia.inertia.to_array());
            all
        };
        assert_close("a group", &numbers(a), &numbers(b), ROUNDING);
    }
    for i in 0..active.len() {
        let (a, b) = (got.member(LinkId::new(i)), expected.member(LinkId::new(i)));
        assert_eq!(a.group, b.group);
        let gap = (a.group_from_link.translation - b.group_from_link.translation).length();
        assert!(gap <= ROUNDING * (1.0 + b.group_from_link.translation.length()), "link {i} is {gap} m off");
    }
    let mut kinematics = Kinematics::new(got);
    kinematics.update(got, &case.q, &case.v);
    let mut wrenches = Wrenches::new();
    wrenches.set(&case.model, got, &kinematics, &case.loads);
    let mut qdd = vec![0.0; case.model.nv()];
    let (armature, sweep) = (case.model.armature(), &mut Sweep::default());
    let equation = EquationOfMotion {
        tree: got,
        kinematics: &kinematics,
        gravity: case.gravity,
        diagonal: armature,
        wrenches: &wrenches,
    };
    aba::accelerations(&equation, &case.tau, sweep, &mut qdd);
    assert_close("accelerations", &qdd, &hybrid_forward(case, active), EXACT);
}

/// The metric of every node, in a hybrid state, against sums over joints after a sweep. `driven` drives changed after the
/// parts froze.
fn check_metric(case: &Case, assembly: &AssemblyTree, active: &[bool], driven: &[u32]) {
    let tree = case.model.tree();
    let rigid = RigidParts::new(tree, assembly, &case.q);
    let hybrid = built(case, assembly, &rigid, active);
    let weights = Weights::identity();
    let mut tau = case.tau.clone();
    for dof in driven {
        tau[*dof as usize] -= 2.0;
    }
    let before = Loads { gravity: case.gravity, tau: &tau, wrenches: &case.loads, ..Loads::default() };
    let drives = Drives::default();
    let scene = |loads| Scene {
        model: &case.model,
        assembly,
        rigid: &rigid,
        weights: &weights,
        q: &case.q,
        v: &case.v,
        loads,
        drives: &drives,
        ahead: 0.0,
    };
    let mut metric = MetricByAssembly::new(&scene(&before)).expect("all links have inertia");
    let loads =
        Loads { gravity: case.gravity, tau: &case.tau, driven, wrenches: &case.loads, ..Loads::default() };
    let scene = scene(&loads);
    let mut kinematics = Kinematics::new(hybrid.tree());
    kinematics.update(hybrid.tree(), &case.q, &case.v);
    let mut forces = Wrenches::new();
    forces.set_on_links(&case.model, hybrid.tree(), &kinematics, &case.loads, &[]);

    // twice: the second time with what force paths have kept
    for _ in 0..2 {
        let whole = metric.begin(&scene, &hybrid, &kinematics, forces.entries());
        let mut predicted = vec![f64::NAN; assembly.nodes().len()];
        let mut qdd = vec![0.0; case.model.nv()];
        let mut set = |link: LinkId, rates: &[f64; 6]| {
            let dofs = tree.links[link.index()].dofs();
            let count = dofs.len();
            qdd[dofs].copy_from_slice(&rates[..count]);
        };
        let mut todo = vec![assembly.root().expect("links")];
        predicted[todo[0].index()] = whole;
        while let Some(node) = todo.pop() {
            let (parts, rates) = metric.expand(&scene, &hybrid, node);
            if let Some(link) = assembly.node(node).joint() {
                set(link, &rates);
            }
            for (child, metric) in parts.into_iter().flatten() {
                predicted[child.index()] = metric;
                todo.push(child);
            }
        }
        // the force limits of drives and joint springs are no part of `forward`: random cases have none
        let expected = common::forward(case);
        assert_close("accelerations", &qdd, &expected, EXACT);
        let (mut of_link, mut sums) = (vec![0.0; tree.links.len()], vec![0.0; predicted.len()]);
        of_joints(tree, &weights, &case.q, &expected, &mut of_link);
        sum_up(assembly, &of_link, &mut sums);
        let mut etas = BodyMetric::new(tree, assembly).unwrap();
        let equation = EquationOfMotion {
            tree,
            kinematics: &case.kinematics(),
            gravity: case.gravity,
            diagonal: case.model.armature(),
            wrenches: &case.wrenches(),
        };
        etas.accelerations(&equation, assembly, &case.tau, &weights, &case.q);
        let largest = (0..predicted.len()).map(|i| etas.eta(assembly, NodeId::new(i))).fold(0.0, f64::max);
        let whole = *sums.last().unwrap();
        let error = common::difference(&predicted, &sums);
        let bound = PREDICTED * whole + NOISE * largest;
        assert!(error <= bound, "error {error:.2e} > {bound:.2e} of {whole:.2e}, η up to {largest:.2e}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    #[test]
    fn the_reduced_tree_is_the_one_found_link_by_link(count in 1usize..=60, seed: u64, share in 0.0f64..1.0) {
        let mut case = Case::random(count, seed);
        let mut rng = Rng::new(seed, 21);
        let active = choose(&mut case, share, &mut rng);
        if active.is_empty() {
            return Ok(());
        }
        check_tree(&case, &AssemblyTree::build(case.model.tree()), &active);
        let any = AssemblyTree::build_by_choice(case.model.tree(), |joints| rng.below(joints.len()));
        check_tree(&case, &any, &active);
    }

    #[test]
    fn the_assembly_tree_tells_what_a_sweep_tells(count in 1usize..=60, seed: u64, share in 0.0f64..1.0) {
        let mut case = Case::random(count, seed);
        let mut rng = Rng::new(seed, 22);
        let active = choose(&mut case, share, &mut rng);
        if active.is_empty() {
            return Ok(());
        }
        let driven: Vec<u32> = (0..case.model.nv() as u32).filter(|_| rng.chance(0.2)).collect();
        check_metric(&case, &AssemblyTree::build(case.model.tree()), &active, &driven);
        let any = AssemblyTree::build_by_choice(case.model.tree(), |joints| rng.below(joints.len()));
        check_metric(&case, &any, &active, &driven);
    }
}
