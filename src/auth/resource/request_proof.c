/* SPDX-License-Identifier: MIT */
/* The DPoP proof of a request (RFC 9449). */
#include "auth/resource/request_check.h"

static void request_check_demand_nonce(mcpi_request_check *check) {
  const mcpi_refusal refusal = {.status = 401,
                                .error = "use_dpop_nonce",
                                .description = "the proof needs a nonce of "
                                               "this server",
                                .is_dpop = 1};
  int rc = mcpi_nonces_get(&check->verifier->nonces, check->nonce);
  if (rc != 0) {
    mcpi_request_check_fail(check, rc, NULL);
  } else {
    mcpi_request_check_refuse(check, &refusal);
  }
}

/* Returns 1 if the check goes on. */
static int request_check_admit_nonce(mcpi_request_check *check) {
  mcpi_verifier *verifier = check->verifier;
  int is_old = 0;
  if (!verifier->options.demands_nonce) {
    return 1;
  }
  int rc = mcpi_nonces_check(&verifier->nonces, check->proof.nonce, &is_old);
  if (rc == MCP_ERR_REFUSED) {
    request_check_demand_nonce(check);
    return 0;
  }
  if (rc == 0 && is_old) {
    rc = mcpi_nonces_get(&verifier->nonces, check->nonce);
  }
  if (rc != 0) {
    mcpi_request_check_fail(check, rc, NULL);
  }
  return rc == 0;
}

/* `why` describes MCP_ERR_INVALID. */
static void request_check_refuse_proof(mcpi_request_check *check, int rc,
                                       const mcp_error *why) {
  if (rc == MCP_ERR_INVALID) {
    mcpi_request_check_refuse_token(check, "invalid_dpop_proof", why->message);
  } else {
    mcpi_request_check_fail(check, rc, NULL);
  }
}

/* Returns 1 if the check goes on. */
static int request_check_verify_proof(mcpi_request_check *check,
                                      const mcpi_jwt *jwt) {
  mcp_error why = {0};
  int rc = mcpi_dpop_verify(&check->proof, jwt, check->verifier->loop, &why);
  if (rc != 0) {
    request_check_refuse_proof(check, rc, &why);
  }
  return rc == 0;
}

/* The nonce comes before the signature: to refuse it costs little, and so needs
 * no count. */
int mcpi_request_check_admit_proof(mcpi_request_check *check,
                                   const mcpi_token_request *request) {
  mcp_error why = {0};
  mcpi_jwt jwt;
  const mcp_protect_options *options = &check->verifier->options;
  const mcpi_dpop_claims claims = {
      .method = request->method,
      .url = request->url.ptr != NULL ? request->url : check->resource,
      .access_token = check->token};
  if (check->scheme != MCPI_SCHEME_DPOP) {
    return 1;
  }
  if (request->dpop.ptr == NULL) {
    mcpi_request_check_refuse_token(check, "invalid_dpop_proof",
                                    "the request has no header DPoP");
    return 0;
  }
  int rc =
      mcpi_dpop_read(&check->proof, &jwt, check->verifier->loop, request->dpop,
                     &claims, options->dpop_window_ms, &why);
  if (rc != 0) {
    request_check_refuse_proof(check, rc, &why);
    return 0;
  }
  int goes_on = request_check_admit_nonce(check) &&
                request_check_verify_proof(check, &jwt);
  mcpi_jwt_deinit(&jwt);
  return goes_on;
}

/* Says why a token does not fit its scheme or its proof. */
static const char *binding_fault(const mcpi_request_check *check,
                                 int is_bound) {
  int is_dpop = check->scheme == MCPI_SCHEME_DPOP;
  if (is_bound) {
    return is_dpop ? "the token is bound to another key than that of the proof"
                   : "the token is bound to a key; use the scheme DPoP";
  }
  if (check->verifier->options.requires_dpop) {
    return "this server needs a token that is bound to a key (DPoP)";
  }
  return "the token is not bound to a key; use the scheme Bearer";
}

int mcpi_request_check_admit_binding(mcpi_request_check *check,
                                     const mcpi_grant *grant) {
  const mcp_protect_options *options = &check->verifier->options;
  int is_dpop = check->scheme == MCPI_SCHEME_DPOP;
  int is_bound = grant->thumbprint[0] != '\0';
  int fits = is_dpop ? is_bound && strcmp(grant->thumbprint,
                                          check->proof.thumbprint) == 0
                     : !is_bound && !options->requires_dpop;
  if (fits) {
    return 1;
  }
  const mcpi_refusal refusal = {.status = 401,
                                .error = "invalid_token",
                                .scopes = mcpi_str_z(options->scopes),
                                .is_dpop = 1,
                                .is_bearer =
                                    !is_dpop && !options->requires_dpop,
                                .description = binding_fault(check, is_bound),
                                .is_invalid = 1};
  mcpi_request_check_refuse(check, &refusal);
  return 0;
}

int mcpi_request_check_use_proof(mcpi_request_check *check,
                                 const mcpi_grant *grant) {
  mcpi_verifier *verifier = check->verifier;
  if (check->scheme != MCPI_SCHEME_DPOP) {
    return 1;
  }
  int rc = mcpi_proofs_use(verifier->proofs, verifier->loop, grant->principal,
                           &check->proof);
  if (rc == MCP_ERR_EXISTS) {
    mcpi_request_check_refuse_token(check, "invalid_dpop_proof",
                                    "the proof was used before");
  } else if (rc == MCP_ERR_REFUSED) {
    mcpi_request_check_refuse_token(check, "invalid_dpop_proof",
                                    "the proof is too old");
  } else if (rc == MCP_ERR_LIMIT) {
    mcpi_request_check_refuse_for_now(
        check, "too many DPoP proofs; try again in a minute");
  } else if (rc != 0) {
    mcpi_request_check_fail(check, rc, NULL);
  }
  return rc == 0;
}
