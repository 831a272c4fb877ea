/* SPDX-License-Identifier: MIT */
/* The verbs: the request that each sends to the server, and how it shows the
 * answer. */
#ifndef CTL_VERBS_H
#define CTL_VERBS_H

#include <mcp/client.h>

struct ctl_options;
struct ctl_session;

/* The server that a verb needs. */
enum {
  CTL_SERVER_ANY,     /* a command, or any URL */
  CTL_SERVER_NONE,    /* none */
  CTL_SERVER_WRITTEN, /* any, which goes into a configuration; or none */
  CTL_SERVER_ITSELF,  /* none: mcpctl is one, with the options after -- */
  CTL_SERVER_PACKED,  /* none: the options after -- are those of a program that
                       * is packed */
  CTL_SERVER_EITHER,  /* any; or none: mcpctl is one */
  CTL_SERVER_WORDS,   /* the words after the verb name servers */
  CTL_SERVER_NAMED,   /* one of a configuration */
  CTL_SERVER_NAMES,   /* the same, or none */
  CTL_SERVER_WEB,     /* an HTTP or WebSocket URL */
  CTL_SERVER_MAYBE    /* the same, or none */
};

typedef struct ctl_verb {
  const char *name;
  const char *synopsis;
  const char *summary;
  int min_args;
  int max_args;     /* -1: any number */
  int arguments_at; /* index of the first key=value word; 0: it takes none */
  int is_validated; /* the key=value words are checked by a tool's schema */
  int server;       /* CTL_SERVER_* */
  int is_own;       /* it makes connections of its own, or uses standard input:
                     * a shell does not have it */
  int is_direct;    /* it does not use a session that stays */
  /* Runs a verb that sends no MCP request. Returns an exit code. NULL: the verb
   * sends one, by `start` and `show`. */
  int (*run)(const struct ctl_options *options);
  /* Sends the request. It completes in ctl_session_done. Returns 0 or
   * MCP_ERR_*. NULL: no request; connecting gave the answer. */
  int (*start)(struct ctl_session *session, const mcp_request_options *options);
  /* Acts on the first answer, often by further requests; without `start`, sends
   * all of them. Returns 0, or MCP_ERR_* as in session->status. NULL: the first
   * one is all. */
  int (*follow)(struct ctl_session *session);
  /* Called when the server or its revision lacks the request. May set the
   * session's error to one that says what to do. Returns MCP_ERR_*, the new
   * status. NULL: the error stays. */
  int (*explain)(struct ctl_session *session);
  /* Called when the server answered with an error. May set the session's hint;
   * the error stays. NULL: nothing. */
  void (*suggest)(struct ctl_session *session);
  /* Prints the answer. Returns an exit code. */
  int (*show)(struct ctl_session *session, const mcp_result *result);
} ctl_verb;

/* The last entry has no name. */
extern const ctl_verb ctl_verbs[];

/* Whether a shell has the verb: it needs no other connection than the one that
 * the shell has, or none. */
int ctl_verb_is_for_shell(const ctl_verb *verb);

/* NULL when there is no verb of that name. */
const ctl_verb *ctl_verb_find(const char *name);

#endif
