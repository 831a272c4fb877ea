/* SPDX-License-Identifier: MIT */
#include "support/cm.h"

#include "skills/head.h"
#include "support/failing_alloc.h"

#include <mcp/error.h>
#include <stdio.h>
#include <stdlib.h>

#define NAMED "name: a\ndescription: b\n"

static int read_head(mcpi_skill_head *out, const char *text, mcp_error *err) {
  return mcpi_skill_head_read(out, text, strlen(text), mcp_allocator_default(),
                              err);
}

static void check_json(const char *text, const char *json) {
  mcpi_skill_head head;
  mcp_error err = {0};
  int rc = read_head(&head, text, &err);
  if (rc != 0) {
    fail_msg("%s: %s", text, err.message);
  }
  mcpi_buf_putc(&head.json, '\0');
  assert_string_equal(head.json.data, json);
  mcpi_skill_head_deinit(&head);
}

static void check_fault(const char *text, int code, const char *part) {
  mcpi_skill_head head;
  mcp_error err = {0};
  assert_int_equal(read_head(&head, text, &err), code);
  assert_int_equal(err.code, code);
  if (strstr(err.message, part) == NULL) {
    fail_msg("\"%s\" lacks \"%s\"", err.message, part);
  }
}

TEST(a_head_becomes_a_json_object) {
  check_json("---\nname: refunds\ndescription: \"How, and when\"\n---\n# Text",
             "{\"name\":\"refunds\",\"description\":\"How, and when\"}");
}

TEST(a_head_gives_name_and_description) {
  mcpi_skill_head head;
  assert_int_equal(read_head(&head, "---\n" NAMED "---\n", NULL), 0);
  assert_string_equal(head.name, "a");
  assert_string_equal(head.description, "b");
  mcpi_skill_head_deinit(&head);
}

TEST(values_of_all_types_are_kept) {
  check_json("---\n" NAMED "n: 3\nf: .5\nt: true\nz:\nl: [x, 1]\n"
             "m:\n  k: '2'\n  deep: {q: [~]}\ntext: |\n  one\n  two\n---\n",
             "{\"name\":\"a\",\"description\":\"b\",\"n\":3,\"f\":0.5,"
             "\"t\":true,\"z\":null,\"l\":[\"x\",1],\"m\":{\"k\":\"2\","
             "\"deep\":{\"q\":[null]}},\"text\":\"one\\ntwo\\n\"}");
}

TEST(fences_may_end_with_blanks_and_carriage_returns) {
  check_json("---\r\n" NAMED "--- \t\r\ntext",
             "{\"name\":\"a\",\"description\":\"b\"}");
  check_json("\xEF\xBB\xBF---\n" NAMED "---",
             "{\"name\":\"a\",\"description\":\"b\"}");
}

TEST(tags_that_say_what_the_form_says_are_allowed) {
  check_json("---\nname: !!str a\ndescription: !!str 5\nl: !!seq [! 1]\n---\n",
             "{\"name\":\"a\",\"description\":\"5\",\"l\":[\"1\"]}");
}

TEST(a_text_without_a_head_is_refused) {
  check_fault("", MCP_ERR_INVALID, "line 1");
  check_fault("# Title\n", MCP_ERR_INVALID, "line 1");
  check_fault("----\n" NAMED "---\n", MCP_ERR_INVALID, "line 1");
  check_fault("---\n" NAMED, MCP_ERR_INVALID, "ends the head");
  check_fault("---\n---\n", MCP_ERR_INVALID, "empty");
  check_fault("---\n# only a comment\n---\n", MCP_ERR_INVALID, "empty");
}

TEST(what_is_not_yaml_is_refused_with_its_line) {
  check_fault("---\nname: a\ndescription: [\n---\n", MCP_ERR_PARSE, "line ");
  check_fault("---\nname: a\ndescription: b: c\n---\n", MCP_ERR_PARSE,
              "line 3");
}

TEST(anchors_and_aliases_are_refused) {
  check_fault("---\n" NAMED "x: &a 1\n---\n", MCP_ERR_INVALID, "line 4");
  check_fault("---\n" NAMED "x: *a\n---\n", MCP_ERR_INVALID, "anchors");
  check_fault("---\n" NAMED "x: &a [1]\n---\n", MCP_ERR_INVALID, "anchors");
}

TEST(what_json_lacks_is_refused) {
  check_fault("---\n" NAMED "x: .inf\n---\n", MCP_ERR_INVALID, "line 4");
  check_fault("---\n" NAMED "? [a]\n: 1\n---\n", MCP_ERR_INVALID, "name");
  check_fault("---\n" NAMED "1: 2\n---\n", MCP_ERR_INVALID, "quotes");
  check_fault("---\n" NAMED "x: !!binary aa==\n---\n", MCP_ERR_INVALID, "tags");
  check_fault("---\n" NAMED "x: !mine 1\n---\n", MCP_ERR_INVALID, "tags");
}

TEST(a_head_that_is_not_a_map_is_refused) {
  check_fault("---\n- a\n---\n", MCP_ERR_INVALID, "line 2");
  check_fault("---\njust text\n---\n", MCP_ERR_INVALID, "line 2");
}

TEST(a_name_that_occurs_twice_is_refused) {
  check_fault("---\n" NAMED "name: b\n---\n", MCP_ERR_INVALID, "name");
  check_fault("---\n" NAMED "m: {x: 1, x: 2}\n---\n", MCP_ERR_INVALID, "x");
}

TEST(name_and_description_are_required_text) {
  check_fault("---\nname: a\n---\n", MCP_ERR_INVALID, "no description");
  check_fault("---\ndescription: a\n---\n", MCP_ERR_INVALID, "no name");
  check_fault("---\nname: 5\ndescription: a\n---\n", MCP_ERR_INVALID, "name");
  check_fault("---\nname: a\ndescription: ''\n---\n", MCP_ERR_INVALID,
              "description");
  check_fault("---\nname: a\ndescription: \"x\\0y\"\n---\n", MCP_ERR_INVALID,
              "NUL");
}

TEST(names_follow_the_rule) {
  static const char *const good[] = {"a", "0", "a-b", "a1-2-b"};
  static const char *const bad[] = {"",  "-",   "-a",  "a-",       "a--b",
                                    "A", "a_b", "a b", "\xC3\xA4", "a/b"};
  char name[MCPI_SKILL_NAME_MAX + 2];
  for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
    assert_true(mcpi_skill_name_is_valid(mcpi_str_z(good[i])));
  }
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    assert_false(mcpi_skill_name_is_valid(mcpi_str_z(bad[i])));
  }
  memset(name, 'a', sizeof(name));
  assert_true(mcpi_skill_name_is_valid(mcpi_str_n(name, MCPI_SKILL_NAME_MAX)));
  assert_false(
      mcpi_skill_name_is_valid(mcpi_str_n(name, MCPI_SKILL_NAME_MAX + 1)));
  check_fault("---\nname: Not-Valid\ndescription: a\n---\n", MCP_ERR_INVALID,
              "Not-Valid");
}

TEST(reserved_metadata_is_refused) {
  check_fault("---\n" NAMED "metadata:\n  io.modelcontextprotocol/x: 1\n---\n",
              MCP_ERR_INVALID, "reserved");
  check_json("---\n" NAMED "metadata: {io.modelcontextprotocolx: 1}\n---\n",
             "{\"name\":\"a\",\"description\":\"b\",\"metadata\":{"
             "\"io.modelcontextprotocolx\":1}}");
}

/* --- limits --------------------------------------------------------------- */

/* A head of that many bytes, of which a comment is the most. */
static int read_padded(size_t head_len) {
  static const char start[] = "---\n" NAMED "#";
  static const char end[] = "\n---\n";
  size_t start_len = sizeof(start) - 1;
  char *text = malloc(head_len + 16);
  mcpi_skill_head head;
  assert_non_null(text);
  memset(text, 'x', head_len + 16);
  memcpy(text, start, start_len);
  memcpy(text + 4 + head_len - 1, end, sizeof(end));
  int rc = read_head(&head, text, NULL);
  if (rc == 0) {
    mcpi_skill_head_deinit(&head);
  }
  free(text);
  return rc;
}

/* --- heads of other servers ----------------------------------------------- */

static int parse_head(const mcp_allocator *allocator, void *userdata) {
  mcp_doc *head;
  const char *text = userdata;
  int rc = mcpi_skill_head_parse(&head, text, strlen(text), allocator, NULL);
  if (rc == 0) {
    assert_int_equal(mcp_json_size(mcp_doc_root(head)), 2);
    mcp_doc_free(head);
  }
  return rc;
}

/* The entry of such a skill is checked instead. */
TEST(the_head_of_another_server_need_not_obey_our_rules) {
  static char text[] = "---\nname: No\nmetadata:\n"
                       "  io.modelcontextprotocol/x: 1\n---\n";
  static char twice[] = "---\na: 1\na: 2\n---\n";
  assert_int_equal(parse_head(mcp_allocator_default(), text), 0);
  failing_alloc_rerun_least(3, parse_head, text);
  assert_int_equal(parse_head(mcp_allocator_default(), twice), MCP_ERR_INVALID);
}

TEST(the_head_has_a_limit_of_bytes) {
  assert_int_equal(read_padded(MCPI_HEAD_MAX_BYTES), 0);
  assert_int_equal(read_padded(MCPI_HEAD_MAX_BYTES + 1), MCP_ERR_LIMIT);
}

static int read_nested(int depth) {
  char text[256];
  mcpi_skill_head head;
  int len = snprintf(text, sizeof(text), "---\n" NAMED "x: ");
  for (int i = 0; i < depth; i++) {
    text[len + i] = '[';
    text[len + depth + i] = ']';
  }
  snprintf(text + len + 2 * depth, 16, "\n---\n");
  int rc = read_head(&head, text, NULL);
  if (rc == 0) {
    mcpi_skill_head_deinit(&head);
  }
  return rc;
}

TEST(the_head_has_a_limit_of_depth) {
  assert_int_equal(read_nested(MCPI_HEAD_MAX_DEPTH - 1), 0);
  assert_int_equal(read_nested(MCPI_HEAD_MAX_DEPTH), MCP_ERR_LIMIT);
}

/* The head's map, and two names with their values, are five values. */
static int read_many(int count) {
  static char text[MCPI_HEAD_MAX_BYTES];
  mcpi_skill_head head;
  int len = snprintf(text, sizeof(text), "---\n" NAMED "x: [");
  for (int i = 0; i < count; i++) {
    len += snprintf(text + len, sizeof(text) - (size_t)len, "1,");
  }
  snprintf(text + len, sizeof(text) - (size_t)len, "]\n---\n");
  int rc = read_head(&head, text, NULL);
  if (rc == 0) {
    mcpi_skill_head_deinit(&head);
  }
  return rc;
}

TEST(the_head_has_a_limit_of_values) {
  assert_int_equal(read_many(MCPI_HEAD_MAX_VALUES - 7), 0);
  assert_int_equal(read_many(MCPI_HEAD_MAX_VALUES - 6), MCP_ERR_LIMIT);
}

/* --- memory --------------------------------------------------------------- */

static int read_all_types(const mcp_allocator *allocator, void *userdata) {
  static const char text[] =
      "---\n" NAMED "x: [1, true, {y: z}]\nmetadata: {a: b}\n---\n";
  mcpi_skill_head head;
  mcp_error err;
  int rc = mcpi_skill_head_read(&head, text, sizeof(text) - 1, allocator, &err);
  if (rc == 0) {
    mcpi_skill_head_deinit(&head);
  } else {
    assert_int_equal(err.code, rc);
  }
  return rc;
}

TEST(a_lack_of_memory_is_an_error) {
  failing_alloc_rerun_least(5, read_all_types, NULL);
}
