//! Bodies by their numbers in a file: the single ones first, then those of the articulations, one after the other; −1 is the world.

use std::collections::BTreeMap;
use std::sync::Arc;

use supple::model::{BodyId, Model};
use supple::world::{ArticulationId, BodyRef, SingleId, World};

use super::PrintError;
use super::fault::{At, Fault};
use super::unique::WORLD;
use crate::{Ref, names};

/// Numbers of the bodies of a world.
#[derive(Clone, Debug)]
pub struct Numbers {
    single: BTreeMap<usize, i64>,
    /// Of articulations: their places, and the numbers of their first bodies.
    articulations: BTreeMap<usize, (usize, i64)>,
}

impl Numbers {
    /// Of the bodies that are in a world now.
    pub fn of(world: &World) -> Self {
        let single = world.bodies().enumerate().map(|(i, (id, _))| (id.index(), i as i64)).collect();
        let mut next = world.bodies().count() as i64;
        let mut articulations = BTreeMap::new();
        for (place, (id, simulation)) in world.articulations().enumerate() {
            articulations.insert(id.index(), (place, next));
            next += simulation.model.bodies().len() as i64;
        }
        Self { single, articulations }
    }

    pub(crate) fn number(&self, body: BodyRef) -> Result<Ref, PrintError> {
        let found = match body {
            BodyRef::World => Some(-1),
            BodyRef::Single(id) => self.single.get(&id.index()).copied(),
            BodyRef::Of(id, body) => {
                self.articulations.get(&id.index()).map(|(_, first)| first + body.index() as i64)
            }
        };
        found.map(Ref::Number).ok_or_else(|| PrintError::Gone { what: format!("{body:?}") })
    }

    pub(crate) fn articulation(&self, id: ArticulationId) -> Result<usize, PrintError> {
        let found = self.articulations.get(&id.index()).map(|(place, _)| *place);
        found.ok_or_else(|| PrintError::Gone { what: format!("articulation {}", id.index()) })
    }

    /// Number of the first body of an articulation.
    pub(crate) fn first(&self, id: ArticulationId) -> Result<i64, PrintError> {
        let found = self.articulations.get(&id.index()).map(|(_, first)| *first);
        found.ok_or_else(|| PrintError::Gone { what: format!("articulation {}", id.index()) })
    }
}

/// Bodies of a world that is being made from a file.
#[derive(Debug, Default)]
pub(crate) struct Resolver {
    pub(crate) singles: Vec<(String, SingleId)>,
    pub(crate) articulations: Vec<(String, ArticulationId, Arc<Model>)>,
}

impl Resolver {
    /// Any body, or the world: "world", a single body, or a body of an articulation as "person/hand".
    pub(crate) fn body(&self, body: &Ref, at: &At) -> Result<BodyRef, Fault> {
        match body {
            Ref::Number(-1) => Ok(BodyRef::World),
            Ref::Name(name) if name == WORLD => Ok(BodyRef::World),
            Ref::Number(number) => self.numbered(*number).ok_or_else(|| {
                let count = self.count();
                at.wrong(format!(
                    "there is no body {number}: numbers go up to {}, -1 is the world",
                    count - 1
                ))
            }),
            Ref::Name(name) => self.named(name).ok_or_else(|| {
                let singles = self.singles.iter().map(|(name, _)| name.as_str());
                at.wrong(format!("there is no body {name:?}{}", names::hint(name, singles)))
            }),
        }
    }

    /// A body that looks like something: also one of the first articulation, by the name that its model has for it.
    pub(crate) fn looked_at(&self, body: &Ref, at: &At) -> Result<BodyRef, Fault> {
        let first = || match (body, self.articulations.first()) {
            (Ref::Name(name), Some((_, id, model))) => model.body(name).map(|body| BodyRef::Of(*id, body)),
            _ => None,
        };
        self.body(body, at).or_else(|fault| first().ok_or(fault))
    }

    /// A single body, as its place in the list.
    pub(crate) fn single(&self, body: &Ref, at: &At) -> Result<usize, Fault> {
        match self.body(body, at)? {
            BodyRef::Single(id) => Ok(id.index()),
            _ => Err(at.wrong(format!("{body} must be a single body"))),
        }
    }

    pub(crate) fn articulation(&self, number: usize, at: &At) -> Result<ArticulationId, Fault> {
        let found = self.articulations.get(number).map(|(_, id, _)| *id);
        let count = self.articulations.len();
        found.ok_or_else(|| at.wrong(format!("there is no articulation {number}: the file has {count}")))
    }

    fn count(&self) -> i64 {
        let of_trees: usize = self.articulations.iter().map(|(_, _, model)| model.bodies().len()).sum();
        (self.singles.len() + of_trees) as i64
    }

    fn numbered(&self, number: i64) -> Option<BodyRef> {
        let mut number = usize::try_from(number).ok()?;
        if let Some((_, id)) = self.singles.get(number) {
            return Some(BodyRef::Single(*id));
        }
        number -= self.singles.len();
        for (_, id, model) in &self.articulations {
            if number < model.bodies().len() {
                return Some(BodyRef::Of(*id, BodyId::new(number)));
            }
            number -= model.bodies().len();
        }
        None
    }

    fn named(&self, name: &str) -> Option<BodyRef> {
        let single = self.singles.iter().find(|(single, _)| single == name && !name.is_empty());
        single.map(|(_, id)| BodyRef::Single(*id)).or_else(|| self.of_articulation(name))
    }

    /// Whether this is what a body of an articulation is called.
    pub(crate) fn is_of_articulation(&self, name: &str) -> bool {
        self.of_articulation(name).is_some()
    }

    fn of_articulation(&self, name: &str) -> Option<BodyRef> {
        let (of, body) = name.split_once('/').filter(|(of, _)| !of.is_empty())?;
        let (_, id, model) = self.articulations.iter().find(|(articulation, ..)| articulation == of)?;
        model.body(body).map(|body| BodyRef::Of(*id, body))
    }
}
