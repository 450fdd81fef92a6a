//! Functions that are the same on every machine.
//!
//! The standard library leaves sine, exponential and their like to the system, where each has other last digits, and to the compiler, which
//! may work them out by those of *its* system. What reaches a state comes from here: sine and cosine are the library's own, the rest is the
//! `libm` crate's, which is plain arithmetic. `clippy.toml` refuses the standard library's. Square roots, absolute values and rounding to
//! integers are exact everywhere, and are the standard library's. Small integer powers are written as products: how `powi` multiplies is
//! the compiler's choice.

pub use super::rotation::sin_cos;

/// Sine of an angle \[rad].
#[inline]
pub fn sin(x: f64) -> f64 {
    sin_cos(x).0
}

/// Cosine of an angle \[rad].
#[inline]
pub fn cos(x: f64) -> f64 {
    sin_cos(x).1
}

/// Tangent of an angle \[rad].
#[inline]
pub fn tan(x: f64) -> f64 {
    libm::tan(x)
}

/// The angle in \[−π/2, π/2] with this sine \[rad].
#[inline]
pub fn asin(x: f64) -> f64 {
    libm::asin(x)
}

/// The angle in \[0, π] with this cosine \[rad].
#[inline]
pub fn acos(x: f64) -> f64 {
    libm::acos(x)
}

/// The angle in \[−π/2, π/2] with this tangent \[rad].
#[inline]
pub fn atan(x: f64) -> f64 {
    libm::atan(x)
}

/// The angle of the point (x, y) \[rad].
#[inline]
pub fn atan2(y: f64, x: f64) -> f64 {
    libm::atan2(y, x)
}

/// The length of (x, y), also where its square is too large or too small for a number.
#[inline]
pub fn hypot(x: f64, y: f64) -> f64 {
    libm::hypot(x, y)
}

/// eˣ.
#[inline]
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// 2ˣ.
#[inline]
pub fn exp2(x: f64) -> f64 {
    libm::exp2(x)
}

/// The power of two that x is.
#[inline]
pub fn log2(x: f64) -> f64 {
    libm::log2(x)
}

/// xʸ.
#[inline]
pub fn pow(x: f64, y: f64) -> f64 {
    libm::pow(x, y)
}
