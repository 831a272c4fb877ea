/* SPDX-License-Identifier: MIT */
/* unevaluatedProperties and unevaluatedItems: what the other keywords have
 * looked at, through all that applies schemas in place. */
#include "support/cm.h"

#include "support/plain_regex.h"
#include "support/schema_check.h"
#include "support/scratch.h"
#include <stdio.h>

#define CLOSED "'unevaluatedProperties':false"
#define ENDED "'unevaluatedItems':false"
#define HAS(name) "{'properties':{'" name "':true}}"
#define NEEDS(name) "{'properties':{'" name "':true},'required':['" name "']}"
#define UNKNOWN(name) "/: unknown member '" name "'"

/* --- members -------------------------------------------------------------- */

SCRATCH_TEST(keywords_beside_evaluate_members) {
  static const schema_case list[] = {
      {"{" CLOSED "}", "{}", NULL},
      {"{" CLOSED "}", "[1]", NULL},
      {"{" CLOSED "}", "{'a':1}", UNKNOWN("a")},
      {"{" CLOSED ",'properties':{'a':true}}", "{'a':1}", NULL},
      {"{" CLOSED ",'properties':{'a':true}}", "{'a':1,'b':2}", UNKNOWN("b")},
      {"{" CLOSED ",'patternProperties':{'^x-':true}}", "{'x-a':1}", NULL},
      {"{" CLOSED ",'patternProperties':{'^x-':true}}", "{'y':1}",
       UNKNOWN("y")},
      {"{" CLOSED ",'additionalProperties':true}", "{'a':1}", NULL},
      {"{" CLOSED ",'required':['a']}", "{'a':1}", UNKNOWN("a")},
      {"{" CLOSED ",'propertyNames':true}", "{'a':1}", UNKNOWN("a")},
      {"{" CLOSED ",'dependentRequired':{'a':[]}}", "{'a':1}", UNKNOWN("a")},
      /* A schema for what is left. */
      {"{'properties':{'a':true},'unevaluatedProperties':{'type':'null'}}",
       "{'a':1,'b':null}", NULL},
      {"{'properties':{'a':true},'unevaluatedProperties':{'type':'null'}}",
       "{'a':1,'b':2}", "/b: expected null, got the number 2"},
      {"{'unevaluatedProperties':true}", "{'a':1}", NULL},
      /* The order of keywords does not count. */
      {"{" CLOSED ",'allOf':[" HAS("a") "],'properties':{'b':true}}",
       "{'a':1,'b':2}", NULL},
  };
  SCHEMA_EXPECT(list, NULL);
}

SCRATCH_TEST(schemas_of_the_same_value_evaluate_members) {
  static const schema_case list[] = {
      {"{" CLOSED ",'allOf':[" HAS("a") "," HAS("b") "]}", "{'a':1,'b':2}",
       NULL},
      {"{" CLOSED ",'allOf':[" HAS("a") "," HAS("b") "]}", "{'c':1}",
       UNKNOWN("c")},
      {"{" CLOSED ",'$ref':'#/$defs/x','$defs':{'x':" HAS("a") "}}", "{'a':1}",
       NULL},
      {"{" CLOSED ",'$ref':'#/$defs/x','$defs':{'x':" HAS("a") "}}", "{'b':1}",
       UNKNOWN("b")},
      {"{" CLOSED ",'$dynamicRef':'#x','$defs':{'x':{'$dynamicAnchor':'x',"
       "'properties':{'a':true}}}}",
       "{'a':1}", NULL},
      {"{" CLOSED ",'$dynamicRef':'#x','$defs':{'x':{'$dynamicAnchor':'x',"
       "'properties':{'a':true}}}}",
       "{'b':1}", UNKNOWN("b")},
      /* Only the branches that fit. */
      {"{" CLOSED ",'anyOf':[" NEEDS("a") "," NEEDS("b") "]}", "{'a':1,'b':2}",
       NULL},
      {"{" CLOSED ",'anyOf':[" NEEDS("a") ",{'properties':{'b':true},"
                                          "'required':['c']}]}",
       "{'a':1,'b':2}", UNKNOWN("b")},
      {"{" CLOSED ",'anyOf':[{'properties':{'a':true,'b':{'type':'null'}}},"
       "true]}",
       "{'a':1,'b':2}", UNKNOWN("a")},
      {"{" CLOSED ",'oneOf':[" NEEDS("a") "," NEEDS("b") "]}", "{'a':1}", NULL},
      {"{" CLOSED ",'oneOf':[" NEEDS("a") "," NEEDS("b") "]}", "{'a':1,'c':1}",
       UNKNOWN("c")},
      {"{" CLOSED ",'oneOf':[{'properties':{'a':true,'b':{'type':'null'}},"
       "'required':['b']}," NEEDS("b") "]}",
       "{'a':1,'b':2}", UNKNOWN("a")},
      {"{" CLOSED ",'not':{'not':" HAS("a") "}}", "{'a':1}", UNKNOWN("a")},
      {"{" CLOSED
       ",'if':" NEEDS("a") ",'then':" HAS("b") ",'else':" HAS("c") "}",
       "{'a':1,'b':2}", NULL},
      {"{" CLOSED
       ",'if':" NEEDS("a") ",'then':" HAS("b") ",'else':" HAS("c") "}",
       "{'c':2}", NULL},
      {"{" CLOSED
       ",'if':" NEEDS("a") ",'then':" HAS("b") ",'else':" HAS("c") "}",
       "{'a':1,'c':2}", UNKNOWN("c")},
      {"{" CLOSED
       ",'if':" NEEDS("a") ",'then':" HAS("b") ",'else':" HAS("c") "}",
       "{'b':2}", UNKNOWN("b")},
      {"{" CLOSED ",'if':" NEEDS("a") "}", "{'a':1}", NULL},
      {"{" CLOSED ",'dependentSchemas':{'a':{'properties':{'a':true,"
       "'b':true}}}}",
       "{'a':1,'b':2}", NULL},
      {"{" CLOSED ",'dependentSchemas':{'a':" HAS("b") "}}", "{'b':2}",
       UNKNOWN("b")},
      {"{" CLOSED ",'dependencies':{'a':{'properties':{'a':true,'b':true}}}}",
       "{'a':1,'b':2}", NULL},
  };
  SCHEMA_EXPECT(list, NULL);
}

SCRATCH_TEST(other_values_evaluate_nothing) {
  static const schema_case list[] = {
      /* Those of a member are not those of the object. */
      {"{" CLOSED ",'properties':{'a':" HAS("b") "}}", "{'a':{'b':1},'b':1}",
       UNKNOWN("b")},
      {"{'properties':{'a':{" CLOSED
       "}},'allOf':[{'properties':{'a':" HAS("b") "}}]}",
       "{'a':{'b':1}}", "/a: unknown member 'b'"},
      /* Nor does a schema see what its cousins look at. */
      {"{'allOf':[" HAS("a") ",{" CLOSED "}]}", "{'a':1}", UNKNOWN("a")},
      {"{'properties':{'a':true},'allOf':[{" CLOSED "}]}", "{'a':1}",
       UNKNOWN("a")},
      /* One inside tells the one around it that all was seen. */
      {"{" CLOSED ",'allOf':[{'properties':{'a':true},"
       "'unevaluatedProperties':{'type':'null'}}]}",
       "{'a':1,'b':null}", NULL},
      {"{" CLOSED ",'allOf':[{'properties':{'a':true},"
       "'unevaluatedProperties':{'type':'null'}}]}",
       "{'a':1,'b':2}", "/b: expected null, got the number 2"},
      {"{" CLOSED ",'anyOf':[{'unevaluatedProperties':{'type':'null'}},true]}",
       "{'b':2}", UNKNOWN("b")},
      /* unevaluatedItems says nothing of members. */
      {"{" CLOSED ",'allOf':[{'unevaluatedItems':true}]}", "{'b':2}",
       UNKNOWN("b")},
      /* At each place by itself. */
      {"{'properties':{'a':true},'additionalProperties':{'$ref':'#'}," CLOSED
       "}",
       "{'x':{'x':{'a':1}}}", NULL},
      {"{'properties':{'next':{'$ref':'#'}}," CLOSED "}",
       "{'next':{'next':{'a':1}}}", "/next/next: unknown member 'a'"},
  };
  SCHEMA_EXPECT(list, NULL);
}

/* --- items ---------------------------------------------------------------- */

SCRATCH_TEST(items_are_evaluated_likewise) {
#define AT(index) "/: nothing may stand at index " index
#define ONE "{'prefixItems':[true]}"
#define TWO "{'prefixItems':[true,true]}"
  static const schema_case list[] = {
      {"{" ENDED "}", "[]", NULL},
      {"{" ENDED "}", "{'a':1}", NULL},
      {"{" ENDED "}", "[1]", AT("0")},
      {"{" ENDED ",'prefixItems':[true]}", "[1]", NULL},
      {"{" ENDED ",'prefixItems':[true]}", "[1,2]", AT("1")},
      {"{" ENDED ",'items':true}", "[1,2]", NULL},
      {"{'prefixItems':[true],'unevaluatedItems':{'type':'null'}}", "[1,null]",
       NULL},
      {"{'prefixItems':[true],'unevaluatedItems':{'type':'null'}}",
       "[1,null,2]", "/2: expected null, got the number 2"},
      {"{" ENDED ",'uniqueItems':true}", "[1]", AT("0")},
      {"{" ENDED ",'allOf':[" ONE "," TWO "]}", "[1,2]", NULL},
      {"{" ENDED ",'allOf':[" ONE "," TWO "]}", "[1,2,3]", AT("2")},
      {"{" ENDED ",'$ref':'#/$defs/a','$defs':{'a':" TWO "}}", "[1,2]", NULL},
      {"{" ENDED ",'anyOf':[" ONE ",{'prefixItems':[true,{'type':'null'}]}]}",
       "[1,2]", AT("1")},
      {"{" ENDED ",'anyOf':[" ONE ",{'prefixItems':[true,{'type':'null'}]}]}",
       "[1,null]", NULL},
      {"{" ENDED ",'oneOf':[{'prefixItems':[{'type':'null'}]},"
       "{'prefixItems':[{'type':'integer'},true]}]}",
       "[1,2]", NULL},
      {"{" ENDED ",'if':{'prefixItems':[{'const':1}]},'then':" TWO "}", "[1,2]",
       NULL},
      {"{" ENDED ",'if':{'prefixItems':[{'const':1}]},'then':" TWO "}", "[2,2]",
       AT("0")},
      {"{" ENDED ",'not':{'not':" ONE "}}", "[1]", AT("0")},
      /* contains looks at those that fit. */
      {"{" ENDED ",'contains':{'type':'string'}}", "['a','b']", NULL},
      {"{" ENDED ",'contains':{'type':'string'}}", "['a',1,'b']", AT("1")},
      {"{" ENDED ",'prefixItems':[true],'contains':{'type':'string'}}",
       "[1,'a','b']", NULL},
      {"{" ENDED ",'contains':{'type':'string'},'minContains':0}", "['a']",
       NULL},
      {"{" ENDED ",'allOf':[{'contains':{'multipleOf':2}},"
       "{'contains':{'multipleOf':3}}]}",
       "[2,3,4,6]", NULL},
      {"{" ENDED ",'allOf':[{'contains':{'multipleOf':2}},"
       "{'contains':{'multipleOf':3}}]}",
       "[2,3,5,6]", AT("2")},
      {"{" ENDED ",'not':{'contains':{'type':'null'}}}", "['a']", AT("0")},
      /* Nested, and at other places. */
      {"{" ENDED ",'allOf':[{'unevaluatedItems':{'type':'string'}}]}",
       "['a','b']", NULL},
      {"{'allOf':[" ONE ",{" ENDED "}]}", "[1]", AT("0")},
      {"{'items':{" ENDED "},'allOf':[{'items':" ONE "}]}", "[[1]]",
       "/0: nothing may stand at index 0"},
      {"{'items':{" ENDED ",'allOf':[" ONE "]}}", "[[1]]", NULL},
  };
  SCHEMA_EXPECT(list, NULL);
}

/* --- past one window ------------------------------------------------------ */

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
              "\"keyword\":\"unevaluatedItems\",\"message\":\"/: nothing may "
              "stand at index 0\"}]");
}

int main(void) {
  plain_regex_provide();
  return tests_run(NULL, NULL);
}
