#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Builds libmcp without each feature in turn, and looks at what is left. `make
# test-all` builds it without all of them at once.
set -uo pipefail
cd "$(dirname "$0")/.."

build=$(realpath -m "${BUILD_DIR:-build}")
rc=0
# Such a build has the same objects but those of the feature, so only what is
# left out is looked at.
for feature in TLS REGEX HTTP WEBSOCKET SOCKETS CORE_DIALECT PLAIN_POST \
  SKILLS; do
  echo "== without $feature"
  cmake/build.sh "without-$feature" build mcp mcp-http hello-server mcpctl &&
    ctest --test-dir "$build/without-$feature" --output-on-failure \
      --no-tests=error -R '^switches$' | grep 'tests passed' || rc=1
done
# Parts of libmcp-core.
for part in QUESTIONS SCHEMA_ARRAYS SCHEMA_CHOICES SCHEMA_FORMATS SCHEMA_META; do
  echo "== without $part"
  cmake/build.sh "without-$part" build mcp-core left-out hello-server &&
    ctest --test-dir "$build/without-$part" --output-on-failure \
      --no-tests=error -R '^(left-out|switches)$' | grep 'tests passed' || rc=1
done
exit $rc
