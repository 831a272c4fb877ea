/* SPDX-License-Identifier: MIT */
/* One HTTP request and its answer: what is common to all answers. */
#include "endpoint/exchange.h"

#include "endpoint/endpoint.h"
#include "endpoint/kept.h"
#include "endpoint/token_rate.h"

enum {
  /* The headers of an answer: type, caching, CORS, a nonce, and more. */
  MAX_HEADERS = 7 + MCPI_ENDPOINT_MORE
};

typedef struct answer_headers {
  mcp_http_header list[MAX_HEADERS];
  size_t count;
} answer_headers;

static void exchange_add(answer_headers *headers, const char *name,
                         const char *value) {
  headers->list[headers->count++] = (mcp_http_header){name, value};
}

/* Adds headers that let a web page of an allowed origin read the answer
 * (CORS). */
static void add_common(answer_headers *headers,
                       const mcp_http_exchange *exchange,
                       const mcp_http_header *more, size_t more_count) {
  if (exchange->origin != NULL) {
    exchange_add(headers, "Access-Control-Allow-Origin", exchange->origin);
    exchange_add(headers, "Access-Control-Expose-Headers",
                 "Mcp-Session-Id, WWW-Authenticate, DPoP-Nonce");
    exchange_add(headers, "Vary", "Origin");
  }
  if (exchange->pass != NULL && exchange->pass->nonce.len > 0) {
    exchange_add(headers, "DPoP-Nonce", exchange->pass->nonce.data);
  }
  for (size_t i = 0; i < more_count; i++) {
    headers->list[headers->count++] = more[i];
  }
}

/* --- life --------------------------------------------------------------- */

static mcp_http_exchange *exchange_take_idle(mcp_http *http) {
  mcp_http_exchange *exchange = http->idle_exchanges;
  if (exchange == NULL) {
    return NULL;
  }
  const mcpi_buf origin = exchange->origin_text;
  const mcpi_buf principal = exchange->principal_text;
  const mcpi_buf peer = exchange->peer_text;
  mcpi_endpoint_pass *pass = exchange->pass;
  http->idle_exchanges = exchange->next;
  http->idle_exchange_count--;
  *exchange = (mcp_http_exchange){.origin_text = origin,
                                  .principal_text = principal,
                                  .peer_text = peer,
                                  .pass = pass};
  return exchange;
}

static mcpi_endpoint_pass *pass_make(mcp_http_exchange *exchange,
                                     const mcp_allocator *allocator) {
  mcpi_endpoint_pass *pass = mcpi_calloc(allocator, 1, sizeof(*pass));
  if (pass != NULL) {
    pass->exchange = exchange;
    mcpi_buf_init(&pass->resource, allocator, SIZE_MAX);
    mcpi_buf_init(&pass->nonce, allocator, SIZE_MAX);
  }
  return pass;
}

/* Drops what belonged to the last request. */
static void pass_recycle(mcpi_endpoint_pass *pass) {
  mcpi_endpoint_kept_free(pass->kept);
  mcpi_grant_unref(pass->grant);
  pass->kept = NULL;
  pass->grant = NULL;
  mcpi_buf_recycle(&pass->resource, MCPI_ENDPOINT_KEPT_BYTES);
  mcpi_buf_recycle(&pass->nonce, MCPI_ENDPOINT_KEPT_BYTES);
}

static void pass_free(mcpi_endpoint_pass *pass,
                      const mcp_allocator *allocator) {
  if (pass != NULL) {
    mcpi_buf_deinit(&pass->resource);
    mcpi_buf_deinit(&pass->nonce);
    mcpi_free(allocator, pass, sizeof(*pass));
  }
}

static mcp_http_exchange *exchange_make(mcp_http *http) {
  const mcp_allocator *allocator = &http->server->allocator;
  mcp_http_exchange *exchange = mcpi_calloc(allocator, 1, sizeof(*exchange));
  if (exchange != NULL) {
    mcpi_buf_init(&exchange->origin_text, allocator, SIZE_MAX);
    mcpi_buf_init(&exchange->principal_text, allocator, SIZE_MAX);
    mcpi_buf_init(&exchange->peer_text, allocator, SIZE_MAX);
  }
  if (exchange != NULL && http->verifier != NULL) {
    exchange->pass = pass_make(exchange, allocator);
    if (exchange->pass == NULL) {
      mcpi_free(allocator, exchange, sizeof(*exchange));
      return NULL;
    }
  }
  return exchange;
}

mcp_http_exchange *mcpi_endpoint_exchange_new(mcp_http *http) {
  mcp_http_exchange *exchange = exchange_take_idle(http);
  if (exchange == NULL) {
    exchange = exchange_make(http);
  }
  if (exchange != NULL) {
    exchange->http = http;
    exchange->refs = 1;
    mcpi_list_append(&http->exchanges, &exchange->link);
    mcpi_endpoint_ref(http);
  }
  return exchange;
}

void mcpi_endpoint_exchange_free(mcp_http_exchange *exchange,
                                 const mcp_allocator *allocator) {
  mcpi_buf_deinit(&exchange->origin_text);
  mcpi_buf_deinit(&exchange->principal_text);
  mcpi_buf_deinit(&exchange->peer_text);
  pass_free(exchange->pass, allocator);
  mcpi_free(allocator, exchange, sizeof(*exchange));
}

void mcpi_endpoint_exchange_recycle(mcp_http_exchange *exchange) {
  mcp_http *http = exchange->http;
  if (exchange->pass != NULL) {
    pass_recycle(exchange->pass);
  }
  if (http->idle_exchange_count >= http->max_idle) {
    mcpi_endpoint_exchange_free(exchange, &http->server->allocator);
  } else {
    mcpi_buf_recycle(&exchange->origin_text, MCPI_ENDPOINT_KEPT_BYTES);
    mcpi_buf_recycle(&exchange->principal_text, MCPI_ENDPOINT_KEPT_BYTES);
    mcpi_buf_recycle(&exchange->peer_text, MCPI_ENDPOINT_KEPT_BYTES);
    exchange->next = http->idle_exchanges;
    http->idle_exchanges = exchange;
    http->idle_exchange_count++;
  }
  mcpi_endpoint_unref(http);
}

/* The responder is not called any more; from here on the exchange shows
 * nothing. */
static void exchange_finish(mcp_http_exchange *exchange) {
  if (exchange->stage == MCPI_EXCHANGE_CHECKING) {
    mcpi_endpoint_count_invalid_token(exchange); /* it may be one */
    mcpi_verifier_cancel(&exchange->pass->wait);
  }
  if (exchange->pass != NULL) {
    mcpi_grant_expiry_stop(&exchange->pass->expiry);
  }
  exchange->stage = MCPI_EXCHANGE_DONE;
  mcpi_list_remove(&exchange->link);
  if (exchange->on_done != NULL) {
    /* mcpi_endpoint_stream_hide or sse_hide: they detach the stream. */
    exchange->on_done(exchange);
  }
  mcpi_endpoint_exchange_unref(exchange);
}

/* --- whole answers ------------------------------------------------------ */

/* Ends the exchange before it calls the responder, because the program may free
 * the endpoint and the server in there. The reference keeps the strings of the
 * headers. */
void mcpi_endpoint_respond(mcp_http_exchange *exchange, int status,
                           const char *type, mcpi_str body,
                           const mcp_http_header *more, size_t more_count) {
  answer_headers headers = {.count = 0};
  if (type != NULL) {
    exchange_add(&headers, "Content-Type", type);
  }
  add_common(&headers, exchange, more, more_count);
  if (exchange->stage != MCPI_EXCHANGE_DONE) {
    const mcp_http_responder *responder = exchange->responder;
    void *responder_exchange = exchange->responder_exchange;
    exchange->refs++;
    exchange_finish(exchange);
    responder->respond(responder_exchange, status, headers.list, headers.count,
                       body.ptr, body.len);
    mcpi_endpoint_exchange_unref(exchange);
  }
}

/* --- answers in pieces -------------------------------------------------- */

void mcpi_endpoint_begin_events(mcp_http_exchange *exchange,
                                const mcp_http_header *more,
                                size_t more_count) {
  answer_headers headers = {.count = 0};
  exchange_add(&headers, "Content-Type", "text/event-stream");
  exchange_add(&headers, "Cache-Control", "no-cache, no-transform");
  exchange_add(&headers, "X-Accel-Buffering", "no");
  add_common(&headers, exchange, more, more_count);
  exchange->stage = MCPI_EXCHANGE_BEGUN;
  exchange->responder->begin(exchange->responder_exchange, 200, headers.list,
                             headers.count);
}

void mcpi_endpoint_write(mcp_http_exchange *exchange, mcpi_str bytes) {
  if (exchange->stage != MCPI_EXCHANGE_DONE) {
    exchange->responder->write(exchange->responder_exchange, bytes.ptr,
                               bytes.len);
  }
}

void mcpi_endpoint_end(mcp_http_exchange *exchange) {
  if (exchange->stage != MCPI_EXCHANGE_DONE) {
    const mcp_http_responder *responder = exchange->responder;
    void *responder_exchange = exchange->responder_exchange;
    exchange_finish(exchange);
    responder->end(responder_exchange);
  }
}

void mcpi_endpoint_close(mcp_http_exchange *exchange) {
  const mcp_http_responder *responder = exchange->responder;
  void *responder_exchange = exchange->responder_exchange;
  int can_close = responder->size > offsetof(mcp_http_responder, close) &&
                  responder->close != NULL;
  if (!can_close) {
    mcpi_endpoint_end(exchange);
  } else if (exchange->stage != MCPI_EXCHANGE_DONE) {
    exchange_finish(exchange);
    responder->close(responder_exchange);
  }
}

mcp_transport *mcpi_endpoint_upgrade(mcp_http_exchange *exchange,
                                     size_t max_message) {
  const mcp_http_responder *responder = exchange->responder;
  void *responder_exchange = exchange->responder_exchange;
  exchange_finish(exchange);
  return responder->upgrade(responder_exchange, max_message);
}

void mcpi_endpoint_abort(mcp_http_exchange *exchange) {
  const mcp_http_responder *responder = exchange->responder;
  if (responder->abort == NULL && exchange->stage == MCPI_EXCHANGE_BEGUN) {
    mcpi_endpoint_end(exchange);
  } else if (responder->abort == NULL) {
    mcpi_endpoint_respond(exchange, 500, NULL, mcpi_str_z(NULL), NULL, 0);
  } else if (exchange->stage != MCPI_EXCHANGE_DONE) {
    void *responder_exchange = exchange->responder_exchange;
    exchange_finish(exchange);
    responder->abort(responder_exchange);
  }
}

void mcpi_endpoint_drop(mcp_http_exchange *exchange) {
  if (exchange->stage != MCPI_EXCHANGE_DONE) {
    exchange_finish(exchange);
  }
}

size_t mcpi_endpoint_queued(const mcp_http_exchange *exchange) {
  return exchange->responder->queued != NULL
             ? exchange->responder->queued(exchange->responder_exchange)
             : 0;
}

int mcpi_endpoint_is_congested(const mcp_http_exchange *exchange) {
  return mcpi_endpoint_queued(exchange) > MCPI_ENDPOINT_CONGESTED_BYTES;
}

int mcpi_endpoint_is_unread(const mcp_http_exchange *exchange) {
  return mcpi_endpoint_queued(exchange) > MCPI_ENDPOINT_UNREAD_BYTES;
}
