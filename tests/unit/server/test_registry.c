/* SPDX-License-Identifier: MIT */
#include "server/registry.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include <stdio.h>

static const uint64_t seed[2] = {1, 2};

static int on_call(mcp_call *call, void *userdata) {
  return 0;
}

static int make(mcpi_entry **out, const char *name, uint64_t seq,
                const mcp_allocator *allocator) {
  const mcp_prompt prompt = {
      .size = sizeof(mcp_prompt), .name = name, .handler = on_call};
  int rc = mcpi_entry_from_prompt(out, &prompt, allocator, NULL);
  if (rc == 0) {
    (*out)->seq = seq;
  }
  return rc;
}

static int add(mcpi_registry **registry, const char *name, uint64_t seq) {
  mcpi_entry *entry;
  int rc = make(&entry, name, seq, (*registry)->allocator);
  if (rc != 0) {
    return rc;
  }
  rc = mcpi_registry_add(registry, entry);
  if (rc != 0) {
    mcpi_entry_unref(entry);
  }
  return rc;
}

static mcpi_registry *fresh(void) {
  mcpi_registry *registry = mcpi_registry_new(mcp_allocator_default(), seed);
  assert_non_null(registry);
  return registry;
}

TEST(entries_are_found_by_key) {
  mcpi_registry *registry = fresh();
  assert_null(mcpi_registry_find(registry, MCPI_STR("a")));
  assert_int_equal(add(&registry, "a", 1), 0);
  assert_int_equal(add(&registry, "b", 2), 0);
  assert_int_equal(mcpi_registry_find(registry, MCPI_STR("b"))->seq, 2);
  assert_int_equal(add(&registry, "a", 3), MCP_ERR_EXISTS);
  assert_int_equal(registry->count, 2);
  assert_int_equal(mcpi_registry_remove(&registry, MCPI_STR("c")),
                   MCP_ERR_NOT_FOUND);
  assert_int_equal(mcpi_registry_remove(&registry, MCPI_STR("a")), 0);
  assert_null(mcpi_registry_find(registry, MCPI_STR("a")));
  assert_int_equal(registry->count, 1);
  mcpi_registry_unref(registry);
  mcpi_registry_unref(NULL);
}

/* Registering before anybody looks copies nothing. */
TEST(a_registry_held_once_is_edited_in_place) {
  mcpi_registry *registry = fresh();
  mcpi_registry *before = registry;
  assert_int_equal(add(&registry, "a", 1), 0);
  assert_int_equal(mcpi_registry_remove(&registry, MCPI_STR("a")), 0);
  assert_ptr_equal(registry, before);
  mcpi_registry_unref(registry);
}

TEST(a_snapshot_does_not_change) {
  mcpi_registry *registry = fresh();
  assert_int_equal(add(&registry, "a", 1), 0);
  assert_int_equal(add(&registry, "b", 2), 0);
  mcpi_registry *snapshot = mcpi_registry_ref(registry);
  assert_int_equal(mcpi_registry_remove(&registry, MCPI_STR("a")), 0);
  assert_int_equal(add(&registry, "c", 3), 0);
  assert_ptr_not_equal(registry, snapshot);
  assert_int_equal(snapshot->count, 2);
  assert_non_null(mcpi_registry_find(snapshot, MCPI_STR("a")));
  assert_null(mcpi_registry_find(snapshot, MCPI_STR("c")));
  /* what both have is one entry */
  assert_ptr_equal(mcpi_registry_find(snapshot, MCPI_STR("b")),
                   mcpi_registry_find(registry, MCPI_STR("b")));
  mcpi_registry_unref(snapshot);
  assert_int_equal(registry->count, 2);
  mcpi_registry_unref(registry);
}

TEST(a_refused_change_copies_nothing) {
  mcpi_registry *registry = fresh();
  assert_int_equal(add(&registry, "a", 1), 0);
  mcpi_registry *snapshot = mcpi_registry_ref(registry);
  assert_int_equal(add(&registry, "a", 2), MCP_ERR_EXISTS);
  assert_int_equal(mcpi_registry_remove(&registry, MCPI_STR("b")),
                   MCP_ERR_NOT_FOUND);
  assert_ptr_equal(registry, snapshot);
  mcpi_registry_unref(snapshot);
  mcpi_registry_unref(registry);
}

TEST(an_entry_outlives_its_registry) {
  mcpi_registry *registry = fresh();
  assert_int_equal(add(&registry, "a", 1), 0);
  mcpi_entry *entry =
      mcpi_entry_ref(mcpi_registry_find(registry, MCPI_STR("a")));
  mcpi_registry_unref(registry);
  assert_string_equal(entry->name, "a");
  mcpi_entry_unref(entry);
}

TEST(seek_finds_the_first_at_or_behind) {
  static const char *const names[] = {"a", "b", "c"};
  mcpi_registry *registry = fresh();
  assert_int_equal(mcpi_registry_seek(registry, 0), 0);
  for (uint64_t i = 0; i < 3; i++) {
    assert_int_equal(add(&registry, names[i], 10 * (i + 1)), 0);
  }
  assert_int_equal(mcpi_registry_seek(registry, 0), 0);
  assert_int_equal(mcpi_registry_seek(registry, 10), 0);
  assert_int_equal(mcpi_registry_seek(registry, 11), 1);
  assert_int_equal(mcpi_registry_seek(registry, 20), 1);
  assert_int_equal(mcpi_registry_seek(registry, 30), 2);
  assert_int_equal(mcpi_registry_seek(registry, 31), 3);
  mcpi_registry_unref(registry);
}

TEST(ten_thousand_stay_in_order) {
  char name[16];
  mcpi_registry *registry = fresh();
  for (uint64_t i = 1; i <= 10000; i++) {
    snprintf(name, sizeof(name), "p%d", (int)i);
    assert_int_equal(add(&registry, name, i), 0);
  }
  for (int i = 2; i <= 10000; i += 2) {
    snprintf(name, sizeof(name), "p%d", i);
    assert_int_equal(mcpi_registry_remove(&registry, mcpi_str_z(name)), 0);
  }
  assert_int_equal(registry->count, 5000);
  for (size_t i = 0; i < registry->count; i++) {
    assert_int_equal(registry->entries[i]->seq, 2 * i + 1);
  }
  mcpi_registry_unref(registry);
}

static int change_shared(const mcp_allocator *allocator, void *userdata) {
  mcpi_registry *registry = mcpi_registry_new(allocator, seed);
  if (registry == NULL) {
    return MCP_ERR_NOMEM;
  }
  int rc = add(&registry, "a", 1);
  mcpi_registry *snapshot = mcpi_registry_ref(registry);
  if (rc == 0) {
    rc = add(&registry, "b", 2);
  }
  mcpi_registry *second = mcpi_registry_ref(registry);
  if (rc == 0) {
    rc = mcpi_registry_remove(&registry, MCPI_STR("a"));
    assert_int_equal(registry->count, rc == 0 ? 1 : 2);
  }
  mcpi_registry_unref(second);
  mcpi_registry_unref(snapshot);
  mcpi_registry_unref(registry);
  return rc;
}

TEST(failing_memory_changes_nothing) {
  assert_true(failing_alloc_rerun(change_shared, NULL) >= 8);
}
