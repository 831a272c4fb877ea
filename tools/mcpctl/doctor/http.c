/* SPDX-License-Identifier: MIT */
/* Each request is written here as a whole, since a client would not send
 * it. */
#include "doctor/http.h"
#include "common/json.h"
#include "common/wait.h"
#include "doctor/fetch.h"
#include "doctor/judge.h"
#include "doctor/talk.h"
#include "line/target.h"

#include <inttypes.h>
#include <mcp/error.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define FOREIGN "https://doctor.invalid"
#define NS_PER_MS INT64_C(1000000)
enum { MAX_HEADERS = 64, MAX_CLOCK_GAP_S = 60, MAX_REDIRECTS = 3 };

/* The HTTP side of a connection. */
typedef struct http {
  ctl_doctor *doctor;
  const char *url;
  const char *revision;
  int is_modern;
  int is_sse;    /* HTTP+SSE: a connection begins with a GET */
  char *bearer;  /* a header, owned; NULL: none */
  char *session; /* a header, owned; NULL: the server has no sessions */
} http;

/* ---- requests ---------------------------------------------------------- */

/* What changes from request to request; NULL: left out. */
typedef struct variant {
  const char *method; /* of HTTP; NULL: POST */
  const char *body;
  const char *accept;  /* NULL: both types */
  const char *more[4]; /* headers; they come first */
  int is_plain;        /* without credentials and session */
  int wants_event;
} variant;

/* How long to wait for an answer. At the end of the run it is a little longer
 * than what is left, so that nobody takes the end for a fault of the server. 0:
 * the run must end. */
static uint32_t ms_left(const ctl_doctor *doctor) {
  int64_t left_ms = (doctor->end_ns - ctl_now_ns()) / NS_PER_MS + 1;
  if (ctl_doctor_must_end(doctor)) {
    return 0;
  }
  return left_ms < doctor->answer_ms ? (uint32_t)left_ms + 10
                                     : doctor->answer_ms;
}

static void send_variant(ctl_doctor_answer *answer, const http *self,
                         const variant *what) {
  const char *headers[MAX_HEADERS];
  size_t count = 0;
  const ctl_options *options = self->doctor->options;
  for (size_t i = 0; i < 4 && what->more[i] != NULL; i++) {
    headers[count++] = what->more[i];
  }
  headers[count++] = what->accept != NULL
                         ? what->accept
                         : "Accept: application/json, text/event-stream";
  headers[count++] = "Content-Type: application/json";
  for (size_t i = 0; !what->is_plain && options->headers[i] != NULL &&
                     count < MAX_HEADERS - 4;
       i++) {
    headers[count++] = options->headers[i];
  }
  if (!what->is_plain && self->bearer != NULL) {
    headers[count++] = self->bearer;
  }
  headers[count] = NULL;
  uint32_t limit_ms = ms_left(self->doctor);
  if (limit_ms == 0) {
    *answer = (ctl_doctor_answer){.why = "the time is over"};
    return;
  }
  const ctl_doctor_request request = {
      .method = what->method != NULL ? what->method : "POST",
      .url = self->url,
      .headers = headers,
      .body = what->body,
      .wants_event = what->wants_event};
  ctl_doctor_fetch(answer, options, &request, limit_ms);
}

static int status_of(const http *self, const variant *what) {
  ctl_doctor_answer answer;
  send_variant(&answer, self, what);
  int status = answer.status;
  ctl_doctor_answer_deinit(&answer);
  return status;
}

/* "got 403", for a report. Valid until the next call. */
static const char *got(int status) {
  static char words[32];
  snprintf(words, sizeof(words), "got %d", status);
  return status != 0 ? words : "got no answer";
}

static const char ping[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";

/* Owned. */
static char *initialize_body(const char *revision) {
  char *text = NULL;
  return asprintf(&text,
                  "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\","
                  "\"params\":{\"protocolVersion\":\"%s\",\"capabilities\":{},"
                  "\"clientInfo\":{\"name\":\"mcpctl doctor\",\"version\":"
                  "\"1\"}}}",
                  revision) >= 0
             ? text
             : NULL;
}

/* The header that names the session of an answer. Owned; NULL: it has none. */
static char *session_of(const ctl_doctor_answer *answer) {
  const char *id = ctl_doctor_header(answer, "Mcp-Session-Id");
  char *text = NULL;
  return id != NULL && asprintf(&text, "Mcp-Session-Id: %s", id) >= 0 ? text
                                                                      : NULL;
}

static const char *id_in(const char *session) {
  return session + strlen("Mcp-Session-Id: ");
}

/* Ends a session; returns the status. */
static int end_session(const http *self, const char *session) {
  const variant what = {.method = "DELETE", .more = {session}};
  return session != NULL ? status_of(self, &what) : 0;
}

/* ---- access ------------------------------------------------------------ */

/* The length of the scheme, the host and the port. */
static size_t origin_len(const char *url) {
  const char *host = strstr(url, "://");
  size_t len = host != NULL ? (size_t)(host - url) + 3 : 0;
  return len + strcspn(url + len, "/?#");
}

static int is_origin_of(const char *url, const char *other) {
  size_t len = origin_len(url);
  return strncasecmp(url, other, len) == 0 &&
         (other[len] == '\0' || strchr("/?#", other[len]) != NULL);
}

/* The well-known URL, with the path of the server's or without it. Owned. */
static char *well_known_url(const char *url, int has_path) {
  const char *host = strstr(url, "://");
  const char *path = host != NULL ? host + 3 + strcspn(host + 3, "/?#") : url;
  size_t path_len = strcspn(path, "?#");
  char *text = NULL;
  return asprintf(&text, "%.*s/.well-known/oauth-protected-resource%.*s",
                  (int)(path - url), url,
                  has_path && path_len > 1 ? (int)path_len : 0, path) >= 0
             ? text
             : NULL;
}

static int has_servers(const mcp_json *root) {
  return ctl_json_member(root, "resource") != NULL &&
         mcp_json_string(mcp_json_pointer(root, "/authorization_servers/0")) !=
             NULL;
}

/* Whether there is a document. Reports what the document lacks. */
static int check_metadata_at(const http *self, const char *url) {
  ctl_doctor_answer answer;
  const http there = {.doctor = self->doctor, .url = url};
  const variant what = {
      .method = "GET", .accept = "Accept: application/json", .is_plain = 1};
  send_variant(&answer, &there, &what);
  int is_there = answer.status == 200;
  if (is_there) {
    mcp_doc *doc = mcp_doc_parse(answer.body != NULL ? answer.body : "",
                                 answer.body_len, NULL, NULL, NULL);
    ctl_doctor_expect(self->doctor, CTL_RULE_AUTH_METADATA_INVALID,
                      has_servers(mcp_doc_root(doc)), "%s has %s", url,
                      ctl_doctor_quote(mcp_doc_root(doc)));
    mcp_doc_free(doc);
  }
  ctl_doctor_answer_deinit(&answer);
  return is_there;
}

static int find_metadata(const http *self, const char *named) {
  if (named != NULL && !is_origin_of(self->url, named)) {
    return 1; /* it is not asked: another server may have it */
  }
  if (named != NULL) {
    return check_metadata_at(self, named);
  }
  char *with_path = well_known_url(self->url, 1);
  char *without = well_known_url(self->url, 0);
  int is_there =
      with_path != NULL && without != NULL &&
      (check_metadata_at(self, with_path) || check_metadata_at(self, without));
  free(with_path);
  free(without);
  return is_there;
}

static void check_challenge(const http *self, const ctl_doctor_answer *answer) {
  const char *challenge = ctl_doctor_header(answer, "WWW-Authenticate");
  int is_bearer = challenge == NULL || strcasestr(challenge, "bearer") != NULL;
  ctl_doctor_expect(self->doctor, CTL_RULE_AUTH_CHALLENGE, challenge != NULL,
                    "a request without a token got 401, and no such header");
  if (!is_bearer) {
    return;
  }
  char *named = challenge != NULL ? ctl_doctor_metadata_url(challenge) : NULL;
  ctl_doctor_expect(self->doctor, CTL_RULE_AUTH_METADATA,
                    find_metadata(self, named), "%s: there is no document",
                    named != NULL ? named
                                  : "/.well-known/oauth-protected-resource");
  free(named);
}

static int has_type(const ctl_doctor_answer *answer) {
  static const char json[] = "application/json";
  const char *type = ctl_doctor_header(answer, "Content-Type");
  return ctl_doctor_is_stream(answer) ||
         (type != NULL && strncasecmp(type, json, strlen(json)) == 0);
}

static void check_type(const http *self, const ctl_doctor_answer *answer) {
  const char *type = ctl_doctor_header(answer, "Content-Type");
  ctl_doctor_expect(self->doctor, CTL_RULE_HTTP_CONTENT_TYPE, has_type(answer),
                    "initialize was answered as %s",
                    type != NULL ? type : "nothing");
}

/* ---- the first request ------------------------------------------------- */

static void check_clock(const http *self, const ctl_doctor_answer *answer) {
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
static int has_endpoint_event(const http *self) {
  ctl_doctor_answer answer;
  const variant what = {
      .method = "GET", .accept = "Accept: text/event-stream", .wants_event = 1};
  send_variant(&answer, self, &what);
  int has = ctl_doctor_is_stream(&answer) && answer.body != NULL &&
            strstr(answer.body, "event: endpoint") != NULL;
  ctl_doctor_answer_deinit(&answer);
  return has;
}

/* Where an answer leads within the origin of the URL: clients follow no other
 * redirect. Owned; NULL: nowhere. */
static char *redirect_of(const char *url, const ctl_doctor_answer *answer) {
  const char *to = ctl_doctor_header(answer, "Location");
  char *text = NULL;
  if ((answer->status != 307 && answer->status != 308) || to == NULL) {
    return NULL;
  }
  if (is_origin_of(url, to)) {
    return strdup(to);
  }
  return to[0] == '/' && to[1] != '/' &&
                 asprintf(&text, "%.*s%s", (int)origin_len(url), url, to) >= 0
             ? text
             : NULL;
}

/* Sends a request as clients do, who follow redirects. Sets doctor->moved. */
static void send_first(ctl_doctor_answer *answer, http *self,
                       const variant *what) {
  ctl_doctor *doctor = self->doctor;
  char *to = NULL;
  send_variant(answer, self, what);
  for (int i = 0; i < MAX_REDIRECTS; i++) {
    to = redirect_of(self->url, answer);
    if (to == NULL) {
      return;
    }
    free(doctor->moved);
    doctor->moved = to;
    self->url = to;
    ctl_doctor_answer_deinit(answer);
    send_variant(answer, self, what);
  }
}

void ctl_doctor_http_begin(ctl_doctor *doctor, ctl_doctor_http_first *first) {
  http self = {.doctor = doctor, .url = ctl_target_web(doctor->options->url)};
  char *body = initialize_body("2025-11-25");
  const variant what = {.body = body, .is_plain = 1};
  ctl_doctor_answer answer;
  send_first(&answer, &self, &what);
  first->status = answer.status;
  check_clock(&self, &answer);
  if (answer.status == 401) {
    check_challenge(&self, &answer);
  } else if (answer.status == 200) {
    check_type(&self, &answer);
  }
  if (answer.status == 400 || answer.status == 404 || answer.status == 405) {
    first->speaks_sse = has_endpoint_event(&self);
  }
  char *session = session_of(&answer);
  end_session(&self, session);
  free(session);
  free(body);
  ctl_doctor_answer_deinit(&answer);
}

/* ---- who may ask ------------------------------------------------------- */

static int is_refusal(int status) {
  return status >= 400 && status < 500;
}

/* Sends the request that opens a connection with a further header. Returns the
 * status. */
static int open_with(const http *self, const char *header) {
  char *body = NULL;
  ctl_doctor_answer answer;
  variant what = {.more = {header, "MCP-Protocol-Version: 2026-07-28",
                           "Mcp-Method: server/discover"}};
  if (self->is_sse) {
    what = (variant){.method = "GET",
                     .accept = "Accept: text/event-stream",
                     .more = {header}};
  } else if (self->is_modern) {
    body = strdup("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
                  "\"server/discover\",\"params\":{\"_meta\":{"
                  "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
                  "\"io.modelcontextprotocol/clientCapabilities\":{}}}}");
  } else {
    body = initialize_body(self->revision);
    what.more[1] = NULL;
  }
  what.body = body;
  send_variant(&answer, self, &what);
  char *session = session_of(&answer);
  int status = answer.status;
  end_session(self, session);
  free(session);
  free(body);
  ctl_doctor_answer_deinit(&answer);
  return status;
}

static void check_callers(const http *self) {
  int is_loopback = ctl_doctor_is_loopback(self->url);
  int status = open_with(self, "Origin: " FOREIGN);
  ctl_doctor_expect(self->doctor,
                    is_loopback ? CTL_RULE_ORIGIN_UNCHECKED
                                : CTL_RULE_ORIGIN_UNCHECKED_REMOTE,
                    is_refusal(status), "a request with Origin: %s %s", FOREIGN,
                    got(status));
  if (is_loopback) {
    status = open_with(self, "Host: doctor.invalid");
    ctl_doctor_expect(self->doctor, CTL_RULE_HOST_UNCHECKED, is_refusal(status),
                      "a request with Host: doctor.invalid %s", got(status));
  }
}

static void check_cors(const http *self) {
  ctl_doctor_answer answer;
  const variant what = {.method = "OPTIONS",
                        .more = {"Origin: " FOREIGN,
                                 "Access-Control-Request-Method: POST",
                                 "Access-Control-Request-Headers: content-type,"
                                 "mcp-protocol-version,mcp-session-id"},
                        .is_plain = 1};
  send_variant(&answer, self, &what);
  const char *allowed =
      ctl_doctor_header(&answer, "Access-Control-Allow-Origin");
  const char *headers =
      ctl_doctor_header(&answer, "Access-Control-Allow-Headers");
  ctl_doctor_expect(self->doctor, CTL_RULE_CORS, allowed == NULL,
                    "pages of %s may ask: Access-Control-Allow-Origin: %s, "
                    "Access-Control-Allow-Headers: %s",
                    FOREIGN, allowed != NULL ? allowed : "",
                    headers != NULL ? headers : "(none)");
  ctl_doctor_answer_deinit(&answer);
}

/* ---- answers, up to 2025-11-25 ----------------------------------------- */

static void check_session_id(const http *self, const char *session) {
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
static int open_session(http *self) {
  char *body = initialize_body(self->revision);
  const variant what = {.body = body};
  ctl_doctor_answer answer;
  send_variant(&answer, self, &what);
  int is_open = answer.status == 200;
  if (is_open) {
    self->session = session_of(&answer);
  }
  free(body);
  ctl_doctor_answer_deinit(&answer);
  return is_open;
}

static int takes_version_header(const http *self) {
  return strcmp(self->revision, "2025-06-18") >= 0;
}

/* The headers of a request in the session. */
static variant in_session(const http *self, const char *body) {
  variant what = {.body = body};
  size_t count = 0;
  if (takes_version_header(self)) {
    what.more[count++] = strcmp(self->revision, "2025-06-18") == 0
                             ? "MCP-Protocol-Version: 2025-06-18"
                             : "MCP-Protocol-Version: 2025-11-25";
  }
  what.more[count] = self->session;
  return what;
}

static void check_notification(const http *self) {
  ctl_doctor_answer answer;
  const variant what = in_session(
      self, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
  send_variant(&answer, self, &what);
  ctl_doctor_expect(self->doctor, CTL_RULE_HTTP_NOTIFICATION,
                    answer.status == 202 && answer.body_len == 0,
                    "a notification %s with %zu bytes", got(answer.status),
                    answer.body_len);
  ctl_doctor_answer_deinit(&answer);
}

static void check_version_header(const http *self) {
  variant what = in_session(self, ping);
  if (takes_version_header(self)) {
    what.more[0] = "MCP-Protocol-Version: 1999-01-01";
    int status = status_of(self, &what);
    ctl_doctor_expect(self->doctor, CTL_RULE_HTTP_VERSION, status == 400,
                      "MCP-Protocol-Version: 1999-01-01 %s", got(status));
  }
}

static void check_get(const http *self) {
  ctl_doctor_answer answer;
  variant what = in_session(self, NULL);
  what.method = "GET";
  what.accept = "Accept: text/event-stream";
  send_variant(&answer, self, &what);
  ctl_doctor_expect(self->doctor, CTL_RULE_HTTP_GET,
                    answer.status == 405 ||
                        (answer.status == 200 && ctl_doctor_is_stream(&answer)),
                    "GET %s, and no event stream%s%s", got(answer.status),
                    answer.status == 0 ? ": " : "", answer.why);
  ctl_doctor_answer_deinit(&answer);
}

static void check_accept(const http *self) {
  ctl_doctor_answer answer;
  variant what = in_session(self, ping);
  what.accept = "Accept: application/json";
  send_variant(&answer, self, &what);
  ctl_doctor_expect(self->doctor, CTL_RULE_HTTP_ACCEPT,
                    answer.status != 200 || !ctl_doctor_is_stream(&answer),
                    "a request that accepts only JSON got an event stream");
  ctl_doctor_answer_deinit(&answer);
}

static void check_broken_body(const http *self) {
  const variant what = in_session(self, "{\"jsonrpc\":");
  int status = status_of(self, &what);
  ctl_doctor_expect(self->doctor, CTL_RULE_HTTP_PARSE_ERROR, is_refusal(status),
                    "a body that is not JSON %s", got(status));
}

/* ---- sessions ---------------------------------------------------------- */

static void check_missing_session(const http *self) {
  http without = *self;
  without.session = NULL;
  const variant what = in_session(&without, ping);
  int status = status_of(self, &what);
  ctl_doctor_expect(self->doctor, CTL_RULE_SESSION_MISSING, is_refusal(status),
                    "a request without a session %s", got(status));
}

/* Ends the session, and uses it once more. */
static void check_ended_session(const http *self) {
  http ended = *self;
  int status = end_session(self, self->session);
  int has_ended = status >= 200 && status < 300;
  ctl_doctor_expect(self->doctor, CTL_RULE_HTTP_DELETE,
                    has_ended || status == 405, "DELETE %s", got(status));
  if (!has_ended) {
    static char invented[] =
        "Mcp-Session-Id: 00000000-0000-4000-8000-000000000000";
    ended.session = invented;
  }
  const variant what = in_session(&ended, ping);
  status = status_of(self, &what);
  ctl_doctor_expect(self->doctor, CTL_RULE_SESSION_UNKNOWN, status == 404,
                    "a request of %s session %s",
                    has_ended ? "an ended" : "an unknown", got(status));
}

static void check_sessions(http *self) {
  http other = *self;
  other.session = NULL;
  check_session_id(self, self->session);
  open_session(&other);
  if (other.session != NULL) {
    ctl_doctor_expect(
        self->doctor, CTL_RULE_SESSION_GUESSABLE,
        !ctl_doctor_is_guessable(id_in(self->session), id_in(other.session)),
        "two sessions had the ids %s and %s", id_in(self->session),
        id_in(other.session));
    end_session(self, other.session);
  }
  free(other.session);
  check_missing_session(self);
  check_ended_session(self);
}

static void check_legacy(http *self) {
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

static void check_mirrored(const http *self) {
  ctl_doctor_answer answer;
  const variant what = {
      .body =
          "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\"," META(
              "2026-07-28") "}",
      .more = {"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/list"}};
  send_variant(&answer, self, &what);
  ctl_doctor_expect(self->doctor, CTL_RULE_HEADER_MISMATCH,
                    answer.status == 400 &&
                        code_in(&answer) == MCP_RPC_HEADER_MISMATCH,
                    "server/discover with Mcp-Method: tools/list %s with "
                    "the error %" PRId64,
                    got(answer.status), code_in(&answer));
  ctl_doctor_answer_deinit(&answer);
}

static void check_meta(const http *self) {
  const variant what = {
      .body = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\","
              "\"params\":{}}",
      .more = {"MCP-Protocol-Version: 2026-07-28",
               "Mcp-Method: server/discover"}};
  int status = status_of(self, &what);
  ctl_doctor_expect(self->doctor, CTL_RULE_META_MISSING, status == 400,
                    "a request without _meta %s", got(status));
}

static void check_statuses(const http *self) {
  const variant unknown = {
      .body =
          "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"doctor/unknown\"," META(
              "2026-07-28") "}",
      .more = {"MCP-Protocol-Version: 2026-07-28",
               "Mcp-Method: doctor/unknown"}};
  const variant later = {
      .body =
          "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\"," META(
              "2099-01-01") "}",
      .more = {"MCP-Protocol-Version: 2099-01-01",
               "Mcp-Method: server/discover"}};
  int status = status_of(self, &unknown);
  ctl_doctor_expect(self->doctor, CTL_RULE_MODERN_STATUS, status == 404,
                    "an unknown method %s", got(status));
  status = status_of(self, &later);
  ctl_doctor_expect(self->doctor, CTL_RULE_MODERN_STATUS, status == 400,
                    "an unknown revision %s", got(status));
}

/* ---- all --------------------------------------------------------------- */

/* Owned; NULL: there is none. */
static char *bearer_header(const ctl_options *options) {
  const char *token =
      options->token_env != NULL ? getenv(options->token_env) : NULL;
  char *text = NULL;
  return token != NULL &&
                 asprintf(&text, "Authorization: Bearer %s", token) >= 0
             ? text
             : NULL;
}

void ctl_doctor_check_sse(ctl_doctor *doctor) {
  http self = {.doctor = doctor,
               .url = doctor->moved != NULL
                          ? doctor->moved
                          : ctl_target_web(doctor->options->url),
               .is_sse = 1,
               .bearer = bearer_header(doctor->options)};
  check_callers(&self);
  check_cors(&self);
  free(self.bearer);
}

void ctl_doctor_check_http(ctl_doctor *doctor, const char *revision,
                           int is_modern) {
  http self = {.doctor = doctor,
               .url =
                   doctor->moved != NULL ? doctor->moved : doctor->options->url,
               .revision = revision,
               .is_modern = is_modern,
               .bearer = bearer_header(doctor->options)};
  check_callers(&self);
  check_cors(&self);
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
