# SPDX-License-Identifier: MIT
#
# What is installed, and what it links, as SPDX (scripts/sbom). This list is the
# one place that names the dependencies with their licences.
find_package(Python3 COMPONENTS Interpreter)
if(NOT Python3_Interpreter_FOUND)
  message(STATUS "No Python 3: there will be no SBOM")
  return()
endif()

# mcp_sbom_dependency(NAME VERSION LICENCE LIBRARY...): whose shared libraries'
# names begin with LIBRARY. Its archives are named so too, with .a for .so.
set(mcp_sbom "")
function(mcp_sbom_dependency name version licence)
  list(JOIN ARGN "\", \"" libraries)
  set(entry "  {\"name\": \"${name}\", \"version\": \"${version}\",\n   \
\"licence\": \"${licence}\", \"libraries\": [\"${libraries}\"]}")
  list(APPEND mcp_sbom "${entry}")
  set(mcp_sbom "${mcp_sbom}" PARENT_SCOPE)
endfunction()

if(MCP_WSLAY_INCLUDE)
  file(STRINGS "${MCP_WSLAY_INCLUDE}/wslay/wslayver.h" wslay
    REGEX "WSLAY_VERSION \"")
  string(REGEX REPLACE ".*\"(.*)\".*" "\\1" wslay "${wslay}")
endif()
if(MCP_INSTALL_DEPS) # what the compiler of scripts/deps-static puts into programs
  file(STRINGS scripts/deps-static.txt zig REGEX "^ziglang==")
  string(REGEX REPLACE "^ziglang==([0-9.]+).*" "\\1" zig "${zig}")
  if(WIN32)
    set(header "${MCP_DEPS_DIR}/../zig/python/ziglang/lib/libc/include")
    file(STRINGS "${header}/any-windows-any/_mingw_mac.h" mingw
      REGEX "define __MINGW64_VERSION_(MAJOR|MINOR|BUGFIX) ")
    list(TRANSFORM mingw REPLACE ".* " "")
    list(JOIN mingw "." mingw)
  endif()
endif()
foreach(row IN ITEMS
    "yyjson|${MCP_YYJSON_VERSION}|MIT|libyyjson.so"
    "libuv|${MCP_UV_VERSION}|MIT|libuv.so"
    "llhttp|${MCP_LLHTTP_VERSION}|MIT|libllhttp.so"
    "wslay|${wslay}|MIT|libwslay.so"
    "openssl|${MCP_OPENSSL_libssl_VERSION}|Apache-2.0|libssl.so|libcrypto.so"
    "pcre2|${MCP_PCRE2_VERSION}|BSD-3-Clause|libpcre2-8.so"
    "libyaml|${MCP_LIBYAML_VERSION}|MIT|libyaml-0.so|libyaml.a"
    "curl|${MCP_CURL_VERSION}|curl|libcurl.so|libcurl-gnutls.so"
    "sqlite|${MCP_SQLITE_VERSION}|blessing|libsqlite3.so"
    "libsecret|${LIBSECRET_VERSION}|LGPL-2.1-or-later|libsecret-1.so"
    "libedit|${LIBEDIT_VERSION}|BSD-3-Clause|libedit.so"
    "zlib|${MCP_ZLIB_VERSION}|Zlib|libz.so"
    "zig|${zig}|MIT|libcompiler_rt.a"
    "mingw-w64|${mingw}|ZPL-2.1|libmingw32.a")
  string(REPLACE "|" ";" row "${row}")
  list(GET row 1 version)
  if(version) # this build links it
    mcp_sbom_dependency(${row})
  endif()
endforeach()
list(JOIN mcp_sbom ",\n" mcp_sbom)
set(mcp_sbom_info "${PROJECT_BINARY_DIR}/sbom.json")
file(WRITE "${mcp_sbom_info}" "{\"name\": \"libmcp\",
 \"version\": \"${PROJECT_VERSION}\",
 \"licence\": \"MIT AND BSD-3-Clause\",
 \"copyright\": \"Copyright (c) 2026 libmcp contributors\",
 \"dependencies\": [\n${mcp_sbom}]}\n")

# The last step of an installation, over what it has installed. Packages have
# their own: cmake/packages/staged.cmake.
if(MCP_INSTALL AND NOT MCP_PACKAGE)
  configure_file(cmake/sbom-install.cmake.in sbom-install.cmake @ONLY)
  install(SCRIPT "${PROJECT_BINARY_DIR}/sbom-install.cmake" COMPONENT sbom)
endif()
