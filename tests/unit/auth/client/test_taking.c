/* SPDX-License-Identifier: MIT */
#include "auth/client/taking.h"

#include "base/alloc.h"
#include "support/cm.h"
#include "support/failing_alloc.h"
#include <stdio.h>
#include <string.h>

static struct {
  int result; /* of take */
  int is_now; /* `done` is called inside take */
  int fails;  /* with an error */
  int says_nothing;
  mcp_auth_record_cb done;
  void *argument;
  int cancels;
  int gives;
  int give_result;
  char given[200];
  size_t given_len; /* SIZE_MAX: the record stays as it is */
} fake;

static void fake_answer(void) {
  mcp_error err;
  if (fake.fails) {
    mcp_error_set(&err, MCP_ERR_IO, "broken");
    fake.done(fake.argument, &err, NULL, 0);
  } else {
    fake.done(fake.argument, NULL, "text", 4);
  }
}

static int fake_take(void *userdata, const char *key, mcp_auth_record_cb done,
                     void *argument, mcp_error *err) {
  assert_string_equal(key, "key");
  if (fake.result != 0) {
    return fake.says_nothing ? fake.result
                             : mcp_error_set(err, fake.result, "no");
  }
  fake.done = done;
  fake.argument = argument;
  if (fake.is_now) {
    fake_answer();
  }
  return 0;
}

static void fake_cancel(void *userdata, const char *key, void *argument) {
  assert_ptr_equal(argument, fake.argument);
  fake.cancels++;
}

static int fake_give(void *userdata, const char *key, const char *text,
                     size_t len, mcp_error *err) {
  fake.gives++;
  snprintf(fake.given, sizeof(fake.given), "%.*s", (int)len,
           text != NULL ? text : "unchanged");
  fake.given_len = text != NULL ? len : SIZE_MAX;
  return fake.give_result;
}

static const mcp_auth_store store = {.size = sizeof(store),
                                     .take = fake_take,
                                     .cancel = fake_cancel,
                                     .give = fake_give};
static mcpi_taking taking;
static int calls;
static mcp_error seen;

static void on_taken(mcpi_taking *self, const mcp_error *err, mcpi_str text) {
  assert_ptr_equal(self, &taking);
  calls++;
  seen.code = 0;
  if (err != NULL) {
    assert_int_equal(taking.state, MCPI_TAKING_FREE);
    seen = *err;
  } else {
    assert_int_equal(taking.state, MCPI_TAKING_HELD);
    assert_int_equal(text.len, 4);
  }
}

static int set_up(void **state) {
  memset(&fake, 0, sizeof(fake));
  calls = 0;
  taking = (mcpi_taking){.store = &store, .key = "key", .on_taken = on_taken};
  return 0;
}

TEST_WITH(a_record_is_taken_later_and_given, set_up, NULL) {
  mcpi_taking_start(&taking);
  assert_int_equal(taking.state, MCPI_TAKING_WAITING);
  assert_int_equal(calls, 0);
  fake_answer();
  assert_int_equal(calls, 1);
  assert_int_equal(mcpi_taking_give(&taking, MCPI_STR(""), NULL), 0);
  assert_int_equal(taking.state, MCPI_TAKING_FREE);
  mcpi_taking_cancel(&taking);
  assert_int_equal(fake.gives, 1);
  assert_int_equal(fake.cancels, 0);
}

TEST_WITH(a_record_is_taken_at_once, set_up, NULL) {
  fake.is_now = 1;
  mcpi_taking_start(&taking);
  assert_int_equal(taking.state, MCPI_TAKING_HELD);
  mcpi_taking_cancel(&taking);
  assert_int_equal(fake.gives, 1);
}

TEST_WITH(a_take_that_waits_is_cancelled, set_up, NULL) {
  mcpi_taking_start(&taking);
  mcpi_taking_cancel(&taking);
  assert_int_equal(fake.cancels, 1);
  assert_int_equal(taking.state, MCPI_TAKING_FREE);
}

TEST_WITH(an_error_of_the_store_is_passed_on, set_up, NULL) {
  fake.is_now = 1;
  fake.fails = 1;
  mcpi_taking_start(&taking);
  assert_string_equal(seen.message, "broken");
  fake.result = MCP_ERR_NOMEM;
  mcpi_taking_start(&taking);
  assert_string_equal(seen.message, "no");
  fake.says_nothing = 1;
  mcpi_taking_start(&taking);
  assert_int_equal(seen.code, MCP_ERR_NOMEM);
  assert_string_equal(seen.message, "the token store failed: out of memory");
  assert_int_equal(calls, 3);
}

/* A short limit of requests leaves the user the minute to unlock a keyring. */
TEST(a_record_is_waited_for_as_long_as_others_may_hold_it) {
  mcp_auth_options options = {.fetch_timeout_ms = 1};
  assert_int_equal(mcpi_taking_limit_ms(&options), 75006);
  options.fetch_timeout_ms = UINT32_MAX;
  assert_true(mcpi_taking_limit_ms(&options) ==
              75000 + 6 * (int64_t)UINT32_MAX);
}

/* --- records -------------------------------------------------------------- */

static int give_record(const char *client_id, const mcp_allocator *allocator,
                       mcp_error *err) {
  mcpi_auth_record record;
  mcpi_auth_record_init(&record);
  record.client.client_id = (char *)(uintptr_t)client_id;
  record.client.issuer = (char *)(uintptr_t) "i";
  fake.is_now = 1;
  fake.given_len = 1;
  mcpi_taking_start(&taking);
  int rc = mcpi_taking_give_record(&taking, &record, allocator, err);
  assert_int_equal(taking.state, MCPI_TAKING_FREE);
  return rc;
}

TEST_WITH(a_record_is_written_or_removed, set_up, NULL) {
  mcp_error err = {.code = 0};
  const mcp_allocator *allocator = mcp_allocator_default();
  assert_int_equal(give_record("c1", allocator, &err), 0);
  assert_non_null(strstr(fake.given, "{\"server\":\"key\",\"client\":{"));
  assert_non_null(strstr(fake.given, "\"c1\""));
  assert_int_equal(give_record(NULL, allocator, &err), 0);
  assert_int_equal(fake.given_len, 0);
  fake.give_result = MCP_ERR_IO;
  assert_int_equal(give_record("c1", allocator, &err), MCP_ERR_IO);
  assert_int_equal(err.code, MCP_ERR_IO);
}

/* Half a record, or none, would lose the token. */
static int give_without_memory(const mcp_allocator *allocator, void *userdata) {
  mcp_error err = {.code = 0};
  int rc = give_record("c1", allocator, &err);
  assert_int_equal(err.code, rc);
  assert_int_equal(fake.given_len == SIZE_MAX, rc != 0);
  return rc;
}

TEST_WITH(a_record_stays_if_there_is_no_memory_to_write_it, set_up, NULL) {
  failing_alloc_rerun_least(2, give_without_memory, NULL);
}

TEST_WITH(a_take_that_lasts_too_long_ends_with_an_error, set_up, NULL) {
  mcp_error err;
  taking.key = "key#workload";
  taking.state = MCPI_TAKING_WAITING;
  fake.argument = &taking;
  assert_int_equal(mcpi_taking_time_out(&taking, &err), MCP_ERR_TIMEOUT);
  assert_string_equal(err.message, "the stored token for key is used by "
                                   "someone else for too long");
  assert_int_equal(taking.state, MCPI_TAKING_FREE);
  assert_int_equal(fake.cancels, 1);
}
