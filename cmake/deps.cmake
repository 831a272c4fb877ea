# SPDX-License-Identifier: MIT
# What we stand on, found by pkg-config: the system's own, or what
# scripts/deps unpacked under MCP_DEPS_DIR.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

# A cross compiler's pkg-config must see nothing of this machine: its toolchain
# file sets MCP_DEPS_ARCH, the private prefix is all there is.
if(MCP_DEPS_ARCH)
  set(ENV{PKG_CONFIG_LIBDIR}
    "${MCP_DEPS_DIR}/usr/lib/${MCP_DEPS_ARCH}/pkgconfig")
else()
  file(GLOB private_dirs "${MCP_DEPS_DIR}/usr/lib/*/pkgconfig")
  list(JOIN private_dirs ":" private_dirs)
  set(ENV{PKG_CONFIG_PATH} "${private_dirs}:$ENV{PKG_CONFIG_PATH}")
endif()

pkg_check_modules(YYJSON IMPORTED_TARGET yyjson>=0.8)
if(NOT YYJSON_FOUND)
  message(FATAL_ERROR "yyjson is not installed. Install its development "
    "package; on Debian 12, which has none, run scripts/deps first.")
endif()
if(NOT MCP_CORE_ONLY)
  pkg_check_modules(LLHTTP IMPORTED_TARGET libllhttp>=9.0)
  if(NOT LLHTTP_FOUND)
    message(FATAL_ERROR "llhttp is not installed. Install its development "
      "package; on Debian 12, which has none, run scripts/deps first.")
  endif()
  # Debian's package of wslay has nothing for pkg-config.
  if(MCP_DEPS_ARCH)
    set(wslay_where NO_DEFAULT_PATH)
  endif()
  find_path(WSLAY_INCLUDE wslay/wslay.h
    PATHS "${MCP_DEPS_DIR}/usr/include" ${wslay_where})
  find_library(WSLAY_LIBRARY wslay
    PATHS "${MCP_DEPS_DIR}/usr/lib/${MCP_DEPS_ARCH}" ${wslay_where})
  if(NOT WSLAY_INCLUDE OR NOT WSLAY_LIBRARY)
    message(FATAL_ERROR "wslay is not installed. Install its development "
      "package (libwslay-dev), or run scripts/deps first.")
  endif()
  add_library(wslay UNKNOWN IMPORTED)
  set_target_properties(wslay PROPERTIES IMPORTED_LOCATION "${WSLAY_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${WSLAY_INCLUDE}")
  pkg_check_modules(UV REQUIRED IMPORTED_TARGET libuv>=1.42)
  pkg_check_modules(OPENSSL REQUIRED IMPORTED_TARGET libssl>=3.0
    libcrypto>=3.0)
  pkg_check_modules(PCRE2 REQUIRED IMPORTED_TARGET libpcre2-8>=10.30)
  # For an example alone.
  pkg_check_modules(MICROHTTPD IMPORTED_TARGET libmicrohttpd>=0.9.71)
endif()

# libcurl brings half a distribution with it, which no private prefix has.
if(MCP_CORE_ONLY OR MCP_DEPS_ARCH)
  set(MCP_HTTP_CLIENT OFF)
endif()
if(MCP_HTTP_CLIENT)
  pkg_check_modules(CURL REQUIRED IMPORTED_TARGET libcurl>=7.66)
endif()
if(BUILD_TESTING)
  pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka>=1.1)
endif()
