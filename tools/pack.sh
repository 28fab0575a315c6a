#!/bin/sh
# Packs a folder: tools/pack.sh FOLDER ARCHIVE.tar.gz. The same files give the same bytes, where tar can do that.
set -eu
folder=$1 archive=$2
if tar --version 2>/dev/null | grep -q GNU; then
    set -- --sort=name --owner=0 --group=0 --numeric-owner --mtime=2020-01-01T00:00Z
else
    set --
fi
tar -C "$(dirname "$folder")" "$@" -cf - "$(basename "$folder")" | gzip -9n >"$archive"
