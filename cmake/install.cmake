# SPDX-License-Identifier: MIT
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/mcp")
set(targets mcp-core)
set(programs "")
if(NOT MCP_CORE_ONLY)
  list(APPEND targets mcp)
endif()
if(MCP_HTTP_CLIENT)
  list(APPEND targets mcp-http)
endif()

install(TARGETS ${targets} EXPORT mcp-targets)
foreach(target IN LISTS targets)
  install(TARGETS ${target}-static)
endforeach()
if(TARGET mcpctl)
  install(TARGETS mcpctl)
endif()
install(DIRECTORY include/ TYPE INCLUDE FILES_MATCHING PATTERN "*.h")

# A library of our own fetching goes beside ours, which find it there; yyjson's
# header is for those who include mcp/sys/yyjson.h.
#
# mcp_private_library(NAME MODULE REQUIRES LIBS): appends to the variable
# REQUIRES the pkg-config module of lib<NAME> if it is the system's, else to LIBS
# how to link the one that is installed with ours.
function(mcp_private_library name module requires libs)
  file(GLOB files "${MCP_DEPS_DIR}/usr/lib/*/lib${name}.so*")
  if(files)
    install(FILES ${files} TYPE LIB)
    set(${libs} "${${libs}} -L\${libdir} -l${name}" PARENT_SCOPE)
  else()
    set(${requires} "${${requires}} ${module}" PARENT_SCOPE)
  endif()
endfunction()

set(core_requires "")
set(core_libs "")
mcp_private_library(yyjson yyjson core_requires core_libs)
if(core_libs)
  install(FILES "${MCP_DEPS_DIR}/usr/include/yyjson.h" TYPE INCLUDE)
endif()
set(mcp_requires "libuv libssl libcrypto libpcre2-8")
set(mcp_libs "-lwslay -lpthread")
if(NOT MCP_CORE_ONLY)
  mcp_private_library(llhttp libllhttp mcp_requires mcp_libs)
endif()

install(EXPORT mcp-targets NAMESPACE mcp:: DESTINATION "${package_dir}")
file(CONFIGURE OUTPUT mcp-config.cmake @ONLY CONTENT
  "include(\"\${CMAKE_CURRENT_LIST_DIR}/mcp-targets.cmake\")\n")
write_basic_package_version_file(mcp-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/mcp-config.cmake"
  "${CMAKE_BINARY_DIR}/mcp-config-version.cmake" DESTINATION "${package_dir}")

foreach(target IN LISTS targets)
  configure_file(cmake/lib${target}.pc.in lib${target}.pc @ONLY)
  install(FILES "${CMAKE_BINARY_DIR}/lib${target}.pc"
    DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endforeach()
