#!/usr/bin/env bash
# Builds the Python package and runs its tests, in a virtual environment of its own below target/.
# Where Python 3.9 or newer with venv is missing, says so and does nothing.
set -euo pipefail
cd "$(dirname "$0")"

python=${PYTHON:-python3}
if ! "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
    echo "tools/python: not checked, as there is no Python 3.9 or newer with venv ($python)"
    exit 0
fi

target=${CARGO_TARGET_DIR:-$PWD/target}
environment=$target/python
# Another Python than last time needs another environment.
if [ ! -x "$environment/bin/python" ] || ! "$environment/bin/python" -m pip --version >/dev/null 2>&1; then
    rm -rf "$environment"
    "$python" -m venv "$environment"
fi
export PIP_DISABLE_PIP_VERSION_CHECK=1
"$environment/bin/pip" install --quiet --requirement requirements.txt
if [ -n "${TBINDEX_THOROUGH:-}" ]; then
    # Packages that the tests use where they are there. Spark also needs Java.
    "$environment/bin/pip" install --quiet pandas polars pyarrow "pyspark>=4,<5"
fi

cargo clippy --profile quick --locked --quiet -- -D warnings

wheels=$target/wheels
rm -rf "$wheels"
"$environment/bin/maturin" build --profile quick --features failpoints --locked --quiet --interpreter "$environment/bin/python" --out "$wheels"
"$environment/bin/pip" install --quiet --no-deps --force-reinstall "$wheels"/tbindex-*.whl

# The stubs say what there is, and programs pass the strictest check.
"$environment/bin/python" -m mypy.stubtest tbindex
"$environment/bin/python" -m mypy --strict --cache-dir "$target/mypy" tests/typed_program.py
"$environment/bin/python" -m pytest --quiet "$@"
if [ -z "${TBINDEX_THOROUGH:-}" ]; then
    echo "tools/python: with pyarrow, pandas, polars and Spark only if they are there; TBINDEX_THOROUGH=1 installs them"
fi
echo "tools/python: all checks passed"
