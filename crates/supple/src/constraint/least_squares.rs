/// `x` for which `|m x − b|` is smallest, by Gram–Schmidt with pivoting; `columns` are those of m. Columns that depend on the
/// others, or are zero, get a zero in `x`.
pub(super) fn least_squares<const N: usize>(mut columns: [[f64; N]; N], mut b: [f64; N]) -> [f64; N] {
    /// Length, relative to the longest column, below which what is left of a column is rounding.
    const RANK: f64 = 1e-13;
    let mut order: [usize; N] = std::array::from_fn(|i| i);
    let mut r = [[0.0; N]; N]; // r[i][k]: column k along q[i], in pivoted order
    let mut rhs = [0.0; N];
    let mut rank = 0;
    let longest = columns.iter().map(|c| dot(c, c)).fold(0.0, f64::max).sqrt();
    while rank < N {
        // ties go to the first
        let mut pivot = rank;
        for k in rank + 1..N {
            if dot(&columns[k], &columns[k]) > dot(&columns[pivot], &columns[pivot]) {
                pivot = k;
            }
        }
        let length = dot(&columns[pivot], &columns[pivot]).sqrt();
        if !(length > RANK * longest) {
            break;
        }
        columns.swap(rank, pivot);
        order.swap(rank, pivot);
        for above in r.iter_mut().take(rank) {
            above.swap(rank, pivot);
        }
        let q = columns[rank].map(|x| x / length);
        r[rank][rank] = length;
        for k in rank + 1..N {
            r[rank][k] = take_out(&q, &mut columns[k]);
        }
        rhs[rank] = take_out(&q, &mut b);
        rank += 1;
    }
    let mut x = [0.0; N];
    for i in (0..rank).rev() {
        let known: f64 = (i + 1..rank).map(|k| r[i][k] * x[order[k]]).sum();
        x[order[i]] = (rhs[i] - known) / r[i][i];
    }
    x
}

fn dot<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Removes from `v` its part along the unit vector `q`, and returns how much it was.
fn take_out<const N: usize>(q: &[f64; N], v: &mut [f64; N]) -> f64 {
    let along = dot(q, v);
    for (v, q) in v.iter_mut().zip(q) {
        *v -= q * along;
    }
    along
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(m: &[[f64; 3]; 3], x: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|i| (0..3).map(|k| m[k][i] * x[k]).sum())
    }

    #[test]
    fn regular_systems_are_solved_and_singular_ones_as_well_as_possible() {
        let m = [[4.0, 0.5, -0.2], [0.1, 1e-6, 0.7], [-3.0, 2.0, 1e3]];
        let x = [0.3, -2.0, 0.01];
        let found = least_squares(m, times(&m, x));
        assert!((0..3).all(|i| (found[i] - x[i]).abs() < 1e-12), "{found:?}");
        // two columns the same: the residual is perpendicular to both
        let m = [[1.0, 2.0, 0.0], [1.0, 2.0, 0.0], [0.0; 3]];
        let b = [1.0, 1.0, 1.0];
        let there = times(&m, least_squares(m, b));
        let left: [f64; 3] = std::array::from_fn(|i| b[i] - there[i]);
        assert!(dot(&m[0], &left).abs() < 1e-14, "{left:?}");
        assert_eq!(least_squares([[0.0; 3]; 3], b), [0.0; 3]);
    }
}
