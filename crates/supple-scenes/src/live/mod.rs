//! A scene that somebody watches: stepped, looked at, pulled about, at more or less detail.
//!
//! ```text
//!  Stage ─► Live ─┬─► cast      who plays, and what they look like      (once)
//!                 ├─► picture   where everybody is, group by group      (what changed since the one before)
//!                 ├─► tally     joints, energies, contacts
//!                 └─◄ policy, camera, hand
//! ```
//!
//! Whoever looks sees actors, each with some bodies, in groups that move as one.

mod cast;
mod hand;
mod picture;
mod pictures;
mod policy;
mod strip;
mod tally;

use std::sync::Arc;

use glam::DVec3;
use supple::Simulation;
use supple::constraint::Frame;
use supple::detail::DetailError;
use supple::view::{Camera, Viewer, ViewerError};
use supple::world::{WorldError, WorldReport};

pub use cast::{Cast, Figure, Role, Solid};
pub use hand::Hand;
pub use picture::{Group, Picture, Posture};
pub use pictures::Pictures;
pub use policy::Policy;
pub use strip::{NodeState, Strip, StripNode};
pub use tally::Tally;

use crate::{Gaze, Stage};
use policy::Own;

/// A scene that somebody watches.
///
/// ```
/// use supple_scenes::live::{Live, Policy};
///
/// let mut live = Live::new(supple_scenes::stage("pendulum", &[("links", "20")])?);
/// live.set_policy(Policy::Joints(3))?;
/// live.step()?;
/// live.take_picture();
/// assert_eq!((live.tally().active, live.picture().actors[0].groups.len()), (3, 3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Live {
    stage: Stage,
    /// Length of a step \[s].
    pub dt: f64,
    steps: u64,
    cast: Cast,
    picture: Picture,
    gaze: Gaze,
    own: Own,
    policy: Policy,
    camera: Option<Camera>,
    hand: Option<Hand>,
    report: Option<WorldReport>,
}

/// Why a scene that is watched cannot do something.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LiveError {
    /// A world that cannot do something.
    #[error(transparent)]
    World(#[from] WorldError),
    /// A detail that cannot be had.
    #[error(transparent)]
    Detail(#[from] DetailError),
    /// A camera from which nothing can be seen.
    #[error(transparent)]
    Viewer(#[from] ViewerError),
    /// A policy that the scene cannot have.
    #[error("this scene has no {policy:?} policy: its bodies have no joints")]
    Policy {
        /// Its name.
        policy: &'static str,
    },
    /// A body that is not there.
    #[error("there is no body {body} of actor {actor} to be held")]
    NoBody {
        /// Number of the actor.
        actor: usize,
        /// Number of the body.
        body: usize,
    },
    /// A point that is none, or is out of this world.
    #[error("{what} must be three numbers of no more than {most:e} m, got {value}")]
    Point {
        /// Which.
        what: &'static str,
        /// What was given.
        value: DVec3,
        /// Greatest number \[m].
        most: f64,
    },
}

/// Where a hand can hold a body, from its origin, and where it can pull it \[m]: with an arm of 10³⁰⁰ m a finger would turn the world.
const LONGEST: f64 = 1e3;
const FARTHEST: f64 = 1e6;

impl Live {
    /// A scene, about to begin.
    pub fn new(stage: Stage) -> Self {
        let cast = Cast::of(&stage);
        let mut live = Self {
            dt: stage.step_length(None).0,
            steps: 0,
            picture: Picture::new(&cast),
            cast,
            gaze: stage.gaze_or_framed(),
            own: Own::of(&stage),
            policy: Policy::Scene,
            camera: None,
            hand: None,
            report: None,
            stage,
        };
        live.take_picture();
        live
    }

    /// Who plays, and what they look like.
    pub fn cast(&self) -> &Cast {
        &self.cast
    }

    /// The last picture that was taken.
    pub fn picture(&self) -> &Picture {
        &self.picture
    }

    /// From where the scene is meant to be looked at.
    pub fn gaze(&self) -> &Gaze {
        &self.gaze
    }

    /// Time \[s].
    pub fn time(&self) -> f64 {
        self.stage.world.time()
    }

    /// Steps taken.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Against gravity, a unit vector.
    pub fn up(&self) -> DVec3 {
        (-self.stage.world.gravity).try_normalize().unwrap_or(DVec3::Z)
    }

    /// One step, after what the scene and the hand do before it.
    pub fn step(&mut self) -> Result<(), LiveError> {
        let dt = self.dt;
        if let Some(hand) = &self.hand {
            hand.pull(&mut self.stage.world, dt)?;
        }
        self.report = Some(self.stage.step(dt)?);
        self.steps += 1;
        Ok(())
    }

    /// Takes a picture of where everybody is now.
    pub fn take_picture(&mut self) {
        let Self { stage, picture, cast, camera, dt, .. } = self;
        picture.take(cast, &stage.world, camera.as_ref(), *dt);
    }

    /// Numbers about it as it is now.
    pub fn tally(&self) -> Tally {
        Tally::of(&self.stage.world, self.report)
    }

    /// How much detail there is.
    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// Policies that this scene can have.
    pub fn policies(&self) -> &'static [&'static str] {
        if self.cast.joints() == 0 { &["scene"] } else { &Policy::NAMES }
    }

    /// Asks for this much detail from now on.
    pub fn set_policy(&mut self, policy: Policy) -> Result<(), LiveError> {
        if !self.policies().contains(&policy.name()) {
            return Err(LiveError::Policy { policy: policy.name() });
        }
        // where pixels count somebody must look; where they do not, joints are worth their motion
        let looks = matches!(policy, Policy::Pixels(_));
        let viewer = if looks { Some(self.viewer()?) } else { None };
        let Stage { world, script, .. } = &mut self.stage;
        if looks {
            world.set_viewer(viewer)?;
        }
        script.schedule = self.own.apply(policy, world, self.dt)?;
        if !looks {
            world.catch_up()?;
            world.set_viewer(None)?;
        }
        self.policy = policy;
        self.picture.forget();
        Ok(())
    }

    /// Somebody looks from there: what is seen counts where pixels do.
    pub fn look(&mut self, camera: Camera) -> Result<(), LiveError> {
        let before = self.camera.replace(camera);
        let looked = self.viewer().and_then(|viewer| match self.policy {
            Policy::Pixels(_) => Ok(self.stage.world.set_viewer(Some(viewer))?),
            _ => Ok(()),
        });
        if looked.is_err() {
            self.camera = before;
        }
        looked
    }

    fn viewer(&self) -> Result<Arc<Viewer>, LiveError> {
        let cameras = match self.camera {
            Some(camera) => vec![camera],
            None => self.gaze.cameras(self.time()),
        };
        Ok(Arc::new(Viewer::new(cameras)?))
    }

    /// Takes a point of a body, in its frame, to pull it to a point of the world \[m]. Whatever was held before is let go.
    pub fn grab(&mut self, actor: usize, body: usize, point: DVec3, to: DVec3) -> Result<(), LiveError> {
        self.drop()?;
        let bodies =
            self.cast.actors.get(actor).map_or(0, |(_, figure)| self.cast.figures[*figure].bodies.len());
        if body >= bodies {
            return Err(LiveError::NoBody { actor, body });
        }
        within(LONGEST, "the point that is held", point)?;
        within(FARTHEST, "where it is pulled to", to)?;
        let role = self.cast.actors[actor].0;
        self.hand = Some(Hand::grab(&mut self.stage.world, [actor, body], role, point, to)?);
        Ok(())
    }

    /// Pulls what is held to another point of the world \[m].
    pub fn pull(&mut self, to: DVec3) -> Result<(), LiveError> {
        within(FARTHEST, "where it is pulled to", to)?;
        if let Some(hand) = &mut self.hand {
            hand.to = to;
        }
        Ok(())
    }

    /// Lets go of what is held.
    pub fn drop(&mut self) -> Result<(), LiveError> {
        self.hand.take().map_or(Ok(()), |hand| Ok(hand.let_go(&mut self.stage.world)?))
    }

    /// What is held.
    pub fn hand(&self) -> Option<&Hand> {
        self.hand.as_ref()
    }

    /// The articulated body that an actor is; `None` for single bodies.
    pub fn simulation(&self, actor: usize) -> Option<&Simulation> {
        match self.cast.actors.get(actor)?.0 {
            Role::Articulation(id) => self.stage.world.articulation(id).ok(),
            Role::Single(_) => None,
        }
    }

    /// The numbers that an actor's motion goes on from: q and v of an articulation; position, rotation, velocity and angular velocity of a
    /// single body. Empty for one that has left.
    pub fn state(&self, actor: usize) -> Vec<f64> {
        if let Some(simulation) = self.simulation(actor) {
            return simulation.state.q.iter().chain(&simulation.state.v).copied().collect();
        }
        let body = match self.cast.actors.get(actor) {
            Some(&(Role::Single(id), _)) => self.stage.world.body(id).ok(),
            _ => None,
        };
        body.map_or_else(Vec::new, |body| {
            let Frame { position, rotation } = body.frame();
            let [velocity, omega] = [body.velocity(), body.omega()].map(|v| v.to_array());
            [&position.to_array()[..], &rotation.to_array(), &velocity, &omega].concat()
        })
    }

    /// The assembly tree of an actor, as far as it can be shown; empty for single bodies.
    pub fn strip(&self, actor: usize) -> Strip {
        self.simulation(actor).map_or_else(Strip::default, |simulation| match simulation.region() {
            Some(region) => Strip::new(region.assembly()),
            None => Strip::new(&supple::detail::AssemblyTree::build(simulation.model.tree())),
        })
    }
}

fn within(most: f64, what: &'static str, value: DVec3) -> Result<(), LiveError> {
    if value.abs().max_element() <= most && value.is_finite() {
        Ok(())
    } else {
        Err(LiveError::Point { what, value, most })
    }
}
