/* SPDX-License-Identifier: MIT */
#include "auth/resource/replay.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include <mcp/error.h>

static const uint64_t seed[2] = {1, 2};

static int use_as(mcpi_replay *replay, const char *principal, unsigned number,
                  int64_t until_ms, int64_t now_ms) {
  uint8_t hash[MCP_SHA256_SIZE] = {(uint8_t)number, (uint8_t)(number >> 8)};
  return mcpi_replay_use(replay, principal, hash, until_ms, now_ms);
}

static int use(mcpi_replay *replay, unsigned number, int64_t until_ms,
               int64_t now_ms) {
  return use_as(replay, "ann", number, until_ms, now_ms);
}

TEST(a_proof_is_remembered_until_its_time_is_over) {
  mcpi_replay replay;
  mcpi_replay_init(&replay, mcp_allocator_default(), seed, 10, 80);
  assert_int_equal(use(&replay, 1, 91, 0), 0);
  assert_int_equal(use(&replay, 2, 92, 0), 0); /* its clock is ahead */
  assert_int_equal(use(&replay, 1, 91, 90), MCP_ERR_EXISTS);
  assert_int_equal(use(&replay, 2, 92, 91), MCP_ERR_EXISTS);
  assert_int_equal(replay.map.count, 1);
  /* A dropped proof is not known any more, and so refused. */
  assert_int_equal(use(&replay, 1, 91, 91), MCP_ERR_REFUSED);
  assert_int_equal(use(&replay, 3, 91, 92), MCP_ERR_REFUSED);
  assert_int_equal(use(&replay, 1, 300, 160), 0);
  assert_int_equal(replay.map.count, 2);
  assert_int_equal(use(&replay, 4, 300, 161), 0);
  assert_int_equal(replay.map.count, 2);
  mcpi_replay_deinit(&replay);
}

TEST(a_proof_from_the_future_does_not_keep_others) {
  mcpi_replay replay;
  mcpi_replay_init(&replay, mcp_allocator_default(), seed, 300, 80);
  assert_int_equal(use_as(&replay, "bob", 500, 161, 0), 0);
  for (unsigned i = 0; i < 149; i++) {
    assert_int_equal(use(&replay, i, 81, 0), 0);
  }
  assert_int_equal(use(&replay, 149, 171, 90), MCP_ERR_LIMIT);
  assert_int_equal(use(&replay, 149, 171, 91), 0);
  assert_int_equal(replay.map.count, 2);
  mcpi_replay_deinit(&replay);
}

TEST(a_principal_leaves_half_of_the_room_for_others) {
  mcpi_replay replay;
  mcpi_replay_init(&replay, mcp_allocator_default(), seed, 300, 80);
  assert_int_equal(use(&replay, 0, 81, 0), 0);
  for (unsigned i = 1; i < 150; i++) {
    assert_int_equal(use(&replay, i, 82, 1), 0);
  }
  assert_int_equal(use(&replay, 150, 171, 90), MCP_ERR_LIMIT);
  assert_int_equal(use_as(&replay, "bob", 150, 171, 90), 0);
  assert_int_equal(use_as(&replay, "bob", 7, 171, 90), MCP_ERR_EXISTS);
  /* One of ann's has ended, but bob has taken one of 300. */
  assert_int_equal(use(&replay, 151, 171, 91), MCP_ERR_LIMIT);
  assert_int_equal(use(&replay, 151, 171, 92), 0);
  assert_int_equal(replay.map.count, 2);
  mcpi_replay_deinit(&replay);
}

TEST(there_is_room_for_so_many) {
  mcpi_replay replay;
  mcpi_replay_init(&replay, mcp_allocator_default(), seed, 300, 80);
  for (unsigned i = 0; i < 300; i++) {
    const char principal[2] = {(char)('a' + i / 16), '\0'};
    assert_int_equal(use_as(&replay, principal, i, 81 + i / 299, i / 299), 0);
  }
  assert_int_equal(use(&replay, 300, 171, 90), MCP_ERR_LIMIT);
  assert_int_equal(use(&replay, 7, 171, 90), MCP_ERR_EXISTS);
  assert_int_equal(use(&replay, 300, 171, 91), 0);
  assert_int_equal(replay.map.count, 2);
  mcpi_replay_deinit(&replay);
}

static int use_some(const mcp_allocator *allocator, void *userdata) {
  mcpi_replay replay;
  int rc = 0;
  mcpi_replay_init(&replay, allocator, seed, 100, 80);
  for (unsigned i = 0; rc == 0 && i < 20; i++) {
    rc = use(&replay, i, 100, 0);
  }
  mcpi_replay_deinit(&replay);
  return rc;
}

TEST(a_lack_of_memory_is_reported) {
  failing_alloc_rerun_least(20, use_some, NULL);
}
