#!/usr/bin/env bash
# Shows that the library keeps its promises away from the machine it is written on:
#
#   wasm32    compiles for WebAssembly without index files
#   windows   everything compiles for Windows
#   aarch64   the laws of indices, batches and dense numbers hold there, on NEON, under qemu
#   x86       the laws of batches hold on other processors than this one, under qemu, and a backend is
#             refused when a single feature that it is compiled for is missing
#
# tools/portability.sh [PART...] runs these parts, without arguments all. A part whose tools are missing says
# SKIPPED and why. Targets come from rustup where it has them (rustup target add wasm32-unknown-unknown
# x86_64-pc-windows-gnu aarch64-unknown-linux-gnu), and else from Debian's compiler, which brings its own standard
# library; INSTALL=1 installs with apt-get what is missing. FULL=1 leaves no law out under qemu, for an hour or so.
set -euo pipefail
cd "$(dirname "$0")/.."

target_dir="${CARGO_TARGET_DIR:-target}/portability"
# Code that is only checked need not be optimised, and no standard library either.
quick=(--config profile.dev.opt-level=0)
debian_rustc=/usr/bin/rustc

skipped() { printf 'SKIPPED %s: %s\n' "$part" "$*"; }

# Whether there is a program; installs a package that brings it, if asked to.
have() { # PROGRAM PACKAGE...
    local program="$1"
    shift
    command -v "$program" >/dev/null && return
    [ -n "${INSTALL:-}" ] || return
    apt-get install -y -q "$@" >/dev/null && command -v "$program" >/dev/null
}

rustup_has() { rustup target list --installed 2>/dev/null | grep -qx "$1"; }

# Whether Debian's compiler is there and as new as Cargo.toml wants it.
debian_has_rust() {
    [ -x "$debian_rustc" ] || have "$debian_rustc" rustc-web rust-web-src || return
    local wanted found
    wanted="$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)"
    found="$("$debian_rustc" --version | cut -d' ' -f2)"
    [ "$(printf '%s\n' "$wanted" "$found" | sort -V | head -n1)" = "$wanted" ]
}

no_rust="neither rustup nor Debian (rustc-web, rust-web-src; INSTALL=1 gets them) has a compiler for it"

# Cargo for a target: with its standard library, or with one that Debian's compiler makes from source.
cargo_for() { # TARGET STD SUBCOMMAND OPTIONS...
    local target="$1" std="$2" subcommand="$3"
    shift 3
    local to=(--target "$target" --target-dir "$target_dir" --locked)
    if rustup_has "$target"; then
        cargo "$subcommand" "${to[@]}" "$@"
    else
        RUSTC="$debian_rustc" RUSTC_BOOTSTRAP=1 \
            cargo "$subcommand" "${to[@]}" ${std:+"-Zbuild-std=$std"} "$@"
    fi
}

can_build_std() { # TARGET
    rustup_has "$1" && return
    debian_has_rust && [ -d "$("$debian_rustc" --print sysroot)/lib/rustlib/src/rust/library/std" ]
}

wasm32() {
    local target=wasm32-unknown-unknown
    can_build_std "$target" || { skipped "$no_rust"; return; }
    cargo_for "$target" std,panic_abort check "${quick[@]}" --package tbindex --lib --no-default-features
    cargo_for "$target" std,panic_abort check "${quick[@]}" --package tbindex-fairy --lib
    echo "wasm32: the library compiles without features, and tbindex-fairy"
}

windows() {
    local target=x86_64-pc-windows-gnu
    can_build_std "$target" || { skipped "$no_rust"; return; }
    cargo_for "$target" std,panic_abort check "${quick[@]}" --package tbindex --lib --no-default-features
    cargo_for "$target" std,panic_abort check "${quick[@]}" --lib --bins --tests
    echo "windows: the library, the program and the tests compile"
}

# Under qemu a law takes 30 times as long as it does here. The cases that these count one by one, others count by samples.
slow=()
if [ -z "${FULL:-}" ]; then
    slow=(--skip four_pieces --skip canonical_holds_for_every_index --skip known_counts --skip filtering
        --skip compact_holds)
fi

aarch64() {
    local target=aarch64-unknown-linux-gnu
    have qemu-aarch64 qemu-user || { skipped "there is no qemu-aarch64 (qemu-user)"; return; }
    have aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu || { skipped "there is no linker (gcc-aarch64-linux-gnu)"; return; }
    if ! rustup_has "$target"; then
        debian_has_rust || { skipped "$no_rust"; return; }
        if [ ! -d "$("$debian_rustc" --print sysroot)/lib/rustlib/$target/lib" ] && [ -n "${INSTALL:-}" ]; then
            dpkg --add-architecture arm64 && apt-get update -q >/dev/null
            apt-get install -y -q libstd-rust-web-dev:arm64 libc6-dev-arm64-cross >/dev/null
        fi
        [ -d "$("$debian_rustc" --print sysroot)/lib/rustlib/$target/lib" ] ||
            { skipped "there is no standard library for it (libstd-rust-web-dev:arm64)"; return; }
    fi
    # The loader and the C library must come from one place: that of the arm64 packages, or the cross compiler's.
    local runner="qemu-aarch64"
    [ -e /lib/ld-linux-aarch64.so.1 ] || runner="qemu-aarch64 -L /usr/aarch64-linux-gnu"
    export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
    export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="$runner"
    cargo_for "$target" "" test --package tbindex --no-default-features --features rayon --test library -- \
        batch:: dense:: index:: ${slow[@]+"${slow[@]}"}
    echo "aarch64: the laws hold"
}

x86() {
    [ "$(uname -m)" = x86_64 ] || { skipped "this machine is no x86-64"; return; }
    have qemu-x86_64 qemu-user || { skipped "there is no qemu-x86_64 (qemu-user)"; return; }
    local program
    program="$(cargo test --package tbindex --no-default-features --features rayon --test library --no-run --locked \
        --target-dir "$target_dir" --message-format json |
        sed -n 's/.*"name":"library".*"executable":"\([^"]*\)".*/\1/p' | tail -n1)"
    # The C library uses bit instructions without asking for each of them, unless it is told not to.
    export GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2_Usable,-AVX2,-BMI2
    local short=the_backends_that_run_are_told
    backends() { # CPU
        qemu-x86_64 -cpu "$1" "$program" "$short" 2>&1 | sed -n 's/^backends run on [^:]*: //p' | head -n1
    }
    # The word behind the name is how qemu calls it.
    for missing in avx2 bmi1 bmi2 abm popcnt; do
        found="$(backends "max,-$missing")"
        echo "x86: without $missing: ${found:-nothing ran}"
        [ "$found" = portable ] || { echo "x86: without $missing only portable must run" >&2; return 1; }
        if TBINDEX_REQUIRE_BACKENDS=avx2 qemu-x86_64 -cpu "max,-$missing" "$program" "$short" >/dev/null 2>&1; then
            echo "x86: avx2 was required, is refused, and its test passed" >&2
            return 1
        fi
    done
    for cpu in max "max,-avx2,-bmi1,-bmi2,-abm,-popcnt,-avx,-sse4.1,-sse4.2,-ssse3"; do
        echo "x86: qemu -cpu $cpu: $(backends "$cpu")"
        [ "$(backends "$cpu")" != "" ]
        qemu-x86_64 -cpu "$cpu" "$program" batch:: 2>&1 | grep -v '^backends run'
    done
    echo "x86: the laws hold, and backends that can't run are refused"
}

parts=("$@")
[ $# -gt 0 ] || parts=(wasm32 windows aarch64 x86)
for part in "${parts[@]}"; do
    printf '\n== %s\n' "$part"
    case "$part" in
        wasm32 | windows | aarch64 | x86) "$part" ;;
        *)
            echo "there is no part $part: wasm32, windows, aarch64, x86" >&2
            exit 2
            ;;
    esac
done
