//! A hand that pulls a body by a spring.

use glam::DVec3;
use supple::constraint::{Constraint, Frame, Softness};
use supple::world::{BodyRef, SingleBody, SingleId, World, WorldError};
use supple::{BodyId, Simulation};

use super::cast::Role;
use supple::spatial::math;

/// How fast the spring pulls what it holds home \[rad/s]: whoever hangs on it sags by g/ω², 2.5 cm.
const OMEGA: f64 = 20.0;
/// It never pulls by more than if it were this long \[m]: thirty times the weight of what it holds.
const LONGEST: f64 = 0.75;
/// Bodies that count as hanging on one that is held.
const NEIGHBOURS: usize = 16;
/// The hand follows the pointer within about this time \[s], and never faster than this \[m/s].
const FOLLOW: f64 = 0.03;
const FASTEST: f64 = 20.0;

/// A hand that pulls a body. Stable however far it is: spring and damper are implicit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hand {
    /// Number of the actor in the cast.
    pub actor: usize,
    /// Number of the body in its figure.
    pub body: usize,
    /// The point that is held, in the frame of the body \[m].
    pub point: DVec3,
    /// Where it is drawn to \[m].
    pub to: DVec3,
    /// A kinematic body that drags what it holds by a soft joint.
    tracker: SingleId,
    held: BodyRef,
}

impl Hand {
    /// Takes a body.
    pub(super) fn grab(
        world: &mut World,
        [actor, body]: [usize; 2],
        role: Role,
        point: DVec3,
        to: DVec3,
    ) -> Result<Self, WorldError> {
        let held = match role {
            Role::Articulation(id) => BodyRef::Of(id, BodyId::new(body)),
            Role::Single(id) => BodyRef::Single(id),
        };
        let at = world.frame(held)?.point(point);
        let (stiffness, damping) = spring(mass_of_all(world, held));
        let tracker = world.add_body(SingleBody::kinematic("hand").at(Frame::at(at)))?;
        let drag = Constraint::drag(tracker, held, point, Softness { stiffness, damping });
        if let Err(error) = world.add(drag.named("hand")) {
            world.remove_body(tracker)?;
            return Err(error);
        }
        Ok(Self { actor, body, point, to, tracker, held })
    }

    /// Before a step of `dt` \[s].
    pub(super) fn pull(&self, world: &mut World, dt: f64) -> Result<(), WorldError> {
        let (at, held) = (world.frame(self.tracker)?.position, world.frame(self.held)?.point(self.point));
        let to = held + (self.to - held).clamp_length_max(LONGEST);
        let way = ((to - at) * (1.0 - math::exp(-dt / FOLLOW))).clamp_length_max(FASTEST * dt);
        if way != DVec3::ZERO {
            world.wake(self.held);
        }
        world.move_to(self.tracker, Frame::at(at + way))
    }

    /// Lets go.
    pub(super) fn let_go(self, world: &mut World) -> Result<(), WorldError> {
        world.wake(self.held);
        world.remove_body(self.tracker).map(|_| ())
    }
}

/// Stiffness and damping of a spring that carries a mass.
fn spring(mass: f64) -> (f64, f64) {
    (mass * OMEGA * OMEGA, 2.0 * mass * OMEGA)
}

fn mass(simulation: &Simulation) -> f64 {
    simulation.model.bodies().iter().map(|body| body.inertia.mass).sum()
}

/// Mass of what hangs together with a body by joints: a spring for all of a net would tear at one knot of it.
fn mass_of_all(world: &World, body: BodyRef) -> f64 {
    // all bodies of an articulation are one
    let whole = |body: BodyRef| match body {
        BodyRef::Of(id, _) => BodyRef::Of(id, BodyId::new(0)),
        other => other,
    };
    let moves = |body: BodyRef| match body {
        BodyRef::World => false,
        BodyRef::Single(id) => world.body(id).is_ok_and(|b| !b.is_kinematic()),
        BodyRef::Of(..) => true,
    };
    let mut found = vec![whole(body)];
    let mut next = 0;
    while let Some(&at) = found.get(next) {
        next += 1;
        for (_, c) in world.constraints() {
            let (a, b) = (whole(c.parent), whole(c.child));
            for other in [(a, b), (b, a)].into_iter().filter(|(x, _)| *x == at).map(|(_, y)| y) {
                if moves(other) && !found.contains(&other) {
                    found.push(other);
                }
            }
        }
        if found.len() > NEIGHBOURS {
            break;
        }
    }
    let of = |body: &BodyRef| match *body {
        BodyRef::World => 0.0,
        BodyRef::Single(id) => world.body(id).map_or(0.0, SingleBody::mass),
        BodyRef::Of(id, _) => world.articulation(id).map_or(0.0, mass),
    };
    found.iter().map(of).sum()
}
