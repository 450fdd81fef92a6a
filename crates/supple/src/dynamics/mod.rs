//! Algorithms of articulated bodies, one per file. All run on a [`Tree`](crate::model::Tree).

pub mod aba;
pub mod articulated;
pub mod kinematics;
pub mod wrench;
