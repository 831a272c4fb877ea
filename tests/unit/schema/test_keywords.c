/* SPDX-License-Identifier: MIT */
/* schema/compile_keywords.c, compile_object.c and validate*.c: what
 * keywords.txt, which has each keyword of both drafts, cannot hold. */
#include "support/cm.h"

#include "support/plain_regex.h"
#include "support/schema_check.h"
#include "support/scratch.h"

/* Before an engine is there; so this is the first test. */
SCRATCH_TEST(patterns_need_an_engine) {
  static const mcp_regex_engine too_short = {.size = sizeof(size_t)};
  static const schema_fault list[] = {
      {"{'pattern':'a'}",
       "/pattern: a pattern needs regular expressions, and this program has "
       "none: see mcp_regex_provide"},
      {"{'patternProperties':{'a':true}}",
       "/patternProperties/a: a pattern needs regular expressions, and this "
       "program has none: see mcp_regex_provide"},
  };
  assert_int_equal(mcp_regex_provide(NULL), MCP_ERR_INVALID);
  assert_int_equal(mcp_regex_provide(&too_short), MCP_ERR_INVALID);
  SCHEMA_EXPECT_FAULTS(list, MCP_ERR_PLATFORM, NULL);
  plain_regex_provide();
}

/* Arrays of more items than are held at once are gone over several times. */
SCRATCH_TEST(unique_items_compares_long_arrays) {
  char *differ = scratch_repeat("[-1", ",@,'@',[@]", 1000, "]");
  char *equal = scratch_repeat("[-1", ",@,'@',[@]", 1000, ",[3]]");
  const schema_case list[] = {
      {"{'uniqueItems':true}", differ, NULL},
      {"{'uniqueItems':true}", equal,
       "the items 12 and 3001 are equal, all must differ"},
  };
  SCHEMA_EXPECT(list, NULL);
}
