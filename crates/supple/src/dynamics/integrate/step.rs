use crate::dynamics::BodyState;
use crate::model::{Model, Tree};

use super::Loads;

/// A step that is to be taken: of which links, under which loads, how long.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// The model.
    pub model: &'a Model,
    /// The links that move: those of the model, or rigid groups of them.
    pub tree: &'a Tree,
    /// What acts on them, all the step long.
    pub loads: &'a Loads<'a>,
    /// Length of the step \[s].
    pub dt: f64,
}

impl<'a> Step<'a> {
    /// The body that steps, in a state of its own or on the way.
    #[inline]
    pub(super) fn at(&self, q: &'a [f64], v: &'a [f64]) -> BodyState<'a> {
        BodyState { model: self.model, tree: self.tree, q, v }
    }
}
