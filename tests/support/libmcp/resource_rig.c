/* SPDX-License-Identifier: MIT */
#include "support/libmcp/resource_rig.h"

#include "auth/dpop.h"
#include "auth/jwt.h"
#include "base/base64.h"

#include <stdio.h>
#include <stdlib.h>

/* --- the platform ------------------------------------------------------- */

static void rig_clock(void *userdata, int64_t *now_ms, int64_t *wall_ms) {
  const resource_rig *rig = userdata;
  if (now_ms != NULL) {
    *now_ms = rig->now_ms;
  }
  if (wall_ms != NULL) {
    *wall_ms = rig->wall_ms;
  }
}

static char *rig_copy(const char *text, size_t len) {
  char *copy = malloc(len + 1);
  if (copy == NULL) {
    abort();
  }
  if (len > 0) {
    memcpy(copy, text, len);
  }
  copy[len] = '\0';
  return copy;
}

static char *rig_dup(const char *text) {
  return rig_copy(text, strlen(text));
}

static char *rig_format(const char *format, const char *a, const char *b,
                        const char *c) {
  size_t len = strlen(format) + strlen(a) + strlen(b) + strlen(c) + 1;
  char *text = malloc(len);
  if (text == NULL) {
    abort();
  }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  snprintf(text, len, format, a, b, c);
#pragma GCC diagnostic pop
  return text;
}

static char *rig_headers(const mcp_fetch_request *request) {
  char *all = rig_dup("");
  for (size_t i = 0; i < request->header_count; i++) {
    char *more = rig_format("%s%s: %s\n", all, request->headers[i].name,
                            request->headers[i].value);
    free(all);
    all = more;
  }
  return all;
}

static int rig_begin_fetch(void *userdata, const mcp_fetch_request *request,
                           mcp_fetch_done_cb done, void *argument,
                           mcp_fetch **out) {
  resource_rig *rig = userdata;
  if (rig->fetch_error != 0) {
    return rig->fetch_error;
  }
  if (rig->fetch_count == RIG_FETCHES) {
    abort();
  }
  rig_fetch *fetch = &rig->fetches[rig->fetch_count++];
  *fetch = (rig_fetch){.method = rig_dup(request->method),
                       .url = rig_dup(request->url),
                       .headers = rig_headers(request),
                       .body = rig_copy(request->body, request->body_len),
                       .timeout_ms = request->timeout_ms,
                       .is_public_only = request->is_public_only,
                       .group = request->group,
                       .max_answer = request->max_answer,
                       .done = done,
                       .argument = argument};
  *out = (mcp_fetch *)fetch;
  return 0;
}

static void rig_cancel_fetch(void *userdata, mcp_fetch *cancelled) {
  rig_fetch *fetch = (rig_fetch *)cancelled;
  if (fetch->is_over) {
    abort();
  }
  fetch->is_over = 1;
  fetch->is_cancelled = 1;
  (void)userdata;
}

/* --- life --------------------------------------------------------------- */

static mcp_key *rig_generate(resource_rig *rig) {
  mcp_key *key = NULL;
  if (rig->platform.crypto->key_generate(NULL, MCP_KEY_P256, &key) != 0) {
    abort();
  }
  return key;
}

resource_rig *resource_rig_new(const mcp_allocator *allocator) {
  resource_rig *rig = calloc(1, sizeof(*rig));
  if (rig == NULL) {
    abort();
  }
  rig->real = mcp_loop_new(NULL, NULL);
  if (rig->real == NULL) {
    abort();
  }
  const mcp_platform *real = &rig->real->platform;
  rig->now_ms = 1000000;
  rig->wall_ms = INT64_C(1700000000000);
  rig->peer = "192.0.2.1:5000";
  rig->platform = (mcp_platform){.size = sizeof(mcp_platform),
                                 .userdata = rig,
                                 .clock = rig_clock,
                                 .random = real->random,
                                 .seal = real->seal,
                                 .unseal = real->unseal,
                                 .crypto = real->crypto,
                                 .fetch = rig_begin_fetch,
                                 .fetch_cancel = rig_cancel_fetch};
  rig->options = (mcp_protect_options){.size = sizeof(mcp_protect_options),
                                       .resource = RIG_RESOURCE};
  rig->plain = mcp_loop_new_manual(&rig->platform, NULL, NULL);
  if (rig->plain == NULL) {
    abort();
  }
  rig->key = rig_generate(rig);
  rig->other = rig_generate(rig);
  rig->proof = rig_generate(rig);
  rig->loop = mcp_loop_new_manual(&rig->platform, allocator, &rig->err);
  if (rig->loop == NULL) {
    resource_rig_free(rig);
    return NULL;
  }
  return rig;
}

void resource_rig_free(resource_rig *rig) {
  mcpi_verifier_free(rig->verifier);
  for (size_t i = 0; i < rig->check_count; i++) {
    mcpi_grant_unref(rig->checks[i].grant);
  }
  for (size_t i = 0; i < rig->fetch_count; i++) {
    if (!rig->fetches[i].is_over) {
      abort(); /* nobody would ever end it */
    }
    free(rig->fetches[i].method);
    free(rig->fetches[i].url);
    free(rig->fetches[i].headers);
    free(rig->fetches[i].body);
  }
  rig->platform.crypto->key_free(NULL, rig->key);
  rig->platform.crypto->key_free(NULL, rig->other);
  rig->platform.crypto->key_free(NULL, rig->proof);
  mcp_loop_free(rig->loop);
  mcp_loop_free(rig->plain);
  mcp_loop_free(rig->real);
  free(rig);
}

int resource_rig_open(resource_rig *rig) {
  rig->err = (mcp_error){0};
  rig->loop->platform = rig->platform; /* as the test has changed it */
  rig->verifier = mcpi_verifier_new(rig->loop, &rig->options, &rig->err);
  return rig->verifier != NULL ? 0 : rig->err.code;
}

void resource_rig_pass(resource_rig *rig, int64_t ms) {
  rig->now_ms += ms;
  rig->wall_ms += ms;
  mcp_loop_advance(rig->loop, rig->now_ms, rig->wall_ms);
}

/* --- checks ------------------------------------------------------------- */

static void rig_error_of(const char *challenge, char *out, size_t size) {
  const char *error = strstr(challenge, "error=\"");
  out[0] = '\0';
  if (error != NULL) {
    error += 7;
    snprintf(out, size, "%.*s", (int)strcspn(error, "\""), error);
  }
}

static void rig_on_done(mcpi_token_wait *wait,
                        const mcpi_token_result *result) {
  rig_check *check = MCPI_CONTAINER(wait, rig_check, wait);
  char error[64];
  check->calls++;
  check->is_invalid = result->is_invalid;
  snprintf(check->header, sizeof(check->header), "%.*s",
           (int)result->challenge.len,
           result->challenge.ptr != NULL ? result->challenge.ptr : "");
  snprintf(check->nonce, sizeof(check->nonce), "%.*s", (int)result->nonce.len,
           result->nonce.ptr != NULL ? result->nonce.ptr : "");
  rig_error_of(check->header, error, sizeof(error));
  if (result->grant != NULL) {
    check->grant = mcpi_grant_ref(result->grant);
    snprintf(check->text, sizeof(check->text), "%.900s: %.100s",
             result->grant->principal, result->grant->scopes);
  } else {
    snprintf(check->text, sizeof(check->text), "%d %s%s%.300s", result->status,
             error, error[0] != '\0' ? ": " : "", result->reason);
  }
  if (check->on_done != NULL) {
    check->on_done(check);
  }
}

static rig_check *rig_next_check(resource_rig *rig) {
  if (rig->check_count == RIG_CHECKS) {
    abort();
  }
  rig_check *check = &rig->checks[rig->check_count++];
  check->rig = rig;
  snprintf(check->text, sizeof(check->text), "waits");
  return check;
}

rig_check *resource_rig_check_request(resource_rig *rig,
                                      const mcpi_token_request *request) {
  rig_check *check = rig_next_check(rig);
  mcpi_verifier_check(rig->verifier, request, &check->wait, rig_on_done);
  return check;
}

rig_check *resource_rig_check(resource_rig *rig, const char *scheme,
                              const char *token, const char *proof) {
  mcpi_token_request request = {.method = "POST",
                                .dpop = mcpi_str_z(proof),
                                .resource = MCPI_STR(RIG_RESOURCE),
                                .peer = rig->peer};
  char *header = NULL;
  if (scheme != NULL) {
    header = rig_format("%s%s%s", scheme, " ", token);
    request.authorization = mcpi_str_z(header);
  }
  rig_check *check = resource_rig_check_request(rig, &request);
  free(header);
  return check;
}

const char *resource_rig_result(const resource_rig *rig) {
  return rig->check_count > 0 ? rig->checks[rig->check_count - 1].text : "";
}

/* --- requests ----------------------------------------------------------- */

rig_fetch *resource_rig_fetch(resource_rig *rig) {
  for (size_t i = 0; i < rig->fetch_count; i++) {
    if (!rig->fetches[i].is_over) {
      return &rig->fetches[i];
    }
  }
  return NULL;
}

const char *resource_rig_url(resource_rig *rig) {
  const rig_fetch *fetch = resource_rig_fetch(rig);
  return fetch != NULL ? fetch->url : "";
}

static void rig_end_fetch(resource_rig *rig, const mcp_fetch_answer *answer) {
  rig_fetch *fetch = resource_rig_fetch(rig);
  if (fetch == NULL) {
    abort();
  }
  fetch->is_over = 1;
  fetch->done(answer, fetch->argument);
}

/* The body has no NUL at its end, and its own memory, so that a reader that
 * goes too far is noticed. */
void resource_rig_answer(resource_rig *rig, int status, const char *body) {
  size_t len = strlen(body);
  char *bytes = malloc(len > 0 ? len : 1);
  if (bytes == NULL) {
    abort();
  }
  memcpy(bytes, body, len);
  rig_end_fetch(rig, &(mcp_fetch_answer){.size = sizeof(mcp_fetch_answer),
                                         .status = status,
                                         .why = "",
                                         .body = bytes,
                                         .body_len = len});
  free(bytes);
}

void resource_rig_fail(resource_rig *rig, int error, const char *why) {
  rig_end_fetch(rig, &(mcp_fetch_answer){.size = sizeof(mcp_fetch_answer),
                                         .error = error,
                                         .why = why});
}

const char *resource_rig_metadata(void) {
  return "{\"issuer\":\"" RIG_ISSUER "\",\"jwks_uri\":\"" RIG_JWKS_URI
         "\",\"token_endpoint\":\"https://as.example/t1/token\","
         "\"authorization_endpoint\":\"https://as.example/t1/authorize\"}";
}

void resource_rig_give_keys(resource_rig *rig) {
  char *jwks = resource_rig_jwks(rig, rig->key, "k1");
  resource_rig_answer(rig, 200, resource_rig_metadata());
  resource_rig_answer(rig, 200, jwks);
  free(jwks);
}

/* --- tokens ------------------------------------------------------------- */

static char *rig_take(mcpi_buf *buf) {
  if (buf->error != 0) {
    abort();
  }
  char *text = rig_copy(buf->data, buf->len);
  mcpi_buf_deinit(buf);
  return text;
}

char *resource_rig_jwks(resource_rig *rig, const mcp_key *key,
                        const char *kid) {
  mcp_builder *jwk = mcp_builder_new(NULL, NULL);
  mcpi_jwk_write(rig->plain, key, jwk, NULL);
  const char *text = mcp_builder_text(jwk, NULL);
  char *members = rig_copy(text + 1, strlen(text) - 2);
  char *jwks = NULL;
  if (kid != NULL) {
    jwks = rig_format("{\"keys\":[{%s,\"kid\":\"%s\",\"use\":\"sig\"%s}]}",
                      members, kid, "");
  } else {
    jwks = rig_format("{\"keys\":[{%s%s%s}]}", members, "", "");
  }
  free(members);
  mcp_builder_free(jwk);
  return jwks;
}

char *resource_rig_join(char *one, char *two) {
  one[strlen(one) - 2] = '\0';
  char *all = rig_format("%s,%s%s", one, strchr(two, '[') + 1, "");
  free(one);
  free(two);
  return all;
}

char *resource_rig_sign(resource_rig *rig, const mcp_key *key,
                        uint32_t algorithm, const char *header,
                        const char *claims) {
  mcpi_buf token;
  mcpi_buf_init(&token, mcp_allocator_default(), SIZE_MAX);
  if (mcpi_jwt_put(&token, rig->plain, key, algorithm, mcpi_str_z(header),
                   mcpi_str_z(claims)) != 0) {
    abort();
  }
  return rig_take(&token);
}

char *resource_rig_forge(const char *header, const char *claims,
                         const void *signature, size_t len) {
  mcpi_buf token;
  mcpi_buf_init(&token, mcp_allocator_default(), SIZE_MAX);
  mcpi_base64url_put(&token, header, strlen(header));
  mcpi_buf_putc(&token, '.');
  mcpi_base64url_put(&token, claims, strlen(claims));
  mcpi_buf_putc(&token, '.');
  mcpi_base64url_put(&token, signature, len);
  return rig_take(&token);
}

char *resource_rig_claims(const char *name, const char *json) {
  static const char *const usual[][2] = {{"iss", "\"" RIG_ISSUER "\""},
                                         {"aud", "\"" RIG_RESOURCE "\""},
                                         {"sub", "\"ann\""},
                                         {"exp", "1700000600"},
                                         {"iat", "1699999990"},
                                         {"scope", "\"read\""}};
  int is_used = name == NULL || json == NULL;
  char *all = rig_dup("{\"jti\":\"1\"");
  for (size_t i = 0; i <= sizeof(usual) / sizeof(usual[0]); i++) {
    int is_last = i == sizeof(usual) / sizeof(usual[0]);
    const char *member = is_last ? name : usual[i][0];
    const char *value = is_last ? json : usual[i][1];
    if (!is_last && name != NULL && strcmp(member, name) == 0) {
      is_used |= json != NULL;
      value = json;
    } else if (is_last && is_used) {
      value = NULL;
    }
    if (value != NULL) {
      char *more = rig_format("%s,\"%s\":%s", all, member, value);
      free(all);
      all = more;
    }
  }
  char *claims = rig_format("%s}%s%s", all, "", "");
  free(all);
  return claims;
}

char *resource_rig_token(resource_rig *rig, char *claims) {
  char *token = resource_rig_sign(
      rig, rig->key, MCP_SIGN_ES256,
      "{\"alg\":\"ES256\",\"kid\":\"k1\",\"typ\":\"at+jwt\"}", claims);
  free(claims);
  return token;
}

char *resource_rig_proof(resource_rig *rig, const char *token,
                         const char *nonce) {
  mcpi_buf proof;
  const mcpi_dpop_claims claims = {.method = "POST",
                                   .url = MCPI_STR(RIG_RESOURCE),
                                   .nonce = nonce,
                                   .access_token = mcpi_str_z(token)};
  mcpi_buf_init(&proof, mcp_allocator_default(), SIZE_MAX);
  if (mcpi_dpop_put(&proof, rig->plain, rig->proof, &claims) != 0) {
    abort();
  }
  return rig_take(&proof);
}

char *resource_rig_cnf(resource_rig *rig) {
  char thumbprint[MCPI_THUMBPRINT_SIZE];
  if (mcpi_jwk_thumbprint(rig->plain, rig->proof, thumbprint) != 0) {
    abort();
  }
  return rig_format("{\"jkt\":\"%s\"}%s%s", thumbprint, "", "");
}
