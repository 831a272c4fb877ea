# SPDX-License-Identifier: MIT
# What we stand on: the targets of the program that includes libmcp, or what
# pkg-config finds: the system's own, or what scripts/deps unpacked under
# MCP_DEPS_DIR.
find_package(PkgConfig)
if(NOT PkgConfig_FOUND AND PROJECT_IS_TOP_LEVEL)
  message(FATAL_ERROR "libmcp finds its libraries by pkg-config: install it")
endif()
if(NOT PkgConfig_FOUND)
  foreach(option MCP_KEYRING MCP_SQLITE MCP_EDITLINE MCP_BUNDLES)
    if(${option} STREQUAL "AUTO")
      set(${option} OFF)
    endif()
  endforeach()
endif()
find_package(Threads REQUIRED)
include(cmake/mcp-deps.cmake)

# pkg-config searches the private prefix until the end of this file, where a
# parent project gets its own environment back. A cross compiler's pkg-config
# must see nothing of this machine: its toolchain file sets MCP_DEPS_ARCH, and
# then pkg-config searches nothing but the private prefix.
set(mcp_saved_path "$ENV{PKG_CONFIG_PATH}")
set(mcp_saved_libdir "$ENV{PKG_CONFIG_LIBDIR}")
if(MCP_DEPS_ARCH)
  set(ENV{PKG_CONFIG_LIBDIR}
    "${MCP_DEPS_DIR}/usr/lib/${MCP_DEPS_ARCH}/pkgconfig")
else()
  file(GLOB private_dirs "${MCP_DEPS_DIR}/usr/lib/*/pkgconfig")
  list(JOIN private_dirs ":" private_dirs)
  set(ENV{PKG_CONFIG_PATH} "${private_dirs}:$ENV{PKG_CONFIG_PATH}")
endif()

# libcurl brings half a distribution with it, which few private prefixes have.
if(MCP_CORE_ONLY OR (MCP_DEPS_ARCH AND NOT EXISTS
   "${MCP_DEPS_DIR}/usr/lib/${MCP_DEPS_ARCH}/pkgconfig/libcurl.pc"))
  set(MCP_HTTP_CLIENT OFF)
endif()

# What libmcp links beside yyjson.
set(mcp_dependencies uv)
foreach(pair IN ITEMS HTTP:llhttp TLS:openssl REGEX:pcre2 WEBSOCKET:wslay
    SKILLS:libyaml)
  string(REGEX MATCH "(.*):(.*)" unused "${pair}")
  if(MCP_${CMAKE_MATCH_1})
    list(APPEND mcp_dependencies ${CMAKE_MATCH_2})
  endif()
endforeach()
# Those that it links directly; the others are mcp_parts'.
set(mcp_targets ${mcp_dependencies} yyjson)
list(REMOVE_ITEM mcp_targets openssl pcre2 llhttp wslay libyaml)
list(TRANSFORM mcp_targets PREPEND mcp-deps::)

set(mcp_missing "")
mcp_find_core_dependencies()
if(NOT MCP_CORE_ONLY)
  mcp_find_mcp_dependencies("${mcp_dependencies}" "${MCP_DEPS_DIR}/usr")
endif()
if(MCP_HTTP_CLIENT)
  mcp_find_http_dependencies()
endif()

# mcp_find_optional(OPTION PREFIX MODULE): finds the module of pkg-config as
# PkgConfig::PREFIX if the option is ON or AUTO. AUTO becomes ON or OFF.
macro(mcp_find_optional option prefix module)
  if(${option} STREQUAL "AUTO")
    pkg_check_modules(${prefix} IMPORTED_TARGET ${module})
    set(${option} OFF)
    if(${prefix}_FOUND)
      set(${option} ON)
    endif()
  elseif(${option})
    pkg_check_modules(${prefix} REQUIRED IMPORTED_TARGET ${module})
  endif()
endmacro()

# Only a module uses libsecret, and only libmcp-http opens it.
if(NOT MCP_HTTP_CLIENT OR NOT MCP_MODULES)
  set(MCP_KEYRING OFF)
endif()
mcp_find_optional(MCP_KEYRING LIBSECRET libsecret-1>=0.20)
if(MCP_CORE_ONLY) # its thread is libuv's
  set(MCP_SQLITE OFF)
endif()
if(MCP_SQLITE STREQUAL "AUTO")
  pkg_check_modules(MCP_SQLITE_PROBE QUIET sqlite3>=3.31)
  set(MCP_SQLITE OFF)
  if(MCP_SQLITE_PROBE_FOUND)
    set(MCP_SQLITE ON)
  endif()
endif()
if(MCP_SQLITE)
  mcp_find_sqlite_dependencies()
endif()
if(MCP_CORE_ONLY OR NOT MCP_BUILD_PROGRAMS) # only mcpctl uses them
  set(MCP_EDITLINE OFF)
  set(MCP_BUNDLES OFF)
endif()
mcp_find_optional(MCP_EDITLINE LIBEDIT libedit>=3.1)
mcp_find_optional(MCP_BUNDLES MCP_ZLIB zlib>=1.2.11)
if(MCP_BUILD_EXAMPLES AND NOT MCP_CORE_ONLY)
  pkg_check_modules(MICROHTTPD IMPORTED_TARGET libmicrohttpd>=0.9.71)
endif()
if(BUILD_TESTING AND PROJECT_IS_TOP_LEVEL)
  pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka>=1.1)
endif()

set(ENV{PKG_CONFIG_PATH} "${mcp_saved_path}")
if(MCP_DEPS_ARCH)
  set(ENV{PKG_CONFIG_LIBDIR} "${mcp_saved_libdir}")
endif()

if(mcp_missing)
  list(JOIN mcp_missing ", " names)
  message(FATAL_ERROR "libmcp needs libraries that are missing or too old: "
    "${names}. Install their development packages; scripts/deps does so on "
    "Debian and Ubuntu, and unpacks under MCP_DEPS_DIR what Debian 12 has no "
    "package for. (-DMCP_HTTP_CLIENT=OFF builds without curl, "
    "-DMCP_CORE_ONLY=ON with yyjson alone.)")
endif()
