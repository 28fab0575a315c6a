#!/usr/bin/env bash
# Builds the page and tests it in a browser: tools/page/check.sh [quick]
#
#   quick   with a module that is optimised little, and without native answers; for tools/check.sh
#
# TBINDEX_POSITIONS=1000 compares so many positions with native answers, TBINDEX_SCREENSHOTS=1 writes screenshots/, and
# CHROMIUM names the browser. Needs what build.sh needs, and chromium; where one is missing it says SKIPPED and why.
set -euo pipefail
cd "$(dirname "$0")"

skip() {
    echo "tools/page: SKIPPED: $*"
    exit 0
}
command -v node >/dev/null || skip "no node"
quick=
[ "${1:-}" != quick ] || quick=--quick
./build.sh $quick || { status=$?; [ $status != 3 ] || skip "it can't be built here"; exit $status; }
[ -x "${CHROMIUM:-/usr/bin/chromium}" ] || skip "the page is built, but there is no chromium to test it in: apt-get install chromium"
if [ -n "$quick" ]; then
    export TBINDEX_POSITIONS=0
    # As `cargo test --workspace` has built it.
    (cd ../.. && cargo build --quiet --locked --workspace --bin tbserve --test server)
else
    (cd ../wasm && node --test module.test.mjs)
    cargo build --quiet --locked -p tbserve
fi
export TBSERVE=${CARGO_TARGET_DIR:-$(realpath ../..)/target}/debug/tbserve
# A test that waits for what does not come fails.
node --test --test-timeout=300000 test/*.test.mjs
