//! Runs the binary.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

/// What a call left behind.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The command with these arguments.
pub(crate) fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_supple"));
    command.args(args);
    command
}

/// Runs to the end, however it ends.
pub(crate) fn call(args: &[&str]) -> Outcome {
    let output = command(args).output().expect("the binary starts");
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    let outcome =
        Outcome { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) };
    assert!(!outcome.stderr.contains("panicked"), "{args:?}: {outcome:?}");
    outcome
}

/// Runs and succeeds.
pub(crate) fn supple(args: &[&str]) -> String {
    let outcome = call(args);
    assert_eq!(outcome.code, Some(0), "{args:?}: {outcome:?}");
    outcome.stdout
}

/// Is used wrongly: exit code 2, a message, nothing on stdout.
pub(crate) fn failure(args: &[&str]) -> String {
    failure_of(2, args)
}

/// Runs and fails in order with this exit code: a message, nothing on stdout.
pub(crate) fn failure_of(code: i32, args: &[&str]) -> String {
    let outcome = call(args);
    assert_eq!(outcome.code, Some(code), "{args:?}: {outcome:?}");
    assert_eq!(outcome.stdout, "", "{args:?}");
    assert!(outcome.stderr.contains("error"), "{args:?}: {outcome:?}");
    outcome.stderr
}

/// The one JSON value on stdout.
pub(crate) fn json(args: &[&str]) -> Value {
    let text = supple(args);
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{args:?}: {e}: {text}"))
}

/// Keys of an object as they stand in the text.
pub(crate) fn keys_in_order(object: &str, keys: &[&str]) {
    let places: Vec<_> =
        keys.iter().map(|k| object.find(&format!("\"{k}\":")).unwrap_or_else(|| panic!("{k}"))).collect();
    assert!(places.is_sorted(), "{keys:?} are not in this order");
}

/// A fresh path for a test's file.
pub(crate) fn scratch(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    if path.exists() {
        std::fs::remove_file(&path).expect("old scratch files can be removed");
    }
    path
}

/// The path as an argument.
pub(crate) fn arg(path: &std::path::Path) -> &str {
    path.to_str().expect("paths of tests are UTF-8")
}

/// Writes a scratch file and tells its path.
pub(crate) fn file(name: &str, text: &str) -> PathBuf {
    let path = scratch(name);
    std::fs::write(&path, text).expect("scratch files can be written");
    path
}
