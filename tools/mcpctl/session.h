/* SPDX-License-Identifier: MIT */
/* One run: connect, ask, answer what the server asks back, show, close.
 *
 * The client's callbacks only take notes here. What takes time or talks to the
 * user happens outside of them, in code that runs from top to bottom and calls
 * ctl_session_turn to wait; so the wire stays served while somebody types. */
#ifndef CTL_SESSION_H
#define CTL_SESSION_H

#include "options.h"
#include "tail.h"

#include <mcp/client.h>

/* More questions than this at one time are refused. */
enum { CTL_MAX_QUESTIONS = 64 };

typedef struct ctl_session {
  const ctl_options *options;
  char *arguments; /* JSON text, owned; NULL: none */
  char *roots;     /* the answer to roots/list, owned; NULL: none */
  int asked_for_roots;
  mcp_loop *loop;
  mcp_client *client;
  int is_started; /* connecting has begun, and ends in is_closed */
  int is_connected;
  int is_closed;

  /* The request in flight, and how the last one ended. */
  uint64_t request; /* 0: it has no number */
  int64_t started_ns;
  int64_t took_ns;
  int has_given_up; /* it was cancelled, and no question is taken any more */
  int is_done;
  int status;         /* MCP_ERR_* */
  mcp_result *result; /* owned */
  mcp_error error;
  char *error_data; /* JSON text, owned */

  /* Questions of the server's that wait for their turn, oldest first. */
  mcp_question *questions[CTL_MAX_QUESTIONS];
  size_t question_count;
  int is_unanswered; /* one could not be answered, and that was reported */

  /* What helps to understand a failure. */
  ctl_tail tail;
  mcp_error last_fault; /* of the server's, that may be why */
  int has_exited;
  int64_t exit_status;
  int exit_signal;
} ctl_session;

/* Does all of it. An exit code. */
int ctl_session_run(const ctl_options *options);

/* Starts a request, as the functions of mcp/client.h do, to end in
 * ctl_session_done. */
typedef int ctl_starter(ctl_session *session,
                        const mcp_request_options *options);

/* Sends one and waits for its end. Its status; the session has the rest until
 * the next one. */
int ctl_session_request(ctl_session *session, ctl_starter *start);

/* The completion of every request. */
void ctl_session_done(mcp_client *client, const mcp_outcome *outcome,
                      void *userdata);

/* Waits until something has happened, and lets the loop do it. `fd` is a
 * descriptor to be read, or -1. Returns 1 when it can be read. */
int ctl_session_turn(ctl_session *session, int fd);

/* The server's name, to tell who asks. */
const char *ctl_session_server_name(const ctl_session *session);

#endif
