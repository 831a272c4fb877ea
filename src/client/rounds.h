/* SPDX-License-Identifier: MIT */
/* Rounds of questions: a modern result that asks for more is answered by the
 * same request again, with the answers (MCP 2026-07-28, Multi Round-Trip
 * Requests). */
#ifndef MCPI_CLIENT_ROUNDS_H
#define MCPI_CLIENT_ROUNDS_H

#include "client/request.h"

/* The server answered with input_required. */
void mcpi_rounds_ask(mcpi_request *request, mcpi_message *message,
                     const mcp_json *result);

#endif
