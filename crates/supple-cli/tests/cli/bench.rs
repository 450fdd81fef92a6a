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
fn a_crowd_has_the_same_checksum_on_one_thread_and_on_two() {
    let report = json(&["bench", "crowd", "--characters", "8", "--json"]);
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
