//! MJCF: the models in `models` are what MuJoCo makes of them (`reference.py` wrote its numbers); what is not
//! supported is named.

mod common;

use std::collections::BTreeMap;
use std::path::Path;

use common::{accelerations, models, relative_error};
use serde::Deserialize;
use supple::dynamics::BodyState;
use supple::dynamics::actuator::Drives;
use supple::dynamics::integrate::Loads;
use supple::{Actuator, JointKind};
use supple_io::{IoError, JointState, LoadOptions, Loaded, StateByName, load, load_mjcf_str};

/// Rounding, and MuJoCo's own principal axes, which it stops refining at 1e-12.
const TOLERANCE: f64 = 2e-11;
/// MuJoCo also goes through the principal axes of each mesh, which it stops turning at 1.4e-6 rad; the closed form
/// of a box in `mesh.rs` is met to rounding.
const MESH_TOLERANCE: f64 = 1e-8;

#[derive(Deserialize)]
struct Reference {
    gravity: [f64; 3],
    bodies: BTreeMap<String, ReferenceBody>,
    joints: BTreeMap<String, ReferenceJoint>,
    actuators: Option<ReferenceActuators>,
}

#[derive(Deserialize)]
struct ReferenceActuators {
    control: BTreeMap<String, f64>,
    force: BTreeMap<String, f64>,
    tau: Vec<f64>,
}

#[derive(Deserialize)]
struct ReferenceBody {
    mass: f64,
    com: [f64; 3],
    inertia: [f64; 6],
}

#[derive(Deserialize)]
struct ReferenceJoint {
    stiffness: f64,
    damping: f64,
    armature: f64,
    friction: f64,
    range: Option<[f64; 2]>,
    q: Vec<f64>,
    qd: Vec<f64>,
    tau: Vec<f64>,
    qdd: Vec<f64>,
}

fn compare(name: &str, tolerance: f64) {
    let loaded = load(models().join(format!("{name}.xml")), &LoadOptions::default()).unwrap();
    let text = std::fs::read_to_string(models().join(format!("{name}.json"))).unwrap();
    let reference: Reference = serde_json::from_str(&text).unwrap();
    assert_eq!(loaded.name, name);
    assert_eq!(loaded.gravity.to_array(), reference.gravity);

    // bodies: the world is one more
    assert_eq!(loaded.model.bodies().len(), reference.bodies.len() + 1);
    for (body, expected) in &reference.bodies {
        let got = loaded.model.bodies()[loaded.model.body(body).expect(body).index()].inertia;
        let what = format!("{body}: {got:?}");
        assert!(
            (got.mass - expected.mass).abs() <= tolerance * expected.mass,
            "{what}, expected {}",
            expected.mass
        );
        assert!(
            (got.com() - glam::DVec3::from_array(expected.com)).length() < tolerance,
            "{what}, expected {:?}",
            expected.com
        );
        let error = relative_error(&got.inertia_com().to_array(), &expected.inertia);
        assert!(error < tolerance, "{body}: {:?}, expected {:?}", got.inertia_com(), expected.inertia);
    }

    // joints, and accelerations at a random state
    let mut state = StateByName::default();
    for (name, joint) in &reference.joints {
        let named = loaded.joint(name).unwrap();
        let dof = loaded.model.dofs()[named.v.start];
        let close =
            |a: f64, b: f64| assert!((a - b).abs() <= tolerance * b.abs(), "{name}: {a}, expected {b}");
        close(dof.stiffness, joint.stiffness);
        close(dof.damping, joint.damping);
        close(dof.armature, joint.armature);
        close(dof.friction, joint.friction);
        if let (Some(limit), Some([lower, upper])) = (dof.limit, joint.range) {
            close(limit.lower + named.zero, lower);
            close(limit.upper + named.zero, upper);
        } else {
            assert_eq!(dof.limit.is_some(), joint.range.is_some(), "{name}");
        }
        let given =
            JointState { q: Some(joint.q.clone()), qd: Some(joint.qd.clone()), tau: Some(joint.tau.clone()) };
        state.joints.insert(name.clone(), given);
    }
    assert_eq!(loaded.joints.len(), reference.joints.len());
    let qdd = accelerations(&loaded, &state.of(&loaded).unwrap());
    let expected: Vec<f64> =
        loaded.joints.iter().flat_map(|j| reference.joints[&j.name].qdd.clone()).collect();
    let error = relative_error(&qdd, &expected);
    assert!(error < tolerance, "{error:e}: {qdd:?}, expected {expected:?}");
}

/// Actuators push as MuJoCo's do: kinds, gears, ranges, classes.
#[test]
fn actuators_push_as_in_mujoco() {
    compare("actuators", TOLERANCE);
    let loaded = load(models().join("actuators.xml"), &LoadOptions::default()).unwrap();
    let text = std::fs::read_to_string(models().join("actuators.json")).unwrap();
    let reference: Reference = serde_json::from_str(&text).unwrap();
    let expected = reference.actuators.unwrap();
    assert_eq!(loaded.actuators.len(), expected.control.len());
    let mut state = StateByName::default();
    for (name, joint) in &reference.joints {
        let given = JointState { q: Some(joint.q.clone()), qd: Some(joint.qd.clone()), tau: None };
        state.joints.insert(name.clone(), given);
    }
    let state = state.of(&loaded).unwrap();
    let mut simulation = loaded.simulation();
    for actuator in &mut simulation.actuators {
        actuator.control = expected.control[&actuator.name];
    }
    let tau = |actuators: &[Actuator]| {
        let gravity = simulation.gravity;
        let loads = Loads { gravity, actuators, ..Loads::default() };
        let mut drives = Drives::default();
        let body = BodyState { model: &loaded.model, tree: loaded.model.tree(), q: &state.q, v: &state.v };
        drives.set(&body, &loads);
        let force = |dof: usize| drives.at(dof).map_or(0.0, |d| d.joint_force(state.v[dof], 0.0));
        (0..loaded.model.nv()).map(force).collect::<Vec<f64>>()
    };
    // one by one first, so that a failure names the actuator; a joint's limit cuts what it feels
    for actuator in &simulation.actuators {
        let dof = loaded.model.joints()[actuator.joint.index()].v + actuator.axis;
        let mut felt = actuator.gear * expected.force[&actuator.name];
        if actuator.name == "stiff" {
            felt = felt.clamp(-12.0, 15.0);
        }
        let got = tau(std::slice::from_ref(actuator))[dof];
        assert!((got - felt).abs() < TOLERANCE * 100.0, "{}: {got}, expected {felt}", actuator.name);
    }
    let all = tau(&simulation.actuators);
    assert!(relative_error(&all, &expected.tau) < TOLERANCE, "{all:?}, expected {:?}", expected.tau);
}

/// What cannot be driven is named, and the rest is.
#[test]
fn other_actuators_are_warnings_that_name_them() {
    let world = r#"<worldbody><body name="b"><joint name="j"/><geom size="1"/><site name="s"/>
        <body><joint name="ball" type="ball"/><geom size="1"/></body></body></worldbody>
        <tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon>"#;
    for (actuator, words) in [
        (r#"<muscle name="m" joint="j"/>"#, ["<muscle \"m\"> (line 3)", "kind <muscle>"]),
        (r#"<damper name="m" joint="j" kv="1" ctrlrange="0 1"/>"#, ["<damper \"m\">", "kind <damper>"]),
        (r#"<mover name="m" joint="j"/>"#, ["<mover \"m\">", "kind <mover>"]),
        (r#"<motor name="m" tendon="t"/>"#, ["<motor \"m\">", "through a tendon"]),
        (r#"<motor name="m" site="s"/>"#, ["<motor \"m\">", "through a site"]),
        (r#"<motor name="m" joint="ball"/>"#, ["<motor \"m\">", "spherical joints"]),
        (r#"<position name="m" joint="j" timeconst="0.1"/>"#, ["<position \"m\">", "state of their own"]),
        (r#"<general name="m" joint="j" dyntype="filter"/>"#, ["<general \"m\">", "state of their own"]),
        (r#"<general name="m" joint="j" gaintype="affine"/>"#, ["<general \"m\">", "fixed gains"]),
        (
            r#"<general name="m" joint="j" biastype="affine" biasprm="0 1"/>"#,
            ["<general \"m\">", "push away"],
        ),
        (r#"<position name="m" joint="j" inheritrange="1"/>"#, ["<position \"m\">", "joint with limits"]),
        (r#"<motor name="m" joint="j" gaer="2"/>"#, ["\"gaer\" of <motor \"m\">", "not known"]),
    ] {
        let xml =
            format!("<mujoco>{world}<actuator>{actuator}<motor name='good' joint='j'/></actuator></mujoco>");
        let loaded = load_mjcf_str(&xml, None, &LoadOptions::default()).unwrap();
        let text = loaded.warnings.iter().map(|w| format!("{w}\n")).collect::<String>();
        for word in words {
            assert!(text.contains(word), "{word} not in\n{text}");
        }
        let read = loaded.actuators.iter().map(|a| a.name.as_str()).collect::<Vec<_>>();
        assert_eq!(read, if actuator.contains("gaer") { vec!["m", "good"] } else { vec!["good"] });
    }
}

/// Flags and groups switch actuators off, or their control ranges; servos pull to zero until told otherwise.
#[test]
fn actuators_can_be_switched_off() {
    let model = |option: &str| {
        let xml = format!(
            "<mujoco>{option}<worldbody><body name='b'><joint name='j' axis='0 0 1'/><geom size='0.1'/></body></worldbody>
            <actuator><position name='p' joint='j' kp='50' kv='10' group='2' ctrlrange='-1 1'/><motor name='m' joint='j'/>
            </actuator></mujoco>"
        );
        load_mjcf_str(&xml, None, &LoadOptions::default()).unwrap()
    };
    let names = |loaded: &Loaded| loaded.actuators.iter().map(|a| a.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&model("")), ["p", "m"]);
    assert!(model("<option><flag actuation='disable'/></option>").actuators.is_empty());
    assert_eq!(names(&model("<option actuatorgroupdisable='1 2'/>")), ["m"]);
    let unclamped = model("<option><flag clampctrl='disable'/></option>");
    assert_eq!(unclamped.actuators[0].control_range, None);
    let strict = model("<compiler autolimits='false'/>");
    assert_eq!(strict.actuators[0].control_range, None);
    assert!(strict.warnings.iter().any(|w| w.message.contains("ctrlrange without ctrllimited")));

    let mut simulation = model("").simulation();
    simulation.state.q[0] = 0.5;
    for _ in 0..600 {
        simulation.step(1.0 / 60.0).unwrap();
    }
    assert!(simulation.state.q[0].abs() < 1e-9, "{}", simulation.state.q[0]);
}

#[test]
fn shapes_have_mujocos_inertia() {
    compare("shapes", TOLERANCE);
}

#[test]
fn classes_and_frames_are_folded_as_in_mujoco() {
    compare("classes", TOLERANCE);
}

#[test]
fn joints_move_as_in_mujoco() {
    compare("joints", TOLERANCE);
}

#[test]
fn bounds_are_applied_as_in_mujoco() {
    compare("bounds", TOLERANCE);
}

#[test]
fn meshes_have_mujocos_inertia() {
    compare("meshes", MESH_TOLERANCE);
}

#[test]
fn spring_dampers_have_mujocos_stiffness() {
    compare("springs", TOLERANCE);
}

fn read(worldbody: &str) -> Loaded {
    load_mjcf_str(
        &format!("<mujoco><worldbody>{worldbody}</worldbody></mujoco>"),
        None,
        &LoadOptions::default(),
    )
    .unwrap()
}

/// Several joints of a body are one joint of the model, single joints are plain ones.
#[test]
fn joints_become_one_joint_per_body() {
    let loaded = load(models().join("joints.xml"), &LoadOptions::default()).unwrap();
    let kind = |body: &str| loaded.model.joints()[loaded.model.body(body).unwrap().index()].kind.word();
    assert_eq!(
        ["world", "arm", "fist", "body3", "tip", "ball", "post"].map(kind),
        ["fixed", "compound", "spherical", "compound", "fixed", "free", "fixed"]
    );
    // springs rest at springref, counted from ref: 25° − 15°
    assert!((loaded.model.rest()[1] - 10f64.to_radians()).abs() < 1e-15);
    assert_eq!(loaded.model.joints()[1].name, "arm");
    let simple = read(r#"<body name="b"><joint name="h"/><geom size="1"/></body>"#);
    assert_eq!(simple.model.joints()[1].name, "h");
    assert!(matches!(simple.model.joints()[1].kind, JointKind::Revolute { .. }));
}

#[test]
fn a_floating_base_frees_the_root_that_carries_joints() {
    let xml = r#"<mujoco><worldbody><body name="post"/><body name="root" pos="0 0 1"><geom size="1"/>
        <body name="leg"><joint/><geom size="1"/></body></body></worldbody></mujoco>"#;
    let fixed = load_mjcf_str(xml, None, &LoadOptions::default()).unwrap();
    let free = load_mjcf_str(xml, None, &LoadOptions { floating_base: true, ..Default::default() }).unwrap();
    assert_eq!((fixed.model.nv(), free.model.nv()), (1, 7));
    assert_eq!(free.joints[0].name, "root");
    assert_eq!(free.q[2], 1.0);
}

#[test]
fn flags_switch_effects_off() {
    let xml = r#"<mujoco><option gravity="0 0 -5"><flag gravity="disable" spring="disable" damper="disable" limit="disable"
        frictionloss="disable"/></option><worldbody><body><joint stiffness="1" damping="1" frictionloss="1"
        range="-9 9"/><geom size="1"/></body></worldbody></mujoco>"#;
    let loaded = load_mjcf_str(xml, None, &LoadOptions::default()).unwrap();
    let dof = loaded.model.dofs()[0];
    assert_eq!(loaded.gravity.length(), 0.0);
    assert_eq!((dof.stiffness, dof.damping, dof.friction, dof.limit), (0.0, 0.0, 0.0, None));
}

/// What is left out without harm is a warning; forces that are missing are errors unless they do not count.
#[test]
fn missing_forces_are_errors_unless_ignored() {
    let body = r#"<body name="b"><joint name="j"/><geom size="1"/></body>"#;
    let bare = LoadOptions { ignore_forces: true, ..Default::default() };
    for (head, worldbody, words) in [
        (r#"<option density="1.2"/>"#, body.to_owned(), "fluid density"),
        (r#"<option viscosity="1"/>"#, body.to_owned(), "fluid viscosity"),
        (r#"<option wind="1 0 0"/>"#, body.to_owned(), "wind"),
        ("", body.replace("<body", r#"<body gravcomp="1""#), "gravity compensation"),
        ("", body.replace("<joint", r#"<joint damping="1 2""#), "nonlinear damping"),
        (
            r#"<default><tendon stiffness="3"/></default><tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon>"#,
            body.to_owned(),
            "tendon stiffness",
        ),
    ] {
        let xml = format!("<mujoco>{head}<worldbody>{worldbody}</worldbody></mujoco>");
        let error = load_mjcf_str(&xml, None, &LoadOptions::default()).unwrap_err();
        assert!(matches!(error, IoError::Unsupported { .. }), "{error}");
        assert!(error.to_string().contains(words), "{words}: {error}");
        let loaded = load_mjcf_str(&xml, None, &bare).unwrap();
        assert!(loaded.warnings.iter().any(|w| w.message.contains(words)), "{:?}", loaded.warnings);
    }
}

#[test]
fn what_does_not_change_the_bare_motion_is_a_warning() {
    let xml = r#"<mujoco><visual><map znear="1"/></visual><statistic extent="1"/><size njmax="1"/><custom/><keyframe/>
        <contact><exclude body1="b" body2="world"/></contact>
        <worldbody><light/><camera/><site/><body name="b"><joint name="j" dampping="1"/><geom size="1"/></body></worldbody>
        <equality><tendon name="w" tendon1="t"/></equality><tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon>
        <actuator><motor joint="j"/><cylinder joint="j"/></actuator><sensor><gyro site="s"/></sensor></mujoco>"#;
    let loaded = load_mjcf_str(xml, None, &LoadOptions::default()).unwrap();
    let text = loaded.warnings.iter().map(|w| format!("{w}\n")).collect::<String>();
    for words in [
        "<tendon \"w\">",
        "equality constraints",
        "tendons are left out",
        "kind <cylinder>",
        "1 sensors",
        "\"dampping\" of <joint \"j\"> (line 3): attribute is not known",
    ] {
        assert!(text.contains(words), "{words} not in\n{text}");
    }
    assert_eq!(loaded.warnings.len(), 5, "{text}");
}

#[test]
fn bad_files_say_what_is_wrong() {
    let body = r#"<body name="b"><joint name="j"/><geom name="g" size="1"/></body>"#;
    let world = |inside: &str| format!("<mujoco><worldbody>{inside}</worldbody></mujoco>");
    let with = |head: &str| format!("<mujoco>{head}<worldbody>{body}</worldbody></mujoco>");
    let geom = |geom: &str| world(&body.replace(r#"size="1""#, geom));
    for (xml, words) in [
        (world(""), ["<worldbody>", "any <body>"]),
        ("<mujoco>".into(), ["not well-formed XML", ""]),
        (with("<worldbdy/>"), ["<worldbdy>", "not known"]),
        (with("<compiler eulerseq=\"xyzx\"/>"), ["eulerseq", "three of x, y, z"]),
        (with("<compiler angle=\"grad\"/>"), ["angle", "one of degree, radian"]),
        (with("<compiler coordinate=\"global\"/>"), ["coordinate", "local coordinates"]),
        (with("<compiler alignfree=\"true\"/>"), ["alignfree", "not supported"]),
        (with("<option gravity=\"0 0\"/>"), ["gravity", "3 numbers, found 2"]),
        (with("<option><flag gravity=\"no\"/></option>"), ["gravity", "enable or disable"]),
        (with("<default><default/></default>"), ["<default>", "\"class\""]),
        (with("<deformable><flex name=\"f\"/></deformable>"), ["<flex \"f\">", "rigid bodies only"]),
        (with("<tendon><spatial name=\"t\" armature=\"1\"/></tendon>"), ["<spatial \"t\">", "armature"]),
        (with("<include file=\"x.xml\"/>"), ["<include>", "x.xml"]),
        (with("<actuator><motor name=\"m\"/></actuator>"), ["<motor \"m\">", "\"joint\""]),
        (with("<actuator><motor joint=\"k\"/></actuator>"), ["moving joint \"k\"", "which has j"]),
        (with("<actuator><position joint=\"j\" kp=\"-1\"/></actuator>"), ["kp", "not negative"]),
        (with("<actuator><motor joint=\"j\" gear=\"inf\"/></actuator>"), ["gear", "finite"]),
        (
            with("<actuator><motor joint=\"j\" ctrllimited=\"yes\"/></actuator>"),
            ["ctrllimited", "true, false, auto"],
        ),
        (
            with("<actuator><motor joint=\"j\" ctrllimited=\"true\"/></actuator>"),
            ["ctrlrange", "above the first"],
        ),
        (with("<actuator><motor joint=\"j\" class=\"c\"/></actuator>"), ["default class \"c\"", "<motor>"]),
        (
            world(&body.replace("<joint", "<joint class=\"c\"")),
            ["default class \"c\"", "<joint \"j\"> (line 1)"],
        ),
        (
            world(&body.replace("<joint", "<joint type=\"gear\"")),
            ["<joint \"j\">", "hinge, slide, ball, free"],
        ),
        (world(&body.replace("<joint", "<joint axis=\"0 0 0\"")), ["\"j\"", "axis is zero"]),
        (
            world(&body.replace("<joint", "<joint armature=\"-1\"")),
            ["\"j\"", "armature must not be negative"],
        ),
        (world(&body.replace("<joint", "<joint range=\"3 1\"")), ["\"j\"", "above upper"]),
        (world(&body.replace("<joint", "<joint damping=\"nan\"")), ["<joint \"j\">", "damping"]),
        (world(&body.replace("<joint", "<jiont")), ["<jiont \"j\">", "not known"]),
        (world(&format!("{body}{body}")), ["body \"b\"", "twice"]),
        (world(&body.replace("<joint", "<joint/><joint type=\"free\"")), ["\"j\"", "only joint"]),
        (world(&body.replace("<joint", "<composite/><joint")), ["<composite>", "write the bodies out"]),
        (world(&body.replace("<joint", "<replicate/><joint")), ["<replicate>", "write the bodies out"]),
        (world(&body.replace("<joint", "<frame><joint/></frame><joint")), ["<joint>", "<frame>"]),
        (world(&body.replace("<geom", "<inertial mass=\"1\"/><geom")), ["<inertial>", "\"pos\""]),
        (geom(""), ["<geom \"g\">", "1 positive sizes [m]"]),
        (geom("size=\"-1\""), ["<geom \"g\">", "size is \"-1\""]),
        (geom("size=\"1\" mass=\"-1\""), ["<geom \"g\">", "negative mass"]),
        (geom("size=\"1\" group=\"1.5\""), ["<geom \"g\">", "whole number"]),
        (geom("type=\"blob\""), ["<geom \"g\">", "sphere"]),
        (geom("type=\"mesh\" mesh=\"m\""), ["mesh \"m\"", "used by <geom \"g\">"]),
        (geom("type=\"mesh\""), ["<geom \"g\">", "\"mesh\""]),
        (geom("fromto=\"0 0 0 1 0 0\""), ["<geom \"g\">", "since fromto is given"]),
        (geom("type=\"box\" size=\"1\" fromto=\"0 0 0 0 0 0\""), ["<geom \"g\">", "two points apart"]),
        (geom("size=\"1\" quat=\"1 0 0 0\" euler=\"0 0 0\""), ["<geom \"g\">", "quat alone"]),
        (geom("size=\"1\" shellinertia=\"true\""), ["<geom \"g\">", "shellinertia"]),
        (geom("size=\"1\" mass=\"0\""), ["\"b\"", "give the last bodies mass"]),
        (
            geom("type=\"mesh\" mesh=\"m\"")
                .replace("<worldbody>", "<asset><mesh name=\"m\" file=\"m.stl\"/></asset><worldbody>"),
            ["<mesh \"m\">", "m.stl"],
        ),
    ] {
        let message = load_mjcf_str(&xml, None, &LoadOptions::default()).expect_err(&xml).to_string();
        for word in words {
            assert!(message.contains(word), "{word:?} not in {message:?}\n{xml}");
        }
    }
}

/// A folder of its own that goes away with the test.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("supple-io-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        self
    }

    fn load(&self, name: &str) -> Result<Loaded, IoError> {
        load(self.0.join(name), &LoadOptions::default())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn files_are_included_once() {
    let folder = Folder::new("include");
    folder
        .write("main.xml", "<mujoco><include file='parts/a.xml'/><worldbody><include file='parts/b.xml'/></worldbody></mujoco>")
        .write("parts/a.xml", "<mujocoinclude><include file='c.xml'/></mujocoinclude>")
        .write("parts/c.xml", "<mujocoinclude><option gravity='0 0 -3'/></mujocoinclude>")
        .write("parts/b.xml", "<mujocoinclude><body name='b'><joint name='j'/><geom size='1'/></body></mujocoinclude>");
    let loaded = folder.load("main.xml").unwrap();
    assert_eq!(loaded.gravity.z, -3.0);
    assert_eq!(loaded.joints[0].name, "j");

    folder.write("parts/c.xml", "<mujocoinclude><include file='parts/a.xml'/></mujocoinclude>");
    let message = folder.load("main.xml").unwrap_err().to_string();
    assert!(message.contains("included already") && message.contains("main.xml"), "{message}");
    folder.write("parts/c.xml", "<mujocoinclude>");
    let message = folder.load("main.xml").unwrap_err().to_string();
    assert!(message.contains("c.xml: not well-formed XML"), "{message}");
    folder.write("parts/c.xml", "<mujocoinclude><include file='d.xml'/></mujocoinclude>");
    assert!(folder.load("main.xml").unwrap_err().to_string().contains("no such file"));
}

/// A tetrahedron in each format that is read; 0.4 · 0.3 · 0.5 / 6 m³ of water.
#[test]
fn mesh_files_are_read() {
    let vertices: [[f32; 3]; 4] = [[0.0; 3], [0.4, 0.0, 0.0], [0.0, 0.3, 0.0], [0.0, 0.0, 0.5]];
    let faces: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let mut stl = vec![0u8; 80];
    stl.extend(4u32.to_le_bytes());
    for face in faces {
        stl.extend([0u8; 12]);
        stl.extend(face.iter().flat_map(|&v| vertices[v as usize]).flat_map(f32::to_le_bytes));
        stl.extend([0u8; 2]);
    }
    let mut msh = Vec::new();
    for count in [4i32, 0, 0, 4] {
        msh.extend(count.to_le_bytes());
    }
    msh.extend(vertices.iter().flatten().flat_map(|x| x.to_le_bytes()));
    msh.extend(faces.iter().flatten().flat_map(|i| i.to_le_bytes()));
    let obj = "v 0 0 0\nv 0.4 0 0\nv 0 0.3 0\nv 0 0 0.5\nf 1 3 2\nf 1/1/1 2/1/1 4/1/1\nf 1 4 3\nf 2 3 4\n";
    let folder = Folder::new("mesh");
    folder.write("meshes/t.stl", &stl).write("meshes/t.msh", &msh).write("meshes/t.obj", obj);
    folder.write("meshes/bad.stl", &stl[..200]).write("meshes/t.ply", "ply");
    let model = |file: &str| {
        format!(
            "<mujoco><compiler meshdir='meshes'/><asset><mesh file='{file}'/></asset><worldbody><body name='b'><joint/>
            <geom type='mesh' mesh='{}'/></body></worldbody></mujoco>",
            Path::new(file).file_stem().unwrap().to_str().unwrap()
        )
    };
    for file in ["t.stl", "t.msh", "t.obj"] {
        folder.write("main.xml", model(file));
        let mass = folder.load("main.xml").unwrap().model.bodies()[1].inertia.mass;
        assert!((mass - 10.0).abs() < 1e-6, "{file}: {mass}");
    }
    for (file, words) in [("bad.stl", "not a binary STL"), ("t.ply", "not read"), ("no.stl", "No such file")]
    {
        folder.write("main.xml", model(file));
        let message = folder.load("main.xml").unwrap_err().to_string();
        assert!(message.contains(words) && message.contains("<mesh"), "{message}");
    }
}

/// The deepest file that is read fits on the stack of a test thread, and a deeper one is refused.
#[test]
fn deep_nesting_is_read_or_refused() {
    let chain = |n: usize| {
        let body = "<body pos='0.1 0 0'><joint axis='0 1 0'/><geom size='0.1'/>";
        format!("<mujoco><worldbody>{}{}</worldbody></mujoco>", body.repeat(n), "</body>".repeat(n))
    };
    let loaded = load_mjcf_str(&chain(490), None, &LoadOptions::default()).unwrap();
    assert_eq!(loaded.model.nv(), 490);
    for n in [600, 100_000] {
        let error = load_mjcf_str(&chain(n), None, &LoadOptions::default()).unwrap_err();
        assert!(matches!(error, IoError::TooMany { .. }), "{error}");
    }
}
