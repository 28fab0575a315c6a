#!/usr/bin/env bash
# Builds the page into dist/: tools/page/build.sh [--quick]
#
#   --quick   with a module that is optimised little, for check.sh
#
# Needs Rust (rustup) and node 20 or newer, and fetches what else is missing: Rust's target wasm32-unknown-unknown, crates, and
# the packages of package-lock.json, into the target folder. Ends with 3 if something can't be had.
set -euo pipefail
cd "$(dirname "$0")"

fail() { # STATUS MESSAGE
    echo "tools/page/build.sh: $2" >&2
    exit "$1"
}
command -v cargo >/dev/null || fail 3 "there is no cargo: https://rustup.rs installs Rust"
command -v npm >/dev/null || fail 3 "there is no npm: it comes with node 20 or newer, https://nodejs.org"
quick=${1:-}
echo "tools/page: the module comes first, which takes up to ten minutes the first time and seconds later"
../wasm/build.sh $quick || fail $? "the module can't be built, as tools/wasm/build.sh says above"
ln -sfn ../wasm/pkg${quick#-} module

packages=${CARGO_TARGET_DIR:-$(realpath ../..)/target}/page
if ! cmp -s package-lock.json "$packages/package-lock.json" || [ ! -f "$packages/node_modules/.package-lock.json" ]; then
    mkdir -p "$packages"
    cp package.json package-lock.json "$packages"
    (cd "$packages" && npm ci --ignore-scripts --no-audit --no-fund --silent) ||
        fail 3 "npm can't install the packages of tools/page/package-lock.json, which takes a network"
fi
[ -L node_modules ] || rm -rf node_modules
ln -sfn "$packages/node_modules" node_modules

node_modules/.bin/tsc --noEmit
node build.mjs
echo "tools/page: dist/ is built after $SECONDS seconds"
