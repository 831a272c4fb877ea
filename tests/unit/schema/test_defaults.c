/* SPDX-License-Identifier: MIT */
/* schema/defaults.c: values with what their schemas' defaults add. Most are in
 * defaults.txt. */
#include "support/cm.h"

#include "support/plain_regex.h"
#include "support/schema_check.h"
#include "support/scratch.h"
#include <string.h>

/* However many schemas describe a value, each has its say. */
SCRATCH_TEST(many_schemas_may_describe_one_value) {
  char *schema = scratch_repeat(
      "{'allOf':[true", ",{'properties':{'a@':{'default':@}}}", 1000, "]}");
  char *wanted = scratch_repeat("{'x':1", ",'a@':@", 1000, "}");
  schema_expect_filled(schema, "{'x':1}", wanted);
}

SCRATCH_TEST(the_whole_value_may_have_a_name) {
  mcp_validator *validator = scratch_validator(
      "{'properties':{'x':{'default':0},'y':{'default':1},'z':{}}}", NULL);
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
    assert_int_equal(schema_fill(list[i], "{}", &filled), MCP_ERR_LIMIT);
    assert_null(filled);
  }
}

int main(void) {
  plain_regex_provide();
  return tests_run(NULL, NULL);
}
