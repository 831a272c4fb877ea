/* SPDX-License-Identifier: MIT */
/* Compares what a manifest says with what the server lists. */
#ifndef CTL_PACK_MATCH_H
#define CTL_PACK_MATCH_H

#include "bundle/findings.h"

/* `listing` is that of the server. */
void ctl_match(const mcp_json *manifest, const mcp_json *listing,
               ctl_findings *findings);

#endif
