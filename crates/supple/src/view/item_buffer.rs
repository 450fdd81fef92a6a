//! The item buffer: which item is seen at each pixel, by the processor (the twin of the paper's occlusion queries, section 5.4).
//!
//! ```text
//!  camera ─ Lens ─┐
//!  items ─ place ─► Place: the rectangle of pixels that an item can reach         once per item
//!            └ sprite ─► its depths in that rectangle (corners, near plane, triangles)   per item that changed
//!                └ compose ─► the image: id and depth per pixel                    where a sprite came or went
//!                    └ tally ─► visible pixels of each id
//! ```
//!
//! Sprites are kept: with the same camera only items that moved are drawn anew. Depths are greater where things are nearer, and an item
//! hides another where its depth is greater; of equal depths the first item is seen. So a pixel depends on nothing but the items and the
//! camera: not on what was drawn before, nor on the number of threads.

use rayon::prelude::*;

use self::compose::Drawn;
use self::dirty::Dirty;
use self::lens::Lens;
use self::place::Place;
use self::sprite::Drawing;
use super::raster::check;
use super::{Camera, Item, NOTHING, Raster, RasterError};

mod compose;
mod corner;
mod dirty;
mod lens;
mod place;
mod rect;
mod sprite;
mod triangle;

/// Sprites are kept if they need no more than so many images' worth of memory. Chosen: 40 MB at 640 × 480; what needs more is drawn in parts,
/// with the same image.
const MOST_IMAGES: usize = 32;
/// Greatest factor between the camera's resolution and the buffer's. Chosen: an image of 1024 pixels is one pixel then, and the square of it, which
/// counts are multiplied by, is far from the end of the numbers.
const COARSEST: u32 = 1024;
/// Fewest items that a thread places. Chosen; the image does not depend on it.
const FEW: usize = 512;

/// Which item is seen at each pixel, drawn by the processor.
///
/// ```
/// # use glam::DVec3;
/// # use supple::{Pose, contact::Shape, view::{Camera, Item, ItemBuffer, Mesh, Raster}};
/// let ball = Mesh::of(&Shape::sphere(1.0)?, 16);
/// let at = |y, id| Item { mesh: &ball, pose: Pose::from_xyz(0.0, y, 0.0), id };
/// let camera = Camera::look_at(DVec3::new(0.0, -5.0, 0.0), DVec3::ZERO, DVec3::Z);
/// let mut counts = Vec::new();
/// ItemBuffer::new().count(&camera, &[at(0.0, 0), at(3.0, 1)], 2, &mut counts)?;
/// assert!(counts[0] > 20_000 && counts[1] == 0, "the second is hidden by the first: {counts:?}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ItemBuffer {
    coarseness: u32,
    parallel: bool,
    /// What the image was taken with, while the sprites of all items are kept.
    lens: Option<Lens>,
    size: [u32; 2],
    ids: Vec<u32>,
    depths: Vec<f32>,
    /// Pixels of each id below its length in the image.
    tally: Vec<u32>,
    places: Vec<Place>,
    sprites: Vec<f32>,
    /// Where no sprite is yet.
    end: usize,
    // --- scratch: cleared, never shrunk ---
    dirty: Dirty,
    changed: Vec<u32>,
    visible: Vec<u32>,
}

impl ItemBuffer {
    /// An empty one: as fine as the camera, on the calling thread.
    pub fn new() -> Self {
        Self { coarseness: 1, ..Self::default() }
    }

    /// Sets the resolution: one pixel for `factor` × `factor` of the camera's. Counts remain in the camera's pixels.
    #[must_use]
    pub fn coarser(mut self, factor: u32) -> Self {
        self.coarseness = factor.clamp(1, COARSEST);
        self
    }

    /// Sets whether it draws on all threads of rayon's pool. Images are the same to the bit.
    #[must_use]
    pub fn parallel(mut self, parallel: bool) -> Self {
        self.parallel = parallel;
        self
    }

    /// The ids of the last image, row after row from the top.
    pub fn image(&self) -> &[u32] {
        &self.ids
    }

    /// Depths of the last image: 1/distance along the line of sight \[1/m] with perspective, −distance \[m] without; −∞ where nothing is.
    pub fn depths(&self) -> &[f32] {
        &self.depths
    }

    /// Finds what changed since the last image. False if all did.
    fn update(&mut self, lens: Lens, items: &[Item<'_>]) -> bool {
        let known = self.lens == Some(lens);
        self.dirty.clear(self.size);
        self.changed.clear();
        if known {
            for (i, item) in items.iter().enumerate() {
                let old = self.places.get(i);
                if old.is_some_and(|old| old.is_of(item)) {
                    continue;
                }
                let mut place = Place::new(&lens, item);
                if let Some(old) = old {
                    self.dirty.add(old.rect);
                    (place.at, place.room) = (old.at, old.room);
                }
                self.dirty.add(place.rect);
                self.changed.push(i as u32);
                match self.places.get_mut(i) {
                    Some(old) => *old = place,
                    None => self.places.push(place),
                }
            }
            for gone in self.places.drain(items.len()..) {
                self.dirty.add(gone.rect);
            }
        } else if self.parallel {
            items
                .par_iter()
                .with_min_len(FEW)
                .map(|i| Place::new(&lens, i))
                .collect_into_vec(&mut self.places);
        } else {
            self.places.clear();
            self.places.extend(items.iter().map(|i| Place::new(&lens, i)));
        }
        let places = &self.places;
        self.visible.clear();
        self.visible.extend((0..places.len() as u32).filter(|i| !places[*i as usize].rect.is_empty()));
        known
    }

    /// Finds room for the sprites of what changed. False if there is none.
    fn make_room(&mut self) -> bool {
        let most = MOST_IMAGES * self.ids.len();
        let places = &mut self.places;
        self.changed.retain(|i| !places[*i as usize].rect.is_empty());
        for i in &self.changed {
            places[*i as usize].move_to(&mut self.end);
        }
        self.changed.sort_unstable_by_key(|i| places[*i as usize].at);
        if self.sprites.len() < self.end && self.end <= most {
            self.sprites.resize(self.end, 0.0);
        }
        self.end <= most
    }

    /// Draws what changed.
    fn redraw(&mut self, lens: &Lens, items: &[Item<'_>]) {
        let (places, parallel) = (&self.places, self.parallel);
        Drawing { lens, items, places, parallel }.draw(&self.changed, &mut self.sprites, 0);
        let rows = self.dirty.runs();
        compose::tally(&self.ids, self.size, rows, &mut self.tally, u32::wrapping_sub);
        compose::clear(&mut self.ids, &mut self.depths, self.size, rows);
        let image = (&mut self.ids[..], &mut self.depths[..]);
        let drawn = Drawn { list: &self.visible, places, sprites: &self.sprites };
        compose::compose(image, self.size, rows, &drawn, parallel);
        compose::tally(&self.ids, self.size, rows, &mut self.tally, u32::wrapping_add);
    }

    /// Draws all. Whether all sprites are there in the end.
    fn draw(&mut self, lens: &Lens, items: &[Item<'_>]) -> bool {
        let pixels = self.ids.len();
        self.ids.fill(NOTHING);
        self.depths.fill(f32::NEG_INFINITY);
        self.dirty.all();
        // what is not seen now keeps no room of the old layout
        self.places.iter_mut().for_each(|place| place.room = 0);
        let mut first = 0;
        // as many as fit
        while first < self.visible.len() {
            let (mut last, mut end) = (first, 0);
            while let Some(i) = self.visible.get(last).map(|i| *i as usize) {
                self.places[i].room = 0;
                self.places[i].move_to(&mut end);
                if end > MOST_IMAGES * pixels && last > first {
                    break;
                }
                (last, self.end) = (last + 1, end);
            }
            if self.sprites.len() < self.end {
                self.sprites.resize(self.end, 0.0);
            }
            let (places, list, parallel) = (&self.places, &self.visible[first..last], self.parallel);
            Drawing { lens, items, places, parallel }.draw(list, &mut self.sprites, 0);
            let (image, rows) = ((&mut self.ids[..], &mut self.depths[..]), self.dirty.runs());
            let drawn = Drawn { list, places, sprites: &self.sprites };
            compose::compose(image, self.size, rows, &drawn, parallel);
            if first == 0 && last == self.visible.len() {
                return true;
            }
            first = last;
        }
        // nothing to be seen
        self.end = 0;
        self.visible.is_empty()
    }
}

impl Raster for ItemBuffer {
    fn count(
        &mut self,
        camera: &Camera,
        items: &[Item<'_>],
        ids: usize,
        counts: &mut Vec<u32>,
    ) -> Result<(), RasterError> {
        check(camera, items)?;
        let lens = Lens::new(camera, self.coarseness.max(1));
        if self.size != lens.size {
            self.size = lens.size;
            let pixels = lens.size[0] as usize * lens.size[1] as usize;
            self.ids.resize(pixels, NOTHING);
            self.depths.resize(pixels, f32::NEG_INFINITY);
        }
        let known = self.update(lens, items);
        if known && self.make_room() {
            self.redraw(&lens, items);
        } else {
            let kept = self.draw(&lens, items);
            self.lens = kept.then_some(lens);
            self.tally.clear();
        }
        if self.tally.len() != ids || !known {
            self.tally.clear();
            self.tally.resize(ids, 0);
            self.dirty.all();
            compose::tally(&self.ids, self.size, self.dirty.runs(), &mut self.tally, u32::wrapping_add);
        }
        let area = self.coarseness.max(1).pow(2);
        counts.clear();
        counts.extend(self.tally.iter().map(|n| n * area));
        Ok(())
    }

    fn size(&self) -> [u32; 2] {
        self.size
    }

    fn ids(&mut self) -> Result<&[u32], RasterError> {
        Ok(&self.ids)
    }
}
