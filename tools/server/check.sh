#!/usr/bin/env bash
# A client of lichess's API asks tbserve, in the virtual environment of tools/python/environment.sh. Where the Syzygy files
# of others (../shared/data) are missing, or Python is, says so and does nothing.
set -euo pipefail
cd "$(dirname "$0")/../.."

tables=$(realpath -m "${TBSERVE_TABLES:-../shared/data/syzygy}")
if [ ! -d "$tables" ]; then
    echo "tools/server: not checked with a client of lichess's API, as there are no Syzygy files in $tables"
    exit 0
fi
environment=$(tools/python/environment.sh) || { status=$?; [ $status = 3 ] && exit 0; exit $status; }
# As `cargo test --workspace` has built it.
cargo build --workspace --bin tbserve --test server --locked --quiet
TBSERVE=${CARGO_TARGET_DIR:-target}/debug/tbserve TBSERVE_TABLES=$tables \
    "$environment/bin/python" -m pytest --quiet -p no:cacheprovider tools/server/tests "$@"
echo "tools/server: all checks passed"
