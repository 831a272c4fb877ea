/* SPDX-License-Identifier: MIT */
/* Looking for changes, on a loop with a pool. */
#include "support/cm.h"

#include "unit/skills/skills_bench.h"

#include <mcp/mcp.h>

typedef struct watch_bench {
  skills_bench *files;
  mcp_loop *loop;
  mcp_server *server;
  mcp_transport *client;
  int changes;
  int results;
  int reports;
  int frees_in_report;
} watch_bench;

static void on_message(mcp_transport *transport, const char *message,
                       size_t len) {
  watch_bench *b = transport->owner;
  char text[2000];
  snprintf(text, sizeof(text), "%.*s", (int)len, message);
  b->changes += strstr(text, "resources/list_changed") != NULL;
  b->results += strstr(text, "\"result\"") != NULL;
}

static void on_error(mcp_transport *transport, const mcp_error *err) {
}

static void on_close(mcp_transport *transport, const mcp_error *err) {
}

static void on_report(mcp_server *server, const mcp_error *err,
                      void *userdata) {
  watch_bench *b = userdata;
  b->reports++;
  if (b->frees_in_report) {
    mcp_server_free(server);
  }
}

static void send(watch_bench *b, const char *message) {
  const mcp_send_info info = {.size = sizeof(info)};
  b->client->send(b->client, message, strlen(message), &info);
}

static void connect_client(watch_bench *b) {
  mcp_transport *end;
  assert_int_equal(mcp_memory_pair(b->loop, &end, &b->client, NULL), 0);
  b->client->owner = b;
  b->client->on_message = on_message;
  b->client->on_error = on_error;
  b->client->on_close = on_close;
  assert_int_equal(b->client->start(b->client, NULL), 0);
  assert_int_equal(
      mcp_server_connect(b->server, b->loop, end, NULL, NULL, NULL), 0);
  send(b, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":"
          "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
          "\"clientInfo\":{}}}");
  send(b, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
}

static void open_bench(watch_bench *b, void **state) {
  *b = (watch_bench){.files = *state};
  b->loop = mcp_loop_new(NULL, NULL);
  b->server =
      mcp_server_new("test", "1",
                     &(mcp_server_options){.size = sizeof(mcp_server_options),
                                           .userdata = b,
                                           .on_report = on_report},
                     NULL);
  const mcp_skills_options options = {
      .size = sizeof(options), .loop = b->loop, .poll_ms = 1};
  assert_int_equal(
      mcp_server_add_skills(b->server, b->files->dir, &options, NULL), 0);
  connect_client(b);
}

static void close_bench(watch_bench *b) {
  mcp_server_free(b->server);
  mcp_transport_free(b->client);
  mcp_loop_free(b->loop);
}

/* Turns the loop until the counter has that value. The test's limit of time
 * ends it if that never comes. */
static void await(watch_bench *b, const int *counter, int wanted) {
  while (*counter < wanted) {
    mcp_loop_wait(b->loop, 20);
  }
}

BENCH_TEST(a_new_skill_is_found_and_clients_are_notified) {
  watch_bench b;
  open_bench(&b, state);
  await(&b, &b.results, 1);
  bench_skill(*state, "a");
  await(&b, &b.changes, 1);
  bench_write(*state, "a/f", "1");
  await(&b, &b.changes, 2);
  bench_remove(*state, "a/f");
  await(&b, &b.changes, 3);
  assert_int_equal(b.reports, 0);
  close_bench(&b);
}

BENCH_TEST(a_folder_that_has_gone_is_reported_and_its_skills_stay) {
  watch_bench b;
  char away[100];
  bench_skill(*state, "a");
  open_bench(&b, state);
  await(&b, &b.results, 1);
  snprintf(away, sizeof(away), "%s-away", b.files->dir);
  assert_int_equal(rename(b.files->dir, away), 0);
  await(&b, &b.reports, 1);
  assert_int_equal(rename(away, b.files->dir), 0);
  bench_skill(*state, "b");
  await(&b, &b.changes, 1);
  assert_int_equal(b.reports, 1);
  close_bench(&b);
}

BENCH_TEST(the_server_may_end_before_the_loop) {
  watch_bench b;
  bench_skill(*state, "a");
  open_bench(&b, state);
  await(&b, &b.results, 1);
  mcp_server_free(b.server);
  for (int i = 0; i < 20; i++) {
    mcp_loop_wait(b.loop, 2);
  }
  mcp_transport_free(b.client);
  mcp_loop_free(b.loop);
}

BENCH_TEST(a_report_may_free_the_server) {
  watch_bench b;
  bench_skill(*state, "a");
  open_bench(&b, state);
  await(&b, &b.results, 1);
  b.frees_in_report = 1;
  bench_write(*state, "bad/SKILL.md", "no head");
  bench_skill(*state, "z");
  await(&b, &b.reports, 1);
  for (int i = 0; i < 20; i++) {
    mcp_loop_wait(b.loop, 2);
  }
  mcp_transport_free(b.client);
  mcp_loop_free(b.loop);
  assert_int_equal(b.reports, 1);
}

BENCH_TEST(the_first_report_may_free_the_server) {
  watch_bench b = {.files = *state, .frees_in_report = 1};
  const mcp_server_options with = {
      .size = sizeof(with), .userdata = &b, .on_report = on_report};
  bench_write(*state, "bad/SKILL.md", "no head");
  bench_skill(*state, "z");
  b.loop = mcp_loop_new(NULL, NULL);
  b.server = mcp_server_new("test", "1", &with, NULL);
  const mcp_skills_options options = {
      .size = sizeof(options), .loop = b.loop, .poll_ms = 1};
  mcp_server_add_skills(b.server, b.files->dir, &options, NULL);
  assert_int_equal(b.reports, 1);
  assert_int_equal(mcp_loop_run(b.loop), 0);
  mcp_loop_free(b.loop);
}

BENCH_TEST(the_loop_may_end_while_the_pool_scans) {
  for (int i = 0; i < 20; i++) {
    watch_bench b;
    bench_skill(*state, "a");
    open_bench(&b, state);
    await(&b, &b.results, 1);
    for (int j = 0; j < i % 5; j++) {
      mcp_loop_wait(b.loop, 1);
    }
    close_bench(&b);
  }
}

/* Otherwise mcp_loop_run would not return. */
BENCH_TEST(a_watch_ends_with_its_server) {
  watch_bench b = {.files = *state};
  b.loop = mcp_loop_new(NULL, NULL);
  b.server = mcp_server_new("test", "1", NULL, NULL);
  const mcp_skills_options options = {
      .size = sizeof(options), .loop = b.loop, .poll_ms = 1};
  assert_int_equal(
      mcp_server_add_skills(b.server, b.files->dir, &options, NULL), 0);
  mcp_server_free(b.server);
  assert_int_equal(mcp_loop_run(b.loop), 0);
  mcp_loop_free(b.loop);
}
