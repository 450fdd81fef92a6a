//! Where everybody is, group by group.

use glam::DVec3;
use supple::constraint::Frame;
use supple::dynamics::kinematics::Kinematics;
use supple::view::{Camera, Volume};
use supple::world::{SingleBody, World};
use supple::{BodyId, Simulation};

use super::cast::{Cast, Figure, Role};

/// Where everybody is: poses of rigid groups, and where bodies stand in their group. Only what changed is worked out anew, and it
/// says since when it is as it is, so that whoever saw an earlier picture needs only the rest.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    /// How many pictures were taken, this one included.
    pub number: u64,
    /// Time of the simulation \[s].
    pub time: f64,
    /// The actors, as in the cast.
    pub actors: Vec<Posture>,
    poses: Kinematics,
}

/// Where an actor is.
#[derive(Clone, Debug, Default)]
pub struct Posture {
    /// Number of the picture since which its groups are where they are.
    pub moved: u64,
    /// Number of the picture since which its bodies are in the same groups, at the same places.
    pub regrouped: u64,
    /// Of each body its group, `None` is the world, and its frame in it.
    pub bodies: Vec<(Option<u32>, Frame)>,
    /// The groups.
    pub groups: Vec<Group>,
    /// The ball about each group, in its frame.
    balls: Vec<Volume>,
    seen: Seen,
}

/// Bodies that move as one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Group {
    /// Where it is.
    pub frame: Frame,
    /// Speed of the joint that carries it \[rad/s or m/s].
    pub activity: f64,
    /// Pixels of it that the motion of that joint changes in a step; not a number where nobody looks.
    pub worth: f64,
}

/// What a posture was made from: nothing is worked out anew while that is the same.
#[derive(Clone, Debug, Default)]
struct Seen {
    step: Option<u64>,
    /// Joints that stopped so far, and those that are active.
    stopped: u64,
    active: Vec<u32>,
}

impl Posture {
    /// Where a body is.
    pub fn frame(&self, body: usize) -> Frame {
        match self.bodies[body] {
            (Some(group), at) => self.groups[group as usize].frame * at,
            (None, at) => at,
        }
    }
}

impl Picture {
    /// A picture of nobody yet.
    pub(super) fn new(cast: &Cast) -> Self {
        Self { actors: vec![Posture::default(); cast.actors.len()], ..Self::default() }
    }

    /// Looks at everybody anew, as if they had all been changed.
    pub(super) fn forget(&mut self) {
        self.actors.iter_mut().for_each(|posture| posture.seen = Seen::default());
    }

    /// Takes a picture of a world.
    pub(super) fn take(&mut self, cast: &Cast, world: &World, camera: Option<&Camera>, dt: f64) {
        self.number += 1;
        self.time = world.time();
        for ((role, figure), posture) in cast.actors.iter().zip(&mut self.actors) {
            let figure = &cast.figures[*figure];
            match role {
                Role::Articulation(id) => {
                    if let Ok(simulation) = world.articulation(*id) {
                        posture.take(self.number, figure, simulation, camera, dt, &mut self.poses);
                    }
                }
                Role::Single(id) => {
                    if let Ok(body) = world.body(*id) {
                        posture.take_single(self.number, figure, body, camera, dt);
                    }
                }
            }
        }
    }
}

impl Posture {
    #[expect(
        clippy::too_many_arguments,
        reason = "the camera, how long a step is, and scratch go to each posture"
    )]
    fn take(
        &mut self,
        number: u64,
        figure: &Figure,
        simulation: &Simulation,
        camera: Option<&Camera>,
        dt: f64,
        poses: &mut Kinematics,
    ) {
        let step = Some(simulation.state.step);
        if self.seen.step == step {
            return;
        }
        let tree = simulation.stepped_tree();
        if self.seen.step.is_none() || self.seen.regroups(simulation) {
            self.regroup(figure, simulation);
            self.regrouped = number;
            self.seen.note(simulation);
        }
        self.seen.step = step;
        self.moved = number;
        poses.update_poses(tree, &simulation.state.q);
        self.groups.clear();
        for (link, motion) in tree.links.iter().zip(&poses.links) {
            let v = &simulation.state.v[link.dofs()];
            let frame = Frame::from(motion.pose());
            let worth = camera.map_or(f64::NAN, |camera| {
                let ball = self.balls[self.groups.len()].transformed(&motion.pose());
                let norm =
                    simulation.weights().norm(simulation.model.tree(), link.full, &simulation.state.q, v);
                pixels(camera, &ball) * norm.max(0.0).sqrt() * dt
            });
            let activity = v.iter().map(|v| v * v).sum::<f64>().sqrt();
            self.groups.push(Group { frame, activity, worth });
        }
    }

    /// Finds out anew where bodies are in their groups.
    fn regroup(&mut self, figure: &Figure, simulation: &Simulation) {
        self.bodies.clear();
        self.balls.clear();
        self.balls.resize(simulation.stepped_tree().links.len(), Volume::Empty);
        for body in 0..figure.bodies.len() {
            let (group, at) = simulation.place_in_group(BodyId::new(body));
            if let Some(group) = group {
                let ball = &mut self.balls[group.index()];
                *ball = ball.merged(&figure.balls[body].transformed(&at));
            }
            self.bodies.push((group.map(|group| group.index() as u32), at.into()));
        }
    }

    fn take_single(
        &mut self,
        number: u64,
        figure: &Figure,
        body: &SingleBody,
        camera: Option<&Camera>,
        dt: f64,
    ) {
        let speed = if body.is_asleep() { DVec3::ZERO } else { body.velocity() };
        let activity = speed.length().max(if body.is_asleep() { 0.0 } else { body.omega().length() });
        let frame = body.frame();
        let worth = camera.map_or(f64::NAN, |camera| {
            pixels(camera, &figure.balls[0].transformed(&frame.pose())) * activity * dt
        });
        let group = Group { frame, activity, worth };
        if self.seen.step.is_none() {
            self.seen.step = Some(0);
            self.regrouped = number;
            self.bodies = vec![(Some(0), Frame::IDENTITY)];
            self.groups.clear();
        }
        let same = |old: &Group| old.frame == frame && old.activity == activity;
        if !self.groups.first().is_some_and(same) {
            self.groups = vec![group];
            self.moved = number;
        }
    }
}

impl Seen {
    /// Whether groups may be other ones: a joint stopped or began to move.
    fn regroups(&self, simulation: &Simulation) -> bool {
        match simulation.region() {
            None => !self.active.is_empty() || self.stopped != 0,
            Some(region) => {
                self.active.is_empty()
                    || self.stopped != 1 + region.totals().stopped
                    || self.active[1..] != *region.active().members()
            }
        }
    }

    fn note(&mut self, simulation: &Simulation) {
        self.active.clear();
        self.stopped = 0;
        if let Some(region) = simulation.region() {
            // at least one number, so that a body without active joints is told from full detail
            self.active.push(u32::MAX);
            self.active.extend_from_slice(region.active().members());
            self.stopped = 1 + region.totals().stopped;
        }
    }
}

/// Pixels of a ball in the image of a camera, about.
fn pixels(camera: &Camera, ball: &Volume) -> f64 {
    let Some((center, radius)) = ball.ball() else { return 0.0 };
    if camera.to_view(center).z < -radius {
        return 0.0;
    }
    let radius = radius * camera.pixels_per_metre(center, 0.0);
    let [width, height] = camera.viewport.map(f64::from);
    (std::f64::consts::PI * radius * radius).min(width * height)
}
