/* SPDX-License-Identifier: MIT */
/* The life of a transport on libcurl, which Streamable HTTP, HTTP+SSE and plain
 * POSTs have in common: its options, libcurl on the loop, one timer, and an end
 * that is reported once, from the loop and never inside `close`.
 *
 * The structure of each of these transports begins with this one. Each callback
 * of the owner may end the transport, and free it: the memory stays until the
 * loop's next turn, and is_ended says so. */
#ifndef MCPI_HTTP_CLIENT_CURL_TRANSPORT_H
#define MCPI_HTTP_CLIENT_CURL_TRANSPORT_H

#include "http_client/transfer.h"

typedef struct mcpi_curl mcpi_curl;

typedef struct mcpi_curl_ops {
  /* `start` was called. 0 or MCP_ERR_NOMEM. NULL: there is nothing to do. */
  int (*begin)(mcpi_curl *curl);
  /* A transfer is done, or has brought bytes to read. */
  void (*judge)(mcpi_curl *curl, mcpi_transfer *transfer);
  /* After those, whenever libcurl has acted. May be NULL. */
  void (*end_turn)(mcpi_curl *curl);
  /* When on_due is to be called, by the loop's clock; INT64_MAX: never. */
  int64_t (*next_due)(mcpi_curl *curl);
  void (*on_due)(mcpi_curl *curl);
  /* `close` was called: requests do not wait for answers any longer. NULL: none
   * waits. */
  void (*begin_closing)(mcpi_curl *curl);
  /* While it closes: whether something is still to be sent, which it begins
   * to send. */
  int (*has_more)(mcpi_curl *curl);
  /* Ends all that is under way, and drops what waits. */
  void (*drop_all)(mcpi_curl *curl);
  /* Frees what the structure holds; the memory itself is ours. */
  void (*deinit)(mcpi_curl *curl);
} mcpi_curl_ops;

struct mcpi_curl {
  mcp_transport base;
  const mcpi_curl_ops *ops;
  size_t size; /* of all that begins with this */
  mcp_loop *loop;
  mcpi_uv *uv;
  mcpi_curl_options own; /* unless they are borrowed */
  const mcpi_curl_options *options;
  mcpi_multi *multi; /* NULL before start */
  uv_timer_t timer;
  mcpi_list ready; /* transfers to be looked at */
  size_t queued;   /* bytes of messages that were taken and have not arrived */
  int64_t close_until_ms;
  int is_closing;
  int is_ended; /* no callback is called any longer */
};

/* Makes a structure of `size` bytes, zero after the mcpi_curl. Its table lacks
 * `send`. NULL with err. */
mcpi_curl *mcpi_curl_new(size_t size, const mcpi_curl_ops *ops, mcp_loop *loop,
                         mcp_error *err);
/* Before anything else is done with it, but mcp_transport_free. 0,
 * MCP_ERR_INVALID or MCP_ERR_NOMEM. */
int mcpi_curl_set_options(mcpi_curl *curl, const char *url,
                          const mcp_http_client_options *options,
                          mcp_error *err);

/* Whether a message of so many bytes can be taken: 0, MCP_ERR_CLOSED or
 * MCP_ERR_LIMIT. */
int mcpi_curl_check_send(const mcpi_curl *curl, size_t len);
/* From libcurl's callbacks: the transfer is to be judged. */
void mcpi_curl_note(mcpi_curl *curl, mcpi_transfer *transfer);
/* Something else is to be done by the clock. */
void mcpi_curl_arm(mcpi_curl *curl);
/* Ends the transport, for that reason or without (NULL). Not inside `close` or
 * `send`. */
void mcpi_curl_end(mcpi_curl *curl, const mcp_error *err);

#endif
