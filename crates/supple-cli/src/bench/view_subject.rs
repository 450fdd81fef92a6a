//! What `supple bench view` looks at: bodies or a world, and the same at full detail from the same states.

use std::time::{Duration, Instant};

use anyhow::Result;
use supple::detail::{Detail, Target};
use supple::view::{Camera, ItemBuffer, Screen, differing};
use supple::world::Twin;
use supple_scenes::{Opened, Show, WorldStage, active, open};

use crate::view::{VisibilityName, Watcher};

/// A scene that is looked at.
pub(crate) enum Subject {
    Bodies(Box<Show>),
    World(Box<WorldStage>),
}

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

impl Subject {
    pub(crate) fn open(scene: &str, settings: &[(&str, &str)]) -> Result<Self> {
        Ok(match open(scene, settings)? {
            Opened::Bodies(stage) => Self::Bodies(Box::new(stage.show()?)),
            Opened::World(stage) => Self::World(stage),
        })
    }

    /// The step that the scene is looked at with \[s].
    pub(crate) fn dt(&self) -> f64 {
        match self {
            Self::Bodies(_) => 1.0 / 60.0,
            Self::World(stage) => stage.dt,
        }
    }

    /// Begins to look, and asks for detail.
    pub(crate) fn begin(
        &mut self,
        watcher: &mut Watcher,
        asked: Asked,
        update_every: Option<u32>,
    ) -> Result<()> {
        let detail = |own: &Detail| {
            let target = match asked {
                Asked::Full => Target::Full,
                Asked::Pixels(error) => Target::Pixels { error },
                Asked::Scene => own.target,
            };
            Detail { target, update_every: update_every.unwrap_or(own.update_every), ..own.clone() }
        };
        match self {
            Self::Bodies(show) => {
                if asked != Asked::Scene {
                    show.schedule = None;
                    show.world.set_budget(None)?;
                }
                if asked != Asked::Full {
                    watcher.begin(show);
                    watcher.look(show, 0.0)?;
                }
                if asked != Asked::Scene {
                    for member in show.bodies_mut() {
                        member.set_detail(detail(member.detail()))?;
                    }
                }
                if let Asked::Pixels(error) = asked {
                    show.world.set_pixels(Some(error))?;
                }
            }
            Self::World(stage) => {
                if asked != Asked::Full {
                    watcher.look_at_world(stage)?;
                }
                let ids: Vec<_> = stage.world.articulations().map(|(id, _)| id).collect();
                for id in ids {
                    let simulation = stage.world.articulation_mut(id)?;
                    simulation.set_detail(detail(simulation.detail()))?;
                }
            }
        }
        Ok(())
    }

    pub(crate) fn look(&mut self, watcher: &mut Watcher, time: f64) -> Result<()> {
        match self {
            Self::Bodies(show) => watcher.look(show, time),
            Self::World(stage) => watcher.look_at_world(stage),
        }
    }

    pub(crate) fn step(&mut self, dt: f64) -> Result<()> {
        match self {
            Self::Bodies(show) => Ok(show.step(dt).map(|_| ())?),
            Self::World(stage) => Ok(stage.step(dt).map(|_| ())?),
        }
    }

    /// Joints that are active now; floating bases count.
    pub(crate) fn active(&self) -> usize {
        match self {
            Self::Bodies(show) => show.active(),
            Self::World(stage) => stage.world.articulations().map(|(_, s)| active(s)).sum(),
        }
    }

    /// Time spent in looking at volumes.
    pub(crate) fn looking(&self) -> Duration {
        let of = |s: &supple::Simulation| s.region().map_or(Duration::ZERO, |r| r.totals().times.look);
        match self {
            Self::Bodies(show) => show.bodies().map(of).sum(),
            Self::World(stage) => stage.world.articulations().map(|(_, s)| of(s)).sum(),
        }
    }

    fn cameras(&self, watcher: &Watcher, time: f64) -> Vec<Camera> {
        watcher.cameras(match self {
            Self::Bodies(show) => show.gaze.cameras(time),
            Self::World(stage) => stage.gaze.as_ref().map(|g| g.cameras(time)).unwrap_or_default(),
        })
    }

    /// Distance of the first camera from the first body at the start \[m].
    pub(crate) fn distance(&self, watcher: &Watcher) -> f64 {
        let first = match self {
            Self::Bodies(show) => Some(show.first()),
            Self::World(stage) => stage.world.articulations().next().map(|(_, s)| s),
        };
        let (Some(first), Some(camera)) = (first, self.cameras(watcher, 0.0).first().copied()) else {
            return 0.0;
        };
        let poses = first.kinematics();
        let center =
            poses.links.iter().map(|l| l.position).sum::<glam::DVec3>() / poses.links.len().max(1) as f64;
        center.distance(camera.position)
    }
}

/// Compares images with those of full detail from the same states.
pub(crate) struct Compared {
    screen: Screen,
    twin: Twin,
    image: Vec<u32>,
}

impl Compared {
    pub(crate) fn new(subject: &Subject) -> Self {
        let mut screen = Screen::new(ItemBuffer::new());
        if let Subject::Bodies(show) = subject {
            show.walls.iter().for_each(|(at, shape)| screen.add_wall(*at, shape));
        }
        Self { screen, twin: Twin::default(), image: Vec::new() }
    }

    /// Takes a step, and tells how many pixels differ then.
    pub(crate) fn step(
        &mut self,
        subject: &mut Subject,
        watcher: &mut Watcher,
        time: f64,
        dt: f64,
    ) -> Result<usize> {
        subject.look(watcher, time)?;
        let cameras = subject.cameras(watcher, time);
        match subject {
            Subject::Bodies(show) => {
                // what acts in this step is known only now
                show.cue();
                self.twin.follow_world(&show.world);
                self.twin.step(dt)?;
                show.step(dt)?;
                Ok(self.twin.differing(show.bodies(), &cameras, &mut self.screen, &mut self.image)?)
            }
            Subject::World(stage) => {
                if let Some(director) = &mut stage.director {
                    director.cue(&mut stage.world, dt)?;
                }
                let mut full = stage.world.snapshot();
                let ids: Vec<_> = full.articulations().map(|(id, _)| id).collect();
                for id in ids {
                    full.articulation_mut(id)?.set_detail(Detail::default())?;
                }
                full.step(dt)?;
                stage.world.step(dt)?;
                let mut pixels = 0;
                for camera in &cameras {
                    self.screen.draw_world(&full, camera)?;
                    self.image.clear();
                    self.image.extend_from_slice(self.screen.ids()?);
                    self.screen.draw_world(&stage.world, camera)?;
                    pixels += differing(&self.image, self.screen.ids()?);
                }
                Ok(pixels)
            }
        }
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
    /// Runs a subject for some steps; of `Asked::Full` nobody looks.
    pub(crate) fn run(
        subject: &mut Subject,
        watcher: Option<&mut Watcher>,
        steps: u64,
        dt: f64,
    ) -> Result<Self> {
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
                subject.look(watcher, step as f64 * dt)?;
            }
            subject.step(dt)?;
            let took = started.elapsed();
            // the first step makes all groups
            if step > 0 {
                watch.stepping += took;
                watch.worst = watch.worst.max(took);
            }
            watch.active += subject.active() as u64;
            if step == 0 {
                first = subject.looking() + drawn(watcher.as_deref());
            }
        }
        watch.looking = (subject.looking() + drawn(watcher.as_deref())).saturating_sub(first);
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
