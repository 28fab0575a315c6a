#!/usr/bin/env bash
# A client of lichess's API asks tbserve, in a Python environment of its own below target/.
# Where Python 3.9 or newer with venv, or the Syzygy files of others (../shared/data), are missing, says so and does nothing.
set -euo pipefail
cd "$(dirname "$0")/../.."

tables=$(realpath -m "${TBSERVE_TABLES:-../shared/data/syzygy}")
if [ ! -d "$tables" ]; then
    echo "tools/server: not checked with a client of lichess's API, as there are no Syzygy files in $tables"
    exit 0
fi
python=${PYTHON:-python3}
if ! "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
    echo "tools/server: not checked with a client of lichess's API, as there is no Python 3.9 or newer with venv ($python)"
    exit 0
fi

target=${CARGO_TARGET_DIR:-$PWD/target}
environment=$target/server-python
if ! "$environment/bin/python" -m pip --version >/dev/null 2>&1; then
    rm -rf "$environment"
    "$python" -m venv "$environment"
fi
export PIP_DISABLE_PIP_VERSION_CHECK=1
"$environment/bin/pip" install --quiet 'berserk>=0.14,<0.15' 'chess>=1.9' 'pytest>=7'
# As `cargo test --workspace` has built it.
cargo build --workspace --bin tbserve --test server --locked --quiet
TBSERVE=$target/debug/tbserve TBSERVE_TABLES=$tables \
    "$environment/bin/python" -m pytest --quiet -p no:cacheprovider tools/server/tests "$@"
echo "tools/server: all checks passed"
