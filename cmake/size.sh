#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Builds examples/firmware for a Cortex-M3 and a RISC-V of 32 bits, runs both in
# QEMU, and compares what they need with tests/devices/budgets.txt. Arguments go
# to tests/devices/run.py.
set -euo pipefail
cd "$(dirname "$0")/.."

build=$(realpath -m "${BUILD_DIR:-build}")
machines=()
for pair in cortex-m3:lm3s6965 rv32:riscv_virt; do
  machine=${pair%%:*}
  dir=$build/$machine
  mkdir -p "$dir"
  {
    [ -e "$dir/build.ninja" ] ||
      cmake -S . -B "$dir" -G Ninja --toolchain "$PWD/cmake/$machine.cmake" \
        -DCMAKE_BUILD_TYPE=MinSizeRel -DMCP_PROFILE=small -DMCP_WERROR=ON \
        -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON \
        -DMCP_YYJSON_SOURCE="$build/sources/yyjson/src" \
        -DMCP_BOARD="${pair##*:}"
    nice ninja --quiet -C "$dir"
  } >"$dir/build.log" 2>&1 || {
    cat "$dir/build.log"
    exit 1
  }
  machines+=("$machine=$dir/bin/firmware")
done
exec tests/devices/run.py "$@" "${machines[@]}"
