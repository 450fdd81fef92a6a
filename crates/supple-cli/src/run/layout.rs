//! What a row of a trajectory has: the columns of a CSV, the arrays of an NPZ.

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

    /// How many numbers a row has.
    pub(crate) fn width(&self) -> usize {
        self.arrays.iter().map(|a| a.columns.len()).sum()
    }
}
