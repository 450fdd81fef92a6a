//! Worlds whose bodies touch.

use serde_json::Value;

use crate::run::table;
use crate::supple::{arg, failure, json, scratch, supple};

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("{key}: {value}"))
}

#[test]
fn a_run_tells_contacts_penetration_sleep_and_where_the_time_went() {
    let (csv, report) = (scratch("stack.csv"), scratch("stack-steps.csv"));
    // one box: whether a stack comes to rest is for the scene's own test to say
    let scene = ["run", "stack-10", "--set", "boxes=1", "--seconds", "3"];
    let text = supple(&[&scene[..], &["--out", arg(&csv), "--report", arg(&report)]].concat());
    for word in ["contacts", "penetration", "asleep", "broad phase", "all of it since"] {
        assert!(text.contains(word), "{word}: {text}");
    }
    let summary = json(&[&scene[..], &["--json"]].concat());
    assert_eq!((summary["asleep"].as_u64(), summary["awake"].as_u64()), (Some(1), Some(0)));
    assert!((0.4..3.0).contains(&number(&summary, "rest_s")), "{summary}");
    assert!(
        number(&summary, "contacts_max") >= 4.0 && number(&summary, "penetration_max") < 0.01,
        "{summary}"
    );
    let parts: f64 = ["broad_s", "narrow_s", "solve_s", "joints_s", "dynamics_s"]
        .map(|part| number(&summary, part))
        .iter()
        .sum();
    assert!(parts > 0.0 && parts <= number(&summary, "wall_s"), "{summary}");

    let (header, rows) = table(&csv);
    let column =
        |name: &str| header.iter().position(|h| h == name).unwrap_or_else(|| panic!("{name}: {header:?}"));
    let last = rows.last().unwrap();
    assert_eq!((last[column("asleep")], rows[0][column("asleep")]), (1.0, 0.0));
    assert!(rows.iter().any(|row| row[column("contacts")] >= 4.0 && row[column("penetration")] >= 0.0));
    let (header, rows) = table(&report);
    for name in [
        "contacts",
        "penetration_max",
        "asleep",
        "awake",
        "broad_s",
        "narrow_s",
        "solve_s",
        "joints_s",
        "dynamics_s",
    ] {
        assert!(header.iter().any(|h| h == name), "{name}: {header:?}");
    }
    assert_eq!(rows.len(), 180);
}

#[test]
fn the_method_is_chosen() {
    let run = |more: &[&str]| json(&[&["run", "stack-10", "--seconds", "0.5", "--json"][..], more].concat());
    assert!(run(&[])["contact_method"].as_str().unwrap().starts_with("warm-"));
    assert_eq!(run(&["--contacts", "levels"])["contact_method"], "levels-9");
    assert_eq!(run(&["--contacts", "warm", "--contact-sweeps", "20"])["contact_method"], "warm-20");
    let awake = json(&["run", "stack-10", "--seconds", "2", "--no-sleep", "--json"]);
    assert_eq!((awake["asleep"].as_u64(), &awake["rest_s"]), (Some(0), &Value::Null));
    assert!(failure(&["run", "stack-10", "--contact-sweeps", "5"]).contains("--contacts"));
    assert!(failure(&["run", "pendulum", "--contacts", "warm"]).contains("--contacts"));
    let message = failure(&["run", "pendulum", "--sweeps", "3"]);
    assert!(message.contains("--sweeps is for scenes whose joints are constraints"), "{message}");
    assert!(failure(&["run", "pendulum", "--no-sleep"]).contains("--no-sleep"));
    assert!(failure(&["run", "pendulum-constraints", "--contacts", "warm"]).contains("colliders"));
}

#[test]
fn bench_contact_has_the_rows_of_the_peers() {
    let args =
        ["bench", "contact", "--scene", "stack-10", "--set", "boxes=1", "--seconds", "2", "--rounds", "2"];
    let report = json(&[&args[..], &["--json"]].concat());
    let row = &report["rows"][0];
    assert_eq!((&row["scene"], &row["engine"]), (&"stack-10".into(), &"supple".into()));
    for key in [
        "mean_ns",
        "mean_moving_ns",
        "mean_resting_ns",
        "worst_ns",
        "cpu_ns",
        "cpu_worst_ns",
        "broad_ns",
        "narrow_ns",
        "solve_ns",
        "joints_ns",
        "dynamics_ns",
        "rest_s",
        "contacts",
        "sweeps",
    ] {
        assert!(number(row, key) > 0.0, "{key}: {row}");
    }
    // one box may lie on the floor without any
    assert!((0.0..1e-4).contains(&number(row, "penetration")), "{row}");
    assert_eq!((number(row, "gap"), number(row, "bodies"), number(row, "asleep")), (0.0, 1.0, 1.0));
    assert!(number(row, "mean_resting_ns") < number(row, "mean_moving_ns"), "{row}");
    assert!(supple(&args).contains("broad/narrow/solve/joints/dynamics"));
    let levels = json(&[&args[..], &["--method", "levels", "--json"]].concat());
    assert_eq!(levels["rows"][0]["engine"], "supple-levels-9");
}

#[test]
fn bench_contact_grows_scenes_and_spends_budgets() {
    let args =
        ["bench", "contact", "--scene", "ragdolls-100", "--set", "count=2", "--seconds", "0.1", "--json"];
    let few = json(&[&args[..], &["--budget", "5"]].concat());
    let row = &few["rows"][0];
    assert_eq!((&row["engine"], number(row, "bodies")), (&"supple-5".into(), 58.0));
    assert!(number(row, "active") <= 5.0, "{row}");
    let args = ["bench", "contact", "--scene", "stack-10", "--scale", "1,2", "--seconds", "0.1", "--json"];
    let grown = json(&args);
    let bodies: Vec<_> = grown["rows"].as_array().unwrap().iter().map(|row| number(row, "bodies")).collect();
    assert_eq!(bodies, [10.0, 20.0]);
    assert!(failure(&["bench", "contact", "--scene", "incline", "--scale", "2"]).contains("--scale"));
    assert!(failure(&["bench", "contact", "--scene", "stack-10", "--budget", "5"]).contains("articulations"));
}

#[test]
fn what_touches_is_written() {
    let path = scratch("stack.json");
    let told = json(&["export", "stack-10", "--out", arg(&path), "--json"]);
    assert_eq!((told["bodies"].as_u64(), told["colliders"].as_u64()), (Some(10), Some(11)));
    let world: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let shape = |i: usize| {
        let number = world["colliders"][i]["shape"].as_u64().unwrap();
        world["shapes"][number as usize]["type"].as_str().unwrap().to_owned()
    };
    assert_eq!((shape(0), shape(1)), ("half-space".to_owned(), "box".to_owned()));
    assert_eq!(
        (world["colliders"][0]["body"].as_i64(), world["colliders"][10]["body"].as_i64()),
        (Some(-1), Some(9))
    );
}
