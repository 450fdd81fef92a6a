//! Somebody who sleeps on the floor is shot by a ray, comes to rest again, and is lifted by a hand.
//!
//! `cargo run -p supple --example shoot_and_drag`

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

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let mut world = World::new();
    world.add_collider(BodyRef::World, Collider::new(Shape::half_space()).friction(0.8))?;
    let person = figure::add(&mut world, DVec3::new(0.0, 0.0, 1.0), 0.4)?;
    until_rest(&mut world)?;
    let chest = world.articulation(person)?.model.body("chest").ok_or("no chest")?;
    let chest = (person, chest);
    assert!(world.is_asleep(chest));

    // a ray at the chest, from above and from the side
    let eye = world.frame(chest)?.position + DVec3::new(-2.0, 0.5, 1.5);
    let target = world.frame(chest)?.point(DVec3::Z * 0.18);
    let along = (target - eye).normalize();
    let hit = world.cast_ray(eye, along, 10.0, &QueryFilter::new())?.ok_or("a miss")?;
    let BodyRef::Of(_, body) = hit.body else { return Err("nobody is there".into()) };
    let name = world.articulation(person)?.model.bodies()[body.index()].name.clone();
    let (before, impulse) = (world.momenta(), 40.0 * along);
    world.push_at(hit.body, hit.point, impulse)?;
    let given = world.momenta().linear - before.linear;
    println!("shot at the {name}, {:.2} m away: momentum {given:.3} N·s", hit.distance);
    assert!(given.distance(impulse) < 1e-9 && !world.is_asleep(chest), "it wakes by that");
    let start = world.frame(chest)?.position;
    until_rest(&mut world)?;
    println!("it slid {:.2} m", start.distance(world.frame(chest)?.position));

    // a hand: a kinematic body that is led, and a soft ball joint from it to the point that it holds
    let held = DVec3::Z * 0.18;
    let at = world.frame(chest)?.point(held);
    let hand = world.add_body(SingleBody::kinematic("hand").at(Frame::at(at)))?;
    let (stiffness, damping) = (20_000.0, 1_000.0);
    let drag = world.add(Constraint::drag(hand, chest, held, Softness { stiffness, damping }))?;
    let steps = 120;
    for i in 1..=steps {
        let up = 1.5 * f64::from(i) / f64::from(steps);
        world.move_to(hand, Frame::at(at + DVec3::Z * up))?;
        world.step(DT)?;
    }
    // hangs still
    for _ in 0..300 {
        world.step(DT)?;
    }
    let height = world.frame(chest)?.point(held).z - at.z;
    let mass = world.articulation(person)?.momentum().mass;
    let sag = mass * 9.81 / stiffness;
    println!("lifted by {height:.3} m; {mass:.0} kg on the spring of the hand sag by {sag:.3} m");
    assert!((height + sag - 1.5).abs() < 0.01);
    let pull = world.force_of(drag)?.linear.z;
    assert!((pull - mass * 9.81).abs() < 0.05 * mass * 9.81, "the hand holds all of it: {pull} N");

    // and lets go
    world.cut(drag)?;
    world.remove_body(hand)?;
    until_rest(&mut world)?;
    assert!(world.frame(chest)?.position.z < 0.5);
    Ok(())
}
