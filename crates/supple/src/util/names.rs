//! Names that were probably meant: for messages about names that do not exist.

/// Longest name for which a near one is looked for, and most names looked at: a message need not take long.
const LONGEST: usize = 64;
const MOST: usize = 200_000;

/// The name nearest to `wanted`, if it is near enough to be meant: one letter and a quarter of its letters typed differently (two that
/// changed places count as one), but not all of them, or one the beginning of the other. Case does not matter; ties go to the first.
pub fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if wanted.is_empty() || wanted.len() > LONGEST {
        return None;
    }
    let wanted = wanted.to_lowercase();
    let cost = |name: &str| {
        let name = name.to_lowercase();
        // a single letter begins too much to be meant
        let begins = name.starts_with(&wanted) || (name.len() > 1 && wanted.starts_with(&name));
        let typed = strsim::damerau_levenshtein(&wanted, &name);
        let nothing_in_common = typed >= wanted.chars().count();
        // of those that cost the same, the one that takes the fewest letters
        (
            if begins {
                1
            } else if nothing_in_common {
                usize::MAX
            } else {
                typed
            },
            typed,
        )
    };
    let near = names.into_iter().take(MOST).filter(|n| n.len() <= LONGEST).map(|n| (cost(n), n));
    let ((cost, _), name) = near.min_by_key(|(cost, _)| *cost)?;
    (cost <= 1 + wanted.len() / 4).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let names = ["pendulum", "double-pendulum", "tree", "humanoid", "humanoid-detailed"];
        let near = |wanted| nearest(wanted, names);
        assert_eq!(near("pendlum"), Some("pendulum"));
        assert_eq!(near("Pendulum"), Some("pendulum"));
        assert_eq!(near("humanoids"), Some("humanoid"));
        assert_eq!(near("double_pendulum"), Some("double-pendulum"));
        assert_eq!(near("xylophone"), None);
        assert_eq!(near(""), None);
        assert_eq!(nearest("pendulum-21", ["pendulum", "pendulum-20"]), Some("pendulum-20"));
        assert_eq!(nearest("rnu", ["scenes", "run", "view"]), Some("run"));
        assert_eq!(nearest("amr", ["leg", "arm"]), Some("arm"));
        assert_eq!(nearest("b", ["a", "c"]), None);
        assert_eq!(nearest("a", ["leg", "arm"]), Some("arm"));
        assert_eq!(nearest("bridge", ["b", "c"]), None);
        assert_eq!(near(&"p".repeat(1000)), None);
    }
}
