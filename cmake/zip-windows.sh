#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: cmake/zip-windows.sh
#
# Makes build/packages/libmcp-VERSION-x86_64-windows.zip of what was built in
# build/cross-x86_64-windows: programs, libraries, and all that a developer on
# Windows needs to use them (packaging/windows). Prints the path of the zip.
set -euo pipefail
cd "$(dirname "$0")/.."

build=$(realpath -m "${BUILD_DIR:-build}")
built=$build/cross-x86_64-windows
version=$(sed -n 's/^#define MCP_VERSION_[MP][A-Z]* \([0-9]*\)$/\1/p' \
  include/mcp/version.h | paste -sd .)
name=libmcp-$version-x86_64-windows
stage=$build/packages/windows/$name

SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
rm -rf "$build/packages/windows"
for component in dev mcpctl examples licences; do
  cmake --install "$built" --prefix "$stage" --component $component >/dev/null
done
find "$stage" -type f -exec scripts/sbom --name libmcp-x86_64-windows \
  "$built/sbom.json" "$stage/share/doc/mcp/mcp.spdx.json" "$stage" {} +
scripts/zip "$stage" "$build/packages/$name.zip"
rm -r "$build/packages/windows"
echo "$build/packages/$name.zip"
