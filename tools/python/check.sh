#!/usr/bin/env bash
# Builds the Python package and runs its tests, in the virtual environment of environment.sh, if there can be one.
set -euo pipefail
cd "$(dirname "$0")"

environment=$(./environment.sh) || { status=$?; [ $status = 3 ] && exit 0; exit $status; }
target=$(dirname "$environment")
export PIP_DISABLE_PIP_VERSION_CHECK=1
if [ -n "${TBINDEX_THOROUGH:-}" ]; then
    # Packages that the tests use where they are there. Spark also needs Java.
    "$environment/bin/pip" install --quiet pandas polars pyarrow "pyspark>=4,<5"
fi

wheels=$target/wheels
rm -rf "$wheels"
# Clippy compiles the package, and lints it in the same pass: a pass of its own would check all dependencies again.
RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS=-Dwarnings__CLIPPY_HACKERY__ \
    "$environment/bin/maturin" build --profile quick --features failpoints --locked --quiet --interpreter "$environment/bin/python" --out "$wheels"
"$environment/bin/pip" install --quiet --no-deps --force-reinstall "$wheels"/tbindex-*.whl

# The stubs say what there is, and programs pass the strictest check; those of pages are what one would type.
"$environment/bin/python" -m mypy.stubtest tbindex
programs=(tests/typed_program.py examples/*.py)
for page in README GUIDE; do
    programs+=("$target/$page.py")
    "$environment/bin/python" -c 'import doctest, sys; print(doctest.script_from_examples(sys.stdin.read()))' \
        <$page.md >"$target/$page.py"
done
"$environment/bin/python" -m mypy --strict --ignore-missing-imports --cache-dir "$target/mypy" "${programs[@]}"
"$environment/bin/pyright" --pythonpath "$environment/bin/python" "${programs[@]}"
"$environment/bin/python" -m pytest --quiet "$@"
if [ -z "${TBINDEX_THOROUGH:-}" ]; then
    echo "tools/python: with pyarrow, pandas, polars and Spark only if they are there; TBINDEX_THOROUGH=1 installs them"
fi
echo "tools/python: all checks passed"
