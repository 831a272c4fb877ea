/* SPDX-License-Identifier: MIT */
/* The base of the transports on libcurl: Streamable HTTP, HTTP+SSE and plain
 * POSTs. It has their options, libcurl on the loop, one timer, and an end that
 * is reported once, from the loop and never inside `close`.
 *
 * The structure of each of these transports begins with this one. Each callback
 * of the owner may end the transport, and free it: the memory stays until the
 * loop's next turn, and is_ended says so. */
#ifndef MCPI_HTTP_CLIENT_CURL_TRANSPORT_H
#define MCPI_HTTP_CLIENT_CURL_TRANSPORT_H

#include "http_client/authorization.h"

typedef struct mcpi_curl mcpi_curl;

typedef struct mcpi_curl_ops {
  /* `start` was called. Returns 0 or MCP_ERR_NOMEM. NULL: there is nothing to
   * do. */
  int (*begin)(mcpi_curl *curl);
  /* A transfer has ended, or has brought bytes. */
  void (*judge)(mcpi_curl *curl, mcpi_transfer *transfer);
  /* The wait of a request for authorization is over. err NULL: it is sent.
   * Otherwise it fails with err. */
  void (*on_authorized)(mcpi_curl *curl, mcpi_authorization *a,
                        const mcp_error *err);
  /* After those, whenever libcurl has acted. May be NULL. */
  void (*end_turn)(mcpi_curl *curl);
  /* Returns when on_due must be called, by the loop's clock; INT64_MAX:
   * never. */
  int64_t (*next_due)(mcpi_curl *curl);
  void (*on_due)(mcpi_curl *curl);
  /* `close` was called: requests no longer wait for answers. NULL: no request
   * waits. */
  void (*begin_closing)(mcpi_curl *curl);
  /* While the transport closes: whether something must still be sent. Begins to
   * send it. */
  int (*has_more)(mcpi_curl *curl);
  /* Ends all transfers, and drops what waits. */
  void (*drop_all)(mcpi_curl *curl);
  /* Frees what the structure holds; this base frees the structure. */
  void (*deinit)(mcpi_curl *curl);
} mcpi_curl_ops;

struct mcpi_curl {
  mcp_transport base;
  const mcpi_curl_ops *ops;
  size_t size; /* of the whole structure */
  mcp_loop *loop;
  mcpi_uv *uv;
  mcpi_curl_options own; /* if they are not borrowed */
  const mcpi_curl_options *options;
  mcpi_authorizer authorizer;
  mcpi_multi *multi; /* NULL before start */
  uv_timer_t timer;
  mcpi_list ready; /* transfers to look at */
  /* Bytes of messages that were accepted and have not arrived. */
  size_t queued;
  int64_t close_until_ms;
  int is_closing;
  int is_ended; /* no callback is called any longer */
};

/* Makes a structure of `size` bytes that begins with an mcpi_curl; the bytes
 * after that are zero. The caller must set base.send. NULL with err. */
mcpi_curl *mcpi_curl_new(size_t size, const mcpi_curl_ops *ops, mcp_loop *loop,
                         mcp_error *err);
/* Call it before everything except mcp_transport_free. Returns 0,
 * MCP_ERR_INVALID or MCP_ERR_NOMEM. */
int mcpi_curl_set_options(mcpi_curl *curl, const char *url,
                          const mcp_http_client_options *options,
                          mcp_error *err);
/* Instead of mcpi_curl_set_options: these are borrowed until the transport is
 * released. */
void mcpi_curl_borrow_options(mcpi_curl *curl,
                              const mcpi_curl_options *options);

/* Whether a message of this length can be accepted: 0, MCP_ERR_CLOSED or
 * MCP_ERR_LIMIT. */
int mcpi_curl_check_send(const mcpi_curl *curl, size_t len);
/* For libcurl's callbacks: the transfer must be judged. */
void mcpi_curl_note(mcpi_curl *curl, mcpi_transfer *transfer);
/* A deadline has changed. */
void mcpi_curl_arm(mcpi_curl *curl);
/* Ends the transport, for a reason or without (NULL). Must not be called inside
 * `close` or `send`. */
void mcpi_curl_end(mcpi_curl *curl, const mcp_error *err);

#endif
