//! Impulses on ports of an articulation: blocks for few ports and deferred sweeps for many give what one response per impulse
//! gives, and what the mass matrix gives.
//!
//! Trees are chains, hubs and all between, of 1 to 40 bodies with every kind of joint, fixed and afloat, whole and
//! with some joints frozen. A failing case prints its shape, number of bodies and seed.

mod common;

use common::{Case, Rng, assert_close, mass_matrix, random_items, reduced};
use glam::DVec3;
use proptest::prelude::*;
use supple::dynamics::deferred::Deferred;
use supple::dynamics::jacobian::point_jacobian;
use supple::dynamics::kinematics::Kinematics;
use supple::dynamics::port::Port;
use supple::dynamics::response::Response;
use supple::dynamics::response_blocks::ResponseBlocks;
use supple::model::Tree;
use supple::{BodyId, Force, Joint, JointKind, Motion};

/// The same factors, multiplied in another order along up to 40 joints: rounding times some hundred products.
const SAME_FACTORS: f64 = 1e-10;
/// A dense solve loses up to seven of the sixteen digits to the condition of the mass matrix.
const MASS_MATRIX: f64 = 1e-9;
/// Errors of one visit enter the impulses of the next ones; sweeps shrink them again, so they add up but do not grow.
const SWEEPS: f64 = 1e-10;

/// A random tree of one of these shapes.
fn shaped(shape: u8, count: usize, seed: u64) -> Case {
    let mut items = random_items(count, seed);
    for i in 1..count {
        let parent = match shape % 4 {
            0 => i - 1,
            1 => 0,
            2 => i / 2,
            _ => continue,
        };
        let body = items[i].body.clone();
        items[i].body = body.on(format!("body{parent}"));
    }
    // a third afloat, a third on a base that stands still
    let base = [None, Some(JointKind::Free), Some(JointKind::Fixed)][usize::from(shape / 4 % 3)].clone();
    if let Some(kind) = base {
        items[0].q = kind.neutral();
        items[0].v = vec![0.1; kind.sizes().1];
        items[0].tau = vec![0.0; kind.sizes().1];
        items[0].body.joint = Joint::new(kind);
    }
    Case::new(&items, DVec3::ZERO)
}

/// A case, maybe with some joints frozen, factored.
struct Body {
    case: Case,
    tree: Tree,
    kinematics: Kinematics,
    response: Response,
}

impl Body {
    fn new(case: Case, frozen: f64, rng: &mut Rng) -> Self {
        let active: Vec<bool> = case.model.tree().links.iter().map(|_| !rng.chance(frozen)).collect();
        let tree = if frozen > 0.0 { reduced(&case, &active) } else { case.model.tree().clone() };
        let mut kinematics = Kinematics::new(&tree);
        kinematics.update(&tree, &case.q, &case.v);
        let mut response = Response::default();
        response.factor(&tree, &kinematics, case.model.armature());
        Self { case, tree, kinematics, response }
    }

    /// Some ports, in any order, some of them twice, some on frozen joints.
    fn ports(&self, count: usize, rng: &mut Rng) -> Vec<Port> {
        let (links, nv) = (self.tree.links.len(), self.case.model.nv());
        let any = |rng: &mut Rng| match rng.chance(0.6) {
            true if links > 0 => Some(Port::Link(rng.below(links) as u32)),
            _ => (nv > 0).then(|| Port::Dof(rng.below(nv) as u32)),
        };
        (0..count).filter_map(|_| any(rng)).collect()
    }

    /// The jump of v for impulses on ports, and that of each port: by [`Response::apply`] alone.
    fn apply(&mut self, ports: &[Port], impulses: &[(usize, Force)]) -> (Vec<f64>, Vec<Motion>) {
        let mut tau = vec![0.0; self.case.model.nv()];
        let mut on_links = vec![];
        for &(i, f) in impulses {
            match ports[i] {
                Port::Link(link) => on_links.push((link, f)),
                Port::Dof(dof) => tau[dof as usize] += f.angular.x,
            }
        }
        let mut dv = vec![0.0; tau.len()];
        self.response.apply(&self.tree, &self.kinematics, &on_links, &tau, &mut dv);
        let at = |port: &Port| match *port {
            Port::Link(link) => self.response.link_motions()[link as usize],
            Port::Dof(dof) => Port::joint_rate(dv[dof as usize]),
        };
        let jumps = ports.iter().map(at).collect();
        (dv, jumps)
    }
}

fn unit(k: usize) -> Force {
    let mut x = [0.0; 6];
    x[k] = 1.0;
    Force::from_array(x)
}

/// Column k of the blocks of port j.
fn column(blocks: &ResponseBlocks, j: usize, k: usize) -> Vec<f64> {
    (0..blocks.len()).flat_map(|i| blocks.block(i, j).map(|row| row[k])).collect()
}

fn numbers(motions: &[Motion]) -> Vec<f64> {
    motions.iter().flat_map(|m| m.to_array()).collect()
}

/// So many cases, or as many as `PROPTEST_CASES` says, for a soak.
fn cases(cases: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|s| s.parse().ok());
    let cases = asked.unwrap_or(cases);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

fn seed() -> impl Strategy<Value = u64> {
    any::<u64>().no_shrink()
}

proptest! {
    #![proptest_config(cases(192))]

    /// A block's column is the response to a unit impulse; blocks are symmetric; pushing adds a column.
    #[test]
    fn blocks_are_responses_to_unit_impulses(
        shape in 0u8..12, n in 1usize..=40, count in 0usize..=12, frozen: bool, seed in seed(),
    ) {
        let mut rng = Rng::new(seed, 1000);
        let mut body = Body::new(shaped(shape, n, seed), if frozen { 0.4 } else { 0.0 }, &mut rng);
        let mut blocks = ResponseBlocks::default();
        // the second update meets what the first has left behind
        for count in [count, count / 2 + 1] {
            let ports = body.ports(count, &mut rng);
            blocks.update(&body.response, &body.tree, &body.kinematics, &ports);
            prop_assert_eq!(blocks.len(), ports.len());
            // all columns in one list: one alone may hold nothing but rounding, where a body cannot move
            let (mut got, mut expected) = (vec![], vec![]);
            for j in 0..ports.len() {
                for k in 0..6 {
                    got.extend(column(&blocks, j, k));
                    // a degree of freedom answers to its first number alone
                    let f = if k < ports[j].dimension() { unit(k) } else { Force::ZERO };
                    expected.extend(numbers(&body.apply(&ports, &[(j, f)]).1));
                }
                for i in 0..ports.len() {
                    for (r, row) in blocks.block(i, j).iter().enumerate() {
                        for c in 0..6 {
                            let scale = (blocks.block(i, i)[r][r] * blocks.block(j, j)[c][c]).sqrt();
                            let other = blocks.block(j, i)[c][r];
                            prop_assert!((row[c] - other).abs() <= SAME_FACTORS * scale);
                        }
                    }
                }
                let f = rng.force(1.0);
                let mut velocities = vec![Motion::ZERO; ports.len()];
                blocks.push(j, f, &mut velocities);
                let (_, pushed) = body.apply(&ports, &[(j, f)]);
                assert_close("push", &numbers(&velocities), &numbers(&pushed), SAME_FACTORS);
            }
            assert_close("blocks", &got, &expected, SAME_FACTORS);
        }
    }

    /// Λ = J M⁻¹ Jᵀ, by algorithms that share nothing with the sweep.
    #[test]
    fn blocks_are_jacobians_on_the_inverse_mass_matrix(shape in 0u8..12, n in 1usize..=12, seed in seed()) {
        let mut rng = Rng::new(seed, 1000);
        let case = shaped(shape, n, seed);
        let (m, nv) = (mass_matrix(&case), case.model.nv());
        let body = Body::new(case, 0.0, &mut rng);
        // rows of J, six for a link and one for a degree of freedom
        let (mut ports, mut jacobians) = (vec![], vec![]);
        for (b, info) in body.case.model.bodies().iter().enumerate() {
            let Some(link) = info.link else { continue };
            let origin = info.link_from_body.inverse().translation;
            let mut j = vec![vec![0.0; nv]; 6];
            for column in point_jacobian(&body.case.model, &body.kinematics, BodyId::new(b), origin) {
                for (row, x) in j.iter_mut().zip(column.motion.to_array()) {
                    row[column.dof] = x;
                }
            }
            ports.push(Port::Link(link.0));
            jacobians.push(j);
        }
        for dof in 0..nv {
            let mut j = vec![vec![0.0; nv]; 6];
            j[0][dof] = 1.0;
            ports.push(Port::Dof(dof as u32));
            jacobians.push(j);
        }
        let mut blocks = ResponseBlocks::default();
        blocks.update(&body.response, &body.tree, &body.kinematics, &ports);
        // all columns in one list: one alone may hold nothing but rounding, where a body cannot move
        let (mut got, mut expected) = (vec![], vec![]);
        for j in 0..ports.len() {
            for k in 0..ports[j].dimension() {
                let x = m.solve(&jacobians[j][k]).expect("positive definite");
                let dot = |row: &Vec<f64>| row.iter().zip(&x).map(|(a, b)| a * b).sum::<f64>();
                expected.extend(jacobians.iter().flatten().map(dot));
                got.extend(column(&blocks, j, k));
            }
        }
        assert_close("J M⁻¹ Jᵀ", &got, &expected, MASS_MATRIX);
    }

    /// Gauss–Seidel by deferred impulses visits the same velocities as with a response for every impulse, in any order of
    /// visits, and ends with the same motion, which is that of the sum of all impulses.
    #[test]
    fn deferred_impulses_arrive_in_time(
        shape in 0u8..12, n in 1usize..=40, count in 1usize..=24, frozen: bool, in_order: bool, seed in seed(),
    ) {
        let mut rng = Rng::new(seed, 1000);
        let mut body = Body::new(shaped(shape, n, seed), if frozen { 0.4 } else { 0.0 }, &mut rng);
        let mut blocks = ResponseBlocks::default();
        let mut deferred = Deferred::default();
        for count in [count, count / 2 + 1] {
            let ports = body.ports(count, &mut rng);
            if ports.is_empty() {
                continue;
            }
            blocks.update(&body.response, &body.tree, &body.kinematics, &ports);
            deferred.begin(&body.response, &body.tree, &body.kinematics, &ports);
            // blocks on demand are the blocks
            let (mut got, mut expected) = (vec![], vec![]);
            for i in 0..ports.len() {
                for j in 0..ports.len() {
                    got.extend(deferred.block(i, j).as_flattened());
                    expected.extend(blocks.block(i, j).as_flattened());
                }
            }
            assert_close("one block", &got, &expected, SAME_FACTORS);
            // each port is asked to move by so much in one direction
            let goals: Vec<(Force, f64)> = ports
                .iter()
                .map(|port| match port {
                    Port::Link(_) => (rng.force(1.0), rng.range(-1.0, 1.0)),
                    Port::Dof(_) => (Port::joint_impulse(1.0), rng.range(-1.0, 1.0)),
                })
                .collect();
            let compliance = |i: usize| {
                let mut jumps = vec![Motion::ZERO; ports.len()];
                blocks.push(i, goals[i].0, &mut jumps);
                goals[i].0.dot(jumps[i])
            };
            let compliances: Vec<f64> = (0..ports.len()).map(compliance).collect();
            let softest = compliances.iter().fold(1e-3, |m: f64, x| m.max(*x));
            let order: Vec<usize> = (0..4 * ports.len())
                .map(|k| {
                    if in_order { deferred.order()[k % ports.len()] as usize } else { rng.below(ports.len()) }
                })
                .collect();
            let mut dv = vec![0.0; body.case.model.nv()];
            let mut velocities = vec![Motion::ZERO; ports.len()];
            let mut sums = vec![Force::ZERO; ports.len()];
            let (mut seen, mut expected) = (vec![], vec![]);
            for i in order {
                let (along, goal) = goals[i];
                let velocity = deferred.velocity_at(i);
                seen.push(velocity);
                expected.push(velocities[i]);
                // a body that hardly moves this way would be pushed without measure: all ports give a little
                let give = compliances[i] + 0.01 * softest;
                let step = |velocity: Motion| along * ((goal - along.dot(velocity)) / give);
                deferred.push(i, step(velocity));
                let push = step(velocities[i]);
                sums[i] += push;
                let (jump, jumps) = body.apply(&ports, &[(i, push)]);
                dv.iter_mut().zip(&jump).for_each(|(sum, x)| *sum += x);
                velocities.iter_mut().zip(&jumps).for_each(|(sum, x)| *sum += *x);
            }
            assert_close("velocities seen", &numbers(&seen), &numbers(&expected), SWEEPS);
            let mut got = vec![0.0; dv.len()];
            deferred.finish(&mut body.response, &body.tree, &body.kinematics, &mut got);
            assert_close("motion at the end", &got, &dv, SWEEPS);
            let all: Vec<(usize, Force)> = deferred.impulses().iter().copied().enumerate().collect();
            let (of_sum, at_ports) = body.apply(&ports, &all);
            assert_close("one response to the sum", &got, &of_sum, SAME_FACTORS);
            let last: Vec<Motion> = (0..ports.len()).map(|i| deferred.velocity_at(i)).collect();
            assert_close("velocities at the end", &numbers(&last), &numbers(&at_ports), SWEEPS);
        }
    }
}
