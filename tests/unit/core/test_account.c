/* SPDX-License-Identifier: MIT */
/* How much each holder has: shares of a whole, and the holders of addresses. */
#include "core/account.h"
#include "support/cm.h"
#include "support/failing_alloc.h"

static const uint64_t seed[2] = {1, 2};

/* --- shares ------------------------------------------------------------- */

/* Takes as many as there is room for; how many these were. */
static size_t take_all(mcpi_holder *holder, int kind, size_t max) {
  size_t count = 0;
  while (mcpi_holder_has_room(holder, kind, max, 1)) {
    mcpi_holder_add(holder, kind, 1);
    count++;
  }
  return count;
}

TEST(a_holder_gets_as_much_as_is_left_for_others) {
  mcpi_holder whole = {0};
  mcpi_holder accounts[3] = {
      {.parent = &whole}, {.parent = &whole}, {.parent = &whole}};
  assert_int_equal(take_all(&accounts[0], MCPI_HELD_BYTES, 800), 400);
  assert_int_equal(take_all(&accounts[1], MCPI_HELD_BYTES, 800), 200);
  assert_int_equal(take_all(&accounts[2], MCPI_HELD_BYTES, 800), 100);
  assert_int_equal(whole.used[MCPI_HELD_BYTES], 700);
  assert_int_equal(whole.used[MCPI_HELD_CALLS], 0);
  mcpi_holder_remove(&accounts[0], MCPI_HELD_BYTES, 300);
  assert_int_equal(whole.used[MCPI_HELD_BYTES], 400);
  assert_int_equal(take_all(&accounts[2], MCPI_HELD_BYTES, 800), 150);
}

TEST(a_connection_has_a_share_of_its_account) {
  mcpi_holder whole = {0};
  mcpi_holder account = {.parent = &whole};
  mcpi_holder connections[2] = {{.parent = &account}, {.parent = &account}};
  mcpi_holder other = {.parent = &whole};
  assert_int_equal(take_all(&connections[0], MCPI_HELD_BYTES, 800), 200);
  assert_int_equal(take_all(&connections[1], MCPI_HELD_BYTES, 800), 100);
  assert_int_equal(account.used[MCPI_HELD_BYTES], 300);
  assert_int_equal(take_all(&other, MCPI_HELD_BYTES, 800), 250);
}

TEST(few_are_allowed_as_long_as_there_are_any) {
  mcpi_holder whole = {0};
  mcpi_holder first = {.parent = &whole};
  mcpi_holder second = {.parent = &whole};
  mcpi_holder third = {.parent = &whole};
  assert_int_equal(take_all(&first, MCPI_HELD_CALLS, 40), 19);
  assert_int_equal(take_all(&second, MCPI_HELD_CALLS, 40), 16);
  assert_int_equal(take_all(&third, MCPI_HELD_CALLS, 40), 5);
  assert_int_equal(whole.used[MCPI_HELD_CALLS], 40);
  assert_int_equal(take_all(&first, MCPI_HELD_CALLS, 40), 0);
}

/* However many take all that they can, within reason. */
TEST(some_calls_are_reserved) {
  mcpi_holder whole = {0};
  mcpi_holder greedy[20];
  mcpi_holder modest = {.parent = &whole};
  for (size_t i = 0; i < 20; i++) {
    greedy[i] = (mcpi_holder){.parent = &whole};
    take_all(&greedy[i], MCPI_HELD_CALLS, 10000);
  }
  assert_int_equal(greedy[0].used[MCPI_HELD_CALLS], (10000 - 625) / 2);
  assert_int_equal(greedy[19].used[MCPI_HELD_CALLS], 16);
  assert_true(whole.used[MCPI_HELD_CALLS] < 10000 - 300);
  assert_true(mcpi_holder_has_room(&modest, MCPI_HELD_CALLS, 10000, 16));
  assert_false(mcpi_holder_has_room(&modest, MCPI_HELD_CALLS, 10000, 17));
}

TEST(the_largest_numbers_do_not_overflow) {
  mcpi_holder whole = {0};
  mcpi_holder one = {.parent = &whole};
  assert_true(
      mcpi_holder_has_room(&one, MCPI_HELD_BYTES, SIZE_MAX, SIZE_MAX / 2));
  assert_false(mcpi_holder_has_room(&one, MCPI_HELD_BYTES, SIZE_MAX, SIZE_MAX));
  mcpi_holder_add(&one, MCPI_HELD_BYTES, 100);
  assert_false(mcpi_holder_has_room(&one, MCPI_HELD_BYTES, 150, SIZE_MAX));
  assert_false(mcpi_holder_has_room(&one, MCPI_HELD_BYTES, 150, 0));
}

/* --- addresses ---------------------------------------------------------- */

TEST(an_address_is_the_machines) {
  static const struct {
    const char *peer;
    const char *key; /* NULL: none */
  } rows[] = {
      {NULL, NULL},
      {"", NULL},
      {"unix", NULL},
      {"unix:/run/x", NULL},
      {"unix pid 7", NULL},
      {":80", NULL},
      {"127.0.0.1:4711", "127.0.0.1"},
      {"127.0.0.1", "127.0.0.1"},
      {"agent.example:80", "agent.example"},
      {"[2001:db8:1:2:3:4:5:6]:80", "20010db800010002/64"},
      {"[2001:DB8:1:2::9]:80", "20010db800010002/64"},
      {"[2001:db8:1:3::9]:80", "20010db800010003/64"},
      {"2001:db8:1:2::9", "20010db800010002/64"},
      {"[::1]:80", "0000000000000000/64"},
      {"[fe80::1%eth0]:80", "fe80000000000000/64"},
      {"[1::]:80", "0001000000000000/64"},
      {"[::ffff:192.0.2.7]:80", "192.0.2.7"},
      {"[::ffff:c000:207]:80", "192.0.2.7"},
      {"[1:2:3:4:5:6:192.0.2.7]:80", "0001000200030004/64"},
      {"[no address]:80", "no address"},
  };
  char key[MCPI_ADDRESS_KEY_SIZE];
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    int has_key = mcpi_address_key(rows[i].peer, key);
    assert_int_equal(has_key, rows[i].key != NULL);
    if (has_key) {
      assert_string_equal(key, rows[i].key);
    }
  }
}

TEST(a_name_that_is_too_long_is_none) {
  char peer[MCPI_ADDRESS_KEY_SIZE + 2] = {0};
  char key[MCPI_ADDRESS_KEY_SIZE];
  memset(peer, 'x', MCPI_ADDRESS_KEY_SIZE - 1);
  assert_true(mcpi_address_key(peer, key));
  peer[MCPI_ADDRESS_KEY_SIZE - 1] = 'x';
  assert_false(mcpi_address_key(peer, key));
}

/* --- accounts ----------------------------------------------------------- */

TEST(accounts_are_found_by_who_they_are_of) {
  failing_alloc alloc;
  mcpi_accounts accounts;
  mcpi_account *found[6];
  failing_alloc_init(&alloc);
  mcpi_accounts_init(&accounts, &alloc.allocator, seed);
  assert_int_equal(mcpi_accounts_find(&accounts, "ann", "1.2.3.4:5", &found[0]),
                   0);
  assert_int_equal(mcpi_accounts_find(&accounts, "ann", "9.9.9.9:5", &found[1]),
                   0);
  assert_int_equal(mcpi_accounts_find(&accounts, NULL, "1.2.3.4:5", &found[2]),
                   0);
  assert_int_equal(mcpi_accounts_find(&accounts, NULL, "1.2.3.4:6", &found[3]),
                   0);
  assert_int_equal(mcpi_accounts_find(&accounts, "1.2.3.4", NULL, &found[4]),
                   0);
  assert_int_equal(mcpi_accounts_find(&accounts, NULL, NULL, &found[5]), 0);
  assert_ptr_equal(found[0], found[1]);
  assert_ptr_equal(found[2], found[3]);
  assert_ptr_not_equal(found[0], found[2]);
  assert_ptr_not_equal(found[2], found[4]);
  assert_null(found[5]);
  assert_ptr_equal(mcpi_accounts_holder(&accounts, found[0]),
                   &found[0]->holder);
  assert_ptr_equal(mcpi_accounts_holder(&accounts, NULL), &accounts.whole);
  for (size_t i = 0; i < 6; i++) {
    mcpi_accounts_unref(&accounts, found[i]);
  }
  assert_int_equal(accounts.map.count, 0);
  mcpi_accounts_deinit(&accounts);
  assert_int_equal(alloc.live_blocks, 0);
}

/* Each request over HTTP looks its client up. */
TEST(finding_one_again_takes_no_memory) {
  failing_alloc alloc;
  mcpi_accounts accounts;
  mcpi_account *first;
  mcpi_account *again;
  failing_alloc_init(&alloc);
  mcpi_accounts_init(&accounts, &alloc.allocator, seed);
  mcpi_accounts_find(&accounts, NULL, "1.2.3.4:5", &first);
  mcpi_accounts_find(&accounts, NULL, "1.2.3.4:5", &again);
  mcpi_accounts_unref(&accounts, again);
  mcpi_accounts_unref(&accounts, first);
  size_t before = alloc.live_blocks;
  alloc.fail_at = alloc.calls + 1;
  for (int i = 0; i < 1000; i++) {
    assert_int_equal(mcpi_accounts_find(&accounts, NULL, "1.2.3.4:5", &first),
                     0);
    assert_int_equal(first->holder.used[MCPI_HELD_CALLS], 0);
    mcpi_accounts_unref(&accounts, first);
  }
  assert_int_equal(alloc.live_blocks, before);
  mcpi_accounts_deinit(&accounts);
}

static int scenario(const mcp_allocator *allocator, void *userdata) {
  mcpi_accounts accounts;
  mcpi_account *found[40] = {NULL};
  char name[3] = "aa";
  int rc = 0;
  mcpi_accounts_init(&accounts, allocator, seed);
  for (size_t i = 0; rc == 0 && i < 40; i++) {
    name[0] = (char)('a' + i);
    rc = mcpi_accounts_find(&accounts, name, NULL, &found[i]);
  }
  for (size_t i = 0; i < 40; i++) {
    mcpi_accounts_unref(&accounts, found[i]);
  }
  mcpi_accounts_deinit(&accounts);
  return rc;
}

TEST(survives_each_failed_allocation) {
  assert_true(failing_alloc_rerun(scenario, NULL) > 40);
}
