# SPDX-License-Identifier: MIT
include(CMakePackageConfigHelpers)

# rpm looks for what a library needs only in files that may be run; Debian wants
# libraries that may not.
set(mcp_library_permissions "")
if(MCP_PACKAGE STREQUAL "RPM")
  set(CMAKE_INSTALL_SO_NO_EXE OFF)
  set(mcp_library_permissions PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
    GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
endif()

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/mcp")
set(targets mcp-core)
if(NOT MCP_CORE_ONLY)
  list(APPEND targets mcp)
endif()
if(MCP_HTTP_CLIENT)
  list(APPEND targets mcp-http)
endif()
if(MCP_SQLITE)
  list(APPEND targets mcp-sqlite)
endif()

set(export_sets mcp-static-targets)
if(MCP_SHARED)
  list(APPEND export_sets mcp-targets)
  foreach(target IN LISTS targets)
    install(TARGETS ${target} EXPORT mcp-targets
      LIBRARY COMPONENT ${target} NAMELINK_COMPONENT dev)
  endforeach()
endif()
foreach(target IN LISTS targets)
  install(TARGETS ${target}-static EXPORT mcp-static-targets
    ARCHIVE COMPONENT dev)
endforeach()
foreach(module mcp-tls mcp-regex mcp-yaml mcp-fetch mcp-http1 mcp-websocket
    mcp-keyring)
  set(component mcp)
  if(module STREQUAL "mcp-fetch") # it needs libcurl, as libmcp-http does
    set(component mcp-http)
  elseif(module STREQUAL "mcp-keyring")
    set(component mcp-keyring)
  endif()
  if(TARGET ${module})
    install(TARGETS ${module} DESTINATION "${CMAKE_INSTALL_LIBDIR}/mcp"
      COMPONENT ${component})
  endif()
endforeach()
if(TARGET mcpctl)
  install(TARGETS mcpctl COMPONENT mcpctl)
endif()
if(TARGET mcpctl AND NOT WIN32)
  # Each shell finds the file by its name.
  set(completions tools/mcpctl/completions)
  install(FILES ${completions}/mcpctl.bash RENAME mcpctl
    DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
    COMPONENT mcpctl)
  set(zsh_folder site-functions)
  if(MCP_PACKAGE STREQUAL "DEB") # Debian's zsh searches there for packages
    set(zsh_folder vendor-completions)
  endif()
  install(FILES ${completions}/_mcpctl
    DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/${zsh_folder}"
    COMPONENT mcpctl)
  install(FILES ${completions}/mcpctl.fish
    DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d"
    COMPONENT mcpctl)
endif()
if(TARGET man-page AND NOT WIN32)
  install(FILES "${mcp_man_page}" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1"
    COMPONENT mcpctl)
endif()
install(DIRECTORY include/ TYPE INCLUDE COMPONENT dev
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")

# --- licences: ours, and of what is installed inside or beside our libraries ---

install(FILES LICENSE TYPE DOC COMPONENT licences)
install(FILES src/schema/meta/LICENSE TYPE DOC COMPONENT licences
  RENAME LICENSE.json-schema)

# --- libraries that scripts/deps unpacked ----------------------------------

# They go in a folder of their own, where our libraries find them and no other
# program does.
#
# mcp_private_library(NAME MODULE COMPONENT REQUIRES LIBS): appends to the
# variable REQUIRES the pkg-config module of lib<NAME> if it is the system's, else
# to LIBS how to link the one that is installed with ours (in COMPONENT), and to
# mcp_private its target.
function(mcp_private_library name module component requires libs)
  file(GLOB files "${MCP_DEPS_DIR}/usr/lib/*/lib${name}.so*")
  if(NOT files)
    set(${requires} "${${requires}} ${module}" PARENT_SCOPE)
    return()
  endif()
  set(links ${files})
  list(FILTER links INCLUDE REGEX "\\.so$")
  list(REMOVE_ITEM files ${links})
  install(FILES ${files} DESTINATION "${CMAKE_INSTALL_LIBDIR}/mcp"
    COMPONENT ${component} ${mcp_library_permissions})
  install(FILES ${links} DESTINATION "${CMAKE_INSTALL_LIBDIR}/mcp"
    COMPONENT dev)
  file(GLOB licences "${MCP_DEPS_DIR}/usr/share/doc/lib${name}-dev/copyright")
  install(FILES ${licences} TYPE DOC COMPONENT licences RENAME LICENSE.${name})
  set(dir "\${libdir}/mcp")
  set(${libs} "${${libs}} -L${dir} -l${name} -Wl,-rpath,${dir}" PARENT_SCOPE)
  string(APPEND mcp_private "mcp_private_dependency(${name})\n")
  set(mcp_private "${mcp_private}" PARENT_SCOPE)
endfunction()

set(mcp_private "")
set(core_requires "")
set(core_libs "")
set(core_cflags "")
mcp_private_library(yyjson yyjson mcp-core core_requires core_libs)
if(mcp_private_yyjson)
  install(FILES "${mcp_private_yyjson}"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/mcp/deps" COMPONENT dev)
  set(core_cflags " -I\${includedir}/mcp/deps")
endif()
set(mcp_requires "libuv")
set(mcp_libs "-lpthread -ldl")
if(WIN32)
  list(TRANSFORM mcp_system_libraries PREPEND "-l"
    OUTPUT_VARIABLE mcp_libs_of_system)
  list(JOIN mcp_libs_of_system " " mcp_libs)
endif()
if(MCP_TLS)
  string(APPEND mcp_requires " libssl libcrypto")
endif()
if(MCP_REGEX)
  string(APPEND mcp_requires " libpcre2-8")
endif()
if(MCP_SKILLS)
  string(APPEND mcp_requires " yaml-0.1")
endif()
if(MCP_WEBSOCKET)
  string(PREPEND mcp_libs "-lwslay ")
endif()
set(http_requires "libuv")
if(MCP_HTTP_CLIENT AND NOT MCP_SHARED)
  string(APPEND mcp_requires " libcurl")
  string(APPEND http_requires " libcurl")
elseif(MCP_HTTP_CLIENT)
  # Not a module of Requires.private: with --static, pkg-config would print the
  # libraries that an archive of libcurl needs, and Debian does not install those
  # with libcurl.
  list(JOIN MCP_CURL_LDFLAGS " " mcp_curl_libs)
  string(PREPEND mcp_libs "${mcp_curl_libs} ")
endif()
if(MCP_SQLITE) # likewise
  list(JOIN MCP_SQLITE_LDFLAGS " " mcp_sqlite_libs)
endif()
if(MCP_HTTP AND NOT MCP_CORE_ONLY)
  mcp_private_library(llhttp libllhttp mcp mcp_requires mcp_libs)
endif()

# --- the CMake package -----------------------------------------------------

set(mcp_find "mcp_find_core_dependencies()\n")
if(NOT MCP_CORE_ONLY)
  string(APPEND mcp_find
    "mcp_find_mcp_dependencies(\"${mcp_dependencies}\")\n")
endif()
if(MCP_HTTP_CLIENT)
  string(APPEND mcp_find "mcp_find_http_dependencies()\n")
endif()
if(MCP_SQLITE)
  string(APPEND mcp_find "mcp_find_sqlite_dependencies()\n")
endif()
set(mcp_bundled "")
# The prefix is where the files are found, so that it can be moved.
file(RELATIVE_PATH up "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig"
  "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" up "${up}")
if(MCP_INSTALL_DEPS)
  include(cmake/install-deps.cmake)
endif()
foreach(set IN LISTS export_sets)
  install(EXPORT ${set} NAMESPACE mcp:: DESTINATION "${package_dir}"
    COMPONENT dev)
endforeach()
configure_package_config_file(cmake/mcp-config.cmake.in mcp-config.cmake
  INSTALL_DESTINATION "${package_dir}"
  PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR
  NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(mcp-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES cmake/mcp-deps.cmake
  "${PROJECT_BINARY_DIR}/mcp-config.cmake"
  "${PROJECT_BINARY_DIR}/mcp-config-version.cmake"
  DESTINATION "${package_dir}" COMPONENT dev)

# --- pkg-config ------------------------------------------------------------

foreach(target IN LISTS targets)
  configure_file(cmake/lib${target}.pc.in lib${target}.pc @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/lib${target}.pc"
    DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT dev)
endforeach()

if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(uninstall COMMAND "${PROJECT_SOURCE_DIR}/scripts/uninstall"
    "${PROJECT_BINARY_DIR}/install_manifest.txt" USES_TERMINAL)
endif()
