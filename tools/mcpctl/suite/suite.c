/* SPDX-License-Identifier: MIT */
#include "suite/suite.h"
#include "common/exit.h"
#include "common/file.h"
#include "common/json.h"
#include "common/report.h"
#include "connection/failure.h"
#include "connection/session.h"
#include "connection/settle.h"
#include "platform/files.h"
#include "platform/interrupt.h"
#include "suite/file.h"
#include "suite/judge.h"
#include "suite/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The files, and the test that runs. */
typedef struct run {
  const ctl_options *options;
  ctl_suite *suites; /* one for each word of the command line; owned */
  size_t count;
  size_t number; /* of the last test; tests count from 1 */
  FILE *junit;   /* NULL: none */
  ctl_session *session;
  const mcp_json *test;
  char *arguments; /* JSON text; NULL: none */
  char *ended;     /* why the server answers no longer, owned; NULL: it does */
} run;

/* ---- files ------------------------------------------------------------- */

static int suite_read(ctl_suite *suite, const char *path) {
  mcp_error err = {0};
  size_t len = 0;
  char *text = ctl_file_read(path, &len, &err);
  if (text == NULL) {
    return ctl_report(CTL_USAGE, "%s", err.message);
  }
  suite->path = ctl_file_name(path);
  int rc = ctl_suite_parse(&suite->doc, text, len, &err);
  free(text);
  if (rc != 0) {
    return ctl_report(CTL_USAGE, "%s: %s", suite->path, err.message);
  }
  suite->tests = mcp_json_get(mcp_doc_root(suite->doc), "tests");
  suite->verdicts =
      calloc(mcp_json_size(suite->tests), sizeof(*suite->verdicts));
  if (suite->verdicts == NULL) {
    return ctl_report(CTL_USAGE, "out of memory");
  }
  suite->count = mcp_json_size(suite->tests);
  return CTL_OK;
}

static void suite_deinit(ctl_suite *suite) {
  for (size_t i = 0; i < suite->count; i++) {
    free(suite->verdicts[i].title);
    free(suite->verdicts[i].message);
    free(suite->verdicts[i].pointer);
    free(suite->verdicts[i].expected);
    free(suite->verdicts[i].got);
  }
  free(suite->verdicts);
  mcp_doc_free(suite->doc);
}

/* The server need not start if a file is wrong. */
static int read_suites(run *self) {
  int code = CTL_OK;
  self->suites = calloc(self->count, sizeof(*self->suites));
  if (self->suites == NULL) {
    self->count = 0;
    return ctl_report(CTL_USAGE, "out of memory");
  }
  for (size_t i = 0; code == CTL_OK && i < self->count; i++) {
    code = suite_read(&self->suites[i], self->options->args[i]);
  }
  return code;
}

/* ---- requests ---------------------------------------------------------- */

static const char *asked(const mcp_json *test) {
  return ctl_json_member(test, ctl_suite_request_name(ctl_suite_request(test)));
}

/* A ctl_starter; the session's userdata is the run. */
static int start_request(ctl_session *session,
                         const mcp_request_options *options) {
  const run *self = session->event_userdata;
  const char *name = asked(self->test);
  mcp_client *client = session->client;
  mcp_error *err = &session->error;
  switch (ctl_suite_request(self->test)) {
  case CTL_ASK_CALL:
    return mcp_client_call_tool(client, name, self->arguments, options,
                                ctl_session_done, session, err);
  case CTL_ASK_READ:
    return mcp_client_read_resource(client, name, options, ctl_session_done,
                                    session, err);
  case CTL_ASK_PROMPT:
    return mcp_client_get_prompt(client, name, self->arguments, options,
                                 ctl_session_done, session, err);
  case CTL_ASK_TOOLS:
    return mcp_client_list_tools(client, options, ctl_session_done, session,
                                 err);
  case CTL_ASK_RESOURCES:
    return mcp_client_list_resources(client, options, ctl_session_done, session,
                                     err);
  case CTL_ASK_TEMPLATES:
    return mcp_client_list_resource_templates(client, options, ctl_session_done,
                                              session, err);
  case CTL_ASK_PROMPTS:
    return mcp_client_list_prompts(client, options, ctl_session_done, session,
                                   err);
  default:
    return mcp_client_request(client, name, self->arguments, options,
                              ctl_session_done, session, err);
  }
}

/* `arguments` or `params` as text. Owned; NULL: there are none, or out of
 * memory. */
static char *arguments_of(const mcp_json *test) {
  const mcp_json *arguments = mcp_json_get(test, "arguments");
  arguments = arguments != NULL ? arguments : mcp_json_get(test, "params");
  return arguments != NULL ? ctl_json_text(arguments) : NULL;
}

/* Reports why the server answers no longer, when it has ended: by then it has
 * written the reason. The other tests fail for the same. */
static void note_end(run *self) {
  ctl_report_forget();
  ctl_session_end(self->session);
  ctl_failure_report(self->session);
  const char *why = ctl_report_error();
  self->ended = strdup(why != NULL ? why : "the connection has ended");
}

static void run_request(run *self, ctl_verdict *verdict) {
  ctl_session *session = self->session;
  session->has_given_up = 0;
  session->is_unanswered = 0;
  self->arguments = arguments_of(self->test);
  ctl_session_request(session, start_request);
  free(self->arguments);
  self->arguments = NULL;
  verdict->took_ns = session->took_ns;
  if (ctl_interrupt_has_come() || session->status == MCP_ERR_CLOSED) {
    note_end(self);
  } else {
    ctl_suite_judge(session, self->test, verdict);
  }
}

/* ---- tests ------------------------------------------------------------- */

/* The name of a test, or else what it asks. Owned; NULL: out of memory. */
static char *title_of(const mcp_json *test) {
  const char *name = ctl_json_member(test, "name");
  const char *request = ctl_suite_request_name(ctl_suite_request(test));
  const char *what = asked(test);
  char *title = NULL;
  if (name != NULL) {
    return strdup(name);
  }
  if (asprintf(&title, "%s%s%s", request, what != NULL ? " " : "",
               what != NULL ? what : "") < 0) {
    return NULL;
  }
  return title;
}

static void run_test(run *self, const mcp_json *test, ctl_verdict *verdict) {
  verdict->title = title_of(test);
  verdict->skip = ctl_json_member(test, "skip");
  self->test = test;
  self->number++;
  if (verdict->skip == NULL && self->ended == NULL) {
    run_request(self, verdict);
  }
  if (verdict->skip == NULL && self->ended != NULL) {
    ctl_suite_fail(verdict, "%s", self->ended);
  }
  if (self->junit != stdout) {
    ctl_tap_put(self->number, verdict);
  }
}

/* Connects. Returns CTL_OK, or an exit code after a report. */
static int suite_open(run *self) {
  if (ctl_interrupt_has_come()) {
    self->ended = strdup("interrupted");
    return CTL_INTERRUPTED;
  }
  ctl_report_forget();
  int code = ctl_session_open(self->session, self->options);
  if (code == CTL_OK && ctl_settle(self->session) != 0) {
    code = ctl_failure_report(self->session);
  }
  if (code != CTL_OK) {
    const char *why = ctl_report_error();
    self->ended = strdup(why != NULL ? why : "cannot connect");
  }
  return code;
}

/* Returns CTL_OK, CTL_TEST_FAILED, or why the server could not be tested. */
static int suite_run(run *self, ctl_suite *suite) {
  ctl_session session = {.event_userdata = self, .skips_cache = 1};
  mcp_json_iter iter;
  int failed = 0;
  self->session = &session;
  if (self->count > 1 && self->junit != stdout) {
    ctl_tap_put_file(suite->path);
  }
  int code = suite_open(self);
  mcp_json_iter_init(&iter, suite->tests);
  for (size_t i = 0; i < suite->count; i++) {
    run_test(self, mcp_json_iter_next(&iter, NULL), &suite->verdicts[i]);
    failed += suite->verdicts[i].message != NULL;
  }
  ctl_session_close(&session);
  self->session = NULL;
  free(self->ended);
  self->ended = NULL;
  if (ctl_interrupt_has_come()) {
    return CTL_INTERRUPTED;
  }
  return code == CTL_OK && failed > 0 ? CTL_TEST_FAILED : code;
}

/* A failed test counts less than a server that could not be tested. */
static int run_all(run *self) {
  size_t tests = 0;
  int code = CTL_OK;
  for (size_t i = 0; i < self->count; i++) {
    tests += self->suites[i].count;
  }
  if (self->junit != stdout) {
    ctl_tap_begin(tests);
  }
  for (size_t i = 0; i < self->count; i++) {
    int one = suite_run(self, &self->suites[i]);
    if (one != CTL_OK && (code == CTL_OK || code == CTL_TEST_FAILED)) {
      code = one;
    }
  }
  if (self->junit != stdout) {
    ctl_tap_end(self->suites, self->count);
  }
  return code;
}

/* ---- JUnit ------------------------------------------------------------- */

static int junit_open(run *self) {
  const char *path = self->options->junit;
  if (path == NULL) {
    return CTL_OK;
  }
  self->junit = strcmp(path, "-") == 0 ? stdout : ctl_stream_to_write(path);
  return self->junit != NULL ? CTL_OK
                             : ctl_report(CTL_USAGE, "cannot write %s: %s",
                                          path, strerror(errno));
}

static int junit_close(run *self) {
  FILE *out = self->junit;
  if (out == NULL) {
    return CTL_OK;
  }
  ctl_junit_write(out, self->suites, self->count);
  if (out == stdout) {
    return CTL_OK; /* main checks for errors */
  }
  int is_written = !ferror(out);
  if (fclose(out) != 0 || !is_written) {
    return ctl_report(CTL_USAGE, "cannot write %s: %s", self->options->junit,
                      strerror(errno));
  }
  return CTL_OK;
}

int ctl_suite_run(const ctl_options *options) {
  run self = {.options = options, .count = (size_t)options->arg_count};
  int code = read_suites(&self);
  code = code == CTL_OK ? junit_open(&self) : code;
  if (code == CTL_OK) {
    code = run_all(&self);
    int junit_code = junit_close(&self);
    code = code == CTL_OK || code == CTL_TEST_FAILED
               ? (junit_code != CTL_OK ? junit_code : code)
               : code;
  }
  for (size_t i = 0; i < self.count; i++) {
    suite_deinit(&self.suites[i]);
  }
  free(self.suites);
  return code;
}
