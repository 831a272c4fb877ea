# SPDX-License-Identifier: MIT
#
# The man page of mcpctl, made from its manual.
find_package(Python3 COMPONENTS Interpreter)
if(NOT Python3_Interpreter_FOUND)
  message(STATUS "No Python 3: there will be no man page")
  return()
endif()
set(mcp_man_page "${PROJECT_BINARY_DIR}/man/mcpctl.1")
add_custom_command(OUTPUT "${mcp_man_page}"
  COMMAND "${Python3_EXECUTABLE}" scripts/man-page "${PROJECT_VERSION}"
  docs/MCPCTL.md "${mcp_man_page}"
  DEPENDS "${PROJECT_SOURCE_DIR}/scripts/man-page"
  "${PROJECT_SOURCE_DIR}/docs/MCPCTL.md"
  WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
  VERBATIM)
add_custom_target(man-page ALL DEPENDS "${mcp_man_page}")
