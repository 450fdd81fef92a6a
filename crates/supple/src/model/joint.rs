use glam::{DQuat, DVec3};

/// What a joint lets its body do, in the joint frame.
#[derive(Clone, Debug, PartialEq)]
pub enum JointKind {
    /// Nothing: the body is part of its parent.
    Fixed,
    /// Turns about `axis`; q = angle \[rad].
    Revolute {
        /// Direction of the axis, any length.
        axis: DVec3,
    },
    /// Turns about `axis` without end; q = angle \[rad], as for a revolute joint, but limits are refused.
    Continuous {
        /// Direction of the axis, any length.
        axis: DVec3,
    },
    /// Slides along `axis`; q = distance \[m].
    Prismatic {
        /// Direction of the axis, any length.
        axis: DVec3,
    },
    /// Turns about `axis` and moves `pitch` \[m/rad] along it; q = angle \[rad].
    Helical {
        /// Direction of the axis, any length.
        axis: DVec3,
        /// Advance per angle \[m/rad].
        pitch: f64,
    },
    /// Turns about and slides along `axis`; q = (angle \[rad], distance \[m]).
    Cylindrical {
        /// Direction of the axis, any length.
        axis: DVec3,
    },
    /// Turns about the first axis, then about the second as carried by the first; q = two angles \[rad].
    Universal {
        /// Directions of the axes, any length.
        axes: [DVec3; 2],
    },
    /// Slides in the plane with this `normal` and turns about it; q = (x \[m], y \[m], angle \[rad]), where x and
    /// y are the axes of the joint frame turned by the shortest rotation that takes z to the normal.
    Planar {
        /// Direction of the normal, any length.
        normal: DVec3,
    },
    /// Turns about any axis; q = unit quaternion (x, y, z, w), v = angular velocity in body axes \[rad/s].
    Spherical,
    /// Moves freely; q = position \[m] and unit quaternion (x, y, z, w), v = angular and linear velocity in
    /// body axes \[rad/s, m/s].
    Free,
    /// Several simple joints in a row between parent and body (as MJCF writes them), at most six degrees of
    /// freedom; q and v are theirs in order.
    Compound(Vec<Element>),
}

/// One simple joint of a [`JointKind::Compound`]. Axes and anchors are in the joint frame at zero position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Element {
    /// Turns about an axis through `anchor`.
    Hinge {
        /// Direction, any length.
        axis: DVec3,
        /// A point on the axis \[m].
        anchor: DVec3,
    },
    /// Slides along an axis.
    Slide {
        /// Direction, any length.
        axis: DVec3,
    },
    /// Turns about any axis through `anchor`; four numbers in q, three in v.
    Ball {
        /// The fixed point \[m].
        anchor: DVec3,
    },
}

impl Element {
    pub(crate) const fn sizes(&self) -> (usize, usize) {
        match self {
            Self::Hinge { .. } | Self::Slide { .. } => (1, 1),
            Self::Ball { .. } => (4, 3),
        }
    }
}

impl JointKind {
    /// How many numbers of q and of v the joint has.
    pub fn sizes(&self) -> (usize, usize) {
        match self {
            Self::Fixed => (0, 0),
            Self::Revolute { .. }
            | Self::Continuous { .. }
            | Self::Prismatic { .. }
            | Self::Helical { .. } => (1, 1),
            Self::Cylindrical { .. } | Self::Universal { .. } => (2, 2),
            Self::Planar { .. } => (3, 3),
            Self::Spherical => (4, 3),
            Self::Free => (7, 6),
            Self::Compound(elements) => elements.iter().fold((0, 0), |(nq, nv), e| {
                let (a, b) = e.sizes();
                (nq + a, nv + b)
            }),
        }
    }

    /// Joint positions at which the joint frame and the outboard frame coincide.
    pub fn neutral(&self) -> Vec<f64> {
        let quat = [0.0, 0.0, 0.0, 1.0];
        match self {
            Self::Spherical => quat.to_vec(),
            Self::Free => [[0.0; 3].as_slice(), &quat].concat(),
            Self::Compound(elements) => elements
                .iter()
                .flat_map(|e| if matches!(e, Element::Ball { .. }) { quat.to_vec() } else { vec![0.0] })
                .collect(),
            _ => vec![0.0; self.sizes().0],
        }
    }

    /// The joint's name in words, as used in messages and listings.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Revolute { .. } => "revolute",
            Self::Continuous { .. } => "continuous",
            Self::Prismatic { .. } => "prismatic",
            Self::Helical { .. } => "helical",
            Self::Cylindrical { .. } => "cylindrical",
            Self::Universal { .. } => "universal",
            Self::Planar { .. } => "planar",
            Self::Spherical => "spherical",
            Self::Free => "free",
            Self::Compound(_) => "compound",
        }
    }
}

/// A soft stop: beyond the range a one-sided spring and damper push back, both integrated implicitly.
///
/// For a spherical joint the limit of its first degree of freedom bounds the angle of the whole rotation
/// away from the rest orientation, and only `upper` counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// Least position \[rad or m].
    pub lower: f64,
    /// Greatest position \[rad or m].
    pub upper: f64,
    /// Stiffness of the stop \[N·m/rad or N/m]; `None`: chosen from the inertia the joint carries, so that the
    /// stop alone would oscillate at 10 Hz.
    pub stiffness: Option<f64>,
    /// Damping of the stop \[N·m·s/rad or N·s/m]; `None`: critical for that stiffness.
    pub damping: Option<f64>,
}

/// What one degree of freedom of a joint has besides geometry.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Dof {
    /// Viscous damping \[N·m·s/rad or N·s/m], integrated implicitly.
    pub damping: f64,
    /// Stiffness of the spring towards the joint's rest position \[N·m/rad or N/m], integrated implicitly.
    pub stiffness: f64,
    /// Inertia of the drive, felt by this joint alone \[kg·m² or kg].
    pub armature: f64,
    /// Dry friction \[N·m or N].
    pub friction: f64,
    /// Greatest drive force \[N·m or N]; `None`: no bound.
    pub effort_limit: Option<f64>,
    /// Greatest speed the drive is meant for \[rad/s or m/s]. Kept for controllers; motion does not heed it.
    pub velocity_limit: Option<f64>,
    /// Soft stops; `None`: free.
    pub limit: Option<Limit>,
}

/// A joint: its kind and what each of its degrees of freedom has.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Unique name; `None`: the name of the body it carries.
    pub name: Option<String>,
    /// What it lets its body do.
    pub kind: JointKind,
    /// One entry per degree of freedom.
    pub dofs: Vec<Dof>,
    /// Position at which the joint's springs are at rest, as many numbers as q.
    pub rest: Vec<f64>,
}

impl Joint {
    /// A joint of this kind, free of friction, springs and limits.
    pub fn new(kind: JointKind) -> Self {
        let dofs = vec![Dof::default(); kind.sizes().1];
        let rest = kind.neutral();
        Self { name: None, kind, dofs, rest }
    }

    /// A fixed joint.
    pub fn fixed() -> Self {
        Self::new(JointKind::Fixed)
    }

    /// A revolute joint about `axis`.
    pub fn revolute(axis: DVec3) -> Self {
        Self::new(JointKind::Revolute { axis })
    }

    /// A prismatic joint along `axis`.
    pub fn prismatic(axis: DVec3) -> Self {
        Self::new(JointKind::Prismatic { axis })
    }

    /// A spherical joint.
    pub fn spherical() -> Self {
        Self::new(JointKind::Spherical)
    }

    /// A free joint: a floating base.
    pub fn free() -> Self {
        Self::new(JointKind::Free)
    }

    /// With a name of its own.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// With this change to every degree of freedom.
    pub fn each(mut self, change: impl Fn(&mut Dof)) -> Self {
        self.dofs.iter_mut().for_each(change);
        self
    }

    /// With viscous damping \[N·m·s/rad or N·s/m].
    pub fn damping(self, damping: f64) -> Self {
        self.each(|d| d.damping = damping)
    }

    /// With a spring \[N·m/rad or N/m] towards the rest position.
    pub fn stiffness(self, stiffness: f64) -> Self {
        self.each(|d| d.stiffness = stiffness)
    }

    /// With armature \[kg·m² or kg].
    pub fn armature(self, armature: f64) -> Self {
        self.each(|d| d.armature = armature)
    }

    /// With soft stops at these positions \[rad or m], their stiffness chosen from the inertia they stop.
    pub fn limits(self, lower: f64, upper: f64) -> Self {
        self.each(|d| d.limit = Some(Limit { lower, upper, stiffness: None, damping: None }))
    }

    /// With a soft stop that lets a spherical joint turn by at most `angle` \[rad] away from its rest orientation, about whatever axis: a
    /// cone for what points along the limb, and as far for its twist. Joints of other kinds stay within ±`angle` in each degree of freedom.
    ///
    /// ```
    /// # use supple::Joint;
    /// let shoulder = Joint::spherical().cone(1.2).damping(0.5);
    /// ```
    pub fn cone(mut self, angle: f64) -> Self {
        if self.kind != JointKind::Spherical {
            return self.limits(-angle, angle);
        }
        // the first degree of freedom has the limit of the whole rotation
        for dof in self.dofs.iter_mut().take(1) {
            dof.limit = Some(Limit { lower: 0.0, upper: angle, stiffness: None, damping: None });
        }
        self
    }

    /// With dry friction \[N·m or N].
    pub fn friction(self, friction: f64) -> Self {
        self.each(|d| d.friction = friction)
    }

    /// With a drive that has at most this force \[N·m or N].
    pub fn effort_limit(self, effort: f64) -> Self {
        self.each(|d| d.effort_limit = Some(effort))
    }

    /// With springs at rest at this position (as many numbers as q).
    pub fn rest(mut self, rest: impl Into<Vec<f64>>) -> Self {
        self.rest = rest.into();
        self
    }

    /// With springs at rest at this orientation (spherical joints).
    pub fn rest_rotation(self, rest: DQuat) -> Self {
        self.rest(rest.to_array())
    }
}
