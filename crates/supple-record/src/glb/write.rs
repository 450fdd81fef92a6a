//! The file: a part in JSON that tells what there is, and a part with the numbers.

use std::collections::BTreeMap;
use std::io::{Result, Write};

use glam::Vec3;
use serde_json::{Map, Value, json};

use super::geometry::{self, COLOURS};
use super::track::{Track, still};
use super::{Glb, lens};
use crate::RecordError;

/// Kinds of numbers, as the format has them.
const FLOAT: u32 = 5126;
const UINT: u32 = 5125;
/// Uses of buffers.
const CORNERS: u32 = 34962;
const INDICES: u32 = 34963;
/// What a file holds besides its two parts: a header, and one for each part.
const HEADERS: u64 = 28;

/// Lists of the JSON part, and the numbers of the other.
#[derive(Default)]
struct Parts {
    views: Vec<Value>,
    accessors: Vec<Value>,
    nodes: Vec<Value>,
    samplers: Vec<Value>,
    channels: Vec<Value>,
    numbers: Vec<u8>,
}

impl Parts {
    /// Begins a part of the numbers, with a stride for corners.
    fn view(&mut self, bytes: Vec<u8>, target: Option<u32>) -> usize {
        let mut view = json!({ "buffer": 0, "byteOffset": self.numbers.len(), "byteLength": bytes.len() });
        if let Some(target) = target {
            view["target"] = target.into();
            if target == CORNERS {
                view["byteStride"] = 12.into();
            }
        }
        self.numbers.extend(bytes);
        self.views.push(view);
        self.views.len() - 1
    }

    fn accessor(&mut self, accessor: Value) -> usize {
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    fn node(&mut self, node: Value) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }
}

/// Writes the file.
pub(super) fn write(glb: Glb) -> std::result::Result<(), RecordError> {
    let mut parts = Parts::default();
    let meshes = meshes(&glb, &mut parts);
    let colours = glb.geometry.colours();
    let materials: Vec<Value> = colours.iter().map(|colour| material(*colour as usize)).collect();
    let mut movers: Vec<(usize, &Track)> = Vec::new();
    nodes(&glb, &mut parts, &mut movers, &meshes.0);
    animate(&glb, &mut parts, &movers);

    let mut all = json!({
        "asset": { "version": "2.0", "generator": "supple" },
        "scene": 0,
        "scenes": [{ "nodes": [0] }],
        "nodes": parts.nodes,
    });
    let lists = [
        ("meshes", meshes.1),
        ("accessors", parts.accessors),
        ("bufferViews", parts.views),
        ("cameras", glb.camera.iter().map(|(camera, _)| lens(camera)).collect()),
    ];
    // lists must not be empty
    for (name, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
        all[name] = list.into();
    }
    if all.get("meshes").is_some() {
        all["materials"] = materials.into();
    }
    if !parts.channels.is_empty() {
        all["animations"] =
            json!([{ "name": "motion", "samplers": parts.samplers, "channels": parts.channels }]);
    }
    if !parts.numbers.is_empty() {
        all["buffers"] = json!([{ "byteLength": parts.numbers.len() }]);
    }
    let mut text = all.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    parts.numbers.resize(parts.numbers.len().next_multiple_of(4), 0);
    let bytes = HEADERS + text.len() as u64 + parts.numbers.len() as u64;
    let Ok(length) = u32::try_from(bytes) else {
        return Err(RecordError::TooLarge { path: glb.path, bytes });
    };
    let Glb { path, mut file, .. } = glb;
    let put = || -> Result<()> {
        file.write_all(b"glTF")?;
        let length = if parts.numbers.is_empty() { length - 8 } else { length };
        [2, length, text.len() as u32].iter().try_for_each(|n| file.write_all(&n.to_le_bytes()))?;
        file.write_all(b"JSON")?;
        file.write_all(&text)?;
        if !parts.numbers.is_empty() {
            file.write_all(&(parts.numbers.len() as u32).to_le_bytes())?;
            file.write_all(b"BIN\0")?;
            file.write_all(&parts.numbers)?;
        }
        file.finish()
    };
    put().map_err(|error| RecordError::write(&path, error))
}

/// Numbers of meshes in the file, `None` where there is nothing to see, and the list of them.
fn meshes(glb: &Glb, parts: &mut Parts) -> (Vec<Option<usize>>, Vec<Value>) {
    let surfaces = glb.geometry.surfaces();
    let bytes = |of: fn(&crate::surface::Surface) -> Vec<u8>| -> Vec<u8> {
        surfaces.iter().flat_map(|s| of(glb.geometry.surface(*s))).collect()
    };
    if surfaces.is_empty() {
        return (vec![None; glb.geometry.meshes.len()], Vec::new());
    }
    let positions = parts.view(bytes(|s| vectors(&s.positions)), Some(CORNERS));
    let normals = parts.view(bytes(|s| vectors(&s.normals)), Some(CORNERS));
    let index =
        |s: &crate::surface::Surface| s.triangles.iter().flatten().flat_map(|i| i.to_le_bytes()).collect();
    let indices = parts.view(bytes(index), Some(INDICES));
    let mut made = BTreeMap::new();
    let (mut corner, mut triangle) = (0, 0);
    for number in surfaces {
        let surface = glb.geometry.surface(number);
        let low = surface.positions.iter().copied().reduce(Vec3::min).unwrap_or_default();
        let high = surface.positions.iter().copied().reduce(Vec3::max).unwrap_or_default();
        let count = surface.positions.len();
        let position = parts
            .accessor(json!({ "bufferView": positions, "byteOffset": 12 * corner, "componentType": FLOAT,
            "count": count, "type": "VEC3", "min": low.to_array(), "max": high.to_array() }));
        let normal = parts
            .accessor(json!({ "bufferView": normals, "byteOffset": 12 * corner, "componentType": FLOAT,
            "count": count, "type": "VEC3" }));
        let index = parts
            .accessor(json!({ "bufferView": indices, "byteOffset": 12 * triangle, "componentType": UINT,
            "count": 3 * surface.triangles.len(), "type": "SCALAR" }));
        made.insert(number, (position, normal, index));
        corner += count;
        triangle += surface.triangles.len();
    }
    let colours = glb.geometry.colours();
    let (mut numbers, mut list) = (Vec::new(), Vec::new());
    for (surface, colour) in &glb.geometry.meshes {
        let colour = colours.binary_search(colour).unwrap_or_default();
        numbers.push(made.get(surface).map(|(position, normal, index)| {
            list.push(json!({ "primitives": [{ "attributes": { "POSITION": position, "NORMAL": normal },
                "indices": index, "material": colour }] }));
            list.len() - 1
        }));
    }
    (numbers, list)
}

fn material(number: usize) -> Value {
    let [r, g, b] = geometry::colour(number).to_array();
    let mut material = json!({ "name": format!("colour {number}"), "pbrMetallicRoughness": {
        "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.8 } });
    if number == COLOURS {
        material["name"] = "still".into();
        material["doubleSided"] = true.into();
    }
    material
}

/// All nodes, and those that may move with their tracks.
fn nodes<'a>(
    glb: &'a Glb,
    parts: &mut Parts,
    movers: &mut Vec<(usize, &'a Track)>,
    meshes: &[Option<usize>],
) {
    let turn = glb.upright().as_quat().normalize().to_array();
    let root = parts.node(json!({ "name": "supple", "rotation": turn }));
    let mut top = Vec::new();
    for actor in &glb.actors {
        let offset = actor.offset.filter(|_| !actor.bodies.is_empty());
        let above = offset.map(|offset| {
            parts.node(json!({ "name": actor.name, "translation": offset.as_vec3().to_array() }))
        });
        top.extend(above);
        let mut numbers = Vec::new();
        let mut children: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for body in &actor.bodies {
            let mut node = json!({ "name": body.name });
            if let (Some(t), Some(r)) = (body.track.translations.first(), body.track.rotations.first()) {
                (node["translation"], node["rotation"]) = (json!(t), json!(r));
            }
            if let [(at, mesh)] = &body.solids[..]
                && *at == supple::constraint::Frame::IDENTITY
                && let Some(mesh) = meshes[*mesh as usize]
            {
                node["mesh"] = mesh.into();
            }
            let meshed = node.get("mesh").is_some();
            let number = parts.node(node);
            movers.push((number, &body.track));
            match body.parent.map(|parent| numbers[parent]).or(above) {
                Some(parent) => children.entry(parent).or_default().push(number),
                None => top.push(number),
            }
            for (at, mesh) in body.solids.iter().filter(|_| !meshed) {
                if let Some(mesh) = meshes[*mesh as usize] {
                    let (translation, rotation) = still(at);
                    let shape = parts.node(json!({ "name": format!("{} shape", body.name), "mesh": mesh,
                        "translation": translation, "rotation": rotation }));
                    children.entry(number).or_default().push(shape);
                }
            }
            numbers.push(number);
        }
        for (parent, list) in children {
            parts.nodes[parent]["children"] = list.into();
        }
    }
    for (at, mesh) in &glb.walls {
        if let Some(mesh) = meshes[*mesh as usize] {
            let (translation, rotation) = still(at);
            let wall =
                json!({ "name": "wall", "mesh": mesh, "translation": translation, "rotation": rotation });
            top.push(parts.node(wall));
        }
    }
    if let Some((_, track)) = &glb.camera {
        let (translation, rotation) = still(&track.written);
        let first = (
            track.translations.first().unwrap_or(&translation),
            track.rotations.first().unwrap_or(&rotation),
        );
        let camera =
            parts.node(json!({ "name": "camera", "camera": 0, "translation": first.0, "rotation": first.1 }));
        movers.push((camera, track));
        top.push(camera);
    }
    if !top.is_empty() {
        parts.nodes[root]["children"] = top.into();
    }
}

/// Channels of what moves; what does not has none. All share their times.
fn animate(glb: &Glb, parts: &mut Parts, movers: &[(usize, &Track)]) {
    let moving: Vec<_> = movers.iter().map(|(node, track)| (*node, *track, track.moves())).collect();
    if !moving.iter().any(|(_, _, [along, about])| *along || *about) {
        return;
    }
    let count = glb.times.len();
    let view = parts.view(glb.times.iter().flat_map(|t| t.to_le_bytes()).collect(), None);
    let (first, last) = (glb.times[0], glb.times[count - 1]);
    let times = parts
        .accessor(json!({ "bufferView": view, "componentType": FLOAT, "count": count, "type": "SCALAR",
        "min": [first], "max": [last] }));
    let mut numbers: Vec<u8> = Vec::new();
    let view = parts.views.len();
    for (node, track, [along, about]) in moving {
        let mut channel = |parts: &mut Parts, bytes: Vec<u8>, path: &str, kind: &str| {
            let output = parts
                .accessor(json!({ "bufferView": view, "byteOffset": numbers.len(), "componentType": FLOAT,
                "count": count, "type": kind }));
            numbers.extend(bytes);
            let mut target = Map::new();
            target.insert("node".into(), node.into());
            target.insert("path".into(), path.into());
            parts.channels.push(json!({ "sampler": parts.samplers.len(), "target": target }));
            parts.samplers.push(json!({ "input": times, "output": output, "interpolation": "LINEAR" }));
        };
        if along {
            let bytes = track.translations.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
            channel(parts, bytes, "translation", "VEC3");
        }
        if about {
            let bytes = track.rotations.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
            channel(parts, bytes, "rotation", "VEC4");
        }
    }
    parts.view(numbers, None);
}

fn vectors(list: &[Vec3]) -> Vec<u8> {
    list.iter().flat_map(|v| v.to_array()).flat_map(f32::to_le_bytes).collect()
}
