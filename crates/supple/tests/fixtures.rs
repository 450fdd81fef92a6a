//! The golden cases of `tests/fixtures`: another library's answers, to eight digits.

mod common;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use common::{Case, assert_close, assert_near, forward, inverse, mass_matrix};
use glam::{DQuat, DVec3};
use serde_json::Value;
use supple::dynamics::response::Response;
use supple::spatial::Sym3;
use supple::{Axes, Body, BodyId, Force, Joint, JointKind, Load, ModelBuilder, Pose, RigidInertia};

/// The bar of the fixtures' README: they were cross-checked to 1e-9.
const TOLERANCE: f64 = 1e-8;

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|x| x.as_f64().expect("a number")).collect()
}

fn vector(value: &Value) -> DVec3 {
    DVec3::from_slice(&numbers(value))
}

fn rows(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().expect("a list").iter().map(numbers).collect()
}

fn loads(value: &Value) -> Vec<Load> {
    let wrench = |row: &Vec<f64>| Force::from_array(std::array::from_fn(|i| row[i]));
    let load = |(i, row)| Load { body: BodyId::new(i), wrench: wrench(row), axes: Axes::Body };
    rows(value).iter().enumerate().map(load).collect()
}

fn case(json: &Value) -> Case {
    let mut builder = ModelBuilder::new();
    for b in json["bodies"].as_array().expect("bodies") {
        let axis = || vector(&b["joint"]["axis"]);
        let kind = match b["joint"]["type"].as_str().expect("a type") {
            "revolute" => JointKind::Revolute { axis: axis() },
            "prismatic" => JointKind::Prismatic { axis: axis() },
            "spherical" => JointKind::Spherical,
            "free" => JointKind::Free,
            other => panic!("joint type {other}"),
        };
        let quat = DQuat::from_slice(&numbers(&b["placement"]["quat_xyzw"]));
        let moments = numbers(&b["inertia_com"]);
        let inertia = RigidInertia::new(
            b["mass"].as_f64().expect("a mass"),
            vector(&b["com"]),
            Sym3::new(std::array::from_fn(|i| moments[i])),
        );
        let mut body = Body::new(format!("body{}", b["id"]), Joint::new(kind))
            .at(Pose::new(vector(&b["placement"]["pos"]), quat))
            .inertia(inertia);
        if b["parent"].as_i64() != Some(-1) {
            body = body.on(format!("body{}", b["parent"]));
        }
        builder.add(body);
    }
    Case {
        model: Arc::new(builder.finish().expect("a valid model")),
        q: numbers(&json["q"]),
        v: numbers(&json["qd"]),
        tau: numbers(&json["tau"]),
        loads: loads(&json["wrenches"]),
        gravity: vector(&json["gravity"]),
    }
}

fn check(path: &Path) {
    let text = std::fs::read_to_string(path).expect("readable");
    let json: Value = serde_json::from_str(&text).expect("JSON");
    let name = json["name"].as_str().expect("a name");
    let case = case(&json);
    let model = &case.model;
    let expected = &json["expected"];

    let qdd = numbers(&expected["qdd"]);
    assert_close(&format!("{name}: qdd"), &forward(&case), &qdd, TOLERANCE);
    assert_close(
        &format!("{name}: qdd by the simulation"),
        case.simulation().accelerations(),
        &qdd,
        TOLERANCE,
    );
    // forces carry the scale of all that acts, not of τ alone, which is zero in some cases
    let forces: Vec<f64> = case.tau.iter().chain(&mass_matrix(&case).mul(&qdd)).copied().collect();
    let scale = forces.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let error = common::difference(&inverse(&case, &qdd), &case.tau);
    assert!(error <= TOLERANCE * scale, "{name}: τ of qdd is off by {error:.2e} of {scale:.2e} N·m");

    let simulation = case.simulation();
    let kinematics = simulation.kinematics();
    let (mut positions, mut want_positions, mut velocities) = (vec![], vec![], vec![]);
    for (i, want) in expected["body_pos_quat"].as_array().expect("poses").iter().enumerate() {
        let pose = simulation.body_pose(&kinematics, BodyId::new(i));
        positions.extend(pose.translation.to_array());
        want_positions.extend(numbers(&want[0]));
        // twice the vector part is the angle between the two: unlike 1 − cos it sees errors of 1e-8
        let turn = pose.quat() * DQuat::from_slice(&numbers(&want[1])).conjugate();
        let angle = 2.0 * DVec3::new(turn.x, turn.y, turn.z).length();
        assert!(angle <= TOLERANCE, "{name}: body {i} is turned by {angle:.2e} rad");
        velocities.extend(simulation.body_velocity(&kinematics, BodyId::new(i)).to_array());
    }
    assert_close(&format!("{name}: positions"), &positions, &want_positions, TOLERANCE);
    let want: Vec<f64> = rows(&expected["body_velocity"]).concat();
    assert_close(&format!("{name}: velocities"), &velocities, &want, TOLERANCE);

    let kinetic = expected["kinetic_energy"].as_f64().expect("an energy");
    assert_near(&format!("{name}: kinetic energy"), simulation.energy().kinetic, kinetic, TOLERANCE);
    let m = mass_matrix(&case);
    if !expected["mass_matrix"].is_null() {
        assert_close(
            &format!("{name}: mass matrix"),
            &m.entries,
            &rows(&expected["mass_matrix"]).concat(),
            TOLERANCE,
        );
    }

    let impulse = &json["impulse"];
    let mut response = Response::default();
    response.factor(model.tree(), &kinematics, model.armature());
    let wrenches = common::wrenches_of(model, &kinematics, &loads(&impulse["wrenches"]));
    let mut dv = vec![0.0; model.nv()];
    response.apply(model.tree(), &kinematics, wrenches.entries(), &[], &mut dv);
    assert_close(&format!("{name}: impulse"), &dv, &numbers(&impulse["dqd"]), TOLERANCE);

    let hybrid = &json["hybrid"];
    let active = common::all_but(model, &hybrid["rigid_joints"]);
    let frozen = Case { v: numbers(&hybrid["qd"]), ..case.clone() };
    let qdd = common::hybrid_forward(&frozen, &active);
    assert_close(&format!("{name}: hybrid qdd"), &qdd, &numbers(&hybrid["qdd"]), TOLERANCE);

    let stopped = &json["rigidification"];
    let active = common::all_but(model, &stopped["rigid_joints"]);
    let moving = Case { v: numbers(&stopped["qd_before"]), ..case.clone() };
    let v = common::stop(&moving, &active);
    assert_close(&format!("{name}: rigidification"), &v, &numbers(&stopped["qd_after"]), TOLERANCE);
}

fn all() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("the folder").map(|e| e.expect("an entry").path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "json"));
    paths.sort();
    paths
}

#[test]
fn every_golden_case_agrees_to_eight_digits() {
    let paths = all();
    assert!(paths.len() >= 8, "found only {} cases", paths.len());
    paths.iter().for_each(|p| check(p));
}
