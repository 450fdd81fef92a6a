/// Why there is no graphics processor.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GpuError {
    /// None is found.
    #[error(
        "no graphics processor found ({why}); one in software does too: on Debian and Ubuntu `apt-get install mesa-vulkan-drivers libvulkan1`"
    )]
    NoAdapter {
        /// What was tried.
        why: String,
    },
    /// It cannot be used.
    #[error("the graphics processor {name} cannot be used: {why}")]
    NoDevice {
        /// Its name.
        name: String,
        /// What it says.
        why: String,
    },
}
