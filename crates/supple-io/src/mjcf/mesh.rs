//! Meshes: their files, and their volume, centre of mass and inertia as MuJoCo takes them.

use std::path::Path;

use glam::DVec3;
use mjcf_rs::assets::{Mesh, MeshInertia};
use supple::spatial::Sym3;

use crate::IoError;
use crate::surface::{Surface, single};

/// Volume, centre of mass and inertia about it at density one. A shell has its area as volume.
#[derive(Clone, Copy, Debug)]
pub(super) struct Solid {
    pub(super) volume: f64,
    pub(super) com: DVec3,
    pub(super) inertia: Sym3,
}

/// The solid of a mesh asset, whose file, if it has one, is at `path`.
pub(super) fn solid(mesh: &Mesh, path: Option<&Path>) -> Result<Solid, IoError> {
    let name = mesh.name.as_deref().unwrap_or_default();
    let label = format!("<mesh {name:?}>");
    let bad = |message: &str| IoError::Unsupported { element: label.clone(), advice: message.to_owned() };
    if mesh.inertia == MeshInertia::Convex {
        return Err(bad("inertia of the convex hull; use inertia=\"exact\" or give the body an <inertial>"));
    }
    let surface = placed(mesh, path, &label)?;
    if surface.faces.is_empty() {
        return Err(bad("a mesh without faces; add them or give the body an <inertial>"));
    }
    // a mirror turns the faces inside out
    let mirrored = mesh.scale.iter().product::<f64>() < 0.0;
    let solid = integrate(&surface, mesh.inertia, if mirrored { -1.0 } else { 1.0 });
    if !(solid.volume > 1e-15 && solid.inertia.is_finite()) {
        return Err(IoError::BadValue {
            element: label,
            field: "volume".into(),
            value: solid.volume.to_string(),
            expected: "a positive volume: orient all faces outward, or use inertia=\"shell\"".into(),
        });
    }
    Ok(solid)
}

/// The surface of a mesh asset in the frame of its geoms.
pub(super) fn placed(mesh: &Mesh, path: Option<&Path>, label: &str) -> Result<Surface, IoError> {
    let mut surface = surface(mesh, path, label)?;
    let count = surface.vertices.len();
    if let Some(index) = surface.faces.iter().flatten().find(|&&i| i as usize >= count) {
        return Err(IoError::BadValue {
            element: label.to_owned(),
            field: "face".into(),
            value: index.to_string(),
            expected: format!("indices below the {count} vertices"),
        });
    }
    // MuJoCo moves, turns, then scales
    let refpos = DVec3::from_array(mesh.refpose.translation.to_array());
    let refquat = glam::DQuat::from_array(mesh.refpose.rotation.to_array()).inverse();
    for v in &mut surface.vertices {
        *v = refquat * (*v - refpos) * DVec3::from_array(mesh.scale);
        if !v.is_finite() {
            let element = label.to_owned();
            return Err(IoError::NotFinite { element, field: "vertex".into(), value: f64::NAN });
        }
    }
    Ok(surface)
}

/// Pyramids over the faces: first about the centroid of the surface for the centre of mass, then about that.
fn integrate(surface: &Surface, kind: MeshInertia, sign: f64) -> Solid {
    let triangles = || surface.faces.iter().map(|f| f.map(|i| surface.vertices[i as usize]));
    // area times normal
    let area = |[a, b, c]: [DVec3; 3]| 0.5 * (b - a).cross(c - a);
    let centre = |[a, b, c]: [DVec3; 3]| (a + b + c) / 3.0;
    let weight = |t: [DVec3; 3], apex: DVec3| match kind {
        MeshInertia::Shell => area(t).length(),
        // faces may point anywhere: every pyramid counts as positive
        MeshInertia::Legacy => ((centre(t) - apex).dot(area(t)) / 3.0).abs(),
        MeshInertia::Exact | MeshInertia::Convex => sign * (centre(t) - apex).dot(area(t)) / 3.0,
    };
    let total: f64 = triangles().map(|t| area(t).length()).sum();
    let centroid = triangles().map(|t| centre(t) * area(t).length()).sum::<DVec3>() / total;
    let com = if kind == MeshInertia::Shell {
        centroid
    } else {
        let volume: f64 = triangles().map(|t| weight(t, centroid)).sum();
        triangles().map(|t| (centre(t) * 0.75 + centroid * 0.25) * weight(t, centroid)).sum::<DVec3>()
            / volume
    };
    // second moments: of a triangle Σ over vertex pairs / 12, of a pyramid with its apex at the origin / 20
    let share = if kind == MeshInertia::Shell { 1.0 / 12.0 } else { 1.0 / 20.0 };
    let (mut volume, mut inertia) = (0.0, Sym3::ZERO);
    for t in triangles() {
        let t = t.map(|x| x - com);
        let w = weight(t, DVec3::ZERO);
        let [a, b, c] = t;
        // Σ x xᵀ over the vertices and their sum: the mixed products come out of the square of the sum
        let second =
            Sym3::point_mass(a) + Sym3::point_mass(b) + Sym3::point_mass(c) + Sym3::point_mass(a + b + c);
        volume += w;
        inertia += second * (w * share);
    }
    Solid { volume, com, inertia }
}

fn surface(mesh: &Mesh, path: Option<&Path>, label: &str) -> Result<Surface, IoError> {
    if let Some(vertices) = &mesh.inline_vertices {
        let flat: Vec<u32> = mesh.inline_faces.clone().unwrap_or_default();
        return Ok(Surface {
            // MuJoCo keeps vertices in single precision
            vertices: vertices
                .chunks_exact(3)
                .map(|v| single([v[0], v[1], v[2]].map(|x| x as f32)))
                .collect(),
            faces: flat.chunks_exact(3).map(|f| [f[0], f[1], f[2]]).collect(),
        });
    }
    let file = mesh.file.as_deref().unwrap_or_default();
    let needs = |message: String| IoError::Needs {
        element: label.to_owned(),
        needed: path.unwrap_or(Path::new(file)).to_owned(),
        message,
    };
    let Some(path) = path else {
        return Err(needs("a model given as text cannot read mesh files".into()));
    };
    crate::surface::read(path).map_err(needs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::obj;

    const CUBE: &str = "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 0 1 0\nv 0 0 1\nv 2 0 1\nv 2 1 1\nv 0 1 1\n\
        f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 3/1 4/1 8/1 7/1\nf 1 5 8 4\nf -6 -5 -1 -3\n";

    /// A box of 2 × 1 × 1 m: closed form.
    #[test]
    fn a_box_has_the_inertia_of_a_box() {
        let text = CUBE.replace("f -6 -5 -1 -3", "f 2 3 7 6");
        for kind in [MeshInertia::Exact, MeshInertia::Legacy] {
            let solid = integrate(&obj(&text).unwrap(), kind, 1.0);
            assert!((solid.volume - 2.0).abs() < 1e-15);
            assert!((solid.com - DVec3::new(1.0, 0.5, 0.5)).length() < 1e-15);
            let expected = [2.0 / 6.0, 0.0, 0.0, 2.0 * 5.0 / 12.0, 0.0, 2.0 * 5.0 / 12.0];
            for (a, b) in solid.inertia.to_array().iter().zip(expected) {
                assert!((a - b).abs() < 1e-15, "{:?}", solid.inertia);
            }
        }
    }
}
