# SPDX-License-Identifier: MIT

# Headers as a later version might have them, whose structures have more members.
# The libraries are built with them, and the tests' programs are not: so programs
# that were compiled with older headers are tried with a newer library.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(mcp_headers "${PROJECT_BINARY_DIR}/grown")
file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/*.h*")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${headers}
  "${PROJECT_SOURCE_DIR}/tests/grown/grow.py"
  "${PROJECT_SOURCE_DIR}/tests/support/structures.h")
execute_process(
  COMMAND "${Python3_EXECUTABLE}" tests/grown/grow.py "${mcp_headers}"
  WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" COMMAND_ERROR_IS_FATAL ANY)
