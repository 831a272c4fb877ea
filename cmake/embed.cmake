# SPDX-License-Identifier: MIT

# mcp_embed(TARGET FILE NAME): adds a file to a program, as the NUL-terminated
# array `const char NAME[]`.
function(mcp_embed target file name)
  set(path "${PROJECT_SOURCE_DIR}/${file}")
  set(source "${PROJECT_BINARY_DIR}/${name}.c")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${path}")
  file(READ "${path}" bytes HEX)
  # Signed, as char may be.
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "(char)0x\\1," bytes "${bytes}")
  file(GENERATE OUTPUT "${source}" CONTENT
"/* Made by cmake/embed.cmake of ${file}. */
extern const char ${name}[];
const char ${name}[] = {${bytes}0};
")
  target_sources(${target} PRIVATE "${source}")
endfunction()
