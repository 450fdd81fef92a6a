//! Meshes: their files, and their volume, centre of mass and inertia as MuJoCo takes them.

use std::path::Path;

use glam::DVec3;
use mjcf_rs::assets::{Mesh, MeshInertia};
use supple::spatial::Sym3;

use crate::IoError;
use crate::read::{read_bytes, read_text};

/// Vertices \[m] and triangles.
struct Surface {
    vertices: Vec<DVec3>,
    faces: Vec<[u32; 3]>,
}

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
    let mut surface = surface(mesh, path, &label)?;
    if surface.faces.is_empty() {
        return Err(bad("a mesh without faces; add them or give the body an <inertial>"));
    }
    let count = surface.vertices.len();
    if let Some(index) = surface.faces.iter().flatten().find(|&&i| i as usize >= count) {
        return Err(IoError::BadValue {
            element: label,
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
            return Err(IoError::NotFinite { element: label, field: "vertex".into(), value: f64::NAN });
        }
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
    let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let parsed = match extension.as_str() {
        "stl" => read_bytes(path).map(|bytes| stl(&bytes)),
        "msh" => read_bytes(path).map(|bytes| msh(&bytes)),
        "obj" => read_text(path).map(|text| obj(&text)),
        other => {
            return Err(needs(format!("format {other:?} is not read; use .stl, .obj or .msh")));
        }
    };
    parsed.map_err(|e| needs(e.to_string()))?.map_err(|message| needs(message.to_owned()))
}

fn single(v: [f32; 3]) -> DVec3 {
    DVec3::from_array(v.map(f64::from))
}

/// Little-endian numbers, one after another.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn four(&mut self) -> Option<[u8; 4]> {
        let (head, tail) = self.0.split_first_chunk::<4>()?;
        self.0 = tail;
        Some(*head)
    }

    fn float3(&mut self) -> Option<DVec3> {
        Some(single([self.four()?, self.four()?, self.four()?].map(f32::from_le_bytes)))
    }
}

/// Binary STL: 80 bytes, a count, then per face a normal, three vertices and two bytes.
fn stl(bytes: &[u8]) -> Result<Surface, &'static str> {
    const FACE: usize = 50;
    let rest = bytes.get(80..).ok_or("not a binary STL: too short")?;
    let mut data = Bytes(rest);
    let count = data.four().map(u32::from_le_bytes).ok_or("not a binary STL: too short")? as usize;
    if data.0.len() != count.saturating_mul(FACE) {
        return Err("not a binary STL (ASCII files are not read): the size does not fit the number of faces");
    }
    let mut surface = Surface { vertices: Vec::with_capacity(3 * count), faces: Vec::with_capacity(count) };
    for face in data.0.chunks_exact(FACE) {
        let mut corners = Bytes(&face[12..]);
        let first = surface.vertices.len() as u32;
        for _ in 0..3 {
            surface.vertices.extend(corners.float3());
        }
        surface.faces.push([first, first + 1, first + 2]);
    }
    Ok(surface)
}

/// MuJoCo's own format: four counts, then vertices, normals, texture coordinates and faces.
fn msh(bytes: &[u8]) -> Result<Surface, &'static str> {
    const SHORT: &str = "not an MSH file: too short";
    let mut data = Bytes(bytes);
    let mut count = || -> Result<usize, &'static str> {
        let count = data.four().map(i32::from_le_bytes).ok_or(SHORT)?;
        usize::try_from(count).map_err(|_| "not an MSH file: a count is negative")
    };
    let (vertices, normals, texture, faces) = (count()?, count()?, count()?, count()?);
    // in u64 nothing overflows: counts have 31 bits
    let size = 4 * [3 * vertices, 3 * normals, 2 * texture, 3 * faces].iter().map(|n| *n as u64).sum::<u64>();
    if data.0.len() as u64 != size {
        return Err("not an MSH file: the size does not fit the counts");
    }
    let mut surface = Surface { vertices: Vec::with_capacity(vertices), faces: Vec::with_capacity(faces) };
    for _ in 0..vertices {
        surface.vertices.push(data.float3().ok_or(SHORT)?);
    }
    let mut indices = Bytes(&data.0[4 * (3 * normals + 2 * texture)..]);
    for _ in 0..faces {
        let mut index = || indices.four().map(u32::from_le_bytes).ok_or(SHORT);
        surface.faces.push([index()?, index()?, index()?]);
    }
    Ok(surface)
}

/// Wavefront OBJ: vertices and faces, polygons as fans.
fn obj(text: &str) -> Result<Surface, &'static str> {
    let mut surface = Surface { vertices: Vec::new(), faces: Vec::new() };
    let mut polygon = Vec::new();
    for line in text.lines() {
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("v") => {
                let mut number = || {
                    words.next().and_then(|w| w.parse::<f32>().ok()).ok_or("a vertex is not three numbers")
                };
                surface.vertices.push(single([number()?, number()?, number()?]));
            }
            Some("f") => {
                polygon.clear();
                for word in words {
                    let index = word.split('/').next().and_then(|w| w.parse::<i64>().ok());
                    // counted from one, or backwards from the last vertex
                    let index = match index.ok_or("a face is not a list of indices")? {
                        i if i < 0 => surface.vertices.len() as i64 + i,
                        i => i - 1,
                    };
                    polygon.push(u32::try_from(index).map_err(|_| "a face has an index out of range")?);
                }
                if let [first, rest @ ..] = polygon.as_slice() {
                    surface.faces.extend(rest.windows(2).map(|pair| [*first, pair[0], pair[1]]));
                }
            }
            _ => {}
        }
    }
    Ok(surface)
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn broken_files_are_errors() {
        assert!(stl(&[0; 40]).is_err());
        assert!(stl(&[255; 90]).is_err());
        assert!(msh(&[255; 64]).is_err());
        assert!(msh(&[1; 64]).is_err());
        assert!(msh(&[0; 3]).is_err());
        assert!(obj("v 1 2\n").is_err());
        assert!(obj("v 1 2 3\nf 1 x 2\n").is_err());
        assert!(obj("f -1 -2 -3\n").is_err());
    }
}
