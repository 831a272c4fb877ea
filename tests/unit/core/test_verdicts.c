/* SPDX-License-Identifier: MIT */
/* What is remembered of servers' eras. */
#include "core/verdicts.h"
#include "support/cm.h"
#include "support/failing_alloc.h"

#include <stdio.h>

static const mcpi_revision *const legacy =
    &mcpi_revisions[MCPI_REVISION_2025_11_25];
static const mcpi_revision *const modern =
    &mcpi_revisions[MCPI_REVISION_2026_07_28];

TEST(each_origin_has_its_own) {
  mcp_loop *loop = mcp_loop_new_manual(NULL, NULL, NULL);
  assert_null(mcpi_verdicts_get(loop, "http://a:80"));
  mcpi_verdicts_set(loop, "http://a:80", legacy);
  mcpi_verdicts_set(loop, "http://b:80", legacy);
  mcpi_verdicts_set(loop, "http://a:80", modern);
  assert_ptr_equal(mcpi_verdicts_get(loop, "http://a:80"), modern);
  assert_ptr_equal(mcpi_verdicts_get(loop, "http://b:80"), legacy);
  mcpi_verdicts_set(loop, "http://a:80", NULL);
  mcpi_verdicts_set(loop, "http://c:80", NULL);
  assert_null(mcpi_verdicts_get(loop, "http://a:80"));
  assert_ptr_equal(mcpi_verdicts_get(loop, "http://b:80"), legacy);
  mcp_loop_free(loop);
}

TEST(a_url_may_have_a_wire) {
  mcp_loop *loop = mcp_loop_new_manual(NULL, NULL, NULL);
  assert_false(mcpi_verdicts_is_sse(loop, "http://a:80"));
  mcpi_verdicts_set_sse(loop, "http://a:80", 1);
  mcpi_verdicts_set(loop, "http://a:80", legacy);
  assert_true(mcpi_verdicts_is_sse(loop, "http://a:80"));
  assert_false(mcpi_verdicts_is_sse(loop, "http://a:80/mcp"));
  mcpi_verdicts_set_sse(loop, "http://a:80", 0);
  assert_false(mcpi_verdicts_is_sse(loop, "http://a:80"));
  assert_ptr_equal(mcpi_verdicts_get(loop, "http://a:80"), legacy);
  mcpi_verdicts_set(loop, "http://a:80", NULL);
  assert_int_equal(loop->verdicts.count, 0);
  mcp_loop_free(loop);
}

TEST(there_is_room_for_so_many) {
  mcp_loop *loop = mcp_loop_new_manual(NULL, NULL, NULL);
  char origin[32];
  for (int i = 0; i < 3 * MCPI_VERDICTS_MAX; i++) {
    snprintf(origin, sizeof(origin), "http://a:%d", i);
    mcpi_verdicts_set(loop, origin, legacy);
    assert_ptr_equal(mcpi_verdicts_get(loop, origin), legacy);
    assert_true(loop->verdicts.count <= MCPI_VERDICTS_MAX);
  }
  mcp_loop_free(loop);
}

static int remember(const mcp_allocator *allocator, void *userdata) {
  mcp_loop *loop = mcp_loop_new_manual(NULL, allocator, NULL);
  if (loop == NULL) {
    return MCP_ERR_NOMEM;
  }
  mcpi_verdicts_set(loop, "http://a:80", legacy);
  int rc = mcpi_verdicts_get(loop, "http://a:80") != NULL ? 0 : MCP_ERR_NOMEM;
  mcp_loop_free(loop);
  return rc;
}

TEST(without_memory_nothing_is_remembered) {
  assert_true(failing_alloc_rerun(remember, NULL) > 1);
}
