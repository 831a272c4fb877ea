# SPDX-License-Identifier: MIT

# The meta-schemas as a C file: a table of URI and text.

file(GLOB files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/schema/meta/*/*.json"
  "${PROJECT_SOURCE_DIR}/src/schema/form.json")
set(mcp_meta_schemas "${PROJECT_BINARY_DIR}/meta_schemas.c")
set(arrays "")
set(rows "")
set(index 0)
foreach(file IN LISTS files)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  file(READ "${file}" text)
  string(JSON uri GET "${text}" "$id")
  string(REGEX REPLACE "#$" "" uri "${uri}")
  file(READ "${file}" bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND arrays "static const char text_${index}[] = {${bytes}};\n")
  string(APPEND rows "    {\"${uri}\", text_${index}, sizeof(text_${index})},\n")
  math(EXPR index "${index} + 1")
endforeach()
file(GENERATE OUTPUT "${mcp_meta_schemas}" CONTENT
"/* Made by cmake/meta-schemas.cmake. */
#include \"schema/meta.h\"

${arrays}
const mcpi_meta_text mcpi_meta_texts[] = {
${rows}    {NULL, NULL, 0}};
")
