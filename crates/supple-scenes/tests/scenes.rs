//! What every scene must show.

use glam::DVec3;
use supple::world::BodyRef;
use supple::{JointKind, Simulation};
use supple_scenes::{Scene, SceneError, find, gallery, simulation};

/// Scenes of articulations each for itself, which come first.
fn crowds() -> &'static [Scene] {
    let end = gallery().iter().position(|scene| scene.name == "pendulum-constraints").unwrap();
    &gallery()[..end]
}

fn bits(simulation: &Simulation) -> Vec<u64> {
    simulation.state.q.iter().chain(&simulation.state.v).map(|x| x.to_bits()).collect()
}

fn total_mass(simulation: &Simulation) -> f64 {
    simulation.model.bodies().iter().map(|b| b.inertia.mass).sum()
}

#[test]
fn every_scene_builds_and_moves() {
    for scene in crowds() {
        let mut show = scene.build(&scene.small()).unwrap();
        for _ in 0..10 {
            show.step(0.001).unwrap_or_else(|e| panic!("{}: {e}", scene.name));
        }
        // a plant waits for its first gust
        while show.first().unwrap().1.energy().kinetic < 1e-9 {
            show.step(0.01).unwrap_or_else(|e| panic!("{}: {e}", scene.name));
            assert!(show.first().unwrap().1.state.time < 1.0, "{} stands still", scene.name);
        }
        assert!(!scene.summary.is_empty() && !scene.summary.contains('\n'), "{}", scene.name);
    }
}

/// Building takes nothing from outside: twice the same bits, also after steps.
#[test]
fn every_scene_is_deterministic() {
    for scene in crowds() {
        let mut twins = [(); 2].map(|()| scene.build(&scene.small()).unwrap());
        for twin in &mut twins {
            for _ in 0..20 {
                twin.step(0.002).unwrap();
            }
        }
        for (a, b) in twins[0].articulations().zip(twins[1].articulations()) {
            assert_eq!(bits(a), bits(b), "{}", scene.name);
        }
    }
}

/// Shapes belong to bodies that exist, and have a size.
#[test]
fn shapes_fit_their_bodies() {
    for scene in crowds() {
        let stage = scene.build(&scene.small()).unwrap();
        for shape in &stage.shapes {
            let BodyRef::Of(id, body) = shape.body else { panic!("{}: {:?}", scene.name, shape.body) };
            let body = &stage.world.articulation(id).unwrap().model.bodies()[body.index()];
            let middle = 0.5 * (shape.from + shape.to);
            assert!(shape.radius > 0.0 && shape.from.is_finite() && shape.to.is_finite());
            assert!(middle.distance(body.inertia.com()) < 1e-12, "{}: {}", scene.name, body.name);
        }
        if scene.name != "robot" {
            assert_eq!(stage.shapes.len(), stage.first().unwrap().1.model.bodies().len(), "{}", scene.name);
        }
    }
}

#[test]
fn pendulum_lies_straight_along_x_at_rest() {
    let simulation = simulation("pendulum", &[]).unwrap();
    assert_eq!((simulation.model.bodies().len(), simulation.model.nv()), (300, 300));
    assert_eq!(simulation.gravity, DVec3::new(0.0, -9.81, 0.0));
    assert!((total_mass(&simulation) - 30.0).abs() < 1e-12);
    assert!(simulation.state.q.iter().chain(&simulation.state.v).all(|&x| x == 0.0));
    let kinematics = simulation.kinematics();
    for (i, link) in kinematics.links.iter().enumerate() {
        assert!(link.position.distance(DVec3::X * 0.1 * i as f64) < 1e-11);
    }
    let link = simulation.model.bodies()[7].inertia;
    assert!(link.com().distance(DVec3::new(0.05, 0.0, 0.0)) < 1e-16);
    let moments = link.inertia_com();
    for (got, expected) in [(moments.xx, 1e-3 / 100.0), (moments.yy, 1e-3 / 12.0), (moments.zz, 1e-3 / 12.0)]
    {
        assert!((got - expected).abs() < 1e-18, "{got} {expected}");
    }
}

/// A pendulum of one link is a rod: its first acceleration is that of the closed form, −(3/2) g / l with the moment
/// m l²/3 about its end.
#[test]
fn one_link_falls_like_a_rod() {
    let mut simulation = simulation("pendulum", &[("links", "1")]).unwrap();
    let expected = -1.5 * 9.81 / 0.1;
    assert!((simulation.accelerations()[0] - expected).abs() < 1e-9 * expected.abs());
}

#[test]
fn the_tip_of_a_pendulum_can_be_heavy() {
    let simulation =
        simulation("pendulum", &[("links", "10"), ("tip_mass", "1000"), ("damping", "0.5")]).unwrap();
    let masses: Vec<f64> = simulation.model.bodies().iter().map(|b| b.inertia.mass).collect();
    assert_eq!((masses[0], masses[9]), (0.1, 100.0));
    assert!(simulation.model.dofs().iter().all(|d| d.damping == 0.5));
}

#[test]
fn chain3d_turns_about_y_and_z_by_turns_and_leaves_the_plane() {
    let mut simulation = simulation("chain3d", &[]).unwrap();
    assert_eq!(simulation.model.nv(), 100);
    for (i, joint) in simulation.model.joints().iter().enumerate() {
        let axis = if i % 2 == 0 { DVec3::Y } else { DVec3::Z };
        assert_eq!(joint.kind, JointKind::Revolute { axis });
    }
    for _ in 0..100 {
        simulation.step(0.001).unwrap();
    }
    let tip = simulation.kinematics().links[99].position;
    assert!(tip.y < -1e-3 && tip.z < -1e-3, "{tip}");
}

#[test]
fn chain3d_has_other_joints_too() {
    assert_eq!(simulation("chain3d", &[("joints", "spherical"), ("links", "7")]).unwrap().model.nv(), 21);
    assert_eq!(simulation("chain3d", &[("joints", "universal"), ("links", "7")]).unwrap().model.nv(), 14);
}

#[test]
fn humanoid_has_29_bodies_of_many_joints_and_floats() {
    let simulation = simulation("humanoid", &[]).unwrap();
    let model = &simulation.model;
    assert_eq!((model.bodies().len(), model.nv()), (29, 56));
    assert!(matches!(model.joints()[0].kind, JointKind::Free));
    for kind in ["free", "spherical", "universal", "revolute"] {
        assert!(model.joints().iter().any(|j| j.kind.word() == kind), "{kind}");
    }
    assert!((65.0..75.0).contains(&total_mass(&simulation)), "{} kg", total_mass(&simulation));
    assert!(simulation.state.v[..6].iter().all(|&v| v == 0.0));
}

#[test]
fn humanoid_detailed_has_89_bodies_and_95_degrees_of_freedom() {
    let simulation = simulation("humanoid-detailed", &[]).unwrap();
    let model = &simulation.model;
    assert_eq!((model.bodies().len(), model.moving_joints(), model.nv()), (89, 89, 95));
    assert!((65.0..75.0).contains(&total_mass(&simulation)), "{} kg", total_mass(&simulation));
}

/// Left and right weigh the same and stand mirrored; limits hold the standing pose.
#[test]
fn characters_are_mirrored_and_stand_within_their_limits() {
    for name in ["humanoid", "humanoid-detailed"] {
        let simulation = simulation(name, &[]).unwrap();
        let (model, kinematics) = (&simulation.model, simulation.kinematics());
        let mut pairs = 0;
        for (i, left) in model.bodies().iter().enumerate() {
            let Some(limb) = left.name.strip_prefix("left_") else { continue };
            let right = model.body(&format!("right_{limb}")).unwrap();
            assert_eq!(left.inertia.mass, model.bodies()[right.index()].inertia.mass);
            let [a, b] =
                [supple::BodyId::new(i), right].map(|id| simulation.body_pose(&kinematics, id).translation);
            assert!(a.distance(DVec3::new(b.x, -b.y, b.z)) < 1e-12, "{limb}: {a} {b}");
            pairs += 1;
        }
        assert_eq!(pairs, if name == "humanoid" { 12 } else { 36 });
        for joint in model.joints() {
            for k in 0..joint.nv {
                let Some(limit) = model.dofs()[joint.v + k].limit else { continue };
                assert!(limit.lower <= 0.0 && limit.upper >= 0.0, "{}", joint.name);
            }
        }
        let com = simulation.momentum().com;
        assert!(com.y.abs() < 1e-12 && (0.8..1.1).contains(&com.z), "{com}");
    }
}

/// Afloat nothing pushes: the momentum of the start stays.
#[test]
fn a_floating_character_keeps_its_momentum() {
    let mut simulation = simulation("humanoid-detailed", &[]).unwrap();
    let start = simulation.momentum();
    for _ in 0..100 {
        simulation.step(0.002).unwrap();
    }
    let end = simulation.momentum();
    assert!(end.linear.distance(start.linear) < 1e-10, "{start:?} {end:?}");
    assert!(end.angular_about_com.distance(start.angular_about_com) < 1e-10, "{start:?} {end:?}");
}

#[test]
fn the_same_seed_gives_the_same_tree_and_another_another() {
    let build = |seed: &str| simulation("tree", &[("seed", seed), ("bodies", "60"), ("speed", "1")]).unwrap();
    let [a, b, c] = ["5", "5", "6"].map(build);
    assert_eq!(bits(&a), bits(&b));
    let masses =
        |s: &Simulation| s.model.bodies().iter().map(|b| b.inertia.mass.to_bits()).collect::<Vec<_>>();
    assert_eq!(masses(&a), masses(&b));
    assert_ne!(masses(&a), masses(&c));
    assert_eq!(a.model.bodies().len(), 60);
}

#[test]
fn trees_branch_and_spread_their_masses() {
    let simulation = simulation("tree", &[("bodies", "200"), ("decades", "3")]).unwrap();
    let model = &simulation.model;
    let mut children = vec![0; model.bodies().len()];
    model.bodies().iter().filter_map(|b| b.parent).for_each(|p| children[p.index()] += 1);
    assert!(children.iter().any(|&c| c >= 2) && children.iter().filter(|&&c| c == 0).count() > 10);
    let masses = model.bodies().iter().map(|b| b.inertia.mass);
    let (low, high) = masses.fold((f64::INFINITY, 0.0f64), |(a, b), m| (a.min(m), b.max(m)));
    assert!(high / low > 300.0 && high / low <= 1000.0, "{low} {high}");
    let chain = supple_scenes::simulation("tree", &[("bodies", "30"), ("reach", "1")]).unwrap();
    for (i, body) in chain.model.bodies().iter().enumerate().skip(1) {
        assert_eq!(body.parent.map(supple::BodyId::index), Some(i - 1));
    }
}

#[test]
fn the_built_in_robot_has_six_joints_and_files_are_loaded() {
    assert_eq!(simulation("robot", &[]).unwrap().model.nv(), 6);
    assert_eq!(simulation("robot", &[("floating_base", "true")]).unwrap().model.nv(), 12);
    let arm = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/arm.urdf");
    assert_eq!(simulation("robot", &[("file", arm)]).unwrap().model.nv(), 6);
    let missing = simulation("robot", &[("file", "/no/such/file.urdf")]).unwrap_err();
    assert!(
        matches!(missing, SceneError::File(_)) && missing.to_string().contains("/no/such/file.urdf"),
        "{missing}"
    );
}

#[test]
fn unknown_scenes_and_parameters_name_the_near_ones() {
    let message = find("pendullum").unwrap_err().to_string();
    assert!(message.contains("did you mean \"pendulum\"?"), "{message}");
    let message = simulation("pendulum", &[("link", "3")]).unwrap_err().to_string();
    assert!(message.contains("did you mean \"links\"?"), "{message}");
    let message = simulation("pendulum", &[("links", "0")]).unwrap_err().to_string();
    assert!(message.contains("from 1 to 1000000") && message.contains("\"0\""), "{message}");
}
