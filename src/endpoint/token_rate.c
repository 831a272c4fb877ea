/* SPDX-License-Identifier: MIT */
#include "endpoint/token_rate.h"

#include "endpoint/endpoint.h"

/* Tokens count for the client's certificate or address, because no token says
 * yet who sends the request. */
static mcpi_str token_rate_key(const mcp_http_exchange *exchange,
                               char address[MCPI_ADDRESS_KEY_SIZE]) {
  const mcp_http_request *request = exchange->request;
  return mcpi_endpoint_rate_key(request->principal, request->peer, address);
}

int mcpi_endpoint_may_send_tokens(const mcp_http_exchange *exchange) {
  const mcp_http *http = exchange->http;
  uint32_t max = http->options.max_rate;
  char address[MCPI_ADDRESS_KEY_SIZE];
  return max == 0 || mcpi_endpoint_rate_has_room(
                         &http->token_rate, token_rate_key(exchange, address),
                         max, mcpi_loop_now(http->shard->loop));
}

void mcpi_endpoint_count_invalid_token(const mcp_http_exchange *exchange) {
  mcp_http *http = exchange->http;
  uint32_t max = http->options.max_rate;
  char address[MCPI_ADDRESS_KEY_SIZE];
  if (max > 0) {
    mcpi_endpoint_rate_count(&http->token_rate,
                             token_rate_key(exchange, address), max,
                             mcpi_loop_now(http->shard->loop));
  }
}
