//! Surfaces of all shapes of a cast, each made once.

use std::collections::HashMap;

use supple::constraint::Frame;
use supple::contact::Shape;
use supple::view::Mesh;
use supple_scenes::live::Cast;

use crate::surface::Surface;

/// Sides of what is round where it is seen closely.
const SIDES: u32 = 32;

/// One shape.
#[derive(Debug)]
pub(crate) struct Look {
    pub(crate) mesh: Mesh,
    /// By level, the finest first.
    pub(crate) levels: Vec<Surface>,
}

/// All shapes of a cast.
#[derive(Debug, Default)]
pub(crate) struct Looks {
    pub(crate) looks: Vec<Look>,
    /// By figure, the look of each solid; `None` where it is a half-space.
    pub(crate) figures: Vec<Vec<Option<u32>>>,
    /// What stands still.
    pub(crate) walls: Vec<(Frame, u32)>,
    /// Half-spaces that stand still.
    pub(crate) grounds: Vec<Frame>,
}

/// Whether a shape is a half-space: it is no thing to draw but the ground.
pub(crate) fn is_ground(shape: &Shape) -> bool {
    shape.name() == "half-space"
}

impl Looks {
    pub(crate) fn of(cast: &Cast) -> Self {
        let mut all = Self::default();
        let mut known = HashMap::new();
        for figure in &cast.figures {
            let looks = figure.solids.iter().map(|solid| all.add(&solid.shape, &mut known)).collect();
            all.figures.push(looks);
        }
        for (at, shape) in &cast.walls {
            match all.add(shape, &mut known) {
                Some(look) => all.walls.push((*at, look)),
                None => all.grounds.push(*at),
            }
        }
        all
    }

    /// The number of a shape, the same for equal ones.
    fn add(&mut self, shape: &Shape, known: &mut HashMap<Vec<u64>, u32>) -> Option<u32> {
        if is_ground(shape) {
            return None;
        }
        // by its surface with few sides
        let few = Mesh::of(shape, 4);
        let corners = few.finest().corners().iter().flat_map(|c| c.to_array()).map(f64::to_bits);
        let triangles = few.finest().triangles().iter().flatten().map(|i| u64::from(*i));
        let look = *known.entry(corners.chain(triangles).collect()).or_insert_with(|| {
            let mesh = Mesh::of(shape, SIDES);
            // levels are asked for by pixels per metre: the finest for any number, the others on the way down
            let mut levels: Vec<Surface> = Vec::new();
            let mut pixels = 1e12;
            while pixels > 1e-12 {
                let level = mesh.level(pixels);
                if level.index() == levels.len() {
                    levels.push(Surface::of(level));
                }
                pixels /= 1.1;
            }
            self.looks.push(Look { mesh, levels });
            self.looks.len() as u32 - 1
        });
        Some(look)
    }
}
