#!/usr/bin/env bash
# Everything CI runs, runnable by hand: formatting, lints, combinations of features, the tests,
# the docs, the code that the compiler makes of the batches, the Python package, tbgen over MPI, the page, the server, Parquet.
# With TBINDEX_THOROUGH=1 the tests leave nothing out, which takes several minutes more.
# Needs stable Rust, and objdump (binutils); what takes Python besides is skipped, with a line that says so, where
# that is missing. Other platforms than this one: tools/portability.sh.
set -euo pipefail
cd "$(dirname "$0")/.."

# What is built here is neither built upon nor looked at in a debugger.
export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0

step() { printf '\n== %s (%d s)\n' "$*" "$SECONDS"; }

for component in rustfmt clippy; do
    cargo "${component/rustfmt/fmt}" --version >/dev/null 2>&1 || rustup component add "$component"
done
if [ "$(uname -m)" = x86_64 ] && ! command -v objdump >/dev/null; then
    apt-get install -y -q binutils >/dev/null 2>&1 || true # tools/check-codegen.sh says what is missing
fi

# The backends that this processor must run, as Linux sees it: the library's own detection is what is tested.
required_backends() {
    local flags backends=portable
    flags=" $(sed -n 's/^flags[[:space:]]*: //p' /proc/cpuinfo 2>/dev/null | head -n1) "
    has() { for flag in "$@"; do [[ "$flags" == *" $flag "* ]] || return 1; done; }
    if has avx2 bmi1 bmi2 abm popcnt; then
        backends+=,avx2
        if has avx512f avx512bw avx512dq avx512vl avx512vbmi avx512_vbmi2 avx512ifma avx512_vnni fma f16c; then
            backends+=,avx512
        fi
    fi
    echo "$backends"
}

# What builds for itself runs beside the rest, and as fast. The Python package comes first, because some of it waits
# for downloads and its tests use one processor only; tbgen-mpi last, because it waits for what the tests build.
set -m
beside_log=$(mktemp)
{ tools/python/check.sh && tools/check-codegen.sh && tools/cluster/check.sh && tools/page/check.sh quick && tools/server/check.sh && tools/parquet/check.sh; } >"$beside_log" 2>&1 &
beside=$!
trap 'kill -- -"$beside" 2>/dev/null || true; rm -f "$beside_log"' EXIT

step "formatting"
cargo fmt --all --check
(cd tools/python && cargo fmt --check)

step "packages for the registry (BUILD=1 tools/package.sh builds them)"
tools/package.sh

step "lints"
# With what `make -C tools/capi bench` adds to the C library.
cargo clippy --workspace --all-targets --features tbindex-capi/bench --locked -- -D warnings

step "combinations of features (all of them: tools/features.sh check)"
tools/features.sh none

step "docs"
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked

TBINDEX_REQUIRE_BACKENDS="$(required_backends)"
export TBINDEX_REQUIRE_BACKENDS
step "tests, on the backends $TBINDEX_REQUIRE_BACKENDS"
TBINDEX_FUZZ_SECONDS=10 cargo test --workspace --locked

step "code of the batches, the Python package, tbgen on several processes, the page, a client of the server, and Parquet"
wait "$beside" || { status=$?; cat "$beside_log"; exit "$status"; }
cat "$beside_log"

# The laws of the fuzz targets ran above, in the tests called `corpus`; the targets themselves take nightly and some
# minutes to build, so they run on request: FUZZ_SECONDS=10 tools/check.sh
if [ -n "${FUZZ_SECONDS:-}" ]; then
    step "fuzz targets"
    tools/fuzz.sh "$FUZZ_SECONDS"
    step "all checks passed"
else
    step "all checks passed (fuzz targets not run: FUZZ_SECONDS=10 tools/check.sh runs them)"
fi
