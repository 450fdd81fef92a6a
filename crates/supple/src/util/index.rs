//! Places in lists, with a type: a place in one list is none in another.

use std::marker::PhantomData;
use std::num::NonZeroU32;
use std::ops::{Index, IndexMut};

/// A place in the lists that have one entry for each `T`. An `Option` of it takes no more memory.
pub(crate) struct Ix<T> {
    /// Counted from 1, so that 0 is left for `None`.
    number: NonZeroU32,
    of: PhantomData<fn() -> T>,
}

impl<T> Ix<T> {
    /// The place `place`, counted from 0.
    #[inline(always)]
    pub(crate) const fn new(place: usize) -> Self {
        Self { number: NonZeroU32::MIN.saturating_add(place as u32), of: PhantomData }
    }

    /// The place, counted from 0.
    #[inline(always)]
    pub(crate) const fn get(self) -> usize {
        self.number.get() as usize - 1
    }
}

impl<T> Clone for Ix<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Ix<T> {}
impl<T> PartialEq for Ix<T> {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}
impl<T> Eq for Ix<T> {}
impl<T> std::fmt::Debug for Ix<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.get())
    }
}

impl<T, U> Index<Ix<T>> for [U] {
    type Output = U;
    #[inline(always)]
    fn index(&self, place: Ix<T>) -> &U {
        &self[place.get()]
    }
}
impl<T, U> IndexMut<Ix<T>> for [U] {
    #[inline(always)]
    fn index_mut(&mut self, place: Ix<T>) -> &mut U {
        &mut self[place.get()]
    }
}
impl<T, U> Index<Ix<T>> for Vec<U> {
    type Output = U;
    #[inline(always)]
    fn index(&self, place: Ix<T>) -> &U {
        &self[place.get()]
    }
}
impl<T, U> IndexMut<Ix<T>> for Vec<U> {
    #[inline(always)]
    fn index_mut(&mut self, place: Ix<T>) -> &mut U {
        &mut self[place.get()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_from_zero_and_none_takes_no_memory() {
        let mut list = vec![10, 20, 30];
        for place in 0..3 {
            let ix = Ix::<char>::new(place);
            assert_eq!(ix.get(), place);
            assert_eq!(list[ix], list[place]);
            assert_eq!(list.as_slice()[ix], list[place]);
        }
        list[Ix::<char>::new(1)] = 5;
        assert_eq!(list, [10, 5, 30]);
        assert_eq!(Ix::<char>::new(2), Ix::new(2));
        assert_ne!(Ix::<char>::new(2), Ix::new(0));
        assert_eq!(size_of::<Option<Ix<char>>>(), size_of::<u32>());
    }
}
