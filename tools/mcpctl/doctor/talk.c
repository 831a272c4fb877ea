/* SPDX-License-Identifier: MIT */
/* One request is asked at a time, and other messages are looked at as they
 * come. A server that does not answer a request, or ends, is connected again,
 * so that later checks are not in vain. */
#include "doctor/talk.h"
#include "common/copy.h"
#include "common/envelope.h"
#include "common/interrupt.h"
#include "common/json.h"
#include "common/redactor.h"
#include "common/report.h"
#include "common/term.h"
#include "common/text.h"
#include "common/wait.h"

#include <errno.h>
#include <inttypes.h>
#include <mcp/error.h>
#include <mcp/version.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

/* A server that must be connected again so often is left alone. */
enum { MAX_REOPENED = 6, TAIL_SIZE = 400, WORDS_SIZE = 240, MS = 1000000 };

/* ---- words ------------------------------------------------------------- */

/* A copy of the text, cut with an ellipsis. Two are valid at a time. */
static const char *cut_words(const char *text, size_t len) {
  static char kept[2][WORDS_SIZE + 4];
  static int which;
  char *words = kept[which ^= 1];
  size_t used = len < WORDS_SIZE ? len : WORDS_SIZE;
  while (used < len && used > 0 && ((unsigned char)text[used] & 0xc0) == 0x80) {
    used--; /* not in the middle of a character */
  }
  memcpy(words, text, used);
  strcpy(words + used, used < len ? "..." : "");
  return words;
}

const char *ctl_doctor_quote(const mcp_json *value) {
  char *text = value != NULL ? ctl_json_text(value) : NULL;
  const char *words = text != NULL ? cut_words(text, strlen(text)) : "nothing";
  free(text);
  return words;
}

const mcp_json *ctl_doctor_result(const mcp_json *answer) {
  return mcp_json_get(answer, "result");
}

int64_t ctl_doctor_code(const mcp_json *answer) {
  return mcp_json_int(mcp_json_pointer(answer, "/error/code"));
}

const char *ctl_doctor_words(const mcp_json *answer) {
  const mcp_json *error = mcp_json_get(answer, "error");
  const char *message = ctl_json_member(error, "message");
  char *text = NULL;
  if (error == NULL) {
    return ctl_doctor_quote(ctl_doctor_result(answer));
  }
  if (asprintf(&text, "error %" PRId64 ": %s", ctl_doctor_code(answer),
               message != NULL ? message : "(no message)") < 0) {
    return "an error";
  }
  const char *words = cut_words(text, strlen(text));
  free(text);
  return words;
}

char *ctl_doctor_params(const char *name, const char *value) {
  mcp_builder *out = mcp_builder_new(NULL, NULL);
  mcp_builder_object(out, NULL);
  mcp_builder_string(out, name, value);
  mcp_builder_end(out);
  const char *text = mcp_builder_text(out, NULL);
  char *copy = text != NULL ? strdup(text) : NULL;
  mcp_builder_free(out);
  return copy;
}

static void trace(const ctl_doctor_talk *talk, int is_sent, const char *text,
                  size_t len) {
  const ctl_doctor *doctor = talk->doctor;
  if (doctor->redactor == NULL) {
    return;
  }
  const char *shown = ctl_redact(doctor->redactor, text, len);
  if (shown == NULL && is_sent) {
    shown = text; /* a line of doctor that is not JSON */
  }
  if (shown != NULL) {
    const mcp_traced_message message = {.size = sizeof(message),
                                        .is_sent = is_sent,
                                        .text = shown,
                                        .len = strlen(shown)};
    ctl_trace_message(&doctor->trace, &message);
  }
}

/* ---- from the server --------------------------------------------------- */

/* As ctl_envelope_kind; an answer may lack its id, if it is an error. */
static int kind_of(const mcp_json *message) {
  int kind = ctl_envelope_kind(message);
  return kind == CTL_MESSAGE_OTHER && mcp_json_get(message, "error") != NULL
             ? CTL_MESSAGE_ANSWER
             : kind;
}

static int has_shape(const mcp_json *message) {
  const char *version = ctl_json_member(message, "jsonrpc");
  const mcp_json *result = mcp_json_get(message, "result");
  const mcp_json *error = mcp_json_get(message, "error");
  if (version == NULL || strcmp(version, "2.0") != 0) {
    return 0;
  }
  if (kind_of(message) != CTL_MESSAGE_ANSWER) {
    return kind_of(message) != CTL_MESSAGE_OTHER;
  }
  if (result != NULL) {
    return error == NULL && mcp_json_type(result) == MCP_JSON_OBJECT;
  }
  return mcp_json_is_integer(mcp_json_get(error, "code")) &&
         ctl_json_member(error, "message") != NULL;
}

/* Whether two ids have the same text, but one is a number. */
static int is_like(const mcp_json *a, const mcp_json *b) {
  char *one = ctl_json_text(a);
  char *other = ctl_json_text(b);
  int is_same = 0;
  if (one != NULL && other != NULL) {
    const char *plain = one + (one[0] == '"');
    const char *plain_other = other + (other[0] == '"');
    size_t len = strcspn(plain, "\"");
    is_same = len == strcspn(plain_other, "\"") &&
              strncmp(plain, plain_other, len) == 0;
  }
  free(one);
  free(other);
  return is_same;
}

static void keep_answer(ctl_doctor_talk *talk, const char *text, size_t len,
                        int is_made) {
  mcp_doc_free(talk->answer);
  talk->answer = mcp_doc_parse(text, len, NULL, NULL, NULL);
  talk->answer_len = len;
  talk->is_made = is_made;
  talk->has_answer = talk->answer != NULL;
  talk->has_told = 0;
}

/* A response that has no id: to a line that is not JSON, or to a notification;
 * or it has lost the id. */
static void on_nameless(ctl_doctor_talk *talk, const char *text, size_t len,
                        const mcp_json *message) {
  if (talk->allows_batch) {
    return; /* the array was refused */
  }
  if (talk->expects_parse_error && !talk->has_parse_error) {
    talk->has_parse_error = 1;
    ctl_doctor_expect(talk->doctor, CTL_RULE_PARSE_ERROR,
                      ctl_doctor_code(message) == MCP_RPC_PARSE_ERROR,
                      "a line that is not JSON got %s",
                      ctl_doctor_words(message));
    return;
  }
  if (talk->has_told || talk->asked == NULL) {
    ctl_doctor_expect(talk->doctor, CTL_RULE_NOTIFICATION_ANSWERED, 0,
                      "a notification got %s", ctl_doctor_words(message));
    return;
  }
  ctl_doctor_expect(talk->doctor, CTL_RULE_ID_CHANGED, 0,
                    "a request with the id %s got an answer without it: %s",
                    talk->asked, ctl_doctor_words(message));
  keep_answer(talk, text, len, 0);
}

static void on_answer(ctl_doctor_talk *talk, const char *text, size_t len,
                      const mcp_json *message, int is_made) {
  const mcp_json *id = mcp_json_get(message, "id");
  const char *name = mcp_json_string(id);
  const mcp_json *asked =
      talk->asked != NULL ? mcp_doc_root(talk->asked_id) : NULL;
  int type = mcp_json_type(id);
  if (id == NULL || type == MCP_JSON_NULL) {
    on_nameless(talk, text, len, message);
  } else if (asked != NULL && mcp_json_equal(id, asked)) {
    if (!is_made) {
      ctl_doctor_expect(talk->doctor, CTL_RULE_ID_CHANGED, 1, "ok");
    }
    keep_answer(talk, text, len, is_made);
  } else if (asked != NULL && is_like(id, asked)) {
    ctl_doctor_expect(talk->doctor, CTL_RULE_ID_CHANGED, 0,
                      "a request with the id %s got the id %s", talk->asked,
                      ctl_doctor_quote(id));
    keep_answer(talk, text, len, is_made);
  } else if (name != NULL && strcmp(name, CTL_DOCTOR_BATCH_ID) == 0) {
    talk->has_batch = ctl_doctor_result(message) != NULL;
  } /* else it is late: nobody waits for it any longer */
}

/* The client has declared nothing, so the server can only ping. */
static void on_request(ctl_doctor_talk *talk, const mcp_json *message) {
  int is_ping = ctl_envelope_is_method(message, "ping") && !talk->is_modern;
  char *id = ctl_json_text(mcp_json_get(message, "id"));
  char *text = NULL;
  ctl_doctor_expect(talk->doctor, CTL_RULE_REQUEST_UNDECLARED, is_ping,
                    "the server asked for %s, which the client did not declare",
                    cut_words(ctl_envelope_method(message),
                              strlen(ctl_envelope_method(message))));
  if (id != NULL && !talk->is_modern &&
      asprintf(&text, "{\"jsonrpc\":\"2.0\",\"id\":%s,%s}", id,
               is_ping ? "\"result\":{}"
                       : "\"error\":{\"code\":-32601,\"message\":"
                         "\"not declared\"}") >= 0) {
    mcp_doc *doc = mcp_doc_parse(text, strlen(text), NULL, NULL, NULL);
    ctl_wire_send(talk->wire, text, strlen(text), mcp_doc_root(doc));
    mcp_doc_free(doc);
    free(text);
  }
  free(id);
}

static void check_log(const ctl_doctor_talk *talk, const char *words) {
  ctl_doctor_expect(talk->doctor, CTL_RULE_LOG_UNDECLARED, talk->may_log,
                    "the server sent a log message: %s", words);
}

/* A server may log before it has answered initialize. Log messages can also be
 * handled in the same step as that answer, before the caller has seen it. */
static void on_notification(ctl_doctor_talk *talk, const mcp_json *message) {
  if (!ctl_envelope_is_method(message, "notifications/message")) {
    return;
  }
  const char *words =
      ctl_doctor_quote(mcp_json_pointer(message, "/params/data"));
  if (talk->has_handshake) {
    check_log(talk, words);
  } else if (talk->early_log == NULL) {
    talk->early_log = strdup(words);
  }
}

static void on_one(ctl_doctor_talk *talk, const char *text, size_t len,
                   const mcp_json *message, int is_made) {
  if (!is_made) {
    ctl_doctor_expect(talk->doctor, CTL_RULE_MESSAGE_SHAPE, has_shape(message),
                      "the server sent %s", ctl_doctor_quote(message));
  }
  switch (kind_of(message)) {
  case CTL_MESSAGE_ANSWER:
    on_answer(talk, text, len, message, is_made);
    break;
  case CTL_MESSAGE_REQUEST:
    on_request(talk, message);
    break;
  case CTL_MESSAGE_NOTIFICATION:
    on_notification(talk, message);
    break;
  default:
    break;
  }
}

static void on_message(const char *text, size_t len, const mcp_json *message,
                       int is_made, void *userdata) {
  ctl_doctor_talk *talk = userdata;
  mcp_json_iter iter;
  const mcp_json *one = NULL;
  trace(talk, 0, text, len);
  if (mcp_json_type(message) != MCP_JSON_ARRAY) {
    on_one(talk, text, len, message, is_made);
    return;
  }
  ctl_doctor_expect(talk->doctor, CTL_RULE_MESSAGE_SHAPE, talk->allows_batch,
                    "the server sent an array: %s", ctl_doctor_quote(message));
  mcp_json_iter_init(&iter, message);
  while ((one = mcp_json_iter_next(&iter, NULL)) != NULL) {
    char *part = ctl_json_text(one);
    if (part != NULL) {
      on_one(talk, part, strlen(part), one, is_made);
    }
    free(part);
  }
}

/* Only the first line is shown. */
static void on_junk(const char *text, size_t len, void *userdata) {
  ctl_doctor_talk *talk = userdata;
  ctl_doctor_report *report = &talk->doctor->report;
  char seen[WORDS_SIZE + 32];
  trace(talk, 0, text, len);
  snprintf(seen, sizeof(seen), "the server wrote: %s", cut_words(text, len));
  ctl_doctor_add(
      report, talk->is_process ? CTL_RULE_STDOUT_JUNK : CTL_RULE_MESSAGE_SHAPE,
      seen, 1);
}

/* What goes wrong without a request. A request that fails has an answer. */
static void talk_on_error(const mcp_error *err, void *userdata) {
  const ctl_doctor_talk *talk = userdata;
  if (talk->doctor->options->is_verbose) {
    ctl_report_aside("%s", err->message);
  }
}

static void on_closed(const mcp_error *err, void *userdata) {
  ctl_doctor_talk *talk = userdata;
  talk->is_closed = 1;
  talk->why = *err;
}

static void on_stderr(const char *bytes, size_t len, void *userdata) {
  ctl_doctor_talk *talk = userdata;
  if (talk->doctor->options->is_verbose) {
    ctl_text_put_block(stderr, bytes, len);
  }
  ctl_tail_add(&talk->tail, bytes, len);
}

/* ---- asking ------------------------------------------------------------ */

/* Waits for an answer, but not beyond the end of the run. */
static void talk_wait(ctl_doctor_talk *talk, uint32_t limit_ms) {
  int64_t until_ns = ctl_now_ns() + (int64_t)limit_ms * MS;
  if (until_ns > talk->doctor->end_ns) {
    until_ns = talk->doctor->end_ns;
  }
  while (!talk->has_answer && !talk->is_closed) {
    mcp_loop_step(talk->doctor->loop);
    int64_t left_ns = until_ns - ctl_now_ns();
    if (talk->has_answer || talk->is_closed) {
      return;
    }
    if (left_ns <= 0 || ctl_interrupt_has_come()) {
      return;
    }
    ctl_wait(talk->doctor->loop, -1, (int)(left_ns / MS) + 1);
  }
}

int ctl_doctor_is_open(const ctl_doctor_talk *talk) {
  return talk->wire != NULL && !talk->is_closed && talk->has_handshake &&
         !ctl_doctor_must_end(talk->doctor);
}

static void send_text(ctl_doctor_talk *talk, const char *text) {
  mcp_doc *doc = mcp_doc_parse(text, strlen(text), NULL, NULL, NULL);
  const mcp_json *root = mcp_doc_root(doc);
  if (ctl_envelope_kind(root) == CTL_MESSAGE_NOTIFICATION) {
    talk->has_told = 1;
  }
  trace(talk, 1, text, strlen(text));
  ctl_wire_send(talk->wire, text, strlen(text), root);
  mcp_doc_free(doc);
}

/* Each request of 2026-07-28 says who asks. */
static void put_meta(mcp_builder *out, const char *revision) {
  mcp_builder_object(out, "_meta");
  mcp_builder_string(out, "io.modelcontextprotocol/protocolVersion", revision);
  mcp_builder_object(out, "io.modelcontextprotocol/clientInfo");
  mcp_builder_string(out, "name", "mcpctl doctor");
  mcp_builder_string(out, "version", mcp_version());
  mcp_builder_end(out);
  mcp_builder_object(out, "io.modelcontextprotocol/clientCapabilities");
  mcp_builder_end(out);
  mcp_builder_end(out);
}

/* The params with `_meta`, where the revision wants it. */
static void put_params(mcp_builder *out, const ctl_doctor_talk *talk,
                       const char *params) {
  mcp_doc *doc = mcp_doc_parse(params, strlen(params), NULL, NULL, NULL);
  mcp_json_iter iter;
  const mcp_json *name = NULL;
  const mcp_json *value = NULL;
  mcp_builder_object(out, "params");
  mcp_json_iter_init(&iter, mcp_doc_root(doc));
  while ((value = mcp_json_iter_next(&iter, &name)) != NULL) {
    mcp_builder_value(out, mcp_json_string(name), value);
  }
  if (talk->is_modern) {
    put_meta(out, talk->named != NULL ? talk->named : talk->revision);
  }
  mcp_builder_end(out);
  mcp_doc_free(doc);
}

/* `id` is NULL for a notification. Owned; NULL: out of memory. */
static char *make_message(const ctl_doctor_talk *talk, const char *id,
                          const char *method, const char *params) {
  mcp_builder *out = mcp_builder_new(NULL, NULL);
  mcp_builder_object(out, NULL);
  mcp_builder_string(out, "jsonrpc", "2.0");
  if (id != NULL) {
    mcp_builder_json(out, "id", id);
  }
  mcp_builder_string(out, "method", method);
  if (params != NULL || talk->is_modern) {
    put_params(out, talk, params != NULL ? params : "{}");
  }
  mcp_builder_end(out);
  const char *text = mcp_builder_text(out, NULL);
  char *copy = text != NULL ? strdup(text) : NULL;
  mcp_builder_free(out);
  return copy;
}

void ctl_doctor_tell(ctl_doctor_talk *talk, const char *text) {
  if (ctl_doctor_is_open(talk)) {
    send_text(talk, text);
  }
}

void ctl_doctor_notify(ctl_doctor_talk *talk, const char *method) {
  char *text = make_message(talk, NULL, method, "{}");
  if (text != NULL) {
    ctl_doctor_tell(talk, text);
  }
  free(text);
}

static void forget_asked(ctl_doctor_talk *talk) {
  free(talk->asked);
  mcp_doc_free(talk->asked_id);
  talk->asked = NULL;
  talk->asked_id = NULL;
}

static void expect_id(ctl_doctor_talk *talk, const char *id) {
  forget_asked(talk);
  talk->asked = strdup(id);
  talk->asked_id = mcp_doc_parse(id, strlen(id), NULL, NULL, NULL);
  mcp_doc_free(talk->answer);
  talk->answer = NULL;
  talk->has_answer = 0;
}

const mcp_json *ctl_doctor_await(ctl_doctor_talk *talk, const char *id,
                                 uint32_t limit_ms) {
  expect_id(talk, id);
  if (talk->asked != NULL && talk->wire != NULL) {
    talk_wait(talk, limit_ms);
  }
  forget_asked(talk);
  return mcp_doc_root(talk->answer);
}

/* Sends a request and waits. NULL: there is no answer. */
static const mcp_json *request(ctl_doctor_talk *talk, const char *id,
                               const char *method, const char *params,
                               uint32_t limit_ms) {
  char *text = make_message(talk, id, method, params);
  if (text == NULL) {
    return NULL;
  }
  expect_id(talk, id);
  send_text(talk, text);
  free(text);
  talk_wait(talk, limit_ms);
  forget_asked(talk);
  return mcp_doc_root(talk->answer);
}

/* The tool that a request calls, in words, with a blank before it. */
static void put_tool(char *out, size_t size, const char *method,
                     const char *params) {
  mcp_doc *doc = params != NULL && strcmp(method, "tools/call") == 0
                     ? mcp_doc_parse(params, strlen(params), NULL, NULL, NULL)
                     : NULL;
  const char *name = ctl_json_member(mcp_doc_root(doc), "name");
  snprintf(out, size, "%s%.100s", name != NULL ? " of " : "",
           name != NULL ? name : "");
  mcp_doc_free(doc);
}

/* A tool may take its time. */
static uint32_t limit_of(const ctl_doctor *doctor, const char *method) {
  return strcmp(method, "tools/call") == 0 ? doctor->tool_ms
                                           : doctor->answer_ms;
}

static void report_lost(ctl_doctor_talk *talk, const char *method,
                        const char *params) {
  char tool[128];
  put_tool(tool, sizeof(tool), method, params);
  if (ctl_interrupt_has_come()) {
    return;
  }
  if (talk->is_closed) {
    ctl_doctor_expect(talk->doctor, CTL_RULE_ENDS_ON_REQUEST, 0, "%s%s: %s",
                      method, tool, talk->why.message);
  } else {
    ctl_doctor_expect(talk->doctor,
                      tool[0] != '\0' ? CTL_RULE_TOOL_SLOW
                                      : CTL_RULE_UNANSWERED,
                      0, "%s%s got no answer within %g s", method, tool,
                      (double)limit_of(talk->doctor, method) / 1000);
  }
}

static void close_wire(ctl_doctor_talk *talk) {
  if (talk->wire == NULL) {
    return;
  }
  ctl_wire_close(talk->wire);
  while (!talk->is_closed) {
    mcp_loop_step(talk->doctor->loop);
    if (!talk->is_closed) {
      ctl_wait(talk->doctor->loop, -1, -1);
    }
  }
}

static void check_parse_error(ctl_doctor_talk *talk) {
  if (talk->allows_batch) {
    return; /* the array was refused */
  }
  if (talk->expects_parse_error && !talk->has_parse_error) {
    ctl_doctor_expect(talk->doctor, CTL_RULE_PARSE_ERROR, 0,
                      "a line that is not JSON got no answer");
  }
}

static void drop_wire(ctl_doctor_talk *talk) {
  close_wire(talk);
  ctl_wire_free(talk->wire);
  talk->wire = NULL;
}

void ctl_doctor_reopen(ctl_doctor_talk *talk) {
  check_parse_error(talk);
  drop_wire(talk);
  talk->has_handshake = 0;
  talk->expects_parse_error = 0;
  talk->has_parse_error = 0;
  if (++talk->reopened > MAX_REOPENED || ctl_doctor_must_end(talk->doctor)) {
    return;
  }
  const mcp_json *answer = ctl_doctor_talk_open(talk);
  if (ctl_doctor_result(answer) != NULL) {
    ctl_doctor_talk_accept(talk);
  }
}

const mcp_json *ctl_doctor_ask_by(ctl_doctor_talk *talk, const char *id,
                                  const char *method, const char *params) {
  if (!ctl_doctor_is_open(talk)) {
    return NULL;
  }
  const mcp_json *answer =
      request(talk, id, method, params, limit_of(talk->doctor, method));
  if (answer == NULL) {
    report_lost(talk, method, params);
    ctl_doctor_reopen(talk);
    return NULL;
  }
  const char *words = ctl_json_member(mcp_json_get(answer, "error"), "message");
  if (!ctl_doctor_expect(talk->doctor, CTL_RULE_UNANSWERED, !talk->is_made,
                         "%s: %s", method, words != NULL ? words : "")) {
    return NULL;
  }
  const mcp_json *result = ctl_doctor_result(answer);
  if (talk->is_modern && result != NULL) {
    ctl_doctor_expect(talk->doctor, CTL_RULE_RESULT_TYPE,
                      ctl_json_member(result, "resultType") != NULL,
                      "the result of %s has no resultType", method);
  }
  return answer;
}

const mcp_json *ctl_doctor_ask(ctl_doctor_talk *talk, const char *method,
                               const char *params) {
  char id[24];
  snprintf(id, sizeof(id), "%" PRId64, ++talk->last_id);
  return ctl_doctor_ask_by(talk, id, method, params);
}

/* ---- opening ----------------------------------------------------------- */

/* Owned; NULL: out of memory. */
static char *initialize_params(const char *revision) {
  mcp_builder *out = mcp_builder_new(NULL, NULL);
  mcp_builder_object(out, NULL);
  mcp_builder_string(out, "protocolVersion", revision);
  mcp_builder_object(out, "capabilities");
  mcp_builder_end(out);
  mcp_builder_object(out, "clientInfo");
  mcp_builder_string(out, "name", "mcpctl doctor");
  mcp_builder_string(out, "version", mcp_version());
  mcp_builder_end(out);
  mcp_builder_end(out);
  const char *text = mcp_builder_text(out, NULL);
  char *copy = text != NULL ? strdup(text) : NULL;
  mcp_builder_free(out);
  return copy;
}

static const mcp_json *shake_hands(ctl_doctor_talk *talk) {
  char id[24];
  snprintf(id, sizeof(id), "%" PRId64, ++talk->last_id);
  if (talk->is_modern) {
    return request(talk, id, "server/discover", NULL, talk->doctor->first_ms);
  }
  char *params = initialize_params(talk->revision);
  const mcp_json *answer =
      params != NULL
          ? request(talk, id, "initialize", params, talk->doctor->first_ms)
          : NULL;
  free(params);
  return answer;
}

const mcp_json *ctl_doctor_talk_open(ctl_doctor_talk *talk) {
  const ctl_wire_events events = {.on_message = on_message,
                                  .on_junk = on_junk,
                                  .on_closed = on_closed,
                                  .on_stderr = on_stderr,
                                  .on_error = talk_on_error,
                                  .userdata = talk};
  int64_t began_ns = ctl_now_ns();
  talk->is_closed = 0;
  talk->why = (mcp_error){0};
  talk->tail.len = 0;
  talk->wire = ctl_wire_open(talk->doctor->loop, talk->doctor->options, &events,
                             &talk->why);
  if (talk->wire == NULL) {
    return NULL;
  }
  const mcp_json *answer = shake_hands(talk);
  talk->first_ns = ctl_now_ns() - began_ns;
  if (answer == NULL || talk->is_made) {
    if (answer != NULL) {
      mcp_error_set(&talk->why, MCP_ERR_IO, "%s",
                    ctl_json_member(mcp_json_get(answer, "error"), "message"));
    } else if (!talk->is_closed && ctl_doctor_must_end(talk->doctor)) {
      mcp_error_set(&talk->why, MCP_ERR_TIMEOUT,
                    "the run of doctor ended before an answer came");
    } else if (!talk->is_closed) {
      mcp_error_set(&talk->why, MCP_ERR_TIMEOUT, "no answer within %g s",
                    (double)talk->doctor->first_ms / 1000);
    }
    return NULL;
  }
  mcp_doc_free(talk->handshake);
  talk->handshake = talk->answer;
  talk->answer = NULL;
  return mcp_doc_root(talk->handshake);
}

void ctl_doctor_talk_accept(ctl_doctor_talk *talk) {
  const mcp_json *result = ctl_doctor_result(mcp_doc_root(talk->handshake));
  talk->has_handshake = 1;
  talk->may_log = !talk->is_modern &&
                  mcp_json_pointer(result, "/capabilities/logging") != NULL;
  if (talk->early_log != NULL) {
    check_log(talk, talk->early_log);
    free(talk->early_log);
    talk->early_log = NULL;
  }
  if (!talk->is_modern) {
    send_text(talk, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
                    "initialized\"}");
  }
}

/* ---- closing ----------------------------------------------------------- */

/* Whether processes are left that the server has started: since mcpctl is a
 * subreaper, they are now children of mcpctl. Those that are about to end get a
 * second. */
static int has_left_any(void) {
  int64_t until_ns = ctl_now_ns() + INT64_C(1000) * MS;
  for (;;) {
    siginfo_t info = {0};
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG) != 0) {
      return 0; /* ECHILD */
    }
    if (info.si_pid == 0) {
      if (ctl_now_ns() > until_ns) {
        return 1;
      }
      const struct timespec nap = {.tv_nsec = 10 * MS};
      nanosleep(&nap, NULL);
    }
  }
}

static void check_end(ctl_doctor_talk *talk, int64_t took_ns) {
  int64_t status = 0;
  int signal = 0;
  if (!ctl_wire_has_exited(talk->wire, &status, &signal)) {
    return;
  }
  int is_slow = took_ns >= INT64_C(2000) * MS;
  ctl_doctor_expect(talk->doctor, CTL_RULE_END_SLOW, !is_slow,
                    "2 s after the end of its input it had not ended");
  ctl_doctor_expect(talk->doctor, CTL_RULE_END_STATUS,
                    is_slow || (status == 0 && signal == 0),
                    signal != 0 ? "it ended by signal %d"
                                : "it exited with status %d",
                    signal != 0 ? signal : (int)status);
  ctl_doctor_expect(talk->doctor, CTL_RULE_END_LEFT, !has_left_any(),
                    "a process that it has started still runs");
}

void ctl_doctor_talk_close(ctl_doctor_talk *talk) {
  int is_checked = talk->wire != NULL && talk->is_process &&
                   talk->has_handshake && !talk->is_closed;
  int64_t began_ns = ctl_now_ns();
  close_wire(talk);
  if (is_checked) {
    check_end(talk, ctl_now_ns() - began_ns);
  }
  if (talk->has_handshake) {
    check_parse_error(talk);
  }
  drop_wire(talk);
  forget_asked(talk);
  mcp_doc_free(talk->answer);
  mcp_doc_free(talk->handshake);
  free(talk->early_log);
  talk->answer = NULL;
  talk->handshake = NULL;
  talk->early_log = NULL;
}
