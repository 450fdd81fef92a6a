//! Who looks at a scene, and how it is known what they see.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::{Args, ValueEnum};
use glam::DVec3;
use supple::detail::Target;
use supple::view::{Camera, ItemBuffer, Screen, Viewer, Visibility};
use supple::world::{APosteriori, CheckError, Checked};
use supple_scenes::{Gaze, Stage};

use crate::number::real;

/// How it is known how much of a part is seen
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum VisibilityName {
    /// Balls about parts
    Spheres,
    /// Oriented boxes about parts
    Obb,
    /// Axis-aligned boxes about parts
    Aabb,
    /// Pixels, drawn and counted by the processor: what is hidden is not seen
    ItemBuffer,
    /// The same by a graphics processor (of builds with the feature `gpu`)
    Gpu,
}

impl VisibilityName {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Spheres => "spheres",
            Self::Obb => "obb",
            Self::Aabb => "aabb",
            Self::ItemBuffer => "item-buffer",
            Self::Gpu => "gpu",
        }
    }

    fn visibility(self) -> Visibility {
        match self {
            Self::Spheres => Visibility::Spheres,
            Self::Obb => Visibility::Boxes,
            Self::Aabb => Visibility::AlignedBoxes,
            Self::ItemBuffer | Self::Gpu => Visibility::Pixels,
        }
    }

    /// What draws, where pixels are counted.
    fn screen(self) -> Result<Option<Screen>> {
        Ok(match self {
            Self::ItemBuffer => Some(Screen::new(ItemBuffer::new())),
            Self::Gpu => Some(gpu()?),
            _ => None,
        })
    }
}

#[cfg(feature = "gpu")]
fn gpu() -> Result<Screen> {
    Ok(Screen::new(supple_gpu::GpuItemBuffer::new()?))
}

#[cfg(not(feature = "gpu"))]
fn gpu() -> Result<Screen> {
    anyhow::bail!(
        "this build has no `gpu`: build it with `cargo build --release --features gpu`, or take item-buffer"
    )
}

/// Spend the joints where somebody looks
#[derive(Args)]
#[command(next_help_heading = "View")]
pub(crate) struct ViewArgs {
    /// Look from one point at another, in m; repeat it for several cameras [default: as the scene has it]
    #[arg(long, value_name = "X,Y,Z:X,Y,Z", allow_hyphen_values = true)]
    camera: Vec<String>,
    /// How it is known what is seen [default: obb]
    #[arg(long, value_name = "V")]
    visibility: Option<VisibilityName>,
    /// Take every step at full detail too, compare the images, and take it again with half of `--pixels` while more than so many
    /// pixels differ: for checking, slower than full detail
    #[arg(long, value_name = "PIXELS", requires = "pixels")]
    check: Option<usize>,
    /// Pixels of the image
    #[arg(long, value_name = "WxH", default_value = "640x480", value_parser = size)]
    viewport: [u32; 2],
}

impl ViewArgs {
    /// The first camera that was asked for.
    pub(crate) fn first_camera(&self) -> Result<Option<Camera>> {
        self.camera.first().map(|text| camera(text)).transpose()
    }

    /// Who looks, if anybody does; `needed` where an error in pixels is asked for.
    pub(crate) fn watcher(&self, needed: bool) -> Result<Option<Watcher>> {
        if !needed && self.camera.is_empty() && self.visibility.is_none() {
            return Ok(None);
        }
        let cameras = self.camera.iter().map(|text| camera(text)).collect::<Result<Vec<_>>>()?;
        let visibility = self.visibility.unwrap_or(VisibilityName::Obb);
        let mut watcher = Watcher::new(visibility, self.viewport, cameras)?;
        watcher.check = self.check;
        Ok(Some(watcher))
    }
}

/// Two numbers of pixels.
pub(crate) fn size(text: &str) -> Result<[u32; 2], String> {
    let parse = |t: &str| t.trim().parse::<u32>().ok();
    let (w, h) = text.split_once('x').ok_or("two numbers like 640x480 are wanted")?;
    parse(w).zip(parse(h)).map(|(w, h)| [w, h]).ok_or_else(|| "two numbers like 640x480 are wanted".into())
}

/// A camera by where it is and what it looks at.
pub(crate) fn camera(text: &str) -> Result<Camera> {
    let wanted = || format!("--camera {text:?}: two points like 0,-5,1.5:0,0,1 are wanted");
    let point = |text: &str| {
        let numbers: Vec<f64> = text.split(',').filter_map(|t| real(t).ok()).collect();
        (numbers.len() == 3 && text.split(',').count() == 3).then(|| DVec3::from_slice(&numbers))
    };
    let (eye, target) = text.split_once(':').with_context(wanted)?;
    let (eye, target) = point(eye).zip(point(target)).with_context(wanted)?;
    Ok(Camera::look_at(eye, target, DVec3::Z))
}

/// Looks at a scene before each of its steps.
pub(crate) struct Watcher {
    visibility: VisibilityName,
    viewport: [u32; 2],
    /// Instead of those of the scene.
    cameras: Vec<Camera>,
    /// That of the scene, once there is one.
    gaze: Option<Gaze>,
    screen: Option<Screen>,
    /// Time that drawing and counting took.
    pub(crate) drawing: Duration,
    /// Pixels that may differ from the image of full detail, where that is checked.
    check: Option<usize>,
    checker: Option<APosteriori>,
    /// Whether the error that is allowed has been shared out.
    shared: bool,
}

impl Watcher {
    pub(crate) fn new(visibility: VisibilityName, viewport: [u32; 2], cameras: Vec<Camera>) -> Result<Self> {
        let screen = visibility.screen()?;
        Ok(Self {
            visibility,
            viewport,
            cameras,
            gaze: None,
            screen,
            drawing: Duration::ZERO,
            check: None,
            checker: None,
            shared: false,
        })
    }

    fn viewer(&self, cameras: &[Camera]) -> Result<Arc<Viewer>> {
        Ok(Arc::new(Viewer::new(cameras)?.by(self.visibility.visibility())))
    }

    /// Begins to look at a scene.
    pub(crate) fn begin(&mut self, stage: &Stage) -> Result<()> {
        self.gaze = Some(stage.gaze_or_framed());
        let walls =
            |screen: &mut Screen| stage.walls.iter().for_each(|(at, shape)| screen.add_wall(*at, shape));
        self.screen.iter_mut().for_each(walls);
        if let Some(most) = self.check {
            let world = &stage.world;
            let tied = world.constraints().next().is_some() || world.colliders().next().is_some();
            ensure!(!tied, "--check is for articulations that nothing touches or ties: leave it out");
            let mut screen = Screen::new(ItemBuffer::new());
            walls(&mut screen);
            self.checker = Some(APosteriori::new(screen, most));
        }
        Ok(())
    }

    /// The cameras at a time, instead of those of the scene.
    pub(crate) fn cameras(&self, time: f64) -> Vec<Camera> {
        let of_scene = || self.gaze.as_ref().map(|gaze| gaze.cameras(time)).unwrap_or_default();
        let cameras = if self.cameras.is_empty() { of_scene() } else { self.cameras.clone() };
        cameras.into_iter().map(|c| c.pixels(self.viewport[0], self.viewport[1])).collect()
    }

    /// Whether steps are checked.
    pub(crate) fn checks(&self) -> bool {
        self.checker.is_some()
    }

    /// Looks, and takes a step that is checked.
    pub(crate) fn checked_step(&mut self, stage: &mut Stage, dt: f64) -> Result<Checked, CheckError> {
        let cameras = self.cameras(stage.world.time());
        stage.cue(dt)?;
        if !std::mem::replace(&mut self.shared, true) {
            // bodies share what may be wrong, in equal parts that checks may make smaller
            let (asked, count) = (stage.world.pixels(), stage.articulations().count() as f64);
            stage.world.set_pixels(None)?;
            for (_, body) in stage.world.articulations_mut() {
                if let Some(error) = asked {
                    body.set_target(Target::Pixels { error: error / count })?;
                }
            }
        }
        match &mut self.checker {
            Some(checker) => checker.step(&mut stage.world, &cameras, dt),
            None => Ok(Checked::default()),
        }
    }

    /// Looks at a scene as it is.
    pub(crate) fn look(&mut self, stage: &mut Stage) -> Result<()> {
        let cameras = self.cameras(stage.world.time());
        stage.world.set_viewer(Some(self.viewer(&cameras)?))?;
        if let Some(screen) = &mut self.screen {
            let started = Instant::now();
            screen.count_world(&mut stage.world, &cameras)?;
            self.drawing += started.elapsed();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cameras_are_read() {
        let c = camera("0,-5,1.5:0,0,1").unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(c.position, DVec3::new(0.0, -5.0, 1.5));
        for bad in ["", "1,2,3", "1,2:3,4,5", "a,b,c:1,2,3"] {
            assert!(camera(bad).is_err(), "{bad}");
        }
        assert_eq!(size("3x4"), Ok([3, 4]));
        assert!(size("3").is_err() && size("-1x2").is_err());
    }
}
