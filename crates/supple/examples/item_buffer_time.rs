//! How long the item buffer takes: 1,600 capsules in a box of 40 m, all drawn, with a tenth of them moved, and with none: processor time
//! of one thread.
//!
//! `cargo run --release -p supple --example item_buffer_time`
#![allow(clippy::disallowed_methods, reason = "the library may not read the clock, this example does")]

use std::time::Instant;

use glam::{DQuat, DVec3};
use supple::Pose;
use supple::contact::Shape;
use supple::view::{Camera, Item, ItemBuffer, Mesh, Raster};

const ITEMS: usize = 1600;
const IMAGES: u32 = 50;

/// A number from 0 to 1 that depends on nothing but `k`.
fn random(k: usize) -> f64 {
    let x = (k as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ (x >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    ((x ^ (x >> 32)) >> 11) as f64 / (1_u64 << 53) as f64
}

fn pose(k: usize, round: usize) -> Pose {
    let at = |axis| 40.0 * (random(8 * k + axis) - 0.5);
    let turn =
        DQuat::from_scaled_axis(6.0 * DVec3::new(random(8 * k + 3), random(8 * k + 4), random(8 * k + 5)));
    Pose::new(DVec3::new(at(0), at(1), at(2)), DQuat::from_rotation_z(0.05 * round as f64) * turn)
}

/// Processor time of this thread \[s], where Linux tells, or the time of day.
fn now(start: Instant) -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|t| t.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64(), |n| 1e-9 * n)
}

/// Of one image.
fn milliseconds(mut image: impl FnMut(u32)) -> f64 {
    let start = Instant::now();
    image(0);
    image(1);
    let first = now(start);
    (2..2 + IMAGES).for_each(&mut image);
    1e3 * (now(start) - first) / f64::from(IMAGES)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let capsule = Shape::capsule(DVec3::ZERO, DVec3::X, 0.25)?;
    println!("{:>6} {:>10} {:>9} {:>14} {:>14}", "sides", "pixels", "all [ms]", "tenth [ms]", "still [ms]");
    for sides in [8, 16] {
        let mesh = Mesh::of(&capsule, sides);
        let eye = DVec3::new(0.0, -40.0, 5.0);
        for (width, height) in [(640, 480), (1280, 720), (1280, 800)] {
            let camera = Camera::look_at(eye, DVec3::ZERO, DVec3::Z).pixels(width, height);
            let mut items: Vec<_> =
                (0..ITEMS).map(|k| Item { mesh: &mesh, pose: pose(k, 0), id: k as u32 }).collect();
            let mut buffer = ItemBuffer::new();
            let mut counts = Vec::new();
            let mut draw = |camera: &Camera, items: &[Item<'_>]| {
                buffer.count(camera, items, ITEMS, &mut counts).expect("an image");
            };
            let all = milliseconds(|round| {
                let eye = eye + 0.01 * f64::from(round) * DVec3::X;
                draw(&Camera { position: eye, ..camera }, &items);
            });
            let tenth = milliseconds(|round| {
                for k in (0..ITEMS).step_by(10) {
                    items[k].pose = pose(k, round as usize);
                }
                draw(&camera, &items);
            });
            let still = milliseconds(|_| draw(&camera, &items));
            println!("{sides:>6} {:>10} {all:>9.2} {tenth:>14.2} {still:>14.2}", format!("{width}×{height}"));
        }
    }
    Ok(())
}
