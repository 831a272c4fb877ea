/* SPDX-License-Identifier: MIT */
/* Questions of the server's, of both eras (PROTOCOL 5): a legacy one is a
 * request to us, a modern one is part of a result that asks for more.
 *
 *     block: [ mcp_question | id text (legacy) ] */
#ifndef MCPI_CLIENT_QUESTION_H
#define MCPI_CLIENT_QUESTION_H

#include "client/request.h"
#include <mcp/schema.h>

struct mcp_question {
  mcpi_block *block;  /* the one this lies in */
  mcpi_list link;     /* in client->questions */
  mcp_client *client; /* NULL: gone */
  mcpi_orphan orphan; /* from then on */
  const mcpi_method *row;
  mcpi_message *message; /* holds params and key */
  const mcp_json *params;
  mcp_validator *validator; /* of a form, else NULL */
  int is_url;
  int is_cancelled;
  mcpi_inflight inflight; /* legacy */
  mcpi_request *request;  /* modern: whose answer asked this, or NULL */
  mcpi_str key;
};

/* A request came from a legacy server. */
void mcpi_question_receive(mcp_client *client, mcpi_message *message,
                           const mcpi_envelope *envelope);
/* One of a modern result's inputRequests. 0 when it was handed to the program
 * or answered at once; MCP_ERR_UNANSWERED (there is nobody to answer this),
 * MCP_ERR_LIMIT (too many are open) or MCP_ERR_NOMEM, err tells why. */
int mcpi_question_ask(mcpi_request *request, mcpi_message *message,
                      mcpi_str key, const mcp_json *value, mcp_error *err);

/* Nobody waits for the answers any more. */
void mcpi_question_forget_all(mcp_client *client);
void mcpi_question_forget_request(mcpi_request *request);

#endif
