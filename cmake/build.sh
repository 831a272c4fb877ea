#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# usage: cmake/build.sh VARIANT [build [TARGET...]]
#        cmake/build.sh VARIANT configure
#        cmake/build.sh VARIANT test [NAME [CTEST ARGS]]
#
# Builds one variant in its folder, or the named targets of it, and configures
# it first if need be; `test` also runs its tests and leaves their results as
# JUnit in results/NAME.xml. Prints nothing but ctest's closing summary, unless
# something fails.
set -euo pipefail
cd "$(dirname "$0")/.."

variant=$1
action=${2-build}
shift $(($# < 2 ? $# : 2))

build=$(realpath -m "${BUILD_DIR:-build}")
dir=$build/$variant
# Traces need only lines (-g1), which compile a quarter faster than the rest.
debug=(-DCMAKE_BUILD_TYPE=Debug "-DCMAKE_C_FLAGS_DEBUG=-O1 -g1"
  "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -g1")
options=(-DMCP_WERROR=ON "-DMCP_DEPS_DIR=$build/deps")
bare=(-DMCP_TLS=OFF -DMCP_REGEX=OFF -DMCP_HTTP=OFF -DMCP_WEBSOCKET=OFF
  -DMCP_SOCKETS=OFF -DMCP_CORE_DIALECT=OFF -DMCP_SKILLS=OFF
  -DMCP_HTTP_CLIENT=OFF -DMCP_SQLITE=OFF -DMCP_BUNDLES=OFF
  -DMCP_TEST_CPP=OFF)
launcher=()
test_targets=() # all
case $variant in
  release)
    dir=$build
    options+=(-DCMAKE_BUILD_TYPE=RelWithDebInfo)
    ;;
  asan)
    options+=("${debug[@]}" -DMCP_SANITIZE=address,undefined)
    ;;
  tsan)
    # It sees the threads of GLib, but not how GLib locks.
    options+=("${debug[@]}" -DMCP_SANITIZE=thread -DMCP_KEYRING=OFF
      -DMCP_TEST_CPP=OFF)
    # gcc's runtime cannot bear much address space randomisation.
    ! setarch -R true 2>/dev/null || launcher=(setarch -R)
    ;;
  clang | clang-tests)
    export CC=clang CXX=clang++
    options+=(-DCMAKE_BUILD_TYPE=RelWithDebInfo
      "-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O2 -g1 -DNDEBUG"
      "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O2 -g1 -DNDEBUG")
    [ "$variant" = clang-tests ] || options+=(-DBUILD_TESTING=OFF)
    ;;
  fuzz)
    export CC=clang CXX=clang++
    options+=("${debug[@]}" -DMCP_FUZZ=ON -DMCP_SANITIZE=address,undefined)
    ;;
  coverage)
    export CC=clang CXX=clang++
    options+=("${debug[@]}" -DMCP_FUZZ=ON -DMCP_COVERAGE=ON)
    ;;
  revision)
    options+=("${debug[@]}" -DMCP_CORE_ONLY=ON -DMCP_HTTP_CLIENT=OFF
      -DMCP_TEST_CPP=OFF
      -DMCP_TEST_REVISION=ON)
    ;;
  grown)
    options+=("${debug[@]}" -DMCP_SANITIZE=address,undefined -DMCP_TEST_GROWN=ON)
    ;;
  i686)
    options+=("${debug[@]}" "-DMCP_DEPS_DIR=$build/deps-i386"
      "--toolchain=$PWD/cmake/i686.cmake")
    ;;
  s390x)
    options+=("${debug[@]}" "-DMCP_DEPS_DIR=$build/deps-s390x"
      -DMCP_CORE_ONLY=ON "--toolchain=$PWD/cmake/s390x.cmake")
    ;;
  bare) # all features that can be are left out
    options+=(-DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 "${bare[@]}")
    ;;
  static-*) # programs that are one file, for an architecture
    arch=${variant##*-}
    options+=(-DCMAKE_BUILD_TYPE=MinSizeRel -DMCP_SHARED=OFF -DMCP_SQLITE=OFF
      -DMCP_EDITLINE=ON -DMCP_BUNDLES=ON -DMCP_FIND_CERTIFICATES=ON
      "-DMCP_STATIC_ARCH=$arch"
      "-DMCP_DEPS_DIR=$build/deps-static-$arch"
      "--toolchain=$PWD/cmake/static.cmake")
    test_targets=(unit-tests)
    if [[ $variant = static-bare-* ]]; then # with the features of `bare`
      options+=("${bare[@]}")
    fi
    ;;
  cross-*) # programs for another system, as in cross-x86_64-windows
    target=${variant#cross-}
    options+=(-DCMAKE_BUILD_TYPE=RelWithDebInfo
      "-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O2 -g1 -DNDEBUG"
      "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O2 -g1 -DNDEBUG"
      -DMCP_SHARED=OFF -DMCP_SQLITE=OFF -DMCP_EDITLINE=OFF
      -DMCP_REPRODUCIBLE=ON -DMCP_INSTALL_DEPS=ON
      "-DMCP_CROSS_TARGET=$target"
      "-DMCP_DEPS_DIR=$build/deps-static-$target"
      "--toolchain=$PWD/cmake/cross.cmake")
    test_targets=(portable-tests)
    ;;
  without-*) # one is, as in without-TLS
    options+=(-DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0
      "-DMCP_${variant#without-}=OFF")
    ;;
  *)
    echo "cmake/build.sh: no variant '$variant'" >&2
    exit 1
    ;;
esac

# or_show LOG COMMAND...: quiet when all is well.
or_show() {
  local log=$1
  shift
  "$@" >"$log" 2>&1 || {
    cat "$log"
    exit 1
  }
}

mkdir -p "$dir" "$build/results"
exec 9>"$dir/.lock"
flock 9 # one build at a time in one folder

# Libraries of AUTO options may have been installed since, and a toolchain file
# have changed.
stamp="${options[*]} $(cat cmake/{i686,s390x,static,cross}.cmake | cksum)"
for module in libsecret-1 sqlite3 libedit zlib; do
  stamp+=" $(pkg-config --modversion $module 2>/dev/null || true)"
done
if [ ! -e "$dir/build.ninja" ] || [ "$(cat "$dir/.options")" != "$stamp" ]; then
  or_show "$dir/configure.log" \
    cmake --fresh -S . -B "$dir" -G Ninja "${options[@]}"
  echo "$stamp" >"$dir/.options"
fi
if [ "$action" = configure ]; then
  # Files may have come or gone since.
  or_show "$dir/configure.log" ninja --quiet -C "$dir" build.ninja
  exit 0
fi

if [ "$action" = build ]; then
  or_show "$dir/build.log" ninja --quiet -C "$dir" "$@"
  exit 0
fi
# Tests of another variant may run now, and they come first.
or_show "$dir/build.log" nice ninja --quiet -C "$dir" \
  "${test_targets[@]}"
name=${1-$variant}
shift $(($# < 1 ? $# : 1))

export ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1
ASAN_OPTIONS+=:detect_stack_use_after_return=1
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
status=0
# Many tests wait for sockets, clocks and children, so half as many again run at
# once as there are processors.
jobs=$((($(nproc) * 3 + 1) / 2))
"${launcher[@]}" ctest --test-dir "$dir" --output-on-failure -j $jobs \
  --no-tests=error --output-junit "$build/results/$name.xml" "$@" \
  >"$dir/ctest.log" 2>&1 || status=$?
if [ $status = 0 ]; then
  sed -n '/tests passed/,$p' "$dir/ctest.log"
else
  grep -vE '^ *(Start +[0-9]+:|[0-9]+/[0-9]+ Test .* Passed )' "$dir/ctest.log"
fi
exit $status
