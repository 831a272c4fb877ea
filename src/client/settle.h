/* SPDX-License-Identifier: MIT */
/* Answers: a result, questions, or a failure. */
#ifndef MCPI_CLIENT_SETTLE_H
#define MCPI_CLIENT_SETTLE_H

#include "client/request.h"

/* A request whose result is that of its last message. */
extern const mcpi_request_kind mcpi_request_plain;

/* The on_reply of that kind. */
void mcpi_request_settle(mcpi_request *request, int status,
                         mcpi_message *message, const mcpi_envelope *reply,
                         const mcp_error *err);
/* Checks what every result must have. *asks is set to 1 when it is
 * input_required. 0 or MCP_ERR_PROTOCOL. */
int mcpi_request_check(const mcpi_request *request, const mcp_json *result,
                       int *asks, mcp_error *err);
/* Ends the request with a result that has been checked so; that of a tool must
 * also satisfy the tool's schema. */
void mcpi_request_take_result(mcpi_request *request, mcpi_message *message,
                              const mcp_json *json);
/* Ends the request with the error that the server sent. */
void mcpi_request_fail_remote(mcpi_request *request, mcpi_message *message,
                              const mcpi_envelope *reply);

#endif
