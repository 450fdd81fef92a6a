//! Conjugate gradients and conjugate residuals for `A x = b`, with A known by its products only.
//!
//! Gradients are the cheaper ones and minimise the energy of what is left; residuals minimise its length, and where A is singular and
//! b cannot be met they end at a least-squares answer, as MINRES does (Paige & Saunders 1975): the direction is lost exactly when what is
//! left cannot be changed.

/// Working memory of both.
#[derive(Clone, Debug, Default)]
pub(crate) struct Krylov {
    r: Vec<f64>,
    p: Vec<f64>,
    ap: Vec<f64>,
    ar: Vec<f64>,
    /// The answer of gradients with the least left so far.
    best: Vec<f64>,
}

/// Which of the two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Conjugate gradients, and residuals from where they stop getting better.
    #[default]
    Gradients,
    /// Conjugate residuals (MINRES).
    Residuals,
}

/// A direction is lost when its energy is so small, relative to the length of what it is of.
const LOST: f64 = 1e-14;
/// Gradients have lost their way when the square of what is left is so many times the least that it was.
const GROWN: f64 = 1e6;

/// When an answer is good enough.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Enough {
    /// After so many products with A.
    pub(crate) products: u32,
    /// Where no more than this is left: |b − A x|.
    pub(crate) tolerance: f64,
}

impl Krylov {
    /// Improves `x` until it is good enough. Returns the products taken.
    pub(crate) fn solve(
        &mut self,
        method: Method,
        b: &[f64],
        x: &mut [f64],
        enough: Enough,
        mut times_a: impl FnMut(&[f64], &mut [f64]),
    ) -> u32 {
        for v in [&mut self.r, &mut self.p, &mut self.ap, &mut self.ar] {
            v.clear();
            v.resize(b.len(), 0.0);
        }
        let mut taken = 0;
        if x.iter().any(|x| *x != 0.0) {
            times_a(x, &mut self.ap);
            taken += 1;
        }
        for k in 0..b.len() {
            self.r[k] = b[k] - self.ap[k];
        }
        if method == Method::Gradients {
            if self.gradients(x, enough, &mut taken, &mut times_a) {
                return taken;
            }
            // b cannot be met: back to where they were best
            x.copy_from_slice(&self.best);
            times_a(x, &mut self.ap);
            taken += 1;
            for k in 0..b.len() {
                self.r[k] = b[k] - self.ap[k];
            }
        }
        self.residuals(x, enough, &mut taken, &mut times_a);
        taken
    }

    /// Conjugate gradients; false where they break down.
    fn gradients(
        &mut self,
        x: &mut [f64],
        enough: Enough,
        taken: &mut u32,
        times_a: &mut impl FnMut(&[f64], &mut [f64]),
    ) -> bool {
        self.p.copy_from_slice(&self.r);
        let mut rr = dot(&self.r, &self.r);
        let mut least = rr;
        self.best.clear();
        self.best.extend_from_slice(x);
        while rr > enough.tolerance * enough.tolerance {
            if *taken >= enough.products {
                return true;
            }
            times_a(&self.p, &mut self.ap);
            *taken += 1;
            let energy = dot(&self.p, &self.ap);
            if !(energy > LOST * (dot(&self.p, &self.p) * dot(&self.ap, &self.ap)).sqrt()) {
                return false;
            }
            let step = rr / energy;
            axpy(step, &self.p, x);
            axpy(-step, &self.ap, &mut self.r);
            let next = dot(&self.r, &self.r);
            // what is left may grow for a while, but not for ever: then b cannot be met
            if !(next <= GROWN * least) {
                return false;
            }
            if next < least {
                least = next;
                self.best.copy_from_slice(x);
            }
            let beta = next / rr;
            for (p, r) in self.p.iter_mut().zip(&self.r) {
                *p = r + beta * *p;
            }
            rr = next;
        }
        true
    }

    /// Conjugate residuals, from what is left now.
    fn residuals(
        &mut self,
        x: &mut [f64],
        enough: Enough,
        taken: &mut u32,
        times_a: &mut impl FnMut(&[f64], &mut [f64]),
    ) {
        let Enough { products, tolerance } = enough;
        if *taken >= products || dot(&self.r, &self.r) <= tolerance * tolerance {
            return;
        }
        times_a(&self.r, &mut self.ar);
        *taken += 1;
        self.p.copy_from_slice(&self.r);
        self.ap.copy_from_slice(&self.ar);
        let mut rar = dot(&self.r, &self.ar);
        loop {
            let rr = dot(&self.r, &self.r);
            let length = dot(&self.ap, &self.ap);
            if rr <= tolerance * tolerance || *taken >= products || !(rar > LOST * rr * (length / rr).sqrt())
            {
                return;
            }
            let step = rar / length;
            axpy(step, &self.p, x);
            axpy(-step, &self.ap, &mut self.r);
            times_a(&self.r, &mut self.ar);
            *taken += 1;
            let next = dot(&self.r, &self.ar);
            let beta = next / rar;
            for k in 0..x.len() {
                self.p[k] = self.r[k] + beta * self.p[k];
                self.ap[k] = self.ar[k] + beta * self.ap[k];
            }
            rar = next;
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn axpy(a: f64, x: &[f64], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A = J Jᵀ for the rows of J, which may repeat.
    fn products(rows: &[[f64; 4]]) -> impl Fn(&[f64], &mut [f64]) {
        move |x, y| {
            let mut z = [0.0; 4];
            for (row, x) in rows.iter().zip(x) {
                for (z, r) in z.iter_mut().zip(row) {
                    *z += r * x;
                }
            }
            for (row, y) in rows.iter().zip(y) {
                *y = dot(row, &z);
            }
        }
    }

    const ROWS: [[f64; 4]; 3] = [[1.0, 0.2, 0.0, -0.3], [0.1, 2.0, 0.5, 0.0], [0.0, 0.4, 0.3, 1.5]];

    #[test]
    fn both_solve_what_can_be_solved_in_as_many_steps_as_there_are_rows() {
        let a = products(&ROWS);
        for method in [Method::Gradients, Method::Residuals] {
            let (b, mut x, mut ax) = ([0.3, -1.0, 2.0], [0.0; 3], [0.0; 3]);
            let taken =
                Krylov::default().solve(method, &b, &mut x, Enough { products: 50, tolerance: 1e-12 }, &a);
            a(&x, &mut ax);
            let left: f64 = b.iter().zip(ax).map(|(b, a)| (b - a).abs()).sum();
            assert!(left < 1e-11 && taken <= 5, "{method:?}: {left} after {taken}");
        }
    }

    /// Two rows ask for different values of the same thing: the mean is the least-squares answer.
    #[test]
    fn contradictions_get_a_least_squares_answer() {
        let rows = [ROWS[0], ROWS[1], ROWS[1]];
        let a = products(&rows);
        for method in [Method::Gradients, Method::Residuals] {
            let (b, mut x, mut ax) = ([0.3, -1.0, 2.0], [0.0; 3], [0.0; 3]);
            Krylov::default().solve(method, &b, &mut x, Enough { products: 200, tolerance: 1e-12 }, &a);
            a(&x, &mut ax);
            for (got, expected) in ax.iter().zip([0.3, 0.5, 0.5]) {
                assert!((got - expected).abs() < 1e-6, "{method:?}: {ax:?}");
            }
            assert!(x.iter().all(|x| x.abs() < 10.0), "{method:?}: {x:?}");
        }
    }
}
