#!/usr/bin/env bash
# Checks and tests the library with other features than the default: tools/features.sh [pairs|check|test].
#
#   pairs     lints everything, tests included, with four combinations in which every two features occur with
#             and without each other; tools/check.sh does this
#   check     the same with every combination
#   test      runs all tests with every combination that a user is likely to choose, which takes a while
#
# Without an argument it does the last two. Features add modules and leave the others as they are, but for the
# census, which takes one thread without rayon; the Python package is built and tested so.
set -euo pipefail
cd "$(dirname "$0")/.."

lint() {
    for features in "$@"; do
        echo "-- checking with ${features:-no feature}"
        cargo clippy --all-targets --no-default-features --features "$features" --locked -- -D warnings
    done
}

if [ "${1:-}" = pairs ]; then
    lint "" fairy,rayon fairy,store rayon,store
fi
if [ "${1:-check}" = check ]; then
    lint "" fairy rayon store fairy,rayon fairy,store rayon,store fairy,rayon,store cli
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
