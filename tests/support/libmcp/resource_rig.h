/* SPDX-License-Identifier: MIT */
/* A verifier of tokens for tests: a manual loop with a clock that the test
 * sets, the real signatures of libmcp, and HTTP requests that the test answers.
 *
 *     resource_rig *rig = resource_rig_new(NULL);
 *     rig->options.issuer = RIG_ISSUER;
 *     resource_rig_open(rig);
 *     resource_rig_check(rig, "Bearer", token, NULL);
 *     resource_rig_answer(rig, 200, metadata);
 *     assert_string_equal(resource_rig_result(rig), "ann: read");
 */
#ifndef TESTS_SUPPORT_RESOURCE_RIG_H
#define TESTS_SUPPORT_RESOURCE_RIG_H

#include "auth/jwk.h"
#include "auth/resource/verifier.h"
#include <mcp/sys/fetch.h>

#define RIG_ISSUER "https://as.example/t1"
#define RIG_RESOURCE "https://rs.example/mcp"
#define RIG_METADATA                                                           \
  "https://as.example/.well-known/oauth-authorization-server/t1"
#define RIG_JWKS_URI "https://as.example/t1/keys"

enum { RIG_FETCHES = 64, RIG_CHECKS = 32 };

/* An HTTP request that was made. */
typedef struct rig_fetch {
  char *method;
  char *url;
  char *headers; /* a line each */
  char *body;
  uint32_t timeout_ms;
  int is_public_only;
  uint32_t group;
  size_t max_answer;
  int is_over; /* answered or cancelled */
  int is_cancelled;
  mcp_fetch_done_cb done;
  void *argument;
} rig_fetch;

typedef struct rig_check {
  mcpi_token_wait wait; /* first, as its callback needs it */
  struct resource_rig *rig;
  int calls; /* of its callback */
  int is_invalid;
  char text[1024];   /* "ann: read write" or "401 invalid_token: reason" */
  char header[2048]; /* the challenge; "": none */
  char nonce[128];   /* "": none */
  mcpi_grant *grant; /* a hold */
  void (*on_done)(struct rig_check *check); /* of the test; may be NULL */
} rig_check;

typedef struct resource_rig {
  mcp_loop *loop;
  mcp_loop *real;  /* that has the signatures */
  mcp_loop *plain; /* makes tokens, with the default allocator */
  mcp_platform platform;
  int64_t now_ms;
  int64_t wall_ms;
  int fetch_error; /* what the next requests return */
  rig_fetch fetches[RIG_FETCHES];
  size_t fetch_count;
  rig_check checks[RIG_CHECKS];
  size_t check_count;
  const char *peer;            /* of the requests; "192.0.2.1:5000" */
  mcp_protect_options options; /* with resource set */
  mcp_error err;
  mcpi_verifier *verifier;
  mcp_key *key;   /* the issuer's: ES256, kid "k1" */
  mcp_key *other; /* another ES256 key */
  mcp_key *proof; /* the client's, for DPoP */
} resource_rig;

/* allocator: NULL: the default. NULL: there is no memory. */
resource_rig *resource_rig_new(const mcp_allocator *allocator);
void resource_rig_free(resource_rig *rig);
/* Makes the verifier with rig->options. Returns 0, or the code of rig->err. */
int resource_rig_open(resource_rig *rig);
/* Lets time pass, on both clocks. */
void resource_rig_pass(resource_rig *rig, int64_t ms);

/* Begins a check with the header "SCHEME TOKEN" (scheme NULL: no header) and
 * the proof (NULL: none). Returns it, borrowed from the rig. */
rig_check *resource_rig_check(resource_rig *rig, const char *scheme,
                              const char *token, const char *proof);
/* The same for any request. */
rig_check *resource_rig_check_request(resource_rig *rig,
                                      const mcpi_token_request *request);
/* What came of the last check; "waits". */
const char *resource_rig_result(const resource_rig *rig);

/* Returns the oldest request that is not over; NULL: there is none. */
rig_fetch *resource_rig_fetch(resource_rig *rig);
/* Returns the URL of it; "": there is none. */
const char *resource_rig_url(resource_rig *rig);
/* Answers that request. */
void resource_rig_answer(resource_rig *rig, int status, const char *body);
/* Lets it fail. */
void resource_rig_fail(resource_rig *rig, int error, const char *why);
/* Answers the requests for metadata and for the key rig->key ("k1"). */
void resource_rig_give_keys(resource_rig *rig);
/* Returns the metadata of RIG_ISSUER. */
const char *resource_rig_metadata(void);

/* All the texts below are of malloc: the test frees them. */

/* A set with one key. kid NULL: none. */
char *resource_rig_jwks(resource_rig *rig, const mcp_key *key, const char *kid);
/* Joins two sets. Frees them. */
char *resource_rig_join(char *one, char *two);
/* A token with this header and these claims, signed by a key. */
char *resource_rig_sign(resource_rig *rig, const mcp_key *key,
                        uint32_t algorithm, const char *header,
                        const char *claims);
/* The same, with a signature of the test's choice. */
char *resource_rig_forge(const char *header, const char *claims,
                         const void *signature, size_t len);
/* The usual claims, with one of them changed (json NULL: removed) and added if
 * it was not there. name NULL: unchanged. */
char *resource_rig_claims(const char *name, const char *json);
/* A good token with these claims (which are freed). */
char *resource_rig_token(resource_rig *rig, char *claims);
/* A proof of rig->proof for a POST to RIG_RESOURCE with this token. */
char *resource_rig_proof(resource_rig *rig, const char *token,
                         const char *nonce);
/* The value of the claim `cnf` for rig->proof. */
char *resource_rig_cnf(resource_rig *rig);

#endif
