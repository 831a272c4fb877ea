/* SPDX-License-Identifier: MIT */
#include "support/cm.h"

#include "skills/scalar.h"
#include <mcp/error.h>

typedef struct row {
  const char *yaml;
  const char *json; /* NULL: text; "": JSON has no such value */
} row;

/* YAML 1.2.2, 10.3.2, and the edges of its patterns. */
static const row rows[] = {
    {"", "null"},
    {"~", "null"},
    {"null", "null"},
    {"NULL", "null"},
    {"nULL", NULL},
    {"true", "true"},
    {"True", "true"},
    {"TRUE", "true"},
    {"tRUE", NULL},
    {"false", "false"},
    {"yes", NULL},
    {"off", NULL},
    {"0", "0"},
    {"-0", "-0"},
    {"+7", "7"},
    {"007", "7"},
    {"-007", "-7"},
    {"12", "12"},
    {"1.", "1"},
    {".5", "0.5"},
    {"-.5", "-0.5"},
    {"1.50", "1.50"},
    {"1e3", "1e3"},
    {"1E+3", "1e3"},
    {"1.5e-3", "1.5e-3"},
    {"1e", NULL},
    {"e3", NULL},
    {"1e+", NULL},
    {".", NULL},
    {"+", NULL},
    {"-", NULL},
    {"1.2.3", NULL},
    {"1 2", NULL},
    {"0o17", "15"},
    {"0x1F", "31"},
    {"0xg", NULL},
    {"0o8", NULL},
    {"0x", NULL},
    {"0xffffffffffffffff", "18446744073709551615"},
    {"0x10000000000000000", NULL},
    {".inf", ""},
    {"-.INF", ""},
    {"+.Inf", ""},
    {".nan", ""},
    {".NaN", ""},
    {"-.nan", NULL},
    {"-.NaN", NULL},
    {"+.NAN", NULL},
    {"-+.inf", NULL},
    {"2026-07-28", NULL},
    {"1_000", NULL},
    {"123456789012345678901234567890", "123456789012345678901234567890"}};

TEST(a_plain_scalar_means_what_the_core_schema_says) {
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    mcpi_buf json;
    mcpi_buf_init(&json, mcp_allocator_default(), SIZE_MAX);
    mcpi_scalar meaning = mcpi_scalar_read(mcpi_str_z(rows[i].yaml), &json);
    mcpi_buf_putc(&json, '\0');
    if (rows[i].json == NULL) {
      assert_int_equal(meaning, MCPI_SCALAR_TEXT);
      assert_string_equal(json.data, "");
    } else if (rows[i].json[0] == '\0') {
      assert_int_equal(meaning, MCPI_SCALAR_FOREIGN);
    } else {
      assert_int_equal(meaning, MCPI_SCALAR_JSON);
      assert_string_equal(json.data, rows[i].json);
    }
    mcpi_buf_deinit(&json);
  }
}

TEST(a_full_buffer_keeps_its_error) {
  mcpi_buf json;
  mcpi_buf_init(&json, mcp_allocator_default(), 2);
  mcpi_scalar_read(MCPI_STR("12345"), &json);
  assert_int_equal(json.error, MCP_ERR_LIMIT);
  mcpi_buf_deinit(&json);
}
