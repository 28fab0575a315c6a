#!/bin/sh
# Packs the C library for people without Rust: TARGET/tbindex-VERSION-MACHINE.tar.gz and its SHA-256 sum beside it.
# `make archive` builds the library and calls this. The archive may be unpacked anywhere, and holds:
#
#   include/   tbindex.h, tbindex.hpp
#   lib/       the libraries, pkgconfig/, cmake/
#   examples/  the program that README names
#   README.md, CHANGELOG.md and both licenses
#
# The variables BUILT, ABI and TARGET are those of the Makefile; STRIP names the program that takes symbols for
# debuggers away. The processor of the machine that runs the library is looked at when it runs, as always. An archive
# made on Linux runs where the C library is not older than this machine's.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$root/Cargo.toml" | head -n 1)
name=tbindex-$version-$(uname -m)-$(uname -s | tr '[:upper:]' '[:lower:]')

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PREFIX=$work/$name LIBDIR='' INCLUDEDIR='' DESTDIR='' "$here/install.sh" >/dev/null
mkdir "$work/$name/examples"
cp "$here"/examples/tour.c "$work/$name/examples"
cp "$here/README.md" "$root/CHANGELOG.md" "$root/LICENSE-APACHE" "$root/LICENSE-MIT" "$work/$name"
if [ "$(uname -s)" = Linux ] && command -v "${STRIP:-strip}" >/dev/null; then
    "${STRIP:-strip}" --strip-debug "$work/$name/lib/libtbindex.a" "$work/$name/lib/libtbindex.so.$ABI"
fi

mkdir -p "$TARGET"
"$root/tools/pack.sh" "$work/$name" "$TARGET/$name.tar.gz"
if command -v sha256sum >/dev/null; then
    (cd "$TARGET" && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256")
else
    (cd "$TARGET" && shasum -a 256 "$name.tar.gz" >"$name.tar.gz.sha256")
fi
printf '%s\n' "$TARGET/$name.tar.gz"
