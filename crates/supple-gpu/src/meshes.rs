use std::collections::BTreeMap;

use supple::view::Mesh;
use wgpu::{BufferDescriptor, BufferUsages};

use crate::device::Device;

/// A surface that was not drawn for so many images is forgotten.
const PATIENCE: u64 = 256;

/// Surfaces in the memory of the graphics processor, by their numbers.
#[derive(Default)]
pub(crate) struct Meshes {
    known: BTreeMap<u64, Uploaded>,
    image: u64,
}

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
    pub(crate) fn upload(&mut self, device: &Device, mesh: &Mesh) {
        let image = self.image;
        self.known.entry(mesh.number()).or_insert_with(|| Uploaded::new(device, mesh)).used = image;
    }

    /// One that is there.
    pub(crate) fn get(&self, number: u64) -> Option<&Uploaded> {
        self.known.get(&number)
    }
}

impl Uploaded {
    fn new(device: &Device, mesh: &Mesh) -> Self {
        let corners: Vec<[f32; 3]> = mesh.corners().iter().map(|c| c.as_vec3().to_array()).collect();
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
            triangles: upload(bytemuck::cast_slice(mesh.triangles()), BufferUsages::INDEX),
            count: 3 * mesh.triangles().len() as u32,
            closed: mesh.is_closed(),
            used: 0,
        }
    }
}
