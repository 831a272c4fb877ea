# SPDX-License-Identifier: MIT
# MCP_INSTALL_DEPS: installs beside libmcp what it links of MCP_DEPS_DIR, which
# are static libraries: archives, headers, licences, files for pkg-config, and
# targets for CMake. With the folder that is installed, and with what the system
# has, a program is compiled and linked; CMake needs no pkg-config for that.
set(deps_lib "${MCP_DEPS_DIR}/usr/lib/${MCP_DEPS_ARCH}")
set(deps_doc "${MCP_DEPS_DIR}/usr/share/doc")

# mcp_deps_words(VAR MODULE KEY): the words of a line of MODULE.pc.
function(mcp_deps_words var module key)
  set(words "")
  if(EXISTS "${deps_lib}/pkgconfig/${module}.pc")
    file(STRINGS "${deps_lib}/pkgconfig/${module}.pc" words REGEX "^${key}:")
    string(REGEX REPLACE "^${key}: *" "" words "${words}")
    separate_arguments(words UNIX_COMMAND "${words}")
  endif()
  set(${var} ${words} PARENT_SCOPE)
endfunction()

# mcp_deps_target(NAME MODULE [DEPENDENCY]): appends to mcp_bundled the line that
# makes the target mcp-deps::NAME of the archive of MODULE.pc. It links what
# else the file names, and mcp-deps::DEPENDENCY.
function(mcp_deps_target name module)
  mcp_deps_words(libs ${module} Libs)
  mcp_deps_words(definitions ${module} Cflags)
  list(FILTER libs INCLUDE REGEX "^-l")
  list(FILTER definitions INCLUDE REGEX "^-D")
  list(TRANSFORM libs REPLACE "^-l" "")
  list(TRANSFORM definitions REPLACE "^-D" "")
  if(libs)
    list(POP_FRONT libs archive)
  else() # it has no file for pkg-config
    set(archive ${module})
  endif()
  list(TRANSFORM ARGN PREPEND mcp-deps:: OUTPUT_VARIABLE needs)
  list(APPEND needs ${libs})
  install(FILES "${deps_lib}/lib${archive}.a" TYPE LIB COMPONENT dev)
  string(APPEND mcp_bundled "mcp_bundled_dependency(${name} ${archive} \
\"${definitions}\" \"${needs}\")\n")
  set(mcp_bundled "${mcp_bundled}" PARENT_SCOPE)
endfunction()

set(mcp_bundled "set(mcp_bundled_libraries \
\"\${PACKAGE_PREFIX_DIR}/${CMAKE_INSTALL_LIBDIR}\")
set(mcp_bundled_headers \
\"\${PACKAGE_PREFIX_DIR}/${CMAKE_INSTALL_INCLUDEDIR}\")
include(\"\${CMAKE_CURRENT_LIST_DIR}/mcp-bundled.cmake\")\n")
foreach(row IN ITEMS "yyjson yyjson" "uv libuv" "llhttp libllhttp"
    "wslay wslay" "crypto libcrypto" "openssl libssl crypto"
    "pcre2 libpcre2-8" "libyaml yaml-0.1" "curl libcurl openssl")
  separate_arguments(row)
  mcp_deps_target(${row})
endforeach()
install(FILES cmake/mcp-bundled.cmake DESTINATION "${package_dir}"
  COMPONENT dev)

# Their .pc files name a prefix of other folders.
foreach(module yyjson libuv libllhttp libcrypto libssl libpcre2-8 yaml-0.1
    libcurl)
  file(READ "${deps_lib}/pkgconfig/${module}.pc" text)
  string(REPLACE "{pcfiledir}/../../.." "{pcfiledir}/${up}" text "${text}")
  string(REPLACE "{prefix}/lib/${MCP_DEPS_ARCH}"
    "{prefix}/${CMAKE_INSTALL_LIBDIR}" text "${text}")
  file(WRITE "${PROJECT_BINARY_DIR}/deps/${module}.pc" "${text}")
  install(FILES "${PROJECT_BINARY_DIR}/deps/${module}.pc"
    DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT dev)
endforeach()

install(DIRECTORY "${MCP_DEPS_DIR}/usr/include/" TYPE INCLUDE COMPONENT dev
  PATTERN cmocka.h EXCLUDE PATTERN zlib.h EXCLUDE PATTERN zconf.h EXCLUDE)
# That of the compiler is for what it puts in each program; zlib is in mcpctl.
foreach(name libuv1 yyjson llhttp wslay libyaml pcre2 zlib openssl curl zig
    mingw)
  if(EXISTS "${deps_doc}/${name}/copyright")
    install(FILES "${deps_doc}/${name}/copyright" TYPE DOC COMPONENT licences
      RENAME LICENSE.${name})
  endif()
endforeach()

# --- programs, and what a reader begins with -------------------------------

if(WIN32)
  foreach(target IN LISTS mcp_examples)
    install(TARGETS ${target} COMPONENT examples)
  endforeach()
  # What a program links, in the order in which a linker wants it.
  set(mcp_link_line "")
  foreach(module IN ITEMS libmcp-http libmcp libmcp-core libcurl libssl
      libcrypto libllhttp libpcre2-8 yaml-0.1 yyjson libuv)
    mcp_deps_words(words ${module} Libs)
    list(FILTER words INCLUDE REGEX "^-l")
    if(module MATCHES "^lib(mcp.*)")
      set(words "-l${CMAKE_MATCH_1}")
    endif()
    list(APPEND mcp_link_line ${words})
  endforeach()
  list(APPEND mcp_link_line -lwslay ${mcp_libs_of_system})
  list(REVERSE mcp_link_line)
  list(REMOVE_DUPLICATES mcp_link_line)
  list(REVERSE mcp_link_line)
  list(JOIN mcp_link_line " " mcp_link_line)
  configure_file(packaging/windows/README.txt.in README.txt @ONLY
    NEWLINE_STYLE CRLF)
  install(FILES "${PROJECT_BINARY_DIR}/README.txt" DESTINATION .
    COMPONENT examples)
  install(FILES examples/hello-server.c packaging/windows/CMakeLists.txt
    DESTINATION examples COMPONENT examples)
  install(FILES docs/MCPCTL.md TYPE DOC COMPONENT examples)
endif()
