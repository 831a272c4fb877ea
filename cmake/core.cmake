# SPDX-License-Identifier: MIT
# The files of libmcp-core: mcp_core_sources.
mcp_sources(mcp_core_sources base json codec schema schema/structs core auth auth/client
  auth/resource store server client ext/tasks ext/apps endpoint)
mcp_switched_sources(mcp_core_sources MCP_CORE_DIALECT wires/mcp_core
  endpoint/mcp_core)
mcp_switched_sources(mcp_core_sources MCP_QUESTIONS server/questions)
mcp_switched_sources(mcp_core_sources MCP_SCHEMA_FORMATS schema/format)
mcp_switched_sources(mcp_core_sources MCP_SCHEMA_ARRAYS schema/arrays)
mcp_switched_sources(mcp_core_sources MCP_SCHEMA_CHOICES schema/choices)
mcp_switched_sources(mcp_core_sources MCP_SCHEMA_META schema/meta)
if(MCP_SCHEMA_META)
  include(cmake/meta-schemas.cmake)
  list(APPEND mcp_core_sources ${mcp_meta_schemas})
endif()

# mcp_left_out(LIBRARY): the program that tests what is left out.
function(mcp_left_out library)
  add_executable(left-out "${PROJECT_SOURCE_DIR}/tests/devices/left_out.c")
  target_link_libraries(left-out PRIVATE ${library} mcp-warnings)
  foreach(part QUESTIONS SCHEMA_META SCHEMA_FORMATS SCHEMA_ARRAYS
      SCHEMA_CHOICES)
    if(MCP_${part})
      target_compile_definitions(left-out PRIVATE WITHOUT_${part}=0)
    else()
      target_compile_definitions(left-out PRIVATE WITHOUT_${part}=1)
    endif()
  endforeach()
endfunction()
