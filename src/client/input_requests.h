/* SPDX-License-Identifier: MIT */
/* Questions of a modern server in an answer to one of our requests
 * (`inputRequests`): the program answers all of them, and the answers are the
 * members of `inputResponses` in the next message (MCP 2026-07-28, Multi
 * Round-Trip Requests; Tasks extension). */
#ifndef MCPI_CLIENT_INPUT_REQUESTS_H
#define MCPI_CLIENT_INPUT_REQUESTS_H

#include "client/request.h"

/* Asks the program. When all questions have their answers, on_answered runs,
 * perhaps before this returns. If one is not answered, the request fails.
 * `take` chooses the questions by their keys; NULL: all of them. */
void mcpi_inputs_ask(mcpi_request *request, mcpi_message *message,
                     const mcp_json *questions,
                     int (*take)(mcpi_request *request, mcpi_str key),
                     void (*on_answered)(mcpi_request *request));
/* Writes ,"inputResponses":{...}, or nothing without answers. */
void mcpi_inputs_put(const mcpi_request *request, mcpi_buf *buf);
/* The questions and answers are no longer needed. Open questions are
 * forgotten. */
void mcpi_inputs_end(mcpi_request *request);

#endif
