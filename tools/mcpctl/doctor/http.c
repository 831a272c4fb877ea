/* SPDX-License-Identifier: MIT */
#include "doctor/http.h"
#include "doctor/access.h"
#include "doctor/judge.h"
#include "line/target.h"
#include "platform/environment.h"

#include <inttypes.h>
#include <mcp/error.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

enum { MAX_CLOCK_GAP_S = 60 };

/* ---- the first request ------------------------------------------------- */

static int has_type(const ctl_doctor_answer *answer) {
  static const char json[] = "application/json";
  const char *type = ctl_doctor_header(answer, "Content-Type");
  return ctl_doctor_is_stream(answer) ||
         (type != NULL && strncasecmp(type, json, strlen(json)) == 0);
}

static void check_type(const ctl_doctor_web *self,
                       const ctl_doctor_answer *answer) {
  const char *type = ctl_doctor_header(answer, "Content-Type");
  ctl_doctor_expect(self->doctor, CTL_RULE_HTTP_CONTENT_TYPE, has_type(answer),
                    "initialize was answered as %s",
                    type != NULL ? type : "nothing");
}

static void check_clock(const ctl_doctor_web *self,
                        const ctl_doctor_answer *answer) {
  const char *date = ctl_doctor_header(answer, "Date");
  int64_t gap = date != NULL ? ctl_doctor_clock_gap(date, time(NULL)) : 0;
  if (date != NULL && gap != INT64_MIN) {
    ctl_doctor_expect(self->doctor, CTL_RULE_CLOCK,
                      gap <= MAX_CLOCK_GAP_S && gap >= -MAX_CLOCK_GAP_S,
                      "the server's clock is %" PRId64 " s %s",
                      gap < 0 ? -gap : gap, gap < 0 ? "behind" : "ahead");
  }
}

/* A server of 2024-11-05 has a stream at its URL, whose first event says where
 * to send. */
static int has_endpoint_event(const ctl_doctor_web *self) {
  ctl_doctor_answer answer;
  const ctl_doctor_variant what = {
      .method = "GET", .accept = "Accept: text/event-stream", .wants_event = 1};
  ctl_doctor_send(&answer, self, &what);
  int has = ctl_doctor_is_stream(&answer) && answer.body != NULL &&
            strstr(answer.body, "event: endpoint") != NULL;
  ctl_doctor_answer_deinit(&answer);
  return has;
}

void ctl_doctor_http_begin(ctl_doctor *doctor, ctl_doctor_http_first *first) {
  ctl_doctor_web self = {.doctor = doctor,
                         .url = ctl_target_web(doctor->options->url)};
  char *body = ctl_doctor_initialize_body("2025-11-25");
  const ctl_doctor_variant what = {.body = body, .is_plain = 1};
  ctl_doctor_answer answer;
  ctl_doctor_send_first(&answer, &self, &what);
  first->status = answer.status;
  check_clock(&self, &answer);
  if (answer.status == 401) {
    ctl_doctor_check_challenge(&self, &answer);
  } else if (answer.status == 200) {
    check_type(&self, &answer);
  }
  if (answer.status == 400 || answer.status == 404 || answer.status == 405) {
    first->speaks_sse = has_endpoint_event(&self);
  }
  char *session = ctl_doctor_session_of(&answer);
  ctl_doctor_end_session(&self, session);
  free(session);
  free(body);
  ctl_doctor_answer_deinit(&answer);
}

/* ---- answers, up to 2025-11-25 ----------------------------------------- */

static const char ping[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";

static const char *id_in(const char *session) {
  return session + strlen("Mcp-Session-Id: ");
}

static void check_session_id(const ctl_doctor_web *self, const char *session) {
  const char *id = id_in(session);
  size_t len = strlen(id);
  size_t good = 0;
  while (good < len && id[good] > 0x20 && id[good] < 0x7f) {
    good++;
  }
  ctl_doctor_expect(self->doctor, CTL_RULE_SESSION_ID, len > 0 && good == len,
                    "the session id is \"%s\"", id);
}

/* Opens a session. Returns 0: the server refuses. */
static int open_session(ctl_doctor_web *self) {
  char *body = ctl_doctor_initialize_body(self->revision);
  const ctl_doctor_variant what = {.body = body};
  ctl_doctor_answer answer;
  ctl_doctor_send(&answer, self, &what);
  int is_open = answer.status == 200;
  if (is_open) {
    self->session = ctl_doctor_session_of(&answer);
  }
  free(body);
  ctl_doctor_answer_deinit(&answer);
  return is_open;
}

static int takes_version_header(const ctl_doctor_web *self) {
  return strcmp(self->revision, "2025-06-18") >= 0;
}

/* The headers of a request in the session. */
static ctl_doctor_variant in_session(const ctl_doctor_web *self,
                                     const char *body) {
  ctl_doctor_variant what = {.body = body};
  size_t count = 0;
  if (takes_version_header(self)) {
    what.more[count++] = strcmp(self->revision, "2025-06-18") == 0
                             ? "MCP-Protocol-Version: 2025-06-18"
                             : "MCP-Protocol-Version: 2025-11-25";
  }
  what.more[count] = self->session;
  return what;
}

static void check_notification(const ctl_doctor_web *self) {
  ctl_doctor_answer answer;
  const ctl_doctor_variant what = in_session(
      self, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
  ctl_doctor_send(&answer, self, &what);
  ctl_doctor_expect(self->doctor, CTL_RULE_HTTP_NOTIFICATION,
                    answer.status == 202 && answer.body_len == 0,
                    "a notification %s with %zu bytes",
                    ctl_doctor_got(answer.status), answer.body_len);
  ctl_doctor_answer_deinit(&answer);
}

static void check_version_header(const ctl_doctor_web *self) {
  ctl_doctor_variant what = in_session(self, ping);
  if (takes_version_header(self)) {
    what.more[0] = "MCP-Protocol-Version: 1999-01-01";
    int status = ctl_doctor_status_of(self, &what);
    ctl_doctor_expect(self->doctor, CTL_RULE_HTTP_VERSION, status == 400,
                      "MCP-Protocol-Version: 1999-01-01 %s",
                      ctl_doctor_got(status));
  }
}

static void check_get(const ctl_doctor_web *self) {
  ctl_doctor_answer answer;
  ctl_doctor_variant what = in_session(self, NULL);
  what.method = "GET";
  what.accept = "Accept: text/event-stream";
  ctl_doctor_send(&answer, self, &what);
  ctl_doctor_expect(self->doctor, CTL_RULE_HTTP_GET,
                    answer.status == 405 ||
                        (answer.status == 200 && ctl_doctor_is_stream(&answer)),
                    "GET %s, and no event stream%s%s",
                    ctl_doctor_got(answer.status),
                    answer.status == 0 ? ": " : "", answer.why);
  ctl_doctor_answer_deinit(&answer);
}

static void check_accept(const ctl_doctor_web *self) {
  ctl_doctor_answer answer;
  ctl_doctor_variant what = in_session(self, ping);
  what.accept = "Accept: application/json";
  ctl_doctor_send(&answer, self, &what);
  ctl_doctor_expect(self->doctor, CTL_RULE_HTTP_ACCEPT,
                    answer.status != 200 || !ctl_doctor_is_stream(&answer),
                    "a request that accepts only JSON got an event stream");
  ctl_doctor_answer_deinit(&answer);
}

static void check_broken_body(const ctl_doctor_web *self) {
  const ctl_doctor_variant what = in_session(self, "{\"jsonrpc\":");
  int status = ctl_doctor_status_of(self, &what);
  ctl_doctor_expect(self->doctor, CTL_RULE_HTTP_PARSE_ERROR,
                    ctl_doctor_is_refusal(status), "a body that is not JSON %s",
                    ctl_doctor_got(status));
}

/* ---- sessions ---------------------------------------------------------- */

static void check_missing_session(const ctl_doctor_web *self) {
  ctl_doctor_web without = *self;
  without.session = NULL;
  const ctl_doctor_variant what = in_session(&without, ping);
  int status = ctl_doctor_status_of(self, &what);
  ctl_doctor_expect(self->doctor, CTL_RULE_SESSION_MISSING,
                    ctl_doctor_is_refusal(status),
                    "a request without a session %s", ctl_doctor_got(status));
}

/* Ends the session, and uses it once more. */
static void check_ended_session(const ctl_doctor_web *self) {
  ctl_doctor_web ended = *self;
  int status = ctl_doctor_end_session(self, self->session);
  int has_ended = status >= 200 && status < 300;
  ctl_doctor_expect(self->doctor, CTL_RULE_HTTP_DELETE,
                    has_ended || status == 405, "DELETE %s",
                    ctl_doctor_got(status));
  if (!has_ended) {
    static char invented[] =
        "Mcp-Session-Id: 00000000-0000-4000-8000-000000000000";
    ended.session = invented;
  }
  const ctl_doctor_variant what = in_session(&ended, ping);
  status = ctl_doctor_status_of(self, &what);
  ctl_doctor_expect(self->doctor, CTL_RULE_SESSION_UNKNOWN, status == 404,
                    "a request of %s session %s",
                    has_ended ? "an ended" : "an unknown",
                    ctl_doctor_got(status));
}

static void check_sessions(ctl_doctor_web *self) {
  ctl_doctor_web other = *self;
  other.session = NULL;
  check_session_id(self, self->session);
  open_session(&other);
  if (other.session != NULL) {
    ctl_doctor_expect(
        self->doctor, CTL_RULE_SESSION_GUESSABLE,
        !ctl_doctor_is_guessable(id_in(self->session), id_in(other.session)),
        "two sessions had the ids %s and %s", id_in(self->session),
        id_in(other.session));
    ctl_doctor_end_session(self, other.session);
  }
  free(other.session);
  check_missing_session(self);
  check_ended_session(self);
}

static void check_legacy(ctl_doctor_web *self) {
  if (!open_session(self)) {
    return; /* it wants a login, which only the client has */
  }
  check_notification(self);
  check_version_header(self);
  check_get(self);
  check_accept(self);
  check_broken_body(self);
  if (self->session != NULL) {
    check_sessions(self);
  }
}

/* ---- answers, in 2026-07-28 -------------------------------------------- */

#define META(revision)                                                         \
  "\"params\":{\"_meta\":{"                                                    \
  "\"io.modelcontextprotocol/protocolVersion\":\"" revision "\","              \
  "\"io.modelcontextprotocol/clientCapabilities\":{}}}"

static int64_t code_in(const ctl_doctor_answer *answer) {
  mcp_doc *doc = mcp_doc_parse(answer->body != NULL ? answer->body : "",
                               answer->body_len, NULL, NULL, NULL);
  int64_t code =
      mcp_json_int(mcp_json_pointer(mcp_doc_root(doc), "/error/code"));
  mcp_doc_free(doc);
  return code;
}

static void check_mirrored(const ctl_doctor_web *self) {
  ctl_doctor_answer answer;
  const ctl_doctor_variant what = {
      .body =
          "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\"," META(
              "2026-07-28") "}",
      .more = {"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/list"}};
  ctl_doctor_send(&answer, self, &what);
  ctl_doctor_expect(self->doctor, CTL_RULE_HEADER_MISMATCH,
                    answer.status == 400 &&
                        code_in(&answer) == MCP_RPC_HEADER_MISMATCH,
                    "server/discover with Mcp-Method: tools/list %s with "
                    "the error %" PRId64,
                    ctl_doctor_got(answer.status), code_in(&answer));
  ctl_doctor_answer_deinit(&answer);
}

static void check_meta(const ctl_doctor_web *self) {
  const ctl_doctor_variant what = {
      .body = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\","
              "\"params\":{}}",
      .more = {"MCP-Protocol-Version: 2026-07-28",
               "Mcp-Method: server/discover"}};
  int status = ctl_doctor_status_of(self, &what);
  ctl_doctor_expect(self->doctor, CTL_RULE_META_MISSING, status == 400,
                    "a request without _meta %s", ctl_doctor_got(status));
}

static void check_statuses(const ctl_doctor_web *self) {
  const ctl_doctor_variant unknown = {
      .body =
          "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"doctor/unknown\"," META(
              "2026-07-28") "}",
      .more = {"MCP-Protocol-Version: 2026-07-28",
               "Mcp-Method: doctor/unknown"}};
  const ctl_doctor_variant later = {
      .body =
          "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\"," META(
              "2099-01-01") "}",
      .more = {"MCP-Protocol-Version: 2099-01-01",
               "Mcp-Method: server/discover"}};
  int status = ctl_doctor_status_of(self, &unknown);
  ctl_doctor_expect(self->doctor, CTL_RULE_MODERN_STATUS, status == 404,
                    "an unknown method %s", ctl_doctor_got(status));
  status = ctl_doctor_status_of(self, &later);
  ctl_doctor_expect(self->doctor, CTL_RULE_MODERN_STATUS, status == 400,
                    "an unknown revision %s", ctl_doctor_got(status));
}

/* ---- all --------------------------------------------------------------- */

/* Owned; NULL: there is none. */
static char *bearer_header(const ctl_options *options) {
  const char *token =
      options->token_env != NULL ? ctl_env(options->token_env) : NULL;
  char *text = NULL;
  return token != NULL &&
                 asprintf(&text, "Authorization: Bearer %s", token) >= 0
             ? text
             : NULL;
}

void ctl_doctor_check_sse(ctl_doctor *doctor) {
  ctl_doctor_web self = {.doctor = doctor,
                         .url = doctor->moved != NULL
                                    ? doctor->moved
                                    : ctl_target_web(doctor->options->url),
                         .is_sse = 1,
                         .bearer = bearer_header(doctor->options)};
  ctl_doctor_check_callers(&self);
  ctl_doctor_check_cors(&self);
  free(self.bearer);
}

void ctl_doctor_check_http(ctl_doctor *doctor, const char *revision,
                           int is_modern) {
  ctl_doctor_web self = {.doctor = doctor,
                         .url = doctor->moved != NULL ? doctor->moved
                                                      : doctor->options->url,
                         .revision = revision,
                         .is_modern = is_modern,
                         .bearer = bearer_header(doctor->options)};
  ctl_doctor_check_callers(&self);
  ctl_doctor_check_cors(&self);
  if (is_modern) {
    check_mirrored(&self);
    check_meta(&self);
    check_statuses(&self);
  } else {
    check_legacy(&self);
  }
  free(self.bearer);
  free(self.session);
}
