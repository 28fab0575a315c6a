#!/usr/bin/env bash
# Says by crate what README's two commands cost to compile from nothing, and fails if our crates take too much:
#
#   tools/build-cost.sh                 builds the program, then all tests, in target folders that are thrown away
#   tools/build-cost.sh program|tests   one of the two
#   tools/build-cost.sh NAME FILE       reads what tools/rustc-cost.sh wrote to FILE during a build called NAME
#
# Seconds are those of the processors, which depend on the machine. So our crates are compared with four that we never
# change, compiled in the same run: `clap_builder`, `syn`, `rustix` and `serde_core`.
set -euo pipefail

# Our seconds as a multiple of theirs, at most: what was measured, and a quarter. Measure again after a change of the
# profiles or of a version of the four. A build without a bound is printed only.
declare -A most=([program]=7 [tests]=30)

report() { # NAME FILE
    awk -v name="$1" -v most="${most[$1]:-}" '
        { cost = $2 + $3 }
        $7 == "check" { checked += cost; next }
        {
            sum[$4] += cost
            crates[$4 == "ours" ? $5 " " $6 " " $7 : "the dependencies"] += cost
            compiled[$5]
        }
        $5 ~ /^(clap_builder|syn|rustix|serde_core)$/ { four += cost }
        END {
            printf "%s: seconds of the processors by crate\n", name
            fflush()
            for (crate in crates) printf "%8.1f %s\n", crates[crate], crate | "sort -rn"
            close("sort -rn")
            if (checked) printf "%8.1f checked, without code\n", checked
            printf "%8.1f ours, %.1f others, %.1f the four\n", sum["ours"], sum["others"], four
            complete = ("clap_builder" in compiled) && ("syn" in compiled) && ("rustix" in compiled) && ("serde_core" in compiled)
            if (!most) exit
            if (!complete || !("tbindex" in compiled)) {
                print name ": the bound was not measured, as cargo had compiled some of these crates before"
                exit
            }
            printf "%s: ours are %.1f times the four, of at most %s\n", name, sum["ours"] / four, most
            if (sum["ours"] > most * four) {
                print name ": our crates take longer to compile than they may (CONTRIBUTING.md, \"The cost of a change\")"
                exit 1
            }
        }' "$2"
}

measure() { # NAME COMMAND…
    local folder begin
    folder=$(mktemp -d)
    begin=$SECONDS
    RUSTC_WRAPPER=$PWD/tools/rustc-cost.sh RUSTC_COST=$folder/cost CARGO_TARGET_DIR=$folder CARGO_INCREMENTAL=0 \
        "${@:2}" || { rm -rf "$folder"; exit 1; }
    printf '%s: %d s of clock\n' "$1" $((SECONDS - begin))
    report "$1" "$folder/cost" || bad=1
    rm -rf "$folder"
}

if [ $# = 2 ]; then
    report "$1" "$2"
    exit
fi
cd "$(dirname "$0")/.."
bad=0
case ${1:-program} in
    program | tests) ;;
    *) echo "build-cost: $1: expected program or tests" >&2 && exit 2 ;;
esac
[ "${1:-program}" != program ] || measure program cargo build --release --locked
[ "${1:-tests}" != tests ] || measure tests cargo test --workspace --no-run --locked
exit $bad
