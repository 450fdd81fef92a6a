//! Random worlds: contradicting, redundant and degenerate constraints, mass ratios to 10⁶, steps from 10⁻⁶ to 0.1 s, all solvers. No
//! panic, nothing but finite numbers in the state, and where a world cannot be solved, the report says so.
//!
//! `SUPPLE_WORLDS` sets how many, for a soak.

mod common;

use std::sync::Arc;

use common::Rng;
use glam::DVec3;
use supple::adaptive::Detail;
use supple::constraint::{
    Ball, Constraint, Coupling, Cylindrical, Distance, DofRef, Frame, Hinge, JointModel, OnCircle,
    PlaneToPlane, PointOnLine, PointOnPlane, Prismatic, Rigid, Rope, Universal,
};
use supple::world::{Assembly, BodyRef, SingleBody, Solver, World, WorldError};
use supple::{Body, BodyId, Joint, ModelBuilder, RigidInertia, Simulation};

fn inertia(rng: &mut Rng) -> RigidInertia {
    let size = DVec3::new(rng.decades(1e-2, 1e0), rng.decades(1e-2, 1e0), rng.decades(1e-2, 1e0));
    RigidInertia::solid_box(rng.decades(1e-3, 1e3), size, rng.vector(0.1))
}

fn frame(rng: &mut Rng, size: f64) -> Frame {
    if rng.chance(0.2) { Frame::IDENTITY } else { Frame::from(rng.pose(size)) }
}

fn model(rng: &mut Rng) -> Arc<dyn JointModel> {
    let length = if rng.chance(0.2) { 0.0 } else { rng.range(0.0, 1.0) };
    match rng.below(13) {
        0 => Arc::new(Ball),
        1 => Arc::new(Hinge),
        2 => Arc::new(Rigid),
        3 => Arc::new(Prismatic { free: [rng.chance(0.5), rng.chance(0.5), rng.chance(0.5)] }),
        4 => Arc::new(PlaneToPlane),
        5 => Arc::new(Cylindrical),
        6 => Arc::new(Universal),
        7 => Arc::new(PointOnPlane),
        8 => Arc::new(PointOnLine),
        9 => Arc::new(OnCircle { radius: length }),
        10 => Arc::new(Distance { length }),
        11 => Arc::new(Rope { longest: length }),
        _ => Arc::new(Ball),
    }
}

fn arm(rng: &mut Rng) -> Simulation {
    let mut builder = ModelBuilder::new();
    let links = 1 + rng.below(5);
    for i in 0..links {
        let joint = match rng.below(4) {
            0 if i == 0 => Joint::free(),
            1 => Joint::spherical(),
            2 => Joint::prismatic(DVec3::X),
            _ => Joint::revolute(DVec3::Y),
        };
        let body = Body::new(format!("link {i}"), joint).inertia(inertia(rng));
        let at = rng.pose(0.5);
        builder.add(if i == 0 { body } else { body.on(format!("link {}", i - 1)).at(at) });
    }
    let mut simulation = Simulation::new(builder.finish().expect("a valid arm"));
    if rng.chance(0.3) {
        simulation.set_detail(Detail::joints(rng.below(links + 1))).expect("no more joints than there are");
    }
    simulation
}

fn world(rng: &mut Rng) -> World {
    let mut world = World::new();
    world.settings.solver = match rng.below(4) {
        0 => Solver::Sweeps { sweeps: 1 + rng.below(10) as u32 },
        1 => Solver::Displacement { outer: 1 + rng.below(4) as u32, inner: 1 + rng.below(30) as u32 },
        _ => Solver::Together,
    };
    let mut bodies = vec![BodyRef::World];
    let mut dofs = Vec::new();
    for i in 0..1 + rng.below(8) {
        if rng.chance(0.2) {
            let simulation = arm(rng);
            let (links, nv) = (simulation.model.bodies().len(), simulation.model.nv());
            let id = world.add_articulation(simulation);
            bodies.extend((0..links).map(|b| BodyRef::Of(id, BodyId::new(b))));
            dofs.extend((0..nv).map(|dof| DofRef { articulation: id, dof }));
        } else {
            let kinematic = rng.chance(0.1);
            let name = format!("body {i}");
            let body =
                if kinematic { SingleBody::kinematic(name) } else { SingleBody::new(name, inertia(rng)) };
            let body = body.at(frame(rng, 1.0)).moving(rng.vector(3.0), rng.vector(5.0));
            bodies.push(world.add_body(body).expect("a valid body").into());
        }
    }
    for _ in 0..rng.below(12) {
        let ends = [rng.below(bodies.len()), rng.below(bodies.len())].map(|i| bodies[i]);
        if ends[0] == ends[1] {
            continue;
        }
        let mut constraint = Constraint::new(Ball, ends[0], ends[1]);
        constraint.model = model(rng);
        (constraint.parent_frame, constraint.child_frame) = (frame(rng, 0.5), frame(rng, 0.5));
        if rng.chance(0.2) {
            constraint = constraint.soft(rng.decades(1e-3, 1e9), rng.decades(1e-3, 1e6));
        }
        if rng.chance(0.3) {
            constraint = constraint.limit(0, -rng.unit(), rng.unit());
        }
        if rng.chance(0.2) {
            constraint = constraint.motor(0, rng.range(-10.0, 10.0), rng.decades(1e-3, 1e3));
        }
        if rng.chance(0.1) {
            constraint = constraint.friction(0, rng.decades(1e-3, 1e3));
        }
        if rng.chance(0.1) {
            constraint = constraint.breaks_at(rng.decades(1e-1, 1e4), rng.decades(1e-1, 1e4));
        }
        for _ in 0..1 + usize::from(rng.chance(0.2)) {
            // actions on coordinates that the joint does not have are refused, and that is all
            match world.add(constraint.clone()) {
                Ok(_)
                | Err(
                    WorldError::NoCoordinate { .. }
                    | WorldError::TooManyRows { .. }
                    | WorldError::SoftLimit { .. },
                ) => {}
                Err(error) => panic!("{error}"),
            }
        }
    }
    if dofs.len() > 1 && rng.chance(0.5) {
        let (follower, leader) = (dofs[rng.below(dofs.len())], dofs[rng.below(dofs.len())]);
        let coefficients = vec![rng.range(-3.0, 3.0), rng.range(-1.0, 1.0)];
        let coupling =
            Coupling { name: "gear".into(), follower, leader: Some(leader), offset: 0.1, coefficients };
        let _ = world.couple(coupling);
    }
    world
}

fn is_finite(world: &World) -> bool {
    let singles = world
        .bodies()
        .all(|(_, b)| b.frame().is_finite() && b.velocity().is_finite() && b.omega().is_finite());
    let reduced =
        world.articulations().all(|(_, s)| s.state.q.iter().chain(&s.state.v).all(|x| x.is_finite()));
    singles && reduced
}

#[test]
fn no_world_breaks_it() {
    let count = std::env::var("SUPPLE_WORLDS").ok().and_then(|s| s.parse().ok()).unwrap_or(2000u64);
    let (mut unsolved, mut refused, mut steps) = (0u64, 0u64, 0u64);
    let first = std::env::var("SUPPLE_FIRST").ok().and_then(|s| s.parse().ok()).unwrap_or(0u64);
    for seed in first..first + count {
        let mut rng = Rng::new(seed, 77);
        let mut world = world(&mut rng);
        if rng.chance(0.2) {
            let assembled =
                world.assemble(&Assembly { outer: 10, inner: 50, ..Assembly::default() }).unwrap();
            assert!(assembled.errors.iter().all(|e| e.is_finite()), "world {seed}: {assembled:?}");
            assert!(is_finite(&world), "world {seed}");
        }
        let dt = rng.decades(1e-6, 1e-1);
        for step in 0..10 {
            let before = world.clone();
            match world.step(dt) {
                Ok(report) => {
                    steps += 1;
                    unsolved += u64::from(report.unsolved > 0);
                    let told = report.unsolved > 0 || !world.events().is_empty() || report.islands == 0;
                    let wrong = report.error > 1e3 * world.settings.tolerance;
                    assert!(told || !wrong, "world {seed}, step {step}: {report:?}");
                }
                Err(WorldError::NotFinite { .. } | WorldError::Articulation { .. }) => {
                    // told, and nothing is lost
                    refused += 1;
                    assert!(is_finite(&before));
                    break;
                }
                Err(error) => panic!("world {seed}, step {step}: {error}"),
            }
            assert!(is_finite(&world), "world {seed}, step {step}, dt {dt}");
        }
        assert!(is_finite(&world), "world {seed}");
    }
    println!("{count} worlds, {steps} steps, {unsolved} of them not solved, {refused} refused");
    // a step that overflows is told and taken back; it must stay a rare thing
    assert!(refused * 200 <= count, "{refused} of {count} worlds left the finite numbers");
}
