//! Near names for error messages.

/// " : did you mean …", and all names there are.
pub(crate) fn hint<'a>(wanted: &str, names: impl Iterator<Item = &'a str> + Clone) -> String {
    let all = names.clone().collect::<Vec<_>>().join(", ");
    let all = if all.is_empty() { "there is none".to_owned() } else { format!("there are: {all}") };
    match near(wanted, names) {
        Some(name) => format!(": did you mean {name:?}? ({all})"),
        None => format!(" ({all})"),
    }
}

/// The nearest name, if it is near enough to be meant.
fn near<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if wanted.is_empty() || wanted.len() > 64 {
        return None;
    }
    let wanted = wanted.to_lowercase();
    let (cost, name) = names.map(|n| (cost(&wanted, n), n)).min_by_key(|(cost, _)| *cost)?;
    (cost <= 1 + wanted.len() / 4).then_some(name)
}

/// How much must be typed differently; a name that begins like the one wanted, or the other way round, is near.
fn cost(wanted: &str, name: &str) -> usize {
    if name.starts_with(wanted) || wanted.starts_with(name) { 1 } else { distance(wanted, name) }
}

/// Levenshtein's distance, by rows.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let here = (diagonal + usize::from(x != *y)).min(row[j] + 1).min(row[j + 1] + 1);
            diagonal = std::mem::replace(&mut row[j + 1], here);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let names = ["pendulum", "double-pendulum", "tree", "humanoid", "humanoid-detailed"];
        let near = |wanted| near(wanted, names.into_iter());
        assert_eq!(near("pendlum"), Some("pendulum"));
        assert_eq!(near("Pendulum"), Some("pendulum"));
        assert_eq!(near("humanoids"), Some("humanoid"));
        assert_eq!(near("double_pendulum"), Some("double-pendulum"));
        assert_eq!(near("xylophone"), None);
        assert_eq!(near(""), None);
    }
}
