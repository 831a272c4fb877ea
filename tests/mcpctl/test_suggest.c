/* SPDX-License-Identifier: MIT */
#include "common/list.h"
#include "common/report.h"
#include "connection/requests.h"
#include "connection/suggest.h"

#include "support/cm.h"
#include <string.h>

/* Those of prompts ask a server; the tests of the program do that. */
int ctl_session_request(ctl_session *session, ctl_starter *start) {
  return -1;
}

int ctl_request_prompts(ctl_session *session,
                        const mcp_request_options *options) {
  return -1;
}

const mcp_json *ctl_list_find(const mcp_result *result, const char *name) {
  return NULL;
}

void ctl_list_nearest(ctl_nearest *nearest, const mcp_result *result,
                      const char *name) {
}

/* Expects the lines that are reported about a call; NULL: none. */
static void expect(const char *schema, const char *arguments,
                   const char *lines) {
  char given[200];
  char *args[] = {(char *)"play", NULL};
  ctl_options options = {.args = args, .arg_count = 1};
  ctl_session session = {.options = &options};
  mcp_doc *doc = mcp_doc_parse(schema, strlen(schema), NULL, NULL, NULL);
  assert_non_null(doc);
  if (arguments != NULL) {
    session.arguments = strcpy(given, arguments);
  }
  ctl_report_forget();
  ctl_suggest_properties(&session, mcp_doc_root(doc));
  const char *notes = ctl_report_notes();
  assert_string_equal(notes != NULL ? notes : "", lines != NULL ? lines : "");
  ctl_report_forget();
  mcp_doc_free(doc);
}

#define SCHEMA(more)                                                           \
  "{\"properties\":{\"colour\":{},\"size\":{},\"a b\\u001b\":{}}" more "}"

TEST(a_misspelt_argument) {
  expect(SCHEMA(""), "{\"color\":1}",
         "play has no argument 'color'; did you mean 'colour'?");
  expect(SCHEMA(",\"additionalProperties\":false"), "{\"szie\":1,\"colur\":1}",
         "play has no argument 'szie'; did you mean 'size'?\n"
         "play has no argument 'colur'; did you mean 'colour'?");
}

TEST(arguments_without_a_suggestion) {
  expect(SCHEMA(""), "{\"size\":1}", NULL);
  expect(SCHEMA(""), "{\"weight\":1}", NULL);
  expect(SCHEMA(""), "{\"sise\":1,\"size\":1}", NULL); /* it was given */
  expect(SCHEMA(""), "{\"siz\\u0000\":1}", NULL);
  expect(SCHEMA(""), "{}", NULL);
  expect(SCHEMA(""), NULL, NULL);
}

TEST(a_schema_that_allows_others) {
  static const char *const schemas[] = {
      SCHEMA(",\"additionalProperties\":true"),
      SCHEMA(",\"additionalProperties\":{}"),
      SCHEMA(",\"patternProperties\":{}"),
      SCHEMA(",\"$ref\":\"#/a\""),
      SCHEMA(",\"oneOf\":[]"),
      SCHEMA(",\"if\":true"),
  };
  for (size_t i = 0; i < sizeof(schemas) / sizeof(*schemas); i++) {
    expect(schemas[i], "{\"sise\":1}", NULL);
  }
}

TEST(schemas_that_are_wrong) {
  expect("true", "{\"sise\":1}", NULL);
  expect("[]", "{\"sise\":1}", NULL);
  expect("{\"properties\":[\"size\"]}", "{\"sise\":1}", NULL);
  expect("{\"properties\":{\"siz\\u0000\":{}}}", "{\"size\":1}", NULL);
}

TEST(long_names) {
  char schema[400];
  char arguments[200];
  char name[130];
  memset(name, 'n', sizeof(name));
  name[129] = '\0';
  snprintf(schema, sizeof(schema), "{\"properties\":{\"%sa\":{}}}", name);
  snprintf(arguments, sizeof(arguments), "{\"%s\":1}", name);
  expect(schema, arguments, NULL);
}
