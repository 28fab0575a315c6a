#!/usr/bin/env bash
# Compares the memory that tbgen, `tbindex reduce` and `tbindex union` and the like state before they begin with what they
# take, for tables and files of 3 to 6 pieces, on 1, 2 and 8 threads, and prints each run: what was stated and taken, in
# MiB, and their ratio. A line counts the runs of each program; the exit status is 1 if any took more than it had stated.
# Needs Linux, 10 GB of memory, 15 GB of disk and about an hour.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release --quiet
export TBINDEX_THOROUGH=1 TBINDEX_PROGRAM="${CARGO_TARGET_DIR:-$PWD/target}/release/tbindex"
# Tests report to standard output; the runs are on standard error.
cargo test --release --quiet -p tbgen-cli --test cli -- --nocapture --test-threads 1 \
    takes_more_memory_than_it_states >/dev/null || exit 1
