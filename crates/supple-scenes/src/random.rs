/// Steele, Lea & Flood's SplitMix64 (2014): small, and the same numbers on every machine and in every version.
#[derive(Clone, Debug)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// A sequence of its own for every seed.
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// A sequence of its own for every seed, thing and turn: chance that needs no memory.
    pub const fn of(seed: u64, thing: usize, turn: u64) -> Self {
        let thing = Self::new(seed).bits().wrapping_add(thing as u64);
        Self::new(Self::new(thing).bits().wrapping_add(turn))
    }

    /// The next 64 bits.
    pub const fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in [low, high).
    pub const fn between(&mut self, low: f64, high: f64) -> f64 {
        let unit = (self.bits() >> 11) as f64 / (1u64 << 53) as f64;
        low + (high - low) * unit
    }

    /// A whole number below `n` (0 for n = 0).
    pub const fn below(&mut self, n: usize) -> usize {
        ((self.bits() as u128 * n as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers of seed 1234567, as the published reference code prints them.
    #[test]
    fn the_published_sequence() {
        let mut random = SplitMix64::new(1_234_567);
        let expected = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!(expected.map(|_| random.bits()), expected);
    }

    #[test]
    fn numbers_stay_in_their_range() {
        let mut random = SplitMix64::new(1);
        for _ in 0..1000 {
            assert!((-2.0..3.0).contains(&random.between(-2.0, 3.0)));
            assert!(random.below(7) < 7);
        }
        assert_eq!(random.below(0), 0);
    }
}
