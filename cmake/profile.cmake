# SPDX-License-Identifier: MIT
# MCP_PROFILE: for which machines libmcp is built; and what of libmcp-core can be
# left out. docs/DEVICES.md explains both.
set(MCP_PROFILE full CACHE STRING
  "full; or small: libmcp-core alone, for devices with little memory")
set_property(CACHE MCP_PROFILE PROPERTY STRINGS full small)
set(mcp_all_parts ON)
if(MCP_PROFILE STREQUAL "small")
  set(mcp_all_parts OFF)
  set(MCP_CORE_ONLY ON)
  # Devices have no loader, and seldom a function that ends the program.
  set(MCP_HARDENING OFF)
  set(MCP_BUILD_EXAMPLES OFF)
  set(MCP_BUILD_PROGRAMS OFF)
  set(BUILD_TESTING OFF)
  set(MCP_INSTALL OFF)
elseif(NOT MCP_PROFILE STREQUAL "full")
  message(FATAL_ERROR "MCP_PROFILE is \"${MCP_PROFILE}\": it must be full or "
    "small")
endif()

option(MCP_QUESTIONS "Questions of handlers to clients: forms, samples, roots"
  ${mcp_all_parts})
option(MCP_SCHEMA_META "The meta-schemas, and checks of forms for users"
  ${mcp_all_parts})
option(MCP_SCHEMA_FORMATS "Check `format` in schemas" ${mcp_all_parts})
option(MCP_SCHEMA_ARRAYS "Keywords of arrays: items, contains, uniqueItems, ..."
  ${mcp_all_parts})
option(MCP_SCHEMA_CHOICES
  "Keywords that apply further schemas: anyOf, allOf, not, if, $ref, ..."
  ${mcp_all_parts})

# How much memory is taken before it is needed: base/profile.h.
set(mcp_private_headers "${PROJECT_SOURCE_DIR}/src"
  "${PROJECT_SOURCE_DIR}/cmake/profiles/${MCP_PROFILE}")
