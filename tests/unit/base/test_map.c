/* SPDX-License-Identifier: MIT */
#include "base/map.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include <mcp/error.h>
#include <stdio.h>
#include <stdlib.h>

static const uint64_t seed[2] = {11, 22};

enum { KEYS = 400 };

typedef struct entry {
  char name[16];
  int is_in;
} entry;

static mcpi_str key_of(const entry *e) {
  return mcpi_str_z(e->name);
}

static void name_entries(entry *entries) {
  for (int i = 0; i < KEYS; i++) {
    snprintf(entries[i].name, sizeof(entries[i].name), "key-%d", i);
    entries[i].is_in = 0;
  }
}

TEST(an_empty_map_has_nothing) {
  mcpi_map map;
  size_t index = 0;
  mcpi_map_init(&map, mcp_allocator_default(), seed);
  assert_null(mcpi_map_get(&map, MCPI_STR("a")));
  assert_null(mcpi_map_remove(&map, MCPI_STR("a")));
  assert_null(mcpi_map_next(&map, &index));
  mcpi_map_deinit(&map);
}

TEST(a_key_is_taken_once) {
  mcpi_map map;
  int one = 1;
  int two = 2;
  mcpi_map_init(&map, mcp_allocator_default(), seed);
  assert_int_equal(mcpi_map_add(&map, MCPI_STR("a"), &one), 0);
  assert_int_equal(mcpi_map_add(&map, MCPI_STR("a"), &two), MCP_ERR_EXISTS);
  assert_ptr_equal(mcpi_map_get(&map, MCPI_STR("a")), &one);
  assert_int_equal(mcpi_map_add(&map, MCPI_STR(""), &two), 0);
  assert_ptr_equal(mcpi_map_get(&map, mcpi_str_z(NULL)), &two);
  assert_int_equal(mcpi_map_add(&map, MCPI_STR("a\0"), &two), 0);
  assert_int_equal(map.count, 3);
  assert_ptr_equal(mcpi_map_remove(&map, MCPI_STR("a")), &one);
  assert_null(mcpi_map_remove(&map, MCPI_STR("a")));
  assert_int_equal(map.count, 2);
  mcpi_map_deinit(&map);
}

TEST(a_value_is_removed_only_when_it_is_the_keys) {
  mcpi_map map;
  int one = 1;
  int other = 2;
  mcpi_map_init(&map, mcp_allocator_default(), seed);
  mcpi_map_remove_value(&map, MCPI_STR("a"), &one);
  assert_int_equal(mcpi_map_add(&map, MCPI_STR("a"), &one), 0);
  mcpi_map_remove_value(&map, MCPI_STR("a"), &other);
  mcpi_map_remove_value(&map, MCPI_STR("b"), &one);
  assert_ptr_equal(mcpi_map_get(&map, MCPI_STR("a")), &one);
  assert_int_equal(map.count, 1);
  mcpi_map_remove_value(&map, MCPI_STR("a"), &one);
  assert_null(mcpi_map_get(&map, MCPI_STR("a")));
  assert_int_equal(map.count, 0);
  mcpi_map_deinit(&map);
}

/* Every value once: the walk counts and unmarks, the second loop finds none
 * left. */
static void check_walk(const mcpi_map *map, entry *entries) {
  size_t index = 0;
  size_t count = 0;
  entry *e;
  while ((e = mcpi_map_next(map, &index)) != NULL) {
    assert_int_equal(e->is_in, 1);
    e->is_in = 2;
    count++;
  }
  assert_int_equal(count, map->count);
  for (int i = 0; i < KEYS; i++) {
    assert_int_not_equal(entries[i].is_in, 1);
    entries[i].is_in = entries[i].is_in == 2;
  }
}

static void change(mcpi_map *map, entry *e) {
  if (e->is_in) {
    assert_ptr_equal(mcpi_map_remove(map, key_of(e)), e);
  } else {
    assert_int_equal(mcpi_map_add(map, key_of(e), e), 0);
  }
  e->is_in = !e->is_in;
}

TEST(random_changes_agree_with_a_model) {
  static entry entries[KEYS];
  srand(7);
  for (int round = 0; round < 20; round++) {
    mcpi_map map;
    uint64_t random_seed[2] = {(uint64_t)rand(), (uint64_t)rand()};
    mcpi_map_init(&map, mcp_allocator_default(), random_seed);
    name_entries(entries);
    int span = 1 + rand() % KEYS;
    for (int step = 0; step < 3000; step++) {
      change(&map, &entries[rand() % span]);
      entry *probe = &entries[rand() % KEYS];
      assert_ptr_equal(mcpi_map_get(&map, key_of(probe)),
                       probe->is_in ? probe : NULL);
      if (step % 500 == 0) {
        check_walk(&map, entries);
      }
    }
    check_walk(&map, entries);
    mcpi_map_deinit(&map);
  }
}

TEST(coming_and_going_does_not_grow) {
  static entry entries[KEYS];
  failing_alloc alloc;
  mcpi_map map;
  failing_alloc_init(&alloc);
  mcpi_map_init(&map, &alloc.allocator, seed);
  name_entries(entries);
  for (int i = 0; i < 10000; i++) {
    entry *e = &entries[i % KEYS];
    assert_int_equal(mcpi_map_add(&map, key_of(e), e), 0);
    if (i >= 8) {
      e = &entries[(i - 8) % KEYS];
      assert_ptr_equal(mcpi_map_remove(&map, key_of(e)), e);
    }
  }
  assert_int_equal(alloc.calls, 1);
  mcpi_map_deinit(&map);
  assert_int_equal(alloc.live_blocks, 0);
}

static int add_all(const mcp_allocator *allocator, void *userdata) {
  entry *entries = userdata;
  mcpi_map map;
  int rc = 0;
  mcpi_map_init(&map, allocator, seed);
  for (int i = 0; i < KEYS; i++) {
    size_t count = map.count;
    int one = mcpi_map_add(&map, key_of(&entries[i]), &entries[i]);
    if (one != 0) {
      rc = one;
      assert_int_equal(map.count, count);
      assert_null(mcpi_map_get(&map, key_of(&entries[i])));
    } else {
      assert_ptr_equal(mcpi_map_get(&map, key_of(&entries[i])), &entries[i]);
    }
  }
  mcpi_map_deinit(&map);
  return rc;
}

TEST(failures_are_survived) {
  static entry entries[KEYS];
  name_entries(entries);
  assert_int_equal(failing_alloc_rerun(add_all, entries), 7);
}
