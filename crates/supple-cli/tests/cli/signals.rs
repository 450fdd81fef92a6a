//! Runs that somebody ends.
#![cfg(unix)]

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::run::numbers;
use crate::supple::{arg, command};

/// An empty folder of a test.
fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    if path.exists() {
        fs::remove_dir_all(&path).expect("old folders can be removed");
    }
    fs::create_dir(&path).expect("folders can be made");
    path
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("it can be read").file_name().into_string().expect("UTF-8"))
        .collect();
    names.sort();
    names
}

/// Waits until files are being written, then ends the run; tells its exit code and its JSON.
fn end(mut child: Child, folder: &Path, files: usize, signal: &str) -> (Option<i32>, Value) {
    let start = Instant::now();
    while names(folder).len() < files {
        assert!(start.elapsed() < Duration::from_secs(60), "the run does not begin: {:?}", names(folder));
        sleep(Duration::from_millis(10));
    }
    sleep(Duration::from_millis(300));
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()), "a signal is sent");
    let mut text = String::new();
    child.stdout.take().expect("it is piped").read_to_string(&mut text).expect("UTF-8");
    let code = child.wait().expect("it ends").code();
    (code, serde_json::from_str(&text).unwrap_or_else(|error| panic!("{code:?} {error}: {text:?}")))
}

fn spawn(args: &[&str]) -> Child {
    command(args).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the binary starts")
}

/// Rows of a table that is whole: none of them cut.
fn rows(path: &Path) -> usize {
    let text = fs::read_to_string(path).expect("it is text");
    assert!(text.ends_with('\n'), "the last line is whole");
    let columns = |line: &str| line.split(',').count();
    let header = columns(text.lines().next().expect("a header"));
    assert!(text.lines().all(|line| columns(line) == header), "{}", path.display());
    text.lines().count() - 1
}

#[test]
fn an_interrupted_run_leaves_whole_files_and_a_summary() {
    let folder = folder("interrupted");
    let at = |name: &str| folder.join(name);
    let [npz, plot, report] = ["m.npz", "m.svg", "m.csv"].map(at);
    fs::write(&npz, "an older file").expect("it can be written");
    let args = ["run", "pendulum", "--set", "links=20", "--seconds", "1e5", "--dt", "1e-3", "--json"];
    let files = ["--out", arg(&npz), "--plot", arg(&plot), "--report", arg(&report)];
    let child = spawn(&[&args[..], &files].concat());
    sleep(Duration::from_millis(300));
    assert_eq!(fs::read(&npz).expect("it is there"), b"an older file", "until the new one is whole");
    // the older file and three in the making
    let (code, summary) = end(child, &folder, 4, "-INT");
    assert_eq!(code, Some(130));
    assert_eq!(names(&folder), ["m.csv", "m.npz", "m.svg"], "nothing else is left");
    let steps = summary["steps"].as_u64().expect("steps are told");
    assert!(steps > 0);
    assert_eq!(numbers(&npz, "time").0, [steps + 1]);
    assert_eq!(rows(&report) as u64, steps);
    assert!(fs::read_to_string(&plot).expect("text").trim_end().ends_with("</svg>"));
}

#[test]
fn a_terminated_world_leaves_whole_files_and_a_summary() {
    let folder = folder("terminated");
    let at = |name: &str| folder.join(name);
    let [csv, video, glb] = ["m.csv", "m.gif", "m.glb"].map(at);
    let args = ["run", "pendulum-constraints", "--set", "links=5", "--seconds", "1e4", "--json"];
    let from = ["--size", "64x48", "--camera", "0,-8,2:0,0,0"];
    let child = spawn(&[&args[..], &from, &["--out", arg(&csv), "--video", arg(&video)]].concat());
    let (code, summary) = end(child, &folder, 2, "-TERM");
    assert_eq!(code, Some(143));
    assert_eq!(names(&folder), ["m.csv", "m.gif"]);
    assert_eq!(rows(&csv) as u64, summary["steps"].as_u64().expect("steps are told") + 1);
    // a GIF ends with its trailer
    assert_eq!(fs::read(&video).expect("it is there").last(), Some(&0x3b));

    let (code, _) = end(spawn(&[&args[..], &["--out", arg(&glb)]].concat()), &folder, 3, "-TERM");
    assert_eq!(code, Some(143));
    let bytes = fs::read(&glb).expect("it is there");
    assert_eq!(u32::from_le_bytes([bytes[8], bytes[9], bytes[10], bytes[11]]) as usize, bytes.len());
}

/// Of videos, whose index stands at their end.
#[cfg(feature = "mp4")]
#[test]
fn an_interrupted_video_plays() {
    let folder = folder("interrupted_video");
    let mp4 = folder.join("m.mp4");
    let args = ["run", "double-pendulum", "--seconds", "1e5", "--dt", "1/60", "--size", "64x48", "--json"];
    let (code, _) = end(spawn(&[&args[..], &["--video", arg(&mp4)]].concat()), &folder, 1, "-INT");
    assert_eq!(code, Some(130));
    let bytes = fs::read(&mp4).expect("it is there");
    assert_eq!(&bytes[4..8], b"ftyp");
    assert!(bytes.windows(4).any(|four| four == b"moov"), "it has its index");
    assert_eq!(names(&folder), ["m.mp4"]);
}
