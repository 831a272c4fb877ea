/* SPDX-License-Identifier: MIT */
/* What a complaint may mean for the command line. */
#ifndef CTL_HINT_H
#define CTL_HINT_H

#include "options.h"

/* `complaint` is why a call failed, in the server's words. Where it misses a
 * number, say, in a key that the command line gave as key=value, says to write
 * key:=value. */
void ctl_hint_types(const ctl_options *options, const char *complaint);

/* The same of our own complaint about the value at a JSON pointer. */
void ctl_hint_type(const ctl_options *options, const char *pointer,
                   const char *complaint);

/* Says what to do about a URL where nothing could be reached that is an MCP
 * server, as far as the error tells. */
void ctl_hint_url(const char *url, const mcp_error *err);

#endif
