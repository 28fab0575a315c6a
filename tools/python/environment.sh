#!/usr/bin/env bash
# Makes a virtual environment with what requirements.txt names, in a folder below target/, and prints this folder.
# Where Python 3.9 or newer with venv is missing, says so and exits with 3.
set -euo pipefail
cd "$(dirname "$0")"

python=${PYTHON:-python3}
if ! "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
    echo "SKIPPED: there is no Python 3.9 or newer with venv ($python)" >&2
    exit 3
fi
environment=${CARGO_TARGET_DIR:-$PWD/target}/python
# Another Python than last time needs another environment.
if ! "$environment/bin/python" -m pip --version >/dev/null 2>&1; then
    rm -rf "$environment"
    "$python" -m venv "$environment"
fi
PIP_DISABLE_PIP_VERSION_CHECK=1 "$environment/bin/pip" install --quiet --no-compile --requirement requirements.txt
echo "$environment"
