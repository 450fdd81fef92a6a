use supple::view::RasterError;
use wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, BindingResource, Buffer, BufferDescriptor, BufferUsages,
    CommandEncoder,
};

use crate::device::Device;
use crate::picture::Picture;
use crate::pipelines::Pipelines;

/// Pixels that a thread walks along, threads of a group: as in `tally.wgsl`.
const PIECE: u32 = 32;
const GROUP: u32 = 8;

/// Counts on the graphics processor, for images of one size.
pub(crate) struct Tally {
    /// How many ids are counted.
    pub(crate) ids: usize,
    counts: Buffer,
    copy: Buffer,
    group: BindGroup,
}

impl Tally {
    pub(crate) fn new(device: &Device, pipelines: &Pipelines, picture: &Picture, ids: usize) -> Self {
        let buffer = |usage| {
            device.device.create_buffer(&BufferDescriptor {
                label: Some("counts"),
                size: bytes(ids),
                usage,
                mapped_at_creation: false,
            })
        };
        let counts = buffer(BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST);
        let group = device.device.create_bind_group(&BindGroupDescriptor {
            label: Some("tally"),
            layout: &pipelines.tally.get_bind_group_layout(0),
            entries: &[
                BindGroupEntry { binding: 0, resource: BindingResource::TextureView(&picture.ids) },
                BindGroupEntry { binding: 1, resource: counts.as_entire_binding() },
            ],
        });
        Self { ids, counts, copy: buffer(BufferUsages::COPY_DST | BufferUsages::MAP_READ), group }
    }

    /// Counts the pixels of the image.
    pub(crate) fn record(&self, encoder: &mut CommandEncoder, pipelines: &Pipelines, size: [u32; 2]) {
        encoder.clear_buffer(&self.counts, 0, None);
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipelines.tally);
        pass.set_bind_group(0, &self.group, &[]);
        pass.dispatch_workgroups(size[0].div_ceil(PIECE * GROUP), size[1].div_ceil(GROUP), 1);
        drop(pass);
        encoder.copy_buffer_to_buffer(&self.counts, 0, &self.copy, 0, bytes(self.ids));
    }

    /// What was counted, times `area`.
    pub(crate) fn read(&self, device: &Device, area: u32, counts: &mut Vec<u32>) -> Result<(), RasterError> {
        counts.clear();
        device.read(&self.copy, bytes(self.ids), |bytes| {
            let found: &[u32] = bytemuck::cast_slice(bytes);
            counts.extend(found[..self.ids].iter().map(|n| n * area));
        })
    }
}

/// No buffer is empty.
fn bytes(ids: usize) -> u64 {
    4 * ids.max(1) as u64
}
