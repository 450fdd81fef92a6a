//! How a planar chain hangs that is tied to a point by a spring: the minimum of its potential energy.
//!
//! Knows nothing of supple's dynamics, so that it can judge them. With the angles θ of the links from the x axis, the ends
//! are l Σ (cos θ, sin θ); height and spring give
//!
//! ```text
//!  E(θ) = Σ wᵢ l sin θᵢ + ½ k |p − P|²        wᵢ = m g (n − i − ½), weight beyond the middle of link i = 0, 1, …
//! ```
//!
//! and a Hessian that is a diagonal plus two outer products (the spring's), which is inverted by Woodbury's formula.

use glam::{DMat2, DVec2};

/// Minimisation ends when no angle's gradient is more than this share of the weight's moment.
const FLAT: f64 = 1e-13;
const MOST_STEPS: usize = 1000;

/// A chain of equal links that hangs from the origin, with a spring at the end of one of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hanging {
    pub(crate) links: usize,
    /// Length \[m] and weight \[N] of a link.
    pub(crate) length: f64,
    pub(crate) weight: f64,
    /// The spring pulls at the end of this many links \[N/m], towards this point \[m].
    pub(crate) attach: usize,
    pub(crate) stiffness: f64,
    pub(crate) anchor: DVec2,
}

impl Hanging {
    /// Ends of all links \[m].
    pub(crate) fn ends(&self, angles: &[f64]) -> Vec<DVec2> {
        let along = |end: &mut DVec2, angle: &f64| {
            *end += self.length * DVec2::from_angle(*angle);
            Some(*end)
        };
        angles.iter().scan(DVec2::ZERO, along).collect()
    }

    /// Potential energy, zero for all masses at the height of the origin and a slack spring \[J].
    pub(crate) fn energy(&self, angles: &[f64]) -> f64 {
        let height: f64 = (0..self.links).map(|i| self.beyond(i) * self.length * angles[i].sin()).sum();
        height + 0.5 * self.stiffness * self.stretch(angles).length_squared()
    }

    /// The angles of least energy, found from hanging straight down.
    pub(crate) fn minimum(&self) -> Vec<f64> {
        let mut angles = vec![-std::f64::consts::FRAC_PI_2; self.links];
        // not quite straight: with the anchor in line the gradient would be zero
        angles.iter_mut().enumerate().for_each(|(i, a)| *a += 1e-3 * (i as f64 + 1.0).sin());
        let scale = self.weight * self.length * (self.links * self.links) as f64;
        for _ in 0..MOST_STEPS {
            let (gradient, step) = self.newton(&angles);
            if gradient.iter().all(|g| g.abs() <= FLAT * scale) {
                break;
            }
            let slope: f64 = gradient.iter().zip(&step).map(|(g, s)| g * s).sum();
            let (before, mut share) = (self.energy(&angles), 1.0);
            // shorter until it goes down as it should
            let moved = |share: f64| angles.iter().zip(&step).map(|(a, s)| a + share * s).collect::<Vec<_>>();
            while self.energy(&moved(share)) > before + 1e-4 * share * slope && share > 1e-12 {
                share *= 0.5;
            }
            angles = moved(share);
        }
        angles
    }

    /// Weight beyond the middle of a link \[N].
    fn beyond(&self, link: usize) -> f64 {
        self.weight * (self.links as f64 - link as f64 - 0.5)
    }

    /// From the anchor to the end that the spring pulls at \[m].
    fn stretch(&self, angles: &[f64]) -> DVec2 {
        let end = angles[..self.attach].iter().map(|a| self.length * DVec2::from_angle(*a)).sum::<DVec2>();
        end - self.anchor
    }

    /// Gradient, and a step that goes down: Newton's where the Hessian's diagonal is positive.
    fn newton(&self, angles: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (l, k, pull) = (self.length, self.stiffness, self.stretch(angles));
        let mut gradient = Vec::with_capacity(self.links);
        let mut diagonal = Vec::with_capacity(self.links);
        // how the tied end moves with each angle
        let mut moves = Vec::with_capacity(self.links);
        for (i, angle) in angles.iter().enumerate() {
            let (sin, cos) = angle.sin_cos();
            let arm = if i < self.attach { l * DVec2::new(-sin, cos) } else { DVec2::ZERO };
            let bend = if i < self.attach { -l * k * pull.dot(DVec2::new(cos, sin)) } else { 0.0 };
            gradient.push(self.beyond(i) * l * cos + k * pull.dot(arm));
            diagonal.push((bend - self.beyond(i) * l * sin).abs().max(1e-3 * self.weight * l));
            moves.push(arm);
        }
        // (D + k J Jᵀ)⁻¹ g = D⁻¹ g − D⁻¹ J (1/k + Jᵀ D⁻¹ J)⁻¹ Jᵀ D⁻¹ g
        let mut small = DMat2::from_diagonal(DVec2::splat(1.0 / k));
        let mut right = DVec2::ZERO;
        for i in 0..self.links {
            let scaled = moves[i] / diagonal[i];
            small += DMat2::from_cols(scaled * moves[i].x, scaled * moves[i].y);
            right += scaled * gradient[i];
        }
        let by = small.inverse() * right;
        let step = (0..self.links).map(|i| (moves[i].dot(by) - gradient[i]) / diagonal[i]).collect();
        (gradient, step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIGURE_6: Hanging = Hanging {
        links: 50,
        length: 0.1,
        weight: 0.981,
        attach: 30,
        stiffness: 200.0,
        anchor: DVec2::new(2.25, -1.25),
    };

    /// Theory, section 13.2.
    #[test]
    fn the_minimum_is_the_one_of_the_theory() {
        let angles = FIGURE_6.minimum();
        let energy = FIGURE_6.energy(&angles);
        assert!((energy - -76.004).abs() < 1e-3, "{energy} J");
        let tip = FIGURE_6.ends(&angles)[49];
        assert!(tip.distance(DVec2::new(2.2006, -3.3793)) < 1e-3, "{tip}");
        let straight = FIGURE_6.energy(&[-std::f64::consts::FRAC_PI_2; 50]);
        assert!((straight - energy - 765.9).abs() < 0.1, "{}", straight - energy);
    }

    /// Nothing near it lies lower, for any link that the spring may pull at.
    #[test]
    fn nothing_near_the_minimum_lies_lower() {
        for attach in [1, 15, 30, 41, 50] {
            let chain = Hanging { attach, ..FIGURE_6 };
            let angles = chain.minimum();
            let lowest = chain.energy(&angles);
            for i in 0..50 {
                for step in [-1e-3, 1e-3] {
                    let mut near = angles.clone();
                    near[i] += step;
                    assert!(chain.energy(&near) > lowest, "attach {attach}, link {i}");
                }
            }
        }
    }
}
