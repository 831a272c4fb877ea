#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Runs each fuzzer for FUZZ_SECONDS. What it finds of interest stays in the
# build folder; a crash is left there too, to become a file of the corpus.
set -euo pipefail
cd "$(dirname "$0")/.."

build=$(realpath -m "${BUILD_DIR:-build}")
cmake/build.sh fuzz
for program in "$build"/fuzz/bin/fuzz-*; do
  name=${program##*/fuzz-}
  found=$build/fuzz/found/$name
  mkdir -p "$found"
  log=$build/fuzz/$name.log
  if ! "$program" -max_total_time="${FUZZ_SECONDS:-60}" -print_final_stats=1 \
    -verbosity=0 -artifact_prefix="$found-" "$found" \
    "tests/fuzz/corpus/$name" >"$log" 2>&1; then
    tail -n 40 "$log"
    echo "fuzz-$name failed; the input is $found-*"
    exit 1
  fi
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  echo "$name: $runs runs, nothing found"
done
