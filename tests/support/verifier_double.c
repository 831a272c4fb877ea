/* SPDX-License-Identifier: MIT */
#include "support/verifier_double.h"

#include "auth/resource/grant.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INVALID_TOKEN "Bearer error=\"invalid_token\""

struct mcpi_verifier {
  mcp_loop *loop;
  mcp_protect_options options; /* its strings are the test's */
};

typedef struct parked {
  mcpi_verifier *verifier;
  mcpi_token_wait *wait;
  char token[128];
  struct parked *next;
} parked;

verifier_double verifier_seen;
static parked *first_parked;

void verifier_double_reset(void) {
  verifier_seen = (verifier_double){0};
}

/* --- life --------------------------------------------------------------- */

mcpi_verifier *mcpi_verifier_new(mcp_loop *loop,
                                 const mcp_protect_options *options,
                                 mcp_error *err) {
  if (options->token_file != NULL) {
    mcp_error_set(err, MCP_ERR_INVALID, "token_file: not here");
    return NULL;
  }
  mcpi_verifier *verifier = mcpi_calloc(&loop->allocator, 1, sizeof(*verifier));
  if (verifier == NULL) {
    mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
    return NULL;
  }
  verifier->loop = loop;
  verifier->options = *options;
  return verifier;
}

void mcpi_verifier_free(mcpi_verifier *verifier) {
  if (verifier != NULL) {
    verifier_seen.freed++;
    mcpi_free(&verifier->loop->allocator, verifier, sizeof(*verifier));
  }
}

const mcp_protect_options *
mcpi_verifier_options(const mcpi_verifier *verifier) {
  return &verifier->options;
}

mcpi_proofs *mcpi_verifier_proofs(const mcpi_verifier *verifier) {
  (void)verifier;
  return NULL;
}

void mcpi_verifier_share(mcpi_verifier *verifier, mcpi_proofs *proofs) {
  (void)verifier;
  (void)proofs;
  verifier_seen.shared++;
}

/* --- results ------------------------------------------------------------ */

static mcpi_str nonce_of_results(void) {
  return mcpi_str_z(verifier_seen.nonce);
}

static void refuse(mcpi_token_wait *wait, int status, const char *challenge) {
  const mcpi_token_result result = {
      .status = status,
      .is_invalid =
          challenge != NULL && strstr(challenge, "invalid_token") != NULL,
      .challenge = mcpi_str_z(challenge),
      .nonce = nonce_of_results(),
      .reason = "no"};
  wait->on_done(wait, &result);
}

static mcpi_grant *make_grant(const mcpi_verifier *verifier,
                              const char *token) {
  const mcp_allocator *allocator = &verifier->loop->allocator;
  size_t len = strcspn(token, " ");
  const char *scopes = token + len + (token[len] == ' ');
  mcpi_grant *grant =
      mcpi_grant_new(allocator, mcpi_str_n(token, len), mcpi_str_z(scopes));
  if (grant != NULL && verifier_seen.expires_ms != 0) {
    grant->expires_ms = verifier_seen.expires_ms;
  }
  if (grant != NULL && verifier_seen.stream_ms != 0) {
    grant->stream_ms = verifier_seen.stream_ms;
  }
  if (grant != NULL && verifier_seen.claims != NULL) {
    grant->claims =
        mcp_doc_parse(verifier_seen.claims, strlen(verifier_seen.claims), NULL,
                      allocator, NULL);
  }
  return grant;
}

static void accept(const mcpi_verifier *verifier, mcpi_token_wait *wait,
                   const char *token) {
  mcpi_grant *grant = make_grant(verifier, token);
  if (grant == NULL) {
    refuse(wait, 503, NULL);
    return;
  }
  const mcpi_token_result result = {
      .grant = grant, .nonce = nonce_of_results(), .reason = ""};
  wait->on_done(wait, &result);
  mcpi_grant_unref(grant);
}

/* --- checks ------------------------------------------------------------- */

static void copy(char *to, size_t size, mcpi_str text) {
  snprintf(to, size, "%.*s", (int)text.len, text.ptr != NULL ? text.ptr : "");
}

static void note(const mcpi_token_request *request) {
  verifier_double *seen = &verifier_seen;
  seen->checks++;
  seen->is_repeated = request->is_repeated;
  copy(seen->resource, sizeof(seen->resource), request->resource);
  copy(seen->url, sizeof(seen->url), request->url);
  copy(seen->dpop, sizeof(seen->dpop), request->dpop);
  copy(seen->method, sizeof(seen->method), mcpi_str_z(request->method));
  copy(seen->principal, sizeof(seen->principal),
       mcpi_str_z(request->principal));
  copy(seen->peer, sizeof(seen->peer), mcpi_str_z(request->peer));
}

static void park(mcpi_verifier *verifier, mcpi_token_wait *wait,
                 const char *token) {
  parked **last = &first_parked;
  while (*last != NULL) {
    last = &(*last)->next;
  }
  *last = calloc(1, sizeof(**last));
  (*last)->verifier = verifier;
  (*last)->wait = wait;
  snprintf((*last)->token, sizeof((*last)->token), "%s", token);
  wait->state = *last;
  verifier_seen.waiting++;
}

void mcpi_verifier_check(mcpi_verifier *verifier,
                         const mcpi_token_request *request,
                         mcpi_token_wait *wait, mcpi_token_done_cb on_done) {
  char text[128];
  copy(text, sizeof(text), request->authorization);
  note(request);
  wait->on_done = on_done;
  int is_later = strncmp(text, "Bearer later ", 13) == 0;
  int is_guess = strcmp(text, "Guess") == 0;
  if ((is_later || is_guess) && !request->may_check(wait)) {
    refuse(wait, 429, NULL);
    return;
  }
  if (is_later) {
    park(verifier, wait, text + 13);
  }
  if (verifier_seen.on_check != NULL) {
    verifier_seen.on_check(verifier_seen.userdata);
  }
  if (is_later) {
    return;
  }
  if (strncmp(text, "Bearer ", 7) == 0) {
    accept(verifier, wait, text + 7);
  } else if (strncmp(text, "Refuse ", 7) == 0) {
    refuse(wait, atoi(text + 7), "Bearer error=\"e\"");
  } else {
    refuse(wait, 401, is_guess ? INVALID_TOKEN : "Bearer");
  }
}

static void unpark(parked *it) {
  parked **at = &first_parked;
  while (*at != it) {
    at = &(*at)->next;
  }
  *at = it->next;
  it->wait->state = NULL;
  verifier_seen.waiting--;
}

void mcpi_verifier_cancel(mcpi_token_wait *wait) {
  if (wait->state != NULL) {
    parked *it = wait->state;
    unpark(it);
    verifier_seen.cancelled++;
    free(it);
  }
}

void verifier_double_end(int is_accepted) {
  parked *it = first_parked;
  if (it != NULL) {
    unpark(it);
    if (is_accepted) {
      accept(it->verifier, it->wait, it->token);
    } else {
      refuse(it->wait, 401, INVALID_TOKEN);
    }
    free(it);
  }
}

/* --- texts -------------------------------------------------------------- */

static mcpi_str resource_of(const mcpi_verifier *verifier, mcpi_str resource) {
  return verifier->options.resource != NULL
             ? mcpi_str_z(verifier->options.resource)
             : resource;
}

void mcpi_verifier_put_scope_challenge(const mcpi_verifier *verifier,
                                       const mcpi_grant *grant, mcpi_buf *buf,
                                       mcpi_str resource, mcpi_str scopes) {
  (void)grant;
  mcpi_buf_lit(buf, "Bearer error=\"insufficient_scope\", scope=\"");
  mcpi_buf_puts(buf, scopes);
  mcpi_buf_lit(buf, "\", resource_metadata=\"of ");
  mcpi_buf_puts(buf, resource_of(verifier, resource));
  mcpi_buf_lit(buf, "\"");
}

int mcpi_verifier_has_metadata(const mcpi_verifier *verifier) {
  (void)verifier;
  return !verifier_seen.has_no_metadata;
}

int mcpi_verifier_put_metadata(const mcpi_verifier *verifier, mcpi_buf *buf,
                               mcpi_str resource) {
  mcpi_buf_lit(buf, "{\"resource\":\"");
  mcpi_buf_puts(buf, resource_of(verifier, resource));
  mcpi_buf_lit(buf, "\"}");
  return buf->error;
}
