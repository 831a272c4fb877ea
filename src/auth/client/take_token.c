/* SPDX-License-Identifier: MIT */
/* The answer of the token endpoint (RFC 6749, 5; RFC 9449, 5 and 8). */
#include "auth/client/step.h"

#include "base/ascii.h"
#include "codec/http_value.h"
#include <stdio.h>

enum {
  /* The room for a key in PEM that key_generate has made. */
  PEM_SIZE = 4096,
  /* The longest lifetime of a token that is believed, in seconds: ten years. */
  LIFETIME_MAX_S = 10 * 365 * 24 * 60 * 60
};

/* --- refusals ------------------------------------------------------------- */

/* Whether the server wants its nonce in the proof. It gets one proof with
 * it. */
static int wants_nonce(const mcpi_flow *flow, const mcp_fetch_answer *answer,
                       const char *error) {
  return flow->key != NULL && flow->attempt == 0 && error != NULL &&
         strcmp(error, "use_dpop_nonce") == 0 &&
         mcpi_step_header(answer, "DPoP-Nonce") != NULL;
}

static mcpi_flow_next ask_with_nonce(mcpi_flow *flow,
                                     const mcp_fetch_answer *answer) {
  const char *nonce = mcpi_step_header(answer, "DPoP-Nonce");
  if (mcpi_step_copy(flow, &flow->nonce, nonce) != 0) {
    return mcpi_step_no_memory(flow);
  }
  flow->attempt++;
  return mcpi_step_get_token(flow);
}

/* The token endpoint has answered without a token. Only its "invalid_grant"
 * says that a refresh token is no longer good: a page of a proxy, or the
 * refusal of the client, does not. */
static mcpi_flow_next refuse_grant(mcpi_flow *flow,
                                   const mcp_fetch_answer *answer,
                                   const char *error) {
  mcpi_flow_next next = mcpi_step_refuse(flow, answer);
  flow->result.is_refresh_refused =
      flow->purpose == MCPI_FLOW_TO_REFRESH &&
      flow->result.why.code == MCP_ERR_REFUSED &&
      mcpi_str_eq(mcpi_str_z(error), MCPI_STR("invalid_grant"));
  return next;
}

/* RFC 6749, 5.2. A code is good for one client, so a new client asks for
 * another code. */
static mcpi_flow_next take_refusal(mcpi_flow *flow,
                                   const mcp_fetch_answer *answer) {
  int rc = 0;
  mcpi_flow_next next;
  mcp_doc *doc = mcpi_step_parse(flow, answer, &rc);
  const char *error = mcp_json_string(mcp_json_get(mcp_doc_root(doc), "error"));
  if (rc == MCP_ERR_NOMEM) {
    next = mcpi_step_no_memory(flow);
  } else if (wants_nonce(flow, answer, error)) {
    next = ask_with_nonce(flow, answer);
  } else if (mcpi_step_drop_client(flow, mcpi_str_z(error))) {
    next = MCPI_FLOW_GET_CLIENT;
  } else {
    next = refuse_grant(flow, answer, error);
  }
  mcp_doc_free(doc);
  return next;
}

/* --- what is granted ------------------------------------------------------ */

/* Reads the token. Returns NULL with flow->result.why. */
static const char *read_access(mcpi_flow *flow, const mcp_json *root) {
  const char *text = mcp_json_string(mcp_json_get(root, "access_token"));
  if (text == NULL || text[0] == '\0') {
    mcpi_step_fail_answer(flow, MCP_ERR_PROTOCOL, "has no access_token");
    return NULL;
  }
  if (strlen(text) > MCPI_FLOW_MAX_TOKEN) {
    mcpi_step_fail_answer(flow, MCP_ERR_LIMIT,
                          "has an access_token of more than 16 KB");
    return NULL;
  }
  if (!mcpi_token_can_be_sent(text)) {
    mcpi_step_fail_answer(flow, MCP_ERR_PROTOCOL,
                          "has an access_token with characters that a header "
                          "cannot carry");
    return NULL;
  }
  return text;
}

/* A refresh token that cannot be used counts as absent. */
static const char *read_refresh(const mcp_json *root) {
  const char *text = mcp_json_string(mcp_json_get(root, "refresh_token"));
  return text != NULL && text[0] != '\0' && strlen(text) <= MCPI_FLOW_MAX_TOKEN
             ? text
             : NULL;
}

static int is_type(const char *type, const char *wanted) {
  return mcpi_header_eq_nocase(mcpi_str_z(type), mcpi_str_z(wanted));
}

/* Checks token_type. A server may answer a proof with a token that is not
 * bound, which is good unless the MCP server demands a bound one, or the old
 * token was bound. */
static mcpi_flow_next check_type(mcpi_flow *flow, const mcp_json *root) {
  char shown[MCPI_SHOWN_SIZE];
  char what[MCP_ERROR_TEXT_SIZE];
  const char *type = mcp_json_string(mcp_json_get(root, "token_type"));
  int must_be_bound = flow->start.wants_dpop || flow->token != NULL;
  if (is_type(type, "DPoP") && flow->key != NULL) {
    return MCPI_FLOW_DONE;
  }
  if (is_type(type, "Bearer") && (flow->key == NULL || !must_be_bound)) {
    return MCPI_FLOW_DONE;
  }
  if (is_type(type, "Bearer")) {
    return mcpi_step_fail_answer(flow, MCP_ERR_REFUSED,
                                 "has a token of the type Bearer, but it must "
                                 "be bound to a key (DPoP)");
  }
  snprintf(what, sizeof(what),
           "has a token of the type \"%.40s\", which was not asked for",
           mcpi_step_show(flow, mcpi_str_z(type), shown));
  return mcpi_step_fail_answer(flow, MCP_ERR_PROTOCOL, what);
}

/* Reads a text of digits, as some servers send it; -1: it is something else. */
static int64_t read_digits(const char *text) {
  int64_t number = text != NULL && text[0] != '\0' ? 0 : -1;
  for (; number >= 0 && *text != '\0'; text++) {
    if (!mcpi_is_digit(*text) || number > LIFETIME_MAX_S) {
      return -1;
    }
    number = number * 10 + (*text - '0');
  }
  return number;
}

/* When the token expires, by the wall clock; INT64_MAX: the server has not said
 * so in a way that makes sense. */
static int64_t read_expiry(const mcpi_flow *flow, const mcp_json *root) {
  const mcp_json *member = mcp_json_get(root, "expires_in");
  int64_t s = mcp_json_int(member);
  if (mcp_json_type(member) == MCP_JSON_STRING) {
    s = read_digits(mcp_json_string(member));
  }
  return s > 0 && s <= LIFETIME_MAX_S ? mcpi_loop_wall(flow->loop) + s * 1000
                                      : INT64_MAX;
}

/* Copies the scopes that this login asks for. */
static int copy_asked(const mcpi_flow *flow, char **to) {
  if (flow->scopes.len == 0) {
    return 0;
  }
  *to = mcpi_strndup(flow->allocator, flow->scopes.data, flow->scopes.len);
  return *to != NULL ? 0 : MCP_ERR_NOMEM;
}

/* A server that grants what was asked for need not say so. A renewal asks for
 * the scopes that the token has. */
static int copy_scopes(const mcpi_flow *flow, const mcp_json *root,
                       mcpi_token *token) {
  const char *granted = mcp_json_string(mcp_json_get(root, "scope"));
  int rc = copy_asked(flow, &token->asked);
  if (rc == 0 && granted == NULL) {
    granted = flow->token != NULL ? flow->token->scopes : token->asked;
  }
  return rc == 0 ? mcpi_step_copy(flow, &token->scopes, granted) : rc;
}

/* Copies the private key of a bound token. */
static int copy_key(const mcpi_flow *flow, char **to) {
  const mcp_platform *platform = &flow->loop->platform;
  char pem[PEM_SIZE];
  int rc = platform->crypto->key_to_pem(platform->userdata, flow->key, pem,
                                        sizeof(pem));
  if (rc == 0) {
    rc = mcpi_step_copy(flow, to, pem);
  }
  mcpi_wipe(pem, sizeof(pem));
  return rc;
}

/* Fills in the token. Returns 0 or an MCP_ERR_*. */
static int fill_token(mcpi_flow *flow, const mcp_json *root, const char *access,
                      mcpi_token *token) {
  const char *type = mcp_json_string(mcp_json_get(root, "token_type"));
  const char *refresh = read_refresh(root);
  if (refresh == NULL && flow->token != NULL) {
    refresh = flow->token->refresh; /* RFC 6749, 6 */
  }
  const char *const texts[] = {access, refresh, flow->issuer, flow->resource,
                               flow->client.client_id};
  char **const copies[] = {&token->access, &token->refresh, &token->issuer,
                           &token->resource, &token->client_id};
  int rc = 0;
  for (size_t i = 0; rc == 0 && i < sizeof(texts) / sizeof(texts[0]); i++) {
    rc = mcpi_step_copy(flow, copies[i], texts[i]);
  }
  if (rc == 0) {
    rc = copy_scopes(flow, root, token);
  }
  if (rc == 0 && is_type(type, "DPoP")) {
    rc = copy_key(flow, &token->key);
  }
  token->expires_ms = read_expiry(flow, root);
  return rc;
}

static mcpi_flow_next take_grant(mcpi_flow *flow, const mcp_json *root) {
  const char *access = read_access(flow, root);
  if (access == NULL || check_type(flow, root) != MCPI_FLOW_DONE) {
    return MCPI_FLOW_FAILED;
  }
  mcpi_token *token = mcpi_token_new(flow->allocator);
  int rc = MCP_ERR_NOMEM;
  if (token != NULL) {
    rc = fill_token(flow, root, access, token);
  }
  if (rc != 0) {
    mcpi_token_free(token, flow->allocator);
    return mcpi_step_fail_code(flow, rc, "keeping the token");
  }
  flow->result.token = token;
  return MCPI_FLOW_DONE;
}

mcpi_flow_next mcpi_step_take_token(mcpi_flow *flow,
                                    const mcp_fetch_answer *answer) {
  if (answer->error != 0) {
    return mcpi_step_refuse(flow, answer);
  }
  if (!mcpi_step_is_fine(answer)) {
    return take_refusal(flow, answer);
  }
  return mcpi_step_take_object(flow, answer, take_grant);
}
