/* SPDX-License-Identifier: MIT */
/* Checks the tokens of requests for a resource server. It does no I/O: it
 * fetches keys with the platform's functions.
 *
 *     Authorization -> the cache of checked tokens
 *                   -> tokens | check_token | JWT by the keys of its issuer
 *                      | introspection
 *     DPoP          -> the proof, each time
 *
 * One verifier for each loop and endpoint. All on the loop's thread. */
#ifndef MCPI_AUTH_RESOURCE_VERIFIER_H
#define MCPI_AUTH_RESOURCE_VERIFIER_H

#include "auth/resource/grant.h"
#include "base/buf.h"
#include "base/list.h"
#include "core/loop.h"
#include <mcp/protect.h>

typedef struct mcpi_verifier mcpi_verifier;

/* Returns a verifier, or NULL with err: MCP_ERR_INVALID (the message names the
 * member; also token_file, whose text libmcp passes as `tokens`),
 * MCP_ERR_PLATFORM, MCP_ERR_IO (no random bytes), MCP_ERR_NOMEM. */
mcpi_verifier *mcpi_verifier_new(mcp_loop *loop,
                                 const mcp_protect_options *options,
                                 mcp_error *err);
/* Ends all checks; their on_done is not called. NULL is accepted. */
void mcpi_verifier_free(mcpi_verifier *verifier);
/* The options with defaults, borrowed; without tokens. */
const mcp_protect_options *mcpi_verifier_options(const mcpi_verifier *verifier);

/* What the verifiers of one endpoint on several loops must share: the proofs
 * that were used, and the key of nonces. Otherwise a proof could be used once
 * on each loop, and a loop would refuse the nonces of another. Counted, with a
 * lock; it uses the allocator of the loop on which it was made. */
typedef struct mcpi_proofs mcpi_proofs;
/* Returns those of a verifier, borrowed from it. */
mcpi_proofs *mcpi_verifier_proofs(const mcpi_verifier *verifier);
/* Makes a verifier use those of another one, in place of its own. Call it
 * before the first check, while the other verifier exists. */
void mcpi_verifier_share(mcpi_verifier *verifier, mcpi_proofs *proofs);

typedef struct mcpi_token_wait mcpi_token_wait;

/* What a request brings. Borrowed until _check returns. */
typedef struct mcpi_token_request {
  mcpi_str authorization; /* ptr NULL: no such header */
  mcpi_str dpop;          /* ptr NULL: no such header */
  int is_repeated;        /* one of the two headers occurs twice */
  const char *method;
  mcpi_str resource; /* the URL of this server, as its client knows it; used if
                        the options have none */
  mcpi_str url;      /* the URL of the request, for DPoP; ptr NULL: that of the
                        resource */
  /* Whose share of max_checks a check counts in, as for mcpi_accounts_find. */
  const char *principal;
  const char *peer;
  /* Whether the client may make us check a token that was not accepted before;
   * NULL: it may. If not, the request is refused with status 429. It is called
   * before _check returns, and calls nothing of the verifier. */
  int (*may_check)(mcpi_token_wait *wait);
} mcpi_token_request;

/* What came of a check. Borrowed until on_done returns, but `grant` may be
 * referenced. */
typedef struct mcpi_token_result {
  mcpi_grant *grant;  /* NULL: refused */
  int status;         /* if refused: 400, 401, 403, 429 or 503 */
  int is_invalid;     /* refused, because the token or its proof is not valid */
  mcpi_str challenge; /* the value of WWW-Authenticate; ptr NULL: none */
  mcpi_str nonce;     /* the value of DPoP-Nonce; ptr NULL: none */
  const char *reason; /* one line for the body of the answer */
} mcpi_token_result;

/* One check. It is part of the request's own structure. */
typedef void (*mcpi_token_done_cb)(mcpi_token_wait *wait,
                                   const mcpi_token_result *result);
struct mcpi_token_wait {
  mcpi_list link; /* in the verifier's list, while it waits */
  mcpi_token_done_cb on_done;
  void *state; /* the verifier's, while it waits; else NULL */
};

/* Checks a request. Calls on_done once: before it returns, or later. on_done
 * may free the verifier, and may begin and cancel other checks. */
void mcpi_verifier_check(mcpi_verifier *verifier,
                         const mcpi_token_request *request,
                         mcpi_token_wait *wait, mcpi_token_done_cb on_done);
/* Ends a check: on_done is not called. Legal for one that is over, and for a
 * structure of zeros. */
void mcpi_verifier_cancel(mcpi_token_wait *wait);

/* Appends the challenge for a request with this grant, which lacks these scopes
 * (403). `resource` is as in mcpi_token_request. */
void mcpi_verifier_put_scope_challenge(const mcpi_verifier *verifier,
                                       const mcpi_grant *grant, mcpi_buf *buf,
                                       mcpi_str resource, mcpi_str scopes);
/* Whether the protected resource publishes metadata (RFC 9728). */
int mcpi_verifier_has_metadata(const mcpi_verifier *verifier);
/* Appends the metadata, which the resource publishes, as JSON. Returns 0 or
 * MCP_ERR_NOMEM. */
int mcpi_verifier_put_metadata(const mcpi_verifier *verifier, mcpi_buf *buf,
                               mcpi_str resource);

#endif
