#!/usr/bin/env bash
# Formatting, lints and tests of tbindex-parquet, with the code that tools/python/check.sh makes: the packages are tested together,
# as cargo compiles the library once more for other features. Clippy compiles it, and lints it in the same pass.
set -euo pipefail
cd "$(dirname "$0")"
cargo fmt --check
export RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS=-Dwarnings__CLIPPY_HACKERY__
cargo test --locked --quiet --profile quick -p tbindex-parquet -p tbindex-python --features tbindex-python/failpoints
