# SPDX-License-Identifier: MIT
#
# For scripts that run many steps, go on after a failure, and end with what
# failed. To be sourced in the root of the project.
build=$(realpath -m "${BUILD_DIR:-build}")
export BUILD_DIR=$build BIN=$build/bin
failed=$build/failed # the names of the steps
: >"$failed"

# step NAME COMMAND...: shows what it said only if it fails; how long it took and
# ctest's summary always.
step() {
  local name=$1 log began=$SECONDS
  log=$(mktemp "$build/step.XXXXXX")
  shift
  if "$@" >"$log" 2>&1; then
    sed -i '/tests passed/!d' "$log"
  else
    echo "$name" >>"$failed"
  fi
  (
    flock 9
    echo "== $name ($((SECONDS - began)) s)"
    cat "$log"
  ) 9<"$failed"
  rm "$log"
}

# The last step. Fails if one has failed.
steps_end() {
  sed 's/^/failed: /' "$failed"
  [ ! -s "$failed" ]
}
