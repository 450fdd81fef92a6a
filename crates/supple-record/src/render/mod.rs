//! A small renderer: where everybody is ─► an image.
//!
//! ```text
//!  cast ─► Looks: surfaces of distinct shapes, by level                  once
//!  picture ─► Props: pose, look, colour ─┬─► raster by the light ─► shadow map
//!                                        └─► raster by the camera ─► nearest triangle per sample
//!                                                 └─► shade ─► Image
//! ```
//!
//! A sample depends on nothing but the props and the camera, so images are the same to the bit for any number of threads.

mod close_up;
mod ground;
mod lens;
pub(crate) mod looks;
mod raster;
mod shade;
mod shadow;

use glam::{DVec3, Vec3};
use supple::Pose;
use supple::view::Camera;
use supple_scenes::live::{Cast, Picture};

use crate::colour::{self, Colouring};
use crate::{Image, RecordError};
use ground::Ground;
use lens::Lens;
use looks::Looks;
use raster::Raster;
use shade::Scenery;
use shadow::Shadow;

/// Most pixels of an image.
const MOST_PIXELS: u64 = 40_000_000;

/// How images are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    /// What colours tell.
    pub colouring: Colouring,
    /// Samples of a pixel in each direction, from 1 to 4: 2 makes smooth edges.
    pub samples: u32,
    /// Whether there are shadows.
    pub shadows: bool,
    /// Nothing is drawn thinner than this \[pixels]: threads far away remain to be seen.
    pub thinnest: f64,
}

impl Default for Style {
    fn default() -> Self {
        Self { colouring: Colouring::Group, samples: 2, shadows: true, thinnest: 1.0 }
    }
}

/// Something to draw.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prop {
    pose: Pose,
    look: u32,
    colour: Vec3,
}

/// Draws pictures of a cast.
#[derive(Debug)]
pub struct Renderer {
    style: Style,
    up: DVec3,
    looks: Looks,
    scenery: Option<Scenery>,
    props: Vec<Prop>,
    grounds: Vec<Ground>,
    raster: Raster,
    shadow: Shadow,
    image: Image,
}

impl Renderer {
    /// For pictures of this cast; `up` is against gravity.
    pub fn new(cast: &Cast, up: DVec3, style: Style) -> Self {
        Self {
            style: Style { samples: style.samples.clamp(1, 4), ..style },
            up: up.try_normalize().unwrap_or(DVec3::Z),
            looks: Looks::of(cast),
            scenery: None,
            props: Vec::new(),
            grounds: Vec::new(),
            raster: Raster::default(),
            shadow: Shadow::default(),
            image: Image::default(),
        }
    }

    /// Draws a picture as a camera sees it, with as many pixels as the camera has. Who is nowhere is not drawn.
    pub fn draw(&mut self, cast: &Cast, picture: &Picture, camera: &Camera) -> Result<&Image, RecordError> {
        camera.check()?;
        let [width, height] = camera.viewport;
        if u64::from(width) * u64::from(height) > MOST_PIXELS {
            let wanted = "40 million are the most";
            return Err(RecordError::Size { kind: "an image", width, height, wanted });
        }
        self.place(cast, picture);
        let lens = Lens::new(camera, self.style.samples).thinnest(self.style.thinnest);
        let items = lens.items(&self.props, &self.looks);
        // light and fog stay as they are for the first image
        let scenery = self.scenery.get_or_insert_with(|| Scenery::new(camera, self.up, &lens, &items));
        self.shadow.clear();
        if self.style.shadows {
            self.shadow.cast(scenery, &lens, &items, &self.props, &self.looks);
        }
        self.raster.draw(&lens, &items, &self.looks);
        self.image = Image::new(camera.viewport);
        let stage = shade::Stage {
            lens: &lens,
            items: &items,
            looks: &self.looks,
            raster: &self.raster,
            shadow: self.shadow.seen_by(&lens, camera),
            scenery: scenery.seen_by(camera),
            grounds: self.grounds.iter().filter_map(|ground| ground.seen_by(camera)).collect(),
            samples: self.style.samples,
        };
        stage.shade(&mut self.image);
        Ok(&self.image)
    }

    /// A camera that sees all actors of a picture from near by, for an image of this size: for scenes that do not say from where they are
    /// looked at.
    pub fn close_up(&mut self, cast: &Cast, picture: &Picture, size: [u32; 2]) -> Camera {
        self.place(cast, picture);
        // what stands still comes first
        let actors = &self.props[self.looks.walls.len()..];
        let ball = |prop: &Prop| {
            let mesh = &self.looks.looks[prop.look as usize].mesh;
            (prop.pose.point(mesh.centre()), mesh.radius())
        };
        let balls: Vec<_> = actors.iter().map(ball).collect();
        close_up::close_up(&balls, self.up, size)
    }

    /// Lists what there is to draw.
    fn place(&mut self, cast: &Cast, picture: &Picture) {
        self.props.clear();
        self.grounds.clear();
        for (at, look) in &self.looks.walls {
            self.props.push(Prop { pose: at.pose(), look: *look, colour: colour::of_walls() });
        }
        self.grounds.extend(self.looks.grounds.iter().map(|at| Ground::new(at.pose())));
        let mut colours = Vec::new();
        for (actor, ((_, figure), posture)) in cast.actors.iter().zip(&picture.actors).enumerate() {
            colours.clear();
            self.style.colouring.of_groups(actor, posture, &mut colours);
            for (solid, look) in cast.figures[*figure].solids.iter().zip(&self.looks.figures[*figure]) {
                let Some((group, _)) = posture.bodies.get(solid.body) else { continue };
                let pose = (posture.frame(solid.body) * solid.at).pose();
                if !pose.is_finite() {
                    continue;
                }
                let colour = colours[group.map_or(colours.len() - 1, |group| group as usize)];
                match look {
                    Some(look) => self.props.push(Prop { pose, look: *look, colour }),
                    None => self.grounds.push(Ground::new(pose)),
                }
            }
        }
    }
}
