//! A world in Rapier: impulse joints, or multibody joints for articulations; colliders, if there are any.

use std::{collections::HashSet, f64::consts::TAU};

use anyhow::{Context, Result};
use rapier3d_f64::prelude::*;

use crate::{
    multibody, shape,
    tree_joint::{self, Universal},
    world::{Body, Frame, Joint, Kind, World},
};

/// What Rapier can be told about its solver of joints; the rest is Rapier's default.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Substeps, each with one sweep that also corrects positions and one that only stops velocities.
    pub iterations: usize,
    /// Sweeps of the first kind per substep.
    pub pgs: usize,
    /// Sweeps of the second kind per substep.
    pub stabilization: usize,
    /// Whether sweeps start from the impulses of the step before.
    pub warmstart: bool,
    /// Greatest speed at which limits (thus ropes) are corrected [m/s].
    pub corrective_velocity: f64,
    /// Softness of joints: natural frequency [Hz] and damping ratio.
    pub softness: SpringCoefficients<f64>,
    /// Whether bodies may sleep.
    pub sleep: bool,
    /// Whether articulations are multibodies.
    pub multibody: bool,
    /// What universal joints of multibodies become.
    pub universal: Universal,
    /// Whether joints of articulations have their limits.
    pub limits: bool,
}

impl Default for Settings {
    fn default() -> Self {
        let default = IntegrationParameters::default();
        Self {
            iterations: default.num_solver_iterations,
            pgs: default.num_internal_pgs_iterations,
            stabilization: default.num_internal_stabilization_iterations,
            warmstart: default.warmstart_joints,
            corrective_velocity: default.normalized_max_corrective_velocity,
            softness: SpringCoefficients::joint_defaults(),
            sleep: false,
            multibody: false,
            universal: Universal::Ball,
            limits: true,
        }
    }
}

impl Settings {
    /// Changes what `key=value,key=value` names.
    pub fn set(mut self, changes: &str) -> Result<Self> {
        for change in changes.split(',').filter(|change| !change.is_empty()) {
            let (key, value) = change.split_once('=').context("a setting is KEY=VALUE")?;
            let bad = || format!("setting {key}: {value:?} is no value for it");
            match key {
                "iterations" => self.iterations = value.parse().with_context(bad)?,
                "pgs" => self.pgs = value.parse().with_context(bad)?,
                "stabilization" => self.stabilization = value.parse().with_context(bad)?,
                "warmstart" => self.warmstart = value.parse().with_context(bad)?,
                "corrective_velocity" => self.corrective_velocity = value.parse().with_context(bad)?,
                "frequency" => self.softness.natural_frequency = value.parse().with_context(bad)?,
                "sleep" => self.sleep = value.parse().with_context(bad)?,
                "multibody" => self.multibody = value.parse().with_context(bad)?,
                "universal" if value == "ball" => self.universal = Universal::Ball,
                "universal" => self.universal = Universal::Split(value.parse().with_context(bad)?),
                "limits" => self.limits = value.parse().with_context(bad)?,
                "damping" => self.softness.damping_ratio = value.parse().with_context(bad)?,
                _ => anyhow::bail!("there is no setting {key:?}"),
            }
        }
        Ok(self)
    }
}

pub struct Rapier {
    pub physics: PhysicsWorld,
    pub bodies: Vec<RigidBodyHandle>,
    /// Bodies that are moved about, with their paths.
    moved: Vec<(RigidBodyHandle, Vec<Pose>)>,
    steps: usize,
    apart: Apart,
    lost: bool,
}

impl Rapier {
    pub fn new(world: &World, settings: &Settings, dt: f64) -> Result<Self> {
        let mut physics = PhysicsWorld { gravity: Vector::from(world.gravity), ..Default::default() };
        let parameters = &mut physics.integration_parameters;
        parameters.dt = dt;
        parameters.num_solver_iterations = settings.iterations;
        parameters.num_internal_pgs_iterations = settings.pgs;
        parameters.num_internal_stabilization_iterations = settings.stabilization;
        parameters.warmstart_joints = settings.warmstart;
        parameters.normalized_max_corrective_velocity = settings.corrective_velocity;

        let ground = physics.bodies.insert(RigidBodyBuilder::fixed());
        let mut bodies = Vec::new();
        for body in &world.bodies {
            bodies.push(physics.bodies.insert(rigid_body(body, world.drag).can_sleep(settings.sleep)));
        }
        let handle = |body: i64| usize::try_from(body).map_or(ground, |body| bodies[body]);
        for joint in &world.joints {
            let data = impulse_joint(joint, settings.softness);
            physics.impulse_joints.insert(handle(joint.parent), handle(joint.child), data, true);
        }
        if settings.multibody {
            multibody::build(&mut physics, world, settings.universal, settings.limits, handle);
        } else {
            for joint in &world.tree {
                if let Some(mut data) = tree_joint::impulse(joint) {
                    if !settings.limits {
                        data.limit_axes = JointAxesMask::empty();
                    }
                    physics.impulse_joints.insert(handle(joint.parent), handle(joint.child), data, true);
                }
            }
        }
        let apart = Apart::new(world, handle);
        let shapes = shape::shapes(&world.shapes)?;
        for collider in &world.colliders {
            let body = handle(collider.body);
            let hooks = if apart.of.contains(&body) {
                ActiveHooks::FILTER_CONTACT_PAIRS
            } else {
                ActiveHooks::empty()
            };
            physics.bodies[body].enable_ccd(collider.continuous);
            physics.insert_collider(shape::collider(collider, &shapes).active_hooks(hooks), Some(body));
        }
        // Otherwise masses are known after the first step only.
        for &body in &bodies {
            physics.bodies[body].recompute_mass_properties_from_colliders(&physics.colliders);
        }
        let moved = world.bodies.iter().zip(&bodies).filter(|(body, _)| !body.moves.is_empty());
        let moved = moved.map(|(body, handle)| (*handle, body.moves.iter().map(shape::pose).collect()));
        Ok(Self { moved: moved.collect(), physics, bodies, steps: 0, apart, lost: false })
    }

    pub fn step(&mut self) {
        for (body, path) in &self.moved {
            if let Some(pose) = path.get(self.steps) {
                self.physics.bodies[*body].set_next_kinematic_position(*pose);
            }
        }
        self.physics.step_with_events(&self.apart, &());
        self.steps += 1;
        self.lost |= !self.physics.quarantine().bodies().is_empty();
    }

    /// False from the step on at which a body had no finite state; Rapier takes such bodies out.
    pub fn finite(&self) -> bool {
        !self.lost
    }

    /// Kinetic and potential energy now [J].
    pub fn energy(&self) -> f64 {
        let gravity = self.physics.gravity;
        let moving =
            self.bodies.iter().map(|&body| &self.physics.bodies[body]).filter(|body| body.is_dynamic());
        moving.map(|body| body.kinetic_energy() - body.mass() * gravity.dot(body.center_of_mass())).sum()
    }

    /// Where the bodies are now.
    pub fn poses(&self, poses: &mut Vec<Pose>) {
        poses.clear();
        poses.extend(self.bodies.iter().map(|&body| *self.physics.bodies[body].position()));
    }
}

/// Pairs of bodies that do not touch.
struct Apart {
    pairs: HashSet<[RigidBodyHandle; 2]>,
    /// All bodies in them.
    of: HashSet<RigidBodyHandle>,
}

impl Apart {
    fn new(world: &World, handle: impl Fn(i64) -> RigidBodyHandle) -> Self {
        let pairs: HashSet<_> =
            world.apart().map(|pair| pair.map(&handle)).flat_map(|[a, b]| [[a, b], [b, a]]).collect();
        let of = pairs.iter().flatten().copied().collect();
        Self { pairs, of }
    }
}

impl PhysicsHooks for Apart {
    fn filter_contact_pair(&self, context: &PairFilterContext) -> Option<SolverFlags> {
        let pair = context.rigid_body1.zip(context.rigid_body2);
        let apart = pair.is_some_and(|(a, b)| self.pairs.contains(&[a, b]));
        (!apart).then(SolverFlags::default)
    }
}

fn rigid_body(body: &Body, drag: f64) -> RigidBodyBuilder {
    let place = pose(body.position, body.rotation);
    if !body.moves.is_empty() {
        return RigidBodyBuilder::kinematic_position_based().pose(place);
    }
    if body.fixed {
        return RigidBodyBuilder::fixed().pose(place);
    }
    let com = Vector::from(body.com);
    let omega = Vector::from(body.omega);
    let [xx, xy, xz, yy, yz, zz] = body.inertia;
    let inertia = Matrix::from_cols_array(&[xx, xy, xz, xy, yy, yz, xz, yz, zz]);
    RigidBodyBuilder::dynamic()
        .pose(place)
        // Rapier's is the velocity of the center of mass.
        .linvel(Vector::from(body.velocity) + omega.cross(place.rotation * com))
        .angvel(omega)
        .additional_mass_properties(MassProperties::with_inertia_matrix(com, body.mass, inertia))
        .linear_damping(drag)
        .angular_damping(drag)
}

fn impulse_joint(joint: &Joint, softness: SpringCoefficients<f64>) -> GenericJoint {
    let length = joint.length.unwrap_or(0.0);
    let mut data = match joint.kind {
        Kind::Ball => GenericJoint::new(JointAxesMask::LOCKED_SPHERICAL_AXES),
        Kind::Hinge => GenericJoint::new(JointAxesMask::LOCKED_REVOLUTE_AXES),
        Kind::Rigid => GenericJoint::new(JointAxesMask::LOCKED_FIXED_AXES),
        Kind::Rope => RopeJoint::new(length).data,
        // Coupled axes have no lower limit in Rapier, but a motor, which may be as stiff as joints are.
        Kind::Distance => {
            let omega = TAU * softness.natural_frequency;
            let (stiffness, damping) = (omega * omega, 2.0 * softness.damping_ratio * omega);
            GenericJointBuilder::new(JointAxesMask::empty())
                .coupled_axes(JointAxesMask::LIN_AXES)
                .motor_position(JointAxis::LinX, length, stiffness, damping)
                .build()
        }
    };
    let to_hinge = (joint.kind == Kind::Hinge).then(z_to_x);
    data.set_local_frame1(frame(&joint.parent_frame, to_hinge));
    data.set_local_frame2(frame(&joint.child_frame, to_hinge));
    data.softness = softness;
    data.set_contacts_enabled(joint.collide);
    data
}

/// Rapier's hinges turn about x, ours about z.
fn z_to_x() -> Rotation {
    Rotation::from_rotation_arc(Vector::X, Vector::Z)
}

fn frame(frame: &Frame, turned: Option<Rotation>) -> Pose {
    let place = pose(frame.position, frame.rotation);
    Pose::from_parts(place.translation, place.rotation * turned.unwrap_or(Rotation::IDENTITY))
}

fn pose(position: [f64; 3], rotation: [f64; 4]) -> Pose {
    Pose::from_parts(Vector::from(position), Rotation::from_array(rotation).normalize())
}
