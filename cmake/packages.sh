#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: cmake/packages.sh DEB|RPM FOLDER
#
# Makes packages in FOLDER/packages, with the libraries and programs that it
# builds in FOLDER. The same sources give the same packages in each FOLDER.
# MAINTAINER, such as "Jo Doe <jo@debian.org>", is who makes them; the default is
# what the variables of Debian's own tools say, DEBFULLNAME and DEBEMAIL.
set -euo pipefail
source=$(realpath "$(dirname "$0")/..")
kind=$1
folder=$(realpath -m "$2")
deps=$(realpath -m "${BUILD_DIR:-$source/build}")/deps
maintainer=${MAINTAINER:-${DEBFULLNAME-} <${DEBEMAIL-}>}
if [ "$maintainer" = ' <>' ]; then
  echo "cmake/packages.sh: packages name their maintainer: set MAINTAINER," \
    "or DEBFULLNAME and DEBEMAIL" >&2
  exit 1
fi
# The time of the last change.
if [ -z "${SOURCE_DATE_EPOCH-}" ]; then
  SOURCE_DATE_EPOCH=$(git -C "$source" log -1 --format=%ct 2>/dev/null) ||
    SOURCE_DATE_EPOCH=$(stat -c %Y "$source/CHANGELOG.md")
fi
export SOURCE_DATE_EPOCH
# With it, ccache gives the compiler relative paths, which depend on where the
# folder is, and macros of OpenSSL write them into the code.
unset CCACHE_BASEDIR

options=(-DCMAKE_BUILD_TYPE=Release "-DCMAKE_C_FLAGS_RELEASE=-O2 -DNDEBUG"
  -DBUILD_TESTING=OFF -DMCP_BUILD_EXAMPLES=OFF -DMCP_REPRODUCIBLE=ON
  -DCMAKE_INSTALL_PREFIX=/usr "-DMCP_PACKAGE=$kind"
  "-DMCP_PACKAGE_MAINTAINER=$maintainer"
  "-DMCP_PACKAGE_EPOCH=$SOURCE_DATE_EPOCH" "-DMCP_DEPS_DIR=$deps")
# Where each kind of distribution has libraries, whichever this one is.
if [ "$kind" = RPM ]; then
  options+=("-DCMAKE_INSTALL_LIBDIR=lib$(getconf LONG_BIT | sed 's/32//')")
fi
mkdir -p "$folder"
log=$folder/packages.log
rm -rf "$folder/packages"
if ! {
  cmake --fresh -S "$source" -B "$folder" -G Ninja "${options[@]}" &&
    ninja -C "$folder" &&
    cd "$folder" && cpack --config CPackConfig.cmake
} >"$log" 2>&1; then
  grep -v '^\[[0-9]*/[0-9]*\] ' "$log" >&2
  exit 1
fi
