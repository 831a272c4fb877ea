#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Builds examples/firmware for a Cortex-M3 and a RISC-V of 32 bits, runs both in
# QEMU, and compares what they need with tests/devices/budgets.txt. Arguments go
# to tests/devices/run.py. First tests MCP_PROFILE=small on this computer.
set -euo pipefail
cd "$(dirname "$0")/.."

build=$(realpath -m "${BUILD_DIR:-build}")

# small_build FOLDER SETTINGS...: quiet when all is well.
small_build() {
  local dir=$build/$1
  shift
  mkdir -p "$dir"
  {
    [ -e "$dir/build.ninja" ] ||
      cmake -S . -B "$dir" -G Ninja -DMCP_PROFILE=small -DMCP_WERROR=ON \
        -DMCP_YYJSON_SOURCE="$build/sources/yyjson/src" "$@"
    nice ninja --quiet -C "$dir"
  } >"$dir/build.log" 2>&1 || {
    cat "$dir/build.log"
    exit 1
  }
}

small_build small -DCMAKE_BUILD_TYPE=Debug -DMCP_SANITIZE=address,undefined \
  "-DCMAKE_C_FLAGS_DEBUG=-O1 -g1"
"$build/small/bin/left-out"
machines=()
for pair in cortex-m3:lm3s6965 rv32:riscv_virt; do
  machine=${pair%%:*}
  small_build "$machine" --toolchain "$PWD/cmake/$machine.cmake" \
    -DCMAKE_BUILD_TYPE=MinSizeRel -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON \
    -DMCP_BOARD="${pair##*:}"
  machines+=("$machine=$build/$machine/bin/firmware")
done

# The project of docs/DEVICES.md, which has libmcp in a folder of its own.
own=$build/own-firmware
mkdir -p "$own/third_party/yyjson"
ln -sfn "$PWD" "$own/third_party/libmcp"
ln -sfn "$build/sources/yyjson/src" "$own/third_party/yyjson/src"
cp examples/firmware/{board,pool}.h \
  examples/firmware/{firmware,pool,board_lm3s6965}.c "$own"
sed -n '/^```cmake$/,/^```$/{/^```/!p}' docs/DEVICES.md >"$own/CMakeLists.txt"
{
  cmake -S "$own" -B "$own/out" -G Ninja \
    --toolchain "$PWD/cmake/cortex-m3.cmake" -DCMAKE_BUILD_TYPE=MinSizeRel \
    -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON &&
    nice ninja --quiet -C "$own/out"
} >"$own/build.log" 2>&1 || {
  cat "$own/build.log"
  exit 1
}
tests/devices/run.py "cortex-m3=$own/out/fan" >"$own/sizes.txt" || {
  cat "$own/sizes.txt"
  exit 1
}
exec tests/devices/run.py "$@" "${machines[@]}"
