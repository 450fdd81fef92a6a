//! A person of ten bodies for the examples: a model, a shape for each of its bodies, and both in a world.

use std::error::Error;

use supple::prelude::*;

/// A limb: a capsule with joint, place on its parent, far end in its own frame [m], radius [m] and mass [kg].
struct Limb {
    name: &'static str,
    joint: Joint,
    /// Parent, and where on it [m].
    on: Option<(&'static str, DVec3)>,
    ends: [DVec3; 2],
    radius: f64,
    mass: f64,
}

/// With arms to the sides; x is forward, y to the left, z up.
fn limbs() -> Vec<Limb> {
    let v = DVec3::new;
    // balls turn within a cone, with some friction: nobody is made of oil
    let ball = |angle| Joint::spherical().cone(angle).damping(0.5);
    let hinge = |axis, low, high| Joint::revolute(axis).limits(low, high).damping(0.5);
    let limb = |name, joint, on, ends, radius, mass| Limb { name, joint, on, ends, radius, mass };
    let mut limbs = vec![
        limb("pelvis", Joint::free(), None, [v(0.0, -0.09, 0.0), v(0.0, 0.09, 0.0)], 0.1, 12.0),
        limb(
            "chest",
            ball(0.5),
            Some(("pelvis", v(0.0, 0.0, 0.12))),
            [v(0.0, -0.1, 0.18), v(0.0, 0.1, 0.18)],
            0.12,
            20.0,
        ),
        limb(
            "head",
            ball(0.6),
            Some(("chest", v(0.0, 0.0, 0.34))),
            [v(0.0, 0.0, 0.08), v(0.0, 0.0, 0.12)],
            0.1,
            5.0,
        ),
    ];
    for (side, [arm, forearm, thigh, shin]) in [
        (1.0, ["left arm", "left forearm", "left thigh", "left shin"]),
        (-1.0, ["right arm", "right forearm", "right thigh", "right shin"]),
    ] {
        let out = |y| [DVec3::ZERO, v(0.0, side * y, 0.0)];
        let down = |z: f64| [DVec3::ZERO, v(0.0, 0.0, -z)];
        limbs.extend([
            limb(arm, ball(1.4), Some(("chest", v(0.0, side * 0.24, 0.22))), out(0.27), 0.045, 2.5),
            limb(
                forearm,
                hinge(DVec3::Z * -side, 0.0, 2.2),
                Some((arm, v(0.0, side * 0.28, 0.0))),
                out(0.23),
                0.04,
                1.8,
            ),
            limb(thigh, ball(1.2), Some(("pelvis", v(0.0, side * 0.1, -0.06))), down(0.38), 0.065, 9.0),
            limb(shin, hinge(DVec3::Y, 0.0, 2.2), Some((thigh, v(0.0, 0.0, -0.42))), down(0.38), 0.05, 4.5),
        ]);
    }
    limbs
}

/// Puts a person into a world, with the pelvis at `at` [m], leaning forward by `lean` [rad].
pub(crate) fn add(world: &mut World, at: DVec3, lean: f64) -> Result<ArticulationId, Box<dyn Error>> {
    let mut builder = ModelBuilder::new();
    for limb in limbs() {
        let inertia = RigidInertia::solid_capsule(limb.mass, limb.ends[0], limb.ends[1], limb.radius);
        let mut body = Body::new(limb.name, limb.joint).inertia(inertia);
        if let Some((parent, place)) = limb.on {
            body = body.on(parent).at(Pose::from_translation(place));
        }
        builder.add(body);
    }
    let mut person = Simulation::new(builder.finish()?);
    // q of a free joint is its place, then a quaternion (x, y, z, w)
    person.state.q[..3].copy_from_slice(&at.to_array());
    person.state.q[3..7].copy_from_slice(&DQuat::from_rotation_y(lean).to_array());
    let person = world.add_articulation(person);
    for (i, limb) in limbs().iter().enumerate() {
        let shape = Shape::capsule(limb.ends[0], limb.ends[1], limb.radius)?;
        // bodies are numbered in the order in which they were given
        world.add_collider((person, BodyId::new(i)), Collider::new(shape).friction(0.8))?;
    }
    // what overlaps by its build, as thighs and pelvis do, is not to push itself apart
    world.ignore_overlaps(person, None)?;
    Ok(person)
}
