//! Sprites become an image, and the image numbers.

use rayon::prelude::*;

use super::NOTHING;
use super::dirty::Runs;
use super::place::Place;
use super::rect::LANES;

/// Rows that a thread takes at once: two rows of tiles. Chosen; the image does not depend on it.
const BAND: usize = 32;

/// Sprites that have been drawn.
pub(super) struct Drawn<'a> {
    /// Which items have one.
    pub(super) list: &'a [u32],
    /// Where it is, in the image and in memory, by item.
    pub(super) places: &'a [Place],
    /// Depths, one sprite behind the other.
    pub(super) sprites: &'a [f32],
}

/// Lays sprites over each other, where `runs` says.
pub(super) fn compose(
    (ids, depths): (&mut [u32], &mut [f32]),
    size: [u32; 2],
    runs: &Runs,
    drawn: &Drawn<'_>,
    parallel: bool,
) {
    let Drawn { list, places, sprites } = *drawn;
    let width = size[0] as usize;
    let one = |first: u32, ids: &mut [u32], depths: &mut [f32]| {
        let last = first + (ids.len() / width) as u32;
        for place in list.iter().map(|i| &places[*i as usize]) {
            let rect = place.rect;
            for y in rect.y0.max(first)..rect.y1.min(last) {
                let sprite = &sprites[place.at + (y - rect.y0) as usize * rect.width()..][..rect.width()];
                let start = (y - first) as usize * width;
                for [from, to] in runs.of(y) {
                    let (x0, x1) = (rect.x0.max(*from), rect.x1.min(*to));
                    if x0 < x1 {
                        let columns = start + x0 as usize..start + x1 as usize;
                        let sprite = &sprite[(x0 - rect.x0) as usize..(x1 - rect.x0) as usize];
                        lay(&mut ids[columns.clone()], &mut depths[columns], sprite, place.id);
                    }
                }
            }
        }
    };
    if parallel {
        let bands = ids.par_chunks_mut(BAND * width).zip(depths.par_chunks_mut(BAND * width));
        bands.enumerate().for_each(|(k, (ids, depths))| one((k * BAND) as u32, ids, depths));
    } else {
        one(0, ids, depths);
    }
}

/// A row of a sprite over a row of the image.
#[inline]
fn lay(ids: &mut [u32], depths: &mut [f32], sprite: &[f32], id: u32) {
    let (ids, last_ids) = ids.as_chunks_mut::<{ LANES as usize }>();
    let (depths, last_depths) = depths.as_chunks_mut::<{ LANES as usize }>();
    let (sprite, last) = sprite.as_chunks::<{ LANES as usize }>();
    for ((i, d), s) in ids.iter_mut().zip(depths).zip(sprite) {
        (*i, *d) = lanes(*i, *d, *s, id);
    }
    // at the right edge of an image that is not so many lanes wide
    for ((i, d), s) in last_ids.iter_mut().zip(last_depths).zip(last) {
        ([*i], [*d]) = lanes([*i], [*d], [*s], id);
    }
}

/// Some pixels at once. By value: with a store between two pixels they could not be.
#[inline(always)]
fn lanes<const N: usize>(ids: [u32; N], depths: [f32; N], sprite: [f32; N], id: u32) -> ([u32; N], [f32; N]) {
    let nearer: [bool; N] = std::array::from_fn(|k| sprite[k] > depths[k]);
    (
        std::array::from_fn(|k| if nearer[k] { id } else { ids[k] }),
        std::array::from_fn(|k| if nearer[k] { sprite[k] } else { depths[k] }),
    )
}

/// Empties the image where `runs` says.
pub(super) fn clear(ids: &mut [u32], depths: &mut [f32], size: [u32; 2], runs: &Runs) {
    for y in 0..size[1] {
        let start = y as usize * size[0] as usize;
        for [from, to] in runs.of(y) {
            ids[start + *from as usize..start + *to as usize].fill(NOTHING);
            depths[start + *from as usize..start + *to as usize].fill(f32::NEG_INFINITY);
        }
    }
}

/// Counts pixels where `runs` says: `add` takes a number and how many more (or fewer).
pub(super) fn tally(
    ids: &[u32],
    size: [u32; 2],
    runs: &Runs,
    tally: &mut [u32],
    add: impl Fn(u32, u32) -> u32,
) {
    for y in 0..size[1] {
        let start = y as usize * size[0] as usize;
        for [from, to] in runs.of(y) {
            let row = &ids[start + *from as usize..start + *to as usize];
            // neighbours mostly show the same
            for same in row.chunk_by(|a, b| a == b) {
                if let Some(count) = tally.get_mut(same[0] as usize) {
                    *count = add(*count, same.len() as u32);
                }
            }
        }
    }
}
