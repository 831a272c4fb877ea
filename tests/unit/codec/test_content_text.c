/* SPDX-License-Identifier: MIT */
#include "codec/content_text.h"

#include "support/cm.h"
#include "support/schema_check.h"
#include "support/scratch.h"

SCRATCH_TEST(texts_are_read_in_their_order) {
  mcpi_buf out;
  const mcp_json *doc =
      scratch_json("{'content':[{'text':'a'},{'text':7},{},8,{"
                   "'text':'b'}]}");
  mcpi_buf_init(&out, mcp_allocator_default(), SIZE_MAX);
  mcpi_content_put_text(&out, doc);
  mcpi_content_put_text(&out, NULL);
  assert_int_equal(out.len, 2);
  assert_memory_equal(out.data, "ab", 2);
  mcpi_buf_deinit(&out);
}
