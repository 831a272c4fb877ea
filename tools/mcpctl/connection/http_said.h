/* SPDX-License-Identifier: MIT */
/* What a server at a URL said when it refused a request over HTTP. */
#ifndef CTL_HTTP_SAID_H
#define CTL_HTTP_SAID_H

#include <mcp/http_client.h>

typedef struct ctl_http_said {
  int32_t status; /* of the last refusal; 0: there was none */
  char *head;     /* owned */
  char *body;     /* owned; NULL: it is empty */
} ctl_http_said;

/* Keeps a refusal; forgets the last one. */
void ctl_http_said_take(ctl_http_said *said, const mcp_http_answer *answer);
void ctl_http_said_forget(ctl_http_said *said);

/* Reports what the error of a request that failed with this refusal leaves out:
 * the first line of the body (of JSON, the message, or else all of it) and the
 * headers that say what to do. */
void ctl_http_said_report(const ctl_http_said *said, const mcp_error *err);

#endif
