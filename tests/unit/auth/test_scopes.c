/* SPDX-License-Identifier: MIT */
#include "auth/scopes.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/scratch.h"

SCRATCH_TEST(next_takes_one_scope_after_the_other) {
  mcpi_str scopes = MCPI_STR("  a bc   d ");
  mcpi_str scope;
  assert_int_equal(mcpi_scopes_next(&scopes, &scope), 1);
  assert_true(mcpi_str_eq(scope, MCPI_STR("a")));
  assert_int_equal(mcpi_scopes_next(&scopes, &scope), 1);
  assert_true(mcpi_str_eq(scope, MCPI_STR("bc")));
  assert_int_equal(mcpi_scopes_next(&scopes, &scope), 1);
  assert_true(mcpi_str_eq(scope, MCPI_STR("d")));
  assert_int_equal(mcpi_scopes_next(&scopes, &scope), 0);
  scopes = mcpi_str_z(NULL);
  assert_int_equal(mcpi_scopes_next(&scopes, &scope), 0);
}

SCRATCH_TEST(a_scope_is_found_as_a_whole) {
  mcpi_str scopes = MCPI_STR("mcp:read mcp:write");
  assert_true(mcpi_scopes_has(scopes, MCPI_STR("mcp:read")));
  assert_true(mcpi_scopes_has(scopes, MCPI_STR("mcp:write")));
  assert_false(mcpi_scopes_has(scopes, MCPI_STR("mcp")));
  assert_false(mcpi_scopes_has(scopes, MCPI_STR("MCP:READ")));
  assert_false(mcpi_scopes_has(scopes, MCPI_STR("mcp:read mcp:write")));
  assert_false(mcpi_scopes_has(scopes, MCPI_STR("")));
  assert_false(mcpi_scopes_has(mcpi_str_z(NULL), MCPI_STR("a")));
}

SCRATCH_TEST(cover_needs_each_scope) {
  assert_true(mcpi_scopes_cover(MCPI_STR("a b c"), MCPI_STR("c a")));
  assert_false(mcpi_scopes_cover(MCPI_STR("a b"), MCPI_STR("a c")));
  assert_true(mcpi_scopes_cover(MCPI_STR(""), MCPI_STR("")));
  assert_true(mcpi_scopes_cover(MCPI_STR("a"), mcpi_str_z(NULL)));
  assert_false(mcpi_scopes_cover(mcpi_str_z(NULL), MCPI_STR("a")));
}

SCRATCH_TEST(add_makes_the_union_in_order) {
  mcpi_buf *to = scratch_buf();
  mcpi_scopes_add(to, MCPI_STR("b a"));
  mcpi_scopes_add(to, MCPI_STR("a c  b d"));
  mcpi_scopes_add(to, mcpi_str_z(NULL));
  assert_string_equal(scratch_str(to), "b a c d");
}

SCRATCH_TEST(a_scope_with_a_wrong_character_is_left_out) {
  mcpi_buf *to = scratch_buf();
  mcpi_scopes_add(to,
                  MCPI_STR("a b\"c d\\e f\ng h\x7f \xc3\xa9 https://x/y?z"));
  assert_string_equal(scratch_str(to), "a https://x/y?z");
}

SCRATCH_TEST(arrays_give_their_strings) {
  const mcp_json *array = scratch_json("['a', 1, null, 'b c', ['d'], 'a']");
  mcpi_buf *to = scratch_buf();
  mcpi_scopes_add_array(to, array);
  assert_string_equal(scratch_str(to), "a b c");
  assert_true(mcpi_scopes_array_has(array, MCPI_STR("b c")));
  assert_false(mcpi_scopes_array_has(array, MCPI_STR("d")));
  assert_false(mcpi_scopes_array_has(NULL, MCPI_STR("a")));
  const mcp_json *object = scratch_json("{'x': 'a'}");
  assert_false(mcpi_scopes_array_has(object, MCPI_STR("a")));
  mcpi_scopes_add_array(to, object);
  mcpi_scopes_add_array(to, NULL);
  assert_string_equal(scratch_str(to), "a b c");
}

SCRATCH_TEST(add_stops_at_the_limit_of_the_buffer) {
  const mcp_json *array = scratch_json("['ab', 'cd', 'e']");
  mcpi_buf to;
  mcpi_buf_init(&to, mcp_allocator_default(), 5);
  mcpi_scopes_add(&to, MCPI_STR("ab cd"));
  assert_int_equal(to.error, 0);
  mcpi_buf_clear(&to);
  mcpi_scopes_add_array(&to, array);
  assert_int_equal(to.error, MCP_ERR_LIMIT);
  assert_int_equal(to.len, 5);
  mcpi_buf_deinit(&to);
}

static int add_many(const mcp_allocator *allocator, void *userdata) {
  mcpi_buf to;
  mcpi_buf_init(&to, allocator, SIZE_MAX);
  mcpi_scopes_add(&to, MCPI_STR("a b c"));
  int rc = to.error;
  mcpi_buf_deinit(&to);
  return rc;
}

TEST(failures_are_survived) {
  failing_alloc_rerun_least(1, add_many, NULL);
}

TEST(a_set_has_one_space_between_its_scopes) {
  assert_true(mcpi_scopes_is_set(MCPI_STR("a")));
  assert_true(mcpi_scopes_is_set(MCPI_STR("files:read !#[]~ c")));
  assert_false(mcpi_scopes_is_set(MCPI_STR("")));
  assert_false(mcpi_scopes_is_set(mcpi_str_z(NULL)));
  assert_false(mcpi_scopes_is_set(MCPI_STR(" a")));
  assert_false(mcpi_scopes_is_set(MCPI_STR("a ")));
  assert_false(mcpi_scopes_is_set(MCPI_STR("a  b")));
  assert_false(mcpi_scopes_is_set(MCPI_STR("a\tb")));
  assert_false(mcpi_scopes_is_set(MCPI_STR("a \"b\"")));
  assert_false(mcpi_scopes_is_set(MCPI_STR("a\\b")));
  assert_false(mcpi_scopes_is_set(MCPI_STR("\x7f")));
  assert_false(mcpi_scopes_is_set(MCPI_STR("\xc3\xa4")));
}
