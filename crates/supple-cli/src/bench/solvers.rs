//! One forward-dynamics call, state in, accelerations out, by the articulated-body algorithm or by divide and conquer.

use std::hint::black_box;
use std::time::Instant;

use anyhow::{Result, anyhow};
use supple::Simulation;
use supple::detail::{AssemblyTree, Dca};
use supple::dynamics::articulated::Sweep;
use supple::dynamics::kinematics::Kinematics;
use supple::dynamics::wrench::Wrenches;
use supple::dynamics::{EquationOfMotion, aba};

/// Both algorithms for one model.
pub(crate) struct Solvers {
    kinematics: Kinematics,
    wrenches: Wrenches,
    sweep: Sweep,
    assembly: AssemblyTree,
    dca: Dca,
    qdd: Vec<f64>,
}

impl Solvers {
    pub(crate) fn new(simulation: &Simulation) -> Result<Self> {
        let model = &simulation.model;
        let assembly = AssemblyTree::build(model.tree());
        let dca = Dca::new(model.tree(), &assembly)
            .map_err(|e| anyhow!("joint {} carries no inertia", e.joint.index()))?;
        Ok(Self {
            kinematics: Kinematics::new(model.tree()),
            wrenches: Wrenches::new(),
            sweep: Sweep::new(model.tree()),
            assembly,
            dca,
            qdd: vec![0.0; model.nv()],
        })
    }

    /// Accelerations by the articulated-body algorithm; kinematics and wrenches included.
    pub(crate) fn aba(&mut self, simulation: &Simulation) -> &[f64] {
        self.prepare(simulation);
        let Simulation { model, gravity, tau, .. } = simulation;
        let Self { kinematics, wrenches, sweep, qdd, .. } = self;
        let equation = EquationOfMotion {
            tree: model.tree(),
            kinematics,
            gravity: *gravity,
            diagonal: model.armature(),
            wrenches,
        };
        aba::accelerations(&equation, tau, sweep, black_box(qdd));
        &self.qdd
    }

    /// The same by divide and conquer.
    pub(crate) fn dca(&mut self, simulation: &Simulation) -> &[f64] {
        self.prepare(simulation);
        let Simulation { model, gravity, tau, .. } = simulation;
        let Self { kinematics, wrenches, assembly, dca, qdd, .. } = self;
        let equation = EquationOfMotion {
            tree: model.tree(),
            kinematics,
            gravity: *gravity,
            diagonal: model.armature(),
            wrenches,
        };
        dca.accelerations(&equation, assembly, tau, black_box(qdd));
        &self.qdd
    }

    fn prepare(&mut self, simulation: &Simulation) {
        let Simulation { model, state, wrenches, .. } = simulation;
        self.kinematics.update(model.tree(), black_box(&state.q), black_box(&state.v));
        self.wrenches.set(model, model.tree(), &self.kinematics, wrenches);
    }
}

/// Time of one of so many calls \[ns].
pub(crate) fn mean_ns(calls: u32, mut call: impl FnMut()) -> f64 {
    let start = Instant::now();
    (0..calls).for_each(|_| call());
    start.elapsed().as_secs_f64() * 1e9 / f64::from(calls)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The yardstick computes what it is said to.
    #[test]
    fn both_give_the_same_accelerations_under_forces() {
        let mut stage = supple_scenes::stage("pendulum-300", &[("forces", "20")]).unwrap();
        (0..300).for_each(|_| {
            stage.step(1e-3).unwrap();
        });
        let (_, first) = stage.first().unwrap();
        let mut solvers = Solvers::new(first).unwrap();
        let aba = solvers.aba(first).to_vec();
        let dca = solvers.dca(first).to_vec();
        let largest = aba.iter().fold(0.0f64, |m, a| m.max(a.abs()));
        let worst = aba.iter().zip(&dca).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        assert!(worst <= 1e-9 * largest, "{worst} of {largest}");
        let mut simulation = first.clone();
        assert_eq!(simulation.accelerations(), aba);
    }
}
