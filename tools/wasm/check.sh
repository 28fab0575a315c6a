#!/usr/bin/env bash
# Builds the module with little optimisation, and calls it from node. Where node is missing, or what build.sh needs, says
# SKIPPED and why.
set -euo pipefail
cd "$(dirname "$0")"

command -v node >/dev/null || { echo "tools/wasm: SKIPPED: no node" && exit 0; }
./build.sh --quick || { status=$?; [ $status = 3 ] && exit 0; exit $status; }
TBINDEX_PKG=pkg-quick node --test module.test.mjs
echo "tools/wasm: all checks passed"
