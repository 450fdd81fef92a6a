//! Names: unique ones, and hints at the one that was meant.

use std::collections::HashSet;

use supple::names::nearest;

/// Names already taken; makes up others that are not.
#[derive(Debug, Default)]
pub(crate) struct Names(HashSet<String>);

impl Names {
    /// Takes a name; `false` if it was taken before.
    pub(crate) fn take(&mut self, name: &str) -> bool {
        self.0.insert(name.to_owned())
    }

    /// Takes `wish`, or the first of `wish-2`, `wish-3`, … that is free.
    pub(crate) fn make(&mut self, wish: &str) -> String {
        let mut name = wish.to_owned();
        let mut k = 1;
        while !self.take(&name) {
            k += 1;
            name = format!("{wish}-{k}");
        }
        name
    }
}

/// `: did you mean "…"?`, or a list of the first names there are.
pub(crate) fn hint<'a>(wanted: &str, names: impl Iterator<Item = &'a str> + Clone) -> String {
    if let Some(name) = nearest(wanted, names.clone()) {
        return format!(": did you mean {name:?}?");
    }
    let first: Vec<&str> = names.clone().take(5).collect();
    match first.len() {
        0 => ", which has none".into(),
        n => {
            let more = if names.count() > n { ", …" } else { "" };
            format!(", which has {}{more}", first.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_hinted_at_and_made_up_names_are_free() {
        assert_eq!(hint("Elbo", ["shoulder", "elbow"].into_iter()), ": did you mean \"elbow\"?");
        assert_eq!(hint("xyzzy", ["shoulder", "elbow"].into_iter()), ", which has shoulder, elbow");
        let mut names = Names::default();
        assert_eq!(
            (names.make("a"), names.make("a"), names.make("a")),
            ("a".into(), "a-2".into(), "a-3".into())
        );
    }
}
