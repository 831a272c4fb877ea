/* SPDX-License-Identifier: MIT */
/* usage: interop-websocket [PEM]
 *
 * A server on WebSockets alone, on a free port that it prints on its standard
 * error, for other people's clients: a tool that echoes, one that takes its
 * time, and one that reports its progress. PEM is a certificate with its
 * key. */
#include <mcp/http.h>
#include <mcp/mcp.h>
#include <signal.h>
#include <stdio.h>
#include <uv.h>

/* The server refuses a longer message, and a test sends one. */
enum { MAX_MESSAGE = 2 * 1024 * 1024, DRAIN_MS = 1000 };

static uv_loop_t uv;
static uv_signal_t term;
static mcp_loop *loop;
static mcp_server *server;
static mcp_http_listener *listener;

static int on_echo(mcp_call *call, void *userdata) {
  const char *text = mcp_call_string(call, "text");
  (void)userdata;
  if (text == NULL) {
    return MCP_ERR_INVALID;
  }
  return mcp_call_reply_text(call, text);
}

static int on_count(mcp_call *call, void *userdata) {
  int64_t to = mcp_call_int(call, "to");
  (void)userdata;
  for (int64_t i = 1; i <= to; i++) {
    mcp_call_progress(call, (double)i, (double)to, NULL);
  }
  return mcp_call_reply_text(call, "counted");
}

/* Never answers: it waits to be cancelled, or for the end. */
static int on_wait(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_defer(call);
}

static void add_tools(void) {
  mcp_server_add_tool(server,
                      &(mcp_tool){.size = sizeof(mcp_tool),
                                  .name = "echo",
                                  .input = MCP_OBJECT(MCP_STRING("text", "")),
                                  .handler = on_echo},
                      NULL);
  mcp_server_add_tool(server,
                      &(mcp_tool){.size = sizeof(mcp_tool),
                                  .name = "count",
                                  .input = MCP_OBJECT(MCP_INTEGER("to", "")),
                                  .handler = on_count},
                      NULL);
  mcp_server_add_tool(
      server,
      &(mcp_tool){.size = sizeof(mcp_tool), .name = "wait", .handler = on_wait},
      NULL);
}

static void on_drained(mcp_http_listener *drained, void *userdata) {
  (void)drained;
  (void)userdata;
  uv_close((uv_handle_t *)&term, NULL);
  uv_stop(&uv);
}

static void on_signal(uv_signal_t *handle, int number) {
  (void)handle;
  (void)number;
  mcp_server_drain(server, DRAIN_MS);
  mcp_http_listener_drain(listener, on_drained, NULL);
}

static void make_loop(void) {
  const mcp_loop_options options = {.size = sizeof(mcp_loop_options),
                                    .uv_loop = &uv};
  uv_loop_init(&uv);
  uv_signal_init(&uv, &term);
  uv_signal_start(&term, on_signal, SIGTERM);
  loop = mcp_loop_new(&options, NULL);
}

int main(int argc, char **argv) {
  const char *pem = argc > 1 ? argv[1] : NULL;
  const mcp_http_options http = {.size = sizeof(mcp_http_options),
                                 .wires = MCP_HTTP_WEBSOCKET};
  const mcp_http_listen_options options = {.size =
                                               sizeof(mcp_http_listen_options),
                                           .address = "127.0.0.1:0",
                                           .http = &http,
                                           .max_body = MAX_MESSAGE,
                                           .tls_cert = pem,
                                           .tls_key = pem};
  mcp_error err = {0};
  make_loop();
  server = mcp_server_new("websockets", "1.0.0", NULL, NULL);
  add_tools();
  listener = mcp_server_listen_http(server, loop, &options, &err);
  if (listener == NULL) {
    fprintf(stderr, "%s\n", err.message);
    return 1;
  }
  fprintf(stderr, "listening on %s\n", mcp_http_listener_url(listener));
  uv_run(&uv, UV_RUN_DEFAULT);
  mcp_http_listener_free(listener);
  mcp_server_free(server);
  mcp_loop_free(loop);
  uv_run(&uv, UV_RUN_DEFAULT);
  return uv_loop_close(&uv) == 0 ? 0 : 1;
}
