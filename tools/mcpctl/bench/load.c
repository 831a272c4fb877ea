/* SPDX-License-Identifier: MIT */
/* The load of a measurement: connections that call the server. */
#include "bench/load.h"
#include "connection/connect.h"
#include "connection/listen.h"
#include "connection/login.h"
#include "platform/clock.h"
#include "platform/wait.h"

#include <mcp/version.h>
#include <stdlib.h>

enum {
  /* The pause after a failure starts at PAUSE_MS and doubles each time. All
   * pauses together take about 4 seconds. */
  MAX_FAILURES = 8,
  PAUSE_MS = 50,
  MAX_PAUSE_MS = 1000
};

#define NS_PER_MS INT64_C(1000000)

/* One of the connections. */
struct ctl_load_caller {
  ctl_load *load;
  mcp_client *client; /* NULL: it could not be made */
  int has_tried;      /* it has had an answer or a failure */
  int is_open;        /* its connection is not closed */
  int is_measured;    /* the current call or connection attempt counts */
  int failures;       /* without an answer, in a row */
  int64_t began_ns;   /* the start of the current call */
  int64_t due_ns;     /* the end of the pause; 0: it does not pause */
};

/* ---- failures ---------------------------------------------------------- */

static void end_warming(ctl_load_caller *caller) {
  caller->load->warming -= !caller->has_tried;
  caller->has_tried = 1;
}

/* Starts a pause before the next attempt, or abandons the caller. */
static void pause_caller(ctl_load_caller *caller) {
  ctl_load *load = caller->load;
  end_warming(caller);
  if (load->is_ending) {
    return;
  }
  if (++caller->failures == MAX_FAILURES) {
    load->given_up++;
    return;
  }
  int64_t pause_ms = (int64_t)PAUSE_MS << (caller->failures - 1);
  pause_ms = pause_ms < MAX_PAUSE_MS ? pause_ms : MAX_PAUSE_MS;
  caller->due_ns = ctl_now_ns() + pause_ms * NS_PER_MS;
  load->pausing++;
}

static void count_failure(const ctl_load_caller *caller, const mcp_error *err) {
  if (caller->is_measured) {
    ctl_faults_add(&caller->load->faults, err);
  }
}

/* ---- calls ------------------------------------------------------------- */

int ctl_load_call(const ctl_session *session, mcp_client *client,
                  const mcp_request_options *options, mcp_done_cb on_done,
                  void *userdata) {
  const ctl_options *given = session->options;
  return given->arg_count > 0
             ? mcp_client_call_tool(client, given->args[0], session->arguments,
                                    options, on_done, userdata, NULL)
             : mcp_client_ping(client, options, on_done, userdata, NULL);
}

/* Whether a call that begins now counts. Begins the measurement when the
 * warm-up is over. */
static int is_counted(ctl_load *load, int64_t now_ns) {
  if (load->began_ns == 0 && load->warming == 0 && now_ns >= load->warm_ns) {
    load->began_ns = now_ns;
  }
  return load->began_ns != 0;
}

static void on_answer(mcp_client *client, const mcp_outcome *outcome,
                      void *userdata);

static void caller_call(ctl_load_caller *caller) {
  ctl_load *load = caller->load;
  const mcp_request_options options = {
      .size = sizeof(mcp_request_options),
      .timeout_ms = load->session->options->timeout_ms,
      .max_ms = load->session->options->max_time_ms,
  };
  if (load->is_ending) {
    return;
  }
  caller->began_ns = ctl_now_ns();
  caller->is_measured = is_counted(load, caller->began_ns);
  int error =
      ctl_load_call(load->session, caller->client, &options, on_answer, caller);
  if (error == 0) {
    load->under_way++;
  } else {
    pause_caller(caller); /* the connection is closing */
  }
}

static void note_success(ctl_load_caller *caller, int64_t now_ns) {
  if (caller->is_measured) {
    ctl_histogram_add(&caller->load->latencies,
                      (uint64_t)(now_ns - caller->began_ns));
  }
}

static void note_tool_error(const ctl_load_caller *caller,
                            const mcp_result *result) {
  const char *text = mcp_result_text(result);
  mcp_error err;
  mcp_error_set(&err, 0, "%s", text != NULL ? text : "it has no text");
  count_failure(caller, &err);
}

static int was_answered(const mcp_outcome *outcome) {
  return outcome->status == 0 || outcome->status == MCP_ERR_REMOTE ||
         ctl_fault_is_http(outcome->error);
}

static void on_answer(mcp_client *client, const mcp_outcome *outcome,
                      void *userdata) {
  ctl_load_caller *caller = userdata;
  ctl_load *load = caller->load;
  int64_t now_ns = ctl_now_ns();
  (void)client;
  load->under_way--;
  if (caller->is_measured && was_answered(outcome)) {
    load->last_answer_ns = now_ns;
  }
  if (outcome->status != 0) {
    count_failure(caller, outcome->error);
  } else if (mcp_result_is_failure(outcome->result)) {
    note_tool_error(caller, outcome->result);
  } else {
    note_success(caller, now_ns);
  }
  /* After a timeout the server may still be running. */
  if (was_answered(outcome) || outcome->status == MCP_ERR_TIMEOUT) {
    caller->failures = 0;
    end_warming(caller);
    caller_call(caller);
  } else {
    pause_caller(caller);
  }
}

/* ---- connections ------------------------------------------------------- */

static void caller_on_closed(mcp_client *client, const mcp_error *err,
                             void *userdata) {
  ctl_load_caller *caller = userdata;
  (void)client;
  (void)err;
  caller->is_open = 0;
  caller->load->open--;
}

static void on_connected(mcp_client *client, const mcp_outcome *outcome,
                         void *userdata) {
  ctl_load_caller *caller = userdata;
  if (outcome->status == 0) {
    caller_call(caller);
    return;
  }
  count_failure(caller, outcome->error);
  mcp_client_close(client);
  pause_caller(caller);
}

/* The client has no handlers for questions, and its capabilities say so to the
 * server. */
static mcp_client *caller_make_client(ctl_load_caller *caller) {
  const ctl_session *session = caller->load->session;
  const mcp_client_options options = {
      .size = sizeof(mcp_client_options),
      .policy = session->options->policy,
      .revision = session->options->revision,
      .verdict = mcp_client_verdict(session->client),
      .connect_timeout_ms = session->options->connect_timeout_ms,
      .userdata = caller,
      .on_closed = caller_on_closed,
  };
  return mcp_client_new(session->loop, "mcpctl", mcp_version(), &options, NULL);
}

static int start_client(ctl_load_caller *caller, mcp_error *err) {
  ctl_session *session = caller->load->session;
  const ctl_watch watch = {.on_stderr = ctl_listen_stderr,
                           .userdata = session,
                           .skip_stream = 1,
                           .auth = ctl_login_auth(session->login)};
  caller->client = caller_make_client(caller);
  if (caller->client == NULL) {
    return mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
  }
  return ctl_connect(caller->client, session->options, &watch, on_connected,
                     caller, err);
}

static void connect_caller(ctl_load_caller *caller) {
  ctl_load *load = caller->load;
  mcp_error err;
  caller->is_measured = is_counted(load, ctl_now_ns());
  if (start_client(caller, &err) == 0) {
    caller->is_open = 1;
    load->open++;
    return;
  }
  count_failure(caller, &err);
  pause_caller(caller);
}

/* Calls again after a pause, on a new connection if the old one has closed. */
static void resume_caller(ctl_load_caller *caller) {
  caller->due_ns = 0;
  caller->load->pausing--;
  if (caller->is_open) {
    caller_call(caller);
    return;
  }
  mcp_client_free(caller->client);
  caller->client = NULL;
  connect_caller(caller);
}

/* ---- all of them ------------------------------------------------------- */

int ctl_load_start(ctl_load *load, ctl_session *session, size_t count,
                   int64_t warm_ns) {
  load->callers = calloc(count, sizeof(*load->callers));
  if (load->callers == NULL) {
    return MCP_ERR_NOMEM;
  }
  load->session = session;
  load->count = count;
  load->warming = count;
  load->warm_ns = ctl_now_ns() + warm_ns;
  for (size_t i = 0; i < count; i++) {
    load->callers[i].load = load;
    connect_caller(&load->callers[i]);
  }
  return 0;
}

/* Ends the pauses that are over. Returns the end of the next pause, but at most
 * `until_ns`. */
static int64_t end_pauses(ctl_load *load, int64_t until_ns) {
  int64_t now_ns = ctl_now_ns();
  for (size_t i = 0; load->pausing > 0 && i < load->count; i++) {
    ctl_load_caller *caller = &load->callers[i];
    if (caller->due_ns != 0 && caller->due_ns <= now_ns) {
      resume_caller(caller);
    }
    if (caller->due_ns != 0 && caller->due_ns < until_ns) {
      until_ns = caller->due_ns;
    }
  }
  return until_ns;
}

void ctl_load_turn(ctl_load *load, int64_t until_ns) {
  mcp_loop_step(load->session->loop);
  int64_t left_ns = end_pauses(load, until_ns) - ctl_now_ns();
  if (left_ns > 0) {
    ctl_wait(load->session->loop, -1,
             (int)((left_ns + NS_PER_MS - 1) / NS_PER_MS));
  }
}

void ctl_load_stop(ctl_load *load) {
  load->is_ending = 1;
  for (size_t i = 0; i < load->count; i++) {
    mcp_client_close(load->callers[i].client);
  }
  while (load->open > 0) {
    mcp_loop_step(load->session->loop);
    if (load->open > 0) {
      ctl_wait(load->session->loop, -1, -1);
    }
  }
  for (size_t i = 0; i < load->count; i++) {
    mcp_client_free(load->callers[i].client);
  }
  free(load->callers);
}
