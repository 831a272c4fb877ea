/* SPDX-License-Identifier: MIT */
/* The store of events in memory: what it keeps, drops and replays. */
#include "store/memory_events.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include <stdio.h>
#include <string.h>

static const uint64_t seed[2] = {1, 2};

typedef struct bench {
  mcpi_memory_events memory;
  mcp_event_store store;
  char seen[400];
  int adds; /* events that each replayed one causes */
} bench;

static void begin(bench *b, size_t max, size_t max_session) {
  memset(b, 0, sizeof(*b));
  mcpi_memory_events_init(&b->memory, mcp_allocator_default(), seed, max,
                          max_session);
  b->store = mcpi_memory_events_store(&b->memory);
}

static int append(bench *b, const char *session, uint64_t stream, uint64_t seq,
                  const char *data) {
  return b->store.append(b->store.userdata, session, stream, seq, data,
                         strlen(data), NULL, NULL);
}

static void on_each(uint64_t seq, const char *data, size_t len,
                    void *argument) {
  bench *b = argument;
  size_t used = strlen(b->seen);
  snprintf(b->seen + used, sizeof(b->seen) - used, "%d:%.*s ", (int)seq,
           (int)len, data);
  if (b->adds > 0) {
    b->adds--;
    append(b, "s", 1, seq + 10, "new");
  }
}

static void replays(bench *b, const char *session, uint64_t stream,
                    uint64_t after, const char *expected) {
  b->seen[0] = '\0';
  assert_int_equal(b->store.replay(b->store.userdata, session, stream, after,
                                   on_each, NULL, b),
                   0);
  assert_string_equal(b->seen, expected);
}

TEST(replays_what_followed) {
  bench b;
  begin(&b, 10000, 10000);
  append(&b, "s", 1, 1, "a");
  append(&b, "s", 2, 1, "b");
  append(&b, "s", 1, 2, "c");
  append(&b, "t", 1, 1, "d");
  append(&b, "s", 1, 3, "e");
  replays(&b, "s", 1, 0, "1:a 2:c 3:e ");
  replays(&b, "s", 1, 2, "3:e ");
  replays(&b, "s", 1, 3, "");
  replays(&b, "s", 2, 0, "1:b ");
  replays(&b, "t", 1, 0, "1:d ");
  replays(&b, "u", 1, 0, "");
  b.store.forget(b.store.userdata, "s");
  b.store.forget(b.store.userdata, "u");
  replays(&b, "s", 1, 0, "");
  replays(&b, "t", 1, 0, "1:d ");
  mcpi_memory_events_deinit(&b.memory);
}

TEST(a_replay_sees_what_it_causes) {
  bench b;
  begin(&b, 10000, 10000);
  append(&b, "s", 1, 1, "a");
  append(&b, "s", 1, 2, "b");
  b.adds = 1;
  replays(&b, "s", 1, 0, "1:a 2:b 11:new ");
  mcpi_memory_events_deinit(&b.memory);
}

TEST(each_session_has_so_much_room) {
  bench b;
  char text[301];
  memset(text, 'x', 300);
  text[300] = '\0';
  begin(&b, 100000, 1000);
  assert_int_equal(append(&b, "s", 1, 1, "a"), 0);
  append(&b, "t", 1, 1, "z");
  assert_int_equal(append(&b, "s", 1, 2, text), 0);
  assert_int_equal(append(&b, "s", 1, 3, text), 0);
  assert_int_equal(append(&b, "s", 1, 4, "b"), 0);
  assert_int_equal(append(&b, "s", 1, 5, text), 0);
  b.seen[0] = '\0';
  b.store.replay(b.store.userdata, "s", 1, 3, on_each, NULL, &b);
  assert_memory_equal(b.seen, "4:b 5:xxx", 9);
  assert_true(b.memory.bytes <= 1000 + 100);
  replays(&b, "t", 1, 0, "1:z ");
  mcpi_memory_events_deinit(&b.memory);
  begin(&b, 0, 0);
  assert_int_equal(append(&b, "s", 1, 1, "a"), MCP_ERR_LIMIT);
  mcpi_memory_events_deinit(&b.memory);
}

TEST(all_together_have_so_much_room) {
  bench b;
  char name[16];
  begin(&b, 1000, 500);
  for (int i = 0; i < 100; i++) {
    snprintf(name, sizeof(name), "s%d", i);
    assert_int_equal(append(&b, name, 1, 1, "a"), 0);
    assert_true(b.memory.bytes <= 1000);
  }
  replays(&b, "s0", 1, 0, "");
  replays(&b, "s99", 1, 0, "1:a ");
  mcpi_memory_events_deinit(&b.memory);
  assert_int_equal(b.memory.bytes, 0);
}

static int scenario(const mcp_allocator *allocator, void *userdata) {
  bench b;
  memset(&b, 0, sizeof(b));
  mcpi_memory_events_init(&b.memory, allocator, seed, 1000, 500);
  b.store = mcpi_memory_events_store(&b.memory);
  int rc = append(&b, "s", 1, 1, "a");
  if (rc == 0) {
    rc = append(&b, "t", 1, 1, "a");
  }
  mcpi_memory_events_deinit(&b.memory);
  return rc;
}

TEST(survives_each_failed_allocation) {
  assert_true(failing_alloc_rerun(scenario, NULL) > 3);
}

/* --- whose events go ---------------------------------------------------- */

/* The session "aN" is the first client's, "bN" the second's, others
 * nobody's. */
static mcpi_account *find_owner(void *userdata, const char *session) {
  mcpi_account *owners = userdata;
  return session[0] == 'a' || session[0] == 'b' ? &owners[session[0] - 'a']
                                                : NULL;
}

static void own(bench *b, mcpi_holder *whole, mcpi_account owners[2]) {
  for (size_t i = 0; i < 2; i++) {
    owners[i] = (mcpi_account){.holder.parent = whole};
    mcpi_list_init(&owners[i].events);
  }
  b->memory.find_owner = find_owner;
  b->memory.userdata = owners;
}

/* Each event takes a little more than its 1,000 bytes. */
TEST(one_client_cannot_drop_everybodys_events) {
  static char data[1001];
  mcpi_holder whole = {0};
  mcpi_account owners[2];
  char session[3] = "a0";
  bench b;
  memset(data, 'x', 1000);
  begin(&b, 20000, 2400);
  own(&b, &whole, owners);
  append(&b, "b0", 1, 1, "mine");
  append(&b, "c0", 1, 1, "nobody's");
  for (uint64_t i = 1; i <= 100; i++) {
    session[1] = (char)('0' + i % 50);
    append(&b, session, 1, i, data);
    assert_in_range(b.memory.bytes, 0, 20000);
  }
  assert_in_range(owners[0].holder.used[MCPI_HELD_EVENT_BYTES], 8000, 10000);
  assert_true(b.memory.evicted > 80);
  replays(&b, "b0", 1, 0, "1:mine ");
  replays(&b, "c0", 1, 0, "1:nobody's ");
  for (uint64_t i = 2; i <= 3; i++) {
    append(&b, "b0", 1, i, "more");
  }
  replays(&b, "b0", 1, 0, "1:mine 2:more 3:more ");
  session[0] = 'a';
  for (int i = 0; i < 50; i++) {
    session[1] = (char)('0' + i);
    b.store.forget(b.store.userdata, session);
  }
  assert_int_equal(owners[0].holder.used[MCPI_HELD_EVENT_BYTES], 0);
  mcpi_memory_events_deinit(&b.memory);
  assert_int_equal(whole.used[MCPI_HELD_EVENT_BYTES], 0);
}

/* So that a client which comes late is kept something, too. */
TEST(a_client_may_keep_what_one_session_may) {
  mcpi_holder whole = {0};
  mcpi_account owners[2];
  bench b;
  begin(&b, 500, 400);
  own(&b, &whole, owners);
  append(&b, "a0", 1, 1, "1");
  append(&b, "a0", 1, 2, "2");
  append(&b, "a0", 1, 3, "3");
  append(&b, "a0", 1, 4, "4");
  replays(&b, "a0", 1, 0, "1:1 2:2 3:3 4:4 ");
  mcpi_memory_events_deinit(&b.memory);
}
