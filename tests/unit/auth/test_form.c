/* SPDX-License-Identifier: MIT */
#include "auth/form.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/scratch.h"

SCRATCH_TEST(members_are_encoded) {
  mcpi_buf *form = scratch_buf();
  mcpi_form_put(form, 0, "a", MCPI_STR("x y"));
  mcpi_form_put(form, 0, "b&", MCPI_STR("1=2&3+4%\xc3\xa4~*-._"));
  mcpi_form_put(form, 0, "c", MCPI_STR(""));
  assert_string_equal(scratch_str(form),
                      "a=x+y&b%26=1%3D2%263%2B4%25%C3%A4%7E*-._&c=");
}

SCRATCH_TEST(a_query_begins_where_the_caller_says) {
  mcpi_buf *url = scratch_buf();
  mcpi_buf_lit(url, "https://a/?b=c&");
  size_t begin = url->len;
  mcpi_form_put(url, begin, "d", MCPI_STR("e"));
  mcpi_form_put(url, begin, "f", MCPI_STR("g"));
  assert_string_equal(scratch_str(url), "https://a/?b=c&d=e&f=g");
}

static void assert_gets(const char *form, const char *name, int rc,
                        const char *value) {
  mcpi_buf out;
  mcpi_buf_init(&out, mcp_allocator_default(), SIZE_MAX);
  int found = mcpi_form_get(&out, mcpi_str_z(form), name);
  if (found != rc) {
    fail_msg("%s of \"%s\": %d", name, form, found);
  }
  if (rc == 0) {
    assert_non_null(out.data);
    assert_int_equal(out.len, strlen(value));
    assert_memory_equal(out.data, value, out.len);
  } else {
    assert_int_equal(out.len, 0);
  }
  mcpi_buf_deinit(&out);
}

SCRATCH_TEST(members_are_decoded) {
  assert_gets("a=b", "a", 0, "b");
  assert_gets("x=1&a=b+c%20d%2B&y", "a", 0, "b c d+");
  assert_gets("a=", "a", 0, "");
  assert_gets("a", "a", 0, "");
  assert_gets("a=b=c", "a", 0, "b=c");
  assert_gets("%61=b", "a", 0, "b");
  assert_gets("&&a=b&&", "a", 0, "b");
  assert_gets("aa=1&a=2", "a", 0, "2");
  assert_gets("a+b=1", "a b", 0, "1");
}

SCRATCH_TEST(an_absent_member_is_not_found) {
  assert_gets("", "a", MCP_ERR_NOT_FOUND, NULL);
  assert_gets("b=a", "a", MCP_ERR_NOT_FOUND, NULL);
  assert_gets("A=b", "a", MCP_ERR_NOT_FOUND, NULL);
  assert_gets("=b", "a", MCP_ERR_NOT_FOUND, NULL);
}

SCRATCH_TEST(a_wrong_member_is_refused) {
  assert_gets("a=1&a=1", "a", MCP_ERR_INVALID, NULL);
  assert_gets("a=1&%61=1", "a", MCP_ERR_INVALID, NULL);
  assert_gets("a=%", "a", MCP_ERR_INVALID, NULL);
  assert_gets("a=%4", "a", MCP_ERR_INVALID, NULL);
  assert_gets("a=%zz", "a", MCP_ERR_INVALID, NULL);
  assert_gets("a=x%00y", "a", MCP_ERR_INVALID, NULL);
}

SCRATCH_TEST(a_value_that_does_not_fit_is_an_error) {
  mcpi_buf out;
  mcpi_buf_init(&out, mcp_allocator_default(), 3);
  assert_int_equal(mcpi_form_get(&out, MCPI_STR("a=%62c%64"), "a"), 0);
  assert_int_equal(out.len, 3);
  mcpi_buf_clear(&out);
  assert_int_equal(mcpi_form_get(&out, MCPI_STR("a=bcde"), "a"), MCP_ERR_LIMIT);
  mcpi_buf_deinit(&out);
}

SCRATCH_TEST(a_value_is_appended) {
  mcpi_buf *out = scratch_buf();
  mcpi_buf_lit(out, "x");
  assert_int_equal(mcpi_form_get(out, MCPI_STR("a=b"), "a"), 0);
  assert_int_equal(mcpi_form_get(out, MCPI_STR("a=c%"), "a"), MCP_ERR_INVALID);
  assert_int_equal(mcpi_form_get(out, MCPI_STR("a=c%00"), "a"),
                   MCP_ERR_INVALID);
  assert_string_equal(scratch_str(out), "xb");
}

SCRATCH_TEST(what_is_wrong_elsewhere_does_not_matter) {
  assert_gets("b=%&a=1&%zz=2", "a", 0, "1");
}

SCRATCH_TEST(basic_encodes_id_and_secret_first) {
  mcpi_buf *out = scratch_buf();
  mcpi_form_put_basic(out, MCPI_STR("a:b"), MCPI_STR("c d%"));
  /* base64 of "a%3Ab:c+d%25" */
  assert_string_equal(scratch_str(out), "Basic YSUzQWI6YytkJTI1");
}

static int use_all(const mcp_allocator *allocator, void *userdata) {
  mcpi_buf out;
  mcpi_buf_init(&out, allocator, SIZE_MAX);
  mcpi_form_put(&out, 0, "a", MCPI_STR("b"));
  mcpi_form_put_basic(&out, MCPI_STR("a"), MCPI_STR("b"));
  int rc = out.error;
  mcpi_buf_deinit(&out);
  if (rc == 0) {
    rc = mcpi_form_get(&out, MCPI_STR("%62=c&a=b"), "b");
    mcpi_buf_deinit(&out);
  }
  return rc;
}

TEST(failures_are_survived) {
  failing_alloc_rerun_least(4, use_all, NULL);
}
