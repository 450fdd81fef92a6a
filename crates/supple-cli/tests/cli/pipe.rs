use std::process::Stdio;

use crate::supple::command;

/// As `supple … | head -0` would: nobody reads, and that is no error to shout about.
#[test]
fn a_reader_that_leaves_is_no_panic() {
    let case = concat!(env!("CARGO_MANIFEST_DIR"), "/../supple/tests/fixtures/humanoid_floating.json");
    for args in [&["scenes"][..], &["scenes", "--json"], &["dynamics", case, "--json"], &["run", "--help"]] {
        let mut child = command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!stderr.contains("panicked"), "{args:?}: {stderr}");
        assert_eq!(output.status.code(), Some(0), "{args:?}: {stderr}");
    }
}
