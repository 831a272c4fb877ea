/* SPDX-License-Identifier: MIT */
/* Definitions for a test program that uses an auth_rig: they take the place of
 * the real flow and of real DPoP proofs, which are not linked then. */
#ifndef MCP_TESTS_AUTH_DOUBLES_H
#define MCP_TESTS_AUTH_DOUBLES_H

#include "auth/dpop.h"
#include "support/auth_rig.h"
#include "support/cm.h"
#include <stdio.h>
#include <string.h>

static void rig_copy(char *out, size_t size, const char *text) {
  snprintf(out, size, "%s", text != NULL ? text : "-");
}

/* --- the flow ------------------------------------------------------------- */

mcpi_flow *mcpi_flow_new(const mcpi_flow_start *start, mcp_error *err) {
  mcpi_flow *flow =
      auth_rig_now->flow_new_fails
          ? NULL
          : mcpi_calloc(&start->loop->allocator, 1, sizeof(*flow));
  if (flow == NULL) {
    mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
    return NULL;
  }
  flow->start = *start;
  rig_copy(flow->metadata_url, sizeof(flow->metadata_url), start->metadata_url);
  rig_copy(flow->demanded, sizeof(flow->demanded), start->demanded_scopes);
  rig_copy(flow->earlier, sizeof(flow->earlier), start->earlier_scopes);
  rig_copy(flow->bound_issuer, sizeof(flow->bound_issuer), start->bound_issuer);
  rig_copy(flow->revision, sizeof(flow->revision), start->revision);
  rig_copy(flow->known_client, sizeof(flow->known_client),
           start->known_client != NULL ? start->known_client->client_id : NULL);
  auth_rig_now->flow = flow;
  auth_rig_now->flow_count++;
  auth_rig_now->flows_alive++;
  return flow;
}

void mcpi_flow_free(mcpi_flow *flow) {
  if (flow != NULL) {
    auth_rig_now->flows_alive--;
    if (auth_rig_now->flow == flow) {
      auth_rig_now->flow = NULL;
    }
    mcpi_free(&flow->start.loop->allocator, flow, sizeof(*flow));
  }
}

void mcpi_flow_log_in(mcpi_flow *flow) {
  flow->kind = RIG_FLOW_LOG_IN;
}

static void flow_take_token(mcpi_flow *flow, rig_flow_kind kind,
                            const mcpi_token *token) {
  flow->kind = kind;
  rig_copy(flow->refresh, sizeof(flow->refresh), token->refresh);
}

void mcpi_flow_refresh(mcpi_flow *flow, const mcpi_token *token) {
  flow_take_token(flow, RIG_FLOW_REFRESH, token);
}

void mcpi_flow_revoke(mcpi_flow *flow, const mcpi_token *token) {
  flow_take_token(flow, RIG_FLOW_REVOKE, token);
}

int mcpi_flow_redirected(mcpi_flow *flow, const char *url, mcp_error *err) {
  if (strstr(url, "state=right") == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID, "another state");
  }
  rig_copy(flow->redirected, sizeof(flow->redirected), url);
  return 0;
}

int mcpi_flow_assert(mcpi_flow *flow, const char *assertion) {
  rig_copy(flow->assertion, sizeof(flow->assertion), assertion);
  return 0;
}

int mcpi_flow_give_client(mcpi_flow *flow, const char *id, const char *secret) {
  snprintf(flow->client, sizeof(flow->client), "%s:%s", id != NULL ? id : "-",
           secret != NULL ? secret : "-");
  return 0;
}

void mcpi_flow_abandon(mcpi_flow *flow, int code, const char *why) {
  mcpi_flow_result result = {.registered.expires_ms = INT64_MAX};
  mcp_error_set(&result.why, code, "%s", why);
  flow->start.host->on_done(flow->start.host_object, &result);
}

/* --- proofs --------------------------------------------------------------- */

int mcpi_dpop_put(mcpi_buf *to, mcp_loop *loop, const mcp_key *key,
                  const mcpi_dpop_claims *claims) {
  auth_rig *rig = auth_rig_now;
  rig->proofs++;
  rig_copy(rig->nonce, sizeof(rig->nonce), claims->nonce);
  snprintf(rig->proof_url, sizeof(rig->proof_url), "%s %.*s", claims->method,
           (int)claims->url.len, claims->url.ptr);
  assert_true(claims->access_token.len > 0);
  mcpi_buf_lit(to, "proof");
  return to->error;
}

#endif
