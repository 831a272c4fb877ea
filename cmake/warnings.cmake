# SPDX-License-Identifier: MIT
# The warnings that all our code is compiled with: link mcp-warnings.
add_library(mcp-warnings INTERFACE)
target_compile_options(mcp-warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wundef -Wvla -Wwrite-strings -Wformat=2
  $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes>
  $<$<COMPILE_LANGUAGE:C>:-Wconversion -Wno-sign-conversion>
  # Our constants are enumerators, those that are compared with doubles too.
  $<$<COMPILE_LANG_AND_ID:C,Clang,AppleClang>:-Wno-enum-float-conversion>
  # core/guard.h keeps the address of a local on purpose, while it lives.
  $<$<C_COMPILER_ID:GNU>:-Wno-dangling-pointer>
  $<$<BOOL:${MCP_WERROR}>:-Werror>)
