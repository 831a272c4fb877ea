/* SPDX-License-Identifier: MIT */
/** @file
 * Clients over Streamable HTTP, HTTP+SSE, WebSocket and plain POSTs
 * (libmcp-http, which brings libcurl).
 *
 * The rest of mcp/client.h is the same on every transport. This header is not
 * in mcp/mcp.h: a program that wants it includes it and links libmcp-http.
 *
 * Errors: a request that fails for a reason of HTTP's ends alone, with
 * MCP_ERR_REFUSED (401 and 403), MCP_ERR_IO (5xx, 408 and 429, a connection
 * that failed or broke), MCP_ERR_TIMEOUT, MCP_ERR_LIMIT (longer than
 * max_message), or MCP_ERR_PROTOCOL (any other status, or an answer that is
 * none). The message names status and URL; mcp_error.status is the HTTP status,
 * 0 where none came. No message has a query, a user or a header in it: they may
 * be secrets.
 */
#ifndef MCP_HTTP_CLIENT_H
#define MCP_HTTP_CLIENT_H

#include <mcp/client.h>

MCP_BEGIN_DECLS

/** Zero and NULL mean the default. All is copied. */
typedef struct mcp_http_client_options {
  /** sizeof(mcp_http_client_options); MCP_HTTP_CLIENT_OPTIONS_INIT sets it. */
  size_t size;
  /** Headers for each HTTP request, "Name: value", NULL at the end. Those that
   * are the transport's own are refused. */
  const char *const *headers;
  /** "http://proxy:3128", "socks5h://..."; NULL: what the environment says
   * (http_proxy, https_proxy, no_proxy); "": none. */
  const char *proxy;
  /** A file of certificates in PEM to trust instead of the system's. */
  const char *ca_file;
  /** A client certificate in PEM, and its key (NULL: in the same file). */
  const char *cert_file;
  const char *key_file;
  /** 1: any certificate of the server's will do. For tests. */
  int32_t trust_any_certificate;
  /** Milliseconds, UINT32_MAX: no limit. For a connection to come about, and
   * with HTTP+SSE to be told where to post (default 10,000); for one HTTP
   * request that carries none of ours, such as a notification (default 30,000);
   * for one that does, a listen stream too (default: none, the client's own
   * limits do). */
  uint32_t connect_timeout_ms;
  uint32_t notify_timeout_ms;
  uint32_t request_timeout_ms;
  /** Milliseconds for what is to be said at closing; default 2000. */
  uint32_t close_wait_ms;
  /** How often in a row a legacy stream that broke is taken up again without
   * hearing anything new; default 5. For 2026-07-28 see
   * mcp_client_options.max_reopens. Of mcp_transport_post: how often a request
   * that may be (mcp_request_options.is_idempotent) is sent again. */
  uint32_t max_retries;
  /** 1: no stream for what the server says unasked (legacy). */
  int32_t skip_stream;
  /** MCP_DIALECT_*: what the server speaks. Streamable HTTP and HTTP+SSE have
   * no form of mcp-core: MCP_ERR_INVALID. */
  uint32_t dialect;
  /** Bytes of the longest message that is read; default 10 MB. */
  size_t max_message;
  /** Bytes that may wait to be answered before `send` refuses; default 64 MB.
   */
  size_t max_queue;
  /** Limits the silence of a WebSocket, in milliseconds. When its server has
   * sent nothing for ping_ms (default 30,000), the client sends a ping. When
   * the server then sends nothing for pong_ms (default 10,000), the client
   * closes the connection. UINT32_MAX: never. */
  uint32_t ping_ms;
  uint32_t pong_ms;
  /** mcp_transport_post: an event stream that brings nothing, no heartbeat
   * either, for so many milliseconds is given up; default: none is. */
  uint32_t silence_timeout_ms;
  uint32_t reserved;
} mcp_http_client_options;

#define MCP_HTTP_CLIENT_OPTIONS_INIT MCP_INIT_(mcp_http_client_options)

/**
 * Speaks with a server over Streamable HTTP, of both eras. Nothing is sent
 * before the first message.
 *
 * Redirects are followed within the origin of the URL only: of a POST those
 * that keep it a POST (307, 308), of a GET all. The error of any other says
 * where it leads to.
 *
 * A server that refuses the first `initialize` with a status of 4xx may be one
 * of 2024-11-05: if a GET of the URL brings the event `endpoint`, HTTP+SSE is
 * spoken from then on, as by mcp_transport_sse. Else the refusal stands. The
 * loop remembers such a URL: its next client begins with the GET.
 *
 * @param loop    of mcp_loop_new
 * @param url     http:// or https://; copied
 * @param options NULL: the defaults
 * @return owned; NULL with err: MCP_ERR_INVALID, MCP_ERR_NOMEM
 */
MCP_API mcp_transport *
mcp_transport_http(mcp_loop *loop, const char *url,
                   const mcp_http_client_options *options, mcp_error *err);

/**
 * Speaks with a server over a WebSocket (RFC 6455, subprotocol mcp): an ordered
 * stream of messages, in both eras. It is opened by `start`; what is sent
 * before it is open waits. connect_timeout_ms is for all of the opening,
 * max_message and max_queue, ping_ms and pong_ms for what follows,
 * close_wait_ms for its end; limits of single requests, max_retries and
 * skip_stream mean nothing here.
 *
 * Redirects are not followed. When it ends, requests under way end with it:
 * with MCP_ERR_CLOSED and the code and reason that the server gave,
 * MCP_ERR_TIMEOUT (a dead server), MCP_ERR_LIMIT (a message longer than
 * max_message) or MCP_ERR_PROTOCOL.
 *
 * @param loop    of mcp_loop_new
 * @param url     ws:// or wss://; copied
 * @param options NULL: the defaults
 * @return owned; NULL with err: MCP_ERR_INVALID, MCP_ERR_NOMEM
 */
MCP_API mcp_transport *
mcp_transport_websocket(mcp_loop *loop, const char *url,
                        const mcp_http_client_options *options, mcp_error *err);

/**
 * Speaks with a server by plain POSTs: one HTTP request for each message, the
 * answer as its body, and nothing else: no session, no stream, no headers of
 * MCP's. A response with the status 204 carries no message. The client sends
 * nothing before the first message, and follows no redirect. An HTTP server of
 * 2026-07-28 may refuse requests without its headers, also the probe of
 * MCP_POLICY_AUTO; MCP_POLICY_LEGACY, in mcp_client_options, sends no probe.
 *
 * With a dialect of mcp-core each POST calls a tool, and connecting asks
 * nothing of the server (see mcp_transport_dialect). The answer may come as an
 * event stream: its fragments are shown as progress, counted from 1, their
 * texts as the message. What the server refuses is an error of the peer's
 * (MCP_ERR_REMOTE), with its code and text, or else the HTTP status as the
 * code. A stream that breaks off is one too: -32000, with what had come, as
 * `partial` of its data.
 *
 * A request with is_idempotent is sent again, up to max_retries times, when no
 * connection comes about or it breaks before the answer, and when the answer is
 * 429, 502, 503 or 504: after what its Retry-After says in seconds, an hour at
 * most, else after 1 s, 1.5 s and so on, as long as request_timeout_ms, which
 * is for all together, leaves time for it. What does not pass with time (a
 * handshake of TLS that fails, a certificate, a file that cannot be read) ends
 * it at once. Cancelling a request closes its connection.
 *
 * @param options NULL: the defaults. request_timeout_ms is for the whole of a
 *                request, whatever comes meanwhile
 * @return as mcp_transport_http
 */
MCP_API mcp_transport *
mcp_transport_post(mcp_loop *loop, const char *url,
                   const mcp_http_client_options *options, mcp_error *err);

/**
 * Speaks with a server over HTTP+SSE of 2024-11-05: the answer to a GET of the
 * URL brings messages as events, and tells where to post; messages are posted
 * there in their order. What is sent before that is known waits, within
 * max_queue. An ordered stream of messages, of whichever revision the server
 * has.
 *
 * A POST that carries no request has arrived, within notify_timeout_ms, before
 * the next is begun. That of a request the server may hold, for as long, until
 * its result is ready: once it is sent to its last byte the next one goes. Four
 * are held at once; further requests wait, and one that is cancelled meanwhile
 * is not posted at all. A server that knows that a request is cancelled no
 * longer holds its POST.
 *
 * It ends with its stream: nothing is resumed. A POST that fails ends its
 * request alone; one that was held for too long ends nothing, as the answer may
 * still come. Redirects of the GET are followed, and the place to post is
 * taken, within the origin of the URL only.
 *
 * @param loop    of mcp_loop_new
 * @param url     http:// or https://, often with the path /sse; copied
 * @param options NULL: the defaults; max_retries, skip_stream and
 *                request_timeout_ms mean nothing here, and there is no dialect
 * @return owned; NULL with err: MCP_ERR_INVALID, MCP_ERR_NOMEM
 */
MCP_API mcp_transport *mcp_transport_sse(mcp_loop *loop, const char *url,
                                         const mcp_http_client_options *options,
                                         mcp_error *err);

/**
 * Connects to a server by its URL, and finds out what the server speaks. The
 * scheme, in any case of letters, chooses the transport:
 *
 * - http://, https://: mcp_transport_http, or with options->dialect
 *   mcp_transport_post
 * - sse+http://, sse+https://: mcp_transport_sse
 * - ws://, wss://: mcp_transport_websocket
 * - tcp://HOST:PORT and, in lower case, unix:PATH: mcp_transport_socket, of
 *   which connect_timeout_ms, max_message, max_queue and dialect are set.
 *   headers, proxy and certificates are MCP_ERR_INVALID there.
 *
 * What the client finds out of the server's era (mcp_client_verdict) holds for
 * the URL's origin: the loop remembers it for its next client, until it turns
 * out to be wrong. A program may store it for longer.
 *
 * @param options NULL: the defaults; copied
 * @param on_done as of mcp_client_connect
 * @return as mcp_client_connect; MCP_ERR_INVALID: the URL or an option is wrong
 */
MCP_API int mcp_client_connect_url(mcp_client *client, const char *url,
                                   const mcp_http_client_options *options,
                                   mcp_done_cb on_done, void *userdata,
                                   mcp_error *err);

/** The same, blocking: see mcp/sync.h. */
MCP_API int mcp_sync_connect_url(mcp_client *client, const char *url,
                                 const mcp_http_client_options *options,
                                 mcp_error *err);

MCP_END_DECLS

#endif
