//! JSON cases: the golden ones load and give the accelerations they expect; broken ones say what is wrong.

mod common;

use common::{accelerations, cases, relative_error};
use serde_json::{Value, json};
use supple_io::{Format, IoError, LoadOptions, StateByName, load, load_bytes, load_case_str};

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
    let breaks: [(&str, Value, &[&str]); 24] = [
        ("/gravity", json!([0, 0]), &["invalid length 2", "line 1"]),
        ("/gravity", Value::Null, &["null"]),
        ("/bodies", json!([]), &["no bodies"]),
        ("/bodies/0/id", json!(3), &["body 0", "id", "3", "0"]),
        ("/bodies/1/parent", json!(1), &["body 1", "parent", "1", "earlier"]),
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
