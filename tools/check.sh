#!/usr/bin/env bash
# Everything CI runs, runnable by hand: formatting, lints, the tests README names, the docs.
# Needs stable Rust alone; what takes Python besides is skipped, with a line that says so, where that is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

step() { printf '\n== %s\n' "$*"; }

for component in rustfmt clippy; do
    cargo "${component/rustfmt/fmt}" --version >/dev/null 2>&1 || rustup component add "$component"
done

step "formatting"
cargo fmt --all --check

step "lints"
cargo clippy --workspace --all-targets --locked -- -D warnings
# The library alone, without the command line and without rayon.
cargo clippy --lib --no-default-features --locked -- -D warnings
# What `make -C tools/capi bench` adds to the C library.
cargo clippy -p tbindex-capi --lib --features bench --locked -- -D warnings

step "docs"
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked

step "tests"
cargo test --workspace --locked

step "Python package"
tools/python/check.sh

# The laws that the fuzz targets check run above as property tests; the targets themselves take nightly
# and some minutes to build, so they run on request: FUZZ_SECONDS=10 tools/check.sh
if [ -n "${FUZZ_SECONDS:-}" ]; then
    step "fuzz targets"
    tools/fuzz.sh "$FUZZ_SECONDS"
    step "all checks passed"
else
    step "all checks passed (fuzz targets not run: FUZZ_SECONDS=10 tools/check.sh runs them)"
fi
