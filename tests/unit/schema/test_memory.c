/* SPDX-License-Identifier: MIT */
/* Compiling, validating and filling in with each allocation failing in turn,
 * of a schema with everything in it. */
#include "support/cm.h"

#include "support/failing_alloc.h"
#include "support/plain_regex.h"
#include "support/schema_check.h"
#include "support/scratch.h"
#include <stdlib.h>
#include <string.h>

/* What every run reads, parsed before. */
typedef struct texts {
  const mcp_json *schema;
  const mcp_json *document;
  const mcp_json *dialect;
  const mcp_json *value;
  const mcp_schema_document *documents;
} texts;

static const char *const everything =
    "{'$id':'http://x/root','$schema':'http://x/dialect','type':'object',"
    "'properties':{'tree':{'$ref':'tree'},'far':{'$ref':'http://x/far#/$defs/a'"
    "},'n':{'multipleOf':0.5,'minimum':1e400},'e':{'enum':[1,'a',{'b':[]}]},"
    "'s':{'pattern':'^a','minLength':1,'format':'x'},'d1':{'default':{'x':1}},"
    "'d2':{'$ref':'#d'},'l':{'prefixItems':[true],'items':{'const':1},"
    "'uniqueItems':true,'contains':true,'minContains':0,"
    "'unevaluatedItems':false},'p1':true,'p2':true,'p3':true,'p4':true},"
    "'required':['tree','n'],'patternProperties':{'^x-':{'pattern':'b$'}},"
    "'propertyNames':{'maxLength':9},'dependentRequired':{'a':['b']},"
    "'dependentSchemas':{'a':{'minProperties':2}},'dependencies':{'c':['d'],"
    "'e':true},'allOf':[true],'anyOf':[{'$ref':'#d'},true],'oneOf':[true,false]"
    ",'not':false,'if':true,'then':true,'else':false,"
    "'unevaluatedProperties':false,'$defs':{'d':{'$anchor':'d','default':[1]},"
    "'t':{'$id':'tree','$dynamicAnchor':'node','properties':{'data':true,"
    "'children':{'items':{'$dynamicRef':'#node'}}}},"
    "'old':{'$id':'old','$schema':'http://json-schema.org/draft-07/schema#',"
    "'items':[true],'additionalItems':false,'definitions':{'x':{'$id':'#x'}}}}"
    "}";

static int fill_in(const mcp_validator *validator, const mcp_json *value,
                   const mcp_allocator *allocator) {
  mcp_builder *builder = mcp_builder_new(allocator, NULL);
  int rc = builder == NULL
               ? MCP_ERR_NOMEM
               : mcp_validator_apply_defaults(validator, value, NULL, builder);
  if (rc == 0) {
    assert_non_null(
        strstr(mcp_builder_text(builder, NULL), "\"d1\":{\"x\":1},\"d2\":[1]"));
  }
  mcp_builder_free(builder);
  return rc;
}

/* The value is at fault in several places. */
static int explain(const mcp_validator *validator, const mcp_json *value,
                   const mcp_allocator *allocator) {
  mcp_builder *errors = mcp_builder_new(allocator, NULL);
  int rc = errors == NULL ? MCP_ERR_NOMEM
                          : mcp_validator_check(validator, value, NULL, errors);
  mcp_builder_free(errors);
  return rc == MCP_ERR_SCHEMA ? 0 : rc;
}

static int scenario(const mcp_allocator *allocator, void *userdata) {
  const texts *t = userdata;
  const mcp_json *value = t->value;
  const mcp_validator_options options = {.size = sizeof(mcp_validator_options),
                                         .allocator = allocator,
                                         .base_uri = "http://x/",
                                         .documents = t->documents,
                                         .document_count = 2};
  mcp_error err;
  mcp_validator *validator = mcp_validator_new(t->schema, &options, &err);
  if (validator == NULL) {
    assert_string_equal(err.message, "out of memory");
    assert_int_equal(plain_regex_live(), 0);
    return err.code;
  }
  int rc = explain(validator, value, allocator);
  if (rc == 0) {
    rc = fill_in(validator, value, allocator);
  }
  mcp_validator_unref(validator);
  assert_int_equal(plain_regex_live(), 0);
  return rc;
}

SCRATCH_TEST(each_allocation_fails) {
  texts t = {
      scratch_json(everything),
      scratch_json("{'$defs':{'a':{'$ref':'root#d'}}}"),
      scratch_json("{'$schema':'" MCP_DRAFT_2020_12 "'}"),
      scratch_json("{'tree':{'children':[{},{'children':[1]}]},'n':1,'e':2,"
                   "'s':'b','l':[1,2,2],'x-a':'c','far':1,'other':1}"),
      NULL};
  const mcp_schema_document documents[] = {
      {.uri = "http://x/far", .schema = t.document},
      {.uri = "http://x/dialect", .schema = t.dialect}};
  t.documents = documents;
  assert_true(failing_alloc_rerun(scenario, &t) > 30);
}

static int compile_only(const mcp_allocator *allocator, void *userdata) {
  const mcp_validator_options options = {.size = sizeof(mcp_validator_options),
                                         .allocator = allocator};
  mcp_error err = {0};
  mcp_validator *validator = mcp_validator_new(userdata, &options, &err);
  mcp_validator_unref(validator);
  return err.code;
}

/* Alternatives that are merged with what stands beside them. */
SCRATCH_TEST(each_allocation_fails_for_alternatives) {
  const mcp_json *schema = scratch_json(
      "{'properties':{'a':true,'b':true,'c':true,'d':true,'e':true,'f':true,"
      "'g':true,'h':true,'i':{'minimum':1}},'oneOf':[{'properties':{'k':{"
      "'const':'x'},'i':{'maximum':2}}},{'properties':{'k':{'const':'y'}}},"
      "{'properties':{'k':{'const':'z'}}},{'properties':{'k':{'const':'w'}}}]"
      "}");
  assert_true(failing_alloc_rerun(compile_only, (void *)schema) > 10);
}

/* A schema that cannot be compiled leaks nothing, wherever its fault is. */
SCRATCH_TEST(faults_leave_nothing) {
  static const char *const list[] = {
      "{'pattern':'a','items':{'pattern':'b('}}",
      "{'pattern':'a','$ref':'#nowhere'}",
      "{'patternProperties':{'a':true,'b':{'minimum':null}}}",
      "{'pattern':'a','allOf':[{'$ref':'#'}]}",
      "{'$defs':{'a':{'$id':'a','$defs':{'b':{'$id':1}}}}}",
      "{'$ref':'http://json-schema.org/draft-07/schema','minimum':'x'}",
      "{'$defs':{'a':{'$anchor':'a'},'b':{'$anchor':1}}}",
  };
  for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
    failing_alloc alloc;
    failing_alloc_init(&alloc);
    const mcp_validator_options options = {
        .size = sizeof(mcp_validator_options), .allocator = &alloc.allocator};
    mcp_validator *validator;
    mcp_error err;
    assert_int_equal(scratch_compile(&validator, list[i], &options, &err),
                     MCP_ERR_SCHEMA);
    assert_int_equal(atomic_load(&alloc.live_blocks), 0);
    assert_int_equal(plain_regex_live(), 0);
  }
}

/* A failure of the engine for regular expressions is not an error of the schema
 * or the value. */
SCRATCH_TEST(an_engine_that_cannot) {
  static const struct {
    const char *schema;
    int code;
    const char *message;
  } list[] = {
      {"{'pattern':'a@'}", MCP_ERR_NOMEM, "out of memory"},
      {"{'pattern':'b','items':{'pattern':'a@'}}", MCP_ERR_NOMEM,
       "out of memory"},
      {"{'patternProperties':{'b':true,'a@':true}}", MCP_ERR_NOMEM,
       "out of memory"},
      {"{'pattern':'a&'}", MCP_ERR_LIMIT,
       "/pattern: the regular expression \"a&\" is too large"},
      {"{'items':{'patternProperties':{'b':true,'a&':true}}}", MCP_ERR_LIMIT,
       "/items/patternProperties/a&: the regular expression \"a&\" is too "
       "large"},
  };
  for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
    mcp_validator *validator;
    mcp_error err;
    assert_int_equal(scratch_compile(&validator, list[i].schema, NULL, &err),
                     list[i].code);
    assert_int_equal(err.code, list[i].code);
    assert_string_equal(err.message, list[i].message);
    assert_int_equal(plain_regex_live(), 0);
  }
  const mcp_validator_options options = {.size = sizeof(mcp_validator_options),
                                         .assert_formats = 1};
  mcp_validator *validator = scratch_validator("{'format':'regex'}", &options);
  assert_int_equal(schema_check(validator, "'a'", NULL), 0);
  assert_int_equal(schema_check(validator, "'('", NULL), MCP_ERR_SCHEMA);
  assert_int_equal(schema_check(validator, "'@'", NULL), MCP_ERR_LIMIT);
  assert_int_equal(schema_check(validator, "'&'", NULL), MCP_ERR_LIMIT);
  assert_int_equal(plain_regex_live(), 0);
}

SCRATCH_TEST(validating_allocates_nothing) {
  failing_alloc alloc;
  failing_alloc_init(&alloc);
  const mcp_validator_options options = {.size = sizeof(mcp_validator_options),
                                         .allocator = &alloc.allocator};
  mcp_validator *validator = mcp_validator_new(
      scratch_json(
          "{'$dynamicRef':'#a','$defs':{'a':{'$dynamicAnchor':'a','items':{"
          "'unevaluatedProperties':{'pattern':'a','multipleOf':0.5}},"
          "'uniqueItems':true}}}"),
      &options, NULL);
  assert_non_null(validator);
  char *value = scratch_repeat("[0", ",{'a':'a@'}", 1000, ",1]");
  size_t calls = atomic_load(&alloc.calls);
  assert_int_equal(schema_check(validator, value, NULL), 0);
  assert_int_equal(atomic_load(&alloc.calls), calls);
  mcp_validator_unref(validator);
  assert_int_equal(atomic_load(&alloc.live_blocks), 0);
}

int main(void) {
  plain_regex_provide();
  return tests_run(NULL, NULL);
}
