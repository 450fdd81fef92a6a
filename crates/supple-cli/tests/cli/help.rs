use serde_json::Value;

use crate::supple::{call, json, supple};

#[test]
fn every_command_has_help_with_examples() {
    for args in [
        &["--help"][..],
        &["scenes", "--help"],
        &["run", "--help"],
        &["dynamics", "--help"],
        &["export", "--help"],
        &["assemble", "--help"],
        &["bench", "--help"],
        &["bench", "aba", "--help"],
        &["bench", "crowd", "--help"],
        &["bench", "characters", "--help"],
        &["bench", "constraints", "--help"],
        &["bench", "contact", "--help"],
        &["bench", "integrators", "--help"],
        &["bench", "table1", "--help"],
        &["bench", "figure5", "--help"],
        &["bench", "figure6", "--help"],
        &["bench", "scale", "--help"],
    ] {
        let help = supple(args);
        assert!(help.contains("Examples:") && help.contains("supple "), "{args:?}: {help}");
        assert!(help.contains("Usage:"), "{args:?}: {help}");
    }
}

#[test]
fn version() {
    assert_eq!(supple(&["--version"]).trim(), format!("supple {}", env!("CARGO_PKG_VERSION")));
}

#[test]
fn nothing_at_all_shows_the_help_and_fails() {
    let outcome = call(&[]);
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.stderr.contains("Usage:"), "{outcome:?}");
}

#[test]
fn scenes_are_listed_one_line_each_with_their_figure() {
    let text = supple(&["scenes"]);
    let names: Vec<_> = text.lines().filter_map(|l| l.split_whitespace().next()).collect();
    for name in [
        "pendulum",
        "chain3d",
        "double-pendulum",
        "tree",
        "humanoid",
        "humanoid-detailed",
        "robot",
        "pendulum-300",
        "crowd-200",
        "ramp",
        "whip",
        "tree-wind",
        "pendulum-constraints",
    ] {
        assert!(names.contains(&name), "{name}: {text}");
    }
    assert_eq!(names.len(), supple_scenes::gallery().len());
    assert!(text.contains("figure 5") && text.contains("figure 1"), "{text}");
    assert!(supple(&["scenes", "--parameters"]).contains("links=300"));
}

#[test]
fn scenes_as_json() {
    let list = json(&["scenes", "--json"]);
    let scenes = list["scenes"].as_array().unwrap();
    let pendulum = scenes.iter().find(|s| s["name"] == "pendulum").unwrap();
    assert!(pendulum["figure"].as_str().unwrap().contains("2005"));
    assert_eq!(pendulum["parameters"][0]["default"], Value::from("300"));
    let world = |name: &str| scenes.iter().find(|s| s["name"] == name).unwrap()["world"].as_bool();
    assert_eq!((world("pendulum"), world("pendulum-constraints")), (Some(false), Some(true)));
}
