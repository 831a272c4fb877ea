/* SPDX-License-Identifier: MIT */
/* The body of a POST: one message or a batch. */
#ifndef MCPI_ENDPOINT_BODY_H
#define MCPI_ENDPOINT_BODY_H

#include "endpoint/exchange.h"
#include "server/dispatch.h"

/* The body of a POST, as it was read: one message or a batch. */
typedef struct mcpi_endpoint_body {
  mcp_http_exchange *exchange;
  mcpi_message *message;
  mcpi_envelope envelope; /* all zero for a batch */
  int is_batch;
  size_t request_count;
} mcpi_endpoint_body;

/* Parses a body. Returns 0, or the status that refuses it, and why in err. */
int mcpi_endpoint_body_parse(const mcp_http_exchange *exchange,
                             const char *text, size_t len, mcpi_message **out,
                             mcp_error *err);
/* Returns the JSON-RPC code for that status. */
int mcpi_endpoint_body_parse_code(int status);
/* Reads the body, and refuses one that is not valid. Returns 1; 0: it has been
 * refused. The caller must release the message in either case. */
int mcpi_endpoint_body_admit(mcpi_endpoint_body *body, const char *text,
                             size_t len);
/* Refuses the body if the caller may not start its calls. Returns 1; 0: it has
 * been refused. */
int mcpi_endpoint_body_admit_calls(const mcpi_endpoint_body *body,
                                   const mcpi_caller *caller);
/* Refuses the body. Echoes the id of its message if that could be read, but not
 * the id in a response. */
void mcpi_endpoint_body_refuse(const mcpi_endpoint_body *body, int status,
                               int rpc_code, const char *text);
/* Returns the version that the _meta of a message names, which is its claim;
 * NULL: it names none. */
static inline const mcp_json *
mcpi_endpoint_body_claim(const mcpi_envelope *envelope) {
  return mcpi_json_get(envelope->meta, MCPI_META_VERSION);
}

#endif
