//! Images are of what is there.

use glam::DVec3;
use supple::constraint::Frame;
use supple::contact::{Collider, Shape};
use supple::view::{Camera, Item, ItemBuffer, Mesh, NOTHING, Raster};
use supple::world::{SingleBody, World};
use supple_record::{Colouring, Image, Renderer, Style};
use supple_scenes::Stage;
use supple_scenes::live::Pictures;

type Failed = Box<dyn std::error::Error>;

/// Balls of this radius, without the ground.
fn balls(at: &[DVec3], radius: f64) -> Result<Pictures, Failed> {
    let mut world = World::new();
    for (i, at) in at.iter().enumerate() {
        let shape = Shape::sphere(radius)?;
        let body = SingleBody::new(format!("ball {i}"), shape.inertia(1000.0)?);
        let id = world.add_body(body.at(Frame::at(*at)))?;
        world.add_collider(id, Collider::new(shape))?;
    }
    Ok(Pictures::of(&Stage::new(world, 0.01, 1.0)))
}

fn draw(pictures: &Pictures, camera: &Camera, style: Style) -> Result<Image, Failed> {
    let mut renderer = Renderer::new(pictures.cast(), pictures.up(), style);
    Ok(renderer.draw(pictures.cast(), pictures.picture(), camera)?.clone())
}

/// How far two images are apart at most.
fn difference(a: &Image, b: &Image) -> u8 {
    a.pixels.iter().zip(&b.pixels).map(|(a, b)| a.abs_diff(*b)).max().unwrap_or(0)
}

fn ahead() -> Camera {
    Camera::look_at(DVec3::new(0.0, -6.0, 0.0), DVec3::ZERO, DVec3::Z).pixels(120, 90)
}

const HARD: Style = Style { colouring: Colouring::Group, samples: 1, shadows: false, thinnest: 0.0 };

#[test]
fn what_is_in_front_hides_what_is_behind() -> Result<(), Failed> {
    let front = DVec3::new(0.0, -2.0, 0.0);
    let both = draw(&balls(&[front, DVec3::ZERO], 0.5)?, &ahead(), HARD)?;
    let only = draw(&balls(&[front], 0.5)?, &ahead(), HARD)?;
    // the ball behind is smaller in the image, and hidden altogether; there is only a little more fog
    assert!(difference(&both, &only) < 16, "{}", difference(&both, &only));
    let beside = draw(&balls(&[front, DVec3::X], 0.5)?, &ahead(), HARD)?;
    assert!(difference(&beside, &only) > 60, "{}", difference(&beside, &only));
    Ok(())
}

#[test]
fn silhouettes_are_those_of_the_item_buffer() -> Result<(), Failed> {
    let places = [DVec3::ZERO, DVec3::new(1.2, 0.3, 0.4), DVec3::new(-0.9, -1.0, -0.6)];
    let pictures = balls(&places, 0.5)?;
    let image = draw(&pictures, &ahead(), HARD)?;
    let empty = draw(&balls(&[], 0.5)?, &ahead(), HARD)?;
    let mesh = Mesh::of(&Shape::sphere(0.5)?, 32);
    let item = |at: &DVec3| Item { mesh: &mesh, pose: Frame::at(*at).pose(), id: 0 };
    let items: Vec<Item> = places.iter().map(item).collect();
    let mut buffer = ItemBuffer::new();
    buffer.count(&ahead(), &items, 1, &mut Vec::new())?;
    let shown = |x: u32, y: u32| image.pixel(x, y) != empty.pixel(x, y);
    let expected = |x: u32, y: u32| buffer.image()[(y * 120 + x) as usize] != NOTHING;
    let mut seen = 0;
    for y in 1..89 {
        for x in 1..119 {
            let around = [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)];
            let edge = around.iter().any(|(i, j)| expected(*i, *j) != expected(x, y));
            assert!(edge || shown(x, y) == expected(x, y), "pixel {x}, {y}");
            seen += usize::from(expected(x, y));
        }
    }
    assert!(seen > 300, "{seen} pixels of balls");
    Ok(())
}

#[test]
fn images_do_not_depend_on_the_number_of_threads() -> Result<(), Failed> {
    let places: Vec<DVec3> = (0..60)
        .map(|i| DVec3::new(f64::from(i % 8) - 3.5, 0.2 * f64::from(i), f64::from(i / 8) - 3.0))
        .collect();
    let pictures = balls(&places, 0.4)?;
    let with = |threads: usize| -> Result<Image, Failed> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let drawn = pool.install(|| draw(&pictures, &ahead(), Style::default()).map_err(|e| e.to_string()));
        Ok(drawn?)
    };
    assert!(with(1)? == with(2)?, "images differ");
    Ok(())
}

#[test]
fn odd_cameras_and_sizes_draw_something_or_nothing() -> Result<(), Failed> {
    let pictures = balls(&[DVec3::ZERO, DVec3::Y], 0.5)?;
    let inside = Camera::look_at(DVec3::new(0.0, 0.1, 0.0), DVec3::Y, DVec3::Z).pixels(31, 17);
    let behind =
        Camera::look_at(DVec3::new(0.0, 5.0, 0.0), DVec3::new(0.0, 9.0, 0.0), DVec3::Z).pixels(33, 20);
    let dot = ahead().pixels(1, 1);
    let flat = ahead().orthographic(3.0);
    let above = Camera::look_at(DVec3::new(0.0, 0.0, 4.0), DVec3::ZERO, DVec3::Z).pixels(64, 64);
    for camera in [inside, behind, dot, flat, above] {
        let image = draw(&pictures, &camera, Style::default())?;
        assert_eq!(image.size, camera.viewport);
    }
    assert!(draw(&pictures, &ahead().pixels(0, 10), Style::default()).is_err());
    assert!(draw(&pictures, &ahead().pixels(30_000, 30_000), Style::default()).is_err());
    Ok(())
}

#[test]
fn tiny_and_huge_scenes_look_alike() -> Result<(), Failed> {
    let at = |size: f64| -> Result<Image, Failed> {
        let pictures = balls(&[DVec3::ZERO, DVec3::new(1.5 * size, 0.0, 0.0)], 0.5 * size)?;
        let eye = DVec3::new(0.0, -6.0 * size, 0.0);
        let mut camera = Camera::look_at(eye, DVec3::ZERO, DVec3::Z).pixels(60, 45);
        camera.near *= size;
        draw(&pictures, &camera, Style::default())
    };
    let usual = at(1.0)?;
    for size in [1e-2, 1e3] {
        let other = at(size)?;
        let pairs = usual.pixels.iter().zip(&other.pixels);
        let differ = pairs.filter(|(a, b)| a.abs_diff(**b) > 24).count();
        assert!(differ < usual.pixels.len() / 50, "{differ} of {} at size {size}", usual.pixels.len());
    }
    Ok(())
}
