/* SPDX-License-Identifier: MIT */
/* unevaluatedProperties and unevaluatedItems: what the other keywords have
 * looked at, through all that applies schemas in place. More is in
 * unevaluated.txt. */
#include "support/cm.h"

#include "support/plain_regex.h"
#include "support/schema_check.h"
#include "support/scratch.h"
#include <stdio.h>

#define CLOSED "'unevaluatedProperties':false"
#define ENDED "'unevaluatedItems':false"
#define AT(index) "no item is allowed at index " index
#define UNKNOWN(name) "unknown member '" name "'"

/* Around the 512 that one pass over a value remembers. */
static const size_t sizes[] = {511, 512, 513, 1023, 1024, 1025, 2000};
enum { SIZES = sizeof(sizes) / sizeof(sizes[0]) };

SCRATCH_TEST(long_arrays_are_checked_to_their_end) {
  for (size_t i = 0; i < SIZES; i++) {
    char message[64];
    char *fits = scratch_repeat("[true", ",'@'", sizes[i], "]");
    char *ends = scratch_repeat("[true", ",'@'", sizes[i], ",1]");
    char *begins = scratch_repeat("[1,true", ",'@'", sizes[i], "]");
    snprintf(message, sizeof(message), AT("%zu"), sizes[i] + 1);
    const schema_case list[] = {
        {"{" ENDED ",'contains':{'type':'string'},'prefixItems':[true]}", fits,
         NULL},
        {"{" ENDED ",'contains':{'type':'string'},'prefixItems':[true]}", ends,
         message},
        {"{" ENDED ",'contains':{'type':'string'},'prefixItems':[true]}",
         begins, AT("1")},
        {"{" ENDED ",'anyOf':[{'items':{'type':'null'}},{'contains':{'type':"
         "['string','boolean']}}]}",
         ends, message},
        /* One inside is through with all windows for each of the outer. */
        {"{" ENDED ",'allOf':[{'contains':{'type':'string'},"
         "'unevaluatedItems':{'type':'boolean'}}]}",
         fits, NULL},
        {"{'unevaluatedItems':{'type':['string','boolean']}}", fits, NULL},
    };
    SCHEMA_EXPECT(list, NULL);
  }
}

/* Every other item is evaluated, behind none, some, and beside all. */
SCRATCH_TEST(sparse_items_are_remembered_by_window) {
#define SPARSE                                                                 \
  "'contains':{'type':'string'},'unevaluatedItems':{'type':'integer'}"
  char *fits = scratch_repeat("[0", ",'@',@", 1000, "]");
  char *ends = scratch_repeat("[0", ",'@',@", 1000, ",null]");
  char *middle = scratch_repeat("[0", ",'@',@", 400, ",null");
  char *both = scratch_repeat(middle, ",'@',@", 600, "]");
  char *some =
      scratch_repeat("{" SPARSE ",'prefixItems':[true", ",true", 700, "]}");
  char *more =
      scratch_repeat("{" SPARSE ",'prefixItems':[true", ",true", 801, "]}");
  const schema_case list[] = {
      {"{" SPARSE "}", fits, NULL},
      {"{" SPARSE "}", ends, "/2001: expected an integer, got null"},
      {"{" SPARSE "}", both, "/801: expected an integer, got null"},
      {some, fits, NULL},
      {some, ends, "/2001: expected an integer, got null"},
      {some, both, "/801: expected an integer, got null"},
      {more, both, NULL},
      {more, ends, "/2001: expected an integer, got null"},
      {"{'allOf':[{'contains':{'type':'string'}},{'items':true}],"
       "'unevaluatedItems':false}",
       ends, NULL},
      {"{'allOf':[{'contains':{'type':'null'}},{'prefixItems':[true]}],"
       "'unevaluatedItems':{'type':['integer','string']}}",
       both, NULL},
  };
  SCHEMA_EXPECT(list, NULL);
}

SCRATCH_TEST(long_objects_are_checked_to_their_end) {
  for (size_t i = 0; i < SIZES; i++) {
    char *fits = scratch_repeat("{'a':1", ",'x-@':@", sizes[i], "}");
    char *ends = scratch_repeat("{'a':1", ",'x-@':@", sizes[i], ",'b':1}");
    char *begins = scratch_repeat("{'b':1,'a':1", ",'x-@':@", sizes[i], "}");
#define PREFIXED                                                               \
  "{" CLOSED                                                                   \
  ",'properties':{'a':true},'allOf':[{'patternProperties':{'^x-':true}}]}"
    const schema_case list[] = {
        {PREFIXED, fits, NULL},
        {PREFIXED, ends, UNKNOWN("b")},
        {PREFIXED, begins, UNKNOWN("b")},
        {"{'unevaluatedProperties':{'type':'integer'}}", ends, NULL},
        {"{" CLOSED ",'allOf':[{'unevaluatedProperties':{'type':'integer'}}]}",
         ends, NULL},
    };
    SCHEMA_EXPECT(list, NULL);
  }
}

/* An error before the last window is reported once. */
SCRATCH_TEST(errors_of_long_arrays_are_reported_once) {
  char *value = scratch_repeat("[1", ",true", 1200, ",2]");
  const char *errors;
  mcp_validator *validator =
      scratch_validator("{'contains':{'type':'boolean'}," ENDED "}", NULL);
  assert_int_equal(schema_check(validator, value, &errors), MCP_ERR_SCHEMA);
  assert_string_equal(
      errors, "[{\"instance\":\"\",\"schema\":\"/unevaluatedItems\","
              "\"keyword\":\"unevaluatedItems\",\"message\":\"no item is "
              "allowed at index 0\"}]");
}

int main(void) {
  plain_regex_provide();
  return tests_run(NULL, NULL);
}
