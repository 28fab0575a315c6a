#!/bin/sh
# Installs libraries that are built; `make install` and `make` call it, with these variables:
#
#   BUILT        the folder of libtbindex_capi.a and of the shared library, as cargo names them
#   PREFIX       where to; a relative one is taken from the current folder. It may contain any characters but
#                a line end, a double quote, a dollar sign or a backslash
#   LIBDIR       PREFIX/lib unless it is given
#   INCLUDEDIR   PREFIX/include unless it is given
#   DESTDIR      what is put before every path to write to, for makers of packages
#   ABI          TBI_ABI_VERSION of tbindex.h
#
# If both folders are below PREFIX, the files for pkg-config and CMake hold relative paths only: then the whole may
# be moved. `install.sh uninstall` removes what it has installed; `install.sh static-libs` prints what a program that is
# linked statically needs besides.
set -eu
here=$(cd "$(dirname "$0")" && pwd)

# A path from the root, without . and .. and double slashes.
absolute() {
    case $1 in /*) path=$1 ;; *) path=$(pwd)/$1 ;; esac
    printf '%s\n' "$path" | awk -F/ '{
        depth = 0
        for (k = 1; k <= NF; k++) {
            if ($k == "" || $k == ".") continue
            if ($k == "..") { if (depth > 0) depth--; continue }
            part[depth++] = $k
        }
        path = ""
        for (k = 0; k < depth; k++) path = path "/" part[k]
        print path == "" ? "/" : path
    }'
}

# The libraries that a static library of Rust needs of the system besides the C library, as `rustc --print native-static-libs` has
# it, but for -lgcc_s: the compiler's driver names the unwinder itself, shared or, under -static, libgcc_eh.
if [ "$(uname -s)" = Darwin ]; then
    shared=libtbindex.$ABI.dylib shared_link=libtbindex.dylib built_shared=libtbindex_capi.dylib
    static_libs="-lSystem -lm"
else
    shared=libtbindex.so.$ABI shared_link=libtbindex.so built_shared=libtbindex_capi.so
    static_libs="-lutil -lrt -lpthread -lm -ldl"
fi
if [ "${1:-}" = static-libs ]; then
    printf '%s\n' "$static_libs"
    exit
fi

prefix=$(absolute "$PREFIX")
libdir=$(absolute "${LIBDIR:-$prefix/lib}")
includedir=$(absolute "${INCLUDEDIR:-$prefix/include}")
to_lib=${DESTDIR:-}$libdir
to_include=${DESTDIR:-}$includedir
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$here/../../Cargo.toml" | head -n 1)

if [ "${1:-}" = uninstall ]; then
    rm -f "$to_lib/$shared" "$to_lib/$shared_link" "$to_lib/libtbindex.a" \
        "$to_include/tbindex.h" "$to_include/tbindex.hpp" \
        "$to_lib/pkgconfig/tbindex.pc" "$to_lib/pkgconfig/tbindex-static.pc" \
        "$to_lib/cmake/tbindex/tbindexConfig.cmake" "$to_lib/cmake/tbindex/tbindexConfigVersion.cmake"
    rmdir "$to_lib/cmake/tbindex" "$to_lib/cmake" "$to_lib/pkgconfig" 2>/dev/null || true
    exit
fi

# The way from a folder below the prefix up to the prefix: ../.. and the like; nothing if it is not below.
up_from() {
    case $1/ in
    "$prefix"/*) printf '%s\n' "${1#"$prefix"}" | sed -e 's|/[^/][^/]*|/..|g' -e 's|^/||' ;;
    esac
}

mkdir -p "$to_lib/pkgconfig" "$to_lib/cmake/tbindex" "$to_include"
install -m 755 "$BUILT/$built_shared" "$to_lib/$shared"
ln -sf "$shared" "$to_lib/$shared_link"
install -m 644 "$BUILT/libtbindex_capi.a" "$to_lib/libtbindex.a"
install -m 644 "$here/include/tbindex.h" "$here/include/tbindex.hpp" "$to_include"

up=$(up_from "$libdir/pkgconfig")
case $includedir/ in "$prefix"/*) below=yes ;; *) below= ;; esac
if [ -n "$up" ] && [ -n "$below" ]; then
    pc_prefix="\${pcfiledir}/$up"
    pc_lib="\${prefix}${libdir#"$prefix"}"
    pc_include="\${prefix}${includedir#"$prefix"}"
    # pkgconf writes a backslash before the spaces of pcfiledir itself.
    pc_quote=
    cmake_prefix="\${CMAKE_CURRENT_LIST_DIR}/$(up_from "$libdir/cmake/tbindex")"
    cmake_lib="\${_tbindex_prefix}${libdir#"$prefix"}"
    cmake_include="\${_tbindex_prefix}${includedir#"$prefix"}"
else
    pc_prefix=$prefix pc_lib=$libdir pc_include=$includedir pc_quote=\"
    cmake_prefix=$prefix cmake_lib=$libdir cmake_include=$includedir
fi

# pkg-config FILE NAME DESCRIPTION LIBS LIBS.PRIVATE
pkg_config() {
    cat >"$to_lib/pkgconfig/$1" <<EOF
prefix=$pc_prefix
libdir=$pc_lib
includedir=$pc_include

Name: $2
Description: Interleaved indices of chess endgame positions$3
Version: $version
Libs: $4
${5:+Libs.private: $5
}Cflags: -I$pc_quote\${includedir}$pc_quote
EOF
}
pkg_config tbindex.pc tbindex "" "-L$pc_quote\${libdir}$pc_quote -ltbindex" "$static_libs"
# By its path: nothing makes a linker prefer the shared library.
pkg_config tbindex-static.pc tbindex-static ", linked statically" "$pc_quote\${libdir}/libtbindex.a$pc_quote $static_libs" ""

cat >"$to_lib/cmake/tbindex/tbindexConfig.cmake" <<EOF
# find_package(tbindex) gives the targets tbindex::tbindex, the shared library, and tbindex::static.
if(NOT TARGET tbindex::tbindex)
    get_filename_component(_tbindex_prefix "$cmake_prefix" ABSOLUTE)
    add_library(tbindex::tbindex SHARED IMPORTED)
    set_target_properties(tbindex::tbindex PROPERTIES
        IMPORTED_LOCATION "$cmake_lib/$shared"
        IMPORTED_SONAME "$shared"
        INTERFACE_INCLUDE_DIRECTORIES "$cmake_include")
    add_library(tbindex::static STATIC IMPORTED)
    set_target_properties(tbindex::static PROPERTIES
        IMPORTED_LOCATION "$cmake_lib/libtbindex.a"
        IMPORTED_LINK_INTERFACE_LANGUAGES C
        INTERFACE_INCLUDE_DIRECTORIES "$cmake_include"
        INTERFACE_LINK_LIBRARIES "$(printf '%s' "$static_libs" | tr ' ' ';')")
    unset(_tbindex_prefix)
endif()
EOF
cat >"$to_lib/cmake/tbindex/tbindexConfigVersion.cmake" <<EOF
set(PACKAGE_VERSION "$version")
set(PACKAGE_VERSION_COMPATIBLE FALSE)
# Before 1.0 the middle number counts what changes.
if(NOT PACKAGE_FIND_VERSION OR
   ("\${PACKAGE_FIND_VERSION_MAJOR}.\${PACKAGE_FIND_VERSION_MINOR}" VERSION_EQUAL "${version%.*}" AND
    NOT PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION))
    set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
endif()
EOF
printf 'installed in %s\n' "${DESTDIR:-}$prefix"
