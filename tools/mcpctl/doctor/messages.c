/* SPDX-License-Identifier: MIT */
/* Checks of messages as such: which requests are answered, and how. */
#include "common/json.h"
#include "doctor/checks.h"
#include "doctor/compose.h"

#include <stdlib.h>
#include <string.h>

const mcp_json *ctl_doctor_capability(const ctl_doctor_talk *talk,
                                      const char *name) {
  const mcp_json *result = ctl_doctor_result(mcp_doc_root(talk->handshake));
  return mcp_json_get(mcp_json_get(result, "capabilities"), name);
}

/* ---- all revisions ----------------------------------------------------- */

static void check_ping(ctl_doctor_talk *talk) {
  const mcp_json *answer = ctl_doctor_ask(talk, "ping", NULL);
  if (answer != NULL && talk->is_modern) {
    ctl_doctor_expect(talk->doctor, CTL_RULE_REMOVED_METHOD,
                      ctl_doctor_code(answer) == MCP_RPC_METHOD_NOT_FOUND,
                      "ping got %s", ctl_doctor_words(answer));
  } else if (answer != NULL) {
    ctl_doctor_expect(talk->doctor, CTL_RULE_PING,
                      ctl_doctor_result(answer) != NULL, "ping got %s",
                      ctl_doctor_words(answer));
  }
}

static void check_unknown_method(ctl_doctor_talk *talk) {
  const mcp_json *answer = ctl_doctor_ask(talk, "doctor/unknown", NULL);
  if (answer != NULL) {
    ctl_doctor_expect(talk->doctor, CTL_RULE_UNKNOWN_METHOD,
                      ctl_doctor_code(answer) == MCP_RPC_METHOD_NOT_FOUND,
                      "the method doctor/unknown got %s",
                      ctl_doctor_words(answer));
  }
}

/* In 2026-07-28 each request names its revision. */
static void check_unknown_version(ctl_doctor_talk *talk) {
  talk->named = "2099-01-01";
  const mcp_json *answer = ctl_doctor_ask(talk, "server/discover", NULL);
  const mcp_json *supported = mcp_json_pointer(answer, "/error/data/supported");
  talk->named = NULL;
  if (answer != NULL) {
    ctl_doctor_expect(talk->doctor, CTL_RULE_VERSION_UNKNOWN,
                      ctl_doctor_code(answer) == MCP_RPC_UNSUPPORTED_VERSION &&
                          mcp_json_type(supported) == MCP_JSON_ARRAY,
                      "a request of the revision 2099-01-01 got %s",
                      ctl_doctor_words(answer));
  }
}

static void check_log_level(ctl_doctor_talk *talk) {
  if (talk->is_modern || ctl_doctor_capability(talk, "logging") == NULL) {
    return;
  }
  const mcp_json *answer =
      ctl_doctor_ask(talk, "logging/setLevel", "{\"level\":\"error\"}");
  if (answer != NULL) {
    ctl_doctor_expect(talk->doctor, CTL_RULE_LOG_LEVEL,
                      ctl_doctor_result(answer) != NULL,
                      "logging/setLevel got %s", ctl_doctor_words(answer));
  }
}

void ctl_doctor_check_basics(ctl_doctor_talk *talk) {
  check_ping(talk);
  check_unknown_method(talk);
  check_log_level(talk);
  if (talk->is_modern) {
    check_unknown_version(talk);
  }
}

/* A request that each server answers, and that changes nothing. */
static const char *harmless_method(const ctl_doctor_talk *talk) {
  return talk->is_modern ? "server/discover" : "ping";
}

/* ---- ids --------------------------------------------------------------- */

/* A server that takes 0 for "no id" does not answer. */
static void check_ids(ctl_doctor_talk *talk) {
  static const char *const ids[] = {"\"doctor-1\"", "0", "\"2\""};
  for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
    ctl_doctor_ask_by(talk, ids[i], harmless_method(talk), NULL);
  }
}

/* ---- notifications ----------------------------------------------------- */

/* The request after it shows that the server has read the notification. */
static void check_told(ctl_doctor_talk *talk) {
  size_t before = talk->doctor->report.finding_count;
  ctl_doctor_notify(talk, "notifications/doctor");
  ctl_doctor_ask(talk, harmless_method(talk), NULL);
  if (talk->doctor->report.finding_count == before) {
    ctl_doctor_expect(talk->doctor, CTL_RULE_NOTIFICATION_ANSWERED, 1, "ok");
  }
}

/* ---- wrong params ------------------------------------------------------ */

static int is_failure(const mcp_json *answer) {
  return mcp_json_get(answer, "error") != NULL ||
         mcp_json_bool(mcp_json_pointer(answer, "/result/isError"));
}

/* No tool has such a name, so nothing is called. */
static void check_params(ctl_doctor_talk *talk) {
  static const char *const wrong[] = {NULL, "{\"name\":7}"};
  if (ctl_doctor_capability(talk, "tools") == NULL) {
    return;
  }
  for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
    const mcp_json *answer = ctl_doctor_ask(talk, "tools/call", wrong[i]);
    const char *what = wrong[i] != NULL ? wrong[i] : "no name";
    int64_t code = ctl_doctor_code(answer);
    if (answer != NULL &&
        ctl_doctor_expect(talk->doctor, CTL_RULE_PARAMS_ACCEPTED,
                          is_failure(answer), "tools/call with %s got %s", what,
                          ctl_doctor_words(answer))) {
      ctl_doctor_expect(talk->doctor, CTL_RULE_PARAMS_CODE,
                        code == 0 || code == MCP_RPC_INVALID_PARAMS ||
                            code == MCP_RPC_INVALID_REQUEST,
                        "tools/call with %s got %s", what,
                        ctl_doctor_words(answer));
    }
  }
}

/* ---- lines that are not JSON ------------------------------------------- */

/* Whether the answer comes at all is known when the connection ends: a server
 * may take its time. */
static void check_broken_line(ctl_doctor_talk *talk) {
  static const char line[] = "{\"jsonrpc\":\"2.0\",\"id\":";
  if (!talk->is_lines || !ctl_doctor_is_open(talk)) {
    return;
  }
  ctl_doctor_tell(talk, line);
  talk->expects_parse_error = 1;
  int reopened = talk->reopened;
  char *after = ctl_doctor_compose(talk->is_modern ? talk->revision : NULL,
                                   "\"after\"", harmless_method(talk), NULL);
  if (after != NULL) {
    ctl_doctor_tell(talk, after);
  }
  free(after);
  const mcp_json *answer =
      ctl_doctor_await(talk, "\"after\"", talk->doctor->answer_ms);
  ctl_doctor_expect(talk->doctor, CTL_RULE_PARSE_FATAL, answer != NULL,
                    "after a line that is not JSON, %s",
                    talk->is_closed ? talk->why.message
                                    : "the server did not answer any longer");
  if (answer == NULL && talk->reopened == reopened) {
    ctl_doctor_reopen(talk);
  }
}

void ctl_doctor_check_messages(ctl_doctor_talk *talk) {
  check_ids(talk);
  check_told(talk);
  check_params(talk);
  check_broken_line(talk);
}

/* ---- batches ----------------------------------------------------------- */

void ctl_doctor_check_batch(ctl_doctor_talk *talk) {
  if (!talk->is_lines || strcmp(talk->revision, "2025-03-26") != 0 ||
      !ctl_doctor_is_open(talk)) {
    return;
  }
  talk->allows_batch = 1;
  ctl_doctor_tell(talk, "[{\"jsonrpc\":\"2.0\",\"id\":\"" CTL_DOCTOR_BATCH_ID
                        "\",\"method\":\"ping\"}]");
  ctl_doctor_ask(talk, "ping", NULL);
  ctl_doctor_expect(talk->doctor, CTL_RULE_BATCH, talk->has_batch,
                    "an array with a ping got no result");
}
