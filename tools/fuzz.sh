#!/usr/bin/env bash
# Runs every fuzz target for some seconds: tools/fuzz.sh [SECONDS]. Needs nightly and cargo-fuzz.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds="${1:-60}"

if ! cargo +nightly fuzz --version >/dev/null 2>&1; then
    echo "SKIPPED fuzz targets: they need 'rustup toolchain install nightly' and 'cargo install cargo-fuzz'"
    exit 0 # a skip, and said so
fi
for target in $(cargo +nightly fuzz list); do
    mkdir -p "fuzz/corpus/$target"
    echo "-- $target, $seconds s"
    cargo +nightly fuzz run "$target" "fuzz/corpus/$target" "fuzz/seeds/$target" -- \
        -max_total_time="$seconds" -print_final_stats=0 -verbosity=0 -close_fd_mask=1
done
