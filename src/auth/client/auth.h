/* SPDX-License-Identifier: MIT */
/* mcp_auth: the tokens of MCP servers, and the requests that wait for them. It
 * does no I/O: it fetches with the platform's functions, and asks its host for
 * a browser. Transports use it in this way for each HTTP request:
 *
 *     mcpi_auth_request_init(&request, server, on_ready, owner);
 *     rc = mcpi_auth_prepare(&request, ...);   0: send it with these headers
 *                                              MCP_PENDING: wait for on_ready
 *     ... the answer has come ...
 *     mcpi_auth_note_answer(&request, ...);    its DPoP-Nonce
 *     if the status is 401 or 403:
 *       rc = mcpi_auth_refused(&request, ...); 0: prepare it again, and send it
 *                                              MCP_PENDING: wait for on_ready
 *                                              negative: it fails, with err
 *     mcpi_auth_request_deinit(&request);
 *
 * on_ready comes in the order in which requests began to wait; a request then
 * calls mcpi_auth_prepare again. A stream that is opened again and again may
 * use one structure: what counts its refusals begins anew when it is prepared
 * for another reason than a refusal.
 *
 * A server's token (mcpi_auth_server.state):
 *
 *     UNREAD --> READING --> NONE <-------------------.
 *                   |         |  401, 403             | there is no
 *                   |         v                       | token now
 *                   |       LOGGING_IN -------------->|
 *                   |         |     ^  ^              |
 *                   v         |     |  | the server   |
 *                  VALID <----'     |  | refuses also |
 *                   |  |  401, 403  |  | the refresh  |
 *                   |  '------------'  | token        |
 *                   |                  |              |
 *                   '--> RENEWING -----'--------------'
 *         expires, 401      |
 *                           '--> VALID
 *
 * LOGGING_IN leads back to VALID with the old token if the login was for more
 * scopes, and failed. RENEWING does so if the old token is still valid, and the
 * authorization server cannot be reached. */
#ifndef MCPI_AUTH_CLIENT_AUTH_H
#define MCPI_AUTH_CLIENT_AUTH_H

#include "base/buf.h"
#include "base/list.h"
#include "core/loop.h"
#include <mcp/auth.h>
#include <mcp/http.h>

/* What a program's process does for an mcp_auth: libmcp-http fills it in
 * (src/login), tests do too. Each function gets `host`. */
typedef struct mcpi_auth_host {
  /* Begins to listen for a browser's return. Returns the URL to which it shall
   * return, borrowed until close_redirect; `wish` (NULL: none) is a URL that
   * was used before: the same port if it is free. The host calls
   * mcp_auth_redirected when a browser comes. NULL with err. */
  const char *(*open_redirect)(void *host, mcp_auth *auth, uint64_t login,
                               const char *wish, mcp_error *err);
  /* The login is about to ask the user, so a browser may return, once. The
   * login may ask again later: then the page of a browser that has returned,
   * and waits, says so. Called between open_redirect and close_redirect. */
  void (*await_redirect)(void *host, uint64_t login);
  /* The login has ended. err NULL: well; otherwise why: the page that the
   * browser shows says so. */
  void (*close_redirect)(void *host, uint64_t login, const mcp_error *err);
  /* Opens the system's browser. Returns 0 or an MCP_ERR_* with err. */
  int (*open_browser)(void *host, const char *url, mcp_error *err);
  /* Frees the host, when the mcp_auth is freed. */
  void (*release)(void *host);
} mcpi_auth_host;

/* Makes an mcp_auth. host_table and `host` are borrowed until `release`. NULL
 * with err; then `release` is not called. */
MCP_API mcp_auth *mcpi_auth_new(mcp_loop *loop, const mcp_auth_options *options,
                                const mcpi_auth_host *host_table, void *host,
                                mcp_error *err);
MCP_API mcp_loop *mcpi_auth_loop(const mcp_auth *auth);

/* --- for transports ------------------------------------------------------- */

/* One MCP server. All transports with its URL share it. Counted. */
typedef struct mcpi_auth_server mcpi_auth_server;

/* Returns a reference to the server with this URL (without user, query and
 * fragment). NULL with err. */
MCP_API mcpi_auth_server *mcpi_auth_server_ref(mcp_auth *auth, const char *url,
                                               mcp_error *err);
/* NULL is accepted. After mcp_auth_free the reference stays legal; requests
 * then fail with MCP_ERR_CLOSED. */
MCP_API void mcpi_auth_server_unref(mcpi_auth_server *server);
/* Counts the tokens: it changes when requests are sent with another token or
 * identity, so caches of answers must be cleared. */
MCP_API uint64_t mcpi_auth_server_generation(const mcpi_auth_server *server);

/* A request of a transport. It is part of the transport's own structure. */
typedef struct mcpi_auth_request mcpi_auth_request;

/* The wait is over: err NULL: call mcpi_auth_prepare again; otherwise the
 * request fails with err. It may deinit requests, unref the server and free the
 * mcp_auth. */
typedef void (*mcpi_auth_ready_cb)(mcpi_auth_request *request,
                                   const mcp_error *err);

struct mcpi_auth_request {
  mcpi_list link;           /* in server->waiting; empty: it does not wait */
  mcpi_auth_server *server; /* a reference; NULL: authorization is not used, and
                               each function returns at once */
  mcpi_auth_ready_cb on_ready;
  void *owner;
  uint64_t sent_with; /* the generation of the token with which it was sent */
  uint8_t is_again;   /* it is sent the next time because of a refusal, which
                         these count: */
  uint8_t refusals;   /* how many 401 a new token has brought */
  uint8_t step_ups;
  uint8_t nonces; /* how many times it was sent again for a nonce */
};

/* `server` may be NULL. The reference is taken here. */
MCP_API void mcpi_auth_request_init(mcpi_auth_request *request,
                                    mcpi_auth_server *server,
                                    mcpi_auth_ready_cb on_ready, void *owner);
/* Stops waiting. Legal at any time after _init, and for a structure of
 * zeros. */
MCP_API void mcpi_auth_request_deinit(mcpi_auth_request *request);

/* Finds the headers to send. Returns 0 with the values (ptr NULL: not this
 * header) in buffers of the server that are borrowed until the next call with
 * this server; MCP_PENDING; or an MCP_ERR_* with err. */
typedef struct mcpi_auth_headers {
  mcpi_str authorization; /* "Bearer ..." or "DPoP ..." */
  mcpi_str dpop;          /* the proof */
} mcpi_auth_headers;
MCP_API int mcpi_auth_prepare(mcpi_auth_request *request, const char *method,
                              const char *url, mcpi_auth_headers *out,
                              mcp_error *err);

/* What an answer says of authorization: collect it from the head of each
 * answer. All of it is owned. */
typedef struct mcpi_auth_answer {
  const mcp_allocator *allocator;
  mcpi_buf challenges; /* lines of WWW-Authenticate, with \n after each */
  char *nonce;         /* DPoP-Nonce; NULL: absent */
} mcpi_auth_answer;

MCP_API void mcpi_auth_answer_init(mcpi_auth_answer *answer,
                                   const mcp_allocator *allocator);
MCP_API void mcpi_auth_answer_deinit(mcpi_auth_answer *answer);
/* Forgets what an earlier answer said. */
MCP_API void mcpi_auth_answer_clear(mcpi_auth_answer *answer);
/* Takes a header line; ignores other headers. Returns 0 or MCP_ERR_NOMEM. */
MCP_API int mcpi_auth_answer_take(mcpi_auth_answer *answer, mcpi_str line);

/* Keeps the nonce of an answer with any status. */
MCP_API void mcpi_auth_note_answer(mcpi_auth_request *request,
                                   const mcpi_auth_answer *answer);
/* The server has answered 401 or 403. `revision` is what the request spoke
 * (NULL: not known). Returns 0, MCP_PENDING, or an MCP_ERR_* with err:
 * authorization cannot help. MCP_ERR_NOT_FOUND without err: the answer is not
 * about authorization (a 403 without a challenge, or server NULL), and the
 * transport reports it as always. */
MCP_API int mcpi_auth_refused(mcpi_auth_request *request, int status,
                              const mcpi_auth_answer *answer,
                              const char *revision, mcp_error *err);

#endif
