//! The default integrator: momenta projected on the joints at mid-step, mirrored there, and projected again at
//! the end. Theory, section 15.3 (the step), 15.4 (why it holds), 15.6 (`accurate`).
//!
//! ```text
//!  start    momenta P₀ (link axes), l₀ of all bodies at q, v;  tension K from the last transmitted forces
//!  middle   pose at q ⊕ g dt v          ↓
//!           sweep: I + (g dt)² K − g dt [L]×   ↑↓  → v_g       unsymmetric only where bodies turn out of plane
//!           mirror: P₀ + (P_g − P₀)/g,  l₀ + (l_g − l₀)/g
//!  close    pose at q' = q ⊕ dt v_g     ↓
//!           sweep: I                    ↑↓  → v'
//!  floating centre of mass and momenta of a floating body made exact, in a pose that it has the energy for
//!  cap      kinetic + potential energy not above that of the start plus the work of the loads
//! ```
//!
//! With g = 1/2 and no loads the first sweep projects the momenta on what the joints allow at mid-step, and the
//! mirror image has the same kinetic energy, whatever the middle pose is; the second projection can only lower
//! it. K makes tension implicit, the skew block [L]× the turning of spinning bodies.

mod close;
mod floating;
mod gyration;
mod middle;
mod reach;
mod survey;

use glam::{DMat3, DVec3};

use crate::dynamics::State;
use crate::model::{Central, Tree};
use crate::spatial::{ArticulatedInertia, RigidInertia, Sym3};

use super::super::kinematics::Kinematics;
use super::super::passive;
use super::super::spring::Ties;
use super::joints_of::{copy_q, copy_v, equal_q, equal_v};
use super::tension::Tension;
use super::{Memory, Step, StepReport, Workspace, position};
use survey::{Survey, potential, survey};

/// Which of the two momentum integrators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Default,
    Accurate,
}

/// Passes in the middle at most, for bodies with joints (theory, section 15.3). Chains take 2.0 to 2.2 sweeps a step, the closing one counted.
const PASSES: u32 = 3;
/// Passes in the middle at most for a single body, whose passes are cheap: [`CLOSE_ENOUGH_ONE_BODY`] takes six sweeps in all
/// at 20 rad/s and 1/60 s, and eight at 100 rad/s (theory, section 15.5).
const PASSES_ONE_BODY: u32 = 10;
/// No further pass when velocities times dt changed by less than this \[rad or m] (theory, section 15.3).
const CLOSE_ENOUGH: f64 = 0.1;
/// No further pass of a single body when its velocity times dt changed by less than this \[rad or m] (theory, section 15.3: a tumbling body then
/// keeps its energy to four digits over 10 s).
const CLOSE_ENOUGH_ONE_BODY: f64 = 1e-6;

/// What the step knows of one link. Angular momenta are about the link's centre of mass, in the axes of the link
/// where some body turns out of plane, in world axes else.
#[derive(Clone, Copy, Debug, Default)]
struct Body {
    /// Angular momentum at the start.
    p0: DVec3,
    /// Linear momentum at the start.
    l0: DVec3,
    /// Angular momentum at mid-step.
    p: DVec3,
    /// Linear momentum at mid-step.
    l: DVec3,
    /// From origin to centre of mass at the present pose, world axes.
    com: DVec3,
    /// Inertia about the centre of mass at the present pose, world axes.
    inertia: Sym3,
    /// P_f: mean of the angular momentum that a free body would have over the step.
    free: DVec3,
    /// d: what the joints' reactions changed of that mean, world axes.
    reaction: DVec3,
    /// Impulse that the joint transmits onto the link until mid-step.
    transmitted: DVec3,
}

impl Body {
    /// Takes the centre of mass and the inertia about it to the pose of the link.
    #[inline(always)]
    fn place(&mut self, central: &Central, rotation: DMat3) {
        self.com = rotation * central.com;
        self.inertia = central.inertia.rotated(rotation);
    }

    /// Inertia about the link's origin, world axes.
    #[inline(always)]
    fn articulated(&self, mass: f64) -> ArticulatedInertia {
        RigidInertia::new(mass, self.com, self.inertia).articulated()
    }
}

/// What all stages of a step share.
#[derive(Clone, Copy, Debug)]
struct Plan<'a> {
    step: Step<'a>,
    mode: Mode,
    /// Where in the step the middle is.
    g: f64,
    /// Whether some body turns out of plane: then momenta are kept in link axes and the sweep is unsymmetric.
    spinning: bool,
    /// Whether dead loads (forces of constant direction in the world) count as potential energy, as weight does: their
    /// work is then exact. The momenta that they give a floating body are taken at mid-step, and their work with them.
    dead: bool,
}

/// What the end of a step knows of the next one's start, if nothing is changed in between. A fresh start comes to
/// the same bits.
#[derive(Clone, Copy, Debug)]
struct Known {
    tree: u64,
    survey: Survey,
    gravity: DVec3,
    dt: f64,
}

/// Scratch of the momentum integrators.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// Poses at the start, the (q, v) they belong to, and what the end of the last step knew of them.
    start: Kinematics,
    start_q: Vec<f64>,
    start_v: Vec<f64>,
    known: Option<Known>,
    middle: Kinematics,
    end: Kinematics,
    bodies: Vec<Body>,
    tension: Tension,
    ties: Ties,
    q: Vec<f64>,
    v_middle: Vec<f64>,
    v_pass: Vec<f64>,
    /// Dampers of the step, per degree of freedom, without those of drives that have limits.
    damping: Vec<f64>,
}

pub(super) fn step(mode: Mode, step: &Step<'_>, state: &mut State, work: &mut Workspace) -> StepReport {
    let Step { model, tree, loads, dt } = *step;
    let mut report = StepReport { sweeps: 0, substeps: 1, capped: false };
    if tree.links.is_empty() {
        return report;
    }
    let mut scratch = std::mem::take(&mut work.mirror);
    resize(step, state, &mut scratch, work);

    // --- start ---
    let floats = floating::is_floating(model, tree, loads);
    let dead = !floats && loads.has_dead();
    // energies that loads have may change between steps
    let changes = dead || !loads.springs.is_empty();
    let before = match scratch.known {
        Some(known) if !changes && known.holds(step, state, &scratch) => known.survey,
        _ => scratch.survey_start(step, state, dead),
    };
    scratch.known = None;
    let spinning = before.spinning;
    scratch.pull(step, state, spinning);
    let momentum_before = floats.then(|| floating::total(tree, &scratch, spinning));
    let stiff = scratch.tension.stiffest;
    let g = match mode {
        Mode::Default => 0.5 + stiff / (1.0 + stiff) / 6.0,
        Mode::Accurate => 0.5,
    };
    let plan = Plan { step: *step, mode, g, spinning, dead };

    // --- middle: a few passes at most ---
    let (passes, close_enough) = match (mode, tree.links.len()) {
        (_, 1) => (PASSES_ONE_BODY, CLOSE_ENOUGH_ONE_BODY),
        (Mode::Default, _) => (PASSES, CLOSE_ENOUGH),
        (Mode::Accurate, _) => (2, 0.0),
    };
    copy_v(tree, &state.v, &mut scratch.v_pass);
    let (mut last_change, mut work_done) = (f64::INFINITY, 0.0);
    for pass in 0..passes {
        report.sweeps += middle::sweep(&plan, state, pass == 0, &mut scratch, work);
        let change = dt * largest_difference(tree, &work.rates, &scratch.v_pass);
        if change > last_change && tree.links.len() > 1 {
            // it does not converge: the pass before was better
            break;
        }
        last_change = change;
        std::mem::swap(&mut scratch.v_middle, &mut work.rates);
        work_done = dt * middle::mirror(&plan, &mut scratch, work);
        let missed =
            || passive::stop_was_missed(model, tree, &state.q, &scratch.v_middle, &scratch.v_pass, dt);
        if change < close_enough && !(model.has_passive() && missed()) {
            break;
        }
        let Scratch { v_pass, v_middle, .. } = &mut scratch;
        copy_v(tree, v_middle, v_pass);
    }

    // --- close ---
    position::advance_in_place(tree, &mut state.q, &scratch.v_middle, dt);
    scratch.end.update_poses(tree, &state.q);
    place(tree, &scratch.end, &mut scratch.bodies);
    // a floating body: where its momenta take it, in a pose that it has the energy for
    let energy = before.kinetic + before.potential + work_done;
    let destination = momentum_before.and_then(|total| {
        let target = floating::target(&plan, &total, &scratch, work);
        let locked = reach::reach(&plan, &target, &total, energy, state, &mut scratch)?;
        Some((target, locked))
    });
    let below = destination.is_none().then(|| reach::stay_below(&plan, energy, state, &mut scratch));
    report.sweeps += close::sweep(&plan, state, &mut scratch, work);
    for link in &tree.links {
        state.v[link.dofs()].copy_from_slice(&work.rates[link.dofs()]);
    }
    // what is conserved is conserved exactly
    let rigid = destination
        .map(|(target, locked)| floating::restore(tree, &target, &locked, state, &mut scratch, work));

    // --- cap ---
    let Scratch { end, bodies, tension, .. } = &mut scratch;
    let potential = below.unwrap_or_else(|| potential(step, &state.q, dead, end, bodies));
    let after = survey(step, &state.v, potential, end, bodies);
    for (i, link) in tree.links.iter().enumerate() {
        // how much energy the tension stiffness may hold in the next step: none where K w is zero but for rounding, which may be
        // less than none
        let w = end.links[i].velocity.angular;
        state.memory.allowance[link.id.index()] = (w.dot(tension.k[i] * w) * (g * dt) * (g * dt)).max(0.0);
    }
    let allowed = energy - after.potential;
    let least = rigid.map_or(0.0, |r| r.energy);
    if after.kinetic > allowed && after.kinetic > least {
        let scale = ((allowed - least).max(0.0) / (after.kinetic - least)).min(1.0).sqrt();
        floating::scale(tree, end, rigid, scale, &mut state.v);
        report.capped = true;
    }
    if !report.capped && !changes {
        scratch.known = Some(Known { tree: tree.id, survey: after, gravity: loads.gravity, dt });
    }
    std::mem::swap(&mut scratch.start, &mut scratch.end);
    copy_q(tree, &state.q, &mut scratch.start_q);
    copy_v(tree, &state.v, &mut scratch.start_v);
    work.mirror = scratch;
    report
}

impl Known {
    /// Whether what is known of the last step's end still holds for this step's start.
    fn holds(&self, step: &Step<'_>, state: &State, scratch: &Scratch) -> bool {
        let Step { tree, loads, dt, .. } = *step;
        self.tree == tree.id
            && self.dt == dt
            && self.gravity == loads.gravity
            && equal_q(tree, &scratch.start_q, &state.q)
            && equal_v(tree, &scratch.start_v, &state.v)
    }
}

impl Scratch {
    /// Poses, momenta and energies at the start of a step, from (q, v) alone.
    fn survey_start(&mut self, step: &Step<'_>, state: &State, dead: bool) -> Survey {
        let tree = step.tree;
        let Self { start, start_q, bodies, .. } = self;
        copy_q(tree, &state.q, start_q);
        start.update_poses(tree, &state.q);
        place(tree, start, bodies);
        let potential = potential(step, &state.q, dead, start, bodies);
        survey(step, &state.v, potential, start, bodies)
    }

    /// Tension at the start; momenta into link axes where bodies spin.
    fn pull(&mut self, step: &Step<'_>, state: &State, spinning: bool) {
        let Step { model, tree, loads, dt } = *step;
        let Self { start, bodies, tension, ties, .. } = self;
        tension.begin(tree.links.len(), dt);
        ties.set(model, tree, start, loads.springs);
        tension.pull(tree, start, ties);
        for (i, link) in tree.links.iter().enumerate().rev() {
            tension.visit(tree, start, i, bodies[i].com, state.memory.transmitted[link.id.index()]);
            if spinning {
                bodies[i].p0 = start.links[i].rotation.transpose() * bodies[i].p0;
            }
        }
    }
}

/// Takes all bodies' centres of mass and inertias to the poses given.
fn place(tree: &Tree, poses: &Kinematics, bodies: &mut [Body]) {
    for ((central, motion), body) in tree.central.iter().zip(&poses.links).zip(bodies) {
        body.place(central, motion.rotation);
    }
}

fn resize(step: &Step<'_>, state: &mut State, scratch: &mut Scratch, work: &mut Workspace) {
    let Step { model, tree, .. } = *step;
    scratch.bodies.resize(tree.links.len(), Body::default());
    for list in [&mut scratch.start_v, &mut scratch.v_middle, &mut scratch.v_pass, &mut scratch.damping] {
        list.resize(model.nv(), 0.0);
    }
    scratch.q.resize(model.nq(), 0.0);
    scratch.start_q.resize(model.nq(), f64::NAN);
    for list in [&mut work.tau, &mut work.diagonal, &mut work.rates] {
        list.resize(model.nv(), 0.0);
    }
    work.sweep.resize(tree);
    if state.memory.transmitted.len() != model.joints().len() {
        state.memory = Memory::new(model.joints().len());
    }
}

fn largest_difference(tree: &Tree, a: &[f64], b: &[f64]) -> f64 {
    let mut largest = 0.0f64;
    for link in &tree.links {
        for dof in link.dofs() {
            largest = largest.max((a[dof] - b[dof]).abs());
        }
    }
    largest
}
