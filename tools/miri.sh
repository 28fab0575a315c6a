#!/usr/bin/env bash
# Runs a part of the tests under Miri, which finds undefined behaviour: the scalar code and the portable backend, as
# Miri has no other. It takes more than a quarter of an hour. Needs nightly Rust with Miri.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! cargo +nightly miri --version >/dev/null 2>&1; then
    echo "SKIPPED Miri: it needs 'rustup toolchain install nightly --component miri,rust-src'"
    exit 0 # a skip, and said so
fi
# The tests read the environment and the clock.
export MIRIFLAGS="-Zmiri-disable-isolation ${MIRIFLAGS:-}"
miri() { cargo +nightly miri test --package tbindex --no-default-features --locked "$@"; }
miri --test library -- index::against_reference::laws_hold batch::operations::maps_equal_scalar_for_every canonical_forms
