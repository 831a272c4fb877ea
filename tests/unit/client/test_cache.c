/* SPDX-License-Identifier: MIT */
/* Answers that the server lets us keep. */
#include "unit/client/kit.h"

#include "client/client.h"

#define FRESH(ttl) ",\"ttlMs\":" ttl ",\"cacheScope\":\"private\""
#define TOOLS(id, more)                                                        \
  RESULT(id,                                                                   \
         "{\"resultType\":\"complete\",\"tools\":[{\"name\":\"a\"}]" more "}")
#define TEXT(id, more)                                                         \
  RESULT(id, "{\"resultType\":\"complete\",\"contents\":[{\"uri\":\"x:a\","    \
             "\"text\":\"t\"}]" more "}")
#define CHANGED(what) NOTE("notifications/" what "/list_changed", "{}")

static ending *list(kit *k) {
  ending *e = new_ending(k);
  assert_int_equal(mcp_client_list_tools(k->client, NULL, on_done, e, NULL), 0);
  return e;
}

static ending *list_afresh(kit *k) {
  const mcp_request_options options = {.size = sizeof(mcp_request_options),
                                       .no_cache = 1};
  ending *e = new_ending(k);
  assert_int_equal(mcp_client_list_tools(k->client, &options, on_done, e, NULL),
                   0);
  return e;
}

static ending *read_with(kit *k, const char *uri, const char *meta) {
  const mcp_request_options options = {.size = sizeof(mcp_request_options),
                                       .meta = meta};
  ending *e = new_ending(k);
  assert_int_equal(
      mcp_client_read_resource(k->client, uri, &options, on_done, e, NULL), 0);
  return e;
}

/* The client asks the server, which says so. */
static void asked(kit *k, const char *answer) {
  turn(k);
  assert_string_not_equal(k->got, "");
  k->got[0] = '\0';
  say(k, answer);
}

static void is_kept(kit *k) {
  ending *e = list(k);
  assert_int_equal(e->count, 0); /* as any other: later */
  expect_nothing(k);
  assert_int_equal(e->count, 1);
  assert_int_equal(e->status, 0);
  memset(e, 0, sizeof(*e));
  k->ending_count--;
}

static void is_not_kept(kit *k) {
  ending *e = list(k);
  turn(k);
  assert_string_not_equal(k->got, "");
  assert_int_equal(e->count, 0);
  mcp_client_cancel(k->client, k->client->peer.pending.next_id - 1, NULL);
  turn(k);
  memset(e, 0, sizeof(*e));
  k->got[0] = '\0';
  k->ending_count--;
}

/* --- how long ------------------------------------------------------------- */

static void a_list_is_kept_while_it_is_fresh(void **state) {
  kit *k = *state;
  connect_modern(k);
  ending *first = list(k);
  asked(k, TOOLS("2", FRESH("1000")));
  assert_int_equal(first->status, 0);
  pass(k, 999);
  ending *second = list(k);
  assert_int_equal(second->count, 0);
  expect_nothing(k);
  assert_int_equal(second->count, 1);
  assert_int_equal(second->item_count, 1);
  assert_string_equal(second->result, first->result);
  pass(k, 1);
  is_not_kept(k);
}

static void without_a_hint_nothing_is_kept(void **state) {
  static const char *const answers[] = {
      TOOLS("2", ""), TOOLS("2", FRESH("0")), TOOLS("2", FRESH("-5")),
      TOOLS("2", FRESH("1.5")), TOOLS("2", FRESH("\"1000\""))};
  for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
    kit *k = *state;
    connect_modern(k);
    list(k);
    asked(k, answers[i]);
    assert_int_equal(k->client->cache.by_key.count, 0);
    is_not_kept(k);
    kit_deinit(k);
    assert_int_equal(kit_init(k, NULL), 0);
  }
}

static void a_long_time_does_not_overflow(void **state) {
  kit *k = *state;
  connect_modern(k);
  list(k);
  asked(k, TOOLS("2", FRESH("9223372036854775807")));
  pass(k, 1000000000);
  is_kept(k);
}

static void a_list_is_as_fresh_as_its_pages(void **state) {
  kit *k = *state;
  connect_modern(k);
  ending *first = list(k);
  asked(k, TOOLS("2", ",\"nextCursor\":\"c\"" FRESH("9000")));
  asked(k, TOOLS("3", FRESH("500")));
  assert_int_equal(first->item_count, 2);
  ending *second = list(k);
  expect_nothing(k);
  assert_int_equal(second->item_count, 2);
  pass(k, 500);
  is_not_kept(k);
}

static void a_page_without_a_hint_spoils_the_list(void **state) {
  kit *k = *state;
  connect_modern(k);
  list(k);
  asked(k, TOOLS("2", ",\"nextCursor\":\"c\""));
  asked(k, TOOLS("3", FRESH("9000")));
  is_not_kept(k);
}

/* --- for what ------------------------------------------------------------- */

static void only_the_same_request_is_answered(void **state) {
  kit *k = *state;
  connect_modern(k);
  ending *e = read_with(k, "x:a", NULL);
  asked(k, TEXT("2", FRESH("1000")));
  assert_int_equal(e->count, 1);
  read_with(k, "x:b", NULL);
  asked(k, TEXT("3", FRESH("1000")));
  read_with(k, "x:a", "{\"tenant\":1}");
  asked(k, TEXT("4", FRESH("1000")));
  mcp_client_list_prompts(k->client, NULL, on_done, e, NULL);
  asked(k, RESULT("5", "{\"prompts\":[]" FRESH("1000") "}"));
  e = read_with(k, "x:a", NULL);
  ending *with_meta = read_with(k, "x:a", "{\"tenant\":1}");
  expect_nothing(k);
  assert_int_equal(e->status, 0);
  assert_int_equal(with_meta->status, 0);
}

static void raw_requests_go_to_the_server(void **state) {
  kit *k = *state;
  ending *e = new_ending(k);
  connect_modern(k);
  mcp_client_request(k->client, "tools/list", NULL, NULL, on_done, e, NULL);
  asked(k, TOOLS("2", FRESH("1000")));
  list(k);
  asked(k, TOOLS("3", FRESH("1000")));
  mcp_client_request(k->client, "tools/list", NULL, NULL, on_done, e, NULL);
  asked(k, TOOLS("4", FRESH("1000")));
  assert_int_equal(e->count, 2);
}

static void an_answer_to_answers_is_not_kept(void **state) {
  kit *k = *state;
  connect_modern(k);
  read_with(k, "x:a", NULL);
  asked(k, RESULT("2", "{\"resultType\":\"input_required\",\"requestState\":"
                       "\"s\"}"));
  pass(k, 250);
  asked(k, TEXT("3", FRESH("1000")));
  assert_int_equal(k->client->cache.by_key.count, 0);
}

/* A task's ttlMs, say, is another matter. */
static void only_complete_results_are_kept(void **state) {
  static const char *const types[] = {"task", NULL};
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.result_types = types;
  connect_modern_as(k, &options, "{}");
  ending *e = read_with(k, "x:a", NULL);
  asked(k, RESULT("2", "{\"resultType\":\"task\",\"ttlMs\":1000}"));
  assert_int_equal(e->status, 0);
  assert_int_equal(k->client->cache.by_key.count, 0);
}

static void legacy_knows_of_none(void **state) {
  kit *k = *state;
  connect_legacy(k, "2025-11-25");
  list(k);
  asked(k, TOOLS("2", FRESH("1000")));
  is_not_kept(k);
}

static void the_program_may_want_it_afresh(void **state) {
  kit *k = *state;
  connect_modern(k);
  list(k);
  asked(k, TOOLS("2", FRESH("1000")));
  list_afresh(k);
  asked(k, TOOLS("3", ",\"x\":1" FRESH("1000")));
  ending *e = list(k);
  expect_nothing(k);
  assert_non_null(strstr(e->result, "\"x\":1"));
  list_afresh(k);
  asked(k, TOOLS("4", FRESH("0")));
  is_not_kept(k);
}

static void the_program_may_want_none(void **state) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.no_cache = 1;
  connect_modern_as(k, &options, "{}");
  list(k);
  asked(k, TOOLS("2", FRESH("1000")));
  is_not_kept(k);
}

/* --- until ---------------------------------------------------------------- */

static void a_change_of_the_list_ends_it(void **state) {
  kit *k = *state;
  connect_modern(k);
  list(k);
  asked(k, TOOLS("2", FRESH("1000")));
  say(k, CHANGED("prompts"));
  say(k, CHANGED("resources"));
  is_kept(k);
  say(k, CHANGED("tools"));
  is_not_kept(k);
}

static void a_change_of_resources_ends_both_their_lists(void **state) {
  kit *k = *state;
  connect_modern(k);
  ending *e = new_ending(k);
  mcp_client_list_resources(k->client, NULL, on_done, e, NULL);
  asked(k, RESULT("2", "{\"resources\":[]" FRESH("1000") "}"));
  mcp_client_list_resource_templates(k->client, NULL, on_done, e, NULL);
  asked(k, RESULT("3", "{\"resourceTemplates\":[]" FRESH("1000") "}"));
  assert_int_equal(k->client->cache.by_key.count, 2);
  say(k, CHANGED("resources"));
  assert_int_equal(k->client->cache.by_key.count, 0);
}

static void an_update_ends_that_resource(void **state) {
  kit *k = *state;
  connect_modern(k);
  read_with(k, "x:a", NULL);
  asked(k, TEXT("2", FRESH("1000")));
  read_with(k, "x:a", "{\"tenant\":1}");
  asked(k, TEXT("3", FRESH("1000")));
  read_with(k, "x:ab", NULL);
  asked(k, TEXT("4", FRESH("1000")));
  say(k, NOTE("notifications/resources/updated", "{\"uri\":\"x:a\"}"));
  assert_int_equal(k->client->cache.by_key.count, 1);
  ending *e = read_with(k, "x:ab", NULL);
  expect_nothing(k);
  assert_int_equal(e->status, 0);
}

static void an_answer_from_before_a_change_is_not_kept(void **state) {
  kit *k = *state;
  connect_modern(k);
  list(k);
  turn(k);
  say(k, CHANGED("tools"));
  asked(k, TOOLS("2", FRESH("1000")));
  is_not_kept(k);
}

static void another_server_begins_without(void **state) {
  kit *k = *state;
  connect_modern(k);
  list(k);
  asked(k, TOOLS("2", FRESH("1000")));
  k->client->wire.transport->on_restart(k->client->wire.transport);
  is_not_kept(k);
}

/* --- limits --------------------------------------------------------------- */

static void the_oldest_makes_room(void **state) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.max_cache = 6000; /* two, of two blocks of a kilobyte each */
  connect_modern_as(k, &options, "{}");
  read_with(k, "x:a", NULL);
  asked(k, TEXT("2", FRESH("1000")));
  read_with(k, "x:b", NULL);
  asked(k, TEXT("3", FRESH("1000")));
  read_with(k, "x:a", NULL); /* used last */
  expect_nothing(k);
  read_with(k, "x:c", NULL);
  asked(k, TEXT("4", FRESH("1000")));
  assert_true(k->client->cache.bytes <= 6000);
  assert_int_equal(k->client->cache.by_key.count, 2);
  read_with(k, "x:a", NULL);
  expect_nothing(k);
  read_with(k, "x:b", NULL);
  turn(k);
  assert_string_not_equal(k->got, "");
}

static void what_is_too_large_is_not_kept(void **state) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.max_cache = 1000;
  connect_modern_as(k, &options, "{}");
  list(k);
  asked(k, TOOLS("2", FRESH("1000")));
  is_not_kept(k);
}

static void entries_have_a_limit(void **state) {
  kit *k = *state;
  char answer[256];
  char uri[16];
  connect_modern(k);
  for (int i = 0; i < 300; i++) {
    snprintf(uri, sizeof(uri), "x:%d", i);
    snprintf(answer, sizeof(answer),
             RESULT("%d", "{\"contents\":[]" FRESH("1000") "}"), i + 2);
    read_with(k, uri, NULL);
    asked(k, answer);
    k->ending_count = 0;
  }
  assert_int_equal(k->client->cache.by_key.count, 256);
}

/* --- the end -------------------------------------------------------------- */

static void free_client(mcp_client *client, const mcp_outcome *outcome,
                        void *userdata) {
  kit *k = userdata;
  assert_int_equal(outcome->status, 0);
  k->client = NULL;
  mcp_client_free(client);
}

static void a_completion_may_free_the_client(void **state) {
  kit *k = *state;
  connect_modern(k);
  list(k);
  asked(k, TOOLS("2", FRESH("1000")));
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

static void asking_again_and_again_leaves_the_loop_free(void **state) {
  kit *k = *state;
  connect_modern(k);
  list(k);
  asked(k, TOOLS("2", FRESH("1000")));
  again_count = 0;
  mcp_client_list_tools(k->client, NULL, list_again, k, NULL);
  mcp_loop_advance(k->loop, k->now_ms, 0);
  assert_in_range(again_count, 1, 3);
  turn(k);
  assert_true(again_count > 3);
}

static void closing_comes_before_a_kept_answer(void **state) {
  kit *k = *state;
  connect_modern(k);
  list(k);
  asked(k, TOOLS("2", FRESH("1000")));
  ending *e = list(k);
  mcp_client_close(k->client);
  turn(k);
  assert_int_equal(e->count, 1);
  assert_int_equal(e->status, MCP_ERR_CLOSED);
  assert_int_equal(e->was_sent, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      kit_test(a_list_is_kept_while_it_is_fresh),
      kit_test(without_a_hint_nothing_is_kept),
      kit_test(a_long_time_does_not_overflow),
      kit_test(a_list_is_as_fresh_as_its_pages),
      kit_test(a_page_without_a_hint_spoils_the_list),
      kit_test(only_the_same_request_is_answered),
      kit_test(raw_requests_go_to_the_server),
      kit_test(an_answer_to_answers_is_not_kept),
      kit_test(only_complete_results_are_kept),
      kit_test(legacy_knows_of_none),
      kit_test(the_program_may_want_it_afresh),
      kit_test(the_program_may_want_none),
      kit_test(a_change_of_the_list_ends_it),
      kit_test(a_change_of_resources_ends_both_their_lists),
      kit_test(an_update_ends_that_resource),
      kit_test(an_answer_from_before_a_change_is_not_kept),
      kit_test(another_server_begins_without),
      kit_test(the_oldest_makes_room),
      kit_test(what_is_too_large_is_not_kept),
      kit_test(entries_have_a_limit),
      kit_test(a_completion_may_free_the_client),
      kit_test(asking_again_and_again_leaves_the_loop_free),
      kit_test(closing_comes_before_a_kept_answer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
