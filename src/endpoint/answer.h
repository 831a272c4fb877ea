/* SPDX-License-Identifier: MIT */
/* Whole answers: messages, and refusals in the form of the protocol that the
 * endpoint speaks. */
#ifndef MCPI_ENDPOINT_ANSWER_H
#define MCPI_ENDPOINT_ANSWER_H

#include "endpoint/exchange.h"

/* Each function that answers or refuses ends the exchange, as
 * mcpi_endpoint_respond does. */

/* Sends a whole answer that is a message or a batch. */
void mcpi_endpoint_respond_json(mcp_http_exchange *exchange, int status,
                                mcpi_str message, const mcp_http_header *more,
                                size_t more_count);
/* Answers with a JSON-RPC error. An empty id_text leaves the id out. */
void mcpi_endpoint_refuse(mcp_http_exchange *exchange, int status, int rpc_code,
                          mcpi_str id_text, const char *format, ...)
    MCP_PRINTF(5, 6);
/* Answers a message without an id with MCP_RPC_UNSUPPORTED_VERSION and its
 * data.
 */
void mcpi_endpoint_refuse_version(mcp_http_exchange *exchange,
                                  const mcpi_refusal *refusal);
/* Answers {"error":TEXT}, as the mcp-core dialect refuses a request without an
 * id. */
void mcpi_endpoint_refuse_plainly(mcp_http_exchange *exchange, int status,
                                  mcpi_str text, const mcp_http_header *more,
                                  size_t more_count);

/* Refuses a request because of its head: with this line of text in MCP, with
 * {"error":TEXT} in the mcp-core dialect. */
void mcpi_endpoint_turn_away(mcp_http_exchange *exchange, int status,
                             mcpi_str text, const mcp_http_header *more,
                             size_t more_count);
/* Refuses a request of a client that has made too many lately (max_rate). */
void mcpi_endpoint_refuse_rate(mcp_http_exchange *exchange);
/* Returns the methods served at the exchange's path, besides OPTIONS. */
const char *mcpi_endpoint_methods_at(const mcp_http_exchange *exchange);
/* Answers 405, with the methods that are served. */
void mcpi_endpoint_refuse_method(mcp_http_exchange *exchange);
/* The same, with these methods. */
void mcpi_endpoint_refuse_other_methods(mcp_http_exchange *exchange,
                                        const char *served);
/* Refuses a GET that does not accept a stream of events, the only answer.
 * Returns 1; 0: it has been refused. */
int mcpi_endpoint_admit_events(mcp_http_exchange *exchange);

#endif
