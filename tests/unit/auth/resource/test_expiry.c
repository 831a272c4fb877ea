/* SPDX-License-Identifier: MIT */
#include "auth/resource/expiry.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/libmcp/resource_rig.h"

typedef struct bench {
  resource_rig *rig;
  mcpi_grant *grant;
  mcpi_grant_expiry expiry;
  int expired;
} bench;

static bench the_bench;

static int set_up(void **state) {
  bench *b = &the_bench;
  *b = (bench){.rig = resource_rig_new(NULL)};
  b->grant = mcpi_grant_new(&b->rig->loop->allocator, MCPI_STR("ann"),
                            MCPI_STR("read"));
  assert_non_null(b->grant);
  *state = b;
  return 0;
}

static int tear_down(void **state) {
  bench *b = *state;
  mcpi_grant_expiry_stop(&b->expiry);
  mcpi_grant_expiry_stop(&b->expiry);
  assert_int_equal(b->grant->refs, 1);
  mcpi_grant_unref(b->grant);
  resource_rig_free(b->rig);
  return 0;
}

#define EXPIRY_TEST(name) TEST_WITH(name, set_up, tear_down)

static void on_expired(mcpi_grant_expiry *expiry) {
  the_bench.expired++;
  mcpi_grant_expiry_stop(expiry);
}

static void start(bench *b) {
  assert_int_equal(
      mcpi_grant_expiry_start(&b->expiry, b->rig->loop, b->grant, on_expired),
      0);
}

static void expires_after(bench *b, int64_t ms) {
  resource_rig_pass(b->rig, ms - 1);
  assert_int_equal(b->expired, 0);
  resource_rig_pass(b->rig, 1);
  assert_int_equal(b->expired, 1);
  resource_rig_pass(b->rig, ms);
  assert_int_equal(b->expired, 1);
}

EXPIRY_TEST(it_comes_with_the_end_of_the_grant) {
  bench *b = *state;
  b->grant->expires_ms = b->rig->wall_ms + 5000;
  start(b);
  assert_int_equal(b->grant->refs, 2);
  expires_after(b, 5000);
}

EXPIRY_TEST(it_comes_when_the_token_must_be_asked_about_again) {
  bench *b = *state;
  b->grant->stream_ms = 4000;
  start(b);
  expires_after(b, 4000);
}

EXPIRY_TEST(the_earlier_of_both_counts) {
  bench *b = *state;
  b->grant->expires_ms = b->rig->wall_ms + 6000;
  b->grant->stream_ms = 5000;
  start(b);
  expires_after(b, 5000);
  b->expired = 0;
  b->grant->expires_ms = b->rig->wall_ms + 3000;
  start(b);
  expires_after(b, 3000);
}

/* Longer than the timer waits at once. */
EXPIRY_TEST(a_grant_may_be_valid_for_long) {
  bench *b = *state;
  b->grant->expires_ms = b->rig->wall_ms + 150 * 1000;
  start(b);
  resource_rig_pass(b->rig, 60 * 1000);
  resource_rig_pass(b->rig, 60 * 1000);
  expires_after(b, 30 * 1000);
}

EXPIRY_TEST(a_grant_that_has_expired_ends_later) {
  bench *b = *state;
  b->grant->expires_ms = b->rig->wall_ms - 1;
  start(b);
  assert_int_equal(b->expired, 0);
  resource_rig_pass(b->rig, 0);
  assert_int_equal(b->expired, 1);
}

EXPIRY_TEST(without_an_end_there_is_no_timer) {
  bench *b = *state;
  start(b);
  assert_false(mcpi_timer_is_running(&b->expiry.timer));
  mcpi_grant_expiry_stop(&b->expiry);
  assert_int_equal(
      mcpi_grant_expiry_start(&b->expiry, b->rig->loop, NULL, on_expired), 0);
  assert_null(b->expiry.grant);
}

EXPIRY_TEST(it_may_be_stopped) {
  bench *b = *state;
  b->grant->expires_ms = b->rig->wall_ms + 5000;
  start(b);
  mcpi_grant_expiry_stop(&b->expiry);
  assert_int_equal(b->grant->refs, 1);
  resource_rig_pass(b->rig, 5000);
  assert_int_equal(b->expired, 0);
}

/* The clock of the machine was set back: the token is valid for longer. */
EXPIRY_TEST(the_wall_clock_decides) {
  bench *b = *state;
  b->grant->expires_ms = b->rig->wall_ms + 5000;
  start(b);
  b->rig->wall_ms -= 1000;
  resource_rig_pass(b->rig, 5000);
  assert_int_equal(b->expired, 0);
  resource_rig_pass(b->rig, 1000);
  assert_int_equal(b->expired, 1);
}

/* It was set forward, or the machine slept while timers stood still. */
EXPIRY_TEST(the_wall_clock_is_looked_at_each_minute) {
  bench *b = *state;
  b->grant->expires_ms = b->rig->wall_ms + 3600 * 1000;
  start(b);
  b->rig->wall_ms += 2 * 3600 * 1000;
  resource_rig_pass(b->rig, 60 * 1000);
  assert_int_equal(b->expired, 1);
}

/* ---- without memory ----------------------------------------------------- */

static int scenario(const mcp_allocator *allocator, void *userdata) {
  mcpi_grant_expiry expiry = {0};
  (void)userdata;
  resource_rig *rig = resource_rig_new(allocator);
  if (rig == NULL) {
    return MCP_ERR_NOMEM;
  }
  int rc = MCP_ERR_NOMEM;
  mcpi_grant *grant =
      mcpi_grant_new(allocator, MCPI_STR("ann"), MCPI_STR("read"));
  if (grant != NULL) {
    grant->stream_ms = 1000;
    rc = mcpi_grant_expiry_start(&expiry, rig->loop, grant, on_expired);
    assert_int_equal(expiry.grant != NULL, rc == 0);
  }
  mcpi_grant_expiry_stop(&expiry);
  mcpi_grant_unref(grant);
  resource_rig_free(rig);
  return rc;
}

TEST(a_lack_of_memory_starts_nothing) {
  failing_alloc_rerun_least(3, scenario, NULL);
}
