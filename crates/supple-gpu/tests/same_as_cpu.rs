//! The graphics processor and the processor see the same, but for pixels at the very edge of things.

use glam::{DQuat, DVec3};
use supple::Pose;
use supple::contact::Shape;
use supple::view::{Camera, Item, ItemBuffer, Mesh, NOTHING, Raster, RasterError};
use supple_gpu::GpuItemBuffer;

/// A buffer on whatever there is; if there is nothing, the test fails and says what to install.
fn gpu() -> GpuItemBuffer {
    let buffer = GpuItemBuffer::new().unwrap_or_else(|e| panic!("{e}"));
    println!("{}", buffer.adapter());
    buffer
}

/// Numbers from −1 to 1.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((x ^ (x >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self, size: f64) -> DVec3 {
        size * DVec3::new(self.next(), self.next(), self.next())
    }
}

fn meshes() -> Vec<Mesh> {
    let heights: Vec<f64> = (0..36).map(|k| 0.1 * f64::from(k % 5)).collect();
    [
        Shape::sphere(0.4).unwrap(),
        Shape::capsule(-0.5 * DVec3::X, 0.5 * DVec3::X, 0.15).unwrap(),
        Shape::cuboid(DVec3::new(0.3, 0.6, 0.9)).unwrap(),
        Shape::cylinder(0.8, 0.3).unwrap(),
        Shape::cone(0.8, 0.4).unwrap(),
        Shape::hull(&[DVec3::ZERO, 0.7 * DVec3::X, 0.7 * DVec3::Y, 0.7 * DVec3::Z, DVec3::splat(0.5)])
            .unwrap(),
        Shape::height_field(&heights, 6, 6, [1.0, 1.5]).unwrap(),
    ]
    .iter()
    .map(|s| Mesh::of(s, 16))
    .collect()
}

/// Whether a pixel has a neighbour that shows something else.
fn at_edge(image: &[u32], [width, height]: [u32; 2], k: usize) -> bool {
    let (x, y) = (k as i64 % i64::from(width), k as i64 / i64::from(width));
    let at = |x: i64, y: i64| {
        let inside = (0..i64::from(width)).contains(&x) && (0..i64::from(height)).contains(&y);
        if inside { image[(y * i64::from(width) + x) as usize] } else { image[k] }
    };
    (-1..=1).any(|dy| (-1..=1).any(|dx| at(x + dx, y + dy) != image[k]))
}

fn compare(gpu: &mut GpuItemBuffer, cpu: &mut ItemBuffer, camera: &Camera, items: &[Item<'_>], what: &str) {
    let ids = items.len() - 3;
    let (mut a, mut b) = (Vec::new(), Vec::new());
    cpu.count(camera, items, ids, &mut a).unwrap();
    gpu.count(camera, items, ids, &mut b).unwrap();
    let size = cpu.size();
    assert_eq!((gpu.size(), b.len()), (size, ids), "{what}");
    let (mine, theirs) = (cpu.image(), gpu.ids().unwrap());
    let differing: Vec<usize> = (0..mine.len()).filter(|k| mine[*k] != theirs[*k]).collect();
    println!("{what}: {} pixels of {} differ", differing.len(), mine.len());
    let inner = differing.iter().filter(|k| !at_edge(mine, size, **k)).count();
    assert_eq!(inner, 0, "{what}: pixels differ that are not at an edge, {} at one", differing.len() - inner);
    // pixels of the edges of each id, counted in the images of both
    let mut edges = vec![0_u32; ids];
    for image in [mine, theirs] {
        for (k, id) in image.iter().enumerate() {
            if (*id as usize) < ids && at_edge(image, size, k) {
                edges[*id as usize] += 1;
            }
        }
    }
    let scale = (camera.viewport[0].div_ceil(size[0])).pow(2);
    for id in 0..ids {
        let here = theirs.iter().filter(|i| **i as usize == id).count() as u32;
        assert_eq!(b[id], here * scale, "{what}: what it counts is not what it shows, id {id}");
        assert!(a[id].abs_diff(b[id]) <= edges[id] * scale, "{what}, id {id}: {} and {}", a[id], b[id]);
    }
    // hardware places corners to a 256th of a pixel: few pixels are so near an edge
    assert!(
        200 * differing.len() < mine.len(),
        "{what}: {} pixels of {} differ",
        differing.len(),
        mine.len()
    );
}

#[test]
fn random_scenes() {
    let (mut gpu, meshes) = (gpu(), meshes());
    let ground = Mesh::of(&Shape::half_space(), 3);
    for seed in 0..30 {
        let mut rng = Rng(seed);
        let mut items: Vec<Item<'_>> = (0..50)
            .map(|k| Item {
                mesh: &meshes[k % meshes.len()],
                // some behind the camera, some cut by the near plane
                pose: Pose::new(rng.vector(3.5), DQuat::from_scaled_axis(rng.vector(3.0))),
                id: k as u32,
            })
            .collect();
        items.push(Item { mesh: &ground, pose: Pose::from_xyz(0.0, 0.0, -2.0), id: 50 });
        let mut camera = Camera::look_at(DVec3::new(0.0, -3.0, 0.5), DVec3::ZERO, DVec3::Z).pixels(400, 300);
        if seed % 3 == 1 {
            camera = camera.orthographic(4.0);
        }
        if seed % 5 == 4 {
            camera = camera.pixels(333, 217);
        }
        let mut cpu = ItemBuffer::new();
        compare(&mut gpu, &mut cpu, &camera, &items, &format!("seed {seed}"));
    }
}

#[test]
fn coarser_images() {
    let meshes = meshes();
    let (mut gpu, mut cpu) = (gpu().coarser(3), ItemBuffer::new().coarser(3));
    let mut rng = Rng(77);
    let items: Vec<Item<'_>> = (0..30)
        .map(|k| Item { mesh: &meshes[k % 4], pose: Pose::from_translation(rng.vector(1.5)), id: k as u32 })
        .collect();
    let camera = Camera::look_at(DVec3::new(0.0, -4.0, 0.5), DVec3::ZERO, DVec3::Z);
    for camera in [camera.pixels(901, 602), camera.pixels(901, 602).orthographic(4.0)] {
        compare(&mut gpu, &mut cpu, &camera, &items, "one pixel for nine");
    }
}

#[test]
fn nothing_and_errors() {
    let mut gpu = gpu();
    let camera = Camera::look_at(DVec3::X, DVec3::ZERO, DVec3::Z).pixels(70, 50);
    let mut counts = vec![9; 9];
    gpu.count(&camera, &[], 4, &mut counts).unwrap();
    assert_eq!(counts, [0; 4]);
    assert!(gpu.ids().unwrap().iter().all(|id| *id == NOTHING));
    gpu.count(&camera, &[], 0, &mut counts).unwrap();
    assert!(counts.is_empty());
    let ball = Mesh::of(&Shape::sphere(0.1).unwrap(), 16);
    let lost = Item { mesh: &ball, pose: Pose::from_xyz(f64::INFINITY, 0.0, 0.0), id: 1 };
    assert_eq!(gpu.count(&camera, &[lost], 2, &mut counts), Err(RasterError::Pose { item: 0, id: 1 }));
    // larger than it can, or drawn: no panic
    let found = gpu.count(&camera.pixels(32_768, 1), &[], 1, &mut counts);
    assert!(found.is_ok() || matches!(found, Err(RasterError::Device { .. })), "{found:?}");
    gpu.count(&camera, &[Item { pose: Pose::IDENTITY, ..lost }], 2, &mut counts).unwrap();
    assert!(counts[0] == 0 && counts[1] > 10, "{counts:?}");
}
