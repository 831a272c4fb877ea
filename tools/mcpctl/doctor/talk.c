/* SPDX-License-Identifier: MIT */
/* One request is asked at a time, and other messages are looked at as they
 * come. A server that does not answer a request, or ends, is connected again,
 * so that later checks are not in vain. */
#include "doctor/talk.h"
#include "common/envelope.h"
#include "common/json.h"
#include "doctor/compose.h"
#include "doctor/end.h"
#include "doctor/heard.h"
#include "platform/clock.h"
#include "platform/interrupt.h"
#include "platform/wait.h"

#include <inttypes.h>
#include <mcp/error.h>
#include <stdlib.h>
#include <string.h>

/* A server that must be connected again so often is left alone. */
enum { MAX_REOPENED = 6, MS = 1000000 };

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
  ctl_doctor_trace(talk, 1, text, strlen(text));
  ctl_wire_send(talk->wire, text, strlen(text), root);
  mcp_doc_free(doc);
}

static char *talk_compose(const ctl_doctor_talk *talk, const char *id,
                          const char *method, const char *params) {
  const char *named = talk->named != NULL ? talk->named : talk->revision;
  return ctl_doctor_compose(talk->is_modern ? named : NULL, id, method, params);
}

void ctl_doctor_tell(ctl_doctor_talk *talk, const char *text) {
  if (ctl_doctor_is_open(talk)) {
    send_text(talk, text);
  }
}

void ctl_doctor_notify(ctl_doctor_talk *talk, const char *method) {
  char *text = talk_compose(talk, NULL, method, "{}");
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
  char *text = talk_compose(talk, id, method, params);
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

static const mcp_json *shake_hands(ctl_doctor_talk *talk) {
  char id[24];
  snprintf(id, sizeof(id), "%" PRId64, ++talk->last_id);
  if (talk->is_modern) {
    return request(talk, id, "server/discover", NULL, talk->doctor->first_ms);
  }
  char *params = ctl_doctor_initialize_params(talk->revision);
  const mcp_json *answer =
      params != NULL
          ? request(talk, id, "initialize", params, talk->doctor->first_ms)
          : NULL;
  free(params);
  return answer;
}

const mcp_json *ctl_doctor_talk_open(ctl_doctor_talk *talk) {
  const ctl_wire_events events = ctl_doctor_events(talk);
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
    ctl_doctor_check_log(talk, talk->early_log);
    free(talk->early_log);
    talk->early_log = NULL;
  }
  if (!talk->is_modern) {
    send_text(talk, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
                    "initialized\"}");
  }
}

/* ---- closing ----------------------------------------------------------- */

void ctl_doctor_talk_close(ctl_doctor_talk *talk) {
  int is_checked = talk->wire != NULL && talk->is_process &&
                   talk->has_handshake && !talk->is_closed;
  int64_t began_ns = ctl_now_ns();
  close_wire(talk);
  if (is_checked) {
    ctl_doctor_check_end(talk, ctl_now_ns() - began_ns);
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
