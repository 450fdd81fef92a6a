//! What `supple bench view` looks at, and the same at full detail from the same states.

use std::time::{Duration, Instant};

use anyhow::Result;
use supple::Simulation;
use supple::detail::{Detail, Target};
use supple::view::{ItemBuffer, Screen, differing};
use supple_scenes::Stage;

use crate::view::{VisibilityName, Watcher};

/// How much detail is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Asked {
    /// All joints.
    Full,
    /// No more than so many pixels wrong.
    Pixels(f64),
    /// As the scene has it: its budget.
    Scene,
}

/// Begins to look at a scene, and asks for detail.
pub(crate) fn begin(
    stage: &mut Stage,
    watcher: &mut Watcher,
    asked: Asked,
    update_every: Option<u32>,
) -> Result<()> {
    if asked != Asked::Scene {
        stage.script.schedule = None;
        stage.world.set_budget(None)?;
    }
    watcher.begin(stage)?;
    if asked != Asked::Full {
        watcher.look(stage)?;
    }
    if asked != Asked::Scene {
        for (_, body) in stage.world.articulations_mut() {
            let own = body.detail();
            let update_every = update_every.unwrap_or(own.update_every);
            let detail = Detail { target: Target::Full, update_every, ..own.clone() };
            body.set_detail(detail)?;
        }
    }
    if let Asked::Pixels(error) = asked {
        stage.world.set_pixels(Some(error))?;
    }
    Ok(())
}

/// Time spent in looking at volumes.
fn looking(stage: &Stage) -> Duration {
    let of = |s: &Simulation| s.region().map_or(Duration::ZERO, |r| r.totals().times.look);
    stage.articulations().map(of).sum()
}

/// Distance of the first camera from the first body at the start \[m].
pub(crate) fn distance(stage: &Stage, watcher: &Watcher) -> f64 {
    let (Some((_, first)), Some(camera)) = (stage.first(), watcher.cameras(0.0).first().copied()) else {
        return 0.0;
    };
    let poses = first.kinematics();
    let center =
        poses.links.iter().map(|l| l.position).sum::<glam::DVec3>() / poses.links.len().max(1) as f64;
    center.distance(camera.position)
}

/// Compares images with those of full detail from the same states.
pub(crate) struct Compared {
    screen: Screen,
    image: Vec<u32>,
}

impl Compared {
    pub(crate) fn new(stage: &Stage) -> Self {
        let mut screen = Screen::new(ItemBuffer::new());
        stage.walls.iter().for_each(|(at, shape)| screen.add_wall(*at, shape));
        Self { screen, image: Vec::new() }
    }

    /// Takes a step, and tells how many pixels differ then.
    pub(crate) fn step(&mut self, stage: &mut Stage, watcher: &mut Watcher, dt: f64) -> Result<usize> {
        watcher.look(stage)?;
        let cameras = watcher.cameras(stage.world.time());
        let Stage { world, script, .. } = stage;
        // what acts in this step is known only now
        script.prepare(world, dt)?;
        let mut full = world.snapshot();
        full.catch_up()?;
        full.set_viewer(None)?;
        full.set_budget(None)?;
        for (_, body) in full.articulations_mut() {
            body.set_detail(Detail::default())?;
        }
        let acts = script.on_articulations();
        full.step_with(dt, &acts)?;
        world.step_with(dt, &acts)?;
        let mut pixels = 0;
        for camera in &cameras {
            self.screen.draw_world(&full, camera)?;
            self.image.clear();
            self.image.extend_from_slice(self.screen.ids()?);
            self.screen.draw_world(world, camera)?;
            pixels += differing(&self.image, self.screen.ids()?);
        }
        Ok(pixels)
    }
}

/// Times steps.
pub(crate) struct Stopwatch {
    pub(crate) stepping: Duration,
    pub(crate) active: u64,
    pub(crate) steps: u64,
    pub(crate) worst: Duration,
    /// Time spent in finding out what is seen, but for the first step.
    pub(crate) looking: Duration,
}

impl Stopwatch {
    /// Runs a scene for some steps; of `Asked::Full` nobody looks.
    pub(crate) fn run(stage: &mut Stage, watcher: Option<&mut Watcher>, steps: u64, dt: f64) -> Result<Self> {
        let mut watch = Self {
            stepping: Duration::ZERO,
            active: 0,
            steps,
            worst: Duration::ZERO,
            looking: Duration::ZERO,
        };
        let mut watcher = watcher;
        let drawn = |watcher: Option<&Watcher>| watcher.map_or(Duration::ZERO, |w| w.drawing);
        let mut first = Duration::ZERO;
        for step in 0..steps {
            let started = Instant::now();
            if let Some(watcher) = &mut watcher {
                watcher.look(stage)?;
            }
            stage.step(dt)?;
            let took = started.elapsed();
            // the first step makes all groups
            if step > 0 {
                watch.stepping += took;
                watch.worst = watch.worst.max(took);
            }
            watch.active += stage.active() as u64;
            if step == 0 {
                first = looking(stage) + drawn(watcher.as_deref());
            }
        }
        watch.looking = (looking(stage) + drawn(watcher.as_deref())).saturating_sub(first);
        Ok(watch)
    }

    /// Mean time of a step but the first \[ns].
    pub(crate) fn ns(&self) -> f64 {
        self.stepping.as_secs_f64() * 1e9 / self.steps.saturating_sub(1).max(1) as f64
    }
}

/// All visibilities that this build has.
pub(crate) fn all() -> Vec<VisibilityName> {
    let mut all =
        vec![VisibilityName::Spheres, VisibilityName::Obb, VisibilityName::Aabb, VisibilityName::ItemBuffer];
    if cfg!(feature = "gpu") {
        all.push(VisibilityName::Gpu);
    }
    all
}
