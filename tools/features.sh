#!/usr/bin/env bash
# Checks every combination of features, and tests those that leave most out:
# tools/features.sh [check|test]. Without an argument it does both.
set -euo pipefail
cd "$(dirname "$0")/.."

combinations=("" fairy rayon store fairy,rayon fairy,store rayon,store fairy,rayon,store cli)

if [ "${1:-check}" = check ]; then
    for features in "${combinations[@]}"; do
        echo "-- checking with ${features:-no feature}"
        cargo clippy --all-targets --no-default-features --features "$features" --locked -- -D warnings
    done
fi
if [ "${1:-test}" = test ]; then
    for features in "" fairy,store rayon,store; do
        echo "-- testing with ${features:-no feature}"
        cargo test --no-default-features --features "$features" --locked
    done
    # The default is the same features, and its tests run with the workspace.
    echo "-- building the tests with cli"
    cargo test --no-default-features --features cli --locked --no-run
fi
