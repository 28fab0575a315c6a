#!/usr/bin/env bash
# Builds the page and tests it in a browser: tools/page/check.sh [quick]
#
#   quick   compares 12 positions with native answers, for tools/check.sh
#
# TBINDEX_POSITIONS=1000 compares more, TBINDEX_SCREENSHOTS=1 writes screenshots/, CHROMIUM names the browser. Needs node, npm, chromium, and
# what tools/wasm/build.sh needs; where something is missing it says SKIPPED and why.
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
../wasm/build.sh || { [ $? = 3 ] && exit 0 || exit 1; }
[ "${1:-}" != quick ] || export TBINDEX_POSITIONS="${TBINDEX_POSITIONS:-12}"
(cd ../wasm && node --test)
npm run --silent build
node --test test/page.test.mjs
