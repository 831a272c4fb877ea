/* SPDX-License-Identifier: MIT */
/* Bytes that peers make a listener keep: shares of clients and connections, and
 * memory that counts. */
#include "core/quota.h"
#include "support/cm.h"
#include "support/failing_alloc.h"
#include <mcp/error.h>

static const uint64_t seed[2] = {1, 2};
static failing_alloc alloc;
static mcpi_quota *quota;
static mcpi_share share; /* of a client that is not known */
static mcp_allocator memory;

static int begin(void **state) {
  failing_alloc_init(&alloc);
  quota = mcpi_quota_new(&alloc.allocator, seed, 100);
  assert_non_null(quota);
  assert_int_equal(mcpi_share_init(&share, quota, NULL, NULL), 0);
  memory = mcpi_share_allocator(&share);
  return 0;
}

static int end(void **state) {
  mcpi_share_deinit(&share);
  mcpi_quota_unref(quota);
  assert_int_equal(alloc.live_blocks, 0);
  return 0;
}

#define FIXTURE_TEST(name) TEST_WITH(name, begin, end)

/* --- memory ------------------------------------------------------------- */

FIXTURE_TEST(one_share_alone_has_half) {
  assert_null(mcpi_alloc(&memory, 51));
  void *first = mcpi_alloc(&memory, 30);
  assert_non_null(first);
  assert_null(mcpi_alloc(&memory, 21));
  void *second = mcpi_alloc(&memory, 20);
  assert_non_null(second);
  assert_null(mcpi_alloc(&memory, 1));
  mcpi_free(&memory, first, 30);
  first = mcpi_alloc(&memory, 30);
  assert_non_null(first);
  mcpi_free(&memory, first, 30);
  mcpi_free(&memory, second, 20);
  assert_int_equal(mcpi_quota_used(quota), 0);
}

FIXTURE_TEST(each_share_leaves_as_much_for_the_next) {
  mcpi_share other;
  assert_int_equal(mcpi_share_init(&other, quota, NULL, NULL), 0);
  void *greedy = mcpi_alloc(&memory, 50);
  assert_false(mcpi_share_count(&other, 26));
  assert_true(mcpi_share_count(&other, 25));
  assert_int_equal(mcpi_quota_used(quota), 75);
  assert_null(mcpi_realloc(&memory, greedy, 50, 51));
  greedy = mcpi_realloc(&memory, greedy, 50, 40);
  assert_non_null(greedy); /* more than is left, but no more than before */
  mcpi_free(&memory, greedy, 40);
  mcpi_share_discount(&other, 25);
  assert_false(mcpi_share_count(&other, SIZE_MAX));
  mcpi_share_deinit(&other);
  assert_int_equal(mcpi_quota_used(quota), 0);
}

FIXTURE_TEST(growing_counts_and_shrinking_gives_back) {
  void *block = mcpi_alloc(&memory, 10);
  block = mcpi_realloc(&memory, block, 10, 50);
  assert_non_null(block);
  assert_null(mcpi_realloc(&memory, block, 50, 51));
  block = mcpi_realloc(&memory, block, 50, 30);
  assert_int_equal(mcpi_quota_used(quota), 30);
  assert_int_equal(mcpi_share_used(&share), 30);
  mcpi_free(&memory, block, 30);
}

FIXTURE_TEST(a_failure_of_the_source_costs_nothing) {
  alloc.fail_at = alloc.calls + 1;
  assert_null(mcpi_alloc(&memory, 10));
  assert_int_equal(mcpi_quota_used(quota), 0);
  void *block = mcpi_alloc(&memory, 10);
  alloc.fail_at = alloc.calls + 1;
  assert_null(mcpi_realloc(&memory, block, 10, 20));
  assert_int_equal(mcpi_quota_used(quota), 10);
  mcpi_free(&memory, block, 10);
}

FIXTURE_TEST(a_quota_lives_as_long_as_its_shares) {
  const mcpi_quota *other = quota;
  mcpi_quota_unref(quota);
  void *block = mcpi_alloc(&memory, 10);
  assert_non_null(block);
  mcpi_free(&memory, block, 10);
  quota = NULL;
  assert_int_equal(other->refs, 1);
}

/* --- clients ------------------------------------------------------------ */

static int connects(mcpi_share *new_share, const char *peer) {
  mcp_error err;
  assert_int_equal(mcpi_share_init(new_share, quota, NULL, peer), 0);
  return mcpi_share_connect(new_share, 40, &err) == 0;
}

FIXTURE_TEST(connections_of_one_client_leave_as_many_for_others) {
  mcpi_share shares[20];
  mcpi_share late;
  mcpi_share other;
  for (int i = 0; i < 20; i++) {
    assert_true(connects(&shares[i], "192.0.2.1:4711"));
  }
  assert_false(connects(&late, "192.0.2.1:4712"));
  assert_true(connects(&other, "192.0.2.2:4711"));
  mcpi_share_disconnect(&shares[0]);
  mcpi_share_disconnect(&shares[0]); /* harmless */
  assert_int_equal(mcpi_share_connect(&late, 40, NULL), MCP_ERR_LIMIT);
  mcpi_share_disconnect(&shares[1]); /* the other has one, so its share is 19 */
  assert_int_equal(mcpi_share_connect(&late, 40, NULL), 0);
  mcpi_share_deinit(&late);
  mcpi_share_deinit(&other);
  for (int i = 0; i < 20; i++) {
    mcpi_share_deinit(&shares[i]);
  }
  assert_int_equal(quota->accounts.whole.used[MCPI_HELD_CONNECTIONS], 0);
}

FIXTURE_TEST(sixteen_connections_are_allowed_while_there_are_so_many) {
  mcpi_share shares[16];
  mcpi_share late;
  for (int i = 0; i < 16; i++) {
    assert_int_equal(mcpi_share_init(&shares[i], quota, NULL, "192.0.2.1:4711"),
                     0);
    assert_int_equal(mcpi_share_connect(&shares[i], 16, NULL), 0);
  }
  assert_int_equal(mcpi_share_init(&late, quota, NULL, "192.0.2.2:4711"), 0);
  assert_int_equal(mcpi_share_connect(&late, 16, NULL), MCP_ERR_LIMIT);
  mcpi_share_deinit(&late);
  for (int i = 0; i < 16; i++) {
    mcpi_share_deinit(&shares[i]);
  }
}

FIXTURE_TEST(checks_and_connections_are_counted_apart) {
  mcpi_share one;
  assert_int_equal(mcpi_share_init(&one, quota, NULL, "192.0.2.1:4711"), 0);
  for (int i = 0; i < 20; i++) {
    assert_true(mcpi_share_add_one(&one, MCPI_HELD_CHECKS, 40));
  }
  assert_false(mcpi_share_add_one(&one, MCPI_HELD_CHECKS, 40));
  assert_int_equal(mcpi_share_connect(&one, 40, NULL), 0);
  mcpi_share_deinit(&one);
  assert_int_equal(quota->accounts.whole.used[MCPI_HELD_CHECKS], 0);
  assert_int_equal(quota->accounts.whole.used[MCPI_HELD_CONNECTIONS], 0);
}

FIXTURE_TEST(shares_of_one_client_have_half_together) {
  mcpi_share shares[8];
  mcpi_share other;
  mcpi_share user;
  for (size_t i = 0; i < 8; i++) {
    assert_int_equal(mcpi_share_init(&shares[i], quota, NULL, "192.0.2.1:4711"),
                     0);
    while (mcpi_share_count(&shares[i], 1)) {
    }
  }
  assert_int_equal(mcpi_share_used(&shares[0]), 25);
  assert_in_range(mcpi_quota_used(quota), 45, 50);
  assert_int_equal(mcpi_share_init(&other, quota, NULL, "192.0.2.2:4711"), 0);
  assert_true(mcpi_share_count(&other, 12));
  assert_int_equal(mcpi_share_init(&user, quota, "alice", "192.0.2.1:1"), 0);
  assert_true(mcpi_share_count(&user, 8));
  mcpi_share_deinit(&user);
  mcpi_share_deinit(&other);
  for (size_t i = 0; i < 8; i++) {
    mcpi_share_deinit(&shares[i]);
  }
  assert_int_equal(mcpi_quota_used(quota), 0);
}

FIXTURE_TEST(a_share_like_another_is_of_its_client) {
  mcpi_share first;
  mcpi_share second;
  assert_int_equal(mcpi_share_init(&first, quota, "alice", NULL), 0);
  assert_true(mcpi_share_count(&first, 25));
  mcpi_share_init_like(&second, &first);
  assert_int_equal(mcpi_share_used(&second), 0);
  assert_false(mcpi_share_count(&second, 13));
  assert_true(mcpi_share_count(&second, 12));
  mcpi_share_deinit(&first);
  assert_int_equal(mcpi_quota_used(quota), 12);
  mcpi_share_deinit(&second);
}

FIXTURE_TEST(a_share_moves_with_what_it_holds) {
  mcpi_share moving;
  mcpi_share alice;
  assert_int_equal(mcpi_share_init(&alice, quota, "alice", NULL), 0);
  assert_int_equal(mcpi_share_init(&moving, quota, NULL, "192.0.2.1:1"), 0);
  assert_true(mcpi_share_count(&moving, 20));
  alloc.fail_at = alloc.calls + 1;
  assert_int_equal(mcpi_share_move(&moving, "bob", NULL), MCP_ERR_NOMEM);
  assert_int_equal(mcpi_quota_used(quota), 20);
  assert_int_equal(mcpi_share_move(&moving, "alice", NULL), 0);
  assert_int_equal(mcpi_quota_used(quota), 20);
  assert_int_equal(mcpi_share_used(&moving), 20);
  assert_ptr_equal(moving.account, alice.account);
  assert_false(mcpi_share_count(&alice, 16));
  assert_true(mcpi_share_count(&alice, 15));
  mcpi_share_deinit(&moving);
  mcpi_share_deinit(&alice);
  assert_int_equal(mcpi_quota_used(quota), 0);
}

FIXTURE_TEST(bytes_that_are_there_already_may_stay) {
  mcpi_share other;
  assert_int_equal(mcpi_share_init(&other, quota, NULL, NULL), 0);
  assert_true(mcpi_share_count(&share, 50));
  assert_true(mcpi_share_count(&other, 25));
  assert_true(mcpi_share_change(&share, 10, 10));
  assert_true(mcpi_share_change(&share, 10, 9));
  assert_false(mcpi_share_change(&share, 9, 10));
  assert_int_equal(mcpi_quota_used(quota), 74);
  mcpi_share_deinit(&other);
}
