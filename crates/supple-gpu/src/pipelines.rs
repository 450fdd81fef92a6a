use wgpu::{
    ColorTargetState, CompareFunction, ComputePipeline, ComputePipelineDescriptor, DepthStencilState, Face,
    FragmentState, PrimitiveState, RenderPipeline, RenderPipelineDescriptor, TextureFormat,
    VertexBufferLayout, VertexState, VertexStepMode, include_wgsl, vertex_attr_array,
};

use crate::device::Device;
use crate::projector::Instance;

/// What pixels hold: an id.
pub(crate) const IDS: TextureFormat = TextureFormat::R32Uint;
/// How near it is.
pub(crate) const DEPTHS: TextureFormat = TextureFormat::Depth32Float;

/// What the graphics processor runs.
pub(crate) struct Pipelines {
    /// Closed surfaces, of which the front is seen.
    pub(crate) closed: RenderPipeline,
    /// Others, of which both sides are.
    pub(crate) open: RenderPipeline,
    pub(crate) tally: ComputePipeline,
}

impl Pipelines {
    pub(crate) fn new(device: &Device) -> Self {
        let module = device.device.create_shader_module(include_wgsl!("tally.wgsl"));
        let tally = device.device.create_compute_pipeline(&ComputePipelineDescriptor {
            label: Some("tally"),
            layout: None,
            module: &module,
            entry_point: Some("tally"),
            compilation_options: Default::default(),
            cache: None,
        });
        Self { closed: items(device, Some(Face::Back)), open: items(device, None), tally }
    }
}

fn items(device: &Device, cull_mode: Option<Face>) -> RenderPipeline {
    let module = device.device.create_shader_module(include_wgsl!("items.wgsl"));
    let corner = VertexBufferLayout {
        array_stride: 12,
        step_mode: VertexStepMode::Vertex,
        attributes: &vertex_attr_array![0 => Float32x3],
    };
    let item = VertexBufferLayout {
        array_stride: size_of::<Instance>() as u64,
        step_mode: VertexStepMode::Instance,
        attributes: &vertex_attr_array![1 => Float32x4, 2 => Float32x4, 3 => Float32x4, 4 => Float32x4, 5 => Uint32],
    };
    device.device.create_render_pipeline(&RenderPipelineDescriptor {
        label: Some("items"),
        layout: None,
        vertex: VertexState {
            module: &module,
            entry_point: Some("corner"),
            compilation_options: Default::default(),
            buffers: &[Some(corner), Some(item)],
        },
        primitive: PrimitiveState { cull_mode, ..PrimitiveState::default() },
        depth_stencil: Some(DepthStencilState {
            format: DEPTHS,
            depth_write_enabled: Some(true),
            // nearer is greater
            depth_compare: Some(CompareFunction::Greater),
            stencil: Default::default(),
            bias: Default::default(),
        }),
        multisample: Default::default(),
        fragment: Some(FragmentState {
            module: &module,
            entry_point: Some("pixel"),
            compilation_options: Default::default(),
            targets: &[Some(ColorTargetState::from(IDS))],
        }),
        multiview_mask: None,
        cache: None,
    })
}
