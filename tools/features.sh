#!/usr/bin/env bash
# Checks and tests the library with other features than the default: tools/features.sh [none|check|test].
#
#   none      lints the library with no feature, which nothing else that tools/check.sh builds has
#   check     lints everything with every combination
#   test      runs all tests with every combination that a user is likely to choose, which takes a while
#
# Without an argument it does the last two. Features add modules and leave the others as they are, but for the
# census, which takes one thread without rayon.
set -euo pipefail
cd "$(dirname "$0")/.."

# The first argument says of what.
lint() {
    local targets=$1 features
    for features in "${@:2}"; do
        echo "-- checking with ${features:-no feature}"
        # shellcheck disable=SC2086 # several words
        cargo clippy $targets --no-default-features --features "$features" --locked -- -D warnings
    done
}

if [ "${1:-}" = none ]; then
    lint --lib ""
fi
if [ "${1:-check}" = check ]; then
    lint --all-targets "" fairy rayon store fairy,rayon fairy,store rayon,store fairy,rayon,store cli
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
