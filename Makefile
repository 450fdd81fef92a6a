# make demo    build all, and end in a page where a crowd moves
# make tour    tables and plots, in out/
# make test    everything that must pass before a change lands (installs what it needs)
# make goldens the states of all scenes, bit for bit: release and without optimization, 1, 2 and 7 threads
# make mint    writes new hashes of them; goldens.txt wants a note that says why
# make bench   supple beside Pinocchio, MuJoCo and Rapier; results in bench/results/
# make thumbnails    pictures of all scenes, in web/public/thumbs/
# make soak    the long versions of the robustness tests
# make web     the page of `supple view`, into web/dist (needs Node 20 and npm)
# make wasm-test   steps worlds on wasm32-unknown-unknown, in Node
.PHONY: demo tour test lint rust-test wasm-test gpu-driver models web web-test record-test thumbnails bench soak goldens mint clean

TARGET := $(or $(CARGO_TARGET_DIR),target)
SUPPLE := $(TARGET)/release/supple
BUILD := cargo build --release

# Ends in a page where a crowd moves; pull somebody by the hand.
demo: web
	cargo build --release
	@web/demo.sh $(SUPPLE) crowd-200

# What there is to see without a page: tables and plots, in out/.
tour:
	cargo build --release
	@mkdir -p out
	$(SUPPLE) scenes
	$(SUPPLE) run pendulum --set links=100 --seconds 10 --dt 1/60 --plot out/pendulum.svg
	$(SUPPLE) run humanoid-detailed --seconds 2 --plot out/humanoid.svg
	$(SUPPLE) run pendulum-300 --active 20 --seconds 2 --dt 1/1000 --plot out/pendulum-300.svg
	$(SUPPLE) run crowd-200 --budget 1000 --seconds 1 --dt 1/240
	$(SUPPLE) run bridge --seconds 5 --plot out/bridge.svg
	$(SUPPLE) bench aba --links 10,100,300
	@echo "Look at out/pendulum.svg: a chain of 100 links at 60 steps per second, and its energy never rises."
	@echo "The pendulum of 300 links above was simulated with 20 of its joints, the 200 characters with 1,000 of their 17,800."

# The page first: the command has it inside. Python and the browser try the command that `cargo test` has built: to build another one takes a
# quarter of all the time.
test: SUPPLE := $(TARGET)/debug/supple
test: BUILD := :
# What is built once needs no notes for a next time: a tenth of the build.
test: export CARGO_INCREMENTAL := 0
# From nothing, on two quiet cores, 12 minutes; all of it is to stay below 20:
#   web        0.2   packages and page
#   lint       2.8   clippy 2.1, rustdoc 0.7
#   rust-test  7.1   build 5.2, tests 1.9: random worlds, contacts, bodies and energies 0.6, damaged files 0.2, scenes against other figures 0.4, goldens 0.1
#   wasm-test  0     where the target is installed 0.5
#   models     0.6   Python packages, 74 tests
#   web-test   0.9   Chromium, 20 walks through the page
test: web lint rust-test wasm-test models web-test

lint:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --profile test --features supple-cli/gpu -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --profile test --features supple-cli/gpu

rust-test: gpu-driver
	cargo test --workspace

# Where the target is installed; else it says so. `crates/supple/tests/wasm/run.sh --required` fails then.
wasm-test:
	crates/supple/tests/wasm/run.sh

# A Vulkan driver, for the tests of the GPU item buffer.
gpu-driver:
	bench/gpu-driver.sh

# Real robots and animals against Pinocchio and MuJoCo, in a Python environment of its own.
models:
	$(BUILD)
	bench/setup.sh
	SUPPLE=$(abspath $(SUPPLE)) bench/.venv/bin/python -m pytest -q bench

# The page of `supple view`. The command has it inside: build that afterwards.
web: web/dist/index.html

PAGE := $(shell find web/src web/public -type f) web/index.html web/vite.config.ts
web/dist/index.html: $(PAGE) web/node_modules/.package-lock.json
	cd web && npm run build

web/node_modules/.package-lock.json: web/package-lock.json
	cd web && npm ci

# The page alone, then in a browser with the real server; web/test-results has what failed.
web-test: web
	cd web && npm run check && npm test
	web/install-chromium.sh
	$(BUILD)
	cd web && SUPPLE=$(abspath $(SUPPLE)) npm run e2e

# Animations by the official glTF validator and a reader of its own; `models` runs it too.
record-test:
	cargo build --release
	bench/setup.sh
	bench/.venv/bin/python -m pytest -q bench/test_recording.py

# Pictures of all scenes, for the page.
thumbnails:
	cargo build --release
	$(SUPPLE) picture --all web/public/thumbs --size 192x144

bench:
	cargo build --release
	bench/setup.sh
	bench/.venv/bin/python bench/run_all.py

soak:
	SUPPLE_MUTATIONS=1000000 cargo test --release -p supple-io --test mutations -- --nocapture
	SUPPLE_WORLDS=1000000 cargo test --release -p supple --test random_worlds -- --nocapture
	SUPPLE_WORLDS=1000000 cargo test --release -p supple --test random_contacts -- --nocapture
	SUPPLE_THROWS=100000 cargo test --release -p supple --test throws -- --nocapture
	SUPPLE_TREES=10000000 cargo test --release -p supple --test still_trees -- --nocapture
	SUPPLE_WORLDS=1000000 cargo test --release -p supple --test random_bodies -- --nocapture
	SUPPLE_SOAK_STEPS=1000000 cargo test --release -p supple --test integrators -- --nocapture quaternion

# States of scenes against tests/goldens.txt of supple-scenes; `make test` has a part of it.
goldens:
	SUPPLE_GOLDENS=full cargo test --release -p supple-scenes --test goldens
	SUPPLE_GOLDENS=full cargo test --profile goldens-o0 -p supple-scenes --test goldens

mint:
	SUPPLE_MINT=1 cargo test -p supple-scenes --test goldens states_are_the_same_with_one_thread

clean:
	cargo clean
	rm -rf out bench/.venv bench/peers/target web/dist web/node_modules web/test-results
