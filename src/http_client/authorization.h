/* SPDX-License-Identifier: MIT */
/* The authorization of HTTP requests (MCP, Authorization): the headers that a
 * request needs, and the wait for them. All transports on libcurl use it:
 *
 *     mcpi_transfer_prepare(transfer, ...);
 *     rc = mcpi_authorization_prepare(a, transfer, "POST", url);
 *       0:            the transfer has the headers: start it
 *       MCP_PENDING:  stop it; on_ready comes later
 *     each line of the answer's head:  mcpi_authorization_take(a, line);
 *     rc = mcpi_authorization_refused(a, status, revision, &err);
 *       0:            prepare it again, and start it
 *       MCP_PENDING:  stop it; on_ready comes later
 *       MCP_ERR_NOT_FOUND: the answer is judged as always
 *       otherwise:    it fails, with err
 *
 * If the program has given no mcp_auth, there is nothing in an
 * mcpi_authorization, and each function returns at once.
 *
 *     IDLE ---> WAITING ---> IDLE     on_ready without an error
 *       |          |
 *       |          `-------> IDLE     on_ready with an error
 *       `---> FAILING -------^        an error that `send` must not report */
#ifndef MCPI_HTTP_CLIENT_AUTHORIZATION_H
#define MCPI_HTTP_CLIENT_AUTHORIZATION_H

#include "core/loop.h"
#include "http_client/transfer.h"

typedef struct mcpi_authorizer mcpi_authorizer;
typedef struct mcpi_authorization mcpi_authorization;

/* The part of a transport. */
struct mcpi_authorizer {
  mcpi_auth_server *server;         /* of `options`; NULL: no authorization */
  const mcpi_curl_options *options; /* the transport's */
  mcp_loop *loop;
  mcp_transport *transport; /* learns whether requests wait (on_waiting) */
  size_t waiting_count;
  /* The wait is over. err NULL: prepare the request again, and start it.
   * Otherwise it fails with err. Not called inside a function of the
   * transport. */
  void (*on_ready)(mcpi_authorizer *authorizer, mcpi_authorization *a,
                   const mcp_error *err);
};

typedef enum mcpi_authorization_state {
  MCPI_AUTHORIZATION_IDLE,
  MCPI_AUTHORIZATION_WAITING, /* for on_ready of `request` */
  MCPI_AUTHORIZATION_FAILING  /* for `timer` */
} mcpi_authorization_state;

/* The part of a request; its owner holds it until _deinit. */
struct mcpi_authorization {
  mcpi_authorizer *authorizer; /* NULL: no authorization, all else is 0 */
  mcpi_authorization_state state;
  int status; /* the last 401 or 403; 0: there was none */
  mcpi_auth_request request;
  mcpi_auth_answer answer;
  mcpi_timer timer;
  mcp_error *failure; /* FAILING: owned; otherwise NULL */
};

void mcpi_authorization_init(mcpi_authorization *a,
                             mcpi_authorizer *authorizer);
/* Stops waiting. Legal twice, and for zeros. */
void mcpi_authorization_deinit(mcpi_authorization *a);

static inline int mcpi_authorization_is_waiting(const mcpi_authorization *a) {
  return a->state != MCPI_AUTHORIZATION_IDLE;
}

/* --- the functions below do the work, if there is an authorizer ----------- */

int mcpi_authorization_add_headers(mcpi_authorization *a,
                                   mcpi_transfer *transfer, const char *method,
                                   const char *url);
int mcpi_authorization_take_line(mcpi_authorization *a, mcpi_str line);
int mcpi_authorization_judge(mcpi_authorization *a, long status,
                             const char *revision, mcp_error *err);
void mcpi_authorization_listen_to(mcpi_authorization *a,
                                  mcpi_transfer *transfer);

/* Adds the headers to a transfer that has been prepared. Returns 0, MCP_PENDING
 * or MCP_ERR_NOMEM. Another error is MCP_PENDING too: on_ready gets it. */
static inline int mcpi_authorization_prepare(mcpi_authorization *a,
                                             mcpi_transfer *transfer,
                                             const char *method,
                                             const char *url) {
  return a->authorizer == NULL
             ? 0
             : mcpi_authorization_add_headers(a, transfer, method, url);
}

/* Takes a line of the answer's head, without its end; an empty line, too, which
 * ends the head. "HTTP/1.1 ..." begins another head. Returns 0 or
 * MCP_ERR_NOMEM. */
static inline int mcpi_authorization_take(mcpi_authorization *a,
                                          mcpi_str line) {
  return a->authorizer == NULL ? 0 : mcpi_authorization_take_line(a, line);
}

/* Lets libcurl pass the head of the answer to _take; for a transfer that has no
 * CURLOPT_HEADERFUNCTION. */
static inline void mcpi_authorization_listen(mcpi_authorization *a,
                                             mcpi_transfer *transfer) {
  if (a->authorizer != NULL) {
    mcpi_authorization_listen_to(a, transfer);
  }
}

/* The answer has this status. `revision`: what the request spoke; NULL: not
 * known. Fills err if it returns an error other than MCP_ERR_NOT_FOUND. */
static inline int mcpi_authorization_refused(mcpi_authorization *a, long status,
                                             const char *revision,
                                             mcp_error *err) {
  return a->authorizer == NULL || (status != 401 && status != 403)
             ? MCP_ERR_NOT_FOUND
             : mcpi_authorization_judge(a, status, revision, err);
}

/* Says what a program can do about a 401 that is reported, for the end of an
 * error: ": ..."; "": nothing. */
const char *mcpi_authorization_hint(long status,
                                    const mcpi_curl_options *options);

#endif
