/* SPDX-License-Identifier: MIT */
#include "support/flow_rig.h"

#include "support/cm.h"
#include <stdio.h>
#include <stdlib.h>

/* Secrets that tests give to a login, in each of their forms. */
static const char *const secrets[] = {
    "the-access",  "the-refresh", "the-code",   "the secret",
    "the+secret",  "the-secret",  "the-id-jag", "the-id-token",
    "the-idp-key", "old-access",  "old-refresh"};

static void rig_log(flow_rig *rig, const char *format, ...) MCP_PRINTF(2, 3);

static void rig_log(flow_rig *rig, const char *format, ...) {
  char text[4096];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  mcpi_buf_puts(&rig->log, mcpi_str_z(text));
}

/* --- the platform --------------------------------------------------------- */

static int rig_random(void *userdata, void *bytes, size_t len) {
  flow_rig *rig = userdata;
  uint8_t *to = bytes;
  for (size_t i = 0; i < len; i++) {
    to[i] = rig->random++;
  }
  return rig->random_result;
}

static int rig_fetch(void *userdata, const mcp_fetch_request *request,
                     mcp_fetch_done_cb done, void *argument, mcp_fetch **out) {
  flow_rig *rig = userdata;
  assert_null(rig->done); /* one at a time */
  assert_int_equal(request->size, sizeof(*request));
  assert_int_equal(request->timeout_ms, rig->options.fetch_timeout_ms);
  assert_int_equal(request->max_answer, MCPI_FLOW_MAX_ANSWER);
  assert_ptr_equal(request->ca_file, rig->options.ca_file);
  assert_ptr_equal(request->proxy, rig->options.proxy);
  if (rig->fetch_result != 0) {
    return rig->fetch_result;
  }
  rig_log(rig, "%s %s%s\n", request->method, request->url,
          request->is_public_only ? " (public)" : "");
  assert_string_equal(request->headers[0].name, "Accept");
  for (size_t i = 1; i < request->header_count; i++) {
    rig_log(rig, "%s: %s\n", request->headers[i].name,
            request->headers[i].value);
  }
  if (request->body_len > 0) {
    mcpi_buf_put(&rig->log, request->body, request->body_len);
    rig_log(rig, "\n");
  }
  rig->done = done;
  rig->argument = argument;
  *out = (mcp_fetch *)(void *)rig;
  return 0;
}

static void rig_fetch_cancel(void *userdata, mcp_fetch *fetch) {
  flow_rig *rig = userdata;
  assert_ptr_equal(fetch, rig);
  assert_non_null(rig->done);
  rig->done = NULL;
  rig_log(rig, "cancel\n");
}

static void rig_clock(void *userdata, int64_t *now_ms, int64_t *wall_ms) {
  if (now_ms != NULL) {
    *now_ms = 5000;
  }
  if (wall_ms != NULL) {
    *wall_ms = 1700000000000;
  }
}

/* --- keys: a PEM is "key 1" to "key 3", after the kind -------------------- */

struct mcp_key {
  uint32_t kind;
};

static int rig_sha256(void *userdata, const void *bytes, size_t len,
                      uint8_t out[MCP_SHA256_SIZE]) {
  flow_rig *rig = userdata;
  memset(out, 0, MCP_SHA256_SIZE);
  memcpy(out, bytes, len < MCP_SHA256_SIZE ? len : MCP_SHA256_SIZE);
  return rig->crypto_result;
}

static int rig_key_from_parts(void *userdata, const mcp_key_parts *parts,
                              mcp_key **out) {
  return MCP_ERR_INVALID;
}

static int rig_key_generate(void *userdata, uint32_t kind, mcp_key **out) {
  flow_rig *rig = userdata;
  mcp_key *key = mcpi_alloc(&rig->loop->allocator, sizeof(*key));
  if (key == NULL) {
    return MCP_ERR_NOMEM;
  }
  key->kind = kind;
  *out = key;
  return 0;
}

static int rig_key_from_pem(void *userdata, const char *pem, size_t len,
                            mcp_key **out) {
  if (len != 5 || memcmp(pem, "key ", 4) != 0) {
    return MCP_ERR_INVALID;
  }
  return rig_key_generate(userdata, (uint32_t)(pem[4] - '0'), out);
}

static void rig_key_free(void *userdata, mcp_key *key) {
  flow_rig *rig = userdata;
  mcpi_free(&rig->loop->allocator, key, sizeof(*key));
}

static void rig_key_parts(void *userdata, const mcp_key *key,
                          mcp_key_parts *out) {
  static const uint8_t number[32] = {1};
  *out = (mcp_key_parts){key->kind, number, 32, number, 32};
}

static int rig_key_to_pem(void *userdata, const mcp_key *key, char *out,
                          size_t size) {
  snprintf(out, size, "key %u", (unsigned)key->kind);
  return 0;
}

static int rig_sign(void *userdata, const mcp_key *key, uint32_t algorithm,
                    const void *bytes, size_t len,
                    uint8_t out[MCP_SIGNATURE_MAX], size_t *out_len) {
  static const uint32_t kinds[] = {0, MCP_KEY_RSA, MCP_KEY_RSA, MCP_KEY_P256,
                                   MCP_KEY_ED25519};
  if (kinds[algorithm] != key->kind) {
    return MCP_ERR_INVALID;
  }
  memset(out, 'S', 64);
  *out_len = 64;
  return 0;
}

static int rig_verify(void *userdata, const mcp_key *key, uint32_t algorithm,
                      const void *bytes, size_t len, const uint8_t *signature,
                      size_t signature_len) {
  return MCP_ERR_REFUSED;
}

static const mcp_crypto crypto = {
    sizeof(mcp_crypto), rig_sha256,   rig_key_from_parts, rig_key_from_pem,
    rig_key_generate,   rig_key_free, rig_key_parts,      rig_key_to_pem,
    rig_sign,           rig_verify};

/* --- the host ------------------------------------------------------------- */

static void rig_on_host(flow_rig *rig, const char *what) {
  if (rig->on_host != NULL) {
    rig->on_host(rig, what);
  }
}

static const char *rig_redirect_uri(void *host, const char *wish,
                                    mcp_error *err) {
  flow_rig *rig = host;
  rig_log(rig, "redirect_uri %s\n", wish != NULL ? wish : "-");
  if (rig->redirect_uri == NULL) {
    mcp_error_set(err, MCP_ERR_IO, "no port is free");
  }
  rig_on_host(rig, "redirect_uri");
  return rig->redirect_uri;
}

static void rig_check_prompt(flow_rig *rig, const mcp_auth_prompt *prompt) {
  assert_int_equal(prompt->size, sizeof(*prompt));
  assert_int_equal(prompt->login, 7);
  assert_string_equal(prompt->server_url, rig->start.server_url);
}

static int rig_browse(void *host, const mcp_auth_prompt *prompt,
                      mcp_error *err) {
  flow_rig *rig = host;
  int rc = rig->browse_result;
  rig_check_prompt(rig, prompt);
  assert_string_equal(prompt->redirect_uri, rig->redirect_uri);
  rig_log(rig, "browse %s\n", prompt->url);
  if (rc != 0) {
    mcp_error_set(err, rc, "there is no browser");
  }
  rig_on_host(rig, "browse");
  return rc;
}

static int rig_get_assertion(void *host, const mcp_auth_prompt *prompt,
                             mcp_error *err) {
  flow_rig *rig = host;
  int rc = rig->assertion_result;
  rig_check_prompt(rig, prompt);
  rig_log(rig, "assertion %s [%s]\n", prompt->issuer, prompt->scopes);
  rig_on_host(rig, "get_assertion");
  return rc;
}

static int rig_get_client(void *host, const mcp_auth_prompt *prompt,
                          mcp_error *err) {
  flow_rig *rig = host;
  int rc = rig->client_result;
  rig_check_prompt(rig, prompt);
  rig_log(rig, "client %s [%s]\n", prompt->issuer, prompt->scopes);
  rig_on_host(rig, "get_client");
  return rc;
}

static void rig_check_silence(const char *message, const char *secret) {
  if (secret != NULL && secret[0] != '\0' && strstr(message, secret) != NULL) {
    fail_msg("\"%s\" has the secret %s", message, secret);
  }
}

static void rig_check_message(flow_rig *rig, const mcp_error *err) {
  const char *message = err->message;
  rig_check_silence(message, rig->flow->state_text);
  rig_check_silence(message, rig->flow->verifier);
  if (rig->is_fuzzed) {
    return;
  }
  for (size_t i = 0; i < sizeof(secrets) / sizeof(secrets[0]); i++) {
    rig_check_silence(message, secrets[i]);
  }
  rig_check_silence(message, rig->flow->code);
  rig_check_silence(message, rig->flow->assertion);
  rig_check_silence(message, "U1NTU1NT"); /* of signatures */
}

static void rig_on_done(void *host, mcpi_flow_result *result) {
  flow_rig *rig = host;
  rig->ends++;
  assert_null(rig->done);
  rig->token = result->token;
  rig->registered = result->registered;
  rig->drops_registration = result->drops_registration;
  rig->is_refresh_refused = result->is_refresh_refused;
  rig->why = result->why;
  result->token = NULL;
  result->registered = (mcpi_registration){.expires_ms = INT64_MAX};
  if (rig->token != NULL) {
    rig_log(rig, "token %s\n", rig->token->access);
    assert_int_equal(rig->why.code, 0);
  } else if (rig->why.code != 0) {
    rig_check_message(rig, &rig->why);
    rig_log(rig, "failed %s %d: %s\n", mcp_error_name(rig->why.code),
            (int)rig->why.status, rig->why.message);
  } else {
    rig_log(rig, "done\n");
  }
  rig_on_host(rig, "on_done");
}

static const mcpi_flow_host rig_host = {rig_redirect_uri, rig_browse,
                                        rig_get_assertion, rig_get_client,
                                        rig_on_done};

/* --- life ----------------------------------------------------------------- */

int flow_rig_init(flow_rig *rig, const mcp_allocator *allocator) {
  *rig = (flow_rig){.client_result = MCPI_FLOW_NOT_ASKED,
                    .redirect_uri = RIG_REDIRECT};
  rig->registered.expires_ms = INT64_MAX;
  rig->platform = (mcp_platform){.size = sizeof(mcp_platform),
                                 .userdata = rig,
                                 .clock = rig_clock,
                                 .random = rig_random,
                                 .crypto = &crypto,
                                 .fetch = rig_fetch,
                                 .fetch_cancel = rig_fetch_cancel};
  mcpi_buf_init(&rig->log, mcp_allocator_default(), SIZE_MAX);
  rig->loop = mcp_loop_new_manual(&rig->platform, allocator, NULL);
  if (rig->loop == NULL) {
    return MCP_ERR_NOMEM;
  }
  rig->random = 0;
  mcpi_issuers_init(&rig->issuers, &rig->loop->allocator);
  rig->options = (mcp_auth_options){.size = sizeof(mcp_auth_options),
                                    .client_name = "Test",
                                    .fetch_timeout_ms = 1234,
                                    .ca_file = "ca.pem",
                                    .proxy = "http://proxy.test"};
  rig->start = (mcpi_flow_start){.loop = rig->loop,
                                 .options = &rig->options,
                                 .issuers = &rig->issuers,
                                 .host = &rig_host,
                                 .host_object = rig,
                                 .login = 7,
                                 .server_url = RIG_SERVER};
  return 0;
}

int flow_rig_new(flow_rig *rig) {
  rig->flow = mcpi_flow_new(&rig->start, &rig->why);
  return rig->flow != NULL ? 0 : rig->why.code;
}

void flow_rig_free(flow_rig *rig) {
  mcpi_flow_free(rig->flow);
  rig->flow = NULL;
  mcpi_token_free(rig->token, &rig->loop->allocator);
  mcpi_registration_deinit(&rig->registered, &rig->loop->allocator);
  rig->token = NULL;
  rig->drops_registration = 0;
  rig->is_refresh_refused = 0;
  rig->ends = 0;
  rig->random = 0;
}

void flow_rig_deinit(flow_rig *rig) {
  if (rig->loop != NULL) {
    flow_rig_free(rig);
    assert_null(rig->done);
    mcpi_issuers_deinit(&rig->issuers);
    mcp_loop_free(rig->loop);
  }
  mcpi_buf_deinit(&rig->log);
  free(rig->log_copy);
  rig->log_copy = NULL;
}

/* --- what the test does --------------------------------------------------- */

const char *flow_rig_take_log(flow_rig *rig) {
  free(rig->log_copy);
  rig->log_copy = calloc(rig->log.len + 1, 1);
  assert_non_null(rig->log_copy);
  if (rig->log.len > 0) {
    memcpy(rig->log_copy, rig->log.data, rig->log.len);
  }
  mcpi_buf_clear(&rig->log);
  return rig->log_copy;
}

static void rig_finish(flow_rig *rig, const mcp_fetch_answer *answer) {
  mcp_fetch_done_cb done = rig->done;
  assert_non_null(done);
  rig->done = NULL;
  done(answer, rig->argument);
}

void flow_rig_answer_n(flow_rig *rig, int status, const char *header,
                       const char *body, size_t len) {
  char line[256] = "";
  mcp_http_header headers[2] = {{"Date", "today"}, {line, ""}};
  mcp_fetch_answer answer = {.size = sizeof(answer),
                             .status = status,
                             .why = "",
                             .headers = headers,
                             .header_count = 1,
                             .body = body,
                             .body_len = len};
  if (header != NULL) {
    snprintf(line, sizeof(line), "%s", header);
    char *colon = strstr(line, ": ");
    *colon = '\0';
    headers[1].value = colon + 2;
    answer.header_count = 2;
  }
  rig_finish(rig, &answer);
}

void flow_rig_answer(flow_rig *rig, int status, const char *header,
                     const char *body) {
  flow_rig_answer_n(rig, status, header, body, strlen(body));
}

void flow_rig_fail(flow_rig *rig, int code, const char *why) {
  const mcp_fetch_answer answer = {
      .size = sizeof(answer), .error = code, .why = why};
  rig_finish(rig, &answer);
}
