/* SPDX-License-Identifier: MIT */
#include "http_client/authorization.h"

#include "codec/http_origin.h"
#include "core/transport.h"

/* --- waiting -------------------------------------------------------------- */

static void authorization_set_state(mcpi_authorization *a,
                                    mcpi_authorization_state state) {
  mcpi_authorizer *authorizer = a->authorizer;
  int was_waiting = a->state == MCPI_AUTHORIZATION_WAITING;
  int is_waiting = state == MCPI_AUTHORIZATION_WAITING;
  size_t before = authorizer->waiting_count;
  a->state = state;
  authorizer->waiting_count += (size_t)is_waiting;
  authorizer->waiting_count -= (size_t)was_waiting;
  if ((before == 0) != (authorizer->waiting_count == 0)) {
    mcpi_transport_report_waiting(authorizer->transport, before == 0);
  }
}

/* A failure after a refusal has the server's status, so that the program can
 * tell it from others. */
static void authorization_add_status(const mcpi_authorization *a,
                                     mcp_error *err) {
  if (err->status == 0) {
    err->status = a->status;
  }
}

/* The owner may be gone afterwards. */
static void authorization_end_wait(mcpi_authorization *a,
                                   const mcp_error *err) {
  mcpi_authorizer *authorizer = a->authorizer;
  mcp_error copy;
  authorization_set_state(a, MCPI_AUTHORIZATION_IDLE);
  if (err != NULL) {
    copy = *err;
    authorization_add_status(a, &copy);
  }
  authorizer->on_ready(authorizer, a, err != NULL ? &copy : NULL);
}

static void authorization_on_ready(mcpi_auth_request *request,
                                   const mcp_error *err) {
  authorization_end_wait(request->owner, err);
}

/* --- failing later -------------------------------------------------------- */

static void authorization_drop_failure(mcpi_authorization *a) {
  mcpi_loop_stop_timer(a->authorizer->loop, &a->timer);
  mcpi_free(&a->authorizer->loop->allocator, a->failure, sizeof(*a->failure));
  a->failure = NULL;
}

static void authorization_on_due(mcpi_timer *timer) {
  mcpi_authorization *a = MCPI_CONTAINER(timer, mcpi_authorization, timer);
  mcp_error err = *a->failure;
  authorization_drop_failure(a);
  authorization_end_wait(a, &err);
}

static int authorization_fail_later(mcpi_authorization *a,
                                    const mcp_error *err) {
  mcp_loop *loop = a->authorizer->loop;
  a->failure = mcpi_alloc(&loop->allocator, sizeof(*a->failure));
  if (a->failure == NULL) {
    return MCP_ERR_NOMEM;
  }
  *a->failure = *err;
  if (mcpi_loop_start_timer(loop, &a->timer, 0) != 0) {
    authorization_drop_failure(a);
    return MCP_ERR_NOMEM;
  }
  authorization_set_state(a, MCPI_AUTHORIZATION_FAILING);
  return MCP_PENDING;
}

/* --- life ----------------------------------------------------------------- */

void mcpi_authorization_init(mcpi_authorization *a,
                             mcpi_authorizer *authorizer) {
  *a = (mcpi_authorization){0};
  if (authorizer->server != NULL) {
    a->authorizer = authorizer;
    a->timer.on_due = authorization_on_due;
    mcpi_auth_request_init(&a->request, authorizer->server,
                           authorization_on_ready, a);
    mcpi_auth_answer_init(&a->answer, &authorizer->loop->allocator);
  }
}

void mcpi_authorization_deinit(mcpi_authorization *a) {
  if (a->authorizer == NULL) {
    return;
  }
  authorization_drop_failure(a);
  mcpi_auth_request_deinit(&a->request);
  mcpi_auth_answer_deinit(&a->answer);
  authorization_set_state(a, MCPI_AUTHORIZATION_IDLE);
  a->authorizer = NULL;
}

/* --- the request ---------------------------------------------------------- */

static int authorization_refuse_url(const mcpi_authorization *a,
                                    mcp_error *err) {
  const mcpi_curl_options *options = a->authorizer->options;
  if (mcpi_header_origin_is_loopback(mcpi_str_z(options->origin))) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "%s needs a token, which the proxy could read: set "
                         "mcp_http_client_options.proxy to \"\", or use an "
                         "https:// or wss:// URL",
                         options->shown);
  }
  return mcp_error_set(err, MCP_ERR_INVALID,
                       "%s needs a token, and a token is sent only to an "
                       "https:// or wss:// URL, or to a host of the loopback "
                       "interface",
                       options->shown);
}

static int authorization_put(mcpi_authorization *a, mcpi_transfer *transfer,
                             const mcpi_auth_headers *headers, mcp_error *err) {
  if (headers->authorization.ptr == NULL && headers->dpop.ptr == NULL) {
    return 0;
  }
  if (!a->authorizer->options->may_send_token) {
    return authorization_refuse_url(a, err);
  }
  int rc = mcpi_transfer_add_secret(transfer, a->answer.allocator,
                                    "Authorization", headers->authorization);
  if (rc == 0) {
    rc = mcpi_transfer_add_secret(transfer, a->answer.allocator, "DPoP",
                                  headers->dpop);
  }
  return rc;
}

int mcpi_authorization_add_headers(mcpi_authorization *a,
                                   mcpi_transfer *transfer, const char *method,
                                   const char *url) {
  mcpi_auth_headers headers = {{NULL, 0}, {NULL, 0}};
  mcp_error err;
  mcpi_auth_answer_clear(&a->answer);
  int rc = mcpi_auth_prepare(&a->request, method, url, &headers, &err);
  if (rc == 0) {
    rc = authorization_put(a, transfer, &headers, &err);
  }
  if (rc == MCP_PENDING) {
    authorization_set_state(a, MCPI_AUTHORIZATION_WAITING);
  } else if (rc < 0 && rc != MCP_ERR_NOMEM) {
    rc = authorization_fail_later(a, &err);
  }
  return rc;
}

/* --- the answer ----------------------------------------------------------- */

/* The nonce of an answer with any status is kept when its head has come, since
 * a later answer may bring another one. */
int mcpi_authorization_take_line(mcpi_authorization *a, mcpi_str line) {
  if (line.len == 0) {
    mcpi_auth_note_answer(&a->request, &a->answer);
    return 0;
  }
  if (line.len > 5 && memcmp(line.ptr, "HTTP/", 5) == 0) {
    mcpi_auth_answer_clear(&a->answer);
    return 0;
  }
  return mcpi_auth_answer_take(&a->answer, line);
}

static size_t authorization_on_header(char *bytes, size_t size, size_t count,
                                      void *owner) {
  mcpi_authorization *a = owner;
  size_t len = size * count;
  mcpi_str line = mcpi_transfer_line(bytes, len);
  return mcpi_authorization_take_line(a, line) == 0 ? len : 0;
}

void mcpi_authorization_listen_to(mcpi_authorization *a,
                                  mcpi_transfer *transfer) {
  mcpi_transfer_on_head(transfer, authorization_on_header, a);
}

/* A login whose token could not be sent would only trouble the user. */
int mcpi_authorization_judge(mcpi_authorization *a, long status,
                             const char *revision, mcp_error *err) {
  int rc = MCP_ERR_NOT_FOUND;
  if (a->authorizer->options->may_send_token) {
    rc = mcpi_auth_refused(&a->request, (int)status, &a->answer, revision, err);
  } else if (status == 401) {
    rc = authorization_refuse_url(a, err);
  }
  a->status = rc != MCP_ERR_NOT_FOUND ? (int)status : a->status;
  if (rc == MCP_PENDING) {
    authorization_set_state(a, MCPI_AUTHORIZATION_WAITING);
  } else if (rc < 0 && rc != MCP_ERR_NOT_FOUND) {
    authorization_add_status(a, err);
  }
  return rc;
}

const char *mcpi_authorization_hint(long status,
                                    const mcpi_curl_options *options) {
  if (status != 401 || options->auth != NULL) {
    return "";
  }
  return options->user != NULL || mcpi_curl_options_has_header(
                                      options, MCPI_STR("Authorization"))
             ? ": the server does not accept this program's Authorization"
             : ": the server demands authorization; set "
               "mcp_http_client_options.auth";
}
