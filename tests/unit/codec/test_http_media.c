/* SPDX-License-Identifier: MIT */
#include "codec/http_media.h"

#include "support/cm.h"
#include "support/guarded.h"

static int is_json(const char *text) {
  size_t len = strlen(text);
  char *copy = guarded_copy(text, len);
  int is = mcpi_header_media_is(mcpi_str_n(copy, len), "application/json");
  guarded_free(copy, len);
  return is;
}

TEST(json_is_recognised) {
  static const char *const good[] = {
      "application/json",
      "Application/JSON",
      " application/json\t",
      "application/json;",
      "application/json; charset=utf-8",
      "application/json;charset=UTF-8",
      "application/json ; Charset=\"utf-8\" ;",
      "application/json; a=b; c=\"d;e\\\"; charset=latin1\"",
  };
  for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
    assert_true(is_json(good[i]));
  }
}

static int get(const char *text, const char *name, mcpi_str *value) {
  static char *copy; /* as long as the value is looked at */
  static size_t copy_len;
  if (copy != NULL) {
    guarded_free(copy, copy_len);
    copy = NULL;
  }
  copy_len = strlen(text);
  copy = guarded_copy(text, copy_len);
  return mcpi_header_media_get(mcpi_str_n(copy, copy_len), name, value);
}

static void assert_parameter(const char *text, const char *expected) {
  mcpi_str value;
  assert_int_equal(get(text, "profile", &value), 1);
  assert_true(mcpi_str_eq(value, mcpi_str_z(expected)));
}

TEST(a_parameter_is_found) {
  mcpi_str value = MCPI_STR("unchanged");
  assert_parameter("text/html;profile=a", "a");
  assert_parameter("text/html; charset=utf-8 ; PROFILE=\"a;b\" ;", "a;b");
  assert_parameter("text/html;profile=\"\"", "");
  assert_int_equal(get("text/html", "profile", &value), 0);
  assert_int_equal(get("profile=a", "profile", &value), 0);
  assert_int_equal(get("", "profile", &value), 0);
  assert_int_equal(get("text/html;profile", "profile", &value), 0);
  assert_int_equal(get("text/html;profile=", "profile", &value), 0);
  assert_int_equal(get("text/html;profile=\"a", "profile", &value), 0);
  assert_true(mcpi_str_eq(value, MCPI_STR("unchanged")));
}

TEST(a_parameter_that_occurs_twice_is_not_found) {
  mcpi_str value = MCPI_STR("unchanged");
  assert_int_equal(get("text/html;profile=a;Profile=b", "profile", &value), 0);
  assert_true(mcpi_str_eq(value, MCPI_STR("unchanged")));
}

TEST(other_types_are_not_json) {
  static const char *const bad[] = {
      "",
      ";",
      "text/plain",
      "application/jsonx",
      "application/json-patch+json",
      "application/json, text/plain",
      "application/*",
      "*/*",
      "application /json",
      "text/plain; a=\"application/json\"",
      "application/json; charset=latin1",
      "application/json; charset=\"utf-16\"",
      "application/json; charset=utf-8; charset=latin1",
      "application/json; charset=",
      "application/json; charset",
      "application/json; charset = utf-8",
      "application/json; charset='utf-8'",
      "application/json; charset=\"utf-8",
      "application/json; charset=\"utf-8\"x",
      "application/json; charset=\"utf-8\\\"",
      "application/json; =utf-8",
      "application/json charset=utf-8",
  };
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    assert_false(is_json(bad[i]));
  }
  assert_false(mcpi_header_media_is(mcpi_str_n(NULL, 0), "application/json"));
}

static int accepts(const char *first, const char *second, const char *type) {
  const char *const lines[] = {first, second};
  mcpi_header_accept accept;
  mcpi_header_accept_init(&accept, type);
  for (int i = 0; i < 2; i++) {
    size_t len = strlen(lines[i]);
    char *copy = guarded_copy(lines[i], len);
    mcpi_header_accept_add(&accept, 1, mcpi_str_n(copy, len));
    guarded_free(copy, len);
  }
  return accept.is_accepted;
}

/* One bit for JSON, one for a stream of events. */
static int both(const char *first, const char *second) {
  return accepts(first, second, "application/json") +
         2 * accepts(first, second, "text/event-stream");
}

TEST(what_is_listed_is_accepted) {
  assert_int_equal(both("", ""), 0);
  assert_int_equal(both("application/json", ""), 1);
  assert_int_equal(both("application/json, text/event-stream", ""), 3);
  assert_int_equal(both("application/json", "text/event-stream"), 3);
  assert_int_equal(both("TEXT/Event-Stream", ""), 2);
  assert_int_equal(both(" , application/json;q=0.5 ,\t,", "text/html"), 1);
  assert_int_equal(both("application/json; charset=utf-8", ""), 1);
  assert_int_equal(both("text/html;a=\"b, application/json\"", ""), 0);
  assert_int_equal(both("application/jsonx, text/event", ""), 0);
}

TEST(wildcards_are_known) {
  assert_int_equal(both("*/*", ""), 3);
  assert_int_equal(both("application/*", ""), 1);
  assert_int_equal(both("Text/*", "image/*"), 2);
  assert_int_equal(both("*/json", ""), 0);
  assert_int_equal(both("*", ""), 0);
  assert_int_equal(both("app*", ""), 0);
  assert_int_equal(both("/*", ""), 0);
}

TEST(the_closest_range_decides) {
  assert_int_equal(both("*/*, text/event-stream;q=0", ""), 1);
  assert_int_equal(both("text/event-stream;q=0", "*/*"), 1);
  assert_int_equal(both("text/*;q=0, */*", ""), 1);
  assert_int_equal(both("*/*;q=0, application/json", ""), 1);
  assert_int_equal(both("text/*;q=0", "text/event-stream;q=0.1"), 2);
  assert_int_equal(both("application/json;q=0, application/json", ""), 1);
}

TEST(no_weight_is_not_acceptable) {
  assert_int_equal(both("application/json;q=0", ""), 0);
  assert_int_equal(both("application/json;Q=0.000", ""), 0);
  assert_int_equal(both("application/json ; a=b ; q=0.", ""), 0);
  assert_int_equal(both("application/json;q=0.001", ""), 1);
  assert_int_equal(both("application/json;q=1.000", ""), 1);
}

static int names_events(const char *line) {
  mcpi_header_accept accept;
  mcpi_header_accept_init(&accept, "text/event-stream");
  mcpi_header_accept_add(&accept, 1, mcpi_str_z(line));
  return mcpi_header_accept_is_named(&accept);
}

TEST(a_range_names_nobody) {
  assert_int_equal(names_events("application/json, Text/Event-Stream"), 1);
  assert_int_equal(names_events("*/*, text/event-stream;q=0.1"), 1);
  assert_int_equal(names_events("*/*"), 0);
  assert_int_equal(names_events("text/*"), 0);
  assert_int_equal(names_events("text/event-stream;q=0, */*"), 0);
  assert_int_equal(names_events(""), 0);
}

TEST(malformed_ranges_count_for_nothing) {
  assert_int_equal(both("application/json;q=2, text/event-stream", ""), 2);
  assert_int_equal(both("application/json;q=", ""), 0);
  assert_int_equal(both("application/json;q=-1", ""), 0);
  assert_int_equal(both("application/json;q=1.001", ""), 0);
  assert_int_equal(both("application/json;q=0.1234", ""), 0);
  assert_int_equal(both("application/json;q=0x1", ""), 0);
  assert_int_equal(both("application/json;q", ""), 0);
  assert_int_equal(both("application/json;q=0.5;=", ""), 0);
  assert_int_equal(both("application/json;a=\"b, text/event-stream", ""), 0);
  assert_int_equal(both("*/*, application/json;q=x", ""), 3);
}
