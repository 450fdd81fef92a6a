//! Movers, manifolds and their rows, made anew for every pose.

use glam::{DMat3, DVec3};

use super::super::pair::WarmStart;
use super::{ContactSolver, DIRECT, Mover, Point, Pushed, Roll, Side, Surface, Touch, visit};
use crate::dynamics::square_root::SquareRoot;
use crate::spatial::vec8::{Vec8, ZERO};
use crate::spatial::{Force, Sym3};

impl ContactSolver {
    pub(crate) fn clear(&mut self) {
        self.movers.clear();
        self.changed_at.clear();
        self.touches.clear();
        self.points.clear();
        self.rolls.clear();
        self.z.clear();
        self.rows.clear();
        self.blocks.clear();
        self.ways.clear();
        self.link_ways.clear();
        // the world
        self.add_mover(Pushed::Nothing, 0, DVec3::ZERO, 0.0, DMat3::ZERO);
    }

    fn add_mover(
        &mut self,
        body: Pushed,
        numbers: usize,
        at: DVec3,
        root_mass: f64,
        root_inertia: DMat3,
    ) -> u32 {
        let (first, chunks) = (self.z.len() as u32, numbers.div_ceil(8) as u32);
        self.z.resize(self.z.len() + chunks as usize, ZERO);
        let ways = self.link_ways.len() as u32;
        self.movers.push(Mover { body, first, chunks, at, root_mass, root_inertia, level: 0, ways });
        self.changed_at.push(0);
        self.movers.len() as u32 - 1
    }

    /// A single body; nothing moves one without inverse mass.
    pub(crate) fn add_single(
        &mut self,
        place: u32,
        at: DVec3,
        inverse_mass: f64,
        inverse_inertia: Sym3,
    ) -> u32 {
        let numbers = if inverse_mass > 0.0 { 8 } else { 0 };
        self.add_mover(Pushed::Single(place), numbers, at, inverse_mass.sqrt(), lower(inverse_inertia))
    }

    /// An articulation of so many links and degrees of freedom.
    pub(crate) fn add_articulation(&mut self, place: u32, links: usize, dofs: usize) -> u32 {
        let mover = self.add_mover(Pushed::Articulation(place), dofs + 1, DVec3::ZERO, 0.0, DMat3::ZERO);
        self.link_ways.resize(self.link_ways.len() + links, (DIRECT, 0));
        mover
    }

    /// The side of a single body, or of the world.
    pub(crate) fn side(&self, mover: u32) -> Side {
        let it = &self.movers[mover as usize];
        Side { mover, way: DIRECT, chunks: it.chunks }
    }

    /// The side of a link.
    pub(crate) fn link_side(&mut self, mover: u32, link: usize, root: &mut SquareRoot) -> Side {
        let it = self.movers[mover as usize];
        let known = it.ways as usize + link;
        if self.link_ways[known].0 == DIRECT {
            let way = root.way(link);
            self.link_ways[known] = put_way(&mut self.ways, &it, way);
        }
        let (way, chunks) = self.link_ways[known];
        Side { mover, way, chunks }
    }

    /// Both sides of a manifold between two links of one articulation: all is on the first.
    pub(crate) fn own_sides(&mut self, mover: u32, links: [usize; 2], root: &mut SquareRoot) -> [Side; 2] {
        let it = self.movers[mover as usize];
        self.scratch.clear();
        for link in links {
            self.scratch.extend_from_slice(root.way(link));
        }
        self.scratch.sort_unstable();
        self.scratch.dedup();
        let (way, chunks) = put_way(&mut self.ways, &it, &self.scratch);
        [Side { mover, way, chunks }, self.side(0)]
    }

    /// Starts a manifold; its points follow.
    pub(crate) fn begin_touch(&mut self, sides: [Side; 2], pair: u32, manifold: u32, surface: Surface) {
        for (side, local) in sides.iter().zip(&mut self.local) {
            if local.len() < side.chunks as usize {
                local.resize(side.chunks as usize, ZERO);
            }
        }
        let Surface { friction, restitution, rolling } = surface;
        let first = self.points.len() as u32;
        let roll = u32::MAX;
        self.touches.push(Touch {
            sides,
            pair,
            manifold,
            collider_sets: [0; 2],
            first,
            count: 0,
            friction,
            restitution,
            rolling,
            roll,
            block: 0,
        });
    }

    /// A point of the manifold begun last. `push` fills in the row of a side for a force at a point: see [`ContactSolver::push_row`].
    pub(crate) fn add_point(
        &mut self,
        at: DVec3,
        normal: DVec3,
        separation: f64,
        mut row: impl FnMut(&Self, usize, Force, &mut [Vec8]),
    ) -> &mut Point {
        let (t, u) = normal.any_orthonormal_pair();
        let axes = [normal, t, u];
        let rows = self.rows.len() as u32;
        for axis in axes {
            self.add_row(Force::new(at.cross(axis), axis), &mut row);
        }
        self.points.push(Point {
            axes,
            at,
            rows,
            inverse: [0.0; 3],
            separation,
            target: 0.0,
            drift: [0.0; 3],
            impulse: [0.0; 3],
            bounce: [0.0; 3],
            place: 0,
            warm_start: WarmStart::default(),
        });
        let last = self.touches.len() - 1;
        self.touches[last].count += 1;
        let last = self.points.len() - 1;
        &mut self.points[last]
    }

    /// Ends a manifold: resistance to rolling, if there is any.
    pub(crate) fn end_touch(&mut self, mut row: impl FnMut(&Self, usize, Force, &mut [Vec8])) {
        let last = self.touches.len() - 1;
        let touch = self.touches[last];
        if touch.rolling > 0.0 && touch.count > 0 {
            let axes = self.points[touch.first as usize].axes;
            for axis in axes {
                self.add_row(Force::new(axis, DVec3::ZERO), &mut row);
            }
            self.touches[last].roll = self.rolls.len() as u32;
            self.rolls.push(Roll { axes, inverse: [0.0; 3], drift: [0.0; 3], impulse: [0.0; 3] });
        }
        self.add_block();
    }

    /// The block of the last manifold, and what its rows answer.
    fn add_block(&mut self) {
        let Self { touches, points, rolls, rows, blocks, .. } = self;
        let Some(touch) = touches.last_mut() else { return };
        let points = &mut points[touch.range()];
        let Some(first) = points.first().map(|point| point.rows as usize) else { return };
        let roll = rolls.get_mut(touch.roll as usize);
        let (count, rolling) = (3 * (points.len() + usize::from(roll.is_some())), 3 * points.len());
        let sides = touch.sides.map(|side| side.chunks as usize);
        touch.block = blocks.len() as u32;
        visit::add_block(&rows[first..], sides, count, [false; 2], blocks);
        let (block, width) = (&blocks[touch.block as usize..], count.div_ceil(4));
        for (i, point) in points.iter_mut().enumerate() {
            point.inverse = visit::inverses(block, width, 3 * i, true);
        }
        if let Some(roll) = roll {
            roll.inverse = visit::inverses(block, width, rolling, false);
        }
    }

    /// A row of a force, given about the world's origin, on the second side, and against it on the first.
    fn add_row(&mut self, force: Force, row: &mut impl FnMut(&Self, usize, Force, &mut [Vec8])) {
        let sides = self.touches[self.touches.len() - 1].sides;
        let first = self.rows.len();
        let chunks = sides.map(|side| side.chunks as usize);
        let mut rows = std::mem::take(&mut self.rows);
        rows.resize(first + chunks[0] + chunks[1], ZERO);
        let (a, b) = rows[first..].split_at_mut(chunks[0]);
        row(self, 0, -force, a);
        row(self, 1, force, b);
        self.rows = rows;
    }

    /// The row of a force, about the world's origin, on a single body.
    pub(crate) fn single_row(&self, mover: u32, force: Force, row: &mut [Vec8]) {
        if let [row] = row {
            *row = self.movers[mover as usize].row(force);
        }
    }
}

fn put_way(ways: &mut Vec<u32>, mover: &Mover, way: &[u32]) -> (u32, u32) {
    let start = ways.len();
    ways.extend(way.iter().map(|c| 8 * mover.first + c));
    let chunks = way.len().div_ceil(8);
    // one that stays zero
    ways.resize(start + 8 * chunks, 8 * (mover.first + mover.chunks) - 1);
    (start as u32, chunks as u32)
}

/// G with `m = G Gᵀ`, lower triangular; zero where m is.
fn lower(m: Sym3) -> DMat3 {
    let root = |x: f64| if x > 0.0 { x.sqrt() } else { 0.0 };
    let over = |x: f64, y: f64| if y > 0.0 { x / y } else { 0.0 };
    let a = root(m.xx);
    let (b, d) = (over(m.xy, a), over(m.xz, a));
    let c = root(m.yy - b * b);
    let e = over(m.yz - b * d, c);
    let f = root(m.zz - d * d - e * e);
    DMat3::from_cols(DVec3::new(a, b, d), DVec3::new(0.0, c, e), DVec3::new(0.0, 0.0, f))
}
