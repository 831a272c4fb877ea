/* SPDX-License-Identifier: MIT */
/* The way of a request: which requests reach the endpoint, which are answered
 * by their head alone, and which code gets the body of the others. */
#include "codec/http_media.h"
#include "codec/http_value.h"
#include "endpoint/answer.h"
#include "endpoint/endpoint.h"
#include "endpoint/get.h"
#include "endpoint/host_origin.h"
#include "endpoint/kept.h"
#include "endpoint/mcp_core/tool_post.h"
#include "endpoint/post.h"
#include "endpoint/protect.h"
#include "endpoint/sse.h"
#include "endpoint/stream.h"
#include "endpoint/upgrade.h"
#include "schema/http_params.h"

#include <stdio.h>

/* An admit_* function returns 1, or answers the request and returns 0. */

static const mcpi_str no_body = {NULL, 0};

/* --- what is answered by the head alone --------------------------------- */

static void say(mcp_http_exchange *exchange, int status, const char *text) {
  mcpi_endpoint_turn_away(exchange, status, mcpi_str_z(text), NULL, 0);
}

static void tell_health(mcp_http_exchange *exchange, int status,
                        const char *text) {
  mcpi_endpoint_respond(exchange, status, "text/plain; charset=utf-8",
                        mcpi_str_z(text), NULL, 0);
}

static void on_health(mcp_http_exchange *exchange) {
  const char *refusing = mcpi_shard_refusing(exchange->http->shard);
  char text[64];
  if (exchange->method != MCPI_ENDPOINT_GET &&
      exchange->method != MCPI_ENDPOINT_HEAD) {
    mcpi_endpoint_refuse_other_methods(exchange, "GET, HEAD");
  } else if (!mcpi_endpoint_is_serving(exchange->http)) {
    tell_health(exchange, 503, "shutting down\n");
  } else if (refusing != NULL) {
    snprintf(text, sizeof(text), "degraded: %s\n", refusing);
    tell_health(exchange, 200, text);
  } else {
    tell_health(exchange, 200, "ok\n");
  }
}

/* Appends the names of argument headers from a line of header names that a page
 * wants to send. It does not check whether a tool knows them: unknown ones are
 * ignored later. */
static void route_put_params(mcpi_str line, mcpi_buf *out) {
  const mcpi_str prefix = MCPI_STR(MCPI_HTTP_PARAM_PREFIX);
  mcpi_str name;
  while (mcpi_header_next(&line, &name)) {
    if (name.len > prefix.len && mcpi_header_is_token(name) &&
        mcpi_header_eq_nocase(mcpi_str_n(name.ptr, prefix.len), prefix)) {
      mcpi_buf_lit(out, ", ");
      mcpi_buf_puts(out, name);
    }
  }
}

static void put_allowed(const mcp_http_request *request, mcpi_buf *out) {
  mcpi_buf_lit(out, "Content-Type, Accept, Authorization, DPoP, "
                    "MCP-Protocol-Version, "
                    "Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID");
  for (size_t i = 0; i < request->header_count; i++) {
    const mcp_http_header *header = &request->headers[i];
    if (mcpi_header_eq_nocase(mcpi_str_z(header->name),
                              MCPI_STR("Access-Control-Request-Headers"))) {
      route_put_params(mcpi_str_z(header->value), out);
    }
  }
  mcpi_buf_putc(out, '\0');
}

/* What a web page may send: its browser asks, and expects each header by
 * name. */
static void on_preflight(mcp_http_exchange *exchange) {
  mcp_http *http = exchange->http;
  mcpi_buf names = mcpi_endpoint_take_scratch(http);
  put_allowed(exchange->request, &names);
  const mcp_http_header more[] = {
      {"Access-Control-Allow-Methods", mcpi_endpoint_methods_at(exchange)},
      {"Access-Control-Allow-Headers", names.data},
      {"Access-Control-Max-Age", "600"}};
  if (names.error != 0) {
    say(exchange, 500, "out of memory\n");
  } else {
    mcpi_endpoint_respond(exchange, 204, NULL, no_body, more, 3);
  }
  mcpi_endpoint_give_scratch(http, &names);
}

static int method_of(const char *name) {
  if (strcmp(name, "POST") == 0) {
    return MCPI_ENDPOINT_POST;
  }
  if (strcmp(name, "GET") == 0) {
    return MCPI_ENDPOINT_GET;
  }
  if (strcmp(name, "DELETE") == 0) {
    return MCPI_ENDPOINT_DELETE;
  }
  if (strcmp(name, "OPTIONS") == 0) {
    return MCPI_ENDPOINT_OPTIONS;
  }
  return strcmp(name, "HEAD") == 0 ? MCPI_ENDPOINT_HEAD : MCPI_ENDPOINT_OTHER;
}

/* --- what the program says ---------------------------------------------- */

static void refuse_as_told(mcp_http_exchange *exchange, int status,
                           const mcp_http_decision *decision) {
  const mcp_http_header more = {"WWW-Authenticate", decision->challenge};
  mcpi_endpoint_turn_away(exchange, status, mcpi_str_z(decision->reason), &more,
                          decision->challenge != NULL ? 1 : 0);
}

/* Makes a copy in the exchange's memory. */
static const char *keep_text(mcpi_buf *text, const char *string) {
  if (string == NULL) {
    return NULL;
  }
  mcpi_buf_put(text, string, strlen(string) + 1);
  return text->error == 0 ? text->data : NULL;
}

static int route_call_hook(const mcp_http_exchange *exchange,
                           mcp_http_decision *decision) {
  const mcp_http_options *options = &exchange->http->options;
  const mcp_http_request *request = exchange->request;
  const mcp_http_request seen = {.size = sizeof(mcp_http_request),
                                 .method = request->method,
                                 .target = request->target,
                                 .headers = request->headers,
                                 .header_count = request->header_count,
                                 .peer = request->peer,
                                 .principal = decision->principal};
  return options->on_request(exchange->http->server, &seen, decision,
                             options->userdata);
}

/* The identity of a token replaces that of the connection. */
static int route_ask_program(mcp_http_exchange *exchange) {
  const mcpi_grant *grant = mcpi_endpoint_grant_of(exchange);
  mcp_http_decision decision = {
      .size = sizeof(mcp_http_decision),
      .principal =
          grant != NULL ? grant->principal : exchange->request->principal};
  int status = 0;
  if (exchange->http->options.on_request != NULL) {
    status = route_call_hook(exchange, &decision);
  }
  if (status != 0) {
    int is_status = status >= 200 && status <= 599; /* no MCP_ERR_* */
    refuse_as_told(exchange, is_status ? status : 500, &decision);
    return 0;
  }
  if (exchange->stage == MCPI_EXCHANGE_DONE) {
    return 0;
  }
  exchange->principal =
      keep_text(&exchange->principal_text, decision.principal);
  if (decision.principal != NULL && exchange->principal == NULL) {
    say(exchange, 500, "out of memory\n");
    return 0;
  }
  return 1;
}

static int admit_rate(mcp_http_exchange *exchange) {
  mcp_http *http = exchange->http;
  uint32_t max = http->options.max_rate;
  if (max == 0) {
    return 1;
  }
  char address[MCPI_ADDRESS_KEY_SIZE];
  mcpi_str key = mcpi_endpoint_rate_key(exchange->principal,
                                        exchange->request->peer, address);
  if (!mcpi_endpoint_rate_admits(&http->rate, key, max,
                                 mcpi_loop_now(http->shard->loop))) {
    mcpi_endpoint_refuse_rate(exchange);
    return 0;
  }
  return 1;
}

/* --- the way of a request ----------------------------------------------- */

/* Reports a refusal to the operator, who may wonder why a client fails. */
static void report_refusal(const mcp_http_exchange *exchange,
                           const mcp_error *why) {
  const char *peer = exchange->request->peer;
  mcpi_shard_report(exchange->http->shard, MCP_ERR_REFUSED, "%s%s%s",
                    peer != NULL ? peer : "", peer != NULL ? ": " : "",
                    why->message);
}

/* The setting moves the endpoint of the other transports, not that of
 * HTTP+SSE. */
static void refuse_path(mcp_http_exchange *exchange) {
  const mcp_http_options *options = &exchange->http->options;
  const char *target = exchange->request->target;
  int is_sse_alone = options->wires == MCP_HTTP_SSE;
  mcp_error err;
  mcp_error_set(&err, MCP_ERR_REFUSED,
                "the path \"%.*s\" is not served here (%s%.60s)",
                (int)(strcspn(target, "?") < 100 ? strcspn(target, "?") : 100),
                target, is_sse_alone ? "HTTP+SSE is at " : "",
                is_sse_alone ? options->sse_path : options->path_setting);
  report_refusal(exchange, &err);
  say(exchange, 404, "there is nothing here\n");
}

static void refuse_guarded(mcp_http_exchange *exchange, const mcp_error *why) {
  report_refusal(exchange, why);
  if (exchange->http->options.dialect == MCP_DIALECT_MCP) {
    mcpi_endpoint_refuse(exchange, 403, MCP_RPC_INVALID_REQUEST, no_body, "%s",
                         why->message);
  } else {
    say(exchange, 403, why->message);
  }
}

static int admit_host_and_origin(mcp_http_exchange *exchange) {
  mcp_error err;
  int names_origin;
  if (!mcpi_endpoint_host_admits(&exchange->http->options, &exchange->head,
                                 &exchange->http->last_host, &names_origin,
                                 &err)) {
    refuse_guarded(exchange, &err);
    return 0;
  }
  if (names_origin) {
    exchange->origin = keep_text(&exchange->origin_text, exchange->head.origin);
  }
  return 1;
}

/* The same for pages of any origin. */
static int admit_host(mcp_http_exchange *exchange) {
  mcpi_endpoint_head head = exchange->head;
  mcp_error err;
  int names_origin;
  head.origin = NULL;
  if (!mcpi_endpoint_host_admits(&exchange->http->options, &head,
                                 &exchange->http->last_host, &names_origin,
                                 &err)) {
    refuse_guarded(exchange, &err);
    return 0;
  }
  return 1;
}

/* While the server drains, sessions still take the messages that running calls
 * wait for. */
static int admit_serving(mcp_http_exchange *exchange) {
  const mcp_http *http = exchange->http;
  if (mcpi_endpoint_is_serving(http) ||
      (!http->server->is_freed && http->options.legacy == MCP_HTTP_SESSIONS &&
       exchange->head.session_id != NULL) ||
      (!http->server->is_freed &&
       exchange->path == MCPI_ENDPOINT_AT_MESSAGES)) {
    return 1;
  }
  say(exchange, 503, "the server is shutting down\n");
  return 0;
}

/* A plain client that accepts neither type is answered anyway, which RFC 9110,
 * 12.5.1 allows. */
static int settle_accept(mcp_http_exchange *exchange) {
  mcpi_endpoint_head *head = &exchange->head;
  if (exchange->http->options.legacy == MCP_HTTP_PLAIN) {
    head->accepts.json |= !head->accepts.events;
  }
  return head->accepts.json || head->accepts.events;
}

/* A proxy may have read the other of the two headers. */
static int admit_unrepeated(mcp_http_exchange *exchange) {
  if (exchange->head.is_ambiguous) {
    say(exchange, 400, "a header occurs twice that must occur once\n");
  }
  return exchange->stage != MCPI_EXCHANGE_DONE;
}

/* An HTTP server that cannot upgrade has only ordinary requests. */
static int is_upgrade(const mcp_http_exchange *exchange) {
  const mcp_http_responder *responder = exchange->responder;
  return exchange->path == MCPI_ENDPOINT_AT_ENDPOINT &&
         responder->size > offsetof(mcp_http_responder, upgrade) &&
         responder->upgrade != NULL &&
         mcpi_endpoint_is_upgrade(exchange->http, exchange->request);
}

/* Refuses other requests if the endpoint has only WebSockets. */
static int admit_transport(mcp_http_exchange *exchange) {
  static const mcp_http_header upgrade[] = {{"Upgrade", "websocket"},
                                            {"Connection", "Upgrade"}};
  if (exchange->path != MCPI_ENDPOINT_AT_ENDPOINT ||
      (exchange->http->options.wires & MCP_HTTP_STREAMABLE) != 0 ||
      is_upgrade(exchange)) {
    return 1;
  }
  if (exchange->method == MCPI_ENDPOINT_GET) {
    mcpi_endpoint_respond(exchange, 426, "text/plain; charset=utf-8",
                          MCPI_STR("only WebSockets are served here\n"),
                          upgrade, 2);
  } else {
    mcpi_endpoint_refuse_other_methods(exchange, "GET");
  }
  return 0;
}

static int is_served(const mcp_http_exchange *exchange) {
  switch (exchange->path) {
  case MCPI_ENDPOINT_AT_SSE:
    return exchange->method == MCPI_ENDPOINT_GET;
  case MCPI_ENDPOINT_AT_MESSAGES:
    return exchange->method == MCPI_ENDPOINT_POST;
  default:
    return exchange->method < MCPI_ENDPOINT_OPTIONS;
  }
}

static int route_admit_method(mcp_http_exchange *exchange) {
  if (exchange->method == MCPI_ENDPOINT_OPTIONS) {
    on_preflight(exchange);
  } else if (!is_served(exchange)) {
    mcpi_endpoint_refuse_method(exchange);
  }
  return exchange->stage != MCPI_EXCHANGE_DONE;
}

static int admit_types(mcp_http_exchange *exchange) {
  const mcpi_endpoint_head *head = &exchange->head;
  if (exchange->method != MCPI_ENDPOINT_POST) {
    return 1;
  }
  if (head->content_type == NULL ||
      !mcpi_header_media_is(mcpi_str_z(head->content_type),
                            "application/json")) {
    say(exchange, 415, "Content-Type must be application/json\n");
  } else if (head->content_encoding != NULL &&
             !mcpi_header_eq_nocase(mcpi_str_z(head->content_encoding),
                                    MCPI_STR("identity"))) {
    say(exchange, 415, "Content-Encoding is not supported\n");
  } else if (exchange->path == MCPI_ENDPOINT_AT_ENDPOINT &&
             !settle_accept(exchange)) {
    say(exchange, 406,
        "answers are application/json or text/event-stream: accept both\n");
  }
  return exchange->stage != MCPI_EXCHANGE_DONE;
}

/* Returns 0 if nothing is served at the path. */
static int find_path(mcp_http_exchange *exchange) {
  const mcp_http_options *options = &exchange->http->options;
  const char *target = exchange->request->target;
  int has_sse = (options->wires & MCP_HTTP_SSE) != 0;
  if ((options->wires & ~(uint32_t)MCP_HTTP_SSE) != 0 &&
      mcpi_endpoint_path_is(target, options->path)) {
    exchange->path = MCPI_ENDPOINT_AT_ENDPOINT;
  } else if (has_sse && mcpi_endpoint_path_is(target, options->sse_path)) {
    exchange->path = MCPI_ENDPOINT_AT_SSE;
  } else if (has_sse && mcpi_endpoint_path_is(target, options->messages_path)) {
    exchange->path = MCPI_ENDPOINT_AT_MESSAGES;
  } else {
    return 0;
  }
  return 1;
}

static void route_body(mcp_http_exchange *exchange, const char *body,
                       size_t len);

/* Its token has been checked. */
static int route_admit_client(mcp_http_exchange *exchange) {
  return admit_types(exchange) && route_ask_program(exchange) &&
         admit_rate(exchange);
}

/* Goes on with a request whose check has waited, as if it had not. The server
 * may have begun to shut down meanwhile. */
static void route_on_admitted(mcp_http_exchange *exchange) {
  mcpi_endpoint_pass *pass = exchange->pass;
  const mcpi_endpoint_kept *kept = pass->kept;
  if (!route_admit_client(exchange) || kept == NULL) {
    return; /* refused, or the body has not come */
  }
  if (admit_serving(exchange)) {
    route_body(exchange, kept->body, kept->body_len);
  }
  exchange->request = NULL;
  mcpi_endpoint_kept_free(pass->kept);
  pass->kept = NULL;
}

/* Answers a request that its head refuses, or that needs no body. Otherwise
 * does nothing: mcp_http_body continues, or route_on_admitted. */
static void admit_head(mcp_http_exchange *exchange) {
  const mcp_http_options *options = &exchange->http->options;
  if (options->health_path[0] != '\0' &&
      mcpi_endpoint_path_is(exchange->request->target, options->health_path)) {
    if (admit_unrepeated(exchange) && admit_host_and_origin(exchange)) {
      on_health(exchange);
    }
  } else if (exchange->http->verifier != NULL &&
             mcpi_endpoint_is_metadata(exchange->http,
                                       exchange->request->target)) {
    if (admit_unrepeated(exchange) && admit_host(exchange)) {
      mcpi_endpoint_on_metadata(exchange);
    }
  } else if (!find_path(exchange)) {
    refuse_path(exchange);
  } else if (admit_unrepeated(exchange) && admit_host_and_origin(exchange) &&
             admit_transport(exchange) && route_admit_method(exchange) &&
             admit_serving(exchange) &&
             mcpi_endpoint_admit_token(exchange, route_on_admitted)) {
    route_admit_client(exchange);
  }
}

static mcp_http_exchange *begin_exchange(mcp_http *http,
                                         const mcp_http_request *request,
                                         const mcp_http_responder *responder,
                                         void *responder_exchange) {
  mcp_http_exchange *exchange = mcpi_endpoint_exchange_new(http);
  if (exchange != NULL) {
    exchange->responder = responder;
    exchange->responder_exchange = responder_exchange;
    exchange->request = request;
    exchange->method = method_of(request->method);
    mcpi_endpoint_read_head(request, &exchange->head, &http->last_accept);
    if (http->options.on_trace != NULL) {
      keep_text(&exchange->peer_text, request->peer);
    }
  }
  return exchange;
}

mcp_http_exchange *mcp_http_begin(mcp_http *http,
                                  const mcp_http_request *request,
                                  const mcp_http_responder *responder,
                                  void *responder_exchange) {
  if (http == NULL || request == NULL || responder == NULL ||
      request->method == NULL || request->target == NULL) {
    return NULL;
  }
  mcp_http_exchange *exchange =
      begin_exchange(http, request, responder, responder_exchange);
  if (exchange == NULL) {
    responder->respond(responder_exchange, 503, NULL, 0, NULL, 0);
    return NULL;
  }
  mcpi_shard *shard = http->shard;
  mcpi_shard_enter(shard);
  exchange->refs++;
  admit_head(exchange);
  int is_done = exchange->stage == MCPI_EXCHANGE_DONE;
  mcpi_endpoint_exchange_unref(exchange);
  mcpi_shard_leave(shard);
  return is_done ? NULL : exchange;
}

static void route_body(mcp_http_exchange *exchange, const char *body,
                       size_t len) {
  if (exchange->path == MCPI_ENDPOINT_AT_SSE) {
    mcpi_endpoint_sse_on_get(exchange);
  } else if (exchange->path == MCPI_ENDPOINT_AT_MESSAGES) {
    mcpi_endpoint_sse_on_post(exchange, body, len);
  } else if (exchange->method == MCPI_ENDPOINT_POST &&
             exchange->http->options.dialect == MCP_DIALECT_MCP) {
    mcpi_endpoint_on_post(exchange, body, len);
  } else if (exchange->method == MCPI_ENDPOINT_POST) {
    mcpi_endpoint_on_tool(exchange, body, len);
  } else if (is_upgrade(exchange)) {
    mcpi_endpoint_on_upgrade(exchange);
  } else if (exchange->method == MCPI_ENDPOINT_GET) {
    mcpi_endpoint_on_get(exchange);
  } else {
    mcpi_endpoint_on_delete(exchange);
  }
}

/* Its token is still being checked: keeps what the HTTP server takes back. */
static void route_keep(mcp_http_exchange *exchange, const char *body,
                       size_t len) {
  int rc = mcpi_endpoint_keep_request(exchange, body, len);
  if (rc == MCP_ERR_LIMIT) {
    say(exchange, 503, "too many requests wait for the check of their token\n");
  } else if (rc != 0) {
    say(exchange, 500, "out of memory\n");
  }
}

void mcp_http_body(mcp_http_exchange *exchange, const char *body, size_t len) {
  if (exchange == NULL) {
    return;
  }
  mcpi_shard *shard = exchange->http->shard;
  mcpi_shard_enter(shard);
  exchange->refs++;
  /* The server may have begun to shut down since the head came. */
  int is_admitted = admit_serving(exchange);
  if (is_admitted && exchange->stage == MCPI_EXCHANGE_CHECKING) {
    route_keep(exchange, body, len);
  } else if (is_admitted) {
    route_body(exchange, body, len);
    exchange->request = NULL;
  }
  mcpi_endpoint_exchange_unref(exchange);
  mcpi_shard_leave(shard);
}

void mcp_http_gone(mcp_http_exchange *exchange) {
  if (exchange == NULL) {
    return;
  }
  mcpi_shard *shard = exchange->http->shard;
  mcpi_endpoint_stream *stream = exchange->stream;
  mcpi_endpoint_sse *sse = exchange->sse;
  mcpi_shard_enter(shard);
  if (stream != NULL) {
    stream->refs++;
  }
  mcpi_endpoint_drop(exchange);
  if (sse != NULL) {
    mcpi_endpoint_sse_lost(sse);
  }
  if (stream != NULL) {
    mcpi_endpoint_stream_detach(stream);
    mcpi_endpoint_stream_unref(stream);
  }
  mcpi_shard_leave(shard);
}
