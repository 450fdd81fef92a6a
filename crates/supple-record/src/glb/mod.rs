//! Animations as binary glTF 2.0, which Blender and browsers open.
//!
//! ```text
//!  supple (turns z up to y up) ─┬─ actor ─ body ─ body …   as the joints hang together
//!                               ├─ single body
//!                               ├─ what stands still
//!                               └─ camera
//! ```
//!
//! A body stands in the frame of the body that carries it. What is written has some seven digits, so each body is placed in the frame that its
//! carrier has *as written*: errors do not add up along a chain. A body that stays within a micrometre of where it was in that frame
//! keeps its numbers, so that rigid joints need no animation.

mod geometry;
mod track;
mod write;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use glam::{DMat3, DQuat, DVec3};
use supple::constraint::Frame;
use supple::view::{Camera, Projection};
use supple_scenes::live::{Cast, Picture};

use crate::{Draft, RecordError};
use geometry::Geometry;
use track::Track;

/// Bytes of a body in one sample.
const SAMPLE: u64 = 28;
/// Size of the ground \[m]: formats have no planes without end.
pub(crate) const GROUND: f32 = 100.0;

/// Collects where bodies are, then writes them as an animation.
///
/// ```
/// # use supple_record::Glb;
/// # use supple_scenes::live::Live;
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("pendulum.glb");
/// let mut live = Live::new(supple_scenes::stage("pendulum", &[("links", "3")])?);
/// let mut glb = Glb::create(&path, live.cast(), live.up(), 2)?;
/// for _ in 0..2 {
///     glb.sample(live.picture(), None);
///     live.step()?;
///     live.take_picture();
/// }
/// assert_eq!(glb.finish()?, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Glb {
    path: PathBuf,
    file: Draft,
    up: DVec3,
    times: Vec<f32>,
    actors: Vec<Actor>,
    walls: Vec<(Frame, u32)>,
    geometry: Geometry,
    camera: Option<(Camera, Track)>,
}

/// An actor and its bodies.
#[derive(Debug)]
struct Actor {
    name: String,
    /// Where its first body is at the start, roughly: what bodies are written relative to.
    offset: Option<DVec3>,
    bodies: Vec<BodyNode>,
}

#[derive(Debug)]
struct BodyNode {
    name: String,
    parent: Option<usize>,
    track: Track,
    /// Meshes, and where they are in the body.
    solids: Vec<(Frame, u32)>,
}

impl Glb {
    /// Begins a file of about so many samples; `up` is against gravity.
    pub fn create(path: &Path, cast: &Cast, up: DVec3, samples: u64) -> Result<Self, RecordError> {
        let bytes = Self::expected_bytes(cast, samples);
        if bytes > u64::from(u32::MAX) {
            return Err(RecordError::TooLarge { path: path.to_owned(), bytes });
        }
        // tried now: better no run than a run without its file
        let file = Draft::create(path).map_err(|error| RecordError::write(path, error))?;
        let mut geometry = Geometry::of(cast);
        let mut names = BTreeSet::new();
        let several = cast.actors.len() > 1;
        let actors = cast.actors.iter().enumerate().map(|(i, (_, figure))| {
            let of = &cast.figures[*figure];
            let single = of.bodies.len() == 1;
            let bodies = of.bodies.iter().enumerate().map(|(b, body)| {
                let name = match (body.as_str(), several && !single) {
                    ("", _) => format!("{i}/body {b}"),
                    (body, true) => format!("{i}/{body}"),
                    (body, false) => body.to_owned(),
                };
                let parent = of.parents.get(b).copied().flatten().filter(|p| *p < b);
                let solids = of.solids.iter().enumerate().filter(|(_, solid)| solid.body == b);
                let solids = solids.map(|(s, solid)| (solid.at, geometry.mesh(*figure, s, i + b)));
                BodyNode {
                    name: unique(name, i, &mut names),
                    parent,
                    solids: solids.collect(),
                    track: Track::default(),
                }
            });
            let bodies: Vec<_> = bodies.collect();
            let name = unique(format!("actor {i}"), i, &mut names);
            Actor { name, offset: (!single).then_some(DVec3::ZERO), bodies }
        });
        let actors = actors.collect();
        let walls = geometry.walls(cast);
        let path = path.to_owned();
        Ok(Self { path, file, up, times: Vec::new(), actors, walls, geometry, camera: None })
    }

    /// Bytes of a file with so many samples, if everybody moves.
    pub fn expected_bytes(cast: &Cast, samples: u64) -> u64 {
        let bodies: u64 = cast.actors.iter().map(|(_, f)| cast.figures[*f].bodies.len() as u64).sum();
        bodies.saturating_mul(SAMPLE).saturating_mul(samples).saturating_add(1 << 20)
    }

    /// Notes where everybody is, and the camera if there is one. Times that are not later than the last are left out.
    pub fn sample(&mut self, picture: &Picture, camera: Option<&Camera>) {
        let time = picture.time as f32;
        if self.times.last().is_some_and(|last| time <= *last) || !time.is_finite() {
            return;
        }
        let first = self.times.is_empty();
        self.times.push(time);
        for (actor, posture) in self.actors.iter_mut().zip(&picture.actors) {
            if first && let (Some(offset), false) = (&mut actor.offset, posture.bodies.is_empty()) {
                let at = posture.frame(0).position.as_vec3();
                *offset = if at.is_finite() { at.as_dvec3() } else { DVec3::ZERO };
            }
            let base = Frame::at(actor.offset.unwrap_or_default());
            for b in 0..actor.bodies.len() {
                let carrier = actor.bodies[b].parent.map_or(base, |p| actor.bodies[p].track.written);
                let exact = if b < posture.bodies.len() { posture.frame(b) } else { carrier };
                actor.bodies[b].track.note(carrier, exact);
            }
        }
        if first && let Some(camera) = camera.filter(|camera| camera.check().is_ok()) {
            self.camera = Some((*camera, Track::default()));
        }
        if let Some((last, track)) = &mut self.camera {
            let now = camera.unwrap_or(last);
            track.note(Frame::IDENTITY, Frame::new(now.position, now.rotation));
        }
    }

    /// Writes the file; tells how many samples it has.
    pub fn finish(self) -> Result<u64, RecordError> {
        let samples = self.times.len() as u64;
        write::write(self)?;
        Ok(samples)
    }

    /// Turns up to y.
    fn upright(&self) -> DQuat {
        if self.up.abs_diff_eq(DVec3::Z, 1e-9) {
            // x stays x
            return DQuat::from_mat3(&DMat3::from_cols(DVec3::X, DVec3::NEG_Z, DVec3::Y));
        }
        DQuat::from_rotation_arc(self.up, DVec3::Y)
    }
}

/// A name that nobody has yet.
fn unique(name: String, number: usize, names: &mut BTreeSet<String>) -> String {
    let mut name = name;
    while !names.insert(name.clone()) {
        name = format!("{name} #{number}");
    }
    name
}

/// A camera as the format has it.
fn lens(camera: &Camera) -> serde_json::Value {
    let [width, height] = camera.viewport.map(f64::from);
    match camera.projection {
        Projection::Perspective { field } => serde_json::json!({ "type": "perspective", "perspective": {
            "yfov": field, "znear": camera.near, "aspectRatio": width / height } }),
        Projection::Orthographic { height: span } => {
            serde_json::json!({ "type": "orthographic", "orthographic": {
            "xmag": 0.5 * span * width / height, "ymag": 0.5 * span, "znear": 0.0, "zfar": 1000.0 * span } })
        }
    }
}
