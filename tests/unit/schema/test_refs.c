/* SPDX-License-Identifier: MIT */
/* schema/library.c, draft.c and compile_ref.c: what references lead to, in
 * the schema itself, in documents that are given, and in the drafts' own. */
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

/* --- within one schema ---------------------------------------------------- */

SCRATCH_TEST(pointers_lead_into_the_schema) {
#define STRINGS "'$defs':{'a':{'type':'string'},'b/~c %25':{'type':'null'}}"
  static const schema_case list[] = {
      {"{'$ref':'#/$defs/a'," STRINGS "}", "'x'", NULL},
      {"{'$ref':'#/$defs/a'," STRINGS "}", "1",
       "/: expected a string, got the number 1"},
      {"{'$ref':'#/%24defs/a'," STRINGS "}", "1",
       "/: expected a string, got the number 1"},
      {"{'$ref':'#/$defs/b~1~0c%20%2525'," STRINGS "}", "1",
       "/: expected null, got the number 1"},
      {"{'$ref':'#/allOf/1','allOf':[true,{'type':'string'}]}", "1",
       "/: expected a string, got the number 1"},
      /* Keywords beside it count. */
      {"{'$ref':'#/$defs/a','maxLength':1," STRINGS "}", "'xy'",
       "/: the string 'xy' has 2 characters, the maximum is 1"},
      /* Into an unknown keyword, and into a value. */
      {"{'$ref':'#/x/y','x':{'y':{'type':'string'}}}", "1",
       "/: expected a string, got the number 1"},
      {"{'$ref':'#/$defs/c/const','$defs':{'c':{'const':{'type':'null'}}}}",
       "1", "/: expected null, got the number 1"},
      /* An empty fragment is the root; nothing at all too. */
      {"{'type':['null','array'],'items':{'$ref':'#'}}", "[[null],[[]]]", NULL},
      {"{'type':['null','array'],'items':{'$ref':'#'}}", "[[null],[[1]]]",
       "/1/0/0: expected an array or null, got the number 1"},
      {"{'type':['null','array'],'items':{'$ref':''}}", "[[1]]",
       "/0/0: expected an array or null, got the number 1"},
      /* References to references. */
      {"{'$ref':'#/$defs/x','$defs':{'x':{'$ref':'#/$defs/y'},'y':{'$ref':"
       "'#/$defs/z'},'z':{'type':'null'}}}",
       "1", "/: expected null, got the number 1"},
      /* A property named $ref is not a reference. */
      {"{'properties':{'$ref':{'type':'string'}}}", "{'$ref':1}",
       "/$ref: expected a string, got the number 1"},
  };
  SCHEMA_EXPECT(list, NULL);
}

SCRATCH_TEST(anchors_name_subschemas) {
  static const schema_case list[] = {
      {"{'$ref':'#here','$defs':{'a':{'$anchor':'here','type':'string'}}}", "1",
       "/: expected a string, got the number 1"},
      {"{'$ref':'#%68ere','$defs':{'a':{'$anchor':'here','type':'string'}}}",
       "1", "/: expected a string, got the number 1"},
      {"{'$ref':'#here','$defs':{'a':{'$dynamicAnchor':'here','type':'null'}}}",
       "1", "/: expected null, got the number 1"},
      /* The same name in another resource is another anchor. */
      {"{'$id':'http://x/root','$ref':'other#here','$defs':{"
       "'a':{'$anchor':'here','type':'string'},"
       "'b':{'$id':'other','$defs':{'c':{'$anchor':'here','type':'null'}}}}}",
       "1", "/: expected null, got the number 1"},
      /* $anchor inside a value is not an anchor. */
      {"{'$ref':'#here','$defs':{'a':{'const':{'$anchor':'here','type':"
       "'null'}},'b':{'$anchor':'here','type':'string'}}}",
       "1", "/: expected a string, got the number 1"},
  };
  static const mcp_validator_options draft_07 = {
      .size = sizeof(mcp_validator_options), .draft = MCP_DRAFT_07};
  static const schema_case old[] = {
      {"{'allOf':[{'$ref':'#here'}],'definitions':{'a':{'$id':'#here',"
       "'type':'string'}}}",
       "1", "/: expected a string, got the number 1"},
      {"{'allOf':[{'$ref':'other#here'}],'$id':'http://x/root','definitions':{"
       "'a':{'$id':'other#here','type':'string'}}}",
       "1", "/: expected a string, got the number 1"},
  };
  SCHEMA_EXPECT(list, NULL);
  SCHEMA_EXPECT(old, &draft_07);
}

SCRATCH_TEST(ids_make_resources) {
  static const schema_case list[] = {
      /* Relative to the one around it, and so on. */
      {"{'$id':'http://x/a/root','$ref':'b/c','$defs':{'y':{'$id':'b/','$defs':"
       "{'z':{'$id':'c','type':'string'}}}}}",
       "1", "/: expected a string, got the number 1"},
      {"{'$id':'http://x/a/root','$ref':'/c','$defs':{'y':{'$id':'../c',"
       "'type':'string'}}}",
       "1", "/: expected a string, got the number 1"},
      {"{'$id':'http://x/a','$ref':'http://y/b#/$defs/c','$defs':{'y':{'$id':"
       "'http://y/b','$defs':{'c':{'type':'null'}}}}}",
       "1", "/: expected null, got the number 1"},
      {"{'$id':'urn:uuid:1','$ref':'urn:uuid:2','$defs':{'y':{'$id':"
       "'urn:uuid:2','type':'null'}}}",
       "1", "/: expected null, got the number 1"},
      /* A pointer begins at its resource. */
      {"{'$id':'http://x/a','$defs':{'c':{'type':'null'},'y':{'$id':'b',"
       "'$defs':{'c':{'type':'string'}},'$ref':'#/$defs/c'}},"
       "'properties':{'y':{'$ref':'b'},'a':{'$ref':'#/$defs/c'}}}",
       "{'y':1}", "/y: expected a string, got the number 1"},
      {"{'$id':'http://x/a','$defs':{'c':{'type':'null'},'y':{'$id':'b',"
       "'$defs':{'c':{'type':'string'}},'$ref':'#/$defs/c'}},"
       "'properties':{'y':{'$ref':'b'},'a':{'$ref':'a#/$defs/c'}}}",
       "{'a':1}", "/a: expected null, got the number 1"},
      /* An empty fragment in `$id` is nothing. */
      {"{'$id':'http://x/a#','$ref':'a#/$defs/b','$defs':{'b':{'type':"
       "'null'}}}",
       "1", "/: expected null, got the number 1"},
      /* Without a base relative URIs still find each other. */
      {"{'$ref':'other','$defs':{'a':{'$id':'other','type':'null'}}}", "1",
       "/: expected null, got the number 1"},
      /* $id where no keyword leads does not make a resource. */
      {"{'$id':'http://x/a','$ref':'b','enum':[{'$id':'b','type':'null'},1],"
       "'$defs':{'c':{'$id':'b','type':'integer'}}}",
       "1", NULL},
  };
  SCHEMA_EXPECT(list, NULL);
}

SCRATCH_TEST(recursion_ends_with_the_value) {
#define TREE                                                                   \
  "{'type':'object','required':['v'],'properties':{'v':{'type':'integer'},"    \
  "'children':{'type':'array','items':{'$ref':'#'}}}}"
#define LIST                                                                   \
  "{'anyOf':[{'type':'null'},{'$ref':'#/$defs/node'}],'$defs':{'node':{"       \
  "'type':'object','required':['next'],'properties':{'next':{'$ref':'#'}}}}}"
  static const schema_case list[] = {
      {TREE, "{'v':1,'children':[{'v':2,'children':[]},{'v':3}]}", NULL},
      {TREE, "{'v':1,'children':[{'v':2},{'v':3,'children':[{'v':'x'}]}]}",
       "/children/1/children/0/v: expected an integer, got the string 'x'"},
      {LIST, "{'next':{'next':null}}", NULL},
      {LIST, "{'next':{'next':{}}}",
       "/next/next: missing the required member 'next'"},
  };
  SCHEMA_EXPECT(list, NULL);
}

/* --- other documents ------------------------------------------------------ */

SCRATCH_TEST(references_lead_to_documents) {
  static const schema_case list[] = {
      {"{'$ref':'http://x/names'}", "1",
       "/: expected a string, got the number 1"},
      {"{'$ref':'http://x/names#'}", "1",
       "/: expected a string, got the number 1"},
      {"{'$ref':'http://x/names#/$defs/short'}", "'long'",
       "/: the string 'long' has 4 characters, the maximum is 3"},
      {"{'$ref':'http://x/names#any'}", "{'a':1}", NULL},
      {"{'$ref':'http://x/dir/pair'}", "['a','long']",
       "/1: the string 'long' has 4 characters, the maximum is 3"},
      {"{'$id':'http://x/dir/mine','$ref':'pair'}", "[1]",
       "/0: expected a string, got the number 1"},
      {"{'$id':'http://x/dir/mine','$ref':'../names'}", "1",
       "/: expected a string, got the number 1"},
      {"{'$id':'http://x/dir/mine','$ref':'//x/names'}", "1",
       "/: expected a string, got the number 1"},
      /* One goes by its own `$id`, too, once it is read. */
      {"{'allOf':[{'$ref':'http://x/alias'},{'$ref':'http://y/real'}]}", "1",
       "/: expected null, got the number 1"},
  };
  library l = {.options = {.size = 0}};
  library_add(&l, "http://x/names",
              "{'type':'string','$defs':{'short':{'maxLength':3},"
              "'any':{'$anchor':'any'}}}");
  library_add(&l, "http://x/dir/pair",
              "{'prefixItems':[{'$ref':'/names'},"
              "{'$ref':'../names#/$defs/short'}]}");
  library_add(&l, "http://x/alias", "{'$id':'http://y/real','type':'null'}");
  SCHEMA_EXPECT(list, &l.options);
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

#define NOT_GIVEN " leads to a document that was not given; nothing is fetched"

SCRATCH_TEST(faults_name_the_document) {
  static const schema_fault list[] = {
      {"{'$ref':'http://x/bad'}",
       "http://x/bad#/minimum: expected a number, got null"},
      {"{'$ref':'http://x/lost'}",
       "http://x/lost#/items/$ref: the reference 'elsewhere'" NOT_GIVEN},
      {"{'$ref':'http://x/number'}",
       "http://x/number#/: expected a schema (an object or a boolean), got the "
       "number 3"},
      {"{'$ref':'http://x/circle'}",
       "http://x/circle#/$ref: expected a reference that does not lead back "
       "here for the same value, got the string '#'"},
  };
  library l = {.options = {.size = 0}};
  library_add(&l, "http://x/bad", "{'minimum':null}");
  library_add(&l, "http://x/lost", "{'items':{'$ref':'elsewhere'}}");
  library_add(&l, "http://x/number", "3");
  library_add(&l, "http://x/circle", "{'$ref':'#'}");
  SCHEMA_EXPECT_FAULTS(list, MCP_ERR_SCHEMA, &l.options);
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

SCRATCH_TEST(references_are_resolved_against_the_base) {
  static const schema_case list[] = {
      {"{'$ref':'names'}", "1", "/: expected a string, got the number 1"},
      {"{'$ref':'mine#/$defs/a','$defs':{'a':{'type':'null'}}}", "1",
       "/: expected null, got the number 1"},
      {"{'$id':'dir/mine','$ref':'../names'}", "1",
       "/: expected a string, got the number 1"},
  };
  library l = {.options = {.size = 0}};
  library_add(&l, "http://x/names", "{'type':'string'}");
  l.options.base_uri = "http://x/mine";
  SCHEMA_EXPECT(list, &l.options);
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

/* Nothing is fetched, so what is not there is not there. */
SCRATCH_TEST(references_that_lead_nowhere_are_refused) {
  static const schema_fault list[] = {
      {"{'$ref':'#/$defs/a'}",
       "/$ref: the reference '#/$defs/a' leads nowhere"},
      {"{'items':{'$ref':'#a'}}",
       "/items/$ref: the reference '#a' leads nowhere"},
      {"{'$ref':'http://localhost:1/a'}",
       "/$ref: the reference 'http://localhost:1/a'" NOT_GIVEN},
      {"{'$ref':'https://json-schema.org/draft/2019-09/schema'}",
       "/$ref: the reference "
       "'https://json-schema.org/draft/2019-09/schema'" NOT_GIVEN},
      {"{'$id':'http://x/a','$ref':'b'}", "/$ref: the reference 'b'" NOT_GIVEN},
      {"{'$ref':'file:///etc/passwd'}",
       "/$ref: the reference 'file:///etc/passwd'" NOT_GIVEN},
      {"{'$ref':'#/%'}", "/$ref: the reference '#/%' leads nowhere"},
      {"{'$ref':'#/a%00','a':{}}",
       "/$ref: the reference '#/a%00' leads nowhere"},
      {"{'$ref':'#/allOf/01','allOf':[{},{}]}",
       "/$ref: the reference '#/allOf/01' leads nowhere"},
      {"{'$ref':'#/a~2','a~2':{}}",
       "/$ref: the reference '#/a~2' leads nowhere"},
      {"{'$dynamicRef':'#a'}",
       "/$dynamicRef: the reference '#a' leads nowhere"},
      {"{'$defs':{'a':{'$ref':'#/b'}}}",
       "/$defs/a/$ref: the reference '#/b' leads nowhere"},
      /* To a value that is not a schema. */
      {"{'$ref':'#/required','required':['a']}",
       "/required: expected a schema (an object or a boolean), got an array of "
       "1 item"},
  };
  SCHEMA_EXPECT_FAULTS(list, MCP_ERR_SCHEMA, NULL);
}

SCRATCH_TEST(circles_are_refused) {
#define NOT_BACK                                                               \
  "expected a reference that does not lead back here for the same value, got " \
  "the string "
  static const schema_fault list[] = {
      {"{'$ref':'#'}", "/$ref: " NOT_BACK "'#'"},
      {"{'allOf':[{'$ref':'#'}]}", "/allOf/0/$ref: " NOT_BACK "'#'"},
      {"{'anyOf':[{'type':'null'},{'$ref':'#'}]}",
       "/anyOf/1/$ref: " NOT_BACK "'#'"},
      {"{'not':{'$ref':'#'}}", "/not/$ref: " NOT_BACK "'#'"},
      {"{'if':true,'then':true,'else':{'$ref':'#'}}",
       "/else/$ref: " NOT_BACK "'#'"},
      {"{'dependentSchemas':{'a':{'$ref':'#'}}}",
       "/dependentSchemas/a/$ref: " NOT_BACK "'#'"},
      {"{'$defs':{'a':{'$ref':'#/$defs/b'},'b':{'$ref':'#/$defs/a'}}}",
       "/$defs/b/$ref: " NOT_BACK "'#/$defs/a'"},
      {"{'properties':{'x':{'$ref':'#/$defs/a'}},'$defs':{'a':{'oneOf':["
       "{'$ref':'#/$defs/a'}]}}}",
       "/$defs/a/oneOf/0/$ref: " NOT_BACK "'#/$defs/a'"},
      {"{'$dynamicRef':'#a','$dynamicAnchor':'a'}",
       "/$dynamicRef: " NOT_BACK "'#a'"},
      /* The one that leads back is named, not one that the circle leads to. */
      {"{'allOf':[{'$ref':'#/$defs/a'},{'$ref':'#'}],'$defs':{'a':{}}}",
       "/allOf/1/$ref: " NOT_BACK "'#'"},
      {"{'$ref':'#/$defs/a','allOf':[{'$ref':'#'}],'$defs':{'a':{}}}",
       "/allOf/0/$ref: " NOT_BACK "'#'"},
  };
  SCHEMA_EXPECT_FAULTS(list, MCP_ERR_SCHEMA, NULL);
}

/* --- dynamic references --------------------------------------------------- */

/* The specification's own: a tree that another schema makes strict. */
#define STRICT_TREE                                                            \
  "{'$id':'http://x/strict-tree','$dynamicAnchor':'node','$ref':'tree',"       \
  "'unevaluatedProperties':false}"
#define OPEN_TREE                                                              \
  "{'$id':'http://x/tree','$dynamicAnchor':'node','type':'object',"            \
  "'properties':{'data':true,'children':{'type':'array','items':{"             \
  "'$dynamicRef':'#node'}}}}"

SCRATCH_TEST(an_extended_tree_is_checked_as_extended) {
  static const schema_case list[] = {
      {"{'$ref':'http://x/tree'}", "{'children':[{'daat':1}]}", NULL},
      {STRICT_TREE, "{'children':[{'data':1}]}", NULL},
      {STRICT_TREE, "{'children':[{'daat':1}]}",
       "/children/0: unknown member 'daat'"},
      {STRICT_TREE, "{'daat':1}", "/: unknown member 'daat'"},
      {"{'$ref':'http://x/tree','properties':{'strict':" STRICT_TREE "}}",
       "{'strict':{'children':[{'children':[{'daat':1}]}]}}",
       "/strict/children/0/children/0: unknown member 'daat'"},
  };
  library l = {.options = {.size = 0}};
  library_add(&l, "http://x/tree", OPEN_TREE);
  SCHEMA_EXPECT(list, &l.options);
}

SCRATCH_TEST(the_outermost_resource_decides) {
  /* a goes to list, whose items are what `T` is in the outermost scope. */
#define LISTS(entry)                                                           \
  "{'$id':'http://x/root'," entry ",'$defs':{"                                 \
  "'list':{'$id':'list','items':{'$dynamicRef':'#T'},"                         \
  "'$defs':{'T':{'$dynamicAnchor':'T'}}},"                                     \
  "'strings':{'$id':'strings','$ref':'list',"                                  \
  "'$defs':{'T':{'$dynamicAnchor':'T','type':'string'}}},"                     \
  "'nulls':{'$id':'nulls','$ref':'strings',"                                   \
  "'$defs':{'T':{'$dynamicAnchor':'T','type':'null'}}},"                       \
  "'plain':{'$id':'plain','$ref':'list',"                                      \
  "'$defs':{'T':{'$anchor':'T','type':'null'}}}}}"
  static const schema_case list[] = {
      {LISTS("'$ref':'list'"), "[1]", NULL},
      {LISTS("'$ref':'strings'"), "[1]",
       "/0: expected a string, got the number 1"},
      {LISTS("'$ref':'strings'"), "['a']", NULL},
      {LISTS("'$ref':'nulls'"), "['a']",
       "/0: expected null, got the string 'a'"},
      {LISTS("'$ref':'nulls'"), "[null]", NULL},
      /* An anchor that is not dynamic is not asked. */
      {LISTS("'$ref':'plain'"), "[1]", NULL},
      /* Resources that the way has left again do not count. */
      {LISTS("'allOf':[{'$ref':'strings'},{'$ref':'list'}]"), "['a']", NULL},
      {LISTS("'properties':{'s':{'$ref':'strings'},'l':{'$ref':'list'}}"),
       "{'s':['a'],'l':[1]}", NULL},
      {LISTS("'properties':{'s':{'$ref':'strings'},'l':{'$ref':'list'}}"),
       "{'l':[1],'s':[1]}", "/s/0: expected a string, got the number 1"},
  };
  SCHEMA_EXPECT(list, NULL);
}

SCRATCH_TEST(a_dynamic_reference_may_be_like_any_other) {
  static const schema_case list[] = {
      /* One that does not begin at a dynamic anchor. */
      {"{'$dynamicRef':'#/$defs/a','$defs':{'a':{'type':'null'}}}", "1",
       "/: expected null, got the number 1"},
      {"{'$dynamicRef':'#a','$defs':{'a':{'$anchor':'a','type':'null'}}}", "1",
       "/: expected null, got the number 1"},
      /* And `$ref` to a dynamic anchor does not look around. */
      {"{'$id':'http://x/root','$ref':'list','$defs':{"
       "'list':{'$id':'list','items':{'$ref':'#T'},"
       "'$defs':{'T':{'$dynamicAnchor':'T','type':'null'}}},"
       "'T':{'$dynamicAnchor':'T','type':'string'}}}",
       "['a']", "/0: expected null, got the string 'a'"},
      {"{'$id':'http://x/root','$ref':'list','$defs':{"
       "'list':{'$id':'list','items':{'$dynamicRef':'#T'},"
       "'$defs':{'T':{'$dynamicAnchor':'T','type':'null'}}},"
       "'T':{'$dynamicAnchor':'T','type':'string'}}}",
       "['a']", NULL},
  };
  SCHEMA_EXPECT(list, NULL);
}

/* --- drafts ------------------------------------------------------------- */

SCRATCH_TEST(meta_schemas_are_there) {
#define NEW_SCHEMA "{'$ref':'" MCP_DRAFT_2020_12 "'}"
#define OLD_SCHEMA "{'$ref':'" MCP_DRAFT_07 "#'}"
  static const schema_case list[] = {
      {NEW_SCHEMA, "{'type':'object','properties':{'a':{'minimum':1}}}", NULL},
      {NEW_SCHEMA, "true", NULL},
      {NEW_SCHEMA, NEW_SCHEMA, NULL},
      {NEW_SCHEMA, "1", "/: expected an object or a boolean, got the number 1"},
      {NEW_SCHEMA, "{'properties':{'a':{'minimum':'1'}}}",
       "/properties/a/minimum: expected a number, got the string '1'"},
      {NEW_SCHEMA, "{'allOf':[]}",
       "/allOf: the array has 0 items, the minimum is 1"},
      {NEW_SCHEMA, "{'multipleOf':0}", "/multipleOf: 0 is not more than 0"},
      {OLD_SCHEMA, "{'items':[{'type':'string'}],'additionalItems':false}",
       NULL},
      {OLD_SCHEMA, "{'required':['a','a']}",
       "/required: the items 0 and 1 are equal, all must differ"},
      {OLD_SCHEMA, "{'items':[{'minLength':-1}]}",
       "/items/0/minLength: -1 is less than the minimum 0"},
      {"{'$ref':'https://json-schema.org/draft/2020-12/meta/validation'}",
       "{'maxLength':-1}", "/maxLength: -1 is less than the minimum 0"},
  };
  SCHEMA_EXPECT(list, NULL);
}

SCRATCH_TEST(an_embedded_resource_may_be_of_another_draft) {
  static const schema_case list[] = {
      {"{'$ref':'old','$defs':{'a':{'$id':'old','$schema':"
       "'http://json-schema.org/draft-07/schema#','items':[{'type':'null'}],"
       "'prefixItems':[false]}}}",
       "[1]", "/0: expected null, got the number 1"},
      {"{'$schema':'http://json-schema.org/draft-07/schema#','allOf':[{'$ref':"
       "'http://x/new'}],'definitions':{'a':{'$id':'http://x/new','$schema':"
       "'https://json-schema.org/draft/2020-12/schema','prefixItems':["
       "{'type':'null'}]}}}",
       "[1]", "/0: expected null, got the number 1"},
      /* `$schema` counts where a resource begins, and nowhere else. */
      {"{'properties':{'a':{'$schema':"
       "'http://json-schema.org/draft-07/schema#','prefixItems':[false]}}}",
       "{'a':[1]}", "/a: nothing may stand at index 0"},
  };
  library l = {.options = {.size = 0}};
  static const schema_case other[] = {
      {"{'$ref':'http://x/old'}", "[1]", "/0: expected null, got the number 1"},
  };
  library_add(&l, "http://x/old",
              "{'$schema':'http://json-schema.org/draft-07/schema#',"
              "'items':[{'type':'null'}]}");
  SCHEMA_EXPECT(list, NULL);
  SCHEMA_EXPECT(other, &l.options);
}

#define VOCABULARY "https://json-schema.org/draft/2020-12/vocab/"

/* A meta-schema of one's own says which keywords there are. */
SCRATCH_TEST(vocabularies_choose_keywords) {
#define MINE(schema) "{'$schema':'http://x/no-validation'," schema "}"
  static const schema_case list[] = {
      {MINE("'minimum':5"), "1", NULL},
      {MINE("'properties':{'a':false,'b':{'maxLength':1}}"), "{'b':'long'}",
       NULL},
      {MINE("'properties':{'a':false}"), "{'a':1}",
       "/a: no value is allowed here"},
      /* The core is always there. */
      {MINE("'$ref':'#/$defs/a','$defs':{'a':false}"), "1",
       "/: no value is allowed here"},
      /* One that is known by nobody may be there when it is not required. */
      {"{'$schema':'http://x/optional','minimum':5}", "1",
       "/: 1 is less than the minimum 5"},
      {"{'$schema':'http://x/optional','properties':{'a':false}}", "{'a':1}",
       NULL},
      /* Without `$vocabulary` it is as its own draft. */
      {"{'$schema':'http://x/silent','items':[false]}", "[1]",
       "/: nothing may stand at index 0"},
  };
  library l = {.options = {.size = 0}};
  library_add(&l, "http://x/no-validation",
              "{'$vocabulary':{'" VOCABULARY "core':true,'" VOCABULARY
              "applicator':true}}");
  library_add(&l, "http://x/optional",
              "{'$vocabulary':{'" VOCABULARY "validation':true,"
              "'http://x/unknown':false}}");
  library_add(&l, "http://x/silent",
              "{'$schema':'http://json-schema.org/draft-07/schema#'}");
  SCHEMA_EXPECT(list, &l.options);
  /* As the draft of schemas that name none. */
  static const schema_case bare[] = {{"{'minimum':5}", "1", NULL}};
  l.options.draft = "http://x/no-validation";
  SCHEMA_EXPECT(bare, &l.options);
}

SCRATCH_TEST(unknown_drafts_are_refused) {
#define GIVE_IT " is not known; its meta-schema can be given as a document"
  static const schema_fault list[] = {
      {"{'$schema':'http://json-schema.org/draft-04/schema#'}",
       "/$schema: the draft "
       "'http://json-schema.org/draft-04/schema#'" GIVE_IT},
      {"{'$schema':''}", "/$schema: the draft ''" GIVE_IT},
      {"{'$schema':'http://x/required'}",
       "/$schema: the vocabulary 'http://x/unknown' is not known, and the "
       "meta-schema requires it"},
      {"{'$schema':'http://x/self'}",
       "/$schema: the draft 'http://x/self'" GIVE_IT},
      {"{'$schema':'http://x/of-unknown'}",
       "/$schema: the draft 'http://x/unknown'" GIVE_IT},
      {"{'$defs':{'a':{'$id':'a','$schema':'http://x/unknown'}}}",
       "/$defs/a/$schema: the draft 'http://x/unknown'" GIVE_IT},
  };
  static const schema_fault bare[] = {
      {"{}", "the draft 'http://x/unknown'" GIVE_IT}};
  library l = {.options = {.size = 0}};
  library_add(&l, "http://x/required",
              "{'$vocabulary':{'http://x/unknown':true}}");
  library_add(&l, "http://x/self", "{'$schema':'http://x/self'}");
  library_add(&l, "http://x/of-unknown", "{'$schema':'http://x/unknown'}");
  SCHEMA_EXPECT_FAULTS(list, MCP_ERR_SCHEMA, &l.options);
  l.options.draft = "http://x/unknown";
  SCHEMA_EXPECT_FAULTS(bare, MCP_ERR_SCHEMA, &l.options);
}

int main(void) {
  plain_regex_provide(); /* the meta-schemas have patterns, for `$id` */
  return tests_run(NULL, NULL);
}
