# SPDX-License-Identifier: MIT
# Programs for another system: the cross compiler and the static libraries of
# `scripts/deps --cross`. MCP_CROSS_TARGET is x86_64-windows, aarch64-macos or
# x86_64-macos, and MCP_DEPS_DIR the prefix with that target's libraries.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES MCP_DEPS_DIR MCP_CROSS_TARGET)
get_filename_component(tools "${MCP_DEPS_DIR}/../zig/bin" ABSOLUTE)
string(REGEX REPLACE "-.*" "" CMAKE_SYSTEM_PROCESSOR "${MCP_CROSS_TARGET}")
if(MCP_CROSS_TARGET MATCHES "-windows$")
  set(CMAKE_SYSTEM_NAME Windows)
  set(MCP_DEPS_ARCH "${MCP_CROSS_TARGET}-gnu")
  set(CMAKE_RC_COMPILER "${tools}/${MCP_DEPS_ARCH}-rc")
  set(CMAKE_CROSSCOMPILING_EMULATOR
    "${CMAKE_CURRENT_LIST_DIR}/../tests/cross/wine")
else()
  set(CMAKE_SYSTEM_NAME Darwin)
  set(MCP_DEPS_ARCH "${MCP_CROSS_TARGET}")
  set(CMAKE_OSX_SYSROOT "")
  set(CMAKE_INSTALL_NAME_TOOL true) # a program that does nothing
endif()
set(CMAKE_C_COMPILER "${tools}/${MCP_DEPS_ARCH}-cc")
set(CMAKE_CXX_COMPILER "${tools}/${MCP_DEPS_ARCH}-c++")
set(CMAKE_AR "${tools}/${MCP_DEPS_ARCH}-ar")
set(CMAKE_RANLIB "${tools}/${MCP_DEPS_ARCH}-ranlib")

# CMake must find nothing of this machine.
set(CMAKE_FIND_ROOT_PATH "${MCP_DEPS_DIR}/usr")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)

# See there: the compiler brings its own libraries.
set(CMAKE_PROJECT_INCLUDE "${CMAKE_CURRENT_LIST_DIR}/static-project.cmake")
