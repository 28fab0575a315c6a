#!/usr/bin/env bash
# The packages for crates.io, tbindex and syzygy-tables: checks that each holds what a user needs and nothing else.
# With BUILD=1 it also packs them and builds what was packed, as `cargo publish` would, into target/package.
#
# The others are not published (`publish = false`). tbindex-capi is for people without cargo, which would install
# neither its library nor its headers: they take the archive of `make -C tools/capi archive`. tbindex-cli, tbgen-cli,
# tbindex-parquet and tbgen-mpi are programs that are built from the repository, with the libraries tbgen, tbindex-bench
# and tbindex-fairy, and prove is for its tests.
set -euo pipefail
cd "$(dirname "$0")/.."

# What is in every package besides the list of `include`.
of_cargo='Cargo\.toml(\.orig)?|Cargo\.lock|\.cargo_vcs_info\.json'
files='README\.md|LICENSE-(APACHE|MIT)'
declare -A wanted=(
    [tbindex]="$of_cargo|$files|CHANGELOG\.md|src/.*\.rs|examples/[a-z_]+\.rs|benches/throughput\.svg"
    [syzygy-tables]="$of_cargo|$files|src/.*\.rs|src/format\.md|examples/probe\.rs"
)

for package in tbindex syzygy-tables; do
    list="$(cargo package --list --locked --allow-dirty -p "$package" 2>/dev/null)"
    if odd="$(grep -Evx "${wanted[$package]}" <<<"$list")"; then
        printf '%s would hold more than a user needs:\n%s\n' "$package" "$odd"
        exit 1
    fi
    for needed in Cargo.toml README.md LICENSE-APACHE LICENSE-MIT src/lib.rs; do
        grep -qx "$needed" <<<"$list" || { printf '%s lacks %s\n' "$package" "$needed" && exit 1; }
    done
    printf '%s: %d files\n' "$package" "$(wc -l <<<"$list")"
done

# Nothing but these two may be published by mistake.
for manifest in tools/*/Cargo.toml fuzz/Cargo.toml; do
    [ "$manifest" = tools/syzygy/Cargo.toml ] || grep -q '^publish = false' "$manifest" ||
        { printf '%s could be published: expected publish = false\n' "$manifest" && exit 1; }
done

if [ -n "${BUILD:-}" ]; then
    cargo package --locked --allow-dirty -p tbindex -p syzygy-tables
fi
