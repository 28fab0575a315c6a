#!/usr/bin/env bash
# Calls rustc for cargo (RUSTC_WRAPPER) and adds a line for each crate to the file RUSTC_COST: seconds of clock, of the
# processor in the program and in the system, `ours` or `others`, package, crate, and its kind: `check` if no code is
# made, else `test`, `lib`, `bin`, `proc-macro` and so on.
set -euo pipefail
crate='' kind='' emit='' tests=0 previous=''
for word in "$@"; do
    case $previous in
        --crate-name) crate=$word ;;
        --crate-type) kind=$word ;;
    esac
    case $word in
        --emit=*) emit=$word ;;
        --test) tests=1 ;;
    esac
    previous=$word
done
# A call that belongs to no package is a question about rustc itself.
if [ -z "${RUSTC_COST:-}" ] || [ -z "${CARGO_PKG_NAME:-}" ] || [ -z "$crate" ]; then
    exec "$@"
fi
[ $tests = 0 ] || kind="test"
[[ $emit == *link* ]] || kind=check
whose=ours
[[ $CARGO_MANIFEST_DIR != */registry/src/* ]] || whose=others
TIMEFORMAT="%R %U %S $whose $CARGO_PKG_NAME $crate $kind"
{ time "$@" 2>&3 3>&-; } 3>&2 2>>"$RUSTC_COST"
