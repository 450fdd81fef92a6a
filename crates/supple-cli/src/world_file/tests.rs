use glam::{DQuat, DVec3};
use serde_json::{Value, json};
use supple::constraint::{Ball, Constraint, Frame};
use supple::contact::{Collider, Shape};
use supple::model::BodyId;
use supple::world::{BodyRef, SingleBody, World};
use supple::{RigidInertia, Simulation};
use supple_scenes::Stage;

fn written(world: World) -> Value {
    super::write("test", &mut Stage::new(world, 0.01, 1.0)).unwrap()
}

fn body(world: &mut World, name: &str) -> BodyRef {
    let inertia = RigidInertia::solid_sphere(1.0, 0.1, DVec3::ZERO);
    world.add_body(SingleBody::new(name, inertia)).unwrap().into()
}

/// Whether two lists of numbers are the same but for rounding.
fn near(a: &Value, b: Value) -> bool {
    let numbers =
        |v: &Value| -> Vec<f64> { v.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect() };
    let (a, b) = (numbers(a), numbers(&b));
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12)
}

#[test]
fn every_shape_is_there_with_its_numbers_and_its_axis_along_z() {
    let mut world = World::new();
    let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let part = |x: f64| (Frame::at(DVec3::new(x, 0.0, 0.0)), Shape::cylinder(0.4, 0.1).unwrap());
    let on_bodies = [
        Shape::sphere(0.1).unwrap(),
        Shape::cuboid(DVec3::new(0.1, 0.2, 0.3)).unwrap(),
        Shape::capsule(DVec3::ZERO, DVec3::Y, 0.1).unwrap(),
        Shape::cylinder(0.4, 0.1).unwrap(),
        Shape::cone(0.4, 0.1).unwrap(),
        Shape::hull(&corners).unwrap(),
        Shape::compound([part(1.0), part(2.0)]).unwrap(),
    ];
    let on_world = [
        Shape::mesh(corners, vec![[0, 1, 2]]).unwrap(),
        Shape::height_field(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], 2, 3, [4.0, 2.0]).unwrap(),
        Shape::half_space(),
    ];
    for (i, shape) in on_bodies.into_iter().enumerate() {
        let body = body(&mut world, &format!("{i}"));
        world.add_collider(body, Collider::new(shape)).unwrap();
    }
    for shape in on_world {
        world.add_collider(BodyRef::World, Collider::new(shape)).unwrap();
    }
    let file = written(world);
    let colliders = file["colliders"].as_array().unwrap();
    let shape = |i: usize| &file["shapes"][colliders[i]["shape"].as_u64().unwrap() as usize];
    assert_eq!(shape(0), &json!({ "type": "sphere", "radius": 0.1 }));
    assert_eq!((&shape(1)["type"], near(&shape(1)["size"], json!([0.1, 0.2, 0.3]))), (&json!("box"), true));
    assert_eq!(
        shape(2),
        &json!({ "type": "capsule", "from": [0.0, 0.0, 0.0], "to": [0.0, 1.0, 0.0], "radius": 0.1 })
    );
    assert_eq!(shape(3), &json!({ "type": "cylinder", "height": 0.4, "radius": 0.1 }));
    assert_eq!(shape(4), &json!({ "type": "cone", "height": 0.4, "radius": 0.1 }));
    assert_eq!((&shape(5)["type"], shape(5)["points"].as_array().unwrap().len()), (&json!("hull"), 4));
    let parts = &shape(6)["parts"];
    assert!(near(&parts[1]["frame"]["position"], json!([2.0, 0.0, 0.0])));
    assert!(near(&parts[1]["frame"]["rotation"], json!([0.0, 0.0, 0.0, 1.0])), "{parts}");
    assert_eq!(shape(7)["triangles"], json!([[0, 1, 2]]));
    assert_eq!(
        shape(8),
        &json!({ "type": "height-field", "heights": [0.0, 1.0, 2.0, 3.0, 4.0, 5.0], "rows": 2, "columns": 3,
                 "size": [4.0, 2.0] })
    );
    assert_eq!(shape(9), &json!({ "type": "half-space" }));
    for collider in colliders {
        assert!(near(&collider["frame"]["rotation"], json!([0.0, 0.0, 0.0, 1.0])), "{collider}");
    }
    assert_eq!((&colliders[6]["body"], &colliders[9]["body"]), (&json!(6), &json!(-1)));
}

#[test]
fn shapes_that_are_shared_are_written_once() {
    let mut world = World::new();
    let collider =
        Collider::new(Shape::sphere(0.1).unwrap()).friction(0.3).restitution(0.7).groups(2, 5).sensor();
    let turned = Frame { position: DVec3::X, rotation: DQuat::from_rotation_z(1.0) };
    for name in ["a", "b"] {
        let body = body(&mut world, name);
        world.add_collider(body, collider.clone().at(turned)).unwrap();
    }
    let file = written(world);
    assert_eq!(
        (file["shapes"].as_array().unwrap().len(), file["colliders"].as_array().unwrap().len()),
        (1, 2)
    );
    let second = &file["colliders"][1];
    assert_eq!(
        second["frame"],
        json!({ "position": [1.0, 0.0, 0.0], "rotation": turned.rotation.to_array() })
    );
    for (key, value) in
        [("friction", json!(0.3)), ("restitution", json!(0.7)), ("member", json!(2)), ("touches", json!(5))]
    {
        assert_eq!(second[key], value, "{key}");
    }
    assert_eq!((&second["sensor"], &second["continuous"]), (&json!(true), &json!(false)));
}

#[test]
fn bodies_of_articulations_are_numbered_after_single_ones() {
    let mut world = World::new();
    let single = body(&mut world, "single");
    let humanoid = || -> Simulation { supple_scenes::simulation("humanoid", &[]).unwrap() };
    let count = humanoid().model.bodies().len() as i64;
    let _ = world.add_articulation(humanoid());
    let second = world.add_articulation(humanoid());
    let hand = BodyRef::Of(second, BodyId::new(3));
    world.add(Constraint::new(Ball, single, hand)).unwrap();
    world.add_collider(hand, Collider::new(Shape::sphere(0.1).unwrap())).unwrap();
    world.ignore(hand, single).unwrap();
    let file = written(world);
    assert_eq!(
        (&file["articulations"][0]["first"], &file["articulations"][1]["first"]),
        (&json!(1), &json!(1 + count))
    );
    assert_eq!(file["joints"][0]["child"], json!(1 + count + 3));
    assert_eq!(file["colliders"][0]["body"], json!(1 + count + 3));
    assert_eq!(file["ignored"], json!([[0, 1 + count + 3]]));
    let expected = &file["articulations"][1]["case"]["expected"];
    assert_eq!(expected["body_pos_quat"].as_array().unwrap().len() as i64, count);
}

#[test]
fn paths_of_kinematic_bodies_are_noted() {
    let mut world = World::new();
    let lift = world.add_body(SingleBody::kinematic("lift")).unwrap();
    world.add_body(SingleBody::kinematic("stays")).unwrap();
    let mut stage = Stage::new(world, 0.1, 0.5);
    stage.script.director = Some(Box::new(move |world: &mut World, dt: f64| {
        let at = world.frame(lift)?;
        world.move_to(lift, Frame::at(at.position + DVec3::Z * dt))
    }));
    let file = super::write("lift", &mut stage).unwrap();
    let moves = file["bodies"][0]["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 5);
    assert!(near(&moves[4]["position"], json!([0.0, 0.0, 0.5])), "{moves:?}");
    assert!(file["bodies"][1].get("moves").is_none());
}
