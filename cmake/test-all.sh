#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# What `make test` leaves out: other compilers, other machines, other people's
# programs. Goes on after a failure, and ends with what failed.
#
# Many tests wait. So what uses the release build runs beside the other builds and
# their tests.
set -uo pipefail
cd "$(dirname "$0")/.."

build=$(realpath -m "${BUILD_DIR:-build}")
export BUILD_DIR=$build BIN=$build/bin
failed=$build/failed # the names of the steps
: >"$failed"

# step NAME COMMAND...: shows what it said only if it fails; ctest's summary
# always.
step() {
  local name=$1 log
  log=$(mktemp "$build/step.XXXXXX")
  shift
  if "$@" >"$log" 2>&1; then
    sed -i '/tests passed/!d' "$log"
  else
    echo "$name" >>"$failed"
  fi
  (
    flock 9
    echo "== $name"
    cat "$log"
  ) 9<"$failed"
  rm "$log"
}

# step_if FILE NAME: a script that need not be there.
step_if() {
  if [ -x "$1" ]; then
    step "$2" "$1"
  fi
}

# The other variants of cmake/build.sh, each in a folder of its own.
other_builds() {
  # The packaging test builds the libraries twice more, which gcc has done. Tests
  # of whole programs look at what these print, which does not depend on the
  # compiler.
  local programs='^(packaging$|(mcpctl|soak|examples|conformance)\.|http(\.|$)'
  programs+='|dialect$|wires$)'
  step "clang" cmake/build.sh clang test clang -E "$programs"
  step "thread sanitizer" cmake/build.sh tsan test tsan -E '^wire\.'
  # A revision that nobody published is one row of core/revisions.def. What
  # compares or lists revisions elsewhere does not know it, and fails these tests;
  # those of schemas know no revisions.
  step "one more revision" cmake/build.sh revision test revision \
    -R '^(unit|wire)\.' -E '^unit\.schema'
  # Programs that were compiled with older headers. The tables of what is freed
  # where take minutes; of them the one over TLS uses the most structures. What
  # happens without memory does not depend on sizes.
  step "structures of a later version" env WIRE_MEMORY=0 \
    cmake/build.sh grown test grown \
    -E '^unit\.libmcp\.free_(dialect|foreign|inside)$'
  if [ -d "$build/deps-i386" ]; then
    step "i686" cmake/build.sh i686 test i686 -E '^soak\.'
    # The schemas' limits and formats do not know the byte order, nor does what
    # happens without memory. They take minutes under an emulator.
    step "s390x (big-endian)" env WIRE_MEMORY=0 \
      cmake/build.sh s390x test s390x -E '^unit\.schema\.(limits|format)$'
  fi
  # One without each feature in turn: cmake/test-switches.sh.
  step "without features" cmake/build.sh bare test
  step "the fuzzers' corpora, under the sanitizers of clang" \
    env FUZZ_SECONDS=0 cmake/fuzz.sh
}

# What uses the release build, or none.
release_build() {
  # Only what formats or parses numbers and text can depend on the locale, and
  # only in a program that calls setlocale. mcpctl does; libmcp's own tests do
  # not, so a preloaded library calls it for them, with a comma as the decimal
  # point.
  local numeric='base\.(base64|buf|printable|str)|json\.|schema\.|server\.tools|'
  numeric+='codec\.(http_value|message|punycode|uri)'
  local german=(env LC_ALL=de_DE.UTF-8 LOCPATH="$build/locale")
  local use_locale=$build/lib/libuse-locale.so
  step "de_DE.UTF-8, mcpctl" "${german[@]}" cmake/build.sh release test \
    de_DE-mcpctl -R '^(unit\.)?mcpctl\.'
  step "de_DE.UTF-8, the preloaded library" test -e "$use_locale"
  step "de_DE.UTF-8, libmcp" "${german[@]}" LD_PRELOAD="$use_locale" \
    cmake/build.sh release test de_DE -R "^unit\.($numeric)" \
    -E '^unit\.schema\.limits$'
  step "the official JSON Schema test suite" tests/schema/run
  step "schemas beside Ajv" tests/schema/ajv
  step_if tests/wire/validate "transcripts against the official schemas"
  step "nginx before our servers" python3 tests/http/proxy.py --bin "$BIN"
  step "logins in a keyring" python3 tests/keyring/run.py --bin "$BIN"
  step_if tests/interop/run "other implementations"
  if grep -q -e --http <<<"$("$BIN/conformance-server" --help)"; then
    step "the official conformance suite" tests/conformance/run
  fi
  step "lint" nice scripts/lint
}

trap 'trap - INT TERM; kill 0' INT TERM # the two have their own processes
step "gcc" cmake/build.sh release test
other_builds &
release_build &
wait

if [ -s "$failed" ]; then
  sed 's/^/failed: /' "$failed"
  exit 1
fi
