use std::collections::BTreeMap;

use supple::view::{Level, Mesh};
use wgpu::{BufferDescriptor, BufferUsages};

use crate::device::Device;

/// A surface that was not drawn for so many images is forgotten.
const PATIENCE: u64 = 256;

/// Surfaces in the memory of the graphics processor.
#[derive(Default)]
pub(crate) struct Meshes {
    known: BTreeMap<Key, Uploaded>,
    image: u64,
}

/// A mesh by its number, and one of its levels.
pub(crate) type Key = (u64, usize);

/// One of them.
pub(crate) struct Uploaded {
    pub(crate) corners: wgpu::Buffer,
    /// Three numbers of corners for each triangle.
    pub(crate) triangles: wgpu::Buffer,
    pub(crate) count: u32,
    pub(crate) closed: bool,
    used: u64,
}

impl Meshes {
    /// Another image is drawn.
    pub(crate) fn begin(&mut self) {
        self.image += 1;
        let image = self.image;
        self.known.retain(|_, m| m.used + PATIENCE >= image);
    }

    /// Sees to it that a surface is there.
    pub(crate) fn upload(&mut self, device: &Device, mesh: &Mesh, level: &Level) {
        let image = self.image;
        let new = || Uploaded::new(device, level, mesh.is_closed());
        self.known.entry((mesh.number(), level.index())).or_insert_with(new).used = image;
    }

    /// One that is there.
    pub(crate) fn get(&self, key: Key) -> Option<&Uploaded> {
        self.known.get(&key)
    }
}

impl Uploaded {
    fn new(device: &Device, level: &Level, closed: bool) -> Self {
        let corners: Vec<[f32; 3]> = level.corners().iter().map(|c| c.as_vec3().to_array()).collect();
        let upload = |bytes: &[u8], usage| {
            let buffer = device.device.create_buffer(&BufferDescriptor {
                label: Some("mesh"),
                size: bytes.len().max(4) as u64,
                usage: usage | BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            device.queue.write_buffer(&buffer, 0, bytes);
            buffer
        };
        Self {
            corners: upload(bytemuck::cast_slice(&corners), BufferUsages::VERTEX),
            triangles: upload(bytemuck::cast_slice(level.triangles()), BufferUsages::INDEX),
            count: 3 * level.triangles().len() as u32,
            closed,
            used: 0,
        }
    }
}
