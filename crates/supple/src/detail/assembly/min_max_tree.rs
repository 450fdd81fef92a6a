//! Alphabetic min-max tree: items in a row, each of some height, under one binary tree that keeps their order
//! and is as low as can be. Theory, section 2.2, step 3.
//!
//! An item of height h takes 2^h slots, aligned to a multiple of 2^h, as early as the one before it allows. If the
//! last slot is below 2^H, the tree has height H: it is the binary trie of the positions, nodes with one child
//! left out.

/// For items of these heights: at each gap between neighbours the level at which the trie splits there.
/// In any run of items that stay together the largest level is that of the topmost split, and it is unique.
pub(super) fn split_levels(heights: impl IntoIterator<Item = u32>, levels: &mut Vec<u32>) {
    levels.clear();
    // heights stay far below 128: a part of height h has more than 2^(h/2) links
    let mut end: u128 = 0;
    let mut before: Option<u128> = None;
    for h in heights {
        let at = end.div_ceil(1 << h) << h;
        levels.extend(before.map(|before| u128::BITS - (before ^ at).leading_zeros()));
        (before, end) = (Some(at), at + (1 << h));
    }
}

#[cfg(test)]
mod tests {
    use super::split_levels;

    #[test]
    fn equal_items_split_in_halves_and_a_tall_one_stays_high() {
        let mut levels = Vec::new();
        split_levels([0; 8], &mut levels);
        assert_eq!(levels, [1, 2, 1, 3, 1, 2, 1]);
        split_levels([0, 3, 0], &mut levels);
        assert_eq!(levels, [4, 5]);
        split_levels([0; 0], &mut levels);
        assert!(levels.is_empty());
    }
}
