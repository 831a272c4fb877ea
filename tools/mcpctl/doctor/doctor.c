/* SPDX-License-Identifier: MIT */
/* The run of `doctor`: one connection after another, each in a revision. A
 * command is started anew for each of them. */
#include "doctor/doctor.h"
#include "common/exit.h"
#include "common/json.h"
#include "common/redactor.h"
#include "common/report.h"
#include "doctor/checks.h"
#include "doctor/http.h"
#include "line/target.h"
#include "platform/children.h"
#include "platform/clock.h"
#include "platform/interrupt.h"

#include <errno.h>
#include <mcp/version.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Seconds, unless --timeout and --max-time say otherwise. */
enum { ANSWER_S = 10, TOOL_S = 20, ALL_S = 600, SLOW_S = 5 };
/* More findings of a rule are only counted, and longer ones are cut. */
enum { MAX_OF_A_RULE = 5, MAX_SEEN = 600 };

#define NS_PER_MS INT64_C(1000000)

/* What is known after the connections so far. */
typedef struct course {
  ctl_doctor *doctor;
  const char *wire;
  int64_t start_ns; /* how long the first answer took; 0: no answer came */
  int has_failed;   /* a connection without an answer: others would wait, too */
  int has_examined; /* a revision with initialize */
  int is_closed;    /* over HTTP: it answered 401, or not at all */
  int is_web;       /* Streamable HTTP */
  int is_sse;       /* HTTP+SSE */
} course;

/* ---- findings ---------------------------------------------------------- */

int ctl_doctor_expect(ctl_doctor *doctor, int rule, int holds,
                      const char *format, ...) {
  char seen[MAX_SEEN];
  va_list args;
  if (ctl_doctor_must_end(doctor)) {
    return holds; /* a wait that was cut short proves nothing */
  }
  doctor->report.checks[ctl_doctor_rules[rule].group]++;
  if (!holds) {
    va_start(args, format);
    vsnprintf(seen, sizeof(seen), format, args);
    va_end(args);
    ctl_doctor_add(&doctor->report, rule, seen, MAX_OF_A_RULE);
  }
  return holds;
}

int ctl_doctor_must_end(const ctl_doctor *doctor) {
  return ctl_interrupt_has_come() || ctl_now_ns() > doctor->end_ns;
}

/* ---- the handshake ----------------------------------------------------- */

static void keep_name(ctl_doctor_report *report, const mcp_json *info) {
  const char *name = ctl_json_member(info, "name");
  const char *version = ctl_json_member(info, "version");
  if (report->name == NULL && name != NULL) {
    report->name = strdup(name);
    report->version = version != NULL ? strdup(version) : NULL;
  }
}

static void decline(ctl_doctor *doctor, const char *before, const char *what) {
  char detail[300];
  snprintf(detail, sizeof(detail), "%s%s", before, what);
  ctl_doctor_set_state(&doctor->report, CTL_DOCTOR_DECLINED, detail);
}

static void check_initialize_result(ctl_doctor *doctor,
                                    const mcp_json *result) {
  static const struct {
    const char *path;
    int type;
  } members[] = {{"/protocolVersion", MCP_JSON_STRING},
                 {"/capabilities", MCP_JSON_OBJECT},
                 {"/serverInfo/name", MCP_JSON_STRING},
                 {"/serverInfo/version", MCP_JSON_STRING}};
  for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++) {
    const mcp_json *value = mcp_json_pointer(result, members[i].path);
    ctl_doctor_expect(doctor, CTL_RULE_HANDSHAKE_RESULT,
                      value != NULL && mcp_json_type(value) == members[i].type,
                      "in the result of initialize, %s is %s", members[i].path,
                      ctl_doctor_quote(value));
  }
  keep_name(&doctor->report, mcp_json_get(result, "serverInfo"));
}

/* Whether the server speaks the revision. */
static int judge_initialize(ctl_doctor *doctor, const char *revision,
                            const mcp_json *answer) {
  const mcp_json *result = ctl_doctor_result(answer);
  const char *offered = ctl_json_member(result, "protocolVersion");
  if (result == NULL) {
    decline(doctor, "refuses: ", ctl_doctor_words(answer));
    return 0;
  }
  check_initialize_result(doctor, result);
  if (offered != NULL && strcmp(offered, revision) == 0) {
    ctl_doctor_expect(doctor, CTL_RULE_VERSION_OFFER, 1, "ok");
    ctl_doctor_set_state(&doctor->report, CTL_DOCTOR_WORKS, NULL);
    return 1;
  }
  ctl_doctor_expect(
      doctor, CTL_RULE_VERSION_OFFER,
      offered != NULL && mcp_revision_era(offered) == MCP_ERA_LEGACY,
      "initialize with the revision %s got the revision %s", revision,
      ctl_doctor_quote(mcp_json_get(result, "protocolVersion")));
  decline(doctor, "offers ", offered != NULL ? offered : "no revision");
  return 0;
}

static int lists_revision(const mcp_json *result, const char *revision) {
  mcp_json_iter iter;
  const mcp_json *one = NULL;
  mcp_json_iter_init(&iter, mcp_json_get(result, "supportedVersions"));
  while ((one = mcp_json_iter_next(&iter, NULL)) != NULL) {
    const char *name = mcp_json_string(one);
    if (name != NULL && strcmp(name, revision) == 0) {
      return 1;
    }
  }
  return 0;
}

static int judge_discover(ctl_doctor_talk *talk, const mcp_json *answer) {
  ctl_doctor *doctor = talk->doctor;
  const mcp_json *result = ctl_doctor_result(answer);
  const mcp_json *versions = mcp_json_get(result, "supportedVersions");
  if (result == NULL) {
    decline(doctor, "refuses: ", ctl_doctor_words(answer));
    return 0;
  }
  ctl_doctor_expect(doctor, CTL_RULE_RESULT_TYPE,
                    ctl_json_member(result, "resultType") != NULL,
                    "the result of server/discover has no resultType");
  ctl_doctor_check_cache(talk, result, "server/discover");
  if (ctl_doctor_expect(doctor, CTL_RULE_DISCOVER_RESULT,
                        mcp_json_type(versions) == MCP_JSON_ARRAY &&
                            mcp_json_type(mcp_json_get(
                                result, "capabilities")) == MCP_JSON_OBJECT,
                        "the result is %s", ctl_doctor_quote(result))) {
    ctl_doctor_expect(doctor, CTL_RULE_DISCOVER_VERSIONS,
                      lists_revision(result, talk->revision),
                      "supportedVersions is %s", ctl_doctor_quote(versions));
  }
  keep_name(
      &doctor->report,
      mcp_json_pointer(result, "/_meta/io.modelcontextprotocol~1serverInfo"));
  ctl_doctor_set_state(&doctor->report, CTL_DOCTOR_WORKS, NULL);
  return 1;
}

/* ---- one connection ---------------------------------------------------- */

static void examine_all(ctl_doctor_talk *talk, const ctl_doctor_lists *lists,
                        const course *self) {
  ctl_doctor_check_messages(talk);
  ctl_doctor_check_cursors(talk);
  ctl_doctor_check_tools(talk, &lists->list[CTL_DOCTOR_LIST_TOOLS]);
  ctl_doctor_check_prompts(talk, &lists->list[CTL_DOCTOR_LIST_PROMPTS]);
  ctl_doctor_check_resources(talk, &lists->list[CTL_DOCTOR_LIST_RESOURCES],
                             &lists->list[CTL_DOCTOR_LIST_TEMPLATES]);
  if (ctl_doctor_must_end(talk->doctor)) {
    return;
  }
  if (self->is_web) {
    ctl_doctor_check_http(talk->doctor, talk->revision, talk->is_modern);
  } else if (self->is_sse) {
    ctl_doctor_check_sse(talk->doctor);
  }
}

/* All is checked in the newest revision with initialize that the server speaks,
 * and in 2026-07-28; in the others only what may differ. */
static void examine(course *self, ctl_doctor_talk *talk) {
  ctl_doctor_lists lists;
  int is_whole = talk->is_modern || !self->has_examined;
  self->has_examined = self->has_examined || !talk->is_modern;
  ctl_doctor_talk_accept(talk);
  ctl_doctor_check_basics(talk);
  ctl_doctor_lists_get(&lists, talk);
  if (is_whole) {
    examine_all(talk, &lists, self);
  }
  ctl_doctor_check_batch(talk);
  ctl_doctor_lists_deinit(&lists);
}

static void note_start(course *self, const ctl_doctor_talk *talk) {
  double seconds = (double)talk->first_ns / 1e9;
  if (self->start_ns == 0) {
    self->start_ns = talk->first_ns;
    ctl_doctor_expect(self->doctor, CTL_RULE_START_SLOW, seconds <= SLOW_S,
                      "the first answer came after %.1f s", seconds);
  }
}

/* The last line that the server has written to its standard error. */
static void last_line(const ctl_tail *tail, char *out, size_t size) {
  size_t end = tail->len;
  while (end > 0 && (tail->bytes[end - 1] == '\n')) {
    end--;
  }
  size_t at = end;
  while (at > 0 && tail->bytes[at - 1] != '\n') {
    at--;
  }
  snprintf(out, size, "%.*s", (int)(end - at), tail->bytes + at);
}

/* There was no answer. */
static void note_silence(course *self, const ctl_doctor_talk *talk) {
  char line[200];
  char detail[600];
  last_line(&talk->tail, line, sizeof(line));
  snprintf(detail, sizeof(detail), "%s%s%s", talk->why.message,
           line[0] != '\0' ? "; its last words: " : "", line);
  ctl_doctor_set_state(&self->doctor->report,
                       talk->is_made ? CTL_DOCTOR_DECLINED : CTL_DOCTOR_FAILED,
                       detail);
  if (talk->is_modern && talk->is_process && self->start_ns != 0) {
    ctl_doctor_expect(self->doctor,
                      talk->is_closed ? CTL_RULE_PROBE_ENDS
                                      : CTL_RULE_PROBE_SILENT,
                      0, "server/discover: %s", talk->why.message);
  }
  self->has_failed = self->has_failed || !talk->is_made || self->is_closed;
}

static void connect_in(course *self, const char *revision) {
  ctl_doctor *doctor = self->doctor;
  int is_modern = mcp_revision_era(revision) == MCP_ERA_MODERN;
  uint32_t whole_ms = doctor->first_ms;
  ctl_doctor_talk talk = {.doctor = doctor,
                          .revision = revision,
                          .is_modern = is_modern,
                          .is_process = doctor->options->url == NULL,
                          .is_lines = doctor->options->url == NULL ||
                                      doctor->options->socket != NULL};
  if (is_modern &&
      (self->start_ns != 0 || doctor->report.connection_count > 0)) {
    /* By now it is known how long a start takes, or that it takes too long. */
    doctor->first_ms =
        doctor->answer_ms + 2 * (uint32_t)(self->start_ns / NS_PER_MS);
  }
  ctl_doctor_begin(&doctor->report, self->wire, revision);
  const mcp_json *answer = ctl_doctor_talk_open(&talk);
  if (answer == NULL) {
    note_silence(self, &talk);
  } else {
    note_start(self, &talk);
    if (is_modern ? judge_discover(&talk, answer)
                  : judge_initialize(doctor, revision, answer)) {
      examine(self, &talk);
    }
  }
  ctl_doctor_talk_close(&talk);
  doctor->first_ms = whole_ms;
}

/* ---- all connections --------------------------------------------------- */

static int is_wanted(const ctl_options *options, const char *revision) {
  uint32_t era = mcp_revision_era(revision);
  if (options->revision != NULL) {
    return strcmp(options->revision, revision) == 0;
  }
  return options->policy == MCP_POLICY_AUTO ||
         (options->policy == MCP_POLICY_LEGACY) == (era == MCP_ERA_LEGACY);
}

/* Newest first, and 2026-07-28 last: it says most of a server that was seen to
 * work. */
static void connect_in_each(course *self, uint32_t era) {
  const ctl_doctor *doctor = self->doctor;
  size_t count = 0;
  while (mcp_revision_name(count) != NULL) {
    count++;
  }
  while (count-- > 0) {
    const char *revision = mcp_revision_name(count);
    if (mcp_revision_era(revision) == era &&
        is_wanted(doctor->options, revision) && !self->has_failed &&
        !ctl_doctor_must_end(doctor)) {
      connect_in(self, revision);
    }
  }
}

static const char *wire_name(const ctl_options *options) {
  if (options->url == NULL) {
    return "stdio";
  }
  if (options->socket != NULL) {
    return "socket";
  }
  if (strncmp(options->url, "ws", 2) == 0) {
    return "WebSocket";
  }
  return ctl_target_web(options->url) != options->url ? "HTTP+SSE"
                                                      : "Streamable HTTP";
}

/* A server without any connection that works. */
static void check_start(ctl_doctor *doctor) {
  const ctl_doctor_report *report = &doctor->report;
  int works = ctl_doctor_has_worked(report);
  const char *detail =
      report->connection_count > 0 ? report->connections[0].detail : NULL;
  ctl_doctor_expect(doctor, CTL_RULE_START_FAILS, works, "%s",
                    detail != NULL ? detail : "no revision works");
}

static void examine_wire(course *self) {
  self->wire = wire_name(self->doctor->options);
  self->is_web = strncmp(self->wire, "Streamable", 10) == 0 &&
                 !self->doctor->options->is_plain;
  self->is_sse = strcmp(self->wire, "HTTP+SSE") == 0;
  connect_in_each(self, MCP_ERA_LEGACY);
  self->has_failed = self->is_closed && self->start_ns == 0;
  if (!self->is_sse) {
    connect_in_each(self, MCP_ERA_MODERN);
  }
}

/* A URL of HTTP may be one of HTTP+SSE, which only the old revision has. */
static void examine_sse(course *self) {
  ctl_doctor *doctor = self->doctor;
  const ctl_options *given = doctor->options;
  ctl_options options = *given;
  char *url = NULL;
  if (asprintf(&url, "sse+%s", given->url) >= 0) {
    options.url = url;
    doctor->options = &options;
    examine_wire(self);
    doctor->options = given;
    free(url);
  }
}

/* Returns whether the server wants credentials that mcpctl does not have. */
static int examine_server(ctl_doctor *doctor) {
  course self = {.doctor = doctor};
  ctl_doctor_http_first first = {0};
  const ctl_options *options = doctor->options;
  if (options->url != NULL && options->socket == NULL && !options->is_plain &&
      strncmp(ctl_target_web(options->url), "http", 4) == 0) {
    ctl_doctor_http_begin(doctor, &first);
    self.is_closed = first.status == 401 || first.status == 0;
  }
  if (first.speaks_sse && ctl_target_web(options->url) == options->url) {
    examine_sse(&self);
  } else {
    examine_wire(&self);
  }
  int is_locked =
      first.status == 401 && !ctl_doctor_has_worked(&doctor->report);
  if (!is_locked) {
    check_start(doctor);
  }
  if (first.status == 200 && !ctl_doctor_has_worked(&doctor->report) &&
      !ctl_doctor_must_end(doctor)) {
    ctl_doctor_check_http(doctor, "2025-11-25", 0);
  }
  return is_locked;
}

/* ---- the verb ---------------------------------------------------------- */

static int exit_code(const ctl_doctor *doctor, int is_locked) {
  if (ctl_interrupt_has_come()) {
    return CTL_INTERRUPTED;
  }
  if (is_locked) {
    return CTL_AUTHORIZATION;
  }
  if (ctl_now_ns() > doctor->end_ns) {
    return ctl_report(CTL_TIMEOUT, "the time is over, and some checks were "
                                   "left out: --max-time sets this limit");
  }
  if (!ctl_doctor_has_worked(&doctor->report)) {
    return CTL_FAILED;
  }
  return ctl_doctor_count(&doctor->report, CTL_DOCTOR_FAULT) > 0 ? CTL_FAULTY
                                                                 : CTL_OK;
}

static int doctor_open_trace(ctl_doctor *doctor) {
  mcp_error err = {0};
  int code = ctl_trace_open(&doctor->trace, doctor->options);
  if (code == CTL_OK && ctl_trace_is_on(&doctor->trace)) {
    doctor->redactor = ctl_redactor_new(doctor->loop, &err);
    code = doctor->redactor != NULL ? CTL_OK
                                    : ctl_report(CTL_USAGE, "%s", err.message);
  }
  return code;
}

static int doctor_with_loop(ctl_doctor *doctor) {
  const ctl_options *options = doctor->options;
  int code = doctor_open_trace(doctor);
  if (code == CTL_OK) {
    int is_locked = examine_server(doctor);
    code = options->is_json
               ? ctl_doctor_print_json(&doctor->report, options->target)
               : ctl_doctor_print_text(&doctor->report, options->target);
    code = code == CTL_OK ? exit_code(doctor, is_locked) : code;
  }
  ctl_doctor_report_deinit(&doctor->report);
  free(doctor->moved);
  ctl_redactor_free(doctor->redactor);
  int trace_code = ctl_trace_close(&doctor->trace);
  return code == CTL_OK ? trace_code : code;
}

/* Each word is TOOL or TOOL=ARGUMENTS. */
static int check_words(const ctl_options *options) {
  for (int i = 0; i < options->arg_count; i++) {
    const char *equals = strchr(options->args[i], '=');
    const char *json = equals != NULL ? equals + 1 : "{}";
    mcp_error err = {0};
    mcp_doc *doc = mcp_doc_parse(json, strlen(json), NULL, NULL, &err);
    int is_object = mcp_json_type(mcp_doc_root(doc)) == MCP_JSON_OBJECT;
    mcp_doc_free(doc);
    if (!is_object) {
      return ctl_report(CTL_USAGE,
                        "%s: write the tool's arguments as a JSON object, as "
                        "in 'add={\"a\":2}'",
                        options->args[i]);
    }
  }
  return CTL_OK;
}

int ctl_doctor_run(const ctl_options *options) {
  uint32_t all_ms =
      options->max_time_ms > 0 ? options->max_time_ms : (uint32_t)ALL_S * 1000;
  uint32_t given_ms = options->connect_timeout_ms; /* 0: no --timeout */
  mcp_error err = {0};
  ctl_doctor doctor = {
      .options = options,
      .first_ms = options->timeout_ms,
      .tool_ms = given_ms > 0 ? given_ms : (uint32_t)TOOL_S * 1000,
      .answer_ms = given_ms > 0 ? given_ms : (uint32_t)ANSWER_S * 1000,
      .end_ns = ctl_now_ns() + all_ms * NS_PER_MS};
  int code = check_words(options);
  if (code != CTL_OK) {
    return code;
  }
  if (ctl_interrupt_setup() != 0) {
    return ctl_report(CTL_USAGE, "cannot start: %s", strerror(errno));
  }
  doctor.loop = mcp_loop_new(NULL, &err);
  if (doctor.loop == NULL) {
    return ctl_report(CTL_USAGE, "cannot start: %s", err.message);
  }
  /* What a server leaves behind becomes a child of mcpctl, and is seen. */
  ctl_children_adopt();
  code = doctor_with_loop(&doctor);
  mcp_loop_free(doctor.loop);
  return code;
}
