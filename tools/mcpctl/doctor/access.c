/* SPDX-License-Identifier: MIT */
#include "doctor/access.h"
#include "common/find.h"
#include "common/json.h"
#include "doctor/compose.h"
#include "doctor/judge.h"
#include "doctor/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- logins ------------------------------------------------------------ */

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
static int check_metadata_at(const ctl_doctor_web *self, const char *url) {
  ctl_doctor_answer answer;
  const ctl_doctor_web there = {.doctor = self->doctor, .url = url};
  const ctl_doctor_variant what = {
      .method = "GET", .accept = "Accept: application/json", .is_plain = 1};
  ctl_doctor_send(&answer, &there, &what);
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

static int find_metadata(const ctl_doctor_web *self, const char *named) {
  if (named != NULL && !ctl_doctor_is_origin_of(self->url, named)) {
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

/* The challenge for access tokens; else the first one of all. NULL: there is
 * none. */
static const char *find_challenge(const ctl_doctor_answer *answer) {
  static const char name[] = "WWW-Authenticate";
  const char *first = ctl_doctor_header(answer, name);
  const char *one = first;
  while (one != NULL && ctl_find_word(one, "bearer") == NULL) {
    one = ctl_doctor_next_header(answer, name, one);
  }
  return one != NULL ? one : first;
}

void ctl_doctor_check_challenge(const ctl_doctor_web *self,
                                const ctl_doctor_answer *answer) {
  const char *challenge = find_challenge(answer);
  int is_bearer =
      challenge == NULL || ctl_find_word(challenge, "bearer") != NULL;
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

/* ---- foreign pages ----------------------------------------------------- */

/* Sends the request that opens a connection with a further header. Returns the
 * status. */
static int open_with(const ctl_doctor_web *self, const char *header,
                     int is_plain) {
  char *body = NULL;
  ctl_doctor_answer answer;
  ctl_doctor_variant what = {.more = {header,
                                      "MCP-Protocol-Version: 2026-07-28",
                                      "Mcp-Method: server/discover"}};
  if (self->is_sse) {
    what = (ctl_doctor_variant){.method = "GET",
                                .accept = "Accept: text/event-stream",
                                .more = {header}};
  } else if (self->is_modern) {
    body = ctl_doctor_compose(self->revision, "1", "server/discover", NULL);
  } else {
    body = ctl_doctor_initialize_body(self->revision);
    what.more[1] = NULL;
  }
  what.body = body;
  what.is_plain = is_plain;
  ctl_doctor_send(&answer, self, &what);
  char *session = ctl_doctor_session_of(&answer);
  int status = answer.status;
  ctl_doctor_end_session(self, session);
  free(session);
  free(body);
  ctl_doctor_answer_deinit(&answer);
  return status;
}

void ctl_doctor_check_callers(const ctl_doctor_web *self) {
  int is_loopback = ctl_doctor_is_loopback(self->url);
  int status = open_with(self, "Origin: " CTL_DOCTOR_FOREIGN, 0);
  ctl_doctor_expect(self->doctor,
                    is_loopback ? CTL_RULE_ORIGIN_UNCHECKED
                                : CTL_RULE_ORIGIN_UNCHECKED_REMOTE,
                    ctl_doctor_is_refusal(status),
                    "a request with Origin: %s %s", CTL_DOCTOR_FOREIGN,
                    ctl_doctor_got(status));
  if (is_loopback) {
    /* A proxy may take the name for another server, so it gets no credentials.
     * A page has none either. */
    status = open_with(self, "Host: doctor.invalid", 1);
    ctl_doctor_expect(
        self->doctor, CTL_RULE_HOST_UNCHECKED, ctl_doctor_is_refusal(status),
        "a request with Host: doctor.invalid %s", ctl_doctor_got(status));
  }
}

void ctl_doctor_check_cors(const ctl_doctor_web *self) {
  ctl_doctor_answer answer;
  const ctl_doctor_variant what = {
      .method = "OPTIONS",
      .more = {"Origin: " CTL_DOCTOR_FOREIGN,
               "Access-Control-Request-Method: POST",
               "Access-Control-Request-Headers: content-type,"
               "mcp-protocol-version,mcp-session-id"},
      .is_plain = 1};
  ctl_doctor_send(&answer, self, &what);
  const char *allowed =
      ctl_doctor_header(&answer, "Access-Control-Allow-Origin");
  const char *headers =
      ctl_doctor_header(&answer, "Access-Control-Allow-Headers");
  ctl_doctor_expect(self->doctor, CTL_RULE_CORS, allowed == NULL,
                    "pages of %s may ask: Access-Control-Allow-Origin: %s, "
                    "Access-Control-Allow-Headers: %s",
                    CTL_DOCTOR_FOREIGN, allowed != NULL ? allowed : "",
                    headers != NULL ? headers : "(none)");
  ctl_doctor_answer_deinit(&answer);
}
