//! The format of scene files: its schema, its examples, and what broken files are told.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use glam::DVec3;
use supple::RigidInertia;
use supple::constraint::{Ball, Constraint};
use supple::world::{BodyRef, SingleBody, World};
use supple_scenes::file::{Syntax, open_text, schema};
use supple_scenes::{DtFrom, SplitMix64, Stage, gallery, open_file, print_stage};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn examples() -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(repository().join("examples/scenes"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "toml" || e == "json"))
        .collect();
    files.sort();
    assert!(files.len() >= 5, "{files:?}");
    files
}

/// Set `SUPPLE_BLESS` to write it anew.
#[test]
fn the_schema_is_the_one_in_the_documents() {
    let path = repository().join("docs/scene.schema.json");
    let text = serde_json::to_string_pretty(&schema()).unwrap() + "\n";
    if std::env::var_os("SUPPLE_BLESS").is_some() {
        fs::write(&path, &text).unwrap();
    }
    assert!(
        fs::read_to_string(&path).unwrap() == text,
        "the types of scene files have changed: SUPPLE_BLESS=1 writes the schema anew"
    );
}

#[test]
fn every_scene_and_example_is_valid_by_the_schema() {
    let validator = jsonschema::validator_for(&schema()).unwrap();
    let check = |name: &str, value: &serde_json::Value| {
        let errors: Vec<_> =
            validator.iter_errors(value).take(3).map(|e| format!("{} at {}", e, e.instance_path())).collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
    };
    for scene in gallery().iter().filter(|scene| scene.name != "ragdolls-1000") {
        let mut parameters = scene.small();
        // three of many are as good as all
        let _ = parameters.set("characters", "3");
        let file = print_stage(scene.name, &scene.build(&parameters).unwrap()).unwrap();
        check(scene.name, &serde_json::to_value(file).unwrap());
    }
    for path in examples() {
        let value: serde_json::Value = toml::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        check(&path.display().to_string(), &value);
    }
    assert!(
        !validator.is_valid(&serde_json::json!({ "format": "supple-scene", "version": 1, "kindd": "world" }))
    );
}

#[test]
fn examples_run() {
    for path in examples() {
        let name = path.display();
        let mut stage = open_file(&path).unwrap_or_else(|error| panic!("{error}"));
        let state = |stage: &Stage| {
            let singles = stage.world.bodies().map(|(_, body)| body.frame()).collect::<Vec<_>>();
            (singles, stage.articulations().map(|body| body.state.q.clone()).collect::<Vec<_>>())
        };
        let (before, joints) = (state(&stage), stage.world.constraints().count());
        for _ in 0..240 {
            stage.step(stage.step_length(None).0).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        assert_ne!(state(&stage), before, "{name}: nothing moves");
        assert!(stage.world.energy().kinetic.is_finite(), "{name}");
        assert_eq!(stage.world.constraints().count(), joints, "{name}: something broke");
    }
}

/// The first example of the document is whole.
#[test]
fn the_example_of_the_document_runs() {
    let document = fs::read_to_string(repository().join("docs/scene-format.md")).unwrap();
    let example = document.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let mut stage = open_text("dolls.toml", example, Syntax::Toml).unwrap();
    assert_eq!(stage.articulations().count(), 8);
    let dt = stage.dt.unwrap();
    for _ in 0..60 {
        stage.step(dt).unwrap();
    }
}

/// Instances share their model, stand in rows, and are pulled by forces that know where they stand.
#[test]
fn instances_share_a_model() {
    let mut stage = open_file(repository().join("examples/scenes/crowd.toml")).unwrap();
    assert_eq!(stage.articulations().count(), 30);
    let (_, first) = stage.first().unwrap();
    assert!(stage.articulations().all(|other| std::sync::Arc::ptr_eq(&other.model, &first.model)));
    let weights = |s: &supple::Simulation| std::sync::Arc::as_ptr(s.own_weights().unwrap());
    assert!(stage.articulations().all(|other| weights(other) == weights(first)));
    for _ in 0..100 {
        stage.step(1.0 / 120.0).unwrap();
    }
    assert!(stage.active() <= 40, "{}", stage.active());
}

const WORLD: &str = r#"{
  "format": "supple-scene", "version": 1, "kind": "world", "name": "swing", "dt": 0.01, "seconds": 1,
  "bodies": [
    {"name": "seat", "position": [0, 0, 1], "rotation": [0, 0, 0, 1], "mass": 5, "inertia": [0.1, 0, 0, 0.1, 0, 0.2]},
    {"name": "hand", "fixed": true}
  ],
  "joints": [
    {"name": "rope", "kind": "rope", "length": 2, "parent": "world", "child": "seat", "parent_frame": {"position": [0, 0, 3]}}
  ],
  "models": {"arm": {"bodies": [
    {"name": "upper", "parent": -1, "joint": {"type": "revolute", "axis": [0, 1, 0]}, "mass": 1, "com": [0.5, 0, 0], "inertia_com": [0.1, 0, 0, 0.1, 0, 0.1]},
    {"name": "lower", "parent": 0, "joint": {"type": "revolute", "axis": [0, 1, 0]}, "placement": {"pos": [1, 0, 0]}, "mass": 1, "com": [0.5, 0, 0], "inertia_com": [0.1, 0, 0, 0.1, 0, 0.1]}
  ]}},
  "articulations": [{"name": "a", "model": "arm", "q": [0.1, 0.2], "detail": {"target": {"type": "joints", "count": 1}}}],
  "shapes": [{"type": "half-space"}, {"type": "box", "size": [0.5, 0.2, 0.1]}],
  "colliders": [{"body": -1, "shape": 0}, {"body": "seat", "shape": 1, "friction": 0.5}],
  "ignored": [["seat", "a/upper"]],
  "script": [{"type": "follow", "body": "hand", "path": {"type": "glide", "from": [0, 0, 0], "way": [0, 0, 1], "seconds": 1}}],
  "cameras": [{"type": "look-at", "eye": [3, 0, 1], "target": [0, 0, 1]}]
}
"#;

const CROWD: &str = r#"
format = "supple-scene"
version = 1
kind = "crowd"
forces = [{ type = "push", seconds = 1, loads = [{ body = "upper", force = [1, 0, 0] }] }]
instances = [{ model = "arm", count = 3, spacing = [1, 1] }]

[models.arm]
bodies = [
  { name = "upper", parent = -1, joint = { type = "free" }, mass = 1, inertia_com = [0.1, 0, 0, 0.1, 0, 0.1] },
  { name = "lower", parent = 0, joint = { type = "revolute", axis = [0, 1, 0] }, mass = 1, inertia_com = [0.1, 0, 0, 0.1, 0, 0.1] },
]
"#;

#[test]
fn good_files_are_good() {
    open_text("world.json", WORLD, Syntax::Json).unwrap();
    open_text("crowd.toml", CROWD, Syntax::Toml).unwrap();
}

/// What is put in place of what, and what the message must have.
#[test]
fn broken_files_are_told_where_and_why() {
    for (from, to, wanted) in [
        ("\"mass\": 5,", "\"mass\": \"five\",", &["w.json:4:", "bodies[0].mass", "five", "f64"][..]),
        ("\"kind\": \"rope\", ", "", &["w.json:8:", "joints[0]", "missing field `kind`"]),
        (
            "\"name\": \"seat\",",
            "\"nmae\": \"seat\",",
            &["w.json:4:", "bodies[0]", "unknown field `nmae`", "did you mean `name`"],
        ),
        (
            "\"kind\": \"rope\"",
            "\"kind\": \"ropes\"",
            &["w.json:8:", "joints[0].kind", "did you mean `rope`"],
        ),
        (
            "\"child\": \"seat\"",
            "\"child\": \"saet\"",
            &["w.json:8:", "joints[0].child", "saet", "did you mean \"seat\""],
        ),
        ("\"child\": \"seat\"", "\"child\": 99", &["w.json:8:", "joints[0].child", "99", "-1 is the world"]),
        (
            "\"rotation\": [0, 0, 0, 1]",
            "\"rotation\": [0, 0, 0, 2]",
            &["w.json:4:", "bodies[0].rotation", "length 2"],
        ),
        ("\"mass\": 5,", "\"mass\": -5,", &["w.json:4:", "bodies[0].mass", "-5 kg", "positive"]),
        (
            "\"inertia\": [0.1, 0, 0, 0.1, 0, 0.2]",
            "\"inertia\": [0.1, 0, 0, 0.1]",
            &["w.json:4:", "bodies[0].inertia", "array of length 6"],
        ),
        (
            "\"name\": \"upper\", \"parent\": -1",
            "\"name\": \"upper\", \"parent\": 1",
            &["models.arm.bodies", "upper"],
        ),
        (
            "\"name\": \"lower\", \"parent\": 0",
            "\"name\": \"lower\", \"parent\": 7",
            &["w.json:12:", "models.arm.bodies[1]", "parent", "7"],
        ),
        ("\"model\": \"arm\"", "\"model\": \"leg\"", &["w.json:14:", "articulations[0].model", "leg", "arm"]),
        (
            "\"q\": [0.1, 0.2]",
            "\"q\": [0.1]",
            &["w.json:14:", "articulations[0].q", "has 1 numbers, needs 2"],
        ),
        ("\"count\": 1}", "\"count\": 9}", &["w.json:14:", "articulations[0].detail", "9 active joints"]),
        ("\"version\": 1", "\"version\": 7", &["w.json:2:", "version 7", "version 1"]),
        ("\"supple-scene\"", "\"supple-case\"", &["w.json:2:", "format", "supple-case"]),
        ("\"kind\": \"world\"", "\"kind\": \"crowd\"", &["w.json:3:", "bodies", "a crowd has none"]),
        ("\"length\": 2,", "", &["w.json:8:", "joints[0]", "lacks \"length\""]),
        ("\"length\": 2,", "\"length\": 1e999,", &["w.json:8:", "number out of range"]),
        ("\"shape\": 1", "\"shape\": 4", &["w.json:16:", "colliders[1].shape", "numbers go up to 1"]),
        (
            "\"size\": [0.5, 0.2, 0.1]",
            "\"size\": [0.5, 0, 0.1]",
            &["w.json:15:", "shapes[1]", "edge along y"],
        ),
        ("\"friction\": 0.5", "\"friction\": -1", &["w.json:16:", "colliders[1]", "friction", "-1"]),
        ("\"body\": \"hand\"", "\"body\": \"foot\"", &["w.json:18:", "script[0]", "foot"]),
        ("\"seconds\": 1}", "\"seconds\": 0}", &["w.json:18:", "script[0].path", "positive"]),
        ("\"eye\": [3, 0, 1]", "\"eye\": [0, 0, 1]", &["w.json:19:", "cameras[0]"]),
        ("\"dt\": 0.01", "\"dt\": 0", &["w.json:2:", "dt", "positive"]),
        (
            "\"bodies\": [\n    {\"name\": \"upper\"",
            "\"urdf\": \"no/such.urdf\", \"bodies\": [\n    {\"name\": \"upper\"",
            &["models.arm", "needs one of"],
        ),
        (
            "\"ignored\": [[\"seat\", \"a/upper\"]]",
            "\"ignored\": [[\"seat\", \"a/uper\"]]",
            &["w.json:17:", "ignored[0][1]", "a/uper"],
        ),
        ("]\n}\n", "", &["w.json:19:", "not well-formed JSON", "EOF"]),
        // what has a name is addressed by it
        (
            "\"name\": \"hand\"",
            "\"name\": \"seat\"",
            &["w.json:5:14: bodies[1].name", "\"seat\"", "bodies[0] too", "name of its own"],
        ),
        (
            "\"name\": \"hand\"",
            "\"name\": \"world\"",
            &["w.json:5:14: bodies[1].name", "\"world\"", "fixed world", "another name"],
        ),
        (
            "\"name\": \"hand\"",
            "\"name\": \"a/upper\"",
            &["w.json:5:14: bodies[1].name", "\"a/upper\"", "body of an articulation"],
        ),
        (
            "\"joints\": [\n",
            "\"joints\": [{\"name\": \"rope\", \"kind\": \"ball\", \"child\": 0},\n",
            &["w.json:8:14: joints[1].name", "\"rope\"", "joints[0] too"],
        ),
        (
            "\"articulations\": [",
            "\"articulations\": [{\"name\": \"a\", \"model\": \"arm\"}, ",
            &["w.json:14:61: articulations[1].name", "\"a\"", "articulations[0] too"],
        ),
        (
            "  ]}},\n  \"articulations\"",
            "  ]}, \"arm\": {\"urdf\": \"arm.urdf\"}},\n  \"articulations\"",
            &["w.json:10:", "models", "\"arm\"", "twice"],
        ),
        ("[\"seat\", \"a/upper\"]", "[\"\", \"a/upper\"]", &["w.json:17:", "ignored[0][0]", "no body \"\""]),
        // no distribution of mass has these
        (
            "\"inertia\": [0.1, 0, 0, 0.1, 0, 0.2]",
            "\"inertia\": [1, 0, 0, 1, 0, 5]",
            &["w.json:4:93: bodies[0].inertia", "\"seat\"", "5.0] kg·m²", "at most the sum"],
        ),
        (
            "\"inertia\": [0.1, 0, 0, 0.1, 0, 0.2]",
            "\"inertia\": [1, 0, 0, 1, 0, -5]",
            &["w.json:4:93: bodies[0].inertia", "\"seat\" is -5", "must be positive"],
        ),
        (
            "\"inertia_com\": [0.1, 0, 0, 0.1, 0, 0.1]}\n",
            "\"inertia_com\": [1, 0, 0, 1, 0, 5]}\n",
            &["w.json:12:", "models.arm.bodies[1].inertia_com", "\"lower\"", "5.0] kg·m²"],
        ),
        ("\"dt\": 0.01", "\"drag\": -1", &["w.json:2:", "drag", "-1 1/s", "0 or more"]),
    ] {
        let text = WORLD.replacen(from, to, 1);
        assert_ne!(text, WORLD, "{from}");
        let message = open_text("w.json", &text, Syntax::Json).expect_err(to).to_string();
        for wanted in wanted {
            assert!(message.contains(wanted), "{from} → {to}: {wanted:?} is not in {message}");
        }
    }
    for (from, to, wanted) in [
        ("count = 3", "count = nan", &["c.toml:6:", "instances[0].count", "NaN"][..]),
        ("force = [1, 0, 0]", "force = [1, inf, 0]", &["c.toml:5:", "forces[0].loads[0].force[1]", "inf"]),
        ("count = 3", "count = 99999999", &["c.toml:6:", "instances[0].count", "1000000 at most"]),
        ("count = 3", "cuont = 3", &["c.toml:6:", "cuont", "did you mean `count`"]),
        ("body = \"upper\"", "body = \"uper\"", &["c.toml:5:", "forces[0]", "did you mean \"upper\""]),
        ("type = \"push\"", "type = \"pussh\"", &["c.toml:5:", "forces[0]", "pussh"]),
        (
            "type = \"free\"",
            "type = \"revolute\", axis = [0, 0, 1]",
            &["c.toml:6:", "instances[0].model", "revolute"],
        ),
        ("kind = \"crowd\"", "kind = \"crowd", &["c.toml:4:", "not well-formed TOML"]),
        ("kind = \"crowd\"\n", "kind = \"crow\"\n", &["c.toml:4:", "kind"]),
        ("[models.arm]\n", "[models.arm]\nurdf = \"x\"\n", &["models.arm", "needs one of"]),
        ("kind = \"crowd\"", "kind = \"crowd\"\nscene = \"pendulum\"", &["scene", "nothing else"]),
    ] {
        let text = CROWD.replacen(from, to, 1);
        assert_ne!(text, CROWD, "{from}");
        let message = open_text("c.toml", &text, Syntax::Toml).expect_err(to).to_string();
        for wanted in wanted {
            assert!(message.contains(wanted), "{from} → {to}: {wanted:?} is not in {message}");
        }
    }
    // files that are not there
    let model = "format = \"supple-scene\"\nversion = 1\nkind = \"crowd\"\narticulations = [{ model = \"m\" }]\nmodels.m.urdf = \"no/such.urdf\"\n";
    let message = open_text("m.toml", model, Syntax::Toml).unwrap_err().to_string();
    assert!(
        message.contains("m.toml:5:")
            && message.contains("models.m.urdf")
            && message.contains("no/such.urdf"),
        "{message}"
    );
    assert!(open_file("no/such.toml").unwrap_err().to_string().contains("no/such.toml"));
    assert!(open_file("scene.txt").unwrap_err().to_string().contains(".json or .toml"));
    let scene = "format = \"supple-scene\"\nversion = 1\nscene = \"pendulm\"\n";
    let message = open_text("s.toml", scene, Syntax::Toml).unwrap_err().to_string();
    assert!(message.contains("s.toml:3:") && message.contains("did you mean \"pendulum\""), "{message}");
}

/// Settings used to be refused by the first step, or not at all.
#[test]
fn settings_that_cannot_be_are_told_where_they_stand() {
    for (settings, wanted) in [
        ("substeps = 0", &["s.toml:5:12: settings.substeps", "is 0", "1 or more"][..]),
        ("tolerance = 0.0", &["s.toml:5:13: settings.tolerance", "[m or rad]", "is 0", "positive"]),
        ("approach = -2.0", &["s.toml:5:12: settings.approach", "is -2"]),
        ("contact = { slop = -0.1 }", &["s.toml:5:20: settings.contact.slop", "is -0.1"]),
        (
            "contact = { recover = 2.0 }",
            &["s.toml:5:23: settings.contact.recover", "is 2", "between 0 and 1"],
        ),
        ("contact = { longest = 0 }", &["s.toml:5:23: settings.contact.longest", "positive"]),
        ("contact = { calm = -1 }", &["s.toml:5:20: settings.contact.calm", "is -1"]),
        ("[settings.contact]\nslow = -1", &["s.toml:6:8: settings.contact.slow", "is -1"]),
    ] {
        let text =
            format!("format = \"supple-scene\"\nversion = 1\nkind = \"world\"\n[settings]\n{settings}\n");
        let message = open_text("s.toml", &text, Syntax::Toml).expect_err(settings).to_string();
        for wanted in wanted {
            assert!(message.contains(wanted), "{settings}: {wanted:?} is not in {message}");
        }
    }
    let fine = "format = \"supple-scene\"\nversion = 1\nkind = \"world\"\n[settings]\nsubsteps = 1\napproach = \"inf\"\n";
    open_text("s.toml", fine, Syntax::Toml).unwrap();
}

/// A world may have bodies and joints that share a name; its file has not, and may be read.
#[test]
fn equal_names_of_a_world_are_told_apart_in_its_file() {
    let mut world = World::new();
    let ball = RigidInertia::solid_sphere(1.0, 0.1, DVec3::ZERO);
    for name in ["box", "box", "world", "", "", "box"] {
        let body = world.add_body(SingleBody::new(name, ball)).unwrap();
        world.add(Constraint::new(Ball, BodyRef::World, body).named(name)).unwrap();
    }
    let file = print_stage("boxes", &Stage::new(world, 0.01, 1.0)).unwrap();
    let names: Vec<&str> = file.bodies.iter().map(|body| body.name.as_str()).collect();
    assert_eq!(names, ["box", "box #1", "world #2", "", "", "box #5"]);
    let stage = open_text("boxes.toml", &file.to_text(Syntax::Toml).unwrap(), Syntax::Toml).unwrap();
    assert_eq!(print_stage("boxes", &stage).unwrap(), file);
}

const WOUNDS: [&str; 22] = [
    "NaN",
    "nan",
    "inf",
    "\"inf\"",
    "-1",
    "0",
    "1e308",
    "1e-320",
    "99999999999999999999",
    "null",
    "[]",
    "{}",
    "true",
    "\"\"",
    "\"seat\"",
    "\"world\"",
    "-0.0",
    "1000000",
    "[0, 0, 0]",
    ",",
    "}",
    "\"",
];

/// One of the good files with a few random wounds: bytes flipped, words deleted, doubled or replaced, tails cut off.
fn wounded(text: &str, random: &mut SplitMix64) -> String {
    let mut words: Vec<String> = Vec::new();
    for c in text.chars() {
        let joins = |c: char| c.is_alphanumeric() || "_.-\"".contains(c);
        match words.last_mut() {
            Some(last) if joins(c) && last.chars().all(joins) => last.push(c),
            _ => words.push(c.to_string()),
        }
    }
    for _ in 0..=random.below(3) {
        let (i, j) = (random.below(words.len()), random.below(words.len()));
        match random.below(6) {
            0 => words[i] = WOUNDS[random.below(WOUNDS.len())].to_owned(),
            1 => words[i].clear(),
            2 => words.swap(i, j),
            3 => words[i] = words[j].clone(),
            4 if random.below(4) == 0 => words.truncate(i.max(1)),
            4 => words[i] = WOUNDS[random.below(WOUNDS.len())].to_owned(),
            _ => words[i] = char::from(32 + random.below(95) as u8).to_string(),
        }
    }
    words.concat()
}

/// No input makes the reader panic, and what it takes can be stepped.
#[test]
fn two_thousand_wounds_never_panic() {
    for i in 0..2_000u64 {
        let mut random = SplitMix64::new(i);
        let (text, syntax) = if i % 2 == 0 { (WORLD, Syntax::Json) } else { (CROWD, Syntax::Toml) };
        let text = wounded(text, &mut random);
        let opened = catch_unwind(AssertUnwindSafe(|| match open_text("wounded", &text, syntax) {
            Ok(mut stage) if stage.articulations().count() <= 100 => {
                (0..2).for_each(|_| drop(stage.step(0.01)));
            }
            Ok(_) => {}
            Err(error) => assert!(!error.to_string().is_empty()),
        }));
        assert!(opened.is_ok(), "seed {i}:\n{text}");
    }
}

/// Articulations, single bodies, joints, colliders, forces, a script, walls, one budget and two gravities.
const ALL: &str = r#"
format = "supple-scene"
version = 1
budget = 3
shapes = [{ type = "half-space" }, { type = "box", size = [0.2, 0.2, 0.2] }, { type = "capsule", from = [0, 0, 0], to = [0, 0, 0.4], radius = 0.05 }]
colliders = [
  { body = "world", shape = 0 },
  { body = "box", shape = 1 },
  { body = "touching/upper", shape = 2 },
  { body = "touching/lower", shape = 2 },
]
looks = [{ body = "apart/upper", from = [0, 0, 0], to = [0, 0, 0.4], radius = 0.03 }]
walls = [{ shape = 1, frame = { position = [0, -1, 0.1] } }]
bodies = [{ name = "box", position = [0.6, 0, 0.3], mass = 2, inertia = [0.02, 0, 0, 0.02, 0, 0.02] }]
joints = [{ kind = "rope", length = 1.5, parent = "box", child = "touching/lower" }]
articulations = [
  { name = "touching", model = "arm" },
  { name = "apart", model = "arm", gravity = [0, 0, 0], v = [0, 0, 0, 0.3, 0, 0, 0] },
]
forces = [{ type = "push", articulation = 0, seconds = 0.2, loads = [{ body = "lower", force = [0, 5, 0] }] }]
script = [{ type = "push", body = "box", force = [0, 0, 3], seconds = 0.5 }]
[models.arm]
bodies = [
  { name = "upper", parent = -1, joint = { type = "free" }, mass = 2, inertia_com = [0.03, 0, 0, 0.03, 0, 0.003] },
  { name = "lower", parent = 0, joint = { type = "revolute", axis = [0, 1, 0] }, placement = { pos = [0, 0, 0.5] }, mass = 2, inertia_com = [0.03, 0, 0, 0.03, 0, 0.003] },
]
"#;

/// What is there decides what a scene is; it is printed and read back, and moves the same.
#[test]
fn one_file_may_have_all_of_it() {
    let mut stage = open_text("all.toml", ALL, Syntax::Toml).unwrap();
    assert_eq!((stage.world.budget(), stage.walls.len()), (Some(3), 1));
    assert_eq!(stage.step_length(None), (1.0 / 60.0, DtFrom::Default));
    assert_eq!(stage.step_length(Some(0.1)), (0.1, DtFrom::Option));
    let file = print_stage("all", &stage).unwrap();
    assert_eq!(file.articulations[1].gravity, Some([0.0; 3]));
    let mut again = open_text("all.json", &file.to_text(Syntax::Json).unwrap(), Syntax::Json).unwrap();
    let state = |stage: &Stage| {
        let boxes = stage.world.bodies().map(|(_, body)| body.frame()).collect::<Vec<_>>();
        (boxes, stage.articulations().map(|body| body.state.clone()).collect::<Vec<_>>())
    };
    for step in 0..120 {
        stage.step(1.0 / 60.0).unwrap();
        again.step(1.0 / 60.0).unwrap();
        assert!(stage.active() <= 3, "{} joints after step {step}", stage.active());
    }
    assert_eq!(state(&stage), state(&again));
    let heights: Vec<f64> = stage.articulations().map(|body| body.state.q[2]).collect();
    assert!(heights[0] < 0.3 && heights[1].abs() < 0.2, "one falls, the other floats: {heights:?}");
    // an old crowd has nothing that touches
    let crowd = ALL.replace("version = 1\n", "version = 1\nkind = \"crowd\"\n");
    let message = open_text("all.toml", &crowd, Syntax::Toml).unwrap_err().to_string();
    assert!(message.contains("bodies") && message.contains("leave out \"kind\""), "{message}");
}

/// The step of an MJCF counts where the scene names none.
#[test]
fn model_files_may_say_how_long_a_step_is() {
    let folder = std::env::temp_dir().join(format!("supple-timestep-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let body = r#"<worldbody><body><joint type="hinge"/><inertial pos="0 0 -1" mass="1" diaginertia="1 1 1"/></body></worldbody>"#;
    let write = |name: &str, option: &str| {
        fs::write(folder.join(name), format!("<mujoco>{option}{body}</mujoco>")).unwrap();
        folder.join(name).display().to_string()
    };
    let slow = write("slow.xml", r#"<option timestep="0.004"/>"#);
    let step = |text: &str| open_text(folder.join("s.toml"), text, Syntax::Toml).unwrap().step_length(None);
    let scene = "format = \"supple-scene\"\nversion = 1\nmodels.m.mjcf = \"slow.xml\"\narticulations = [{ model = \"m\" }]\n";
    assert_eq!(step(scene), (0.004, DtFrom::File));
    assert_eq!(step(&format!("dt = 0.01\n{scene}")), (0.01, DtFrom::Scene));
    let of =
        |file: &str| supple_scenes::stage("robot", &[("file", file)]).map(|stage| stage.step_length(None));
    assert_eq!(of(&slow).unwrap(), (0.004, DtFrom::File));
    assert_eq!(of(&write("plain.xml", "")).unwrap(), (1.0 / 60.0, DtFrom::Default));
    let error = of(&write("none.xml", r#"<option timestep="0"/>"#)).unwrap_err().to_string();
    assert!(error.contains("timestep") && error.contains("positive"), "{error}");
    fs::remove_dir_all(&folder).unwrap();
}
