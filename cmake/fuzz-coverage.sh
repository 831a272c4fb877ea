#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Prints how many lines of each folder of src/ the fuzzers reach with their
# corpora, and with the inputs that `make fuzz` has found in this build folder.
set -euo pipefail
cd "$(dirname "$0")/.."

build=$(realpath -m "${BUILD_DIR:-build}")
dir=$build/coverage
cov=$(clang -print-prog-name=llvm-cov)
profdata=$(clang -print-prog-name=llvm-profdata)
cmake/build.sh coverage build fuzzers

rm -f "$dir"/*.profraw
objects=()
for source in tests/fuzz/fuzz_*.c tests/fuzz/*/fuzz_*.c; do
  name=$(basename "${source##*/fuzz_}" .c)
  program=$dir/bin/fuzz-$name
  objects+=(-object "$program")
  mapfile -t folders < <(cmake/fuzz-corpus.sh "$name")
  [ ! -d "$build/fuzz/found/$name" ] || folders+=("$build/fuzz/found/$name")
  LLVM_PROFILE_FILE=$dir/$name.profraw "$program" -runs=0 "${folders[@]}" \
    >"$dir/$name.log" 2>&1 || {
    tail -n 40 "$dir/$name.log"
    exit 1
  }
done
"$profdata" merge -o "$dir/all.profdata" "$dir"/*.profraw
"$cov" export -summary-only -instr-profile "$dir/all.profdata" \
  "${objects[@]:1}" 2>"$dir/export.log" | python3 -c '
import collections, json, pathlib, sys
root = pathlib.Path("src").resolve()
reached = collections.Counter()
lines = collections.Counter()
for file in json.load(sys.stdin)["data"][0]["files"]:
    path = pathlib.Path(file["filename"]).resolve()
    if root in path.parents:
        folder = path.relative_to(root).parent.as_posix()
        for name in folder, "all":
            reached[name] += file["summary"]["lines"]["covered"]
            lines[name] += file["summary"]["lines"]["count"]
for name in sorted(lines, key=lambda name: (name == "all", name)):
    share = 100 * reached[name] / lines[name]
    print(f"{name:22} {reached[name]:6} of {lines[name]:6} lines {share:5.1f} %")
'
