//! Middle values: what noise moves least.

/// The median; NaN of nothing.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => sorted[n / 2],
        n => 0.5 * (sorted[n / 2 - 1] + sorted[n / 2]),
    }
}

/// The mean; NaN of nothing.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn middle_values() {
        assert_eq!((median(&[3.0, 1.0, 100.0]), median(&[4.0, 1.0, 2.0, 3.0])), (3.0, 2.5));
        assert!(median(&[]).is_nan() && mean(&[]).is_nan());
        assert_eq!(mean(&[1.0, 2.0]), 1.5);
    }
}
