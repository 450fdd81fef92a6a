use crate::model::{Model, Tree};

/// A body in one state: what a force law of its joints asks for.
#[derive(Clone, Copy, Debug)]
pub struct BodyState<'a> {
    /// The model.
    pub model: &'a Model,
    /// The links that move: those of the model, or rigid groups of them.
    pub tree: &'a Tree,
    /// Joint positions.
    pub q: &'a [f64],
    /// Joint velocities.
    pub v: &'a [f64],
}
