/* SPDX-License-Identifier: MIT */
/* Limits of what a client keeps, and what a program does inside a kept answer.
 * tests/wire/client/cache.txt has the others. */
#include "unit/client/kit.h"

#include "client/client.h"

#define FRESH ",\"ttlMs\":1000,\"cacheScope\":\"private\"}"
#define TOOLS(id)                                                              \
  RESULT(id, "{\"resultType\":\"complete\",\"tools\":[{\"name\":\"a\"}"        \
             "]" FRESH)

static ending *list(kit *k) {
  ending *e = new_ending(k);
  assert_int_equal(mcp_client_list_tools(k->client, NULL, on_done, e, NULL), 0);
  return e;
}

/* The client asks the server, which says so. */
static void asked(kit *k, const char *answer) {
  turn(k);
  assert_string_not_equal(k->got, "");
  k->got[0] = '\0';
  say(k, answer);
}

KIT_TEST(entries_have_a_limit) {
  kit *k = *state;
  char answer[256];
  char uri[16];
  connect_modern(k);
  for (int i = 0; i < 300; i++) {
    snprintf(uri, sizeof(uri), "x:%d", i);
    snprintf(answer, sizeof(answer), RESULT("%d", "{\"contents\":[]" FRESH),
             i + 2);
    mcp_client_read_resource(k->client, uri, NULL, NULL, NULL, NULL);
    asked(k, answer);
  }
  assert_int_equal(k->client->cache.by_key.count, 256);
}

static void free_client(mcp_client *client, const mcp_outcome *outcome,
                        void *userdata) {
  kit *k = userdata;
  assert_int_equal(outcome->status, 0);
  k->client = NULL;
  mcp_client_free(client);
}

KIT_TEST(a_completion_may_free_the_client) {
  kit *k = *state;
  connect_modern(k);
  list(k);
  asked(k, TOOLS("2"));
  mcp_client_list_tools(k->client, NULL, free_client, k, NULL);
  turn(k);
  assert_null(k->client);
}

static int again_count;

static void list_again(mcp_client *client, const mcp_outcome *outcome,
                       void *userdata) {
  if (outcome->status == 0 && ++again_count < 1000) {
    mcp_client_list_tools(client, NULL, list_again, userdata, NULL);
  }
}

KIT_TEST(asking_again_and_again_leaves_the_loop_free) {
  kit *k = *state;
  connect_modern(k);
  list(k);
  asked(k, TOOLS("2"));
  again_count = 0;
  mcp_client_list_tools(k->client, NULL, list_again, k, NULL);
  mcp_loop_advance(k->loop, k->now_ms, 0);
  assert_in_range(again_count, 1, 3);
  turn(k);
  assert_true(again_count > 3);
}

KIT_TEST(closing_comes_before_a_kept_answer) {
  kit *k = *state;
  connect_modern(k);
  list(k);
  asked(k, TOOLS("2"));
  ending *e = list(k);
  mcp_client_close(k->client);
  turn(k);
  assert_int_equal(e->count, 1);
  assert_int_equal(e->status, MCP_ERR_CLOSED);
  assert_int_equal(e->was_sent, 0);
}
