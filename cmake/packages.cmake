# SPDX-License-Identifier: MIT
#
# Packages by CPack: MCP_PACKAGE is DEB or RPM. docs/PACKAGES.md says how to make
# them, and cmake/packages.sh is how `make packages` does it.
#
# Each shared library is a package of its own, as Debian asks, so that a server
# over standard input and output does not install libcurl.
# Lower than a distribution's own, which is 1: its package then replaces ours.
set(release 0libmcp1)
if(MCP_PACKAGE STREQUAL "RPM")
  set(release 0.1)
endif()
set(MCP_PACKAGE_RELEASE ${release} CACHE STRING "The revision of the packages")
set(MCP_PACKAGE_MAINTAINER "" CACHE STRING
  "Who makes the packages, as in: Jo Doe <jo@debian.org>")
set(MCP_PACKAGE_EPOCH "$ENV{SOURCE_DATE_EPOCH}" CACHE STRING
  "The time in the packages, in seconds since 1970")
mark_as_advanced(MCP_PACKAGE_RELEASE MCP_PACKAGE_MAINTAINER MCP_PACKAGE_EPOCH)
include(cmake/sbom.cmake)
if(NOT Python3_Interpreter_FOUND)
  message(FATAL_ERROR "packages have a man page and an SBOM: install Python 3")
endif()
if(NOT MCP_PACKAGE MATCHES "^(DEB|RPM)$")
  message(FATAL_ERROR "MCP_PACKAGE is '${MCP_PACKAGE}': give DEB or RPM")
endif()
if(NOT MCP_PACKAGE_MAINTAINER)
  message(FATAL_ERROR "packages name their maintainer: give "
    "-DMCP_PACKAGE_MAINTAINER='NAME <ADDRESS>'")
endif()
if(NOT MCP_PACKAGE_EPOCH)
  message(FATAL_ERROR "packages hold a date: set the environment variable "
    "SOURCE_DATE_EPOCH, for example to $(git log -1 --format=%ct)")
endif()
set(ENV{SOURCE_DATE_EPOCH} "${MCP_PACKAGE_EPOCH}")
set(folder "${PROJECT_BINARY_DIR}/packages")
set(mcp_deb_version "${PROJECT_VERSION}-${MCP_PACKAGE_RELEASE}")

# --- what each package is ----------------------------------------------------

# mcp_package(COMPONENT DEB-NAME RPM-NAME SUMMARY DESCRIPTION)
function(mcp_package component deb rpm summary description)
  list(APPEND mcp_packages ${component})
  set(mcp_packages "${mcp_packages}" PARENT_SCOPE)
  set(name ${deb})
  if(MCP_PACKAGE STREQUAL "RPM")
    set(name ${rpm})
  endif()
  set(mcp_package_${component} ${name} PARENT_SCOPE)
  set(mcp_summary_${component} "${summary}" PARENT_SCOPE)
  set(mcp_description_${component} "${description}" PARENT_SCOPE)
endfunction()

set(what "The Model Context Protocol (MCP) connects language models with tools \
and data. ")
set(mcp_packages "")
mcp_package(mcp-core libmcp-core0 libmcp-core0
  "Model Context Protocol without input and output"
  "${what}This library has the protocol for programs that move the bytes \
themselves.")
if(TARGET mcp)
  mcp_package(mcp libmcp0 libmcp0
    "Model Context Protocol servers and clients"
    "${what}This library has the event loop, and servers and clients over \
standard input and output, HTTP, WebSocket and sockets.")
endif()
if(TARGET mcp-http)
  mcp_package(mcp-http libmcp-http0 libmcp-http0
    "Model Context Protocol clients over HTTP"
    "${what}This library has clients over HTTP and WebSocket, and logins with \
OAuth.")
endif()
if(TARGET mcp-keyring)
  mcp_package(mcp-keyring libmcp-keyring libmcp-keyring
    "tokens of MCP servers in the user's keyring"
    "${what}This module stores the tokens of logins in the user's keyring, by \
the Secret Service.")
endif()
if(TARGET mcp-sqlite)
  mcp_package(mcp-sqlite libmcp-sqlite0 libmcp-sqlite0
    "Model Context Protocol tasks in a file of SQLite"
    "${what}This library keeps the tasks of a server in a file, so that they \
survive the process.")
endif()
mcp_package(dev libmcp-dev libmcp-devel
  "development files for Model Context Protocol servers and clients"
  "${what}This package has what is needed to compile programs that use libmcp: \
headers, static libraries, and the files for pkg-config and CMake.")
if(TARGET mcpctl)
  mcp_package(mcpctl mcpctl mcpctl
    "command-line tool for Model Context Protocol servers"
    "${what}mcpctl lists, calls, records, replays and tests what a server \
offers, over any transport, from a shell or a script.")
endif()

# What a package needs of ours. The parts of libmcp use each other's private
# functions, so they must have the same version.
set(mcp_needs_mcp mcp-core)
set(mcp_needs_mcp-http mcp)
set(mcp_needs_mcp-keyring mcp-http)
set(mcp_needs_mcp-sqlite mcp-core)
set(mcp_needs_dev mcp-core mcp mcp-http mcp-sqlite)
set(mcp_needs_mcpctl mcp mcp-http) # it has them inside, but loads their modules

# --- files that only packages have -------------------------------------------

# mcp_zipped(IN OUT): compressed the same at any time.
function(mcp_zipped in out)
  execute_process(COMMAND gzip -9n INPUT_FILE "${in}" OUTPUT_FILE "${out}"
    COMMAND_ERROR_IS_FATAL ANY)
endfunction()

string(TIMESTAMP mcp_date "%a, %d %b %Y %H:%M:%S +0000" UTC)
string(TIMESTAMP mcp_rpm_date "%a %b %d %Y" UTC)
file(READ src/schema/meta/LICENSE mcp_bsd)
string(REGEX REPLACE "\n---.*" "" mcp_bsd "${mcp_bsd}")
string(REGEX REPLACE "^[^\n]*\n\n" "" mcp_bsd "${mcp_bsd}")
file(READ LICENSE mcp_mit)
string(REGEX REPLACE "^.*contributors\n\n" "" mcp_mit "${mcp_mit}")
foreach(text mcp_bsd mcp_mit)
  string(STRIP "${${text}}" ${text})
  string(REPLACE "\n\n" "\n.\n" ${text} "${${text}}")
  string(REPLACE "\n" "\n " ${text} "${${text}}")
endforeach()
set(mcp_copyright_private "")
if(mcp_private_libraries)
  file(READ cmake/packages/copyright-private mcp_copyright_private)
endif()
configure_file(cmake/packages/copyright.in "${folder}/copyright" @ONLY)
configure_file(cmake/packages/changelog.in "${folder}/changelog" @ONLY)
configure_file(cmake/packages/changelog-rpm.in "${folder}/changelog-rpm" @ONLY)
mcp_zipped("${folder}/changelog" "${folder}/changelog.Debian.gz")
mcp_zipped("${PROJECT_SOURCE_DIR}/CHANGELOG.md"
  "${folder}/changelog.gz")

# mcp_wrapped(VARIABLE): breaks its text into lines of at most 72 characters.
function(mcp_wrapped variable)
  string(REPLACE " " ";" words "${${variable}}")
  set(line "")
  set(lines "")
  foreach(word IN LISTS words)
    string(LENGTH "${line} ${word}" length)
    if(length GREATER 72)
      list(APPEND lines "${line}")
      set(line "")
    endif()
    string(APPEND line " ${word}")
    string(STRIP "${line}" line)
  endforeach()
  list(APPEND lines "${line}")
  list(JOIN lines "\n" lines)
  set(${variable} "${lines}" PARENT_SCOPE)
endfunction()

foreach(component IN LISTS mcp_packages)
  mcp_wrapped(mcp_description_${component})
  set(name ${mcp_package_${component}})
  set(doc "${CMAKE_INSTALL_DATAROOTDIR}/doc/${name}")
  if(MCP_PACKAGE STREQUAL "DEB")
    install(FILES "${folder}/copyright" "${folder}/changelog.Debian.gz"
      "${folder}/changelog.gz" DESTINATION "${doc}" COMPONENT ${component})
  else()
    install(FILES "${folder}/copyright" RENAME LICENSE DESTINATION
      "${CMAKE_INSTALL_DATAROOTDIR}/licenses/${name}" COMPONENT ${component})
    install(FILES CHANGELOG.md DESTINATION "${doc}" COMPONENT ${component})
  endif()
endforeach()

# --- CPack -------------------------------------------------------------------

set(CPACK_GENERATOR ${MCP_PACKAGE})
set(CPACK_PACKAGE_NAME mcp)
set(CPACK_PACKAGE_VENDOR "libmcp contributors")
set(CPACK_PACKAGE_CONTACT "${MCP_PACKAGE_MAINTAINER}")
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_DIRECTORY "${folder}")
set(CPACK_PACKAGING_INSTALL_PREFIX "${CMAKE_INSTALL_PREFIX}")
set(CPACK_COMPONENTS_ALL ${mcp_packages})
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE
  OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS
  "${PROJECT_SOURCE_DIR}/cmake/packages/staged.cmake")
set(CPACK_MCP_EPOCH "${MCP_PACKAGE_EPOCH}")
set(CPACK_MCP_SBOM "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/scripts/sbom")
set(CPACK_MCP_SBOM_INFO "${mcp_sbom_info}")
set(CPACK_MCP_DOC "${CMAKE_INSTALL_FULL_DATAROOTDIR}/doc")
foreach(component IN LISTS mcp_packages)
  set(CPACK_MCP_NAME_${component} ${mcp_package_${component}})
endforeach()
if(MCP_PACKAGE STREQUAL "DEB")
  include(cmake/packages/deb.cmake)
else()
  include(cmake/packages/rpm.cmake)
endif()
include(CPack)
