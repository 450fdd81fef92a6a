//! Near names for error messages.

use supple::names::nearest;

/// Names that fit into a sentence; more stand in columns.
const FEW: usize = 12;
/// Letters in a line of columns: what terminals have at least.
const WIDE: usize = 80;

/// " : did you mean …", or all names there are.
pub(crate) fn hint<'a>(wanted: &str, names: impl Iterator<Item = &'a str> + Clone) -> String {
    if let Some(name) = nearest(wanted, names.clone()) {
        return format!(": did you mean {name:?}?");
    }
    let all: Vec<&str> = names.collect();
    match all.len() {
        0 => " (there is none)".into(),
        n if n <= FEW => format!(" (there are: {})", all.join(", ")),
        _ => format!("; there are:\n{}", columns(&all)),
    }
}

/// Names side by side, read from the left to the right.
fn columns(names: &[&str]) -> String {
    let wide = 2 + names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let rows = names.chunks((WIDE / wide).max(1));
    let row = |names: &[&str]| {
        let row: String = names.iter().map(|name| format!("{name:<wide$}")).collect();
        format!("  {}", row.trim_end())
    };
    rows.map(row).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_name_says_all_and_many_stand_in_columns() {
        let few = ["arm", "leg"];
        assert_eq!(hint("amr", few.into_iter()), ": did you mean \"arm\"?");
        assert_eq!(hint("tail", few.into_iter()), " (there are: arm, leg)");
        let many: Vec<String> = (0..30).map(|i| format!("scene-number-{i}")).collect();
        let told = hint("xylophone", many.iter().map(String::as_str));
        assert!(told.lines().all(|line| line.len() <= WIDE + 2) && told.lines().count() == 9, "{told}");
    }
}
