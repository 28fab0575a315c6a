#!/usr/bin/env bash
# Checks every combination of features, and tests those that leave most out:
# tools/features.sh [check|test]. Without an argument it does both.
set -euo pipefail
cd "$(dirname "$0")/.."

combinations=("" fairy rayon store fairy,rayon fairy,store rayon,store fairy,rayon,store cli)

if [ "${1:-check}" = check ]; then
    for features in "${combinations[@]}"; do
        echo "-- checking without features but ${features:-any}"
        cargo clippy --all-targets --no-default-features --features "$features" --locked -- -D warnings
    done
fi
# The default is tested with the workspace. What a combination has is in the other two, or in the default.
if [ "${1:-test}" = test ]; then
    for features in "" fairy,store; do
        echo "-- testing without features but ${features:-any}"
        cargo test --no-default-features --features "$features" --locked
    done
fi
