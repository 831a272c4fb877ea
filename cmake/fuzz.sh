#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: cmake/fuzz.sh [NAME...]
#
# Runs each fuzzer, or the named ones, for FUZZ_SECONDS; 0 only replays the
# corpus, under the sanitizers of clang. The inputs that a fuzzer finds stay in
# the build folder, and so does one that crashes it: add that to the corpus.
set -euo pipefail
cd "$(dirname "$0")/.."

build=$(realpath -m "${BUILD_DIR:-build}")
seconds=${FUZZ_SECONDS:-60}
limit=-max_total_time=$seconds
[ "$seconds" != 0 ] || limit=-runs=0

cmake/build.sh fuzz build fuzzers
[ $# -gt 0 ] || set -- tests/fuzz/fuzz_*.c tests/fuzz/*/fuzz_*.c
for name; do
  name=$(basename "${name##*/fuzz_}" .c)
  program=$build/fuzz/bin/fuzz-$name
  found=$build/fuzz/found/$name
  mkdir -p "$found"
  log=$build/fuzz/$name.log
  mapfile -t corpus < <(cmake/fuzz-corpus.sh "$name")
  if ! "$program" "$limit" -print_final_stats=1 \
    -verbosity=0 -artifact_prefix="$found-" "$found" \
    "${corpus[@]}" >"$log" 2>&1; then
    tail -n 40 "$log"
    echo "fuzz-$name failed; the input is $found-*"
    exit 1
  fi
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  echo "$name: $runs runs, nothing found"
done
