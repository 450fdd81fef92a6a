//! Geoms as colliders.
//!
//! MuJoCo's rules: two geoms touch if a bit of one's `contype` is in the other's `conaffinity`, either way round; bodies that stand still
//! are of the world, unless they overlap some that move where the model is loaded. Of two surfaces MuJoCo takes the greater friction, supple the geometric mean.

use std::collections::HashMap;
use std::path::Path;

use glam::DVec3;
use mjcf_rs::body::{Geom, GeomType};
use supple::BodyId;
use supple::constraint::Frame;
use supple::contact::{Collider, Groups, Material, Shape};

use super::inertia::pose;
use super::mesh;
use super::plain::Settings;
use crate::collision::ellipsoid;
use crate::warning::Warnings;
use crate::xml::Element;
use crate::{IoError, Loaded, NamedCollider};

/// A mask of bits of the world's groups, per kind of geom; the first is that of geoms that say nothing.
const MOST_KINDS: usize = 32;

/// Reads geoms that touch, and pairs of bodies that do not, into `loaded`, which is at the first position.
pub(super) fn read(
    document: &Element,
    mjcf: &mjcf_rs::Model,
    settings: &Settings,
    directory: Option<&Path>,
    warnings: &mut Warnings,
    loaded: &mut Loaded,
) -> Result<(), IoError> {
    if settings.disabled("contact") {
        return Ok(());
    }
    let all = || mjcf.bodies.iter().flat_map(|entry| &entry.body.geoms).filter(|g| touches(g));
    let mut kinds = vec![(1, 1)];
    for geom in all() {
        if !kinds.contains(&(geom.contype, geom.conaffinity)) && kinds.len() < MOST_KINDS {
            kinds.push((geom.contype, geom.conaffinity));
        }
    }
    let mut meshes = Meshes { mjcf, directory, shapes: HashMap::new() };
    for (i, entry) in mjcf.bodies.iter().enumerate() {
        let body = BodyId::new(i);
        for geom in entry.body.geoms.iter().filter(|g| touches(g)) {
            let label = match (&geom.name, &entry.body.name) {
                (Some(name), _) => format!("<geom {name:?}>"),
                (None, Some(name)) => format!("<geom> of <body {name:?}>"),
                (None, None) => "<geom>".to_owned(),
            };
            let Some(shape) = meshes.shape(geom, &label, warnings)? else { continue };
            let mut collider = Collider::new(shape).at(Frame::from(pose(&geom.pose)));
            collider.material = material(geom);
            let kind = (geom.contype, geom.conaffinity);
            match kinds.iter().position(|k| *k == kind) {
                Some(place) => collider.groups = groups(&kinds, place),
                None => warnings.add(label, "more than 32 kinds of contype and conaffinity: touches all"),
            }
            let name = geom.name.clone().unwrap_or_default();
            loaded.colliders.push(NamedCollider { name, body: (i > 0).then_some(body), collider });
        }
    }
    for section in document.all("contact") {
        for element in &section.children {
            match element.tag.as_str() {
                "exclude" => {
                    let [a, b] = [find(loaded, element, "body1")?, find(loaded, element, "body2")?];
                    let stands = |b: BodyId| b.index() > 0 && loaded.model.bodies()[b.index()].link.is_none();
                    if stands(a) || stands(b) {
                        warnings.add(element.label(), "a body that stands still is of the world: left out");
                    } else if a != b {
                        loaded.ignored.push([a.min(b), a.max(b)]);
                    }
                }
                "pair" => warnings.add(element.label(), "pairs of geoms are left out: contype decides"),
                _ => warnings.add(element.label(), "the element is not known here: left out"),
            }
        }
    }
    Ok(())
}

fn touches(geom: &Geom) -> bool {
    geom.contype != 0 || geom.conaffinity != 0
}

/// MuJoCo's rule holds if either way does, the world's if both do: a bit per kind, and with whom it touches.
fn groups(kinds: &[(u32, u32)], place: usize) -> Groups {
    let (own, to) = kinds[place];
    let with = |(contype, conaffinity): (u32, u32)| own & conaffinity != 0 || contype & to != 0;
    let touches = kinds.iter().enumerate().filter(|(_, kind)| with(**kind)).map(|(k, _)| 1u32 << k);
    Groups { member: 1 << place, touches: touches.sum() }
}

fn material(geom: &Geom) -> Material {
    let [slide, _, roll] = geom.friction.map(|x| x.max(0.0));
    Material { friction: slide, rolling: if geom.condim >= 6 { roll } else { 0.0 }, ..Material::default() }
}

fn find(loaded: &Loaded, element: &Element, field: &str) -> Result<BodyId, IoError> {
    let name = element.need(field)?;
    loaded.model.body(name).ok_or_else(|| IoError::UnknownName {
        what: "body",
        name: name.into(),
        hint: format!(" (of {})", element.label()),
    })
}

struct Meshes<'a> {
    mjcf: &'a mjcf_rs::Model,
    directory: Option<&'a Path>,
    /// Convex hulls by name; none if there is none.
    shapes: HashMap<&'a str, Option<Shape>>,
}

impl<'a> Meshes<'a> {
    /// The shape of a geom, or a warning why it has none.
    fn shape(
        &mut self,
        geom: &'a Geom,
        label: &str,
        warnings: &mut Warnings,
    ) -> Result<Option<Shape>, IoError> {
        let [x, y, z] = geom.size;
        if let Some(name) = geom.mesh.as_deref() {
            if geom.type_ != GeomType::Mesh {
                warnings.add(label, "a shape fitted to a mesh touches as the convex hull of the mesh");
            }
            return Ok(self.hull(name, label, warnings));
        }
        let made = match geom.type_ {
            GeomType::Plane => Ok(Shape::half_space()),
            GeomType::Sphere => Shape::sphere(x),
            GeomType::Capsule => Shape::capsule(DVec3::Z * -y, DVec3::Z * y, x),
            GeomType::Cylinder => Shape::cylinder(2.0 * y, x),
            GeomType::Ellipsoid => {
                let radii = DVec3::new(x, y, z);
                match radii.min_element() > 0.0 {
                    true => Shape::hull(&ellipsoid(radii)),
                    false => Shape::cuboid(2.0 * radii),
                }
            }
            GeomType::Box => Shape::cuboid(2.0 * DVec3::new(x, y, z)),
            GeomType::Mesh => {
                let what = "the attribute \"mesh\"".into();
                return Err(IoError::Missing { element: label.to_owned(), what });
            }
            GeomType::Hfield | GeomType::Sdf => {
                warnings.add(label, "height fields and SDFs touch nothing");
                return Ok(None);
            }
        };
        Ok(made.map_err(|why| warnings.add(label, format!("{why}; it touches nothing"))).ok())
    }

    fn hull(&mut self, name: &'a str, label: &str, warnings: &mut Warnings) -> Option<Shape> {
        if let Some(known) = self.shapes.get(name) {
            return known.clone();
        }
        let asset = self.mjcf.assets.meshes.iter().find(|m| m.name.as_deref() == Some(name));
        let made = match asset {
            None => Err(format!("mesh {name:?} does not exist")),
            Some(asset) => {
                let path = self.directory.and_then(|d| self.mjcf.resolve_mesh_file(asset, d));
                let surface = mesh::placed(asset, path.as_deref(), &format!("<mesh {name:?}>"));
                let surface = surface.map_err(|e| e.to_string());
                surface.and_then(|s| Shape::hull(&s.vertices).map_err(|e| e.to_string()))
            }
        };
        let shape = made.map_err(|why| warnings.add(label, format!("{why}; it touches nothing"))).ok();
        self.shapes.insert(name, shape.clone());
        shape
    }
}
