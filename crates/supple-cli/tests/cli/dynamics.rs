use std::path::{Path, PathBuf};

use serde_json::{Value, json as value};

use crate::supple::{arg, call, failure_of, file, json, keys_in_order, supple};

/// Relative to the greatest entry expected.
const TOLERANCE: f64 = 1e-8;

fn fixtures() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../supple/tests/fixtures");
    let mut list: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "json"))
        .collect();
    list.sort();
    list
}

fn flat(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(list) => list.iter().flat_map(flat).collect(),
        number => vec![number.as_f64().unwrap()],
    }
}

fn assert_close(got: &Value, expected: &Value, what: &str) {
    let (got, expected) = (flat(got), flat(expected));
    assert_eq!(got.len(), expected.len(), "{what}");
    let scale = expected.iter().fold(0.0f64, |a, x| a.max(x.abs())).max(1e-12);
    for (a, b) in got.iter().zip(&expected) {
        assert!((a - b).abs() <= TOLERANCE * scale, "{what}: {a} instead of {b}");
    }
}

#[test]
fn every_reference_case_is_answered_in_its_order() {
    let fixtures = fixtures();
    assert!(fixtures.len() >= 8);
    for path in fixtures {
        let case: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let text = supple(&["dynamics", arg(&path), "--json"]);
        keys_in_order(&text, &["qdd", "kinetic_energy", "body_pos_quat", "body_velocity", "mass_matrix"]);
        let answer: Value = serde_json::from_str(&text).unwrap();
        for (field, expected) in case["expected"].as_object().unwrap() {
            assert_close(&answer[field], expected, &format!("{}: {field}", path.display()));
        }
        assert_eq!(answer.as_object().unwrap().len(), 8);
        for (field, block, answered) in [
            ("hybrid_qdd", "hybrid", "qdd"),
            ("qd_after", "rigidification", "qd_after"),
            ("dqd", "impulse", "dqd"),
        ] {
            assert_close(&answer[field], &case[block][answered], &format!("{}: {field}", path.display()));
        }
        let n = answer["qdd"].as_array().unwrap().len();
        let rows = answer["mass_matrix"].as_array().unwrap();
        assert!(rows.len() == n && rows.iter().all(|r| r.as_array().unwrap().len() == n));
    }
}

/// A rod of mass m with its centre half a metre from a hinge: the moment about the hinge is 0.1 + m/4.
fn rod(dynamics: &str) -> String {
    format!(
        r#"<robot name="arm"><link name="base"/>
        <link name="rod"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
          <inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="elbow" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
          <limit lower="-3" upper="3" effort="1" velocity="1"/>{dynamics}</joint></robot>"#
    )
}

const MOMENT: f64 = 0.1 + 2.0 * 0.25;

fn elbow(model: &Path, name: &str, state: &Value) -> Value {
    let state = file(name, &state.to_string());
    json(&["dynamics", arg(model), "--state", arg(&state), "--json"])
}

#[test]
fn a_model_takes_its_state_by_name_and_answers_by_name() {
    let model = file("rod.urdf", &rod(""));
    let state = value!({
        "joints": {"elbow": {"q": [0.3], "qd": [0.5], "tau": [4.0]}},
        "wrenches": {"rod": [0, 1.5, 0, 0, 0, 0]},
        "gravity": [0, 0, -9.81]
    });
    let answer = elbow(&model, "rod_state.json", &state);
    // tau acts as given, beyond the effort limit of the drive
    let expected = (4.0 + 1.5 - 2.0 * 9.81 * 0.5 * 0.3f64.sin()) / MOMENT;
    assert_close(&answer["joints"]["elbow"]["qdd"], &value!([expected]), "qdd");
    assert_close(&answer["kinetic_energy"], &value!(0.5 * MOMENT * 0.25), "kinetic energy");
    assert_close(&answer["mass_matrix"], &value!([[MOMENT]]), "mass matrix");
    assert_eq!(answer["bodies"], value!(["base", "rod"]));
    assert_eq!(answer["dofs"], value!(["elbow"]));
    let quat = &answer["body_pos_quat"][1][1];
    assert_close(quat, &value!([0.0, 0.15f64.sin(), 0.0, 0.15f64.cos()]), "quaternion");
    assert_close(&answer["body_velocity"][1], &value!([0.0, 0.5, 0.0, 0.0, 0.0, 0.0]), "velocity");
}

#[test]
fn what_is_left_out_is_at_rest() {
    let model = file("rest.urdf", &rod(""));
    let answer = json(&["dynamics", arg(&model), "--json"]);
    assert_close(&answer["joints"]["elbow"]["qdd"], &value!([0.0]), "qdd");
    assert_eq!(answer["kinetic_energy"].as_f64(), Some(0.0));
}

#[test]
fn passive_forces_act_unless_left_out() {
    let model = file("damped.urdf", &rod(r#"<dynamics damping="0.7" friction="0.2"/>"#));
    let joints = value!({"elbow": {"q": [0.0], "qd": [2.0]}});
    let with = elbow(&model, "with.json", &value!({"joints": joints, "gravity": [0, 0, 0]}));
    assert_close(&with["joints"]["elbow"]["qdd"], &value!([-(0.7 * 2.0 + 0.2) / MOMENT]), "with");
    let without =
        elbow(&model, "without.json", &value!({"joints": joints, "gravity": [0, 0, 0], "passive": false}));
    assert_close(&without["joints"]["elbow"]["qdd"], &value!([0.0]), "without");
}

#[test]
fn a_floating_base_falls() {
    let model = file("floating.urdf", &rod(""));
    let model_text = rod("").replace(
        r#"<link name="base"/>"#,
        r#"<link name="base"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>"#,
    );
    std::fs::write(&model, model_text).unwrap();
    let answer = elbow(&model, "floating.json", &value!({"floating_base": true}));
    let joints = answer["joints"].as_object().unwrap();
    assert_eq!(joints.len(), 2);
    assert_close(&joints["base"]["qdd"], &value!([0.0, 0.0, 0.0, 0.0, 0.0, -9.81]), "base");
}

#[test]
fn the_table_is_for_people() {
    let model = file("table.urdf", &rod(""));
    let text = supple(&["dynamics", arg(&model)]);
    for word in ["elbow", "rod", "kinetic energy", "position"] {
        assert!(text.contains(word), "{word}: {text}");
    }
}

#[test]
fn bad_states_are_named() {
    let model = file("bad_state.urdf", &rod(""));
    for (name, state, mentions) in [
        ("b1.json", value!({"joints": {"elbo": {"q": [0.1]}}}), &["elbo", "elbow"][..]),
        ("b2.json", value!({"joints": {"elbow": {"q": [0.1, 0.2]}}}), &["elbow", "2"]),
        ("b3.json", value!({"joints": {"elbow": {"qq": [0.1]}}}), &["qq"]),
        ("b4.json", value!({"wrenches": {"hand": [0, 0, 0, 0, 0, 0]}}), &["hand"]),
        ("b5.json", value!({"gravity": [0, 0]}), &["b5.json"]),
        ("b6.json", value!([1]), &["b6.json"]),
    ] {
        let state = file(name, &state.to_string());
        let message = failure_of(3, &["dynamics", arg(&model), "--state", arg(&state), "--json"]);
        for word in mentions {
            assert!(message.contains(word), "{name}: {message}");
        }
    }
}

#[test]
fn warnings_leave_stdout_to_json() {
    let model = file("odd.urdf", &rod("").replace(" velocity=\"1\"", ""));
    let outcome = call(&["dynamics", arg(&model), "--json"]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert!(outcome.stderr.contains("warning"), "{outcome:?}");
    serde_json::from_str::<Value>(&outcome.stdout).unwrap();
}
