use proptest::prelude::*;

use super::{Factor, Pattern};

/// Numbers in \[-1, 1) that a seed decides.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn list(&mut self, count: usize) -> Vec<f64> {
        (0..count).map(|_| self.next()).collect()
    }
}

/// A constraint on two bodies of unit inertia: A = J Jᵀ.
#[derive(Clone, Debug)]
struct Node {
    bodies: [usize; 2],
    /// One row of J per scalar row, for each of the two bodies.
    rows: Vec<[[f64; 6]; 2]>,
}

impl Node {
    fn random(bodies: [usize; 2], rows: usize, random: &mut Random) -> Self {
        let row = |_| [0; 2].map(|_| std::array::from_fn(|_| random.next()));
        Self { bodies, rows: (0..rows).map(row).collect() }
    }

    fn block(&self, other: &Self) -> Vec<f64> {
        let mut block = vec![0.0; self.rows.len() * other.rows.len()];
        for (r, a) in self.rows.iter().enumerate() {
            for (c, b) in other.rows.iter().enumerate() {
                for (side, body) in self.bodies.iter().enumerate() {
                    for (other_side, _) in other.bodies.iter().enumerate().filter(|(_, b)| *b == body) {
                        let terms = a[side].iter().zip(&b[other_side]).map(|(x, y)| x * y);
                        block[r * other.rows.len() + c] += terms.sum::<f64>();
                    }
                }
            }
        }
        block
    }
}

/// A as a pattern with its numbers, and as a dense matrix.
struct System {
    pattern: Pattern,
    factor: Factor,
    dense: Vec<Vec<f64>>,
}

impl System {
    fn new(nodes: &[Node], ridge: f64) -> Self {
        let sizes: Vec<u8> = nodes.iter().map(|n| n.rows.len() as u8).collect();
        let share = |i: usize, j: usize| nodes[i].bodies.iter().any(|b| nodes[j].bodies.contains(b));
        let pairs =
            || (0..nodes.len()).flat_map(|i| (0..i).map(move |j| (i, j))).filter(|&(i, j)| share(i, j));
        let edges: Vec<(u32, u32)> = pairs().map(|(i, j)| (i as u32, j as u32)).collect();
        let pattern = Pattern::new(&sizes, &edges);
        let mut factor = Factor::default();
        factor.clear(&pattern);
        let mut dense = vec![vec![0.0; pattern.rows()]; pattern.rows()];
        for (i, j) in pairs().chain((0..nodes.len()).map(|i| (i, i))) {
            let mut block = nodes[i].block(&nodes[j]);
            if i == j {
                block.iter_mut().step_by(nodes[i].rows.len() + 1).for_each(|a| *a += ridge);
            }
            // Either way of naming the pair must do.
            if (i + j) % 2 == 0 {
                factor.add(pattern.place(i, j), &block);
            } else {
                factor.add(pattern.place(j, i), &nodes[j].block(&nodes[i]));
            }
            let (row, column, columns) = (pattern.offset(i), pattern.offset(j), nodes[j].rows.len());
            for (at, a) in block.iter().enumerate() {
                dense[row + at / columns][column + at % columns] = *a;
                dense[column + at % columns][row + at / columns] = *a;
            }
        }
        Self { pattern, factor, dense }
    }

    fn solve(&self, b: &[f64]) -> Vec<f64> {
        let mut x = b.to_vec();
        self.factor.solve(&self.pattern, &mut x, &mut Vec::new());
        x
    }

    fn times(&self, x: &[f64]) -> Vec<f64> {
        self.dense.iter().map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum()).collect()
    }
}

/// Dense Cholesky, on the rows that are not off; the unknowns of the others are 0.
fn dense_solution(a: &[Vec<f64>], b: &[f64], off: &[bool]) -> Vec<f64> {
    let rows: Vec<usize> = (0..b.len()).filter(|&i| off.is_empty() || !off[i]).collect();
    let n = rows.len();
    let mut l = vec![vec![0.0; n]; n];
    let mut z = vec![0.0; n];
    for i in 0..n {
        for j in 0..=i {
            let sum: f64 = a[rows[i]][rows[j]] - (0..j).map(|k| l[i][k] * l[j][k]).sum::<f64>();
            l[i][j] = if i == j { sum.sqrt() } else { sum / l[j][j] };
        }
        z[i] = (b[rows[i]] - (0..i).map(|k| l[i][k] * z[k]).sum::<f64>()) / l[i][i];
    }
    let mut x = vec![0.0; b.len()];
    for i in (0..n).rev() {
        x[rows[i]] = (z[i] - (i + 1..n).map(|k| l[k][i] * x[rows[k]]).sum::<f64>()) / l[i][i];
    }
    x
}

fn largest(list: impl IntoIterator<Item = f64>) -> f64 {
    list.into_iter().fold(0.0, |m, x| if x.is_nan() { f64::NAN } else { x.abs().max(m) })
}

fn relative_error(got: &[f64], expected: &[f64]) -> f64 {
    largest(got.iter().zip(expected).map(|(a, b)| a - b)) / largest(expected.iter().copied()).max(1e-300)
}

/// The ridge keeps the condition below about 1e4; times the rounding of sums of 200 terms this is 1e-11.
const RIDGE: f64 = 0.05;
const WELL_CONDITIONED: f64 = 1e-10;

/// Nodes on random pairs of bodies, from loose to nearly all connected.
fn random_nodes() -> impl Strategy<Value = Vec<Node>> {
    let node = (1..=12_usize, any::<[u16; 2]>());
    (proptest::collection::vec(node, 1..28), 2..40_usize, any::<u64>()).prop_map(|(nodes, bodies, seed)| {
        let mut random = Random(seed);
        let pick = |[a, b]: [u16; 2]| {
            let first = usize::from(a) % bodies;
            [first, (first + 1 + usize::from(b) % (bodies - 1)) % bodies]
        };
        nodes.into_iter().map(|(rows, pair)| Node::random(pick(pair), rows, &mut random)).collect()
    })
}

proptest! {
    /// Two algorithms, one answer; twice the same bits, also with memory that has served another pattern.
    #[test]
    fn agrees_with_dense_cholesky(nodes in random_nodes(), seed: u64) {
        let mut system = System::new(&nodes, RIDGE);
        let b = Random(seed).list(system.pattern.rows());
        prop_assert_eq!(system.factor.factor(&system.pattern, 0.0, &[]), 0);
        let x = system.solve(&b);
        let error = relative_error(&x, &dense_solution(&system.dense, &b, &[]));
        prop_assert!(error < WELL_CONDITIONED, "error {}", error);

        let again = System::new(&nodes, RIDGE);
        let mut other = System::new(&nodes[..nodes.len().div_ceil(2)], RIDGE);
        other.factor.factor(&other.pattern, 0.0, &[]);
        other.factor.clear(&again.pattern);
        for i in 0..nodes.len() {
            for j in 0..=i {
                if i == j || nodes[i].bodies.iter().any(|b| nodes[j].bodies.contains(b)) {
                    let place = again.pattern.place(i, j);
                    let block = again.factor.clone().block_mut(place).to_vec();
                    other.factor.block_mut(place).copy_from_slice(&block);
                }
            }
        }
        other.factor.factor(&again.pattern, 0.0, &[]);
        other.pattern = again.pattern;
        prop_assert_eq!(other.solve(&b), x);
    }

    /// Rows switched off are as if they had been left out.
    #[test]
    fn switched_off_rows_are_absent(nodes in random_nodes(), seed: u64) {
        let mut system = System::new(&nodes, RIDGE);
        let mut random = Random(seed);
        let b = random.list(system.pattern.rows());
        let off: Vec<bool> = b.iter().map(|_| random.next() < -0.3).collect();
        prop_assert_eq!(system.factor.factor(&system.pattern, 0.0, &off), 0);
        let x = system.solve(&b);
        prop_assert!(x.iter().zip(&off).all(|(x, off)| !off || *x == 0.0));
        let error = relative_error(&x, &dense_solution(&system.dense, &b, &off));
        prop_assert!(error < WELL_CONDITIONED, "error {}", error);
        // All on again, without a new assembly.
        system.factor.factor(&system.pattern, 0.0, &[]);
        let error = relative_error(&system.solve(&b), &dense_solution(&system.dense, &b, &[]));
        prop_assert!(error < WELL_CONDITIONED, "error {}", error);
    }

    /// Damping adds to the diagonal, in proportion.
    #[test]
    fn damping_is_relative_to_the_diagonal(nodes in random_nodes(), seed: u64) {
        let mut system = System::new(&nodes, RIDGE);
        let b = Random(seed).list(system.pattern.rows());
        system.factor.factor(&system.pattern, 0.25, &[]);
        let x = system.solve(&b);
        for (i, row) in system.dense.iter_mut().enumerate() {
            row[i] *= 1.25;
        }
        let error = relative_error(&x, &dense_solution(&system.dense, &b, &[]));
        prop_assert!(error < WELL_CONDITIONED, "error {}", error);
    }

    /// Each constraint of a chain stands there twice: one of the two is set aside, and a right side that can be met is
    /// met. Only rounding is left, times the condition of a random chain (seldom above 1e5).
    #[test]
    fn repeated_constraints_are_set_aside(count in 1..30_usize, rows in 1..=5_usize, seed: u64) {
        let mut random = Random(seed);
        let mut nodes: Vec<Node> = (0..count).map(|i| Node::random([i, i + 1], rows, &mut random)).collect();
        nodes.extend(nodes.clone());
        let mut system = System::new(&nodes, 0.0);
        prop_assert_eq!(system.factor.factor(&system.pattern, 0.0, &[]), count * rows);
        let b = system.times(&random.list(system.pattern.rows()));
        let error = relative_error(&system.times(&system.solve(&b)), &b);
        prop_assert!(error < 1e-9, "error {}", error);
    }
}

/// The hinges of a plane four-bar loop hold three directions out of the plane once too often.
#[test]
fn a_four_bar_loop_has_three_rows_too_many() {
    let corners = [[0.0, 0.0], [0.1, 1.0], [1.3, 1.2], [1.0, 0.0]];
    let middle = |i: usize| [0, 1].map(|k| 0.5 * (corners[i % 4][k] + corners[(i + 1) % 4][k]));
    // Body 3 is the ground, which does not move: its part of J is zero.
    let nodes: Vec<Node> = (0..4)
        .map(|i| {
            let bodies = [(i + 3) % 4, i];
            let mut rows = vec![[[0.0; 6]; 2]; 5];
            for (side, sign) in [-1.0, 1.0].into_iter().enumerate().filter(|&(s, _)| bodies[s] != 3) {
                let center = middle(bodies[side]);
                let [x, y] = [0, 1].map(|k| corners[i][k] - center[k]);
                // v + ω × r, then ω_x and ω_y.
                let moves = [[0.0, 0.0, -y], [0.0, 0.0, x], [y, -x, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
                for (k, turn) in moves.into_iter().enumerate() {
                    rows[k][side][..3].copy_from_slice(&turn.map(|t| sign * t));
                    if k < 3 {
                        rows[k][side][3 + k] = sign;
                    }
                }
            }
            Node { bodies, rows }
        })
        .collect();
    let mut system = System::new(&nodes, 0.0);
    assert_eq!(system.factor.factor(&system.pattern, 0.0, &[]), 3);
    let b = system.times(&Random(3).list(20));
    let error = relative_error(&system.times(&system.solve(&b)), &b);
    assert!(error < 1e-12, "error {error}"); // numbers of order one: only rounding
}

/// A row of zeros has nothing to say.
#[test]
fn zero_rows_are_set_aside() {
    let mut random = Random(1);
    let mut node = Node::random([0, 1], 3, &mut random);
    node.rows[1] = [[0.0; 6]; 2];
    let mut system = System::new(&[node], 0.0);
    assert_eq!(system.factor.factor(&system.pattern, 1e-9, &[]), 1);
    assert_eq!(system.solve(&[1.0, 1.0, 1.0])[1], 0.0);
}

#[test]
fn nothing_to_solve() {
    let mut system = System::new(&[], 0.0);
    assert_eq!(system.factor.factor(&system.pattern, 0.0, &[]), 0);
    assert!(system.solve(&[]).is_empty());
}

/// Knots and rods of a square net: pairs of bodies, a joint each.
fn net(cells: usize) -> Vec<[usize; 2]> {
    let side = cells + 1;
    let mut joints = Vec::new();
    let mut rod = side * side;
    for y in 0..side {
        for x in 0..side {
            let knot = y * side + x;
            for (fits, other) in [(x < cells, knot + 1), (y < cells, knot + side)] {
                if fits {
                    joints.extend([[knot, rod], [rod, other]]);
                    rod += 1;
                }
            }
        }
    }
    joints
}

#[test]
fn a_net_is_solved() {
    let mut random = Random(5);
    let nodes: Vec<Node> = net(6).into_iter().map(|bodies| Node::random(bodies, 3, &mut random)).collect();
    let mut system = System::new(&nodes, RIDGE);
    let b = random.list(system.pattern.rows());
    system.factor.factor(&system.pattern, 0.0, &[]);
    let error = relative_error(&system.solve(&b), &dense_solution(&system.dense, &b, &[]));
    assert!(error < WELL_CONDITIONED, "error {error}");
}

/// The ordering stays good: a chain has no more fill than the merging of fronts makes, and a net grows little faster than
/// its nodes (n log n at best).
#[test]
fn fill_is_low() {
    let fill = |joints: &[[usize; 2]], size: u8| {
        let mut at = vec![Vec::new(); joints.iter().flatten().max().map_or(0, |m| m + 1)];
        let mut edges = Vec::new();
        for (i, bodies) in joints.iter().enumerate() {
            for &body in bodies {
                edges.extend(at[body].iter().map(|&j| (i as u32, j)));
                at[body].push(i as u32);
            }
        }
        Pattern::new(&vec![size; joints.len()], &edges).fill()
    };
    let chain: Vec<[usize; 2]> = (0..100).map(|i| [i, i + 1]).collect();
    assert!(fill(&chain, 5) <= 100 * (15 + 2 * 25));
    assert!(fill(&net(15), 3) <= 80_000); // 73,000 when written
    assert!(fill(&net(30), 3) <= 390_000); // 355,000
}
