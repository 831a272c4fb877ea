/* SPDX-License-Identifier: MIT */
/* schema/defaults.c: values with what their schemas' defaults add. */
#include "support/cm.h"

#include "support/plain_regex.h"
#include "support/schema_check.h"
#include "support/scratch.h"
#include <string.h>

typedef struct row {
  const char *schema;
  const char *value;
  const char *filled; /* NULL: the value as it is */
} row;

/* Returns mcp_validator_apply_defaults' code; *out is the text, or NULL. */
static int apply(const char *schema, const char *value, const char **out) {
  mcp_builder *builder = scratch_builder();
  int rc = mcp_validator_apply_defaults(scratch_validator(schema, NULL),
                                        scratch_json(value), NULL, builder);
  *out = rc == 0 ? mcp_builder_text(builder, NULL) : NULL;
  return rc;
}

static void expect(const row *rows, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const char *filled;
    char *wanted =
        scratch_quoted(rows[i].filled != NULL ? rows[i].filled : rows[i].value);
    assert_int_equal(apply(rows[i].schema, rows[i].value, &filled), 0);
    if (filled == NULL || strcmp(filled, wanted) != 0) {
      fail_msg("%s for %s gives\n%s, not\n%s", rows[i].schema, rows[i].value,
               filled != NULL ? filled : "nothing", wanted);
    }
  }
}

#define EXPECT(rows) expect(rows, sizeof(rows) / sizeof((rows)[0]))

SCRATCH_TEST(what_is_missing_is_added) {
#define POINT                                                                  \
  "{'properties':{'x':{'default':0},'y':{'type':'integer','default':1},"       \
  "'z':{}}}"
  static const row list[] = {
      {POINT, "{}", "{'x':0,'y':1}"},
      {POINT, "{'y':5,'w':true}", "{'y':5,'w':true,'x':0}"},
      {POINT, "{'x':null,'y':null}", NULL},
      {POINT, "[1]", NULL},
      {POINT, "'x'", NULL},
      {"true", "{'a':1}", NULL},
      {"{'properties':{'a':{'default':null}}}", "{}", "{'a':null}"},
      {"{'properties':{'a':{'default':[1,{'b':2.5}]}}}", "{}",
       "{'a':[1,{'b':2.5}]}"},
      {"{'properties':{'a':{'default':123456789012345678901234567890}}}", "{}",
       "{'a':123456789012345678901234567890}"},
      /* One for the whole value has no place. */
      {"{'default':{'a':1}}", "{}", NULL},
      /* Members that are present are not checked. */
      {"{'type':'object','required':['b'],'properties':{'a':{'default':1}}}",
       "{}", "{'a':1}"},
      {"{'properties':{'':{'default':1},'\\u00e9/~':{'default':2}}}", "{}",
       "{'':1,'\xc3\xa9/~':2}"},
      {"{'properties':{'a':{'default':1}}}", "{'a':1,'a':2}", NULL},
  };
  EXPECT(list);
}

SCRATCH_TEST(members_at_any_depth_are_filled) {
  static const row list[] = {
      {"{'properties':{'a':" POINT "}}", "{'a':{'x':1}}",
       "{'a':{'x':1,'y':1}}"},
      {"{'properties':{'a':" POINT "}}", "{}", NULL},
      {"{'items':" POINT "}", "[{},1,{'x':1}]",
       "[{'x':0,'y':1},1,{'x':1,'y':1}]"},
      {"{'prefixItems':[true," POINT "],'items':{'properties':{'c':{"
       "'default':3}}}}",
       "[{},{},{},[]]", "[{},{'x':0,'y':1},{'c':3},[]]"},
      {"{'additionalProperties':" POINT ",'properties':{'a':true}}",
       "{'a':{},'b':{}}", "{'a':{},'b':{'x':0,'y':1}}"},
      {"{'properties':{'a':{'items':{'items':" POINT "}}}}", "{'a':[[],[{}]]}",
       "{'a':[[],[{'x':0,'y':1}]]}"},
      /* A default's own members get theirs. */
      {"{'properties':{'a':{'default':{'x':9},'properties':{'x':{'default':0},"
       "'y':{'default':1}}}}}",
       "{}", "{'a':{'x':9,'y':1}}"},
      {"{'properties':{'a':{'default':{},'properties':{'b':{'default':{},"
       "'properties':{'c':{'default':3}}}}}}}",
       "{}", "{'a':{'b':{'c':3}}}"},
      {"{'properties':{'a':{'default':[{},{}],'items':" POINT "}}}", "{}",
       "{'a':[{'x':0,'y':1},{'x':0,'y':1}]}"},
  };
  EXPECT(list);
}

SCRATCH_TEST(defaults_are_found_through_references_and_all_of) {
  static const row list[] = {
      {"{'$ref':'#/$defs/p','$defs':{'p':" POINT "}}", "{}", "{'x':0,'y':1}"},
      {"{'properties':{'a':{'$ref':'#/$defs/p'}},'$defs':{'p':{'default':7}}}",
       "{}", "{'a':7}"},
      {"{'properties':{'a':{'$ref':'#/$defs/p'}},'$defs':{'p':{'$ref':"
       "'#/$defs/q'},'q':{'default':7}}}",
       "{}", "{'a':7}"},
      /* The nearer default counts. */
      {"{'properties':{'a':{'$ref':'#/$defs/p','default':8}},'$defs':{'p':{"
       "'default':7}}}",
       "{}", "{'a':8}"},
      {"{'properties':{'a':{'$ref':'#/$defs/p'}},'$defs':{'p':{'$ref':"
       "'#/$defs/q','default':6},'q':{'default':7}}}",
       "{}", "{'a':6}"},
      {"{'$dynamicRef':'#p','$defs':{'p':{'$dynamicAnchor':'p','properties':{"
       "'a':{'default':1}}}}}",
       "{}", "{'a':1}"},
      {"{'allOf':[" POINT ",{'properties':{'w':{'default':2}}}]}", "{'y':5}",
       "{'y':5,'x':0,'w':2}"},
      {"{'allOf':[{'properties':{'a':{'type':'integer'}}},{'properties':{'a':{"
       "'default':1}}},{'properties':{'a':{'default':2}}}]}",
       "{}", "{'a':1}"},
      {"{'properties':{'a':{'type':'object'}},'allOf':[{'properties':{'a'"
       ":" POINT "}}]}",
       "{'a':{}}", "{'a':{'x':0,'y':1}}"},
      {"{'properties':{'children':{'items':{'$ref':'#'}},'n':{'default':0}}}",
       "{'children':[{},{'children':[{}]}]}",
       "{'children':[{'n':0},{'children':[{'n':0}],'n':0}],'n':0}"},
  };
  EXPECT(list);
}

SCRATCH_TEST(alternatives_add_nothing) {
#define A "{'properties':{'a':{'default':1}}}"
  static const row list[] = {
      {"{'anyOf':[" A "]}", "{}", NULL},
      {"{'oneOf':[" A "]}", "{}", NULL},
      {"{'not':" A "}", "{}", NULL},
      {"{'if':" A ",'then':" A ",'else':" A "}", "{}", NULL},
      {"{'dependentSchemas':{'b':" A "}}", "{'b':1}", NULL},
      {"{'contains':" A "}", "[{}]", NULL},
      {"{'patternProperties':{'^b':" A "}}", "{'b':{}}", NULL},
      {"{'unevaluatedProperties':" A "}", "{'b':{}}", NULL},
      {"{'properties':{'a':{'anyOf':[{'default':1}]}}}", "{}", NULL},
      {"{'$defs':{'x':" A "}}", "{}", NULL},
  };
  EXPECT(list);
}

SCRATCH_TEST(names_may_contain_nul) {
  static const row list[] = {
      {"{}", "{'a':{'a\\u0000c':1}}", NULL},
      {"{'properties':{'b':{'default':1}}}", "{'a\\u0000c':1}",
       "{'a\\u0000c':1,'b':1}"},
      {"{'properties':{'a\\u0000c':{'default':2}}}", "{'a':1}",
       "{'a':1,'a\\u0000c':2}"},
      {"{'properties':{'a\\u0000c':" POINT "}}", "{'a\\u0000c':{'x':1}}",
       "{'a\\u0000c':{'x':1,'y':1}}"},
  };
  EXPECT(list);
}

/* However many schemas describe a value, each has its say. */
SCRATCH_TEST(many_schemas_may_describe_one_value) {
  char *schema = scratch_repeat(
      "{'allOf':[true", ",{'properties':{'a@':{'default':@}}}", 1000, "]}");
  char *wanted = scratch_repeat("{'x':1", ",'a@':@", 1000, "}");
  const row list[] = {{schema, "{'x':1}", wanted}};
  EXPECT(list);
}

SCRATCH_TEST(the_whole_value_may_have_a_name) {
  mcp_validator *validator = scratch_validator(POINT, NULL);
  mcp_builder *builder = scratch_builder();
  const mcp_json *value = scratch_json("{'y':2}");
  mcp_builder_object(builder, NULL);
  assert_int_equal(
      mcp_validator_apply_defaults(validator, value, "filled", builder), 0);
  mcp_builder_end(builder);
  assert_string_equal(mcp_builder_text(builder, NULL),
                      "{\"filled\":{\"y\":2,\"x\":0}}");
  mcp_builder_clear(builder);
  assert_int_equal(mcp_validator_apply_defaults(NULL, value, NULL, builder),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_validator_apply_defaults(validator, NULL, NULL, builder),
                   MCP_ERR_INVALID);
  /* At the top a value has no name. */
  assert_int_equal(mcp_validator_apply_defaults(validator, value, "x", builder),
                   MCP_ERR_INVALID);
}

SCRATCH_TEST(a_default_that_contains_itself_is_refused) {
  static const char *const list[] = {
      /* Each default wants the next one. */
      "{'properties':{'a':{'$ref':'#','default':{}}}}",
      "{'properties':{'a':{'default':[{}],'items':{'$ref':'#'}}}}",
      "{'properties':{'a':{'$ref':'#/$defs/x'}},'$defs':{'x':{'default':{},"
      "'properties':{'b':{'$ref':'#'}, 'c':{'$ref':'#/$defs/x'}}}}}",
      /* Twice as many at each depth. */
      "{'properties':{'a':{'$ref':'#','default':{}},"
      "'b':{'$ref':'#','default':{}}}}",
  };
  for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
    const char *filled;
    assert_int_equal(apply(list[i], "{}", &filled), MCP_ERR_LIMIT);
    assert_null(filled);
  }
}

int main(void) {
  plain_regex_provide();
  return tests_run(NULL, NULL);
}
