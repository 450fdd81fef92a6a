//! What an articulation in contact may store in springs, stops and drives.
//!
//! Positions go on by the velocities that contacts leave, and only then forces act, implicitly: springs over the step to come (`projection`).
//! So the energy that no step may raise is that of velocities, and of the pose to which they lead:
//!
//! ```text
//! E = T(v) + U(q ⊕ dt v)
//! ```
//!
//! Sweeps over contacts keep to that where their metric is that of the step. It is not where joints are pulled or braced, or at the first
//! touch, and then a spring that pushes against a contact may be compressed by its own push, a little in every step. So velocities are
//! scaled where they would lead to more than there was and others gave; and what is lost is what being moved apart may store. What there was
//! at the first touch is `T(v) + U(q)` of the step before, and loads give what they do on the way: weight, and the wrenches of the user.

use crate::dynamics::energy;
use crate::simulation::Simulation;

use super::{ApartScratch, Articulated, InContact, Prediction};

/// Halvings to find how far velocities have to be scaled: to a thousandth.
const HALVINGS: u32 = 10;
/// Energy that is nothing, relative to the kinetic one: rounding.
const NOTHING: f64 = 1e-9;

/// Energies between steps in contact \[J].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ledger {
    /// Kinetic energy with which the last step began, if it was one of this kind.
    pub(super) kinetic: Option<f64>,
    /// What contacts with others gave after it.
    pub(super) work: f64,
    /// What joints stored since, by being moved apart.
    pub(super) stored: f64,
    /// What contacts took, and being moved apart may store.
    pub(super) taken: f64,
}

impl Articulated {
    /// Contacts are about to be solved: what they took in earlier steps counts less and less, as what is left of a penetration does that
    /// loses the share `recover` of itself in each.
    pub(crate) fn forget_taken(&mut self, recover: f64) {
        self.contact.ledger.taken *= (1.0 - recover).clamp(0.0, 1.0);
    }

    /// Somebody else sets its state: nobody knows what that gives.
    pub(crate) fn forget_ledger(&mut self) {
        self.contact.ledger = Ledger::default();
    }

    /// Contacts begin to push it: it has what it brings from steps without them.
    pub(super) fn begin_ledger(&mut self) {
        if self.keeps_ledger() {
            self.contact.ledger = Ledger { kinetic: Some(self.kinetic_energy()), ..Ledger::default() };
        }
    }

    /// Whether joints store energy.
    fn keeps_ledger(&self) -> bool {
        self.simulation.model.has_passive() || self.simulation.is_driven()
    }

    /// Before a step of `dt` \[s] by the velocities that contacts left: they lead to no more energy than there was. Where constraints or
    /// springs to the world hold it too, nobody knows what they gave.
    pub(super) fn spare_ahead(&mut self, dt: f64) {
        if !self.keeps_ledger() {
            return;
        }
        let Self {
            simulation,
            has_constraints,
            prediction: Prediction { work, .. },
            apart: ApartScratch { start_q, .. },
            contact: InContact { ledger, .. },
            ..
        } = self;
        work.kinematics.update(simulation.stepped_tree(), &simulation.state.q, &simulation.state.v);
        work.seen = true;
        // those that are there may be forces of contacts, by which joints were chosen
        simulation.see_wrenches(&mut work.wrenches, &work.kinematics);
        let simulation = &*simulation;
        let Simulation { model, state, gravity, .. } = simulation;
        let tree = simulation.stepped_tree();
        let motions = &work.kinematics;
        let kinetic = energy::kinetic(tree, motions, model.armature(), &state.v);
        let falls = tree.central.iter().zip(&motions.links).map(|(central, motion)| {
            motion.velocity.at(motion.rotation * central.com).linear.dot(*gravity) * central.mass
        });
        let pulls = work.wrenches.entries().iter();
        let pulls =
            pulls.filter_map(|(link, wrench)| Some(wrench.dot(motions.links.get(*link as usize)?.velocity)));
        let given = dt * (falls.sum::<f64>() + pulls.sum::<f64>());
        simulation.see_drives(&mut work.drives, 0.0);
        start_q.clone_from(&state.q);
        let mut stored = |scale: f64| -> f64 {
            // drives of a floating base give energy too
            let links = tree.links.iter().filter(|link| link.passive || simulation.is_driven());
            links.map(|link| simulation.stored_by(link, &state.v, scale * dt, &work.drives, start_q)).sum()
        };
        let Ledger { kinetic: before, work: gained, stored: spent, .. } = *ledger;
        let most = before
            .filter(|_| !*has_constraints && simulation.springs.is_empty())
            .map(|before| before + gained - spent + NOTHING * kinetic);
        (ledger.kinetic, ledger.work, ledger.stored) = (Some(kinetic), 0.0, 0.0);
        let Some(most) = most else { return };
        let leads_to = kinetic + stored(1.0) - given;
        if leads_to <= most {
            ledger.taken += most - leads_to;
            return;
        }
        // the whole of a floating tree goes on as it does
        let motions = &work.kinematics;
        self.apart.afloat.note(model, tree, motions);
        self.apart.afloat.restore(tree, motions, |i| motions.links[i].velocity, &mut self.jump);
        let rigid = self.apart.afloat.rigid_energy();
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..HALVINGS {
            let scale = 0.5 * (low + high);
            let leads_to = rigid + scale * scale * (kinetic - rigid) + stored(scale) - given;
            if leads_to <= most { low = scale } else { high = scale }
        }
        let Self {
            simulation,
            prediction: Prediction { work, .. },
            apart: ApartScratch { afloat, .. },
            contact: InContact { ledger, .. },
            ..
        } = self;
        let Simulation { model, region, state, .. } = simulation;
        let tree = region.as_ref().map_or(model.tree(), |r| r.tree(model));
        afloat.scale(tree, &work.kinematics, low, &mut state.v);
        work.seen = false;
        ledger.kinetic = Some(rigid + low * low * (kinetic - rigid));
        state.memory.restart_joints(tree.links.iter().map(|link| link.id));
    }
}
