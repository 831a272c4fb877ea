# SPDX-License-Identifier: MIT
# Part of mcp-config.cmake where the libraries that libmcp links are installed
# beside it, in mcp_bundled_libraries and mcp_bundled_headers.
#
# mcp_bundled_dependency(NAME ARCHIVE DEFINITIONS LIBRARIES): makes
# mcp-deps::NAME of the archive, unless the program has the library itself.
function(mcp_bundled_dependency name archive definitions libraries)
  mcp_take_given(${name})
  if(TARGET mcp-deps::${name})
    return()
  endif()
  add_library(mcp-deps::${name} STATIC IMPORTED GLOBAL)
  set_target_properties(mcp-deps::${name} PROPERTIES
    IMPORTED_LOCATION "${mcp_bundled_libraries}/lib${archive}.a"
    IMPORTED_LINK_INTERFACE_LANGUAGES C
    INTERFACE_INCLUDE_DIRECTORIES "${mcp_bundled_headers}"
    INTERFACE_COMPILE_DEFINITIONS "${definitions}"
    INTERFACE_LINK_LIBRARIES "${libraries}")
endfunction()
