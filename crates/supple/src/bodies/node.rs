/// What a joint pushes: the places in the world's lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Node {
    /// A single body.
    Single { place: u32 },
    /// A port of an articulation.
    Port { articulation: u32, port: u32 },
}
