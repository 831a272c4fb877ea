/* SPDX-License-Identifier: MIT */
/* Callbacks of the client and its transport that belong to no request. */
#include "listen.h"
#include "failure.h"
#include "json.h"
#include "progress.h"
#include "report.h"
#include "settle.h"
#include "term.h"
#include "text.h"

#include <stdint.h>
#include <stdlib.h>

enum { PROBE_TIMEOUT_MS = 5000 };

/* Queues a question. ctl_ask answers it outside the loop. */
static void on_question(mcp_question *question, void *userdata) {
  ctl_session *session = userdata;
  if (session->question_count == CTL_MAX_QUESTIONS || session->has_given_up) {
    mcp_question_fail(question, MCP_RPC_INTERNAL_ERROR,
                      "mcpctl accepts no further questions");
    return;
  }
  session->questions[session->question_count++] = question;
}

static void on_log(mcp_client *client, int level, const char *logger,
                   const mcp_json *data, void *userdata) {
  const char *name = mcp_log_level_name(level);
  const ctl_session *session = userdata;
  (void)client;
  if (!session->options->is_verbose) {
    return;
  }
  const char *plain = mcp_json_string(data);
  char *text = plain == NULL ? ctl_json_text(data) : NULL;
  ctl_report(0, "%s%s%s: %s", name != NULL ? name : "log",
             logger != NULL ? " from " : "", logger != NULL ? logger : "",
             text != NULL    ? text
             : plain != NULL ? plain
                             : "?");
  free(text);
}

/* The server is started again: its earlier output and exit do not explain later
 * failures. */
static void forget_server(ctl_session *session, const mcp_error *err) {
  session->tail.len = 0;
  session->has_exited = 0;
  session->last_fault.code = 0;
  if (session->options->is_verbose) {
    ctl_report(0, "%s", err->message);
  }
}

static void on_error(mcp_client *client, const mcp_error *err, void *userdata) {
  ctl_session *session = userdata;
  (void)client;
  if (err->code == MCP_ERR_CLOSED) {
    forget_server(session, err);
    return;
  }
  if (err->code != MCP_ERR_SCHEMA) { /* a tool's schema that is not valid */
    session->last_fault = *err;
  }
  if (session->options->is_verbose) {
    ctl_fault_report(session, 0, err);
  }
}

static void session_on_closed(mcp_client *client, const mcp_error *err,
                              void *userdata) {
  ctl_session *session = userdata;
  (void)client;
  (void)err;
  session->is_closed = 1;
}

static void on_trace(mcp_client *client, const mcp_traced_message *message,
                     void *userdata) {
  (void)client;
  (void)userdata;
  ctl_progress_clear();
  ctl_term_style(stderr, message->is_sent ? CTL_BOLD : CTL_GREEN);
  fputs(message->is_sent ? "--> " : "<-- ", stderr);
  ctl_term_style(stderr, CTL_PLAIN);
  ctl_text_put_block(stderr, message->text, message->len);
  fputc('\n', stderr);
}

/* The probe for the modern era gets half of the time at most: a server that
 * does not answer it is then asked by `initialize` in the other half. */
static uint32_t probe_timeout_ms(uint32_t timeout_ms) {
  return timeout_ms / 2 < PROBE_TIMEOUT_MS ? (timeout_ms + 1) / 2
                                           : PROBE_TIMEOUT_MS;
}

void ctl_listen_options(ctl_session *session, mcp_client_options *options) {
  const ctl_options *given = session->options;
  *options = (mcp_client_options){
      .size = sizeof(mcp_client_options),
      .policy = given->policy,
      .revision = given->revision,
      .probe_timeout_ms = probe_timeout_ms(given->timeout_ms),
      .connect_timeout_ms = given->timeout_ms,
      .log_level = given->is_verbose ? CTL_LISTEN_LEVEL : 0,
      .apply_defaults = 1,
      .userdata = session,
      .on_elicit = on_question,
      .can_elicit_url = 1,
      .on_sample = on_question,
      .on_roots = session->roots != NULL ? ctl_settle_roots : NULL,
      .on_log = on_log,
      .on_trace = given->is_trace ? on_trace : NULL,
      .on_error = on_error,
      .on_closed = session_on_closed,
      .use_tasks = 1,
  };
}

void ctl_listen_progress(mcp_client *client, double progress, double total,
                         const char *message, void *userdata) {
  const ctl_session *session = userdata;
  (void)client;
  ctl_progress_show(progress, total, message, session->options->is_verbose);
}

void ctl_listen_stderr(mcp_transport *transport, const char *bytes, size_t len,
                       void *userdata) {
  ctl_session *session = userdata;
  (void)transport;
  ctl_tail_add(&session->tail, bytes, len);
  if (session->options->is_verbose) {
    ctl_progress_clear();
    ctl_text_put_block(stderr, bytes, len);
  }
}

void ctl_listen_exit(mcp_transport *transport, int64_t status, int signal,
                     void *userdata) {
  ctl_session *session = userdata;
  (void)transport;
  session->has_exited = 1;
  session->exit_status = status;
  session->exit_signal = signal;
}
