use crate::Simulation;
use crate::bodies::ArticulationId;

/// What is done to articulations before their steps: loads, drives, detail. (Positions and velocities of what touches or is constrained are
/// changed by [`World::articulation_mut`](crate::World::articulation_mut).)
///
/// ```
/// # use supple::prelude::*;
/// # let rod = RigidInertia::solid_capsule(1.0, DVec3::ZERO, DVec3::X, 0.02);
/// # let model = ModelBuilder::new().body(Body::new("rod", Joint::revolute(DVec3::Y)).inertia(rod)).finish()?;
/// let mut world = World::new();
/// let rod = world.add_articulation(Simulation::new(model));
/// let push = |_: ArticulationId, simulation: &mut Simulation| simulation.tau[0] = simulation.state.time.sin();
/// for _ in 0..60 {
///     world.step_with(1.0 / 60.0, &push)?;
/// }
/// # assert!(world.articulation(rod)?.state.q[0] != 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Cue: Sync {
    /// Does it to an articulation that is about to step.
    fn act(&self, id: ArticulationId, simulation: &mut Simulation);

    /// Whether nothing is ever done: then nobody looks for what it may have changed.
    fn is_nothing(&self) -> bool {
        false
    }

    /// From when on something may be done to it, if it rests or sleeps at a time \[s]: until then it is not asked. Then the cue acts on it; one
    /// that sleeps wakes if it has other loads then than when it fell asleep, or was pushed.
    fn next(&self, _id: ArticulationId, time: f64) -> f64 {
        time
    }
}

impl<F: Fn(ArticulationId, &mut Simulation) + Sync> Cue for F {
    fn act(&self, id: ArticulationId, simulation: &mut Simulation) {
        self(id, simulation);
    }
}

/// Nothing is done to anybody.
pub(crate) struct Nothing;

impl Cue for Nothing {
    fn act(&self, _: ArticulationId, _: &mut Simulation) {}

    fn is_nothing(&self) -> bool {
        true
    }

    fn next(&self, _: ArticulationId, _: f64) -> f64 {
        f64::INFINITY
    }
}
