/* SPDX-License-Identifier: MIT */
#include "common/exit.h"
#include "diff/schema_diff.h"
#include "platform/memory.h"

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

/* A letter for the verdict, the path and the words of each difference. */
static char *lines_of(const ctl_changes *changes) {
  char *text = NULL;
  size_t len = 0;
  FILE *out = ctl_memory_open(&text, &len);
  for (size_t i = 0; i < changes->count; i++) {
    const ctl_change *change = &changes->items[i];
    fprintf(out, "%c %s: %s\n", "CWB"[change->verdict - CTL_COMPATIBLE],
            change -> path, change -> text);
  }
  ctl_memory_close(out, &text, &len);
  return text;
}

static void expect(int direction, const char *before, const char *after,
                   const char *lines) {
  mcp_doc *was = parse(before);
  mcp_doc *is = parse(after);
  ctl_changes changes = {.kind = "tool"};
  ctl_schema_diff(&changes, direction, "",
                  (ctl_values){mcp_doc_root(was), mcp_doc_root(is)});
  char *found = lines_of(&changes);
  assert_string_equal(found, lines);
  assert_false(changes.is_broken);
  free(found);
  ctl_changes_deinit(&changes);
  mcp_doc_free(was);
  mcp_doc_free(is);
}

static void expect_given(const char *before, const char *after,
                         const char *lines) {
  expect(CTL_GIVEN, before, after, lines);
}

static void expect_returned(const char *before, const char *after,
                            const char *lines) {
  expect(CTL_RETURNED, before, after, lines);
}

TEST(the_same_schema) {
  expect_given("{'type':'object'}", "{'type':'object'}", "");
  expect_given("{'a':1,'b':2}", "{'b':2,'a':1}", "");
}

TEST(arguments_that_are_new) {
  expect_given("{'properties':{}}", "{'properties':{'a':{}}}",
               "C /properties/a: argument \"a\" is new and optional\n");
  expect_given("{}", "{'properties':{'a':{}},'required':['a']}",
               "B /properties/a: argument \"a\" is new and required\n");
  expect_given("{'additionalProperties':false}",
               "{'additionalProperties':false,'properties':{'a/b~':{}}}",
               "C /properties/a~1b~0: argument \"a/b~\" is new and optional\n");
}

TEST(arguments_that_were_removed) {
  expect_given("{'properties':{'a':{}},'required':['a']}", "{'properties':{}}",
               "C /properties/a: argument \"a\" was removed\n");
  expect_given(
      "{'properties':{'a':{}},'additionalProperties':false}",
      "{'properties':{},'additionalProperties':false}",
      "B /properties/a: argument \"a\" was removed, and the schema does not "
      "allow others\n");
  expect_given("{'properties':{'a':{}},'patternProperties':{'a':false}}",
               "{'properties':{},'patternProperties':{'a':false}}",
               "B /properties/a: argument \"a\" was removed, which cannot be "
               "judged\n");
}

TEST(required_arguments) {
  expect_given("{'properties':{'a':{},'b':{}},'required':['a']}",
               "{'properties':{'a':{},'b':{}},'required':['b']}",
               "B /required: argument \"b\" became required\n"
               "C /required: argument \"a\" became optional\n");
  expect_given("{'required':['a','b']}", "{'required':['b','a']}",
               "C /required: the input schema has required [\"b\",\"a\"] "
               "instead of [\"a\",\"b\"]\n");
  expect_given("{'required':['a']}", "{'required':true}",
               "B /required: the input schema has required true instead of "
               "[\"a\"], which cannot be judged\n");
}

TEST(limits_of_arguments) {
  expect_given(
      "{'properties':{'a':{'type':'number','minimum':1}}}",
      "{'properties':{'a':{'type':'integer','minimum':0,'pattern':'x'}}}",
      "B /properties/a/type: argument \"a\" has type \"integer\" instead of "
      "\"number\"\n"
      "C /properties/a/minimum: argument \"a\" has minimum 0 instead of 1\n"
      "B /properties/a/pattern: argument \"a\" has the new pattern \"x\"\n");
  expect_given("{'properties':{'a':{'enum':['x','y']}}}",
               "{'properties':{'a':{'enum':['x']}}}",
               "B /properties/a/enum: argument \"a\" has enum [\"x\"] instead "
               "of [\"x\",\"y\"]\n");
  expect_given("{'additionalProperties':false}", "{}",
               "C /additionalProperties: the input schema lost its "
               "additionalProperties false\n");
}

TEST(defaults) {
  expect_given("{'properties':{'dry':{'default':true}}}",
               "{'properties':{'dry':{'default':false}}}",
               "B /properties/dry/default: argument \"dry\" has default false "
               "instead of true\n");
  expect_returned("{'properties':{'dry':{'default':true}}}",
                  "{'properties':{'dry':{'default':false}}}",
                  "W /properties/dry/default: result member \"dry\" has "
                  "another default\n");
}

TEST(parts_of_arguments) {
  expect_given(
      "{'properties':{'a':{'items':{'properties':{'b':{'maxLength':2}}}}}}",
      "{'properties':{'a':{'items':{'properties':{'b':{'maxLength':1}}}}}}",
      "B /properties/a/items/properties/b/maxLength: argument \"a[].b\" has "
      "maxLength 1 instead of 2\n");
  expect_given("{'additionalProperties':{'type':'string'}}",
               "{'additionalProperties':{'type':['string','null']}}",
               "C /additionalProperties/type: argument \".*\" has type "
               "[\"string\",\"null\"] instead of \"string\"\n");
  expect_given("{'properties':{'a':true}}", "{'properties':{'a':false}}",
               "B /properties/a: argument \"a\" has schema false instead of "
               "true\n");
}

TEST(words_of_arguments) {
  expect_given("{'properties':{'a':{'description':'x'}}}",
               "{'properties':{'a':{'description':'y','title':'A'}}}",
               "W /properties/a/description: argument \"a\" has another "
               "description\n"
               "W /properties/a/title: argument \"a\" has a new title\n");
}

TEST(results) {
  expect_returned("{'properties':{'a':{}}}", "{'properties':{}}",
                  "B /properties/a: result member \"a\" was removed\n");
  expect_returned("{'properties':{}}",
                  "{'properties':{'a':{}},'required':['a']}",
                  "C /properties/a: result member \"a\" is new\n");
  expect_returned("{'properties':{},'additionalProperties':false}",
                  "{'properties':{'a':{}},'additionalProperties':false}",
                  "B /properties/a: result member \"a\" is new, and the "
                  "schema does not allow others\n");
  expect_returned("{'properties':{'a':{}},'required':['a']}",
                  "{'properties':{'a':{}}}",
                  "B /required: result member \"a\" became optional\n");
  expect_returned("{'type':'integer'}", "{'type':'number'}",
                  "B /type: the output schema has type \"number\" instead of "
                  "\"integer\"\n");
  expect_returned("{'enum':['x','y']}", "{'enum':['x']}",
                  "C /enum: the output schema has enum [\"x\"] instead of "
                  "[\"x\",\"y\"]\n");
}

TEST(what_cannot_be_judged) {
  expect_given("{'not':{'type':'string'}}", "{'not':{'type':'number'}}",
               "B /not: the input schema has not {\"type\":\"number\"} instead "
               "of {\"type\":\"string\"}, which cannot be judged\n");
  expect_given("{}", "{'x-mcp-header':'A'}",
               "B /x-mcp-header: the input schema has the new x-mcp-header "
               "\"A\", which cannot be judged\n");
  expect_given("{'$ref':'http://a'}", "{'$ref':'http://b'}",
               "B /$ref: the input schema has $ref \"http://b\" instead of "
               "\"http://a\", which cannot be judged\n");
  expect_given("{'properties':{'a':{'$defs':{'x':{}}}}}",
               "{'properties':{'a':{'$defs':{'x':true}}}}",
               "B /properties/a/$defs: argument \"a\" has $defs {\"x\":true} "
               "instead of {\"x\":{}}, which cannot be judged\n");
}

TEST(alternatives) {
  expect_given("{'anyOf':[{'maximum':1},{'type':'null'}]}",
               "{'anyOf':[{'maximum':2},{'type':'null'}]}",
               "C /anyOf/0/maximum: the input schema has maximum 2 instead of "
               "1\n");
  expect_given("{'anyOf':[{'type':'null'}]}",
               "{'anyOf':[{'type':'null'},{'maximum':1}]}",
               "C /anyOf: the input schema has anyOf [{\"type\":\"null\"},"
               "{\"maximum\":1}] instead of [{\"type\":\"null\"}]\n");
}

/* As libraries write a value that may be null. */
TEST(a_schema_that_became_one_of_many) {
  expect_given("{'properties':{'a':{'type':'integer','title':'A'}}}",
               "{'properties':{'a':{'anyOf':[{'type':'integer'},"
               "{'type':'null'}],'title':'A','default':null}}}",
               "C /properties/a/anyOf: argument \"a\" has the new anyOf "
               "[{\"type\":\"integer\"},{\"type\":\"null\"}]\n"
               "C /properties/a/default: argument \"a\" has the new default "
               "null\n");
  expect_given("{'anyOf':[{'type':'integer'},{'type':'null'}]}",
               "{'type':'integer'}",
               "B /anyOf: the input schema lost its anyOf "
               "[{\"type\":\"integer\"},{\"type\":\"null\"}]\n");
  expect_given("{'type':'integer'}",
               "{'anyOf':[{'type':'integer','title':'Obey'}]}",
               "C /type: the input schema lost its type \"integer\"\n"
               "B /anyOf: the input schema has the new anyOf "
               "[{\"type\":\"integer\",\"title\":\"Obey\"}]\n");
  expect_returned("{'anyOf':[{'type':'string'}]}", "{'type':'string'}",
                  "C /anyOf: the output schema lost its anyOf "
                  "[{\"type\":\"string\"}]\n");
  expect_given("{'type':'integer'}",
               "{'maximum':9,'anyOf':[{'type':'integer'}]}",
               "C /type: the input schema lost its type \"integer\"\n"
               "B /maximum: the input schema has the new maximum 9\n"
               "B /anyOf: the input schema has the new anyOf "
               "[{\"type\":\"integer\"}]\n");
}

TEST(definitions_are_compared_where_they_are_used) {
  expect_given("{'properties':{'a':{'$ref':'#/$defs/x'},"
               "'b':{'items':{'$ref':'#/$defs/x'}}},"
               "'$defs':{'x':{'type':'string','maxLength':2}}}",
               "{'properties':{'a':{'$ref':'#/$defs/x'},"
               "'b':{'items':{'$ref':'#/$defs/x'}}},"
               "'$defs':{'x':{'type':'string','maxLength':1}}}",
               "B /$defs/x/maxLength: argument \"a\" has maxLength 1 instead "
               "of 2\n");
  expect_given("{'properties':{'a':{'$ref':'#/$defs/x','description':'p'}},"
               "'$defs':{'x':{'type':'string'}}}",
               "{'properties':{'a':{'type':'string','description':'q'}}}",
               "W /$defs/x/description: argument \"a\" has a new "
               "description\n"
               "W /properties/a/description: argument \"a\" has another "
               "description\n");
  expect_given("{'properties':{'a':{'anyOf':[{'$ref':'#/$defs/x'}]}},"
               "'$defs':{'x':{'minimum':1}}}",
               "{'properties':{'a':{'anyOf':[{'$ref':'#/$defs/x'}]}},"
               "'$defs':{'x':{'minimum':2}}}",
               "B /$defs/x/minimum: argument \"a\" has minimum 2 instead of "
               "1\n");
}

/* Something that mcpctl cannot judge may use them. */
TEST(definitions_that_nothing_reaches_count) {
  expect_given("{'oneOf':[{'$ref':'#/$defs/x'}],'$defs':{'x':{'minimum':1}}}",
               "{'oneOf':[{'$ref':'#/$defs/x'}],'$defs':{'x':{'minimum':2}}}",
               "B /$defs/x: the definition \"x\" has changed, which cannot be "
               "judged\n");
  expect_given("{'$ref':'#/$defs/%78','$defs':{'x':{'minimum':1}}}",
               "{'$ref':'#/$defs/%78','$defs':{'x':{'minimum':2}}}",
               "B /$defs/x: the definition \"x\" has changed, which cannot be "
               "judged\n");
  expect_given("{'definitions':{}}", "{'definitions':{'x':{}}}",
               "B /definitions/x: the definition \"x\" is new, which cannot be "
               "judged\n");
}

TEST(schemas_that_contain_themselves) {
  expect_given("{'properties':{'a':{'$ref':'#'}},'minProperties':1}",
               "{'properties':{'a':{'$ref':'#'}},'minProperties':2}",
               "B /minProperties: argument \"a\" has minProperties 2 instead "
               "of 1\n"
               "B /minProperties: the input schema has minProperties 2 "
               "instead of 1\n");
  expect_given("{'$ref':'#/$defs/x','$defs':{'x':{'$ref':'#/$defs/x'}}}",
               "{'$ref':'#/$defs/x','$defs':{'x':{'$ref':'#/$defs/x',"
               "'title':'X'}}}",
               "W /$defs/x/title: the input schema has a new title\n");
}

/* Each definition refers twice to the next: there are 2^40 paths. */
TEST(many_paths_take_no_time) {
  char schemas[2][8192];
  for (int i = 0; i < 2; i++) {
    size_t len = (size_t)sprintf(schemas[i], "{'$ref':'#/$defs/d0','$defs':{");
    for (int d = 0; d < 40; d++) {
      len += (size_t)sprintf(schemas[i] + len,
                             "'d%d':{'properties':{'a':{'$ref':'#/$defs/d%d'},"
                             "'b':{'$ref':'#/$defs/d%d'}}},",
                             d, d + 1, d + 1);
    }
    sprintf(schemas[i] + len, "'d40':{'minimum':%d}}}", i);
  }
  mcp_doc *was = parse(schemas[0]);
  mcp_doc *is = parse(schemas[1]);
  ctl_changes changes = {.kind = "tool"};
  ctl_schema_diff(&changes, CTL_GIVEN, "",
                  (ctl_values){mcp_doc_root(was), mcp_doc_root(is)});
  assert_int_equal(changes.count, 1);
  assert_string_equal(changes.items[0].path, "/$defs/d40/minimum");
  assert_int_equal(ctl_changes_worst(&changes), CTL_BREAKING);
  ctl_changes_deinit(&changes);
  mcp_doc_free(was);
  mcp_doc_free(is);
}

TEST(properties_that_are_not_an_object) {
  expect_given("{'properties':[1]}", "{'properties':[2]}",
               "B /properties: the input schema has properties [2] instead of "
               "[1], which cannot be judged\n");
  expect_given("{'properties':5,'title':'a'}",
               "{'properties':{'a':{}},'required':['a'],'title':'b'}",
               "B /properties: the input schema has properties {\"a\":{}} "
               "instead of 5, which cannot be judged\n"
               "W /title: the input schema has another title\n");
}

TEST(a_name_that_is_required_twice) {
  expect_given("{'properties':{'a':{}}}",
               "{'properties':{'a':{}},'required':['a','a']}",
               "B /required: argument \"a\" became required\n");
}

/* More pairs of definitions than are compared. */
TEST(what_was_compared_before_is_not_unseen) {
  char *text[2] = {NULL, NULL};
  for (int i = 0; i < 2; i++) {
    size_t len = 0;
    FILE *out = ctl_memory_open(&text[i], &len);
    fputs("{'properties':{", out);
    for (int at = 0; at < 1001; at++) {
      fprintf(out, "%s'p%d':{'$ref':'#/$defs/d%d'}", at > 0 ? "," : "", at,
              at % 1000);
    }
    fputs("},'$defs':{", out);
    for (int at = 0; at < 1000; at++) {
      fprintf(out, "%s'd%d':{}", at > 0 ? "," : "", at);
    }
    fprintf(out, "},'title':'%d'}", i);
    ctl_memory_close(out, &text[i], &len);
  }
  expect_given(text[0], text[1],
               "W /title: the input schema has another title\n");
  free(text[0]);
  free(text[1]);
}

TEST(wrong_keywords_that_stay) {
  expect_given("{'required':5,'properties':[1],'title':'a'}",
               "{'required':5,'properties':[1],'title':'b'}",
               "W /title: the input schema has another title\n");
}
