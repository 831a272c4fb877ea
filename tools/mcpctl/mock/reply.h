/* SPDX-License-Identifier: MIT */
/* How a made-up server answers: as its description says. */
#ifndef CTL_MOCK_REPLY_H
#define CTL_MOCK_REPLY_H

#include <mcp/server.h>

/* A handler of a tool, a prompt, a resource or a template. `userdata` is the
 * object of the description, of ctl_mock_parse, which outlives the server. */
int ctl_mock_reply(mcp_call *call, void *userdata);

/* Whether the arguments contain all that `when` says: each of its members is
 * there and equal, and objects in it are compared in the same way. */
int ctl_mock_matches(const mcp_json *when, const mcp_json *arguments);

#endif
