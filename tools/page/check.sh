#!/usr/bin/env bash
# Builds the page and tests it in a browser: tools/page/check.sh [quick]
#
#   quick   with the module that is built already, and without native answers; for tools/check.sh
#
# TBINDEX_POSITIONS=1000 compares so many positions with native answers, TBINDEX_SCREENSHOTS=1 writes screenshots/, and
# CHROMIUM names the browser. Needs node, npm, chromium, and what tools/wasm/build.sh needs; where one is missing it says SKIPPED
# and why.
set -euo pipefail
cd "$(dirname "$0")"

skip() {
    echo "tools/page: SKIPPED: $*"
    exit 0
}
command -v node >/dev/null || skip "no node"
[ -x "${CHROMIUM:-/usr/bin/chromium}" ] || skip "no chromium: apt-get install chromium"
[ -d node_modules ] || npm ci --ignore-scripts --no-audit --no-fund --silent ||
    skip "npm can't install what tools/page/package.json names"
if [ "${1:-}" = quick ]; then
    [ -f ../wasm/pkg/tbindex_wasm_bg.wasm ] || skip "no module: tools/wasm/build.sh builds it"
    export TBINDEX_POSITIONS=0
else
    ../wasm/build.sh || { [ $? = 3 ] && exit 0 || exit 1; }
    (cd ../wasm && node --test module.test.mjs)
fi
npm run --silent build
[ "${1:-}" = quick ] || cargo build --quiet --locked -p tbserve
node --test test/page.test.mjs
# The board of tbserve, if that is built from this source.
[ "${1:-}" = quick ] || node --test test/board.test.mjs
