/* SPDX-License-Identifier: MIT */
/* The origins that a page needs (MCP Apps 2026-01-26, UI Resource Format). */
#ifndef MCPI_EXT_APPS_ORIGIN_H
#define MCPI_EXT_APPS_ORIGIN_H

#include "base/str.h"

/* The origins of one list. The header of a policy has each of a list's origins
 * up to five times, and proxies refuse long headers. */
enum { MCPI_MAX_ORIGINS = 64 };

/* Whether a text is an origin as mcp_app describes it. Such a text has only
 * letters, digits and the characters "*-.:/", so it ends nothing in a
 * Content-Security-Policy, and stands for nothing but names below one name. */
int mcpi_origin_is_valid(mcpi_str text);

#endif
