/* SPDX-License-Identifier: MIT */
/* Shows what goes to the server and what comes from it, without secrets:
 * messages, and over HTTP the heads of answers and the bodies of refusals. */
#ifndef CTL_TRACE_H
#define CTL_TRACE_H

#include "line/options.h"

#include <mcp/http_client.h>
#include <stdio.h>

typedef struct ctl_trace {
  int is_shown; /* on standard error */
  FILE *file;   /* NULL: there is none */
} ctl_trace;

/* Opens the trace that the options want: the file is empty, and only the user
 * can read it. Returns an exit code. */
int ctl_trace_open(ctl_trace *trace, const ctl_options *options);
/* Returns an exit code: the file may be incomplete. */
int ctl_trace_close(ctl_trace *trace);

/* Whether there is a trace. */
int ctl_trace_is_on(const ctl_trace *trace);
void ctl_trace_message(const ctl_trace *trace,
                       const mcp_traced_message *message);
void ctl_trace_answer(const ctl_trace *trace, const mcp_http_answer *answer);

#endif
