//! Near names for error messages.

use supple::names::nearest;

/// " : did you mean …", and all names there are.
pub(crate) fn hint<'a>(wanted: &str, names: impl Iterator<Item = &'a str> + Clone) -> String {
    let all = names.clone().collect::<Vec<_>>().join(", ");
    let all = if all.is_empty() { "there is none".to_owned() } else { format!("there are: {all}") };
    match nearest(wanted, names) {
        Some(name) => format!(": did you mean {name:?}? ({all})"),
        None => format!(" ({all})"),
    }
}
