#!/usr/bin/env bash
# Everything CI runs, runnable by hand: formatting, lints, the tests README names, the docs.
# Needs stable Rust alone; what else it can use (nightly with cargo-fuzz) it uses if it is there.
set -euo pipefail
cd "$(dirname "$0")/.."

step() { printf '\n== %s\n' "$*"; }

for component in rustfmt clippy; do
    cargo "${component/rustfmt/fmt}" --version >/dev/null 2>&1 || rustup component add "$component"
done

step "formatting"
cargo fmt --all --check

step "lints"
cargo clippy --workspace --all-targets --locked -- -D warnings
# The library alone, without the command line and without rayon.
cargo clippy --lib --no-default-features --locked -- -D warnings

step "docs"
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked

step "tests"
cargo test --workspace --locked

step "fuzz targets"
fuzz_log="$(mktemp)"
trap 'rm -f "$fuzz_log"' EXIT
tools/fuzz.sh "${FUZZ_SECONDS:-5}" 2>&1 | tee "$fuzz_log"

skipped="$(grep '^SKIPPED' "$fuzz_log" || true)"
step "all checks passed${skipped:+, but: $skipped}"
