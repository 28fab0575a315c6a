#!/usr/bin/env bash
# Checks and tests the library with other features than the default: tools/features.sh [none|check|test].
#
#   none      lints and documents the library with no feature, which nothing else that tools/check.sh builds has
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
        cargo clippy --package tbindex $targets --no-default-features --features "$features" --locked -- -D warnings
    done
}

if [ "${1:-}" = none ]; then
    lint --lib ""
    RUSTDOCFLAGS="-D warnings" cargo doc --package tbindex --no-deps --no-default-features --locked
fi
if [ "${1:-check}" = check ]; then
    lint --all-targets "" rayon store rayon,store
fi
if [ "${1:-test}" = test ]; then
    # The default is both features, and its tests run with the workspace.
    for features in "" store; do
        echo "-- testing with ${features:-no feature}"
        cargo test --package tbindex --no-default-features --features "$features" --locked
    done
fi
