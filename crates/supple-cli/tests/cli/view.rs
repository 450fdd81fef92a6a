use serde_json::Value;

use crate::supple::{json, keys_in_order, supple};

fn number(row: &Value, key: &str) -> f64 {
    row[key].as_f64().unwrap_or_else(|| panic!("{key}: {row}"))
}

/// Who looks away, or allows more pixels, needs fewer joints.
#[test]
fn runs_spend_joints_where_somebody_looks() {
    let active = |more: &[&str]| {
        let args = ["run", "pendulum-20", "--seconds", "1", "--dt", "1/60", "--json"];
        let summary = json(&[&args, more].concat());
        assert_eq!((summary["joints"].as_u64(), summary["finite"].as_bool()), (Some(19), Some(true)));
        number(&summary, "active_mean")
    };
    assert_eq!(active(&[]), 19.0);
    for visibility in ["spheres", "obb", "aabb", "item-buffer"] {
        let few = active(&["--pixels", "5", "--visibility", visibility]);
        assert!((1.0..17.0).contains(&few), "{visibility}: {few}");
        let fewer = active(&["--pixels", "100", "--visibility", visibility]);
        assert!(fewer < few, "{visibility}: {fewer} {few}");
    }
    let away = active(&["--pixels", "5", "--camera", "0,0,4:0,0,9"]);
    let two = active(&["--pixels", "5", "--camera", "0,0,4:0,0,9", "--camera", "0,-1,4:0,-1,0"]);
    // what is not seen keeps some joints, so that it is not found frozen
    assert!((1.0..10.0).contains(&away) && two > away + 2.0, "{away} {two}");
    // a smaller image has fewer pixels to be wrong
    assert!(active(&["--pixels", "5", "--viewport", "64x48"]) < active(&["--pixels", "5"]));
}

/// Steps that are checked have no more pixels wrong than allowed, or all joints.
#[test]
fn checked_runs_tell_what_differs() {
    let args =
        ["run", "pendulum-20", "--seconds", "1", "--dt", "1/60", "--pixels", "100", "--check", "6", "--json"];
    let summary = json(&args);
    let checks = &summary["checks"];
    assert!(number(checks, "refined") > 0.0, "{summary}");
    assert!(number(checks, "static_max") <= 6.0 || number(checks, "full") > 0.0, "{summary}");
    assert!(number(checks, "dynamic") >= number(checks, "static_max"), "{summary}");
    let unchecked =
        json(&["run", "pendulum-20", "--seconds", "0.1", "--dt", "1/60", "--pixels", "100", "--json"]);
    assert!(unchecked["checks"].is_null(), "{unchecked}");
}

/// Worlds are looked at too.
#[test]
fn worlds_spend_joints_where_somebody_looks() {
    let summary = json(&["run", "falling-character", "--seconds", "0.3", "--pixels", "30", "--json"]);
    assert!(summary["finite"].as_bool().unwrap(), "{summary}");
}

#[test]
fn bench_view_has_times_beside_pixels() {
    let text = supple(&[
        "bench",
        "view",
        "--scene",
        "pendulum-20",
        "--visibility",
        "obb,item-buffer",
        "--pixels",
        "3,100",
        "--distance",
        "4,16",
        "--seconds",
        "1",
        "--json",
    ]);
    let keys = [
        "scene",
        "visibility",
        "epsilon",
        "distance",
        "active_mean",
        "ns",
        "visibility_ns",
        "full_ns",
        "pixels_p95",
    ];
    keys_in_order(&text, &keys);
    let report: Value = serde_json::from_str(&text).unwrap();
    let rows = report["rows"].as_array().unwrap();
    // two distances, two ways to see, two errors
    assert_eq!(rows.len(), 8);
    for row in rows {
        assert_eq!(row["scene"], "pendulum-20");
        for key in ["ns", "visibility_ns", "full_ns", "aba_ns", "dca_ns", "distance"] {
            assert!(number(row, key) > 0.0, "{key}: {row}");
        }
        assert!(number(row, "visibility_ns") < number(row, "ns"), "{row}");
        assert!(number(row, "active_mean") <= 19.0, "{row}");
        assert!(number(row, "pixels_p95") <= number(row, "pixels_max"), "{row}");
        assert!(number(row, "dynamic") >= number(row, "pixels_max"), "{row}");
    }
    for errors in rows.chunks(2) {
        assert!(number(&errors[1], "active_mean") < number(&errors[0], "active_mean"), "{errors:?}");
    }
}

/// A crowd with a budget instead of an error, and without a comparison.
#[test]
fn bench_view_takes_the_scene_s_budget() {
    let scene = ["bench", "view", "--scene", "crowd-50000", "--set", "characters=30", "--set", "budget=200"];
    let more = ["--budget", "--uncompared", "--visibility", "spheres", "--seconds", "0.2", "--json"];
    let report = json(&[&scene[..], &more].concat());
    let row = &report["rows"][0];
    assert!(row["epsilon"].is_null() && row["pixels_p95"].is_null(), "{row}");
    assert!(number(row, "active_mean") <= 200.0 && number(row, "joints") == 870.0, "{row}");
}

/// Single bodies have the time of divide and conquer beside that of a step, as the paper's table does.
#[test]
fn bench_view_prints_divide_and_conquer() {
    let scene = [
        "bench",
        "view",
        "--scene",
        "pendulum-20",
        "--pixels",
        "3",
        "--visibility",
        "obb",
        "--seconds",
        "0.1",
    ];
    let told = supple(&[&scene[..], &["--uncompared"]].concat());
    let heading = told.lines().find(|line| line.contains("full µs")).unwrap();
    assert!(heading.contains("DCA µs"), "{told}");
    let row = told.lines().find(|line| line.contains("pendulum-20")).unwrap();
    assert_eq!(row.split_whitespace().count(), 11, "{told}");
}
