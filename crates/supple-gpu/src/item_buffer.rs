use supple::view::{Camera, Item, Raster, RasterError, check};
use wgpu::{Buffer, BufferDescriptor, BufferUsages, CommandEncoder, IndexFormat};

use crate::GpuError;
use crate::device::Device;
use crate::meshes::{Key, Meshes};
use crate::picture::Picture;
use crate::pipelines::Pipelines;
use crate::projector::{Instance, Projector};
use crate::tally::Tally;

/// Greatest factor between the camera's resolution and the buffer's.
const COARSEST: u32 = 1024;

/// Which item is seen at each pixel, drawn by a graphics processor.
pub struct GpuItemBuffer {
    device: Device,
    pipelines: Pipelines,
    coarseness: u32,
    meshes: Meshes,
    picture: Option<Picture>,
    tally: Option<Tally>,
    /// Numbers of the items, those of the same surface side by side.
    instances: Option<Buffer>,
    /// The image, if it was read.
    image: Vec<u32>,
    is_read: bool,
    // --- scratch: cleared, never shrunk ---
    order: Vec<(Key, u32)>,
    numbers: Vec<Instance>,
}

impl std::fmt::Debug for GpuItemBuffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GpuItemBuffer").field("adapter", &self.device.name).finish_non_exhaustive()
    }
}

impl GpuItemBuffer {
    /// On the fastest graphics processor there is, a real one or one in software.
    pub fn new() -> Result<Self, GpuError> {
        let device = Device::open()?;
        let pipelines = Pipelines::new(&device);
        let why = |e: RasterError| GpuError::NoDevice { name: device.name.clone(), why: e.to_string() };
        device.check().map_err(why)?;
        Ok(Self {
            device,
            pipelines,
            coarseness: 1,
            meshes: Meshes::default(),
            picture: None,
            tally: None,
            instances: None,
            image: Vec::new(),
            is_read: false,
            order: Vec::new(),
            numbers: Vec::new(),
        })
    }

    /// The same, with one pixel for `factor` × `factor` of the camera's. Counts remain in the camera's pixels.
    #[must_use]
    pub fn coarser(mut self, factor: u32) -> Self {
        self.coarseness = factor.clamp(1, COARSEST);
        self
    }

    /// Name of the graphics processor, and how it is spoken to.
    pub fn adapter(&self) -> &str {
        &self.device.name
    }

    /// Sees to an image of the right size and so many counts.
    fn prepare(&mut self, size: [u32; 2], ids: usize) -> Result<(), RasterError> {
        let limits = &self.device.limits;
        let most = limits.max_texture_dimension_2d;
        if size[0].max(size[1]) > most {
            let why = format!("images of at most {most} × {most} pixels, got {} × {}", size[0], size[1]);
            return Err(RasterError::Device { why });
        }
        let most = limits.max_storage_buffer_binding_size / 4;
        if ids as u64 > most {
            return Err(RasterError::Device { why: format!("counts for at most {most} ids, got {ids}") });
        }
        if self.picture.as_ref().is_none_or(|p| p.size != size) {
            self.picture = Some(Picture::new(&self.device, size));
            self.tally = None;
        }
        if let Some(picture) = &self.picture
            && self.tally.as_ref().is_none_or(|t| t.ids != ids)
        {
            self.tally = Some(Tally::new(&self.device, &self.pipelines, picture, ids));
        }
        Ok(())
    }

    /// Sends surfaces that are new, and where all items are.
    fn upload(&mut self, projector: &Projector, items: &[Item<'_>]) {
        self.meshes.begin();
        self.order.clear();
        for (i, item) in items.iter().enumerate() {
            let level = projector.level(item);
            self.meshes.upload(&self.device, item.mesh, level);
            self.order.push(((item.mesh.number(), level.index()), i as u32));
        }
        self.order.sort_unstable();
        self.numbers.clear();
        self.numbers.extend(self.order.iter().map(|(_, i)| projector.instance(&items[*i as usize])));
        let bytes: &[u8] = bytemuck::cast_slice(&self.numbers);
        if self.instances.as_ref().is_none_or(|b| b.size() < bytes.len() as u64) {
            self.instances = Some(self.device.device.create_buffer(&BufferDescriptor {
                label: Some("items"),
                size: bytes.len().max(4).next_power_of_two() as u64,
                usage: BufferUsages::VERTEX | BufferUsages::COPY_DST,
                mapped_at_creation: false,
            }));
        }
        if let Some(instances) = &self.instances {
            self.device.queue.write_buffer(instances, 0, bytes);
        }
    }

    /// Draws all.
    fn record(&self, encoder: &mut CommandEncoder) {
        let (Some(picture), Some(tally), Some(instances)) = (&self.picture, &self.tally, &self.instances)
        else {
            return;
        };
        let mut pass = picture.begin(encoder);
        pass.set_vertex_buffer(1, instances.slice(..));
        let mut first = 0;
        for same in self.order.chunk_by(|a, b| a.0 == b.0) {
            let last = first + same.len() as u32;
            if let Some(mesh) = self.meshes.get(same[0].0) {
                pass.set_pipeline(if mesh.closed { &self.pipelines.closed } else { &self.pipelines.open });
                pass.set_vertex_buffer(0, mesh.corners.slice(..));
                pass.set_index_buffer(mesh.triangles.slice(..), IndexFormat::Uint32);
                pass.draw_indexed(0..mesh.count, 0, first..last);
            }
            first = last;
        }
        drop(pass);
        tally.record(encoder, &self.pipelines, picture.size);
    }
}

impl Raster for GpuItemBuffer {
    fn count(
        &mut self,
        camera: &Camera,
        items: &[Item<'_>],
        ids: usize,
        counts: &mut Vec<u32>,
    ) -> Result<(), RasterError> {
        check(camera, items)?;
        let projector = Projector::new(camera, self.coarseness, items);
        self.prepare(projector.size, ids)?;
        self.upload(&projector, items);
        let mut encoder = self.device.device.create_command_encoder(&Default::default());
        self.record(&mut encoder);
        self.device.queue.submit([encoder.finish()]);
        self.is_read = false;
        self.tally.as_ref().map_or(Ok(()), |tally| tally.read(&self.device, self.coarseness.pow(2), counts))
    }

    fn size(&self) -> [u32; 2] {
        self.picture.as_ref().map_or([0, 0], |p| p.size)
    }

    fn ids(&mut self) -> Result<&[u32], RasterError> {
        if let Some(picture) = &mut self.picture
            && !self.is_read
        {
            picture.read(&self.device, &mut self.image)?;
            self.is_read = true;
        }
        Ok(&self.image)
    }
}
