//! Where bodies are, and how they move.

use supple::world::{BodyRef, World};

/// Where a body, or all of an articulation, is, and how it moves.
pub fn state_of(world: &World, body: BodyRef) -> Vec<f64> {
    match body {
        BodyRef::World => Vec::new(),
        BodyRef::Of(id, _) => {
            let state = &world.articulation(id).unwrap().state;
            state.q.iter().chain(&state.v).copied().chain([state.time]).collect()
        }
        BodyRef::Single(id) => {
            let body = world.body(id).unwrap();
            let frame = body.frame();
            let [velocity, momentum] = [body.velocity(), body.angular_momentum()].map(|v| v.to_array());
            [&frame.position.to_array()[..], &frame.rotation.to_array(), &velocity, &momentum].concat()
        }
    }
}

/// Of all bodies, one after the other.
pub fn state(world: &World) -> Vec<f64> {
    let singles = world.bodies().map(|(id, _)| BodyRef::Single(id));
    let articulations = world.articulations().map(|(id, _)| BodyRef::Of(id, supple::BodyId::new(0)));
    singles.chain(articulations).flat_map(|body| state_of(world, body)).collect()
}
