#!/usr/bin/env bash
# Makes what a release publishes, from a clean clone of the current commit, and tries each artefact in a new folder with an
# empty environment:
#
#     tools/release.sh OUT [STEP…]
#
#   crates      the packages for crates.io
#   source      the sources, from which tools/server/Containerfile builds
#   programs    tbindex, tbgen, tbserve and tbindex-parquet. TARGETS names the targets; without it, this machine is the target,
#               by musl on Linux, so that programs are static. Programs for other machines are not tried
#   c           the library for C and C++
#   python      the wheel
#   npm         the package for npm
#   page        the page, for any file server
#
# Without a STEP it makes all, and SHA256SUMS of all files in OUT. Builds are in CARGO_TARGET_DIR, or target/.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
    echo "tools/release.sh: $*" >&2
    exit 1
}
steps=(crates source programs c python npm page)
[ $# -gt 0 ] || fail "expected OUT [${steps[*]}]"
out=$(realpath -m "$1")
chosen=("${@:2}")
[ $# -gt 1 ] || chosen=("${steps[@]}")
for step in "${chosen[@]}"; do
    [[ " ${steps[*]} " = *" $step "* ]] || fail "there is no step $step: expected one of ${steps[*]}"
done
git diff --quiet HEAD || fail "some changes are not committed, and a release is made of what is committed"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CARGO_INCREMENTAL=0 CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}
clone=$CARGO_TARGET_DIR/clone
git init --quiet "$clone"
git -C "$clone" fetch --quiet "$PWD" HEAD
git -C "$clone" checkout --quiet --force FETCH_HEAD
git -C "$clone" clean --quiet -xfd
mkdir -p "$out"
cd "$clone"
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)

needs() { # PROGRAM PACKAGE
    command -v "$1" >/dev/null || fail "$step needs $1, which Debian has in the package $2"
}

# Unpacks an archive into a new folder and goes there.
unpack() { # ARCHIVE
    cd "$(mktemp -d -p "$work")"
    tar -xzf "$out/$1" --strip-components=1
}

# Runs a command with no environment but the variables before it, and looks for a text in what it prints.
expect() { # TEXT [VARIABLE=VALUE…] COMMAND…
    local printed
    printed=$(env -i "${@:2}" 2>&1) && grep -qF -- "$1" <<<"$printed" ||
        fail "$step: expected '$1' of ${*:2}, which printed: $printed"
}

make_crates() {
    BUILD=1 tools/package.sh
    # Another workspace takes what is not on crates.io yet from where it was unpacked. Its Cargo.lock does not know that.
    local package patches=()
    for package in syzygy-tables tbgen tbgen-cli tbindex; do
        patches+=(--config "patch.crates-io.$package.path = '$CARGO_TARGET_DIR/package/$package-$version'")
    done
    cargo package --allow-dirty --manifest-path tools/parquet/Cargo.toml "${patches[@]}"
    cp "$CARGO_TARGET_DIR"/package/*-"$version".crate "$out"
}

make_source() {
    git archive --prefix="tbindex-$version/" HEAD | gzip -9n >"$out/tbindex-$version-source.tar.gz"
    unpack "tbindex-$version-source.tar.gz"
    # There may be no engine for containers here: what the image is built from is complete if cargo finds every package.
    cargo tree --locked --quiet -p tbserve >/dev/null
    test -f tools/server/Containerfile
    printf '%d files\n' "$(find . -type f | wc -l)"
}

make_programs() {
    local host target suffix name
    host=$(rustc -vV | sed -n 's/^host: //p')
    for target in ${TARGETS:-${host/%-gnu/-musl}}; do
        [ -d "$(rustc --print sysroot)/lib/rustlib/$target" ] || rustup target add "$target"
        [[ $target != *-musl ]] || needs musl-gcc musl-tools
        cargo build --locked --profile dist --target "$target" --bins -p tbindex-cli -p tbgen-cli -p tbserve
        cargo build --locked --profile dist --target "$target" --manifest-path tools/parquet/Cargo.toml
        name=tbindex-programs-$version-$target
        mkdir "$work/$name"
        [[ $target = *-windows-* ]] && suffix=.exe || suffix=
        cp "$CARGO_TARGET_DIR/$target"/dist/{tbindex,tbgen,tbserve,tbindex-parquet}$suffix \
            README.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT "$work/$name"
        tools/pack.sh "$work/$name" "$out/$name.tar.gz"
        [ "${target%-*}" != "${host%-*}" ] || (try_programs "$name.tar.gz")
    done
}

try_programs() { # ARCHIVE
    unpack "$1"
    expect "tbindex $version" ./tbindex --version
    expect "wrote 1 119 216 indices" ./tbindex enumerate KQvKR --stage legal --side white --reduce -o KQvKR.tbi
    expect "" ./tbindex-parquet export KQvKR.tbi --parquet KQvKR.parquet
    expect "" ./tbgen generate KQvKR -o tables
    expect "loss in 62 plies" ./tbgen probe --tables tables '8/8/2k5/1r6/8/8/8/2KQ4 b - - 0 1'
    local address
    coproc tbserve { exec env -i ./tbserve --listen 127.0.0.1:0; }
    trap 'kill "$tbserve_PID"' EXIT
    read -r address <&"${tbserve[0]}"
    expect "<title>" PATH="$PATH" curl --silent --fail "$address/"
}

make_c() {
    needs pkg-config pkgconf
    local archive
    archive=$(make --silent -C tools/capi archive | tail -n 1)
    cp "$archive" "$out"
    unpack "$(basename "$archive")"
    for library in tbindex tbindex-static; do
        expect "" PATH="$PATH" PKG_CONFIG_PATH="$PWD/lib/pkgconfig" \
            sh -c "cc -std=c11 examples/tour.c \$(pkg-config --cflags --libs $library) -o $library"
        expect "" LD_LIBRARY_PATH="$PWD/lib" "./$library" .
        rm -f ./*.tbi
    done
}

make_python() {
    needs python3 python3-venv
    tools/python/wheels.sh "$out"
}

make_npm() {
    needs npm npm
    tools/wasm/build.sh
    cp LICENSE-* tools/wasm
    npm pack --silent --pack-destination "$out" ./tools/wasm
    local readme=$PWD/tools/wasm/README.md package=node_modules/tbindex-wasm
    cd "$(mktemp -d -p "$work")"
    npm install --silent --offline "$out/tbindex-wasm-$version.tgz"
    # A browser takes the files as they lie there: they name each other alone. Node has to read the module for itself.
    ls -l $package $package/pkg
    ! grep -nE '(from|import) ["'\''][^.]' $package/pkg/*.js || fail "npm: expected imports by relative paths"
    sed -n '/^```js/,/^```/p' "$readme" | sed '1d; $d; s/init()/init({ module_or_path: readFileSync(process.env.MODULE) })/' |
        cat <(echo 'import { readFileSync } from "node:fs";') - >readme.mjs
    expect "" PATH="$PATH" MODULE=$package/pkg/tbindex_wasm_bg.wasm node readme.mjs
}

make_page() {
    needs npm npm
    tools/page/build.sh
    cp -r tools/page/dist "$work/tbindex-page-$version"
    cp LICENSE-* "$work/tbindex-page-$version"
    tools/pack.sh "$work/tbindex-page-$version" "$out/tbindex-page-$version.tar.gz"
    unpack "tbindex-page-$version.tar.gz"
    local file
    # All that the page names is there; ./tbindex_wasm_bg.js is no file, but how the module calls what it imports.
    for file in $(grep -ohE '"(\./)?[a-z_]+\.(js|css|svg|wasm|txt)"' -- *.html *.js | tr -d '"' | sort -u); do
        [ "$file" = ./tbindex_wasm_bg.js ] || [ -s "$file" ] || fail "page: expected $file, which the page names"
    done
}

tools/package.sh
for step in "${chosen[@]}"; do
    printf '\n== %s\n' "$step"
    SECONDS=0
    ("make_$step")
    printf '%s: %d s\n' "$step" "$SECONDS"
done
(cd "$out" && rm -f SHA256SUMS && sha256sum -- * >"$work/sums" && mv "$work/sums" SHA256SUMS)
printf '\n== %s\n' "$out"
ls -l "$out"
