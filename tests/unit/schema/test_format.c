/* SPDX-License-Identifier: MIT */
/* Formats of strings: long and hostile texts, and what no text of format.txt
 * asks. */
#include "schema/format.h"

#include "support/cm.h"
#include "support/guarded.h"
#include <mcp/error.h>
#include <mcp/schema.h>
#include <stdlib.h>

enum { LONG = 1000 * 1000 };

static int accepts_n(const char *name, const char *text, size_t len) {
  int format = mcpi_format_find(mcpi_str_z(name));
  assert_true(format >= 0);
  char *copy = guarded_copy(text, len);
  int is_accepted = mcpi_format_accepts(format, mcpi_str_n(copy, len));
  guarded_free(copy, len);
  return is_accepted;
}

static void check(const char *name, const char *text, int is_good) {
  if (accepts_n(name, text, strlen(text)) != is_good) {
    fail_msg("%s: \"%s\" is %s", name, text, is_good ? "refused" : "accepted");
  }
}

/* --- hosts --------------------------------------------------------------- */

/* As many bytes as wanted: labels of 49 letters and a dot. */
static void make_host(char *to, size_t len) {
  memset(to, 'a', len);
  for (size_t i = 49; i < len - 1; i += 50) {
    to[i] = '.';
  }
}

TEST(hosts_have_at_most_253_bytes) {
  char text[300];
  make_host(text, 253);
  assert_true(accepts_n("hostname", text, 253));
  assert_true(accepts_n("idn-hostname", text, 253));
  make_host(text, 254);
  assert_false(accepts_n("hostname", text, 254));
  assert_false(accepts_n("idn-hostname", text, 254));
}

/* --- the others ---------------------------------------------------------- */

/* It knows one expression. */
static int fake_compile(void *userdata, const char *pattern, size_t len,
                        void **regex, size_t *error_offset) {
  assert_string_equal(userdata, "its own");
  if (len == 1 && pattern[0] == 'a') {
    *regex = malloc(1);
    return *regex != NULL ? 0 : MCP_ERR_NOMEM;
  }
  *error_offset = 0;
  return MCP_ERR_PARSE;
}

static int fake_match(const void *regex, const char *text, size_t len,
                      size_t *steps_left) {
  return 0;
}

TEST(a_regex_is_what_compiles) {
  static char own[] = "its own";
  static const mcp_regex_engine engine = {.size = sizeof(engine),
                                          .userdata = own,
                                          .compile = fake_compile,
                                          .match = fake_match,
                                          .release = free};
  check("regex", "(", 1); /* there is no engine yet */
  assert_int_equal(mcp_regex_provide(&engine), 0);
  check("regex", "a", 1);
  check("regex", "(", 0);
}

TEST(other_names_are_not_known) {
  assert_int_equal(mcpi_format_find(MCPI_STR("")), -1);
  assert_int_equal(mcpi_format_find(MCPI_STR("unknown")), -1);
  assert_int_equal(mcpi_format_find(MCPI_STR("Date")), -1);
  assert_int_equal(mcpi_format_find(MCPI_STR("dat")), -1);
  assert_int_equal(mcpi_format_find(MCPI_STR("date\0")), -1);
}

/* --- hostile text -------------------------------------------------------- */

static void each_format(void (*test)(int format)) {
  static const char *const names[] = {
      "date-time", "date",          "time",
      "duration",  "email",         "idn-email",
      "hostname",  "idn-hostname",  "ipv4",
      "ipv6",      "uri",           "uri-reference",
      "iri",       "iri-reference", "uri-template",
      "uuid",      "json-pointer",  "relative-json-pointer"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    int format = mcpi_format_find(mcpi_str_z(names[i]));
    assert_true(format >= 0);
    test(format);
  }
}

static void try_nul(int format) {
  static const char *const texts[] = {"2026-11-22", "a.b", "1.2.3.4", "::1",
                                      "a:b",        "P1D", "a@b",     "0"};
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    size_t len = strlen(texts[i]) + 1;
    char *copy = guarded_copy(texts[i], len);
    assert_false(mcpi_format_accepts(format, mcpi_str_n(copy, len)));
    guarded_free(copy, len);
  }
}

TEST(a_nul_is_no_end) {
  each_format(try_nul);
  assert_true(accepts_n("json-pointer", "/a\0b", 4));
  assert_false(accepts_n("uri", "a:b\0c", 5));
  assert_false(accepts_n("email", "a\0@b", 4));
  assert_false(accepts_n("email", "\"a\0\"@b", 6));
  assert_false(accepts_n("idn-hostname", "\xC3\xBC\0", 3));
}

static void try_empty(int format) {
  (void)mcpi_format_accepts(format, mcpi_str_n(NULL, 0));
}

static void try_long(int format) {
  static const char *const units[] = {"a",  "a.",  "1", "1:", "%41", "\xC3\xBC",
                                      "::", "/~0", "-", "\"", "{a}"};
  char *text = malloc(LONG);
  assert_non_null(text);
  for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
    size_t unit = strlen(units[i]);
    size_t len = LONG / unit * unit;
    for (size_t at = 0; at < len; at += unit) {
      memcpy(text + at, units[i], unit);
    }
    (void)mcpi_format_accepts(format, mcpi_str_n(text, len));
  }
  free(text);
}

TEST(nothing_and_a_megabyte_are_borne) {
  each_format(try_empty);
  each_format(try_long);
  char *text = malloc(LONG);
  assert_non_null(text);
  memset(text, 'a', LONG);
  memcpy(text, "a:", 2);
  assert_true(accepts_n("uri", text, LONG));
  assert_false(accepts_n("hostname", text + 2, LONG - 2));
  assert_false(accepts_n("idn-hostname", text + 2, LONG - 2));
  memset(text, '9', LONG);
  memcpy(text, "12:34:56.", 9);
  text[LONG - 1] = 'Z';
  assert_true(accepts_n("time", text, LONG));
  free(text);
}
