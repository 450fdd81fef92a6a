use rayon::prelude::*;

use super::{Articulated, ArticulationId, ArticulationMark, Slots};
use crate::Simulation;

/// No place in a list.
const NONE: u32 = u32::MAX;

/// The articulations of a world: those that colliders or constraints couple to other things, and those that nothing can push, which
/// are a simulation and no more. Whoever pushes sees the coupled ones alone, and takes no time for the others.
#[derive(Clone, Debug, Default)]
pub(crate) struct Articulations {
    /// By place; `None`: it is coupled.
    alone: Slots<Option<Simulation>, ArticulationMark>,
    /// By place: where it is among the coupled ones.
    coupled_of: Vec<u32>,
    /// Ascending by place.
    coupled: Vec<Box<Articulated>>,
}

/// How many of `all` a share has, if there are so many shares per thread.
fn share_of(all: usize, shares: usize) -> usize {
    all.div_ceil((shares * rayon::current_num_threads()).clamp(1, all.max(1))).max(1)
}

impl Articulations {
    // --- all of them ---

    pub(crate) fn insert(&mut self, simulation: Simulation) -> ArticulationId {
        let id = self.alone.insert(Some(simulation));
        self.coupled_of.resize(self.alone.places(), NONE);
        id
    }

    pub(crate) fn remove(&mut self, id: ArticulationId) -> Option<Simulation> {
        if self.contains(id) {
            self.uncouple(id.index());
        }
        self.alone.remove(id).flatten()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count() == 0
    }

    pub(crate) fn contains(&self, id: ArticulationId) -> bool {
        self.alone.get(id).is_some()
    }

    pub(crate) fn simulation(&self, id: ArticulationId) -> Option<&Simulation> {
        match self.alone.get(id)? {
            Some(alone) => Some(alone),
            None => Some(&self.at(id.index()).simulation),
        }
    }

    pub(crate) fn simulation_mut(&mut self, id: ArticulationId) -> Option<&mut Simulation> {
        if self.alone.get(id)?.is_none() {
            return Some(&mut self.at_mut(id.index()).simulation);
        }
        self.alone.get_mut(id)?.as_mut()
    }

    /// All simulations, by place.
    pub(crate) fn simulations(&self) -> impl Iterator<Item = (ArticulationId, &Simulation)> + Clone {
        self.alone.iter().map(|(id, _)| (id, self.simulation_at(id.index())))
    }

    /// All simulations, by place, to be changed.
    pub(crate) fn simulations_mut(&mut self) -> impl Iterator<Item = (ArticulationId, &mut Simulation)> {
        let mut coupled = self.coupled.iter_mut();
        self.alone.iter_mut().filter_map(move |(id, alone)| match alone {
            Some(alone) => Some((id, alone)),
            None => coupled.next().map(|a| (id, &mut a.simulation)),
        })
    }

    /// The simulation at a place of the list, which must be taken.
    pub(crate) fn simulation_at(&self, place: usize) -> &Simulation {
        self.alone.at(place).as_ref().unwrap_or_else(|| &self.at(place).simulation)
    }

    /// The simulation at a place of the list, which must be taken, to be changed.
    pub(crate) fn simulation_at_mut(&mut self, place: usize) -> &mut Simulation {
        match self.alone.at_mut(place) {
            Some(alone) => alone,
            None => &mut self.coupled[self.coupled_of[place] as usize].simulation,
        }
    }

    /// How many places there are, taken or not.
    pub(crate) fn places(&self) -> usize {
        self.alone.places()
    }

    /// The id of what is at a place.
    pub(crate) fn id_at(&self, place: usize) -> ArticulationId {
        self.alone.id_at(place)
    }

    /// How many there are, alone and coupled.
    pub(crate) fn count(&self) -> usize {
        self.alone.len()
    }

    // --- those that are alone ---

    /// How many are alone.
    pub(crate) fn count_alone(&self) -> usize {
        self.count() - self.count_coupled()
    }

    /// Does something to those that are alone, on all threads, with what is known of each by its place and with something that a thread lends.
    /// What comes of it is in the order of places.
    pub(crate) fn map_alone<K: Send, W: Send + Default, R: Send>(
        &mut self,
        known: &mut [K],
        lent: &mut Vec<W>,
        shares: usize,
        each: impl Fn(ArticulationId, &mut Simulation, &mut K, &mut W) -> Option<R> + Sync,
    ) -> Vec<R> {
        if self.count_alone() == 0 {
            return Vec::new();
        }
        let size = share_of(self.places(), shares);
        // more threads later need more of them; fewer never drop any
        lent.resize_with(self.places().div_ceil(size).max(lent.len()), W::default);
        let chunks = self.alone.par_chunks_mut(size).zip(known.par_chunks_mut(size)).zip(lent);
        let results = chunks.map(|((chunk, known), lent)| {
            let mut results = Vec::new();
            for ((id, alone), known) in chunk.zip(known) {
                if let Some(Some(simulation)) = alone {
                    results.extend(each(id, simulation, known, lent));
                }
            }
            results
        });
        results.reduce(Vec::new, |mut first, mut second| {
            first.append(&mut second);
            first
        })
    }

    // --- the coupled ones ---

    /// Has room for what constraints and contacts need of an articulation that is there.
    pub(crate) fn couple(&mut self, id: ArticulationId) {
        let place = id.index();
        let Some(simulation) = self.alone.get_mut(id).and_then(Option::take) else { return };
        let at = self.coupled.partition_point(|a| a.place() < place);
        self.coupled.insert(at, Box::new(Articulated::new(simulation, place as u32)));
        self.number_from(at);
    }

    /// Drops that room; nothing pushes it any more.
    pub(crate) fn uncouple(&mut self, place: usize) {
        let at = self.coupled_of[place];
        if at == NONE {
            return;
        }
        let coupled = self.coupled.remove(at as usize);
        *self.alone.at_mut(place) = Some(coupled.simulation);
        self.coupled_of[place] = NONE;
        self.number_from(at as usize);
    }

    fn number_from(&mut self, first: usize) {
        for (i, a) in self.coupled.iter().enumerate().skip(first) {
            self.coupled_of[a.place()] = i as u32;
        }
    }

    /// Whether the articulation at a place, if there is one, is coupled.
    pub(crate) fn is_coupled(&self, place: usize) -> bool {
        self.coupled_of[place] != NONE
    }

    /// The number of a coupled one among them.
    pub(crate) fn number_of(&self, place: usize) -> usize {
        self.coupled_of[place] as usize
    }

    /// How many are coupled.
    pub(crate) fn count_coupled(&self) -> usize {
        self.coupled.len()
    }

    /// A coupled one.
    pub(crate) fn get(&self, id: ArticulationId) -> Option<&Articulated> {
        let coupled = self.alone.get(id)?.is_none();
        coupled.then(|| self.at(id.index()))
    }

    /// A coupled one, to be changed.
    pub(crate) fn get_mut(&mut self, id: ArticulationId) -> Option<&mut Articulated> {
        let coupled = self.alone.get(id)?.is_none();
        coupled.then(|| self.at_mut(id.index()))
    }

    /// The coupled one at a place.
    #[inline]
    pub(crate) fn at(&self, place: usize) -> &Articulated {
        &self.coupled[self.coupled_of[place] as usize]
    }

    /// The coupled one at a place, to be changed.
    #[inline]
    pub(crate) fn at_mut(&mut self, place: usize) -> &mut Articulated {
        &mut self.coupled[self.coupled_of[place] as usize]
    }

    /// The coupled ones, by place.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (ArticulationId, &Articulated)> {
        self.coupled.iter().map(|a| (self.alone.id_at(a.place()), &**a))
    }

    /// The coupled ones, by place, to be changed.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (ArticulationId, &mut Articulated)> {
        let Self { alone, coupled, .. } = self;
        coupled.iter_mut().map(|a| (alone.id_at(a.place()), &mut **a))
    }

    /// The coupled ones, on all threads.
    pub(crate) fn par_iter_mut(&mut self) -> impl ParallelIterator<Item = &mut Articulated> {
        self.coupled.par_iter_mut().map(|a| &mut **a)
    }

    /// The coupled ones with their places, on all threads.
    pub(crate) fn par_enumerate_mut(&mut self) -> impl ParallelIterator<Item = (usize, &mut Articulated)> {
        self.coupled.par_iter_mut().map(|a| (a.place(), &mut **a))
    }
}
