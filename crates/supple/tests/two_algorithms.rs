//! Two ways, one answer, on random trees: the articulated-body algorithm, the mass matrix with the recursive
//! Newton–Euler algorithm, Jacobians, responses, and plain differences of poses.
//!
//! Trees have 1 to 40 bodies, given in any order, with every kind of joint. A failing case prints its
//! number of bodies and its seed, and shrinks: body `i` depends on the seed and `i` alone.

mod common;

use common::reference::{self, Skeleton, derivative, moved};
use common::{
    Case, Item, Rng, assert_close, forward, inverse, mass_matrix, random_items, relative_error, reordered,
    transposed,
};
use glam::DVec3;
use proptest::prelude::*;
use supple::dynamics::EquationOfMotion;
use supple::dynamics::jacobian::{body_jacobian, point_jacobian};
use supple::dynamics::momentum::{locked_inertia, momentum};
use supple::dynamics::response::Response;
use supple::dynamics::rnea::{self, Rnea};
use supple::model::Element;
use supple::{Axes, Body, BodyId, Force, Joint, JointKind, Load, Motion, Pose, RigidInertia};

/// Two algorithms in the same arithmetic. Masses span one decade and the trees are up to 40 deep: the dense
/// solve loses up to seven of the sixteen digits to the condition of the mass matrix (the sweep fewer).
const TWO_ALGORITHMS: f64 = 1e-9;
/// Identities without a solve in them: sums of some hundred terms, relative to the largest.
const IDENTITY: f64 = 1e-11;
/// Differences of poses and velocities over 1e-4 s: rounding 1e-16 / 1e-4, and as much from the stencil,
/// times velocities of some ten rad/s at the ends of long chains.
const DIFFERENCES: f64 = 1e-7;
/// Bodies of relative mass 1e-10 in place of none: the motion changes by as much, times the condition.
const NEARLY_MASSLESS: f64 = 1e-6;

const BODIES: std::ops::RangeInclusive<usize> = 1..=40;

/// So many cases, or as many as `PROPTEST_CASES` says, for a soak.
fn cases(cases: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|s| s.parse().ok());
    let cases = asked.unwrap_or(cases);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

fn seed() -> impl Strategy<Value = u64> {
    any::<u64>().no_shrink()
}

/// Width of the difference stencils \[s]: joints that accelerate by thousands of rad/s² need narrower ones.
fn stencil(case: &Case, qdd: &[f64]) -> f64 {
    let largest = qdd.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let fastest = case.kinematics().links.iter().fold(0.0f64, |m, l| m.max(l.velocity.angular.length()));
    2.0 * reference::STEP / (largest / 30.0).sqrt().max(fastest / 10.0).max(1.0)
}

/// Scale of all joint forces: what gravity, inertia, loads and drives each ask for.
fn force_scale(case: &Case, qdd: &[f64]) -> f64 {
    let inertial = mass_matrix(case).mul(qdd);
    let bias = inverse(case, &vec![0.0; qdd.len()]);
    inertial.iter().chain(&bias).chain(&case.tau).fold(f64::MIN_POSITIVE, |m, x| m.max(x.abs()))
}

proptest! {
    #![proptest_config(cases(256))]

    /// M q̈ + h = τ solved densely is the articulated-body algorithm.
    #[test]
    fn mass_matrix_and_bias_give_the_accelerations_of_the_sweep(n in BODIES, seed in seed()) {
        let case = Case::random(n, seed);
        let bias = inverse(&case, &vec![0.0; case.model.nv()]);
        let rhs: Vec<f64> = case.tau.iter().zip(&bias).map(|(t, h)| t - h).collect();
        let dense = mass_matrix(&case).solve(&rhs).expect("the mass matrix is positive definite");
        assert_close("dense solve", &dense, &forward(&case), TWO_ALGORITHMS);
    }

    /// Inverse dynamics of forward dynamics gives back the joint forces.
    #[test]
    fn inverse_dynamics_inverts_forward_dynamics(n in BODIES, seed in seed()) {
        let case = Case::random(n, seed);
        let qdd = forward(&case);
        let error = common::difference(&inverse(&case, &qdd), &case.tau) / force_scale(&case, &qdd);
        prop_assert!(error <= TWO_ALGORITHMS, "relative error {error:.2e}");
    }

    /// And the other way round: the accelerations that forces were computed for come back.
    #[test]
    fn forward_dynamics_inverts_inverse_dynamics(n in BODIES, seed in seed()) {
        let mut case = Case::random(n, seed);
        let mut rng = Rng::new(seed, 1000);
        let wanted: Vec<f64> = (0..case.model.nv()).map(|_| rng.range(-10.0, 10.0)).collect();
        case.tau = inverse(&case, &wanted);
        assert_close("q̈", &forward(&case), &wanted, TWO_ALGORITHMS);
    }

    /// `response` is M⁻¹ (Jᵀ λ + τ), for impulses on bodies, on points of bodies, and on joints.
    #[test]
    fn response_is_the_inverse_mass_matrix_on_jacobians(n in BODIES, seed in seed()) {
        let case = Case::random(n, seed);
        let (model, kinematics) = (&case.model, case.kinematics());
        let mut rng = Rng::new(seed, 1000);
        let mut response = Response::default();
        response.factor(model.tree(), &kinematics, model.armature());
        let m = mass_matrix(&case);
        for trial in 0..4 {
            // a wrench impulse at a body's origin, and a pure impulse at a point of another
            let (hit, touched) = (BodyId::new(rng.below(n)), BodyId::new(rng.below(n)));
            let (wrench, push, point) = (rng.force(1.0), rng.vector(1.0), rng.vector(0.3));
            let tau: Vec<f64> = (0..model.nv()).map(|_| rng.range(-1.0, 1.0)).collect();
            let pose = case.simulation().body_pose(&kinematics, touched);
            let on_point = Force::new(DVec3::ZERO, push);
            let loads = [
                Load { body: hit, wrench, axes: Axes::World },
                Load { body: touched, wrench: on_point.about(pose.rotation * point), axes: Axes::World },
            ];
            let wrenches = common::wrenches_of(model, &kinematics, &loads);
            let joint_impulses = if trial == 0 { &[][..] } else { &tau };
            let mut dv = vec![0.0; model.nv()];
            response.apply(model.tree(), &kinematics, wrenches.entries(), joint_impulses, &mut dv);

            let mut rhs = transposed(&body_jacobian(model, &kinematics, hit), wrench, model.nv());
            let at_point = point_jacobian(model, &kinematics, touched, point);
            for (sum, x) in rhs.iter_mut().zip(transposed(&at_point, on_point, model.nv())) {
                *sum += x;
            }
            for (sum, x) in rhs.iter_mut().zip(joint_impulses) {
                *sum += x;
            }
            let dense = m.solve(&rhs).expect("positive definite");
            assert_close("velocity jump", &dv, &dense, TWO_ALGORITHMS);
            // the jumps of the links belong to the jumps of the joints
            let jumped = common::kinematics_at(model, &case.q, &dv);
            let got: Vec<f64> = response.link_motions().iter().flat_map(|v| v.to_array()).collect();
            let want: Vec<f64> = jumped.links.iter().flat_map(|l| l.velocity.to_array()).collect();
            assert_close("jumps of links", &got, &want, TWO_ALGORITHMS);
        }
    }

    /// ½ vᵀ M v, and momenta as sums over bodies and by the locked inertia.
    #[test]
    fn energy_and_momentum_have_one_value(n in BODIES, seed in seed()) {
        let case = Case::random(n, seed);
        let (model, kinematics, simulation) = (&case.model, case.kinematics(), case.simulation());
        let m = mass_matrix(&case);
        let quadratic = 0.5 * m.mul(&case.v).iter().zip(&case.v).map(|(a, b)| a * b).sum::<f64>();
        let kinetic = simulation.energy().kinetic;
        prop_assert!((quadratic - kinetic).abs() <= IDENTITY * kinetic, "{quadratic} {kinetic}");

        // body by body, from the inertias as they were given
        let (mut mass, mut moment, mut linear, mut angular) = (0.0, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
        let mut potential = 0.0;
        for body in reference::bodies(model) {
            let info = &model.bodies()[body.index()];
            if info.link.is_none() {
                continue;
            }
            let pose = simulation.body_pose(&kinematics, body);
            let h = pose.force(info.inertia.momentum(simulation.body_velocity(&kinematics, body)));
            let com = pose.point(info.inertia.com());
            mass += info.inertia.mass;
            moment += com * info.inertia.mass;
            linear += h.linear;
            angular += h.angular;
            potential -= info.inertia.mass * case.gravity.dot(com);
        }
        let got = momentum(model.tree(), &kinematics);
        if mass == 0.0 {
            return Ok(());
        }
        let com = moment / mass;
        assert_close("mass", &[got.mass], &[mass], IDENTITY);
        assert_close("centre of mass", &got.com.to_array(), &com.to_array(), IDENTITY);
        assert_close("linear momentum", &got.linear.to_array(), &linear.to_array(), IDENTITY);
        assert_close("angular momentum", &got.angular_about_origin.to_array(), &angular.to_array(), IDENTITY);
        let about_com = angular - com.cross(linear);
        let scale = angular.length().max(com.cross(linear).length());
        prop_assert!((got.angular_about_com - about_com).length() <= IDENTITY * scale);
        // relative to what the masses could weigh: heights cancel
        let weight = case.gravity.length() * mass * (com.length() + 1.0);
        prop_assert!((simulation.energy().potential - potential).abs() <= IDENTITY * weight);

        // a rigid motion of everything: its momentum is the locked inertia's
        let locked = locked_inertia(model.tree(), &kinematics, com);
        prop_assert!((locked.mass - mass).abs() <= IDENTITY * mass);
        prop_assert!(locked.moment.length() <= IDENTITY * mass * (com.length() + 1.0));
    }
}

proptest! {
    #![proptest_config(cases(64))]

    /// Poses, velocities and Jacobians of the library against products of poses and their differences.
    #[test]
    fn kinematics_are_derivatives_of_plain_products_of_poses(n in BODIES, seed in seed()) {
        let mut items = random_items(n, seed);
        common::shuffle(&mut items, &mut Rng::new(seed, 0));
        let case = Case::new(&items, DVec3::ZERO);
        let skeleton = Skeleton { bodies: items.into_iter().map(|i| i.body).collect() };
        let (model, kinematics, simulation) = (&case.model, case.kinematics(), case.simulation());

        let poses = skeleton.poses(&case.q);
        let velocities = reference::velocities(&skeleton, model, &case.q, &case.v);
        let flat = |pose: &Pose| [&pose.rotation.to_cols_array()[..], &pose.translation.to_array()].concat();
        let got: Vec<f64> =
            reference::bodies(model).flat_map(|b| flat(&simulation.body_pose(&kinematics, b))).collect();
        assert_close("poses", &got, &poses.iter().flat_map(flat).collect::<Vec<_>>(), IDENTITY);

        let mut rng = Rng::new(seed, 1000);
        for body in reference::bodies(model) {
            let (pose, want) = (poses[body.index()], velocities[body.index()]);
            let own = simulation.body_velocity(&kinematics, body);
            let got = Motion::new(pose.rotation * own.angular, pose.rotation * own.linear);
            let scale = want.to_array().iter().fold(1.0f64, |m, x| m.max(x.abs()));
            let error = (got - want).to_array().iter().fold(0.0f64, |m, x| m.max(x.abs())) / scale;
            prop_assert!(error <= DIFFERENCES, "velocity of body {}: {got:?}, not {want:?}", body.index());

            // J v at any point of the body
            let point = rng.vector(0.5);
            let mut sum = Motion::ZERO;
            for c in point_jacobian(model, &kinematics, body, point) {
                sum += c.motion * case.v[c.dof];
            }
            let at_point = got.at(pose.rotation * point);
            let error = (sum - at_point).to_array().iter().fold(0.0f64, |m, x| m.max(x.abs())) / scale;
            prop_assert!(error <= IDENTITY, "J v at a point of body {}: {sum:?}, not {at_point:?}", body.index());
        }
    }

    /// Single columns of the Jacobian, and the library's own `advance`, against differences of poses.
    #[test]
    fn columns_of_the_jacobian_are_differences_of_poses(n in BODIES, seed in seed()) {
        let items = random_items(n, seed);
        let case = Case::new(&items, DVec3::ZERO);
        let skeleton = Skeleton { bodies: items.into_iter().map(|i| i.body).collect() };
        let model = &case.model;
        if model.nv() == 0 {
            return Ok(());
        }
        let kinematics = case.kinematics();
        let mut rng = Rng::new(seed, 1000);
        let dof = rng.below(model.nv());
        let mut along = vec![0.0; model.nv()];
        along[dof] = 1.0;
        let velocities = reference::velocities(&skeleton, model, &case.q, &along);
        for body in reference::bodies(model) {
            let column = body_jacobian(model, &kinematics, body).into_iter().find(|c| c.dof == dof);
            let got = column.map_or(Motion::ZERO, |c| c.motion);
            let error = (got - velocities[body.index()]).to_array().iter().fold(0.0f64, |m, x| m.max(x.abs()));
            // levers of some metres
            prop_assert!(error <= 10.0 * DIFFERENCES, "column {dof} of body {}: {error:.2e}", body.index());
        }

        // the update that the integrators use moves along v, too, and back again
        let (h, tree) = (1e-5, model.tree());
        let mut ahead = case.q.clone();
        supple::dynamics::integrate::position::advance(tree, &case.q, &case.v, h, &mut ahead);
        let plain = moved(model, &case.q, &case.v, h);
        // both are right to first order, speeds are a few per second
        prop_assert!(common::difference(&ahead, &plain) <= 10.0 * h * h, "{ahead:?} {plain:?}");
        let mut back = case.q.clone();
        supple::dynamics::integrate::position::advance(tree, &ahead, &case.v, -h, &mut back);
        prop_assert!(common::difference(&back, &case.q) <= 1e-14, "{back:?} {:?}", case.q);
        let mut rates = vec![0.0; model.nq()];
        supple::dynamics::integrate::position::rates(tree, &case.q, &case.v, &mut rates);
        let slope = derivative(|h| moved(model, &case.q, &case.v, h));
        prop_assert!(common::difference(&rates, &slope) <= DIFFERENCES, "{rates:?} {slope:?}");
    }

    /// Newton and Euler, body by body: along the motion that the accelerations describe, momenta change as
    /// forces say. Velocity-dependent terms are checked without a formula for them.
    #[test]
    fn momenta_of_bodies_change_as_forces_say(n in BODIES, seed in seed()) {
        let case = Case::random(n, seed);
        let (model, nv) = (&case.model, case.model.nv());
        let qdd = forward(&case);
        // momenta (moment about the centre of mass, world axes; linear) of all bodies a time h from now
        let momenta = |h: f64| -> Vec<f64> {
            let half: Vec<f64> = case.v.iter().zip(&qdd).map(|(v, a)| v + 0.5 * h * a).collect();
            let end: Vec<f64> = case.v.iter().zip(&qdd).map(|(v, a)| v + h * a).collect();
            let mut q = case.q.clone();
            supple::dynamics::integrate::position::advance(model.tree(), &case.q, &half, h, &mut q);
            let kinematics = common::kinematics_at(model, &q, &end);
            let simulation = case.simulation();
            reference::bodies(model)
                .flat_map(|b| {
                    let inertia = model.bodies()[b.index()].inertia;
                    let pose = simulation.body_pose(&kinematics, b);
                    let h = inertia.momentum(simulation.body_velocity(&kinematics, b)).about(-inertia.com());
                    [pose.rotation * h.angular, pose.rotation * h.linear].map(|x| x.to_array()).concat()
                })
                .collect()
        };
        // the path is right to second order in h only: central differences, extrapolated
        let central = |h: f64| -> Vec<f64> {
            momenta(h).iter().zip(momenta(-h)).map(|(a, b)| (a - b) / (2.0 * h)).collect()
        };
        let h = stencil(&case, &qdd);
        let rates: Vec<f64> =
            central(h).iter().zip(central(0.5 * h)).map(|(c, f)| (4.0 * f - c) / 3.0).collect();

        let kinematics = case.kinematics();
        let simulation = case.simulation();
        let mut tau = vec![0.0; nv];
        let mut scale = case.tau.iter().fold(1.0f64, |m, x| m.max(x.abs()));
        for b in reference::bodies(model) {
            let inertia = model.bodies()[b.index()].inertia;
            let r = &rates[6 * b.index()..6 * b.index() + 6];
            let weight = case.gravity * inertia.mass;
            let needed = Force::new(DVec3::from_slice(r), DVec3::from_slice(&r[3..]) - weight);
            let columns = point_jacobian(model, &kinematics, b, inertia.com());
            for (sum, x) in tau.iter_mut().zip(transposed(&columns, needed, nv)) {
                *sum += x;
                scale = scale.max(x.abs());
            }
        }
        for load in &case.loads {
            let rotation = match load.axes {
                Axes::Body => simulation.body_pose(&kinematics, load.body).rotation,
                Axes::World => glam::DMat3::IDENTITY,
            };
            let wrench = Force::new(rotation * load.wrench.angular, rotation * load.wrench.linear);
            let columns = body_jacobian(model, &kinematics, load.body);
            for (sum, x) in tau.iter_mut().zip(transposed(&columns, wrench, nv)) {
                *sum -= x;
            }
        }
        for ((sum, m), a) in tau.iter_mut().zip(model.armature()).zip(&qdd) {
            *sum += m * a;
        }
        let error = common::difference(&tau, &case.tau) / scale;
        prop_assert!(error <= DIFFERENCES, "relative error {error:.2e}");
    }

    /// The acceleration that inverse dynamics gives a body's point is the derivative of its velocity.
    #[test]
    fn accelerations_of_links_are_derivatives_of_their_velocities(n in BODIES, seed in seed()) {
        let case = Case::random(n, seed);
        let (model, mut rng) = (&case.model, Rng::new(seed, 1000));
        let qdd: Vec<f64> = (0..model.nv()).map(|_| rng.range(-3.0, 3.0)).collect();
        let mut work = Rnea::default();
        let mut tau = vec![0.0; model.nv()];
        let equation = EquationOfMotion { tree: model.tree(), kinematics: &case.kinematics(), gravity: DVec3::ZERO, diagonal: model.armature(), wrenches: &case.wrenches() };
        rnea::joint_forces(&equation, &qdd, &mut work, &mut tau);
        let velocities = |h: f64| -> Vec<f64> {
            let half: Vec<f64> = case.v.iter().zip(&qdd).map(|(v, a)| v + 0.5 * h * a).collect();
            let end: Vec<f64> = case.v.iter().zip(&qdd).map(|(v, a)| v + h * a).collect();
            let mut q = case.q.clone();
            supple::dynamics::integrate::position::advance(model.tree(), &case.q, &half, h, &mut q);
            common::kinematics_at(model, &q, &end).links.iter().flat_map(|l| l.velocity.to_array()).collect()
        };
        let central = |h: f64| -> Vec<f64> {
            velocities(h).iter().zip(velocities(-h)).map(|(a, b)| (a - b) / (2.0 * h)).collect()
        };
        let h = stencil(&case, &qdd);
        let rates: Vec<f64> =
            central(h).iter().zip(central(0.5 * h)).map(|(c, f)| (4.0 * f - c) / 3.0).collect();
        let links = case.kinematics().links;
        let got: Vec<f64> =
            work.accelerations.iter().zip(&links).flat_map(|(a, l)| (*a + l.bias).to_array()).collect();
        if got.is_empty() {
            return Ok(());
        }
        assert_close("accelerations", &got, &rates, DIFFERENCES);
    }

    /// Power of all forces is the rate of all energies.
    #[test]
    fn energy_changes_by_the_power_of_forces(n in BODIES, seed in seed()) {
        let case = Case::random(n, seed);
        let model = &case.model;
        let qdd = forward(&case);
        let energy = |h: f64| -> Vec<f64> {
            let mut simulation = case.simulation();
            let half: Vec<f64> = case.v.iter().zip(&qdd).map(|(v, a)| v + 0.5 * h * a).collect();
            supple::dynamics::integrate::position::advance(
                model.tree(), &case.q, &half, h, &mut simulation.state.q,
            );
            simulation.state.v = case.v.iter().zip(&qdd).map(|(v, a)| v + h * a).collect();
            vec![simulation.energy().total()]
        };
        let central = |h: f64| (energy(h)[0] - energy(-h)[0]) / (2.0 * h);
        let h = stencil(&case, &qdd);
        let rate = (4.0 * central(0.5 * h) - central(h)) / 3.0;
        let kinematics = case.kinematics();
        let mut power: f64 = case.tau.iter().zip(&case.v).map(|(t, v)| t * v).sum();
        for &(link, wrench) in case.wrenches().entries() {
            power += wrench.dot(kinematics.links[link as usize].velocity);
        }
        // relative to the energy times the rate at which it sloshes between kinetic and potential
        let scale = 10.0 * (energy(0.0)[0].abs() + case.simulation().energy().kinetic + 1.0);
        prop_assert!((rate - power).abs() <= DIFFERENCES * scale, "{rate} W, not {power} W");
    }
}

/// Items with all bodies hung on a world that was moved by `world`.
fn in_moved_world(items: &[Item], world: Pose) -> Vec<Item> {
    let mut items = items.to_vec();
    for item in &mut items {
        if item.body.parent.is_none() {
            item.body.placement = world * item.body.placement;
        }
        if let Some((wrench, Axes::World)) = &mut item.load {
            *wrench = Force::new(world.rotation * wrench.angular, world.rotation * wrench.linear);
        }
    }
    items
}

/// Every body that can be split is split: a part of its mass, its load and its children move to a body that is
/// fixed to it. Returns also the unsplit items with the summed inertia.
fn split(items: &[Item], rng: &mut Rng) -> (Vec<Item>, Vec<Item>) {
    let (mut whole, mut parts) = (Vec::new(), Vec::new());
    for item in items {
        let mut item = item.clone();
        // what the parent's children hang on
        if let Some(parent) = item.body.parent.clone() {
            let parent_part = parts.iter().find(|p: &&Item| p.body.name == format!("{parent} part"));
            whole.push(item.clone());
            if let Some(part) = parent_part {
                let parent_from_part = part.body.placement * part.body.frame;
                item.body.placement = parent_from_part.inverse() * item.body.placement;
                item.body.parent = Some(part.body.name.clone());
            }
        } else {
            whole.push(item.clone());
        }
        let mut part = Body::new(format!("{} part", item.body.name), Joint::fixed())
            .on(item.body.name.clone())
            .at(rng.pose(0.4))
            .inertia(common::inertia(rng, 0.7));
        part.frame = rng.pose(0.2);
        let body_from_part = part.placement * part.frame;
        let last = whole.last_mut().expect("just pushed");
        last.body.inertia = item.body.inertia + part.inertia.transformed(&body_from_part);
        let load = item.load.take().map(|(wrench, axes)| match axes {
            Axes::Body => (body_from_part.inverse().force(wrench), axes),
            Axes::World => (wrench, axes),
        });
        if let Some((_, Axes::World)) = load {
            // a world wrench is about the body's origin, which the part does not share: leave it where it was
            item.load = load;
            parts.push(item);
            parts.push(Item { body: part, q: vec![], v: vec![], tau: vec![], load: None });
        } else {
            parts.push(item);
            parts.push(Item { body: part, q: vec![], v: vec![], tau: vec![], load });
        }
    }
    (whole, parts)
}

/// Joints with several degrees of freedom as chains of simple joints with bodies of `inertia` between.
fn unrolled(items: &[Item], between: RigidInertia) -> Vec<Item> {
    let mut out = Vec::new();
    for item in items {
        let simple = |axis: DVec3, anchor: DVec3| (Joint::revolute(axis), anchor);
        let steps: Vec<(Joint, DVec3)> = match &item.body.joint.kind {
            JointKind::Universal { axes } => axes.map(|a| simple(a, DVec3::ZERO)).to_vec(),
            JointKind::Cylindrical { axis } => {
                vec![simple(*axis, DVec3::ZERO), (Joint::prismatic(*axis), DVec3::ZERO)]
            }
            JointKind::Planar { normal } => {
                let z_to_normal = glam::DQuat::from_rotation_arc(DVec3::Z, normal.normalize());
                vec![
                    (Joint::prismatic(z_to_normal * DVec3::X), DVec3::ZERO),
                    (Joint::prismatic(z_to_normal * DVec3::Y), DVec3::ZERO),
                    simple(*normal, DVec3::ZERO),
                ]
            }
            JointKind::Compound(elements) => elements
                .iter()
                .map(|e| match *e {
                    Element::Hinge { axis, anchor } => simple(axis, anchor),
                    Element::Slide { axis } => (Joint::prismatic(axis), DVec3::ZERO),
                    Element::Ball { anchor } => (Joint::spherical(), anchor),
                })
                .collect(),
            _ => {
                out.push(item.clone());
                continue;
            }
        };
        let (mut at_q, mut at_v) = (0, 0);
        let mut parent = item.body.parent.clone();
        let count = steps.len();
        for (k, (joint, anchor)) in steps.into_iter().enumerate() {
            let last = k + 1 == count;
            let (nq, nv) = joint.kind.sizes();
            let mut joint = joint;
            joint.dofs.copy_from_slice(&item.body.joint.dofs[at_v..at_v + nv]);
            joint.name = Some(format!("{} {k}", item.body.name));
            let name = if last { item.body.name.clone() } else { format!("{} after {k}", item.body.name) };
            let placement = if k == 0 { item.body.placement } else { Pose::IDENTITY };
            let mut body = Body::new(name.clone(), joint).at(placement * Pose::from_translation(anchor));
            body.parent = parent.take();
            body.frame = Pose::from_translation(-anchor);
            if last {
                body.frame = body.frame * item.body.frame;
                body.inertia = item.body.inertia;
            } else {
                body.inertia = between;
            }
            parent = Some(name);
            out.push(Item {
                body,
                q: item.q[at_q..at_q + nq].to_vec(),
                v: item.v[at_v..at_v + nv].to_vec(),
                tau: item.tau[at_v..at_v + nv].to_vec(),
                load: if last { item.load } else { None },
            });
            (at_q, at_v) = (at_q + nq, at_v + nv);
        }
    }
    out
}

/// Accelerations of all bodies' origins by name, world axes: comparable between unrolled models.
fn joint_accelerations_in_order(case: &Case, items: &[Item]) -> Vec<f64> {
    let qdd = forward(case);
    let names: Vec<&str> = items.iter().map(|i| i.body.name.as_str()).collect();
    let mut out = Vec::new();
    for name in names {
        let id = case.model.body(name).expect("the body exists");
        let joint = &case.model.joints()[id.index()];
        out.extend(&qdd[joint.v..joint.v + joint.nv]);
    }
    out
}

proptest! {
    #![proptest_config(cases(96))]

    /// Where the world's origin is and which way its axes point does not matter.
    #[test]
    fn a_moved_and_turned_world_gives_the_same_accelerations(n in BODIES, seed in seed()) {
        let mut rng = Rng::new(seed, 1000);
        let items = random_items(n, seed);
        let gravity = rng.vector(10.0);
        // a kilometre away: all arithmetic is relative to the links
        let world = rng.pose(1000.0);
        let here = forward(&Case::new(&items, gravity));
        let there = forward(&Case::new(&in_moved_world(&items, world), world.rotation * gravity));
        if here.is_empty() {
            return Ok(());
        }
        assert_close("q̈ in a moved world", &there, &here, TWO_ALGORITHMS);
    }

    /// The order in which bodies are given names the numbers and changes nothing else.
    #[test]
    fn the_order_of_bodies_does_not_matter(n in BODIES, seed in seed()) {
        let mut rng = Rng::new(seed, 1000);
        let items = random_items(n, seed);
        let mut shuffled = items.clone();
        common::shuffle(&mut shuffled, &mut rng);
        let (a, b) = (Case::new(&items, DVec3::NEG_Z), Case::new(&shuffled, DVec3::NEG_Z));
        let other = reordered(&b.model, &forward(&b), &a.model);
        if other.is_empty() {
            return Ok(());
        }
        assert_close("q̈ of the other order", &other, &forward(&a), TWO_ALGORITHMS);
    }

    /// A body in two pieces, joined by a fixed joint, moves as the body did, whichever piece carries what.
    #[test]
    fn splitting_bodies_by_fixed_joints_changes_nothing(n in 1usize..=20, seed in seed()) {
        let mut rng = Rng::new(seed, 1000);
        let gravity = rng.vector(10.0);
        let (whole, parts) = split(&random_items(n, seed), &mut rng);
        let whole_case = Case::new(&whole, gravity);
        let mut order = parts.clone();
        common::shuffle(&mut order, &mut rng);
        let parts_case = Case::new(&order, gravity);
        let want = joint_accelerations_in_order(&whole_case, &whole);
        if want.is_empty() {
            return Ok(());
        }
        assert_close("q̈", &joint_accelerations_in_order(&parts_case, &parts), &want, TWO_ALGORITHMS);
        let (a, b) = (whole_case.simulation().energy(), parts_case.simulation().energy());
        prop_assert!((a.kinetic - b.kinetic).abs() <= IDENTITY * a.kinetic.max(1e-300), "{a:?} {b:?}");
    }

    /// Universal, cylindrical, planar and compound joints are chains of simple ones with nothing between:
    /// exactly so with massless bodies, nearly so with light ones.
    #[test]
    fn joints_with_several_freedoms_are_chains_of_simple_ones(n in 1usize..=20, seed in seed()) {
        let mut rng = Rng::new(seed, 1000);
        let gravity = rng.vector(10.0);
        let items = random_items(n, seed);
        let want = forward(&Case::new(&items, gravity));
        if want.is_empty() {
            return Ok(());
        }
        let massless = unrolled(&items, RigidInertia::ZERO);
        // in the order of the items' own bodies: what hangs between comes before its body
        let got = forward(&Case::new(&massless, gravity));
        assert_close("with massless bodies between", &got, &want, TWO_ALGORITHMS);
        let light = |mass: f64| {
            let between = RigidInertia::solid_sphere(mass, 0.5, DVec3::ZERO);
            relative_error(&forward(&Case::new(&unrolled(&items, between), gravity)), &want)
        };
        // near a singular pose of a joint light bodies weigh more, but ever less as their mass falls
        let error = light(1e-10);
        prop_assert!(error <= NEARLY_MASSLESS || error <= 0.05 * light(1e-8), "relative error {error:.1e}");
    }
}

/// Every kind of joint, alone and carried by every other kind: the smallest cases, so that a wrong formula
/// shows with its name.
#[test]
fn every_pair_of_joint_kinds_agrees_with_the_mass_matrix() {
    for (i, first) in common::every_kind().into_iter().enumerate() {
        for (j, second) in common::every_kind().into_iter().enumerate() {
            let mut rng = Rng::new(17, (100 * i + j) as u64);
            let mut item = |name: &str, kind: &JointKind, parent: Option<&str>| {
                let (nq, nv) = kind.sizes();
                let mut q = kind.neutral();
                match kind {
                    JointKind::Spherical => q.copy_from_slice(&rng.quat().to_array()),
                    JointKind::Free => q[3..].copy_from_slice(&rng.quat().to_array()),
                    JointKind::Compound(_) if nq != nv => {}
                    _ => q.iter_mut().for_each(|x| *x = rng.range(-1.0, 1.0)),
                }
                let mut body =
                    Body::new(name, kind.clone()).at(rng.pose(0.5)).inertia(common::inertia(&mut rng, 1.3));
                body.parent = parent.map(str::to_owned);
                let v = (0..nv).map(|_| rng.range(-2.0, 2.0)).collect();
                let tau = (0..nv).map(|_| rng.range(-2.0, 2.0)).collect();
                Item { body, q, v, tau, load: Some((rng.force(3.0), Axes::Body)) }
            };
            let items = [item("inner", &first, None), item("outer", &second, Some("inner"))];
            let case = Case::new(&items, DVec3::new(1.0, 2.0, -9.0));
            let qdd = forward(&case);
            let bias = inverse(&case, &vec![0.0; qdd.len()]);
            let rhs: Vec<f64> = case.tau.iter().zip(&bias).map(|(t, h)| t - h).collect();
            let dense = mass_matrix(&case).solve(&rhs).expect("positive definite");
            let what = format!("{} carries {}", first.word(), second.word());
            assert_close(&what, &qdd, &dense, 1e-11);
            let skeleton = Skeleton { bodies: items.iter().map(|i| i.body.clone()).collect() };
            let want = reference::velocities(&skeleton, &case.model, &case.q, &case.v);
            let kinematics = case.kinematics();
            for body in reference::bodies(&case.model) {
                let pose = case.simulation().body_pose(&kinematics, body);
                let own = case.simulation().body_velocity(&kinematics, body);
                let got = Motion::new(pose.rotation * own.angular, pose.rotation * own.linear);
                assert_close(&what, &got.to_array(), &want[body.index()].to_array(), DIFFERENCES);
            }
        }
    }
}

/// A floating base is three slides and a ball in one compound joint: other coordinates, the same motion.
#[test]
fn a_free_joint_is_three_slides_and_a_ball() {
    let mut rng = Rng::new(5, 0);
    let slides = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| Element::Slide { axis });
    let elements = slides.into_iter().chain([Element::Ball { anchor: DVec3::ZERO }]).collect();
    let (rotation, position) = (rng.quat(), rng.vector(1.0));
    let (w, v) = (rng.vector(2.0), rng.vector(2.0));
    let inertia = common::inertia(&mut rng, 2.0);
    let child_inertia = common::inertia(&mut rng, 1.0);
    let child_at = rng.pose(0.4);
    let build = |kind: JointKind, q: Vec<f64>, v: Vec<f64>| {
        let base = Body::new("base", kind).inertia(inertia);
        let arm = Body::new("arm", Joint::revolute(DVec3::new(0.2, 0.5, 0.7))).on("base").at(child_at);
        let tau = vec![0.0; v.len()];
        let load = Some((Force::new(DVec3::new(1.0, -2.0, 0.5), DVec3::new(3.0, 0.1, -1.0)), Axes::Body));
        let items = [
            Item { body: base, q, v, tau, load },
            Item { body: arm.inertia(child_inertia), q: vec![0.4], v: vec![1.3], tau: vec![0.7], load: None },
        ];
        Case::new(&items, DVec3::new(0.0, 0.0, -9.81))
    };
    let free = build(
        JointKind::Free,
        [position.to_array().as_slice(), &rotation.to_array()].concat(),
        [w.to_array(), v.to_array()].concat(),
    );
    let compound = build(
        JointKind::Compound(elements),
        [position.to_array().as_slice(), &rotation.to_array()].concat(),
        [(rotation * v).to_array(), w.to_array()].concat(),
    );
    let (a, b) = (forward(&free), forward(&compound));
    // the free joint's linear rate is in body axes: d(Rv)/dt = R (v̇ + w × v)
    let linear = rotation * (DVec3::from_slice(&a[3..6]) + w.cross(v));
    assert_close("linear", &b[..3], &linear.to_array(), 1e-12);
    assert_close("angular", &b[3..6], &a[..3], 1e-12);
    assert_close("arm", &b[6..], &a[6..], 1e-12);
}

/// Axes close to ±z are taken as given: the frames that the builder turns must not round them off.
#[test]
fn axes_near_the_z_axis_keep_their_direction() {
    // rounding of a unit vector through a quaternion and back
    const DIRECTION: f64 = 1e-14;
    for sign in [1.0, -1.0] {
        for off in [0.0, 1e-12, 1e-9, 3e-8, 1e-7, 1e-6, 1e-4, 1e-2] {
            for axis in [DVec3::new(off, 0.0, sign), DVec3::new(-0.6 * off, 0.8 * off, sign)] {
                let body = Body::new("body", Joint::revolute(axis)).inertia(RigidInertia::solid_sphere(
                    1.0,
                    0.1,
                    DVec3::ZERO,
                ));
                let model = supple::ModelBuilder::new().body(body).finish().expect("valid");
                let kinematics = common::kinematics_at(&model, &[0.3], &[0.0]);
                let column = body_jacobian(&model, &kinematics, BodyId::new(0))[0];
                let error = (column.motion.angular - axis.normalize()).length();
                assert!(error <= DIRECTION, "axis {axis}: {} is {error:.1e} off", column.motion.angular);
            }
        }
    }
}

/// Long chains: the dense solve loses digits (2e-8 for 300 links, theory §10), the sweep must not. Forces that
/// make known accelerations give them back.
#[test]
fn three_hundred_links_lose_few_digits() {
    let simulation = common::simulation(common::chain(300, |_| Joint::revolute(DVec3::Z)));
    let mut rng = Rng::new(3, 0);
    let n = simulation.model.nv();
    let mut case = Case {
        model: simulation.model.clone(),
        q: (0..n).map(|_| rng.range(-0.3, 0.3)).collect(),
        v: (0..n).map(|_| rng.range(-1.0, 1.0)).collect(),
        tau: vec![0.0; n],
        loads: vec![],
        gravity: simulation.gravity,
    };
    let wanted: Vec<f64> = (0..n).map(|_| rng.range(-10.0, 10.0)).collect();
    case.tau = inverse(&case, &wanted);
    let got = forward(&case);
    // τ of some 1e4 N·m is printed with 1e-16, the lightest joint answers with 1/D = 3e3 per N·m
    println!("300 links: {:.1e}", relative_error(&got, &wanted));
    assert_close("300 links", &got, &wanted, 1e-7);
}
