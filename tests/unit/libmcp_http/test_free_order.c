/* SPDX-License-Identifier: MIT */
/* Servers, clients, listeners and endpoints of one loop are freed in each
 * order, while calls are in flight. The loop goes last, as its header
 * demands. */
#include "support/libmcp/recorder.h"

#include <mcp/http.h>
#include <mcp/http_client.h>
#include <mcp/mcp.h>
#include <mcp/socket.h>
#include <stdio.h>

enum { THINGS = 6, CLIENTS = 2, ORDERS = 720 };

typedef struct bench {
  mcp_loop *loop;
  mcp_server *server;
  mcp_http_listener *http;
  mcp_socket_listener *sockets;
  mcp_http *endpoint; /* of an HTTP server that nobody has asked yet */
  mcp_client *clients[CLIENTS];
  mcp_call *kept[CLIENTS];
  size_t kept_count;
  int ended_count;
} bench;

static int on_keep(mcp_call *call, void *userdata) {
  bench *b = userdata;
  assert_true(b->kept_count < CLIENTS);
  b->kept[b->kept_count++] = call;
  return mcp_call_defer(call);
}

static void on_done(mcp_client *client, const mcp_outcome *outcome,
                    void *userdata) {
  ((bench *)userdata)->ended_count++;
  assert_true(outcome->status < 0);
}

static void make_server(bench *b) {
  mcp_error err = {0};
  const mcp_tool keep = {.size = sizeof(mcp_tool),
                         .name = "keep",
                         .handler = on_keep,
                         .userdata = b};
  const mcp_http_listen_options http = {.size = sizeof(mcp_http_listen_options),
                                        .address = "127.0.0.1:0"};
  const mcp_socket_listen_options sockets = {
      .size = sizeof(mcp_socket_listen_options), .address = "127.0.0.1:0"};
  b->server = mcp_server_new("test", "1", NULL, NULL);
  assert_int_equal(mcp_server_add_tool(b->server, &keep, NULL), 0);
  b->http = mcp_server_listen_http(b->server, b->loop, &http, &err);
  b->sockets = mcp_server_listen_socket(b->server, b->loop, &sockets, &err);
  b->endpoint = mcp_http_new(b->server, b->loop, NULL, &err);
  assert_string_equal(err.message, "");
}

static mcp_client *make_client(bench *b, const char *url) {
  mcp_error err = {0};
  mcp_client *client = mcp_client_new(b->loop, "test", "1", NULL, NULL);
  assert_int_equal(mcp_sync_connect_url(client, url, NULL, &err), 0);
  assert_int_equal(
      mcp_client_call_tool(client, "keep", NULL, NULL, on_done, b, NULL), 0);
  return client;
}

static void begin(bench *b) {
  *b = (bench){.loop = loop_begin()};
  make_server(b);
  b->clients[0] = make_client(b, mcp_http_listener_url(b->http));
  b->clients[1] = make_client(b, mcp_socket_listener_url(b->sockets));
  WAIT_UNTIL(b->loop, b->kept_count == CLIENTS);
}

static void free_thing(bench *b, size_t which) {
  switch (which) {
  case 0:
    mcp_server_free(b->server);
    break;
  case 1:
    mcp_http_listener_free(b->http);
    break;
  case 2:
    mcp_socket_listener_free(b->sockets);
    break;
  case 3:
    mcp_http_free(b->endpoint);
    break;
  default:
    mcp_client_free(b->clients[which - 4]);
    break;
  }
}

/* The order of that number. */
static void free_in_order(bench *b, size_t number, int turns) {
  size_t left[THINGS] = {0, 1, 2, 3, 4, 5};
  for (size_t count = THINGS; count > 0; count--) {
    size_t at = number % count;
    number /= count;
    free_thing(b, left[at]);
    left[at] = left[count - 1];
    for (int i = 0; i < turns; i++) {
      mcp_loop_step(b->loop);
    }
  }
}

static void run_all(int turns) {
  for (size_t number = 0; number < ORDERS; number++) {
    bench b;
    begin(&b);
    free_in_order(&b, number, turns);
    for (size_t i = 0; i < b.kept_count; i++) {
      mcp_call_drop(b.kept[i]);
    }
    assert_int_equal(b.ended_count, CLIENTS);
    loop_end(b.loop);
  }
}

TEST(everything_may_be_freed_at_once) {
  run_all(0);
}

TEST(everything_may_be_freed_turn_by_turn) {
  run_all(3);
}
