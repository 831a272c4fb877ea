/* SPDX-License-Identifier: MIT */
#include "json/builder.h"
#include "json/json.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include <math.h>

static mcp_builder *b;

static int setup(void **state) {
  b = mcp_builder_new(NULL, NULL);
  return b == NULL;
}

static int teardown(void **state) {
  mcp_builder_free(b);
  return 0;
}

static void check_text(const char *expected) {
  size_t len;
  const char *text = mcp_builder_text(b, &len);
  assert_non_null(text);
  assert_string_equal(text, expected);
  assert_int_equal(len, strlen(expected));
  assert_ptr_equal(mcp_builder_text(b, NULL), text);
  mcp_builder_clear(b);
}

#define FIXTURE_TEST(name) TEST_WITH(name, setup, teardown)

FIXTURE_TEST(the_example_works) {
  mcp_builder_object(b, NULL);
  mcp_builder_string(b, "city", "Oslo");
  mcp_builder_array(b, "temperatures");
  mcp_builder_number(b, NULL, 3.5);
  mcp_builder_end(b);
  assert_int_equal(mcp_builder_end(b), 0);
  check_text("{\"city\":\"Oslo\",\"temperatures\":[3.5]}");
}

FIXTURE_TEST(every_kind_of_value_is_added) {
  mcp_doc *doc = mcp_doc_parse("{\"v\":[1.0]}", 11, NULL, NULL, NULL);
  assert_non_null(doc);
  mcp_builder_array(b, NULL);
  mcp_builder_string(b, NULL, "a\"b");
  mcp_builder_string(b, NULL, NULL);
  mcp_builder_string_n(b, NULL, "a\0b", 3);
  mcp_builder_string_n(b, NULL, "", 0);
  mcp_builder_number(b, NULL, 3);
  mcp_builder_number(b, NULL, NAN);
  mcp_builder_int(b, NULL, INT64_MIN);
  mcp_builder_bool(b, NULL, 7);
  mcp_builder_bool(b, NULL, 0);
  mcp_builder_null(b, NULL);
  mcp_builder_value(b, NULL, mcp_doc_root(doc));
  mcp_builder_value(b, NULL, NULL);
  mcp_builder_json(b, NULL, " {\n\"x\": 1} ");
  mcp_builder_object(b, NULL);
  mcp_builder_end(b);
  mcp_builder_end(b);
  check_text("[\"a\\\"b\",null,\"a\\u0000b\",\"\",3,null,"
             "-9223372036854775808,true,false,null,{\"v\":[1.0]},null,"
             "{\"x\": 1},{}]");
  mcp_doc_free(doc);
}

FIXTURE_TEST(every_kind_takes_a_name) {
  mcp_builder_object(b, NULL);
  mcp_builder_string(b, "s\n", "x");
  mcp_builder_string_n(b, "t", "xy", 1);
  mcp_builder_number(b, "n", 0.5);
  mcp_builder_int(b, "i", 1);
  mcp_builder_bool(b, "b", 1);
  mcp_builder_null(b, "");
  mcp_builder_value(b, "v", NULL);
  mcp_builder_json(b, "j", "[]");
  mcp_builder_object(b, "o");
  mcp_builder_end(b);
  mcp_builder_array(b, "a");
  mcp_builder_end(b);
  mcp_builder_end(b);
  check_text("{\"s\\n\":\"x\",\"t\":\"x\",\"n\":0.5,\"i\":1,\"b\":true,"
             "\"\":null,\"v\":null,\"j\":[],\"o\":{},\"a\":[]}");
}

FIXTURE_TEST(a_name_may_be_any_text) {
  mcp_builder_object(b, NULL);
  mcp_builder_name_n(b, "a\0b", 3);
  mcp_builder_int(b, NULL, 1);
  mcp_builder_name_n(b, "cut", 1);
  mcp_builder_array(b, NULL);
  mcp_builder_end(b);
  mcp_builder_name_n(b, "", 0);
  mcp_builder_object(b, NULL);
  assert_int_equal(mcp_builder_name_n(b, "d", 1), 0);
  assert_int_equal(mcp_builder_json(b, NULL, "[]"), 0);
  mcp_builder_end(b);
  assert_int_equal(mcp_builder_end(b), 0);
  check_text("{\"a\\u0000b\":1,\"c\":[],\"\":{\"d\":[]}}");
}

FIXTURE_TEST(misplaced_names_are_refused) {
  assert_int_equal(mcp_builder_name_n(b, "a", 1), MCP_ERR_INVALID);
  mcp_builder_clear(b);
  mcp_builder_array(b, NULL);
  assert_int_equal(mcp_builder_name_n(b, "a", 1), MCP_ERR_INVALID);
  mcp_builder_clear(b);
  mcp_builder_object(b, NULL);
  mcp_builder_name_n(b, "a", 1);
  assert_int_equal(mcp_builder_name_n(b, "b", 1), MCP_ERR_INVALID);
  mcp_builder_clear(b);
  mcp_builder_object(b, NULL);
  mcp_builder_name_n(b, "a", 1);
  assert_int_equal(mcp_builder_int(b, "b", 1), MCP_ERR_INVALID);
  mcp_builder_clear(b);
  mcp_builder_object(b, NULL);
  mcp_builder_name_n(b, "a", 1);
  assert_int_equal(mcp_builder_end(b), MCP_ERR_INVALID);
  mcp_builder_clear(b);
  mcp_builder_object(b, NULL);
  assert_int_equal(mcp_builder_name_n(b, NULL, 0), MCP_ERR_INVALID);
  mcp_builder_clear(b);
  mcp_builder_object(b, NULL);
  assert_int_equal(mcp_builder_name_n(b, "\xFF", 1), MCP_ERR_INVALID);
  mcp_builder_clear(b);
  /* A name without a value is forgotten. */
  assert_int_equal(mcp_builder_int(b, NULL, 1), 0);
  check_text("1");
  assert_int_equal(mcp_builder_name_n(NULL, "a", 1), MCP_ERR_NOMEM);
}

FIXTURE_TEST(a_scalar_stands_alone) {
  assert_int_equal(mcp_builder_int(b, NULL, 5), 0);
  check_text("5");
}

/* The calls that are wrong where they are, each in a state of its own. */
FIXTURE_TEST(misplaced_calls_are_refused) {
  assert_int_equal(mcp_builder_int(b, "name", 1), MCP_ERR_INVALID);
  mcp_builder_clear(b);
  assert_int_equal(mcp_builder_end(b), MCP_ERR_INVALID);
  mcp_builder_clear(b);
  mcp_builder_int(b, NULL, 1);
  assert_int_equal(mcp_builder_int(b, NULL, 2), MCP_ERR_INVALID);
  mcp_builder_clear(b);
  mcp_builder_object(b, NULL);
  assert_int_equal(mcp_builder_int(b, NULL, 2), MCP_ERR_INVALID);
  mcp_builder_clear(b);
  mcp_builder_array(b, NULL);
  assert_int_equal(mcp_builder_array(b, "name"), MCP_ERR_INVALID);
  mcp_builder_clear(b);
  mcp_builder_array(b, NULL);
  mcp_builder_end(b);
  assert_int_equal(mcp_builder_end(b), MCP_ERR_INVALID);
}

FIXTURE_TEST(bad_text_is_refused) {
  assert_int_equal(mcp_builder_string(b, NULL, "\xFF"), MCP_ERR_INVALID);
  mcp_builder_clear(b);
  assert_int_equal(mcp_builder_string_n(b, NULL, NULL, 1), MCP_ERR_INVALID);
  mcp_builder_clear(b);
  mcp_builder_object(b, NULL);
  assert_int_equal(mcp_builder_int(b, "\xC3", 1), MCP_ERR_INVALID);
  mcp_builder_clear(b);
  assert_int_equal(mcp_builder_json(b, NULL, "[1,]"), MCP_ERR_PARSE);
  mcp_builder_clear(b);
  assert_int_equal(mcp_builder_json(b, NULL, NULL), MCP_ERR_PARSE);
}

FIXTURE_TEST(the_first_failure_sticks) {
  mcp_builder_array(b, NULL);
  assert_int_equal(mcp_builder_json(b, NULL, "{"), MCP_ERR_PARSE);
  assert_int_equal(mcp_builder_int(b, "x", 1), MCP_ERR_PARSE);
  assert_int_equal(mcp_builder_end(b), MCP_ERR_PARSE);
  assert_null(mcp_builder_text(b, NULL));
  mcp_builder_clear(b);
  assert_int_equal(mcp_builder_int(b, NULL, 1), 0);
  check_text("1");
}

FIXTURE_TEST(a_trimmed_builder_is_empty_and_keeps_little) {
  enum { KEPT = 4096 };
  static char text[2 * KEPT];
  failing_alloc alloc;
  failing_alloc_init(&alloc);
  mcp_builder *builder = mcp_builder_new(&alloc.allocator, NULL);
  size_t before = alloc.live_bytes;
  memset(text, 'x', sizeof(text) - 1);
  mcp_builder_array(builder, NULL);
  mcp_builder_string(builder, NULL, text);
  mcpi_builder_recycle(builder, KEPT);
  assert_int_equal(alloc.live_bytes, before);
  assert_int_equal(mcp_builder_int(builder, NULL, 1), 0);
  assert_string_equal(mcp_builder_text(builder, NULL), "1");
  before = alloc.live_bytes;
  mcpi_builder_recycle(builder, KEPT);
  assert_int_equal(alloc.live_bytes, before);
  mcpi_builder_recycle(NULL, KEPT);
  mcp_builder_free(builder);
}

FIXTURE_TEST(there_is_no_text_of_a_part) {
  size_t len = 9;
  assert_null(mcp_builder_text(b, &len));
  assert_int_equal(len, 0);
  mcp_builder_array(b, NULL);
  assert_null(mcp_builder_text(b, NULL));
  mcp_builder_end(b);
  check_text("[]");
}

FIXTURE_TEST(depth_has_a_limit) {
  for (int i = 0; i < MCPI_JSON_MAX_DEPTH; i++) {
    assert_int_equal(mcp_builder_array(b, NULL), 0);
  }
  assert_int_equal(mcp_builder_array(b, NULL), MCP_ERR_LIMIT);
}

FIXTURE_TEST(depth_of_whole_values_counts) {
  mcp_doc *doc = mcp_doc_parse("[[]]", 4, NULL, NULL, NULL);
  for (int open = MCPI_JSON_MAX_DEPTH - 2; open < MCPI_JSON_MAX_DEPTH; open++) {
    int expected = open == MCPI_JSON_MAX_DEPTH - 2 ? 0 : MCP_ERR_LIMIT;
    for (int is_text = 0; is_text < 2; is_text++) {
      mcp_builder_clear(b);
      for (int i = 0; i < open; i++) {
        mcp_builder_array(b, NULL);
      }
      int rc = is_text ? mcp_builder_json(b, NULL, "[[]]")
                       : mcp_builder_value(b, NULL, mcp_doc_root(doc));
      assert_int_equal(rc, expected);
    }
  }
  mcp_doc_free(doc);
}

FIXTURE_TEST(null_is_a_builder_without_memory) {
  mcp_builder_free(NULL);
  mcp_builder_clear(NULL);
  assert_int_equal(mcp_builder_object(NULL, NULL), MCP_ERR_NOMEM);
  assert_int_equal(mcp_builder_string(NULL, NULL, "x"), MCP_ERR_NOMEM);
  assert_int_equal(mcp_builder_end(NULL), MCP_ERR_NOMEM);
  assert_null(mcp_builder_text(NULL, NULL));
}

/* --- what went wrong ----------------------------------------------------- */

static void expect_error(int code, size_t offset, const char *message) {
  const mcp_error *err = mcp_builder_error(b);
  assert_non_null(err);
  assert_string_equal(err->message, message);
  assert_int_equal(err->code, code);
  assert_int_equal(err->status, 0);
  assert_int_equal(err->offset, offset);
  mcp_builder_clear(b);
  assert_null(mcp_builder_error(b));
}

static void expect_invalid(const char *message) {
  expect_error(MCP_ERR_INVALID, 0, message);
}

FIXTURE_TEST(without_an_error_there_is_none_to_read) {
  assert_null(mcp_builder_error(b));
  mcp_builder_array(b, NULL);
  assert_null(mcp_builder_error(b));
  mcp_builder_end(b);
  assert_non_null(mcp_builder_text(b, NULL));
  assert_null(mcp_builder_error(b));
}

FIXTURE_TEST(bad_text_is_named_with_its_place) {
  mcp_builder_string(b, NULL, "\xFF");
  expect_error(MCP_ERR_INVALID, 0, "the string is not UTF-8 at byte 0");
  mcp_builder_object(b, NULL);
  mcp_builder_string(b, "city", "Troms\xF8");
  expect_error(MCP_ERR_INVALID, 5, "/city: the string is not UTF-8 at byte 5");
  mcp_builder_object(b, NULL);
  mcp_builder_array(b, "cities");
  mcp_builder_string(b, NULL, "a");
  mcp_builder_string_n(b, NULL, "\xC3\xB8\xC3", 3);
  expect_error(MCP_ERR_INVALID, 2,
               "/cities/1: the string is not UTF-8 at byte 2");
  mcp_builder_object(b, NULL);
  mcp_builder_object(b, "o");
  mcp_builder_int(b, "a\xC3", 1);
  expect_error(MCP_ERR_INVALID, 1,
               "/o: a member's name is not UTF-8 at byte 1");
  mcp_builder_string_n(b, NULL, NULL, 7);
  expect_invalid("the string is NULL, with a length of 7 bytes");
}

FIXTURE_TEST(bad_json_is_named_with_its_place) {
  mcp_builder_object(b, NULL);
  mcp_builder_json(b, "list", "[1,x]");
  const mcp_error *err = mcp_builder_error(b);
  assert_non_null(strstr(err->message, "/list: the text is not JSON: "));
  assert_non_null(strstr(err->message, " at byte 3"));
  assert_int_equal(err->code, MCP_ERR_PARSE);
  assert_int_equal(err->offset, 3);
  mcp_builder_clear(b);
  mcp_builder_json(b, NULL, NULL);
  expect_error(MCP_ERR_PARSE, 0, "the JSON text is NULL");
}

FIXTURE_TEST(misplaced_values_are_named) {
  mcp_builder_int(b, NULL, 1);
  mcp_builder_int(b, NULL, 2);
  expect_invalid("there can be only one value at the top");
  mcp_builder_int(b, "n", 1);
  expect_invalid("a value at the top has no name, but \"n\" was given");
  mcp_builder_array(b, NULL);
  mcp_builder_int(b, NULL, 1);
  mcp_builder_array(b, NULL);
  mcp_builder_int(b, "n", 1);
  expect_invalid("/1: a value in an array has no name, but \"n\" was given");
  mcp_builder_object(b, NULL);
  mcp_builder_int(b, "a", 1);
  mcp_builder_object(b, "b");
  mcp_builder_int(b, NULL, 2);
  expect_invalid("/b: a value in an object needs a name");
  mcp_builder_end(b);
  expect_invalid("there is no array or object to end");
}

FIXTURE_TEST(misplaced_names_are_named) {
  mcp_builder_object(b, NULL);
  mcp_builder_name_n(b, NULL, 0);
  expect_invalid("a member's name is NULL");
  mcp_builder_object(b, NULL);
  mcp_builder_name_n(b, "a", 1);
  mcp_builder_int(b, "b", 1);
  expect_invalid("/a: this name needs a value before the next name");
  mcp_builder_object(b, NULL);
  mcp_builder_name_n(b, "a", 1);
  mcp_builder_end(b);
  expect_invalid("/a: this name needs a value before the object ends");
}

FIXTURE_TEST(too_much_depth_is_named) {
  for (int i = 0; i <= MCPI_JSON_MAX_DEPTH; i++) {
    mcp_builder_array(b, NULL);
  }
  const mcp_error *err = mcp_builder_error(b);
  assert_non_null(strstr(err->message, "/0/0: arrays and objects are nested "
                                       "more than 128 deep"));
  assert_int_equal(err->code, MCP_ERR_LIMIT);
  mcp_builder_clear(b);
  mcp_builder_object(b, NULL);
  for (int i = 0; i < MCPI_JSON_MAX_DEPTH - 2; i++) {
    mcp_builder_object(b, "o");
  }
  mcp_builder_json(b, "last", "[[],[[]]]");
  assert_non_null(strstr(mcp_builder_error(b)->message, "/o/last: arrays"));
}

FIXTURE_TEST(the_first_error_is_the_one_to_read) {
  mcp_builder_object(b, NULL);
  mcp_builder_string(b, "a", "\xFF");
  mcp_builder_string(b, "b", "\xFE");
  mcp_builder_end(b);
  assert_null(mcp_builder_text(b, NULL));
  expect_invalid("/a: the string is not UTF-8 at byte 0");
}

FIXTURE_TEST(an_unfinished_text_says_what_is_missing) {
  assert_null(mcp_builder_text(b, NULL));
  expect_invalid("no value has been added yet");
  mcp_builder_object(b, NULL);
  mcp_builder_array(b, "list");
  assert_null(mcp_builder_error(b));
  assert_null(mcp_builder_text(b, NULL));
  expect_invalid("/list: the array is not ended (missing calls of "
                 "mcp_builder_end: 2)");
  mcp_builder_object(b, NULL);
  mcp_builder_name_n(b, "a", 1);
  assert_null(mcp_builder_text(b, NULL));
  expect_invalid("/a: this name has no value yet");
}

FIXTURE_TEST(an_unfinished_text_can_be_finished) {
  mcp_builder_array(b, NULL);
  assert_null(mcp_builder_text(b, NULL));
  assert_non_null(mcp_builder_error(b));
  assert_int_equal(mcp_builder_int(b, NULL, 1), 0);
  assert_null(mcp_builder_error(b));
  assert_null(mcp_builder_text(b, NULL));
  assert_non_null(mcp_builder_error(b));
  assert_int_equal(mcp_builder_end(b), 0);
  assert_null(mcp_builder_error(b));
  check_text("[1]");
}

FIXTURE_TEST(a_text_with_a_member_twice_is_refused) {
  mcp_builder_object(b, NULL);
  assert_int_equal(mcp_builder_json(b, "x", "{\"y\":1,\"y\":2}"),
                   MCP_ERR_INVALID);
  assert_string_equal(mcp_builder_error(b)->message,
                      "/x: the text: the member \"y\" occurs twice");
  assert_int_equal(mcp_builder_error(b)->offset, 7);
}

static void expect_no_memory(const mcp_builder *builder) {
  const mcp_error *err = mcp_builder_error(builder);
  assert_non_null(err);
  assert_int_equal(err->code, MCP_ERR_NOMEM);
  assert_string_equal(err->message, "out of memory");
}

FIXTURE_TEST(a_null_builder_is_out_of_memory) {
  expect_no_memory(NULL);
}

static int build(const mcp_allocator *allocator, void *userdata) {
  mcp_builder *own = mcp_builder_new(allocator, NULL);
  mcp_builder_array(own, NULL);
  for (int i = 0; i < 100; i++) {
    mcp_builder_string(own, NULL, "some text that takes room");
  }
  mcp_builder_json(own, NULL, "{\"a\":[1,2,3]}");
  mcp_builder_end(own);
  int rc = mcp_builder_text(own, NULL) != NULL ? 0 : MCP_ERR_NOMEM;
  if (rc != 0) {
    expect_no_memory(own);
  }
  mcp_builder_free(own);
  return rc;
}

/* The NUL behind the text may be what does not fit. */
static int build_exact(const mcp_allocator *allocator, void *userdata) {
  char string[255];
  memset(string, 'x', 254);
  string[254] = '\0';
  mcp_error err = {0};
  mcp_builder *own = mcp_builder_new(allocator, &err);
  assert_int_equal(err.code, own != NULL ? 0 : MCP_ERR_NOMEM);
  assert_string_equal(err.message, own != NULL ? "" : "out of memory");
  mcp_builder_string(own, NULL, string);
  const char *text = mcp_builder_text(own, NULL);
  int rc = text != NULL ? 0 : MCP_ERR_NOMEM;
  if (rc != 0) {
    assert_int_equal(mcp_builder_null(own, NULL), MCP_ERR_NOMEM);
    expect_no_memory(own);
  }
  mcp_builder_free(own);
  return rc;
}

FIXTURE_TEST(failures_are_survived) {
  assert_true(failing_alloc_rerun(build, NULL) >= 5);
  assert_int_equal(failing_alloc_rerun(build_exact, NULL), 3);
}
