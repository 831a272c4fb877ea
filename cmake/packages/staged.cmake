# SPDX-License-Identifier: MIT
# Before CPack makes packages of the files that it has installed: leaves them as
# a distribution would, lists them (scripts/sbom), and gives all one time.
set(ENV{SOURCE_DATE_EPOCH} "${CPACK_MCP_EPOCH}")
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  set(root "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component}")
  file(GLOB_RECURSE files "${root}/*.a" "${root}/*.so.*" "${root}/*.so"
    "${root}/bin/*" "${root}/*/bin/*")
  foreach(file IN LISTS files)
    if(IS_SYMLINK "${file}")
      continue()
    endif()
    set(how --strip-unneeded)
    if(file MATCHES "\\.a$")
      set(how --strip-debug --enable-deterministic-archives)
    endif()
    execute_process(COMMAND strip ${how} --remove-section=.comment
      --remove-section=.note "${file}" COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  file(GLOB_RECURSE pages "${root}/*.1")
  list(FILTER pages INCLUDE REGEX "/man1/")
  foreach(page IN LISTS pages)
    execute_process(COMMAND gzip -9n "${page}" COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  file(GLOB_RECURSE files "${root}/*")
  set(name "${CPACK_MCP_NAME_${component}}")
  execute_process(COMMAND ${CPACK_MCP_SBOM} --name "${name}"
    "${CPACK_MCP_SBOM_INFO}" "${root}${CPACK_MCP_DOC}/${name}/mcp.spdx.json"
    "${root}" ${files} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND find "${root}" -exec touch --no-dereference
    --date "@${CPACK_MCP_EPOCH}" {} + COMMAND_ERROR_IS_FATAL ANY)
endforeach()
