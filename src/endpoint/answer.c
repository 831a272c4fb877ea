/* SPDX-License-Identifier: MIT */
/* Whole answers: messages, and refusals in the form of the protocol that the
 * endpoint speaks. */
#include "endpoint/answer.h"

#include "endpoint/endpoint.h"
#include "endpoint/trace.h"

#include <stdarg.h>
#include <stdio.h>

/* --- messages ----------------------------------------------------------- */

void mcpi_endpoint_respond_json(mcp_http_exchange *exchange, int status,
                                mcpi_str message, const mcp_http_header *more,
                                size_t more_count) {
  if (exchange->stage == MCPI_EXCHANGE_DONE ||
      !mcpi_endpoint_trace(exchange, 1, message)) {
    return;
  }
  mcpi_endpoint_respond(exchange, status, "application/json", message, more,
                        more_count);
}

/* A header's value need not be text, and may end inside a character. */
static void make_utf8(char *text) {
  size_t len = strlen(text);
  size_t good = mcpi_utf8_valid_prefix(text, len);
  while (good < len) {
    text[good] = '?';
    good += mcpi_utf8_valid_prefix(text + good, len - good);
  }
}

/* `data` is JSON text or empty. */
static void respond_error(mcp_http_exchange *exchange, int status, int rpc_code,
                          mcpi_str id_text, char *text, mcpi_str data) {
  mcpi_buf body;
  make_utf8(text);
  mcpi_buf_init(&body, &exchange->http->server->allocator, SIZE_MAX);
  mcpi_put_error(&body, id_text, rpc_code, mcpi_str_z(text), data);
  mcpi_str bytes = mcpi_str_n(body.data, body.error == 0 ? body.len : 0);
  mcpi_endpoint_respond_json(exchange, status, bytes, NULL, 0);
  mcpi_buf_deinit(&body);
}

void mcpi_endpoint_refuse(mcp_http_exchange *exchange, int status, int rpc_code,
                          mcpi_str id_text, const char *format, ...) {
  char text[MCP_ERROR_TEXT_SIZE];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  respond_error(exchange, status, rpc_code, id_text, text, mcpi_str_z(NULL));
}

void mcpi_endpoint_refuse_version(mcp_http_exchange *exchange,
                                  const mcpi_refusal *refusal) {
  const mcp_server *server = exchange->http->server;
  char text[MCP_ERROR_TEXT_SIZE];
  mcpi_buf data;
  snprintf(text, sizeof(text), "%s", refusal->err.message);
  mcpi_buf_init(&data, &server->allocator, SIZE_MAX);
  mcpi_put_version_data(&data, server->options.eras, refusal->requested);
  respond_error(exchange, 400, refusal->code, mcpi_str_z(NULL), text,
                mcpi_str_n(data.data, data.error == 0 ? data.len : 0));
  mcpi_buf_deinit(&data);
}

void mcpi_endpoint_refuse_plainly(mcp_http_exchange *exchange, int status,
                                  mcpi_str text, const mcp_http_header *more,
                                  size_t more_count) {
  mcp_http *http = exchange->http;
  char cut[MCP_ERROR_TEXT_SIZE];
  if (mcpi_utf8_valid_prefix(text.ptr, text.len) != text.len) {
    snprintf(cut, sizeof(cut), "%.*s", (int)text.len, text.ptr);
    make_utf8(cut);
    text = mcpi_str_z(cut);
  }
  mcpi_buf body = mcpi_endpoint_take_scratch(http);
  mcpi_buf_lit(&body, "{\"error\":");
  mcpi_json_put_string(&body, text);
  mcpi_buf_putc(&body, '}');
  mcpi_str bytes = mcpi_str_n(body.data, body.error == 0 ? body.len : 0);
  mcpi_endpoint_ref(http);
  mcpi_endpoint_respond_json(exchange, status, bytes, more, more_count);
  mcpi_endpoint_give_scratch(http, &body);
  mcpi_endpoint_unref(http);
}

/* --- refusals of a request's head --------------------------------------- */

void mcpi_endpoint_turn_away(mcp_http_exchange *exchange, int status,
                             mcpi_str text, const mcp_http_header *more,
                             size_t more_count) {
  if (exchange->http->options.dialect == MCP_DIALECT_MCP) {
    mcpi_endpoint_respond(exchange, status, "text/plain; charset=utf-8", text,
                          more, more_count);
  } else {
    text.len -= text.len > 0 && text.ptr[text.len - 1] == '\n';
    mcpi_endpoint_refuse_plainly(exchange, status, text, more, more_count);
  }
}

void mcpi_endpoint_refuse_rate(mcp_http_exchange *exchange) {
  const mcp_http_header retry = {"Retry-After", "1"};
  mcpi_endpoint_turn_away(exchange, 429, MCPI_STR("too many requests\n"),
                          &retry, 1);
}

void mcpi_endpoint_refuse_other_methods(mcp_http_exchange *exchange,
                                        const char *served) {
  const mcp_http_header allow = {"Allow", served};
  mcpi_endpoint_turn_away(exchange, 405,
                          exchange->http->options.dialect == MCP_DIALECT_MCP
                              ? MCPI_STR("this method is not served here\n")
                              : MCPI_STR("Only POST is supported\n"),
                          &allow, 1);
}

const char *mcpi_endpoint_methods_at(const mcp_http_exchange *exchange) {
  switch (exchange->path) {
  case MCPI_ENDPOINT_AT_SSE:
    return "GET";
  case MCPI_ENDPOINT_AT_MESSAGES:
    return "POST";
  default:
    return mcpi_endpoint_has_sessions(exchange->http) ? "POST, GET, DELETE"
                                                      : "POST";
  }
}

void mcpi_endpoint_refuse_method(mcp_http_exchange *exchange) {
  char served[64];
  snprintf(served, sizeof(served), "%s, OPTIONS",
           mcpi_endpoint_methods_at(exchange));
  mcpi_endpoint_refuse_other_methods(exchange, served);
}

int mcpi_endpoint_admit_events(mcp_http_exchange *exchange) {
  if (!exchange->head.accepts.events) {
    mcpi_endpoint_turn_away(
        exchange, 406, MCPI_STR("GET gives text/event-stream: accept it\n"),
        NULL, 0);
  }
  return exchange->stage != MCPI_EXCHANGE_DONE;
}
