/* SPDX-License-Identifier: MIT */
#include "platform/memory.h"
#include "show/shape.h"

#include "support/cm.h"
#include <stdlib.h>
#include <string.h>

/* The tests write schemas with ' for ". */
static mcp_doc *parse(const char *schema) {
  char *text = strdup(schema);
  assert_non_null(text);
  for (char *at = text; *at != '\0'; at++) {
    *at = *at == '\'' ? '"' : *at;
  }
  mcp_doc *doc = mcp_doc_parse(text, strlen(text), NULL, NULL, NULL);
  assert_non_null(doc);
  free(text);
  return doc;
}

static void expect(void (*put)(FILE *out, const ctl_shape *shape),
                   const char *schema, const char *expected) {
  mcp_doc *doc = parse(schema);
  char *found = NULL;
  size_t len = 0;
  ctl_shape shape;
  FILE *out = ctl_memory_open(&found, &len);
  ctl_shape_init(&shape, mcp_doc_root(doc), mcp_doc_root(doc));
  put(out, &shape);
  ctl_memory_close(out, &found, &len);
  assert_string_equal(found, expected);
  free(found);
  mcp_doc_free(doc);
}

static void expect_type(const char *schema, const char *expected) {
  expect(ctl_shape_put_type, schema, expected);
}

static void expect_limits(const char *schema, const char *expected) {
  expect(ctl_shape_put_limits, schema, expected);
}

TEST(stated_types) {
  expect_type("{'type':'string'}", "string");
  expect_type("{'type':['string','null']}", "string or null");
  expect_type("{'type':'array'}", "array");
  expect_type("{'type':'array','items':{'type':'number'}}", "array of number");
  expect_type("{'type':'array','items':{}}", "array");
  expect_type("{'type':'array','items':{'type':['number','string']}}", "array");
  expect_type("{'type':'array','items':[{'type':'number'}]}", "array");
  expect_type("{'type':'array','items':{'type':'array','items':"
              "{'type':'string'}}}",
              "array of array of string");
}

TEST(implied_types) {
  expect_type("{}", "any");
  expect_type("true", "any");
  expect_type("false", "nothing");
  expect_type("{'properties':{}}", "object");
  expect_type("{'items':{'type':'string'}}", "array of string");
  expect_type("{'prefixItems':[]}", "array");
  expect_type("{'enum':['a',1,'b',null]}", "string or number or null");
  expect_type("{'const':true}", "boolean");
  expect_type("{'$ref':'http://example.com/schemas/city'}", "city");
  expect_type("{'$ref':'#city'}", "#city");
}

TEST(alternatives) {
  expect_type("{'anyOf':[{'type':'string'},{'type':'integer'},"
              "{'type':'null'},{'type':'string'}]}",
              "string or integer or null");
  expect_type("{'oneOf':[{'type':'string'},{'type':'null'}]}",
              "string or null");
  expect_type("{'anyOf':[{'type':'string'}]}", "string");
  expect_type("{'anyOf':[{'type':'string'},{'type':'array',"
              "'items':{'type':'string'}}]}",
              "string or array of string");
  expect_type("{'anyOf':[]}", "any");
}

TEST(references) {
  expect_type("{'$ref':'#/$defs/a%20b','$defs':{'a b':{'type':'string'}}}",
              "string");
  expect_type("{'$ref':'#/$defs/x~1y','$defs':{'x/y':{'$ref':'#/$defs/z'},"
              "'z':{'type':'number'}}}",
              "number");
  expect_type(
      "{'allOf':[{'$ref':'#/$defs/z'}],'$defs':{'z':{'type':'number'}}}",
      "number");
  expect_type("{'$ref':'#'}", "#");
  expect_type("{'$ref':'#/$defs/no'}", "no");
  expect_type("{'$ref':'#/$defs/a','$defs':{'a':{'$ref':'#/$defs/b'},"
              "'b':{'$ref':'#/$defs/a'}}}",
              "any");
}

/* Each description ends, and is not longer than its limit. */
TEST(without_end) {
  expect_type("{'type':'array','items':{'$ref':'#'}}",
              "array of array of array of array");
  expect_type("{'anyOf':[{'type':'array','items':{'$ref':'#'}},"
              "{'type':'string'}]}",
              "array or string");
  expect_type("{'anyOf':[{'$ref':'a'},{'$ref':'b'},{'$ref':'c'},{'$ref':'d'},"
              "{'$ref':'e'},{'$ref':'f'},{'$ref':'g'},{'$ref':'h'},"
              "{'$ref':'i'}]}",
              "a or b or c or d or e or f or g or h or more");
}

TEST(values) {
  expect_limits("{}", "");
  expect_limits("{'enum':['a',1,null,'b c']}", "a|1|null|b c");
  expect_limits("{'const':{'a':[1]}}", "{\"a\":[1]}");
  expect_limits("{'oneOf':[{'const':'r','title':'Red'},{'const':2}]}", "r|2");
  expect_limits("{'oneOf':[{'const':'r'},{'type':'string'}]}", "");
  expect_limits("{'anyOf':[{'enum':['a','b']},{'type':'null'}]}", "a|b");
}

TEST(ranges) {
  expect_limits("{'minimum':1,'maximum':12345678901234567890}",
                "1 to 12345678901234567890");
  expect_limits("{'minimum':1.5}", "at least 1.5");
  expect_limits("{'maximum':0}", "at most 0");
  expect_limits("{'exclusiveMinimum':0,'maximum':1}", "at most 1, more than 0");
  expect_limits("{'exclusiveMinimum':true,'minimum':1}", "at least 1");
  expect_limits("{'exclusiveMaximum':9,'multipleOf':0.1}",
                "less than 9, a multiple of 0.1");
  expect_limits("{'minLength':1}", "at least 1 character");
  expect_limits("{'minLength':2,'maxLength':2}", "exactly 2 characters");
  expect_limits("{'minItems':1,'maxItems':5,'uniqueItems':true}",
                "1 to 5 items, no item twice");
  expect_limits("{'maxProperties':1,'uniqueItems':false}", "at most 1 member");
}

TEST(words) {
  expect_limits("{'format':'date','pattern':'^2'}", "date, matches ^2");
  expect_limits("{'contentEncoding':'base64','contentMediaType':'image/png'}",
                "base64, image/png");
  expect_limits("{'not':{},'if':true}", "see not, see if");
  expect_limits("{'minimum':'x','pattern':1,'enum':2}", "at least x");
}
