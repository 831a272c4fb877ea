/* SPDX-License-Identifier: MIT */
#include "doctor/heard.h"
#include "common/copy.h"
#include "common/envelope.h"
#include "common/json.h"
#include "common/redactor.h"
#include "common/report.h"
#include "common/term.h"
#include "common/text.h"

#include <mcp/error.h>
#include <stdlib.h>
#include <string.h>

void ctl_doctor_trace(const ctl_doctor_talk *talk, int is_sent,
                      const char *text, size_t len) {
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

/* ---- messages ---------------------------------------------------------- */

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
                    ctl_doctor_cut(ctl_envelope_method(message),
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

void ctl_doctor_check_log(const ctl_doctor_talk *talk, const char *words) {
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
    ctl_doctor_check_log(talk, words);
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

/* ---- what the wire reports --------------------------------------------- */

static void on_message(const char *text, size_t len, const mcp_json *message,
                       int is_made, void *userdata) {
  ctl_doctor_talk *talk = userdata;
  mcp_json_iter iter;
  const mcp_json *one = NULL;
  ctl_doctor_trace(talk, 0, text, len);
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
  char seen[CTL_DOCTOR_WORDS_SIZE + 32];
  ctl_doctor_trace(talk, 0, text, len);
  snprintf(seen, sizeof(seen), "the server wrote: %s",
           ctl_doctor_cut(text, len));
  ctl_doctor_add(
      report, talk->is_process ? CTL_RULE_STDOUT_JUNK : CTL_RULE_MESSAGE_SHAPE,
      seen, 1);
}

/* An error that belongs to no request: a failed request has an answer. */
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

ctl_wire_events ctl_doctor_events(ctl_doctor_talk *talk) {
  return (ctl_wire_events){.on_message = on_message,
                           .on_junk = on_junk,
                           .on_closed = on_closed,
                           .on_stderr = on_stderr,
                           .on_error = talk_on_error,
                           .userdata = talk};
}
