use std::sync::{Arc, Mutex};

use supple::view::RasterError;
use wgpu::{
    DeviceDescriptor, Instance, InstanceDescriptor, Limits, MapMode, PollType, PowerPreference,
    RequestAdapterOptions,
};

use crate::GpuError;

/// A graphics processor at work.
pub(crate) struct Device {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    pub(crate) limits: Limits,
    pub(crate) name: String,
    /// What it complained of.
    fault: Arc<Mutex<Option<String>>>,
}

impl Device {
    /// The fastest there is.
    pub(crate) fn open() -> Result<Self, GpuError> {
        let instance = Instance::new(InstanceDescriptor::new_without_display_handle_from_env());
        let wish = RequestAdapterOptions {
            power_preference: PowerPreference::HighPerformance,
            ..RequestAdapterOptions::default()
        };
        let adapter = pollster::block_on(instance.request_adapter(&wish))
            .map_err(|e| GpuError::NoAdapter { why: e.to_string() })?;
        let info = adapter.get_info();
        let name = format!("{} ({})", info.name, info.backend);
        let limits = adapter.limits();
        let wish = DeviceDescriptor { required_limits: limits.clone(), ..DeviceDescriptor::default() };
        let (device, queue) = pollster::block_on(adapter.request_device(&wish))
            .map_err(|e| GpuError::NoDevice { name: name.clone(), why: e.to_string() })?;
        let fault = Arc::new(Mutex::new(None));
        let note = fault.clone();
        // the first complaint is the cause of the others
        device.on_uncaptured_error(Arc::new(move |e: wgpu::Error| {
            if let Ok(mut fault) = note.lock() {
                fault.get_or_insert_with(|| e.to_string());
            }
        }));
        Ok(Self { device, queue, limits, name, fault })
    }

    /// What it complained of since the last call, if anything.
    pub(crate) fn check(&self) -> Result<(), RasterError> {
        let fault = self.fault.lock().ok().and_then(|mut fault| fault.take());
        fault.map_or(Ok(()), |why| Err(RasterError::Device { why }))
    }

    /// The first `size` bytes of a buffer, when all work is done.
    pub(crate) fn read<T>(
        &self,
        buffer: &wgpu::Buffer,
        size: u64,
        take: impl FnOnce(&[u8]) -> T,
    ) -> Result<T, RasterError> {
        self.check()?;
        // whether it worked is seen below
        buffer.map_async(MapMode::Read, ..size, |_| ());
        let why = |e: &dyn std::fmt::Display| RasterError::Device { why: e.to_string() };
        self.device.poll(PollType::wait_indefinitely()).map_err(|e| why(&e))?;
        self.check()?;
        let taken = take(&buffer.get_mapped_range(..size).map_err(|e| why(&e))?);
        buffer.unmap();
        Ok(taken)
    }
}
