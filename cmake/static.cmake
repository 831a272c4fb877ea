# SPDX-License-Identifier: MIT
# Programs that are one file: the cross compiler, musl and the static libraries
# of `scripts/deps --static`. MCP_STATIC_ARCH is x86_64 or aarch64, and
# MCP_DEPS_DIR the prefix with that architecture's libraries.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES MCP_DEPS_DIR MCP_STATIC_ARCH)
set(MCP_DEPS_ARCH "${MCP_STATIC_ARCH}-linux-musl")
get_filename_component(tools "${MCP_DEPS_DIR}/../zig/bin" ABSOLUTE)

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR "${MCP_STATIC_ARCH}")
set(CMAKE_C_COMPILER "${tools}/${MCP_DEPS_ARCH}-cc")
set(CMAKE_CXX_COMPILER "${tools}/${MCP_DEPS_ARCH}-c++")
set(CMAKE_AR "${tools}/${MCP_DEPS_ARCH}-ar")
set(CMAKE_RANLIB "${tools}/${MCP_DEPS_ARCH}-ranlib")
set(CMAKE_CXX_FLAGS_INIT "-ffunction-sections -fdata-sections")
# The tables that C++ exceptions and debuggers need are an eighth of a small
# program. mcp.hpp lets no exception pass through C.
string(CONCAT CMAKE_C_FLAGS_INIT "${CMAKE_CXX_FLAGS_INIT}"
  " -fno-asynchronous-unwind-tables -fno-unwind-tables")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static -s -Wl,--gc-sections")

# An x86_64 machine runs its own; others need qemu's user mode.
cmake_host_system_information(RESULT host QUERY OS_PLATFORM)
if(NOT host STREQUAL MCP_STATIC_ARCH)
  set(CMAKE_CROSSCOMPILING_EMULATOR "qemu-${MCP_STATIC_ARCH}")
endif()

# The linker of zig takes its own libc, of the kind that fits. CMake would name the
# files that it saw there when it tried the compiler.
set(CMAKE_PROJECT_INCLUDE "${CMAKE_CURRENT_LIST_DIR}/static-project.cmake")
