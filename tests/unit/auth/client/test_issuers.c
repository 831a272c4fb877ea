/* SPDX-License-Identifier: MIT */
#include "auth/client/issuers.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include <stdio.h>

static void keep(mcpi_issuers *issuers, const char *issuer,
                 const char *document, int64_t until_ms) {
  mcpi_issuers_keep(issuers, mcpi_str_z(issuer), mcpi_str_z(document),
                    until_ms);
}

static void assert_found(mcpi_issuers *issuers, const char *issuer,
                         int64_t now_ms, const char *document) {
  mcpi_str found = mcpi_issuers_find(issuers, mcpi_str_z(issuer), now_ms);
  if (document == NULL) {
    assert_null(found.ptr);
  } else {
    assert_true(mcpi_str_eq(found, mcpi_str_z(document)));
  }
}

TEST(documents_are_kept_until_their_time) {
  mcpi_issuers issuers;
  mcpi_issuers_init(&issuers, mcp_allocator_default());
  keep(&issuers, "a", "one", 100);
  keep(&issuers, "b", "two", 200);
  assert_found(&issuers, "a", 99, "one");
  assert_found(&issuers, "a", 100, NULL);
  assert_found(&issuers, "b", 100, "two");
  assert_found(&issuers, "c", 0, NULL);
  keep(&issuers, "a", "three", 300);
  assert_found(&issuers, "a", 100, "three");
  assert_int_equal(issuers.count, 2);
  mcpi_issuers_drop(&issuers, MCPI_STR("a"));
  mcpi_issuers_drop(&issuers, MCPI_STR("a"));
  assert_found(&issuers, "a", 0, NULL);
  mcpi_issuers_deinit(&issuers);
}

TEST(a_document_may_be_kept_again) {
  mcpi_issuers issuers;
  mcpi_issuers_init(&issuers, mcp_allocator_default());
  keep(&issuers, "a", "one", 100);
  mcpi_issuers_keep(&issuers, MCPI_STR("a"),
                    mcpi_issuers_find(&issuers, MCPI_STR("a"), 0), 200);
  assert_found(&issuers, "a", 199, "one");
  assert_int_equal(issuers.count, 1);
  mcpi_issuers_deinit(&issuers);
}

TEST(replacing_a_document_drops_no_other) {
  mcpi_issuers issuers;
  char name[20];
  mcpi_issuers_init(&issuers, mcp_allocator_default());
  for (int i = 0; i < MCPI_ISSUERS_MAX; i++) {
    snprintf(name, sizeof(name), "%d", i);
    keep(&issuers, name, name, 1);
  }
  keep(&issuers, name, "new", 1);
  assert_int_equal(issuers.count, MCPI_ISSUERS_MAX);
  assert_found(&issuers, "0", 0, "0");
  assert_found(&issuers, name, 0, "new");
  mcpi_issuers_deinit(&issuers);
}

TEST(the_oldest_document_goes) {
  mcpi_issuers issuers;
  char name[20];
  mcpi_issuers_init(&issuers, mcp_allocator_default());
  for (int i = 0; i <= MCPI_ISSUERS_MAX; i++) {
    snprintf(name, sizeof(name), "%d", i);
    keep(&issuers, name, name, 1);
  }
  assert_int_equal(issuers.count, MCPI_ISSUERS_MAX);
  assert_found(&issuers, "0", 0, NULL);
  assert_found(&issuers, "1", 0, "1");
  assert_found(&issuers, name, 0, name);
  mcpi_issuers_deinit(&issuers);
}

TEST(without_memory_nothing_is_kept) {
  failing_alloc alloc;
  mcpi_issuers issuers;
  failing_alloc_init(&alloc);
  mcpi_issuers_init(&issuers, &alloc.allocator);
  keep(&issuers, "a", "one", 100);
  alloc.fail_at = alloc.calls + 1;
  keep(&issuers, "a", "two", 100);
  assert_found(&issuers, "a", 0, NULL);
  mcpi_issuers_deinit(&issuers);
  assert_int_equal(alloc.live_blocks, 0);
}
