//! Who plays, and what they look like.

use std::collections::HashMap;
use std::sync::Arc;

use supple::constraint::Frame;
use supple::contact::Shape;
use supple::view::{Look, Looks, Volume};
use supple::world::{ArticulationId, BodyRef, SingleId, World};
use supple::{BodyId, Model};

use crate::world_stage::WorldStage;
use crate::{Show, WorldShape};

/// A shape of a body.
#[derive(Clone, Debug)]
pub struct Solid {
    /// Number of the body in its figure.
    pub body: usize,
    /// Where the shape is in the body.
    pub at: Frame,
    /// The shape.
    pub shape: Shape,
}

/// What an actor is made of.
#[derive(Clone, Debug, Default)]
pub struct Figure {
    /// Names of its bodies.
    pub bodies: Vec<String>,
    /// Of each the number of the body that carries it; `None` is the world.
    pub parents: Vec<Option<usize>>,
    /// What they look like.
    pub solids: Vec<Solid>,
    /// Joints that can move.
    pub joints: usize,
    /// The ball about each body, in its frame.
    pub(super) balls: Vec<Volume>,
}

/// Who an actor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// An articulation.
    Articulation(ArticulationId),
    /// A single body.
    Single(SingleId),
}

/// All that is to be seen of a scene, but for its motion: actors, their figures, and what stands still.
#[derive(Clone, Debug, Default)]
pub struct Cast {
    /// What actors are made of; equal ones may share it.
    pub figures: Vec<Figure>,
    /// The actors: who each is, and the number of its figure.
    pub actors: Vec<(Role, usize)>,
    /// What stands still: where it is, and its shape.
    pub walls: Vec<(Frame, Shape)>,
}

impl Cast {
    /// The figure of an actor.
    pub fn figure(&self, actor: usize) -> &Figure {
        &self.figures[self.actors[actor].1]
    }

    /// Joints that can move, in all actors together.
    pub fn joints(&self) -> usize {
        self.actors.iter().map(|(_, figure)| self.figures[*figure].joints).sum()
    }

    /// A crowd: members that share model and looks share a figure.
    pub(super) fn of_show(show: &Show) -> Self {
        let mut cast = Self { walls: show.walls.clone(), ..Self::default() };
        let mut known: HashMap<(*const Model, Option<*const Looks>), usize> = HashMap::new();
        for (id, member) in show.world.articulations() {
            let looks = member.looks();
            let figure =
                *known.entry((Arc::as_ptr(&member.model), looks.map(Arc::as_ptr))).or_insert_with(|| {
                    cast.figures
                        .push(Figure::of_member(&member.model, looks.map_or(&[], |looks| looks.shapes())));
                    cast.figures.len() - 1
                });
            cast.actors.push((Role::Articulation(id), figure));
        }
        cast
    }

    /// A world. Bodies look like their colliders, else as the scene draws them, else like boxes with their inertia.
    pub(super) fn of_world(stage: &WorldStage) -> Self {
        let world = &stage.world;
        let mut cast = Self::default();
        let mut drawn = Drawn::of(stage);
        for (id, simulation) in world.articulations() {
            let model = &simulation.model;
            let solids = (0..model.bodies().len()).flat_map(|body| {
                let solids = drawn.take(world, BodyRef::Of(id, BodyId::new(body)));
                solids.into_iter().map(move |(at, shape)| Solid { body, at, shape })
            });
            let solids = solids.collect();
            cast.add(Role::Articulation(id), Figure::of_model(model, solids));
        }
        for (id, body) in world.bodies() {
            let solids = drawn.take(world, id.into());
            let solids = solids.into_iter().map(|(at, shape)| Solid { body: 0, at, shape }).collect();
            cast.add(Role::Single(id), Figure::new(vec![body.name.clone()], vec![None], solids, 0));
        }
        cast.walls = drawn.take(world, BodyRef::World);
        cast
    }

    fn add(&mut self, role: Role, figure: Figure) {
        self.actors.push((role, self.figures.len()));
        self.figures.push(figure);
    }
}

impl Figure {
    fn of_member(model: &Model, looks: &[Look]) -> Self {
        let solid = |look: &Look| {
            let body_from_link = model.bodies()[look.body.index()].link_from_body.inverse();
            let at = Frame::from(body_from_link * look.link_from_shape);
            Solid { body: look.body.index(), at, shape: look.shape.clone() }
        };
        Self::of_model(model, looks.iter().map(solid).collect())
    }

    fn of_model(model: &Model, solids: Vec<Solid>) -> Self {
        let names = model.bodies().iter().map(|body| body.name.clone()).collect();
        let parents = model.bodies().iter().map(|body| body.parent.map(|parent| parent.index())).collect();
        Self::new(names, parents, solids, model.moving_joints())
    }

    fn new(bodies: Vec<String>, parents: Vec<Option<usize>>, solids: Vec<Solid>, joints: usize) -> Self {
        let mut balls = vec![Volume::Empty; bodies.len()];
        for solid in &solids {
            let ball = solid.shape.parry().compute_local_bounding_sphere();
            let ball = Volume::Ball { center: ball.center, radius: ball.radius };
            let at = solid.at * solid.shape.axes();
            balls[solid.body] = balls[solid.body].merged(&ball.transformed(&at.pose()));
        }
        Self { bodies, parents, solids, joints, balls }
    }
}

/// What is drawn of each body of a world.
struct Drawn {
    colliders: Vec<(BodyRef, Frame, Shape)>,
    shapes: Vec<(BodyRef, Frame, Shape)>,
}

impl Drawn {
    fn of(stage: &WorldStage) -> Self {
        let colliders = stage.world.colliders().filter(|(_, collider, _)| !collider.is_sensor);
        let colliders = colliders.map(|(_, collider, body)| (body, collider.frame, collider.shape.clone()));
        let capsule =
            |s: &WorldShape| Some((s.body, Frame::IDENTITY, Shape::capsule(s.from, s.to, s.radius).ok()?));
        let mut drawn = Self {
            colliders: colliders.collect(),
            shapes: stage.shapes.iter().filter_map(capsule).collect(),
        };
        drawn.colliders.sort_by_key(|(body, ..)| order(*body));
        drawn.shapes.sort_by_key(|(body, ..)| order(*body));
        drawn
    }

    /// The shapes of a body.
    fn take(&mut self, world: &World, body: BodyRef) -> Vec<(Frame, Shape)> {
        let of = |list: &[(BodyRef, Frame, Shape)]| -> Vec<(Frame, Shape)> {
            let first = list.partition_point(|(b, ..)| order(*b) < order(body));
            let mine = list[first..].iter().take_while(|(b, ..)| *b == body);
            mine.map(|(_, at, shape)| (*at, shape.clone())).collect()
        };
        let colliders = of(&self.colliders);
        if !colliders.is_empty() {
            return colliders;
        }
        let shapes = of(&self.shapes);
        if !shapes.is_empty() {
            return shapes;
        }
        let inertia = match body {
            BodyRef::World => None,
            BodyRef::Single(id) => world
                .body(id)
                .ok()
                .filter(|b| !b.is_kinematic())
                .map(|b| supple::RigidInertia::new(b.mass(), b.com(), b.inertia())),
            BodyRef::Of(id, body) => {
                world.articulation(id).ok().map(|s| s.model.bodies()[body.index()].inertia)
            }
        };
        inertia.and_then(|inertia| supple::view::box_of(&inertia)).into_iter().collect()
    }
}

/// Bodies in some order.
fn order(body: BodyRef) -> (u8, usize, usize) {
    match body {
        BodyRef::World => (0, 0, 0),
        BodyRef::Single(id) => (1, id.index(), 0),
        BodyRef::Of(id, body) => (2, id.index(), body.index()),
    }
}
