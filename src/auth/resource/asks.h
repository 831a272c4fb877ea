/* SPDX-License-Identifier: MIT */
/* Questions about tokens that are on their way: to an introspection endpoint,
 * or to the program. Checks of the same token share one question.
 *
 *     join or add       answer
 *     ---------> ASKED ---------> each wait gets the answer
 *                  |
 *                  | the last wait leaves
 *                  v
 *               on_abandoned
 *
 * In both cases the question is off the table then, and its owner frees it. */
#ifndef MCPI_AUTH_RESOURCE_ASKS_H
#define MCPI_AUTH_RESOURCE_ASKS_H

#include "auth/resource/grant.h"
#include "auth/resource/token_key.h"
#include "base/list.h"
#include <mcp/error.h>

/* The table, by token. */
typedef struct mcpi_asks {
  mcpi_map map;
} mcpi_asks;

/* Borrowed until on_answer returns. */
typedef struct mcpi_ask_answer {
  /* 0; MCP_ERR_REFUSED: the token is not valid; MCP_ERR_IO: there is no answer;
   * MCP_ERR_NOMEM. */
  int rc;
  mcpi_grant *grant; /* if rc is 0 */
  int64_t fresh_ms;  /* how long the answer may be used; INT64_MAX: until the
                        grant expires */
  const char *why;   /* if rc is not 0; NULL: it is not known */
} mcpi_ask_answer;

/* Limits how long an answer is used, and streams stay open with its grant,
 * because the token may be revoked before it expires. The times are those of
 * mcp_protect_options. */
void mcpi_ask_answer_limit(mcpi_ask_answer *answer, uint32_t introspection_ms,
                           uint32_t stream_ms);

/* A question; part of a structure of its owner. */
typedef struct mcpi_ask mcpi_ask;
struct mcpi_ask {
  mcpi_asks *asks; /* NULL: not on the table */
  mcpi_token_key key;
  mcpi_list waits;
  void (*on_abandoned)(mcpi_ask *ask);
};

/* A check that waits for an answer; part of the check. */
typedef struct mcpi_ask_wait mcpi_ask_wait;
struct mcpi_ask_wait {
  mcpi_list link;
  mcpi_ask *ask; /* NULL: it does not wait, or its turn comes right now */
  void (*on_answer)(mcpi_ask_wait *wait, const mcpi_ask_answer *answer);
};

void mcpi_asks_init(mcpi_asks *asks, mcp_loop *loop);
/* No question may be on the table. */
void mcpi_asks_deinit(mcpi_asks *asks);

/* Waits for the answer to a question about this token that is on its way.
 * Returns 0: there is none. */
int mcpi_asks_join(mcpi_asks *asks, const mcpi_token_key *key,
                   mcpi_ask_wait *wait);
/* Puts a question on the table, with its first wait. Returns 0 or
 * MCP_ERR_NOMEM. */
int mcpi_asks_add(mcpi_asks *asks, mcpi_ask *ask, const mcpi_token_key *key,
                  mcpi_ask_wait *wait);
/* Takes a question off the table without an answer, before anything else has
 * seen it. Its first wait no longer waits. */
void mcpi_asks_withdraw(mcpi_ask *ask);
/* Answers all waits. `ask` may be freed as soon as this function has begun to
 * call them, and is not used from then on. */
void mcpi_ask_answer_all(mcpi_ask *ask, const mcpi_ask_answer *answer);
/* Ends a wait. Legal for one that has ended. */
void mcpi_ask_leave(mcpi_ask_wait *wait);

#endif
