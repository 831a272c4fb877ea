/* SPDX-License-Identifier: MIT */
#include "auth/client/step.h"

#include "auth/web_url.h"
#include "base/error.h"
#include <assert.h>

/* --- life ----------------------------------------------------------------- */

static void flow_init_buffers(mcpi_flow *flow) {
  const mcp_allocator *allocator = flow->allocator;
  mcpi_buf_init(&flow->ask.url, allocator, SIZE_MAX);
  mcpi_buf_init_secret(&flow->ask.body, allocator, SIZE_MAX);
  mcpi_buf_init_secret(&flow->ask.authorization, allocator, SIZE_MAX);
  mcpi_buf_init(&flow->ask.proof, allocator, SIZE_MAX);
  mcpi_buf_init(&flow->offered_scopes, allocator, MCPI_FLOW_MAX_SCOPES);
  mcpi_buf_init(&flow->scopes, allocator, MCPI_FLOW_MAX_SCOPES + 1); /* NUL */
}

enum { START_STRINGS = 6 };

static void flow_start_strings(mcpi_flow_start *start,
                               const char **strings[START_STRINGS]) {
  strings[0] = &start->server_url;
  strings[1] = &start->metadata_url;
  strings[2] = &start->demanded_scopes;
  strings[3] = &start->earlier_scopes;
  strings[4] = &start->bound_issuer;
  strings[5] = &start->revision;
}

/* After MCP_ERR_NOMEM, the strings that have not been copied are NULL. */
static int flow_copy_start(mcpi_flow *flow, const mcpi_flow_start *start) {
  const char **strings[START_STRINGS];
  int rc = 0;
  flow->start = *start;
  flow->start.known_client = NULL;
  flow_start_strings(&flow->start, strings);
  for (size_t i = 0; i < START_STRINGS; i++) {
    const char *given = *strings[i];
    *strings[i] = rc == 0 ? mcpi_strdup(flow->allocator, given) : NULL;
    if (given != NULL && *strings[i] == NULL) {
      rc = MCP_ERR_NOMEM;
    }
  }
  if (rc == 0 && start->known_client != NULL) {
    rc = mcpi_step_copy_client(flow, &flow->known_client, start->known_client);
  }
  return rc;
}

static void flow_free_start(mcpi_flow *flow) {
  const char **strings[START_STRINGS];
  flow_start_strings(&flow->start, strings);
  for (size_t i = 0; i < START_STRINGS; i++) {
    mcpi_strfree(flow->allocator, (char *)(uintptr_t)*strings[i]);
  }
}

static void flow_destroy(mcpi_flow *flow) {
  const mcp_allocator *allocator = flow->allocator;
  const mcp_platform *platform = &flow->loop->platform;
  mcpi_step_ask(flow);
  mcpi_buf_deinit(&flow->offered_scopes);
  mcpi_buf_deinit(&flow->scopes);
  flow_free_start(flow);
  mcpi_registration_deinit(&flow->known_client, allocator);
  mcpi_registration_deinit(&flow->client, allocator);
  mcpi_registration_deinit(&flow->result.registered, allocator);
  mcpi_token_free(flow->result.token, allocator);
  mcpi_server_metadata_deinit(&flow->server, allocator);
  mcpi_strfree(allocator, flow->resource);
  mcpi_strfree(allocator, flow->issuer);
  mcpi_strfree_wiped(allocator, flow->code);
  mcpi_strfree_wiped(allocator, flow->assertion);
  mcpi_token_free(flow->token, allocator);
  platform->crypto->key_free(platform->userdata, flow->key);
  mcpi_strfree(allocator, flow->nonce);
  mcpi_free_wiped(allocator, flow, sizeof(*flow));
}

/* Returns the member that the platform lacks; NULL: there is no such member. */
static const char *flow_missing(const mcp_platform *platform) {
  if (platform->crypto == NULL) {
    return "crypto";
  }
  if (platform->random == NULL) {
    return "random";
  }
  if (platform->fetch == NULL) {
    return "fetch";
  }
  return platform->fetch_cancel == NULL ? "fetch_cancel" : NULL;
}

mcpi_flow *mcpi_flow_new(const mcpi_flow_start *start, mcp_error *err) {
  const mcp_allocator *allocator = &start->loop->allocator;
  const char *missing = flow_missing(&start->loop->platform);
  if (missing != NULL) {
    mcp_error_set(err, MCP_ERR_PLATFORM,
                  "a login needs mcp_platform.%s, which is NULL", missing);
    return NULL;
  }
  mcpi_flow *flow = mcpi_calloc(allocator, 1, sizeof(*flow));
  if (flow == NULL) {
    mcpi_no_memory(err);
    return NULL;
  }
  flow->loop = start->loop;
  flow->allocator = allocator;
  flow->known_client.expires_ms = INT64_MAX;
  flow->client.expires_ms = INT64_MAX;
  flow->result.registered.expires_ms = INT64_MAX;
  flow_init_buffers(flow);
  if (flow_copy_start(flow, start) != 0) {
    flow_destroy(flow);
    mcpi_no_memory(err);
    return NULL;
  }
  return flow;
}

static void flow_enter(mcpi_flow *flow) {
  flow->frames++;
}

static void flow_leave(mcpi_flow *flow) {
  flow->frames--;
  if (flow->frames == 0 && flow->is_freed) {
    flow_destroy(flow);
  }
}

/* Ends what the login waits for. */
static void flow_stop(mcpi_flow *flow) {
  const mcp_platform *platform = &flow->loop->platform;
  if (flow->state == MCPI_FLOW_FETCHING) {
    platform->fetch_cancel(platform->userdata, flow->fetch);
    flow->fetch = NULL;
  }
  flow->state = MCPI_FLOW_OVER;
}

void mcpi_flow_free(mcpi_flow *flow) {
  if (flow == NULL || flow->is_freed) {
    return;
  }
  flow_enter(flow);
  flow_stop(flow);
  flow->is_freed = 1;
  flow_leave(flow);
}

/* --- the steps ------------------------------------------------------------ */

static const struct {
  mcpi_flow_next (*begin)(mcpi_flow *flow);
  mcpi_flow_next (*take)(mcpi_flow *flow, const mcp_fetch_answer *answer);
} steps[MCPI_FLOW_STEPS] = {
    [MCPI_FLOW_FIND_RESOURCE] = {mcpi_step_find_resource,
                                 mcpi_step_take_resource},
    [MCPI_FLOW_FIND_ISSUER] = {mcpi_step_find_issuer, mcpi_step_take_issuer},
    [MCPI_FLOW_GET_CLIENT] = {mcpi_step_get_client,
                              mcpi_step_take_registration},
    [MCPI_FLOW_AGREE] = {mcpi_step_agree, NULL},
    [MCPI_FLOW_ASSERT] = {mcpi_step_assert, NULL},
    [MCPI_FLOW_EXCHANGE] = {mcpi_step_exchange, mcpi_step_take_exchange},
    [MCPI_FLOW_GET_TOKEN] = {mcpi_step_get_token, mcpi_step_take_token},
    [MCPI_FLOW_REVOKE] = {mcpi_step_revoke, mcpi_step_take_revocation},
};

static mcpi_flow_next flow_begin_step(mcpi_flow *flow, mcpi_flow_next step) {
  flow->step = step;
  flow->attempt = 0;
  return steps[step].begin(flow);
}

/* The host may free the login, or begin another one, in on_done. */
static void flow_end(mcpi_flow *flow) {
  flow_stop(flow);
  flow->start.host->on_done(flow->start.host_object, &flow->result);
}

/* --- fetching ------------------------------------------------------------- */

enum { MAX_HEADERS = 4 };

static void flow_run(mcpi_flow *flow, mcpi_flow_next next);

static void flow_on_answer(const mcp_fetch_answer *answer, void *argument) {
  mcpi_flow *flow = argument;
  flow->fetch = NULL;
  flow->state = MCPI_FLOW_RUNNING;
  flow_run(flow, steps[flow->step].take(flow, answer));
}

static size_t flow_headers(const mcpi_flow *flow,
                           mcp_http_header headers[MAX_HEADERS]) {
  const mcpi_flow_ask *ask = &flow->ask;
  size_t count = 0;
  headers[count++] = (mcp_http_header){"Accept", "application/json"};
  if (ask->type != NULL) {
    headers[count++] = (mcp_http_header){"Content-Type", ask->type};
  } else if (flow->start.revision != NULL) {
    headers[count++] =
        (mcp_http_header){"MCP-Protocol-Version", flow->start.revision};
  }
  if (ask->authorization.len > 0) {
    headers[count++] =
        (mcp_http_header){"Authorization", ask->authorization.data};
  }
  if (ask->proof.len > 0) {
    headers[count++] = (mcp_http_header){"DPoP", ask->proof.data};
  }
  return count;
}

/* Ends a text that is not empty with NUL. Returns 0 or an MCP_ERR_*. */
static int flow_end_text(mcpi_buf *text) {
  if (text->len > 0) {
    mcpi_buf_putc(text, '\0');
  }
  return text->error;
}

/* Returns 0 or an MCP_ERR_*. */
static int flow_end_ask(mcpi_flow *flow) {
  mcpi_flow_ask *ask = &flow->ask;
  int rc = flow_end_text(&ask->url);
  if (rc == 0) {
    rc = flow_end_text(&ask->authorization);
  }
  if (rc == 0) {
    rc = flow_end_text(&ask->proof);
  }
  if (rc == 0) {
    rc = ask->body.error;
  }
  return rc;
}

static int flow_is_public_only(const mcpi_flow *flow) {
  return !flow->ask.is_for_program &&
         mcpi_step_is_public_only(flow, flow->ask.url.data);
}

static int flow_send(mcpi_flow *flow) {
  const mcp_auth_options *options = flow->start.options;
  const mcp_platform *platform = &flow->loop->platform;
  const mcpi_flow_ask *ask = &flow->ask;
  mcp_http_header headers[MAX_HEADERS];
  const mcp_fetch_request request = {
      .size = sizeof(request),
      .method = ask->type != NULL ? "POST" : "GET",
      .url = ask->url.data,
      .headers = headers,
      .header_count = flow_headers(flow, headers),
      .body = ask->body.data,
      .body_len = ask->body.len,
      .timeout_ms = options->fetch_timeout_ms,
      .is_public_only = flow_is_public_only(flow),
      .max_answer = MCPI_FLOW_MAX_ANSWER,
      .ca_file = options->ca_file,
      .proxy = options->proxy};
  return platform->fetch(platform->userdata, &request, flow_on_answer, flow,
                         &flow->fetch);
}

/* The platform checks the addresses to which it connects, but a proxy finds
 * those of names: localhost would be the proxy's machine. */
static int flow_is_private(const mcpi_flow *flow) {
  return flow_is_public_only(flow) &&
         !mcpi_web_url_is_public(mcpi_str_z(flow->ask.url.data));
}

static mcpi_flow_next flow_fetch(mcpi_flow *flow) {
  static const mcp_fetch_answer private_address = {
      .size = sizeof(private_address),
      .error = MCP_ERR_REFUSED,
      .why = "its address is not public"};
  int rc = flow_end_ask(flow);
  if (rc != 0) {
    return mcpi_step_fail_code(flow, rc, "writing a request");
  }
  if (flow_is_private(flow)) {
    return mcpi_step_refuse(flow, &private_address);
  }
  rc = flow_send(flow);
  if (rc != 0) {
    const char *url = flow->ask.url.data;
    return mcpi_step_fail(flow, rc, "cannot request %.*s: %s",
                          mcpi_step_shown_len(url), url, mcp_error_text(rc));
  }
  flow->state = MCPI_FLOW_FETCHING;
  return MCPI_FLOW_FETCH;
}

/* --- asking the host ------------------------------------------------------ */

/* Calls one of the host's functions; url may be NULL. The host may have ended
 * or freed the login there: then the state is OVER. Returns 0; an MCP_ERR_*
 * with flow->result.why; or what else the function returns. */
static int flow_ask_host(mcpi_flow *flow, mcpi_flow_state state,
                         int (*ask)(void *host, const mcp_auth_prompt *prompt,
                                    mcp_error *err),
                         const char *url) {
  mcp_error err = {.code = 0};
  size_t len = flow->scopes.len;
  mcpi_buf_putc(&flow->scopes, '\0');
  if (flow->scopes.error != 0) {
    mcpi_step_no_memory(flow);
    return MCP_ERR_NOMEM;
  }
  mcpi_buf_rewind(&flow->scopes, len);
  const mcp_auth_prompt prompt = {.size = sizeof(prompt),
                                  .login = flow->start.login,
                                  .server_url = flow->start.server_url,
                                  .issuer = flow->issuer,
                                  .scopes = flow->scopes.data,
                                  .url = url,
                                  .redirect_uri = flow->redirect_uri};
  int rc = ask(flow->start.host_object, &prompt, &err);
  if (flow->state == MCPI_FLOW_OVER) {
    return rc;
  }
  flow->state = rc == 0 ? state : MCPI_FLOW_RUNNING;
  if (rc <= 0) {
    mcpi_error_complete(&err, rc);
    flow->result.why = err;
  }
  return rc;
}

static mcpi_flow_next flow_browse(mcpi_flow *flow) {
  mcpi_buf *url = &flow->ask.url;
  if (flow_end_text(url) != 0) {
    return mcpi_step_no_memory(flow);
  }
  int rc = flow_ask_host(flow, MCPI_FLOW_BROWSING, flow->start.host->browse,
                         url->data);
  return rc == 0 ? MCPI_FLOW_BROWSE : MCPI_FLOW_FAILED;
}

static mcpi_flow_next flow_ask_assertion(mcpi_flow *flow) {
  int rc = flow_ask_host(flow, MCPI_FLOW_ASKING_ASSERTION,
                         flow->start.host->get_assertion, NULL);
  return rc == 0 ? MCPI_FLOW_ASK_ASSERTION : MCPI_FLOW_FAILED;
}

static mcpi_flow_next flow_ask_client(mcpi_flow *flow) {
  int rc = flow_ask_host(flow, MCPI_FLOW_ASKING_CLIENT,
                         flow->start.host->get_client, NULL);
  if (rc == MCPI_FLOW_NOT_ASKED && flow->state != MCPI_FLOW_OVER) {
    return mcpi_step_take_given_client(flow, NULL, NULL);
  }
  return rc == 0 ? MCPI_FLOW_ASK_CLIENT : MCPI_FLOW_FAILED;
}

/* --- running -------------------------------------------------------------- */

static mcpi_flow_next flow_act(mcpi_flow *flow, mcpi_flow_next next) {
  switch (next) {
  case MCPI_FLOW_FETCH:
    return flow_fetch(flow);
  case MCPI_FLOW_BROWSE:
    return flow_browse(flow);
  case MCPI_FLOW_ASK_CLIENT:
    return flow_ask_client(flow);
  case MCPI_FLOW_ASK_ASSERTION:
    return flow_ask_assertion(flow);
  default:
    return flow_begin_step(flow, next);
  }
}

/* Goes on until the login waits for something, or is over. */
static void flow_run(mcpi_flow *flow, mcpi_flow_next next) {
  flow_enter(flow);
  flow->state = MCPI_FLOW_RUNNING;
  while (flow->state == MCPI_FLOW_RUNNING) {
    if (next == MCPI_FLOW_DONE) {
      mcpi_error_clear(&flow->result.why);
    }
    if (next == MCPI_FLOW_FAILED || next == MCPI_FLOW_DONE) {
      flow_end(flow);
    } else {
      next = flow_act(flow, next);
    }
  }
  flow_leave(flow);
}

void mcpi_flow_log_in(mcpi_flow *flow) {
  assert(flow->state == MCPI_FLOW_NEW);
  flow->purpose = MCPI_FLOW_TO_LOG_IN;
  flow_run(flow, MCPI_FLOW_FIND_RESOURCE);
}

/* A token without a resource came from a server of 2025-03-26, which is its own
 * authorization server. */
static void flow_run_with_token(mcpi_flow *flow, const mcpi_token *token,
                                mcpi_flow_purpose purpose) {
  assert(flow->state == MCPI_FLOW_NEW);
  flow->purpose = purpose;
  flow->step = MCPI_FLOW_FIND_ISSUER;
  flow->is_own_issuer = token->resource == NULL;
  flow->token = mcpi_token_copy(token, flow->allocator);
  int rc = mcpi_step_copy(flow, &flow->resource, token->resource);
  if (rc == 0) {
    rc = mcpi_step_copy(flow, &flow->issuer, token->issuer);
  }
  if (rc == 0 && flow->token != NULL) {
    flow_run(flow, MCPI_FLOW_FIND_ISSUER);
  } else {
    flow_run(flow, mcpi_step_no_memory(flow));
  }
}

void mcpi_flow_refresh(mcpi_flow *flow, const mcpi_token *token) {
  flow_run_with_token(flow, token, MCPI_FLOW_TO_REFRESH);
}

void mcpi_flow_revoke(mcpi_flow *flow, const mcpi_token *token) {
  flow_run_with_token(flow, token, MCPI_FLOW_TO_REVOKE);
}

/* --- what the host brings ------------------------------------------------- */

int mcpi_flow_redirected(mcpi_flow *flow, const char *url, mcp_error *err) {
  mcpi_flow_next next = MCPI_FLOW_FAILED;
  if (flow->state != MCPI_FLOW_BROWSING) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "the login does not wait for a browser");
  }
  int rc = mcpi_step_take_redirect(flow, url, &next, err);
  if (rc == 0) {
    flow_run(flow, next);
  }
  return rc;
}

int mcpi_flow_assert(mcpi_flow *flow, const char *assertion) {
  if (flow->state != MCPI_FLOW_ASKING_ASSERTION) {
    return MCP_ERR_INVALID;
  }
  flow_run(flow, mcpi_step_take_assertion(flow, assertion));
  return 0;
}

int mcpi_flow_give_client(mcpi_flow *flow, const char *id, const char *secret) {
  if (flow->state != MCPI_FLOW_ASKING_CLIENT) {
    return MCP_ERR_INVALID;
  }
  flow_run(flow, mcpi_step_take_given_client(flow, id, secret));
  return 0;
}

void mcpi_flow_abandon(mcpi_flow *flow, int code, const char *why) {
  if (flow->state == MCPI_FLOW_OVER) {
    return;
  }
  mcp_error_set(&flow->result.why, code, "%s", why);
  flow_enter(flow);
  flow_end(flow);
  flow_leave(flow);
}
