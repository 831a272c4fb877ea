/* SPDX-License-Identifier: MIT */
/* Callbacks of the client and its transport that belong to no request. */
#include "connection/listen.h"
#include "common/json.h"
#include "common/progress.h"
#include "common/report.h"
#include "common/term.h"
#include "common/text.h"
#include "connection/failure.h"
#include "connection/junk.h"
#include "connection/settle.h"
#include "keep/client.h"
#include "platform/memory.h"

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

/* Prints it with mcpctl's own messages. */
static void report_log(const ctl_event *event) {
  char *text = NULL;
  size_t len = 0;
  FILE *out = ctl_memory_open(&text, &len);
  if (out == NULL) {
    return;
  }
  ctl_event_print(out, event);
  if (ctl_memory_close(out, &text, &len) == 0) {
    ctl_report_aside("%.*s", (int)(len - 1), text);
  }
  free(text);
}

/* Shows the event as the session wants; else only log messages, and those with
 * --verbose. */
static void emit(ctl_session *session, const ctl_event *event) {
  if (session->on_event != NULL) {
    session->on_event(session, event);
  } else if (event->kind == CTL_EVENT_LOG && session->options->is_verbose) {
    report_log(event);
  }
}

static void on_log(mcp_client *client, int level, const char *logger,
                   const mcp_json *data, void *userdata) {
  const char *name = mcp_log_level_name(level);
  ctl_event event = {CTL_EVENT_LOG, .logger = logger, .data = data};
  (void)client;
  event.name = name != NULL ? name : "log";
  emit(userdata, &event);
}

static void on_list_changed(mcp_client *client, const char *list,
                            void *userdata) {
  (void)client;
  emit(userdata, &(ctl_event){.kind = CTL_EVENT_LIST, .name = list});
}

static void on_resource_updated(mcp_client *client, const char *uri,
                                void *userdata) {
  (void)client;
  emit(userdata, &(ctl_event){.kind = CTL_EVENT_RESOURCE, .name = uri});
}

static void on_notification(mcp_client *client, const char *method,
                            const mcp_json *params, void *userdata) {
  (void)client;
  if (!ctl_keep_take(userdata, method, params)) {
    emit(userdata,
         &(ctl_event){.kind = CTL_EVENT_OTHER, .name = method, .data = params});
  }
}

/* The server is started again: its earlier output and exit do not explain later
 * failures. */
static void forget_server(ctl_session *session, const mcp_error *err) {
  session->tail.len = 0;
  session->has_exited = 0;
  session->last_fault.code = 0;
  if (session->options->is_verbose) {
    ctl_report_aside("%s", err->message);
  }
}

static void on_error(mcp_client *client, const mcp_error *err, void *userdata) {
  ctl_session *session = userdata;
  (void)client;
  if (err->code == MCP_ERR_CLOSED) {
    forget_server(session, err);
    return;
  }
  if (err->code == MCP_ERR_PARSE && session->options->url == NULL &&
      !session->has_warned) {
    ctl_junk_warn(&session->has_warned, "the server", err->message);
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
  const ctl_session *session = userdata;
  (void)client;
  ctl_trace_message(&session->trace, message);
}

void ctl_listen_answer(const mcp_http_answer *answer, void *userdata) {
  ctl_session *session = userdata;
  ctl_trace_answer(&session->trace, answer);
  ctl_http_said_take(&session->said, answer);
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
      .connect_timeout_ms = given->connect_timeout_ms,
      .log_level =
          given->is_verbose || session->on_event != NULL ? CTL_LISTEN_LEVEL : 0,
      .apply_defaults = 1,
      .userdata = session,
      .on_elicit = on_question,
      .can_elicit_url = 1,
      .on_sample = on_question,
      .on_roots = session->roots != NULL ? ctl_settle_roots : NULL,
      .on_log = on_log,
      .on_list_changed = on_list_changed,
      .on_resource_updated = on_resource_updated,
      .on_notification = on_notification,
      .on_trace = ctl_trace_is_on(&session->trace) ? on_trace : NULL,
      .on_error = on_error,
      .on_closed = session_on_closed,
      .use_tasks = 1,
      .skip_cache = session->skips_cache,
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

/* ---- changes ----------------------------------------------------------- */

static void listen_done(mcp_client *client, const mcp_outcome *outcome,
                        void *userdata) {
  (void)client;
  (void)outcome;
  (void)userdata;
}

static int can_report(const ctl_session *session, const char *list) {
  const mcp_json *can = mcp_client_server_capabilities(session->client);
  return mcp_json_bool(mcp_json_get(mcp_json_get(can, list), "listChanged"));
}

void ctl_listen_changes(ctl_session *session) {
  const mcp_listen_filter filter = {.size = sizeof(mcp_listen_filter),
                                    .tools = can_report(session, "tools"),
                                    .prompts = can_report(session, "prompts"),
                                    .resources =
                                        can_report(session, "resources")};
  const char *revision = mcp_client_revision(session->client);
  mcp_error err;
  if (revision != NULL && mcp_revision_era(revision) == MCP_ERA_MODERN &&
      (filter.tools || filter.prompts || filter.resources)) {
    mcp_client_listen(session->client, &filter, NULL, NULL, listen_done, NULL,
                      &err);
  }
}
