#!/usr/bin/env bash
# Runs the tests that kill, interrupt and hold programs, or that have several threads, N times: tools/repeat.sh N.
# In every second run four busy processes take processors away from them. Prints each run that failed and how many
# did; the exit status is 1 if any did. Python's tests run where tools/python/check.sh has built the package.
set -euo pipefail
cd "$(dirname "$0")/.."
times=${1:?"expected a number of runs: tools/repeat.sh N"}

rust=(cargo test --locked --no-fail-fast -p tbindex -p tbindex-cli -p tbgen-cli -p tbindex-capi
    --test cli --test library --test interleavings --test programs)
"${rust[@]}" --no-run
python=$(realpath -m "${CARGO_TARGET_DIR:-tools/python/target}")/python/bin/python
if [ ! -x "$python" ]; then
    echo "without Python: tools/python/check.sh has not built the package"
    python=
fi
python_tests() {
    [ -z "$python" ] || (cd tools/python && "$python" -m pytest --quiet tests/test_store.py tests/test_threads.py)
}

log=$(mktemp)
busy=()
rest() {
    [ ${#busy[@]} = 0 ] || kill "${busy[@]}"
    busy=()
}
trap 'rest; rm -f "$log"' EXIT
failed=0
for ((run = 1; run <= times; run++)); do
    if ((run % 2 == 0)); then
        for _ in 1 2 3 4; do
            while :; do :; done &
            busy+=($!)
        done
    fi
    status=passed
    "${rust[@]}" >"$log" 2>&1 || status=failed
    python_tests >>"$log" 2>&1 || status=failed
    echo "run $run of $times, ${#busy[@]} busy processes beside it: $status ($SECONDS s)"
    if [ $status = failed ]; then
        failed=$((failed + 1))
        cat "$log"
    fi
    rest
done
echo "$failed of $times runs failed"
[ "$failed" = 0 ]
