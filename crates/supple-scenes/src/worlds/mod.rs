//! Scenes with constraints: one world, articulations and single bodies, closed loops.

pub(crate) mod bar_and_disks;
pub(crate) mod bead_on_circle;
pub(crate) mod bennett;
pub(crate) mod blocked;
pub(crate) mod bridge;
pub(crate) mod chain_both;
pub(crate) mod contact;
pub(crate) mod figure;
pub(crate) mod figures_joined;
pub(crate) mod four_bar;
pub(crate) mod joints;
pub(crate) mod magnets;
pub(crate) mod net;
pub(crate) mod pendulum;
pub(crate) mod plate;
pub(crate) mod proximity;
pub(crate) mod slider_crank;
pub(crate) mod stewart;
pub(crate) mod structure_drag;
pub(crate) mod treads;
