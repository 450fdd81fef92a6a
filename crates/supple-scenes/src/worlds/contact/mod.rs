//! Scenes with contact: what stands, slides, falls, piles up and is picked up.

pub(crate) mod bridge_blocks;
mod cargo;
mod hoop;
pub(crate) mod incline;
mod props;
mod ragdoll;
pub(crate) mod ragdolls;
pub(crate) mod rings;
pub(crate) mod stack;
