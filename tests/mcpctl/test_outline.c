/* SPDX-License-Identifier: MIT */
#include "platform/memory.h"
#include "show/outline.h"

#include "support/cm.h"
#include <stdio.h>
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

/* Returns the rows below the heading: a line for each, bars between cells. */
static char *rows_of(const ctl_table *table) {
  char *text = NULL;
  size_t len = 0;
  FILE *out = ctl_memory_open(&text, &len);
  for (size_t i = table->columns; i < table->count; i++) {
    int is_last = i % table->columns == table->columns - 1;
    fprintf(out, "%s%s", table->cells[i], is_last ? "\n" : "|");
  }
  ctl_memory_close(out, &text, &len);
  return text;
}

static void expect(const char *schema, const char *expected) {
  mcp_doc *doc = parse(schema);
  ctl_table table;
  size_t rows = ctl_outline_make(&table, "ARGUMENT", mcp_doc_root(doc));
  char *found = rows_of(&table);
  assert_string_equal(found, expected);
  assert_int_equal(table.count, (rows + 1) * table.columns);
  assert_string_equal(table.cells[0], "ARGUMENT");
  free(found);
  ctl_table_free(&table);
  mcp_doc_free(doc);
}

TEST(members) {
  expect("{'type':'object','required':['b'],'properties':{"
         "'a':{'type':'string','default':'x','title':'An a'},"
         "'b':{'type':'number','minimum':1,'description':'A b'}}}",
         "a|string|no|\"x\"||An a\nb|number|yes||at least 1|A b\n");
  expect("{'required':['b'],'properties':{'a':{}}}",
         "a|any|no|||\nb|any|yes|||\n");
  expect("{'required':['b'],'additionalProperties':{'type':'number'}}",
         "b|number|yes|||\n*|number||||\n");
  expect("{'required':['b','b']}", "b|any|yes|||\n");
  expect("{'type':'object'}", "");
  expect("{}", "");
}

TEST(members_within_members) {
  expect("{'properties':{'size':{'type':'object','required':['width'],"
         "'properties':{'width':{'type':'integer'},'unit':{'enum':['mm','in']}}"
         "}}}",
         "size|object|no|||\nsize.width|integer|yes|||\n"
         "size.unit|string|no||mm|in|\n");
}

TEST(items) {
  expect("{'properties':{'tags':{'type':'array','items':{'type':'string'}}}}",
         "tags|array of string|no|||\n");
  expect("{'properties':{'tags':{'type':'array','items':{'type':'string',"
         "'maxLength':9}}}}",
         "tags|array of string|no|||\ntags[]|string|||at most 9 characters|\n");
  expect("{'properties':{'at':{'type':'array','items':{'properties':{'x':{}}}}"
         "}}",
         "at|array of object|no|||\nat[].x|any|no|||\n");
  expect("{'properties':{'m':{'type':'array','items':{'type':'array','items':"
         "{'properties':{'x':{}}}}}}}",
         "m|array of array of object|no|||\nm[][].x|any|no|||\n");
}

TEST(tuples) {
  expect("{'properties':{'pair':{'prefixItems':[{'type':'string'},"
         "{'type':'number'}],'items':{'type':'null'}}}}",
         "pair|array of null|no|||\npair[0]|string||||\npair[1]|number||||\n"
         "pair[]|null||||\n");
  expect("{'properties':{'pair':{'type':'array','items':[{'type':'string'}],"
         "'additionalItems':{'type':'number'}}}}",
         "pair|array|no|||\npair[0]|string||||\npair[]|number||||\n");
}

TEST(unnamed_members) {
  expect("{'properties':{'env':{'type':'object','additionalProperties':"
         "{'type':'string'},'patternProperties':{'^N':{'type':'number'}}}}}",
         "env|object|no|||\nenv.(^N)|number||||\nenv.*|string||||\n");
  expect("{'additionalProperties':{'type':'string'}}", "*|string||||\n");
  expect("{'additionalProperties':false}", "");
}

TEST(definitions) {
  expect("{'properties':{'from':{'$ref':'#/$defs/p','description':'Start'},"
         "'to':{'allOf':[{'$ref':'#/$defs/p'}]},"
         "'by':{'anyOf':[{'$ref':'#/$defs/p'},{'type':'null'}]}},"
         "'$defs':{'p':{'type':'object','description':'A point',"
         "'required':['x'],'properties':{'x':{'type':'number'}}}}}",
         "from|object|no|||Start\nfrom.x|number|yes|||\n"
         "to|object|no|||A point\nto.x|number|yes|||\n"
         "by|object or null|no|||A point\nby.x|number|yes|||\n");
  expect("{'$ref':'#/$defs/p','$defs':{'p':{'properties':{'x':{}}}}}",
         "x|any|no|||\n");
}

TEST(a_member_in_two_parts) {
  expect("{'allOf':[{'properties':{'a':{'type':'string'}}},"
         "{'properties':{'a':{'minLength':3},'b':{}},'required':['a']}]}",
         "a|string|yes||at least 3 characters|\nb|any|no|||\n");
}

TEST(alternatives) {
  expect("{'properties':{'shape':{'oneOf':["
         "{'type':'object','title':'A circle','required':['r'],"
         "'properties':{'r':{'type':'number'}}},"
         "{'type':'object','properties':{'a':{'type':'number'}}},"
         "{'type':'string'}]}}}",
         "shape|object or string|no|||\nshape (1)|object||||A circle\n"
         "shape (1).r|number|yes|||\nshape (2)|object||||\n"
         "shape (2).a|number|no|||\nshape (3)|string||||\n");
  expect("{'properties':{'id':{'anyOf':[{'type':'string'},{'type':'integer'},"
         "{'type':'array','items':{'type':'string'}}]}}}",
         "id|string or integer or array of string|no|||\n");
  expect("{'oneOf':[{'properties':{'a':{}}},{'properties':{'b':{}}}]}",
         "(1)|object||||\n(1).a|any|no|||\n(2)|object||||\n(2).b|any|no|||\n");
  expect("{'properties':{'a':{'type':'string'}},'oneOf':[{'required':['a']},"
         "{'required':['b']}]}",
         "a|string|no|||\n(1)|any||||\n(1).a|any|yes|||\n(2)|any||||\n"
         "(2).b|any|yes|||\n");
  expect("{'properties':{'c':{'oneOf':[{'const':'r','title':'Red'},"
         "{'const':'g','title':'Green'}]}}}",
         "c|string|no||r|g|\n");
}

TEST(what_contains_itself) {
  expect(
      "{'properties':{'tree':{'$ref':'#/$defs/node'}},'$defs':{'node':{"
      "'type':'object','properties':{'name':{'type':'string'},'below':"
      "{'type':'array','items':{'$ref':'#/$defs/node'}}}}}}",
      "tree|object|no|||\ntree.name|string|no|||\n"
      "tree.below|array of object|no|||\ntree.below[]|object|||like tree|\n");
  expect("{'type':'object','properties':{'more':{'$ref':'#'}}}",
         "more|object|no||like the whole|\n");
}

/* 2 to the power of 40 rows, in a kilobyte. */
TEST(too_much) {
  char *schema = NULL;
  size_t len = 0;
  FILE *out = ctl_memory_open(&schema, &len);
  fputs("{'$ref':'#/$defs/d0','$defs':{", out);
  for (int i = 0; i < 40; i++) {
    fprintf(out,
            "'d%d':{'properties':{'a':{'$ref':'#/$defs/d%d'},"
            "'b':{'$ref':'#/$defs/d%d'}}},",
            i, i + 1, i + 1);
  }
  fputs("'d40':{}}}", out);
  ctl_memory_close(out, &schema, &len);
  mcp_doc *doc = parse(schema);
  ctl_table table;
  size_t rows = ctl_outline_make(&table, "ARGUMENT", mcp_doc_root(doc));
  assert_in_range(rows, 1, 1000);
  ctl_table_free(&table);
  mcp_doc_free(doc);
  free(schema);
}

/* Each member has a list of alternatives. Looking through all of them for each
 * member would take minutes: the table ends before that. */
TEST(too_many_alternatives) {
  char *schema = NULL;
  size_t len = 0;
  FILE *out = ctl_memory_open(&schema, &len);
  fputs("{'$defs':{'a':{'anyOf':[{'$ref':'#/$defs/b'}", out);
  for (int i = 0; i < 30000; i++) {
    fputs(",{'$ref':'#/$defs/b'}", out);
  }
  fputs("]},'b':{'anyOf':[{'type':'null'},{'type':'string'}", out);
  for (int i = 0; i < 30000; i++) {
    fputs(",{'type':'string'}", out);
  }
  fputs("]}},'properties':{'x':{}", out);
  for (int i = 0; i < 100; i++) {
    fprintf(out, ",'m%d':{'$ref':'#/$defs/a'}", i);
  }
  fputs("}}", out);
  ctl_memory_close(out, &schema, &len);
  mcp_doc *doc = parse(schema);
  ctl_table table;
  size_t rows = ctl_outline_make(&table, "ARGUMENT", mcp_doc_root(doc));
  assert_in_range(rows, 100, 1000);
  ctl_table_free(&table);
  mcp_doc_free(doc);
  free(schema);
}
