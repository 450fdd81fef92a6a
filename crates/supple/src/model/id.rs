//! Indices that cannot be mixed up.

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// From a position in the model's list.
            #[inline(always)]
            pub const fn new(index: usize) -> Self {
                Self(index as u32)
            }

            /// The position in the model's list.
            #[inline(always)]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id! {
    /// A body of a model, counted in the order in which bodies were given.
    BodyId
}
id! {
    /// A joint of a model. Joint `i` carries body `i`.
    JointId
}
id! {
    /// A link: a body that moves, with all that is fixed to it. Counted depth first: parents precede
    /// children, and a link that has children is followed by the first of them.
    LinkId
}
