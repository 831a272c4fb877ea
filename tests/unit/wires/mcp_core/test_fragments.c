/* SPDX-License-Identifier: MIT */
#include "wires/mcp_core/fragments.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/schema_check.h"
#include "support/scratch.h"
#include <stdio.h>
#include <stdlib.h>

static const uint64_t seed[2] = {1, 2};

static int merge(mcpi_buf *out, const char *fragments,
                 const mcp_allocator *allocator) {
  const mcp_json *doc = scratch_json(fragments);
  mcpi_buf_init(out, allocator, SIZE_MAX);
  int rc = mcpi_fragments_put(out, doc, allocator, seed);
  return rc;
}

static void merges_to(const char *fragments, const char *expected) {
  mcpi_buf out;
  char *wanted = scratch_quoted(expected);
  assert_int_equal(merge(&out, fragments, mcp_allocator_default()), 0);
  mcpi_buf_putc(&out, '\0');
  assert_string_equal(out.data, wanted);
  mcpi_buf_deinit(&out);
}

SCRATCH_TEST(contents_follow_one_another) {
  merges_to("[]", "{'content':[]}");
  merges_to("[{'content':[1,2]},{},{'content':[]},{'content':[{'a':1}]}]",
            "{'content':[1,2,{'a':1}]}");
  merges_to("[{'content':7},null,[],'x']", "{'content':[]}");
}

SCRATCH_TEST(of_members_the_later_counts) {
  merges_to("[{'structuredContent':{'a':1,'b':{'x':1}},'isError':true},"
            "{'structuredContent':{'b':{'y':2},'c':3},'isError':false}]",
            "{'content':[],'structuredContent':{'a':1,'b':{'y':2},'c':3},"
            "'isError':false}");
  merges_to("[{'_meta':{'a':1}},{'_meta':{'a':2}},{'_meta':7,'isError':1,"
            "'structuredContent':[]}]",
            "{'content':[],'_meta':{'a':2}}");
  merges_to("[{'_meta':{}},{'structuredContent':{'a':1,'a':2}}]",
            "{'content':[],'structuredContent':{'a':2},'_meta':{}}");
}

static int scenario(const mcp_allocator *allocator, void *userdata) {
  mcpi_buf out;
  int rc = merge(&out,
                 "[{'content':[1],'structuredContent':{'a':1},'_meta':{'b':2}},"
                 "{'content':[2],'structuredContent':{'a':3}}]",
                 allocator);
  mcpi_buf_deinit(&out);
  return rc;
}

SCRATCH_TEST(it_bears_every_failure_of_memory) {
  assert_true(failing_alloc_rerun(scenario, NULL) > 2);
}

/* The error of a broken stream is JSON, with the fragments or without them. */
static int put_broken(const mcp_allocator *allocator, void *userdata) {
  mcpi_buf out;
  mcpi_buf_init(&out, allocator, SIZE_MAX);
  int rc = mcpi_fragments_put_broken(&out, MCPI_STR("1"), mcpi_str_z(userdata),
                                     seed);
  if (rc == 0) {
    mcp_doc *doc = mcp_doc_parse(out.data, out.len, NULL, NULL, NULL);
    assert_non_null(doc);
    mcp_doc_free(doc);
  }
  mcpi_buf_deinit(&out);
  return rc;
}

/* The texts have all lengths around the first size of a buffer, so that each
 * byte of the error is once the first that has no room. */
SCRATCH_TEST(a_broken_stream_ends_in_json_whatever_memory_fails) {
  char text[300];
  for (int len = 150; len < 260; len++) {
    snprintf(text, sizeof(text), "{\"content\":[\"%0*d\"]}", len, 0);
    failing_alloc_rerun(put_broken, text);
  }
}
