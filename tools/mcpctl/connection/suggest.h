/* SPDX-License-Identifier: MIT */
/* Says which names a user may have meant by the names of a call that the tool
 * or the prompt does not have. */
#ifndef CTL_SUGGEST_H
#define CTL_SUGGEST_H

#include "connection/session.h"

/* Reports each argument of the call that is not a property of the tool's
 * schema, if its name is like that of one that was not given. A schema that
 * describes other members, too, has no such properties. */
void ctl_suggest_properties(const ctl_session *session, const mcp_json *schema);

/* After a server has refused a request about a prompt: asks the server for its
 * prompts. Sets session->hint to what is wrong with the name or the arguments.
 * The status and the error of the session stay. */
void ctl_suggest_prompt(ctl_session *session);

/* Sets the session's hint if the resource that the server refused is not named
 * by a URI. */
void ctl_suggest_resource(ctl_session *session);

#endif
