/* SPDX-License-Identifier: MIT */
/* The examples of RFC 6570, all of them, section by section: each expands as it
 * is published, and is matched back where it determines its values. They are
 * in rfc6570.txt, whose lines are
 *
 *   values JSON           the values from here on, if not the usual ones
 *   exact TEMPLATE => URI      matching finds the values again
 *   ambiguous TEMPLATE => URI  it finds others that expand to the same
 *   unmatched TEMPLATE => URI  it finds nothing: an empty value and an absent
 *                              one look alike
 *   level-4 TEMPLATE => URI    it is not asked: it knows levels 1 to 3
 */
#include "codec/uri_template.h"

#include "support/case_file.h"
#include "support/cm.h"
#include <stdio.h>
#include <string.h>

enum { EXACT, AMBIGUOUS, NO_MATCH, LEVEL_4 };

static const char *const words[] = {"exact", "ambiguous", "unmatched",
                                    "level-4"};

typedef struct example {
  const char *text;
  const char *uri;
  int back;
} example;

/* 2.4 and 3.2; those of 1.2 are among them. */
static const char usual_values[] =
    "{\"count\":[\"one\",\"two\",\"three\"],"
    "\"dom\":[\"example\",\"com\"],"
    "\"dub\":\"me/too\","
    "\"hello\":\"Hello World!\","
    "\"half\":\"50%\","
    "\"var\":\"value\","
    "\"who\":\"fred\","
    "\"base\":\"http://example.com/home/\","
    "\"path\":\"/foo/bar\","
    "\"list\":[\"red\",\"green\",\"blue\"],"
    "\"keys\":{\"semi\":\";\",\"dot\":\".\",\"comma\":\",\"},"
    "\"v\":\"6\","
    "\"x\":\"1024\","
    "\"y\":\"768\","
    "\"empty\":\"\","
    "\"empty_keys\":[],"
    "\"undef\":null,"
    "\"semi\":\";\","
    "\"year\":[\"1965\",\"2000\",\"2012\"],"
    "\"address\":{\"city\":\"Newport Beach\",\"state\":\"CA\"}}";

static mcp_doc *parse(const char *text, size_t len) {
  mcp_doc *doc = mcp_doc_parse(text, len, NULL, NULL, NULL);
  assert_non_null(doc);
  return doc;
}

static void check_expansion(const mcpi_uri_template *tpl, const example *x,
                            const mcp_json *values) {
  mcpi_buf out;
  mcpi_buf_init(&out, mcp_allocator_default(), SIZE_MAX);
  assert_int_equal(mcpi_uri_template_expand(tpl, values, &out, NULL), 0);
  mcpi_buf_putc(&out, '\0');
  assert_string_equal(out.data, x->uri);
  mcpi_buf_deinit(&out);
}

/* The values that matching finds, as an object; NULL: no match. */
static mcp_doc *match(const mcpi_uri_template *tpl, const char *uri) {
  mcpi_span spans[64];
  mcpi_buf values;
  mcp_doc *doc = NULL;
  mcpi_buf_init(&values, mcp_allocator_default(), SIZE_MAX);
  if (mcpi_uri_template_match(tpl, mcpi_str_z(uri), &values, spans)) {
    mcpi_buf json;
    mcpi_buf_init(&json, mcp_allocator_default(), SIZE_MAX);
    for (size_t i = 0; i < mcpi_uri_template_var_count(tpl); i++) {
      if (spans[i].offset != SIZE_MAX) {
        mcpi_buf_putc(&json, json.len == 0 ? '{' : ',');
        mcpi_json_put_string(&json, mcpi_uri_template_var_name(tpl, i));
        mcpi_buf_putc(&json, ':');
        mcpi_json_put_string(
            &json, mcpi_str_n(values.data + spans[i].offset, spans[i].len));
      }
    }
    mcpi_buf_puts(&json, json.len == 0 ? MCPI_STR("{}") : MCPI_STR("}"));
    doc = parse(json.data, json.len);
    mcpi_buf_deinit(&json);
  }
  mcpi_buf_deinit(&values);
  return doc;
}

/* As text, since a URI has no numbers; NULL: undefined. */
static const char *text_of(const mcp_json *values, mcpi_str name,
                           char digits[32]) {
  const mcp_json *value = mcp_json_get_n(values, name.ptr, name.len);
  if (mcp_json_type(value) == MCP_JSON_NUMBER) {
    snprintf(digits, 32, "%g", mcp_json_number(value));
    return digits;
  }
  return mcp_json_string(value);
}

static int has_same(const mcpi_uri_template *tpl, const mcp_json *values,
                    const mcp_json *found) {
  for (size_t i = 0; i < mcpi_uri_template_var_count(tpl); i++) {
    char digits[32];
    mcpi_str name = mcpi_uri_template_var_name(tpl, i);
    const char *before = text_of(values, name, digits);
    const char *now = text_of(found, name, NULL);
    if ((before == NULL) != (now == NULL) ||
        (before != NULL && strcmp(before, now) != 0)) {
      return 0;
    }
  }
  return 1;
}

static void check_match(const mcpi_uri_template *tpl, const example *x,
                        const mcp_json *values) {
  mcp_doc *found = match(tpl, x->uri);
  if ((found == NULL) != (x->back == NO_MATCH)) {
    fail_msg("%s and %s: match %d", x->text, x->uri, found != NULL);
  }
  if (found != NULL) {
    check_expansion(tpl, x, mcp_doc_root(found));
    if (has_same(tpl, values, mcp_doc_root(found)) != (x->back == EXACT)) {
      fail_msg("%s and %s: other values", x->text, x->uri);
    }
  }
  mcp_doc_free(found);
}

static void check(const example *x, const mcp_json *values) {
  mcpi_uri_template *tpl = NULL;
  assert_int_equal(mcpi_uri_template_new(&tpl, mcpi_str_z(x->text),
                                         mcp_allocator_default(), NULL),
                   0);
  check_expansion(tpl, x, values);
  if (x->back != LEVEL_4) {
    check_match(tpl, x, values);
  }
  mcpi_uri_template_free(tpl);
}

static void check_line(char *line, const mcp_json *values) {
  for (int back = EXACT; back <= LEVEL_4; back++) {
    char *text = case_after(line, words[back]);
    char *arrow = text != NULL ? strstr(text, " =>") : NULL;
    if (arrow != NULL) {
      *arrow = '\0';
      const char *uri = arrow + strlen(" =>") + (arrow[3] == ' ');
      check(&(example){text, uri, back}, values);
      return;
    }
  }
  fail_msg("this line has no meaning: %s", line);
}

static void run(void **state) {
  size_t checks = 0;
  mcp_doc *doc = parse(usual_values, strlen(usual_values));
  for (char *line = strtok(*state, "\n"); line != NULL;
       line = strtok(NULL, "\n")) {
    const char *values = case_after(line, "values");
    if (values != NULL) {
      mcp_doc_free(doc);
      doc = parse(values, strlen(values));
    } else {
      check_line(line, mcp_doc_root(doc));
      checks++;
    }
  }
  assert_true(checks > 0);
  mcp_doc_free(doc);
}

int main(void) {
  case_files_add("tests/unit/codec/rfc6570.txt", run, NULL);
  return tests_run(NULL, NULL);
}
