# SPDX-License-Identifier: MIT
# Flags that make a memory error harder to exploit, where the compiler and the
# linker take them: link mcp-hardening. MCP_HARDENING=OFF leaves all of them out.
include(CheckCCompilerFlag)
include(CheckCSourceCompiles)
include(CheckLinkerFlag)
include(CheckPIESupported)

add_library(mcp-hardening INTERFACE)
if(NOT MCP_HARDENING)
  return()
endif()
check_pie_supported()

# A flag that has no effect, as on another system, is a warning.
set(CMAKE_REQUIRED_FLAGS -Werror)
foreach(flag -fstack-protector-strong -fstack-clash-protection)
  string(MAKE_C_IDENTIFIER "MCP_TAKES${flag}" takes)
  check_c_compiler_flag(${flag} ${takes})
  if(${takes})
    target_compile_options(mcp-hardening INTERFACE ${flag})
  endif()
endforeach()

unset(CMAKE_REQUIRED_FLAGS)
foreach(flag -z,relro -z,now)
  string(MAKE_C_IDENTIFIER "MCP_LINKS${flag}" links)
  check_linker_flag(C "LINKER:${flag}" ${links})
  if(${links})
    target_link_options(mcp-hardening INTERFACE "LINKER:${flag}")
  endif()
endforeach()

# Fortified functions need an optimised build, and hide faults from the
# sanitizers. A level that the compiler or its flags already set stays: many
# distributions build one in.
if(NOT MCP_SANITIZE)
  set(CMAKE_REQUIRED_FLAGS -O2)
  check_c_source_compiles("
    #if !defined(_FORTIFY_SOURCE)
    #error the compiler sets no level
    #endif
    int main(void) { return 0; }" MCP_FORTIFIES_ITSELF)
  unset(CMAKE_REQUIRED_FLAGS)
  if(NOT MCP_FORTIFIES_ITSELF)
    target_compile_options(mcp-hardening INTERFACE
      $<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-U_FORTIFY_SOURCE
      -D_FORTIFY_SOURCE=2>)
  endif()
endif()
