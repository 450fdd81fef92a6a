use glam::{DQuat, DVec3};

/// Why a camera cannot take an image.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CameraError {
    /// An image without pixels, or with too many.
    #[error("the camera's image must be 1 to {most} pixels wide and high, got {width} × {height}")]
    Viewport {
        /// Pixels from left to right.
        width: u32,
        /// Pixels from top to bottom.
        height: u32,
        /// Most of either.
        most: u32,
    },
    /// A place that is not finite.
    #[error("the camera's position must be finite, got {position} m")]
    Position {
        /// The value given.
        position: DVec3,
    },
    /// No rotation: of a camera that looks at where it is, too.
    #[error(
        "the camera's rotation must be a unit quaternion, got {rotation}; does it look at the place where it is?"
    )]
    Rotation {
        /// The value given.
        rotation: DQuat,
    },
    /// An angle that no image has.
    #[error("the camera's field of view must lie between 1e-4 and 3.1 rad, got {field} rad")]
    Field {
        /// The value given.
        field: f64,
    },
    /// An image that spans nothing.
    #[error("the height that an orthographic camera spans must be positive, got {height} m")]
    Height {
        /// The value given.
        height: f64,
    },
    /// A near plane behind the camera.
    #[error("the distance from which on the camera sees must be positive, got {near} m")]
    Near {
        /// The value given.
        near: f64,
    },
    /// A camera in something that it is to look at.
    #[error(
        "it is inside body {body:?}, which hides all else: move it out, or leave the body out of what is seen"
    )]
    Inside {
        /// The body.
        body: String,
    },
}
