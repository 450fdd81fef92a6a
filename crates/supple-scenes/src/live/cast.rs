//! Who plays, and what they look like.

use std::collections::HashMap;
use std::sync::Arc;

use supple::constraint::Frame;
use supple::contact::Shape;
use supple::view::{Look, Looks, Volume};
use supple::world::{ArticulationId, BodyRef, SingleId};
use supple::{BodyId, Model, Simulation};

use crate::{Capsule, Stage};

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

    /// All of a stage. Bodies look like their colliders, else as the scene draws them, else like boxes with their inertia. Articulations
    /// without colliders that share model and looks share a figure.
    pub(super) fn of(stage: &Stage) -> Self {
        let world = &stage.world;
        let mut cast = Self { walls: stage.walls.clone(), ..Self::default() };
        let drawn = Drawn::of(stage);
        let mut known: HashMap<(*const Model, Option<*const Looks>), usize> = HashMap::new();
        for (id, simulation) in world.articulations() {
            let (model, looks) = (&simulation.model, simulation.looks());
            let key = (Arc::as_ptr(model), looks.map(Arc::as_ptr));
            let alone = !drawn.touches(id);
            let figure = match known.get(&key).filter(|_| alone) {
                Some(figure) => *figure,
                None => {
                    let figure = cast.add_figure(Figure::of_articulation(id, simulation, &drawn));
                    if alone {
                        known.insert(key, figure);
                    }
                    figure
                }
            };
            cast.actors.push((Role::Articulation(id), figure));
        }
        for (id, body) in world.bodies() {
            let mut shapes = drawn.of_body(id.into());
            if shapes.is_empty() && !body.is_kinematic() {
                let inertia = supple::RigidInertia::new(body.mass(), body.com(), body.inertia());
                shapes.extend(supple::view::box_of(&inertia));
            }
            let solids = shapes.into_iter().map(|(at, shape)| Solid { body: 0, at, shape }).collect();
            let figure = cast.add_figure(Figure::new(vec![body.name.clone()], vec![None], solids, 0));
            cast.actors.push((Role::Single(id), figure));
        }
        cast.walls.extend(drawn.of_body(BodyRef::World));
        cast
    }

    fn add_figure(&mut self, figure: Figure) -> usize {
        self.figures.push(figure);
        self.figures.len() - 1
    }
}

impl Figure {
    fn of_articulation(id: ArticulationId, simulation: &Simulation, drawn: &Drawn) -> Self {
        let model = &simulation.model;
        let looks = simulation.looks().map_or(&[][..], |looks| looks.shapes());
        let look = |look: &Look| {
            let body_from_link = model.bodies()[look.body.index()].link_from_body.inverse();
            (Frame::from(body_from_link * look.link_from_shape), look.shape.clone())
        };
        let mut solids = Vec::new();
        for (i, info) in model.bodies().iter().enumerate() {
            let body = BodyId::new(i);
            let mut shapes = drawn.of_body((id, body).into());
            if shapes.is_empty() {
                shapes.extend(looks.iter().filter(|look| look.body == body).map(look));
            }
            if shapes.is_empty() && looks.is_empty() {
                shapes.extend(supple::view::box_of(&info.inertia));
            }
            solids.extend(shapes.into_iter().map(|(at, shape)| Solid { body: i, at, shape }));
        }
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

/// What touches, of every body, and what is drawn of single bodies and of the world.
struct Drawn {
    colliders: Vec<(BodyRef, Frame, Shape)>,
    shapes: Vec<(BodyRef, Frame, Shape)>,
}

impl Drawn {
    fn of(stage: &Stage) -> Self {
        let colliders = stage.world.colliders().filter(|(_, collider, _)| !collider.is_sensor);
        let colliders = colliders.map(|(_, collider, body)| (body, collider.frame, collider.shape.clone()));
        let capsule =
            |s: &Capsule| Some((s.body, Frame::IDENTITY, Shape::capsule(s.from, s.to, s.radius).ok()?));
        // articulations have their looks themselves
        let shapes = stage.shapes.iter().filter(|s| !matches!(s.body, BodyRef::Of(..)));
        let mut drawn = Self { colliders: colliders.collect(), shapes: shapes.filter_map(capsule).collect() };
        drawn.colliders.sort_by_key(|(body, ..)| order(*body));
        drawn.shapes.sort_by_key(|(body, ..)| order(*body));
        drawn
    }

    /// Whether anything of an articulation touches.
    fn touches(&self, id: ArticulationId) -> bool {
        let first = self.colliders.partition_point(|(b, ..)| order(*b) < order((id, BodyId::new(0)).into()));
        self.colliders.get(first).is_some_and(|(b, ..)| matches!(b, BodyRef::Of(of, _) if *of == id))
    }

    /// The colliders of a body, else what is drawn of it.
    fn of_body(&self, body: BodyRef) -> Vec<(Frame, Shape)> {
        let of = |list: &[(BodyRef, Frame, Shape)]| -> Vec<(Frame, Shape)> {
            let first = list.partition_point(|(b, ..)| order(*b) < order(body));
            let mine = list[first..].iter().take_while(|(b, ..)| *b == body);
            mine.map(|(_, at, shape)| (*at, shape.clone())).collect()
        };
        let colliders = of(&self.colliders);
        if colliders.is_empty() { of(&self.shapes) } else { colliders }
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
