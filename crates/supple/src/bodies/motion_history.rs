//! How a body moved lately, by which rest is told from the slowest moment of a fall.
//!
//! What topples moves as x(t) = a exp(λ t) + b exp(-λ t) with a rate λ of some 1/s: slow at first, and slow again where it just gets over
//! its highest point or stands still before it falls back. What rests has motion that dies away, down to what the solver leaves. So speed
//! alone does not tell them apart; that it does not grow, and is next to nothing, does.

/// The quiet time is seen in so many parts: growth is that of the later half over the earlier, each of two parts, so that what trembles once in
/// a while has its mean; and of the last part over the one before, since what came down and then begins to fall has its impact in the earlier half.
const PARTS: usize = 4;

/// Motion grows if its mean square is so many times that of before. A fall gains a factor of exp(λ T)
/// in half of a quiet time T: 3.9 for a pole of 2 m, 1.5 for one of 20 m, and for a person who sinks forward against the dampers of the joints.
/// What trembles evenly has 1, and one out of some twenty parts of a pile of people 1.25 or more: that person sleeps an eighth of a second
/// later.
const GROWS: f64 = 1.25;

/// Growth below this is that of rounding, as a share of what its support gives in a step: upright legs of a robot begin to fall with 4e-5,
/// what lies still has 1e-10 or less, and a stack that was put down exactly has 1e-6 until the solver has found its balance.
const ROUNDING: f64 = 1e-5;

/// What is slower than this share of what its support gives in a step \[m/s per m/s] stands still: people in a pile at 1/120 s come down to
/// 0.02 to 0.05, since that much of the forces of a step is left unsolved. Half of it would keep some of them awake for four quiet times; twice
/// as much is 8 mm/s there, at which a pole of 2 m may pass its highest point. What turns back there is told from rest if it does so by more
/// than 0.6 % of the gravity, at 1/1000 s by more than 0.07 %.
const STILL: f64 = 0.05;

/// And slower than this share of the speed below which things are quiet, however hard they are pressed.
const MOST: f64 = 0.25;

/// What has been quiet for so many quiet times need not be as still: a pole that rocks on its foot does not come to rest for minutes. A fall
/// whose speed changes by exp(λ t) would have been faster than quiet before, or is slower than still by now.
const LONG: usize = 4;

/// What was seen of something, means over time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Seen {
    /// Square of its speed \[m²/s²].
    pub(crate) square: f64,
    /// What its support gave it, per mass \[m/s²].
    pub(crate) push: f64,
}

/// The last parts of the time for which something has been quiet.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct MotionHistory {
    /// The oldest first.
    parts: [Seen; PARTS],
    /// How many parts there were since it moved, up to a limit.
    count: u8,
    /// The part that has begun, and how long it is by now \[s].
    begun: Seen,
    time: f64,
}

impl MotionHistory {
    /// It was quiet in a step of `dt` \[s]; the quiet time is `long` \[s].
    pub(crate) fn note(&mut self, now: Seen, dt: f64, long: f64) {
        self.time += dt;
        let share = dt / self.time;
        self.begun.square += share * (now.square - self.begun.square);
        self.begun.push += share * (now.push - self.begun.push);
        // rounding must not add a step
        if self.time >= long / PARTS as f64 * (1.0 - 1e-9) {
            self.parts.rotate_left(1);
            self.parts[PARTS - 1] = self.begun;
            self.count = (self.count + 1).min((LONG * PARTS) as u8);
            (self.begun, self.time) = (Seen::default(), 0.0);
        }
    }

    /// It moved.
    pub(crate) fn forget(&mut self) {
        if self.count > 0 || self.time > 0.0 {
            *self = Self::default();
        }
    }

    /// Whether it would stay where it is, in steps of `dt` \[s]; what is slower than `slow` \[m/s] is quiet.
    pub(crate) fn is_at_rest(&self, dt: f64, slow: f64) -> bool {
        if usize::from(self.count) < PARTS {
            return false;
        }
        let [a, b, c, d] = self.parts.map(|part| part.square);
        let (earlier, later) = (0.5 * (a + b), 0.5 * (c + d));
        // support that comes and goes is none
        let push = self.parts.iter().map(|part| part.push).fold(f64::INFINITY, f64::min);
        let given = push * dt;
        let least = (ROUNDING * given) * (ROUNDING * given);
        let grows = (later > GROWS * earlier && later > least) || (d > GROWS * c && d > least);
        let stillness = (STILL * given).min(MOST * slow);
        let still = later < stillness * stillness;
        given > 0.0 && !grows && (still || usize::from(self.count) >= LONG * PARTS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DT: f64 = 1.0 / 120.0;
    const SLOW: f64 = 0.05;

    /// When something that moves at this speed \[m/s] over time \[s] would sleep, within so many seconds.
    fn sleeps(seconds: f64, speed: impl Fn(f64) -> f64) -> Option<f64> {
        let mut history = MotionHistory::default();
        (1..=(seconds / DT) as usize).map(|i| i as f64 * DT).find(|t| {
            let speed = speed(*t);
            if speed.abs() < SLOW {
                history.note(Seen { square: speed * speed, push: 9.81 }, DT, 0.5);
            } else {
                history.forget();
            }
            history.is_at_rest(DT, SLOW)
        })
    }

    #[test]
    fn what_dies_away_or_trembles_rests_after_the_calm_time() {
        let soon = Some(60.0 * DT);
        assert_eq!(sleeps(5.0, |_| 0.0), soon);
        assert_eq!(sleeps(5.0, |t| 0.04 * (-10.0 * t).exp()), soon);
        assert_eq!(sleeps(5.0, |t| 2e-3 * (40.0 * t).sin()), soon);
        // rocks on: four quiet times
        assert_eq!(sleeps(5.0, |t| 0.02 * (40.0 * t).sin()), Some(240.0 * DT));
    }

    #[test]
    fn a_fall_does_not_rest_at_its_slowest_moment() {
        for rate in [1.0, 2.7, 5.0] {
            for size in [0.01, 0.02, 0.04] {
                let fall = |t: f64| size * (rate * (t - 1.0)).cosh();
                assert_eq!(sleeps(5.0, fall), None, "over the top at {size} m/s, {rate} 1/s");
                // with less than 0.06 m/s² it is slower than still for half of the quiet time: its speed is that of rest
                let hidden = rate * rate * size < 0.06;
                let back = |t: f64| rate * size * (rate * (t - 1.0)).sinh();
                assert!(hidden || sleeps(5.0, back).is_none(), "back from {size} m, {rate} 1/s");
            }
            // comes down first
            let landed = |t: f64| 0.04 * (-50.0 * t).exp() + 1e-3 * (rate * t).exp();
            assert_eq!(sleeps(15.0, landed), None, "after an impact, {rate} 1/s");
            for size in [1e-5, 1e-3] {
                assert_eq!(sleeps(15.0, |t| size * (rate * t).exp()), None, "from {size} m/s, {rate} 1/s");
            }
        }
    }
}
