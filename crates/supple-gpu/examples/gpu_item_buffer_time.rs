//! How long the graphics processor takes for 1,600 capsules in a box of 40 m, counts read back, beside the processor.
//!
//! `cargo run --release -p supple-gpu --example gpu_item_buffer_time`

use std::time::Instant;

use glam::{DQuat, DVec3};
use supple::Pose;
use supple::contact::Shape;
use supple::view::{Camera, Item, ItemBuffer, Mesh, Raster, differing};
use supple_gpu::GpuItemBuffer;

const ITEMS: usize = 1600;
const IMAGES: u32 = 30;

/// A number from −1 to 1 that depends on nothing but `k`.
fn random(k: usize) -> f64 {
    let x = (k as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ (x >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    ((x ^ (x >> 32)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// The fastest of some images.
fn milliseconds(raster: &mut dyn Raster, camera: Camera, items: &[Item<'_>]) -> f64 {
    let mut counts = Vec::new();
    let mut best = f64::INFINITY;
    for round in 0..IMAGES {
        let camera = Camera { position: camera.position + 0.01 * f64::from(round) * DVec3::X, ..camera };
        let start = Instant::now();
        raster.count(&camera, items, ITEMS, &mut counts).expect("an image");
        best = best.min(1e3 * start.elapsed().as_secs_f64());
    }
    best
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mesh = Mesh::of(&Shape::capsule(DVec3::ZERO, DVec3::X, 0.25)?, 16);
    let vector = |k: usize| DVec3::new(random(k), random(k + 1), random(k + 2));
    let pose = |k: usize| Pose::new(20.0 * vector(8 * k), DQuat::from_scaled_axis(3.0 * vector(8 * k + 3)));
    let items: Vec<_> = (0..ITEMS).map(|k| Item { mesh: &mesh, pose: pose(k), id: k as u32 }).collect();
    let mut gpu = GpuItemBuffer::new()?;
    println!("{}", gpu.adapter());
    for (width, height) in [(640, 480), (1280, 720)] {
        let camera =
            Camera::look_at(DVec3::new(0.0, -40.0, 5.0), DVec3::ZERO, DVec3::Z).pixels(width, height);
        let mut cpu = ItemBuffer::new();
        let here = milliseconds(&mut cpu, camera, &items);
        let both = milliseconds(&mut ItemBuffer::new().parallel(true), camera, &items);
        let there = milliseconds(&mut gpu, camera, &items);
        let differ = differing(cpu.image(), gpu.ids()?);
        println!(
            "{width}×{height}: {here:.2} ms on one thread, {both:.2} ms on all, {there:.2} ms on the graphics processor; {differ} pixels differ"
        );
    }
    Ok(())
}
