#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# What takes longest and finds least: `make test-all` leaves it out. Goes on after
# a failure, and ends with what failed.
set -uo pipefail
cd "$(dirname "$0")/.."
. cmake/steps.sh

if [ -d "$build/deps-s390x" ]; then
  # The schemas' limits and formats do not know the byte order, nor does what
  # happens without memory. They take minutes under an emulator.
  step "s390x (big-endian)" env WIRE_MEMORY=0 \
    cmake/build.sh s390x test s390x -E '^unit\.schema\.(limits|format)$'
fi
# The packaging test builds the libraries twice more, which gcc has done. Tests of
# whole programs look at what these print, which does not depend on the compiler.
programs='^(packaging$|(mcpctl|soak|examples|conformance)\.|http(\.|$)'
programs+='|dialect$|wires$)'
step "the tests, compiled by clang" env WIRE_MEMORY=0 \
  cmake/build.sh clang-tests test clang -E "$programs"
# A revision that nobody published is one row of core/revisions.def. What
# compares or lists revisions elsewhere does not know it, and fails these tests;
# those of schemas know no revisions.
step "one more revision" env WIRE_MEMORY=0 \
  cmake/build.sh revision test revision \
  -R '^(unit|wire)\.' -E '^unit\.schema'
step "the release build" cmake/build.sh release
step "schemas beside Ajv" tests/schema/ajv
step "the Rust SDK" env INTEROP_RUST=1 tests/interop/run tasks
# `make test` has replayed them with gcc's sanitizers.
step "the fuzzers' corpora, under the sanitizers of clang" \
  env FUZZ_SECONDS=0 cmake/fuzz.sh
step "programs that are one file" cmake/test-static.sh
step "packages" cmake/test-packages.sh
step "Windows and macOS" cmake/test-cross.sh
step "without each feature in turn" cmake/test-switches.sh
step "all of lint" scripts/lint
steps_end
