/// A set of small numbers that never visits what is not in it: members stand in a list, and for every number there is a
/// place where it would stand. Clearing costs nothing; no order but the one members came in, or are sorted into.
///
/// Briggs & Torczon, "An efficient representation for sparse sets", 1993.
#[derive(Clone, Debug, Default)]
pub struct SparseSet {
    members: Vec<u32>,
    places: Vec<u32>,
}

impl SparseSet {
    /// The empty set of numbers below `universe`.
    pub fn new(universe: usize) -> Self {
        Self { members: Vec::new(), places: vec![0; universe] }
    }

    /// Where a number stands among the members.
    #[inline(always)]
    pub fn place(&self, x: u32) -> Option<usize> {
        let place = self.places[x as usize] as usize;
        (self.members.get(place) == Some(&x)).then_some(place)
    }

    /// Whether a number is in the set.
    #[inline(always)]
    pub fn contains(&self, x: u32) -> bool {
        self.place(x).is_some()
    }

    /// Takes in a number; whether it is new.
    #[inline(always)]
    pub fn insert(&mut self, x: u32) -> bool {
        if self.contains(x) {
            return false;
        }
        self.places[x as usize] = self.members.len() as u32;
        self.members.push(x);
        true
    }

    /// Takes out a number; the last member takes its place, which is given.
    pub fn swap_remove(&mut self, x: u32) -> Option<usize> {
        let place = self.place(x)?;
        self.members.swap_remove(place);
        if let Some(&moved) = self.members.get(place) {
            self.places[moved as usize] = place as u32;
        }
        Some(place)
    }

    /// Takes out everything.
    pub fn clear(&mut self) {
        self.members.clear();
    }

    /// Becomes a copy of another set over the same numbers, in time linear in its members.
    pub fn copy_from(&mut self, other: &Self) {
        self.clear();
        for &x in &other.members {
            self.insert(x);
        }
    }

    /// Puts the members into ascending order.
    pub fn sort(&mut self) {
        if !self.members.is_sorted() {
            self.members.sort_unstable();
            self.renumber();
        }
    }

    /// Puts the members into another order; `order` must have just these members.
    pub fn arrange(&mut self, order: impl Iterator<Item = u32>) {
        self.members.clear();
        self.members.extend(order);
        self.renumber();
    }

    fn renumber(&mut self) {
        for (place, &x) in self.members.iter().enumerate() {
            self.places[x as usize] = place as u32;
        }
    }

    /// The members in their order.
    #[inline(always)]
    pub fn members(&self) -> &[u32] {
        &self.members
    }

    /// How many members there are.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether it is empty.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Numbers below this may be members.
    pub fn universe(&self) -> usize {
        self.places.len()
    }
}

#[cfg(test)]
mod tests {
    use super::SparseSet;

    #[test]
    fn members_come_and_go_and_are_found() {
        let mut set = SparseSet::new(10);
        assert!(set.insert(7) && set.insert(2) && set.insert(9) && !set.insert(2));
        assert_eq!((set.members(), set.place(9), set.contains(0)), (&[7, 2, 9][..], Some(2), false));
        set.sort();
        assert_eq!((set.members(), set.place(2)), (&[2, 7, 9][..], Some(0)));
        assert_eq!((set.swap_remove(2), set.place(9), set.contains(2)), (Some(0), Some(0), false));
        set.clear();
        assert!(set.is_empty() && !set.contains(7));
    }
}
