#!/usr/bin/env bash
# The packages for crates.io: checks that all that is published has the version of the workspace, and that each package
# holds what a user needs and nothing else. With BUILD=1 it also packs them and builds what was packed, as `cargo publish`
# would, into target/package.
#
# The others are not published (`publish = false`). tbindex-capi is for people without cargo, who take the archive of
# `make -C tools/capi archive`; tbindex-python becomes a wheel and tbindex-wasm a package of npm; tbgen-mpi is built from
# the repository, and prove and fuzz are for its tests.
set -euo pipefail
cd "$(dirname "$0")/.."

version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
for file in Cargo.toml tools/{parquet,python,wasm,wasm/bindgen}/Cargo.toml tools/{page,wasm}/package.json CHANGELOG.md; do
    # Of the package, of packages of ours that it needs, or of the newest heading.
    case $file in
        CHANGELOG.md) found=$(sed -n 's/^## \([^ ,:]*\).*/\1/p' "$file" | head -n 1) ;;
        *) found=$(sed -nE '/^ *"?version"?[ :=]|path = /s/.*version"?[ :=]+"([^"]*)".*/\1/p' "$file" | sort -u) ;;
    esac
    [ "$found" = "$version" ] ||
        { printf '%s has version %s: expected %s, as in workspace.package of Cargo.toml\n' "$file" "${found//$'\n'/ and }" "$version" && exit 1; }
done

# The files of every package.
every='Cargo\.toml(\.orig)?|Cargo\.lock|\.cargo_vcs_info\.json|LICENSE-(APACHE|MIT)|src/.*\.rs'
# Other files, by package.
declare -A wanted=(
    [syzygy-tables]='README\.md|src/format\.md|examples/probe\.rs'
    [tbindex]='src/store/example\.txt|README\.md|CHANGELOG\.md|examples/[a-z_]+\.rs|benches/throughput\.svg'
    [tbindex-bench]=''
    [tbindex-cli]='README\.md'
    [tbindex-fairy]=''
    [tbgen]='README\.md|docs/[a-z]+\.md'
    [tbgen-cli]='README\.md'
    [tbserve]='README\.md|src/page/board\.(css|js)'
    [tbindex-parquet]='README\.md'
)

for package in "${!wanted[@]}"; do
    manifest=Cargo.toml
    [ "$package" != tbindex-parquet ] || manifest=tools/parquet/Cargo.toml
    list="$(cargo package --list --locked --allow-dirty --manifest-path "$manifest" -p "$package" 2>/dev/null)"
    if odd="$(grep -Evx "$every|${wanted[$package]}" <<<"$list")"; then
        printf '%s would hold more than a user needs:\n%s\n' "$package" "$odd"
        exit 1
    fi
    for needed in LICENSE-APACHE LICENSE-MIT $(grep -o README <<<"${wanted[$package]}"); do
        grep -qE "^$needed(\.md)?$" <<<"$list" || { printf '%s lacks %s\n' "$package" "$needed" && exit 1; }
    done
    printf '%s: %d files\n' "$package" "$(wc -l <<<"$list")"
done

# Nothing but these may be published by mistake.
for manifest in tools/*/Cargo.toml tools/wasm/bindgen/Cargo.toml fuzz/Cargo.toml; do
    name=$(sed -n 's/^name = "\(.*\)"/\1/p' "$manifest" | head -n 1)
    [ -v "wanted[$name]" ] || grep -q '^publish = false' "$manifest" ||
        { printf '%s could be published: expected publish = false\n' "$manifest" && exit 1; }
done

if [ -n "${BUILD:-}" ]; then
    unset "wanted[tbindex-parquet]" # Its workspace is another: tools/release.sh packs it.
    names=("${!wanted[@]}")
    cargo package --locked --allow-dirty "${names[@]/#/-p}"
fi
