#!/usr/bin/env bash
# Compares the memory that the commands of tbgen state with what they take, tables of five pieces included, and prints
# both for each run. Needs Linux, some minutes and 3 GB of disk.
set -euo pipefail
cd "$(dirname "$0")/.."
TBINDEX_THOROUGH=1 cargo test --release -p tbgen --test cli -- --nocapture no_command_takes_more
