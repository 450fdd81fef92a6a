//! Scenes as files: every scene of the gallery is printed, read back and moves the same, bit for bit.

use std::sync::Arc;

use supple::Simulation;
use supple::world::World;
use supple_scenes::file::{Syntax, open_text};
use supple_scenes::{Parameters, Scene, SceneFile, Stage, find, gallery, print_stage, stage};

fn reopened(file: &SceneFile, syntax: Syntax) -> Stage {
    let text = file.to_text(syntax).unwrap();
    let name = format!("{}.{}", file.name, syntax.name());
    open_text(&name, &text, syntax).unwrap_or_else(|error| panic!("{error}"))
}

fn again(name: &str, stage: &Stage, syntax: Syntax) -> Stage {
    reopened(&print_stage(name, stage).unwrap(), syntax)
}

/// Scenes of articulations each for itself, and those of worlds.
fn crowds_and_worlds() -> (&'static [Scene], &'static [Scene]) {
    gallery().split_at(gallery().iter().position(|scene| scene.name == "pendulum-constraints").unwrap())
}

fn bits(list: &[f64]) -> Vec<u64> {
    list.iter().map(|x| x.to_bits()).collect()
}

fn assert_same_bodies<'a>(
    name: &str,
    a: impl Iterator<Item = &'a Simulation> + Clone,
    b: impl Iterator<Item = &'a Simulation> + Clone,
) {
    assert_eq!(a.clone().count(), b.clone().count(), "{name}");
    for (i, (a, b)) in a.zip(b).enumerate() {
        assert_eq!(bits(&a.state.q), bits(&b.state.q), "{name}: q of body {i}");
        assert_eq!(bits(&a.state.v), bits(&b.state.v), "{name}: v of body {i}");
        assert_eq!(a.state, b.state, "{name}: state of body {i}");
        assert_eq!(a.wrenches, b.wrenches, "{name}: wrenches on body {i}");
        assert_eq!(a.springs, b.springs, "{name}: springs of body {i}");
    }
}

fn assert_same_worlds(name: &str, a: &World, b: &World) {
    assert_eq!(a.time().to_bits(), b.time().to_bits(), "{name}");
    for ((_, a), (_, b)) in a.bodies().zip(b.bodies()) {
        let numbers = |body: &supple::world::SingleBody| {
            let (frame, spin) = (body.frame(), body.angular_momentum());
            let vectors = [frame.position, body.centre(), body.velocity(), body.omega(), spin];
            let mut all: Vec<f64> = vectors.iter().flat_map(|v| v.to_array()).collect();
            all.extend(frame.rotation.to_array());
            bits(&all)
        };
        assert_eq!(numbers(a), numbers(b), "{name}: body {:?}", a.name);
        assert_eq!((a.wrench, a.is_asleep()), (b.wrench, b.is_asleep()), "{name}: body {:?}", a.name);
    }
    assert_eq!(a.bodies().count(), b.bodies().count(), "{name}");
    for ((i, a), (_, b)) in a.articulations().zip(b.articulations()) {
        assert_eq!(bits(&a.state.q), bits(&b.state.q), "{name}: q of articulation {i:?}");
        assert_eq!(bits(&a.state.v), bits(&b.state.v), "{name}: v of articulation {i:?}");
    }
    assert_eq!(a.articulations().count(), b.articulations().count(), "{name}");
    assert_eq!(a.constraints().count(), b.constraints().count(), "{name}");
    assert_eq!(a.colliders().count(), b.colliders().count(), "{name}");
}

/// Both move the same for some steps, and are looked at from the same places.
fn check(name: &str, mut stage: Stage, mut again: Stage, steps: usize, dt: f64) {
    let cameras = |stage: &Stage| stage.gaze.as_ref().map(|gaze| [0.0, 0.7, 3.1].map(|t| gaze.cameras(t)));
    assert_eq!(cameras(&stage), cameras(&again), "{name}");
    assert_eq!(stage.world.budget(), again.world.budget(), "{name}");
    assert_eq!(&stage.script.schedule, &again.script.schedule, "{name}");
    assert_eq!((&stage.shapes, stage.walls.len()), (&again.shapes, again.walls.len()), "{name}");
    assert_eq!(
        (stage.step_length(None).0, stage.seconds),
        (again.step_length(None).0, again.seconds),
        "{name}"
    );
    assert_eq!(stage.world.settings, again.world.settings, "{name}");
    // equal models are one, as are their weights and looks
    let shared = |stage: &Stage| {
        let Some((_, first)) = stage.first() else { return (0, 0) };
        let looks = |body: &Simulation| body.looks().map(Arc::as_ptr);
        let models = stage.articulations().filter(|body| Arc::ptr_eq(&body.model, &first.model));
        (models.count(), stage.articulations().filter(|body| looks(body) == looks(first)).count())
    };
    assert_eq!(shared(&stage), shared(&again), "{name}");
    assert_same_worlds(name, &stage.world, &again.world);
    for step in 0..steps {
        let (a, b) = (stage.step(dt), again.step(dt));
        assert_eq!(a.is_ok(), b.is_ok(), "{name}: step {step}");
    }
    assert_same_worlds(name, &stage.world, &again.world);
    assert_same_bodies(name, stage.articulations(), again.articulations());
}

/// Steps that a scene is run for: as many as its drive needs to act, few where steps take long.
fn steps_of(stage: &Stage) -> (usize, f64) {
    let joints: usize = stage.articulations().map(|body| body.model.moving_joints()).sum();
    let dt = 1.0 / 120.0;
    match joints {
        0..200 => (240, dt),
        200..2_000 => (80, dt),
        _ => (30, 1.0 / 60.0),
    }
}

#[test]
fn crowds_move_as_their_files_do() {
    for scene in crowds_and_worlds().0 {
        let stage = || scene.build(&scene.small()).unwrap();
        let (steps, dt) = steps_of(&stage());
        check(scene.name, stage(), again(scene.name, &stage(), Syntax::Json), steps, dt);
    }
}

/// Heavy ones for a few steps only.
fn world_steps(name: &str) -> usize {
    match name {
        "ragdolls-1000" => 2,
        "ragdolls-100" | "net-boxes" | "skeletons" => 10,
        "rings" | "net" | "bridge-rings" | "bridge-blocks" | "bridge-people" | "card-house" | "tank"
        | "treads" => 40,
        _ => 150,
    }
}

#[test]
fn worlds_move_as_their_files_do() {
    for scene in crowds_and_worlds().1 {
        let stage = || scene.build(&scene.small()).unwrap();
        let dt = stage().step_length(None).0;
        check(scene.name, stage(), again(scene.name, &stage(), Syntax::Json), world_steps(scene.name), dt);
    }
}

/// Forces that come late, other parameters, and TOML.
#[test]
fn toml_and_json_are_the_same_scene() {
    let set = |mut parameters: Parameters, settings: &[(&str, &str)]| {
        settings.iter().for_each(|(key, value)| parameters.set(key, value).unwrap());
        parameters
    };
    for (name, settings, steps) in [
        ("pendulum-300", &[("forces", "7")][..], 50),
        ("whip", &[("links", "40"), ("active", "10")], 100),
        ("tree-wind", &[("joints", "200"), ("active", "50"), ("leaves", "30")], 150),
        ("crowd-200", &[("characters", "5"), ("joints", "60")], 60),
        ("crowd-200", &[("characters", "4"), ("joints", "60"), ("budget", "world")], 60),
        ("crowd-50000", &[("characters", "9"), ("budget", "40")], 200),
        ("dogs-100", &[("dogs", "3")], 120),
        ("dog-puppet", &[], 120),
        ("chain3d", &[("joints", "universal"), ("links", "8")], 30),
        ("tree", &[("floating", "true"), ("speed", "3")], 30),
    ] {
        let scene = find(name).unwrap();
        let stage = || scene.build(&set(scene.parameters(), settings)).unwrap();
        let toml = again(name, &stage(), Syntax::Toml);
        check(name, stage(), toml.clone(), steps, 1.0 / 60.0);
        // and once more, from the file
        assert_eq!(print_stage(name, &toml).unwrap(), print_stage(name, &stage()).unwrap());
    }
    for (name, settings, steps) in [
        ("tank", &[("drive", "refrigerator")][..], 30),
        ("blocked", &[("stabilize", "post")], 20),
        ("blocked", &[], 20),
        ("stewart", &[], 100),
        ("structure-drag", &[], 60),
        ("plate", &[], 60),
        ("bridge", &[("planks", "5")], 300),
        ("falling-character", &[("active", "6")], 60),
        ("net-boxes", &[("cells", "5"), ("boxes", "1")], 200),
        ("bone", &[], 20),
        ("hoop", &[], 20),
        ("magnets", &[], 100),
        ("joints", &[], 60),
    ] {
        let Ok(scene) = find(name) else { continue };
        let stage = || scene.build(&set(scene.parameters(), settings)).unwrap();
        let (toml, dt) = (again(name, &stage(), Syntax::Toml), stage().step_length(None).0);
        assert_eq!(print_stage(name, &toml).unwrap(), print_stage(name, &stage()).unwrap(), "{name}");
        check(name, stage(), toml, steps, dt);
    }
}

/// What is a program cannot be printed, and the error says so.
#[test]
fn programs_are_refused() {
    let mut pendulum = stage("pendulum", &[]).unwrap();
    pendulum.script.drive = Some(supple_scenes::Drive::new(|_, _| {}));
    assert!(print_stage("x", &pendulum).unwrap_err().to_string().contains("Drive::told"));
    pendulum.script.drive = None;
    pendulum.gaze = Some(supple_scenes::Gaze::new(|_| Vec::new()));
    assert!(print_stage("x", &pendulum).unwrap_err().to_string().contains("Gaze::told"));
    let mut world = stage("magnets", &[]).unwrap();
    world.script.director = Some(Box::new(|_: &mut World, _: f64| Ok(())));
    assert!(print_stage("x", &world).unwrap_err().to_string().contains("Cues"));
}

/// A file may name a scene of the gallery.
#[test]
fn files_may_name_scenes() {
    let text = "format = \"supple-scene\"\nversion = 1\nscene = \"pendulum\"\n[set]\nlinks = 7\n";
    let file = open_text("short.toml", text, Syntax::Toml).unwrap();
    let same = stage("pendulum", &[("links", "7")]).unwrap();
    assert_eq!(file.first().unwrap().1.state, same.first().unwrap().1.state);
}

/// Without gravity a character used to have one of -0, and was printed so.
#[test]
fn no_gravity_is_printed_as_zero() {
    for name in ["humanoid", "humanoid-detailed", "pendulum", "falling-character"] {
        let gravity = print_stage(name, &stage(name, &[]).unwrap()).unwrap().gravity;
        assert!(gravity.iter().all(|x| x.to_bits() != (-0.0f64).to_bits()), "{name}: {gravity:?}");
    }
}

/// Bodies of several figures share names; trajectories tell them apart as their file does.
#[test]
fn names_of_printed_worlds_are_unique() {
    for name in ["figures-joined", "bridge", "plate"] {
        let stage = find(name).unwrap().build(&find(name).unwrap().small()).unwrap();
        let file = print_stage(name, &stage).unwrap();
        let joints: Vec<_> = file.joints.iter().map(|joint| &joint.name).collect();
        let bodies: Vec<_> = file.bodies.iter().map(|body| &body.name).collect();
        for names in [joints, bodies] {
            let mut own: Vec<_> = names.iter().filter(|name| !name.is_empty()).collect();
            let all = own.len();
            own.sort();
            own.dedup();
            assert_eq!(own.len(), all, "{name}");
        }
    }
}
