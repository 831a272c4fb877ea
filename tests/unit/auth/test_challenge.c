/* SPDX-License-Identifier: MIT */
#include "auth/challenge.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/scratch.h"
#include <stdio.h>

/* Reads a line, and writes what is found as
 * "B D scope=... error=... metadata=... description=...". */
static void describe(const char *line, char *out, size_t size) {
  mcpi_demand demand = {0};
  const mcp_allocator *allocator = mcp_allocator_default();
  assert_int_equal(mcpi_demand_read(&demand, mcpi_str_z(line), allocator), 0);
  const char *const values[][2] = {{" scope=", demand.scope},
                                   {" error=", demand.error},
                                   {" metadata=", demand.resource_metadata},
                                   {" description=", demand.error_description}};
  size_t len = (size_t)snprintf(out, size, "%s%s", demand.has_bearer ? "B" : "",
                                demand.has_dpop ? "D" : "");
  for (size_t i = 0; i < 4; i++) {
    if (values[i][1] != NULL) {
      len += (size_t)snprintf(out + len, size - len, "%s%s", values[i][0],
                              values[i][1]);
    }
  }
  mcpi_demand_deinit(&demand, allocator);
}

TEST(challenges_are_read_in_each_form) {
  static const char *const cases[][2] = {
      {"Bearer", "B"},
      {"bearer", "B"},
      {"DPoP algs=\"ES256\"", "D"},
      {"Bearer scope=\"a b\"", "B scope=a b"},
      {"Bearer realm=\"x\", scope=\"a\", error=invalid_token",
       "B scope=a error=invalid_token"},
      {"Bearer scope = \"a\" ,error\t=\t\"b\"", "B scope=a error=b"},
      {"Bearer SCOPE=\"a\"", "B scope=a"},
      {"Bearer resource_metadata=\"https://a/b?c,d\"",
       "B metadata=https://a/b?c,d"},
      {"Bearer error_description=\"say \\\"hi\\\" \\\\ there\"",
       "B description=say \"hi\" \\ there"},
      {"Basic realm=\"a\", Bearer scope=\"b\"", "B scope=b"},
      {"Basic scope=\"a\", Bearer", "B"},
      {"Bearer scope=\"a\", Basic scope=\"b\"", "B scope=a"},
      {"Negotiate, Bearer scope=a", "B scope=a"},
      {"Negotiate YWJj==, Bearer scope=a", "B scope=a"},
      {"NTLM YWJj, DPoP error=\"use_dpop_nonce\"", "D error=use_dpop_nonce"},
      {"Bearer error=\"a\", DPoP error=\"b\"", "BD error=a"},
      {",, Bearer ,, scope=\"a\",,", "B scope=a"},
      {"Bearer scope=\"a\", scope=\"b\"", "B scope=a"},
      {"Bearer scope=\"\"", "B scope="},
      {"", ""},
      {"   ", ""}};
  char found[300];
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    describe(cases[i][0], found, sizeof(found));
    assert_string_equal(found, cases[i][1]);
  }
}

TEST(the_rest_of_a_broken_line_is_ignored) {
  static const char *const cases[][2] = {
      {"Bearer error=\"a\", scope=\"never ends", "B error=a"},
      {"Bearer error=\"a\", @, scope=\"b\"", "B error=a"},
      {"Bearer error=\"a\", scope=, x", "B error=a"},
      {"\"Bearer\"", ""},
      {"=", ""},
      {"Bearer scope=\"a\x01\"", "B"},
      {"Bearer scope=\"a\x7f\", error=b", "B error=b"},
      {"Bearer scope=\"a\xc3\xa9\", error=\"\x9b\"", "B"},
      {"Bearer error_description=\"d\xc3\xa9j\xc2\x9b\"",
       "B description=d??j??"},
      {"Bearer error_description=\"d\xc3\xa9\n\"", "B"},
      {"Bearer scope=\"a\\", "B"},
      {"Bearer error=\"a\" scope=\"b\"", "B scope=b error=a"}};
  char found[300];
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    describe(cases[i][0], found, sizeof(found));
    assert_string_equal(found, cases[i][1]);
  }
}

TEST(several_lines_add_up) {
  mcpi_demand demand = {0};
  const mcp_allocator *allocator = mcp_allocator_default();
  mcpi_demand_read(&demand, MCPI_STR("Basic realm=\"a\""), allocator);
  mcpi_demand_read(&demand, MCPI_STR("Bearer scope=\"a\""), allocator);
  mcpi_demand_read(&demand, MCPI_STR("DPoP scope=\"b\", error=\"c\""),
                   allocator);
  assert_true(demand.has_bearer && demand.has_dpop);
  assert_string_equal(demand.scope, "a");
  assert_string_equal(demand.error, "c");
  mcpi_demand_deinit(&demand, allocator);
  assert_null(demand.scope);
}

/* `quote` is written around the value. */
static void read_long_value(size_t len, const char *quote) {
  static char line[9000];
  mcpi_demand demand = {0};
  size_t at = (size_t)snprintf(line, sizeof(line), "Bearer scope=%s", quote);
  memset(line + at, 'a', len);
  snprintf(line + at + len, sizeof(line) - at - len, "%s, error=b", quote);
  assert_int_equal(
      mcpi_demand_read(&demand, mcpi_str_z(line), mcp_allocator_default()), 0);
  assert_int_equal(demand.scope != NULL, len <= 8192);
  assert_string_equal(demand.error, "b");
  mcpi_demand_deinit(&demand, mcp_allocator_default());
}

TEST(a_value_has_a_limit) {
  for (size_t len = 8192; len <= 8194; len++) {
    read_long_value(len, "\"");
    read_long_value(len, "");
  }
}

SCRATCH_TEST(what_is_written_is_read) {
  static const char value[] = "a \"b\" \\c, d=e";
  mcpi_buf *buf = scratch_buf();
  mcpi_demand demand = {0};
  mcpi_buf_lit(buf, "ignored: Bearer");
  mcpi_challenge_put(buf, 9, "error", MCPI_STR("invalid_token"));
  mcpi_challenge_put(buf, 9, "error_description", mcpi_str_z(value));
  mcpi_challenge_put(buf, 9, "scope", MCPI_STR("x\r\ny\xc3\xa9"));
  assert_string_equal(scratch_str(buf),
                      "ignored: Bearer error=\"invalid_token\", "
                      "error_description=\"a \\\"b\\\" \\\\c, d=e\", "
                      "scope=\"x??y??\"");
  mcpi_demand_read(&demand, mcpi_str_n(buf->data + 9, buf->len - 9),
                   mcp_allocator_default());
  assert_string_equal(demand.error, "invalid_token");
  assert_string_equal(demand.error_description, value);
  mcpi_demand_deinit(&demand, mcp_allocator_default());
}

static int read_one(const mcp_allocator *allocator, void *userdata) {
  mcpi_demand demand = {0};
  int rc = mcpi_demand_read(
      &demand, MCPI_STR("Bearer scope=\"a\", error=\"b\""), allocator);
  mcpi_demand_deinit(&demand, allocator);
  return rc;
}

static int write_one(const mcp_allocator *allocator, void *userdata) {
  mcpi_buf buf;
  mcpi_buf_init(&buf, allocator, SIZE_MAX);
  mcpi_buf_lit(&buf, "Bearer");
  mcpi_challenge_put(&buf, 0, "error", MCPI_STR("a"));
  int rc = buf.error;
  mcpi_buf_deinit(&buf);
  return rc;
}

TEST(failures_are_survived) {
  failing_alloc_rerun_least(3, read_one, NULL);
  failing_alloc_rerun_least(1, write_one, NULL);
}

TEST(a_parameter_is_not_added_to_a_buffer_that_has_failed) {
  mcpi_buf buf;
  mcpi_buf_init(&buf, mcp_allocator_default(), 0);
  mcpi_buf_lit(&buf, "Bearer");
  assert_int_equal(buf.error, MCP_ERR_LIMIT);
  mcpi_challenge_put(&buf, 0, "scope", MCPI_STR("a"));
  assert_int_equal(buf.len, 0);
  mcpi_buf_deinit(&buf);
}
