use std::marker::PhantomData;

use rayon::prelude::*;

/// Where something is in a world. It never names another thing that took its place.
pub struct Id<T> {
    index: u32,
    generation: u32,
    kind: PhantomData<fn() -> T>,
}

impl<T> Id<T> {
    const fn new(index: u32, generation: u32) -> Self {
        Self { index, generation, kind: PhantomData }
    }

    /// A number that no other has.
    pub(crate) const fn number(self) -> u64 {
        (self.generation as u64) << 32 | self.index as u64
    }

    /// Its place in the world's list.
    pub const fn index(self) -> usize {
        self.index as usize
    }
}

impl<T> Clone for Id<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Id<T> {}
impl<T> PartialEq for Id<T> {
    fn eq(&self, other: &Self) -> bool {
        (self.index, self.generation) == (other.index, other.generation)
    }
}
impl<T> Eq for Id<T> {}
impl<T> PartialOrd for Id<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<T> Ord for Id<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.index, self.generation).cmp(&(other.index, other.generation))
    }
}
impl<T> std::hash::Hash for Id<T> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (self.index, self.generation).hash(state);
    }
}
impl<T> std::fmt::Debug for Id<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "#{}", self.index)
    }
}

/// Things that come and go, found by ids (of mark `M`) that stay good as long as the thing is there.
#[derive(Clone, Debug)]
pub(crate) struct Slots<T, M = T> {
    slots: Vec<Slot<T>>,
    free: Vec<u32>,
    mark: PhantomData<fn() -> M>,
}

#[derive(Clone, Debug)]
struct Slot<T> {
    generation: u32,
    value: Option<T>,
}

impl<T, M> Default for Slots<T, M> {
    fn default() -> Self {
        Self { slots: Vec::new(), free: Vec::new(), mark: PhantomData }
    }
}

impl<T, M> Slots<T, M> {
    pub(crate) fn insert(&mut self, value: T) -> Id<M> {
        if let Some(index) = self.free.pop() {
            let slot = &mut self.slots[index as usize];
            slot.value = Some(value);
            return Id::new(index, slot.generation);
        }
        self.slots.push(Slot { generation: 0, value: Some(value) });
        Id::new(self.slots.len() as u32 - 1, 0)
    }

    pub(crate) fn remove(&mut self, id: Id<M>) -> Option<T> {
        let slot = self.slots.get_mut(id.index()).filter(|s| s.generation == id.generation)?;
        let value = slot.value.take()?;
        slot.generation += 1;
        self.free.push(id.index);
        Some(value)
    }

    pub(crate) fn get(&self, id: Id<M>) -> Option<&T> {
        self.slots.get(id.index()).filter(|s| s.generation == id.generation)?.value.as_ref()
    }

    pub(crate) fn get_mut(&mut self, id: Id<M>) -> Option<&mut T> {
        self.slots.get_mut(id.index()).filter(|s| s.generation == id.generation)?.value.as_mut()
    }

    /// Whether a place of the list is taken.
    pub(crate) fn is_taken(&self, index: usize) -> bool {
        self.slots.get(index).is_some_and(|s| s.value.is_some())
    }

    /// The thing at a place of the list, which must be taken.
    #[inline(always)]
    pub(crate) fn at(&self, index: usize) -> &T {
        self.slots[index].value.as_ref().expect("the place is taken")
    }

    /// The thing at a place of the list, which must be taken, to be changed.
    #[inline(always)]
    pub(crate) fn at_mut(&mut self, index: usize) -> &mut T {
        self.slots[index].value.as_mut().expect("the place is taken")
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (Id<M>, &T)> + Clone {
        self.slots
            .iter()
            .enumerate()
            .filter_map(|(i, s)| Some((Id::new(i as u32, s.generation), s.value.as_ref()?)))
    }

    /// The id of what is at a place of the list.
    pub(crate) fn id_at(&self, index: usize) -> Id<M> {
        Id::new(index as u32, self.slots[index].generation)
    }

    /// Runs of so many places, on all threads: the id and what is there of each place, taken or not.
    pub(crate) fn par_chunks_mut(
        &mut self,
        size: usize,
    ) -> impl IndexedParallelIterator<Item = impl Iterator<Item = (Id<M>, Option<&mut T>)>>
    where
        T: Send,
    {
        self.slots.par_chunks_mut(size).enumerate().map(move |(chunk, slots)| {
            let id = move |i: usize, slot: &Slot<T>| Id::new((chunk * size + i) as u32, slot.generation);
            slots.iter_mut().enumerate().map(move |(i, slot)| (id(i, slot), slot.value.as_mut()))
        })
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (Id<M>, &mut T)> {
        self.slots
            .iter_mut()
            .enumerate()
            .filter_map(|(i, s)| Some((Id::new(i as u32, s.generation), s.value.as_mut()?)))
    }

    /// How many places there are, taken or not.
    pub(crate) fn places(&self) -> usize {
        self.slots.len()
    }

    pub(crate) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_never_names_what_took_its_place() {
        let mut slots = Slots::<&str>::default();
        let a = slots.insert("a");
        let b = slots.insert("b");
        assert_eq!(slots.remove(a), Some("a"));
        assert_eq!((slots.remove(a), slots.get(a)), (None, None));
        let c = slots.insert("c");
        assert_eq!(c.index(), a.index());
        assert_eq!((slots.get(a), slots.get(c), slots.get(b)), (None, Some(&"c"), Some(&"b")));
        assert_eq!(slots.iter().map(|(_, s)| *s).collect::<Vec<_>>(), ["c", "b"]);
        assert_eq!((slots.len(), slots.places()), (2, 2));
    }
}
