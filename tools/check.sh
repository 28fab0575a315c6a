#!/usr/bin/env bash
# Everything CI runs, runnable by hand: formatting, sentences, lints, the tests, the docs, the code that
# the compiler makes of the batches, the packages for Python and WebAssembly, Parquet, tbgen over MPI, the page, the server.
# Ends with the seconds that each step took, and with the bound on what our crates cost to compile (tools/build-cost.sh).
# With TBINDEX_THOROUGH=1 the tests leave nothing out, which takes several minutes more, and with TBINDEX_FUZZ_SECONDS=10
# each corpus has ten seconds in place of one.
# Needs stable Rust, and objdump (binutils); what takes more besides is skipped, with a line that says so, where
# that is missing. Other platforms than this one: tools/portability.sh.
set -euo pipefail
cd "$(dirname "$0")/.."

# The programs that are built here are neither built upon nor looked at in a debugger.
export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0
# Clippy compiles the packages, and lints them in the same pass: a pass of its own would check all dependencies again. It
# optimises a little less, so what looks at code or at speed calls the compiler itself.
export RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS=-Dwarnings__CLIPPY_HACKERY__
work=$(mktemp -d)
export RUSTC_WRAPPER=$PWD/tools/rustc-cost.sh RUSTC_COST=$work/tests

# Runs a step and notes what it takes: seconds of clock, and of the processors for all that it starts. It has a shell of
# its own, because a shell also counts what runs beside the step.
step() { # NAME COMMAND…
    local TIMEFORMAT='%R %U %S'
    printf '\n== %s\n' "$1"
    { (time "${@:2}" >&3 2>&4); } 3>&1 4>&2 2>"$work/time$BASHPID"
    awk -v name="$1" '{ printf "%7.0f %7.0f   %s\n", $1, $2 + $3, name }' "$work/time$BASHPID" >>"$work/steps"
}

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
TBINDEX_REQUIRE_BACKENDS="$(required_backends)"
export TBINDEX_REQUIRE_BACKENDS

formatting() {
    cargo fmt --all --check
    for package in tools/python tools/wasm; do
        (cd $package && cargo fmt --check)
    done
    tools/prose.sh
}

# Steps that build for themselves run beside the rest, and are as fast. The Python package comes first, because some of it waits
# for downloads and its tests use one processor only; last comes what waits for what the tests build.
beside() {
    RUSTC_COST=$work/wheel step "Python package" tools/python/check.sh
    RUSTC_COST=$work/parquet step "Parquet" tools/parquet/check.sh
    RUSTC_COST=$work/release step "code of the batches, in a release build" \
        env -u RUSTC_WORKSPACE_WRAPPER tools/check-codegen.sh
    RUSTC_COST=$work/wasm step "WebAssembly" tools/wasm/check.sh
    RUSTC_COST=$work/mpi step "tbgen on several processes" tools/cluster/check.sh
    step "page" tools/page/check.sh quick
    step "client of the server" tools/server/check.sh
}
set -m
beside >"$work/beside" 2>&1 &
beside=$!
trap 'kill -- -"$beside" 2>/dev/null || true; rm -rf "$work"' EXIT

step "formatting" formatting
step "versions, and packages for the registry (tools/release.sh OUT crates builds them)" tools/package.sh
step "lints without features (all combinations: tools/features.sh check)" tools/features.sh none
RUSTDOCFLAGS="-D warnings" step "docs" cargo doc --workspace --no-deps --locked
step "build of the tests, with lints" cargo test --workspace --no-run --locked
RUSTC_COST='' step "build of the benchmarks, with lints" cargo test --workspace --no-run --locked --bench '*'
step "entries to code for a backend, by crate" tools/entries.sh
step "tests, on the backends $TBINDEX_REQUIRE_BACKENDS" cargo test --workspace --locked
wait "$beside" || { status=$?; cat "$work/beside"; exit "$status"; }
cat "$work/beside"

# The laws of the fuzz targets ran above, in the tests called `corpus`; the targets themselves take nightly and some
# minutes to build, so they run on request: FUZZ_SECONDS=10 tools/check.sh
if [ -n "${FUZZ_SECONDS:-}" ]; then
    RUSTC_COST='' step "fuzz targets" env -u RUSTC_WORKSPACE_WRAPPER tools/fuzz.sh "$FUZZ_SECONDS"
else
    echo "fuzz targets not run: FUZZ_SECONDS=10 tools/check.sh runs them"
fi

printf '\n== seconds of clock and of the processors by step, some of which run beside others\n'
awk -v clock=$SECONDS '{ sum += $2; print } END { printf "%7d %7d   together\n", clock, sum }' "$work/steps"
for build in tests release wheel wasm parquet mpi; do
    [ ! -s "$work/$build" ] || tools/build-cost.sh $build "$work/$build"
done
# For the tests, a release build, the wheel, and WebAssembly. A package that has other features of a dependency than these
# takes one more.
made=$(cat "$work"/{tests,release,wheel,wasm,parquet,mpi} 2>/dev/null | grep -c ' ours tbindex tbindex lib$' || true)
echo "code of the library was made $made times, of at most 4"
[ "$made" -le 4 ]
printf '\n== all checks passed\n'
