/* SPDX-License-Identifier: MIT */
/* URIs of pages, and where tools name them (MCP Apps 2026-01-26, Resource
 * Discovery). */
#ifndef MCPI_EXT_APPS_URI_H
#define MCPI_EXT_APPS_URI_H

#include "base/str.h"

/* The deprecated member of a tool's `_meta`. The new one is ui.resourceUri. */
#define MCPI_APP_FLAT_KEY "ui/resourceUri"

static inline int mcpi_app_is_uri(mcpi_str uri) {
  return uri.len > 5 && mcpi_str_starts_with(uri, MCPI_STR("ui://"));
}

#endif
