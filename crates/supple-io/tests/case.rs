//! JSON cases: the golden ones load and give the accelerations they expect; broken ones say what is wrong.

mod common;

use common::{accelerations, cases, every_joint, models, relative_error};
use glam::DVec3;
use serde_json::{Value, json};
use supple::model::{Element, Limit};
use supple::{Actuator, Axes, BodyId, Force, JointId, JointKind, Load, Spring};
use supple_io::{
    Format, IoError, LoadOptions, Loaded, StateByName, case_to_string, load, load_bytes, load_case_str,
};

/// As the fixtures' README says.
const TOLERANCE: f64 = 1e-8;

#[test]
fn every_golden_case_loads_and_moves_as_expected() {
    for file in cases() {
        let loaded = load(&file, &LoadOptions::default()).unwrap();
        assert_eq!(loaded.format, Format::Case);
        assert!(loaded.warnings.is_empty());
        let case = loaded.case.clone().unwrap();
        let state = StateByName::default().of(&loaded).unwrap();
        let error = relative_error(&accelerations(&loaded, &state), &case.expected.unwrap().qdd);
        assert!(error < TOLERANCE, "{}: {error:e}", file.display());
        assert!(case.hybrid.is_some() && case.impulse.is_some());
        assert_eq!(loaded.simulation().state.q, loaded.q);
    }
}

#[test]
fn bodies_and_joints_are_named_by_id() {
    let loaded = load(&cases()[0], &LoadOptions::default()).unwrap();
    assert_eq!(loaded.model.bodies()[2].name, "body2");
    assert!(loaded.joint("body2").is_ok());
}

#[test]
fn every_kind_of_joint_is_read_with_all_it_has() {
    let loaded = load(every_joint(), &LoadOptions::default()).unwrap();
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
    let model = &loaded.model;
    let kinds: Vec<&str> = model.joints().iter().map(|j| j.kind.word()).collect();
    let all =
        "fixed revolute continuous prismatic helical cylindrical universal planar spherical free compound";
    assert_eq!(kinds.join(" "), all);
    let JointKind::Compound(elements) = &model.joints()[10].kind else { panic!() };
    assert!(matches!(elements[..], [Element::Hinge { .. }, Element::Ball { .. }, Element::Slide { .. }]));
    assert!(matches!(model.joints()[4].kind, JointKind::Helical { pitch: 0.02, .. }));

    // names of bodies and joints, given and not
    assert_eq!((model.body("boom"), model.joint("boom")), (Some(supple::BodyId::new(1)), None));
    assert!(model.joint("luff").is_some() && model.joint("wheel").is_some());
    assert!(model.body("body10").is_some() && model.joint("body10").is_some());
    assert_eq!(model.bodies()[1].frame.translation.to_array(), [0.02, 0.0, -0.1]);

    let boom = model.dofs()[0];
    assert_eq!((boom.damping, boom.stiffness, boom.armature, boom.friction), (0.5, 20.0, 0.1, 0.05));
    assert_eq!((boom.effort_limit, boom.velocity_limit), (Some(30.0), Some(4.0)));
    let stop = Limit { lower: -0.5, upper: 0.6, stiffness: Some(500.0), damping: Some(8.0) };
    assert_eq!((boom.limit, model.rest()[0]), (Some(stop), 0.3));
    // one number for all, a list, nulls in it
    let damping = |joint: usize| {
        let j = &model.joints()[joint];
        model.dofs()[j.v..j.v + j.nv].iter().map(|d| d.damping).collect::<Vec<_>>()
    };
    assert_eq!((damping(7), damping(10)), (vec![1.0, 2.0, 0.1], vec![0.05; 5]));
    assert_eq!((model.dofs()[6].effort_limit, model.dofs()[7].effort_limit), (None, Some(2.0)));
    assert!(model.dofs()[6].limit.is_none() && model.dofs()[7].limit.is_some());
    // what is left out of a limit: no bound, a stiffness of the model's choice
    let ram = model.dofs()[2].limit.unwrap();
    assert!(ram.lower == f64::NEG_INFINITY && ram.stiffness.unwrap() > 0.0, "{ram:?}");
    // one limit bounds the whole angle of a ball
    assert!(model.dofs()[11].limit.is_some() && model.dofs()[12].limit.is_none());
}

/// What is read from the case of a simulation has the same names, joints and frames, and moves the same.
fn comes_back(file: &str, loaded: &Loaded) {
    let mut original = loaded.simulation();
    let text = case_to_string(&loaded.name, &original, None).unwrap();
    let read = load_case_str(&text).unwrap_or_else(|e| panic!("{file}: {e}"));
    assert!(read.warnings.is_empty(), "{file}: {:?}", read.warnings);
    assert_eq!((&read.name, read.gravity, &read.tau), (&loaded.name, loaded.gravity, &loaded.tau));
    assert_eq!((&read.q, &read.v, &read.wrenches), (&loaded.q, &loaded.v, &loaded.wrenches));
    assert_eq!(read.actuators, loaded.actuators);
    let mut again = read.simulation();
    for (a, b) in again.model.joints().iter().zip(original.model.joints()) {
        assert_eq!((&a.name, &a.kind, a.q, a.v), (&b.name, &b.kind, b.q, b.v), "{file}");
    }
    for (a, b) in again.model.bodies().iter().zip(original.model.bodies()) {
        assert_eq!((&a.name, a.parent, a.placement, a.frame), (&b.name, b.parent, b.placement, b.frame));
    }
    for _ in 0..100 {
        original.step(1e-3).unwrap();
        again.step(1e-3).unwrap();
    }
    // A case has inertias about centres of mass, models about origins; the sum between them may round otherwise in
    // one body of some hundreds. All else is the same to the bit, and so is the motion.
    let inertias = |l: &Loaded| l.model.bodies().iter().map(|b| b.inertia).collect::<Vec<_>>();
    let tolerance = if inertias(&read) == inertias(loaded) { 0.0 } else { 1e-12 };
    for (a, b) in [(&again.state.q, &original.state.q), (&again.state.v, &original.state.v)] {
        let error = relative_error(a, b);
        assert!(error <= tolerance, "{file}: {error:e} > {tolerance:e}");
    }
}

#[test]
fn what_is_written_comes_back() {
    let options = LoadOptions { ignore_forces: true, ..LoadOptions::default() };
    let mut files: Vec<_> = std::fs::read_dir(models()).unwrap().map(|f| f.unwrap().path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "xml" || e == "urdf"));
    files.extend(cases());
    files.push(every_joint());
    for file in files {
        comes_back(&file.display().to_string(), &load(&file, &options).unwrap());
    }
    // URDF has links in any order
    let urdf = r#"<robot name="r">
      <link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
      <link name="base"/>
      <joint name="elbow" type="continuous"><parent link="base"/><child link="arm"/>
        <origin xyz="0 0 1" rpy="0.1 0.2 0.3"/></joint></robot>"#;
    comes_back("children first", &load_bytes(urdf.as_bytes(), &options).unwrap());
}

#[test]
fn wrenches_in_world_axes_cannot_be_written() {
    let mut simulation = load(every_joint(), &LoadOptions::default()).unwrap().simulation();
    let (body, wrench) = (supple::BodyId::new(1), Force::from_array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0]));
    simulation.wrenches = vec![Load { body, wrench, axes: Axes::Body }; 2];
    let read = load_case_str(&case_to_string("", &simulation, None).unwrap()).unwrap();
    assert_eq!(read.wrenches[0].wrench.to_array(), [0.0, 0.0, 0.0, 2.0, 0.0, 0.0]);
    simulation.wrenches[0].axes = Axes::World;
    let message = case_to_string("", &simulation, None).unwrap_err().to_string();
    assert!(message.contains("world axes") && message.contains("\"boom\""), "{message}");
}

#[test]
fn the_example_of_the_documentation_is_a_case() {
    let text = include_str!("../../../docs/case-format.md");
    let example = text.split("```json").nth(1).unwrap().split("```").next().unwrap();
    let loaded = load_case_str(example).unwrap();
    assert!(loaded.warnings.is_empty() && loaded.joint("slew").is_ok());
    comes_back("the example", &loaded);
}

#[test]
fn states_by_name_know_the_quaternions_of_compound_joints() {
    let loaded = load(every_joint(), &LoadOptions::default()).unwrap();
    let state = |q: &str| {
        let json = format!(r#"{{"joints": {{"body10": {{"q": {q}}}}}}}"#);
        StateByName::parse(&json).unwrap().of(&loaded)
    };
    assert_eq!(state("[2, 0, 0, 0.6, 0.8, 3]").unwrap().q[22..], [2.0, 0.0, 0.0, 0.6, 0.8, 3.0]);
    assert!(matches!(state("[2, 0, 0, 0.6, 0, 0.8]"), Err(IoError::NotUnit { .. })));
}

#[test]
fn geometry_that_a_joint_has_no_use_for_is_warned_of() {
    let mut case = pendulum();
    case["bodies"][1]["joint"]["axis"] = json!([0, 0, 1]);
    let loaded = load_case_str(&case.to_string()).unwrap();
    assert_eq!(loaded.warnings[0].to_string(), "body 1: a spherical joint has no axis: left out");
}

/// Every break of the case with all joints gives an error whose message has these words.
#[test]
fn broken_joints_say_what_is_wrong() {
    let whole: Value = serde_json::from_str(&std::fs::read_to_string(every_joint()).unwrap()).unwrap();
    let breaks: [(usize, &str, Value, &[&str]); 29] = [
        (1, "dampng", json!(1), &["unknown field `dampng`", "damping"]),
        (1, "damping", json!("x"), &["invalid type: string", "one value for all"]),
        (1, "damping", json!(-1), &["luff", "damping", "-1 N·m·s/rad"]),
        (1, "damping", json!({}), &["invalid type: map"]),
        (1, "damping", json!([1, 2]), &["body 1", "joint.damping has 2 numbers, needs 1"]),
        (6, "friction", json!([1, "x"]), &["invalid type: string"]),
        (6, "effort_limit", json!([]), &["joint.effort_limit has 0 numbers, needs 2"]),
        (1, "velocity_limit", json!(-2), &["luff", "velocity limit", "-2"]),
        (1, "armature", json!(-2), &["luff", "armature", "-2"]),
        (1, "stiffness", json!([-2]), &["luff", "stiffness", "-2"]),
        (1, "rest", json!([1, 2]), &["body 1", "joint.rest has 2 numbers, needs 1"]),
        (8, "rest", json!(1), &["body 8", "joint.rest", "a list of 4", "quaternion"]),
        (8, "rest", json!([0, 0, 0, 2]), &["\"ball\"", "rest quaternion has length 2"]),
        (1, "limits", json!({"lower": 1, "upper": -1}), &["luff", "crossed"]),
        (1, "limits", json!({"lowr": 1}), &["unknown field `lowr`"]),
        (1, "limits", json!(3), &["invalid type: integer `3`"]),
        (1, "limits", json!({"stiffness": -3}), &["limit stiffness", "-3"]),
        (2, "limits", json!({"upper": 3}), &["\"wheel\"", "continuous joints take no limits"]),
        (8, "limits", json!([null, {"upper": 1}, null]), &["\"ball\"", "first degree of freedom"]),
        (10, "limits", json!({"upper": 1}), &["\"body10\"", "balls cannot be limited"]),
        (4, "pitch", Value::Null, &["body 4 lacks the pitch [m/rad] of its helical joint"]),
        (6, "axes", json!([[1, 0, 0]]), &["invalid length 1"]),
        (6, "axes", json!([[1, 0, 0], [2, 0, 0]]), &["cardan", "parallel"]),
        (6, "axes", Value::Null, &["body 6 lacks the two axes of its universal joint"]),
        (10, "elements", Value::Null, &["body 10 lacks the elements of its compound joint"]),
        (10, "elements", json!([{"type": "hing"}]), &["unknown variant `hing`", "hinge"]),
        (10, "elements", json!([{"type": "hinge"}]), &["missing field `axis`"]),
        (10, "elements", json!([{"type": "ball", "axis": [0, 0, 1]}]), &["unknown field `axis`"]),
        (1, "name", json!("ball"), &["joint \"ball\" is defined twice"]),
    ];
    for (body, field, value, words) in breaks {
        let mut case = whole.clone();
        case["bodies"][body]["joint"][field] = value.clone();
        let message = load_case_str(&case.to_string()).expect_err(field).to_string();
        for word in words {
            assert!(message.contains(word), "{field} = {value}: {word:?} not in {message:?}");
        }
    }
    let turned = json!([[1, 0, 0], [0, 1, 0], [0, 0, 1]]);
    let breaks: [(usize, &str, Value, &[&str]); 6] = [
        (2, "/placement/rotation", turned, &["body 2", "placement.rotation", "quat_xyzw"]),
        (1, "/frame/quat_xyzw", json!([0, 0, 1, 1]), &["body 1", "frame.quat_xyzw", "length 1.41"]),
        (1, "/frame", json!([0, 0, 1]), &["invalid"]),
        (1, "/name", json!("ball"), &["body \"ball\" is defined twice"]),
        (1, "/name", json!(""), &["body number 1 has an empty name"]),
        (1, "/parent", json!(2), &["circle"]),
    ];
    for (body, path, value, words) in breaks {
        let mut case = whole.clone();
        *case["bodies"][body].pointer_mut(path).unwrap() = value.clone();
        let message = load_case_str(&case.to_string()).expect_err(path).to_string();
        for word in words {
            assert!(message.contains(word), "{path} = {value}: {word:?} not in {message:?}");
        }
    }
}

/// A pendulum, to be broken.
fn pendulum() -> Value {
    json!({
        "gravity": [0, 0, -9.81],
        "bodies": [
            {"id": 0, "parent": -1,
             "joint": {"type": "revolute", "axis": [0, 1, 0], "q_index": 0, "nq": 1, "v_index": 0, "nv": 1},
             "placement": {"pos": [0, 0, 0], "quat_xyzw": [0, 0, 0, 1]},
             "mass": 1, "com": [0, 0, -1], "inertia_com": [0.1, 0, 0, 0.1, 0, 0.1]},
            {"id": 1, "parent": 0,
             "joint": {"type": "spherical", "q_index": 1, "nq": 4, "v_index": 1, "nv": 3},
             "placement": {"pos": [0, 0, -1], "quat_xyzw": [0, 0, 0, 1]},
             "mass": 1, "com": [0, 0, -1], "inertia_com": [0.1, 0, 0, 0.1, 0, 0.1]}
        ],
        "q": [0.1, 0, 0, 0, 1], "qd": [0, 0, 0, 0], "tau": [0, 0, 0, 0],
        "wrenches": [[0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1]]
    })
}

#[test]
fn a_small_case_loads_without_its_optional_parts() {
    let mut case = pendulum();
    for part in ["tau", "wrenches"] {
        case.as_object_mut().unwrap().remove(part);
    }
    let loaded = load_case_str(&case.to_string()).unwrap();
    assert_eq!((loaded.model.nq(), loaded.model.nv(), loaded.tau.len()), (5, 4, 4));
    let bytes = format!("\u{feff}\n{case}");
    assert!(load_bytes(bytes.as_bytes(), &LoadOptions::default()).is_ok());
}

#[test]
fn unknown_blocks_are_warned_of() {
    let mut case = pendulum();
    case["taus"] = json!([1, 2, 3, 4]);
    let loaded = load_case_str(&case.to_string()).unwrap();
    assert!(loaded.warnings[0].to_string().contains("\"taus\""), "{:?}", loaded.warnings);
}

/// Every break gives an error whose message has these words.
#[test]
fn broken_cases_say_what_is_wrong() {
    let breaks: [(&str, Value, &[&str]); 25] = [
        ("/gravity", json!([0, 0]), &["invalid length 2", "line 1"]),
        ("/gravity", Value::Null, &["null"]),
        ("/bodies", json!([]), &["no bodies"]),
        ("/bodies/0/id", json!(3), &["body 0", "id", "3", "0"]),
        ("/bodies/1/parent", json!(1), &["circle", "body1 → body1"]),
        ("/bodies/1/parent", json!(2), &["body 1", "parent", "2", "id of a body"]),
        ("/bodies/1/parent", json!(-2), &["body 1", "parent", "-2"]),
        ("/bodies/1/parent", json!(-1), &["both roots"]),
        ("/bodies/0/mass", json!(-1), &["body0", "mass", "-1 kg"]),
        ("/bodies/0/mass", json!("x"), &["invalid type: string"]),
        ("/bodies/0/inertia_com", json!([0.1, 0, 0, 0.1, 0, 0.9]), &["body0", "triangle"]),
        ("/bodies/0/placement/quat_xyzw", json!([0, 0, 0, 2]), &["body 0", "quat_xyzw", "length 2"]),
        ("/bodies/0/placement/pos", json!([1e308, 1e308]), &["invalid length"]),
        ("/bodies/0/joint/type", json!("hinge"), &["body 0", "joint.type", "hinge", "revolute"]),
        ("/bodies/0/joint/axis", json!([0, 0, 0]), &["body0", "axis is zero"]),
        ("/bodies/0/joint/axis", Value::Null, &["body 0", "lacks the axis"]),
        ("/bodies/1/joint/q_index", json!(2), &["body 1", "q_index", "2", "1"]),
        ("/bodies/1/joint/nq", json!(3), &["body 1", "nq", "3", "4"]),
        ("/bodies/1/joint/nv", json!(-3), &["invalid value"]),
        ("/q", json!([0.1, 0, 0, 0]), &["q has 4 numbers, needs 5"]),
        ("/q", json!([0.1, 0, 0, 0.5, 1]), &["body1", "length 1.11"]),
        ("/qd", json!([0, 0, 0, 0, 0]), &["qd has 5 numbers, needs 4"]),
        ("/tau", json!([0]), &["tau has 1 numbers, needs 4"]),
        ("/wrenches", json!([[0, 0, 0, 0, 0, 0]]), &["wrenches has 1 numbers, needs 2"]),
        ("/bodies/0/joint", json!({}), &["missing field"]),
    ];
    for (path, value, words) in breaks {
        let mut case = pendulum();
        *case.pointer_mut(path).unwrap() = value.clone();
        let message = load_case_str(&case.to_string()).expect_err(path).to_string();
        for word in words {
            assert!(message.contains(word), "{path} = {value}: {word:?} not in {message:?}");
        }
    }
}

#[test]
fn blocks_are_checked_too() {
    for (block, value) in [
        ("hybrid", json!({"rigid_joints": [7], "qd": [0, 0, 0, 0], "qdd": [0, 0, 0, 0]})),
        ("rigidification", json!({"rigid_joints": [1], "qd_before": [0], "qd_after": [0]})),
        ("impulse", json!({"wrenches": [[0, 0, 0, 0, 0, 0]], "dqd": [0, 0, 0, 0]})),
        ("expected", json!({"qdd": [0, 0, 0, 0], "mass_matrix": [[0]]})),
    ] {
        let mut case = pendulum();
        case[block] = value;
        let message = load_case_str(&case.to_string()).unwrap_err().to_string();
        assert!(message.contains(block), "{message}");
    }
}

#[test]
fn numbers_out_of_range_are_errors() {
    let text = pendulum().to_string().replacen("0.1", "1e999", 1);
    assert!(matches!(load_case_str(&text), Err(IoError::Syntax { .. })));
    assert!(load_case_str(&pendulum().to_string().replacen("0.1", "NaN", 1)).is_err());
    let deep = "[".repeat(100_000);
    assert!(load_case_str(&deep).is_err());
}

/// Springs and actuators are written, read back to the bit, and checked.
#[test]
fn springs_and_actuators_come_back_and_are_checked() {
    let mut simulation = load(every_joint(), &LoadOptions::default()).unwrap().simulation();
    let spring = Spring::new(BodyId::new(2), DVec3::new(0.1, 0.2, 0.3), DVec3::Y, 12.5).damping(0.7);
    simulation.springs = vec![spring, spring.rest(0.3)];
    let servo = Actuator::position(JointId::new(1), 3.0, 0.1).named("servo").gear(2.0).control(0.1);
    let range = Actuator::motor(JointId::new(2)).control_range(-1.0, f64::INFINITY).force_range(-2.0, 2.0);
    simulation.actuators = vec![Actuator { zero: 0.25, offset: 0.5, ..servo }, range];
    let text = case_to_string("loads", &simulation, None).unwrap();
    let read = load_case_str(&text).unwrap();
    assert!(read.warnings.is_empty(), "{:?}", read.warnings);
    let mut again = read.simulation();
    assert_eq!((&again.springs, &again.actuators), (&simulation.springs, &simulation.actuators));
    for _ in 0..10 {
        again.step(1e-3).unwrap();
    }

    (simulation.springs, simulation.actuators) = (Vec::new(), Vec::new());
    let bare = case_to_string("bare", &simulation, None).unwrap();
    assert!(!bare.contains("springs") && !bare.contains("actuators"));
    for (block, words) in [
        (
            r#""springs": [{"body": 99, "point": [0, 0, 0], "anchor": [0, 0, 0], "stiffness": 1}]"#,
            "body number 99",
        ),
        (
            r#""springs": [{"body": 1, "point": [0, 0, 0], "anchor": [0, 0, 0], "stiffness": -1}]"#,
            "is -1 N/m",
        ),
        (r#""springs": [{"body": 1, "point": [0, 0], "anchor": [0, 0, 0], "stiffness": 1}]"#, "length 3"),
        (r#""springs": [{"body": 1, "point": [0, 0, 0], "anchor": [0, 0, 0], "stifness": 1}]"#, "stifness"),
        (r#""actuators": [{"joint": 99}]"#, "joint number 99"),
        (r#""actuators": [{"joint": 1, "axis": 7}]"#, "degree of freedom 7"),
        (r#""actuators": [{"joint": 1, "force_range": [1, -1]}]"#, "lower end of the force range"),
        (r#""actuators": [{"joint": 1, "kp": 1}]"#, "kp"),
    ] {
        let text = bare.replacen('{', &format!("{{{block},"), 1);
        let message = load_case_str(&text).expect_err(block).to_string();
        assert!(message.contains(words), "{words}: {message}");
    }
}
