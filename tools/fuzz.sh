#!/usr/bin/env bash
# Runs fuzz targets for some seconds each, and says how many inputs each tried: tools/fuzz.sh [SECONDS [TARGET…]]
# Without names it runs all of them. Needs nightly and cargo-fuzz. The tests called `corpus` try their laws without.
#     MANY=1 tools/fuzz.sh 3600 index_laws      without AddressSanitizer and with less feedback: many more inputs
set -euo pipefail
cd "$(dirname "$0")/.."
seconds="${1:-60}"
targets=("${@:2}")

if ! cargo +nightly fuzz --version >/dev/null 2>&1; then
    echo "SKIPPED fuzz targets: they need 'rustup toolchain install nightly' and 'cargo install cargo-fuzz'"
    exit 0 # a skip, and said so
fi
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(cargo +nightly fuzz list)
build=() options=()
if [ -n "${MANY:-}" ]; then
    # A finding is new if it reaches a new place in the code, not how often it was reached or what was compared there. Inputs of
    # 300 bytes fill several registers of every backend.
    build=(--sanitizer none --no-trace-compares)
    options=(-entropic=0 -reduce_inputs=0 -use_counters=0 -max_len=300)
fi
# Targets write files; in memory, where there is such a folder, none of them is synced.
folder=$([ -d /dev/shm ] && mktemp -d -p /dev/shm || mktemp -d)
trap 'rm -rf "$folder"' EXIT
export TMPDIR="$folder"
log="$folder/log"
sum=0
for target in "${targets[@]}"; do
    mkdir -p "fuzz/corpus/$target"
    cargo +nightly fuzz run ${build[@]+"${build[@]}"} "$target" "fuzz/corpus/$target" "fuzz/seeds/$target" -- \
        -max_total_time="$seconds" -timeout=60 -print_final_stats=1 -verbosity=0 -close_fd_mask=1 ${options[@]+"${options[@]}"} \
        >"$log" 2>&1 || { cat "$log"; exit 1; }
    tried=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    echo "-- $target: $tried inputs in $seconds s"
    sum=$((sum + tried))
done
echo "-- $sum inputs together, and no finding"
