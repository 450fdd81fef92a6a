//! The net under everything: states of all scenes after some steps have the bits that they had when they were last meant to change.
//!
//! `goldens.txt` beside this file has a row per case, and tells which change came with which repair. `make test` runs the rows marked `test`
//! with one and seven threads, `make goldens` all of them with one, two and seven, optimized and not. `make mint` writes new hashes.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use supple_scenes::live::{Live, Policy};
use supple_scenes::{SceneError, Stage, gallery, open_file, stage};

/// One row of the file.
#[derive(Clone, Debug, PartialEq)]
struct Case {
    /// Whether `make test` has it too.
    quick: bool,
    /// Name of a scene, or path of a scene file from the root of the repository.
    scene: String,
    /// Parameters: `name=value,…`.
    settings: Vec<(String, String)>,
    /// Detail: a policy of `supple view`, as `joints=8`; `scene` is the scene's own.
    detail: Policy,
    steps: usize,
    hash: u64,
}

/// The hash of a row that was never minted.
const NONE: u64 = 0;

fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens.txt")
}

/// Blank lines and lines that begin with `#` are remarks.
fn is_remark(line: &str) -> bool {
    line.trim().is_empty() || line.starts_with('#')
}

impl Case {
    fn read(line: &str) -> Option<Self> {
        let [run, scene, settings, detail, steps, hash] =
            line.split_whitespace().collect::<Vec<_>>().try_into().ok()?;
        let pair = |text: &str| text.split_once('=').map(|(name, value)| (name.into(), value.into()));
        let settings = match settings {
            "-" => Vec::new(),
            list => list.split(',').map(pair).collect::<Option<_>>()?,
        };
        let (policy, value) =
            detail.split_once('=').map_or((detail, None), |(name, v)| (name, v.parse().ok()));
        let hash = if hash == "-" { NONE } else { u64::from_str_radix(hash, 16).ok()? };
        let quick = match run {
            "test" => true,
            "full" => false,
            _ => return None,
        };
        let detail = Policy::parse(policy, value)?;
        Some(Self { quick, scene: scene.into(), settings, detail, steps: steps.parse().ok()?, hash })
    }

    fn write(&self) -> String {
        let run = if self.quick { "test" } else { "full" };
        let settings: Vec<_> = self.settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let settings = if settings.is_empty() { "-".into() } else { settings.join(",") };
        let mut detail = self.detail.name().to_owned();
        if let Some(value) = self.detail.value() {
            write!(detail, "={value}").unwrap();
        }
        format!("{run}  {:<52} {settings:<30} {detail:<12} {:>5}  {:016x}", self.scene, self.steps, self.hash)
    }

    /// What is run, without the result.
    fn name(&self) -> String {
        let row = self.write();
        row[..row.len() - 16].trim_end().into()
    }

    fn open(&self) -> Result<Stage, SceneError> {
        if self.scene.ends_with(".toml") {
            return open_file(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(&self.scene));
        }
        let settings: Vec<_> = self.settings.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        stage(&self.scene, &settings)
    }

    /// The state after the steps. Where pixels count, the camera goes as the scene has it.
    fn run(&self) -> Vec<f64> {
        let fail = |error: &dyn std::fmt::Display| -> ! { panic!("{}: {error}", self.name()) };
        let mut live = Live::new(self.open().unwrap_or_else(|e| fail(&e)));
        live.set_policy(self.detail).unwrap_or_else(|e| fail(&e));
        for _ in 0..self.steps {
            if let (Policy::Pixels(_), Some(camera)) = (self.detail, live.gaze().cameras(live.time()).first())
            {
                live.look(*camera).unwrap_or_else(|e| fail(&e));
            }
            live.step().unwrap_or_else(|e| fail(&e));
        }
        state(&live)
    }
}

/// All that a motion goes on from, actor by actor. The only place that knows where a state is.
fn state(live: &Live) -> Vec<f64> {
    (0..live.cast().actors.len()).flat_map(|actor| live.state(actor)).collect()
}

/// FNV-1a over the bits.
fn hash(state: &[f64]) -> u64 {
    state
        .iter()
        .flat_map(|x| x.to_bits().to_le_bytes())
        .fold(0xcbf2_9ce4_8422_2325, |h, byte| (h ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| !value.is_empty() && value != "0")
}

/// All rows, in their order.
fn cases() -> Vec<Case> {
    let text = std::fs::read_to_string(file()).unwrap();
    let rows = text.lines().filter(|line| !is_remark(line));
    rows.map(|line| Case::read(line).unwrap_or_else(|| panic!("goldens.txt: cannot read {line:?}"))).collect()
}

fn with_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

/// The hash of what a case comes to; says how long it took.
fn timed_hash(case: &Case, threads: usize) -> u64 {
    let start = std::time::Instant::now();
    let got = hash(&with_threads(threads, || case.run()));
    println!("{threads} {} {:.2} s", case.name(), start.elapsed().as_secs_f64());
    got
}

/// Runs the rows with so many threads; fails with those that came out differently.
fn check(threads: usize) {
    let wanted = std::env::var("SUPPLE_GOLDENS").unwrap_or_default();
    let all = wanted == "full";
    let chosen = |case: &Case| case.hash != NONE && (case.quick || all);
    let mut changed = String::new();
    for case in cases().into_iter().filter(chosen) {
        let got = timed_hash(&case, threads);
        if got != case.hash {
            writeln!(changed, "{} instead of {:016x}", Case { hash: got, ..case.clone() }.write(), case.hash)
                .unwrap();
        }
    }
    assert!(
        changed.is_empty(),
        "with {threads} threads states are not what goldens.txt has; if they were meant to change, `make mint` and say why there:\n{changed}"
    );
}

#[test]
fn states_are_the_same_with_one_thread() {
    if is_set("SUPPLE_MINT") { mint() } else { check(1) }
}

#[test]
fn states_are_the_same_with_two_threads() {
    if std::env::var("SUPPLE_GOLDENS").is_ok_and(|v| v == "full") && !is_set("SUPPLE_MINT") {
        check(2);
    }
}

#[test]
fn states_are_the_same_with_seven_threads() {
    if !is_set("SUPPLE_MINT") {
        check(7);
    }
}

/// Writes the hashes anew, and leaves all else in the file as it is.
fn mint() {
    let text = std::fs::read_to_string(file()).unwrap();
    let mut minted = String::new();
    for line in text.lines() {
        match Case::read(line) {
            Some(case) if !is_remark(line) => {
                let case = Case { hash: timed_hash(&case, 1), ..case };
                writeln!(minted, "{}", case.write()).unwrap();
            }
            _ => writeln!(minted, "{line}").unwrap(),
        }
    }
    std::fs::write(file(), minted).unwrap();
}

/// No scene is without a row, and every row has at least ten steps and a hash.
#[test]
fn every_scene_is_there() {
    let cases = cases();
    for name in gallery().iter().map(|s| s.name) {
        for quick in [true, false] {
            let found = cases.iter().any(|case| case.scene == name && (case.quick || !quick));
            assert!(
                found,
                "goldens.txt has no row for {name}{}",
                if quick { " that make test runs" } else { "" }
            );
        }
    }
    for case in &cases {
        assert!(case.steps >= 10, "{}", case.name());
        assert!(is_set("SUPPLE_MINT") || case.hash != NONE, "{}: never minted", case.name());
    }
}
