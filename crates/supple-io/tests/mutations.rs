//! Broken inputs: no panic, no hang, and an error that says something.
//!
//! Seeds are good files of every format. Each input is one of them with a few random wounds: flipped bytes, words
//! deleted, doubled or swapped, numbers replaced, tags exchanged, tails cut off. `SUPPLE_MUTATIONS` sets how many inputs
//! are tried (`make soak` takes a million), `SUPPLE_SEED` where the random numbers begin.

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use common::{accelerations, cases, every_joint, models};
use supple_io::{IoError, LoadOptions, StateByName, load_bytes, load_urdf_str};

/// Inputs tried unless `SUPPLE_MUTATIONS` says otherwise.
const INPUTS: u64 = 100_000;
/// Longest that any input may take, on a busy machine.
const LONGEST: Duration = Duration::from_secs(1);
/// Seeds larger than this take too long to be tried thousands of times \[bytes].
const LARGEST_SEED: usize = 20_000;

const STATE: &str = r#"{"joints": {"waist": {"q": [0.1], "qd": [0.2], "tau": [0]}, "wag": {"q": [0, 0, 0, 1]}},
 "wrenches": {"arm": [0, 0, 1, 0.5, 0, 0]}, "gravity": [0, 0, -9.81], "floating_base": false, "passive": true}"#;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Below `n`; 0 for an empty range.
    fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { (self.next() % n as u64) as usize }
    }

    fn pick<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }
}

const NUMBERS: [&str; 16] = [
    "NaN",
    "inf",
    "-inf",
    "1e308",
    "-1e308",
    "1e-320",
    "1e999",
    "-1",
    "0",
    "",
    "-0",
    "4294967296",
    "1e20",
    "0x10",
    "1 2 3",
    "99999999999999999999",
];
const TAGS: [&str; 24] = [
    "body",
    "joint",
    "geom",
    "inertial",
    "frame",
    "freejoint",
    "include",
    "default",
    "compiler",
    "option",
    "worldbody",
    "mujoco",
    "robot",
    "link",
    "mesh",
    "asset",
    "tendon",
    "origin",
    "limit",
    "mass",
    "inertia",
    "parent",
    "child",
    "axis",
];

/// Where words (names, numbers, marks) begin and end.
fn words(text: &[u8]) -> Vec<(usize, usize)> {
    let mut list = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let word = |b: u8| b.is_ascii_alphanumeric() || b"._-+".contains(&b);
        let mut end = at + 1;
        if word(text[at]) {
            while end < text.len() && word(text[end]) {
                end += 1;
            }
        }
        if !text[at].is_ascii_whitespace() {
            list.push((at, end));
        }
        at = end;
    }
    list
}

fn replace(text: &mut Vec<u8>, (from, to): (usize, usize), with: &[u8]) {
    text.splice(from..to, with.iter().copied());
}

/// One wound.
fn wound(text: &mut Vec<u8>, random: &mut Random) {
    let words = words(text);
    if words.is_empty() {
        text.extend(b"<");
        return;
    }
    let word = words[random.below(words.len())];
    let content = text[word.0..word.1].to_vec();
    match random.below(14) {
        0 => {
            let at = random.below(text.len());
            text[at] ^= 1 << random.below(8);
        }
        1 => {
            let at = random.below(text.len());
            text[at] = random.next() as u8;
        }
        2 => replace(text, word, b""),
        3 => replace(text, word, &[content.as_slice(), b" ", &content].concat()),
        4..=6 => {
            // a number
            let numbers: Vec<_> =
                words.iter().filter(|w| text[w.0].is_ascii_digit() || text[w.0] == b'-').collect();
            if !numbers.is_empty() {
                let number = *numbers[random.below(numbers.len())];
                replace(text, number, random.pick(&NUMBERS).as_bytes());
            }
        }
        7 => {
            let tags: Vec<_> = words.iter().filter(|w| w.0 > 0 && b"</".contains(&text[w.0 - 1])).collect();
            if !tags.is_empty() {
                let tag = *tags[random.below(tags.len())];
                replace(text, tag, random.pick(&TAGS).as_bytes());
            }
        }
        8 => {
            // a piece of the text once more, elsewhere
            let from = random.below(text.len());
            let piece = text[from..(from + random.below(400)).min(text.len())].to_vec();
            let at = random.below(text.len());
            replace(text, (at, at), &piece);
        }
        9 => {
            let from = random.below(text.len());
            let to = (from + random.below(200)).min(text.len());
            replace(text, (from, to), b"");
        }
        10..=12 => {
            // a line lost, doubled, or put elsewhere: files have about one element per line
            let mut lines: Vec<Vec<u8>> = text.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
            let line = lines[random.below(lines.len())].clone();
            let at = random.below(lines.len());
            match random.below(3) {
                0 => drop(lines.remove(at)),
                1 => lines.insert(at, line),
                _ => lines[at] = line,
            }
            *text = lines.join(&b'\n');
        }
        _ => {
            let other = words[random.below(words.len())];
            let swapped = text[other.0..other.1].to_vec();
            replace(text, word, &swapped);
            if random.below(20) == 0 {
                text.truncate(random.below(text.len() + 1));
            }
        }
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = vec![STATE.as_bytes().to_vec()];
    let mut files: Vec<_> = std::fs::read_dir(models()).unwrap().map(|f| f.unwrap().path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "xml" || e == "urdf"));
    files.extend(cases());
    files.push(every_joint());
    files.sort();
    for file in files {
        let bytes = std::fs::read(&file).unwrap();
        if bytes.len() <= LARGEST_SEED {
            load_bytes(&bytes, &LoadOptions::default()).unwrap();
            seeds.push(bytes);
        }
    }
    assert!(seeds.len() >= 10, "{}", seeds.len());
    seeds
}

/// Reads the input as whatever it looks like; a model that can be made must also move.
fn read(bytes: &[u8], options: &LoadOptions) -> Result<(), IoError> {
    let loaded = load_bytes(bytes, options)?;
    assert_eq!((loaded.q.len(), loaded.v.len()), (loaded.model.nq(), loaded.model.nv()));
    let last = loaded.joints.last().map_or(0, |j| j.v.end);
    assert_eq!(last, loaded.model.nv());
    accelerations(&loaded, &StateByName::default().of(&loaded)?);
    Ok(())
}

fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|v| v.parse().ok())
}

#[test]
fn broken_inputs_are_errors_and_nothing_else() {
    let count = variable("SUPPLE_MUTATIONS").unwrap_or(INPUTS);
    let first = variable("SUPPLE_SEED").unwrap_or(1);
    let seeds = seeds();
    let robot = std::fs::read_to_string(models().join("robot.urdf")).unwrap();
    let robot = load_urdf_str(&robot, &LoadOptions::default()).unwrap();
    let (mut fine, mut slowest) = (0u64, Duration::ZERO);
    for i in 0..count {
        let mut random = Random(first.wrapping_mul(1 << 40).wrapping_add(i));
        let which = random.below(seeds.len());
        let mut input = seeds[which].clone();
        for _ in 0..=random.below(3) {
            wound(&mut input, &mut random);
        }
        let options =
            LoadOptions { floating_base: i % 2 == 0, ignore_forces: i % 4 < 2, ..Default::default() };
        let begin = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(|| match which {
            0 => String::from_utf8(input.clone())
                .map_err(|e| IoError::NotUtf8 { at: e.utf8_error().valid_up_to() })
                .and_then(|json| StateByName::parse(&json)?.of(&robot).map(drop)),
            _ => read(&input, &options),
        }));
        let took = begin.elapsed();
        slowest = slowest.max(took);
        let show = || format!("seed {first}, input {i}:\n{}", String::from_utf8_lossy(&input));
        match result {
            Ok(Ok(())) => fine += 1,
            Ok(Err(error)) => assert!(error.to_string().len() > 10, "empty error for {}", show()),
            Err(_) => panic!("panicked on {}", show()),
        }
        assert!(took < LONGEST, "{took:?} for {}", show());
    }
    println!("{count} inputs, {fine} still fine, slowest {slowest:?}");
    // most wounds matter, some do not: otherwise the mutator is too weak or too strong
    assert!(count < 1000 || (count / 50..count / 2).contains(&fine), "{fine} of {count} still fine");
}
