/* SPDX-License-Identifier: MIT */
/* server/list_pages.c: pages and cursors. */
#include "server/list_pages.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include <stdio.h>

static const uint64_t seed[2] = {1, 2};

static int on_call(mcp_call *call, void *userdata) {
  return 0;
}

/* Each is described by 12 bytes: {"name":"a"} */
static int add(mcpi_registry **registry, const char *name, uint64_t seq) {
  const mcp_prompt prompt = {
      .size = sizeof(mcp_prompt), .name = name, .handler = on_call};
  mcpi_entry *entry;
  int rc =
      mcpi_entry_from_prompt(&entry, &prompt, (*registry)->allocator, NULL);
  if (rc != 0) {
    return rc;
  }
  entry->seq = seq;
  rc = mcpi_registry_add(registry, entry);
  if (rc != 0) {
    mcpi_entry_unref(entry);
  }
  return rc;
}

/* a to e, whose seqs are 10 to 50. */
static mcpi_registry *five(void) {
  static const char *const names[] = {"a", "b", "c", "d", "e"};
  mcpi_registry *registry = mcpi_registry_new(mcp_allocator_default(), seed);
  for (uint64_t i = 0; i < 5; i++) {
    assert_int_equal(add(&registry, names[i], 10 * (i + 1)), 0);
  }
  return registry;
}

static void refresh(mcpi_list_cache *cache, mcpi_registry *registry) {
  assert_int_equal(
      mcpi_list_cache_refresh(cache, registry,
                              &mcpi_revisions[MCPI_REVISION_2026_07_28]),
      0);
}

static void assert_page(mcpi_page page, const char *entries, uint64_t next) {
  assert_int_equal(page.entries.len, strlen(entries));
  assert_memory_equal(page.entries.ptr, entries, strlen(entries));
  assert_int_equal(page.next_seq, next);
}

#define A "{\"name\":\"a\"}"
#define B "{\"name\":\"b\"}"
#define C "{\"name\":\"c\"}"
#define D "{\"name\":\"d\"}"
#define E "{\"name\":\"e\"}"

TEST(an_empty_registry_has_an_empty_page) {
  mcpi_list_cache cache;
  mcpi_registry *registry = mcpi_registry_new(mcp_allocator_default(), seed);
  mcpi_list_cache_init(&cache, mcp_allocator_default());
  refresh(&cache, registry);
  mcpi_page page = mcpi_list_page(&cache, 0, 0, UINT32_MAX);
  assert_int_equal(page.entries.len, 0);
  assert_int_equal(page.next_seq, 0);
  mcpi_list_cache_deinit(&cache);
  mcpi_registry_unref(registry);
}

TEST(pages_are_bounded_by_count) {
  mcpi_list_cache cache;
  mcpi_registry *registry = five();
  mcpi_list_cache_init(&cache, mcp_allocator_default());
  refresh(&cache, registry);
  assert_page(mcpi_list_page(&cache, 0, 0, UINT32_MAX),
              A "," B "," C "," D "," E, 0);
  assert_page(mcpi_list_page(&cache, 0, 2, UINT32_MAX), A "," B, 30);
  assert_page(mcpi_list_page(&cache, 30, 2, UINT32_MAX), C "," D, 50);
  assert_page(mcpi_list_page(&cache, 50, 2, UINT32_MAX), E, 0);
  assert_page(mcpi_list_page(&cache, 0, 5, UINT32_MAX),
              A "," B "," C "," D "," E, 0);
  mcpi_list_cache_deinit(&cache);
  mcpi_registry_unref(registry);
}

/* n entries take 13n - 1 bytes. */
TEST(pages_are_bounded_by_bytes) {
  mcpi_list_cache cache;
  mcpi_registry *registry = five();
  mcpi_list_cache_init(&cache, mcp_allocator_default());
  refresh(&cache, registry);
  assert_page(mcpi_list_page(&cache, 0, 0, 25), A "," B, 30);
  assert_page(mcpi_list_page(&cache, 0, 0, 24), A, 20);
  assert_page(mcpi_list_page(&cache, 0, 0, 38), A "," B "," C, 40);
  assert_page(mcpi_list_page(&cache, 0, 0, 37), A "," B, 30);
  assert_page(mcpi_list_page(&cache, 0, 0, 64), A "," B "," C "," D "," E, 0);
  assert_page(mcpi_list_page(&cache, 0, 1, 64), A, 20);
  mcpi_list_cache_deinit(&cache);
  mcpi_registry_unref(registry);
}

TEST(a_page_has_at_least_one_entry) {
  mcpi_list_cache cache;
  mcpi_registry *registry = five();
  mcpi_list_cache_init(&cache, mcp_allocator_default());
  refresh(&cache, registry);
  assert_page(mcpi_list_page(&cache, 40, 0, 1), D, 50);
  assert_page(mcpi_list_page(&cache, 50, 0, 0), E, 0);
  mcpi_list_cache_deinit(&cache);
  mcpi_registry_unref(registry);
}

/* The list shows no entry twice, and leaves out no entry that stays. */
TEST(entries_may_change_between_pages) {
  mcpi_list_cache cache;
  mcpi_registry *registry = five();
  mcpi_list_cache_init(&cache, mcp_allocator_default());
  refresh(&cache, registry);
  assert_page(mcpi_list_page(&cache, 0, 2, UINT32_MAX), A "," B, 30);
  assert_int_equal(mcpi_registry_remove(&registry, MCPI_STR("a")), 0);
  assert_int_equal(mcpi_registry_remove(&registry, MCPI_STR("c")), 0);
  assert_int_equal(add(&registry, "f", 60), 0);
  refresh(&cache, registry);
  assert_page(mcpi_list_page(&cache, 30, 2, UINT32_MAX), D "," E, 60);
  assert_page(mcpi_list_page(&cache, 60, 2, UINT32_MAX), "{\"name\":\"f\"}", 0);
  assert_page(mcpi_list_page(&cache, 61, 2, UINT32_MAX), "", 0);
  mcpi_list_cache_deinit(&cache);
  mcpi_registry_unref(registry);
}

TEST(a_fresh_cache_is_left_alone) {
  failing_alloc alloc;
  mcpi_list_cache cache;
  mcpi_registry *registry = five();
  failing_alloc_init(&alloc);
  mcpi_list_cache_init(&cache, &alloc.allocator);
  refresh(&cache, registry);
  size_t calls = alloc.calls;
  refresh(&cache, registry);
  assert_int_equal(alloc.calls, calls);
  mcpi_list_cache_deinit(&cache);
  mcpi_list_cache_deinit(&cache);
  assert_int_equal(alloc.live_blocks, 0);
  mcpi_registry_unref(registry);
}

static int refresh_and_free(const mcp_allocator *allocator, void *userdata) {
  mcpi_list_cache cache;
  mcpi_list_cache_init(&cache, allocator);
  int rc = mcpi_list_cache_refresh(&cache, userdata,
                                   &mcpi_revisions[MCPI_REVISION_2024_11_05]);
  assert_true((cache.registry != NULL) == (rc == 0));
  mcpi_list_cache_deinit(&cache);
  return rc;
}

TEST(failing_memory_leaves_no_half_list) {
  mcpi_registry *registry = five();
  assert_int_equal(failing_alloc_rerun(refresh_and_free, registry), 2);
  mcpi_registry_unref(registry);
}

/* --- cursors ------------------------------------------------------------ */

static mcpi_str cursor_of(mcpi_buf *buf, int kind, uint64_t seq) {
  mcpi_buf_clear(buf);
  mcpi_cursor_put(buf, kind, seq);
  assert_int_equal(buf->error, 0);
  return mcpi_str_n(buf->data, buf->len);
}

TEST(cursors_come_back) {
  const uint64_t seqs[] = {1, 255, 256, UINT64_C(0x0123456789ABCDEF),
                           UINT64_MAX};
  mcpi_buf buf;
  mcpi_buf_init(&buf, mcp_allocator_default(), SIZE_MAX);
  for (size_t i = 0; i < sizeof(seqs) / sizeof(seqs[0]); i++) {
    uint64_t seq = 0;
    mcpi_str cursor = cursor_of(&buf, MCPI_PROMPTS, seqs[i]);
    assert_int_equal(mcpi_cursor_read(cursor, MCPI_PROMPTS, &seq), 0);
    assert_int_equal(seq, seqs[i]);
    assert_int_equal(mcpi_cursor_read(cursor, MCPI_TOOLS, &seq),
                     MCP_ERR_INVALID);
  }
  mcpi_buf_deinit(&buf);
}

TEST(other_texts_are_no_cursors) {
  static const char *const bad[] = {"",
                                    "x",
                                    "AAAAAAAAAAAA", /* seq 0 */
                                    "AAAAAAAAAAAB0",
                                    "AAAAAAAAAAA",
                                    "AAAAAAAAAAA=",
                                    "AAAAAAAAAA+B",
                                    "AAAAAAAAAA B"};
  uint64_t seq = 7;
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    assert_int_equal(mcpi_cursor_read(mcpi_str_z(bad[i]), MCPI_TOOLS, &seq),
                     MCP_ERR_INVALID);
  }
  assert_int_equal(seq, 7);
  assert_int_equal(mcpi_cursor_read(MCPI_STR("AAAAAAAAAAAB"), MCPI_TOOLS, &seq),
                   0);
  assert_int_equal(seq, 1);
}

/* The cache must not keep entries that the program has removed. */
TEST(an_expired_cache_holds_nothing) {
  mcpi_registry *registry = five();
  mcpi_registry *next = five();
  mcpi_list_cache cache;
  mcpi_list_cache_init(&cache, mcp_allocator_default());
  mcpi_list_cache_expire(&cache, registry);
  refresh(&cache, registry);
  mcpi_list_cache_expire(&cache, registry);
  assert_ptr_equal(cache.registry, registry);
  assert_page(mcpi_list_page(&cache, 0, 1, 1000), A, 20);
  mcpi_list_cache_expire(&cache, next);
  assert_null(cache.registry);
  assert_int_equal(atomic_load(&registry->refs), 1);
  refresh(&cache, next);
  assert_page(mcpi_list_page(&cache, 0, 1, 1000), A, 20);
  mcpi_list_cache_deinit(&cache);
  mcpi_registry_unref(registry);
  mcpi_registry_unref(next);
}
