#!/usr/bin/env bash
# Proves that all code that is compiled for a backend is what it is meant to be. The functions through which
# it is entered, `avx2::enter` and `avx512::enter`, hold everything that was inlined into them, so each of them
# must work on ymm or zmm registers and call nothing that could have lost the instructions:
#
# - the loops of kernels and those over columns of squares call nothing, but to fill and to copy memory;
# - the others call nothing of this crate and no method that takes a function, only what they must
#   (panics for a caller's mistake, moves of memory, pairs of iterators and the next slice of one, and what is
#   asked of the board once for many positions: attacks, and the image of a word; and the slots and the
#   rows of an order that are found by squares, which is scalar code).
#
# `Orbit` is the only dense numbering that is looked at.
#
# And a function that has stores past the caches has a fence, too, or is `exchange`, and then its callers have
# one. That it stands on every way out is what the type `Streaming` is for.
#
# Reads a release build of the library, which has every kernel (tools/entries.sh), and, with TBINDEX_THOROUGH=1, of the
# generator, which has operations on bitbases of its own; needs objdump from binutils (apt-get install binutils).
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "$(uname -m)" != x86_64 ]; then
    echo "SKIPPED: check-codegen.sh looks at x86-64 code"
    exit 0
fi
command -v objdump >/dev/null || { echo "check-codegen: objdump is missing: install binutils" >&2; exit 1; }

# The mangling of symbols that keeps type arguments, so that a function's kernel can be told. It has a
# folder of its own, because the library is compiled so as well. Optimisation of what others wrote would only take
# time: what is theirs in these functions is compiled with them.
target_dir="${CARGO_TARGET_DIR:-target}/codegen"
packages=(--package tbindex) libraries=(libtbindex)
if [ -n "${TBINDEX_THOROUGH:-}" ]; then
    packages+=(--package tbgen) libraries+=(libtbgen)
fi
RUSTFLAGS="${RUSTFLAGS:-} -C symbol-mangling-version=v0" \
    cargo build --release --lib --locked "${packages[@]}" \
    --config 'profile.release.package."*".opt-level = 0' --target-dir "$target_dir"

for library in "${libraries[@]}"; do
    objdump --disassemble --reloc --no-show-raw-insn --no-addresses "$target_dir/release/$library.rlib"
done |
# The name of a function that is called, or of its section, stands in the line after the call.
awk '
    /\tR_X86_64_/ && last ~ /\tcall/ {
        sub(/^.*\tR_X86_64_[A-Z0-9_]*\t(\.text\.(unlikely\.)?)?/, "")
        sub(/-0x4$/, "")
        last = "\tcall <" $0 ">"
        next
    }
    { print last; last = $0 }
    END { print last }
' | c++filt | sed 's/\[[0-9a-f]\{12,\}\]//g' |
awk '
    function finish() {
        if (name == "") return
        kind = isa (strict ? " loops over slices" : bitbase ? " operations on bitbases" : " other entries")
        seen[kind]++
        if (!vectors) { print "no " register[isa] " in " name; bad = 1 }
        if (calls) { print calls " calls in " name ":\n" which; bad = 1 }
        name = ""
    }
    BEGIN {
        register["avx512"] = "%zmm"
        register["avx2"] = "%ymm"
        seen["avx512 loops over slices"] = seen["avx2 loops over slices"] = 0
        seen["avx512 other entries"] = seen["avx2 other entries"] = 0
        seen["avx512 operations on bitbases"] = seen["avx2 operations on bitbases"] = 0
    }
    /^<.*>:$/ {
        finish()
        function_of = $0
        # Among the dense numbers only those of `Orbit` are vectors throughout; the others call scalar code for some
        # materials or words.
        if (/::tokens::(avx2|avx512)::enter::</ && !/::schemes::(un)?rank(::)?</) {
            name = $0
            isa = (name ~ /avx512::enter::</) ? "avx512" : "avx2"
            # A kernel with a sorting network is copied by memcpy before its loop.
            # The closure that was entered is the last argument, in the function that dispatches.
            strict = name ~ /avx(2|512)::enter::<[^,]*, tbindex::batch::(run|squares::columns)::/
            bitbase = name ~ /<tbindex::bitbase::/
            vectors = calls = 0
            which = ""
        }
        next
    }
    /\tv?movnt/ { streams[function_of] }
    /\tsfence/ { fences[function_of] }
    /\tcall.*::slices::exchange</ { streams[function_of] }
    name == "" { next }
    index($0, register[isa]) { vectors++ }
    /\tcall/ && (strict && !/<mem(set|cpy)>/ || (/tbindex::|::fold|\{closure/ && !/FlatMap.*::next|Zip<.*>::new>|::zip::<|::grow_one>|OnceLock<.*>::initialize::<|<tbindex::board::(attacks::(slide|attacks)|leaper::Leaper>::attacks|symmetry::Symmetry>::apply_to_set)>$|<tbindex::order::numbering::Order>::(locate|turn|find_runs)>$/)) { calls++; which = which "    " $0 "\n" }
    END {
        finish()
        for (kind in seen) {
            printf "%d functions: %s\n", seen[kind], kind
            # Loops of the same code are one function, such as the conversions with AVX2 for five pieces and for others.
            least = (kind ~ /loops/) ? 75 : (kind ~ /bitbases/) ? 6 : 30
            if (seen[kind] < least) { print "expected at least " least ": has their name changed?"; bad = 1 }
        }
        for (f in streams) if (f !~ /::slices::exchange</) {
            streaming++
            if (!(f in fences)) { print "no fence in " f; bad = 1 }
        }
        print streaming + 0 " functions with stores past the caches"
        if (streaming < 8) { print "expected at least 8: has their name changed?"; bad = 1 }
        exit bad
    }
'
echo "check-codegen: all code for a backend uses its registers and calls nothing that could lose them"
