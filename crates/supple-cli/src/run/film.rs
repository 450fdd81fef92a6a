//! What a run looks like: a video, or an animation, made while it goes on.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use clap::builder::PossibleValuesParser;
use supple::view::Camera;
use supple_record::{Colouring, Glb, Renderer, Sink, Style};
use supple_scenes::Stage;
use supple_scenes::live::Pictures;

use crate::complain;
use crate::number::real;
use crate::view::size;

/// Samples per second of animations, where nothing else is asked for.
const SAMPLES: f64 = 60.0;
/// Bytes of an animation from which on it is worth a warning.
const LARGE: u64 = 256 << 20;

/// Film it
#[derive(Args)]
#[command(next_help_heading = "Video")]
pub(crate) struct FilmArgs {
    /// Write a video to this file: .mp4, .gif, or .png for numbered frames (frames_0001.png …); seen from `--camera`
    #[arg(long, value_name = "FILE")]
    pub(crate) video: Option<PathBuf>,
    /// Frames per second of the video
    #[arg(long, value_name = "N", default_value = "30", value_parser = real, allow_negative_numbers = true)]
    fps: f64,
    #[command(flatten)]
    picture: ImageArgs,
}

/// How images are drawn.
#[derive(Args)]
pub(crate) struct ImageArgs {
    /// Pixels of images
    #[arg(long, value_name = "WxH", default_value = "960x720", value_parser = size)]
    pub(crate) size: [u32; 2],
    /// What colours tell: which bodies move as one, how fast joints are, or nothing
    #[arg(long, alias = "color", value_name = "C", default_value = "group",
          value_parser = PossibleValuesParser::new(Colouring::NAMES))]
    colour: String,
}

impl ImageArgs {
    /// What colours tell.
    pub(crate) fn colouring(&self) -> Colouring {
        Colouring::by_name(&self.colour).unwrap_or_default()
    }
}

/// Whether a trajectory is to be an animation.
pub(crate) fn is_animation(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("glb"))
}

/// Takes pictures of a run when they are due.
pub(crate) struct Film {
    pictures: Pictures,
    /// Instead of that of the scene.
    camera: Option<Camera>,
    video: Option<Video>,
    animation: Option<Animation>,
    written: String,
}

struct Video {
    renderer: Renderer,
    sink: Box<dyn Sink>,
    fps: f64,
    size: [u32; 2],
    frames: u64,
}

struct Animation {
    glb: Glb,
    every: u64,
}

/// What was written.
#[derive(Default)]
pub(crate) struct Filmed {
    pub(crate) frames: Option<u64>,
    pub(crate) samples: Option<u64>,
}

/// What a run is like.
pub(crate) struct Shooting<'a> {
    pub(crate) out: Option<&'a Path>,
    pub(crate) every: Option<u64>,
    pub(crate) camera: Option<Camera>,
    pub(crate) steps: u64,
    pub(crate) dt: f64,
}

impl FilmArgs {
    /// What films a run, if anything is to be filmed.
    pub(crate) fn film(&self, run: &Shooting, stage: &Stage) -> Result<Option<Film>> {
        let out = run.out.filter(|path| is_animation(path));
        if out.is_none() && self.video.is_none() {
            return Ok(None);
        }
        let pictures = Pictures::of(stage);
        let mut written = Vec::new();
        let video = match &self.video {
            None => None,
            Some(path) => {
                if run.camera.or(pictures.camera()).is_none() {
                    bail!("the scene does not say from where it is looked at: add --camera X,Y,Z:X,Y,Z");
                }
                let sink = supple_record::create(path, self.picture.size, self.fps)?;
                written.push(path.display().to_string());
                let style = Style { colouring: self.picture.colouring(), ..Style::default() };
                let renderer = Renderer::new(pictures.cast(), pictures.up(), style);
                Some(Video { renderer, sink, fps: self.fps, size: self.picture.size, frames: 0 })
            }
        };
        let animation = match out {
            None => None,
            Some(path) => {
                let every =
                    run.every.unwrap_or_else(|| (1.0 / (SAMPLES * run.dt) - 1e-6).ceil().max(1.0) as u64);
                let samples = run.steps / every + 2;
                let bytes = Glb::expected_bytes(pictures.cast(), samples);
                if bytes > LARGE {
                    let (path, mega) = (path.display(), bytes >> 20);
                    complain(&format!(
                        "warning: {path} may have up to {mega} MB: a greater --every makes it smaller"
                    ));
                }
                written.push(path.display().to_string());
                let glb = Glb::create(path, pictures.cast(), pictures.up(), samples)?;
                Some(Animation { glb, every })
            }
        };
        Ok(Some(Film { pictures, camera: run.camera, video, animation, written: written.join(", ") }))
    }
}

impl FilmArgs {
    /// Tells what was filmed.
    pub(crate) fn print(&self, out: &mut impl Write, filmed: &Filmed) -> Result<()> {
        if let (Some(path), Some(frames)) = (&self.video, filmed.frames) {
            writeln!(out, "  video            {} ({frames} frames)", path.display())?;
        }
        Ok(())
    }
}

impl Film {
    /// What is being written.
    pub(crate) fn written(&self) -> String {
        self.written.clone()
    }

    /// After a step: takes a picture if one is due, or if it is the `last`.
    pub(crate) fn note(&mut self, step: u64, stage: &Stage, last: bool) -> Result<()> {
        let time = stage.world.time();
        // times are sums of steps, and may fall short of a frame's by rounding
        let framed = |frames: u64, fps: f64| frames as f64 <= time * fps + 1e-6;
        let video = self.video.as_ref().is_some_and(|video| framed(video.frames, video.fps));
        let sampled = |animation: &Animation| step.is_multiple_of(animation.every) || last;
        let animation = self.animation.as_ref().is_some_and(sampled);
        if !video && !animation {
            return Ok(());
        }
        self.pictures.take(stage);
        let camera = self.camera.or(self.pictures.camera());
        if let Some(animation) = self.animation.as_mut().filter(|_| animation) {
            animation.glb.sample(self.pictures.picture(), camera.as_ref());
        }
        if let (Some(video), Some(camera), true) = (&mut self.video, camera, video) {
            let camera = camera.pixels(video.size[0], video.size[1]);
            let image = video.renderer.draw(self.pictures.cast(), self.pictures.picture(), &camera)?;
            // a step longer than a frame is seen for several
            while framed(video.frames, video.fps) {
                video.sink.frame(image)?;
                video.frames += 1;
            }
        }
        Ok(())
    }

    /// Completes the files.
    pub(crate) fn finish(self) -> Result<Filmed> {
        Ok(Filmed {
            frames: self.video.map(|video| video.sink.finish()).transpose()?,
            samples: self.animation.map(|animation| animation.glb.finish()).transpose()?,
        })
    }
}
