//! Worlds: single bodies, articulations with loops, constraints.

use serde_json::Value;

use crate::run::FIELDS;
use crate::run::{numbers, table};
use crate::supple::{arg, call, file, json, keys_in_order, scratch, supple};

/// A crank, a rod and a rocker, closed by a pin; `gap` is how far its two sides are apart at first \[m].
fn linkage(name: &str, gap: &str) -> std::path::PathBuf {
    let text = format!(
        r#"<mujoco model="linkage"><worldbody>
        <body name="crank"><joint name="crank" axis="0 1 0" ref="10"/><geom type="capsule" size="0.02" fromto="0 0 0 0 0 0.3"/>
          <body name="coupler" pos="0 0 0.3"><joint name="coupler" axis="0 1 0"/>
            <geom type="capsule" size="0.02" fromto="0 0 0 0.6 0 0.15"/><site name="tip" pos="0.6 0 0.15"/></body></body>
        <body name="rocker" pos="0.5 0 0"><joint name="rocker" axis="0 1 0"/>
          <geom type="capsule" size="0.02" fromto="0 0 0 0.1 0 0.45"/><site name="top" pos="0.1 0 {gap}"/></body>
        </worldbody><equality><connect name="pin" site1="tip" site2="top"/></equality></mujoco>"#
    );
    file(name, &text)
}

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("{key}: {value}"))
}

#[test]
fn the_summary_of_a_world_has_its_fields() {
    let args = ["run", "pendulum-constraints", "--set", "links=5", "--seconds", "0.5", "--json"];
    let text = supple(&args);
    keys_in_order(&text, &FIELDS);
    let summary: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(summary.as_object().unwrap().len(), FIELDS.len());
    assert_eq!(summary["dt_from"], "scene");
    let whole = |key: &str| summary[key].as_u64();
    assert_eq!([whole("bodies"), whole("constraints"), whole("islands")], [Some(5), Some(5), Some(1)]);
    // the scene's own step
    assert_eq!((whole("steps"), whole("articulations"), whole("unsolved")), (Some(120), Some(0), Some(0)));
    assert!(number(&summary, "gap_max") <= 1e-6 && number(&summary, "gap_end") <= 1e-6, "{summary}");
    assert!(number(&summary, "ns_worst") >= number(&summary, "ns_mean") && number(&summary, "ns_mean") > 0.0);
    assert!(summary["momentum_end"]["linear"][2].as_f64().unwrap() < -1.0, "{summary}");
    let text = supple(&args[..args.len() - 1]);
    for word in
        ["5 single bodies", "5 constraints in 1 island", "gap", "angle", "unsolved", "angular momentum"]
    {
        assert!(text.contains(word), "{word}: {text}");
    }
}

#[test]
fn solvers_are_chosen() {
    let run = |more: &[&str]| {
        let scene = ["run", "pendulum-constraints", "--set", "links=4", "--seconds", "0.25", "--json"];
        json(&[&scene[..], more].concat())
    };
    let together = run(&[]);
    let sweeps = run(&["--solver", "sweeps", "--sweeps", "15"]);
    let displacement = run(&["--solver", "displacement", "--iterations", "3x20"]);
    assert_eq!(together["solver"], "together");
    assert_eq!(
        (&sweeps["solver"], &displacement["solver"]),
        (&"sweeps-15".into(), &"displacement-3x20".into())
    );
    for summary in [&sweeps, &displacement] {
        assert!(number(summary, "gap_max") < 1e-2, "{summary}");
    }
}

#[test]
fn a_trajectory_has_poses_energies_and_gaps() {
    let (csv, npz) = (scratch("world.csv"), scratch("world.npz"));
    let (svg, report) = (scratch("world.svg"), scratch("world-steps.csv"));
    let scene = ["run", "pendulum-constraints", "--seconds", "0.5", "--dt", "1/100", "--every", "10"];
    supple(&[&scene[..], &["--out", arg(&csv), "--plot", arg(&svg), "--report", arg(&report)]].concat());
    supple(&[&scene[..], &["--out", arg(&npz)]].concat());
    let (header, rows) = table(&csv);
    let column =
        |name: &str| header.iter().position(|h| h == name).unwrap_or_else(|| panic!("{name}: {header:?}"));
    assert_eq!((rows.len(), header.len()), (6, 1 + 2 * 7 + 7));
    let first = &rows[0];
    let at_first = ["rod 0.x", "rod 0.z", "rod 1.x", "rod 1.qw", "gap_max"].map(|name| first[column(name)]);
    assert_eq!(at_first, [0.5, 0.0, 1.5, 1.0, 0.0]);
    for row in &rows {
        let [qx, qy, qz, qw] = ["qx", "qy", "qz", "qw"].map(|part| row[column(&format!("rod 1.{part}"))]);
        assert!((qx * qx + qy * qy + qz * qz + qw * qw - 1.0).abs() < 1e-9);
        let total = row[column("kinetic")] + row[column("potential")];
        assert!((total - row[column("total")]).abs() < 1e-9 && row[column("gap_max")] < 1e-6);
        // the rod turns about the origin
        let (x, z) = (row[column("rod 0.x")], row[column("rod 0.z")]);
        assert!((x.hypot(z) - 0.5).abs() < 1e-6);
    }
    let (shape, bodies) = numbers(&npz, "bodies");
    assert_eq!(shape, [6, 2, 7]);
    assert_eq!(bodies[..14], rows[0][1..15]);
    assert_eq!(numbers(&npz, "gap_max").0, [6]);
    let svg = std::fs::read_to_string(&svg).unwrap();
    assert!(svg.contains("gap of joints [m]") && svg.contains("energy [J]"), "no such labels");
    let (header, rows) = table(&report);
    assert!(header.iter().any(|name| name == "gap_max") && rows.len() == 50, "{header:?}");
}

/// Worlds used to leave out how many joints were active.
#[test]
fn reports_tell_active_joints_of_how_many() {
    let report = scratch("world-active.csv");
    let scene = ["run", "falling-character", "--seconds", "0.2", "--active", "6", "--json"];
    let summary = json(&[&scene[..], &["--report", arg(&report)]].concat());
    let (header, rows) = table(&report);
    let column =
        |name: &str| header.iter().position(|h| h == name).unwrap_or_else(|| panic!("{name}: {header:?}"));
    let [active, joints] = ["active", "joints"].map(column);
    assert!(
        rows.iter().all(|row| row[joints] == number(&summary, "joints") && row[joints] > 20.0),
        "{summary}"
    );
    assert!(rows.iter().all(|row| row[active] > 0.0 && row[active] < row[joints]), "{rows:?}");
    let mean = rows.iter().map(|row| row[active]).sum::<f64>() / rows.len() as f64;
    assert!((mean - number(&summary, "active_mean")).abs() < 1e-9, "{summary}");
    // the same names as where nothing touches
    let report = scratch("crowd-active.csv");
    supple(&["run", "pendulum-300", "--active", "20", "--seconds", "0.01", "--report", arg(&report)]);
    let (header, rows) = table(&report);
    let place = header.iter().position(|h| h == "active").unwrap();
    assert_eq!((header[place + 1].as_str(), rows[0][place + 1]), ("joints", 300.0));
    // single bodies have none
    let summary = json(&["run", "pendulum-constraints", "--seconds", "0.05", "--json"]);
    assert_eq!((number(&summary, "joints"), number(&summary, "active_mean")), (0.0, 0.0));
}

#[test]
fn a_file_with_a_loop_is_a_world() {
    let (path, csv) = (linkage("linkage.xml", "0.45"), scratch("linkage.csv"));
    let outcome = call(&["run", arg(&path), "--dt", "1e-3", "--seconds", "1", "--out", arg(&csv), "--json"]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert!(!outcome.stderr.contains("equality") && !outcome.stderr.contains("left out"), "{outcome:?}");
    let summary: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!((summary["articulations"].as_u64(), summary["constraints"].as_u64()), (Some(1), Some(1)));
    assert_eq!(summary["steps"].as_u64(), Some(1000));
    assert!(number(&summary, "gap_max") <= 1e-6 && summary["unsolved"] == 0, "{summary}");
    let (header, _) = table(&csv);
    let names = ["time", "q.crank", "q.coupler", "q.rocker", "v.crank", "v.coupler", "v.rocker"];
    assert_eq!(header[..7], names);
    // what is for articulations is for this one
    let few = json(&[
        "run",
        arg(&path),
        "--seconds",
        "0.1",
        "--dt",
        "1/240",
        "--integrator",
        "semi-implicit",
        "--json",
    ]);
    assert!(number(&few, "gap_max") <= 1e-6, "{few}");
    json(&["run", arg(&path), "--seconds", "0.1", "--active", "3", "--json"]);
    let few = json(&["run", arg(&path), "--seconds", "0.1", "--budget", "2", "--json"]);
    assert!(number(&few, "active_mean") <= 2.0, "{few}");
    // without a world they do not act, and that is told
    let outcome = call(&["dynamics", arg(&path), "--json"]);
    assert!(outcome.stderr.contains("1 loops"), "{outcome:?}");
}

#[test]
fn a_world_is_written_as_the_peers_read_it() {
    let path = scratch("exported.json");
    let told = json(&["export", "pendulum-constraints", "--set", "links=3", "--out", arg(&path), "--json"]);
    assert_eq!((told["bodies"].as_u64(), told["joints"].as_u64()), (Some(3), Some(3)));
    let world: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!((&world["name"], world["seconds"].as_f64()), (&"pendulum-constraints".into(), Some(5.0)));
    assert_eq!(world["gravity"], serde_json::json!([0.0, 0.0, -9.81]));
    let (bodies, joints) = (&world["bodies"], &world["joints"]);
    assert_eq!((&bodies[2]["name"], bodies[2]["mass"].as_f64()), (&"rod 2".into(), Some(1.0)));
    assert_eq!(bodies[2]["position"], serde_json::json!([2.5, 0.0, 0.0]));
    assert_eq!(bodies[0]["inertia"].as_array().unwrap().len(), 6);
    assert_eq!((&joints[0]["kind"], joints[0]["parent"].as_i64()), (&"hinge".into(), Some(-1)));
    assert_eq!((joints[2]["parent"].as_i64(), joints[2]["child"].as_i64()), (Some(1), Some(2)));
    assert_eq!(joints[1]["child_frame"]["position"], serde_json::json!([-0.5, 0.0, 0.0]));
    assert_eq!(joints[1]["collide"], false);
    for empty in ["articulations", "shapes", "colliders", "ignored"] {
        assert_eq!(world[empty], serde_json::json!([]), "{empty}");
    }
}

#[test]
fn articulations_are_written_as_cases() {
    let path = scratch("exported-linkage.json");
    let told = json(&["export", arg(&linkage("export.xml", "0.45")), "--out", arg(&path), "--json"]);
    assert_eq!((told["bodies"].as_u64(), told["articulations"].as_u64()), (Some(0), Some(1)));
    let world: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let (case, pin) = (&world["articulations"][0]["case"], &world["joints"][0]);
    assert_eq!(world["articulations"][0]["first"], 0);
    let names: Vec<_> =
        case["bodies"].as_array().unwrap().iter().map(|b| b["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["world", "crank", "coupler", "rocker"]);
    assert_eq!(case["expected"]["body_pos_quat"].as_array().unwrap().len(), 4);
    // the pin joins bodies by their numbers in the file
    assert_eq!(
        (pin["kind"].as_str(), pin["parent"].as_i64(), pin["child"].as_i64()),
        (Some("ball"), Some(2), Some(3))
    );
}

#[test]
fn a_linkage_that_is_open_is_closed() {
    let (path, pose) = (linkage("open.xml", "0.52"), scratch("pose.json"));
    let report = json(&["assemble", arg(&path), "--out", arg(&pose), "--json"]);
    let errors: Vec<f64> = report["errors"].as_array().unwrap().iter().map(|e| e.as_f64().unwrap()).collect();
    assert_eq!(report["solved"], true);
    assert!((errors[0] - 0.07).abs() < 1e-9 && errors.last().unwrap() <= &1e-9, "{errors:?}");
    assert_eq!(report["inner"].as_array().unwrap().len() + 1, errors.len());
    let pose: Value = serde_json::from_str(&std::fs::read_to_string(&pose).unwrap()).unwrap();
    assert_eq!(pose["bodies"], serde_json::json!(["world", "crank", "coupler", "rocker"]));
    assert_eq!(pose["body_pos_quat"].as_array().unwrap().len(), 4);
    // positions as the file counts them: 10 degrees at first
    let crank = pose["joints"]["crank"]["q"][0].as_f64().unwrap();
    assert!((crank - 10f64.to_radians()).abs() < 0.3 && crank != 10f64.to_radians(), "{crank}");
    let text = supple(&["assemble", arg(&path), "--out", arg(&scratch("again.json"))]);
    assert!(text.contains("greatest error") && text.contains("0.07"), "{text}");

    // one iteration is too few for so small an error; a pin out of reach can never be closed
    let few = call(&["assemble", arg(&path), "--out", arg(&scratch("few.json")), "--outer", "1"]);
    assert!(few.code == Some(5) && few.stderr.contains("--outer"), "{few:?}");
    let far = call(&["assemble", arg(&linkage("far.xml", "5")), "--out", arg(&scratch("far.json"))]);
    assert!(far.code == Some(5) && far.stderr.contains("apart") && !far.stdout.is_empty(), "{far:?}");

    let world = scratch("assembled.json");
    assert_eq!(json(&["assemble", "pendulum-constraints", "--out", arg(&world), "--json"])["solved"], true);
    let world: Value = serde_json::from_str(&std::fs::read_to_string(&world).unwrap()).unwrap();
    assert_eq!(world["joints"].as_array().unwrap().len(), 2);
}

#[test]
fn bench_constraints_has_the_rows_of_the_peers() {
    let args = ["bench", "constraints", "--scene", "pendulum-constraints", "--seconds", "1", "--json"];
    let report = json(&args);
    let row = &report["rows"][0];
    assert_eq!((&row["scene"], &row["engine"]), (&"pendulum-constraints".into(), &"supple".into()));
    for key in ["dt", "mean_ns", "worst_ns", "ns_per_240th", "gap_max", "gap_rest"] {
        assert!(number(row, key) > 0.0, "{key}: {row}");
    }
    assert!(number(row, "gap_max") < 1e-6 && number(row, "gap_rest") <= number(row, "gap_max"), "{row}");
    assert!(number(row, "height") < 0.0 && number(row, "energy_change").abs() < 0.5, "{row}");
    let sweeps = json(&[&args[..], &["--solver", "sweeps", "--dt", "1/100", "--rounds", "2"]].concat());
    assert_eq!(sweeps["rows"][0]["engine"], "supple-sweeps-9");
    assert!(
        supple(&["bench", "constraints", "--scene", "pendulum-constraints", "--seconds", "0.1"])
            .contains("rest")
    );
}

/// Constraints that contradict, in every step, used to end with exit code 0.
#[test]
fn constraints_that_are_not_met_are_told() {
    let path = file(
        "contradict.toml",
        "format = \"supple-scene\"\nversion = 1\nkind = \"world\"\ndt = 0.01\nseconds = 0.2\n\
         bodies = [{ name = \"rod\", mass = 1, inertia = [0.1, 0, 0, 0.1, 0, 0.1] }]\n\
         joints = [{ kind = \"ball\", parent = -1, child = 0 },\n\
         { kind = \"ball\", parent = -1, child = 0, parent_frame = { position = [0, 0, 1] } }]\n",
    );
    let outcome = call(&["run", arg(&path), "--json"]);
    let summary: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!((outcome.code, &summary["ended"]), (Some(5), &"unsolved".into()), "{outcome:?}");
    assert!(number(&summary, "unsolved") > 10.0 && outcome.stderr.contains("were not met"), "{outcome:?}");
    // the accuracy of the others is what was asked for
    let summary = json(&["run", "structure-drag", "--seconds", "1", "--json"]);
    assert!(summary["ended"] == "done" && number(&summary, "unsolved") > 10.0, "{summary}");
}

/// Bodies that moved and rest again had no momentum at either end.
#[test]
fn momenta_are_told_at_most() {
    let told = supple(&["run", "falling-character", "--seconds", "0.1"]);
    assert!(told.contains(" at most"), "{told}");
    let summary = json(&["run", "falling-character", "--seconds", "0.1", "--json"]);
    let most = summary["momentum_max"][0].as_f64().unwrap();
    let end = summary["momentum_end"]["linear"].as_array().unwrap();
    let end = end.iter().map(|x| x.as_f64().unwrap().powi(2)).sum::<f64>().sqrt();
    assert!(most >= end && end > 10.0, "{summary}");
}
