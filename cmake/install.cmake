# SPDX-License-Identifier: MIT
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/mcp")
set(targets mcp-core)
set(programs "")
if(NOT MCP_CORE_ONLY)
  list(APPEND targets mcp)
endif()

install(TARGETS ${targets} EXPORT mcp-targets)
foreach(target IN LISTS targets)
  install(TARGETS ${target}-static)
endforeach()
if(TARGET mcpctl)
  install(TARGETS mcpctl)
endif()
install(DIRECTORY include/ TYPE INCLUDE FILES_MATCHING PATTERN "*.h")

# A yyjson of our own fetching goes beside our libraries, which find it there;
# its header is for those who include mcp/sys/yyjson.h.
set(yyjson_requires "Requires.private: yyjson")
file(GLOB private_yyjson "${MCP_DEPS_DIR}/usr/lib/*/libyyjson.so*")
if(private_yyjson)
  install(FILES ${private_yyjson} TYPE LIB)
  install(FILES "${MCP_DEPS_DIR}/usr/include/yyjson.h" TYPE INCLUDE)
  set(yyjson_requires "Libs.private: -L\${libdir} -lyyjson")
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
