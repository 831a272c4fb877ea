/* SPDX-License-Identifier: MIT */
/* JSON without its secrets, as --trace shows it. */
#ifndef CTL_REDACTOR_H
#define CTL_REDACTOR_H

#include <mcp/loop.h>

typedef struct ctl_redactor ctl_redactor;

/* Owned; NULL: err says why. Free it before the loop. */
ctl_redactor *ctl_redactor_new(mcp_loop *loop, mcp_error *err);
void ctl_redactor_free(ctl_redactor *redactor);

/* The text of an object or array with "[redacted]" for each secret, as
 * mcp_traced_message describes. NUL-terminated, borrowed until the next call.
 * NULL: the text is not JSON, or too much, or memory is missing. */
const char *ctl_redact(ctl_redactor *redactor, const char *text, size_t len);

#endif
