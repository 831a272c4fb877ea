/* SPDX-License-Identifier: MIT */
#include "codec/uri_template.h"

#include "support/failing_alloc.h"
#include "support/scratch.h"

static const char more_values[] =
    "{\"n\":42,\"r\":3.0,\"f\":-1.5,\"big\":123456789012345678901234567890,"
    "\"huge\":1E+400,\"u\":\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z\","
    "\"nul\":\"a\\u0000b\",\"pct\":\"%41%zz%\",\"mixed\":[1,null,\"a b\",\"\"],"
    "\"nulls\":[null,null],\"gaps\":{\"a\":null,\"b c\":2,\"d\":\"\"},"
    "\"a.b\":\"dotted\",\"%41\":\"encoded name\",\"bool\":true,"
    "\"deep\":[[1]],\"deepobj\":{\"a\":{}},\"ok\":1}";

static const char *const more_examples[][2] = {
    {"", ""},
    {"{n}{?r,f}", "42?r=3&f=-1.5"},
    {"{big}", "123456789012345678901234567890"},
    {"{big:3}", "123"},
    {"{huge}", "1E%2B400"},
    {"{+huge}", "1E+400"},
    {"{u}", "%C3%A9%E2%82%AC%F0%9F%98%80z"},
    {"{u:1}", "%C3%A9"},
    {"{u:3}", "%C3%A9%E2%82%AC%F0%9F%98%80"},
    {"{u:9999}", "%C3%A9%E2%82%AC%F0%9F%98%80z"},
    {"{nul}", "a%00b"},
    {"{pct}", "%2541%25zz%25"},
    {"{+pct}", "%41%25zz%25"},
    {"{mixed}{?mixed*}", "1,a%20b,?mixed=1&mixed=a%20b&mixed="},
    {"{;mixed*}", ";mixed=1;mixed=a%20b;mixed"},
    {"x{nulls}{?nulls}{/nulls*}", "x"},
    {"{?gaps*}", "?b%20c=2&d="},
    {"{;gaps*}", ";b%20c=2;d"},
    {"{gaps}", "b%20c,2,d,"},
    {"{a.b}", "dotted"},
    {"{%41}", "encoded%20name"},
    {"\xC3\xA9/%41'~", "%C3%A9/%41'~"},
};

static mcpi_uri_template *compile(const char *text) {
  mcpi_uri_template *tpl = NULL;
  assert_int_equal(mcpi_uri_template_new(&tpl, mcpi_str_z(text),
                                         mcp_allocator_default(), NULL),
                   0);
  return tpl;
}

static void check(const char *text, const mcp_json *values,
                  const char *expected) {
  mcpi_uri_template *tpl = compile(text);
  mcpi_buf *out = scratch_buf();
  assert_int_equal(mcpi_uri_template_expand(tpl, values, out, NULL), 0);
  mcpi_buf_putc(out, '\0');
  assert_string_equal(out->data, expected);
  mcpi_uri_template_free(tpl);
}

SCRATCH_TEST(values_of_all_kinds) {
  const mcp_json *doc = scratch_plain_json(more_values);
  size_t count = sizeof(more_examples) / sizeof(more_examples[0]);
  for (size_t i = 0; i < count; i++) {
    check(more_examples[i][0], doc, more_examples[i][1]);
  }
  check("a{x}{?y}{#z}", NULL, "a");
}

SCRATCH_TEST(values_of_another_kind_are_refused) {
  static const char *const texts[] = {"{bool}", "{deep}", "{deepobj*}",
                                      "{mixed:3}", "{?gaps:1}"};
  const mcp_json *doc = scratch_plain_json(more_values);
  mcpi_buf *out = scratch_buf();
  mcpi_buf_lit(out, "before");
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    mcp_error err;
    mcpi_uri_template *tpl = compile(texts[i]);
    assert_int_equal(mcpi_uri_template_expand(tpl, doc, out, &err),
                     MCP_ERR_INVALID);
    assert_int_equal(err.code, MCP_ERR_INVALID);
    assert_int_equal(out->len, 6);
    assert_int_equal(out->error, 0);
    mcpi_uri_template_free(tpl);
  }
}

SCRATCH_TEST(the_buffers_limit_is_told) {
  const mcp_json *doc = scratch_plain_json("{\"var\":\"value\"}");
  mcpi_uri_template *tpl = compile("{var}");
  mcpi_buf out;
  for (size_t max = 0; max <= 5; max++) {
    mcpi_buf_init(&out, mcp_allocator_default(), max);
    assert_int_equal(mcpi_uri_template_expand(tpl, doc, &out, NULL),
                     max < 5 ? MCP_ERR_LIMIT : 0);
    assert_int_equal(out.len, max < 5 ? 0 : 5);
    mcpi_buf_deinit(&out);
  }
  mcpi_uri_template_free(tpl);
}

SCRATCH_TEST(an_earlier_failure_of_the_buffer_stays) {
  mcpi_uri_template *tpl = compile("x");
  mcpi_buf out;
  mcpi_buf_init(&out, mcp_allocator_default(), 3);
  mcpi_buf_lit(&out, "four");
  assert_int_equal(mcpi_uri_template_expand(tpl, NULL, &out, NULL),
                   MCP_ERR_LIMIT);
  assert_int_equal(out.error, MCP_ERR_LIMIT);
  mcpi_buf_deinit(&out);
  mcpi_uri_template_free(tpl);
}

static int expand_all(const mcp_allocator *allocator, void *userdata) {
  mcpi_uri_template *tpl = NULL;
  mcpi_buf out;
  mcpi_buf_init(&out, allocator, SIZE_MAX);
  int rc = mcpi_uri_template_new(
      &tpl, MCPI_STR("{n,f}{?mixed*,gaps*}{u}{u}{u}{u}{u}{u}{u}{u}{u}{big}"),
      allocator, NULL);
  if (rc == 0) {
    rc = mcpi_uri_template_expand(tpl, userdata, &out, NULL);
  }
  mcpi_uri_template_free(tpl);
  mcpi_buf_deinit(&out);
  return rc;
}

SCRATCH_TEST(failures_are_survived) {
  const mcp_json *doc = scratch_plain_json(more_values);
  assert_true(failing_alloc_rerun(expand_all, (void *)doc) >= 5);
}
