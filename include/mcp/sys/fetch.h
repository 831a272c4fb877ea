/* SPDX-License-Identifier: MIT */
/** @file
 * HTTP requests that OAuth needs: for metadata, keys and tokens
 * (mcp_platform.fetch).
 *
 * libmcp fills the two members with libcurl, which it loads at the first
 * request (in a build with MCP_HTTP_CLIENT). A program that links only
 * libmcp-core and uses authorization fills them in.
 */
#ifndef MCP_SYS_FETCH_H
#define MCP_SYS_FETCH_H

#include <mcp/http.h>

MCP_BEGIN_DECLS

/** A request that is running. */
typedef struct mcp_fetch mcp_fetch;

/** What to request. Everything is borrowed until `fetch` returns. */
typedef struct mcp_fetch_request {
  /** sizeof(mcp_fetch_request); MCP_FETCH_REQUEST_INIT sets it. */
  size_t size;
  /** "GET" or "POST". */
  const char *method;
  /** An absolute URL, http:// or https://, without user and fragment. */
  const char *url;
  /** May be NULL if header_count is 0. */
  const mcp_http_header *headers;
  size_t header_count;
  /** The body of a POST. It may hold secrets: whoever copies it overwrites the
   * copy before freeing it. */
  const char *body;
  size_t body_len;
  /** Limits the whole request, in milliseconds, with the time that it waits for
   * others. Not 0. */
  uint32_t timeout_ms;
  /** 1: the server must have a public address. If its name stands for a
   * loopback, private, link-local or other special address, the request fails
   * with MCP_ERR_REFUSED, and nothing is sent. The check concerns the address
   * to which the connection is made, so a second look-up of the name cannot
   * evade it. If a proxy makes the connection, only the proxy knows the address
   * of a name, so only an address that the URL itself names is checked. */
  int32_t is_public_only;
  /** For whom the request is made: requests with different numbers take turns
   * when some must wait, so that one client's do not delay those of others. 0:
   * for nobody in particular; such requests come first. */
  uint32_t group;
  /** Limits the body of the answer, in bytes. Not 0. A longer one fails with
   * MCP_ERR_LIMIT. */
  size_t max_answer;
  /** The path of a PEM file of certificate authorities to trust, instead of the
   * system's; NULL: the system's. */
  const char *ca_file;
  /** The URL of a proxy; NULL: the proxy of the environment (http_proxy,
   * https_proxy, all_proxy); "": no proxy. A server that no_proxy names has no
   * proxy. A server on the loopback interface (localhost, 127.0.0.0/8, ::1) has
   * no proxy either, whatever this says: such a request may carry secrets in
   * clear text, which must stay on this machine. */
  const char *proxy;
} mcp_fetch_request;

#define MCP_FETCH_REQUEST_INIT MCP_INIT_(mcp_fetch_request)

/** What came of a request. Everything is borrowed until the callback
 * returns. */
typedef struct mcp_fetch_answer {
  /** sizeof(mcp_fetch_answer) as the platform knows it. */
  size_t size;
  /** 0: an answer came, with any status. Otherwise MCP_ERR_IO, MCP_ERR_TIMEOUT,
   * MCP_ERR_LIMIT, MCP_ERR_REFUSED (see is_public_only) or MCP_ERR_NOMEM. */
  int32_t error;
  /** The HTTP status; 0 if there is an error. */
  int32_t status;
  /** If there is an error: what happened, in words. Never NULL. */
  const char *why;
  /** The headers of the answer, one entry for each line. */
  const mcp_http_header *headers;
  size_t header_count;
  /** The body, which need not end with NUL. */
  const char *body;
  size_t body_len;
} mcp_fetch_answer;

/** Gets the answer to a request, on the loop's thread. It is called once, never
 * inside `fetch`, and not after `fetch_cancel`. It may start and cancel other
 * requests. */
typedef void (*mcp_fetch_done_cb)(const mcp_fetch_answer *answer,
                                  void *argument);

MCP_END_DECLS

#endif
