//! Scenes with contact: what stands, slides, falls, piles up and is picked up.

mod bone;
pub(crate) mod bridge_blocks;
pub(crate) mod bridge_people;
pub(crate) mod bridge_rings;
pub(crate) mod card_house;
mod cargo;
pub(crate) mod cradle;
pub(crate) mod dominoes;
pub(crate) mod falling_character;
mod hoop;
pub(crate) mod incline;
pub(crate) mod net_boxes;
mod props;
mod ragdoll;
pub(crate) mod ragdolls;
pub(crate) mod rings;
pub(crate) mod skeletons;
pub(crate) mod stack;
pub(crate) mod tank;
pub(crate) mod top;
