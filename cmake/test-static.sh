#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Builds the programs that are one file for x86_64 and aarch64, looks at them and
# runs them, and runs the unit tests as such programs on this machine's own
# architecture.
set -euo pipefail
cd "$(dirname "$0")/.."

build=$(realpath -m "${BUILD_DIR:-build}")
scripts/deps --static
for arch in x86_64 aarch64; do
  cmake/build.sh "static-$arch" build mcpctl hello-server man-page \
    mcp-core-static mcp-static mcp-http-static
  cmake/build.sh "static-bare-$arch" build hello-server
done
python3 tests/static/run.py --build "$build"
cmake/build.sh "static-$(uname -m)" test static -R '^unit\.'
