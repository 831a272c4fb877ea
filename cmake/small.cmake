# SPDX-License-Identifier: MIT
# MCP_PROFILE=small: libmcp-core and yyjson as archives, and with MCP_BOARD the
# program of examples/firmware. The flags come from the toolchain file and from
# the program that is built.

# What the library does not need of yyjson. `inline` lets the compiler decide,
# which with -Os halves yyjson; without FAST_FP_CONV it reads and writes
# fractions by the C library, and needs no tables.
set(mcp_yyjson_options YYJSON_DISABLE_INCR_READER=1
  YYJSON_DISABLE_NON_STANDARD=1 YYJSON_DISABLE_FAST_FP_CONV=1
  yyjson_inline=inline)
set(MCP_YYJSON_SOURCE "${MCP_DEPS_DIR}/yyjson/src" CACHE PATH
  "The folder of yyjson.c and yyjson.h")
if(NOT EXISTS "${MCP_YYJSON_SOURCE}/yyjson.c")
  message(FATAL_ERROR "MCP_PROFILE=small needs the source of yyjson: set "
    "MCP_YYJSON_SOURCE to the folder of yyjson.c (scripts/deps --all unpacks "
    "it)")
endif()
add_library(mcp-yyjson STATIC "${MCP_YYJSON_SOURCE}/yyjson.c")
target_include_directories(mcp-yyjson PUBLIC "${MCP_YYJSON_SOURCE}")
target_compile_definitions(mcp-yyjson PUBLIC ${mcp_yyjson_options})

add_library(mcp-core-static STATIC ${mcp_core_sources})
set_target_properties(mcp-core-static PROPERTIES
  OUTPUT_NAME mcp-core C_EXTENSIONS OFF)
target_include_directories(mcp-core-static PUBLIC
  "${PROJECT_SOURCE_DIR}/include" PRIVATE ${mcp_private_headers})
target_link_libraries(mcp-core-static PUBLIC mcp-yyjson PRIVATE mcp-warnings)
add_library(mcp::core-static ALIAS mcp-core-static)
add_library(mcp::core ALIAS mcp-core-static)

# A function is not inlined where that needs more stack (gcc).
set(mcp_small_stack -fconserve-stack --param=large-stack-frame-growth=30)
# What nothing calls is not linked.
foreach(target mcp-yyjson mcp-core-static)
  target_compile_options(${target} PRIVATE -ffunction-sections -fdata-sections
    $<$<C_COMPILER_ID:GNU>:${mcp_small_stack}>)
  target_link_options(${target} INTERFACE LINKER:--gc-sections)
endforeach()

set(MCP_BOARD "" CACHE STRING
  "Build examples/firmware for this board: lm3s6965 or riscv_virt")
if(MCP_BOARD)
  set(folder "${PROJECT_SOURCE_DIR}/examples/firmware")
  add_executable(firmware "${folder}/firmware.c" "${folder}/pool.c"
    "${folder}/board_${MCP_BOARD}.c")
  target_link_libraries(firmware PRIVATE mcp-core-static mcp-warnings)
  target_compile_options(firmware PRIVATE
    $<$<C_COMPILER_ID:GNU>:${mcp_small_stack}>)
endif()

# What the small profile does, without a device (cmake/size.sh).
if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CROSSCOMPILING)
  mcp_left_out(mcp-core-static)
endif()
