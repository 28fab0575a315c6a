#!/usr/bin/env bash
# Proves that the batch layer's hot functions are what they are meant to be: the functions entered
# for AVX-512 work on zmm registers, those for AVX2 on ymm registers, and none of them calls anything
# but the panic of a caller's mistake. Reads the release build of the program, which contains every
# kernel; needs objdump from binutils (apt-get install binutils).
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "$(uname -m)" != x86_64 ]; then
    echo "SKIPPED: this looks at x86-64 code"
    exit 0
fi
command -v objdump >/dev/null || { echo "check-codegen: objdump is missing: install binutils" >&2; exit 1; }

# The mangling of symbols that keeps type arguments, so that a function's kernel can be told. It has a
# folder of its own: the library is compiled so as well.
target_dir="${CARGO_TARGET_DIR:-target}/codegen"
RUSTFLAGS="${RUSTFLAGS:-} -C symbol-mangling-version=v0" \
    cargo build --release --locked --bin tbindex --target-dir "$target_dir"

objdump --disassemble --demangle --no-show-raw-insn --no-addresses "$target_dir/release/tbindex" |
awk '
    function finish() {
        if (name == "") return
        if (!(isa in seen)) seen[isa] = 0
        seen[isa]++
        if (!vectors) { print "no " register[isa] " in " name; bad = 1 }
        if (calls) { print calls " calls in " name ":\n" which; bad = 1 }
        name = ""
    }
    BEGIN { register["avx512"] = "%zmm"; register["avx2"] = "%ymm" }
    /^<.*>:$/ {
        finish()
        # The loops over slices; the entry of a caller-given function may hold anything.
        # Sorting the like pieces of distinct pieces is nothing to do, and never entered; what a set of
        # instructions can do is a constant.
        if (/enter_(avx512|avx2)::<tbindex::batch::(drive|rows|columns)::/ && !/SortLike<[^<>]*Distinct>|rows::Translates>/) {
            name = $0
            isa = (name ~ /enter_avx512::</) ? "avx512" : "avx2"
            vectors = calls = 0
            which = ""
        }
        next
    }
    name == "" { next }
    index($0, register[isa]) { vectors++ }
    /\tcall/ { calls++; which = which "    " $0 "\n" }
    END {
        finish()
        for (isa in register) {
            printf "%d functions of %s\n", seen[isa], isa
            if (seen[isa] < 20) { print "expected at least 20: has their name changed?"; bad = 1 }
        }
        exit bad
    }
'
echo "check-codegen: all hot functions use their registers and call nothing"
