/* SPDX-License-Identifier: MIT */
/* Stands for auth/resource/verifier.h in tests of endpoints that demand tokens:
 * the test program that links it gets the double, and not the library's
 * verifier (cmake/tests.cmake). It needs no cryptography, and the test decides
 * when a check is over.
 *
 *     Authorization: Bearer anna read write    accepted, with these scopes
 *     Authorization: Bearer later anna         accepted by verifier_double_end
 *     Authorization: Refuse 403                refused with this status
 *     Authorization: Guess                     refused with 401
 *     none                                     refused with 401
 *
 * A token that is accepted later, and a guess, need a check (may_check); the
 * others are known.
 */
#ifndef MCP_TESTS_VERIFIER_DOUBLE_H
#define MCP_TESTS_VERIFIER_DOUBLE_H

#include "auth/resource/verifier.h"

typedef struct verifier_double {
  size_t checks;    /* begun */
  size_t waiting;   /* not over */
  size_t cancelled; /* before their end */
  size_t freed;
  size_t shared;
  int has_no_metadata;
  int64_t expires_ms; /* of all grants; 0: never */
  int64_t stream_ms;  /* of all grants; 0: no limit */
  const char *claims; /* JSON; NULL: none */
  const char *nonce;  /* of all results; NULL: none */
  int is_repeated;    /* of the last check, like the members that follow */
  char resource[256];
  char url[256]; /* "": none */
  char dpop[64];
  char method[16];
  char principal[64];               /* "": none */
  char peer[64];                    /* "": none */
  void (*on_check)(void *userdata); /* before it ends; NULL: nothing */
  void *userdata;
} verifier_double;

extern verifier_double verifier_seen;

/* Forgets what was seen. All verifiers have been freed. */
void verifier_double_reset(void);
/* Ends the check that has waited longest. */
void verifier_double_end(int is_accepted);

#endif
