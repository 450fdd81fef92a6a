//! What a tree of joints leaves open: closed loops, and joints that move together.

use glam::DVec3;
use supple::constraint::{Ball, Constraint, Coupling, DofRef, Frame, Rigid};
use supple::world::{ArticulationId, World, WorldError};
use supple::{BodyId, Simulation};

use crate::Loaded;

/// A loop of bodies, or joints that move together. Bodies and degrees of freedom are those of the model.
#[derive(Clone, Debug, PartialEq)]
pub enum Loop {
    /// Two points coincide: MJCF's `<connect>`.
    Connect {
        /// What the file calls it; may be empty.
        name: String,
        /// The two bodies.
        bodies: [BodyId; 2],
        /// The point in the frame of each \[m].
        points: [DVec3; 2],
    },
    /// Two frames coincide: MJCF's `<weld>`.
    Weld {
        /// What the file calls it; may be empty.
        name: String,
        /// The two bodies.
        bodies: [BodyId; 2],
        /// The frame that both share, in the frame of each.
        frames: [Frame; 2],
    },
    /// A joint follows another: `q_follower = Σ_k polynomial[k] q_leader^k`. MJCF's `<joint>` among equalities, URDF's `<mimic>`.
    Joint {
        /// What the file calls it; may be empty.
        name: String,
        /// Degree of freedom that follows.
        follower: usize,
        /// Degree of freedom that leads; without one the follower is held at `polynomial[0]`.
        leader: Option<usize>,
        /// Coefficients, the constant first.
        polynomial: Vec<f64>,
    },
}

impl Loop {
    /// What the file calls it; may be empty.
    pub fn name(&self) -> &str {
        match self {
            Self::Connect { name, .. } | Self::Weld { name, .. } | Self::Joint { name, .. } => name,
        }
    }
}

impl Loaded {
    /// A world with the model as its one articulation, its loops as hard constraints, and its colliders. It begins as the file says, but
    /// that joints which follow others begin where those put them.
    pub fn world(&self) -> Result<World, WorldError> {
        let mut world = World::new();
        world.gravity = self.gravity;
        self.add_to(&mut world, self.simulation())?;
        Ok(world)
    }

    /// Adds a simulation of the model to a world as an articulation, with loops and colliders. Joints that follow others begin where those
    /// put them.
    pub fn add_to(
        &self,
        world: &mut World,
        mut simulation: Simulation,
    ) -> Result<ArticulationId, WorldError> {
        self.follow(&mut simulation);
        let articulation = world.add_articulation(simulation);
        for each in &self.loops {
            match each {
                Loop::Connect { name, bodies: [a, b], points } => {
                    let [parent, child] = points.map(Frame::at);
                    let joint = Constraint::new(Ball, (articulation, *a), (articulation, *b)).named(name);
                    world.add(joint.parent_frame(parent).child_frame(child))?;
                }
                Loop::Weld { name, bodies: [a, b], frames: [parent, child] } => {
                    let joint = Constraint::new(Rigid, (articulation, *a), (articulation, *b)).named(name);
                    world.add(joint.parent_frame(*parent).child_frame(*child))?;
                }
                Loop::Joint { name, follower, leader, polynomial } => {
                    let dof = |dof: usize| DofRef { articulation, dof };
                    world.couple(Coupling {
                        name: name.clone(),
                        follower: dof(*follower),
                        leader: leader.map(dof),
                        offset: polynomial.first().copied().unwrap_or(0.0),
                        coefficients: polynomial.get(1..).unwrap_or_default().to_vec(),
                    })?;
                }
            }
        }
        self.put_colliders(world, articulation)?;
        Ok(articulation)
    }

    /// Puts joints that follow others where those are.
    fn follow(&self, simulation: &mut Simulation) {
        let joints = self.loops.iter().filter_map(|each| match each {
            Loop::Joint { follower, leader, polynomial, .. } => Some((*follower, *leader, polynomial)),
            _ => None,
        });
        let place =
            |dof: usize| self.joints.iter().find(|j| j.v.contains(&dof)).map(|j| j.q.start + dof - j.v.start);
        // a leader may follow another one
        for _ in 0..joints.clone().count().min(LONGEST_CHAIN) {
            for (follower, leader, polynomial) in joints.clone() {
                let at = leader.and_then(place).map_or(0.0, |q| simulation.state.q[q]);
                let value = polynomial.iter().rev().fold(0.0, |sum, c| sum * at + c);
                if let Some(q) = place(follower) {
                    simulation.state.q[q] = value;
                }
            }
        }
    }
}

/// Joints that follow one another in a row, at most, for the first position.
const LONGEST_CHAIN: usize = 32;
