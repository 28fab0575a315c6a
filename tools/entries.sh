#!/usr/bin/env bash
# Counts the entries to code for a backend by the crate in which they were compiled: the functions of src/simd/tokens.rs,
# once for each `dispatch!` and type. The functions of src/store/ordered_jobs.rs, which all operations on whole files use, count,
# too. A crate that has more than its own make compiles kernels of the library again, and
# so does everyone who calls the same function of the library: give that function a body without type parameters.
#
# Looks at what `cargo test --workspace` builds, so not at packages outside the workspace. Test programs may have any
# number, and so may `prove`, which runs the kernels on symbols. With RUSTFLAGS='-C symbol-mangling-version=v0', nm -C
# says where each entry comes from.
set -euo pipefail
cd "$(dirname "$0")/.."

entry='(tokens(8portable|4avx2|6avx512)5enter|store12ordered_jobs)' # as symbols have it
# The entries that the own `dispatch!` of each crate make, at most; three backends each. The rivals of kernels are in tools/bench.
declare -A most=([tbgen]=21 [tbindex_fairy]=3 [tbindex_bench]=96)

entries() { nm --defined-only "$@" 2>/dev/null | grep -oE "[^ ]*${entry}[^ ]*" | sort -u || true; }
work=$(mktemp)
trap 'rm -f "$work"' EXIT

# Kind, name, optimisation and file of what was built of this workspace.
built=$(cargo test --workspace --no-run --locked --quiet --message-format json |
    sed -nE '/"test":true|"proc-macro"|"custom-build"|"example"/d
        s/.*"package_id":"path.*"kind":\["([a-z]+)".*"name":"([^"]+)".*"opt_level":"([^"]+)".*"filenames":\["([^"]+)".*/\1 \2 \3 \4/p')
while read -r kind name optimised file; do
    [ "$kind" = bin ] || entries "$file" >>"$work"
    # Else the library would lend its own to whoever needs the same.
    if [ "$name" = tbindex ] && [ "$kind" = lib ] && [[ $optimised != [23] ]]; then
        echo "entries: optimise the library by 2 or 3, else nothing is compiled again where it would be in a release"
        exit 1
    fi
done <<<"$built"
sort -u -o "$work" "$work"
bad=0
while read -r kind name _ file; do
    if [ "$kind" = bin ]; then
        count=$(entries "$file" | comm -23 - "$work" | wc -l) crate=$name.bin
    else
        count=$(entries "$file" | wc -l) crate=$name
    fi
    [ "$count" = 0 ] || printf '%5d entries in %s\n' "$count" "$crate"
    case $crate in
        tbindex) [ "$count" -ge 100 ] || { echo "entries: has their name changed?" && bad=1; } ;;
        prove*) ;;
        *) [ "$count" -le "${most[$crate]:-0}" ] || { echo "entries: expected at most ${most[$crate]:-0} in $crate" && bad=1; } ;;
    esac
done <<<"$built"
exit $bad
