#!/usr/bin/env bash
# Formatting, lints and tests of tbindex-parquet, in a target folder of its own. Clippy compiles it, and lints it in the same
# pass: a pass of its own would check all dependencies again.
set -euo pipefail
cd "$(dirname "$0")"
export CARGO_TARGET_DIR="$PWD/target"
cargo fmt --check
export RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS=-Dwarnings__CLIPPY_HACKERY__
cargo test --locked --quiet
