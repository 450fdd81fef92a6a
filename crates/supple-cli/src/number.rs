//! Numbers as people type them and as people read them.

/// A finite number, plain (`0.001`) or a fraction (`1/60`).
pub(crate) fn real(text: &str) -> Result<f64, String> {
    let plain = |text: &str| text.trim().parse::<f64>().ok();
    let value = match text.split_once('/') {
        Some((above, below)) => plain(above).zip(plain(below)).map(|(a, b)| a / b),
        None => plain(text),
    };
    match value {
        Some(x) if x.is_finite() => Ok(x),
        Some(_) => Err("must be finite".into()),
        None => Err("not a number (examples: 0.001, 1e-3, 1/60)".into()),
    }
}

/// Four significant digits, exponents only where they help.
pub(crate) fn short(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 {
        "0".into()
    } else if !(1e-3..1e7).contains(&size) {
        format!("{x:.3e}")
    } else {
        let decimals = usize::try_from(3 - size.log10().floor() as i32).unwrap_or(0);
        let text = format!("{x:.decimals$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    }
}

/// A whole number with its thousands set apart.
pub(crate) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_and_plain_numbers() {
        assert_eq!(real("0.001"), Ok(0.001));
        assert_eq!(real("1/60"), Ok(1.0 / 60.0));
        assert_eq!(real(" -2e3 "), Ok(-2000.0));
        for bad in ["", "x", "1/0", "NaN", "inf", "1/2/3", "1/", "0/0"] {
            assert!(real(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn numbers_to_read() {
        assert_eq!(short(0.0), "0");
        assert_eq!(short(1234.567), "1235");
        assert_eq!(short(-0.012345), "-0.01235");
        assert_eq!(short(1.0 / 240.0), "0.004167");
        assert_eq!(short(2.0), "2");
        assert_eq!(short(9.99951e-5), "1.000e-4");
        assert_eq!(short(f64::NAN), "NaN");
        assert_eq!([grouped(7), grouped(1000), grouped(1_234_567)], ["7", "1,000", "1,234,567"]);
    }
}
