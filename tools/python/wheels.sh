#!/usr/bin/env bash
# Builds the wheel of the Python package for this machine's system and processor, and runs README in a new virtual
# environment with it: tools/python/wheels.sh [FOLDER]. One wheel (abi3) serves Python 3.9 and all later versions. For the
# oldest Linux that a release is to serve, run this there, or in a manylinux container. PROFILE=quick builds the
# wheel that the tests use, which is slower and sooner there.
set -euo pipefail
cd "$(dirname "$0")"

out=$(realpath -m "${1:-${CARGO_TARGET_DIR:-target}/release-wheels}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PIP_DISABLE_PIP_VERSION_CHECK=1

"${PYTHON:-python3}" -m venv "$work/build"
"$work/build/bin/pip" install --quiet "$(grep '^maturin' requirements.txt)"
rm -rf "$work/wheels"
"$work/build/bin/maturin" build --profile "${PROFILE:-dist}" --locked --quiet \
    --interpreter "$work/build/bin/python" --out "$work/wheels"

wheel=$(echo "$work"/wheels/tbindex-*.whl)
"${PYTHON:-python3}" -m venv "$work/try"
"$work/try/bin/pip" install --quiet "$wheel"
"$work/try/bin/python" -m zipfile -l "$wheel" >"$work/files"
for file in LICENSE-MIT LICENSE-APACHE; do
    grep "/$file" "$work/files"
done
readme=$PWD/README.md
(cd "$(mktemp -d -p "$work")" && "$work/try/bin/python" -m doctest -o ELLIPSIS -o IGNORE_EXCEPTION_DETAIL "$readme")
echo "README.md: the examples are true"
mkdir -p "$out"
mv "$wheel" "$out"
echo "$out/$(basename "$wheel")"
