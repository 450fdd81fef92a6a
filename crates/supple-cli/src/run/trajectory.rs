//! The trajectory of a scene: bodies, joints of articulations, energies, gaps.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;
use supple::Simulation;
use supple::world::{ArticulationId, SingleId, World};

use super::columns;
use super::layout::{Array, Layout};
use super::motion::Measured;
use super::record::Recorder;
use super::shape::Shape;

/// Numbers of a body: position, quaternion.
const PARTS: [&str; 7] = ["x", "y", "z", "qx", "qy", "qz", "qw"];

/// Writes rows of time, poses, q, v, energies, the greatest gap, penetration, contacts and what sleeps. Of articulations each for itself these are
/// q and v of the first, and energies.
pub(crate) struct Trajectory {
    recorder: Recorder,
    /// Those at the start; what comes later has no column, what goes has no numbers.
    bodies: Vec<SingleId>,
    /// With how many numbers in q and v.
    articulations: Vec<(ArticulationId, usize, usize)>,
    /// Whether there is anything but articulations, each for itself.
    alone: bool,
}

impl Trajectory {
    /// Creates the file; its extension names the format.
    pub(crate) fn create(path: &Path, world: &World) -> Result<Self> {
        let alone = Shape::of(world).alone;
        let written = if alone { 1 } else { usize::MAX };
        let articulations = world.articulations().take(written);
        let sizes = |(id, simulation): (ArticulationId, &Simulation)| {
            (id, simulation.model.nq(), simulation.model.nv())
        };
        Ok(Self {
            recorder: Recorder::create(path, layout(world, written, alone))?,
            bodies: world.bodies().map(|(id, _)| id).collect(),
            articulations: articulations.map(sizes).collect(),
            alone,
        })
    }

    /// Writes one row.
    pub(crate) fn row(&mut self, world: &World, measured: &Measured) -> Result<()> {
        let mut row = vec![measured.time];
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
        row.extend([energy.kinetic, energy.potential, energy.total()]);
        if !self.alone {
            let [contacts, asleep] = [measured.contacts, measured.asleep].map(|count| count as f64);
            row.extend([measured.gap_max, measured.penetration, contacts, asleep]);
        }
        self.recorder.row(&row)
    }

    /// Completes the file; tells how many rows it has.
    pub(crate) fn finish(self) -> Result<u64> {
        self.recorder.finish()
    }
}

fn layout(world: &World, written: usize, alone: bool) -> Layout {
    let bodies = names(world);
    let columns = bodies.iter().flat_map(|body| PARTS.map(|part| format!("{body}.{part}"))).collect();
    let several = world.articulations().take(written).count() > 1;
    let (mut q, mut v) = (Vec::new(), Vec::new());
    for (i, (_, simulation)) in world.articulations().take(written).enumerate() {
        let named = |name: String| if several { format!("{i}.{name}") } else { name };
        q.extend(columns::positions(&simulation.model).into_iter().map(named));
        v.extend(columns::velocities(&simulation.model).into_iter().map(named));
    }
    let mut arrays = vec![Layout::number("time")];
    let mut names = vec![("q_names", q.clone()), ("v_names", v.clone())];
    if !alone {
        arrays.push(Array { name: "bodies", shape: vec![bodies.len(), PARTS.len()], columns });
        names.insert(0, ("body_names", bodies));
    }
    arrays.extend([Layout::list("q", &q), Layout::list("v", &v)]);
    arrays.extend(["kinetic", "potential", "total"].map(Layout::number));
    if !alone {
        arrays.extend(["gap_max", "penetration", "contacts", "asleep"].map(Layout::number));
    }
    Layout { arrays, names }
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
