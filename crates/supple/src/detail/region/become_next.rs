//! The end of an update: joints stop, parts freeze, and the next region is the present one.

use crate::dynamics::BodyState;
use crate::model::LinkId;

use super::super::hybrid::Hybrid;
use super::super::scene::Scene;
use super::super::worth::Assembled;
use super::super::{NodeId, NodeKind, RegionReport, rigidify};
use super::{Region, Update};

impl Region {
    /// Joints outside the next region stop, parts freeze, and the next region becomes the present one. Whether velocities changed.
    pub(super) fn become_next(&mut self, update: &mut Update<'_>, report: &mut RegionReport) -> bool {
        let Update { model, loads, .. } = *update;
        let (state, full) = (&mut *update.state, model.tree());
        let Self {
            now, transient, next, assembly, rigid, weights, metric, rigidifier, drives, ahead, ..
        } = self;
        next.mark(assembly);
        let stops = |link: &&u32| !next.active.contains(**link);
        report.stopped += now.active.members().iter().filter(stops).count();
        let moves = |dof: usize| state.v[dof] != 0.0;
        let momentum_goes = transient
            .active
            .members()
            .iter()
            .filter(stops)
            .any(|l| full.links[*l as usize].dofs().any(moves));

        // --- parts whose joints have all stopped become rigid ---
        let closes = |next: &Hybrid, node: NodeId| {
            !next.is_open(node) && matches!(assembly.node(node).kind, NodeKind::Join(_))
        };
        for open in now.nodes().iter().filter(|open| closes(next, open.node)) {
            rigid.freeze(full, assembly, &state.q, open.node);
            if let Some(worth) = &mut update.worth {
                worth.freeze(&Assembled { tree: full, assembly, rigid }, open.node);
            }
        }
        next.build(full, assembly, rigid, &state.q);

        // --- momenta of the old groups go to the new ones ---
        if momentum_goes {
            for i in 0..transient.tree().links.len() {
                next.locate(assembly, rigid, transient.tree().links[i].full);
            }
            let (old, new) = (transient.tree(), next.tree());
            report.kinetic_lost += rigidify(old, new, &state.q, model.armature(), &mut state.v, rigidifier);
        }

        // --- what the metric keeps of the parts, at the velocities that they have now ---
        if let Some(metric) = metric.by_assembly() {
            let (q, v) = (&state.q[..], &state.v[..]);
            drives.set(&BodyState { model, tree: full, q, v }, loads);
            let scene = Scene { model, assembly, rigid, weights, q, v, loads, drives, ahead: *ahead };
            for open in now.nodes().iter().filter(|open| closes(next, open.node)) {
                metric.freeze(&scene, open.node);
            }
        }

        if report.stopped > 0 || next.active.members() != now.active.members() {
            state.memory.restart_joints(next.tree().links.iter().map(|l| l.id));
        }
        std::mem::swap(now, next);
        state.active.clear();
        state.active.extend(now.active.members().iter().map(|i| LinkId(*i)));
        report.active = now.active.len();
        report.groups = now.tree().links.len();
        (report.open, report.pieces) = (now.nodes().len(), now.pieces().len());
        momentum_goes
    }
}
