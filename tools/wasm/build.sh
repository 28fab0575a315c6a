#!/usr/bin/env bash
# Builds the npm package in pkg/: tools/wasm/build.sh [--scalar]
#
#   --scalar   without simd128, into pkg-scalar/, to compare
#
# Needs Rust's target wasm32-unknown-unknown (rustup target add wasm32-unknown-unknown) and wasm-bindgen of the version in
# Cargo.lock (cargo install wasm-bindgen-cli). Where one is missing it says SKIPPED and why, and exits with 3.
set -euo pipefail
cd "$(dirname "$0")"

out=pkg features=+simd128
if [ "${1:-}" = --scalar ]; then
    out=pkg-scalar features=-simd128
fi
skip() {
    echo "tools/wasm: SKIPPED: $*"
    exit 3
}
target=wasm32-unknown-unknown
[ -d "$(rustc --print sysroot)/lib/rustlib/$target" ] || skip "no target $target: rustup target add $target"
version=$(sed -n '/^name = "wasm-bindgen"$/{n;s/version = "\(.*\)"/\1/p}' Cargo.lock)
found=$(wasm-bindgen --version 2>/dev/null || true)
[ "$found" = "wasm-bindgen $version" ] ||
    skip "found ${found:-no wasm-bindgen}: cargo install wasm-bindgen-cli --version $version"

export CARGO_INCREMENTAL=0 RUSTFLAGS="${RUSTFLAGS:-} -C target-feature=$features"
cargo build --release --locked --target "$target" --target-dir "target/$out"
wasm-bindgen --target web --remove-name-section --remove-producers-section --out-dir "$out" "target/$out/$target/release/tbindex_wasm.wasm"
echo "$out/tbindex_wasm_bg.wasm: $(wc -c <"$out/tbindex_wasm_bg.wasm") bytes, $(gzip -9c "$out/tbindex_wasm_bg.wasm" | wc -c) compressed by gzip -9"
