//! `supple picture`: one image of a scene.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use supple_record::{Renderer, Style};
use supple_scenes::gallery;
use supple_scenes::live::Live;

use crate::number::real;
use crate::progress::progress;
use crate::run::film;
use crate::run::source;
use crate::view::camera;

/// When pictures are taken \[s].
const AT: f64 = 1.0;

/// Take a picture of a scene or a model file, as a PNG
#[derive(Args)]
#[command(after_help = "\
Examples:
  supple picture pendulum --at 2 --out pendulum.png
  supple picture bridge --size 1280x720 --camera 0,-8,2:0,0,0 --out bridge.png
  supple picture --all thumbs --size 192x144")]
pub(crate) struct PictureArgs {
    /// Name of a scene, or path of a model file
    #[arg(value_name = "SCENE_OR_FILE", required_unless_present = "all")]
    scene: Option<String>,
    /// Write the image to this file, .png
    #[arg(long, value_name = "FILE", required_unless_present = "all")]
    out: Option<PathBuf>,
    /// Take pictures of all built-in scenes, NAME.png in this folder, each at a time when there is something to see
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["scene", "out", "at", "settings", "camera"])]
    all: Option<PathBuf>,
    /// When, in s [default: 1]
    #[arg(long, value_name = "S", value_parser = real, allow_negative_numbers = true)]
    at: Option<f64>,
    /// Look from one point at another, in m [default: as the scene has it, else from near by]
    #[arg(long, value_name = "X,Y,Z:X,Y,Z", allow_hyphen_values = true)]
    camera: Option<String>,
    /// Set a parameter of the scene (repeatable)
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<String>,
    #[command(flatten)]
    drawn: film::ImageArgs,
}

pub(crate) fn picture(args: &PictureArgs, out: &mut impl Write) -> Result<()> {
    if let Some(folder) = &args.all {
        return all(args, folder, out);
    }
    let (Some(scene), Some(path)) = (&args.scene, &args.out) else {
        bail!("a scene and --out FILE.png are wanted");
    };
    if !path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png")) {
        bail!("--out {} must end in .png", path.display());
    }
    let at = args.at.unwrap_or(AT);
    if !(0.0..=1e6).contains(&at) {
        bail!("--at must be from 0 to a million s, got {at}");
    }
    take(args, scene, &args.settings, at, path)
}

/// Takes a picture at a time \[s].
fn take(args: &PictureArgs, scene: &str, settings: &[String], at: f64, path: &Path) -> Result<()> {
    let stage = source::open(scene, settings)?.stage;
    let watched = stage.gaze.is_some() && !(args.all.is_some() && is_far(scene));
    let mut live = Live::new(stage);
    let steps = (at / live.dt).round() as u64;
    let mut bar = progress(steps);
    bar.set_message(path.display().to_string());
    for step in 0..steps {
        live.step().with_context(|| format!("{scene} stopped after {step} steps"))?;
        bar.set_position(step);
    }
    bar.finish_and_clear();
    live.take_picture();
    // thumbnails are small, and threads in them would be pale
    let thinnest = if args.all.is_some() { 2.0 } else { Style::default().thinnest };
    let style = Style { colouring: args.drawn.colouring(), thinnest, ..Style::default() };
    let mut renderer = Renderer::new(live.cast(), live.up(), style);
    let size = args.drawn.size;
    let given = args.camera.as_deref().map(camera).transpose()?;
    let own = || live.gaze().cameras(live.time()).into_iter().next().filter(|_| watched);
    let camera = match given.or_else(own) {
        Some(camera) => camera.pixels(size[0], size[1]),
        None => renderer.close_up(live.cast(), live.picture(), size),
    };
    renderer.draw(live.cast(), live.picture(), &camera)?.write_png(path)?;
    Ok(())
}

/// Takes pictures of all scenes.
fn all(args: &PictureArgs, folder: &Path, out: &mut impl Write) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for name in gallery().iter().map(|scene| scene.name) {
        let (at, settings) = moment(name);
        let settings: Vec<String> = settings.iter().map(|setting| (*setting).to_owned()).collect();
        let path = folder.join(format!("{name}.png"));
        take(args, name, &settings, at, &path).with_context(|| format!("no picture of {name}"))?;
        writeln!(out, "{}", path.display())?;
        out.flush()?;
    }
    Ok(())
}

/// When there is something to see of a scene \[s], and what is set for its picture: of large crowds fewer are enough, and of long chains the
/// first links.
fn moment(scene: &str) -> (f64, &'static [&'static str]) {
    match scene {
        "pendulum" => (1.0, &["links=40"]),
        "chain3d" => (1.0, &["links=30"]),
        "double-pendulum" | "slider-crank" | "stewart" => (0.6, &[]),
        "dog-puppet" => (0.2, &[]),
        "crowd-200" => (0.5, &["characters=40"]),
        "crowd-50000" => (0.5, &["characters=1000"]),
        "ragdolls-1000" => (0.8, &["count=200"]),
        "newton-cradle" | "spinning-top" => (0.1, &[]),
        "falling-character" | "blocked" => (0.5, &[]),
        _ => (AT, &[]),
    }
}

/// Scenes that are looked at from afar, on purpose; their thumbnails are taken from near by.
fn is_far(scene: &str) -> bool {
    matches!(scene, "pendulum-20" | "pendulum-300-threshold" | "pendulum-300-distance")
}
