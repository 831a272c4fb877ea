/* SPDX-License-Identifier: MIT */
/* Rounds of questions: a modern result that asks for more is answered by the
 * same request again, with the answers (PROTOCOL 6.3). */
#ifndef MCPI_CLIENT_ROUNDS_H
#define MCPI_CLIENT_ROUNDS_H

#include "client/request.h"

/* The server answered with input_required. */
void mcpi_rounds_ask(mcpi_request *request, mcpi_message *message,
                     const mcp_json *result);
/* One question's answer is there; the last one sends the next round. */
void mcpi_rounds_answer(mcpi_request *request, mcpi_str key, mcpi_str answer);
/* Begins an answer in request->bufs.answers. */
void mcpi_rounds_put_key(mcpi_request *request, mcpi_str key);

#endif
