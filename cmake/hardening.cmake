# SPDX-License-Identifier: MIT
# Flags that make a memory error harder to exploit, where the compiler and the
# linker take them: link mcp-hardening. MCP_HARDENING=OFF leaves all of them out.
include(CheckCCompilerFlag)
include(CheckLinkerFlag)
include(CheckPIESupported)

add_library(mcp-hardening INTERFACE)
if(NOT MCP_HARDENING)
  return()
endif()
check_pie_supported()

foreach(flag -fstack-protector-strong -fstack-clash-protection)
  string(MAKE_C_IDENTIFIER "MCP_TAKES${flag}" takes)
  check_c_compiler_flag(${flag} ${takes})
  if(${takes})
    target_compile_options(mcp-hardening INTERFACE ${flag})
  endif()
endforeach()

foreach(flag -z,relro -z,now)
  string(MAKE_C_IDENTIFIER "MCP_LINKS${flag}" links)
  check_linker_flag(C "LINKER:${flag}" ${links})
  if(${links})
    target_link_options(mcp-hardening INTERFACE "LINKER:${flag}")
  endif()
endforeach()

# Fortified functions need an optimised build, and hide faults from the
# sanitizers.
# A distribution that sets a level of its own keeps it.
if(NOT MCP_SANITIZE AND
   NOT "${CMAKE_C_FLAGS} ${CMAKE_CXX_FLAGS}" MATCHES "_FORTIFY_SOURCE")
  target_compile_options(mcp-hardening INTERFACE
    $<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-U_FORTIFY_SOURCE
    -D_FORTIFY_SOURCE=2>)
endif()
