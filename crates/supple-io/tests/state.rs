//! States by name: what is left out, what is converted, what is refused.

use supple_io::{IoError, LoadOptions, StateByName, load_mjcf_str, load_urdf_str};

const ROBOT: &str = r#"<robot name="r">
  <link name="base"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
  <link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
  <joint name="elbow" type="continuous"><parent link="base"/><child link="arm"/></joint>
</robot>"#;

const BODY: &str = r#"<mujoco><worldbody>
  <body name="free" pos="1 2 3"><freejoint name="root"/><geom size="1"/>
    <body name="arm">
      <joint name="x" axis="1 0 0" ref="90"/><joint name="y" axis="0 1 0"/><joint name="z" type="slide"/>
      <geom size="1"/>
    </body>
  </body>
</worldbody></mujoco>"#;

#[test]
fn what_is_left_out_is_at_rest_where_the_file_puts_it() {
    let state = StateByName::parse("{}").unwrap();
    assert!(state.passive && !state.floating_base);
    let loaded = load_mjcf_str(BODY, None, &state.load_options()).unwrap();
    let state = state.of(&loaded).unwrap();
    assert_eq!(state.q, [1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
    assert_eq!(state.v, [0.0; 9]);
    assert_eq!(state.gravity.to_array(), [0.0, 0.0, -9.81]);
}

#[test]
fn joints_of_one_body_are_named_one_by_one() {
    let json = r#"{"joints": {"y": {"q": [0.2], "qd": [0.3], "tau": [0.4]}, "x": {"q": [1.5707963267948966]},
        "root": {"q": [0, 0, 0, 0.6, 0, 0, 0.8], "qd": [1, 2, 3, 4, 5, 6]}},
        "wrenches": {"arm": [1, 2, 3, 4, 5, 6]}, "gravity": [0, 0, -1], "passive": false}"#;
    let state = StateByName::parse(json).unwrap();
    let loaded = load_mjcf_str(BODY, None, &state.load_options()).unwrap();
    let names: Vec<&str> = loaded.joints.iter().map(|j| j.name.as_str()).collect();
    assert_eq!(names, ["root", "x", "y", "z"]);
    let state = state.of(&loaded).unwrap();
    // ref = 90°: what the file calls a quarter turn is supple's zero
    assert_eq!(state.q[7..], [0.0, 0.2, 0.0]);
    assert_eq!(state.q[3..7], [0.6, 0.0, 0.0, 0.8]);
    assert_eq!(state.v, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 0.0, 0.3, 0.0]);
    assert_eq!(state.tau[7], 0.4);
    assert_eq!(state.wrenches[0].wrench.to_array(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(loaded.model.bodies()[state.wrenches[0].body.index()].name, "arm");
    assert_eq!(state.gravity.z, -1.0);
    assert!(!state.passive);
}

#[test]
fn a_floating_base_has_the_name_of_the_root_link() {
    let state =
        StateByName::parse(r#"{"floating_base": true, "joints": {"base": {"qd": [0, 0, 1, 0, 0, 0]}}}"#)
            .unwrap();
    let loaded = load_urdf_str(ROBOT, &state.load_options()).unwrap();
    assert_eq!(state.of(&loaded).unwrap().v, [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
}

#[test]
fn bad_states_say_what_is_wrong() {
    let loaded = load_urdf_str(ROBOT, &LoadOptions { floating_base: true, ..Default::default() }).unwrap();
    for (json, words) in [
        ("{", "not well-formed JSON"),
        ("[]", "expected an object"),
        (r#"{"joint": {}}"#, "unknown field `joint`"),
        (r#"{"joints": {"elbow": {"v": [1]}}}"#, "unknown field `v`"),
        (r#"{"joints": {"elbow": {}, "elbow": {}}}"#, "\"elbow\" is given twice"),
        (r#"{"joints": {"Elbo": {}}}"#, "did you mean \"elbow\"?"),
        (r#"{"joints": {"elbow": {"q": [1, 2]}}}"#, "\"elbow\" of the state: q has 2 numbers, needs 1"),
        (r#"{"joints": {"elbow": {"qd": []}}}"#, "qd has 0 numbers, needs 1"),
        (r#"{"joints": {"elbow": {"tau": "x"}}}"#, "invalid type"),
        (r#"{"joints": {"elbow": {"q": [1e999]}}}"#, "number out of range"),
        (r#"{"joints": {"base": {"q": [0, 0, 0, 0, 0, 0, 0.9]}}}"#, "has length 0.9"),
        (r#"{"wrenches": {"armm": [0, 0, 0, 0, 0, 0]}}"#, "did you mean \"arm\"?"),
        (r#"{"wrenches": {"arm": [0, 0, 0]}}"#, "invalid length 3"),
        (r#"{"gravity": [0, 0]}"#, "invalid length 2"),
    ] {
        let error: IoError = match StateByName::parse(json) {
            Ok(state) => state.of(&loaded).expect_err(json),
            Err(error) => error,
        };
        assert!(error.to_string().contains(words), "{json}: {error}");
    }
}

#[test]
fn files_are_named_in_errors() {
    let error = StateByName::read("/no/such/state.json").unwrap_err();
    assert!(error.to_string().starts_with("/no/such/state.json: cannot read"), "{error}");
    assert!(matches!(error.root(), IoError::Read { .. }));
}
