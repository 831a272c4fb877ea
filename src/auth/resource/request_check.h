/* SPDX-License-Identifier: MIT */
/* One check of a request's token, while it goes on (verifier.c), and how it
 * ends. */
#ifndef MCPI_AUTH_RESOURCE_REQUEST_CHECK_H
#define MCPI_AUTH_RESOURCE_REQUEST_CHECK_H

#include "auth/resource/asks.h"
#include "auth/resource/cache.h"
#include "auth/resource/challenge.h"
#include "auth/resource/credentials.h"
#include "auth/resource/jwt_check.h"
#include "auth/resource/nonce.h"
#include "auth/resource/proofs.h"
#include "auth/resource/tokens.h"
#include "auth/resource/verifier.h"
#include "core/quota.h"

struct mcpi_verifier {
  mcp_loop *loop;
  mcp_protect_options options;
  mcpi_fixed_tokens tokens;
  mcpi_jwt_checker jwts;
  mcpi_proofs *proofs; /* a hold */
  mcpi_nonces nonces;
  mcpi_token_cache cache;
  mcpi_last_resource last_resource;
  uint64_t keys_version; /* of which the cache is */
  mcpi_asks asks;
  mcpi_list waits;    /* mcpi_token_wait.link of parked checks */
  mcpi_quota *checks; /* a reference; counts the parked checks of each client,
                         and those that the program has not answered */
};

/* A check that is not parked is on the stack of mcpi_verifier_check, and what
 * it has is borrowed from the request. A parked check is on the heap with
 * copies, and its wait is in the verifier's list. What ends it: its result,
 * mcpi_verifier_cancel, or the end of the verifier. */
typedef struct mcpi_request_check {
  mcpi_verifier *verifier;
  mcpi_token_wait *wait;
  mcpi_scheme scheme;
  mcpi_str token;
  mcpi_str resource;
  mcpi_token_key key;
  mcpi_dpop_proof proof;       /* with the scheme DPoP */
  char nonce[MCPI_NONCE_SIZE]; /* for the answer; "": none */
  char *text;                  /* parked: what token and resource point into */
  mcpi_share share;            /* parked: one of verifier->checks */
  mcpi_keys_wait keys_wait;
  mcpi_ask_wait ask_wait;
} mcpi_request_check;

/* --- its end (request_check.c) --- */

/* Frees what the check has, without a result. */
void mcpi_request_check_release(mcpi_request_check *check);
/* Each of the functions below ends the check, and reports the result. The
 * verifier may be gone when it returns. */
void mcpi_request_check_report(mcpi_request_check *check,
                               mcpi_token_result *result);
void mcpi_request_check_refuse(mcpi_request_check *check,
                               const mcpi_refusal *refusal);
/* Refuses a request whose header is wrong. */
void mcpi_request_check_refuse_request(mcpi_request_check *check,
                                       const char *description);
/* Refuses a token, or its proof. */
void mcpi_request_check_refuse_token(mcpi_request_check *check,
                                     const char *error,
                                     const char *description);
/* We cannot tell at the moment whether the token is valid. */
void mcpi_request_check_refuse_for_now(mcpi_request_check *check,
                                       const char *why);
/* Refuses for an MCP_ERR_*: MCP_ERR_REFUSED is the token's fault. */
void mcpi_request_check_fail(mcpi_request_check *check, int rc,
                             const char *why);

/* --- its DPoP proof (request_proof.c) --- */

/* Each of these returns 1 if the check goes on. */

/* Whether the proof is that of the request. Whether it fits the token comes
 * later. */
int mcpi_request_check_admit_proof(mcpi_request_check *check,
                                   const mcpi_token_request *request);
/* Whether the token is bound to the key of the proof, or to none. */
int mcpi_request_check_admit_binding(mcpi_request_check *check,
                                     const mcpi_grant *grant);
/* Whether the proof is used for the first time. Only proofs of valid tokens are
 * remembered, so that nobody else can fill the memory. */
int mcpi_request_check_use_proof(mcpi_request_check *check,
                                 const mcpi_grant *grant);

#endif
