use std::collections::HashMap;

use super::{Camera, Item, Mesh, Raster, RasterError};
use crate::Simulation;
use crate::dynamics::kinematics::Kinematics;
use crate::shape::Shape;
use crate::spatial::{Frame, Pose};
use crate::world::{BodyRef, ColliderId, World};

/// Sides of what is round in the environment.
const SIDES: u32 = 24;

/// Draws crowds and worlds as cameras see them, and tells their bodies how many of their pixels are seen: the paper's occlusion queries.
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
    /// Surfaces of colliders, with the shapes that they were made of.
    surfaces: HashMap<ColliderId, (Shape, Mesh)>,
    /// Where shapes of articulations are, one after the other; others of a world follow, with their ids.
    poses: Vec<Pose>,
    others: Vec<(ColliderId, Pose, u32)>,
    links: Kinematics,
    counts: Vec<u32>,
    sums: Vec<u32>,
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

    /// Draws bodies: pixels by link, of all bodies one after the other, are in [`Screen::counts`] then, the image in [`Screen::ids`].
    /// Bodies without looks are not drawn.
    pub fn draw(&mut self, bodies: &[Simulation], camera: &Camera) -> Result<(), RasterError> {
        self.others.clear();
        let bodies: Vec<&Simulation> = bodies.iter().collect();
        self.draw_all(&bodies, camera)
    }

    /// The same for a world, whose colliders are drawn.
    pub fn draw_world(&mut self, world: &World, camera: &Camera) -> Result<(), RasterError> {
        let bodies: Vec<&Simulation> = world.articulations().map(|(_, simulation)| simulation).collect();
        self.others.clear();
        let mut next: u32 = bodies.iter().map(|b| b.model.tree().links.len() as u32).sum();
        for (id, collider, body) in world.colliders() {
            let of_articulation = matches!(body, BodyRef::Of(..));
            let Ok(frame) = world.frame(body) else { continue };
            if collider.is_sensor || of_articulation {
                continue;
            }
            let known = self.surfaces.get(&id).is_some_and(|(shape, _)| shape.is_same(&collider.shape));
            if !known {
                let mesh = Mesh::of(&collider.shape, SIDES);
                self.surfaces.insert(id, (collider.shape.clone(), mesh));
            }
            next += 1;
            self.others.push((id, (frame * collider.frame).pose(), next));
        }
        self.draw_all(&bodies, camera)
    }

    fn draw_all(&mut self, bodies: &[&Simulation], camera: &Camera) -> Result<(), RasterError> {
        let Self { raster, walls, surfaces, poses, others, links, counts, .. } = self;
        poses.clear();
        for body in bodies {
            let Some(looks) = body.looks() else { continue };
            links.update_poses(body.model.tree(), &body.state.q);
            poses.extend(looks.shapes().iter().map(|look| {
                look.link.map_or(Pose::IDENTITY, |l| links.links[l.index()].pose()) * look.link_from_shape
            }));
        }
        let (mut items, mut at, mut first) = (Vec::with_capacity(poses.len()), poses.iter(), 0);
        let ids: usize = bodies.iter().map(|b| b.model.tree().links.len()).sum();
        for body in bodies {
            for look in body.looks().iter().flat_map(|looks| looks.shapes()) {
                let id = look.link.map_or(ids, |l| first + l.index()) as u32;
                let pose = at.next().copied().unwrap_or_default();
                items.push(Item { mesh: look.mesh(), pose, id });
            }
            first += body.model.tree().links.len();
        }
        items.extend(walls.iter().map(|(mesh, pose)| Item { mesh, pose: *pose, id: ids as u32 }));
        let other = |(id, pose, number): &(ColliderId, Pose, u32)| {
            surfaces.get(id).map(|(_, mesh)| Item { mesh, pose: *pose, id: *number })
        };
        items.extend(others.iter().filter_map(other));
        raster.count(camera, &items, ids, counts)
    }

    /// Counts the pixels of bodies in the images of all cameras, and tells them.
    pub fn count(&mut self, bodies: &mut [Simulation], cameras: &[Camera]) -> Result<(), RasterError> {
        self.sums.clear();
        self.sums.resize(bodies.iter().map(|b| b.model.tree().links.len()).sum(), 0);
        for camera in cameras {
            self.draw(bodies, camera)?;
            self.add_counts();
        }
        self.tell(bodies.iter_mut());
        Ok(())
    }

    /// The same for the articulations of a world.
    pub fn count_world(&mut self, world: &mut World, cameras: &[Camera]) -> Result<(), RasterError> {
        self.sums.clear();
        self.sums.resize(world.articulations().map(|(_, s)| s.model.tree().links.len()).sum(), 0);
        for camera in cameras {
            self.draw_world(world, camera)?;
            self.add_counts();
        }
        self.tell(world.watched());
        Ok(())
    }

    fn add_counts(&mut self) {
        self.sums.iter_mut().zip(&self.counts).for_each(|(sum, n)| *sum += n);
    }

    fn tell<'a>(&mut self, bodies: impl Iterator<Item = &'a mut Simulation>) {
        let mut first = 0;
        for body in bodies {
            let links = body.model.tree().links.len();
            if let Some(pixels) = self.sums.get(first..first + links) {
                // as many as it has links, so that it takes them
                let _ = body.set_pixels(pixels);
            }
            first += links;
        }
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
