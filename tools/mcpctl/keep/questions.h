/* SPDX-License-Identifier: MIT */
/* The questions of a server that clients of a shared connection have and have
 * not answered. A question keeps the id that the server gave it. */
#ifndef CTL_KEEP_QUESTIONS_H
#define CTL_KEEP_QUESTIONS_H

#include <mcp/json.h>
#include <stdint.h>

enum { CTL_KEEP_MAX_QUESTIONS = 1000 }; /* of all clients together */

typedef struct ctl_kept_question ctl_kept_question;

typedef struct ctl_questions {
  ctl_kept_question *newest;
  size_t count;
} ctl_questions;

/* Returns 0, MCP_ERR_LIMIT or MCP_ERR_NOMEM. */
int ctl_questions_add(ctl_questions *questions, uint64_t client,
                      const mcp_json *id);
/* Forgets a question of a client. Returns 0 if the client does not have it. */
int ctl_questions_take(ctl_questions *questions, uint64_t client,
                       const mcp_json *id);
/* Forgets a question of any client. Returns the client; CTL_KEEP_NOBODY: there
 * is no such question. */
uint64_t ctl_questions_take_any(ctl_questions *questions, const mcp_json *id);
/* Forgets some question of a client. Returns its id as JSON text, owned: end it
 * with free. NULL: the client has none. */
char *ctl_questions_take_of(ctl_questions *questions, uint64_t client);
void ctl_questions_deinit(ctl_questions *questions);

#endif
