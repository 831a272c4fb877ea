/* SPDX-License-Identifier: MIT */
/* Formats of strings: for each what is one, and what is not. The official test
 * suite (tests/schema) asks most of them more than these do. */
#include "schema/format.h"

#include "support/cm.h"
#include "support/guarded.h"
#include <mcp/error.h>
#include <mcp/schema.h>
#include <stdlib.h>

enum { MAX_TEXTS = 40, LONG = 1000 * 1000 };

typedef struct format_case {
  const char *name;
  const char *good[MAX_TEXTS];
  const char *bad[MAX_TEXTS];
} format_case;

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

static void check_cases(const format_case *cases, size_t count) {
  for (size_t i = 0; i < count; i++) {
    for (size_t j = 0; cases[i].good[j] != NULL; j++) {
      check(cases[i].name, cases[i].good[j], 1);
    }
    for (size_t j = 0; cases[i].bad[j] != NULL; j++) {
      check(cases[i].name, cases[i].bad[j], 0);
    }
  }
}

#define CHECK_CASES(cases)                                                     \
  check_cases(cases, sizeof(cases) / sizeof((cases)[0]))

/* --- times --------------------------------------------------------------- */

TEST(times_are_those_of_rfc_3339) {
  static const format_case cases[] = {
      {"date",
       {"2026-11-22", "0000-01-01", "9999-12-31", "2024-02-29", "2000-02-29"},
       {"", "2026-11-2", "2026-11-222", "2026-13-01", "2026-00-01",
        "2026-01-00", "2026-01-32", "2026-04-31", "2023-02-29", "1900-02-29",
        "20261122", "2026-1-22", "-026-11-22", "2026/11/22", " 2026-11-22",
        "2026-11-22 ", "2026-11-2\xDB\xB1"}},
      {"time",
       {"00:00:00Z", "23:59:59z", "12:34:56.7+14:00", "12:34:56.789012345678Z",
        "23:59:60Z", "23:59:60.5Z", "00:29:60+00:30", "23:29:60-00:30",
        "15:59:60-08:00"},
       {"", "12:34Z", "12:34:56", "24:00:00Z", "12:60:00Z", "12:00:61Z",
        "23:59:61Z", "22:59:60Z", "23:59:60+00:01", "12:34:56.Z", "12:34:56,7Z",
        "12:34:56+1:00", "12:34:56+24:00", "12:34:56+01:60", "12:34:56+0100",
        "12:34:56ZZ", "1:2:3Z", "12:34:56 Z"}},
      {"date-time",
       {"2026-11-22T05:23:54Z", "2026-11-22t05:23:54.1z",
        "2026-11-22T05:23:54-08:30", "1998-12-31T15:59:60-08:00"},
       {"2026-11-22", "05:23:54Z", "2026-11-22 05:23:54Z",
        "2026-11-22T05:23:54", "2026-11-22TT05:23:54Z", "2026-11-31T05:23:54Z",
        "2026-11-22T05:23:54Z\n"}},
      {"duration",
       {"P1Y", "P1Y2M", "P1Y2M3D", "P2M3D", "P3D", "P4W", "PT1H", "PT1H2M",
        "PT1H2M3S", "PT2M3S", "PT3S", "P1DT12H", "P1Y2M3DT4H5M6S",
        "P00000000000000000000009999999999999D"},
       {"",       "P",      "PT",     "P1",     "1D",   "P1DT",  "P1Y2D",
        "PT1H2S", "P2D1Y",  "P1D1D",  "PT1S1S", "P1S",  "PT1D",  "P1W1D",
        "P1WT1H", "P1YT1W", "PT1W",   "-P1D",   "P-1D", "P1.5D", "PT0.5S",
        "p1d",    "P1D ",   "P1TT1H", "PD"}},
  };
  CHECK_CASES(cases);
}

/* --- hosts --------------------------------------------------------------- */

/* As many bytes as wanted: labels of 49 letters and a dot. */
static void make_host(char *to, size_t len) {
  memset(to, 'a', len);
  for (size_t i = 49; i < len - 1; i += 50) {
    to[i] = '.';
  }
}

#define L63 "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffggg"

TEST(hosts_are_those_of_the_dns) {
  static const format_case cases[] = {
      {"hostname",
       {"a", "localhost", "a.b", "A-1.example", "1.2.3.4", "3com.com", L63 ".x",
        "r3---sn.example", "xn--bcher-kva.example", "XN--BCHER-KVA"},
       {"", ".", "a.", ".a", "a..b", "-a", "a-", "a.-b", "a_b", "a b", "a:1",
        L63 "h",
        "b\xC3\xBC"
        "cher",
        "xn--", "xn--a", "xn--bcher-kv", "xn--example-", "xn--bcher-kva-"}},
      {"idn-hostname",
       {"a", "r3---sn.example",
        "b\xC3\xBC"
        "cher.example",
        "l\xC2\xB7l",
        "xn--bcher-kva.b\xC3\xBC"
        "cher",
        "a\xE3\x80\x82"
        "b",
        "a\xEF\xBC\x8E"
        "b",
        "a\xEF\xBD\xA1"
        "b",
        "\xD7\x90\xD7\x91.\xD7\x92",
        "\xD7\x90"
        "1",
        "\xE4\xBE\x8B.\xE4\xBE\x8B"},
       {"",
        "\xE3\x80\x82",
        "a\xE3\x80\x82",
        "\xC3\xBC-",
        "-\xC3\xBC",
        "\xC3\xBC_",
        "\xC3\xBC b",
        "\xC3\xBC.b_c",
        "l\xC2\xB7",
        "a\xC2\xB7l",
        "\xCC\x88"
        "a",
        "a\xC2\xA0"
        "b",
        "a\xE2\x80\xAE"
        "b",
        "\xF0\x9F\x98\x80",
        "\xEF\xBC\xA1",
        "\xEE\x80\x80",
        "\xC3\xBC"
        "b--c", /* reserved, as "xn--" is */
        "a\xD7\x90",
        "1\xD7\x90",
        "1.\xD7\x90",
        "xn--7a",
        "xn---9uc"}},
      {"ipv4",
       {"0.0.0.0", "255.255.255.255", "127.0.0.1", "1.20.199.249"},
       {"", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.1.1.256", "1.1.1.1000",
        "01.1.1.1", "1.1.1.00", "1..1.1", ".1.1.1", "1.1.1.", "0x1.1.1.1",
        "1.1.1.1 ", " 1.1.1.1", "1,1,1,1", "1.1.1.1/8", "-1.1.1.1",
        "2130706433"}},
      {"ipv6",
       {"::", "::1", "1::", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::",
        "::2:3:4:5:6:7:8", "1::8", "fe80::AbCd", "::1.2.3.4", "1::1.2.3.4",
        "1:2:3:4:5:6:1.2.3.4", "::2:3:4:5:6:1.2.3.4", "0000::0000"},
       {"",
        ":",
        ":::",
        "1",
        "1:",
        ":1",
        "1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:8:9",
        "1:2:3:4:5:6:7:8::",
        "::1:2:3:4:5:6:7:8",
        "1::2::3",
        "1:::2",
        "12345::",
        "::12345",
        "g::",
        "::1.2.3",
        "::1.2.3.4:5",
        "1:2:3:4:5:6:7:1.2.3.4",
        "::1.2.3.256",
        "1.2.3.4",
        "fe80::1%lo",
        "[::1]",
        "::1/128",
        ":1::2",
        "1::2:"}},
      {"email",
       {"a@b", "a.b@c.d", "!#$%&'*+-/=?^_`{|}~@a", "\"\"@a", "\"a b\"@c",
        "\"a@b\"@c", "\"a\\\"b\"@c", "a@[127.0.0.1]", "a@[IPv6:::1]",
        L63 "h@a"},
       {"",         "@",     "a",         "a@",         "@b",
        ".a@b",     "a.@b",  "a..b@c",    "a b@c",      "a@b@c",
        "a@b_c",    "a@b.",  "\"a@b",     "\"a\"b@c",   "a\"b\"@c",
        "\"\\",     "\"a\\", "\"\n\"@a",  "a@[1.2.3]",  "a@[::1]",
        "a@[]",     "a@[",   "a@[IPv6:]", "\xC3\xBC@b", "a@\xC3\xBC",
        L63 "hi@a", "a,b@c", "A <a@b>"}},
      {"idn-email",
       {"a@b", "\xC3\xBC@\xC3\xBC", "\"\xC3\xBC\"@b", "a@xn--bcher-kva"},
       {"", "\xC3\xBC", "@\xC3\xBC", "a@\xC3\xBC..b", "a@\xC2\xA0"}},
  };
  CHECK_CASES(cases);
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

/* --- URIs ---------------------------------------------------------------- */

TEST(uris_are_those_of_rfc_3986) {
  static const format_case cases[] = {
      {"uri",
       {"a:", "http://a", "http://a:80/b?c#d", "http://a:/", "http://u:p@a:1",
        "http://", "file:///etc", "urn:a:b", "mailto:a@b", "a+b-c.1:x",
        "http://[::1]:80/", "http://[v1.a:b]", "http://999.1", "a:%41%ff",
        "a:b?c?d/e", "http://a//b", "http://-._~!$&'()*+,;="},
       {"",
        "a",
        "/a",
        "//a",
        "?a",
        "#a",
        ":a",
        "1a:b",
        "a_b:c",
        "a:b c",
        "a:\\",
        "a:%",
        "a:%4",
        "a:%4g",
        "a:<",
        "a:{",
        "a:^",
        "a:`",
        "a:|",
        "a:\"",
        "a:b#c#d",
        "a:[",
        "http://a:b",
        "http://a:1:2",
        "http://[::1",
        "http://::1",
        "http://[::1]a",
        "http://[1.2.3.4]",
        "http://[v.a]",
        "http://[v1.]",
        "http://a[::1]",
        "http://u@p@a",
        "a:\xC3\xBC",
        "a:\x7F"}},
      {"uri-reference",
       {"", "a", "/a", "//a", "?a", "#a", "a/b:c", "./a:b", "a:b", "..", "//",
        "//a@b:1/c"},
       {"1:b", ":a", "a,b:c", "\\a", "a b", "%", "#a#b", "\xC3\xBC", "/[a]"}},
      {"iri",
       {"http://\xC3\xBC/\xC3\xBC?\xC3\xBC#\xC3\xBC", "a:b", "a:?\xEE\x80\x80",
        "a:\xF0\x90\x80\x80", "http://\xC3\xBC@a"},
       {"\xC3\xBC", "a:\xEE\x80\x80", "a:\xC2\x80", "a:\xEF\xB7\x90",
        "a:\xF0\x9F\xBF\xBF", "a:\xEF\xBF\xBF", "a:\xF3\xA0\x80\x81",
        "\xC3\xBC:a", "a: "}},
      {"iri-reference",
       {"", "\xC3\xBC", "#\xC3\xBC", "//\xC3\xBC/"},
       {"\\", "\xC3\xBC:a", "#\xEE\x80\x80", "#\\"}},
      {"uri-template",
       {"", "a", "{a}", "http://a/{b}{?c*,d:10}", "{+a}{#a}{.a}{/a}{;a}{&a}",
        "%41", "\xC3\xBC"},
       {"{", "}", "{}", "{a", "{a,}", "{a:0}", "{a:10000}", "{a b}", "a b",
        "%4", "{!a}"}},
  };
  CHECK_CASES(cases);
}

/* --- the others ---------------------------------------------------------- */

TEST(the_others_are_short) {
  static const format_case cases[] = {
      {"uuid",
       {"2eb8aa08-AA98-11ea-B4Aa-73B441D16380",
        "00000000-0000-0000-0000-000000000000"},
       {"", "2eb8aa08aa9811eab4aa73b441d16380",
        "2eb8aa08-aa98-11ea-b4aa-73b441d1638",
        "2eb8aa08-aa98-11ea-b4aa-73b441d163800",
        "2eb8aa08-aa98-11ea-b4aa-73b441d1638g",
        "2eb8aa0-8aa98-11ea-b4aa-73b441d16380",
        "{2eb8aa08-aa98-11ea-b4aa-73b441d1638"}},
      {"json-pointer",
       {"", "/", "//", "/a~0b~1", "/\xC3\xBC", "/a b\n"},
       {"a", "#", "#/a", "/~", "/~2", "/a~", "~0"}},
      {"relative-json-pointer",
       {"0", "10", "0#", "1/a", "0/", "0+1", "2-10/a", "0-1#"},
       {"", "#", "/a", "01", "00", "-1", "+1", "0a", "0##", "0#/a", "0/~", "0+",
        "0+0", "0-01", "0--1", "1+1+1"}},
  };
  CHECK_CASES(cases);
}

/* It knows one expression. */
static int fake_compile(const char *pattern, size_t len, void **regex,
                        size_t *error_offset) {
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
  static const mcp_regex_engine engine = {.size = sizeof(engine),
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
