/* SPDX-License-Identifier: MIT */
/* The end of a check. */
#include "auth/resource/request_check.h"

void mcpi_request_check_release(mcpi_request_check *check) {
  const mcp_allocator *allocator = &check->verifier->loop->allocator;
  mcpi_dpop_proof_deinit(&check->proof, allocator);
  if (check->text == NULL) {
    return;
  }
  mcpi_share_deinit(&check->share);
  check->wait->state = NULL;
  mcpi_list_remove(&check->wait->link);
  mcpi_list_remove(&check->keys_wait.link);
  mcpi_ask_leave(&check->ask_wait);
  mcpi_free_wiped(allocator, check->text,
                  check->token.len + check->resource.len);
  mcpi_free(allocator, check, sizeof(*check));
}

void mcpi_verifier_cancel(mcpi_token_wait *wait) {
  if (wait->state != NULL) {
    mcpi_request_check_release(wait->state);
  }
}

static const char *refusal_reason(const mcpi_refusal *refusal) {
  if (refusal->description != NULL) {
    return refusal->description;
  }
  return refusal->error != NULL ? "the token is not valid"
                                : "an access token is needed";
}

void mcpi_request_check_report(mcpi_request_check *check,
                               mcpi_token_result *result) {
  mcpi_token_wait *wait = check->wait;
  char nonce[MCPI_NONCE_SIZE];
  memcpy(nonce, check->nonce, sizeof(nonce));
  if (nonce[0] != '\0') {
    result->nonce = mcpi_str_z(nonce);
  }
  mcpi_request_check_release(check);
  wait->on_done(wait, result);
}

void mcpi_request_check_refuse(mcpi_request_check *check,
                               const mcpi_refusal *refusal) {
  mcpi_buf challenge;
  mcpi_token_result result = {.status = refusal->status,
                              .is_invalid = refusal->is_invalid,
                              .reason = refusal_reason(refusal)};
  mcpi_buf_init(&challenge, &check->verifier->loop->allocator, SIZE_MAX);
  if (refusal->status < 429) { /* it is about the token */
    mcpi_refusal_put_challenge(&challenge, &check->verifier->options, refusal,
                               check->resource);
    result.challenge = mcpi_buf_str(&challenge);
  }
  if (challenge.error != 0) {
    result = (mcpi_token_result){.status = 503, .reason = "out of memory"};
  }
  mcpi_request_check_report(check, &result);
  mcpi_buf_deinit(&challenge);
}

void mcpi_request_check_refuse_request(mcpi_request_check *check,
                                       const char *description) {
  const mcpi_refusal refusal = {.status = 400,
                                .error = "invalid_request",
                                .description = description,
                                .is_dpop = check->scheme == MCPI_SCHEME_DPOP};
  mcpi_request_check_refuse(check, &refusal);
}

void mcpi_request_check_refuse_token(mcpi_request_check *check,
                                     const char *error,
                                     const char *description) {
  const mcp_protect_options *options = &check->verifier->options;
  const mcpi_refusal refusal = {.status = 401,
                                .error = error,
                                .description = description,
                                .scopes = mcpi_str_z(options->scopes),
                                .is_dpop = check->scheme == MCPI_SCHEME_DPOP,
                                .is_invalid = 1};
  mcpi_request_check_refuse(check, &refusal);
}

void mcpi_request_check_refuse_for_now(mcpi_request_check *check,
                                       const char *why) {
  const mcpi_refusal refusal = {.status = 503, .description = why};
  mcpi_request_check_refuse(check, &refusal);
}

void mcpi_request_check_fail(mcpi_request_check *check, int rc,
                             const char *why) {
  if (rc == MCP_ERR_REFUSED) {
    mcpi_token_cache_drop(&check->verifier->cache, &check->key);
    mcpi_request_check_refuse_token(check, "invalid_token", why);
  } else if (rc == MCP_ERR_IO && why != NULL) {
    mcpi_request_check_refuse_for_now(check, why);
  } else {
    mcpi_request_check_refuse_for_now(check, mcp_error_text(rc));
  }
}
