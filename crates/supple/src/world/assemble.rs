//! Assembly: bodies moved to where their constraints are met (Faure, section 3). A scene may start from an inconsistent pose; a limb
//! follows a tracker.
//!
//! ```text
//!  until all joints are closed, or `outer` times:
//!      b = −errors at the present pose;   A λ = b, at most `inner` products of conjugate gradients;   q ← q ⊕ M⁻¹ Jᵀ λ
//! ```
//!
//! Masses decide who moves more; kinematic bodies and the world do not move. Rotations of more than 0.8 rad at once are cut to that:
//! beyond, the linear approximation may lead nowhere.

use rayon::prelude::*;

use crate::bodies::Node;
use crate::constraint::island::Island;
use crate::constraint::krylov::Method;
use crate::constraint::{Arms, Frame};
use crate::spatial::rotation;
use crate::world::step::impulses_on;
use crate::world::{GREATEST_TURN, Known, World, WorldError};

/// How an assembly is done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Assembly {
    /// Linearizations at most: 3 are mostly exact, 1 or 2 serve a hand that drags.
    pub outer: u32,
    /// Products of conjugate gradients per linearization.
    pub inner: u32,
    /// Errors that do not matter \[m or rad].
    pub tolerance: f64,
    /// Gradients, or residuals where constraints contradict.
    pub method: Method,
}

impl Default for Assembly {
    fn default() -> Self {
        Self { outer: 50, inner: 500, tolerance: 1e-9, method: Method::Gradients }
    }
}

/// What an assembly did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AssemblyReport {
    /// Greatest error of a constraint before each iteration and after the last \[m or rad].
    pub errors: Vec<f64>,
    /// Products of conjugate gradients of each iteration, of the island that took most.
    pub inner: Vec<u32>,
    /// Whether all errors are below the tolerance.
    pub solved: bool,
}

impl World {
    /// Moves bodies so that all constraints are met: the nearest such pose, in terms of mass. Velocities are left alone; springs and
    /// motors do nothing. Articulations at less than full detail move their active joints only.
    pub fn assemble(&mut self, assembly: &Assembly) -> Result<AssemblyReport, WorldError> {
        self.check(1.0)?;
        self.check_ends()?;
        for (id, articulated) in self.articulations.iter() {
            let checked = articulated.simulation.check(1.0);
            checked.map_err(|error| WorldError::Articulation { index: id.index(), error })?;
        }
        self.connect();
        self.contacts.user.entry = true;
        let mut report = AssemblyReport::default();
        loop {
            self.known = Known::Islands;
            self.observe(Arms::Own, 0.0);
            let error = self
                .islands
                .iter_mut()
                .map(Island::open_rows)
                .fold(0.0, |worst: f64, e| if e <= worst { worst } else { e });
            report.errors.push(error);
            report.solved = error <= assembly.tolerance;
            // steps have other arms
            self.known = Known::Islands;
            if report.solved || report.inner.len() as u32 >= assembly.outer || !error.is_finite() {
                return Ok(report);
            }
            report.inner.push(self.displace(assembly));
        }
    }

    /// One iteration: the displacements that would close the joints if they were linear.
    fn displace(&mut self, assembly: &Assembly) -> u32 {
        let Self { singles, articulations, islands, .. } = self;
        let tolerance = 0.1 * assembly.tolerance;
        let taken = islands
            .par_iter_mut()
            .map(|island| {
                let most = assembly.inner;
                island.displace_rows(articulations, assembly.method, most, tolerance)
            })
            .max()
            .unwrap_or(0);
        for island in islands.iter() {
            for (i, node) in island.nodes().iter().enumerate() {
                let Node::Single { place } = *node else { continue };
                let body = singles.at_mut(place as usize);
                if body.is_kinematic() {
                    continue;
                }
                let (omega, Frame { position, rotation }) = (body.omega(), body.moving.at);
                let moved = island.answer_of_body(i);
                let turn = moved.angular.clamp_length_max(GREATEST_TURN);
                body.moving.at = Frame {
                    position: position + moved.linear,
                    rotation: (rotation::exp(turn) * rotation).normalize(),
                };
                body.set_motion(body.velocity(), omega);
            }
        }
        let islands = &*islands;
        for_each_articulation(articulations, |place, a| a.displace(impulses_on(islands, place)));
        taken
    }
}

/// Articulations that are held, on all threads.
fn for_each_articulation(
    articulations: &mut super::Articulations,
    each: impl Fn(usize, &mut super::Articulated) + Send + Sync,
) {
    articulations
        .par_enumerate_mut()
        .filter(|(_, a)| a.is_constrained())
        .for_each(|(place, a)| each(place, a));
}

impl super::Articulated {
    /// Moves by what impulses of size one would do in one second, turns cut.
    fn displace(&mut self, impulses: impl Iterator<Item = (usize, crate::spatial::Force)>) {
        let jump = self.response_to(impulses);
        let largest = jump.iter().fold(0.0f64, |largest, x| largest.max(x.abs()));
        let scale = if largest > GREATEST_TURN { GREATEST_TURN / largest } else { 1.0 };
        self.move_by(scale);
    }
}
