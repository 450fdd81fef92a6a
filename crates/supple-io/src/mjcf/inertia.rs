//! Mass and inertia of MJCF bodies, from `<inertial>` or from geoms, with MuJoCo's corrections.

use std::collections::HashMap;
use std::f64::consts::PI;
use std::path::Path;

use glam::{DMat3, DVec3};
use mjcf_rs::body::{Body, Geom, GeomType, InertiaSpec};
use mjcf_rs::compiler::InertiaFromGeom;
use supple::spatial::Sym3;
use supple::{Pose, RigidInertia};

use super::eigen::principal;
use super::mesh::{self, Solid};
use super::plain::Settings;
use crate::IoError;

/// Mark of a geom with `shellinertia="true"` in the plain document, which carries no materials otherwise.
pub(super) const SHELL: &str = "shell";
/// Masses and volumes below this count as none in MuJoCo.
const EPSILON: f64 = 1e-14;
/// Density of geoms that say none \[kg/m³].
const WATER: f64 = 1000.0;

/// Computes inertias; remembers meshes.
pub(super) struct Inertias<'a> {
    model: &'a mjcf_rs::Model,
    settings: &'a Settings,
    directory: Option<&'a Path>,
    meshes: HashMap<&'a str, usize>,
    solids: HashMap<usize, Solid>,
}

impl<'a> Inertias<'a> {
    pub(super) fn new(
        model: &'a mjcf_rs::Model,
        settings: &'a Settings,
        directory: Option<&'a Path>,
    ) -> Self {
        let meshes = model.assets.meshes.iter().enumerate();
        let meshes = meshes.filter_map(|(i, m)| Some((m.name.as_deref()?, i))).collect();
        Self { model, settings, directory, meshes, solids: HashMap::new() }
    }

    /// The inertia of a body in its own frame.
    pub(super) fn body(&mut self, body: &'a Body, name: &str) -> Result<RigidInertia, IoError> {
        let compiler = &self.model.compiler;
        let from_geoms = match compiler.inertia_from_geom {
            InertiaFromGeom::True => true,
            InertiaFromGeom::Auto => body.inertial.is_none(),
            InertiaFromGeom::False => false,
        };
        let mut inertia = RigidInertia::ZERO;
        if from_geoms {
            for geom in &body.geoms {
                let label = match &geom.name {
                    Some(geom) => format!("<geom {geom:?}>"),
                    None => format!("<geom> of <body {name:?}>"),
                };
                inertia += self.geom(geom, &label)?;
            }
        }
        if let (Some(given), true) = (&body.inertial, inertia.mass <= 0.0) {
            let about_com = match given.inertia {
                InertiaSpec::Diagonal(d) => Sym3::diagonal(DVec3::from_array(d)),
                InertiaSpec::Full([xx, yy, zz, xy, xz, yz]) => Sym3::new([xx, xy, xz, yy, yz, zz]),
            };
            inertia = RigidInertia::new(given.mass, DVec3::ZERO, about_com).transformed(&pose(&given.pose));
        }
        self.bounded(inertia, body)
    }

    /// `boundmass`, `boundinertia` and `balanceinertia`, which act on principal moments.
    fn bounded(&self, inertia: RigidInertia, body: &Body) -> Result<RigidInertia, IoError> {
        let compiler = &self.model.compiler;
        let (least_mass, least_moment) = (compiler.bound_mass, compiler.bound_inertia);
        if least_mass <= 0.0 && least_moment <= 0.0 && !compiler.balance_inertia {
            return Ok(inertia);
        }
        let (moments, axes) = principal(inertia.inertia_com());
        let mass = inertia.mass.max(least_mass);
        let mut moments = moments.max(DVec3::splat(least_moment));
        let greatest = moments.max_element();
        if compiler.balance_inertia && moments.element_sum() < 2.0 * greatest {
            moments = DVec3::splat(moments.element_sum() / 3.0);
        }
        // MuJoCo puts the centre of a body without any mass of its own at the body's position in its parent
        let com = if inertia.mass > 0.0 { inertia.com() } else { pose(&body.pose).translation };
        Ok(RigidInertia::new(mass, com, Sym3::diagonal(moments).rotated(axes)))
    }

    /// The inertia that a geom gives its body.
    fn geom(&mut self, geom: &'a Geom, label: &str) -> Result<RigidInertia, IoError> {
        let [first, last] = self.settings.inertia_groups;
        let group = f64::from(geom.group);
        let density = geom.density.unwrap_or(WATER);
        if group < first || group > last || geom.mass == Some(0.0) || (geom.mass.is_none() && density == 0.0)
        {
            return Ok(RigidInertia::ZERO);
        }
        let unsupported =
            |advice: &str| IoError::Unsupported { element: label.to_owned(), advice: advice.to_owned() };
        if geom.material.as_deref() == Some(SHELL) {
            return Err(unsupported("shellinertia; give the body an <inertial>"));
        }
        if geom.mesh.is_some() && geom.type_ != GeomType::Mesh {
            return Err(unsupported("a shape fitted to a mesh; give its size, or the body an <inertial>"));
        }
        let solid = match geom.type_ {
            GeomType::Plane => return Ok(RigidInertia::ZERO),
            GeomType::Mesh => self.mesh(geom, label)?,
            GeomType::Hfield | GeomType::Sdf => {
                return Err(unsupported(
                    "a height field or SDF with mass; set mass=\"0\" or give the body an <inertial>",
                ));
            }
            shape => primitive(shape, geom.size, label)?,
        };
        let mass = match geom.mass {
            Some(mass) if solid.volume > EPSILON => mass,
            Some(_) => 0.0,
            None => density * solid.volume,
        };
        if mass < 0.0 {
            return Err(IoError::BadValue {
                element: label.to_owned(),
                field: "mass or density".into(),
                value: mass.to_string(),
                expected: "no negative mass [kg]".into(),
            });
        }
        if mass <= EPSILON {
            return Ok(RigidInertia::ZERO);
        }
        let inertia = RigidInertia::new(mass, solid.com, solid.inertia * (mass / solid.volume));
        Ok(inertia.transformed(&pose(&geom.pose)))
    }

    fn mesh(&mut self, geom: &'a Geom, label: &str) -> Result<Solid, IoError> {
        let name = geom.mesh.as_deref().ok_or_else(|| IoError::Missing {
            element: label.to_owned(),
            what: "the attribute \"mesh\"".into(),
        })?;
        let &index = self.meshes.get(name).ok_or_else(|| {
            let known: Vec<&str> =
                self.model.assets.meshes.iter().filter_map(|m| m.name.as_deref()).collect();
            let hint = format!(" (used by {label}){}", crate::names::hint(name, known.iter().copied()));
            IoError::UnknownName { what: "mesh", name: name.into(), hint }
        })?;
        if let Some(solid) = self.solids.get(&index) {
            return Ok(*solid);
        }
        let mesh = &self.model.assets.meshes[index];
        let path = self.directory.and_then(|d| self.model.resolve_mesh_file(mesh, d));
        let solid = mesh::solid(mesh, path.as_deref())?;
        self.solids.insert(index, solid);
        Ok(solid)
    }
}

/// A shape at density one; sizes are radii and half lengths \[m].
fn primitive(shape: GeomType, [x, y, z]: [f64; 3], label: &str) -> Result<Solid, IoError> {
    let needed = match shape {
        GeomType::Sphere => 1,
        GeomType::Capsule | GeomType::Cylinder => 2,
        _ => 3,
    };
    if let Some(bad) = [x, y, z][..needed].iter().find(|s| **s <= 0.0) {
        return Err(IoError::BadValue {
            element: label.to_owned(),
            field: "size".into(),
            value: bad.to_string(),
            expected: format!("{needed} positive sizes [m]"),
        });
    }
    let (xx, yy, zz) = (x * x, y * y, z * z);
    let (volume, moments) = match shape {
        GeomType::Sphere => (4.0 / 3.0 * PI * xx * x, DVec3::splat(0.4 * xx)),
        GeomType::Ellipsoid => (4.0 / 3.0 * PI * x * y * z, DVec3::new(yy + zz, xx + zz, xx + yy) / 5.0),
        GeomType::Cylinder => {
            let across = 0.25 * xx + yy / 3.0;
            (2.0 * PI * xx * y, DVec3::new(across, across, 0.5 * xx))
        }
        GeomType::Capsule => {
            // unit mass; z is the axis
            let ends = DVec3::Z * y;
            let i = RigidInertia::solid_capsule(1.0, -ends, ends, x).inertia_com();
            (PI * xx * (2.0 * y + 4.0 / 3.0 * x), DVec3::new(i.xx, i.yy, i.zz))
        }
        _ => (8.0 * x * y * z, DVec3::new(yy + zz, xx + zz, xx + yy) / 3.0),
    };
    Ok(Solid { volume, com: DVec3::ZERO, inertia: Sym3::diagonal(moments * volume) })
}

/// A pose of mjcf-rs, whose glam may be of another version.
pub(super) fn pose(pose: &mjcf_rs::Pose) -> Pose {
    let rotation = glam::DQuat::from_array(pose.rotation.to_array());
    Pose {
        rotation: DMat3::from_quat(rotation.normalize()),
        translation: DVec3::from_array(pose.translation.to_array()),
    }
}
