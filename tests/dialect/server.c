/* SPDX-License-Identifier: MIT */
/* A server of ours that speaks the mcp-core dialect, for peers of the tests':
 *
 *     dialect-server stdio
 *     dialect-server http       and WebSocket; says where, and runs until it is
 *                               killed */
#include <mcp/http.h>
#include <mcp/mcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int on_add(mcp_call *call, void *userdata) {
  (void)userdata;
  double sum = mcp_call_number(call, "a") + mcp_call_number(call, "b");
  char structured[64];
  snprintf(structured, sizeof(structured), "{\"sum\":%g}", sum);
  mcp_call_set_structured(call, structured);
  return mcp_call_reply_number(call, sum);
}

static int on_count(mcp_call *call, void *userdata) {
  int64_t to = mcp_call_int(call, "to");
  (void)userdata;
  for (int64_t i = 1; i <= to; i++) {
    mcp_call_add_textf(call, "%lld", (long long)i);
    mcp_call_flush(call);
  }
  return mcp_call_reply(call);
}

/* Calls that are answered in the opposite order: the last lets all go. */
static mcp_call *kept[16];
static size_t kept_count;

static int on_keep(mcp_call *call, void *userdata) {
  (void)userdata;
  if (kept_count == sizeof(kept) / sizeof(kept[0])) {
    return mcp_call_reply_failure(call, "no more are kept");
  }
  kept[kept_count++] = call;
  return mcp_call_defer(call);
}

static int on_release(mcp_call *call, void *userdata) {
  (void)userdata;
  while (kept_count > 0) {
    mcp_call *one = kept[--kept_count];
    mcp_call_reply_textf(one, "%zu", kept_count);
  }
  return mcp_call_reply_text(call, "done");
}

static int on_environment(mcp_call *call, void *userdata) {
  const char *name = mcp_call_string(call, "name");
  (void)userdata;
  if (name == NULL) {
    return MCP_ERR_INVALID;
  }
  const char *value = getenv(name);
  return mcp_call_reply_text(call, value != NULL ? value : "");
}

static int on_noise(mcp_call *call, void *userdata) {
  (void)userdata;
  printf("a stray line\n");
  fflush(stdout);
  fprintf(stderr, "a diagnosis\n");
  return mcp_call_reply_text(call, "quiet");
}

static void add(mcp_server *server, const char *name, mcp_call_cb handler,
                const mcp_schema *input) {
  mcp_server_add_tool(server,
                      &(mcp_tool){.size = sizeof(mcp_tool),
                                  .name = name,
                                  .input = input,
                                  .handler = handler},
                      NULL);
}

static void add_all(mcp_server *server) {
  add(server, "add", on_add,
      MCP_OBJECT(MCP_NUMBER("a", "first"), MCP_NUMBER("b", "second")));
  add(server, "count", on_count, MCP_OBJECT(MCP_INTEGER("to", "the last")));
  add(server, "keep", on_keep, NULL);
  add(server, "release", on_release, NULL);
  add(server, "environment", on_environment,
      MCP_OBJECT(MCP_STRING("name", "a variable")));
  add(server, "noise", on_noise, NULL);
}

static void on_closed(mcp_connection *connection, const mcp_error *err,
                      void *userdata) {
  (void)connection;
  (void)err;
  mcp_loop_stop(userdata);
}

static int serve_stdio(mcp_server *server, mcp_loop *loop) {
  const mcp_connection_options options = {.size =
                                              sizeof(mcp_connection_options),
                                          .on_closed = on_closed,
                                          .userdata = loop};
  mcp_error err = {0};
  mcp_transport *wire =
      mcp_transport_dialect(loop, mcp_transport_stdio(loop, NULL, &err),
                            MCP_DIALECT_MCP_CORE, 1, NULL);
  int rc = wire != NULL
               ? mcp_server_connect(server, loop, wire, &options, NULL, &err)
               : MCP_ERR_IO;
  return rc == 0 ? mcp_loop_run(loop) : rc;
}

static int serve_http(mcp_server *server, mcp_loop *loop) {
  const mcp_http_options http = {.size = sizeof(mcp_http_options),
                                 .path = "/tools",
                                 .wires =
                                     MCP_HTTP_STREAMABLE | MCP_HTTP_WEBSOCKET,
                                 .dialect = MCP_DIALECT_MCP_CORE,
                                 .keepalive_ms = 50};
  const mcp_http_listen_options options = {.size =
                                               sizeof(mcp_http_listen_options),
                                           .address = "127.0.0.1:0",
                                           .http = &http};
  mcp_error err = {0};
  mcp_http_listener *listener =
      mcp_server_listen_http(server, loop, &options, &err);
  if (listener == NULL) {
    fprintf(stderr, "%s\n", err.message);
    return 1;
  }
  fprintf(stderr, "listening on %s\n", mcp_http_listener_url(listener));
  int rc = mcp_loop_run(loop);
  mcp_http_listener_free(listener);
  return rc;
}

int main(int argc, char **argv) {
  int is_http = argc > 1 && strcmp(argv[1], "http") == 0;
  mcp_loop *loop = mcp_loop_new(NULL, NULL);
  mcp_server *server = mcp_server_new("dialect-server", "1", NULL, NULL);
  add_all(server);
  int rc = is_http ? serve_http(server, loop) : serve_stdio(server, loop);
  mcp_server_free(server);
  mcp_loop_free(loop);
  return rc == 0 ? 0 : 1;
}
