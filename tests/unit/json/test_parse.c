/* SPDX-License-Identifier: MIT */
#include "json/json.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/guarded.h"
#include <stdio.h>
#include <stdlib.h>

static const mcpi_json_limits no_limits = {SIZE_MAX, MCPI_JSON_MAX_DEPTH,
                                           UINT64_MAX};

/* A text, parsed in exactly the memory that was promised to be enough: the
 * last byte of it lies before an unmapped page. */
typedef struct parsed {
  char *text;
  size_t text_len;
  char *memory;
  size_t memory_len;
  const mcp_json *root;
  mcp_error err;
  int rc;
} parsed;

static size_t round_up(size_t size) {
  return (size + 15) / 16 * 16;
}

static parsed parse(const char *text, size_t len) {
  parsed p = {.text_len = len + MCPI_JSON_PADDING};
  p.text = calloc(1, p.text_len + 1);
  memcpy(p.text, text, len);
  p.memory_len =
      round_up(mcpi_json_memory(len, mcpi_json_scan_text(text, len).values));
  void *fill = malloc(p.memory_len);
  memset(fill, 0xA5, p.memory_len);
  p.memory = guarded_copy(fill, p.memory_len);
  free(fill);
  p.rc = mcpi_json_parse(p.text, len, p.memory, p.memory_len, &p.root, &p.err);
  return p;
}

static void drop(parsed p) {
  free(p.text);
  guarded_free(p.memory, p.memory_len);
}

/* --- the scan ----------------------------------------------------------- */

/* Values of a tree, names included, counted the plain way. */
static size_t count_values(const mcp_json *value) {
  mcp_json_iter iter;
  const mcp_json *name;
  const mcp_json *item;
  size_t count = 1;
  mcp_json_iter_init(&iter, value);
  while ((item = mcp_json_iter_next(&iter, &name)) != NULL) {
    count += (size_t)(name != NULL) + count_values(item);
  }
  return count;
}

static size_t count_depth(const mcp_json *value) {
  int type = mcp_json_type(value);
  mcp_json_iter iter;
  const mcp_json *item;
  size_t deepest = 0;
  mcp_json_iter_init(&iter, value);
  while ((item = mcp_json_iter_next(&iter, NULL)) != NULL) {
    size_t depth = count_depth(item);
    deepest = depth > deepest ? depth : deepest;
  }
  return deepest + (size_t)(type == MCP_JSON_ARRAY || type == MCP_JSON_OBJECT);
}

TEST(scan_counts_exactly) {
  static const struct {
    const char *text;
    size_t depth;
    size_t values;
  } cases[] = {
      {"1", 0, 1},
      {"[]", 1, 1},
      {"{ }", 1, 1},
      {"[ \n\t\r]", 1, 1},
      {"[1]", 1, 2},
      {"[1,2,3]", 1, 4},
      {"{\"a\":1}", 1, 3},
      {"{\"a\":{},\"b\":[[]]}", 3, 6},
      {"[[],[],[[]]]", 3, 5},
      {"\"[[[,,,\"", 0, 1},
      {"[\"[\"]", 1, 2},
      {"[\"\\\"[\",\"\\\\\",{}]", 2, 4},
      {"\"\\\\\\\"[[\"", 0, 1},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    mcpi_json_scan found =
        mcpi_json_scan_text(cases[i].text, strlen(cases[i].text));
    assert_int_equal(found.depth, cases[i].depth);
    assert_int_equal(found.values, cases[i].values);
  }
}

TEST(scan_takes_any_bytes) {
  static const char *const texts[] = {"",      "\"",   "\"\\", "]]]]",  "[}{]",
                                      "\"abc", "[[[[", "{\"a", "\\\"[["};
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    size_t len = strlen(texts[i]);
    char *copy = guarded_copy(texts[i], len);
    mcpi_json_scan found = mcpi_json_scan_text(copy, len);
    assert_true(found.values >= 1);
    assert_true(found.values <= len + 1);
    assert_true(found.depth <= len);
    guarded_free(copy, len);
  }
}

/* Every place of quote and backslash relative to the words that the scan
 * reads. */
TEST(scan_finds_the_end_of_any_string) {
  for (size_t len = 0; len < 40; len++) {
    for (size_t at = 0; at <= len; at++) {
      char text[64];
      memset(text, 'x', sizeof(text));
      text[0] = '[';
      text[1] = '"';
      memcpy(text + 2 + at, "\\\"", 2);
      memcpy(text + 4 + len, "\",[]]", 5);
      mcpi_json_scan found = mcpi_json_scan_text(text, len + 9);
      assert_int_equal(found.values, 3);
      assert_int_equal(found.depth, 2);
    }
  }
}

/* --- memory ------------------------------------------------------------- */

static void check_parse(const char *text, size_t len) {
  parsed p = parse(text, len);
  mcpi_json_scan found = mcpi_json_scan_text(text, len);
  assert_int_equal(p.rc, 0);
  assert_int_equal(count_values(p.root), found.values);
  assert_int_equal(count_depth(p.root), found.depth);
  drop(p);
}

/* Arrays and objects of every small size, tight and indented; yyjson guesses
 * its memory differently for the two. */
TEST(memory_is_enough_for_every_size) {
  static const char *const shapes[][3] = {
      {"[", "1", "]"},
      {"[\n  ", "1\n  ", "]"},
      {"{", "\"\":1", "}"},
      {"{\n  ", "\"a\": [\n  ]", "}"},
      {"   [", "[]", "]   "},
      {"[  ", "{\"a\":\"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\"}", "  ]"},
  };
  for (size_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++) {
    for (int count = 0; count < 300; count++) {
      char text[16384];
      size_t len = (size_t)sprintf(text, "%s", shapes[s][0]);
      for (int i = 0; i < count; i++) {
        len +=
            (size_t)sprintf(text + len, "%s%s", i > 0 ? "," : "", shapes[s][1]);
      }
      len += (size_t)sprintf(text + len, "%s", shapes[s][2]);
      check_parse(text, len);
    }
  }
}

static char *put_random(char *to, int depth, const char *blank);

static char *put_random_members(char *to, int depth, const char *blank,
                                int is_object) {
  for (int i = rand() % 6; i > 0; i--) {
    to += sprintf(to, "%s", blank);
    if (is_object) {
      to += sprintf(to, "\"k%d\"%s:", rand() % 100, blank);
    }
    to = put_random(to, depth - 1, blank);
    to += sprintf(to, "%s", i > 1 ? "," : "");
  }
  return to + sprintf(to, "%s", blank);
}

static char *put_random(char *to, int depth, const char *blank) {
  static const char *const scalars[] = {"1",
                                        "-2.5e3",
                                        "\"\"",
                                        "true",
                                        "\"te\\\"xt\"",
                                        "null",
                                        "12345678901234567890123"};
  int is_object = rand() % 2;
  if (depth == 0 || rand() % 4 == 0) {
    return to + sprintf(to, "%s", scalars[rand() % 7]);
  }
  *to++ = is_object ? '{' : '[';
  to = put_random_members(to, depth, blank, is_object);
  *to++ = is_object ? '}' : ']';
  return to;
}

TEST(memory_is_enough_for_random_trees) {
  static const char *const blanks[] = {"", " ", "\n  ", "\n        "};
  static char text[1 << 20];
  srand(3);
  for (int round = 0; round < 3000; round++) {
    char *end = put_random(text, 5, blanks[round % 4]);
    check_parse(text, (size_t)(end - text));
  }
}

/* The memory is enough for any bytes: yyjson may refuse them, but not because
 * the memory is too small. */
TEST(memory_is_enough_for_broken_text) {
  static const char alphabet[] = "[[[{{{}],:\"\"\\1a \ntrue";
  char text[400];
  srand(5);
  for (int round = 0; round < 30000; round++) {
    size_t len = 1 + (size_t)rand() % (sizeof(text) - 1);
    size_t kinds = 1 + (size_t)rand() % (sizeof(alphabet) - 1);
    for (size_t i = 0; i < len; i++) {
      text[i] = alphabet[(size_t)rand() % kinds];
    }
    parsed p = parse(text, len);
    assert_true(p.rc == 0 || p.rc == MCP_ERR_PARSE);
    drop(p);
  }
}

TEST(memory_does_not_overflow) {
  assert_int_equal(mcpi_json_memory(10, SIZE_MAX), SIZE_MAX);
  assert_int_equal(mcpi_json_memory(10, SIZE_MAX / 16), SIZE_MAX);
  assert_true(mcpi_json_memory(SIZE_MAX / 4, 1) > SIZE_MAX / 4);
  assert_int_equal(mcpi_json_memory(SIZE_MAX / 2, 1), SIZE_MAX);
  assert_int_equal(mcpi_json_memory(SIZE_MAX, 1), SIZE_MAX);
}

TEST(too_little_memory_is_told) {
  char text[16] = "[1,2]";
  char memory[64];
  mcp_error err;
  const mcp_json *root = NULL;
  assert_int_equal(
      mcpi_json_parse(text, 5, memory, sizeof(memory), &root, &err),
      MCP_ERR_NOMEM);
  assert_null(root);
}

/* --- strictness --------------------------------------------------------- */

TEST(broken_texts_are_refused_where_they_break) {
  static const struct {
    const char *text;
    size_t offset;
  } cases[] = {
      {"", 0},
      {"   ", 0},
      {"\"\xFF\"", 1},
      {"\"\xC0\xAF\"", 1},
      {"\"ab\xED\xA0\x80\"", 3},
      {"\"\\ud800\"", 7},
      {"\"\\udc00\"", 1},
      {"\"a\tb\"", 2},
      {"\"a\nb\"", 2},
      {"\"\\x\"", 2},
      {"01", 0},
      {"1.", 2},
      {"+1", 0},
      {".5", 0},
      {"-", 1},
      {"1e", 2},
      {"0x10", 1},
      {"[1,]", 2},
      {"{\"a\":1,}", 6},
      {"[1 2]", 3},
      {"{\"a\" 1}", 5},
      {"{a:1}", 1},
      {"{\"a\":}", 5},
      {"// c\n1", 0},
      {"[1/* c */]", 2},
      {"'a'", 0},
      {"NaN", 0},
      {"-Infinity", 1},
      {"TRUE", 0},
      {"tru", 3},
      {"[1]x", 3},
      {"1 2", 2},
      {"{}{}", 2},
      {"\xEF\xBB\xBF{}", 0},
      {"[1", 2},
      {"{\"a\":\"b", 7},
      {"]", 0},
      {"[}", 1},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    parsed p = parse(cases[i].text, strlen(cases[i].text));
    assert_int_equal(p.rc, MCP_ERR_PARSE);
    assert_int_equal(p.err.code, MCP_ERR_PARSE);
    if (p.err.offset != cases[i].offset) {
      fail_msg("%s: offset %d, not %d", cases[i].text, (int)p.err.offset,
               (int)cases[i].offset);
    }
    assert_string_not_equal(p.err.message, "");
    assert_null(p.root);
    drop(p);
  }
}

TEST(a_nul_in_the_text_is_refused) {
  static const char *const texts[] = {"1\0", "[1\0]", "\"a\0\"", "\0 1"};
  static const size_t lens[] = {2, 4, 4, 3};
  for (size_t i = 0; i < 4; i++) {
    parsed p = parse(texts[i], lens[i]);
    assert_int_equal(p.rc, MCP_ERR_PARSE);
    drop(p);
  }
}

TEST(good_texts_are_taken_as_they_are) {
  static const char *const texts[] = {
      "\"a\\u0000b\"",
      "12345678901234567890",
      "1234567890123456789012345",
      "1e400",
      "-1e400",
      "9007199254740993",
      "-9223372036854775808",
      "-9223372036854775809",
      "1.0",
      "0.1",
      "[0.1,1.0,1]",
      "{\"a\":1,\"a\":2}",
      "\"\xF0\x9F\x98\x80\"",
      "[-12345678901234567890123,1e999,{}]",
  };
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    mcpi_buf buf;
    parsed p = parse(texts[i], strlen(texts[i]));
    assert_int_equal(p.rc, 0);
    mcpi_buf_init(&buf, mcp_allocator_default(), SIZE_MAX);
    mcpi_json_put_value(&buf, p.root);
    assert_int_equal(buf.len, strlen(texts[i]));
    assert_memory_equal(buf.data, texts[i], buf.len);
    mcpi_buf_deinit(&buf);
    drop(p);
  }
}

TEST(strings_and_numbers_end_with_nul) {
  const char text[] = "[\"ab\",12345678901234567890123,\"c\\u0064\",1e999]";
  parsed p = parse(text, strlen(text));
  assert_string_equal(mcp_json_string(mcp_json_at(p.root, 0)), "ab");
  assert_string_equal(mcp_json_string(mcp_json_at(p.root, 2)), "cd");
  assert_true(mcp_json_number(mcp_json_at(p.root, 1)) > 1.2e22);
  assert_true(mcp_json_number(mcp_json_at(p.root, 3)) > 1e308);
  drop(p);
}

/* --- limits ------------------------------------------------------------- */

static int measure(const char *text, size_t max_bytes, uint32_t max_depth,
                   uint64_t max_values, mcp_error *err) {
  const mcpi_json_limits limits = {max_bytes, max_depth, max_values};
  size_t memory_len;
  return mcpi_json_measure(text, strlen(text), &limits, &memory_len, err);
}

TEST(limits_hold_at_and_one_past) {
  const char text[] = "{\"a\":[1,[2]]}"; /* 13 bytes, depth 3, 6 values */
  mcp_error err;
  assert_int_equal(measure(text, 13, 3, 6, NULL), 0);
  assert_int_equal(measure(text, 12, 3, 6, &err), MCP_ERR_LIMIT);
  assert_string_equal(err.message, "JSON of 13 bytes, limit 12");
  assert_int_equal(measure(text, 13, 2, 6, &err), MCP_ERR_LIMIT);
  assert_string_equal(err.message, "JSON of depth 3, limit 2");
  assert_int_equal(measure(text, 13, 3, 5, &err), MCP_ERR_LIMIT);
  assert_string_equal(err.message, "JSON of 6 values, limit 5");
}

TEST(no_depth_is_past_the_largest) {
  char text[2 * MCPI_JSON_MAX_DEPTH + 3];
  for (int depth = MCPI_JSON_MAX_DEPTH; depth <= MCPI_JSON_MAX_DEPTH + 1;
       depth++) {
    memset(text, '[', (size_t)depth);
    memset(text + depth, ']', (size_t)depth);
    text[2 * depth] = '\0';
    assert_int_equal(measure(text, SIZE_MAX, UINT32_MAX, UINT64_MAX, NULL),
                     depth == MCPI_JSON_MAX_DEPTH ? 0 : MCP_ERR_LIMIT);
  }
}

TEST(load_parses_a_copy) {
  for (size_t blanks = 0; blanks < 40; blanks++) {
    char text[64] = "[\"a\\n\",1]";
    size_t memory_len;
    const mcp_json *root;
    memset(text + 9, ' ', blanks);
    size_t len = 9 + blanks;
    assert_int_equal(
        mcpi_json_measure(text, len, &no_limits, &memory_len, NULL), 0);
    void *memory = malloc(memory_len);
    assert_int_equal(mcpi_json_load(memory, memory_len, text, len, &root, NULL),
                     0);
    assert_memory_equal(text, "[\"a\\n\",1]", 9);
    assert_string_equal(mcp_json_string(mcp_json_at(root, 0)), "a\n");
    free(memory);
  }
}

/* A text that loads without being measured keeps to all limits. */
TEST(short_texts_that_load_keep_the_limits) {
  static const char *const texts[] = {
      "[[[[[[[[]]]]]]]]",
      "{\"a\":{\"b\":{\"c\":{}}}}",
      "[1,2,3,4,5,6,7,8,9,10,11,12]",
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}",
      "[1,",
  };
  size_t loaded = 0;
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    for (uint32_t most = 0; most < 32; most++) {
      const mcpi_json_limits limits = {32 + most, most, 2 * most};
      size_t len = strlen(texts[i]);
      size_t memory_len = mcpi_json_short_memory(len, &limits);
      void *memory = malloc(memory_len + 1);
      const mcp_json *root;
      if (memory_len > 0 &&
          mcpi_json_load(memory, memory_len, texts[i], len, &root, NULL) == 0) {
        assert_int_equal(
            measure(texts[i], limits.max_bytes, most, limits.max_values, NULL),
            0);
        loaded++;
      }
      free(memory);
    }
  }
  assert_true(loaded > 0);
}

/* --- members that occur twice ------------------------------------------- */

static const uint64_t seed[2] = {1, 2};

/* An object of `count` members, of which the last has the name of `twice`. */
static size_t put_object(char *text, int count, int twice) {
  size_t len = 0;
  text[len++] = '{';
  for (int i = 0; i < count; i++) {
    int name = i == count - 1 && twice >= 0 ? twice : i;
    len += (size_t)sprintf(text + len, "%s\"n%d\":[%d]", i > 0 ? "," : "", name,
                           i);
  }
  text[len++] = '}';
  return len;
}

TEST(duplicates_are_found_at_every_size) {
  static const int counts[] = {2, 3, 31, 32, 33, 34, 500};
  for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
    for (int twice = -1; twice < counts[i] - 1; twice += 1 + counts[i] / 9) {
      char text[16384];
      char name[16];
      int oom = 0;
      parsed p = parse(text, put_object(text, counts[i], twice));
      const mcp_json *found =
          mcpi_json_duplicate(p.root, mcp_allocator_default(), seed, &oom);
      sprintf(name, "n%d", twice);
      if (twice < 0) {
        assert_null(found);
      } else {
        assert_string_equal(mcp_json_string(found), name);
      }
      assert_int_equal(oom, 0);
      drop(p);
    }
  }
}

TEST(only_objects_have_duplicates) {
  int oom = 0;
  parsed p = parse("[\"a\",1,\"a\",1]", 13);
  assert_null(mcpi_json_duplicate(p.root, NULL, seed, &oom));
  assert_null(mcpi_json_duplicate(NULL, NULL, seed, &oom));
  drop(p);
  p = parse("{\"a\\u0000\":1,\"a\":2,\"\":3}", 25);
  assert_null(mcpi_json_duplicate(p.root, NULL, seed, &oom));
  drop(p);
  assert_int_equal(oom, 0);
}

static void expect_within(const char *text, const char *name) {
  int oom = 0;
  parsed p = parse(text, strlen(text));
  const mcp_json *found =
      mcpi_json_duplicate_within(p.root, mcp_allocator_default(), seed, &oom);
  assert_int_equal(oom, 0);
  if (name == NULL) {
    assert_null(found);
  } else {
    assert_non_null(found);
    assert_string_equal(mcp_json_string(found), name);
  }
  drop(p);
}

TEST(duplicates_are_found_at_every_depth) {
  expect_within("1", NULL);
  expect_within("{}", NULL);
  expect_within("[]", NULL);
  expect_within("{\"a\":{\"a\":[{\"a\":1},{\"a\":2}]},\"b\":{\"a\":1}}", NULL);
  expect_within("{\"a\":1,\"a\":2}", "a");
  expect_within("{\"b\":{\"c\":{\"a\":1,\"\\u0061\":2}}}", "a");
  expect_within("[[[{\"x\":[],\"y\":{},\"x\":0}]]]", "x");
  expect_within("{\"b\":[1,{},{\"a\":1},{\"z\":1,\"a\":2,\"z\":3}]}", "z");
  expect_within("[{\"a\":1},{\"q\":1,\"q\":2}]", "q");
}

/* Of one part of a message alone: what follows is another's. */
TEST(only_the_value_itself_is_looked_at) {
  static const char text[] = "[{\"a\":{\"b\":1}},{\"q\":1,\"q\":2},3]";
  int oom = 0;
  parsed p = parse(text, sizeof(text) - 1);
  assert_null(
      mcpi_json_duplicate_within(mcp_json_at(p.root, 0), NULL, seed, &oom));
  assert_non_null(
      mcpi_json_duplicate_within(mcp_json_at(p.root, 1), NULL, seed, &oom));
  assert_null(
      mcpi_json_duplicate_within(mcp_json_at(p.root, 2), NULL, seed, &oom));
  assert_null(mcpi_json_duplicate_within(NULL, NULL, seed, &oom));
  drop(p);
}

static int look_for_duplicate(const mcp_allocator *allocator, void *userdata) {
  int oom = 0;
  const mcp_json *found = mcpi_json_duplicate(userdata, allocator, seed, &oom);
  if (oom) {
    assert_null(found);
    return MCP_ERR_NOMEM;
  }
  assert_string_equal(mcp_json_string(found), "n3");
  return 0;
}

TEST(failures_are_survived) {
  char text[16384];
  parsed p = parse(text, put_object(text, 100, 3));
  assert_true(failing_alloc_rerun(look_for_duplicate, (void *)p.root) >= 3);
  drop(p);
}
