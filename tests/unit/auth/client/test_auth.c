/* SPDX-License-Identifier: MIT */
/* Whole logins: requests, an mcp_auth and the real flow, on a platform whose
 * HTTP servers the test plays. */
#include "auth/client/auth.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/flow_rig.h"
#include <stdio.h>
#include <string.h>

#define WALL_MS INT64_C(1700000000000)
#define TOKEN(access, more)                                                    \
  "{\"access_token\":\"" access "\",\"token_type\":\"Bearer\"" more "}"

static flow_rig rig;
static mcp_auth *auth;
static mcpi_auth_request request;
static char sent[256]; /* the headers of the last request; "": it waits */
static mcp_error failure;
static char page[1024];
static uint64_t login;
static int64_t now_ms;

/* --- the host and the program --------------------------------------------- */

static const char *host_open_redirect(void *host, mcp_auth *of, uint64_t number,
                                      const char *wish, mcp_error *err) {
  return RIG_REDIRECT;
}

static void host_await_redirect(void *host, uint64_t number) {
}

static void host_close_redirect(void *host, uint64_t number,
                                const mcp_error *err) {
}

static int host_open_browser(void *host, const char *url, mcp_error *err) {
  snprintf(page, sizeof(page), "%s", url);
  return 0;
}

static void host_release(void *host) {
}

static const mcpi_auth_host host = {host_open_redirect, host_await_redirect,
                                    host_close_redirect, host_open_browser,
                                    host_release};

/* --- the transport -------------------------------------------------------- */

static int send_request(void) {
  mcpi_auth_headers headers;
  sent[0] = '\0';
  int rc = mcpi_auth_prepare(&request, "POST", RIG_SERVER, &headers, &failure);
  if (rc == 0) {
    snprintf(
        sent, sizeof(sent), "%.*s%s%.*s",
        headers.authorization.ptr != NULL ? (int)headers.authorization.len : 1,
        headers.authorization.ptr != NULL ? headers.authorization.ptr : "-",
        headers.dpop.ptr != NULL ? " " : "", headers.dpop.ptr != NULL ? 10 : 0,
        headers.dpop.ptr != NULL ? headers.dpop.ptr : "");
  }
  return rc;
}

static void on_ready(mcpi_auth_request *self, const mcp_error *err) {
  if (err != NULL) {
    failure = *err;
  } else {
    send_request();
  }
}

static void turn(int64_t time_ms) {
  now_ms += time_ms;
  mcp_loop_advance(rig.loop, now_ms, WALL_MS + now_ms);
}

static int refuse(int status, const char *challenge, const char *nonce) {
  mcpi_auth_answer answer;
  char line[256];
  mcpi_auth_answer_init(&answer, mcp_allocator_default());
  snprintf(line, sizeof(line), "WWW-Authenticate: %s", challenge);
  mcpi_auth_answer_take(&answer, mcpi_str_z(line));
  if (nonce != NULL) {
    snprintf(line, sizeof(line), "DPoP-Nonce: %s", nonce);
    mcpi_auth_answer_take(&answer, mcpi_str_z(line));
  }
  mcpi_auth_note_answer(&request, &answer);
  int rc = mcpi_auth_refused(&request, status, &answer, NULL, &failure);
  mcpi_auth_answer_deinit(&answer);
  turn(0);
  return rc;
}

static void new_request(void) {
  failure.code = 0;
  mcpi_auth_server *server = mcpi_auth_server_ref(auth, RIG_SERVER, &failure);
  mcpi_auth_request_deinit(&request);
  mcpi_auth_request_init(&request, server, on_ready, NULL);
  mcpi_auth_server_unref(server);
}

/* Returns 0 or MCP_ERR_NOMEM. */
static int open_auth(const mcp_allocator *allocator) {
  mcp_auth_options options = MCP_AUTH_OPTIONS_INIT;
  int rc = flow_rig_init(&rig, allocator);
  request = (mcpi_auth_request){.server = NULL};
  auth = NULL;
  now_ms = 0;
  if (rc != 0) {
    return rc;
  }
  rig.loop->platform.clock = NULL;
  rig.options.ca_file = NULL;
  rig.options.proxy = NULL;
  options.fetch_timeout_ms = rig.options.fetch_timeout_ms;
  auth = mcpi_auth_new(rig.loop, &options, &host, NULL, &failure);
  if (auth == NULL) {
    return failure.code;
  }
  turn(0);
  new_request();
  return failure.code;
}

static void close_auth(void) {
  mcpi_auth_request_deinit(&request);
  mcp_auth_free(auth);
  flow_rig_deinit(&rig);
}

static int set_up(void **state) {
  return open_auth(NULL);
}

static int tear_down(void **state) {
  close_auth();
  return 0;
}

#define AUTH_TEST(name) TEST_WITH(name, set_up, tear_down)

/* Sends the request, and lets the server answer 401. */
static void meet_401(const char *challenge) {
  if (send_request() == MCP_PENDING) {
    turn(0);
  }
  assert_int_equal(refuse(401, challenge, NULL), MCP_PENDING);
}

/* The `state` of the page comes back with a code. */
static void agree(void) {
  char url[256];
  const char *state = strstr(page, "&state=");
  assert_non_null(state);
  snprintf(url, sizeof(url), RIG_REDIRECT "?code=the-code&%.*s",
           (int)strcspn(state + 1, "&"), state + 1);
  login++;
  while (login < 20 && mcp_auth_redirected(auth, login, url, NULL) != 0) {
    login++;
  }
  assert_true(login < 20);
}

static void answer(const char *body) {
  flow_rig_answer(&rig, 200, NULL, body);
}

/* A login by all steps, with a token at the end. */
static void log_in(const char *challenge, const char *token) {
  login = 0;
  meet_401(challenge);
  answer(RIG_RESOURCE);
  answer(RIG_METADATA);
  flow_rig_answer(&rig, 201, NULL, "{\"client_id\":\"id1\"}");
  agree();
  answer(token);
}

static void assert_log_has(const char *part, int is_there) {
  const char *log = flow_rig_take_log(&rig);
  if ((strstr(log, part) != NULL) != is_there) {
    fail_msg("\"%s\" is%s in:\n%s", part, is_there ? " not" : "", log);
  }
}

/* --- logins --------------------------------------------------------------- */

AUTH_TEST(a_request_logs_in_and_goes) {
  log_in("Bearer scope=\"read\"", TOKEN("first", ""));
  assert_string_equal(sent, "Bearer first");
  assert_non_null(strstr(page, "scope=read"));
}

AUTH_TEST(a_renewal_that_is_refused_leads_to_a_new_login) {
  log_in("Bearer", TOKEN("first", ",\"refresh_token\":\"the-refresh\","
                                  "\"expires_in\":3600"));
  flow_rig_take_log(&rig);
  turn(3600000);
  new_request();
  assert_int_equal(send_request(), MCP_PENDING);
  turn(0);
  answer(RIG_METADATA);
  assert_log_has("grant_type=refresh_token&refresh_token=the-refresh", 1);
  answer(TOKEN("second", ",\"expires_in\":60"));
  assert_string_equal(sent, "Bearer second");
  turn(60000);
  assert_int_equal(send_request(), MCP_PENDING);
  turn(0);
  assert_log_has("refresh_token=the-refresh", 1); /* the old one is kept */
  flow_rig_answer(&rig, 400, NULL, "{\"error\":\"invalid_grant\"}");
  assert_string_equal(sent, "-");
  assert_int_equal(refuse(401, "Bearer", NULL), MCP_PENDING);
  answer(RIG_RESOURCE);
  answer(RIG_METADATA); /* the old ones were dropped */
  agree();
  answer(TOKEN("third", ""));
  assert_string_equal(sent, "Bearer third");
  assert_log_has("/register", 0);
}

AUTH_TEST(
    an_authorization_server_that_is_down_does_not_lose_the_refresh_token) {
  log_in("Bearer", TOKEN("first", ",\"refresh_token\":\"the-refresh\","
                                  "\"expires_in\":3600"));
  turn(3600000);
  new_request();
  send_request();
  turn(0);
  answer(RIG_METADATA);
  flow_rig_answer(&rig, 503, NULL, "");
  assert_int_equal(failure.code, MCP_ERR_IO);
  assert_int_equal(send_request(), MCP_PENDING);
  turn(0);
  answer(RIG_METADATA); /* the old ones were dropped */
  answer(TOKEN("second", ""));
  assert_string_equal(sent, "Bearer second");
}

/* MCP, Authorization: Authorization Server Binding. */
AUTH_TEST(a_new_authorization_server_gets_nothing_of_the_old_one) {
  log_in("Bearer", TOKEN("first", ""));
  flow_rig_take_log(&rig);
  new_request();
  meet_401("Bearer");
  answer("{\"resource\":\"" RIG_SERVER
         "\",\"authorization_servers\":[\"https://new.test\"]}");
  answer("{\"issuer\":\"https://new.test\","
         "\"authorization_endpoint\":\"https://new.test/authorize\","
         "\"token_endpoint\":\"https://new.test/token\","
         "\"code_challenge_methods_supported\":[\"S256\"],"
         "\"registration_endpoint\":\"https://new.test/register\","
         "\"token_endpoint_auth_methods_supported\":[\"none\"]}");
  flow_rig_answer(&rig, 201, NULL, "{\"client_id\":\"id2\"}");
  agree();
  answer(TOKEN("second", ""));
  assert_string_equal(sent, "Bearer second");
  assert_non_null(strstr(page, "https://new.test/authorize"));
  assert_null(strstr(page, "id1"));
  const char *log = flow_rig_take_log(&rig);
  assert_non_null(strstr(log, "POST https://new.test/register"));
  assert_null(strstr(log, "id1"));
  assert_null(strstr(log, "first"));
}

AUTH_TEST(a_step_up_asks_for_old_and_new_scopes_without_registering) {
  log_in("Bearer scope=\"read\"", TOKEN("first", ""));
  flow_rig_take_log(&rig);
  assert_int_equal(
      refuse(403, "Bearer error=\"insufficient_scope\", scope=\"write\"", NULL),
      MCP_PENDING);
  answer(RIG_RESOURCE);
  assert_log_has("/register", 0);
  assert_non_null(strstr(page, "scope=read+write"));
  agree();
  answer(TOKEN("second", ""));
  assert_string_equal(sent, "Bearer second");
}

/* The authorization server may grant less than was asked for, and a renewal
 * asks for nothing new. */
AUTH_TEST(a_step_up_asks_again_for_scopes_that_were_not_granted) {
  log_in("Bearer scope=\"read profile\"",
         TOKEN("first", ",\"scope\":\"read\",\"expires_in\":3600,"
                        "\"refresh_token\":\"the-refresh\""));
  turn(3600000);
  new_request();
  assert_int_equal(send_request(), MCP_PENDING);
  turn(0);
  answer(RIG_METADATA);
  answer(TOKEN("second", ",\"scope\":\"read\",\"expires_in\":3600"));
  assert_int_equal(
      refuse(403, "Bearer error=\"insufficient_scope\", scope=\"write\"", NULL),
      MCP_PENDING);
  answer(RIG_RESOURCE);
  assert_non_null(strstr(page, "scope=read+profile+write"));
}

AUTH_TEST(a_user_who_denies_ends_the_login) {
  meet_401("Bearer");
  answer(RIG_RESOURCE);
  answer(RIG_METADATA);
  flow_rig_answer(&rig, 201, NULL, "{\"client_id\":\"id1\"}");
  assert_int_equal(mcp_auth_abandon(auth, 1, "the user closed it", NULL), 0);
  assert_int_equal(failure.code, MCP_ERR_REFUSED);
  assert_string_equal(failure.message, "the user closed it");
  flow_rig_take_log(&rig);
  new_request();
  meet_401("Bearer");
  answer(RIG_RESOURCE);
  assert_log_has("/register", 0); /* the registration was kept */
}

AUTH_TEST(a_bound_token_needs_a_proof_with_the_nonce) {
  meet_401("DPoP algs=\"ES256\"");
  answer(RIG_RESOURCE);
  answer(RIG_METADATA_WITH(
      RIG_PUBLIC ",\"dpop_signing_alg_values_supported\":[\"ES256\"]"));
  flow_rig_answer(&rig, 201, NULL, "{\"client_id\":\"id1\"}");
  login = 0;
  agree();
  answer("{\"access_token\":\"first\",\"token_type\":\"DPoP\"}");
  assert_string_equal(sent, "DPoP first eyJ0eXAiOi");
  assert_int_equal(refuse(401, "DPoP error=\"use_dpop_nonce\"", "n1"), 0);
  assert_int_equal(send_request(), 0);
  assert_string_equal(sent, "DPoP first eyJ0eXAiOi");
}

static int done_code;

static void on_done(mcp_auth *of, const mcp_error *err, void *userdata) {
  done_code = err != NULL ? err->code : 1;
}

AUTH_TEST(a_logout_revokes_the_refresh_token) {
  login = 0;
  meet_401("Bearer");
  answer(RIG_RESOURCE);
  answer(RIG_METADATA_WITH(
      RIG_PUBLIC ",\"revocation_endpoint\":\"https://as.test/revoke\""));
  flow_rig_answer(&rig, 201, NULL, "{\"client_id\":\"id1\"}");
  agree();
  answer(TOKEN("first", ",\"refresh_token\":\"the-refresh\""));
  flow_rig_take_log(&rig);
  assert_int_equal(mcp_auth_logout(auth, RIG_SERVER, on_done, NULL, NULL), 0);
  turn(0);
  assert_log_has("POST https://as.test/revoke", 1);
  answer("");
  for (int others = 0; others < 3; others++) {
    turn(0); /* the records of other grants */
  }
  assert_int_equal(done_code, 1);
  assert_int_equal(send_request(), 0);
  assert_string_equal(sent, "-");
}

AUTH_TEST(the_mcp_auth_may_be_freed_while_the_flow_fetches) {
  meet_401("Bearer");
  mcp_auth_free(auth);
  auth = NULL;
  assert_int_equal(failure.code, MCP_ERR_CLOSED);
  assert_log_has("cancel", 1);
}

/* --- memory --------------------------------------------------------------- */

/* Answers what is asked, until nothing is. */
static void play_servers(void) {
  for (int left = 20; left > 0; left--) {
    const char *log = flow_rig_take_log(&rig);
    turn(0);
    if (rig.done == NULL && page[0] != '\0') {
      char url[256];
      const char *state = strstr(page, "&state=");
      snprintf(url, sizeof(url), "?code=c&%.*s", (int)strcspn(state + 1, "&"),
               state + 1);
      page[0] = '\0';
      mcp_auth_redirected(auth, 1, url, NULL);
    } else if (rig.done == NULL) {
      continue;
    } else if (strstr(log, "oauth-protected-resource") != NULL) {
      answer(RIG_RESOURCE);
    } else if (strstr(log, "oauth-authorization-server") != NULL) {
      answer(RIG_METADATA);
    } else if (strstr(log, "/register") != NULL) {
      flow_rig_answer(&rig, 201, NULL, "{\"client_id\":\"id1\"}");
    } else {
      answer(TOKEN("first", ""));
    }
  }
}

static int scenario(const mcp_allocator *allocator, void *userdata) {
  page[0] = '\0';
  int rc = open_auth(allocator);
  if (rc == 0) {
    rc = send_request();
    turn(0);
  }
  if (rc >= 0 && failure.code == 0) {
    rc = refuse(401, "Bearer", NULL);
    play_servers();
    if (rc >= 0 && strcmp(sent, "Bearer first") != 0) {
      rc = failure.code != 0 ? failure.code : MCP_ERR_NOMEM;
    }
  }
  if (rc >= 0) {
    rc = failure.code;
  }
  close_auth();
  return rc;
}

TEST(running_out_of_memory_is_an_error) {
  failing_alloc_rerun_least(40, scenario, NULL);
}
