# SPDX-License-Identifier: MIT
# Big-endian: tests run in qemu's user mode.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR s390x)
set(CMAKE_C_COMPILER s390x-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER s390x-linux-gnu-g++)
set(MCP_DEPS_ARCH s390x-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-s390x -L /usr/s390x-linux-gnu
  -E "LD_LIBRARY_PATH=${MCP_DEPS_DIR}/usr/lib/${MCP_DEPS_ARCH}")
