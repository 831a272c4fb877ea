#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: cmake/test-cross.sh [TARGET...]
#
# Builds the libraries, mcpctl, the examples and the tests that every system can
# run for Windows and macOS, with warnings fatal, and runs those of Windows under
# Wine. Makes the zip for developers on Windows (cmake/zip-windows.sh), and uses it.
# Without a TARGET: x86_64-windows, aarch64-macos and x86_64-macos. What was run
# where: docs/PLATFORMS.md.
set -euo pipefail
cd "$(dirname "$0")/.."

export BUILD_DIR=${BUILD_DIR:-$PWD/build}
BUILD_DIR=$(realpath -m "$BUILD_DIR")
[ $# -gt 0 ] || set -- x86_64-windows aarch64-macos x86_64-macos
scripts/deps --cross "$@"
for target; do
  cmake/build.sh "cross-$target" build cross
done
for target; do
  [ "$target" = x86_64-windows ] || continue
  # The first program sets up Wine's folder, which two at once do badly.
  tests/cross/wine wineboot --init >/dev/null 2>&1 || true
  cmake/build.sh cross-x86_64-windows test cross-windows -R '^(unit|cross|wire)\.'
  python3 tests/cross/run.py --bin "$BUILD_DIR/cross-x86_64-windows/bin"
  python3 tests/cross/mcpctl.py --bin "$BUILD_DIR/cross-x86_64-windows/bin"
  python3 tests/cross/zip.py "$(cmake/zip-windows.sh)" \
    --cc "$BUILD_DIR/zig/bin/x86_64-windows-gnu-cc" \
    --sources "$BUILD_DIR/sources"
done
