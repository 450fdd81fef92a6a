use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, OnceLock};

use glam::{DMat3, DVec3};
use parry3d_f64::mass_properties::MassProperties;
use parry3d_f64::shape::ShapeType;

use super::reach::reach;
use super::{Mesh, Volume};
use crate::detail::Weights;
use crate::dynamics::kinematics::Kinematics;
use crate::model::{BodyId, Element, LinkId, LinkJoint, Model};
use crate::shape::Shape;
use crate::spatial::{Frame, Pose, RigidInertia};

/// The thinnest that a body without a shape is taken to be, of its length. Chosen: a rod whose inertia says that it has no thickness is to be
/// seen all the same.
const THINNEST: f64 = 0.02;

/// One shape of a body.
#[derive(Clone, Debug)]
pub struct Look {
    /// The body.
    pub body: BodyId,
    /// The link that it is part of; `None` is the world.
    pub link: Option<LinkId>,
    /// Where the shape is in the link, or in the world.
    pub link_from_shape: Pose,
    /// The shape.
    pub shape: Shape,
    /// Its surface, made when it is first drawn.
    mesh: OnceLock<Mesh>,
}

/// Sides of what is round, where it is drawn: of the finest level. Chosen; meshes have the area of the round shape on average, whatever their number.
const SIDES: u32 = 16;

impl Look {
    /// Its surface.
    pub fn mesh(&self) -> &Mesh {
        self.mesh.get_or_init(|| Mesh::of(&self.shape, SIDES))
    }
}

/// What the bodies of a model look like. Bodies of the same model share it.
#[derive(Clone, Debug)]
pub struct Looks {
    /// Which models it fits: [`fingerprint`] of the one that it was made for.
    model: u64,
    shapes: Vec<Look>,
    /// By link, in its frame.
    balls: Vec<Volume>,
    boxes: Vec<Volume>,
    weights: OnceLock<Arc<Weights>>,
    reach: OnceLock<f64>,
}

impl Looks {
    /// Shapes of bodies, and where they are in those. Half-spaces have no bounds, and are left out.
    pub fn new(model: &Model, shapes: impl IntoIterator<Item = (BodyId, Frame, Shape)>) -> Self {
        let links = model.tree().links.len();
        let mut looks = Self {
            model: fingerprint(model),
            shapes: Vec::new(),
            balls: vec![Volume::Empty; links],
            boxes: vec![Volume::Empty; links],
            weights: OnceLock::new(),
            reach: OnceLock::new(),
        };
        for (body, at, shape) in shapes {
            let Some(info) = model.bodies().get(body.index()) else { continue };
            let link_from_shape = info.link_from_body * at.pose();
            if let Some(link) = info.link {
                let (ball, cuboid) = bounds(&shape);
                looks.add_bounds(
                    link,
                    &ball.transformed(&link_from_shape),
                    &cuboid.transformed(&link_from_shape),
                );
            }
            let mesh = OnceLock::new();
            looks.shapes.push(Look { body, link: info.link, link_from_shape, shape, mesh });
        }
        looks
    }

    /// Boxes with the inertia that the bodies have, for models of which only the motion is known.
    pub fn by_inertia(model: &Model) -> Self {
        let mut shapes = Vec::new();
        for (i, body) in model.bodies().iter().enumerate() {
            shapes.extend(box_of(&body.inertia).map(|(at, shape)| (BodyId::new(i), at, shape)));
        }
        Self::new(model, shapes)
    }

    fn add_bounds(&mut self, link: LinkId, ball: &Volume, cuboid: &Volume) {
        let (balls, boxes) = (&mut self.balls[link.index()], &mut self.boxes[link.index()]);
        (*balls, *boxes) = (balls.merged(ball), boxes.merged(cuboid));
    }

    /// Whether bodies of this model can look so: those that are linked as in the model that it was made for. Their masses may differ.
    pub fn fits(&self, model: &Model) -> bool {
        self.model == fingerprint(model)
    }

    /// [`Looks::fits`] with a reason.
    pub(crate) fn check(&self, model: &Model) -> Result<(), LooksError> {
        if self.fits(model) {
            return Ok(());
        }
        Err(LooksError::OtherModel { looks: self.balls.len(), links: model.tree().links.len() })
    }

    /// [`Weights::by_looks`], made once, for a model that it fits.
    pub(crate) fn weights(&self, model: &Model) -> &Arc<Weights> {
        self.weights.get_or_init(|| Arc::new(Weights::by_looks(model, self)))
    }

    /// How far from its base a body can be seen \[m], whatever its joints do; without end if it has several bases, or slides within.
    /// For a model that it fits.
    pub(crate) fn reach(&self, model: &Model) -> f64 {
        *self.reach.get_or_init(|| reach(model.tree(), self))
    }

    /// All shapes.
    pub fn shapes(&self) -> &[Look] {
        &self.shapes
    }

    /// The ball about a link, in its frame.
    pub fn ball(&self, link: LinkId) -> Volume {
        self.balls.get(link.index()).copied().unwrap_or_default()
    }

    /// The box about a link, in its frame.
    pub fn oriented_box(&self, link: LinkId) -> Volume {
        self.boxes.get(link.index()).copied().unwrap_or_default()
    }
}

impl Looks {
    /// The body that a point of the world is in, if it is in any. `links` are poses of links.
    pub fn body_at(&self, links: &Kinematics, point: DVec3) -> Option<BodyId> {
        let holds = |look: &&Look| {
            let world_from_link = look.link.map_or(Pose::IDENTITY, |l| links.links[l.index()].pose());
            let at =
                (world_from_link * look.link_from_shape * look.shape.axes().pose()).inverse().point(point);
            look.shape.parry().contains_local_point(at)
        };
        self.shapes.iter().find(holds).map(|look| look.body)
    }
}

/// Why bodies cannot look so.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LooksError {
    /// They are linked in another way.
    #[error(
        "these looks were made for another model, of {looks} moving links; this one has {links}, joined in its own way: make them for this model"
    )]
    OtherModel {
        /// Moving links of the model that they were made for.
        looks: usize,
        /// Moving links of the model that should have them.
        links: usize,
    },
}

/// What looks depend on in a model, in one number: links, their joints and places, and where bodies are in them. (64 bits, so that looks of
/// a body with a million links need not keep a copy of them.)
fn fingerprint(model: &Model) -> u64 {
    let tree = model.tree();
    let mut hasher = DefaultHasher::new();
    let number = |hasher: &mut DefaultHasher, x: f64| x.to_bits().hash(hasher);
    let vector = |hasher: &mut DefaultHasher, v: DVec3| v.to_array().iter().for_each(|x| number(hasher, *x));
    let pose = |hasher: &mut DefaultHasher, pose: &Pose| {
        vector(hasher, pose.translation);
        pose.rotation.to_cols_array().iter().for_each(|x| number(hasher, *x));
    };
    tree.links.len().hash(&mut hasher);
    for link in &tree.links {
        link.parent.map(LinkId::index).hash(&mut hasher);
        pose(&mut hasher, &link.placement);
        std::mem::discriminant(&link.joint).hash(&mut hasher);
        match link.joint {
            LinkJoint::Helical { pitch } => number(&mut hasher, pitch),
            LinkJoint::Compound { first, count, .. } => {
                for element in &tree.elements[first as usize..][..count as usize] {
                    std::mem::discriminant(element).hash(&mut hasher);
                    match *element {
                        Element::Hinge { axis, anchor } => [axis, anchor].map(|v| vector(&mut hasher, v)),
                        Element::Slide { axis } => [axis, DVec3::ZERO].map(|v| vector(&mut hasher, v)),
                        Element::Ball { anchor } => [anchor, DVec3::ZERO].map(|v| vector(&mut hasher, v)),
                    };
                }
            }
            LinkJoint::Revolute | LinkJoint::Prismatic | LinkJoint::Spherical | LinkJoint::Free => {}
        }
    }
    model.bodies().len().hash(&mut hasher);
    for body in model.bodies() {
        body.link.map(LinkId::index).hash(&mut hasher);
        pose(&mut hasher, &body.link_from_body);
    }
    hasher.finish()
}

/// The ball and the box about a shape, in its frame.
fn bounds(shape: &Shape) -> (Volume, Volume) {
    let (parry, at) = (shape.parry(), shape.axes().pose());
    if parry.shape_type() == ShapeType::HalfSpace {
        return (Volume::Empty, Volume::Empty);
    }
    let ball = parry.compute_local_bounding_sphere();
    let ball = Volume::Ball { center: ball.center, radius: ball.radius };
    let cuboid = match parry.as_capsule() {
        Some(capsule) => {
            let (a, b) = (capsule.segment.a, capsule.segment.b);
            let along = (b - a).normalize_or(DVec3::Z);
            let (x, y) = along.any_orthonormal_pair();
            let half = DVec3::new(0.5 * (b - a).length(), 0.0, 0.0) + capsule.radius;
            Volume::Box { center: 0.5 * (a + b), axes: DMat3::from_cols(along, x, y), half }
        }
        None => {
            let aabb = parry.compute_local_aabb();
            Volume::Box { center: aabb.center(), axes: DMat3::IDENTITY, half: aabb.half_extents() }
        }
    };
    (ball.transformed(&at), cuboid.transformed(&at))
}

/// The solid box that has an inertia, and where it is: what a body looks like of which only the motion is known. `None` without mass.
pub fn box_of(inertia: &RigidInertia) -> Option<(Frame, Shape)> {
    if !(inertia.mass > 0.0) {
        return None;
    }
    let principal =
        MassProperties::with_inertia_matrix(inertia.com(), inertia.mass, inertia.inertia_com().to_mat3());
    let moments = principal.principal_inertia();
    // m/12 (y² + z²) is the first moment, and so on
    let sum = 0.5 * (moments.x + moments.y + moments.z);
    let squares = (DVec3::splat(sum) - moments).max(DVec3::ZERO) * (12.0 / inertia.mass);
    let longest = squares.max_element().sqrt();
    if !(longest > 0.0 && longest.is_finite()) {
        return None;
    }
    let edges = DVec3::new(squares.x.sqrt(), squares.y.sqrt(), squares.z.sqrt())
        .max(DVec3::splat(THINNEST * longest));
    let frame = Frame::new(inertia.com(), principal.principal_inertia_local_frame);
    Some((frame, Shape::cuboid(edges).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solid_box_looks_like_itself() {
        let shape = Shape::cuboid(DVec3::new(0.3, 0.2, 0.1)).unwrap_or_else(|e| panic!("{e}"));
        let inertia = shape.inertia(1000.0).unwrap_or_else(|e| panic!("{e}"));
        let turned = inertia.transformed(&Pose::new(DVec3::X, glam::DQuat::from_rotation_y(0.7)));
        let (at, look) = box_of(&turned).unwrap_or_else(|| panic!("it has mass"));
        assert!((at.position - DVec3::X).length() < 1e-12);
        let again = look.inertia(1000.0).unwrap_or_else(|e| panic!("{e}")).transformed(&at.pose());
        let (a, b) = (again.inertia_com().to_mat3(), turned.inertia_com().to_mat3());
        assert!(a.abs_diff_eq(b, 1e-9) && (again.mass - turned.mass).abs() < 1e-9);
    }
}
