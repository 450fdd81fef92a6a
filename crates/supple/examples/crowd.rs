//! 500 stalks in the wind, with one number of joints for all of them, spent where somebody looks.
//!
//! `cargo run -p supple --example crowd`

use std::error::Error;
use std::sync::Arc;

use supple::prelude::*;

const STALKS: usize = 500;
const SEGMENTS: usize = 6;
const BUDGET: usize = 400;

/// A stalk that stands at a point [m] of the meadow, at rest.
fn stalk(at: DVec3) -> Result<Simulation, Box<dyn Error>> {
    let segment = RigidInertia::solid_capsule(0.02, DVec3::ZERO, DVec3::Z * 0.25, 0.01);
    let mut builder = ModelBuilder::new();
    for i in 0..SEGMENTS {
        let spring = 2.0 / (1.0 + i as f64);
        let joint = Joint::spherical().stiffness(spring).damping(0.02 * spring);
        let mut body = Body::new(format!("segment {i}"), joint).inertia(segment);
        body = match i {
            0 => body.at(Pose::from_translation(at)),
            _ => body.on(format!("segment {}", i - 1)).at(Pose::from_xyz(0.0, 0.0, 0.25)),
        };
        builder.add(body);
    }
    let mut stalk = Simulation::new(builder.finish()?);
    // the wind, none yet; stalks that are alike may share one model (`Arc<Model>`) and save memory
    let (body, wrench) = (BodyId::new(SEGMENTS - 1), Force::ZERO);
    stalk.wrenches.push(Load { body, wrench, axes: Axes::World });
    Ok(stalk)
}

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let place = |i: usize| DVec3::new(0.6 * (i % 25) as f64, 0.6 * (i / 25) as f64, 0.0);
    let mut world = World::new();
    // where each stalk stands: ids number them as they come
    for i in 0..STALKS {
        world.add_articulation(stalk(place(i))?);
    }
    let camera = Camera::look_at(DVec3::new(7.5, 5.7, 1.6), DVec3::new(12.0, 9.0, 0.5), DVec3::Z);
    world.set_viewer(Some(Arc::new(Viewer::new([camera.pixels(1280, 720)])?)))?;
    world.set_budget(Some(BUDGET))?;

    // before a stalk steps, the wind blows at its tip: gusts run along x
    let wind = |id: ArticulationId, stalk: &mut Simulation| {
        let phase = place(id.index()).x - 3.0 * stalk.state.time;
        stalk.wrenches[0].wrench = Force::new(DVec3::ZERO, DVec3::X * 0.05 * (1.0 + phase.sin()));
    };
    let (mut most, mut steps) = (0, 0);
    for _ in 0..60 {
        // `?` takes an error of a world: it lists who could not step, and why
        world.step_with(1.0 / 60.0, &wind)?;
        most = most.max(world.active_joints());
        steps += world.stepped().len();
    }
    let all: usize = world.articulations().map(|(_, stalk)| stalk.model.moving_joints()).sum();
    println!("{most} of {all} joints at most were active, {} stalks stepped per frame", steps / 60);
    assert!(most <= BUDGET, "a budget is kept");
    assert!(most > BUDGET / 2, "and spent");
    assert!(steps < 50 * STALKS, "who is behind the camera takes several steps at once");

    // those that nobody sees take several steps at once; this brings all to the same time
    world.catch_up()?;
    for (_, stalk) in world.articulations() {
        assert!((stalk.state.time - world.time()).abs() < 1e-9);
    }
    Ok(())
}
