//! People fall on a floor and come to rest; a snapshot on the way goes on with the same bits.
//!
//! `cargo run -p supple --example ragdoll`

mod figure;

use std::error::Error;

use supple::prelude::*;

const DT: f64 = 1.0 / 60.0;

/// Until all sleep, but 10 s at most.
fn until_rest(world: &mut World) -> Result<(), WorldError> {
    for _ in 0..600 {
        if world.step(DT)?.awake == 0 {
            break;
        }
    }
    Ok(())
}

/// Places and speeds of all joints.
fn states(world: &World) -> Vec<f64> {
    world
        .articulations()
        .flat_map(|(_, person)| person.state.q.iter().chain(&person.state.v))
        .copied()
        .collect()
}

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let mut world = World::new();
    let floor = Collider::new(Shape::half_space()).friction(0.8);
    world.add_collider(BodyRef::World, floor)?;
    for i in 0..3 {
        let at = DVec3::new(0.8 * f64::from(i), 0.2 * f64::from(i), 1.3 + 0.2 * f64::from(i));
        let person = figure::add(&mut world, at, 0.3 * f64::from(i))?;
        // the second one with the joints that move most, ten of them at most
        if i == 1 {
            world.articulation_mut(person)?.set_detail(Detail::joints(10))?;
        }
    }

    let (mut deepest, mut touches) = (0.0_f64, 0);
    for _ in 0..60 {
        let report = world.step(DT)?;
        deepest = deepest.max(report.penetration_max);
        // a world tells of colliders that overlap from the start
        assert!(!world.events().iter().any(|event| matches!(event, Event::StartsInside { .. })));
        touches += world.events().iter().filter(|event| matches!(event, Event::Touched { .. })).count();
    }
    println!("in the first second: {touches} touches, {:.1} mm deep at most", 1e3 * deepest);

    // a snapshot is a world of its own: it can be gone on with, and gone back to
    let snapshot = world.snapshot();
    until_rest(&mut world)?;
    let (end, time) = (states(&world), world.time());
    world.restore(&snapshot);
    until_rest(&mut world)?;
    assert!(states(&world) == end, "the same bits");

    for (id, person) in world.articulations() {
        let head = person.model.body("head").ok_or("no head")?;
        let height = world.frame((id, head))?.position.z;
        println!(
            "at {time:.2} s a head lies {height:.2} m above the floor, and sleeps: {}",
            world.is_asleep((id, head))
        );
        assert!(height < 1.0 && world.is_asleep((id, head)));
    }
    Ok(())
}
