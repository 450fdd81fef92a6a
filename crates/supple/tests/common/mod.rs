//! What all tests share: random articulated bodies, comparisons, standard models.
#![allow(
    dead_code,
    unused_imports,
    unreachable_pub,
    reason = "every test file uses its own part of this module"
)]

pub mod motion;
mod random;
pub mod reference;
pub mod shapes;
pub mod survey;

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::DVec3;
use supple::detail::{Rigidifier, reduce, rigidify};
use supple::dynamics::articulated::Sweep;
use supple::dynamics::crba::{self, MassMatrix};
use supple::dynamics::jacobian::Column;
use supple::dynamics::kinematics::Kinematics;
use supple::dynamics::rnea::{self, Rnea};
use supple::dynamics::wrench::Wrenches;
use supple::dynamics::{EquationOfMotion, aba};
use supple::model::Tree;
use supple::spatial::Sym3;
use supple::{
    ArticulationId, Body, Joint, JointKind, Load, Model, ModelBuilder, Pose, RigidInertia, Simulation, World,
};

pub use random::{Case, Item, Rng, inertia, random_items, shuffle};

/// A world of articulations that nothing pushes, each with the gravity that it has.
pub fn world_of(simulations: impl IntoIterator<Item = Simulation>) -> World {
    let mut world = World::new();
    for (i, simulation) in simulations.into_iter().enumerate() {
        let gravity = simulation.gravity;
        if i == 0 {
            world.gravity = gravity;
        }
        let id = world.add_articulation(simulation);
        if gravity != world.gravity {
            world.set_gravity_of(id, Some(gravity)).expect("finite");
        }
    }
    world
}

/// The id of the articulation with this number.
#[track_caller]
pub fn nth_id(world: &World, i: usize) -> ArticulationId {
    world.articulations().nth(i).expect("so many").0
}

/// The articulation with this number.
#[track_caller]
pub fn nth(world: &World, i: usize) -> &Simulation {
    world.articulations().nth(i).expect("so many").1
}

/// The articulation with this number, to be changed.
#[track_caller]
pub fn nth_mut(world: &mut World, i: usize) -> &mut Simulation {
    world.articulation_mut(nth_id(world, i)).expect("it is there")
}

/// All articulations, in the order of their places.
pub fn all(world: &World) -> impl Iterator<Item = &Simulation> + Clone {
    world.articulations().map(|(_, simulation)| simulation)
}

/// Largest difference of two lists, relative to the largest entry of `expected`.
pub fn relative_error(got: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(got.len(), expected.len(), "lengths differ");
    let scale = expected.iter().fold(f64::MIN_POSITIVE, |m, x| m.max(x.abs()));
    difference(got, expected) / scale
}

/// Largest difference of two lists.
pub fn difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len(), "lengths differ");
    // `max` would drop a NaN
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, |m, d| if d.is_nan() || d > m { d } else { m })
}

/// Fails when `got` is further than `tolerance` from `expected`, relative to its largest entry.
#[track_caller]
pub fn assert_close(what: &str, got: &[f64], expected: &[f64], tolerance: f64) {
    let error = relative_error(got, expected);
    println!("{what}: relative error {error:.1e}");
    assert!(
        error <= tolerance,
        "{what}: relative error {error:.3e} > {tolerance:.1e}\n got {got:?}\nnot {expected:?}"
    );
}

/// Fails when a number is further than `tolerance` from `expected`, relative to it.
#[track_caller]
pub fn assert_near(what: &str, got: f64, expected: f64, tolerance: f64) {
    let error = (got - expected).abs() / expected.abs().max(f64::MIN_POSITIVE);
    assert!(
        error <= tolerance,
        "{what}: {got} is not {expected}: relative error {error:.3e} > {tolerance:.1e}"
    );
}

/// Forward dynamics of the bare mechanism: armature, but no springs, dampers, stops.
pub fn forward(case: &Case) -> Vec<f64> {
    let (kinematics, wrenches) = (case.kinematics(), case.wrenches());
    let mut qdd = vec![0.0; case.model.nv()];
    let equation = EquationOfMotion {
        tree: case.model.tree(),
        kinematics: &kinematics,
        gravity: case.gravity,
        diagonal: case.model.armature(),
        wrenches: &wrenches,
    };
    aba::accelerations(&equation, &case.tau, &mut Sweep::default(), &mut qdd);
    qdd
}

/// Inverse dynamics of the bare mechanism.
pub fn inverse(case: &Case, qdd: &[f64]) -> Vec<f64> {
    let mut tau = vec![0.0; case.model.nv()];
    let equation = EquationOfMotion {
        tree: case.model.tree(),
        kinematics: &case.kinematics(),
        gravity: case.gravity,
        diagonal: case.model.armature(),
        wrenches: &case.wrenches(),
    };
    rnea::joint_forces(&equation, qdd, &mut Rnea::default(), &mut tau);
    tau
}

/// Mass matrix, armature included.
pub fn mass_matrix(case: &Case) -> MassMatrix {
    crba::mass_matrix(case.model.tree(), &case.kinematics(), case.model.armature(), case.model.nv())
}

/// `Jᵀ f` for a force at the point and in the axes of the columns.
pub fn transposed(columns: &[Column], force: supple::Force, nv: usize) -> Vec<f64> {
    let mut tau = vec![0.0; nv];
    for c in columns {
        tau[c.dof] += force.dot(c.motion);
    }
    tau
}

/// Numbers of v by the name of their joint, so that models with bodies in another order compare.
pub fn by_joint(model: &Model, v: &[f64]) -> BTreeMap<String, Vec<f64>> {
    model.joints().iter().map(|j| (j.name.clone(), v[j.v..j.v + j.nv].to_vec())).collect()
}

/// The same numbers in the order of another model; joints that it lacks are left out.
pub fn reordered(from: &Model, v: &[f64], to: &Model) -> Vec<f64> {
    let named = by_joint(from, v);
    to.joints().iter().flat_map(|j| named[&j.name].clone()).collect()
}

/// Uniform rod of theory §13.1 along x: `length` \[m], `mass` \[kg], diag(m l²/100, m l²/12, m l²/12).
pub fn rod(mass: f64, length: f64) -> RigidInertia {
    let i = mass * length * length;
    let moments = Sym3::diagonal(DVec3::new(i / 100.0, i / 12.0, i / 12.0));
    RigidInertia::new(mass, DVec3::new(0.5 * length, 0.0, 0.0), moments)
}

/// A straight chain along x of rods of 0.1 m and 0.1 kg; `joint` gives the joint of each link.
pub fn chain(links: usize, joint: impl Fn(usize) -> Joint) -> ModelBuilder {
    let mut builder = ModelBuilder::new();
    for i in 0..links {
        let mut body = Body::new(format!("link{i}"), joint(i)).inertia(rod(0.1, 0.1));
        if i > 0 {
            body = body.on(format!("link{}", i - 1)).at(Pose::from_xyz(0.1, 0.0, 0.0));
        }
        builder.add(body);
    }
    builder
}

/// A simulation of a model under gravity along −y, the way the chains of the theory hang.
pub fn simulation(builder: ModelBuilder) -> Simulation {
    let mut simulation = Simulation::new(builder.finish().expect("the model is valid"));
    simulation.gravity = DVec3::new(0.0, -9.81, 0.0);
    simulation
}

/// World position of a point of a body \[m].
pub fn point_of(simulation: &Simulation, body: &str, point: DVec3) -> DVec3 {
    let id = simulation.model.body(body).expect("the body exists");
    simulation.body_pose(&simulation.kinematics(), id).point(point)
}

/// World position of all bodies' origins, one list of numbers.
pub fn origins(simulation: &Simulation) -> Vec<f64> {
    let kinematics = simulation.kinematics();
    let bodies = 0..simulation.model.bodies().len();
    bodies
        .flat_map(|i| simulation.body_pose(&kinematics, supple::BodyId::new(i)).translation.to_array())
        .collect()
}

/// A joint of every kind, compounds with hinge, slide and ball, all with generic axes.
pub fn every_kind() -> Vec<JointKind> {
    use supple::model::Element::{Ball, Hinge, Slide};
    let a = DVec3::new(0.3, -0.5, 0.8);
    let b = DVec3::new(-0.7, 0.2, 0.4);
    let at = DVec3::new(0.05, -0.1, 0.07);
    vec![
        JointKind::Revolute { axis: a },
        JointKind::Continuous { axis: b },
        JointKind::Prismatic { axis: a },
        JointKind::Helical { axis: b, pitch: 0.13 },
        JointKind::Cylindrical { axis: a },
        JointKind::Universal { axes: [a, b] },
        JointKind::Planar { normal: b },
        JointKind::Spherical,
        JointKind::Free,
        JointKind::Compound(vec![
            Hinge { axis: a, anchor: at },
            Slide { axis: b },
            Hinge { axis: b, anchor: -at },
        ]),
        JointKind::Compound(vec![Slide { axis: a }, Ball { anchor: at }, Slide { axis: b }]),
        JointKind::Compound(vec![Ball { anchor: -at }, Hinge { axis: a, anchor: at }]),
    ]
}

/// Kinematics of a model at (q, v).
pub fn kinematics_at(model: &Model, q: &[f64], v: &[f64]) -> Kinematics {
    let mut kinematics = Kinematics::default();
    kinematics.update(model.tree(), q, v);
    kinematics
}

/// Wrenches on links for loads on bodies.
pub fn wrenches_of(model: &Arc<Model>, kinematics: &Kinematics, loads: &[Load]) -> Wrenches {
    let mut wrenches = Wrenches::new();
    wrenches.set(model, model.tree(), kinematics, loads);
    wrenches
}

/// All links active but those of the joints named by their child body's number.
pub fn all_but(model: &Model, rigid_joints: &serde_json::Value) -> Vec<bool> {
    let mut active = vec![true; model.tree().links.len()];
    for body in rigid_joints.as_array().expect("a list") {
        let body = body.as_u64().expect("a body number") as usize;
        active[model.joints()[body].link.expect("a moving joint").index()] = false;
    }
    active
}

/// The tree of the rigid groups of a case.
pub fn reduced(case: &Case, active: &[bool]) -> Tree {
    let mut tree = Tree::default();
    reduce(case.model.tree(), &case.q, active, &mut tree);
    tree
}

/// Forward dynamics with some joints frozen; zero accelerations there.
pub fn hybrid_forward(case: &Case, active: &[bool]) -> Vec<f64> {
    let tree = reduced(case, active);
    let mut kinematics = Kinematics::new(&tree);
    kinematics.update(&tree, &case.q, &case.v);
    let mut wrenches = Wrenches::new();
    wrenches.set(&case.model, &tree, &kinematics, &case.loads);
    let mut qdd = vec![0.0; case.model.nv()];
    let equation = EquationOfMotion {
        tree: &tree,
        kinematics: &kinematics,
        gravity: case.gravity,
        diagonal: case.model.armature(),
        wrenches: &wrenches,
    };
    aba::accelerations(&equation, &case.tau, &mut Sweep::default(), &mut qdd);
    qdd
}

/// Velocities after all joints but the active ones are stopped.
pub fn stop(case: &Case, active: &[bool]) -> Vec<f64> {
    let (before, after) = (reduced(case, &vec![true; active.len()]), reduced(case, active));
    let mut v = case.v.clone();
    rigidify(&before, &after, &case.q, case.model.armature(), &mut v, &mut Rigidifier::default());
    v
}
