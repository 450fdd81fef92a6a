//! `<collision>` elements as colliders: primitives as they are, meshes as their convex hulls.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use supple::spatial::rotation;

use glam::DVec3;
use supple::constraint::Frame;
use supple::contact::{Collider, Shape};

use crate::warning::Warnings;
use crate::xml::Element;
use crate::{IoError, Loaded, NamedCollider};

/// Reads the collision elements of all links into `loaded`. Meshes are looked for relative to `directory`.
pub(super) fn read(
    document: &Element,
    directory: Option<&Path>,
    warnings: &mut Warnings,
    loaded: &mut Loaded,
) -> Result<(), IoError> {
    let mut reader = Reader { directory, warnings, hulls: HashMap::new() };
    for link in document.all("link") {
        let body = loaded.model.body(link.need("name")?);
        for collision in link.all("collision") {
            let Some(shape) = reader.shape(link, collision)? else { continue };
            let name = collision.get("name").unwrap_or_default().to_owned();
            let collider = Collider::new(shape).at(origin(collision)?);
            loaded.colliders.push(NamedCollider { name, body, collider });
        }
    }
    Ok(())
}

struct Reader<'a> {
    directory: Option<&'a Path>,
    warnings: &'a mut Warnings,
    /// Convex hulls by file and scale; none if there is none.
    hulls: HashMap<(String, [u64; 3]), Option<Shape>>,
}

impl Reader<'_> {
    /// The shape of a collision element, or a warning why it has none.
    fn shape(&mut self, link: &Element, collision: &Element) -> Result<Option<Shape>, IoError> {
        let label = || format!("<collision> of {}", link.label());
        let Some(given) = collision.first("geometry").and_then(|g| g.children.first()) else {
            self.warnings.add(label(), "without a geometry it touches nothing");
            return Ok(None);
        };
        let number = |name: &str| -> Result<f64, IoError> {
            given.need(name)?;
            Ok(given.finite::<1>(name)?.map_or(0.0, |[x]| x))
        };
        let made = match given.tag.as_str() {
            "box" => {
                given.need("size")?;
                Shape::cuboid(DVec3::from_array(given.finite::<3>("size")?.unwrap_or_default()))
            }
            "sphere" => Shape::sphere(number("radius")?),
            "cylinder" => Shape::cylinder(number("length")?, number("radius")?),
            "capsule" => {
                // of the cylinder between the two half balls
                let half = 0.5 * number("length")? * DVec3::Z;
                Shape::capsule(-half, half, number("radius")?)
            }
            "mesh" => return self.mesh(given, &label()),
            other => {
                self.warnings.add(label(), format!("a geometry <{other}> is not known: it touches nothing"));
                return Ok(None);
            }
        };
        Ok(made.map_err(|why| self.warnings.add(label(), format!("{why}; it touches nothing"))).ok())
    }

    fn mesh(&mut self, mesh: &Element, label: &str) -> Result<Option<Shape>, IoError> {
        let file = mesh.need("filename")?;
        let scale = DVec3::from_array(mesh.finite::<3>("scale")?.unwrap_or([1.0; 3]));
        let key = (file.to_owned(), scale.to_array().map(f64::to_bits));
        if let Some(known) = self.hulls.get(&key) {
            return Ok(known.clone());
        }
        let made = match self.directory.and_then(|directory| find(file, directory)) {
            None => Err(format!("mesh file {file:?} is not there")),
            Some(path) => crate::surface::read(&path).and_then(|surface| {
                let points: Vec<DVec3> = surface.vertices.iter().map(|v| *v * scale).collect();
                Shape::hull(&points).map_err(|e| e.to_string())
            }),
        };
        let shape = made.map_err(|why| self.warnings.add(label, format!("{why}; it touches nothing"))).ok();
        self.hulls.insert(key, shape.clone());
        Ok(shape)
    }
}

/// The file that a URDF means: beside the URDF, or, for `package://name/…`, in a folder of that name beside or around it.
fn find(file: &str, directory: &Path) -> Option<PathBuf> {
    let is_file = |path: PathBuf| path.is_file().then_some(path);
    for scheme in ["package://", "model://"] {
        let Some(rest) = file.strip_prefix(scheme) else { continue };
        let directory = directory.canonicalize().ok()?;
        return directory.ancestors().find_map(|folder| is_file(folder.join(rest)));
    }
    is_file(directory.join(file.strip_prefix("file://").unwrap_or(file)))
}

/// Where a collision element is on its link.
fn origin(collision: &Element) -> Result<Frame, IoError> {
    let Some(origin) = collision.first("origin") else { return Ok(Frame::IDENTITY) };
    let position = DVec3::from_array(origin.finite::<3>("xyz")?.unwrap_or_default());
    let [roll, pitch, yaw] = origin.finite::<3>("rpy")?.unwrap_or_default();
    Ok(Frame::new(position, rotation::from_yaw_pitch_roll(yaw, pitch, roll)))
}
