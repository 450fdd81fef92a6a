//! The examples run: each asserts what it claims.
#![allow(clippy::duplicate_mod, reason = "each example has the figure as a module of its own")]

/// Takes the file of an example as a module, and runs its main.
macro_rules! examples {
    ($($name:ident: $path:literal,)*) => {$(
        #[path = $path]
        mod $name;

        #[test]
        fn $name() {
            $name::main().unwrap_or_else(|error| panic!("{error}"));
        }
    )*};
}

examples! {
    hello_world: "../examples/hello_world.rs",
    double_pendulum: "../examples/double_pendulum.rs",
    robot_arm: "../examples/robot_arm.rs",
    ragdoll: "../examples/ragdoll.rs",
    crowd: "../examples/crowd.rs",
    four_bar: "../examples/four_bar.rs",
    own_joints: "../examples/own_joints.rs",
    shoot_and_drag: "../examples/shoot_and_drag.rs",
}
