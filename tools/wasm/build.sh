#!/usr/bin/env bash
# Builds the npm package in pkg/: tools/wasm/build.sh [--scalar|--quick]
#
#   --scalar   without simd128, into pkg-scalar/, to compare
#   --quick    with little optimisation, into pkg-quick/, for check.sh
#
# Adds Rust's target wasm32-unknown-unknown by rustup where it is missing. If it can't be had, says SKIPPED and exits with 3.
set -euo pipefail
cd "$(dirname "$0")"

out=pkg features=+simd128 profile=release
case ${1:-} in
    --scalar) out=pkg-scalar features=-simd128 ;;
    --quick) out=pkg-quick profile=quick ;;
esac
wasm=wasm32-unknown-unknown
if [ ! -d "$(rustc --print sysroot)/lib/rustlib/$wasm" ] && ! rustup target add $wasm; then
    echo "tools/wasm: SKIPPED: there is no target $wasm"
    exit 3
fi

target=${CARGO_TARGET_DIR:-$PWD/target}
export CARGO_INCREMENTAL=0
cargo build --profile quick --locked --package tbindex-wasm-bindgen
RUSTFLAGS="${RUSTFLAGS:-} -C target-feature=$features" \
    cargo build --profile $profile --locked --target $wasm
"$target/quick/tbindex-wasm-bindgen" "$target/$wasm/$profile/tbindex_wasm.wasm" $out
printf '%s: %d bytes, %d compressed by gzip -9\n' $out/tbindex_wasm_bg.wasm \
    "$(wc -c <$out/tbindex_wasm_bg.wasm)" "$(gzip -9c $out/tbindex_wasm_bg.wasm | wc -c)"
