/* SPDX-License-Identifier: MIT */
/* A question to the introspection endpoint holds itself until its answer comes,
 * or until no check waits for it. */
#include "auth/resource/introspect.h"

#include "auth/form.h"
#include "auth/resource/claims.h"
#include "base/error.h"
#include "json/json.h"
#include <mcp/sys/fetch.h>

typedef struct introspection {
  mcpi_ask ask;
  mcp_loop *loop;
  const mcp_protect_options *options;
  const char *issuer;
  mcp_fetch *fetch;
  size_t resource_len;
  char resource[];
} introspection;

static void introspection_free(introspection *self) {
  mcpi_free(&self->loop->allocator, self, sizeof(*self) + self->resource_len);
}

static void introspection_on_abandoned(mcpi_ask *ask) {
  introspection *self = MCPI_CONTAINER(ask, introspection, ask);
  const mcp_platform *platform = &self->loop->platform;
  platform->fetch_cancel(platform->userdata, self->fetch);
  introspection_free(self);
}

/* --- the answer --------------------------------------------------------- */

/* The endpoint speaks only for its own issuer. */
static int introspection_check_issuer(const introspection *self,
                                      const mcp_json *claims, mcp_error *err) {
  const char *ours = self->options->issuer;
  const mcp_json *issuer = mcpi_json_get(claims, "iss");
  if (ours == NULL || issuer == NULL ||
      mcpi_str_eq(mcpi_json_str(issuer), mcpi_str_z(ours))) {
    return 0;
  }
  return mcp_error_set(err, MCP_ERR_REFUSED, "the token is of another issuer");
}

static int introspection_judge(const introspection *self, mcp_doc *doc,
                               mcpi_grant **out, mcp_error *err) {
  const mcp_json *claims = mcp_doc_root(doc);
  mcpi_claims_rules rules = {.loop = self->loop,
                             .options = self->options,
                             .resource =
                                 mcpi_str_n(self->resource, self->resource_len),
                             .issuer = self->issuer,
                             .is_introspection = 1};
  if (!mcp_json_bool(mcpi_json_get(claims, "active"))) {
    return mcp_error_set(err, MCP_ERR_REFUSED, "the token is not valid");
  }
  int rc = introspection_check_issuer(self, claims, err);
  if (rc == 0) {
    rc = mcpi_claims_check(claims, &rules, err);
  }
  if (rc == 0) {
    rc = mcpi_claims_grant(out, doc, &rules, err);
  }
  return rc;
}

static int introspection_parse(const introspection *self, mcpi_str text,
                               mcp_doc **out, mcp_error *err) {
  const mcp_allocator *allocator = &self->loop->allocator;
  int oom = 0;
  mcp_doc *doc = NULL;
  int rc = mcpi_doc_parse(&doc, text.ptr, text.len, NULL, allocator, NULL);
  if (rc == 0) {
    const mcp_json *root = mcp_doc_root(doc);
    int is_wrong = mcp_json_type(root) != MCP_JSON_OBJECT ||
                   mcpi_json_duplicate_within(root, allocator,
                                              self->loop->hash_seed, &oom);
    rc = is_wrong ? MCP_ERR_PARSE : 0;
  }
  if (rc == 0 && !oom) {
    *out = doc;
    return 0;
  }
  mcp_doc_free(doc);
  if (oom || rc == MCP_ERR_NOMEM) {
    return mcpi_no_memory(err);
  }
  return mcp_error_set(err, MCP_ERR_IO,
                       "the introspection endpoint gave an answer that cannot "
                       "be read");
}

/* Returns 0, or MCP_ERR_REFUSED, MCP_ERR_IO or MCP_ERR_NOMEM with err. */
static int introspection_read(const introspection *self,
                              const mcp_fetch_answer *answer, mcpi_grant **out,
                              mcp_error *err) {
  mcp_doc *doc = NULL;
  if (answer->error != 0) {
    return mcp_error_set(err, MCP_ERR_IO,
                         "cannot ask the introspection endpoint: %.150s",
                         answer->why);
  }
  if (answer->status != 200) {
    return mcp_error_set(err, MCP_ERR_IO,
                         "the introspection endpoint gave an answer with "
                         "status %ld",
                         (long)answer->status);
  }
  int rc = introspection_parse(self, mcpi_str_n(answer->body, answer->body_len),
                               &doc, err);
  if (rc == 0) {
    rc = introspection_judge(self, doc, out, err);
    if (rc != 0) {
      mcp_doc_free(doc);
    }
  }
  return rc;
}

static void introspection_on_answer(const mcp_fetch_answer *answer,
                                    void *argument) {
  introspection *self = argument;
  mcp_error why = {0};
  mcpi_grant *grant = NULL;
  mcpi_ask_answer said = {.why = why.message};
  said.rc = introspection_read(self, answer, &grant, &why);
  said.grant = grant;
  mcpi_ask_answer_limit(&said, self->options->introspection_ms,
                        self->options->stream_ms);
  mcpi_ask_answer_all(&self->ask, &said);
  mcpi_grant_unref(grant);
  introspection_free(self);
}

/* --- the question ------------------------------------------------------- */

/* Clients that are not known are one. */
static uint32_t group_of(const mcp_loop *loop, const mcpi_share *share) {
  mcpi_str key = mcpi_str_z("");
  if (share->account != NULL) {
    key = mcpi_buf_str(&share->account->key);
  }
  return (uint32_t)mcpi_str_hash(key, loop->hash_seed) | 1;
}

static int introspection_send(introspection *self, const mcpi_buf *form,
                              const char *authorization, uint32_t group) {
  const mcp_platform *platform = &self->loop->platform;
  const mcp_http_header headers[] = {
      {"Accept", "application/json"},
      {"Content-Type", "application/x-www-form-urlencoded"},
      {"Authorization", authorization}};
  const mcp_fetch_request request = {
      .size = sizeof(request),
      .method = "POST",
      .url = self->options->introspection_endpoint,
      .headers = headers,
      .header_count = authorization != NULL ? 3 : 2,
      .body = form->data,
      .body_len = form->len,
      .timeout_ms = self->options->fetch_timeout_ms,
      .group = group,
      .max_answer = MCPI_INTROSPECT_MAX_ANSWER,
      .ca_file = self->options->ca_file,
      .proxy = self->options->proxy};
  return platform->fetch(platform->userdata, &request, introspection_on_answer,
                         self, &self->fetch);
}

static void introspection_put_basic(const mcp_protect_options *options,
                                    mcpi_buf *out) {
  if (options->introspection_client_id != NULL) {
    mcpi_form_put_basic(out, mcpi_str_z(options->introspection_client_id),
                        mcpi_str_z(options->introspection_client_secret));
    mcpi_buf_putc(out, '\0');
  }
}

static int introspection_ask(introspection *self, mcpi_str token,
                             uint32_t group) {
  mcpi_buf form;
  mcpi_buf basic;
  mcpi_buf_init_secret(&form, &self->loop->allocator, SIZE_MAX);
  mcpi_buf_init_secret(&basic, &self->loop->allocator, SIZE_MAX);
  mcpi_form_put(&form, 0, "token", token);
  mcpi_form_put(&form, 0, "token_type_hint", MCPI_STR("access_token"));
  introspection_put_basic(self->options, &basic);
  int rc = form.error != 0 ? form.error : basic.error;
  if (rc == 0) {
    rc = introspection_send(self, &form, basic.data, group);
  }
  mcpi_buf_deinit(&form);
  mcpi_buf_deinit(&basic);
  return rc;
}

static introspection *introspection_new(mcp_loop *loop,
                                        const mcp_protect_options *options,
                                        mcpi_str resource, const char *issuer) {
  introspection *self =
      mcpi_alloc(&loop->allocator, sizeof(*self) + resource.len);
  if (self != NULL) {
    *self = (introspection){.ask.on_abandoned = introspection_on_abandoned,
                            .loop = loop,
                            .options = options,
                            .issuer = issuer,
                            .resource_len = resource.len};
    memcpy(self->resource, resource.ptr, resource.len);
  }
  return self;
}

int mcpi_introspect(mcpi_asks *asks, mcp_loop *loop,
                    const mcp_protect_options *options, mcpi_str token,
                    mcpi_str resource, const char *issuer,
                    const mcpi_token_key *key, const mcpi_share *share,
                    mcpi_ask_wait *wait, mcp_error *err) {
  introspection *self = introspection_new(loop, options, resource, issuer);
  if (self == NULL) {
    return mcpi_no_memory(err);
  }
  int rc = mcpi_asks_add(asks, &self->ask, key, wait);
  if (rc == 0) {
    rc = introspection_ask(self, token, group_of(loop, share));
    if (rc != 0) {
      mcpi_asks_withdraw(&self->ask);
    }
  }
  if (rc == 0) {
    return 0;
  }
  introspection_free(self);
  if (rc == MCP_ERR_NOMEM) {
    return mcpi_no_memory(err);
  }
  return mcp_error_set(err, MCP_ERR_IO,
                       "cannot ask the introspection endpoint: %s",
                       mcp_error_text(rc));
}
