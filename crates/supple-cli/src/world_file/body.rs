use serde::Serialize;
use supple::constraint::Frame;
use supple::world::SingleBody;

use super::Place;

/// A single body.
#[derive(Serialize)]
pub(crate) struct Body {
    name: String,
    position: [f64; 3],
    rotation: [f64; 4],
    velocity: [f64; 3],
    omega: [f64; 3],
    mass: f64,
    com: [f64; 3],
    inertia: [f64; 6],
    fixed: bool,
    /// Where it is after every step, if it is moved about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    moves: Vec<Place>,
}

impl Body {
    pub(super) fn new(body: &SingleBody, name: String) -> Self {
        let Frame { position, rotation } = body.frame();
        let omega = body.omega();
        Self {
            name,
            position: position.to_array(),
            rotation: rotation.to_array(),
            velocity: (body.velocity() + omega.cross(position - body.centre())).to_array(),
            omega: omega.to_array(),
            // what is fixed has no mass that matters
            mass: if body.is_kinematic() { 1.0 } else { body.mass() },
            com: body.com().to_array(),
            inertia: body.inertia().to_array(),
            fixed: body.is_kinematic(),
            moves: Vec::new(),
        }
    }

    /// Takes note of a path, unless it stays where it is.
    pub(super) fn follow(&mut self, path: Vec<Frame>) {
        let here =
            |f: &Frame| f.position.to_array() == self.position && f.rotation.to_array() == self.rotation;
        if !path.iter().all(here) {
            self.moves = path.into_iter().map(Place::from).collect();
        }
    }
}
