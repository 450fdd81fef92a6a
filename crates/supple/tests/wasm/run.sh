#!/bin/sh
# Steps worlds on wasm32-unknown-unknown in Node, and checks that the library compiles there with the clock of the host.
# Where the target or Node is missing it says so and passes: `make test` runs everywhere. With --required it fails then.
set -eu
cd "$(dirname "$0")/../../../.."
target=wasm32-unknown-unknown
missing() {
    echo "wasm-test: $1, so this is not tested here" >&2
    [ "${required:-}" = "" ] || exit 1
    exit 0
}
[ "${1:-}" = "--required" ] && required=yes
command -v node >/dev/null || missing "Node is not installed"
[ -d "$(rustc --print sysroot)/lib/rustlib/$target" ] || missing "$target is not installed (rustup target add $target)"
# flags for this processor are not for that one
export RUSTFLAGS=""
cargo build --target $target -p supple --example wasm_steps
node crates/supple/tests/wasm/run.mjs "${CARGO_TARGET_DIR:-target}/$target/debug/examples/wasm_steps.wasm"
cargo check --target $target -p supple --features web-time
