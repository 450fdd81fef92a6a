use glam::{DMat3, DQuat, DVec2, DVec3};

use super::CameraError;
use crate::spatial::math;

/// Most pixels of a side of an image: 2¹⁵, so that those of an image can be counted in 32 bits.
const MOST_PIXELS: u32 = 32_768;
/// Nothing nearer to a perspective camera than this is seen \[m]. Chosen: coordinates in the image are divided by the distance, which
/// must not be nothing.
const NEAR: f64 = 0.01;

/// How a camera makes an image of space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Projection {
    /// As eyes see: what is twice as far is half as large.
    Perspective {
        /// Angle between the upper and the lower edge of the image \[rad].
        field: f64,
    },
    /// All that is equally large looks equally large.
    Orthographic {
        /// What the image spans from its lower to its upper edge \[m].
        height: f64,
    },
}

/// A camera: from where, which way and how one looks, and how many pixels there are.
///
/// ```
/// # use glam::DVec3;
/// # use supple::view::Camera;
/// let camera = Camera::look_at(DVec3::new(0.0, -5.0, 1.5), DVec3::Z, DVec3::Z).pixels(1280, 720);
/// assert!(camera.check().is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where it is, in the world.
    pub position: DVec3,
    /// Its axes in the world: x to the right, y up, and it looks along −z.
    pub rotation: DQuat,
    /// How it makes an image.
    pub projection: Projection,
    /// Pixels of the image from left to right, and from top to bottom.
    pub viewport: [u32; 2],
    /// Nothing nearer than this is seen \[m].
    pub near: f64,
}

impl Camera {
    /// At `eye`, looking at `target`, with `up` pointing up in the image as far as that can be: 60° from the upper to the lower edge,
    /// 640 × 480 pixels.
    pub fn look_at(eye: DVec3, target: DVec3, up: DVec3) -> Self {
        let back = (eye - target).normalize();
        // looking straight along `up`, any direction will do
        let right = up.cross(back).try_normalize().unwrap_or_else(|| back.any_orthonormal_vector());
        let rotation = DQuat::from_mat3(&DMat3::from_cols(right, back.cross(right), back));
        Self {
            position: eye,
            rotation,
            projection: Projection::Perspective { field: 60_f64.to_radians() },
            viewport: [640, 480],
            near: NEAR,
        }
    }

    /// Sets the size of the image \[pixels].
    #[must_use]
    pub fn pixels(mut self, width: u32, height: u32) -> Self {
        self.viewport = [width, height];
        self
    }

    /// Sets the angle between the upper and the lower edge of the image \[rad].
    #[must_use]
    pub fn field(mut self, field: f64) -> Self {
        self.projection = Projection::Perspective { field };
        self
    }

    /// Sets a projection without perspective: the image spans `height` \[m].
    #[must_use]
    pub fn orthographic(mut self, height: f64) -> Self {
        self.projection = Projection::Orthographic { height };
        self
    }

    /// Whether it can take an image.
    pub fn check(&self) -> Result<(), CameraError> {
        let [width, height] = self.viewport;
        if !(1..=MOST_PIXELS).contains(&width) || !(1..=MOST_PIXELS).contains(&height) {
            return Err(CameraError::Viewport { width, height, most: MOST_PIXELS });
        }
        if !self.position.is_finite() {
            return Err(CameraError::Position { position: self.position });
        }
        if !self.rotation.is_finite() || !((self.rotation.length() - 1.0).abs() < 1e-5) {
            return Err(CameraError::Rotation { rotation: self.rotation });
        }
        match self.projection {
            Projection::Perspective { field } if !(field > 1e-4 && field < 3.1) => {
                Err(CameraError::Field { field })
            }
            Projection::Orthographic { height } if !(height.is_finite() && height > 0.0) => {
                Err(CameraError::Height { height })
            }
            _ if !(self.near.is_finite() && self.near > 0.0) => Err(CameraError::Near { near: self.near }),
            _ => Ok(()),
        }
    }

    /// Rows that take the axes of the world to those of the image: right, up, ahead.
    pub fn axes(&self) -> DMat3 {
        let m = DMat3::from_quat(self.rotation);
        DMat3::from_cols(m.x_axis, m.y_axis, -m.z_axis).transpose()
    }

    /// A point of the world as the camera has it: to the right, up, ahead \[m].
    pub fn to_view(&self, point: DVec3) -> DVec3 {
        self.axes() * (point - self.position)
    }

    /// Pixels per unit of x/z, y/z (perspective) or per metre (orthographic).
    pub fn scale(&self) -> f64 {
        let rows = f64::from(self.viewport[1]);
        match self.projection {
            Projection::Perspective { field } => 0.5 * rows / math::tan(0.5 * field),
            Projection::Orthographic { height } => rows / height,
        }
    }

    /// Most pixels that a metre of a ball is seen as: at its nearest point, but for what is nearer than the near plane.
    pub fn pixels_per_metre(&self, centre: DVec3, radius: f64) -> f64 {
        match self.projection {
            Projection::Perspective { .. } => {
                let ahead = self.axes().row(2).dot(centre - self.position);
                self.scale() / (ahead - radius).max(self.near)
            }
            Projection::Orthographic { .. } => self.scale(),
        }
    }

    /// Where a point (as [`Camera::to_view`] has it, in front of the camera) is in the image, from its upper left corner \[pixels].
    pub fn to_pixels(&self, view: DVec3) -> DVec2 {
        let [width, height] = self.viewport.map(f64::from);
        let depth = match self.projection {
            Projection::Perspective { .. } => view.z,
            Projection::Orthographic { .. } => 1.0,
        };
        let scale = self.scale() / depth;
        DVec2::new(0.5 * width + scale * view.x, 0.5 * height - scale * view.y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_where_they_should_be() {
        let camera = Camera::look_at(DVec3::new(0.0, -4.0, 1.0), DVec3::Z, DVec3::Z)
            .field(std::f64::consts::FRAC_PI_2)
            .pixels(200, 100);
        let at = |p| camera.to_pixels(camera.to_view(p));
        assert!(at(DVec3::Z).abs_diff_eq(DVec2::new(100.0, 50.0), 1e-9));
        // four metres ahead the upper edge is four metres up, the right edge eight to the right
        assert!(at(DVec3::new(8.0, 0.0, 5.0)).abs_diff_eq(DVec2::new(200.0, 0.0), 1e-9));
        let flat = camera.orthographic(10.0);
        let at = |p| flat.to_pixels(flat.to_view(p));
        assert!(at(DVec3::new(1.0, 7.0, 0.0)).abs_diff_eq(DVec2::new(110.0, 60.0), 1e-9));
        // straight down
        let down = Camera::look_at(5.0 * DVec3::Z, DVec3::ZERO, DVec3::Z);
        assert!(down.check().is_ok() && (down.to_view(DVec3::ZERO) - 5.0 * DVec3::Z).length() < 1e-12);
    }

    #[test]
    fn what_cannot_take_an_image_says_why() {
        let good = Camera::look_at(DVec3::X, DVec3::ZERO, DVec3::Z);
        assert!(good.check().is_ok());
        assert!(matches!(good.pixels(0, 10).check(), Err(CameraError::Viewport { width: 0, .. })));
        assert!(matches!(good.field(0.0).check(), Err(CameraError::Field { .. })));
        assert!(matches!(good.orthographic(-1.0).check(), Err(CameraError::Height { .. })));
        let lost = Camera { position: DVec3::NAN, ..good };
        assert!(matches!(lost.check(), Err(CameraError::Position { .. })));
        let nowhere = Camera::look_at(DVec3::X, DVec3::X, DVec3::Z);
        assert!(matches!(nowhere.check(), Err(CameraError::Rotation { .. })));
    }
}
