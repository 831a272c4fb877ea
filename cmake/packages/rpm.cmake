# SPDX-License-Identifier: MIT
# What only an .rpm has. rpmbuild finds what our libraries need of others'.
set(CPACK_RPM_COMPONENT_INSTALL ON)
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_RELEASE "${MCP_PACKAGE_RELEASE}")
set(CPACK_RPM_PACKAGE_LICENSE "MIT AND BSD-3-Clause")
set(CPACK_RPM_PACKAGE_AUTOREQPROV ON)
set(CPACK_PACKAGE_RELOCATABLE OFF)
set(CPACK_RPM_CHANGELOG_FILE "${folder}/changelog-rpm")
set(CPACK_RPM_COMPRESSION_TYPE xz)
# Folders that other packages own.
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION "")
foreach(dir bash-completion bash-completion/completions zsh zsh/site-functions
    fish fish/vendor_completions.d licenses man man/man1 doc)
  list(APPEND CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION
    "${CMAKE_INSTALL_FULL_DATADIR}/${dir}")
endforeach()
foreach(dir cmake pkgconfig)
  list(APPEND CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION
    "${CMAKE_INSTALL_FULL_LIBDIR}/${dir}")
endforeach()
list(APPEND CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION
  "${CMAKE_INSTALL_FULL_LIBDIR}")

# Nobody else may link what is in our private folder. The same sources give the
# same bytes.
set(CPACK_RPM_SPEC_MORE_DEFINE "
Packager: ${MCP_PACKAGE_MAINTAINER}
%define __provides_exclude_from ^${CMAKE_INSTALL_FULL_LIBDIR}/mcp/.*$
%define __requires_exclude ^lib(yyjson|llhttp)[.]so.*$
%define _buildhost reproducible
%define source_date_epoch_from_changelog 0
%define use_source_date_epoch_as_buildtime 1
%define clamp_mtime_to_source_date_epoch 1
%define _build_id_links none
%define __os_install_post %{nil}")
file(WRITE "${folder}/ldconfig" "/sbin/ldconfig\n")

foreach(component IN LISTS mcp_packages)
  string(TOUPPER "${component}" key)
  set(prefix CPACK_RPM_${key})
  set(${prefix}_PACKAGE_NAME ${mcp_package_${component}})
  set(${prefix}_PACKAGE_GROUP System/Libraries)
  string(REGEX REPLACE "^(.)(.*)$" "\\1" first "${mcp_summary_${component}}")
  string(REGEX REPLACE "^(.)(.*)$" "\\2" rest "${mcp_summary_${component}}")
  string(TOUPPER "${first}" first)
  set(${prefix}_PACKAGE_SUMMARY "${first}${rest}")
  set(${prefix}_PACKAGE_DESCRIPTION "${mcp_description_${component}}")
  set(needs "")
  foreach(other IN LISTS mcp_needs_${component})
    if(mcp_package_${other})
      list(APPEND needs "${mcp_package_${other}} = ${PROJECT_VERSION}")
    endif()
  endforeach()
  list(JOIN needs ", " ${prefix}_PACKAGE_REQUIRES)
  set(${prefix}_USER_FILELIST "%license ${CMAKE_INSTALL_FULL_DATADIR}/licenses/\
${mcp_package_${component}}/LICENSE"
    "%doc ${CMAKE_INSTALL_FULL_DATADIR}/doc/${mcp_package_${component}}/CHANGELOG.md"
    "%doc ${CMAKE_INSTALL_FULL_DATADIR}/doc/${mcp_package_${component}}/mcp.spdx.json")
  if(TARGET ${component} AND NOT component MATCHES "^(mcpctl|mcp-keyring)$")
    set(${prefix}_POST_INSTALL_SCRIPT_FILE "${folder}/ldconfig")
    set(${prefix}_POST_UNINSTALL_SCRIPT_FILE "${folder}/ldconfig")
  endif()
endforeach()
list(APPEND CPACK_RPM_MCPCTL_USER_FILELIST
  "%doc ${CMAKE_INSTALL_FULL_MANDIR}/man1/mcpctl.1.gz")
set(CPACK_RPM_DEV_PACKAGE_GROUP Development/Libraries/C)
set(CPACK_RPM_MCPCTL_PACKAGE_GROUP Development/Tools)
set(CPACK_RPM_MCP_PACKAGE_SUGGESTS "${mcp_package_mcp-http}")
set(CPACK_RPM_MCPCTL_PACKAGE_SUGGESTS "${mcp_package_mcp-keyring}")
