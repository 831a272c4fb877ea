/* SPDX-License-Identifier: MIT */
/* Our HTTP/1.1 server with an application that gives every request the same
 * answer: its cost beside the floor.
 *
 *     bench-http_canned
 *
 * Prints the address where it listens, and serves until killed. */
#include "http1/http1.h"
#include "net/listener.h"
#include <stdio.h>

static const char reply[] =
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\","
    "\"text\":\"5\"}],\"structuredContent\":{\"sum\":5},\"isError\":false,"
    "\"resultType\":\"complete\"}}";

static const mcp_http_responder *responder;

static void *on_head(void *userdata, const mcp_http_request *request,
                     const mcp_http_responder *given, void *exchange) {
  (void)userdata;
  (void)request;
  responder = given;
  return exchange;
}

static void on_body(void *handle, const char *body, size_t len) {
  static const mcp_http_header type = {"Content-Type", "application/json"};
  (void)body;
  (void)len;
  responder->respond(handle, 200, &type, 1, reply, sizeof(reply) - 1);
}

static void on_gone(void *handle) {
  (void)handle;
}

static void on_connection(int fd, const char *peer, void *userdata) {
  mcpi_http1_serve(userdata, fd, peer);
}

int main(void) {
  const mcpi_http1_limits limits = {.max_connections = 16384,
                                    .max_head = 16 * 1024,
                                    .max_headers = 100,
                                    .max_body = 4 * 1024 * 1024,
                                    .max_queue = 16 * 1024 * 1024,
                                    .max_waiting = 64 * 1024 * 1024,
                                    .head_ms = 10000,
                                    .body_ms = 30000,
                                    .idle_ms = 75000,
                                    .write_ms = 30000};
  const mcpi_http1_app app = {
      .on_head = on_head, .on_body = on_body, .on_gone = on_gone};
  mcp_loop *loop = mcp_loop_new(NULL, NULL);
  mcpi_http1 *http1 =
      loop != NULL ? mcpi_http1_new(loop, &limits, &app, NULL) : NULL;
  mcpi_listener *listener = http1 != NULL
                                ? mcpi_listener_new(loop, "127.0.0.1:0", 0,
                                                    on_connection, http1, NULL)
                                : NULL;
  if (listener == NULL) {
    return 1;
  }
  printf("%s\n", mcpi_listener_address(listener));
  fflush(stdout);
  return mcp_loop_run(loop);
}
