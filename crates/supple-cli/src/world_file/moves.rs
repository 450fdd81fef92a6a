//! Where a scene takes its kinematic bodies.

use anyhow::Result;
use supple::constraint::Frame;
use supple::world::SingleId;
use supple_scenes::{SECONDS, Stage};

/// Frames of every body after every step of the scene; none for bodies that are not kinematic.
pub(super) fn paths(stage: &mut Stage) -> Result<Vec<Vec<Frame>>> {
    let ids: Vec<(SingleId, bool)> =
        stage.world.bodies().map(|(id, body)| (id, body.is_kinematic())).collect();
    let mut paths = vec![Vec::new(); ids.len()];
    if !ids.iter().any(|(_, kinematic)| *kinematic) {
        return Ok(paths);
    }
    let (dt, _) = stage.step_length(None);
    for _ in 0..(stage.seconds.unwrap_or(SECONDS) / dt).round() as u64 {
        stage.step(dt)?;
        for (path, (id, _)) in paths.iter_mut().zip(&ids).filter(|(_, (_, kinematic))| *kinematic) {
            path.push(stage.world.body(*id)?.frame());
        }
    }
    Ok(paths)
}
