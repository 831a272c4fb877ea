/* SPDX-License-Identifier: MIT */
/* schema/compile_keywords.c, compile_object.c and validate*.c: each keyword of
 * both drafts, what it refuses, and what is said then. */
#include "support/cm.h"

#include "support/plain_regex.h"
#include "support/schema_check.h"
#include "support/scratch.h"

static const mcp_validator_options draft_07 = {
    .size = sizeof(mcp_validator_options), .draft = MCP_DRAFT_07};

/* Before an engine is there; so this is the first test. */
SCRATCH_TEST(patterns_need_an_engine) {
  static const mcp_regex_engine too_short = {.size = sizeof(size_t)};
  static const schema_fault list[] = {
      {"{'pattern':'a'}",
       "/pattern: a pattern needs regular expressions, and this program has "
       "none: see mcp_regex_provide"},
      {"{'patternProperties':{'a':true}}",
       "/patternProperties/a: a pattern needs regular expressions, and this "
       "program has none: see mcp_regex_provide"},
  };
  assert_int_equal(mcp_regex_provide(NULL), MCP_ERR_INVALID);
  assert_int_equal(mcp_regex_provide(&too_short), MCP_ERR_INVALID);
  SCHEMA_EXPECT_FAULTS(list, MCP_ERR_PLATFORM, NULL);
  plain_regex_provide();
}

/* --- numbers and strings -------------------------------------------------- */

SCRATCH_TEST(multiples_are_exact) {
  static const schema_case list[] = {
      {"{'multipleOf':3}", "9", NULL},
      {"{'multipleOf':3}", "0", NULL},
      {"{'multipleOf':3}", "-9.0", NULL},
      {"{'multipleOf':3}", "'4'", NULL},
      {"{'multipleOf':0.1}", "0.3", NULL},
      {"{'multipleOf':0.01}", "19.99", NULL},
      {"{'multipleOf':1e-8}", "12391239123", NULL},
      {"{'multipleOf':1e400}", "3e400", NULL},
      {"{'multipleOf':3}", "10", "/: 10 is not a multiple of 3"},
      {"{'multipleOf':0.1}", "0.35", "/: 0.35 is not a multiple of 0.1"},
      {"{'multipleOf':1e400}", "1", "/: 1 is not a multiple of 1e400"},
      {"{'multipleOf':7}", "1e1000001",
       "/: the value is too large or too deep to be checked"},
  };
  SCHEMA_EXPECT(list, NULL);
}

/* Limits are first checked together, as doubles. Values close to one, and
 * numbers that no double is equal to, are compared exactly. */
SCRATCH_TEST(limits_are_exact) {
  static const schema_case list[] = {
      {"{'exclusiveMinimum':0}", "5e-324", NULL},
      {"{'exclusiveMinimum':0}", "-0.0", "/: -0.0 is not more than 0"},
      {"{'exclusiveMinimum':1}", "1.0000000000000002", NULL},
      {"{'exclusiveMaximum':1}", "0.9999999999999999", NULL},
      {"{'exclusiveMaximum':1}", "1.0", "/: 1.0 is not less than 1"},
      {"{'exclusiveMaximum':-1}", "-1.0000000000000002", NULL},
      {"{'exclusiveMinimum':1.7976931348623157e308}", "1e309", NULL},
      {"{'minimum':9007199254740993}", "9007199254740993", NULL},
      {"{'minimum':9007199254740993}", "9007199254740992",
       "/: 9007199254740992 is less than the minimum 9007199254740993"},
      {"{'minimum':9007199254740993,'exclusiveMinimum':5}", "6",
       "/: 6 is less than the minimum 9007199254740993"},
      {"{'minimum':5,'maximum':18446744073709551616}", "18446744073709551617",
       "/: 18446744073709551617 is more than the maximum "
       "18446744073709551616"},
      {"{'minimum':1,'maximum':9,'multipleOf':2}", "7",
       "/: 7 is not a multiple of 2"},
      {"{'enum':[1,2],'minimum':2}", "1", "/: 1 is less than the minimum 2"},
      {"{'minimum':3,'maximum':2}", "1", "/: 1 is less than the minimum 3"},
      {"{'minimum':3,'minLength':2,'maxItems':1}", "'a'",
       "/: the string 'a' has 1 character, the minimum is 2"},
      {"{'minimum':3,'minLength':2,'maxItems':1}", "[1,2]",
       "/: the array has 2 items, the maximum is 1"},
      {"{'minimum':3,'minLength':2,'maxItems':1}", "4", NULL},
      {"{'minLength':4,'maxLength':4}", "'\u00e5\u00e5\u00e5\u00e5'", NULL},
      {"{'minLength':4,'maxLength':4}", "'\u00e5\u00e5'",
       "/: the string '\u00e5\u00e5' has 2 characters, the minimum is 4"},
      {"{'minProperties':1,'required':['a']}", "{}",
       "/: the object has 0 members, the minimum is 1"},
      {"{'type':'integer','maximum':3}", "4.0",
       "/: 4.0 is more than the maximum 3"},
      {"{'type':'integer'}", "1.0", NULL},
  };
  SCHEMA_EXPECT(list, NULL);
}

SCRATCH_TEST(patterns_match_anywhere) {
  static const schema_case list[] = {
      {"{'pattern':'b'}", "'abc'", NULL},
      {"{'pattern':'^b'}", "5", NULL},
      {"{'pattern':'^b'}", "'abc'",
       "/: the string 'abc' does not match the pattern '^b'"},
      {"{'pattern':'slow!'}", "'abc'",
       "/: the pattern 'slow!' takes too long on the string 'abc'"},
      {"{'items':{'properties':{'a':{'pattern':'!'}}}}", "[{},{'b':1,'a':'c'}]",
       "/1/a: the pattern '!' takes too long on the string 'c'"},
      {"{'anyOf':[{'items':{'pattern':'!'}},true]}", "['a']",
       "/0: the pattern '!' takes too long on the string 'a'"},
      {"{'properties':{'a':{'pattern':'c$'}}}", "{'a':'cd'}",
       "/a: the string 'cd' does not match the pattern 'c$'"},
  };
  SCHEMA_EXPECT(list, NULL);
}

/* --- objects -------------------------------------------------------------- */

/* Names are compared by their first eight bytes, then by the rest. */
SCRATCH_TEST(similar_names_are_told_apart) {
#define NAMES                                                                  \
  "{'properties':{'':{'const':0},'a':{'const':1},'ab':{'const':2},"            \
  "'ba':{'const':3},'aba':{'const':4},'abba':{'const':5},'abcabc':{'const':6}" \
  ",'parameter_1':{'const':7},'parameter_2':{'const':8},"                      \
  "'a name of some length':{'const':9},'a name of Some length':{'const':10}}," \
  "'additionalProperties':false}"
#define KNOWN                                                                  \
  "; known are '', 'a', 'ab', 'ba', 'aba', 'abba', 'abcabc', 'parameter_1', "  \
  "'parameter_2', 'a name of some length', 'a name of Some length'"
  static const schema_case list[] = {
      {NAMES,
       "{'':0,'a':1,'ab':2,'ba':3,'aba':4,'abba':5,'abcabc':6,'parameter_1':7,"
       "'parameter_2':8,'a name of some length':9,'a name of Some length':10}",
       NULL},
      {NAMES,
       "{'a name of Some length':10,'a name of some length':9,'parameter_2':8,"
       "'parameter_1':7,'abcabc':6,'abba':5,'aba':4,'ba':3,'ab':2,'a':1,'':0}",
       NULL},
      {NAMES, "{'ba':2}", "/ba: expected 3, got the number 2"},
      {NAMES, "{'parameter_2':7}",
       "/parameter_2: expected 8, got the number 7"},
      {NAMES, "{'parameter_3':7}", "/: unknown member 'parameter_3'" KNOWN},
      {NAMES, "{'aab':4}", "/: unknown member 'aab'" KNOWN},
      {NAMES, "{'a name of SOme length':9}",
       "/: unknown member 'a name of SOme length'" KNOWN},
  };
  SCHEMA_EXPECT(list, NULL);
#undef KNOWN
#undef NAMES
}

SCRATCH_TEST(pattern_properties_concern_matching_names) {
#define PREFIXES                                                               \
  "{'properties':{'x-a':{'type':'string'}},"                                   \
  "'patternProperties':{'^x-':{'type':['string','null']},"                     \
  "'-b$':{'type':'null'}},'additionalProperties':{'type':'integer'}}"
  static const schema_case list[] = {
      {PREFIXES, "{'x-a':'y','x-b':null,'n':1,'c-b':null}", NULL},
      {PREFIXES, "[1]", NULL},
      {PREFIXES, "{'x-a':null}", "/x-a: expected a string, got null"},
      {PREFIXES, "{'x-c':1}",
       "/x-c: expected a string or null, got the number 1"},
      /* Each pattern that fits counts. */
      {PREFIXES, "{'x-b':'y'}", "/x-b: expected null, got the string 'y'"},
      {PREFIXES, "{'n':null}", "/n: expected an integer, got null"},
      {"{'patternProperties':{'^x-':true},'additionalProperties':false}",
       "{'x-a':1,'y':2}", "/: unknown member 'y'; no members are known"},
      {"{'patternProperties':{'^x-':false}}", "{'x-a':1}",
       "/x-a: no value is allowed here"},
      {"{'patternProperties':{'!':true}}", "{'x-a':1}",
       "/: the pattern '!' takes too long on an object with 1 member"},
      {"{'items':{'propertyNames':{'pattern':'!'}}}", "[{'a':1,'b':2}]",
       "/0: the pattern '!' takes too long on an object with 2 members"},
  };
  SCHEMA_EXPECT(list, NULL);
}

SCRATCH_TEST(property_names_are_checked) {
  static const schema_case list[] = {
      {"{'propertyNames':{'maxLength':2}}", "{'ab':1,'c':2}", NULL},
      {"{'propertyNames':{'maxLength':2}}", "['abc']", NULL},
      {"{'propertyNames':false}", "{}", NULL},
      {"{'propertyNames':{'maxLength':2}}", "{'ab':1,'abc':2}",
       "/: the member's name 'abc' is not what propertyNames allows"},
      {"{'items':{'propertyNames':false}}", "[{'a':1}]",
       "/0: the member's name 'a' is not what propertyNames allows"},
      {"{'propertyNames':{'type':'number'}}", "{'1':1}",
       "/: the member's name '1' is not what propertyNames allows"},
      {"{'propertyNames':{'enum':['a']}}", "{'a':1}", NULL},
  };
  SCHEMA_EXPECT(list, NULL);
}

SCRATCH_TEST(dependent_keywords_need_their_member) {
  static const schema_case list[] = {
      {"{'dependentRequired':{'a':['b','c']}}", "{'b':1}", NULL},
      {"{'dependentRequired':{'a':['b','c']}}", "{'a':1,'b':1,'c':1}", NULL},
      {"{'dependentRequired':{'a':['b']}}", "['a']", NULL},
      {"{'dependentRequired':{'a':[]}}", "{'a':1}", NULL},
      {"{'dependentRequired':{'a':['b','c']}}", "{'a':1,'b':1}",
       "/: missing the required member 'c'"},
      {"{'dependentSchemas':{'a':{'minProperties':2},'b':false}}", "{}", NULL},
      {"{'dependentSchemas':{'a':{'minProperties':2}}}", "{'a':1,'c':1}", NULL},
      {"{'dependentSchemas':{'a':{'minProperties':2}}}", "{'a':1}",
       "/: the object has 1 member, the minimum is 2"},
      {"{'dependentSchemas':{'a':true,'b':false}}", "{'b':1}",
       "/: no value is allowed here"},
      /* Of older schemas, and understood in both drafts. */
      {"{'dependencies':{'a':['b'],'c':{'minProperties':3}}}", "{'a':1,'b':1}",
       NULL},
      {"{'dependencies':{'a':['b']}}", "{'a':1}",
       "/: missing the required member 'b'"},
      {"{'dependencies':{'a':['b'],'c':{'minProperties':3}}}", "{'c':1}",
       "/: the object has 1 member, the minimum is 3"},
  };
  SCHEMA_EXPECT(list, NULL);
}

/* --- arrays --------------------------------------------------------------- */

SCRATCH_TEST(prefix_items_concern_the_first_items) {
#define PAIR "{'prefixItems':[{'type':'string'},{'type':'integer'}]"
  static const schema_case list[] = {
      {PAIR "}", "['a',1,null]", NULL},
      {PAIR "}", "['a']", NULL},
      {PAIR "}", "[]", NULL},
      {PAIR "}", "{'0':1}", NULL},
      {PAIR "}", "['a','b']", "/1: expected an integer, got the string 'b'"},
      {PAIR ",'items':{'type':'null'}}", "['a',1,null]", NULL},
      {PAIR ",'items':{'type':'null'}}", "['a',1,null,2]",
       "/3: expected null, got the number 2"},
      {PAIR ",'items':false}", "['a',1]", NULL},
      {PAIR ",'items':false}", "['a',1,2]", "/: nothing may stand at index 2"},
      {"{'prefixItems':[true,false]}", "[1,2]",
       "/: nothing may stand at index 1"},
  };
  SCHEMA_EXPECT(list, NULL);
}

SCRATCH_TEST(contains_counts_items) {
  static const schema_case list[] = {
      {"{'contains':{'type':'string'}}", "[1,'a']", NULL},
      {"{'contains':{'type':'string'}}", "{}", NULL},
      {"{'contains':{'type':'string'}}", "[1,2]",
       "/: expected at least 1 item as `contains` describes, got 0"},
      {"{'contains':{'type':'string'}}", "[]",
       "/: expected at least 1 item as `contains` describes, got 0"},
      {"{'contains':{'const':1},'minContains':2}", "[1,2,1]", NULL},
      {"{'contains':{'const':1},'minContains':2}", "[1,2]",
       "/: expected at least 2 items as `contains` describes, got 1"},
      {"{'contains':{'const':1},'maxContains':1}", "[1,2]", NULL},
      {"{'contains':{'const':1},'maxContains':1}", "[1,1,1]",
       "/: expected at most 1 item as `contains` describes, got 3"},
      {"{'contains':{'const':1},'minContains':0}", "[]", NULL},
      {"{'contains':{'const':1},'minContains':0,'maxContains':1}", "[1,1]",
       "/: expected at most 1 item as `contains` describes, got 2"},
      /* Alone they say nothing. */
      {"{'minContains':2,'maxContains':0}", "[1]", NULL},
  };
  SCHEMA_EXPECT(list, NULL);
}

SCRATCH_TEST(unique_items_compares_values) {
  static const schema_case list[] = {
      {"{'uniqueItems':true}", "[]", NULL},
      {"{'uniqueItems':true}", "'aa'", NULL},
      {"{'uniqueItems':true}", "[1,true,0,false,null,'',[],{}]", NULL},
      {"{'uniqueItems':true}", "[[1],[1,1],{'a':[1]},{'a':1}]", NULL},
      {"{'uniqueItems':true}", "[1,2,1.0]",
       "/: the items 0 and 2 are equal, all must differ"},
      {"{'uniqueItems':true}", "[0,-0.0]",
       "/: the items 0 and 1 are equal, all must differ"},
      {"{'uniqueItems':true}", "[1e400,2e400,10e399]",
       "/: the items 0 and 2 are equal, all must differ"},
      /* More of them are compared by their hashes. */
      {"{'uniqueItems':true}",
       "[1,2,3,4,5,6,7,8,9,10,'1',[1],[2],{'a':1},{'b':1},{'a':1,'b':1},null,"
       "true,0,-1,1e400,2e400,1.5]",
       NULL},
      {"{'uniqueItems':true}",
       "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,{'a':1,'b':[2]},17,18,"
       "{'b':[2.0],'a':1}]",
       "/: the items 16 and 19 are equal, all must differ"},
      {"{'uniqueItems':true}",
       "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,0,17,18,-0.0]",
       "/: the items 16 and 19 are equal, all must differ"},
      {"{'uniqueItems':true}",
       "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,1e400,17,18,10e399]",
       "/: the items 16 and 19 are equal, all must differ"},
  };
  SCHEMA_EXPECT(list, NULL);
}

/* Arrays of more items than are held at once are gone over several times. */
SCRATCH_TEST(unique_items_compares_long_arrays) {
  char *differ = scratch_repeat("[-1", ",@,'@',[@]", 1000, "]");
  char *equal = scratch_repeat("[-1", ",@,'@',[@]", 1000, ",[3]]");
  const schema_case list[] = {
      {"{'uniqueItems':true}", differ, NULL},
      {"{'uniqueItems':true}", equal,
       "/: the items 12 and 3001 are equal, all must differ"},
  };
  SCHEMA_EXPECT(list, NULL);
}

/* --- schemas in schemas --------------------------------------------------- */

SCRATCH_TEST(not_and_if_apply_schemas) {
#define BRANCHES                                                               \
  "{'if':{'type':'integer'},'then':{'minimum':1},'else':{'minLength':1}}"
  static const schema_case list[] = {
      {"{'not':{'type':'string'}}", "1", NULL},
      {"{'not':{'type':'string'}}", "'a'",
       "/: the string 'a' is what `not` excludes"},
      {"{'not':false}", "1", NULL},
      {"{'not':{}}", "1", "/: the number 1 is what `not` excludes"},
      {"{'not':{'not':{'type':'string'}}}", "'a'", NULL},
      {"{'properties':{'a':{'not':{'type':'array'}}}}", "{'a':[]}",
       "/a: an array of 0 items is what `not` excludes"},
      {BRANCHES, "1", NULL},
      {BRANCHES, "'a'", NULL},
      {BRANCHES, "0", "/: 0 is less than the minimum 1"},
      {BRANCHES, "''", "/: the string '' has 0 characters, the minimum is 1"},
      {"{'if':{'type':'integer'},'then':false}", "'a'", NULL},
      {"{'if':{'type':'integer'},'else':false}", "1", NULL},
      {"{'if':{'type':'integer'},'else':false}", "'a'",
       "/: no value is allowed here"},
      /* Without `if` they say nothing. */
      {"{'then':false,'else':false}", "1", NULL},
      {"{'if':false}", "1", NULL},
  };
  SCHEMA_EXPECT(list, NULL);
}

/* Alternatives of which each wants another string of one member. */
SCRATCH_TEST(a_tag_chooses_the_alternative) {
#define SHAPES(keyword)                                                        \
  "{'" keyword "':[{'properties':{'kind':{'const':'dot'}}},"                   \
  "{'properties':{'n':true,'kind':{'const':'disc'},'r':{'type':'number'}},"    \
  "'required':['kind','r']},"                                                  \
  "{'properties':{'kind':{'const':'box'},'w':{'type':'number'}}}]}"
  static const schema_case list[] = {
      {SHAPES("oneOf"), "{'kind':'dot'}", NULL},
      {SHAPES("oneOf"), "{'r':1,'kind':'disc'}", NULL},
      {SHAPES("anyOf"), "{'kind':'box','w':2}", NULL},
      {SHAPES("oneOf"), "{'kind':'disc'}",
       "/: missing the required member 'r'"},
      {SHAPES("anyOf"), "{'kind':'box','w':'x'}",
       "/w: expected a number, got the string 'x'"},
      {SHAPES("oneOf"), "{'kind':'cone'}",
       "/kind: expected one of 'dot', 'disc', 'box', got the string 'cone'"},
      /* Without the member, or with no string in it, all are asked. */
      {SHAPES("anyOf"), "{'w':1}", NULL},
      {SHAPES("anyOf"), "1", NULL},
      {SHAPES("oneOf"), "{'w':1}",
       "/: an object with 1 member fits more than one of the 3 alternatives of "
       "oneOf, where only one may fit"},
      {SHAPES("anyOf"), "{'kind':1}",
       "/kind: expected one of 'dot', 'disc', 'box', got the number 1"},
      {"{'anyOf':[{'properties':{'k':{'const':'a'}},'required':['k']},"
       "{'properties':{'k':{'const':'b'}},'required':['k']}]}",
       "{}", "/: missing the member 'k', one of 'a', 'b'"},
      /* A name that comes twice. */
      {SHAPES("anyOf"), "{'kind':'dot','kind':'box'}",
       "/kind: expected 'dot', got the string 'box'"},
      /* The members that they evaluate count for the schemas around them. */
      {"{'unevaluatedProperties':false,'oneOf':[{'properties':{'k':{'const':"
       "'a'},'x':true}},{'properties':{'k':{'const':'b'},'y':true}}]}",
       "{'k':'b','y':1}", NULL},
      {"{'unevaluatedProperties':false,'oneOf':[{'properties':{'k':{'const':"
       "'a'},'x':true}},{'properties':{'k':{'const':'b'},'y':true}}]}",
       "{'k':'b','x':1}", "/: unknown member 'x'"},
      /* No tag: the same value twice. */
      {"{'oneOf':[{'properties':{'k':{'const':'a'}}},{'properties':{'k':{"
       "'const':'a'}}}]}",
       "{'k':'a'}",
       "/: an object with 1 member fits more than one of the 2 alternatives of "
       "oneOf, where only one may fit"},
      {"{'not':" SHAPES("oneOf") "}", "{'kind':'cone'}", NULL},
  };
  SCHEMA_EXPECT(list, NULL);
}

/* The same beside properties that all of them have. */
SCRATCH_TEST(a_tag_chooses_beside_properties) {
#define OWN                                                                    \
  "'oneOf':[{'properties':{'kind':{'const':'dot'}}},"                          \
  "{'properties':{'kind':{'const':'box'},'w':{'maximum':5},'h':true},"         \
  "'required':['w']}]"
#define SHARED                                                                 \
  "{'properties':{'id':{'type':'string'},'kind':{'maxLength':3},"              \
  "'w':{'minimum':1}},'required':['id']," OWN "}"
#define MANY                                                                   \
  "{'properties':{'a':true,'b':true,'c':true,'d':true,'e':true,'f':true,"      \
  "'g':{'type':'null'}},'required':['a','id','g']," OWN "}"
  static const schema_case list[] = {
      {SHARED, "{'kind':'dot','id':'x'}", NULL},
      {SHARED, "{'id':'x','w':5,'x':1,'kind':'box'}", NULL},
      {SHARED, "{'kind':'dot','id':1}",
       "/id: expected a string, got the number 1"},
      {SHARED, "{'kind':'dot'}", "/: missing the required member 'id'"},
      {SHARED, "{'kind':'box','id':'x'}", "/: missing the required member 'w'"},
      {SHARED, "{'kind':'box','id':'x','w':6}",
       "/w: 6 is more than the maximum 5"},
      {SHARED, "{'kind':'box','id':'x','w':0}",
       "/w: 0 is less than the minimum 1"},
      {SHARED, "{'kind':'dot','id':'x','w':6}", NULL},
      {SHARED, "{'kind':'dot','id':'x','w':0}",
       "/w: 0 is less than the minimum 1"},
      {SHARED, "{'kind':'cone','id':'x'}",
       "/kind: the string 'cone' has 4 characters, the maximum is 3"},
      {SHARED, "{'kind':'cat','id':'x'}",
       "/kind: expected one of 'dot', 'box', got the string 'cat'"},
      {SHARED, "{'kind':'dot','id':'x','kind':'box'}",
       "/kind: expected 'dot', got the string 'box'"},
      {SHARED, "{'id':'x'}", NULL},
      {SHARED, "1",
       "/: the number 1 fits more than one of the 2 alternatives of oneOf, "
       "where only one may fit"},
      {MANY, "{'kind':'box','g':null,'id':1,'a':1,'w':1}", NULL},
      {MANY, "{'kind':'box','g':0,'id':1,'a':1,'w':1}",
       "/g: expected null, got the number 0"},
      {MANY, "{'kind':'dot','g':null,'a':1}",
       "/: missing the required member 'id'"},
      /* Where there is more to them they stay apart. */
      {"{'additionalProperties':{'type':'string'}," OWN "}",
       "{'kind':'box','w':1}", "/w: expected a string, got the number 1"},
      {"{'minProperties':2,'properties':{'id':true}," OWN "}", "{'kind':'dot'}",
       "/: the object has 1 member, the minimum is 2"},
  };
  SCHEMA_EXPECT(list, NULL);
}

SCRATCH_TEST(annotations_only_describe) {
  static const schema_case list[] = {
      {"{'title':1,'description':2,'default':3,'examples':4,'deprecated':5,"
       "'readOnly':6,'writeOnly':7,'contentEncoding':8,'contentMediaType':9}",
       "null", NULL},
      {"{'contentMediaType':'application/json','contentSchema':false}", "'x'",
       NULL},
      {"{'format':'no-such-format'}", "'x'", NULL},
      {"{'format':'email'}", "'x'", NULL},
      {"{'$comment':'x','$defs':{'a':false},'definitions':{'b':false}}", "1",
       NULL},
  };
  SCHEMA_EXPECT(list, NULL);
}

/* --- draft-07 ------------------------------------------------------------- */

SCRATCH_TEST(draft_07_has_its_own_keywords) {
  static const schema_case list[] = {
      {"{'items':[{'type':'string'},{'type':'integer'}]}", "['a',1,null]",
       NULL},
      {"{'items':[{'type':'string'}]}", "[1]",
       "/0: expected a string, got the number 1"},
      {"{'items':[{'type':'string'}],'additionalItems':{'type':'null'}}",
       "['a',null,1]", "/2: expected null, got the number 1"},
      {"{'items':[true],'additionalItems':false}", "[1,2]",
       "/: nothing may stand at index 1"},
      {"{'items':[true],'additionalItems':false}", "[1]", NULL},
      /* Without a list of items it says nothing. */
      {"{'items':{},'additionalItems':false}", "[1,2]", NULL},
      {"{'additionalItems':false}", "[1,2]", NULL},
      {"{'items':false}", "[1]", "/: nothing may stand at index 0"},
      {"{'dependencies':{'a':['b'],'c':{'minProperties':3}}}", "{'a':1}",
       "/: missing the required member 'b'"},
      {"{'dependencies':{'a':['b'],'c':{'minProperties':3}}}", "{'c':1}",
       "/: the object has 1 member, the minimum is 3"},
      {"{'dependencies':{'a':false}}", "{'a':1}",
       "/: no value is allowed here"},
      /* `$ref` hides what is beside it, faults too. */
      {"{'definitions':{'a':{'type':'string'}},'properties':{'x':"
       "{'$ref':'#/definitions/a','maxLength':1,'type':7}}}",
       "{'x':'long'}", NULL},
      {"{'definitions':{'a':{'type':'string'}},'properties':{'x':"
       "{'$ref':'#/definitions/a','maxLength':1}}}",
       "{'x':1}", "/x: expected a string, got the number 1"},
      {"{'contains':{'type':'string'}}", "[1]",
       "/: expected at least 1 item as `contains` describes, got 0"},
      {"{'if':{'type':'integer'},'then':{'minimum':1}}", "0",
       "/: 0 is less than the minimum 1"},
      {"{'exclusiveMinimum':2}", "2", "/: 2 is not more than 2"},
      {"{'propertyNames':{'maxLength':1}}", "{'ab':1}",
       "/: the member's name 'ab' is not what propertyNames allows"},
      /* What came later. */
      {"{'prefixItems':[false],'dependentRequired':{'a':['b']},"
       "'dependentSchemas':{'a':false},'unevaluatedProperties':false,"
       "'unevaluatedItems':false,'$dynamicRef':'#nowhere','$defs':1}",
       "{'a':1}", NULL},
      {"{'contains':{'const':1},'minContains':2,'maxContains':0}", "[1]", NULL},
  };
  SCHEMA_EXPECT(list, &draft_07);
}

SCRATCH_TEST(a_schema_names_its_draft) {
#define OLD "'$schema':'http://json-schema.org/draft-07/schema#'"
#define NEW "'$schema':'https://json-schema.org/draft/2020-12/schema'"
  static const schema_case list[] = {
      {"{" OLD ",'items':[false]}", "[1]", "/: nothing may stand at index 0"},
      {"{'$schema':'http://json-schema.org/draft-07/schema','items':[false]}",
       "[1]", "/: nothing may stand at index 0"},
      {"{" NEW ",'prefixItems':[false]}", "[1]",
       "/: nothing may stand at index 0"},
      {"{" NEW ",'$ref':'#/$defs/a','maxLength':1,'$defs':{'a':true}}",
       "'long'", "/: the string 'long' has 4 characters, the maximum is 1"},
  };
  SCHEMA_EXPECT(list, NULL);
  SCHEMA_EXPECT(list, &draft_07);
}

/* --- schemas at fault ----------------------------------------------------- */

SCRATCH_TEST(a_malformed_keyword_names_the_place) {
#define SCHEMA_WANTED "expected a schema (an object or a boolean), got "
#define ANCHOR "the name of an anchor ([A-Za-z_][-A-Za-z0-9._]*)"
  static const schema_fault list[] = {
      {"{'multipleOf':0}",
       "/multipleOf: expected a number above 0, got the number 0"},
      {"{'multipleOf':-0.1}",
       "/multipleOf: expected a number above 0, got the number -0.1"},
      {"{'multipleOf':'1'}",
       "/multipleOf: expected a number above 0, got the string '1'"},
      {"{'minimum':null}", "/minimum: expected a number, got null"},
      {"{'maximum':[]}",
       "/maximum: expected a number, got an array of 0 items"},
      {"{'exclusiveMaximum':false}",
       "/exclusiveMaximum: expected a number, got false"},
      {"{'maxLength':'1'}", "/maxLength: expected a whole number, not "
                            "negative, got the string '1'"},
      {"{'minItems':-1e400}", "/minItems: expected a whole number, not "
                              "negative, got the number -1e400"},
      {"{'minProperties':0.5}", "/minProperties: expected a whole number, not "
                                "negative, got the number 0.5"},
      {"{'maxProperties':null}", "/maxProperties: expected a whole number, not "
                                 "negative, got null"},
      {"{'pattern':1}",
       "/pattern: expected a regular expression, got the number 1"},
      {"{'pattern':'ab('}",
       "/pattern: 'ab(' is not a regular expression (ECMA-262): "
       "error at byte 2"},
      {"{'format':1}", "/format: expected the name of a format, got the number "
                       "1"},
      {"{'patternProperties':1}",
       "/patternProperties: expected an object, got the number 1"},
      {"{'patternProperties':{'a/b(':true}}",
       "/patternProperties/a~1b(: 'a/b(' is not a regular expression "
       "(ECMA-262): error "
       "at byte 3"},
      {"{'patternProperties':{'a':1}}",
       "/patternProperties/a: " SCHEMA_WANTED "the number 1"},
      {"{'propertyNames':1}", "/propertyNames: " SCHEMA_WANTED "the number 1"},
      {"{'dependentRequired':[]}",
       "/dependentRequired: expected an object, got an array of 0 items"},
      {"{'dependentRequired':{'a':'b'}}",
       "/dependentRequired/a: expected an array of names, got the string 'b'"},
      {"{'dependentRequired':{'a':['b',1]}}",
       "/dependentRequired/a/1: expected a name, got the number 1"},
      {"{'dependentRequired':{'a':['b','c','b']}}",
       "/dependentRequired/a/2: expected each name once, got the string 'b'"},
      {"{'required':['a','b','a']}",
       "/required/2: expected each name once, got the string 'a'"},
      {"{'type':['null','integer','number','null']}",
       "/type/3: expected each name once, got the string 'null'"},
      {"{'dependentSchemas':1}",
       "/dependentSchemas: expected an object, got the number 1"},
      {"{'dependentSchemas':{'a':[]}}",
       "/dependentSchemas/a: " SCHEMA_WANTED "an array of 0 items"},
      {"{'dependencies':{'a':1}}",
       "/dependencies/a: " SCHEMA_WANTED "the number 1"},
      {"{'dependencies':{'a':[1]}}",
       "/dependencies/a/0: expected a name, got the number 1"},
      {"{'prefixItems':{}}",
       "/prefixItems: expected an array of schemas, got an object with 0 "
       "members"},
      {"{'prefixItems':[1]}", "/prefixItems/0: " SCHEMA_WANTED "the number 1"},
      {"{'contains':1}", "/contains: " SCHEMA_WANTED "the number 1"},
      {"{'contains':{},'minContains':-1}",
       "/minContains: expected a whole number, not negative, got the number "
       "-1"},
      {"{'contains':{},'maxContains':'x'}",
       "/maxContains: expected a whole number, not negative, got the string "
       "'x'"},
      {"{'not':[]}", "/not: " SCHEMA_WANTED "an array of 0 items"},
      {"{'if':1}", "/if: " SCHEMA_WANTED "the number 1"},
      {"{'if':{},'then':1}", "/then: " SCHEMA_WANTED "the number 1"},
      {"{'if':{},'else':null}", "/else: " SCHEMA_WANTED "null"},
      {"{'allOf':{}}", "/allOf: expected an array of schemas, got an object "
                       "with 0 members"},
      {"{'oneOf':[]}",
       "/oneOf: expected an array of schemas, got an array of 0 items"},
      {"{'unevaluatedItems':1}",
       "/unevaluatedItems: " SCHEMA_WANTED "the number 1"},
      {"{'unevaluatedProperties':'x'}",
       "/unevaluatedProperties: " SCHEMA_WANTED "the string 'x'"},
      {"{'$defs':[]}", "/$defs: expected an object, got an array of 0 items"},
      {"{'$defs':{'a':{'minimum':null}}}",
       "/$defs/a/minimum: expected a number, got null"},
      {"{'$ref':1}", "/$ref: expected a URI reference, got the number 1"},
      {"{'$dynamicRef':{}}",
       "/$dynamicRef: expected a URI reference, got an object with 0 members"},
      {"{'$id':1}", "/$id: expected a URI, got the number 1"},
      {"{'$id':'http://a/b#c'}", "/$id: expected a URI without fragment, got "
                                 "the string 'http://a/b#c'"},
      {"{'$schema':1}",
       "/$schema: expected the URI of a draft, got the number 1"},
      {"{'$anchor':1}", "/$anchor: expected " ANCHOR ", got the number 1"},
      {"{'$anchor':''}", "/$anchor: expected " ANCHOR ", got the string ''"},
      {"{'$anchor':'1'}", "/$anchor: expected " ANCHOR ", got the string '1'"},
      {"{'items':{'$anchor':'a/b'}}",
       "/items/$anchor: expected " ANCHOR ", got the string 'a/b'"},
      {"{'$defs':{'a':{'$dynamicAnchor':null}}}",
       "/$defs/a/$dynamicAnchor: expected " ANCHOR ", got null"},
  };
  static const schema_fault old[] = {
      {"{'items':[1]}", "/items/0: " SCHEMA_WANTED "the number 1"},
      {"{'items':[{}],'additionalItems':1}",
       "/additionalItems: " SCHEMA_WANTED "the number 1"},
      {"{'definitions':{'a':1}}",
       "/definitions/a: " SCHEMA_WANTED "the number 1"},
  };
  SCHEMA_EXPECT_FAULTS(list, MCP_ERR_SCHEMA, NULL);
  SCHEMA_EXPECT_FAULTS(old, MCP_ERR_SCHEMA, &draft_07);
  assert_int_equal(plain_regex_live(), 0);
}
