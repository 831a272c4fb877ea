/* SPDX-License-Identifier: MIT */
#include "auth/resource/token_check.h"

#include "auth/resource/claims.h"
#include "auth/scopes.h"
#include "base/error.h"
#include "base/widen.h"
#include "core/loop.h"
#include "json/json.h"
#include <stdio.h>

enum { MAX_DESCRIPTION = 200 };

typedef enum token_check_state {
  TOKEN_CHECK_CALLED,
  TOKEN_CHECK_ANSWERED,
  TOKEN_CHECK_WAITING,
  TOKEN_CHECK_ABANDONED
} token_check_state;

struct mcp_token_check {
  mcpi_ask ask; /* unless ABANDONED */
  mcpi_orphan orphan;
  mcp_loop *loop;
  token_check_state state;
  int is_called;    /* the callback has not returned */
  mcpi_share share; /* of the client that asked first; counts while ABANDONED */
  uint32_t introspection_ms;
  uint32_t stream_ms;
  char *token;            /* owned, secret */
  mcpi_ask_answer answer; /* if ANSWERED; `grant` is a hold */
  char why[MAX_DESCRIPTION + 1];
};

/* --- life --------------------------------------------------------------- */

static void token_check_free(mcp_token_check *check) {
  mcpi_list_remove(&check->orphan.link);
  mcpi_share_deinit(&check->share);
  mcpi_grant_unref(check->answer.grant);
  mcpi_strfree_wiped(&check->loop->allocator, check->token);
  mcpi_free(&check->loop->allocator, check, sizeof(*check));
}

/* The loop ends, and the program has not answered. */
static void token_check_release(mcpi_orphan *orphan) {
  token_check_free(MCPI_CONTAINER(orphan, mcp_token_check, orphan));
}

/* The request that leaves is not counted any longer, but the check stays until
 * the program answers. It takes the place of the request, so a client that
 * leaves cannot make the program check more than max_checks tokens. */
static void token_check_on_abandoned(mcpi_ask *ask) {
  mcp_token_check *check = MCPI_CONTAINER(ask, mcp_token_check, ask);
  if (check->state != TOKEN_CHECK_ANSWERED) {
    check->state = TOKEN_CHECK_ABANDONED;
    mcpi_holder_add(&check->share.holder, MCPI_HELD_CHECKS, 1);
  }
}

static mcp_token_check *token_check_new(mcp_loop *loop,
                                        const mcp_protect_options *options,
                                        mcpi_str token,
                                        const mcpi_share *share) {
  mcp_token_check *check = mcpi_calloc(&loop->allocator, 1, sizeof(*check));
  if (check == NULL) {
    return NULL;
  }
  check->ask.on_abandoned = token_check_on_abandoned;
  check->orphan.release = token_check_release;
  mcpi_list_init(&check->orphan.link);
  check->loop = loop;
  mcpi_share_init_like(&check->share, share);
  check->introspection_ms = options->introspection_ms;
  check->stream_ms = options->stream_ms;
  check->token = mcpi_strndup(&loop->allocator, token.ptr, token.len);
  if (check->token == NULL) {
    token_check_free(check);
    return NULL;
  }
  return check;
}

/* --- the answer --------------------------------------------------------- */

/* The waits get the answer, unless none is left. Frees the check. */
static void token_check_deliver(mcp_token_check *check) {
  if (check->ask.asks != NULL) {
    mcpi_ask_answer_all(&check->ask, &check->answer);
  }
  token_check_free(check);
}

/* Inside the callback, the answer waits until that returns. */
static void token_check_answer(mcp_token_check *check, int rc,
                               const char *why) {
  check->answer.rc = rc;
  if (why != NULL && why[0] != '\0') {
    snprintf(check->why, sizeof(check->why), "%s", why);
    check->answer.why = check->why;
  }
  check->state = TOKEN_CHECK_ANSWERED;
  if (!check->is_called) {
    token_check_deliver(check);
  }
}

int mcpi_token_check_begin(mcpi_asks *asks, mcp_loop *loop,
                           const mcp_protect_options *options, mcpi_str token,
                           const mcpi_token_key *key, const mcpi_share *share,
                           mcpi_ask_wait *wait) {
  mcp_token_check *check = token_check_new(loop, options, token, share);
  if (check == NULL) {
    return MCP_ERR_NOMEM;
  }
  int rc = mcpi_asks_add(asks, &check->ask, key, wait);
  if (rc != 0) {
    token_check_free(check);
    return rc;
  }
  check->is_called = 1;
  options->check_token(check, check->token, options->userdata);
  check->is_called = 0;
  if (check->state == TOKEN_CHECK_ANSWERED) {
    token_check_deliver(check);
    return 0;
  }
  if (check->state == TOKEN_CHECK_CALLED) {
    check->state = TOKEN_CHECK_WAITING;
  }
  mcpi_list_append(&loop->orphans, &check->orphan.link);
  return 0;
}

static void token_check_accept(mcp_token_check *check, mcpi_grant *grant,
                               int64_t expires_ms) {
  mcpi_ask_answer *answer = &check->answer;
  answer->grant = grant;
  answer->fresh_ms = INT64_MAX;
  if (expires_ms == 0) {
    mcpi_ask_answer_limit(answer, check->introspection_ms, check->stream_ms);
  }
  token_check_answer(check, 0, NULL);
}

/* --- facts -------------------------------------------------------------- */

static int token_check_set_claims(const mcp_token_check *check,
                                  mcpi_grant *grant, const char *text,
                                  mcp_error *err) {
  mcp_error why = {0};
  if (text == NULL) {
    return 0;
  }
  int rc = mcpi_doc_parse(&grant->claims, text, strlen(text), NULL,
                          &check->loop->allocator, &why);
  if (rc == MCP_ERR_NOMEM) {
    return mcpi_no_memory(err);
  }
  if (rc != 0) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "mcp_token_facts.claims is not JSON: there is a fault "
                         "at byte %llu",
                         (unsigned long long)why.offset);
  }
  const mcp_json *claims = mcp_doc_root(grant->claims);
  if (mcp_json_type(claims) != MCP_JSON_OBJECT) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "mcp_token_facts.claims is not a JSON object");
  }
  rc = mcpi_claims_binding(claims, grant->thumbprint, err);
  return rc == 0 ? 0
                 : mcp_error_set(err, MCP_ERR_INVALID,
                                 "mcp_token_facts.claims: cnf has no valid "
                                 "jkt");
}

static int token_check_set_expiry(const mcp_token_check *check,
                                  mcpi_grant *grant, int64_t expires_ms,
                                  mcp_error *err) {
  if (expires_ms == 0) {
    return 0;
  }
  if (expires_ms <= mcpi_loop_wall(check->loop)) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "mcp_token_facts.expires_ms is %lld, which is in the "
                         "past",
                         (long long)expires_ms);
  }
  grant->expires_ms = expires_ms;
  return 0;
}

static int token_check_make_grant(const mcp_token_check *check,
                                  const mcp_token_facts *facts,
                                  mcpi_grant **out, mcp_error *err) {
  mcpi_buf scopes;
  mcpi_buf_init(&scopes, &check->loop->allocator, SIZE_MAX);
  mcpi_scopes_add(&scopes, mcpi_str_z(facts->scopes));
  mcpi_grant *grant = NULL;
  if (scopes.error == 0) {
    grant = mcpi_grant_new(&check->loop->allocator,
                           mcpi_str_z(facts->principal), mcpi_buf_str(&scopes));
  }
  mcpi_buf_deinit(&scopes);
  if (grant == NULL) {
    return mcpi_no_memory(err);
  }
  int rc = token_check_set_claims(check, grant, facts->claims, err);
  if (rc == 0) {
    rc = token_check_set_expiry(check, grant, facts->expires_ms, err);
  }
  if (rc != 0) {
    mcpi_grant_unref(grant);
    return rc;
  }
  *out = grant;
  return 0;
}

static int token_check_read_facts(const mcp_token_check *check,
                                  const mcp_token_facts *given,
                                  mcpi_grant **out, int64_t *expires_ms,
                                  mcp_error *err) {
  mcp_token_facts facts;
  int rc = mcpi_widen(&facts, sizeof(facts), given, "mcp_token_facts", err);
  if (rc != 0) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "mcp_token_facts is NULL, its size is not set, or it "
                         "has a member that this library does not know");
  }
  if (facts.principal == NULL || facts.principal[0] == '\0') {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "mcp_token_facts.principal is NULL or empty");
  }
  *expires_ms = facts.expires_ms;
  return token_check_make_grant(check, &facts, out, err);
}

/* --- what the program calls --------------------------------------------- */

/* Returns 0 if an answer has no effect. The check is gone then, unless its
 * callback still runs. */
static int token_check_admits(mcp_token_check *check) {
  if (check->state == TOKEN_CHECK_ANSWERED) {
    return 0;
  }
  if (check->state == TOKEN_CHECK_ABANDONED) {
    token_check_answer(check, MCP_ERR_GONE, NULL);
    return 0;
  }
  return 1;
}

int mcp_token_accept(mcp_token_check *check, const mcp_token_facts *facts,
                     mcp_error *err) {
  mcpi_grant *grant = NULL;
  int64_t expires_ms = 0;
  mcpi_error_clear(err);
  if (check == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "the token check is NULL; pass the one that "
                         "check_token got");
  }
  if (!token_check_admits(check)) {
    return mcp_error_set(err, MCP_ERR_GONE,
                         "no request waits for this answer any longer");
  }
  int rc = token_check_read_facts(check, facts, &grant, &expires_ms, err);
  if (rc == 0) {
    token_check_accept(check, grant, expires_ms);
    return 0;
  }
  if (rc == MCP_ERR_NOMEM) {
    token_check_answer(check, rc, NULL);
  } else {
    token_check_answer(check, MCP_ERR_REFUSED, NULL);
  }
  return rc;
}

void mcp_token_refuse(mcp_token_check *check, const char *description) {
  if (check != NULL && token_check_admits(check)) {
    token_check_answer(check, MCP_ERR_REFUSED, description);
  }
}
