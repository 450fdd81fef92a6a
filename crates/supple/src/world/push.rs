//! What is done to bodies between two steps by one handle, whatever they are: impulses, velocities.

use glam::DVec3;

use crate::dynamics::kinematics::{Kinematics, link_pose};
use crate::model::BodyId;
use crate::spatial::{Force, Motion};
use crate::world::{ArticulationId, BodyRef, World, WorldError, check_body, checks};
use crate::{Axes, Load, Simulation};

impl World {
    /// An impulse \[N·s] on a body at a `point` \[m], both in the world: changes velocities at once, and wakes what sleeps. A point that is
    /// not on the body acts as if it were.
    ///
    /// Momenta of what floats change by the impulse, to rounding; an articulation that is jointed to the world gives it a share. An articulation
    /// answers as a whole; at less than full detail the joints wake that it moves, as far as the detail allows. Constraints and contacts see
    /// the new velocities in the next step. The world, what is fixed to it and kinematic bodies take any impulse and stay as they are.
    ///
    /// ```
    /// # use supple::prelude::*;
    /// # let mut world = World::new();
    /// # let ball = RigidInertia::solid_sphere(2.0, 0.1, DVec3::ZERO);
    /// # let ball = world.add_body(SingleBody::new("ball", ball))?;
    /// # world.add_collider(ball, Collider::new(Shape::sphere(0.1)?))?;
    /// // a shot from the left
    /// world.refresh();
    /// let (from, along) = (-DVec3::X, DVec3::X);
    /// if let Some(hit) = world.cast_ray(from, along, 10.0, &QueryFilter::new())? {
    ///     world.push_at(hit.body, hit.point, 3.0 * along)?;
    /// }
    /// assert_eq!(world.velocity(ball)?.linear, 1.5 * DVec3::X);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn push_at(
        &mut self,
        body: impl Into<BodyRef>,
        point: DVec3,
        impulse: DVec3,
    ) -> Result<(), WorldError> {
        let body = body.into();
        let name = self.name_of(body)?;
        checks::finite_vector("point of an impulse [m]", &name, point)?;
        checks::finite_vector("impulse [N·s]", &name, impulse)?;
        match body {
            BodyRef::World => Ok(()),
            BodyRef::Single(id) => {
                if !self.body(id)?.is_kinematic() {
                    let it = self.body_mut(id)?;
                    let arm = point - it.centre();
                    it.push(Force::new(arm.cross(impulse), impulse));
                }
                Ok(())
            }
            BodyRef::Of(id, body) => {
                let simulation = self.sound(id)?;
                if simulation.model.bodies()[body.index()].link.is_none() {
                    return Ok(());
                }
                let arm = point - simulation.pose_of(body).translation;
                let wrench = Force::new(arm.cross(impulse), impulse);
                let pushed = self.articulation_mut(id)?.push(Load { body, wrench, axes: Axes::World });
                pushed.map_err(|error| WorldError::Articulation { index: id.index(), error })
            }
        }
    }

    /// Velocity of any body, world axes, as it is now: its angular velocity \[rad/s], and the velocity of the origin of its
    /// [frame](World::frame) \[m/s].
    pub fn velocity(&self, body: impl Into<BodyRef>) -> Result<Motion, WorldError> {
        match body.into() {
            BodyRef::World => Ok(Motion::ZERO),
            BodyRef::Single(id) => {
                let it = self.body(id)?;
                Ok(Motion::new(it.omega(), it.velocity_of_frame()))
            }
            BodyRef::Of(id, body) => {
                check_body(&self.articulation(id)?.model, body)?;
                let simulation = self.sound(id)?;
                let (group, group_from_body) = simulation.place_in_group(body);
                let Some(group) = group else { return Ok(Motion::ZERO) };
                let mut kinematics = Kinematics::default();
                let (q, v) = (&simulation.state.q, &simulation.state.v);
                kinematics.update_without_bias(simulation.stepped_tree(), q, v);
                let link = &kinematics.links[group.index()];
                Ok(link.velocity.at(link.rotation * group_from_body.translation))
            }
        }
    }

    /// Sets the velocity of a body, world axes: its angular velocity \[rad/s], and the velocity of the origin of its
    /// [frame](World::frame) \[m/s]; wakes it. A kinematic body moves on so, until it is [led](World::move_to).
    ///
    /// Of an articulation only what a free joint carries has a velocity of its own: its joints keep theirs, so that all that hangs on
    /// it moves along. The velocities of others are made by their joints: an error that says so. Constraints and contacts see the new
    /// velocities in the next step.
    pub fn set_velocity(&mut self, body: impl Into<BodyRef>, velocity: Motion) -> Result<(), WorldError> {
        let body = body.into();
        let name = self.name_of(body)?;
        checks::finite_vector("angular velocity [rad/s]", &name, velocity.angular)?;
        checks::finite_vector("velocity [m/s]", &name, velocity.linear)?;
        match body {
            BodyRef::World => Err(WorldError::StandsStill { name }),
            BodyRef::Single(id) => {
                let it = self.body_mut(id)?;
                let centre = velocity.at(it.centre() - it.frame().position);
                it.set_motion(centre.linear, centre.angular);
                Ok(())
            }
            BodyRef::Of(id, body) => {
                let simulation = self.sound(id)?;
                let (model, info) = (&simulation.model, &simulation.model.bodies()[body.index()]);
                let Some(link) = info.link else { return Err(WorldError::StandsStill { name }) };
                let (tree, link) = (model.tree(), &model.tree().links[link.index()]);
                if !link.floats() {
                    let joint = model.joints()[link.id.index()].name.clone();
                    return Err(WorldError::NotFloating { name, index: id.index(), joint });
                }
                // the six numbers are in the axes of the link, about its origin
                let pose = link_pose(tree, link, &simulation.state.q);
                let at_link = velocity.at(-(pose.rotation * info.link_from_body.translation));
                let to_link = pose.rotation.transpose();
                let own = Motion::new(to_link * at_link.angular, to_link * at_link.linear);
                let dofs = link.dofs();
                let simulation = self.articulation_mut(id)?;
                simulation.state.v[dofs].copy_from_slice(&own.to_array());
                simulation.regroup();
                Ok(())
            }
        }
    }

    /// An articulation whose state has the length that its model needs, and is finite.
    fn sound(&self, id: ArticulationId) -> Result<&Simulation, WorldError> {
        let simulation = self.articulation(id)?;
        let checked = simulation.check_lengths().and_then(|()| simulation.check_state());
        checked.map_err(|error| WorldError::Articulation { index: id.index(), error })?;
        Ok(simulation)
    }

    /// What messages call a body; an error if it is not there.
    fn name_of(&self, body: BodyRef) -> Result<String, WorldError> {
        let of = |id: ArticulationId, body: BodyId| {
            let simulation = self.articulation(id)?;
            check_body(&simulation.model, body)?;
            Ok(simulation.model.bodies()[body.index()].name.clone())
        };
        match body {
            BodyRef::World => Ok("the world".to_owned()),
            BodyRef::Single(id) => Ok(self.body(id)?.name.clone()),
            BodyRef::Of(id, body) => of(id, body),
        }
    }
}
