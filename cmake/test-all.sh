#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# What `make test` leaves out: other compilers, other machines, other people's
# programs. Goes on after a failure, and ends with what failed. The steps that
# take longest and find least are in cmake/test-slow.sh.
#
# Many tests wait. So the release build, and what uses it, runs beside the other
# builds and their tests.
set -uo pipefail
cd "$(dirname "$0")/.."

. cmake/steps.sh

# step_if FILE NAME: a script that need not be there.
step_if() {
  if [ -x "$1" ]; then
    step "$2" "$1"
  fi
}

# The other variants of cmake/build.sh, each in a folder of its own.
other_builds() {
  # The libraries and programs; the tests: cmake/test-slow.sh.
  step "clang" cmake/build.sh clang
  # mcpctl and schemas have no threads of their own.
  step "thread sanitizer" cmake/build.sh tsan test tsan \
    -E '^(wire|mcpctl|unit\.schema)\.'
  # Programs that were compiled with older headers. The tables of what is freed
  # where take minutes; of them the one over TLS uses the most structures. What
  # happens without memory does not depend on sizes.
  step "structures of a later version" env WIRE_MEMORY=0 \
    cmake/build.sh grown test grown \
    -E '^unit\.libmcp\.free_(dialect|foreign|inside)$'
  # What programs print does not depend on the size of a pointer.
  if [ -d "$build/deps-i386" ]; then
    step "i686" env WIRE_MEMORY=0 cmake/build.sh i686 test i686 -E '^(soak|mcpctl|examples)\.'
  fi
  step "firmware for devices" cmake/size.sh
  step "Windows and macOS, compiled and linked" cross_builds
  # One without each feature in turn: cmake/test-switches.sh.
  step "without features" env WIRE_MEMORY=0 cmake/build.sh bare test
}

# What runs under Wine: cmake/test-cross.sh.
cross_builds() {
  scripts/deps --cross x86_64-windows aarch64-macos &&
    cmake/build.sh cross-x86_64-windows build cross-programs &&
    cmake/build.sh cross-aarch64-macos build cross-programs
}

# What uses the release build, or none.
release_build() {
  # `make test` has seen what happens without memory.
  step "gcc" env WIRE_MEMORY=0 ALL_PACKAGES=true \
    cmake/build.sh release test
  # Only what formats or parses numbers and text can depend on the locale, and
  # only in a program that calls setlocale. mcpctl does; libmcp's own tests do
  # not, so a preloaded library calls it for them, with a comma as the decimal
  # point.
  local numeric='base\.(base64|buf|printable|str)|json\.|schema\.|'
  numeric+='server\.content|codec\.(http_value|message|punycode|uri)'
  local german=(env LC_ALL=de_DE.UTF-8 LOCPATH="$build/locale")
  local use_locale=$build/lib/libuse-locale.so
  step "de_DE.UTF-8, mcpctl" "${german[@]}" cmake/build.sh release test \
    de_DE-mcpctl -R '^(unit\.)?mcpctl\.'
  step "de_DE.UTF-8, the preloaded library" test -e "$use_locale"
  step "de_DE.UTF-8, libmcp" "${german[@]}" LD_PRELOAD="$use_locale" \
    cmake/build.sh release test de_DE -R "^unit\.($numeric)" \
    -E '^unit\.schema\.limits$'
  step "the official JSON Schema test suite" tests/schema/run
  step_if tests/wire/validate "transcripts against the official schemas"
  step "nginx before our servers" python3 tests/http/proxy.py --bin "$BIN"
  step "logins in a keyring" python3 tests/keyring/run.py --bin "$BIN"
  step_if tests/interop/run "other implementations"
  step_if bindings/python/run-tests "the Python package"
  step_if bindings/lua/run-tests "the Lua module"
  if grep -q -e --http <<<"$("$BIN/conformance-server" --help)"; then
    step "the official conformance suite" tests/conformance/run
  fi
  step "the reference of the public headers, and the site" scripts/docs \
    --if-possible
  step "lint" nice env LINT_QUICK=1 scripts/lint
}

trap 'trap - INT TERM; kill 0' INT TERM # the two have their own processes
other_builds &
release_build &
wait

steps_end
