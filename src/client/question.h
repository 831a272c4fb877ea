/* SPDX-License-Identifier: MIT */
/* Questions of the server's that the program answers, of both eras (MCP, Client
 * Features). A legacy question is a request to us (legacy_requests.h), a modern
 * one is part of a result that asks for more (rounds.h).
 *
 * A question belongs to the program until it is answered. When its client or
 * request ends before, it is an orphan of the loop's: the answer then frees it,
 * or the loop's end does.
 *
 *     block: [ mcp_question | id text (legacy) ] */
#ifndef MCPI_CLIENT_QUESTION_H
#define MCPI_CLIENT_QUESTION_H

#include "client/request.h"
#include <mcp/schema.h>

enum {
  /* Questions that are open at once. People and models answer them, and each
   * keeps its message in memory. */
  MCPI_CLIENT_MAX_QUESTIONS = 1024
};

/* Where the program's answer goes. Both functions return 0, or an error of
 * sending. */
typedef struct mcpi_question_ops {
  int (*answer)(mcp_question *question, mcpi_str result);
  int (*fail)(mcp_question *question, int code, const char *message);
} mcpi_question_ops;

/* What the server asks. */
typedef struct mcpi_asked {
  mcpi_message *message; /* holds params and key */
  mcpi_str name;         /* the method's */
  const mcp_json *params;
  const mcpi_question_ops *ops;
  mcpi_str id_text; /* legacy; else empty */
  /* modern: the request whose answer asks this; else NULL. */
  mcpi_request *request;
  mcpi_str key; /* modern */
  /* Set by mcpi_question_check. */
  const mcpi_method *row;
  int is_url;
} mcpi_asked;

struct mcp_question {
  mcpi_block *block;  /* the one this lies in */
  mcpi_list link;     /* in client->questions */
  mcp_client *client; /* NULL: gone */
  mcpi_orphan orphan; /* from the moment when the client is gone */
  const mcpi_method *row;
  mcpi_message *message; /* holds params and key */
  const mcp_json *params;
  const mcpi_question_ops *ops;
  mcp_validator *validator; /* of a form, else NULL */
  int is_url;
  int is_cancelled;
  mcpi_inflight inflight; /* legacy */
  /* legacy: the task that it runs as (question_tasks.h), or NULL. Its request
   * has been answered, and inflight has no id. */
  struct mcpi_question_task *task;
  /* modern: the request whose answer asked this, or NULL. */
  mcpi_request *request;
  mcpi_str key;
};

/* Checks whether the server may ask this. Returns 0, or the MCP_RPC_* that
 * answers a legacy server. */
int mcpi_question_check(const mcp_client *client, mcpi_asked *asked,
                        mcp_error *err);
/* 1: the roots that the program has set are the answer. */
int mcpi_question_has_ready_roots(const mcp_client *client,
                                  const mcpi_method *row);

/* Makes a question that has been checked. 0; MCP_ERR_LIMIT (too many are open),
 * MCP_ERR_INVALID (its form is not valid), MCP_ERR_NOMEM. */
int mcpi_question_new(mcp_question **out, mcp_client *client,
                      const mcpi_asked *asked, mcp_error *err);
void mcpi_question_free(mcp_question *question);
/* Gives it to the program, which may answer at once. */
void mcpi_question_hand_out(mcp_question *question);

/* Nobody waits for the answers any longer. */
void mcpi_question_forget_all(mcp_client *client);
void mcpi_question_forget_request(mcpi_request *request);

#endif
