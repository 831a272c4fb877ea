/* SPDX-License-Identifier: MIT */
/* One run of mcpctl with a server. */
#include "connection/session.h"
#include "common/exit.h"
#include "common/json.h"
#include "common/report.h"
#include "connection/answer.h"
#include "connection/ask.h"
#include "connection/connect.h"
#include "connection/failure.h"
#include "connection/listen.h"
#include "connection/login.h"
#include "connection/roots.h"
#include "connection/settle.h"
#include "connection/validate.h"
#include "diff/pin.h"
#include "keep/client.h"
#include "line/args.h"
#include "platform/clock.h"
#include "platform/files.h"
#include "platform/interrupt.h"
#include "platform/wait.h"
#include "show/show.h"
#include "skill.h"

#include <errno.h>
#include <mcp/version.h>
#include <stdlib.h>
#include <string.h>

/* ---- waiting ----------------------------------------------------------- */

int ctl_session_turn(ctl_session *session, int fd) {
  /* The step comes first: it passes to the system what was started since the
   * last step. It may also complete the request that the caller waits for. */
  mcp_loop_step(session->loop);
  if (session->is_done || session->is_closed ||
      (fd < 0 &&
       (session->question_count > 0 || ctl_login_is_asking(session->login)))) {
    return 0;
  }
  return ctl_wait(session->loop, fd, -1);
}

/* The reason to cancel the request, or NULL. A question without an answer is a
 * reason: the server's result would not be the one that the user wanted. */
static const char *reason_to_end(const ctl_session *session) {
  if (ctl_interrupt_has_come()) {
    return "interrupted by the user";
  }
  if (session->is_unanswered) {
    return "a question has no answer";
  }
  return NULL;
}

static mcp_question *take_question(ctl_session *session) {
  mcp_question *question = session->questions[0];
  session->question_count--;
  memmove(session->questions, session->questions + 1,
          session->question_count * sizeof(mcp_question *));
  return question;
}

void ctl_session_answer(ctl_session *session) {
  ctl_ask(session, take_question(session));
}

static void refuse_questions(ctl_session *session) {
  session->has_given_up = 1; /* on_question refuses later ones */
  while (session->question_count > 0) {
    mcp_question_fail(take_question(session), MCP_RPC_INTERNAL_ERROR,
                      "the user ended the request");
  }
}

/* Cancels the request, which then completes. One that has ended already,
 * because its question failed, completes by itself. While connecting there is
 * no request, and the client is closed. */
static void session_cancel(ctl_session *session, const char *reason) {
  refuse_questions(session);
  if (session->request == 0) {
    mcp_client_close(session->client);
  } else {
    mcp_client_cancel(session->client, session->request, reason);
  }
}

/* Runs until ctl_session_done. */
static int wait_until_done(ctl_session *session) {
  while (!session->is_done) {
    const char *reason = session->has_given_up ? NULL : reason_to_end(session);
    if (reason != NULL) {
      session_cancel(session, reason);
    } else if (ctl_login_is_asking(session->login)) {
      ctl_login_ask(session->login, session);
    } else if (session->question_count > 0) {
      ctl_session_answer(session);
    } else {
      ctl_session_turn(session, -1);
    }
  }
  return session->status;
}

/* ---- requests ---------------------------------------------------------- */

void ctl_session_done(mcp_client *client, const mcp_outcome *outcome,
                      void *userdata) {
  ctl_session *session = userdata;
  (void)client;
  session->took_ns = ctl_now_ns() - session->started_ns;
  session->is_done = 1;
  session->request = 0;
  session->status = outcome->status;
  session->error = *outcome->error;
  if (outcome->result != NULL) {
    session->result = mcp_result_ref(outcome->result);
  }
  if (outcome->error_data != NULL) {
    session->error_data = ctl_json_text(outcome->error_data);
    ctl_keep_take_failure(session, outcome->error_data);
  }
}

static void forget_outcome(ctl_session *session) {
  mcp_result_unref(session->result);
  free(session->error_data);
  session->result = NULL;
  session->error_data = NULL;
  ctl_http_said_forget(&session->said);
  session->is_done = 0;
  session->started_ns = ctl_now_ns();
}

static int session_request(ctl_session *session, ctl_starter *start,
                           uint32_t timeout_ms, uint32_t max_ms) {
  mcp_request_options options = {
      .size = sizeof(mcp_request_options),
      .on_progress = ctl_listen_progress,
      .progress_userdata = session,
      .timeout_ms = timeout_ms,
      .max_ms = max_ms,
      .request = &session->request,
  };
  forget_outcome(session);
  session->status = start(session, &options);
  return session->status == 0 ? wait_until_done(session) : session->status;
}

int ctl_session_request(ctl_session *session, ctl_starter *start) {
  return session_request(session, start, session->options->timeout_ms,
                         session->options->max_time_ms);
}

int ctl_session_try(ctl_session *session, ctl_starter *start,
                    uint32_t limit_ms) {
  int status = session_request(session, start, limit_ms, limit_ms);
  session->is_done = 0; /* nobody waits for it any more */
  return status;
}

/* ---- connecting -------------------------------------------------------- */

static int connect_client(ctl_session *session) {
  const ctl_watch watch = {.on_stderr = ctl_listen_stderr,
                           .on_exit = ctl_listen_exit,
                           .userdata = session,
                           .on_answer = ctl_listen_answer,
                           .auth = ctl_login_auth(session->login)};
  forget_outcome(session);
  if (session->kept_fd > 0) {
    session->status = ctl_keep_connect_client(session);
  } else {
    session->status = ctl_connect(session->client, session->options, &watch,
                                  ctl_session_done, session, &session->error);
  }
  if (session->status != 0) {
    return session->status;
  }
  session->is_started = 1;
  return wait_until_done(session);
}

/* Closes the client and waits until the server has ended, so that its exit
 * status is known and no process is left. */
static void close_client(ctl_session *session) {
  if (!session->is_started || session->is_closed) {
    return;
  }
  refuse_questions(session);
  mcp_client_close(session->client);
  session->is_done = 0;
  while (!session->is_closed) {
    ctl_session_turn(session, -1);
  }
}

/* ---- the connection ------------------------------------------------------ */

static int read_roots(ctl_session *session) {
  if (session->options->roots[0] == NULL) {
    return CTL_OK;
  }
  session->roots = ctl_roots_json(session->options->roots);
  return session->roots != NULL ? CTL_OK : CTL_USAGE;
}

static int make_login(ctl_session *session) {
  if (session->options->url == NULL || session->kept_fd > 0) {
    return CTL_OK;
  }
  return ctl_login_new(&session->login, session->options, session->loop,
                       CTL_LOGIN_OFFERED);
}

static int session_make_client(ctl_session *session) {
  mcp_client_options options;
  ctl_listen_options(session, &options);
  mcp_error err = {0};
  session->loop = mcp_loop_new(NULL, &err);
  if (session->loop == NULL) {
    return ctl_report(CTL_USAGE, "cannot start: %s", err.message);
  }
  if (ctl_interrupt_setup() != 0) {
    return ctl_report(CTL_USAGE, "cannot start: %s", strerror(errno));
  }
  int code = make_login(session);
  if (code != CTL_OK) {
    return code;
  }
  session->client =
      mcp_client_new(session->loop, "mcpctl", mcp_version(), &options, &err);
  if (session->client == NULL) {
    return ctl_report(CTL_USAGE, "%s", err.message);
  }
  return CTL_OK;
}

static int start_logging(ctl_session *session,
                         const mcp_request_options *options) {
  return mcp_client_set_log_level(session->client, CTL_LISTEN_LEVEL, options,
                                  ctl_session_done, session, &session->error);
}

/* Asks for log messages where the revision has a request for it; in 2026-07-28
 * each request carries the level. If the server refuses, the run continues. */
static int ask_for_logs(ctl_session *session) {
  const mcp_json *can = mcp_client_server_capabilities(session->client);
  int wants_logs = session->options->is_verbose || session->on_event != NULL;
  if (!wants_logs || session->has_asked_for_logs ||
      mcp_json_get(can, "logging") == NULL) {
    return 0;
  }
  session->has_asked_for_logs = 1;
  int status = ctl_session_request(session, start_logging);
  if (status != MCP_ERR_REMOTE) {
    return status;
  }
  ctl_report_aside("the server sends no log messages: %s",
                   session->error.message);
  return 0;
}

int ctl_session_is_lacking(const ctl_session *session) {
  return session->status == MCP_ERR_UNSUPPORTED ||
         (session->status == MCP_ERR_REMOTE &&
          session->error.status == MCP_RPC_METHOD_NOT_FOUND);
}

static int request_verb(ctl_session *session) {
  const ctl_verb *verb = session->options->verb;
  ctl_session_request(session, verb->start);
  if (ctl_session_is_lacking(session) && verb->explain != NULL) {
    session->status = verb->explain(session);
  } else if (session->status == MCP_ERR_REMOTE && verb->suggest != NULL) {
    verb->suggest(session);
  }
  return session->status;
}

static int ask_verb(ctl_session *session) {
  const ctl_verb *verb = session->options->verb;
  if (verb->start == NULL && verb->follow == NULL) {
    return 0;
  }
  int status = ctl_settle(session);
  status = status == 0 ? ctl_validate_arguments(session) : status;
  status = status == 0 ? ask_for_logs(session) : status;
  if (status == 0 && verb->start != NULL) {
    status = request_verb(session);
  }
  if (status == 0 && verb->follow != NULL) {
    status = verb->follow(session);
  }
  return status;
}

/* Reads what the command line names, before the server is asked. */
static int read_arguments(ctl_session *session) {
  const ctl_options *options = session->options;
  int at = options->verb->arguments_at;
  mcp_error err;
  if (at > 0 && at < options->arg_count &&
      ctl_args_json(options->args + at, options->arg_count - at,
                    &session->arguments, &err) != 0) {
    return ctl_report(CTL_USAGE, "%s", err.message);
  }
  return ctl_pin_read(session);
}

/* Reports how the verb has ended. Returns its exit code. */
static int report_end(ctl_session *session, int code) {
  int status = session->status;
  if (status != 0) {
    code = ctl_failure_report(session);
  }
  if (status == 0 || session->is_unanswered) {
    ctl_answer_report_unused(session->options);
  }
  return code;
}

/* Sends the verb's requests, and prints the answer. Returns an exit code if
 * session->status is 0. */
static int run_verb(ctl_session *session) {
  session->status = ask_verb(session);
  return session->status == 0 ? ctl_show(session) : CTL_OK;
}

/* What the last verb has left does not count for the next. */
static void begin_verb(ctl_session *session, const ctl_options *options) {
  session->options = options;
  session->has_given_up = 0;
  session->is_unanswered = 0;
  session->last_fault.code = 0;
  session->tail.len = 0;
}

static void end_verb(ctl_session *session) {
  forget_outcome(session);
  ctl_skill_free(session->skill);
  session->skill = NULL;
  mcp_doc_free(session->listing);
  session->listing = NULL;
  mcp_doc_free(session->pinned);
  session->pinned = NULL;
  free(session->arguments);
  session->arguments = NULL;
  free(session->hint);
  session->hint = NULL;
}

/* ---- verbs on a connection --------------------------------------------- */

static int open_client(ctl_session *session) {
  int code = ctl_trace_open(&session->trace, session->options);
  if (code == CTL_OK) {
    code = read_roots(session);
  }
  if (code == CTL_OK) {
    code = session_make_client(session);
  }
  if (code == CTL_OK) {
    session->is_connected = connect_client(session) == 0;
  }
  return code;
}

int ctl_session_begin(ctl_session *session, const ctl_options *options,
                      int kept_fd) {
  session->options = options;
  session->kept_fd = kept_fd;
  return open_client(session);
}

/* Uses the session that stays, if one runs. Its server has read the roots. */
static int begin_any(ctl_session *session, const ctl_options *options) {
  int fd = ctl_keep_join(options, options->is_verbose);
  session->is_settled = fd > 0;
  return ctl_session_begin(session, options, fd > 0 ? fd : 0);
}

int ctl_session_open(ctl_session *session, const ctl_options *options) {
  int code = begin_any(session, options);
  if (code == CTL_OK && !session->is_connected) {
    close_client(session);
    code = ctl_failure_report(session);
  }
  if (code == CTL_OK && session->on_event != NULL) {
    ask_for_logs(session); /* later verbs need not */
  }
  forget_outcome(session);
  return code;
}

int ctl_session_do(ctl_session *session, const ctl_options *options) {
  const ctl_options *given = session->options;
  begin_verb(session, options);
  int code = read_arguments(session);
  if (code == CTL_OK) {
    code = run_verb(session);
    if (session->status == MCP_ERR_CLOSED) {
      close_client(session); /* how the server has ended is a part of why */
    }
    code = report_end(session, code);
  }
  end_verb(session);
  session->options = given;
  return code;
}

void ctl_session_end(ctl_session *session) {
  close_client(session);
}

void ctl_session_close(ctl_session *session) {
  close_client(session);
  mcp_client_free(session->client);
  ctl_login_free(session->login);
  end_verb(session);
  mcp_loop_free(session->loop);
  ctl_trace_close(&session->trace);
  free(session->roots);
  if (session->kept_fd > 0) { /* nothing has taken it */
    ctl_file_close(session->kept_fd);
  }
}

/* A failure is reported when the server has ended: by then it has written the
 * reason. */
int ctl_session_run(const ctl_options *options) {
  ctl_session session = {.options = options};
  int code = read_arguments(&session);
  if (code == CTL_OK) {
    code = begin_any(&session, options);
  }
  if (code == CTL_OK) {
    code = session.is_connected ? run_verb(&session) : CTL_OK;
    close_client(&session);
    code = report_end(&session, code);
  }
  int trace_code = ctl_trace_close(&session.trace);
  ctl_session_close(&session);
  return code == CTL_OK ? trace_code : code;
}

const char *ctl_session_server_name(const ctl_session *session) {
  const mcp_json *info = mcp_client_server_info(session->client);
  const char *name = ctl_json_member(info, "title");
  name = name != NULL ? name : ctl_json_member(info, "name");
  return name != NULL ? name : session->options->target;
}
