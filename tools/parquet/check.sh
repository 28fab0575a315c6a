#!/usr/bin/env bash
# Formatting, lints and tests of tbindex-parquet, in a target folder of its own.
set -euo pipefail
cd "$(dirname "$0")"
export CARGO_TARGET_DIR="$PWD/target"
cargo fmt --check
cargo clippy --all-targets --locked --quiet -- -D warnings
cargo test --locked --quiet
