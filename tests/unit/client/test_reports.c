/* SPDX-License-Identifier: MIT */
/* How much a server can make a client report (mcp_client_options.on_error). */
#include "unit/client/kit.h"

enum { MAX_REPORTS = 20 }; /* the default */

#define RUBBISH "Server listening on stdio!"

typedef struct bench {
  kit kit; /* first: the kit's functions take it */
  int count;
  mcp_error last;
  int frees; /* on_error frees the client */
} bench;

static void count_error(mcp_client *client, const mcp_error *err,
                        void *userdata) {
  bench *b = userdata;
  b->count++;
  b->last = *err;
  if (b->frees) {
    b->kit.client = NULL;
    mcp_client_free(client);
  }
}

static void begin(bench *b, uint32_t max_reports) {
  memset(b, 0, sizeof(*b));
  assert_int_equal(kit_init(&b->kit, NULL), 0);
  mcp_client_options options = {.size = sizeof(mcp_client_options),
                                .policy = MCP_POLICY_LEGACY,
                                .on_error = count_error,
                                .max_reports = max_reports,
                                .userdata = b};
  connect_with(&b->kit, &options);
  turn(&b->kit);
  say(&b->kit, HELLO_LEGACY("1", "2025-11-25"));
  assert_int_equal(b->kit.connected.status, 0);
}

static void end(bench *b) {
  kit_deinit(&b->kit);
}

static void say_many(bench *b, const char *message, int count) {
  for (int i = 0; i < count; i++) {
    say(&b->kit, message);
  }
}

static void unreadable_lines_are_reported_up_to_a_limit(void **state) {
  bench b;
  (void)state;
  begin(&b, 0);
  say_many(&b, RUBBISH, MAX_REPORTS);
  assert_int_equal(b.count, MAX_REPORTS);
  assert_null(strstr(b.last.message, "left out"));
  say_many(&b, RESULT("99", "{}"), 500);
  say_many(&b, RUBBISH, 500);
  assert_int_equal(b.count, MAX_REPORTS);
  end(&b);
}

static void the_rest_is_counted_and_the_last_is_shown(void **state) {
  bench b;
  (void)state;
  begin(&b, 3);
  say_many(&b, RESULT("99", "{}"), 3);
  say_many(&b, RUBBISH, 500);
  assert_int_equal(b.count, 3);
  pass(&b.kit, 1000);
  assert_int_equal(b.count, 4);
  assert_int_equal(b.last.code, MCP_ERR_PARSE);
  assert_non_null(strstr(b.last.message, "Server listening"));
  assert_non_null(strstr(b.last.message, "(500 reports were left out within a "
                                         "second: this is the last)"));
  pass(&b.kit, 5000);
  assert_int_equal(b.count, 4);
  say_many(&b, RUBBISH, 1);
  assert_int_equal(b.count, 5);
  end(&b);
}

static void the_count_comes_before_the_end(void **state) {
  bench b;
  (void)state;
  begin(&b, 1);
  say_many(&b, RUBBISH, 3);
  mcp_client_close(b.kit.client);
  turn(&b.kit);
  assert_int_equal(b.count, 2);
  assert_non_null(strstr(b.last.message, "(2 reports were left out"));
  end(&b);
}

static void a_freed_client_reports_no_count(void **state) {
  bench b;
  (void)state;
  begin(&b, 1);
  say_many(&b, RUBBISH, 3);
  mcp_client_free(b.kit.client);
  b.kit.client = NULL;
  pass(&b.kit, 1000);
  assert_int_equal(b.count, 1);
  end(&b);
}

static void the_count_may_free_the_client(void **state) {
  bench b;
  (void)state;
  begin(&b, 1);
  say_many(&b, RUBBISH, 3);
  b.frees = 1;
  pass(&b.kit, 1000);
  assert_int_equal(b.count, 2);
  end(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(unreadable_lines_are_reported_up_to_a_limit),
      cmocka_unit_test(the_rest_is_counted_and_the_last_is_shown),
      cmocka_unit_test(the_count_comes_before_the_end),
      cmocka_unit_test(a_freed_client_reports_no_count),
      cmocka_unit_test(the_count_may_free_the_client),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
