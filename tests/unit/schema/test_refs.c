/* SPDX-License-Identifier: MIT */
/* schema/library.c, draft.c and compile_ref.c: what references lead to, in
 * the schema itself, in documents that are given, and in the drafts' own. Most
 * of it is in refs.txt. */
#include "support/cm.h"

#include "support/plain_regex.h"
#include "support/schema_check.h"
#include "support/scratch.h"

/* Documents by URI and text, for one set of options. */
typedef struct library {
  mcp_schema_document list[4];
  mcp_validator_options options;
} library;

static mcp_validator_options *library_add(library *l, const char *uri,
                                          const char *schema) {
  size_t at = l->options.document_count++;
  l->list[at] =
      (mcp_schema_document){.uri = uri, .schema = scratch_json(schema)};
  l->options.size = sizeof(mcp_validator_options);
  l->options.documents = l->list;
  return &l->options;
}

/* The errors say in which document the keyword is. */
SCRATCH_TEST(errors_name_the_document) {
  library l = {.options = {.size = 0}};
  const char *errors;
  library_add(&l, "http://x/names", "{'$defs':{'a':{'maxLength':3}}}");
  mcp_validator *validator = scratch_validator(
      "{'items':{'$ref':'http://x/names#/$defs/a'}}", &l.options);
  assert_int_equal(schema_check(validator, "['long']", &errors),
                   MCP_ERR_SCHEMA);
  assert_string_equal(
      errors, "[{\"instance\":\"/0\",\"schema\":\"http://x/names#/$defs/a/"
              "maxLength\",\"keyword\":\"maxLength\",\"message\":\"/0: the "
              "string \\\"long\\\" has 4 characters, the maximum is 3\"}]");
}

/* What nothing refers to is not even looked at. */
SCRATCH_TEST(documents_are_read_when_needed) {
  library l = {.options = {.size = 0}};
  library_add(&l, "http://x/bad", "{'minimum':null,'$schema':'http://no'}");
  scratch_validator("{}", &l.options);
  /* Definitions in one are compiled when they are referred to. */
  library_add(&l, "http://x/defs",
              "{'$defs':{'bad':{'minimum':null},'good':{'type':'null'}}}");
  scratch_validator("{'$ref':'http://x/defs#/$defs/good'}", &l.options);
}

SCRATCH_TEST(bad_documents_are_refused) {
  library l = {.options = {.size = 0}};
  mcp_validator *validator;
  mcp_error err;
  library_add(&l, "http://x/names", "{}");
  l.list[0].uri = NULL;
  assert_int_equal(scratch_compile(&validator, "{}", &l.options, &err),
                   MCP_ERR_INVALID);
  assert_string_equal(err.message, "document 0 has no URI or no schema");
  l.list[0] = (mcp_schema_document){.uri = "http://x/names"};
  assert_int_equal(scratch_compile(&validator, "{}", &l.options, &err),
                   MCP_ERR_INVALID);
  l.list[0].schema = scratch_json("{}");
  for (size_t i = 0; i < 2; i++) {
    l.list[0].reserved[i] = 1;
    assert_int_equal(scratch_compile(&validator, "{}", &l.options, &err),
                     MCP_ERR_INVALID);
    assert_string_equal(err.message,
                        "document 0: the reserved members are not zero");
    l.list[0].reserved[i] = 0;
  }
  l.options.documents = NULL;
  assert_int_equal(scratch_compile(&validator, "{}", &l.options, &err),
                   MCP_ERR_INVALID);
}

int main(void) {
  plain_regex_provide(); /* the meta-schemas have patterns, for `$id` */
  return tests_run(NULL, NULL);
}
