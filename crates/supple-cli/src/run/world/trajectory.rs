//! The trajectory of a world: bodies, joints of articulations, energies, gaps.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;
use supple::world::{ArticulationId, SingleId, World};

use crate::run::columns;
use crate::run::layout::{Array, Layout};
use crate::run::record::Recorder;

use super::Measured;

/// Numbers of a body: position, quaternion.
const PARTS: [&str; 7] = ["x", "y", "z", "qx", "qy", "qz", "qw"];

/// Writes rows of time, poses, q, v, energies, the greatest gap, penetration, contacts and what sleeps.
pub(crate) struct Trajectory {
    recorder: Recorder,
    /// Those at the start; what comes later has no column, what goes has no numbers.
    bodies: Vec<SingleId>,
    /// With how many numbers in q and v.
    articulations: Vec<(ArticulationId, usize, usize)>,
}

impl Trajectory {
    /// Creates the file; its extension names the format.
    pub(crate) fn create(path: &Path, world: &World) -> Result<Self> {
        let bodies: Vec<SingleId> = world.bodies().map(|(id, _)| id).collect();
        let models = || world.articulations().map(|(id, simulation)| (id, &simulation.model));
        Ok(Self {
            recorder: Recorder::create(path, layout(world))?,
            bodies,
            articulations: models().map(|(id, model)| (id, model.nq(), model.nv())).collect(),
        })
    }

    /// Writes one row.
    pub(crate) fn row(&mut self, world: &World, measured: &Measured) -> Result<()> {
        let mut row = vec![world.time()];
        for id in &self.bodies {
            let pose = world.body(*id).map(|body| {
                let frame = body.frame();
                (frame.position.to_array(), frame.rotation.to_array())
            });
            let (position, rotation) = pose.unwrap_or(([f64::NAN; 3], [f64::NAN; 4]));
            row.extend(position.into_iter().chain(rotation));
        }
        for velocities in [false, true] {
            for (id, nq, nv) in &self.articulations {
                match world.articulation(*id) {
                    Ok(s) => row.extend(if velocities { &s.state.v } else { &s.state.q }),
                    Err(_) => row.extend(vec![f64::NAN; if velocities { *nv } else { *nq }]),
                }
            }
        }
        let energy = measured.energy;
        row.extend([energy.kinetic, energy.potential, energy.total(), measured.gap_max]);
        row.extend([measured.penetration, measured.contacts as f64, measured.asleep as f64]);
        self.recorder.row(&row)
    }

    /// Completes the file; tells how many rows it has.
    pub(crate) fn finish(self) -> Result<u64> {
        self.recorder.finish()
    }
}

fn layout(world: &World) -> Layout {
    let bodies = names(world);
    let columns = bodies.iter().flat_map(|body| PARTS.map(|part| format!("{body}.{part}"))).collect();
    let several = world.articulations().count() > 1;
    let (mut q, mut v) = (Vec::new(), Vec::new());
    for (i, (_, simulation)) in world.articulations().enumerate() {
        let named = |name: String| if several { format!("{i}.{name}") } else { name };
        q.extend(columns::positions(&simulation.model).into_iter().map(named));
        v.extend(columns::velocities(&simulation.model).into_iter().map(named));
    }
    let mut arrays = vec![
        Layout::number("time"),
        Array { name: "bodies", shape: vec![bodies.len(), PARTS.len()], columns },
        Layout::list("q", &q),
        Layout::list("v", &v),
    ];
    arrays.extend(
        ["kinetic", "potential", "total", "gap_max", "penetration", "contacts", "asleep"].map(Layout::number),
    );
    Layout { arrays, names: vec![("body_names", bodies), ("q_names", q), ("v_names", v)] }
}

/// A name of its own for every single body.
pub(crate) fn names(world: &World) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let mut list = Vec::new();
    for (i, (_, body)) in world.bodies().enumerate() {
        let mut name = if body.name.is_empty() { format!("body {i}") } else { body.name.clone() };
        while !taken.insert(name.clone()) {
            name = format!("{name} #{i}");
        }
        list.push(name);
    }
    list
}
