use supple::view::{NOTHING, RasterError};
use wgpu::{
    Buffer, BufferDescriptor, BufferUsages, COPY_BYTES_PER_ROW_ALIGNMENT, Color, CommandEncoder, Extent3d,
    LoadOp, Operations, RenderPass, RenderPassColorAttachment, RenderPassDepthStencilAttachment,
    RenderPassDescriptor, StoreOp, TexelCopyBufferInfo, TexelCopyBufferLayout, Texture, TextureDescriptor,
    TextureDimension, TextureUsages, TextureView,
};

use crate::device::Device;
use crate::pipelines::{DEPTHS, IDS};

/// The image on the graphics processor.
pub(crate) struct Picture {
    pub(crate) size: [u32; 2],
    texture: Texture,
    pub(crate) ids: TextureView,
    depths: TextureView,
    /// Where the image can be read from; made when it is first asked for.
    copy: Option<Buffer>,
}

impl Picture {
    pub(crate) fn new(device: &Device, size: [u32; 2]) -> Self {
        let make = |format, usage| {
            device.device.create_texture(&TextureDescriptor {
                label: Some("image"),
                size: extent(size),
                mip_level_count: 1,
                sample_count: 1,
                dimension: TextureDimension::D2,
                format,
                usage: TextureUsages::RENDER_ATTACHMENT | usage,
                view_formats: &[],
            })
        };
        let texture = make(IDS, TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_SRC);
        let depths = make(DEPTHS, TextureUsages::empty()).create_view(&Default::default());
        Self { size, ids: texture.create_view(&Default::default()), texture, depths, copy: None }
    }

    /// Begins to draw, with nothing in it.
    pub(crate) fn begin<'e>(&self, encoder: &'e mut CommandEncoder) -> RenderPass<'e> {
        let nothing = Color { r: f64::from(NOTHING), ..Color::TRANSPARENT };
        encoder.begin_render_pass(&RenderPassDescriptor {
            label: Some("items"),
            color_attachments: &[Some(RenderPassColorAttachment {
                view: &self.ids,
                depth_slice: None,
                resolve_target: None,
                ops: Operations { load: LoadOp::Clear(nothing), store: StoreOp::Store },
            })],
            depth_stencil_attachment: Some(RenderPassDepthStencilAttachment {
                view: &self.depths,
                depth_ops: Some(Operations { load: LoadOp::Clear(0.0), store: StoreOp::Discard }),
                stencil_ops: None,
            }),
            ..RenderPassDescriptor::default()
        })
    }

    /// Reads the image.
    pub(crate) fn read(&mut self, device: &Device, image: &mut Vec<u32>) -> Result<(), RasterError> {
        let row = 4 * self.size[0] as usize;
        let stride = row.next_multiple_of(COPY_BYTES_PER_ROW_ALIGNMENT as usize);
        let bytes = stride as u64 * u64::from(self.size[1]);
        let copy = self.copy.get_or_insert_with(|| {
            device.device.create_buffer(&BufferDescriptor {
                label: Some("copy of the image"),
                size: bytes,
                usage: BufferUsages::COPY_DST | BufferUsages::MAP_READ,
                mapped_at_creation: false,
            })
        });
        let mut encoder = device.device.create_command_encoder(&Default::default());
        let layout =
            TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(stride as u32), rows_per_image: None };
        encoder.copy_texture_to_buffer(
            self.texture.as_image_copy(),
            TexelCopyBufferInfo { buffer: copy, layout },
            extent(self.size),
        );
        device.queue.submit([encoder.finish()]);
        image.clear();
        device.read(copy, bytes, |bytes| {
            for line in bytes.chunks(stride) {
                image.extend_from_slice(bytemuck::cast_slice(&line[..row]));
            }
        })
    }
}

fn extent([width, height]: [u32; 2]) -> Extent3d {
    Extent3d { width, height, depth_or_array_layers: 1 }
}
