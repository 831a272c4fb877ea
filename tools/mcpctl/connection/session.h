/* SPDX-License-Identifier: MIT */
/* A connection to a server, on which verbs run one after another: each sends
 * its requests, answers the server's questions and prints the result.  The
 * client's callbacks only store what they receive. Code that takes time or
 * talks to the user runs outside of them and calls ctl_session_turn to wait, so
 * that messages still arrive while the user types. */
#ifndef CTL_SESSION_H
#define CTL_SESSION_H

#include "connection/event.h"
#include "connection/http_said.h"
#include "connection/tail.h"
#include "connection/trace.h"
#include "line/options.h"

#include <mcp/client.h>

/* More questions than this at one time are refused. */
enum { CTL_MAX_QUESTIONS = 64 };

typedef struct ctl_session ctl_session;

struct ctl_session {
  const ctl_options *options; /* of the verb that runs; between verbs those of
                               * the connection */
  char *arguments;            /* of the verb: JSON text, owned; NULL: none */
  char *roots;                /* the answer to roots/list, owned; NULL: none */
  int asked_for_roots;
  mcp_loop *loop;
  struct ctl_login *login; /* owned; NULL: this server needs no login */
  mcp_client *client;
  ctl_trace trace;
  int is_started; /* connecting has begun; is_closed will be set */
  int is_connected;
  int is_closed;
  int is_settled; /* the server has had time to ask for the roots */
  int has_asked_for_logs;
  int kept_fd;     /* a connection to the session that stays; 0: not used */
  int is_kept;     /* that session is used */
  int skips_cache; /* the server is asked again for what it allows to keep */

  /* The request in flight, and the outcome of the last one. */
  uint64_t request; /* its number; 0: no request is in flight */
  int64_t started_ns;
  int64_t took_ns;
  int has_given_up; /* it was cancelled; further questions are refused */
  int is_done;
  int status;         /* MCP_ERR_* */
  mcp_result *result; /* owned */
  mcp_error error;
  char *error_data; /* JSON text, owned */
  char *hint;       /* what may be wrong with the command line; owned; NULL: not
                     * known */

  struct ctl_skill *skill; /* owned; NULL: the verb is not `skill` */
  mcp_doc *listing; /* owned; what the server lists; NULL: nobody has asked */
  mcp_doc *pinned;  /* owned; the snapshot of --pin; NULL: none */

  /* The queue of the server's questions, oldest first. */
  mcp_question *questions[CTL_MAX_QUESTIONS];
  size_t question_count;
  int is_unanswered; /* one had no answer, and mcpctl has reported it */

  /* Details for the report of a failure. */
  ctl_tail tail;
  ctl_http_said said;
  mcp_error last_fault; /* the last error that ended no request */
  int has_warned;       /* of what a command wrote that is not a message */
  int has_exited;
  int64_t exit_status;
  int exit_signal;

  /* What the server says on its own; NULL: only log messages are shown, with
   * --verbose. Called inside the loop. */
  void (*on_event)(ctl_session *session, const ctl_event *event);
  void *event_userdata;
};

/* Connects, runs the verb of the options, and closes. Returns an exit code. */
int ctl_session_run(const ctl_options *options);

/* The same in steps, for several verbs. The session is zeroed, except on_event
 * and event_userdata. Connects to the server of the options. Returns CTL_OK, or
 * an exit code after a report; the caller calls ctl_session_close in both
 * cases. */
int ctl_session_open(ctl_session *session, const ctl_options *options);
/* The same, but a server that cannot be reached is not reported:
 * session->is_connected is 0. `kept_fd` is a connection to a session that
 * stays, which is taken; 0: the server itself. */
int ctl_session_begin(ctl_session *session, const ctl_options *options,
                      int kept_fd);
/* Runs the verb of the options, whose server does not count. Returns an exit
 * code. After the server has ended, session->is_closed is set. */
int ctl_session_do(ctl_session *session, const ctl_options *options);
/* Ends the connection, so that how the server has ended is known. Only reports
 * and ctl_session_close may follow. */
void ctl_session_end(ctl_session *session);
void ctl_session_close(ctl_session *session);

/* Starts a request that completes in ctl_session_done. Returns 0 or MCP_ERR_*,
 * as the functions of mcp/client.h do. */
typedef int ctl_starter(ctl_session *session,
                        const mcp_request_options *options);

/* Starts a request and waits for its completion. Returns its status. The
 * session keeps the result until the next request. */
int ctl_session_request(ctl_session *session, ctl_starter *start);

/* The same for a request of mcpctl's own, with a limit in milliseconds. */
int ctl_session_try(ctl_session *session, ctl_starter *start,
                    uint32_t limit_ms);

/* Asks the user the oldest question of the server. There must be one. */
void ctl_session_answer(ctl_session *session);
/* Whether the last request failed because the server, or its revision, has no
 * such request. */
int ctl_session_is_lacking(const ctl_session *session);

/* The completion of every request. */
void ctl_session_done(mcp_client *client, const mcp_outcome *outcome,
                      void *userdata);

/* Runs the loop once and waits for the next event. `fd` is a descriptor to wait
 * for, or -1. Returns 1 when `fd` can be read. */
int ctl_session_turn(ctl_session *session, int fd);

/* The server's title or name, else its address. */
const char *ctl_session_server_name(const ctl_session *session);

#endif
