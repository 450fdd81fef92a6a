//! How far joints are apart, by where bodies are: as the peers of `bench/` measure it.

use supple::world::World;

/// Greatest distance between the two sides of a joint \[m]; springs do not count. Infinite where it is no number.
pub(crate) fn greatest(world: &World) -> f64 {
    let mut most = 0.0f64;
    for (id, constraint) in world.constraints().filter(|(_, c)| c.softness.is_none()) {
        let Ok(joint) = world.joint_frame(id) else { continue };
        let gap = (joint.position - constraint.model.nearest(joint).position).length();
        most = if gap.is_nan() { f64::INFINITY } else { most.max(gap) };
    }
    most
}
