use super::CameraError;

/// Why there is no image.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RasterError {
    /// The camera cannot take one.
    #[error(transparent)]
    Camera(#[from] CameraError),
    /// Something that is nowhere.
    #[error("item {item} (id {id}) cannot be drawn: its pose is not finite")]
    Pose {
        /// Number of the item.
        item: usize,
        /// Its id.
        id: u32,
    },
    /// An id that means that there is nothing.
    #[error("item {item} has the id {}, which stands for the background", u32::MAX)]
    Id {
        /// Number of the item.
        item: usize,
    },
    /// The graphics processor does not do it.
    #[error("the graphics processor: {why}")]
    Device {
        /// What it says.
        why: String,
    },
}
