use crate::supple::{json, keys_in_order, supple};

#[test]
fn aba_prints_machine_and_rows_with_the_known_checksum() {
    let text = supple(&["bench", "aba", "--links", "10,300", "--json"]);
    keys_in_order(&text, &["bench", "machine", "rows", "links", "ns", "checksum"]);
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["bench"], "aba");
    assert!(report["machine"].as_str().unwrap().contains("core"));
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.iter().map(|r| r["links"].as_u64().unwrap()).collect::<Vec<_>>(), [10, 300]);
    assert!(rows.iter().all(|r| r["ns"].as_f64().unwrap() > 0.0));
    let checksum = rows[1]["checksum"].as_f64().unwrap();
    assert!((checksum - 3.744_113_709).abs() < 1e-8, "{checksum}");
}

#[test]
fn characters_have_the_same_checksum_on_one_thread_and_on_two() {
    let report = json(&["bench", "characters", "--characters", "8", "--json"]);
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 4);
    for integrator in ["semi-implicit", "default"] {
        let checksums: Vec<_> = rows
            .iter()
            .filter(|r| r["integrator"] == integrator)
            .map(|r| r["checksum"].as_f64().unwrap())
            .collect();
        assert_eq!(checksums.len(), 2);
        assert_eq!(checksums[0].to_bits(), checksums[1].to_bits());
    }
}

#[test]
fn integrators_are_told_in_aba_calls() {
    let report = json(&["bench", "integrators", "--json"]);
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), ::supple::Integrator::ALL.len());
    for row in rows {
        assert!(row["aba_calls"].as_f64().unwrap() > 0.0 && row["sweeps"].as_f64().unwrap() >= 1.0, "{row}");
    }
    let euler = rows.iter().find(|r| r["integrator"] == "semi-implicit").unwrap();
    assert_eq!(euler["sweeps"].as_f64(), Some(1.0));
}

#[test]
fn tables_for_people() {
    let text = supple(&["bench", "aba", "--links", "10"]);
    assert!(text.contains("ns/link") && text.contains("checksum"), "{text}");
}

/// The rows of a report, after a look at their keys.
fn rows(args: &[&str], keys: &[&str]) -> Vec<serde_json::Value> {
    let text = supple(args);
    keys_in_order(&text, keys);
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["bench"], args[1]);
    report["rows"].as_array().unwrap().clone()
}

fn number(row: &serde_json::Value, key: &str) -> f64 {
    row[key].as_f64().unwrap_or_else(|| panic!("{key}: {row}"))
}

#[test]
fn table1_has_times_beside_errors() {
    let args = ["bench", "table1", "--active", "1,50,300", "--forces", "1,20", "--rounds", "1", "--json"];
    let keys = ["active", "forces", "ns", "dca_ns", "aba_ns", "tip_error", "default_ns"];
    let rows = rows(&args, &keys);
    let pairs: Vec<_> = rows.iter().map(|r| (number(r, "active"), number(r, "forces"))).collect();
    let expected = [(1.0, 1.0), (50.0, 1.0), (300.0, 1.0), (1.0, 20.0), (50.0, 20.0), (300.0, 20.0)];
    assert_eq!(pairs, expected);
    for of_forces in rows.chunks(3) {
        let [one, some, all] = of_forces else { panic!("three rows") };
        // a rigid pendulum is metres off, 50 joints centimetres, all joints what the integrator is off
        let errors = [one, some, all].map(|r| number(r, "tip_error"));
        assert!(errors[0] > 1.0 && errors[1] < 0.1 && errors[2] < errors[1], "{errors:?}");
        assert!(number(all, "default_tip_error") < 0.1 * errors[2]);
        for key in ["ns", "dca_ns", "aba_ns", "default_ns"] {
            assert!(of_forces.iter().all(|r| number(r, key) > 0.0), "{key}");
        }
    }
    assert!((number(&rows[0], "paper_ratio") - 294.5).abs() < 0.1);
}

#[test]
fn figure5_has_errors_of_one_and_two_seconds() {
    let args = ["bench", "figure5", "--active", "300,20,1", "--rounds", "1", "--json"];
    let rows = rows(&args, &["active", "ns", "error_1s", "error_2s", "energy"]);
    let errors: Vec<_> = rows.iter().map(|r| (number(r, "error_1s"), number(r, "error_2s"))).collect();
    assert!(errors.is_sorted_by(|a, b| a.0 < b.0 && a.1 < b.1), "{errors:?}");
    assert!(errors.iter().all(|(one, two)| one < two));
    // the default integrator gains nothing
    assert!(rows.iter().all(|r| number(r, "energy") < 1e-6), "{rows:?}");
    // theory, section 13.1: a rigid pendulum
    assert!((errors[2].0 - 1.11).abs() < 0.03 && (errors[2].1 - 3.18).abs() < 0.05, "{errors:?}");
}

#[test]
fn figure6_compares_the_rules_with_a_fixed_choice() {
    let args = ["bench", "figure6", "--attach", "30", "--json"];
    let rows = rows(&args, &["rule", "active", "attach", "rms", "max", "energy", "default"]);
    let rules: Vec<_> = rows.iter().map(|r| r["rule"].as_str().unwrap()).collect();
    assert_eq!(rules, ["breadth-first", "tree", "free", "split"]);
    let defaults: Vec<_> = rows.iter().map(|r| r["default"].as_bool().unwrap()).collect();
    assert_eq!(defaults, [false, false, false, true]);
    // theory, section 13.2: a fixed choice of five joints settles 0.189 m off, 4.85 J too high
    assert!((number(&rows[0], "rms") - 0.189).abs() < 0.002, "{}", rows[0]);
    assert!((number(&rows[0], "energy") - 4.85).abs() < 0.05, "{}", rows[0]);
    assert!((number(&rows[0], "max") - 0.280).abs() < 0.002, "{}", rows[0]);
    // nothing lies lower than equilibrium, and the default comes nearer than the fixed choice
    assert!(rows.iter().all(|r| number(r, "energy") > 0.0), "{rows:?}");
    assert!(number(&rows[3], "rms") < 0.3 * number(&rows[0], "rms"), "{rows:?}");
}

#[test]
fn a_crowd_with_a_budget_is_told_beside_the_full_one() {
    let args = [
        "bench",
        "crowd",
        "--characters",
        "6",
        "--budget",
        "30,200",
        "--threads",
        "1,2",
        "--rounds",
        "1",
        "--json",
    ];
    let rows = rows(&args, &["budget", "threads", "ns", "worst_ns", "full_ns", "error"]);
    assert_eq!(rows.len(), 4);
    for row in &rows {
        assert!(number(row, "worst_ns") >= number(row, "ns") && number(row, "full_ns") > 0.0, "{row}");
        assert!(number(row, "active_most") <= number(row, "budget"), "{row}");
    }
    assert!(number(&rows[0], "error") > number(&rows[1], "error"), "{rows:?}");
    // as many threads as one likes give the same motion
    assert_eq!(rows[0]["error"], rows[2]["error"]);
}

#[test]
fn scale_counts_bytes_per_joint() {
    let args = ["bench", "scale", "--links", "300,3000", "--turns", "3", "--json"];
    let rows = rows(&args, &["links", "active", "ns", "bytes_per_joint"]);
    for row in &rows {
        let bytes = number(row, "bytes_per_joint");
        // positions and velocities alone are 16; the bar is 4.5 KB
        assert!((500.0..10_000.0).contains(&bytes), "{row}");
        assert!(number(row, "active") <= 50.0 && number(row, "ns") > 0.0, "{row}");
    }
}
