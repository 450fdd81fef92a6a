//! Videos, animations, pictures.

use std::fs;
use std::path::Path;

use crate::supple::{arg, failure, json, scratch, supple};

/// Width and height of a PNG.
fn size(path: &Path) -> (u32, u32) {
    let bytes = fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n", "{} is a PNG", path.display());
    let number = |at: usize| u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    (number(16), number(20))
}

#[test]
fn a_run_is_filmed_while_it_goes_on() {
    let (gif, glb) = (scratch("film.gif"), scratch("film.glb"));
    let told = supple(&[
        "run",
        "pendulum",
        "--set",
        "links=5",
        "--seconds",
        "0.5",
        "--dt",
        "1/100",
        "--video",
        arg(&gif),
        "--fps",
        "20",
        "--size",
        "64x48",
        "--out",
        arg(&glb),
    ]);
    // frames at 0, 0.05 … 0.5 s, and every second step
    assert!(told.contains("film.gif (11 frames)") && told.contains("film.glb (26 rows)"), "{told}");
    assert_eq!(&fs::read(&gif).unwrap()[..6], b"GIF89a");
    let bytes = fs::read(&glb).unwrap();
    assert_eq!(&bytes[..4], b"glTF");
    assert_eq!(u32::from_le_bytes([bytes[8], bytes[9], bytes[10], bytes[11]]) as usize, bytes.len());
}

#[test]
fn worlds_are_filmed_as_well() {
    let frames = scratch("world_%02d.png");
    let told = supple(&[
        "run",
        "bridge",
        "--seconds",
        "0.2",
        "--video",
        arg(&frames),
        "--fps",
        "10",
        "--size",
        "80x60",
        "--camera",
        "0,-8,2:0,0,0",
        "--colour",
        "activity",
    ]);
    assert!(told.contains("(3 frames)"), "{told}");
    for i in 1..=3 {
        assert_eq!(size(&frames.with_file_name(format!("world_{i:02}.png"))), (80, 60));
    }
}

#[cfg(feature = "mp4")]
#[test]
fn an_mp4_is_one() {
    let mp4 = scratch("film.mp4");
    json(&[
        "run",
        "double-pendulum",
        "--seconds",
        "0.3",
        "--dt",
        "1/100",
        "--video",
        arg(&mp4),
        "--size",
        "64x48",
        "--json",
    ]);
    assert_eq!(&fs::read(&mp4).unwrap()[4..8], b"ftyp");
}

#[test]
fn one_picture_is_taken() {
    let png = scratch("still.png");
    supple(&["picture", "pendulum", "--at", "0.1", "--size", "70x50", "--out", arg(&png)]);
    assert_eq!(size(&png), (70, 50));
}

#[test]
fn what_cannot_be_recorded_says_why() {
    let run = |more: &[&str]| failure(&[&["run", "pendulum", "--seconds", "0.1"], more].concat());
    assert!(run(&["--video", "a.avi"]).contains(".mp4, .gif or .png"));
    let gif = scratch("fast.gif");
    assert!(run(&["--video", arg(&gif), "--fps", "60"]).contains("50 at most"));
    assert!(run(&["--out", "a.xyz"]).contains(".csv, .npz or .glb"));
    assert!(run(&["--video", arg(&gif), "--size", "64"]).contains("640x480"));
    assert!(failure(&["picture", "pendulum", "--out", "a.jpg"]).contains(".png"));
}

/// The page shows one of each.
#[test]
fn every_scene_has_a_thumbnail() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/public/thumbs");
    let list = json(&["scenes", "--json"]);
    for scene in list["scenes"].as_array().unwrap() {
        let name = scene["name"].as_str().unwrap();
        let path = folder.join(format!("{name}.png"));
        assert!(path.exists(), "{name} has no thumbnail: run `make thumbnails`");
        assert_eq!(size(&path), (192, 144), "{name}");
    }
}

/// A crowd of two models used to be taken for one of its first member: animations, pixels and looks ended in a panic each.
#[test]
fn a_crowd_of_two_models_is_run_drawn_and_recorded() {
    let scene = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/scenes/two-models.toml");
    let (glb, gif, png) = (scratch("two.glb"), scratch("two.gif"), scratch("two.png"));
    supple(&["run", scene, "--seconds", "0.1"]);
    let told = supple(&[
        "run",
        scene,
        "--seconds",
        "0.1",
        "--out",
        arg(&glb),
        "--video",
        arg(&gif),
        "--size",
        "64x48",
    ]);
    assert!(told.contains("two.glb") && told.contains("two.gif"), "{told}");
    for visibility in ["spheres", "obb", "aabb", "item-buffer"] {
        for more in [&[][..], &["--check", "100"]] {
            let look = ["--pixels", "5", "--visibility", visibility, "--camera", "0,-8,2:0,0,0"];
            supple(&[&["run", scene, "--seconds", "0.05"], &look[..], more].concat());
        }
    }
    supple(&["picture", scene, "--at", "0.1", "--size", "70x50", "--out", arg(&png)]);
    assert_eq!(size(&png), (70, 50));
}
