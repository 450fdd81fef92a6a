use super::{Shape, ShapeError};
use crate::bodies::Id;
use crate::spatial::{Frame, RigidInertia};

/// A collider of a world.
pub type ColliderId = Id<ColliderMark>;

/// What [`ColliderId`] is an id of.
#[derive(Clone, Debug)]
pub enum ColliderMark {}

/// A shape on a body, and what it is made of.
///
/// ```
/// use supple::contact::{Collider, Shape};
///
/// let rubber = Collider::new(Shape::sphere(0.1)?).friction(0.9).restitution(0.8);
/// # Ok::<(), supple::contact::ShapeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Collider {
    /// What touches.
    pub shape: Shape,
    /// Where it is on the body, or in the world.
    pub frame: Frame,
    /// What it is made of.
    pub material: Material,
    /// With what it may touch.
    pub groups: Groups,
    /// Whether it only tells what overlaps it, and pushes nothing.
    pub is_sensor: bool,
    /// Whether the body is stopped where it would pass through others within a step: for what is small and fast.
    pub is_continuous: bool,
}

/// What a surface is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Coulomb's coefficient; of two surfaces the geometric mean counts.
    pub friction: f64,
    /// Share of the speed of an impact that is given back; of two surfaces the greater counts.
    pub restitution: f64,
    /// Arm of the moment that resists rolling and spinning, per normal force \[m]; of two surfaces the greater counts.
    pub rolling: f64,
}

impl Default for Material {
    fn default() -> Self {
        Self { friction: 0.5, restitution: 0.0, rolling: 0.0 }
    }
}

impl Material {
    /// What counts where two surfaces meet.
    pub fn with(&self, other: &Self) -> Self {
        Self {
            friction: (self.friction * other.friction).sqrt(),
            restitution: self.restitution.max(other.restitution),
            rolling: self.rolling.max(other.rolling),
        }
    }
}

/// With what a collider may touch: two do if each is a member of a group that the other touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Groups {
    /// Groups that it belongs to, a bit each.
    pub member: u32,
    /// Groups that it touches.
    pub touches: u32,
}

impl Default for Groups {
    fn default() -> Self {
        Self { member: u32::MAX, touches: u32::MAX }
    }
}

impl Groups {
    /// Whether two colliders may touch.
    pub fn allow(&self, other: &Self) -> bool {
        self.member & other.touches != 0 && other.member & self.touches != 0
    }
}

impl Collider {
    /// A shape at the body's frame, of a usual material.
    pub fn new(shape: Shape) -> Self {
        Self {
            shape,
            frame: Frame::IDENTITY,
            material: Material::default(),
            groups: Groups::default(),
            is_sensor: false,
            is_continuous: false,
        }
    }

    /// The collider elsewhere on its body.
    pub fn at(mut self, frame: Frame) -> Self {
        self.frame = frame;
        self
    }

    /// The collider with another coefficient of friction.
    pub fn friction(mut self, friction: f64) -> Self {
        self.material.friction = friction;
        self
    }

    /// The collider with another coefficient of restitution.
    pub fn restitution(mut self, restitution: f64) -> Self {
        self.material.restitution = restitution;
        self
    }

    /// The collider with rolling friction \[m].
    pub fn rolling(mut self, rolling: f64) -> Self {
        self.material.rolling = rolling;
        self
    }

    /// The collider in other groups.
    pub fn groups(mut self, member: u32, touches: u32) -> Self {
        self.groups = Groups { member, touches };
        self
    }

    /// The collider as a sensor.
    pub fn sensor(mut self) -> Self {
        self.is_sensor = true;
        self
    }

    /// The collider on a body that may be faster than its size per step.
    pub fn continuous(mut self) -> Self {
        self.is_continuous = true;
        self
    }

    /// Inertia in the body's frame, if filled with so much \[kg/m³].
    pub fn inertia(&self, density: f64) -> Result<RigidInertia, ShapeError> {
        Ok(self.shape.inertia(density)?.transformed(&self.frame.pose()))
    }
}
