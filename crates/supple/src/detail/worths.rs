use crate::spatial::math;

/// How many joints are worth how much, roughly: counts by powers of two. What a body asks of a budget that it shares with others.
#[derive(Clone, Debug, PartialEq)]
pub struct Worths {
    counts: [u32; Self::BINS],
}

impl Default for Worths {
    fn default() -> Self {
        Self { counts: [0; Self::BINS] }
    }
}

impl Worths {
    /// Bins, from 2⁻⁴⁰ to 2²⁴. Chosen wide: what is worth less or more is counted in the first or the last.
    const BINS: usize = 128;
    /// Bins per power of two. Chosen: a price is then known to a factor of the root of two.
    const PER_DOUBLE: f64 = 2.0;
    /// The power of two of the first bin.
    const LOWEST: f64 = -40.0;

    fn bin(worth: f64) -> Option<usize> {
        if !(worth > 0.0) {
            return None;
        }
        let bin = (math::log2(worth) - Self::LOWEST) * Self::PER_DOUBLE;
        Some((bin.max(0.0) as usize).min(Self::BINS - 1))
    }

    /// What joints of a bin are worth at least.
    fn edge(bin: usize) -> f64 {
        math::exp2(bin as f64 / Self::PER_DOUBLE + Self::LOWEST)
    }

    /// Forgets all joints.
    pub fn clear(&mut self) {
        self.counts = [0; Self::BINS];
    }

    /// Counts a joint; those worth nothing do not count.
    #[inline]
    pub fn count(&mut self, worth: f64) {
        if let Some(bin) = Self::bin(worth) {
            self.counts[bin] += 1;
        }
    }

    /// Counts the joints of another body, too.
    pub fn add(&mut self, other: &Self) {
        for (mine, others) in self.counts.iter_mut().zip(&other.counts) {
            *mine += others;
        }
    }

    /// Counts no longer the joints of another body.
    pub fn subtract(&mut self, other: &Self) {
        for (mine, others) in self.counts.iter_mut().zip(&other.counts) {
            *mine -= others;
        }
    }

    /// Joints worth at least this price, to within the width of a bin.
    pub fn at_least(&self, price: f64) -> usize {
        let first = Self::bin(price).unwrap_or(0);
        self.counts[first..].iter().map(|n| *n as usize).sum()
    }

    /// The highest price at which there are at least so many joints to be had; the lowest if there never are.
    pub fn price_of(&self, joints: usize) -> f64 {
        let mut sum = 0;
        for (bin, count) in self.counts.iter().enumerate().rev() {
            sum += *count as usize;
            if sum >= joints {
                return Self::edge(bin);
            }
        }
        Self::edge(0)
    }
}

#[cfg(test)]
mod tests {
    use super::Worths;

    #[test]
    fn the_price_is_where_supply_meets_demand() {
        let mut worths = Worths::default();
        (0..20).for_each(|i| worths.count(f64::from(1 << i)));
        worths.count(0.0);
        worths.count(f64::NAN);
        assert_eq!((worths.at_least(0.0), worths.at_least(1024.0)), (20, 10));
        for joints in [1, 5, 20] {
            let price = worths.price_of(joints);
            assert_eq!(worths.at_least(price), joints);
        }
        assert!(worths.price_of(21) < 1e-9);
    }
}
