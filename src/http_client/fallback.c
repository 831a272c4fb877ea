/* SPDX-License-Identifier: MIT */
/* A server that refuses `initialize` may be one of 2024-11-05 (PROTOCOL 2.9):
 * then a GET of the same URL tells where to post. The message that was refused
 * waits there; if nothing comes of it, the refusal stands.
 *
 * The loop remembers the URL of such a server, and begins with the GET next
 * time. If nothing comes of that, the server has become another: what was known
 * of it is forgotten, and the message is posted as to any. */
#include "http_client/sse.h"
#include "http_client/streamable.h"

#include "core/verdicts.h"
#include <mcp/server.h>

/* A server of the modern era says so in its refusals. */
static int is_modern(const mcp_json *error) {
  int64_t code = 0;
  mcp_json_try_int(mcp_json_get(error, "code"), &code);
  return code == MCP_RPC_HEADER_MISMATCH ||
         code == MCP_RPC_MISSING_CAPABILITY ||
         code == MCP_RPC_UNSUPPORTED_VERSION;
}

/* What has had a session is what it was. */
static int is_sign(const mcpi_call *call, const mcp_json *error) {
  const mcpi_web *web = call->web;
  return call->is_initialize && call->transfer.status >= 400 &&
         call->transfer.status < 500 && !web->has_fallen_back &&
         web->session_number == 0 && !web->curl.is_closing && !is_modern(error);
}

/* --- from the other transport --------------------------------------------- */

static void on_message(mcp_transport *older, const char *message, size_t len) {
  mcpi_web *web = older->owner;
  if (web->refused != NULL) {
    mcpi_verdicts_set_sse(web->curl.loop, web->curl.options->url, 1);
    mcpi_call_drop(web->refused);
  }
  web->curl.base.on_message(&web->curl.base, message, len);
}

static void on_error(mcp_transport *older, const mcp_error *err) {
  mcpi_web *web = older->owner;
  web->curl.base.on_error(&web->curl.base, err);
}

static void on_request_failed(mcp_transport *older, uint64_t request,
                              const mcp_error *err) {
  mcpi_web *web = older->owner;
  web->curl.base.on_request_failed(&web->curl.base, request, err);
}

/* Its era may be another too. */
static void forget(mcpi_web *web) {
  mcp_loop *loop = web->curl.loop;
  mcpi_verdicts_set_sse(loop, web->curl.options->url, 0);
  mcpi_verdicts_set(loop, web->curl.options->origin, NULL);
  web->has_fallen_back = 0;
}

static void on_close(mcp_transport *older, const mcp_error *err) {
  mcpi_web *web = older->owner;
  mcpi_call *refused = web->refused;
  if (web->curl.is_closing || refused == NULL || mcpi_sse_is_open(older)) {
    mcpi_curl_end(&web->curl, err);
    return;
  }
  web->older = NULL;
  web->refused = NULL;
  mcp_transport_free(older);
  if (refused->has_head) {
    mcpi_call_judge(refused);
  } else {
    forget(web);
    mcpi_web_begin(refused);
  }
}

/* --- trying --------------------------------------------------------------- */

static int start(mcpi_web *web, const mcpi_call *call) {
  mcp_transport *older = web->older;
  const mcp_send_info info = {.size = sizeof(info),
                              .request = call->request,
                              .kind = MCP_MESSAGE_REQUEST,
                              .method = "initialize"};
  older->owner = web;
  older->on_message = on_message;
  older->on_error = on_error;
  older->on_request_failed = on_request_failed;
  older->on_close = on_close;
  int rc = older->start(older, NULL);
  return rc == 0 ? older->send(older, call->body, call->body_len, &info) : rc;
}

static int fall_back(mcpi_call *call) {
  mcpi_web *web = call->web;
  web->has_fallen_back = 1;
  web->older = mcpi_sse_new(web->curl.loop, web->curl.options);
  if (web->older == NULL || start(web, call) != 0) {
    mcp_transport_free(web->older);
    web->older = NULL;
    return 0;
  }
  web->refused = call;
  return 1;
}

int mcpi_web_fall_back(mcpi_call *call, const mcp_json *error) {
  return is_sign(call, error) && fall_back(call);
}

int mcpi_web_begin_older(mcpi_call *call) {
  mcpi_web *web = call->web;
  if (!call->is_initialize || web->has_fallen_back ||
      web->session_number != 0 ||
      !mcpi_verdicts_is_sse(web->curl.loop, web->curl.options->url)) {
    return 0;
  }
  mcpi_list_append(&web->calls, &call->link);
  return fall_back(call);
}
