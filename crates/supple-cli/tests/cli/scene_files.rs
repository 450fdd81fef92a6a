//! Scenes printed as files, and files run.

use std::fs;

use crate::supple::{arg, call, failure, failure_of, scratch, supple};

/// The same trajectory, byte for byte, from the scene and from its file.
#[test]
fn a_printed_scene_runs_the_same() {
    for (name, settings, run, extension) in [
        ("dog-puppet", &[][..], &["--dt", "1/60", "--seconds", "1"][..], "toml"),
        ("crowd-200", &["--set", "characters=3"], &["--dt", "1/120", "--seconds", "0.3"], "json"),
        ("stewart", &[], &["--seconds", "0.3"], "toml"),
        ("bridge", &["--set", "planks=4"], &["--seconds", "1"], "json"),
    ] {
        let file = scratch(&format!("printed-{name}.{extension}"));
        let [by_name, by_file] = ["name", "file"].map(|by| scratch(&format!("printed-{name}-{by}.csv")));
        supple(&[&["scenes", "--print", name, "--out", arg(&file)], settings].concat());
        supple(&[&["run", name, "--out", arg(&by_name)], settings, run].concat());
        supple(&[&["run", arg(&file), "--out", arg(&by_file)], run].concat());
        assert!(fs::read(by_name).unwrap() == fs::read(by_file).unwrap(), "{name}");
    }
}

#[test]
fn scenes_are_printed_in_either_syntax() {
    let json = supple(&["scenes", "--print", "pendulum", "--set", "links=2"]);
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&value["format"], value["kind"].is_null()), (&"supple-scene".into(), true));
    let toml = supple(&["scenes", "--print", "magnets", "--format", "toml"]);
    assert!(toml.contains("[[joints]]") && !toml.contains("kind = \"world\""), "{toml}");
    let schema: serde_json::Value = serde_json::from_str(&supple(&["scenes", "--schema"])).unwrap();
    assert_eq!(schema["title"], "A scene of supple");
}

#[test]
fn wrong_scene_files_are_told_by_line_and_field() {
    let file = scratch("wrong.toml");
    fs::write(&file, "format = \"supple-scene\"\nversion = 1\nkind = \"world\"\n[[bodies]]\nmass = -1\ninertia = [1, 0, 0, 1, 0, 1]\n").unwrap();
    let message = failure_of(3, &["run", arg(&file)]);
    assert!(message.contains("wrong.toml:5:") && message.contains("bodies[0].mass"), "{message}");
    let message = failure(&["run", arg(&file), "--set", "links=3"]);
    assert!(message.contains("--set"), "{message}");
    // settings, and what a world refuses, used to be told as wrong use, and without a place
    let world = "format = \"supple-scene\"\nversion = 1\nkind = \"world\"\n";
    for (rest, mentions) in [
        (
            "settings = { tolerance = -1 }\n",
            &["wrong.toml:4:26: settings.tolerance", "is -1", "positive"][..],
        ),
        ("settings = { substeps = 0 }\n", &["wrong.toml:4:25: settings.substeps", "is 0", "1 or more"]),
        ("drag = -2\n", &["wrong.toml:4:8: drag", "-2 1/s"]),
        (
            "[[bodies]]\nname = \"brick\"\ninertia = [1, 0, 0, 1, 0, 5]\n",
            &["wrong.toml:6:11: bodies[0].inertia", "\"brick\"", "5.0] kg·m²", "at most the sum"],
        ),
        (
            "bodies = [{ name = \"world\", fixed = true }]\n",
            &["wrong.toml:4:20: bodies[0].name", "\"world\"", "another name"],
        ),
    ] {
        fs::write(&file, format!("{world}{rest}")).unwrap();
        for args in [&["run", arg(&file)][..], &["scenes", "--print", arg(&file)], &["view", arg(&file)]] {
            let message = failure_of(3, args);
            assert!(mentions.iter().all(|word| message.contains(word)), "{args:?} {mentions:?}: {message}");
        }
    }
    assert!(failure_of(3, &["run", "no/such.toml"]).contains("no/such.toml"));
    assert!(failure(&["scenes", "--print", "pendulm"]).contains("did you mean"));
    assert_ne!(call(&["scenes", "--set", "links=3"]).code, Some(0));
    let clash = scratch("clash.toml");
    assert!(
        failure(&["scenes", "--print", "pendulum", "--format", "json", "--out", arg(&clash)])
            .contains("--format")
    );
}

/// A file may have its own step and time, and how each body is stepped.
#[test]
fn a_file_says_how_it_is_run() {
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/scenes");
    let told = supple(&["run", &format!("{examples}/robot.toml"), "--json"]);
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["steps"], 1000, "{told}");
}
