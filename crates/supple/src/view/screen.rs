use std::collections::HashMap;

use super::{Camera, Item, Looks, Mesh, Raster, RasterError};
use crate::dynamics::kinematics::Kinematics;
use crate::model::Tree;
use crate::shape::Shape;
use crate::spatial::{Frame, Pose};

/// Sides of what is round in the environment. Chosen, as for bodies.
const SIDES: u32 = 24;

/// Draws worlds as cameras see them, and tells their bodies how many of their pixels are seen: the paper's occlusion queries.
///
/// ```
/// # use glam::DVec3;
/// # use supple::{Body, Joint, ModelBuilder, RigidInertia, Simulation};
/// # use supple::view::{Camera, ItemBuffer, Screen};
/// # let rod = RigidInertia::solid_capsule(1.0, DVec3::ZERO, DVec3::X, 0.05);
/// # let model = ModelBuilder::new().body(Body::new("arm", Joint::revolute(DVec3::Y)).inertia(rod)).finish()?;
/// # let mut bodies = [Simulation::new(model)];
/// # bodies[0].set_looks(supple::view::Looks::by_inertia(&bodies[0].model))?;
/// let camera = Camera::look_at(DVec3::new(0.5, -3.0, 0.0), DVec3::new(0.5, 0.0, 0.0), DVec3::Z);
/// let mut screen = Screen::new(ItemBuffer::new());
/// screen.count(&mut bodies, &[camera])?;
/// assert!(screen.counts()[0] > 1000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Screen {
    raster: Box<dyn Raster>,
    /// Things that hide others, and where they are.
    walls: Vec<(Mesh, Pose)>,
    /// Surfaces of others, by their numbers, with the shapes that they were made of.
    surfaces: HashMap<u64, (Shape, Mesh)>,
    /// Where shapes of articulations are, one after the other.
    poses: Vec<Pose>,
    /// Others of a world: their numbers, where they are, and their ids.
    others: Vec<(u64, Pose, u32)>,
    links: Kinematics,
    counts: Vec<u32>,
    sums: Vec<u32>,
}

/// An articulated body as a screen draws it.
#[derive(Clone, Copy)]
pub(crate) struct Figure<'a> {
    pub(crate) tree: &'a Tree,
    pub(crate) q: &'a [f64],
    /// What it looks like; else it is not drawn.
    pub(crate) looks: Option<&'a Looks>,
}

impl std::fmt::Debug for Screen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Screen").field("walls", &self.walls.len()).finish_non_exhaustive()
    }
}

impl Screen {
    /// A screen drawn by this.
    pub fn new(raster: impl Raster + 'static) -> Self {
        Self {
            raster: Box::new(raster),
            walls: Vec::new(),
            surfaces: HashMap::new(),
            poses: Vec::new(),
            others: Vec::new(),
            links: Kinematics::default(),
            counts: Vec::new(),
            sums: Vec::new(),
        }
    }

    /// Something that hides others and does not move.
    pub fn add_wall(&mut self, at: Frame, shape: &Shape) {
        self.walls.push((Mesh::of(shape, SIDES), at.pose()));
    }

    /// No others are drawn.
    pub(crate) fn clear_others(&mut self) {
        self.others.clear();
    }

    /// Something else of this shape is drawn, with this id. Its surface is kept by its `number`.
    pub(crate) fn add_other(&mut self, number: u64, shape: &Shape, pose: Pose, id: u32) {
        let known = self.surfaces.get(&number).is_some_and(|(known, _)| known.is_same(shape));
        if !known {
            self.surfaces.insert(number, (shape.clone(), Mesh::of(shape, SIDES)));
        }
        self.others.push((number, pose, id));
    }

    /// Draws figures, and what [`Screen::add_other`] was told since [`Screen::clear_others`]: pixels by link, of all figures one after the other,
    /// are in [`Screen::counts`] then.
    pub(crate) fn draw_figures(
        &mut self,
        figures: &[Figure<'_>],
        camera: &Camera,
    ) -> Result<(), RasterError> {
        let Self { raster, walls, surfaces, poses, others, links, counts, .. } = self;
        poses.clear();
        for figure in figures {
            let Some(looks) = figure.looks else { continue };
            links.update_poses(figure.tree, figure.q);
            poses.extend(looks.shapes().iter().map(|look| {
                look.link.map_or(Pose::IDENTITY, |l| links.links[l.index()].pose()) * look.link_from_shape
            }));
        }
        let (mut items, mut at, mut first) = (Vec::with_capacity(poses.len()), poses.iter(), 0);
        let ids: usize = figures.iter().map(|f| f.tree.links.len()).sum();
        for figure in figures {
            for look in figure.looks.iter().flat_map(|looks| looks.shapes()) {
                let id = look.link.map_or(ids, |l| first + l.index()) as u32;
                let pose = at.next().copied().unwrap_or_default();
                items.push(Item { mesh: look.mesh(), pose, id });
            }
            first += figure.tree.links.len();
        }
        items.extend(walls.iter().map(|(mesh, pose)| Item { mesh, pose: *pose, id: ids as u32 }));
        let other = |(number, pose, id): &(u64, Pose, u32)| {
            surfaces.get(number).map(|(_, mesh)| Item { mesh, pose: *pose, id: *id })
        };
        items.extend(others.iter().filter_map(other));
        raster.count(camera, &items, ids, counts)
    }

    /// Begins to add up the counts of so many links.
    pub(crate) fn clear_sums(&mut self, links: usize) {
        self.sums.clear();
        self.sums.resize(links, 0);
    }

    /// Adds the counts of the last image.
    pub(crate) fn add_counts(&mut self) {
        self.sums.iter_mut().zip(&self.counts).for_each(|(sum, n)| *sum += n);
    }

    /// Sums of counts, by link.
    pub(crate) fn sums(&self) -> &[u32] {
        &self.sums
    }

    /// Pixels of each link, as of the last image.
    pub fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// The ids of the last image, row after row from the top: numbers of links, greater ones for what is not counted,
    /// [`NOTHING`](super::NOTHING) where there is nothing.
    pub fn ids(&mut self) -> Result<&[u32], RasterError> {
        self.raster.ids()
    }

    /// Pixels of the last image from left to right and from top to bottom.
    pub fn size(&self) -> [u32; 2] {
        self.raster.size()
    }
}
