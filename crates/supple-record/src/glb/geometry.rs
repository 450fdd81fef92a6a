//! Meshes: one for every shape and colour that there is; equal shapes share their numbers.

use std::collections::BTreeMap;

use glam::Vec3;
use supple::constraint::Frame;
use supple_scenes::live::Cast;

use crate::colour;
use crate::render::looks::Looks;
use crate::surface::Surface;

/// Colours of bodies.
pub(crate) const COLOURS: usize = 24;
/// The level of a look that is written: 16 sides where it is round.
const LEVEL: usize = 2;

/// Surfaces, and meshes made of them.
#[derive(Debug)]
pub(crate) struct Geometry {
    looks: Looks,
    ground: Surface,
    /// Surface and colour of each mesh.
    pub(crate) meshes: Vec<(u32, u32)>,
    known: BTreeMap<(u32, u32), u32>,
}

impl Geometry {
    pub(crate) fn of(cast: &Cast) -> Self {
        let ground = Surface::square(super::GROUND);
        Self { looks: Looks::of(cast), ground, meshes: Vec::new(), known: BTreeMap::new() }
    }

    /// The mesh of a solid of a figure, in some colour.
    pub(crate) fn mesh(&mut self, figure: usize, solid: usize, colour: usize) -> u32 {
        let surface = self.looks.figures[figure][solid].unwrap_or(self.looks.looks.len() as u32);
        self.add(surface, (colour % COLOURS) as u32)
    }

    /// Meshes of what stands still, and where they are.
    pub(crate) fn walls(&mut self, cast: &Cast) -> Vec<(Frame, u32)> {
        let mut walls = Vec::new();
        let ground = self.looks.looks.len() as u32;
        for (at, look) in self.looks.walls.clone() {
            walls.push((at, self.add(look, COLOURS as u32)));
        }
        for at in self.looks.grounds.clone() {
            walls.push((at, self.add(ground, COLOURS as u32)));
        }
        debug_assert_eq!(walls.len(), cast.walls.len());
        walls
    }

    fn add(&mut self, surface: u32, colour: u32) -> u32 {
        let next = self.meshes.len() as u32;
        *self.known.entry((surface, colour)).or_insert_with(|| {
            self.meshes.push((surface, colour));
            next
        })
    }

    /// Numbers of all colours that meshes have, in order.
    pub(crate) fn colours(&self) -> Vec<u32> {
        let mut all: Vec<u32> = self.meshes.iter().map(|(_, colour)| *colour).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// A surface by its number.
    pub(crate) fn surface(&self, number: u32) -> &Surface {
        let look = self.looks.looks.get(number as usize);
        look.map_or(&self.ground, |look| &look.levels[LEVEL.min(look.levels.len() - 1)])
    }

    /// Numbers of all surfaces that meshes are made of, in order.
    pub(crate) fn surfaces(&self) -> Vec<u32> {
        let mut all: Vec<u32> = self.meshes.iter().map(|(surface, _)| *surface).collect();
        all.sort_unstable();
        all.dedup();
        all.retain(|number| !self.surface(*number).triangles.is_empty());
        all
    }
}

/// A colour by its number.
pub(crate) fn colour(number: usize) -> Vec3 {
    if number < COLOURS { colour::hue_of(0, number) } else { colour::of_walls() }
}
