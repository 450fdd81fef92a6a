use supple::world::World;

/// What there is in a world, by which it is known what there is to tell of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Whether there are articulations only, each for itself.
    pub(crate) alone: bool,
    /// Whether bodies are joined otherwise than in trees.
    pub(crate) joined: bool,
    /// Whether anything touches.
    pub(crate) touches: bool,
}

impl Shape {
    pub(crate) fn of(world: &World) -> Self {
        let joined = world.constraints().next().is_some() || world.couplings().next().is_some();
        let touches = world.colliders().next().is_some();
        Self { alone: !joined && !touches && world.bodies().next().is_none(), joined, touches }
    }
}
