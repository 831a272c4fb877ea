/* SPDX-License-Identifier: MIT */
/* A server on every wire at once, for hostile.py. It counts the bytes that the
 * library has taken from its allocator.
 *
 * usage: soak-server PEM SOCKET
 *
 * PEM is a file with a certificate and its key, SOCKET the path of a Unix
 * socket. The server prints one line of JSON with its addresses, serves until
 * the end of its standard input, frees everything, and prints
 * {"live":BYTES}. */
#include "counting.h"
#include "until_eof.h"

#include <mcp/mcp.h>
#include <stdatomic.h>
#include <stdio.h>

/* --- tools --------------------------------------------------------------- */

/* Handlers run on several threads at once. */

static int on_echo(mcp_call *call, void *userdata) {
  const char *text = mcp_call_string(call, "text");
  (void)userdata;
  if (text == NULL) {
    return MCP_ERR_INVALID;
  }
  return mcp_call_reply_text(call, text);
}

static void on_wait_cancelled(mcp_call *call, void *userdata) {
  (void)userdata;
  mcp_call_reply_text(call, "cancelled");
}

/* Answers only when the client has cancelled it. */
static int on_wait(mcp_call *call, void *userdata) {
  (void)userdata;
  int rc = mcp_call_defer(call);
  if (rc != 0) {
    return rc;
  }
  mcp_call_progress(call, 1, 0, "waiting");
  return mcp_call_on_cancel(call, on_wait_cancelled, NULL);
}

static int on_ask(mcp_call *call, void *userdata) {
  const mcp_json *answer;
  (void)userdata;
  int rc = mcp_call_ask_elicit(
      call, "name",
      &(mcp_elicitation){.size = sizeof(mcp_elicitation),
                         .message = "Your name?",
                         .form = MCP_OBJECT(MCP_STRING("name", "Your name"))},
      &answer);
  return rc != 0 ? rc : mcp_call_reply_text(call, "thank you");
}

static int on_grow(mcp_call *call, void *userdata) {
  static atomic_int grown;
  char name[32];
  (void)userdata;
  /* Adds and removes the same few tools: the list changes and does not grow. */
  snprintf(name, sizeof(name), "grown_%d", atomic_fetch_add(&grown, 1) % 8);
  mcp_server *server = mcp_call_server(call);
  mcp_server_remove_tool(server, name);
  mcp_server_add_tool(
      server,
      &(mcp_tool){.size = sizeof(mcp_tool), .name = name, .handler = on_echo},
      NULL);
  return mcp_call_reply_text(call, name);
}

static void add_tools(mcp_server *server) {
  static const struct {
    const char *name;
    mcp_call_cb handler;
  } tools[] = {{"wait", on_wait}, {"ask", on_ask}, {"grow", on_grow}};
  for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
    mcp_server_add_tool(server,
                        &(mcp_tool){.size = sizeof(mcp_tool),
                                    .name = tools[i].name,
                                    .handler = tools[i].handler},
                        NULL);
  }
  mcp_server_add_tool(
      server,
      &(mcp_tool){.size = sizeof(mcp_tool),
                  .name = "echo",
                  .input = MCP_OBJECT(MCP_STRING("text", "to repeat")),
                  .handler = on_echo},
      NULL);
}

/* --- wires --------------------------------------------------------------- */

typedef struct program {
  mcp_loop *loop;
  mcp_server *server;
  mcp_http_listener *http; /* on two threads */
  mcp_http_listener *tls;
  mcp_socket_listener *tcp;
  mcp_socket_listener *local;
} program;

/* Limits are small, so that ten minutes reach them many times. */
static const mcp_http_options policy = {
    .size = sizeof(mcp_http_options),
    .wires = MCP_HTTP_STREAMABLE | MCP_HTTP_WEBSOCKET | MCP_HTTP_SSE,
    .max_sessions = 1000,
    .session_idle_ms = 5000,
};

static int listen_all(program *me, const char *pem, const char *path,
                      mcp_error *err) {
  char address[1024];
  snprintf(address, sizeof(address), "unix:%s", path);
  me->http = mcp_server_listen_http(
      me->server, me->loop,
      &(mcp_http_listen_options){.size = sizeof(mcp_http_listen_options),
                                 .address = "127.0.0.1:0",
                                 .http = &policy,
                                 .threads = 2},
      err);
  if (me->http == NULL) {
    return err->code;
  }
  me->tls = mcp_server_listen_http(
      me->server, me->loop,
      &(mcp_http_listen_options){.size = sizeof(mcp_http_listen_options),
                                 .address = "127.0.0.1:0",
                                 .http = &policy,
                                 .tls_cert = pem,
                                 .tls_key = pem},
      err);
  if (me->tls == NULL) {
    return err->code;
  }
  me->tcp = mcp_server_listen_socket(
      me->server, me->loop,
      &(mcp_socket_listen_options){.size = sizeof(mcp_socket_listen_options),
                                   .address = "127.0.0.1:0"},
      err);
  if (me->tcp == NULL) {
    return err->code;
  }
  me->local = mcp_server_listen_socket(
      me->server, me->loop,
      &(mcp_socket_listen_options){.size = sizeof(mcp_socket_listen_options),
                                   .address = address},
      err);
  return me->local == NULL ? err->code : 0;
}

static void free_all(program *me) {
  mcp_http_listener_free(me->http);
  mcp_http_listener_free(me->tls);
  mcp_socket_listener_free(me->tcp);
  mcp_socket_listener_free(me->local);
  mcp_server_free(me->server);
  mcp_loop_free(me->loop);
}

/* --- the program --------------------------------------------------------- */

static int serve(program *me) {
  printf("{\"http\":\"%s\",\"tls\":\"%s\",\"tcp\":\"%s\",\"unix\":\"%s\"}\n",
         mcp_http_listener_url(me->http), mcp_http_listener_url(me->tls),
         mcp_socket_listener_url(me->tcp), mcp_socket_listener_url(me->local));
  fflush(stdout);
  if (soak_run_until_eof(me->loop) != 0) {
    fprintf(stderr, "soak-server: cannot start a thread\n");
    return 1;
  }
  return 0;
}

int main(int argc, char **argv) {
  program me = {0};
  mcp_error err = {0};
  if (argc != 3) {
    fprintf(stderr, "usage: soak-server PEM SOCKET\n");
    return 2;
  }
  me.loop = mcp_loop_new(&(mcp_loop_options){.size = sizeof(mcp_loop_options),
                                             .allocator = &soak_counting},
                         NULL);
  me.server =
      mcp_server_new("soak", "1.0.0",
                     &(mcp_server_options){.size = sizeof(mcp_server_options),
                                           .allocator = &soak_counting},
                     &err);
  int rc = me.server != NULL ? 0 : err.code;
  add_tools(me.server);
  if (rc == 0) {
    rc = listen_all(&me, argv[1], argv[2], &err);
  }
  int status = 1;
  if (rc != 0) {
    fprintf(stderr, "soak-server: %s\n", err.message);
  } else {
    status = serve(&me);
  }
  free_all(&me);
  printf("{\"live\":%zu}\n", soak_live());
  return status;
}
