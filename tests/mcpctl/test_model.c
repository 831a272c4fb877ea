/* SPDX-License-Identifier: MIT */
/* generate/model.c and typing.c: what schemas are in C. */
#include "generate/model.h"

#include "support/cm.h"
#include <mcp/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct made {
  mcp_doc *doc;
  ctl_model model;
} made;

/* The model of tools whose array is written with ' for a quote. */
static void make(made *m, const char *marked) {
  char *text = strdup(marked);
  for (char *at = text; *at != '\0'; at++) {
    *at = *at == '\'' ? '"' : *at;
  }
  mcp_error err;
  m->doc = mcp_doc_parse(text, strlen(text), NULL, NULL, &err);
  free(text);
  if (m->doc == NULL) {
    fail_msg("%s", err.message);
  }
  const mcp_json *tools[8];
  size_t count = mcp_json_size(mcp_doc_root(m->doc));
  assert_true(count <= 8);
  for (size_t i = 0; i < count; i++) {
    tools[i] = mcp_json_at(mcp_doc_root(m->doc), i);
  }
  assert_int_equal(ctl_model_init(&m->model, "s", tools, count), 0);
}

static void unmake(made *m) {
  ctl_model_deinit(&m->model);
  mcp_doc_free(m->doc);
}

/* Asserts what the only field of a tool's arguments is: "OPTIONAL NULLABLE
 * ARRAY INTEGER", with what applies. */
static void expect_field(const char *schema, int is_required,
                         const char *expected) {
  static const char *const kinds[] = {"STRING", "INTEGER", "NUMBER", "BOOLEAN",
                                      "ENUM",   "STRUCT",  "JSON"};
  char tools[8192];
  char words[128];
  made m;
  snprintf(tools, sizeof(tools),
           "[{'name':'t','inputSchema':{'type':'object','properties':{'x':%s},"
           "'required':[%s],'$defs':{'int':{'type':'integer'},"
           "'self':{'$ref':'#/$defs/self'},'tree':{'type':'object',"
           "'properties':{'kids':{'type':'array','items':{'$ref':'#/$defs/"
           "tree'}}}}}}}]",
           schema, is_required ? "'x'" : "");
  make(&m, tools);
  assert_int_equal(m.model.functions[0].takes, CTL_SIDE_STRUCT);
  const ctl_member *member = &m.model.functions[0].args->members[0];
  snprintf(words, sizeof(words), "%s%s%s%s",
           member->is_optional ? "OPTIONAL " : "",
           member->is_nullable ? "NULLABLE " : "",
           member->is_array ? "ARRAY " : "", kinds[member->kind]);
  assert_string_equal(words, expected);
  unmake(&m);
}

TEST(schemas_become_kinds) {
  expect_field("{'type':'string'}", 1, "STRING");
  expect_field("{'type':'integer'}", 0, "OPTIONAL INTEGER");
  expect_field("{'type':'number'}", 1, "NUMBER");
  expect_field("{'type':'boolean'}", 1, "BOOLEAN");
  expect_field("{'enum':['a','b']}", 1, "ENUM");
  expect_field("{'type':'object','properties':{'a':{}}}", 1, "STRUCT");
  expect_field("{'properties':{'a':{}}}", 1, "STRUCT");
  expect_field("{'type':'array','items':{'type':'number'}}", 1, "ARRAY NUMBER");
  expect_field("{'type':'array','items':{'properties':{'a':{}}}}", 1,
               "ARRAY STRUCT");
  expect_field("{'type':'array','items':{'type':'object','properties':"
               "{'a':{}}}}",
               0, "OPTIONAL ARRAY STRUCT");
  expect_field("{'$ref':'#/$defs/int'}", 1, "INTEGER");
  expect_field("{'allOf':[{'$ref':'#/$defs/int'}]}", 1, "INTEGER");
}

TEST(values_that_may_be_null_are_seen) {
  expect_field("{'type':['string','null']}", 1, "OPTIONAL NULLABLE STRING");
  expect_field("{'type':['string','null']}", 0, "OPTIONAL STRING");
  expect_field("{'anyOf':[{'type':'null'},{'$ref':'#/$defs/int'}]}", 1,
               "OPTIONAL NULLABLE INTEGER");
  expect_field("{'enum':['a',null]}", 1, "OPTIONAL NULLABLE ENUM");
  expect_field("{'type':['array','null'],'items':{'type':'string'}}", 1,
               "OPTIONAL NULLABLE ARRAY STRING");
}

TEST(schemas_that_c_lacks_are_json) {
  expect_field("{}", 1, "JSON");
  expect_field("true", 1, "JSON");
  expect_field("null", 1, "JSON");
  expect_field("{'type':'null'}", 1, "JSON");
  expect_field("{'type':7}", 1, "JSON");
  expect_field("{'type':['string','integer']}", 1, "JSON");
  expect_field("{'type':'object'}", 0, "OPTIONAL JSON");
  expect_field("{'type':'array'}", 1, "JSON");
  expect_field("{'type':'array','items':{'type':['string','null']}}", 1,
               "JSON");
  expect_field("{'type':'array','prefixItems':[{}],'items':{'type':'string'}}",
               1, "JSON");
  expect_field("{'enum':[1,2]}", 1, "JSON");
  expect_field("{'enum':[]}", 1, "JSON");
  expect_field("{'oneOf':[{'type':'string'},{'type':'integer'}]}", 1, "JSON");
  expect_field("{'allOf':[{'type':'string'},{'minLength':1}]}", 1, "JSON");
  expect_field("{'$ref':'#/$defs/self'}", 1, "JSON");
  expect_field("{'$ref':'#/$defs/none'}", 1, "JSON");
  expect_field("{'$ref':'https://example.com/x'}", 1, "JSON");
}

/* Their strings are not looked at, so a type must say that they are some. */
TEST(a_long_list_of_values_is_no_enumeration) {
  char schema[4096] = "";
  for (int has_type = 0; has_type < 2; has_type++) {
    size_t len = (size_t)snprintf(schema, sizeof(schema), "{%s'enum':['x'",
                                  has_type ? "'type':'string'," : "");
    for (int i = 0; i < 500; i++) {
      len += (size_t)snprintf(schema + len, sizeof(schema) - len, ",'%d'", i);
    }
    snprintf(schema + len, sizeof(schema) - len, "]}");
    expect_field(schema, 1, has_type ? "STRING" : "JSON");
  }
}

TEST(a_value_that_contains_itself_ends) {
  made m;
  expect_field("{'$ref':'#/$defs/tree'}", 1, "STRUCT");
  make(&m, "[{'name':'t','inputSchema':{'type':'object','properties':"
           "{'a':{'$ref':'#'}}}}]");
  assert_int_equal(m.model.functions[0].args->members[0].kind, CTL_KIND_JSON);
  unmake(&m);
}

/* Each level has two of the next one. */
TEST(a_schema_that_unfolds_is_bounded) {
  char tools[8192] = "[{'name':'t','inputSchema':{'type':'object','properties':"
                     "{'x':{'$ref':'#/$defs/d0'}},'$defs':{";
  for (int i = 0; i < 40; i++) {
    char level[160];
    snprintf(level, sizeof(level),
             "'d%d':{'type':'object','properties':{'a':{'$ref':'#/$defs/d%d'},"
             "'b':{'$ref':'#/$defs/d%d'}}},",
             i, i + 1, i + 1);
    strcat(tools, level);
  }
  strcat(tools, "'d40':{'type':'string'}}}}]");
  made m;
  make(&m, tools);
  assert_true(m.model.members < 100);
  unmake(&m);
}

TEST(what_a_tool_takes_and_gives) {
  static const struct {
    const char *tool;
    ctl_side takes;
    ctl_side gives;
  } cases[] = {
      {"'inputSchema':{'type':'object','properties':{}}", CTL_SIDE_NONE,
       CTL_SIDE_NONE},
      {"'inputSchema':{'type':'object','additionalProperties':false}",
       CTL_SIDE_NONE, CTL_SIDE_NONE},
      {"'inputSchema':{'type':'object'}", CTL_SIDE_JSON, CTL_SIDE_NONE},
      {"'inputSchema':{'type':'object','properties':{},"
       "'additionalProperties':{'type':'string'}}",
       CTL_SIDE_JSON, CTL_SIDE_NONE},
      {"'inputSchema':{'oneOf':[{'type':'object'},{'type':'object'}]}",
       CTL_SIDE_JSON, CTL_SIDE_NONE},
      {"'inputSchema':null,'outputSchema':null", CTL_SIDE_JSON, CTL_SIDE_NONE},
      {"'inputSchema':{'$ref':'#/$defs/a','$defs':{'a':{'type':'object',"
       "'properties':{'b':{}}}}},'outputSchema':{'type':'object'}",
       CTL_SIDE_STRUCT, CTL_SIDE_JSON},
      {"'inputSchema':{'type':'object','properties':{'a':{}},'anyOf':"
       "[{'required':['a']},{'required':['b']}]},'outputSchema':"
       "{'type':'object','properties':{'x':{'type':'integer'}}}",
       CTL_SIDE_STRUCT, CTL_SIDE_STRUCT},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    char tools[1024];
    made m;
    snprintf(tools, sizeof(tools), "[{'name':'t',%s}]", cases[i].tool);
    make(&m, tools);
    assert_int_equal(m.model.functions[0].takes, cases[i].takes);
    assert_int_equal(m.model.functions[0].gives, cases[i].gives);
    unmake(&m);
  }
}

TEST(names_do_not_clash) {
  made m;
  make(&m, "[{'name':'a','inputSchema':{'type':'object','properties':{'x':"
           "{'type':'integer'},'has_x':{'type':'integer'}}}},{'name':'A'},"
           "{'name':'a-args'},{'name':'a_start'},{'name':'!!!'},{'name':"
           "'\\u0000'},{'x':1}]");
  const ctl_function *f = m.model.functions;
  assert_int_equal(m.model.count, 5);
  assert_int_equal(m.model.left_out, 2);
  assert_string_equal(f[0].name, "s_a");
  assert_string_equal(f[1].name, "s_a_2");
  assert_string_equal(f[2].name, "s_a_args_2");
  assert_string_equal(f[3].name, "s_a_start_2");
  assert_string_equal(f[4].name, "s_tool");
  assert_string_equal(f[0].args->tag, "s_a_args");
  assert_string_equal(f[0].args->members[0].name, "x");
  assert_string_equal(f[0].args->members[1].name, "has_x_2");
  unmake(&m);
}

TEST(a_prefix_is_made_of_the_servers_name) {
  static const char *const cases[][2] = {{"calculator", "calculator"},
                                         {"mcp-github", "github"},
                                         {"@org/My Server", "org_my_server"},
                                         {"mcp", "server"},
                                         {"", "server"},
                                         {"3d-tools", "server_3d_tools"},
                                         {"mcp-mcp_server-x", "server_x"}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    char out[CTL_NAME_SIZE];
    ctl_model_prefix(out, cases[i][0]);
    assert_string_equal(out, cases[i][1]);
  }
}
