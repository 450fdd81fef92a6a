//! The point to watch: the one farthest from the root along the first articulation.

use glam::DVec3;
use supple::world::{ArticulationId, BodyRef};
use supple_scenes::Stage;

/// A point of a body.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tip {
    of: ArticulationId,
    /// The body's name.
    pub(crate) body: String,
    link: usize,
    point_in_link: DVec3,
}

impl Tip {
    /// The point with the longest way to the root: ends of shapes where they are known, else centres of mass.
    pub(crate) fn find(stage: &Stage) -> Option<Self> {
        let (id, simulation) = stage.first()?;
        let kinematics = simulation.kinematics();
        let model = &simulation.model;
        // length of the way from the root to each link's origin
        let mut reach = vec![0.0; kinematics.links.len()];
        for (i, (link, motion)) in model.tree().links.iter().zip(&kinematics.links).enumerate() {
            if let Some(parent) = link.parent {
                reach[i] = reach[parent.index()] + motion.offset.length();
            }
        }
        let mut points: Vec<DVec3> = model.bodies().iter().map(|b| b.inertia.com()).collect();
        for shape in &stage.shapes {
            if let BodyRef::Of(of, body) = shape.body
                && of == id
            {
                points[body.index()] = shape.to;
            }
        }
        let mut best: Option<(f64, Self)> = None;
        for (body, point) in model.bodies().iter().zip(points) {
            let Some(link) = body.link.map(|l| l.index()) else { continue };
            let point_in_link = body.link_from_body.point(point);
            let far = reach[link] + point_in_link.length();
            if best.as_ref().is_none_or(|(farthest, _)| far > *farthest) {
                best = Some((far, Self { of: id, body: body.name.clone(), link, point_in_link }));
            }
        }
        best.map(|(_, tip)| tip)
    }

    /// Where it is in the world \[m]; `None` once it has left.
    pub(crate) fn position(&self, stage: &Stage) -> Option<DVec3> {
        let kinematics = stage.world.articulation(self.of).ok()?.kinematics();
        Some(kinematics.links[self.link].pose().point(self.point_in_link))
    }
}
