/* SPDX-License-Identifier: MIT */
#include "json/json.h"

#include "support/cm.h"

static mcp_doc *doc;
static const mcp_json *root;

static const char text[] =
    "{\"null\":null,\"yes\":true,\"no\":false,\"int\":3,\"real\":2.5,"
    "\"big\":123456789012345678901,\"string\":\"a\\u0000b\",\"empty\":\"\","
    "\"array\":[10,[20],{\"x\":30}],\"object\":{\"a\":1,\"b\":2,\"a\":3},"
    "\"a/b\":{\"m~n\":7},\"\":8}";

static int setup(void **state) {
  doc = mcp_doc_parse(text, strlen(text), NULL, NULL, NULL);
  root = mcp_doc_root(doc);
  return doc == NULL;
}

static int teardown(void **state) {
  mcp_doc_free(doc);
  return 0;
}

static const mcp_json *at(const char *name) {
  return mcp_json_get(root, name);
}

TEST(types_are_told) {
  assert_int_equal(mcp_json_type(NULL), MCP_JSON_NONE);
  assert_int_equal(mcp_json_type(at("null")), MCP_JSON_NULL);
  assert_int_equal(mcp_json_type(at("yes")), MCP_JSON_BOOL);
  assert_int_equal(mcp_json_type(at("int")), MCP_JSON_NUMBER);
  assert_int_equal(mcp_json_type(at("real")), MCP_JSON_NUMBER);
  assert_int_equal(mcp_json_type(at("big")), MCP_JSON_NUMBER);
  assert_int_equal(mcp_json_type(at("string")), MCP_JSON_STRING);
  assert_int_equal(mcp_json_type(at("array")), MCP_JSON_ARRAY);
  assert_int_equal(mcp_json_type(root), MCP_JSON_OBJECT);
}

TEST(types_have_names) {
  assert_string_equal(mcp_json_type_name(MCP_JSON_NONE), "nothing");
  assert_string_equal(mcp_json_type_name(MCP_JSON_NULL), "null");
  assert_string_equal(mcp_json_type_name(MCP_JSON_BOOL), "boolean");
  assert_string_equal(mcp_json_type_name(MCP_JSON_NUMBER), "number");
  assert_string_equal(mcp_json_type_name(MCP_JSON_STRING), "string");
  assert_string_equal(mcp_json_type_name(MCP_JSON_ARRAY), "array");
  assert_string_equal(mcp_json_type_name(MCP_JSON_OBJECT), "object");
  assert_string_equal(mcp_json_type_name(-1), "nothing");
  assert_string_equal(mcp_json_type_name(99), "nothing");
}

TEST(booleans_are_read) {
  assert_int_equal(mcp_json_bool(at("yes")), 1);
  assert_int_equal(mcp_json_bool(at("no")), 0);
  assert_int_equal(mcp_json_bool(at("int")), 0);
  assert_int_equal(mcp_json_bool(NULL), 0);
}

TEST(strings_are_read) {
  size_t len = 99;
  assert_memory_equal(mcp_json_string_n(at("string"), &len), "a\0b", 4);
  assert_int_equal(len, 3);
  assert_null(mcp_json_string(at("string"))); /* "a" is another string */
  assert_string_equal(mcp_json_string(at("empty")), "");
  assert_null(mcp_json_string_n(at("int"), &len));
  assert_int_equal(len, 0);
  assert_null(mcp_json_string_n(NULL, NULL));
  assert_null(mcp_json_string(at("big")));
  assert_true(mcpi_str_eq(mcpi_json_str(at("string")), MCPI_STR("a\0b")));
  assert_true(
      mcpi_str_eq(mcpi_json_member_str(root, "string"), MCPI_STR("a\0b")));
  assert_null(mcpi_json_member_str(root, "absent").ptr);
  assert_null(mcpi_json_member_str(NULL, "x").ptr);
}

TEST(members_and_elements_are_found) {
  assert_int_equal(mcp_json_size(root), 12);
  assert_int_equal(mcp_json_size(at("array")), 3);
  assert_int_equal(mcp_json_size(at("string")), 0);
  assert_int_equal(mcp_json_size(NULL), 0);
  assert_int_equal(mcp_json_int(mcp_json_get(at("object"), "a")), 1);
  assert_int_equal(mcp_json_int(mcp_json_get_n(root, "intx", 3)), 3);
  assert_int_equal(mcp_json_int(mcp_json_get(root, "")), 8);
  assert_null(mcp_json_get(root, "absent"));
  assert_null(mcp_json_get(root, NULL));
  assert_null(mcp_json_get(at("array"), "x"));
  assert_null(mcp_json_get(NULL, "x"));
  assert_int_equal(mcp_json_int(mcp_json_at(at("array"), 0)), 10);
  assert_int_equal(mcp_json_type(mcp_json_at(at("array"), 2)), MCP_JSON_OBJECT);
  assert_null(mcp_json_at(at("array"), 3));
  assert_null(mcp_json_at(root, 0));
  assert_null(mcp_json_at(NULL, 0));
}

TEST(pointers_are_followed) {
  assert_ptr_equal(mcp_json_pointer(root, ""), root);
  assert_int_equal(mcp_json_int(mcp_json_pointer(root, "/array/2/x")), 30);
  assert_int_equal(mcp_json_int(mcp_json_pointer(root, "/a~1b/m~0n")), 7);
  assert_int_equal(mcp_json_int(mcp_json_pointer(root, "/")), 8);
  static const char *const nothing[] = {"array",    "/array/3", "/array/01",
                                        "/array/-", "/array/x", "/absent/x",
                                        "/int/0",   "/a~2b",    "/array/-1"};
  for (size_t i = 0; i < sizeof(nothing) / sizeof(nothing[0]); i++) {
    assert_null(mcp_json_pointer(root, nothing[i]));
  }
  assert_null(mcp_json_pointer(root, NULL));
  assert_null(mcp_json_pointer(NULL, ""));
}

TEST(an_array_is_walked) {
  static const int types[] = {MCP_JSON_NUMBER, MCP_JSON_ARRAY, MCP_JSON_OBJECT,
                              MCP_JSON_NONE, MCP_JSON_NONE};
  mcp_json_iter iter;
  mcp_json_iter_init(&iter, at("array"));
  for (int i = 0; i < 5; i++) {
    const mcp_json *name = root;
    assert_int_equal(mcp_json_type(mcp_json_iter_next(&iter, &name)), types[i]);
    assert_null(name);
  }
}

TEST(an_object_is_walked) {
  static const char *const names[] = {"a", "b", "a"};
  mcp_json_iter iter;
  const mcp_json *name;
  mcp_json_iter_init(&iter, at("object"));
  for (int i = 0; i < 3; i++) {
    assert_int_equal(mcp_json_int(mcp_json_iter_next(&iter, &name)), i + 1);
    assert_string_equal(mcp_json_string(name), names[i]);
  }
  assert_null(mcp_json_iter_next(&iter, &name));
  assert_null(name);
  mcp_json_iter_init(&iter, at("object"));
  assert_int_equal(mcp_json_int(mcp_json_iter_next(&iter, NULL)), 1);
}

TEST(other_values_have_nothing_to_walk) {
  mcp_json_iter iter;
  mcp_json_iter_init(&iter, at("string"));
  assert_null(mcp_json_iter_next(&iter, NULL));
  mcp_json_iter_init(&iter, NULL);
  assert_null(mcp_json_iter_next(&iter, NULL));
}

TEST(json_in_the_source_is_a_constant) {
  static const char all[] = MCP_JSON({"a": [true, null, -1.5e3], "b": "\t\""});
  assert_string_equal(all, "{\"a\": [true, null, -1.5e3], \"b\": \"\\t\\\"\"}");
  assert_string_equal("{" MCP_JSON("a": 1,
                                   "b": 2) "}", "{\"a\": 1, \"b\": 2}");
  assert_string_equal(MCP_JSON(), "");
}

int main(void) {
  return tests_run(setup, teardown);
}
