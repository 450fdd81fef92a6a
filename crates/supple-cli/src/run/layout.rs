//! What a row of a trajectory has: the columns of a CSV, the arrays of an NPZ.

use supple::Model;

use super::columns;

/// Numbers of a row that belong together.
pub(crate) struct Array {
    /// Its name in an NPZ.
    pub(crate) name: &'static str,
    /// Its shape in each row; empty for a single number.
    pub(crate) shape: Vec<usize>,
    /// Headings of its numbers in a CSV.
    pub(crate) columns: Vec<String>,
}

/// The arrays of a row, in order, and the names that go with them.
pub(crate) struct Layout {
    pub(crate) arrays: Vec<Array>,
    /// Arrays of names of an NPZ.
    pub(crate) names: Vec<(&'static str, Vec<String>)>,
}

impl Layout {
    /// One number per row.
    pub(crate) fn number(name: &'static str) -> Array {
        Array { name, shape: Vec::new(), columns: vec![name.to_owned()] }
    }

    /// One number per name, with headings `array.name`.
    pub(crate) fn list(name: &'static str, of: &[String]) -> Array {
        Array { name, shape: vec![of.len()], columns: of.iter().map(|one| format!("{name}.{one}")).collect() }
    }

    /// `time`, `q`, `v`, `kinetic`, `potential`, `total` of a body.
    pub(crate) fn of_model(model: &Model) -> Self {
        let (q, v) = (columns::positions(model), columns::velocities(model));
        let mut arrays = vec![Self::number("time"), Self::list("q", &q), Self::list("v", &v)];
        arrays.extend(["kinetic", "potential", "total"].map(Self::number));
        Self { arrays, names: vec![("q_names", q), ("v_names", v)] }
    }

    /// How many numbers a row has.
    pub(crate) fn width(&self) -> usize {
        self.arrays.iter().map(|a| a.columns.len()).sum()
    }
}
