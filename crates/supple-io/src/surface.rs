//! Mesh files: STL, OBJ and MuJoCo's own.

use std::path::Path;

use glam::DVec3;

use crate::read::{read_bytes, read_text};

/// Vertices \[m] and triangles.
#[derive(Debug)]
pub(crate) struct Surface {
    pub(crate) vertices: Vec<DVec3>,
    pub(crate) faces: Vec<[u32; 3]>,
}

/// Reads a mesh file; what is wrong with it otherwise.
pub(crate) fn read(path: &Path) -> Result<Surface, String> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let parsed = match extension.as_str() {
        "stl" => read_bytes(path).map(|bytes| stl(&bytes)),
        "msh" => read_bytes(path).map(|bytes| msh(&bytes)),
        "obj" => read_text(path).map(|text| obj(&text)),
        other => return Err(format!("format {other:?} is not read; use .stl, .obj or .msh")),
    };
    parsed.map_err(|e| e.to_string())?.map_err(str::to_owned)
}

pub(crate) fn single(v: [f32; 3]) -> DVec3 {
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

/// STL, binary or text. Which it is, is told by the size: binary files may begin with the word of the others.
fn stl(bytes: &[u8]) -> Result<Surface, &'static str> {
    match binary_stl(bytes) {
        Err(_) if bytes.trim_ascii_start().starts_with(b"solid") => text_stl(bytes),
        result => result,
    }
}

fn text_stl(bytes: &[u8]) -> Result<Surface, &'static str> {
    const BROKEN: &str = "not an STL: the text between \"solid\" and \"endsolid\" is not one of facets";
    let mut surface = Surface { vertices: Vec::new(), faces: Vec::new() };
    let mut bytes = std::io::Cursor::new(bytes);
    for triangle in stl_io::create_stl_reader(&mut bytes).map_err(|_| BROKEN)? {
        let triangle = triangle.map_err(|_| BROKEN)?;
        let first = surface.vertices.len() as u32;
        surface.vertices.extend(triangle.vertices.iter().map(|v| single([v[0], v[1], v[2]])));
        surface.faces.push([first, first + 1, first + 2]);
    }
    Ok(surface)
}

/// Binary STL: 80 bytes, a count, then per face a normal, three vertices and two bytes.
fn binary_stl(bytes: &[u8]) -> Result<Surface, &'static str> {
    const FACE: usize = 50;
    let rest = bytes.get(80..).ok_or("not a binary STL: too short")?;
    let mut data = Bytes(rest);
    let count = data.four().map(u32::from_le_bytes).ok_or("not a binary STL: too short")? as usize;
    if data.0.len() != count.saturating_mul(FACE) {
        return Err("not a binary STL: the size does not fit the number of faces");
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
pub(crate) fn obj(text: &str) -> Result<Surface, &'static str> {
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

    #[test]
    fn text_and_binary_say_the_same() {
        let text =
            b"solid tile\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 2.5e-1 0\n\
            endloop\nendfacet\nendsolid tile\n";
        let mut binary = b"solid is how some binary files begin".to_vec();
        binary.resize(80, 0);
        binary.extend(1u32.to_le_bytes());
        let numbers = [0.0f32, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.25, 0.0];
        binary.extend(numbers.iter().flat_map(|x| x.to_le_bytes()));
        binary.extend([0, 0]);
        let (a, b) = (stl(text).unwrap(), stl(&binary).unwrap());
        assert_eq!((&a.vertices, &a.faces), (&b.vertices, &b.faces));
        assert_eq!(a.vertices, [DVec3::ZERO, DVec3::X, DVec3::Y * 0.25]);
    }

    #[test]
    fn broken_files_are_errors() {
        assert!(stl(&[0; 40]).is_err());
        assert!(stl(b"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0").is_err());
        assert!(stl(&[255; 90]).is_err());
        assert!(msh(&[255; 64]).is_err());
        assert!(msh(&[1; 64]).is_err());
        assert!(msh(&[0; 3]).is_err());
        assert!(obj("v 1 2\n").is_err());
        assert!(obj("v 1 2 3\nf 1 x 2\n").is_err());
        assert!(obj("f -1 -2 -3\n").is_err());
    }
}
