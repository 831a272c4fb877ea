/* SPDX-License-Identifier: MIT */
/* What a JSON-RPC message is, for verbs that pass messages on and do not use
 * the library's client or server. */
#ifndef CTL_ENVELOPE_H
#define CTL_ENVELOPE_H

#include <mcp/json.h>

enum {
  CTL_MESSAGE_OTHER, /* not a message, or a batch of them */
  CTL_MESSAGE_REQUEST,
  CTL_MESSAGE_NOTIFICATION,
  CTL_MESSAGE_ANSWER /* a result or an error */
};

/* CTL_MESSAGE_*. */
int ctl_envelope_kind(const mcp_json *message);

/* The method of a request or notification; NULL: it is an answer. */
const char *ctl_envelope_method(const mcp_json *message);
int ctl_envelope_is_method(const mcp_json *message, const char *method);

/* Adds a message to a builder, in which the member that a path leads to has
 * another value. The path is names that end with NULL. */
void ctl_envelope_put(mcp_builder *out, const mcp_json *message,
                      const char *const *path, const mcp_json *value);

/* Adds an error that answers a request. */
void ctl_envelope_put_error(mcp_builder *out, const mcp_json *id, int code,
                            const char *text);

#endif
