//! Names by which a file addresses things: each is there once.

use std::collections::{BTreeMap, BTreeSet};

use super::fault::{At, Fault};

/// What the fixed world is called.
pub(super) const WORLD: &str = "world";

/// Whether all names of a list are different; what has none is addressed by its number.
pub(super) fn check<'a>(names: impl Iterator<Item = &'a str>, list: &str) -> Result<(), Fault> {
    let at = At::top().key(list);
    let mut known = BTreeMap::new();
    for (i, name) in names.enumerate().filter(|(_, name)| !name.is_empty()) {
        if let Some(first) = known.insert(name, i) {
            let message =
                format!("{name:?} is the name of {list}[{first}] too: give each a name of its own, or none");
            return Err(at.item(i).key("name").wrong(message));
        }
    }
    Ok(())
}

/// The same for single bodies, of which none may be called as the world is.
pub(super) fn check_bodies<'a>(names: impl Iterator<Item = &'a str> + Clone) -> Result<(), Fault> {
    check(names.clone(), "bodies")?;
    match names.enumerate().find(|(_, name)| *name == WORLD) {
        Some((i, _)) => {
            let message = format!("{WORLD:?} is what the fixed world is called: give the body another name");
            Err(At::top().key("bodies").item(i).key("name").wrong(message))
        }
        None => Ok(()),
    }
}

/// Gives each of a list a name of its own, as trajectories do: what has the name of one before it, or that of the world, gets its number, too.
pub(super) fn name<'a>(names: impl Iterator<Item = &'a mut String>) {
    let mut taken = BTreeSet::from([WORLD.to_owned()]);
    for (i, name) in names.enumerate().filter(|(_, name)| !name.is_empty()) {
        while !taken.insert(name.clone()) {
            *name = format!("{name} #{i}");
        }
    }
}
