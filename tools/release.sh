#!/usr/bin/env bash
# Makes what a release publishes, from a clean clone of the current commit, and tries each artefact in a new folder with an
# empty environment:
#
#     tools/release.sh OUT [STEP…]
#
#   crates      the packages for crates.io
#   source      the sources, from which tools/server/Containerfile builds an image. No image is built here
#   programs    tbindex, tbgen, tbserve and tbindex-parquet. TARGETS names the targets; without it, this machine is the target,
#               by musl on Linux, so that programs are static. Programs for other machines are not tried
#   c           the library for C and C++
#   python      the wheel
#   npm         the package for npm
#   page        the page, for any file server
#
# Without a STEP it makes all, and SHA256SUMS of all files in OUT. Builds are in CARGO_TARGET_DIR, or target/. If a program
# is missing that a step needs, it says SKIPPED and why, makes the rest, and exits with 3. CHROMIUM names the browser in which the
# last two are tried, if there is one.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
    echo "tools/release.sh: $*" >&2
    exit 1
}
steps=(crates source programs c python npm page)
[[ ${1:--} != -* ]] || fail "expected OUT [${steps[*]}]"
out=$(realpath -m "$1")
chosen=("${@:2}")
[ $# -gt 1 ] || chosen=("${steps[@]}")
for step in "${chosen[@]}"; do
    [[ " ${steps[*]} " = *" $step "* ]] || fail "there is no step $step: expected one of ${steps[*]}"
done
git diff --quiet HEAD || fail "some changes are not committed, and a release is made of what is committed"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0 CARGO_TARGET_DIR
CARGO_TARGET_DIR=$(realpath -m "${CARGO_TARGET_DIR:-target}")
clone=$CARGO_TARGET_DIR/clone
git init --quiet "$clone"
git -C "$clone" fetch --quiet "$PWD" HEAD
git -C "$clone" checkout --quiet --force FETCH_HEAD
git -C "$clone" clean --quiet -xfd
mkdir -p "$out"
cd "$clone"
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)

# Ends a step with 3 if a program is missing.
needs() { # PROGRAM PACKAGE
    command -v "$1" >/dev/null || { echo "SKIPPED: $step needs $1, which Debian has in the package $2" && exit 3; }
}

# Unpacks an archive into a new folder and goes there.
unpack() { # ARCHIVE
    cd "$(mktemp -d -p "$work")"
    tar -xzf "$out/$1" --strip-components=1
}

# Runs a command with no environment but PATH and the variables before it, shows the beginning of what it prints, and looks for a text
# in all of that.
expect() { # TEXT [VARIABLE=VALUE…] COMMAND…
    local printed
    printf '$ %s\n' "${*:2}"
    printed=$(env -i PATH="$PATH" "${@:2}" 2>&1) && grep -qF -- "$1" <<<"$printed" ||
        fail "$step: expected '$1' of ${*:2}, which printed: $printed"
    sed -n '1,6p' <<<"$printed"
}

# Whether there is a browser to try a step in. Else says so.
browser=${CHROMIUM:-/usr/bin/chromium}
tries_browser() {
    [ -x "$browser" ] || { echo "$step: not tried in a browser, as there is no $browser" && return 1; }
}

make_crates() {
    BUILD=1 tools/package.sh
    # Another workspace takes what is not on crates.io yet from where it was unpacked. Its Cargo.lock does not know that, and
    # cargo changes it.
    local package patches=()
    for package in syzygy-tables tbgen tbgen-cli tbindex; do
        patches+=(--config "patch.crates-io.$package.path = '$CARGO_TARGET_DIR/package/$package-$version'")
    done
    cargo package --allow-dirty --manifest-path tools/parquet/Cargo.toml "${patches[@]}"
    git checkout --quiet tools/python/Cargo.lock
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
    expect "<title>" curl --silent --fail "$address/"
}

make_c() {
    needs pkg-config pkgconf
    local archive
    archive=$(make --silent -C tools/capi archive | tail -n 1)
    cp "$archive" "$out"
    unpack "$(basename "$archive")"
    for library in tbindex tbindex-static; do
        expect "" PKG_CONFIG_PATH="$PWD/lib/pkgconfig" \
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
    local wasm=$PWD/tools/wasm package=node_modules/tbindex-wasm
    cd "$(mktemp -d -p "$work")"
    npm install --silent --offline "$out/tbindex-wasm-$version.tgz"
    ls -l $package $package/pkg
    sed -n '/^```js/,/^```/p' "$wasm/README.md" | sed '1d; $d' >page.mjs
    # Node has to read the module for itself.
    (echo 'import { readFileSync } from "node:fs";' && sed 's/init()/init({ module_or_path: readFileSync(process.env.MODULE) })/' page.mjs) >node.mjs
    expect 05042231 MODULE=$package/pkg/tbindex_wasm_bg.wasm node node.mjs
    ! tries_browser || expect 05042231 HOME="$PWD" node "$wasm/bare-page.mjs" "$browser" page.mjs
}

make_page() {
    needs npm npm
    tools/page/build.sh
    cp -r tools/page/dist "$work/tbindex-page-$version"
    cp LICENSE-* "$work/tbindex-page-$version"
    tools/pack.sh "$work/tbindex-page-$version" "$out/tbindex-page-$version.tar.gz"
    unpack "tbindex-page-$version.tar.gz"
    ! tries_browser || TBINDEX_DIST=$PWD CHROMIUM=$browser node --test "$clone/tools/page/test/look.test.mjs"
}

tools/package.sh
skipped=()
for step in "${chosen[@]}"; do
    printf '\n== %s\n' "$step"
    SECONDS=0
    # A condition around the step would let it go on after what fails.
    set +e
    (set -e && "make_$step")
    status=$?
    set -e
    case $status in
        0) printf '%s: %d s\n' "$step" "$SECONDS" ;;
        3) skipped+=("$step") ;;
        *) exit $status ;;
    esac
done
(cd "$out" && rm -f SHA256SUMS && sha256sum -- * >"$work/sums" && mv "$work/sums" SHA256SUMS)
printf '\n== %s\n' "$out"
ls -l "$out"
[ ${#skipped[@]} = 0 ] || { echo "not made: ${skipped[*]}" && exit 3; }
