/* SPDX-License-Identifier: MIT */
/* The verbs: what each does, or asks of the server, and how it shows the
 * answer. */
#ifndef CTL_VERBS_H
#define CTL_VERBS_H

#include <mcp/client.h>

struct ctl_options;
struct ctl_session;

typedef struct ctl_verb {
  const char *name;
  const char *synopsis;
  const char *summary;
  int min_args;
  int max_args;     /* -1: any number */
  int arguments_at; /* where key=value words begin; 0: there are none */
  int is_validated; /* they are a tool's, which has a schema for them */
  /* Does all of it, without a server, and returns an exit code. NULL: there is
   * one, and the next two ask it. */
  int (*run)(const struct ctl_options *options);
  /* Sends the request, as the functions of mcp/client.h do, to end in
   * ctl_session_done. NULL: what connecting told is the answer. */
  int (*start)(struct ctl_session *session, const mcp_request_options *options);
  /* Prints the answer. An exit code. */
  int (*show)(struct ctl_session *session, const mcp_result *result);
} ctl_verb;

/* A nameless one stands at the end. */
extern const ctl_verb ctl_verbs[];

/* NULL when there is none by that name. */
const ctl_verb *ctl_verb_find(const char *name);

#endif
