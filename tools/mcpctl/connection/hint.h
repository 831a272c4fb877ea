/* SPDX-License-Identifier: MIT */
/* Hints: what an error may mean for the command line. */
#ifndef CTL_HINT_H
#define CTL_HINT_H

#include "line/args.h"
#include "line/options.h"

/* Reports a hint for each argument that the command line gave as key=value,
 * a string, where the server wanted another type: to write key:=value.
 *
 * @param complaint why the call failed, in the server's words */
void ctl_hint_types(const ctl_options *options, const char *complaint);

/* Does the same for an error of mcpctl's own validation. `pointer` is the JSON
 * pointer to the value; NULL: there is none. */
void ctl_hint_type(const ctl_options *options, const char *pointer,
                   const char *complaint);

/* Returns "a number", for example, if the complaint is about this argument,
 * whose text is one, and wants one. NULL: it is about something else. `pointer`
 * as above. */
const char *ctl_hint_wanted(const ctl_pair *pair, const char *pointer,
                            const char *complaint);

/* Reports a hint for the command of the options, if the error says that it
 * could not be started. */
void ctl_hint_command(const ctl_options *options, const mcp_error *err);

/* Reports a hint for the URL of the options, at which mcpctl reached no MCP
 * server, if the error is a known one. */
void ctl_hint_url(const ctl_options *options, const mcp_error *err);

#endif
