#!/usr/bin/env bash
# Checks and tests the library with every combination of features: tools/features.sh [check|quick|test].
#
#   check     lints everything, tests included, with every combination
#   quick     runs the tests of the library with no feature
#   test      runs all tests with every combination that a user is likely to choose, which takes a while
#
# Without an argument it does the first and the last. tools/check.sh does the first two.
set -euo pipefail
cd "$(dirname "$0")/.."

combinations=("" fairy rayon store fairy,rayon fairy,store rayon,store fairy,rayon,store cli)

if [ "${1:-check}" = check ]; then
    for features in "${combinations[@]}"; do
        echo "-- checking with ${features:-no feature}"
        cargo clippy --all-targets --no-default-features --features "$features" --locked -- -D warnings
    done
fi
if [ "${1:-}" = quick ]; then
    cargo test --no-default-features --locked --lib
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
