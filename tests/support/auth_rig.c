/* SPDX-License-Identifier: MIT */
#include "support/auth_rig.h"

#include "support/cm.h"
#include <stdio.h>
#include <string.h>

auth_rig *auth_rig_now;

/* --- the flow ------------------------------------------------------------- */

static void flow_done(mcpi_flow *flow, mcpi_flow_result *result) {
  flow->start.host->on_done(flow->start.host_object, result);
}

void auth_rig_fail(auth_rig *rig, int code, const char *why) {
  mcpi_flow_abandon(rig->flow, code, why);
}

void auth_rig_refuse_refresh(auth_rig *rig) {
  mcpi_flow_result result = {.registered.expires_ms = INT64_MAX,
                             .is_refresh_refused = 1};
  mcp_error_set(&result.why, MCP_ERR_REFUSED, "invalid_grant");
  flow_done(rig->flow, &result);
}

void auth_rig_fail_with_status(auth_rig *rig, int status, const char *why) {
  mcpi_flow_result result = {.registered.expires_ms = INT64_MAX};
  mcp_error_set(&result.why, MCP_ERR_REFUSED, "%s", why);
  result.why.status = status;
  flow_done(rig->flow, &result);
}

void auth_rig_fail_with_client(auth_rig *rig, const char *client_id) {
  const mcp_allocator *allocator = &rig->loop->allocator;
  mcpi_flow_result result = {.registered.expires_ms = INT64_MAX};
  mcp_error_set(&result.why, MCP_ERR_REFUSED, "access_denied");
  result.drops_registration = client_id == NULL;
  if (client_id != NULL) {
    result.registered.client_id = mcpi_strdup(allocator, client_id);
    result.registered.issuer = mcpi_strdup(allocator, "https://as.example");
    result.registered.method = MCPI_CLIENT_NONE;
    result.registered.is_registered = 1;
  }
  flow_done(rig->flow, &result);
  mcpi_registration_deinit(&result.registered, allocator);
}

/* Without memory, the flow fails. */
void auth_rig_token(auth_rig *rig, const char *access, const char *refresh,
                    int64_t left_ms, const char *key, const char *scopes) {
  const mcp_allocator *allocator = &rig->loop->allocator;
  int is_new = rig->flow->kind == RIG_FLOW_LOG_IN;
  const mcpi_token text = {
      .access = (char *)access,
      .refresh = (char *)refresh,
      .issuer = (char *)"https://as.example",
      .client_id = (char *)"client",
      .scopes = (char *)(scopes != NULL ? scopes : rig->flow->demanded),
      .asked = (char *)(is_new ? scopes : NULL),
      .key = (char *)key,
      .expires_ms = left_ms == INT64_MAX ? INT64_MAX : rig->wall_ms + left_ms};
  mcpi_flow_result result = {.registered.expires_ms = INT64_MAX};
  result.token = mcpi_token_copy(&text, allocator);
  if (result.token == NULL) {
    auth_rig_fail(rig, MCP_ERR_NOMEM, "out of memory");
    return;
  }
  flow_done(rig->flow, &result);
  mcpi_token_free(result.token, allocator);
}

static mcp_auth_prompt flow_prompt(const auth_rig *rig) {
  return (mcp_auth_prompt){.size = sizeof(mcp_auth_prompt),
                           .login = rig->flow->start.login,
                           .server_url = rig->flow->start.server_url,
                           .issuer = "https://as.example",
                           .scopes = "",
                           .url = "https://as.example/authorize"};
}

int auth_rig_flow_browse(auth_rig *rig, mcp_error *err) {
  const mcpi_flow_host *host = rig->flow->start.host;
  void *object = rig->flow->start.host_object;
  mcp_auth_prompt prompt = flow_prompt(rig);
  prompt.redirect_uri = host->redirect_uri(object, NULL, err);
  if (prompt.redirect_uri == NULL) {
    return MCP_ERR_IO;
  }
  return host->browse(object, &prompt, err);
}

int auth_rig_flow_browse_again(auth_rig *rig, mcp_error *err) {
  mcp_auth_prompt prompt = flow_prompt(rig);
  return rig->flow->start.host->browse(rig->flow->start.host_object, &prompt,
                                       err);
}

int auth_rig_flow_ask(auth_rig *rig, mcp_error *err) {
  mcp_auth_prompt prompt = flow_prompt(rig);
  return rig->flow->start.host->get_assertion(rig->flow->start.host_object,
                                              &prompt, err);
}

int auth_rig_flow_get_client(auth_rig *rig, mcp_error *err) {
  mcp_auth_prompt prompt = flow_prompt(rig);
  return rig->flow->start.host->get_client(rig->flow->start.host_object,
                                           &prompt, err);
}

/* --- the host ------------------------------------------------------------- */

static const char *rig_open_redirect(void *host, mcp_auth *auth, uint64_t login,
                                     const char *wish, mcp_error *err) {
  auth_rig *rig = host;
  rig->redirects_opened++;
  return "http://127.0.0.1:1234/callback";
}

static void rig_await_redirect(void *host, uint64_t login) {
  auth_rig *rig = host;
  rig->redirects_awaited++;
}

static void rig_close_redirect(void *host, uint64_t login,
                               const mcp_error *err) {
  auth_rig *rig = host;
  rig->redirects_closed++;
  rig->close_code = err != NULL ? err->code : 0;
}

static int rig_open_browser(void *host, const char *url, mcp_error *err) {
  auth_rig *rig = host;
  rig->browsers++;
  if (rig->browser_result != 0) {
    mcp_error_set(err, rig->browser_result, "there is no browser");
  }
  return rig->browser_result;
}

static void rig_release(void *host) {
  auth_rig *rig = host;
  rig->host_releases++;
}

static const mcpi_auth_host rig_host = {rig_open_redirect, rig_await_redirect,
                                        rig_close_redirect, rig_open_browser,
                                        rig_release};

/* --- the store ------------------------------------------------------------ */

/* The library has at most one take of a key under way with one argument. */
typedef struct rig_taking {
  auth_rig *rig;
  mcp_auth_record_cb done;
  void *argument;
} rig_taking;

static rig_taking rig_takings[RIG_TAKES_MAX];

static void rig_on_taken(void *argument, const mcp_error *err, const char *text,
                         size_t len) {
  rig_taking taking = *(rig_taking *)argument;
  ((rig_taking *)argument)->rig = NULL;
  if (err == NULL) {
    taking.rig->taken++;
  }
  taking.done(taking.argument, err, text, len);
}

static int rig_take_now(auth_rig *rig, const char *key, mcp_auth_record_cb done,
                        void *argument, mcp_error *err) {
  size_t i = 0;
  while (rig_takings[i].rig != NULL) {
    i++;
    assert_true(i < RIG_TAKES_MAX);
  }
  rig_takings[i] = (rig_taking){rig, done, argument};
  int rc = rig->memory.take(rig->memory.userdata, key, rig_on_taken,
                            &rig_takings[i], err);
  if (rc != 0) {
    rig_takings[i].rig = NULL;
  }
  return rc;
}

static int rig_store_take(void *userdata, const char *key,
                          mcp_auth_record_cb done, void *argument,
                          mcp_error *err) {
  auth_rig *rig = userdata;
  if (rig->take_result != 0) {
    return rig->take_result; /* and a careless store sets no err */
  }
  if (rig->take_error != 0) {
    mcp_error why;
    mcp_error_set(&why, rig->take_error, "the disk is broken");
    done(argument, &why, NULL, 0);
    return 0;
  }
  if (rig->is_slow) {
    assert_true(rig->take_count < RIG_TAKES_MAX);
    rig->takes[rig->take_count++] = (rig_take){key, done, argument};
    return 0;
  }
  return rig_take_now(rig, key, done, argument, err);
}

static void rig_store_cancel(void *userdata, const char *key, void *argument) {
  auth_rig *rig = userdata;
  for (size_t i = 0; i < rig->take_count; i++) {
    if (rig->takes[i].argument == argument) {
      rig->takes[i] = rig->takes[--rig->take_count];
      return;
    }
  }
  for (size_t i = 0; i < RIG_TAKES_MAX; i++) {
    if (rig_takings[i].rig != NULL && rig_takings[i].argument == argument) {
      rig->memory.cancel(rig->memory.userdata, key, &rig_takings[i]);
      rig_takings[i].rig = NULL;
      return;
    }
  }
  fail_msg("a take is cancelled that does not wait");
}

static int rig_store_give(void *userdata, const char *key, const char *text,
                          size_t len, mcp_error *err) {
  auth_rig *rig = userdata;
  rig->taken--;
  rig->gives++;
  if (rig->give_result != 0) {
    rig->memory.give(rig->memory.userdata, key, NULL, 0, NULL);
    return mcp_error_set(err, rig->give_result, "the disk is full");
  }
  return rig->memory.give(rig->memory.userdata, key, text, len, err);
}

static int rig_store_list(void *userdata,
                          void (*each)(void *argument, const char *key),
                          void *argument, mcp_error *err) {
  auth_rig *rig = userdata;
  return rig->memory.list(rig->memory.userdata, each, argument, err);
}

static void rig_store_release(void *userdata) {
  auth_rig *rig = userdata;
  assert_int_equal(rig->taken, 0);
  assert_int_equal(rig->take_count, 0);
  rig->store_releases++;
}

void auth_rig_store_go_on(auth_rig *rig) {
  for (size_t left = rig->take_count; left > 0; left--) {
    rig_take take = rig->takes[0];
    rig->take_count--;
    memmove(rig->takes, rig->takes + 1, rig->take_count * sizeof(take));
    assert_int_equal(
        rig_take_now(rig, take.key, take.done, take.argument, NULL), 0);
  }
}

/* --- records -------------------------------------------------------------- */

typedef struct rig_record {
  char *out;
  size_t size;
} rig_record;

static void rig_on_record(void *argument, const mcp_error *err,
                          const char *text, size_t len) {
  const rig_record *record = argument;
  assert_null(err);
  snprintf(record->out, record->size, "%.*s", (int)len,
           text != NULL ? text : "");
}

void auth_rig_get(auth_rig *rig, const char *url, char *out, size_t size) {
  rig_record record = {out, size};
  assert_int_equal(
      rig->memory.take(rig->memory.userdata, url, rig_on_record, &record, NULL),
      0);
  rig->memory.give(rig->memory.userdata, url, NULL, 0, NULL);
}

void auth_rig_put(auth_rig *rig, const char *url, const char *text) {
  char old[16];
  rig_record record = {old, sizeof(old)};
  assert_int_equal(
      rig->memory.take(rig->memory.userdata, url, rig_on_record, &record, NULL),
      0);
  assert_int_equal(rig->memory.give(rig->memory.userdata, url,
                                    text != NULL ? text : "",
                                    text != NULL ? strlen(text) : 0, NULL),
                   0);
}

/* --- the platform --------------------------------------------------------- */

static void rig_clock(void *userdata, int64_t *now_ms, int64_t *wall_ms) {
  const auth_rig *rig = userdata;
  if (now_ms != NULL) {
    *now_ms = rig->now_ms;
  }
  if (wall_ms != NULL) {
    *wall_ms = rig->wall_ms;
  }
}

static int rig_random(void *userdata, void *bytes, size_t len) {
  memset(bytes, 7, len);
  return 0;
}

static int rig_key_from_pem(void *userdata, const char *pem, size_t len,
                            mcp_key **out) {
  auth_rig *rig = userdata;
  if (strncmp(pem, "PEM", 3) != 0) {
    return MCP_ERR_INVALID;
  }
  rig->keys_alive++;
  *out = (mcp_key *)(void *)rig;
  return 0;
}

static void rig_key_free(void *userdata, mcp_key *key) {
  auth_rig *rig = userdata;
  if (key != NULL) {
    rig->keys_alive--;
  }
}

static const mcp_crypto rig_crypto = {.size = sizeof(rig_crypto),
                                      .key_from_pem = rig_key_from_pem,
                                      .key_free = rig_key_free};

static int rig_fetch(void *userdata, const mcp_fetch_request *request,
                     mcp_fetch_done_cb done, void *argument, mcp_fetch **out) {
  auth_rig *rig = userdata;
  assert_null(rig->fetch_done);
  if (rig->fetch_result != 0) {
    return rig->fetch_result;
  }
  assert_string_equal(request->method, "GET");
  rig->fetches++;
  rig->fetch_done = done;
  rig->fetch_argument = argument;
  *out = (mcp_fetch *)(void *)rig;
  return 0;
}

static void rig_fetch_cancel(void *userdata, mcp_fetch *fetch) {
  auth_rig *rig = userdata;
  assert_ptr_equal(fetch, rig);
  assert_non_null(rig->fetch_done);
  rig->fetch_done = NULL;
  rig->fetch_cancels++;
}

static void rig_fetch_end(auth_rig *rig, const mcp_fetch_answer *answer) {
  mcp_fetch_done_cb done = rig->fetch_done;
  assert_non_null(done);
  rig->fetch_done = NULL;
  done(answer, rig->fetch_argument);
}

void auth_rig_answer(auth_rig *rig, int status, const char *name,
                     const char *value) {
  const mcp_http_header header = {name, value};
  const mcp_fetch_answer answer = {.size = sizeof(answer),
                                   .status = status,
                                   .headers = &header,
                                   .header_count = name != NULL};
  rig_fetch_end(rig, &answer);
}

void auth_rig_answer_error(auth_rig *rig, int error) {
  const mcp_fetch_answer answer = {
      .size = sizeof(answer), .error = error, .why = "no route"};
  rig_fetch_end(rig, &answer);
}

/* --- life ----------------------------------------------------------------- */

int auth_rig_init(auth_rig *rig, const mcp_allocator *allocator) {
  *rig = (auth_rig){
      .now_ms = 1000, .wall_ms = 1000000, .options = MCP_AUTH_OPTIONS_INIT};
  memset(rig_takings, 0, sizeof(rig_takings));
  auth_rig_now = rig;
  const mcp_platform platform = {.size = sizeof(platform),
                                 .userdata = rig,
                                 .clock = rig_clock,
                                 .random = rig_random,
                                 .crypto = &rig_crypto,
                                 .fetch = rig_fetch,
                                 .fetch_cancel = rig_fetch_cancel};
  rig->loop = mcp_loop_new_manual(&platform, allocator, NULL);
  if (rig->loop == NULL) {
    return MCP_ERR_NOMEM;
  }
  rig->memory = (mcp_auth_store)MCP_AUTH_STORE_INIT;
  if (mcp_auth_store_memory(&rig->memory, rig->loop) != 0) {
    mcp_loop_free(rig->loop);
    rig->loop = NULL;
    return MCP_ERR_NOMEM;
  }
  rig->options.userdata = rig;
  return 0;
}

mcp_auth *auth_rig_open_another(auth_rig *rig) {
  const mcp_auth_store store = {.size = sizeof(store),
                                .userdata = rig,
                                .take = rig_store_take,
                                .cancel = rig_store_cancel,
                                .give = rig_store_give,
                                .list = rig_store_list,
                                .release = rig_store_release};
  rig->options.store = &store;
  mcp_error err = {.code = 0};
  mcp_auth *auth =
      mcpi_auth_new(rig->loop, &rig->options, &rig_host, rig, &err);
  rig->options.store = NULL;
  assert_true(auth != NULL || err.code == MCP_ERR_NOMEM);
  return auth;
}

int auth_rig_open(auth_rig *rig) {
  rig->auth = auth_rig_open_another(rig);
  return rig->auth != NULL ? 0 : MCP_ERR_NOMEM;
}

void auth_rig_deinit(auth_rig *rig) {
  mcp_auth_free(rig->auth);
  assert_int_equal(rig->flows_alive, 0);
  assert_int_equal(rig->keys_alive, 0);
  assert_int_equal(rig->redirects_opened, rig->redirects_closed);
  assert_null(rig->fetch_done);
  if (rig->loop != NULL) {
    rig->memory.release(rig->memory.userdata);
    mcp_loop_free(rig->loop);
  }
}

void auth_rig_turn(auth_rig *rig) {
  int left = 20;
  do {
    mcp_loop_advance(rig->loop, rig->now_ms, rig->wall_ms);
    left--;
  } while (left > 0 && mcp_loop_next_deadline(rig->loop) <= rig->now_ms);
  assert_true(left > 0);
}

void auth_rig_pass(auth_rig *rig, int64_t time_ms) {
  rig->now_ms += time_ms;
  rig->wall_ms += time_ms;
  auth_rig_turn(rig);
}

/* --- requests ------------------------------------------------------------- */

static int rig_sent;

static void rig_request_on_ready(mcpi_auth_request *request,
                                 const mcp_error *err) {
  rig_request *self = request->owner;
  self->readies++;
  if (err != NULL) {
    self->err = *err;
  }
  if (self->on_ready != NULL) {
    self->on_ready(self);
  } else if (err == NULL) {
    rig_request_send(self);
  }
}

void rig_request_init(rig_request *self, mcp_auth *auth, const char *url) {
  mcp_error err;
  mcpi_auth_server *server = mcpi_auth_server_ref(auth, url, &err);
  *self = (rig_request){.readies = 0};
  if (server == NULL) {
    self->err = err;
  }
  mcpi_auth_request_init(&self->request, server, rig_request_on_ready, self);
  mcpi_auth_server_unref(server);
}

void rig_request_deinit(rig_request *self) {
  mcpi_auth_request_deinit(&self->request);
}

int rig_request_send(rig_request *self) {
  mcpi_auth_headers headers = {{NULL, 0}, {NULL, 0}};
  int rc = mcpi_auth_prepare(&self->request, "POST", RIG_URL "?x=1", &headers,
                             &self->err);
  if (rc == 0) {
    self->order = ++rig_sent;
    snprintf(self->authorization, sizeof(self->authorization), "%.*s",
             (int)headers.authorization.len,
             headers.authorization.ptr != NULL ? headers.authorization.ptr
                                               : "");
    snprintf(self->dpop, sizeof(self->dpop), "%.*s", (int)headers.dpop.len,
             headers.dpop.ptr != NULL ? headers.dpop.ptr : "");
  }
  return rc;
}

int rig_request_refuse(rig_request *self, int status, const char *challenge,
                       const char *nonce) {
  mcpi_auth_answer answer;
  char line[512];
  int rc = 0;
  mcpi_auth_answer_init(&answer, mcp_allocator_default());
  if (challenge != NULL) {
    snprintf(line, sizeof(line), "WWW-Authenticate: %s", challenge);
    assert_int_equal(mcpi_auth_answer_take(&answer, mcpi_str_z(line)), 0);
  }
  if (nonce != NULL) {
    snprintf(line, sizeof(line), "DPoP-Nonce: %s", nonce);
    assert_int_equal(mcpi_auth_answer_take(&answer, mcpi_str_z(line)), 0);
  }
  self->order = 0;
  mcpi_auth_note_answer(&self->request, &answer);
  rc = mcpi_auth_refused(&self->request, status, &answer, "2026-07-28",
                         &self->err);
  mcpi_auth_answer_deinit(&answer);
  return rc;
}
