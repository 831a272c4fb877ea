# SPDX-License-Identifier: MIT
# Finds the libraries that libmcp links, each as the target mcp-deps::NAME.
# libmcp's own build includes this file, and so does the installed
# mcp-config.cmake, because programs that link the static libraries link these
# libraries as well.
#
# A program's own target comes first: it can define mcp-deps::NAME before it
# includes libmcp, or have one of the names below, as FetchContent and CMake's own
# modules make them.
#
# Each function appends NAME to the list mcp_missing if the library is missing.

set(mcp_given_yyjson yyjson::yyjson yyjson)
set(mcp_given_uv libuv::uv_a libuv::uv uv_a uv)
set(mcp_given_llhttp llhttp::llhttp llhttp_static llhttp_shared)
set(mcp_given_wslay wslay::wslay wslay)
set(mcp_given_openssl OpenSSL::SSL)
set(mcp_given_pcre2 PCRE2::8BIT pcre2-8-static pcre2-8-shared)
set(mcp_given_libyaml yaml)
set(mcp_given_curl CURL::libcurl libcurl_static)
set(mcp_given_sqlite SQLite::SQLite3)

# mcp_take_given(NAME): makes mcp-deps::NAME of the program's own target, if there
# is one.
function(mcp_take_given name)
  foreach(target IN LISTS mcp_given_${name})
    if(TARGET ${target} AND NOT TARGET mcp-deps::${name})
      message(STATUS "libmcp links the target ${target}")
      add_library(mcp-deps::${name} INTERFACE IMPORTED GLOBAL)
      target_link_libraries(mcp-deps::${name} INTERFACE ${target})
      if(target STREQUAL "OpenSSL::SSL")
        target_link_libraries(mcp-deps::${name} INTERFACE OpenSSL::Crypto)
      endif()
    endif()
  endforeach()
endfunction()

# mcp_find_dependency(NAME MODULE...): finds it as modules of pkg-config.
function(mcp_find_dependency name)
  mcp_take_given(${name})
  if(TARGET mcp-deps::${name})
    return()
  endif()
  string(TOUPPER "MCP_${name}" prefix)
  if(PkgConfig_FOUND)
    pkg_check_modules(${prefix} QUIET IMPORTED_TARGET GLOBAL ${ARGN})
  endif()
  if(${prefix}_FOUND)
    add_library(mcp-deps::${name} INTERFACE IMPORTED GLOBAL)
    target_link_libraries(mcp-deps::${name} INTERFACE PkgConfig::${prefix})
  else()
    set(mcp_missing ${mcp_missing} ${name} PARENT_SCOPE)
  endif()
endfunction()

# mcp_find_wslay([PATH...]): Debian's package of wslay has no file for
# pkg-config. With MCP_DEPS_ARCH set, nothing but the paths and MCP_DEPS_DIR is
# searched.
function(mcp_find_wslay)
  mcp_take_given(wslay)
  if(TARGET mcp-deps::wslay)
    return()
  endif()
  set(only "")
  set(paths ${ARGN})
  if(MCP_DEPS_ARCH)
    set(only NO_DEFAULT_PATH)
    list(APPEND paths "${MCP_DEPS_DIR}/usr")
  endif()
  find_path(MCP_WSLAY_INCLUDE wslay/wslay.h PATHS ${paths}
    PATH_SUFFIXES include ${only})
  find_library(MCP_WSLAY_LIBRARY wslay PATHS ${paths}
    PATH_SUFFIXES lib "lib/${MCP_DEPS_ARCH}" ${only})
  mark_as_advanced(MCP_WSLAY_INCLUDE MCP_WSLAY_LIBRARY)
  if(MCP_WSLAY_INCLUDE AND MCP_WSLAY_LIBRARY)
    add_library(mcp-deps::wslay UNKNOWN IMPORTED GLOBAL)
    set_target_properties(mcp-deps::wslay PROPERTIES
      IMPORTED_LOCATION "${MCP_WSLAY_LIBRARY}"
      INTERFACE_INCLUDE_DIRECTORIES "${MCP_WSLAY_INCLUDE}")
  else()
    set(mcp_missing ${mcp_missing} wslay PARENT_SCOPE)
  endif()
endfunction()

# mcp_find_core_dependencies(), mcp_find_mcp_dependencies(NAMES [PATH...]),
# mcp_find_http_dependencies() and mcp_find_sqlite_dependencies(): find what
# libmcp-core, libmcp, libmcp-http and libmcp-sqlite link. NAMES is a list: uv, and what the features of this libmcp need. wslay is
# searched in the paths as well.
macro(mcp_find_core_dependencies)
  mcp_find_dependency(yyjson yyjson>=0.8)
endmacro()

macro(mcp_find_mcp_dependencies names)
  set(mcp_modules_uv libuv>=1.42)
  set(mcp_modules_llhttp libllhttp>=9.0)
  set(mcp_modules_openssl libssl>=3.0 libcrypto>=3.0)
  set(mcp_modules_pcre2 libpcre2-8>=10.30)
  set(mcp_modules_libyaml yaml-0.1>=0.2)
  foreach(name IN ITEMS ${names})
    if(name STREQUAL "wslay")
      mcp_find_wslay(${ARGN})
    else()
      mcp_find_dependency(${name} ${mcp_modules_${name}})
    endif()
  endforeach()
endmacro()

macro(mcp_find_http_dependencies)
  mcp_find_dependency(curl libcurl>=7.66)
endmacro()

macro(mcp_find_sqlite_dependencies)
  mcp_find_dependency(sqlite sqlite3>=3.31)
endmacro()
