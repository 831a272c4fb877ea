/* SPDX-License-Identifier: MIT */
/** @file
 * Clients over Streamable HTTP, HTTP+SSE, WebSocket and plain POSTs
 * (libmcp-http, which needs libcurl).
 *
 * All functions of mcp/client.h work the same over these transports. mcp/mcp.h
 * includes this header. A program that calls its functions links libmcp-http.
 *
 * Errors: if HTTP fails, only the request concerned completes with an error,
 * and the connection goes on:
 * - MCP_ERR_REFUSED: status 401 or 403;
 * - MCP_ERR_IO: status 5xx, 408 or 429; or the HTTP connection failed or broke;
 * - MCP_ERR_TIMEOUT;
 * - MCP_ERR_LIMIT: the answer is longer than max_message;
 * - MCP_ERR_PROTOCOL: any other status, or the answer is not valid.
 *
 * The message names the status and the URL. mcp_error.status is the HTTP
 * status, or 0 if no answer came. Messages never contain the query or the user
 * of a URL, or headers, because they may be secret.
 */
#ifndef MCP_HTTP_CLIENT_H
#define MCP_HTTP_CLIENT_H

#include <mcp/auth.h>
#include <mcp/client.h>

MCP_BEGIN_DECLS

/**
 * Shows what a server has answered to one HTTP request. The library fills in
 * all members; the pointers are borrowed until the callback returns. Secrets
 * are replaced by "[redacted]" or "......":
 * - the headers of the request and the password of the URL, if the server
 *   repeats them;
 * - the session's id and cookies;
 * - the query of the URL in Location;
 * - what mcp_traced_message replaces within strings.
 *
 * Control characters, except the line feeds, are written as \uXXXX.
 *
 * Later versions of the structure have more members at its end.
 */
typedef struct mcp_http_answer {
  /** sizeof(mcp_http_answer) as the library knows it. */
  size_t size;
  /** The status, such as 200 or 401. */
  int32_t status;
  int32_t reserved;
  /** The lines of the head, "HTTP/1.1 401 Unauthorized" and "Name: value", each
   * with a line feed at its end. Not NUL-terminated. */
  const char *head;
  size_t head_len;
  /** The first 4 KB of the body, if the status is 300 or more: whole lines,
   * each with a line feed at its end. Not NUL-terminated. NULL: there is no
   * body, or the status is below 300. Over a WebSocket always NULL. */
  const char *body;
  size_t body_len;
} mcp_http_answer;

/** Zero and NULL mean the default. All is copied, except `auth`. */
typedef struct mcp_http_client_options {
  /** sizeof(mcp_http_client_options); MCP_HTTP_CLIENT_OPTIONS_INIT sets it. */
  size_t size;
  /** Headers for each HTTP request, "Name: value"; the array ends with NULL.
   * These headers are MCP_ERR_INVALID, because the transport sets them: Accept,
   * Connection, Content-Length, Content-Type, Expect, Last-Event-ID,
   * Mcp-Method, Mcp-Name, Mcp-Param-*, MCP-Protocol-Version, Mcp-Session-Id,
   * Sec-WebSocket-*, Transfer-Encoding and Upgrade. */
  const char *const *headers;
  /** The URL of a proxy, such as "http://proxy:3128" or "socks5h://..."; NULL:
   * the proxy of the environment (http_proxy, https_proxy, no_proxy), except
   * for a host of the loopback interface (localhost, 127.0.0.0/8, ::1), which
   * has no proxy; "": no proxy. With `auth`, a token is not sent through a
   * proxy to an http:// or ws:// URL. */
  const char *proxy;
  /** The path of a PEM file of certificate authorities to trust, instead of the
   * system's. */
  const char *ca_file;
  /** The path of a PEM file with a client certificate; NULL: no certificate. */
  const char *cert_file;
  /** The path of a PEM file with the key of the client certificate; NULL: the
   * key is in cert_file. */
  const char *key_file;
  /** 1: the client accepts any certificate of the server, without a check. Only
   * for tests. */
  int32_t trust_any_certificate;
  /** Limits the time to connect, and with HTTP+SSE also the time until the
   * server names the URL for POSTs, in milliseconds; default 10,000.
   * UINT32_MAX: no limit. */
  uint32_t connect_timeout_ms;
  /** Limits the time of an HTTP request that carries a notification or a
   * response, in milliseconds; default 30,000. UINT32_MAX: no limit. */
  uint32_t notify_timeout_ms;
  /** Limits the time of an HTTP request that carries an MCP request, in
   * milliseconds. A listen stream counts as such a request. Default: no limit
   * here, because mcp_request_options limits requests. */
  uint32_t request_timeout_ms;
  /** How long closing may take to send the last messages, such as the end of
   * the session, in milliseconds; default 2000. */
  uint32_t close_wait_ms;
  /** How many times in a row the client resumes a broken legacy stream without
   * receiving anything new; default 5. For 2026-07-28 see
   * mcp_client_options.max_reopens. With mcp_transport_post: how many times the
   * client sends a request with mcp_request_options.is_idempotent again. */
  uint32_t max_retries;
  /** 1: the client does not open the GET stream on which a legacy server sends
   * notifications and requests. */
  int32_t skip_stream;
  /** The dialect of the server, MCP_DIALECT_*. With mcp_transport_http and
   * mcp_transport_sse, any dialect except MCP_DIALECT_MCP is MCP_ERR_INVALID.
   */
  uint32_t dialect;
  /** The longest message that the client accepts, in bytes; default 10 MB. */
  size_t max_message;
  /** The most bytes of messages that wait; default 64 MB. Beyond that, `send`
   * returns MCP_ERR_LIMIT. Over HTTP, a message waits until its HTTP request
   * has ended; over a WebSocket or a socket, until it has been written. */
  size_t max_queue;
  /** When the server of a WebSocket has sent nothing for this many
   * milliseconds, the client sends a ping; default 30,000. UINT32_MAX: never.
   */
  uint32_t ping_ms;
  /** When the server then sends nothing for this many milliseconds, the client
   * closes the WebSocket; default 10,000. UINT32_MAX: never. */
  uint32_t pong_ms;
  /** mcp_transport_post: the client aborts an event stream that brings nothing,
   * not even a heartbeat, for this many milliseconds; 0: no limit. */
  uint32_t silence_timeout_ms;
  uint32_t reserved;
  /** Logs in to the server when it demands that (mcp/auth.h), and adds the
   * headers Authorization and DPoP to each HTTP request. It belongs to the loop
   * of the transport. Borrowed until the transport is freed. NULL: a request
   * that the server answers with 401 fails with MCP_ERR_REFUSED.
   *
   * Together with it, these are MCP_ERR_INVALID: a header Authorization or DPoP
   * in `headers`, and a user in the URL.
   *
   * A token is sent only to an https:// or wss:// URL, or to a host of the
   * loopback interface. If another server demands a token, the request fails
   * with MCP_ERR_INVALID.
   *
   * Requests wait while the user logs in. request_timeout_ms and
   * connect_timeout_ms, also the one of mcp_client_options, do not count this
   * time; the limits of mcp_request_options do. */
  mcp_auth *auth;
  /** Called for each answer over HTTP of the server: after its head, or, if the
   * status is 300 or more, after its body. It is for traces and for reports of
   * failures. It must not call functions of this library that have the client,
   * its loop or its transport as a parameter. NULL: not called. */
  void (*on_answer)(const mcp_http_answer *answer, void *userdata);
  /** Passed to on_answer. */
  void *answer_userdata;
} mcp_http_client_options;

#define MCP_HTTP_CLIENT_OPTIONS_INIT MCP_INIT_(mcp_http_client_options)

/**
 * Makes a transport to a server over Streamable HTTP, for both eras. It sends
 * nothing before the client's first message.
 *
 * The transport follows redirects only within the origin of the URL, at most
 * five for one request. It follows every redirect of a GET. For a POST it
 * follows only 307 and 308, because these keep the method POST. With any other
 * redirect the request fails, and the error says where the redirect leads.
 *
 * A server that refuses the first `initialize` with a status of 4xx may be a
 * server of 2024-11-05. So the transport then sends a GET to the URL. If the
 * GET brings the event `endpoint`, the transport continues with HTTP+SSE, as
 * mcp_transport_sse does. Otherwise the request fails with the status. The loop
 * remembers such a URL, and its next client begins with the GET.
 *
 * @param loop    of mcp_loop_new
 * @param url     http:// or https://; copied
 * @param options NULL: the defaults
 * @param err     says why there is no transport; may be NULL
 * @return owned: pass it to mcp_client_connect, or free it with
 *         mcp_transport_free. NULL with err: MCP_ERR_INVALID, MCP_ERR_NOMEM
 */
MCP_API mcp_transport *
mcp_transport_http(mcp_loop *loop, const char *url,
                   const mcp_http_client_options *options, mcp_error *err);

/**
 * Makes a transport to a server over a WebSocket (RFC 6455, subprotocol mcp):
 * an ordered transport, for both eras. `start` opens the WebSocket; messages
 * that are sent before it is open wait. The transport follows no redirects.
 *
 * Of the options:
 * - connect_timeout_ms limits the time until the WebSocket is open;
 * - max_message, max_queue, ping_ms and pong_ms apply to the open WebSocket;
 * - close_wait_ms limits the time to close it;
 * - notify_timeout_ms, request_timeout_ms, max_retries, skip_stream and
 *   silence_timeout_ms are not used.
 *
 * When the WebSocket ends, all requests in flight complete with MCP_ERR_CLOSED,
 * or with MCP_ERR_REFUSED if the server refused to open it. The message has the
 * reason, such as the code and the text of the server's close frame.
 * mcp_client_options.on_closed gets the code of the reason: MCP_ERR_CLOSED,
 * MCP_ERR_TIMEOUT (the server did not answer a ping), MCP_ERR_LIMIT (a message
 * was longer than max_message), MCP_ERR_PROTOCOL, MCP_ERR_IO or
 * MCP_ERR_REFUSED.
 *
 * @param loop    of mcp_loop_new
 * @param url     ws:// or wss://; copied
 * @param options NULL: the defaults
 * @param err     says why there is no transport; may be NULL
 * @return as mcp_transport_http; MCP_ERR_UNSUPPORTED: a libmcp without
 *         WebSockets or the dialect
 */
MCP_API mcp_transport *
mcp_transport_websocket(mcp_loop *loop, const char *url,
                        const mcp_http_client_options *options, mcp_error *err);

/**
 * Makes a transport to a server by plain POSTs: each message is one HTTP
 * request, and the body of the response is the answer. There is no session, no
 * stream, and no header of MCP. A response with status 204 carries no message.
 * The transport sends nothing before the client's first message, and follows no
 * redirects. An HTTP server of 2026-07-28 may refuse requests without MCP's
 * headers, also the probe of MCP_POLICY_AUTO. With MCP_POLICY_LEGACY in
 * mcp_client_options, the client sends no probe.
 *
 * With a dialect of mcp-core each POST calls a tool, and the client sends
 * nothing to connect (see mcp_transport_dialect):
 * - The answer may be an event stream. Each fragment of the stream is reported
 *   as progress (1, 2, 3 and so on), with the fragment's text as the message.
 * - If the server refuses a call, the request completes with MCP_ERR_REMOTE,
 *   with the server's code and text, or with the HTTP status as the code.
 * - If the stream breaks, the request completes with MCP_ERR_REMOTE and the
 *   code -32000. The member `partial` of error_data has the content that had
 *   arrived.
 *
 * The transport sends a request with is_idempotent again, up to max_retries
 * times, if it cannot connect, if the connection breaks before the answer, or
 * if the answer has status 429, 502, 503 or 504. Before that it waits as long
 * as the answer's Retry-After says (at most an hour), or else 1 s, 1.5 s,
 * 2.25 s and so on. request_timeout_ms limits all attempts together. A failure
 * that lasts (of the TLS handshake, a certificate, a file that cannot be read)
 * ends the request at once. If the program cancels a request, the transport
 * closes the request's connection.
 *
 * @param loop    of mcp_loop_new
 * @param url     http:// or https://; copied
 * @param options NULL: the defaults. Here request_timeout_ms limits the whole
 *                request, also while parts of the answer arrive
 * @param err     says why there is no transport; may be NULL
 * @return as mcp_transport_http; MCP_ERR_UNSUPPORTED: a libmcp without plain
 *         POSTs or the dialect
 */
MCP_API mcp_transport *
mcp_transport_post(mcp_loop *loop, const char *url,
                   const mcp_http_client_options *options, mcp_error *err);

/**
 * Makes a transport to a server over HTTP+SSE of 2024-11-05: an ordered
 * transport, for all revisions. The transport sends a GET. The response is an
 * event stream: the first event names the URL for POSTs, and the other events
 * are messages. The transport posts messages in their order. Messages that are
 * sent before the URL is known wait, at most max_queue bytes.
 *
 * The transport sends one POST after the other:
 * - The server must answer a POST of a notification or a response within
 *   notify_timeout_ms. Only then does the transport send the next POST.
 * - A server may answer the POST of a request only when the result is ready. So
 *   the transport sends the next POST as soon as the last byte of this one is
 *   sent. notify_timeout_ms limits the time to the answer here too.
 * - At most four POSTs of requests wait for an answer. Further requests wait
 *   until one of the four is answered. If the program cancels a request that
 *   waits, the request is not sent. When the server has received the
 *   cancellation of a request, the transport no longer waits for the answer to
 *   the request's POST.
 *
 * When the event stream ends, the transport ends: it resumes nothing. If a POST
 * fails, only its request fails. If the POST of a request has no answer in
 * time, nothing fails, because the result may still arrive as an event. The
 * transport follows redirects of the GET, and accepts the URL for POSTs, only
 * within the origin of `url`.
 *
 * @param loop    of mcp_loop_new
 * @param url     http:// or https://, often with the path /sse; copied
 * @param options NULL: the defaults; max_retries, skip_stream and
 *                request_timeout_ms are not used; dialect must be
 *                MCP_DIALECT_MCP
 * @param err     says why there is no transport; may be NULL
 * @return as mcp_transport_http
 */
MCP_API mcp_transport *mcp_transport_sse(mcp_loop *loop, const char *url,
                                         const mcp_http_client_options *options,
                                         mcp_error *err);

/**
 * Connects to a server by its URL, and finds out the server's revision. The
 * scheme chooses the transport:
 * - http://, https://: mcp_transport_http, or mcp_transport_post if
 *   options->dialect is not MCP_DIALECT_MCP;
 * - sse+http://, sse+https://: mcp_transport_sse;
 * - ws://, wss://: mcp_transport_websocket;
 * - tcp://HOST:PORT, unix:PATH: mcp_transport_socket. It uses
 *   connect_timeout_ms, max_message, max_queue and dialect of the options.
 *   headers, proxy, certificates and auth are MCP_ERR_INVALID, and other
 *   options are ignored.
 *
 * Letters of the scheme may be in any case, but "unix:" only in lower case.
 *
 * The loop remembers the server's era (mcp_client_verdict) for the origin of
 * the URL, and its next client uses this verdict. If the verdict has become
 * wrong, the client finds out the era again. A program may store the verdict
 * for longer.
 *
 * @param options NULL: the defaults; copied
 * @param on_done as of mcp_client_connect
 * @param err     says why the function failed; may be NULL
 * @return as mcp_client_connect; MCP_ERR_INVALID: the URL or an option is
 *         wrong; MCP_ERR_UNSUPPORTED: a libmcp without the transport or the
 *         dialect
 */
MCP_API int mcp_client_connect_url(mcp_client *client, const char *url,
                                   const mcp_http_client_options *options,
                                   mcp_done_cb on_done, void *userdata,
                                   mcp_error *err);

/** Does what mcp_client_connect_url does, and waits (see mcp/sync.h). Returns
 * what mcp_sync_connect returns. */
MCP_API int mcp_sync_connect_url(mcp_client *client, const char *url,
                                 const mcp_http_client_options *options,
                                 mcp_error *err);

MCP_END_DECLS

#endif
